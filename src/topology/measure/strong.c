/* Within how many parts nodes reach each other, and the largest. */
#include <stdlib.h>

#include "topology/measure/connected.h"
#include "topology/measure/measure.h"

bool wi_measure_strong(const weir_graph *graph, weir_topology_stats *stats)
{
    uint32_t parts = 0;
    if (graph->n_one_way == 0) {
        stats->strong_components = stats->components;
        stats->largest_strong = stats->largest_component;
        return true;
    }
    uint32_t *part = wi_connected_parts(graph, &parts);
    uint32_t *size = calloc((size_t)parts + 1, sizeof *size);
    for (uint32_t v = 0; part && size && v < graph->n_nodes; v++)
        if (++size[part[v]] > stats->largest_strong)
            stats->largest_strong = size[part[v]];
    stats->strong_components = parts;
    const bool good = part && size;
    free(part);
    free(size);
    return good;
}

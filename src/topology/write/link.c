/* Links in order and numbers as text, for all writers; see writer.h. */
#include "topology/write/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool wi_each_link(const weir_graph *graph,
                  void (*each)(const weir_graph *graph, uint32_t from, uint32_t edge, void *arg), void *arg)
{
    const uint32_t links = graph->n_edges / 2;
    uint32_t *edge = malloc(((size_t)links + 1) * sizeof *edge),
             *from = malloc(((size_t)links + 1) * sizeof *from);
    const bool good = edge && from;
    for (uint32_t v = graph->n_nodes; good && v-- > 0;) /* the lower end, met last, stays */
        for (uint32_t e = graph->first[v]; e < graph->end[v]; e++) {
            edge[graph->link[e]] = e;
            from[graph->link[e]] = v;
        }
    for (uint32_t l = 0; good && l < links; l++)
        each(graph, from[l], edge[l], arg);
    free(edge);
    free(from);
    return good;
}

const char *wi_number_text(double value, char *out)
{
    if (value == floor(value) && fabs(value) < 1e15) { /* places mostly are; and this is ten times as fast */
        snprintf(out, WI_NUMBER, "%lld", (long long)value);
        return out;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, WI_NUMBER, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

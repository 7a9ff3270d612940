/* Links in order and numbers as text, for all writers; see writer.h. */
#include "topology/write/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool wi_both_directed(const wi_printing *p, uint32_t edge)
{
    (void)edge;
    return p->directed;
}

weir_status wi_print_links(weir_diag *diag, const wi_printing *p)
{
    const weir_graph *const g = p->graph;
    const uint32_t links = g->n_edges / 2;
    uint32_t *edge = malloc(((size_t)links + 1) * sizeof *edge),
             *from = malloc(((size_t)links + 1) * sizeof *from);
    const bool good = edge && from;
    for (uint32_t v = g->n_nodes; good && v-- > 0;) /* the lower end, met last, stays */
        for (uint32_t e = g->first[v]; e < g->end[v]; e++) {
            edge[g->link[e]] = e;
            from[g->link[e]] = v;
        }
    for (uint32_t l = 0; good && l < links; l++) {
        const uint32_t back = g->reverse[edge[l]];
        p->edge(p, from[l], edge[l]);
        if (p->both(p, edge[l]) && weir_edge_exists(g, back))
            p->edge(p, g->target[edge[l]], back);
    }
    free(edge);
    free(from);
    return good ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "out of memory for the order of %u links", links);
}

const char *wi_weight_text(const weir_graph *graph, uint32_t edge, char *out)
{
    return wi_number_text((double)graph->weight[edge] / graph->weight_scale, out);
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

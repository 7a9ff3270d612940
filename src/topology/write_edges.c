/*
 * Edge lists: two names a line, and the weight of that direction where the graph is weighted (links whose
 * directions differ get two lines then). Names are separated by a tab; by | where a name holds what would
 * part it in reading.
 */
#include <inttypes.h>
#include <string.h>

#include "topology/writer.h"

typedef struct printing {
    FILE *out;
    char separator;
} printing;

/* '\t', '|', or 0 where no separator will do. */
static char separator_for(const weir_graph *g)
{
    bool bar = false;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        const char *name = g->name[v];
        if (name[0] == '#' || name[0] == '%' || name[0] == '"' || name[0] == ' ' ||
            name[strcspn(name, "\t\r\n\f\v|")] || name[strlen(name) - 1] == ' ')
            return 0;
        bar |= name[strcspn(name, " ,")] != '\0';
    }
    return bar ? '|' : '\t';
}

static void print_edge(const printing *w, const weir_graph *g, uint32_t from, uint32_t edge)
{
    fprintf(w->out, "%s%c%s", g->name[from], w->separator, g->name[g->target[edge]]);
    if (g->weighted)
        fprintf(w->out, "%c%" PRIu32, w->separator, g->weight[edge]);
    fputc('\n', w->out);
}

static void print_link(const weir_graph *g, uint32_t from, uint32_t edge, void *arg)
{
    print_edge(arg, g, from, edge);
    if (g->weighted && g->weight[edge] != g->weight[g->reverse[edge]])
        print_edge(arg, g, g->target[edge], g->reverse[edge]);
}

static void report(weir_diag *diag, const weir_graph *g)
{
    uint32_t isolated = 0, known = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        isolated += g->first[v] == g->first[v + 1];
    for (uint32_t e = 0; e < g->n_edges; e++)
        known += g->rate_bps[e] > 0 || g->delay_ps[e] >= 0;
    if (isolated > 0)
        weir_warn(diag, "%u nodes without links are left out: an edge list has no place for them", isolated);
    if (known > 0)
        weir_note(diag, "rates and delays are left out: an edge list has no place for them");
    if (g->weighted)
        weir_note(diag, "the third column holds weights; to read them, say so (third_column)");
}

weir_status wi_write_edges(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    printing w = {.out = out, .separator = separator_for(graph)};
    if (w.separator == 0)
        return weir_fail(
            diag, WEIR_E_ARG,
            "a node's name holds |, a tab or a line break, begins with # %% or \", or begins or ends with a "
            "blank: an edge list cannot hold it; write GraphML");
    fprintf(out, "# %" PRIu32 " nodes, %" PRIu32 " links\n", graph->n_nodes, graph->n_edges / 2);
    if (!wi_each_link(graph, print_link, &w))
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the order of %u links", graph->n_edges / 2);
    report(diag, graph);
    return WEIR_OK;
}

/*
 * Edge lists: two names a line, and the weight of that direction where the graph is weighted (links whose
 * directions differ get two lines then). Names are separated by a tab, or by commas behind a title; one that
 * holds what would part it in reading stands in quotes. Where a link leads one way only, the list is headed
 * "# directed", and each line is a direction.
 */
#include <inttypes.h>
#include <string.h>

#include "topology/write/writer.h"

typedef struct printing {
    FILE *out;
    char separator;
    bool directed;
} printing;

/* A name that no quotes help: a line break would end its line, and its length is bounded. */
static bool can_be_held(const char *name)
{
    return name[strcspn(name, "\r\n\f\v")] == '\0' && strlen(name) <= 255;
}

static void print_name(const printing *w, const char *name)
{
    const size_t length = strlen(name);
    const bool plain =
        name[0] != '#' && name[0] != '%' && name[strcspn(name, "\" ,|\t")] == '\0' && length > 0;
    if (plain) {
        fputs(name, w->out);
        return;
    }
    fputc('"', w->out);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', w->out);
        fputc(*name, w->out);
    }
    fputc('"', w->out);
}

static void print_edge(const printing *w, const weir_graph *g, uint32_t from, uint32_t edge)
{
    print_name(w, g->name[from]);
    fputc(w->separator, w->out);
    print_name(w, g->name[g->target[edge]]);
    if (g->weighted)
        fprintf(w->out, "%c%" PRIu32, w->separator, g->weight[edge]);
    fputc('\n', w->out);
}

static void print_link(const weir_graph *g, uint32_t from, uint32_t edge, void *arg)
{
    const printing *w = arg;
    const uint32_t back = g->reverse[edge];
    print_edge(w, g, from, edge);
    if (w->directed ? weir_edge_exists(g, back) : g->weighted && g->weight[edge] != g->weight[back])
        print_edge(w, g, g->target[edge], back);
}

static weir_status write_list(weir_diag *diag, const weir_graph *graph, FILE *out, bool commas)
{
    printing w = {.out = out, .separator = commas ? ',' : '\t', .directed = graph->n_one_way > 0};
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        if (!can_be_held(graph->name[v]))
            return weir_fail(diag, WEIR_E_ARG,
                             "the name of node %" PRIu32
                             " holds a line break, or more than 255 bytes: an edge list "
                             "cannot hold it; write GraphML",
                             v);
    fprintf(out, "# %" PRIu32 " nodes, %" PRIu32 " links\n", graph->n_nodes, graph->n_edges / 2);
    if (w.directed)
        fputs("# directed\n", out);
    if (commas)
        fprintf(out, "source,target%s\n", graph->weighted ? ",weight" : "");
    if (!wi_each_link(graph, print_link, &w))
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the order of %u links", graph->n_edges / 2);
    wi_report_losses(diag, graph, "an edge list",
                     WI_HOLDS_NAMES | WI_HOLDS_WEIGHTS | WI_HOLDS_DIRECTIONS |
                         (w.directed ? WI_HOLDS_PARALLEL : 0));
    return WEIR_OK;
}

weir_status wi_write_edges(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    return write_list(diag, graph, out, false);
}

weir_status wi_write_csv(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    return write_list(diag, graph, out, true);
}

/*
 * Edge lists: two names a line, and the weight of that direction where the graph is weighted (links whose
 * directions differ get two lines then). Names are separated by a tab, or by commas behind a title; one that
 * holds what would part it in reading stands in quotes. Where a link leads one way only, the list is headed
 * "# directed", and each line is a direction.
 */
#include <inttypes.h>
#include <string.h>

#include "topology/write/writer.h"

/* A name that no quotes help: a line break would end its line, and its length is bounded. */
static bool can_be_held(const char *name)
{
    return name[strcspn(name, "\r\n\f\v")] == '\0' && strlen(name) <= 255;
}

static void print_name(FILE *out, const char *name)
{
    const bool plain = *name && name[0] != '#' && name[0] != '%' && name[strcspn(name, "\" ,|\t")] == '\0';
    if (plain) {
        fputs(name, out);
        return;
    }
    fputc('"', out);
    for (; *name; name++) {
        if (*name == '"')
            fputc('"', out);
        fputc(*name, out);
    }
    fputc('"', out);
}

static bool prints_both(const wi_printing *p, uint32_t edge)
{
    const weir_graph *const g = p->graph;
    return p->directed || (g->weighted && g->weight[edge] != g->weight[g->reverse[edge]]);
}

static void print_edge(const wi_printing *p, uint32_t from, uint32_t edge)
{
    const weir_graph *const g = p->graph;
    print_name(p->out, g->name[from]);
    fputc(p->separator, p->out);
    print_name(p->out, g->name[g->target[edge]]);
    char weight[WI_NUMBER];
    if (g->weighted)
        fprintf(p->out, "%c%s", p->separator, wi_weight_text(g, edge, weight));
    fputc('\n', p->out);
}

static weir_status write_list(weir_diag *diag, const weir_graph *graph, FILE *out, bool commas)
{
    const wi_printing p = {
        graph, out, print_edge, prints_both, graph->n_one_way > 0, false, commas ? ',' : '\t'};
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        if (!can_be_held(graph->name[v]))
            return weir_fail(
                diag, WEIR_E_ARG,
                "the name of node %" PRIu32
                " holds a line break, or more than 255 bytes: an edge list cannot hold it; write GraphML",
                v);
    fprintf(out, "# %" PRIu32 " nodes, %" PRIu32 " links\n", graph->n_nodes, graph->n_edges / 2);
    if (p.directed)
        fputs("# directed\n", out);
    if (commas)
        fprintf(out, "source,target%s\n", graph->weighted ? ",weight" : "");
    return wi_print_links(diag, &p);
}

weir_status wi_write_edges(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    return write_list(diag, graph, out, false);
}

weir_status wi_write_csv(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    return write_list(diag, graph, out, true);
}

/*
 * Graphviz: a graph of nodes with their places (pos, in points, pinned; plane kilometres, or degrees where
 * the graph is `geographic`) and links with rate, delay and weight. It is directed where a link leads one way
 * or differs by direction; then a link of two directions is two edges. Written only.
 */
#include <inttypes.h>
#include <math.h>

#include "topology/read/reader.h"
#include "topology/write/writer.h"
#include "weir/units.h"

static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    fputc('"', out);
}

static void print_edge(const wi_printing *p, uint32_t from, uint32_t edge)
{
    const weir_graph *const g = p->graph;
    char rate[WEIR_UNITS_TEXT], delay[WEIR_UNITS_TEXT], weight[WI_NUMBER];
    fprintf(p->out, "  n%" PRIu32 " %s n%" PRIu32 " [", from, p->directed ? "->" : "--", g->target[edge]);
    if (g->rate_bps[edge] > 0)
        fprintf(p->out, "rate=\"%s\" ", weir_format_rate(g->rate_bps[edge], rate));
    if (g->delay_ps[edge] >= 0)
        fprintf(p->out, "delay=\"%s\" ", weir_format_time(g->delay_ps[edge], delay));
    if (g->weighted)
        fprintf(p->out, "weight=%s", wi_weight_text(g, edge, weight));
    fputs("];\n", p->out);
}

static void print_node(FILE *out, const weir_graph *graph, uint32_t v)
{
    char x[WI_NUMBER], y[WI_NUMBER];
    fprintf(out, "  n%" PRIu32 " [label=", v);
    print_quoted(out, graph->name[v]);
    if (graph->role[v] == WEIR_HOST)
        fputs(" shape=box", out);
    if (graph->node_class[v] != WEIR_CLASS_NONE)
        fprintf(out, " class=%s", wi_class_word((weir_node_class)graph->node_class[v]));
    if (graph->as_number[v] != 0)
        fprintf(out, " as=%" PRIu32, graph->as_number[v]);
    if (!isnan(graph->x[v]))
        fprintf(out, " pos=\"%s,%s!\"", wi_number_text(graph->x[v], x), wi_number_text(graph->y[v], y));
    fputs("];\n", out);
}

weir_status wi_write_dot(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    const wi_printing p = {graph, out, print_edge, wi_both_directed, wi_directions_differ(graph), false, 0};
    fprintf(out, "%s weir {\n  node [shape=circle];\n", p.directed ? "digraph" : "graph");
    if (graph->geographic)
        fputs("  geographic=true;\n", out);
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        print_node(out, graph, v);
    const weir_status st = wi_print_links(diag, &p);
    fputs("}\n", out);
    return st;
}

/*
 * Graphviz: an undirected graph of nodes with their places (pos, in points, pinned; plane kilometres or
 * degrees as they are) and links labelled with rate and delay. Written only.
 */
#include <inttypes.h>
#include <math.h>

#include "topology/writer.h"
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

static void print_link(const weir_graph *g, uint32_t from, uint32_t edge, void *arg)
{
    FILE *out = arg;
    char rate[WEIR_UNITS_TEXT], delay[WEIR_UNITS_TEXT];
    fprintf(out, "  n%" PRIu32 " -- n%" PRIu32 " [", from, g->target[edge]);
    if (g->rate_bps[edge] > 0)
        fprintf(out, "rate=\"%s\" ", weir_format_rate(g->rate_bps[edge], rate));
    if (g->delay_ps[edge] >= 0)
        fprintf(out, "delay=\"%s\" ", weir_format_time(g->delay_ps[edge], delay));
    if (g->weighted)
        fprintf(out, "weight=%" PRIu32, g->weight[edge]);
    fputs("];\n", out);
}

weir_status wi_write_dot(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    char x[WI_NUMBER], y[WI_NUMBER];
    fputs("graph weir {\n  node [shape=circle];\n", out);
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        fprintf(out, "  n%" PRIu32 " [label=", v);
        print_quoted(out, graph->name[v]);
        if (graph->role[v] == WEIR_HOST)
            fputs(" shape=box", out);
        if (graph->as_number[v] != 0)
            fprintf(out, " as=%" PRIu32, graph->as_number[v]);
        if (!isnan(graph->x[v]))
            fprintf(out, " pos=\"%s,%s!\"", wi_number_text(graph->x[v], x), wi_number_text(graph->y[v], y));
        fputs("];\n", out);
    }
    if (!wi_each_link(graph, print_link, out))
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the order of %u links", graph->n_edges / 2);
    fputs("}\n", out);
    return WEIR_OK;
}

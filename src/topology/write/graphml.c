/*
 * GraphML that the reader of this folder takes back whole: label, role, class, as, and Longitude and Latitude
 * or x and y; rate, delay, weight. Edges are undirected where both directions are alike; else the graph is
 * directed, every link of two directions is two edges, and `link` tells which belong together. What XML
 * cannot hold of a name (control characters, bytes that are no UTF-8) is replaced, with a warning.
 */
#include <inttypes.h>
#include <math.h>

#include "topology/read/reader.h"
#include "topology/write/writer.h"
#include "weir/units.h"

/* Length of the UTF-8 character at p, 0 where there is none. Overlong forms and surrogates are not told apart
 * from others: libxml2 is the judge of those. */
static size_t character(const unsigned char *p)
{
    const size_t n = *p < 0x80                           ? 1
                     : (*p & 0xe0) == 0xc0 && *p >= 0xc2 ? 2
                     : (*p & 0xf0) == 0xe0               ? 3
                     : *p >= 0xf0 && *p < 0xf5           ? 4
                                                         : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
                    (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe))) ||
        (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90))))
        return 0;
    return n;
}

/* False where something had to be replaced. */
static bool print_escaped(FILE *out, const char *text)
{
    bool good = true;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t n = character(p);
        const bool bad = n == 0 || *p < 0x20 || *p == 0x7f;
        const char *const instead = n == 0      ? "\xef\xbf\xbd"
                                    : bad       ? " "
                                    : *p == '&' ? "&amp;"
                                    : *p == '<' ? "&lt;"
                                    : *p == '>' ? "&gt;"
                                                : NULL;
        if (instead)
            fputs(instead, out);
        else
            fwrite(p, 1, n, out);
        good &= !bad;
        p += n ? n : 1;
    }
    return good;
}

static void print_keys(FILE *out, const weir_graph *g)
{
    const char *const weight = g->weight_scale == 1 ? "int" : "double";
    const char *const keys[][3] = {{"label", "node", "string"}, {"role", "node", "string"},
                                   {"class", "node", "string"}, {"as", "node", "long"},
                                   {"rate", "edge", "string"},  {"delay", "edge", "string"},
                                   {"weight", "edge", weight},  {"link", "edge", "int"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fprintf(out, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i][0],
                keys[i][1], keys[i][0], keys[i][2]);
    for (int i = 0; i < 2; i++)
        fprintf(out, "  <key id=\"%s\" for=\"node\" attr.name=\"%s\" attr.type=\"double\"/>\n", i ? "y" : "x",
                g->geographic ? i ? "Latitude" : "Longitude"
                : i           ? "y"
                              : "x");
}

/* False where the name had to be changed. */
static bool print_node(FILE *out, const weir_graph *g, uint32_t v)
{
    char x[WI_NUMBER], y[WI_NUMBER];
    fprintf(out, "    <node id=\"%" PRIu32 "\"><data key=\"label\">", v);
    const bool good = print_escaped(out, g->name[v]);
    fputs("</data>", out);
    if (g->role[v] == WEIR_HOST)
        fputs("<data key=\"role\">host</data>", out);
    if (g->node_class[v] != WEIR_CLASS_NONE)
        fprintf(out, "<data key=\"class\">%s</data>", wi_class_word((weir_node_class)g->node_class[v]));
    if (g->as_number[v] != 0)
        fprintf(out, "<data key=\"as\">%" PRIu32 "</data>", g->as_number[v]);
    if (!isnan(g->x[v]))
        fprintf(out, "<data key=\"x\">%s</data><data key=\"y\">%s</data>", wi_number_text(g->x[v], x),
                wi_number_text(g->y[v], y));
    fputs("</node>\n", out);
    return good;
}

static void print_edge(const wi_printing *p, uint32_t from, uint32_t edge)
{
    const weir_graph *const g = p->graph;
    FILE *const out = p->out;
    char text[WEIR_UNITS_TEXT], weight[WI_NUMBER];
    fprintf(out, "    <edge source=\"%" PRIu32 "\" target=\"%" PRIu32 "\">", from, g->target[edge]);
    if (g->rate_bps[edge] > 0)
        fprintf(out, "<data key=\"rate\">%s</data>", weir_format_rate(g->rate_bps[edge], text));
    if (g->delay_ps[edge] >= 0)
        fprintf(out, "<data key=\"delay\">%s</data>", weir_format_time(g->delay_ps[edge], text));
    if (g->weighted)
        fprintf(out, "<data key=\"weight\">%s</data>", wi_weight_text(g, edge, weight));
    if (p->directed)
        fprintf(out, "<data key=\"link\">%" PRIu32 "</data>", g->link[edge]);
    fputs("</edge>\n", out);
}

weir_status wi_write_graphml(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    const wi_printing p = {graph, out, print_edge, wi_both_directed, wi_directions_differ(graph), false, 0};
    uint32_t mended = 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
          "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
          out);
    print_keys(out, graph);
    fprintf(out, "  <graph edgedefault=\"%s\">\n", p.directed ? "directed" : "undirected");
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        mended += !print_node(out, graph, v);
    const weir_status st = wi_print_links(diag, &p);
    fputs("  </graph>\n</graphml>\n", out);
    if (mended > 0)
        weir_warn(diag, "%u names hold bytes that XML does not; they are replaced", mended);
    return st;
}

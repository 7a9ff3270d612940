/*
 * GraphML that the reader of this folder takes back whole: label, role, class, as, and Longitude and Latitude
 * or x and y; rate, delay, weight. Edges are undirected where both directions are alike; else the graph is
 * directed, every link of two directions is two edges, and `link` tells which belong together. What XML cannot hold of a name (control characters, bytes that are no
 * UTF-8) is replaced, with a warning.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "topology/read/reader.h"
#include "topology/write/writer.h"
#include "weir/units.h"

typedef struct printing {
    FILE *out;
    bool directed;
    uint32_t mended; /* names */
} printing;

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

static void print_escaped(printing *w, const char *text)
{
    bool mended = false;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t n = character(p);
        if (n == 0 || *p < 0x20 || *p == 0x7f) {
            fputs(n == 0 ? "\xef\xbf\xbd" : " ", w->out);
            mended = true;
        } else if (*p == '&') {
            fputs("&amp;", w->out);
        } else if (*p == '<') {
            fputs("&lt;", w->out);
        } else if (*p == '>') {
            fputs("&gt;", w->out);
        } else {
            fwrite(p, 1, n, w->out);
        }
        p += n ? n : 1;
    }
    w->mended += mended;
}

static void print_keys(FILE *out, const weir_graph *g)
{
    static const char *const keys[][3] = {{"label", "node", "string"}, {"role", "node", "string"},
                                          {"class", "node", "string"}, {"as", "node", "long"},
                                          {"rate", "edge", "string"},  {"delay", "edge", "string"},
                                          {"weight", "edge", "int"},   {"link", "edge", "int"}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fprintf(out, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i][0],
                keys[i][1], keys[i][0], keys[i][2]);
    for (int i = 0; i < 2; i++)
        fprintf(out, "  <key id=\"%s\" for=\"node\" attr.name=\"%s\" attr.type=\"double\"/>\n", i ? "y" : "x",
                g->geographic ? i ? "Latitude" : "Longitude"
                : i           ? "y"
                              : "x");
}

static void print_node(printing *w, const weir_graph *g, uint32_t v)
{
    char x[WI_NUMBER], y[WI_NUMBER];
    fprintf(w->out, "    <node id=\"%" PRIu32 "\"><data key=\"label\">", v);
    print_escaped(w, g->name[v]);
    fputs("</data>", w->out);
    if (g->role[v] == WEIR_HOST)
        fputs("<data key=\"role\">host</data>", w->out);
    if (g->node_class[v] != WEIR_CLASS_NONE)
        fprintf(w->out, "<data key=\"class\">%s</data>", wi_class_word((weir_node_class)g->node_class[v]));
    if (g->as_number[v] != 0)
        fprintf(w->out, "<data key=\"as\">%" PRIu32 "</data>", g->as_number[v]);
    if (!isnan(g->x[v]))
        fprintf(w->out, "<data key=\"x\">%s</data><data key=\"y\">%s</data>", wi_number_text(g->x[v], x),
                wi_number_text(g->y[v], y));
    fputs("</node>\n", w->out);
}

static void print_edge(const printing *w, const weir_graph *g, uint32_t from, uint32_t edge)
{
    FILE *const out = w->out;
    char text[WEIR_UNITS_TEXT];
    fprintf(out, "    <edge source=\"%" PRIu32 "\" target=\"%" PRIu32 "\">", from, g->target[edge]);
    if (g->rate_bps[edge] > 0)
        fprintf(out, "<data key=\"rate\">%s</data>", weir_format_rate(g->rate_bps[edge], text));
    if (g->delay_ps[edge] >= 0)
        fprintf(out, "<data key=\"delay\">%s</data>", weir_format_time(g->delay_ps[edge], text));
    if (g->weighted)
        fprintf(out, "<data key=\"weight\">%" PRIu32 "</data>", g->weight[edge]);
    if (w->directed)
        fprintf(out, "<data key=\"link\">%" PRIu32 "</data>", g->link[edge]);
    fputs("</edge>\n", out);
}

static void print_link(const weir_graph *g, uint32_t from, uint32_t edge, void *arg)
{
    const printing *w = arg;
    print_edge(w, g, from, edge);
    if (w->directed && weir_edge_exists(g, g->reverse[edge]))
        print_edge(w, g, g->target[edge], g->reverse[edge]);
}

weir_status wi_write_graphml(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    printing w = {.out = out, .directed = wi_directions_differ(graph)};
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml "
          "xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
          out);
    print_keys(out, graph);
    fprintf(out, "  <graph edgedefault=\"%s\">\n", w.directed ? "directed" : "undirected");
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        print_node(&w, graph, v);
    if (!wi_each_link(graph, print_link, &w))
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the order of %u links", graph->n_edges / 2);
    fputs("  </graph>\n</graphml>\n", out);
    if (w.mended > 0)
        weir_warn(diag, "%u names hold bytes that XML does not; they are replaced", w.mended);
    wi_report_losses(diag, graph, "GraphML", WI_HOLDS_ALL);
    return WEIR_OK;
}

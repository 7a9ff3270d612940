/*
 * A picture of a graph and of its degrees, SVG: to the left the graph, at its own coordinates or at those of
 * a force-directed layout, nodes coloured by AS; to the right the share of nodes of each degree, both axes
 * logarithmic. (The paper on BRITE in ns-3 shows such a graph as its Figure 1.)
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "topology/write/layout.h"
#include "base/memory.h"
#include "topology/write/writer.h"

enum { DRAWN_NODES = 20000, DRAWN_LINKS = 100000 };
enum { PANEL = 600, MARGIN = 60, WIDTH = 2 * PANEL + 3 * MARGIN, HEIGHT = PANEL + 2 * MARGIN };

/* Okabe and Ito's colours, which most eyes tell apart, in two shades. */
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9",
                                      "#8a7f00", "#004166", "#8f6300", "#005c43", "#7a3f60", "#7a3600"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* ---- the graph ---- */

/* Stretches places to the panel, alike in both directions; y grows downwards in SVG. */
static void fit(wi_point *place, uint32_t n)
{
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (uint32_t v = 0; v < n; v++) {
        left = fmin(left, place[v].x);
        right = fmax(right, place[v].x);
        bottom = fmin(bottom, place[v].y);
        top = fmax(top, place[v].y);
    }
    const double scale = PANEL / fmax(fmax(right - left, top - bottom), 1e-9);
    for (uint32_t v = 0; v < n; v++) {
        place[v].x = MARGIN + PANEL / 2.0 + scale * (place[v].x - (left + right) / 2);
        place[v].y = MARGIN + PANEL / 2.0 - scale * (place[v].y - (bottom + top) / 2);
    }
}

static void draw_links(FILE *out, const weir_graph *g, const wi_point *place)
{
    fprintf(out, "<path fill=\"none\" stroke=\"#888\" stroke-opacity=\"0.5\" stroke-width=\"%.2f\" d=\"",
            g->n_edges < 2000 ? 0.8 : 0.3);
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (g->reverse[e] > e)
                fprintf(out, "M%.1f %.1fL%.1f %.1f\n", place[v].x, place[v].y, place[g->target[e]].x,
                        place[g->target[e]].y);
    fputs("\"/>\n", out);
}

static void draw_nodes(FILE *out, const weir_graph *g, const wi_point *place)
{
    const double radius = fmax(0.6, fmin(4, 60 / sqrt((double)g->n_nodes + 1)));
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        const char *colour = colours[(g->as_number[v] ? g->as_number[v] - 1 : 0) % COLOURS];
        if (g->role[v] == WEIR_HOST)
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                    place[v].x - radius, place[v].y - radius, 2 * radius, 2 * radius, colour);
        else
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\" fill=\"%s\"/>\n", place[v].x, place[v].y,
                    g->node_class[v] == WEIR_CLASS_BORDER ? 1.5 * radius : radius, colour);
    }
}

static weir_status draw_graph(weir_diag *diag, const weir_graph *g, FILE *out)
{
    if (g->n_nodes > DRAWN_NODES || g->n_edges / 2 > DRAWN_LINKS) {
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">not drawn: more than %d nodes or %d "
                "links</text>\n",
                MARGIN + PANEL / 2, MARGIN + PANEL / 2, DRAWN_NODES, DRAWN_LINKS);
        weir_note(diag, "the graph is too large to draw; the plot has its degrees alone");
        return WEIR_OK;
    }
    WI_FREED wi_point *place = malloc(((size_t)g->n_nodes + 1) * sizeof *place);
    const bool good = place && wi_layout_places(g, place) != WI_LAYOUT_NONE;
    if (good) {
        fit(place, g->n_nodes);
        draw_links(out, g, place);
        draw_nodes(out, g, place);
    }
    return good ? WEIR_OK
                : weir_fail(diag, WEIR_E_NOMEM, "out of memory for a layout of %u nodes", g->n_nodes);
}

/* ---- its degrees ---- */

enum { LEFT = 2 * MARGIN + PANEL + 20, RIGHT = WIDTH - MARGIN, TOP = MARGIN, BOTTOM = HEIGHT - MARGIN };

/* Decades of an axis that hold the greatest value. */
static int decades(uint32_t most)
{
    int d = 1;
    for (uint64_t reach = 10; reach < most; reach *= 10)
        d++;
    return d;
}

static void draw_axes(FILE *out, int across, int down)
{
    fprintf(out, "<path fill=\"none\" stroke=\"#000\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
    for (int d = 0; d <= across; d++) {
        const double x = LEFT + (double)(RIGHT - LEFT) * d / across;
        fprintf(out,
                "<path stroke=\"#ddd\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">%d</tspan></text>\n",
                x, TOP, BOTTOM, x, BOTTOM + 18, d);
    }
    for (int d = 0; d <= down; d++) {
        const double y = TOP + (double)(BOTTOM - TOP) * d / down;
        fprintf(out,
                "<path stroke=\"#ddd\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">%d</tspan></text>\n",
                LEFT, y, RIGHT, LEFT - 6, y + 4, -d);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">degree</text>\n", (LEFT + RIGHT) / 2,
            BOTTOM + 40);
    fprintf(out,
            "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">share of nodes</text>\n",
            LEFT - 46, (TOP + BOTTOM) / 2);
}

static weir_status draw_degrees(weir_diag *diag, const weir_graph *g, FILE *out)
{
    uint32_t most = 1;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        most = most > g->first[v + 1] - g->first[v] ? most : g->first[v + 1] - g->first[v];
    WI_FREED uint32_t *nodes = calloc((size_t)most + 1, sizeof *nodes);
    if (!nodes)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u degrees", most);
    for (uint32_t v = 0; v < g->n_nodes; v++)
        nodes[g->first[v + 1] - g->first[v]]++;
    const int across = decades(most), down = decades(g->n_nodes);
    draw_axes(out, across, down);
    for (uint32_t k = 1; k <= most; k++)
        if (nodes[k] > 0)
            fprintf(out,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%" PRIu32
                    " nodes of degree %" PRIu32 "</title></circle>\n",
                    LEFT + (RIGHT - LEFT) * log10(k) / across,
                    TOP - (BOTTOM - TOP) * log10((double)nodes[k] / g->n_nodes) / down, colours[0], nodes[k],
                    k);
    if (nodes[0] > 0)
        fprintf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%" PRIu32
                " nodes without links are not shown</text>\n",
                RIGHT, TOP - 6, nodes[0]);
    return WEIR_OK;
}

weir_status weir_topology_plot(weir_diag *diag, const weir_graph *graph, const char *path)
{
    wi_whole_file file;
    WI_RETURN_IF_FAILED(wi_whole_open(diag, path, false, &file));
    fprintf(file.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"%d\">%" PRIu32 " nodes, %" PRIu32 " links</text>\n",
            WIDTH, HEIGHT, MARGIN, MARGIN - 24, graph->n_nodes, graph->n_edges / 2);
    weir_status st = draw_graph(diag, graph, file.out) ?: draw_degrees(diag, graph, file.out);
    fputs("</svg>\n", file.out);
    const weir_status closed = wi_whole_close(diag, &file, st == WEIR_OK);
    return st ?: closed;
}

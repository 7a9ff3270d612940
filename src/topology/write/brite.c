/*
 * BRITE's topology format, as its C++ engine lays it out (brite_file.c describes it). Nodes are called by
 * their numbers. AS ids are AS numbers less one, -1 for none. Nodes are ASes where each has an AS number of
 * its own, else routers. Places that are not known are 0 0, and lengths -1 then. A link that leads one way,
 * or whose directions differ, is one directed edge or two, of one id.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "topology/write/writer.h"

/* Every node has an AS number, all different. Without memory to tell, routers. */
static bool are_ases(const weir_graph *g)
{
    WI_FREED uint32_t *as = malloc(((size_t)g->n_nodes + 1) * sizeof *as);
    bool distinct = as != NULL && g->n_nodes > 1;
    if (as) {
        memcpy(as, g->as_number, g->n_nodes * sizeof *as);
        qsort(as, g->n_nodes, sizeof *as, wi_order_u32);
    }
    for (uint32_t v = 0; distinct && v < g->n_nodes; v++)
        distinct = as[v] != 0 && (v == 0 || as[v] != as[v - 1]);
    return distinct;
}

static int64_t as_id(const weir_graph *g, uint32_t v)
{
    return (int64_t)g->as_number[v] - 1;
}

static void print_node(FILE *out, const weir_graph *g, bool ases, uint32_t v)
{
    static const char *const words[] = {
        [WEIR_CLASS_NONE] = "NODE", [WEIR_CLASS_LEAF] = "LEAF",         [WEIR_CLASS_BORDER] = "BORDER",
        [WEIR_CLASS_STUB] = "STUB", [WEIR_CLASS_BACKBONE] = "BACKBONE", [WEIR_CLASS_SERVER] = "LEAF"};
    char x[WI_NUMBER], y[WI_NUMBER];
    const uint32_t degree = g->first[v + 1] - g->first[v];
    const bool placed = !isnan(g->x[v]);
    fprintf(out, "%" PRIu32 " %s %s %" PRIu32 " %" PRIu32 " %" PRId64 " %s_%s\n", v,
            wi_number_text(placed ? g->x[v] : 0, x), wi_number_text(placed ? g->y[v] : 0, y), degree, degree,
            as_id(g, v), ases ? "AS" : "RT", words[g->node_class[v]]);
}

static bool prints_both(const wi_printing *p, uint32_t edge)
{
    return wi_link_differs(p->graph, edge);
}

static void print_edge(const wi_printing *p, uint32_t from, uint32_t edge)
{
    const weir_graph *const g = p->graph;
    const bool ases = p->ases;
    char length[WI_NUMBER], delay[WI_NUMBER], mbps[WI_NUMBER];
    const uint32_t to = g->target[edge];
    const double dx = g->x[from] - g->x[to], dy = g->y[from] - g->y[to], d = sqrt(dx * dx + dy * dy);
    const bool border = g->as_number[from] != g->as_number[to] && !ases;
    fprintf(p->out, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %s %s %s %" PRId64 " %" PRId64 " E_%s%s %c\n",
            g->link[edge], from, to, wi_number_text(isnan(d) ? -1 : d, length),
            wi_number_text(g->delay_ps[edge] < 0 ? -1 : (double)g->delay_ps[edge] / (double)WEIR_PS_PER_MS,
                           delay),
            wi_number_text(g->rate_bps[edge] == 0 ? -1 : (double)g->rate_bps[edge] / 1e6, mbps),
            as_id(g, from), as_id(g, to), ases ? "AS" : "RT", border ? "_BORDER" : "",
            wi_link_differs(g, edge) ? 'D' : 'U');
}

/* Links that differ by direction are two edges, unless they lead one way. */
static uint32_t count_edges(const weir_graph *g)
{
    uint32_t edges = g->n_edges / 2;
    for (uint32_t e = 0; e < g->n_edges; e++)
        edges += e < g->reverse[e] && wi_link_differs(g, e) && weir_edge_exists(g, e) &&
                 weir_edge_exists(g, g->reverse[e]);
    return edges;
}

weir_status wi_write_brite(weir_diag *diag, const weir_graph *graph, FILE *out)
{
    const bool ases = are_ases(graph);
    const wi_printing p = {graph, out, print_edge, prints_both, false, ases, 0};
    const uint32_t edges = count_edges(graph);
    fprintf(out,
            "Topology: ( %" PRIu32 " Nodes, %" PRIu32
            " Edges )\nModel ( 0 ): written by weir\n\nNodes: ( %" PRIu32 " )\n",
            graph->n_nodes, edges, graph->n_nodes);
    for (uint32_t v = 0; v < graph->n_nodes; v++)
        print_node(out, graph, ases, v);
    fprintf(out, "\n\nEdges: ( %" PRIu32 " )\n", edges);
    return wi_print_links(diag, &p);
}

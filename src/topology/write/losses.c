/* What a written file does not hold of a graph, counted and reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/write/writer.h"

typedef struct listing {
    char text[400];
    size_t length;
} listing;

static void list(listing *s, uint64_t count, const char *what)
{
    if (count == 0 || s->length + 60 > sizeof s->text)
        return;
    s->length += (size_t)snprintf(s->text + s->length, sizeof s->text - s->length, "%s%s (%llu)",
                                  s->length ? ", " : "", what, (unsigned long long)count);
}

/* Say it where the format does not hold `what`. */
static void lose(listing *s, unsigned holds, unsigned what, uint64_t count, const char *words)
{
    if (!(holds & what))
        list(s, count, words);
}

static void list_nodes(listing *s, const weir_graph *g, unsigned holds)
{
    uint64_t names = 0, hosts = 0, classes = 0, servers = 0, ases = 0, placed = 0, isolated = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        char number[16];
        snprintf(number, sizeof number, "%u", v);
        names += strcmp(g->name[v], number) != 0;
        hosts += g->role[v] == WEIR_HOST;
        classes += g->node_class[v] != WEIR_CLASS_NONE;
        servers += g->node_class[v] == WEIR_CLASS_SERVER;
        ases += g->as_number[v] != 0;
        placed += !isnan(g->x[v]);
        isolated += g->first[v] == g->first[v + 1];
    }
    lose(s, holds, WI_HOLDS_NAMES, names, "names");
    lose(s, holds, WI_HOLDS_ROLES, hosts, "hosts, which become routers");
    lose(s, holds, WI_HOLDS_CLASSES, classes, "classes of nodes");
    if (holds & WI_HOLDS_CLASSES)
        lose(s, holds, WI_HOLDS_SERVERS, servers, "servers, which become leaves");
    lose(s, holds, WI_HOLDS_AS, ases, "AS numbers");
    lose(s, holds, WI_HOLDS_XY, placed, "coordinates");
    if (holds & WI_HOLDS_XY) {
        lose(s, holds, WI_HOLDS_NO_XY, g->n_nodes - placed,
             "nodes without coordinates, which are put at 0 0");
        lose(s, holds, WI_HOLDS_DEGREES, g->geographic ? placed : 0,
             "degrees, which become kilometres in a plane");
    }
    lose(s, holds, WI_HOLDS_ISOLATED, isolated, "nodes without links");
}

static void list_links(listing *s, const weir_graph *g, unsigned holds)
{
    uint64_t rates = 0, delays = 0, two_rates = 0, two_delays = 0, two_weights = 0;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const uint32_t back = g->reverse[e];
        const bool two_way = weir_edge_exists(g, e) && weir_edge_exists(g, back);
        if (back < e)
            continue;
        rates += g->rate_bps[e] > 0 || g->rate_bps[back] > 0;
        delays += g->delay_ps[e] >= 0 || g->delay_ps[back] >= 0;
        two_rates += two_way && g->rate_bps[e] != g->rate_bps[back];
        two_delays += two_way && g->delay_ps[e] != g->delay_ps[back];
        two_weights += two_way && g->weight[e] != g->weight[back];
    }
    lose(s, holds, WI_HOLDS_RATES, rates, "rates");
    if (holds & WI_HOLDS_RATES)
        lose(s, holds, WI_HOLDS_DIRECTIONS, two_rates, "rates that differ by direction");
    lose(s, holds, WI_HOLDS_DELAYS, delays, "delays");
    if (holds & WI_HOLDS_DELAYS)
        lose(s, holds, WI_HOLDS_DIRECTIONS, two_delays, "delays that differ by direction");
    lose(s, holds, WI_HOLDS_WEIGHTS, g->weighted ? g->n_edges / 2 : 0, "weights");
    if (holds & WI_HOLDS_WEIGHTS)
        lose(s, holds, WI_HOLDS_DIRECTIONS, two_weights, "weights that differ by direction");
    lose(s, holds, WI_HOLDS_DIRECTIONS, g->n_one_way, "one-way links, which become two-way");
    lose(s, holds, WI_HOLDS_PARALLEL, g->n_parallel, "parallel links, which a reader takes as one");
    list(s, g->n_self_loops, "links from a node to itself");
}

void wi_report_losses(weir_diag *diag, const weir_graph *graph, const char *format, unsigned holds)
{
    listing s = {.length = 0};
    if ((holds & WI_HOLDS_PARALLEL_ONE_WAY) && graph->n_one_way > 0)
        holds |= WI_HOLDS_PARALLEL;
    list_nodes(&s, graph, holds);
    list_links(&s, graph, holds);
    if (s.length > 0)
        weir_warn(diag, "written as %s, the topology loses: %s", format, s.text);
}

bool wi_directions_differ(const weir_graph *graph)
{
    for (uint32_t e = 0; e < graph->n_edges; e++)
        if (wi_link_differs(graph, e))
            return true;
    return false;
}

bool wi_link_differs(const weir_graph *g, uint32_t e)
{
    const uint32_t back = g->reverse[e];
    return weir_edge_exists(g, e) != weir_edge_exists(g, back) || g->rate_bps[e] != g->rate_bps[back] ||
           g->delay_ps[e] != g->delay_ps[back] || g->weight[e] != g->weight[back];
}

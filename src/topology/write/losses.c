/* What a written file does not hold of a graph, counted and said. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "topology/write/writer.h"

typedef struct saying {
    char text[400];
    size_t length;
} saying;

static void say(saying *s, uint64_t count, const char *what)
{
    if (count == 0 || s->length + 60 > sizeof s->text)
        return;
    s->length += (size_t)snprintf(s->text + s->length, sizeof s->text - s->length, "%s%s (%llu)",
                                  s->length ? ", " : "", what, (unsigned long long)count);
}

static void say_nodes(saying *s, const weir_graph *g, unsigned holds)
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
    if (!(holds & WI_HOLDS_NAMES))
        say(s, names, "names");
    if (!(holds & WI_HOLDS_ROLES))
        say(s, hosts, "hosts, which become routers");
    if (!(holds & WI_HOLDS_CLASSES))
        say(s, classes, "classes of nodes");
    else if (!(holds & WI_HOLDS_SERVERS))
        say(s, servers, "servers, which become leaves");
    if (!(holds & WI_HOLDS_AS))
        say(s, ases, "AS numbers");
    if (!(holds & WI_HOLDS_XY))
        say(s, placed, "coordinates");
    else if (!(holds & WI_HOLDS_NO_XY))
        say(s, g->n_nodes - placed, "nodes without coordinates, which are put at 0 0");
    if ((holds & WI_HOLDS_XY) && !(holds & WI_HOLDS_DEGREES) && g->geographic)
        say(s, placed, "degrees, which become kilometres in a plane");
    if (!(holds & WI_HOLDS_ISOLATED))
        say(s, isolated, "nodes without links");
}

static void say_links(saying *s, const weir_graph *g, unsigned holds)
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
    if (!(holds & WI_HOLDS_RATES))
        say(s, rates, "rates");
    else if (!(holds & WI_HOLDS_DIRECTIONS))
        say(s, two_rates, "rates that differ by direction");
    if (!(holds & WI_HOLDS_DELAYS))
        say(s, delays, "delays");
    else if (!(holds & WI_HOLDS_DIRECTIONS))
        say(s, two_delays, "delays that differ by direction");
    if (!(holds & WI_HOLDS_WEIGHTS))
        say(s, g->weighted ? g->n_edges / 2 : 0, "weights");
    else if (!(holds & WI_HOLDS_DIRECTIONS))
        say(s, two_weights, "weights that differ by direction");
    if (!(holds & WI_HOLDS_DIRECTIONS))
        say(s, g->n_one_way, "one-way links, which become two-way");
    if (!(holds & WI_HOLDS_PARALLEL))
        say(s, g->n_parallel, "parallel links, which a reader takes as one");
    say(s, g->n_self_loops, "links from a node to itself");
}

void wi_report_losses(weir_diag *diag, const weir_graph *graph, const char *format, unsigned holds)
{
    saying s = {.length = 0};
    say_nodes(&s, graph, holds);
    say_links(&s, graph, holds);
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

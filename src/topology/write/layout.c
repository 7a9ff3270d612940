/* Which layout shows a graph best: a map, tiers, groups, or forces. */
#include "topology/write/layout.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- maps ---- */

static bool has_map(const weir_graph *graph)
{
    bool differ = false, ases = false;
    uint32_t placed = 0, first = 0;
    for (uint32_t v = graph->n_nodes; v-- > 0;)
        first = isnan(graph->x[v]) ? first : v;
    for (uint32_t v = 0; v < graph->n_nodes; v++) {
        placed += !isnan(graph->x[v]);
        differ |= !isnan(graph->x[v]) && (graph->x[v] != graph->x[first] || graph->y[v] != graph->y[first]);
        /* Two neighbouring nodes of one AS, and two ASes: a hierarchy, not a graph of ASes. */
        for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
            ases |= graph->as_number[v] != 0 && graph->as_number[graph->target[e]] == graph->as_number[v];
    }
    for (uint32_t v = 1; ases && v < graph->n_nodes && !graph->geographic; v++)
        if (graph->as_number[v] != graph->as_number[0])
            return false;
    return differ && 2 * placed >= graph->n_nodes;
}

/* The middle of the neighbours that have a place; false: none has. */
static bool among_neighbours(const weir_graph *g, const wi_point *place, uint32_t v, wi_point *middle)
{
    uint32_t n = 0;
    *middle = (wi_point){0, 0};
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        const wi_point p = place[g->target[e]];
        if (isnan(p.x))
            continue;
        middle->x += p.x;
        middle->y += p.y;
        n++;
    }
    middle->x /= n ? n : 1;
    middle->y /= n ? n : 1;
    return n > 0;
}

/* What lacks coordinates lies near its neighbours, a little aside, in an order that depends on nothing but the graph. */
static void put_map(const weir_graph *g, wi_point *place)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        place[v] = (wi_point){g->x[v], g->y[v]};
        low[0] = fmin(low[0], g->x[v]);
        high[0] = fmax(high[0], g->x[v]);
        low[1] = fmin(low[1], g->y[v]);
        high[1] = fmax(high[1], g->y[v]);
    }
    const double aside = 0.03 * fmax(high[0] - low[0], high[1] - low[1]);
    for (bool found = true; found;) {
        found = false;
        for (uint32_t v = 0; v < g->n_nodes; v++) {
            wi_point middle;
            if (!isnan(place[v].x) || !among_neighbours(g, place, v, &middle))
                continue;
            place[v].x = middle.x + aside * cos(2.4 * v); /* the golden angle, by and large */
            place[v].y = middle.y + aside * sin(2.4 * v);
            found = true;
        }
    }
    for (uint32_t v = 0, alone = 0; v < g->n_nodes; v++)
        if (isnan(place[v].x)) /* linked to nothing that has a place: in a row below */
            place[v] = (wi_point){low[0] + aside * alone++, low[1] - 2 * aside};
}

/* ---- tiers ---- */

enum { UNKNOWN = UINT16_MAX, TIERS_MAX = 16 };

/* Links away from the nearest host. False: a link does not lead one tier up or down, or there are fewer than three tiers. */
static bool find_tiers(const weir_graph *g, uint32_t *order, uint16_t *tier)
{
    uint32_t n = 0, highest = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        tier[v] = g->role[v] == WEIR_HOST ? 0 : UNKNOWN;
        if (tier[v] == 0)
            order[n++] = v;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = g->first[order[i]]; e < g->first[order[i] + 1]; e++)
            if (tier[g->target[e]] == UNKNOWN) {
                tier[g->target[e]] = (uint16_t)(tier[order[i]] + 1);
                order[n++] = g->target[e];
            }
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        if (tier[v] >= TIERS_MAX)
            return false;
        highest = tier[v] > highest ? tier[v] : highest;
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (tier[g->target[e]] + 1 != tier[v] && tier[g->target[e]] != tier[v] + 1)
                return false;
    }
    return highest >= 2;
}

static void put_tiers(const weir_graph *g, const uint16_t *tier, wi_point *place)
{
    uint32_t width[TIERS_MAX] = {0}, at[TIERS_MAX] = {0};
    for (uint32_t v = 0; v < g->n_nodes; v++)
        width[tier[v]]++;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        place[v] = (wi_point){(at[tier[v]]++ + 0.5) / width[tier[v]], 0.16 * tier[v]};
}

/* ---- groups ---- */

/* The numbers in "g3_r2". */
static bool numbers_of(const char *name, uint32_t *group, uint32_t *router)
{
    char *end;
    if (name[0] != 'g' || name[1] < '0' || name[1] > '9')
        return false;
    *group = (uint32_t)strtoul(name + 1, &end, 10);
    if (end[0] != '_' || end[1] != 'r' || end[2] < '0' || end[2] > '9')
        return false;
    *router = (uint32_t)strtoul(end + 2, &end, 10);
    return *end == '\0';
}

/* How many groups, and routers a group, there are by their names. False: it is no dragonfly. */
static bool find_groups(const weir_graph *g, uint32_t *groups, uint32_t *routers)
{
    uint32_t group, router;
    *groups = *routers = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        if (g->role[v] == WEIR_HOST)
            continue;
        if (!numbers_of(g->name[v], &group, &router))
            return false;
        *groups = group >= *groups ? group + 1 : *groups;
        *routers = router >= *routers ? router + 1 : *routers;
    }
    return *groups > 1;
}

/* Groups stand on a circle, routers on a circle a group, hosts outside of their router's. */
static void put_groups(const weir_graph *g, uint32_t groups, uint32_t routers, wi_point *place)
{
    const double turn = 2 * M_PI, small = 0.7 * M_PI / groups;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        uint32_t group = 0, router = 0, port = 0, host = v;
        double distance = small;
        if (g->role[v] == WEIR_HOST && g->first[v + 1] > g->first[v]) {
            host = g->target[g->first[v]];
            while (g->first[host] + port < g->first[host + 1] && g->target[g->first[host] + port] != v)
                port++;
            distance = 1.35 * small;
        }
        (void)numbers_of(g->name[host], &group, &router);
        const double of_group = turn * group / groups;
        const double of_router =
            of_group + turn * (router + (distance > small ? 0.12 * port : 0.0)) / routers;
        place[v].x = cos(of_group) + distance * cos(of_router);
        place[v].y = sin(of_group) + distance * sin(of_router);
    }
}

wi_layout wi_layout_places(const weir_graph *graph, wi_point *place)
{
    uint32_t groups, routers;
    if (has_map(graph)) {
        put_map(graph, place);
        return WI_LAYOUT_MAP;
    }
    WI_FREED uint32_t *order = calloc((size_t)graph->n_nodes + 1, sizeof *order);
    WI_FREED uint16_t *tier = calloc((size_t)graph->n_nodes + 1, sizeof *tier);
    if (!order || !tier)
        return WI_LAYOUT_NONE;
    if (find_tiers(graph, order, tier)) {
        put_tiers(graph, tier, place);
        return WI_LAYOUT_TIERS;
    }
    if (find_groups(graph, &groups, &routers)) {
        put_groups(graph, groups, routers, place);
        return WI_LAYOUT_GROUPS;
    }
    return wi_layout_forces(graph, place) ? WI_LAYOUT_FORCES : WI_LAYOUT_NONE;
}

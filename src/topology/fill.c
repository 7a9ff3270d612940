/*
 * Rates and delays that a source does not give.
 *
 * Places are points in a plane, in kilometres, or unit vectors from the centre of the globe: the chord c
 * between two of them gives their angle, 2 asin(c / 2), which is the haversine formula. Only + - * / and
 * square roots and weir_sin and weir_cos are used, so that delays have the same bits on every machine.
 */
#include "weir/graph.h"

#include <math.h>
#include <stdlib.h>

#include "weir/math.h"
#include "weir/math_trig.h"

#define EARTH_KM 6371.0088 /* mean radius (2a + b) / 3 of WGS 84 */

static const double LONGEST_S = 3600.0;

typedef struct point {
    double x, y, z; /* x is NaN where nothing is known */
} point;

void weir_link_defaults_init(weir_link_defaults *defaults)
{
    *defaults = (weir_link_defaults){
        .rate_bps = UINT64_C(10000000000),
        .delay_ps = WEIR_PS_PER_MS,
        .km_per_s = 200000.0,
        .delay_from_xy = true,
    };
}

static point place_of(const weir_graph *g, uint32_t node)
{
    const double radian = 0x1.1df46a2529d39p-6; /* pi / 180 */
    if (isnan(g->x[node]) || !g->geographic)
        return (point){g->x[node], g->y[node], 0};
    const double longitude = g->x[node] * radian, latitude = g->y[node] * radian;
    return (point){weir_cos(latitude) * weir_cos(longitude), weir_cos(latitude) * weir_sin(longitude),
                   weir_sin(latitude)};
}

/* For 0 <= x <= 1, to within 1e-14 of the result: the angle is halved four times, then asin is a short
 * series. */
static double arc_sine(double x)
{
    for (int halving = 0; halving < 4; halving++)
        x /= sqrt(2 + 2 * sqrt((1 - x) * (1 + x)));
    const double s = x * x;
    const double series =
        1 + s * (1.0 / 6 +
                 s * (3.0 / 40 +
                      s * (15.0 / 336 + s * (105.0 / 3456 + s * (945.0 / 42240 + s * (10395.0 / 599040))))));
    return 16 * x * series;
}

static double distance_km(bool geographic, point p, point q)
{
    const double x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    const double chord = sqrt(x * x + y * y + z * z);
    return geographic ? 2 * EARTH_KM * arc_sine(chord < 2 ? chord / 2 : 1) : chord;
}

static point *places_of(const weir_graph *g)
{
    point *place = malloc(((size_t)g->n_nodes + 1) * sizeof *place);
    if (!place)
        return NULL;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        place[v] = place_of(g, v);
    return place;
}

static weir_status check_defaults(weir_diag *diag, const weir_link_defaults *d)
{
    if (d->rate_bps == 0)
        return weir_fail(diag, WEIR_E_ARG, "the default link rate is 0 bps; want more than 0");
    if (d->delay_ps < 0)
        return weir_fail(diag, WEIR_E_ARG, "the default link delay is %lld ps; want 0 or more",
                         (long long)d->delay_ps);
    if (!(d->km_per_s > 0) || isinf(d->km_per_s))
        return weir_fail(diag, WEIR_E_ARG, "the signal speed is %g km/s; want more than 0", d->km_per_s);
    return WEIR_OK;
}

/* Delay of the link between u and v by their places; negative where they have none. Too far apart: not
 * finite. */
static double delay_s(const weir_graph *g, const point *place, uint32_t u, uint32_t v, double km_per_s)
{
    if (isnan(place[u].x) || isnan(place[v].x))
        return -1;
    const double s = distance_km(g->geographic, place[u], place[v]) / km_per_s;
    return s <= LONGEST_S ? s : INFINITY;
}

static weir_status check_distances(weir_diag *diag, const weir_graph *g, const point *place, double km_per_s)
{
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
            if (g->delay_ps[e] < 0 && isinf(delay_s(g, place, u, g->target[e], km_per_s)))
                return weir_fail(diag, WEIR_E_ARG,
                                 "nodes %s and %s are %g km apart by their coordinates: more than an hour at "
                                 "%g km/s. Check the coordinates, or set delays",
                                 g->name[u], g->name[g->target[e]],
                                 distance_km(g->geographic, place[u], place[g->target[e]]), km_per_s);
    return WEIR_OK;
}

static weir_time whole_ns(double s)
{
    const weir_time ps = (weir_time)llround(s * 1e9) * WEIR_PS_PER_NS;
    return ps > WEIR_PS_PER_US ? ps : WEIR_PS_PER_US;
}

/* Links, seen from their first edge in CSR order; `place` is null where coordinates are not to be used. */
static void fill_links(weir_graph *g, const weir_link_defaults *d, const point *place,
                       weir_fill_report *report)
{
    uint64_t *rate = (uint64_t *)g->rate_bps;
    weir_time *delay = (weir_time *)g->delay_ps;
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
            const uint32_t back = g->reverse[e];
            if (back < e)
                continue;
            if (d->override_rate)
                rate[e] = rate[back] = d->rate_bps;
            if (rate[e] == 0 || rate[back] == 0) {
                rate[e] = rate[e] ? rate[e] : d->rate_bps;
                rate[back] = rate[back] ? rate[back] : d->rate_bps;
                report->rates_filled++;
            }
            if (d->override_delay)
                delay[e] = delay[back] = d->delay_ps;
            if (delay[e] >= 0 && delay[back] >= 0)
                continue;
            const double s = place ? delay_s(g, place, u, g->target[e], d->km_per_s) : -1;
            const weir_time ps = s >= 0 ? whole_ns(s) : d->delay_ps;
            delay[e] = delay[e] >= 0 ? delay[e] : ps;
            delay[back] = delay[back] >= 0 ? delay[back] : ps;
            report->delays_from_xy += s >= 0;
            report->delays_filled += s < 0;
        }
}

weir_status weir_graph_fill(weir_diag *diag, weir_graph *graph, const weir_link_defaults *defaults,
                            weir_fill_report *report)
{
    weir_link_defaults usual;
    weir_link_defaults_init(&usual);
    defaults = defaults ? defaults : &usual;
    weir_fill_report ignored;
    weir_fill_report *counts = report ? report : &ignored;
    *counts = (weir_fill_report){0};
    weir_status st = check_defaults(diag, defaults);
    if (st != WEIR_OK)
        return st;
    point *place = NULL;
    if (defaults->delay_from_xy && !defaults->override_delay) {
        place = places_of(graph);
        if (!place)
            return weir_fail(diag, WEIR_E_NOMEM, "out of memory for the coordinates of %u nodes",
                             graph->n_nodes);
        st = check_distances(diag, graph, place, defaults->km_per_s);
    }
    if (st == WEIR_OK)
        fill_links(graph, defaults, place, counts);
    free(place);
    return st;
}

void weir_graph_set_edge(weir_graph *graph, uint32_t edge, uint64_t rate_bps, weir_time delay_ps)
{
    if (rate_bps > 0)
        ((uint64_t *)graph->rate_bps)[edge] = rate_bps;
    if (delay_ps >= 0)
        ((weir_time *)graph->delay_ps)[edge] = delay_ps;
}

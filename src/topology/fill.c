/* Rates and delays that a source does not give. */
#include "weir/graph.h"

#include <math.h>
#include <stdlib.h>

#define EARTH_KM 6371.0088 /* mean radius (2a + b) / 3 of WGS 84 */

static const double LONGEST_S = 3600.0;

typedef struct point {
    double x, y;
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

static double radians(double degrees)
{
    return degrees * (3.14159265358979323846 / 180.0);
}

static double distance_km(bool geographic, point p, point q)
{
    if (!geographic)
        return hypot(p.x - q.x, p.y - q.y);
    const double lat = sin(radians(q.y - p.y) / 2);
    const double lon = sin(radians(q.x - p.x) / 2);
    const double h = lat * lat + cos(radians(p.y)) * cos(radians(q.y)) * lon * lon;
    return 2 * EARTH_KM * asin(sqrt(h < 1 ? h : 1));
}

/* Mean of the points in `neighbour`; on the globe the mean direction, so that 179° E and 179° W do not meet
 * at Greenwich. */
static point mean_point(const weir_graph *g, uint32_t node)
{
    double x = 0, y = 0, z = 0;
    uint32_t n = 0;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
        const uint32_t v = g->target[e];
        if (isnan(g->x[v]))
            continue;
        n++;
        if (g->geographic) {
            x += cos(radians(g->y[v])) * cos(radians(g->x[v]));
            y += cos(radians(g->y[v])) * sin(radians(g->x[v]));
            z += sin(radians(g->y[v]));
        } else {
            x += g->x[v];
            y += g->y[v];
        }
    }
    if (n == 0)
        return (point){NAN, NAN};
    if (!g->geographic)
        return (point){x / n, y / n};
    const double degree = 180.0 / 3.14159265358979323846;
    return (point){atan2(y, x) * degree, atan2(z, hypot(x, y)) * degree};
}

static point *places_of(const weir_graph *g)
{
    point *place = malloc(((size_t)g->n_nodes + 1) * sizeof *place);
    if (!place)
        return NULL;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        place[v] = isnan(g->x[v]) ? mean_point(g, v) : (point){g->x[v], g->y[v]};
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
                return weir_fail(
                    diag, WEIR_E_ARG,
                    "nodes %s and %s are %g km apart by their coordinates: more than an hour at %g km/s. "
                    "Check the coordinates, or set delays",
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
            if (delay[e] >= 0)
                continue;
            const double s = place ? delay_s(g, place, u, g->target[e], d->km_per_s) : -1;
            delay[e] = delay[back] = s >= 0 ? whole_ns(s) : d->delay_ps;
            report->delays_from_xy += s >= 0;
            report->delays_filled += s < 0;
        }
}

weir_status weir_graph_fill(weir_diag *diag, weir_graph *graph, const weir_link_defaults *defaults,
                            weir_fill_report *report)
{
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

/*
 * An open queueing network of M/M/1 stations: theory knows all of it, so it measures the simulator.
 *
 * Model: J. R. Jackson, Networks of Waiting Lines, Operations Research 5(4), 1957. Customers come to each of n
 * stations from outside in a Poisson stream, wait in the order of arrival, are served for an exponential time, and
 * then leave with probability `leave`, else go to a random other station, on the way to which they are for `transit`.
 * All stations are alike: with load r each holds k customers with probability (1 - r) r^k, r / (1 - r) in the mean,
 * and a visit takes service / (1 - r). The way is a station with infinitely many servers, which changes none of that.
 * Randomness: a Philox block an event; its first word gives the time, the second one where to.
 */
#pragma once

#include "models/uniform.h"
#include "weir/math.h"
#include "weir/model.h"

enum { JACKSON_COMES, JACKSON_JOINS, JACKSON_SERVED, JACKSON_TYPES };
/* Counters: how many found so many customers on arrival; the last stands for more. */
enum { JACKSON_FOUND = 64 };

typedef struct jackson_world {
    uint32_t n_stations, reserved;
    uint64_t leave_below; /* chance of leaving, times 2^32 */
    weir_time transit_ps;
    double gap_ps, service_ps; /* means */
} jackson_world;

typedef struct jackson_station {
    uint32_t customers, reserved;
    weir_time since_ps; /* of the last change */
    double customer_ps,
        busy_ps; /* integrals of the number of customers, and of its being above 0, until then */
    uint64_t came, joined, served, left;
} jackson_station;

WEIR_FN weir_time jackson_time(double mean_ps, uint64_t bits)
{
    return weir_time_after(1, mean_ps * -weir_log(weir_unit_open_of_bits(bits)));
}

/* The integrals up to a time. */
WEIR_FN void jackson_integrate(jackson_station *s, weir_time now_ps)
{
    const double span_ps = (double)(now_ps - s->since_ps);
    s->customer_ps += (double)s->customers * span_ps;
    s->busy_ps += s->customers > 0 ? span_ps : 0.0;
    s->since_ps = now_ps;
}

/* A customer joins the queue. `when` is drawn for a service, in case it is alone. */
WEIR_FN void jackson_join(weir_ctx *ctx, const jackson_world *w, jackson_station *s, uint64_t when)
{
    jackson_integrate(s, weir_now(ctx));
    weir_count(ctx, s->customers < JACKSON_FOUND ? s->customers : JACKSON_FOUND - 1u, 1);
    if (s->customers++ == 0)
        weir_schedule(ctx, ctx->entity, JACKSON_SERVED, jackson_time(w->service_ps, when));
}

WEIR_FN void jackson_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    const jackson_world *w = (const jackson_world *)(const void *)ctx->world;
    jackson_station *s = (jackson_station *)state;
    uint64_t when, where;
    weir_touch(ctx, s, sizeof *s);
    weir_stream stream = weir_stream_open(ctx);
    weir_draw_pair(&stream, &when, &where);
    if (event->type == JACKSON_COMES) {
        s->came++;
        jackson_join(ctx, w, s, when);
        weir_schedule(ctx, ctx->entity, JACKSON_COMES, jackson_time(w->gap_ps, where));
    } else if (event->type == JACKSON_JOINS) {
        s->joined++;
        jackson_join(ctx, w, s, when);
    } else {
        jackson_integrate(s, weir_now(ctx));
        s->served++;
        if (--s->customers > 0)
            weir_schedule(ctx, ctx->entity, JACKSON_SERVED, jackson_time(w->service_ps, when));
        if ((where & UINT32_MAX) < w->leave_below) {
            s->left++;
        } else {
            uint32_t target = (uint32_t)(((where >> 32) * (w->n_stations - 1)) >> 32);
            target += target >= ctx->entity;
            weir_schedule(ctx, target, JACKSON_JOINS, w->transit_ps);
        }
    }
    weir_stream_close(ctx, &stream);
}

WEIR_FN void jackson_init(weir_ctx *ctx, void *state)
{
    const jackson_world *w = (const jackson_world *)(const void *)ctx->world;
    weir_stream stream = weir_stream_open(ctx);
    (void)state;
    weir_schedule(ctx, ctx->entity, JACKSON_COMES, jackson_time(w->gap_ps, weir_draw(&stream)));
    weir_stream_close(ctx, &stream);
}

typedef struct jackson_params {
    uint32_t n_stations;              /* at least 2 */
    double load, leave;               /* 0 < load < 1, 0 < leave <= 1 */
    weir_time service_ps, transit_ps; /* at least 1 */
} jackson_params;

WI_UNIFORM_MODEL(jackson)

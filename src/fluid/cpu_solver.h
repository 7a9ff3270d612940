/*
 * The solver on the CPU, in one precision: cpu_single.c and cpu_double.c define fluid_real and FLUID_TYPE and
 * include this.
 *
 * Prefixes and flows go one after the other, all steps of a block at once (cpu_carry.h); windows, where each
 * step builds on the one before, go several flows at once (cpu_sources.h).
 */
/* Without this gcc makes a branch of a choice between two quotients, as one of them might trap, and no
 * vectors of the loop. Bits are the same; clang does so anyway. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-trapping-math")
#endif

#include <string.h>

#include "fluid/blocks.h"
#include "fluid/internal.h"

#include "fluid/cpu_ahead.h"
#include "fluid/cpu_carry.h"
#include "fluid/cpu_sources.h"

#define NAME_(what, type) wi_fluid_##what##_##type
#define NAME(what, type) NAME_(what, type)
#define FLUID_FUNCTION(what) NAME(what, FLUID_TYPE)

void FLUID_FUNCTION(fill_flows)(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t f = 0; f < t->n_flows; f++) {
        const fluid_class *const c = &t->classes[t->flows[f].cls];
        ((fluid_real *)s->window)[f] = (fluid_real)c->initial_window;
        ((fluid_real *)s->rtt)[f] = (fluid_real)t->flows[f].base;
        if (t->order == 4)
            for (int i = 0; i < 2; i++)
                ((fluid_real *)s->rtt_before)[2 * (uint64_t)f + i] = (fluid_real)t->flows[f].base;
    }
}

void FLUID_FUNCTION(fill_rows)(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t p = 0; p < t->n_ports; p++) {
        const fluid_port *const port = &t->ports[p];
        for (uint32_t i = 0; i < port->n_prefixes; i++)
            for (uint64_t at = port->at + (uint64_t)i * port->rows, row = 0; row < port->rows; row++) {
                ((fluid_real *)s->lag)[at + row] = t->base[port->first + i];
                ((fluid_real *)s->keep)[at + row] = 1;
            }
    }
}

double FLUID_FUNCTION(window)(const fluid_state *s, uint32_t flow)
{
    return ((const fluid_real *)s->window)[flow];
}

double FLUID_FUNCTION(rtt)(const fluid_state *s, uint32_t flow)
{
    return ((const fluid_real *)s->rtt)[flow];
}

double FLUID_FUNCTION(delivered)(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    const fluid_flow *const f = &t->flows[flow];
    const double wire = t->ports[f->port].delay, ahead = f->delay - wire;
    const uint32_t whole = (uint32_t)ahead;
    fluid_exit e = fluid_exit_open(t, s, flow, f->delay);
    fluid_place place = s->exit[flow];
    fluid_real rtt = ((const fluid_real *)s->rtt)[flow];
    double bytes = s->acked[flow];
    for (uint32_t i = 0; i < whole; i++) { /* what the source will learn in the coming steps */
        const fluid_news news = fluid_exit_step(t, &e, s->now, i, &place, rtt);
        bytes += (double)news.arrived;
        rtt = news.rtt;
    }
    e.delay = wire + 1.0; /* and the part of a step that is left: until now - wire */
    bytes += (double)fluid_exit_step(t, &e, s->now, 0, &place, rtt - (fluid_real)whole).arrived;
    return bytes;
}

/* ---- prefixes ---- */

static void root_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t n,
                       double *arrived)
{
    fluid_real room[WI_FLUID_BLOCK];
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_real *const v = stretch(fluid_prefix_volume(s, &t->prefixes[p]), 0, n, room);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)v[i], t->rounding);
    }
}

/* Step by step: any order, any law. */
static void plain_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                        const fluid_pulls *pulls, uint32_t n, double *arrived)
{
    const fluid_hop common = fluid_hop_of_segment(t, s, segment);
    const uint32_t first = t->ports[segment->port].first;
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_hop h = fluid_hop_at(&common, p - first, s, &t->prefixes[p]);
        fluid_real lag0 = fluid_hop_lag(&h);
        for (uint32_t i = 0; i < n; i++) {
            const fluid_pull pull = fluid_pull_of(pulls, i);
            const fluid_real lag = fluid_far_lag(h.lag, &pull, t->order);
            arrived[i] += fluid_round_sum((double)fluid_hop_step(t, &h, &pull, i, lag0, lag), t->rounding);
            lag0 = lag;
        }
    }
}

static void hops_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                       const fluid_pulls *pulls, uint32_t n, double *arrived)
{
    const uint32_t shape = shape_of(pulls, n);
    carried c;
    const fluid_hop common = fluid_hop_of_segment(t, s, segment);
    const uint32_t first = t->ports[segment->port].first;
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_hop h = fluid_hop_at(&common, p - first, s, &t->prefixes[p]);
        const fluid_path path = {h.lag, h.keep, h.volume, h.own_keep};
        prefix_far(t, s, p + FAR);
        prefix_near(t, s, p + NEAR);
        c.lag[0] = fluid_hop_lag(&h);
        carry(&path, pulls, shape, n, &c);
        store(h.out_lag, h.out_now, h.out_rows, c.lag + 1, n);
        store(h.out_keep, h.out_now, h.out_rows, c.keep, n);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)c.arrived[i], t->rounding);
    }
}

static void segment_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                          uint32_t n, double *arrived)
{
    if (segment->upstream == FLUID_NONE) {
        root_block(t, s, segment, n, arrived);
        return;
    }
    const fluid_pulls pulls = fluid_front_pulls(t, s, &t->ports[segment->upstream], segment->kind);
    if (t->order == 4 || t->signals || t->paper)
        plain_block(t, s, segment, &pulls, n, arrived);
    else
        hops_block(t, s, segment, &pulls, n, arrived);
}

static void port_block(const fluid_tables *t, const fluid_state *s, uint32_t p, uint32_t n)
{
    const fluid_port *const port = &t->ports[p];
    double arrived[FLUID_KINDS][WI_FLUID_BLOCK];
    memset(arrived, 0, sizeof arrived);
    port_ahead(t, s, p + 1);
    for (uint32_t i = port->first_segment; i < port->first_segment + port->n_segments; i++)
        segment_block(t, s, &t->segments[i], n, arrived[t->segments[i].kind]);
    double rows[FLUID_OWN_ALL][WI_FLUID_BLOCK];
    fluid_queue_block(t, s, p, n, arrived[0], rows[0], WI_FLUID_BLOCK);
    const uint32_t now = fluid_row_now(s->now, port->rows),
                   there = port->rows - now < n ? port->rows - now : n;
    for (uint32_t which = 0; which < FLUID_OWN_ALL; which++) {
        double *const ring = fluid_own_ring(t, s, port, which);
        if (!ring)
            continue;
        memcpy(ring + now, rows[which], there * sizeof *ring);
        memcpy(ring, rows[which] + there, (n - there) * sizeof *ring);
    }
}

/* ---- sets ---- */

static void set_block(const fluid_tables *t, const fluid_state *s, uint32_t set, uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, t->n_flows + set);
    fluid_real sum[WI_FLUID_BLOCK] = {0}, room[WI_FLUID_BLOCK];
    for (uint32_t m = t->member_first[set]; m < t->member_first[set + 1]; m++) {
        const fluid_real *const v = stretch(fluid_volume_column(t, s, t->member[m]), 0, n, room);
        for (uint32_t i = 0; i < n; i++)
            sum[i] += v[i];
    }
    store((fluid_real *)s->volume + t->rings[t->n_flows + set].at, own.now, own.rows, sum, n);
}

/* All stages of a block, by all threads of a team; each ends with a barrier. */
static void run_block(const fluid_tables *t, const fluid_state *s, uint32_t n)
{
#pragma omp for schedule(dynamic, 64) nowait
    for (uint32_t f = 0; f < t->n_flows; f += SOURCES)
        sources_block(t, s, f, t->n_flows - f < SOURCES ? t->n_flows - f : SOURCES, n);
#pragma omp for schedule(dynamic, 64)
    for (uint32_t p = 0; p < t->n_ports; p++)
        front_block(t, s, p, n);
    for (uint32_t level = 0; level < t->n_levels; level++) {
#pragma omp for schedule(static)
        for (uint32_t set = t->level_first[level]; set < t->level_first[level + 1]; set++)
            set_block(t, s, set, n);
    }
#pragma omp for schedule(dynamic, 8)
    for (uint32_t p = 0; p < t->n_ports; p++)
        port_block(t, s, p, n);
}

void FLUID_FUNCTION(run)(const fluid_tables *t, fluid_state *s, uint32_t steps, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
    for (uint32_t done = 0; done < steps;) {
        const uint32_t n = steps - done < t->lookahead ? steps - done : t->lookahead;
        run_block(t, s, n);
        done += n;
#pragma omp single
        s->now += n;
    }
}

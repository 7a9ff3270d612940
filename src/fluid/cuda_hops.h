/*
 * Part of cuda_solver.h: prefixes. A team has FLUID_STEPS of them, one after the other or, where they are of
 * one segment, HOPS_AT_ONCE together: what they read of the past upstream is under way at once, then what
 * they read at their sources. Arrivals at a port are summed in whatever order, as fluid_round_sum makes all
 * orders equal.
 */
#ifndef WI_FLUID_CUDA_HOPS_H
#define WI_FLUID_CUDA_HOPS_H

#include "fluid/cuda_teams.h"

enum { HOPS_AT_ONCE = 2 };

/* The segment whose prefixes a team is at, as this lane's step sees it. */
typedef struct at_segment {
    uint32_t number;
    bool root;
    double *load;                     /* of the port and kind */
    unsigned long long up_at, at;     /* rings upstream, and those of this port from `first` on */
    uint32_t up_rows, rows, first;    /* first: prefix of this port */
    uint32_t before, upon, from_slot; /* slots upstream: the ends of step `to`, and step `from` */
    uint32_t slot, last;              /* of this step, and of the one before the block */
    int32_t from, to;                 /* of the pull, as the rest */
    fluid_real part, wait, keep_from, keep_to;
} at_segment;

static __device__ void open_segment(const fluid_device &d, const fluid_state &s, uint32_t number, uint32_t n,
                                    at_segment *a)
{
    const uint32_t lane = lane_number(), step = lane < n ? lane : n - 1;
    const fluid_segment segment = d.t.segments[number];
    const fluid_port *const port = &d.t.ports[segment.port];
    a->number = number;
    a->first = port->first;
    a->root = segment.upstream == FLUID_NONE;
    a->load = d.load + ((uint64_t)segment.port * d.t.n_kinds + segment.kind) * d.t.lookahead + step;
    if (a->root)
        return;
    const fluid_port *const up = &d.t.ports[segment.upstream];
    const fluid_pulls pulls = fluid_front_pulls(&d.t, &s, up, segment.kind);
    const fluid_pull p = fluid_pull_of(&pulls, step);
    a->up_at = up->at;
    a->up_rows = up->rows;
    a->at = port->at;
    a->rows = port->rows;
    const uint32_t now_up = fluid_row_now(s.now, a->up_rows), now = fluid_row_now(s.now, a->rows);
    a->before = fluid_slot(now_up, p.to - 1, a->up_rows);
    a->upon = fluid_slot(now_up, p.to, a->up_rows);
    a->from_slot = fluid_slot(now_up, p.from, a->up_rows);
    a->slot = fluid_slot(now, (int32_t)step, a->rows);
    a->last = fluid_slot(now, -1, a->rows);
    a->from = p.from;
    a->to = p.to;
    a->part = p.part;
    a->wait = p.wait;
    a->keep_from = p.keep_from;
    a->keep_to = p.keep_to;
}

/* A prefix as a step of the slow way sees it: its own rows, and what it pulls in `step`. */
typedef struct one_hop {
    fluid_hop hop;
    fluid_pull pull;
} one_hop;

static __device__ one_hop look_up_hop(const fluid_device &d, int64_t now, uint32_t number, uint32_t step)
{
    fluid_state s = d.s;
    s.now = now;
    const fluid_prefix *const prefix = &d.t.prefixes[number];
    const fluid_segment *const segment = &d.t.segments[prefix->segment];
    const fluid_hop common = fluid_hop_of_segment(&d.t, &s, segment);
    const fluid_pulls pulls = fluid_front_pulls(&d.t, &s, &d.t.ports[segment->upstream], segment->kind);
    one_hop at;
    at.hop = fluid_hop_at(&common, number - d.t.ports[segment->port].first, &s, prefix);
    at.pull = fluid_pull_of(&pulls, step);
    return at;
}

/* This lane's step of a prefix, whatever it is: writes its rows, returns what arrives. */
static __device__ __noinline__ fluid_real step_anyhow(const fluid_device &d, int64_t now, uint32_t number,
                                                      fluid_real lag0, fluid_real lag)
{
    const one_hop at = look_up_hop(d, now, number, lane_number());
    return fluid_hop_step(&d.t, &at.hop, &at.pull, lane_number(), lag0, lag);
}

/* All steps of a prefix, a lane each, whatever they are. */
static __device__ __noinline__ fluid_real hop_anyhow(const fluid_device &d, int64_t now, uint32_t number,
                                                     uint32_t n)
{
    const uint32_t lane = lane_number();
    const one_hop at = look_up_hop(d, now, number, lane < n ? lane : n - 1);
    const fluid_real lag = fluid_far_lag(at.hop.lag, &at.pull, d.t.order);
    fluid_real lag0 = from_before(lag);
    if (lane == 0)
        lag0 = fluid_hop_lag(&at.hop);
    return lane < n ? fluid_hop_step(&d.t, &at.hop, &at.pull, lane, lag0, lag) : (fluid_real)0;
}

/* Prefixes number .. number + AT_ONCE - 1, of segment a, which is no root; parent, volume: as lanes k, k + 1,
 * ... know them. Returns what arrives of them, rounded for sums. */
template <int AT_ONCE>
static __device__ __forceinline__ double
hops_together(const fluid_device &d, const fluid_state &s, const at_segment &a, uint32_t number,
              uint32_t my_parent, const ring_at &my_volume, uint32_t k, uint32_t n)
{
    const uint32_t lane = lane_number(), step = lane < n ? lane : n - 1;
    fluid_real *const lags = (fluid_real *)s.lag, *const keeps = (fluid_real *)s.keep;
    fluid_real before[AT_ONCE], after[AT_ONCE], keep0[AT_ONCE], keep1[AT_ONCE], last[AT_ONCE];
    fluid_real lag[AT_ONCE], lag0[AT_ONCE], v0[AT_ONCE], v1[AT_ONCE];
    ring_at ring[AT_ONCE];
    double sum = 0.0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        const uint64_t up = a.up_at + (uint64_t)from_lane(my_parent, k + u) * a.up_rows;
        before[u] = lags[up + a.before];
        after[u] = lags[up + a.upon];
        keep0[u] = keeps[up + a.from_slot];
        keep1[u] = keeps[up + a.upon];
        last[u] = lags[a.at + (uint64_t)(number + u - a.first) * a.rows + a.last];
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        ring[u] = ring_from_lane(my_volume, k + u);
        lag[u] = fluid_carry_lag(before[u], after[u], a.part, a.wait);
        lag0[u] = from_before(lag[u]);
        if (lane == 0)
            lag0[u] = last[u];
        v0[u] = volume_at(s, ring[u], fluid_sent_at((int32_t)step - 1, lag0[u]).step);
        v1[u] = volume_at(s, ring[u], fluid_sent_at((int32_t)step, lag[u]).step);
    }
    if (lane >= n)
        return 0.0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        const uint64_t row = a.at + (uint64_t)(number + u - a.first) * a.rows + a.slot;
        const fluid_real survived0 = a.keep_from * keep0[u], survived1 = a.keep_to * keep1[u];
        const fluid_when when0 = fluid_sent_at((int32_t)lane - 1, lag0[u]),
                         when1 = fluid_sent_at((int32_t)lane, lag[u]);
        fluid_arrival r;
        /* `before` is the lag at the end of step `from` where the pull is of two steps: nothing else asks. */
        int odd = fluid_arrive_usually(a.from, a.to, before[u], survived0, survived1, when0, when1, v0[u],
                                       v1[u], &r);
        if (odd)
            odd = arrive_near(s, ring[u], a.from, a.to, before[u], survived0, survived1, when0, when1, &r);
        if (odd) {
            r.arrived = step_anyhow(d, s.now, number + u, lag0[u], lag[u]);
        } else {
            lags[row] = lag[u];
            keeps[row] = r.keep;
        }
        sum += fluid_round_sum((double)r.arrived, d.t.rounding);
    }
    return sum;
}

/* What roots send arrives at their first port in the same step. */
static __device__ double root_together(const fluid_device &d, const fluid_state &s, const ring_at &my_volume,
                                       uint32_t k, uint32_t n)
{
    const uint32_t lane = lane_number();
    const ring_at ring = ring_from_lane(my_volume, k);
    return lane < n ? fluid_round_sum((double)volume_at(s, ring, (int32_t)lane), d.t.rounding) : 0.0;
}

/* A team has FLUID_STEPS prefixes; each lane looks up where one of them is. */
static __global__ void __launch_bounds__(THREADS, 5)
    update_hop(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    const uint32_t lane = lane_number(), first = thread_number() / FLUID_STEPS * FLUID_STEPS;
    if (first >= d.t.n_prefixes)
        return;
    const uint32_t count = d.t.n_prefixes - first < FLUID_STEPS ? d.t.n_prefixes - first : FLUID_STEPS;
    const fluid_prefix mine = d.t.prefixes[first + (lane < count ? lane : 0)];
    const ring_at my_volume = find_ring(s, mine.volume_at, mine.volume_rows);
    const bool usual = has_usual_steps(d.t);
    at_segment a = {};
    a.number = FLUID_NONE;
    double sum = 0.0;
    for (uint32_t k = 0; k < count;) {
        const uint32_t segment = from_lane(mine.segment, k);
        const uint32_t ahead = from_lane(mine.segment, k + HOPS_AT_ONCE <= count ? k + HOPS_AT_ONCE - 1 : 0);
        if (segment != a.number) {
            if (sum != 0.0)
                atomicAdd(a.load, sum);
            sum = 0.0;
            open_segment(d, s, segment, n, &a);
        }
        uint32_t taken = 1;
        if (a.root) {
            sum += root_together(d, s, my_volume, k, n);
        } else if (!usual) {
            sum += fluid_round_sum((double)hop_anyhow(d, s.now, first + k, n), d.t.rounding);
        } else if (k + HOPS_AT_ONCE <= count && ahead == segment) {
            sum += hops_together<HOPS_AT_ONCE>(d, s, a, first + k, mine.parent, my_volume, k, n);
            taken = HOPS_AT_ONCE;
        } else {
            sum += hops_together<1>(d, s, a, first + k, mine.parent, my_volume, k, n);
        }
        k += taken;
    }
    if (sum != 0.0)
        atomicAdd(a.load, sum);
}

#endif

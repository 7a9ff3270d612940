/*
 * Part of cuda_solver.h: sources. What a team's FLUID_STEPS flows learn in a block goes through shared memory
 * to the lanes, of which each has a flow of its own for the windows, where one step needs the one before.
 *
 * A kernel waits for memory in most of its time, so that loads of several flows are under way at once: first
 * all that the usual case reads (places in the port's past are a step apart), then volumes.
 */
#ifndef WI_FLUID_CUDA_FLOWS_H
#define WI_FLUID_CUDA_FLOWS_H

#include "fluid/cuda_teams.h"

enum { FLOW_THREADS = 64, FLOW_TEAMS = FLOW_THREADS / FLUID_STEPS, FLOWS_AT_ONCE = 2 };

/* What a team's flows learn in a block, and then what they send (in `sent`); a column more than steps, so
 * that lanes reading a step of all flows meet no bank twice. */
typedef struct ledger {
    fluid_real rtt[FLUID_STEPS][FLUID_STEPS + 1], sent[FLUID_STEPS][FLUID_STEPS + 1];
    fluid_real arrived[FLUID_STEPS][FLUID_STEPS + 1], signalled[FLUID_STEPS][FLUID_STEPS + 1];
} ledger;

static __device__ void enter(ledger *book, uint32_t k, uint32_t step, const fluid_news &news)
{
    book->rtt[k][step] = news.rtt;
    book->sent[k][step] = news.sent;
    book->arrived[k][step] = news.arrived;
    book->signalled[k][step] = news.signalled;
}

/* ---- any step ---- */

/* The pull of this lane's step over a delay; the last lane's moves the place. Lanes behind the block's end
 * take part in what the team does together. A place is the first in the port's past that reaches its target,
 * so each lane may look for its own. */
static __device__ fluid_pull team_pull(const fluid_tables *t, const fluid_exit *e, int64_t now, uint32_t n,
                                       fluid_place *place)
{
    const uint32_t lane = lane_number();
    const int32_t start = (int32_t)(place->step - now);
    int32_t to = start;
    double part = place->part;
    if (lane < n)
        fluid_seek(e->own_lag, e->lag.rows, e->lag.now, t->order, (int32_t)lane + 1, e->delay, &to, &part);
    const int32_t to_before = from_before(to);
    const double part_before = from_before(part);
    fluid_pull p = {};
    if (lane < n)
        p = fluid_pull_between(e->own_keep, t->signals ? e->own_signal : nullptr, e->lag.rows, e->lag.now,
                               lane, lane ? to_before : start, lane ? part_before : place->part, to, part);
    if (lane == n - 1) {
        place->step = (int32_t)(now + to);
        place->part = part;
    }
    return p;
}

/* What flow number k of the team learns. */
static __device__ __noinline__ void learn_anyhow(const fluid_device &d, int64_t now, uint32_t flow,
                                                 uint32_t n, uint32_t k, ledger *book)
{
    const uint32_t lane = lane_number();
    fluid_state s = d.s;
    s.now = now;
    const fluid_exit e = fluid_exit_open(&d.t, &s, flow, d.t.flows[flow].delay);
    fluid_place place = s.exit[flow];
    const fluid_pull p = team_pull(&d.t, &e, now, n, &place);
    if (lane == n - 1)
        s.exit[flow] = place;
    const fluid_real rtt = lane < n ? fluid_far_lag(e.lag, &p, d.t.order) : (fluid_real)0;
    fluid_real rtt0 = from_before(rtt);
    if (lane == 0)
        rtt0 = ((const fluid_real *)s.rtt)[flow];
    if (lane < n)
        enter(book, k, lane, fluid_exit_arrive(&d.t, &e, &p, lane, rtt0));
}

/* ---- the usual step ---- */

/* A flow's way to the past of its last port, looked up by one lane for all of its team. */
typedef struct way_out {
    unsigned long long cell, own; /* of the prefix' rings, of the port's */
    uint32_t rows, now;
    int32_t start; /* the place: step, and part of it */
    double part, delay;
    fluid_real rtt;
    ring_at volume;
} way_out;

static __device__ way_out find_way_out(const fluid_device &d, const fluid_state &s, uint32_t flow)
{
    const fluid_flow *const f = &d.t.flows[flow];
    const fluid_port *const port = &d.t.ports[f->port];
    const fluid_ring *const ring = &d.t.rings[flow];
    const fluid_place place = s.exit[flow];
    way_out w;
    w.rows = port->rows;
    w.now = fluid_row_now(s.now, w.rows);
    w.cell = port->at + (uint64_t)f->prefix * w.rows;
    w.own = port->own;
    w.start = (int32_t)(place.step - s.now);
    w.part = place.part;
    w.delay = f->delay;
    w.rtt = ((const fluid_real *)s.rtt)[flow];
    w.volume = find_ring(s, ring->at, ring->rows);
    return w;
}

static __device__ way_out way_from_lane(const way_out &mine, uint32_t lane)
{
    way_out w;
    w.cell = from_lane(mine.cell, lane);
    w.own = from_lane(mine.own, lane);
    w.rows = from_lane(mine.rows, lane);
    w.now = from_lane(mine.now, lane);
    w.start = from_lane(mine.start, lane);
    w.part = from_lane(mine.part, lane);
    w.delay = from_lane(mine.delay, lane);
    w.rtt = from_lane(mine.rtt, lane);
    w.volume = ring_from_lane(mine.volume, lane);
    return w;
}

/* What is read of the port's past when the team's places are the steps that follow each other. */
typedef struct exit_read {
    double lag0, lag1, keep0, keep1;                /* the port's own */
    fluid_real before, after, survived0, survived1; /* the prefix' lag and survival */
} exit_read;

static __device__ exit_read read_exit(const fluid_state &s, const way_out &w, int32_t to)
{
    const uint32_t slot0 = fluid_slot(w.now, to - 1, w.rows), slot1 = fluid_slot(w.now, to, w.rows);
    exit_read r;
    r.lag0 = s.own_lag[w.own + slot0];
    r.lag1 = s.own_lag[w.own + slot1];
    r.keep0 = s.own_keep[w.own + slot0];
    r.keep1 = s.own_keep[w.own + slot1];
    r.before = ((const fluid_real *)s.lag)[w.cell + slot0];
    r.after = ((const fluid_real *)s.lag)[w.cell + slot1];
    r.survived0 = ((const fluid_real *)s.keep)[w.cell + slot0];
    r.survived1 = ((const fluid_real *)s.keep)[w.cell + slot1];
    return r;
}

/* Whether the place of `lane` is in step `to`; part: where in it. */
static __device__ bool is_place(const way_out &w, const exit_read &r, uint32_t lane, int32_t to, double *part)
{
    const int32_t target = (int32_t)lane + 1 - (int32_t)w.delay;
    const double rest = w.delay - (double)(int32_t)w.delay;
    *part = fluid_part_of(r.lag0, r.lag1, rest, target, to);
    return to < 0 && !fluid_short_of(r.lag1, rest, target, to) &&
           fluid_short_of(r.lag0, rest, target, to - 1);
}

/* An arrival that fluid_arrive_usually does not know: as for any step. */
static __device__ __noinline__ fluid_arrival exit_arrive_anyhow(const fluid_device &d, int64_t now,
                                                                uint32_t flow, const fluid_pull &p,
                                                                fluid_real rtt0, fluid_real rtt)
{
    fluid_state s = d.s;
    s.now = now;
    const int32_t i = (int32_t)lane_number();
    const fluid_exit e = fluid_exit_open(&d.t, &s, flow, d.t.flows[flow].delay);
    return fluid_arrive(e.lag, e.keep, e.volume, e.own_keep, &p, fluid_sent_at(i - 1, rtt0),
                        fluid_sent_at(i, rtt), d.t.order);
}

/* Flows k .. k + FLOWS_AT_ONCE - 1 of the team, of which the first is number `first`. */
static __device__ __forceinline__ void learn_together(const fluid_device &d, const fluid_state &s,
                                                      const way_out &mine, uint32_t first, uint32_t k,
                                                      uint32_t n, ledger *book)
{
    const uint32_t lane = lane_number(), step = lane < n ? lane : n - 1;
    way_out w[FLOWS_AT_ONCE];
    exit_read r[FLOWS_AT_ONCE];
    fluid_real rtt0[FLOWS_AT_ONCE], rtt[FLOWS_AT_ONCE], wait[FLOWS_AT_ONCE], v0[FLOWS_AT_ONCE],
        v1[FLOWS_AT_ONCE];
    double part[FLOWS_AT_ONCE], part0[FLOWS_AT_ONCE];
    bool well[FLOWS_AT_ONCE];
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++) {
        w[u] = way_from_lane(mine, k + u);
        r[u] = read_exit(s, w[u], w[u].start + 1 + (int32_t)step);
    }
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++) {
        const int32_t to = w[u].start + 1 + (int32_t)step;
        well[u] = __all_sync(team_mask(), is_place(w[u], r[u], step, to, &part[u]));
        part0[u] = from_before(part[u]);
        wait[u] = (fluid_real)((double)((int32_t)step + 1 - to) - part[u]);
        rtt[u] = fluid_carry_lag(r[u].before, r[u].after, (fluid_real)part[u], wait[u]);
        rtt0[u] = from_before(rtt[u]);
        if (lane == 0) {
            part0[u] = w[u].part;
            rtt0[u] = w[u].rtt;
        }
        v0[u] = v1[u] = (fluid_real)0;
        if (well[u]) {
            v0[u] = volume_at(s, w[u].volume, fluid_sent_at((int32_t)step - 1, rtt0[u]).step);
            v1[u] = volume_at(s, w[u].volume, fluid_sent_at((int32_t)step, rtt[u]).step);
        }
    }
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++) {
        if (!well[u]) {
            learn_anyhow(d, s.now, first + k + u, n, k + u, book);
            continue;
        }
        if (lane >= n)
            continue;
        const int32_t to = w[u].start + 1 + (int32_t)lane;
        const fluid_real own0 = (fluid_real)r[u].keep0, own1 = (fluid_real)r[u].keep1;
        const fluid_real survived0 = own0 * r[u].survived0, survived1 = own1 * r[u].survived1;
        const fluid_when when0 = fluid_sent_at((int32_t)lane - 1, rtt0[u]),
                         when1 = fluid_sent_at((int32_t)lane, rtt[u]);
        fluid_arrival a;
        int odd = fluid_arrive_usually(to - 1, to, r[u].before, survived0, survived1, when0, when1, v0[u],
                                       v1[u], &a);
        if (odd)
            odd =
                arrive_near(s, w[u].volume, to - 1, to, r[u].before, survived0, survived1, when0, when1, &a);
        if (odd) {
            const fluid_pull p = {to - 1,
                                  to,
                                  (fluid_real)(1.0 - part0[u]),
                                  (fluid_real)part[u],
                                  wait[u],
                                  own0,
                                  own1,
                                  (fluid_real)0,
                                  (fluid_real)0};
            a = exit_arrive_anyhow(d, s.now, first + k + u, p, rtt0[u], rtt[u]);
        }
        const fluid_news news = {rtt[u], a.sent, a.arrived, a.sent - a.arrived};
        enter(book, k + u, lane, news);
        if (lane == n - 1) {
            const fluid_place place = {(int32_t)(s.now + to), 0, part[u]};
            s.exit[first + k + u] = place;
        }
    }
}

static __device__ void team_learn(const fluid_device &d, const fluid_state &s, uint32_t first, uint32_t count,
                                  uint32_t n, ledger *book)
{
    uint32_t k = 0;
    if (has_usual_steps(d.t)) {
        const uint32_t lane = lane_number();
        const way_out mine = find_way_out(d, s, first + (lane < count ? lane : 0));
        for (; k + FLOWS_AT_ONCE <= count; k += FLOWS_AT_ONCE)
            learn_together(d, s, mine, first, k, n, book);
    }
    for (; k < count; k++)
        learn_anyhow(d, s.now, first + k, n, k, book);
}

static __global__ void __launch_bounds__(FLOW_THREADS)
    update_flow(const __grid_constant__ fluid_device d, uint32_t n)
{
    __shared__ ledger books[FLOW_TEAMS];
    const fluid_state s = at_work(d);
    const uint32_t lane = lane_number(), first = thread_number() / FLUID_STEPS * FLUID_STEPS;
    ledger *const book = &books[threadIdx.x / FLUID_STEPS];
    if (first >= d.t.n_flows)
        return;
    const uint32_t count = d.t.n_flows - first < FLUID_STEPS ? d.t.n_flows - first : FLUID_STEPS;
    team_learn(d, s, first, count, n, book);
    __syncwarp(team_mask());
    if (lane < count) {
        fluid_source source = fluid_source_open(&d.t, &s, first + lane);
        for (uint32_t i = 0; i < n; i++) {
            const fluid_news news = {book->rtt[lane][i], book->sent[lane][i], book->arrived[lane][i],
                                     book->signalled[lane][i]};
            book->sent[lane][i] = fluid_source_step(&d.t, &source, (double)s.now + (double)i, &news);
        }
        fluid_source_close(&d.t, &s, first + lane, &source);
    }
    __syncwarp(team_mask());
    const fluid_ring my_ring = d.t.rings[first + (lane < count ? lane : 0)];
    const ring_at mine = find_ring(s, my_ring.at, my_ring.rows);
    for (uint32_t k = 0; k < count; k++) {
        const ring_at ring = ring_from_lane(mine, k);
        if (lane < n)
            ((fluid_real *)s.volume)[ring.at + fluid_slot(ring.now, (int32_t)lane, ring.rows)] =
                book->sent[k][lane];
    }
}

static __global__ void update_set(const __grid_constant__ fluid_device d, uint32_t first, uint32_t end,
                                  uint32_t n)
{
    const fluid_state s = at_work(d);
    const uint32_t set = first + thread_number() / FLUID_STEPS, lane = lane_number();
    if (set >= end || lane >= n)
        return;
    const uint32_t series = d.t.n_flows + set;
    const fluid_column own = fluid_volume_column(&d.t, &s, series);
    ((fluid_real *)s.volume + d.t.rings[series].at)[fluid_slot(own.now, (int32_t)lane, own.rows)] =
        fluid_set_step(&d.t, &s, set, lane);
}

#endif

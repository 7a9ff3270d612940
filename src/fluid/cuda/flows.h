/*
 * Part of cuda/solver.h: sources. What a team's FLUID_STEPS flows learn in a block goes through shared memory
 * to the lanes, of which each has a flow of its own for the windows, where one step needs the one before.
 *
 * A kernel waits for memory in most of its time, so that loads of several flows are under way at once: first
 * all that the usual case reads (places in the port's past are a step apart), then volumes.
 */
#ifndef WI_FLUID_CUDA_FLOWS_H
#define WI_FLUID_CUDA_FLOWS_H

#include "fluid/cuda/teams.h"

enum { FLOW_THREADS = 64, FLOW_TEAMS = FLOW_THREADS / FLUID_STEPS, FLOWS_AT_ONCE = 2 };
WEIR_STATIC_ASSERT(FLUID_STEPS % FLOWS_AT_ONCE == 0, "flows of a team are taken in equal parts");

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
        fluid_seek(e->own_lag, e->lag.rows, e->lag.now, (int32_t)lane + 1, e->delay, &to, &part);
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

/* What flow number k of the team learns; all lanes of the warp call it together, for a flow each. */
static __device__ __noinline__ void learn_anyhow(const fluid_device &d, int64_t now, uint32_t flow,
                                                 uint32_t n, uint32_t k, ledger *book)
{
    const uint32_t lane = lane_number();
    const bool there = flow < d.t.n_flows;
    const uint32_t known = there ? flow : d.t.n_flows - 1;
    fluid_state s = d.s;
    s.now = now;
    const fluid_exit e = fluid_exit_open(&d.t, &s, known, d.t.flows[known].delay);
    fluid_place place = s.exit[known];
    __syncwarp(); /* a last flow that stands in for others is read by all before it moves */
    const fluid_pull p = team_pull(&d.t, &e, now, n, &place);
    if (lane == n - 1 && there)
        s.exit[known] = place;
    const fluid_real rtt = lane < n ? fluid_far_lag(e.lag, &p) : (fluid_real)0;
    fluid_real rtt0 = from_before(rtt);
    if (lane == 0)
        rtt0 = ((const fluid_real *)s.rtt)[known];
    if (lane < n && there)
        enter(book, k, lane, fluid_exit_arrive(&d.t, &e, &p, lane, rtt0));
}

/* ---- the usual step ---- */

/* A flow's way to the past of its last port, looked up by a lane for its team. */
typedef struct __align__(16) way_out
{
    const fluid_cell *past;           /* of the prefix */
    const double *own_lag, *own_keep; /* of the port */
    uint32_t rows, now;
    double part, rest; /* of the place; of the delay, behind its whole steps */
    ring_at volume;
    int32_t start; /* step of the place */
    int32_t ahead; /* steps from a place to its target, where places are steps that follow each other */
    fluid_real rtt;
}
way_out;

static __device__ way_out find_way_out(const fluid_device &d, const fluid_state &s, uint32_t flow)
{
    const uint32_t known = flow < d.t.n_flows ? flow : d.t.n_flows - 1;
    const fluid_flow *const f = &d.t.flows[known];
    const fluid_port *const port = &d.t.ports[f->port];
    const fluid_ring *const ring = &d.t.rings[known];
    const fluid_place place = s.exit[known];
    const int32_t whole = (int32_t)f->delay;
    way_out w;
    w.rows = port->rows;
    w.now = fluid_row_now(s.now, w.rows);
    const uint64_t at = port->at + (uint64_t)f->prefix * w.rows;
    w.past = (const fluid_cell *)s.lag + at;
    w.own_lag = s.own_lag + port->own;
    w.own_keep = s.own_keep + port->own;
    w.start = (int32_t)(place.step - s.now);
    w.ahead = -whole - w.start;
    w.part = place.part;
    w.rest = f->delay - (double)whole;
    w.rtt = ((const fluid_real *)s.rtt)[known];
    w.volume = find_ring(s, ring->at, ring->rows);
    return w;
}

/* What is read of the port's past when the team's places are the steps that follow each other. */
typedef struct exit_read {
    double lag0, lag1, keep0, keep1; /* the port's own */
    fluid_cell before, after;        /* the prefix's */
} exit_read;

static __device__ exit_read read_exit(const way_out &w, int32_t to)
{
    const uint32_t slot0 = slot_past(w.now, to - 1, w.rows), slot1 = slot_after(slot0, w.rows);
    exit_read r;
    r.lag0 = in_memory(w.own_lag)[slot0];
    r.lag1 = in_memory(w.own_lag)[slot1];
    r.keep0 = in_memory(w.own_keep)[slot0];
    r.keep1 = in_memory(w.own_keep)[slot1];
    r.before = in_memory(w.past)[slot0];
    r.after = in_memory(w.past)[slot1];
    return r;
}

/* Whether the place is in step `to`, as is guessed. */
static __device__ bool is_place(const way_out &w, const exit_read &r, int32_t to)
{
    return to < 0 && !fluid_short_of(r.lag1, w.rest, w.ahead, 0) &&
           fluid_short_of(r.lag0, w.rest, w.ahead, -1);
}

/* An arrival that fluid_arrive_near does not know: as for any step. */
static __device__ __noinline__ fluid_arrival exit_arrive_anyhow(const fluid_device &d, int64_t now,
                                                                uint32_t flow, const fluid_pull &p,
                                                                fluid_real rtt0, fluid_real rtt)
{
    fluid_state s = d.s;
    s.now = now;
    const int32_t i = (int32_t)lane_number();
    const fluid_exit e = fluid_exit_open(&d.t, &s, flow, d.t.flows[flow].delay);
    return fluid_arrive(e.lag, e.keep, e.volume, e.own_keep, &p, fluid_sent_at(i - 1, rtt0),
                        fluid_sent_at(i, rtt));
}

/* FLOWS_AT_ONCE flows of each team, from `way` on, of which this team's first is number `flow` and enters the
 * team's book at k. All lanes of the warp call it together. */
static __device__ __forceinline__ void learn_together(const fluid_device &d, const fluid_state &s,
                                                      const way_out *way, uint32_t flow, uint32_t k,
                                                      uint32_t n, ledger *book)
{
    const uint32_t lane = lane_number(), step = lane < n ? lane : n - 1;
    exit_read r[FLOWS_AT_ONCE];
    fluid_real rtt0[FLOWS_AT_ONCE], rtt[FLOWS_AT_ONCE], wait[FLOWS_AT_ONCE], v[FLOWS_AT_ONCE][3];
    double part[FLOWS_AT_ONCE], part0[FLOWS_AT_ONCE];
    bool well = true;
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++)
        r[u] = read_exit(way[u], way[u].start + 1 + (int32_t)step);
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++)
        well &= is_place(way[u], r[u], way[u].start + 1 + (int32_t)step);
    if (!__all_sync(ALL_LANES, well)) {
        for (uint32_t u = 0; u < FLOWS_AT_ONCE; u++)
            learn_anyhow(d, s.now, flow + u, n, k + u, book);
        return;
    }
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++) {
        part[u] = fluid_part_of(r[u].lag0, r[u].lag1, way[u].rest, way[u].ahead, 0);
        part0[u] = from_before(part[u]);
        wait[u] = (fluid_real)((double)-way[u].start - part[u]);
        rtt[u] = fluid_carry_lag(r[u].before.lag, r[u].after.lag, (fluid_real)part[u], wait[u]);
        rtt0[u] = from_before(rtt[u]);
        if (lane == 0) {
            part0[u] = way[u].part;
            rtt0[u] = way[u].rtt;
        }
        three_volumes(way[u].volume, fluid_sent_at((int32_t)step - 1, rtt0[u]).step, v[u]);
    }
    /* Lanes behind the block's end and flows that are none go along: what they enter nobody reads. */
#pragma unroll
    for (int u = 0; u < FLOWS_AT_ONCE; u++) {
        const bool there = lane < n && flow + u < d.t.n_flows;
        const int32_t to = way[u].start + 1 + (int32_t)step;
        const fluid_real own0 = (fluid_real)r[u].keep0, own1 = (fluid_real)r[u].keep1;
        fluid_arrival a;
        const int odd = fluid_arrive_near(to - 1, to, r[u].before.lag, own0 * r[u].before.keep,
                                          own1 * r[u].after.keep, fluid_sent_at((int32_t)step - 1, rtt0[u]),
                                          fluid_sent_at((int32_t)step, rtt[u]), v[u], &a);
        if (odd && there) {
            const fluid_pull p = {to - 1,
                                  to,
                                  (fluid_real)(1.0 - part0[u]),
                                  (fluid_real)part[u],
                                  wait[u],
                                  own0,
                                  own1,
                                  (fluid_real)0,
                                  (fluid_real)0};
            a = exit_arrive_anyhow(d, s.now, flow + u, p, rtt0[u], rtt[u]);
        }
        const fluid_news news = {rtt[u], a.sent, a.arrived, a.sent - a.arrived};
        enter(book, k + u, lane, news);
        if (there && lane == n - 1) {
            const fluid_place place = {(int32_t)(s.now + to), 0, part[u]};
            s.exit[flow + u] = place;
        }
    }
}

/* Windows, a lane a flow: the book's `sent` becomes what flows send. */
static __device__ void move_window(const fluid_device &d, const fluid_state &s, uint32_t flow, uint32_t n,
                                   ledger *book)
{
    const uint32_t lane = lane_number();
    fluid_source source = fluid_source_open(&d.t, &s, flow);
    for (uint32_t i = 0; i < n; i++) {
        const fluid_news news = {book->rtt[lane][i], book->sent[lane][i], book->arrived[lane][i],
                                 book->signalled[lane][i]};
        book->sent[lane][i] = fluid_source_step(&d.t, &source, (double)s.now + (double)i, &news);
    }
    fluid_source_close(&d.t, &s, flow, &source);
}

/* A warp has 2 * FLUID_STEPS flows, a team half of them; each lane looks up where one of them is. */
static __global__ void __launch_bounds__(FLOW_THREADS)
    update_flow(const __grid_constant__ fluid_device d, uint32_t n)
{
    __shared__ ledger books[FLOW_TEAMS];
    __shared__ way_out ways[FLOW_THREADS];
    const fluid_state s = at_work(d);
    const uint32_t lane = lane_number(), team = threadIdx.x / FLUID_STEPS;
    const uint32_t first = thread_number() / FLUID_STEPS * FLUID_STEPS;
    const way_out *const way = &ways[team * FLUID_STEPS];
    ledger *const book = &books[team];
    if (warp_first() >= d.t.n_flows)
        return;
    ways[threadIdx.x] = find_way_out(d, s, first + lane);
    __syncwarp();
    const uint32_t at_once = has_usual_steps(d.t) ? FLOWS_AT_ONCE : 1;
    for (uint32_t k = 0; k < FLUID_STEPS; k += at_once)
        if (at_once == 1)
            learn_anyhow(d, s.now, first + k, n, k, book);
        else
            learn_together(d, s, &way[k], first + k, k, n, book);
    __syncwarp();
    if (first + lane < d.t.n_flows)
        move_window(d, s, first + lane, n, book);
    __syncwarp();
    const uint32_t count = first >= d.t.n_flows                ? 0
                           : d.t.n_flows - first < FLUID_STEPS ? d.t.n_flows - first
                                                               : FLUID_STEPS;
    if (lane < n)
        for (uint32_t k = 0; k < count; k++) {
            const ring_at ring = way[k].volume;
            in_memory(ring.at)[slot_ahead(ring.now, lane, ring.rows)] = book->sent[k][lane];
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

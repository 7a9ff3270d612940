/*
 * Part of cuda/solver.h: prefixes. A team has FLUID_STEPS of them, HOPS_AT_ONCE at a time where they pull
 * from the same port: what they read of the past upstream is under way at once, then what they read at their
 * sources. Arrivals at a port are summed in whatever order, as fluid_round_sum makes all orders equal.
 */
#ifndef WI_FLUID_CUDA_HOPS_H
#define WI_FLUID_CUDA_HOPS_H

#include "fluid/cuda/teams.h"

enum { HOPS_AT_ONCE = 2, HOP_WARPS = THREADS / WARP };

/* Where a prefix is, looked up by a lane for its team. */
typedef struct __align__(16) hop_way
{
    const fluid_cell *up; /* its past upstream */
    fluid_cell *here;     /* and its own */
    ring_at volume;
    uint32_t rows, now;
    uint32_t load;  /* port and kind */
    uint32_t pulls; /* front and kind; FLUID_NONE: it begins at a source */
    uint32_t up_rows, up_now;
    uint32_t reserved[2];
}
hop_way;

static __device__ hop_way find_hop(const fluid_device &d, const fluid_state &s, uint32_t number)
{
    const fluid_prefix prefix = d.t.prefixes[number];
    const fluid_segment *const segment = &d.t.segments[prefix.segment];
    const fluid_port *const port = &d.t.ports[segment->port];
    const uint32_t kind = segment->kind, upstream = segment->upstream;
    hop_way w = {};
    w.rows = port->rows;
    w.now = fluid_row_now(s.now, w.rows);
    const uint64_t out = port->at + (uint64_t)(number - port->first) * w.rows;
    w.here = (fluid_cell *)s.lag + out;
    w.volume = find_ring(s, prefix.volume_at, prefix.volume_rows);
    w.load = segment->port * d.t.n_kinds + kind;
    w.pulls = FLUID_NONE;
    if (upstream == FLUID_NONE)
        return w;
    const fluid_port *const up = &d.t.ports[upstream];
    w.up_rows = up->rows;
    w.up_now = fluid_row_now(s.now, w.up_rows);
    const uint64_t at = up->at + (uint64_t)prefix.parent * w.up_rows;
    w.up = (const fluid_cell *)s.lag + at;
    w.pulls = up->front * d.t.n_kinds + kind;
    return w;
}

/* What all prefixes that pull from a port have in common, as this lane's step sees it. */
typedef struct up_stream {
    uint32_t before, upon, from_slot; /* slots upstream: the ends of step `to`, and step `from` */
    int32_t from, to;                 /* of the pull, as the rest */
    fluid_real part, wait, keep_from, keep_to;
} up_stream;

static __device__ up_stream open_stream(const fluid_device &d, const fluid_state &s, const hop_way *way,
                                        uint32_t step)
{
    const uint32_t rows = way->up_rows, now = way->up_now;
    const fluid_pulls pulls = fluid_pulls_at(s.pulls, way->pulls, d.t.lookahead);
    up_stream a;
    a.from = pulls.from[step];
    a.to = pulls.to[step];
    a.part = pulls.part[step];
    a.wait = pulls.wait[step];
    a.keep_from = pulls.keep_from[step];
    a.keep_to = pulls.keep_to[step];
    a.before = fluid_slot(now, a.to - 1, rows);
    a.upon = fluid_slot(now, a.to, rows);
    a.from_slot = fluid_slot(now, a.from, rows);
    return a;
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

/* Arrivals of this lane's steps, summed for as long as they are at one port and of one kind. */
typedef struct hop_sum {
    double bytes;
    uint32_t load;
} hop_sum;

static __device__ void give_sum(const fluid_device &d, const hop_sum &sum)
{
    if (sum.bytes != 0.0)
        atomicAdd(&d.load[(uint64_t)sum.load * d.t.lookahead + lane_number()], sum.bytes);
}

static __device__ void count(const fluid_device &d, hop_sum *sum, uint32_t load, fluid_real arrived)
{
    if (load != sum->load) {
        give_sum(d, *sum);
        sum->load = load;
        sum->bytes = 0.0;
    }
    sum->bytes += fluid_round_sum((double)arrived, d.t.rounding);
}

/* This lane's step of a prefix again, whatever it is; its lags are in place. */
static __device__ __noinline__ void step_anyhow(const fluid_device &d, int64_t now, uint32_t number)
{
    const uint32_t step = lane_number();
    const one_hop at = look_up_hop(d, now, number, step);
    const fluid_real *const lag = at.hop.out_lag;
    const uint32_t slot = at.hop.out_now, rows = at.hop.out_rows;
    hop_sum sum = {0.0, d.t.segments[d.t.prefixes[number].segment].port * d.t.n_kinds +
                            d.t.segments[d.t.prefixes[number].segment].kind};
    count(d, &sum, sum.load,
          fluid_hop_step(&d.t, &at.hop, &at.pull, step,
                         lag[FLUID_APART * fluid_slot(slot, (int32_t)step - 1, rows)],
                         lag[FLUID_APART * fluid_slot(slot, (int32_t)step, rows)]));
    give_sum(d, sum);
}

/* All steps of a team's prefix, a lane each, whatever they are; what roots send arrives at their first port
 * in the same step. All lanes of the warp call it together; returns 0 behind the block's end. */
static __device__ __noinline__ fluid_real hop_anyhow(const fluid_device &d, int64_t now, uint32_t number,
                                                     uint32_t n)
{
    const uint32_t lane = lane_number();
    const fluid_prefix *const prefix = &d.t.prefixes[number];
    const bool root = prefix->parent == FLUID_NONE;
    one_hop at = {};
    fluid_real lag = (fluid_real)0;
    if (!root) {
        at = look_up_hop(d, now, number, lane < n ? lane : n - 1);
        lag = fluid_far_lag(at.hop.lag, &at.pull);
    }
    fluid_real lag0 = from_before(lag);
    if (lane >= n)
        return (fluid_real)0;
    if (root) {
        fluid_state s = d.s;
        s.now = now;
        return fluid_at(fluid_prefix_volume(&s, prefix), (int32_t)lane);
    }
    if (lane == 0)
        lag0 = fluid_hop_lag(&at.hop);
    return fluid_hop_step(&d.t, &at.hop, &at.pull, lane, lag0, lag);
}

/*
 * AT_ONCE prefixes of each team, from `way` on, all of which pull from stream a; `left`: how many of them
 * there are, the others are the last once more. Lanes behind the block's end do the last step once more.
 * Nothing depends on either but what counts: a branch would make the compiler load behind it what is better
 * under way early, and to write what is there again does no harm. Returns which prefixes, as bits, are still
 * to go through step_anyhow in this lane's step. All lanes of the warp call it together.
 */
template <int AT_ONCE>
static __device__ __forceinline__ uint32_t hops_together(const fluid_device &d, const up_stream &a,
                                                         const hop_way *way, int32_t left, uint32_t step,
                                                         hop_sum *sum)
{
    const bool begins = step == 0, counts = lane_number() == step;
    fluid_cell before[AT_ONCE], after[AT_ONCE];
    fluid_real keep0[AT_ONCE], last[AT_ONCE];
    fluid_real lag[AT_ONCE], lag0[AT_ONCE], v[AT_ONCE][3];
    uint32_t odd = 0;
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        const fluid_cell *const up = in_memory(way[u].up);
        before[u] = up[a.before];
        after[u] = up[a.upon];
        keep0[u] = up[a.from_slot].keep;
        last[u] = (fluid_real)0;
        if (begins)
            last[u] = in_memory(way[u].here)[slot_past(way[u].now, -1, way[u].rows)].lag;
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        lag[u] = fluid_carry_lag(before[u].lag, after[u].lag, a.part, a.wait);
        lag0[u] = from_lane(lag[u], step - 1);
        lag0[u] = begins ? last[u] : lag0[u];
        three_volumes(way[u].volume, fluid_sent_at((int32_t)step - 1, lag0[u]).step, v[u]);
    }
#pragma unroll
    for (int u = 0; u < AT_ONCE; u++) {
        const uint32_t slot = slot_ahead(way[u].now, step, way[u].rows);
        fluid_arrival r;
        /* `before` is the lag at the end of step `from` where the pull is of two steps: nothing else asks. */
        const bool unknown = fluid_arrive_near(
            a.from, a.to, before[u].lag, a.keep_from * keep0[u], a.keep_to * after[u].keep,
            fluid_sent_at((int32_t)step - 1, lag0[u]), fluid_sent_at((int32_t)step, lag[u]), v[u], &r);
        const bool there = counts && u < left;
        const fluid_cell cell = {lag[u], r.keep};
        in_memory(way[u].here)[slot] = cell;
        count(d, sum, way[u].load, there && !unknown ? r.arrived : (fluid_real)0);
        odd |= there && unknown ? 1u << u : 0u;
    }
    return odd;
}

/* Prefixes from..to. A warp has 2 * FLUID_STEPS of them, a team half; each lane looks up where one of them is. */
static __global__ void __launch_bounds__(THREADS, 5)
    update_hop(const __grid_constant__ fluid_device d, uint32_t n, uint32_t from, uint32_t to)
{
    __shared__ hop_way ways[HOP_WARPS][WARP];
    const fluid_state s = at_work(d);
    const uint32_t lane = lane_number(), step = lane < n ? lane : n - 1, final = to - 1;
    const uint32_t mine = from + warp_first() + threadIdx.x % WARP, first = mine - lane;
    if (from + warp_first() > final)
        return;
    const hop_way *const way = &ways[threadIdx.x / WARP][threadIdx.x % WARP - lane];
    const hop_way my_way = find_hop(d, s, mine < final ? mine : final);
    ways[threadIdx.x / WARP][threadIdx.x % WARP] = my_way;
    __syncwarp();
    const bool usual = has_usual_steps(d.t);
    const uint32_t alone = either_team(!usual || my_way.pulls == FLUID_NONE);
    const uint32_t change = either_team(my_way.pulls != from_before(my_way.pulls)) | 1u;
    bool open = false;
    uint32_t odd = 0; /* prefixes, as bits */
    up_stream a = {};
    hop_sum sum = {0.0, way[0].load};
    for (uint32_t k = 0; k < FLUID_STEPS;) {
        const uint32_t number = first + k;
        if (alone >> k & 1u) {
            const fluid_real arrived = hop_anyhow(d, s.now, number < final ? number : final, n);
            count(d, &sum, way[k].load, number <= final ? arrived : (fluid_real)0);
            open = false;
            k++;
            continue;
        }
        if (!open || change >> k & 1u)
            a = open_stream(d, s, &way[k], step);
        open = true;
        const int32_t left = (int32_t)(final + 1 - number);
        if (k + HOPS_AT_ONCE <= FLUID_STEPS && !((alone | change) >> (k + 1) & 1u)) {
            odd |= hops_together<HOPS_AT_ONCE>(d, a, &way[k], left, step, &sum) << k;
            k += HOPS_AT_ONCE;
        } else {
            odd |= hops_together<1>(d, a, &way[k], left, step, &sum) << k;
            k++;
        }
    }
    give_sum(d, sum);
    __syncwarp();
    for (uint32_t k = 0; odd; k++, odd >>= 1)
        if (odd & 1u)
            step_anyhow(d, s.now, first + k);
}

#endif

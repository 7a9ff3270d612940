/*
 * The solver's kernels in one precision: cuda_single.cu and cuda_double.cu define fluid_real and
 * FLUID_KERNELS and include this.
 *
 * Histories are contiguous in time, so FLUID_STEPS lanes, a `team`, take the steps of a block together: of
 * one prefix, one flow, one set after the other, and each access is a line or two. Only windows need one step
 * after the other: there a lane has a flow of its own, and what it needs passes through shared memory.
 * Arrivals at a port are summed in whatever order, as fluid_round_sum makes all orders equal.
 */
#include "fluid/blocks.h"
#include "fluid/device.h"

enum {
    THREADS = 128,
    FLOW_THREADS = 64,
    TEAMS = THREADS / FLUID_STEPS,
    FLOW_TEAMS = FLOW_THREADS / FLUID_STEPS
};

static __device__ fluid_state at_work(const fluid_device &d)
{
    fluid_state s = d.s;
    s.now = *d.now;
    return s;
}

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ uint32_t lane_number()
{
    return threadIdx.x % FLUID_STEPS;
}

/* The lanes of this thread's team, which keeps step whatever the other team of the warp does. */
static __device__ uint32_t team_mask()
{
    return 0xffffu << (threadIdx.x % 32u / FLUID_STEPS * FLUID_STEPS);
}

template <typename T> static __device__ T from_lane(T x, uint32_t lane)
{
    return __shfl_sync(team_mask(), x, (int)lane, FLUID_STEPS);
}

template <typename T> static __device__ T from_before(T x)
{
    return __shfl_up_sync(team_mask(), x, 1, FLUID_STEPS);
}

static __global__ void fill_rows(const __grid_constant__ fluid_device d)
{
    const uint32_t prefix = thread_number() / FLUID_STEPS;
    if (prefix >= d.t.n_prefixes)
        return;
    const fluid_port *const port = &d.t.ports[d.t.segments[d.segment_of[prefix]].port];
    const uint64_t at = port->at + (uint64_t)(prefix - port->first) * port->rows;
    for (uint32_t row = lane_number(); row < port->rows; row += FLUID_STEPS) {
        ((fluid_real *)d.s.lag)[at + row] = d.t.base[prefix];
        ((fluid_real *)d.s.keep)[at + row] = 1;
    }
}

/* ---- flows ---- */

/* The pull of this lane's step over a delay; the last lane's moves the place. Lanes behind the block's end
 * take part in what the team does together. A place is the first in the port's past that reaches its target,
 * so each lane may look for its own. Mostly places are a step apart: that is tried first. */
static __device__ fluid_pull team_pull(const fluid_tables *t, const fluid_exit *e, int64_t now, uint32_t n,
                                       fluid_place *place)
{
    const uint32_t lane = lane_number();
    const uint32_t rows = e->lag.rows;
    const int32_t target = (int32_t)lane + 1 - (int32_t)e->delay;
    const double rest = e->delay - (double)(int32_t)e->delay;
    const int32_t start = (int32_t)(place->step - now);
    int32_t first = start;
    double part = place->part;
    while (
        fluid_short_of(e->own_lag[fluid_slot(e->lag.now, first, rows)], rest, 1 - (int32_t)e->delay, first))
        first++;
    int32_t to = first + (int32_t)lane;
    const bool idle = lane >= n;
    const bool good =
        idle || lane == 0 ||
        (to < 0 && !fluid_short_of(e->own_lag[fluid_slot(e->lag.now, to, rows)], rest, target, to) &&
         fluid_short_of(e->own_lag[fluid_slot(e->lag.now, to - 1, rows)], rest, target, to - 1));
    if (!__all_sync(team_mask(), good))
        to = first;
    if (!idle)
        fluid_seek(e->own_lag, rows, e->lag.now, t->order, (int32_t)lane + 1, e->delay, &to, &part);
    const int32_t to_before = from_before(to);
    const double part_before = from_before(part);
    fluid_pull p = {};
    if (!idle)
        p = fluid_pull_between(e->own_keep, t->signals ? e->own_signal : nullptr, rows, e->lag.now, lane,
                               lane ? to_before : start, lane ? part_before : place->part, to, part);
    if (lane == n - 1) {
        place->step = (int32_t)(now + to);
        place->part = part;
    }
    return p;
}

/* What a team's flows learn in a block, and then what they send (in `sent`); a column more than steps, so
 * that lanes reading a step of all flows meet no bank twice. */
typedef struct ledger {
    fluid_real rtt[FLUID_STEPS][FLUID_STEPS + 1], sent[FLUID_STEPS][FLUID_STEPS + 1];
    fluid_real arrived[FLUID_STEPS][FLUID_STEPS + 1], signalled[FLUID_STEPS][FLUID_STEPS + 1];
} ledger;

static __device__ void team_learn(const fluid_device &d, const fluid_state *s, uint32_t flow, uint32_t n,
                                  uint32_t k, ledger *book)
{
    const uint32_t lane = lane_number();
    const fluid_exit e = fluid_exit_open(&d.t, s, flow, d.t.flows[flow].delay);
    fluid_place place = s->exit[flow];
    const fluid_pull p = team_pull(&d.t, &e, s->now, n, &place);
    if (lane == n - 1)
        s->exit[flow] = place;
    const fluid_real rtt = lane < n ? fluid_far_lag(e.lag, &p, d.t.order) : (fluid_real)0;
    fluid_real rtt0 = from_before(rtt);
    if (lane == 0)
        rtt0 = ((const fluid_real *)s->rtt)[flow];
    if (lane >= n)
        return;
    const fluid_news news = fluid_exit_arrive(&d.t, &e, &p, lane, rtt0);
    book->rtt[k][lane] = news.rtt;
    book->sent[k][lane] = news.sent;
    book->arrived[k][lane] = news.arrived;
    book->signalled[k][lane] = news.signalled;
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
    for (uint32_t k = 0; k < count; k++)
        team_learn(d, &s, first + k, n, k, book);
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
    for (uint32_t k = 0; k < count && lane < n; k++) {
        const fluid_column v = fluid_volume_column(&d.t, &s, first + k);
        ((fluid_real *)s.volume + d.t.volume_at[first + k])[fluid_slot(v.now, (int32_t)lane, v.rows)] =
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
    ((fluid_real *)s.volume + d.t.volume_at[series])[fluid_slot(own.now, (int32_t)lane, own.rows)] =
        fluid_set_step(&d.t, &s, set, lane);
}

/* ---- ports ---- */

static __global__ void update_front(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() < d.t.n_ports)
        fluid_front_block(&d.t, &s, thread_number(), n);
}

/* The segment whose prefixes a team is at. */
typedef struct at_segment {
    uint32_t number;
    uint32_t first; /* prefix of its port */
    bool root;
    fluid_hop common;
    fluid_pull pull; /* of this lane's step */
    double *load;    /* of the port and kind, at this lane's step */
} at_segment;

static __device__ void open_segment(const fluid_device &d, const fluid_state *s, uint32_t number, uint32_t n,
                                    at_segment *a)
{
    const fluid_segment *const segment = &d.t.segments[number];
    a->number = number;
    a->first = d.t.ports[segment->port].first;
    a->root = segment->upstream == FLUID_NONE;
    a->load =
        d.load + ((uint64_t)segment->port * d.t.n_kinds + segment->kind) * d.t.lookahead + lane_number();
    if (a->root)
        return;
    a->common = fluid_hop_of_segment(&d.t, s, segment);
    const fluid_pulls pulls = fluid_front_pulls(&d.t, s, &d.t.ports[segment->upstream], segment->kind);
    if (lane_number() < n)
        a->pull = fluid_pull_of(&pulls, lane_number());
}

static __device__ fluid_real team_hop(const fluid_device &d, const at_segment *a, const fluid_hop *h,
                                      uint32_t n)
{
    const uint32_t lane = lane_number();
    const fluid_real lag = lane < n ? fluid_far_lag(h->lag, &a->pull, d.t.order) : (fluid_real)0;
    fluid_real lag0 = from_before(lag);
    if (lane == 0)
        lag0 = fluid_hop_lag(h);
    return lane < n ? fluid_hop_step(&d.t, h, &a->pull, lane, lag0, lag) : (fluid_real)0;
}

/* A team has FLUID_STEPS prefixes; each lane looks up where one of them is. */
static __global__ void __launch_bounds__(THREADS)
    update_hop(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    const uint32_t lane = lane_number(), first = thread_number() / FLUID_STEPS * FLUID_STEPS;
    if (first >= d.t.n_prefixes)
        return;
    const uint32_t count = d.t.n_prefixes - first < FLUID_STEPS ? d.t.n_prefixes - first : FLUID_STEPS;
    const uint32_t mine = first + (lane < count ? lane : 0);
    const uint32_t my_segment = d.segment_of[mine], my_parent = d.t.parent[mine];
    const fluid_column my_volume = fluid_volume_column(&d.t, &s, d.t.series[mine]);
    at_segment a = {};
    a.number = FLUID_NONE;
    double sum = 0.0;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t segment = from_lane(my_segment, k), parent = from_lane(my_parent, k);
        fluid_column volume;
        volume.at = (const fluid_real *)from_lane((unsigned long long)my_volume.at, k);
        volume.rows = from_lane(my_volume.rows, k);
        volume.now = from_lane(my_volume.now, k);
        if (segment != a.number) {
            if (sum != 0.0)
                atomicAdd(a.load, sum);
            sum = 0.0;
            open_segment(d, &s, segment, n, &a);
        }
        fluid_real bytes = (fluid_real)0;
        if (!a.root) {
            const fluid_hop h = fluid_hop_at(&a.common, first + k - a.first, parent, volume);
            bytes = team_hop(d, &a, &h, n);
        } else if (lane < n) {
            bytes = fluid_at(volume, (int32_t)lane);
        }
        sum += fluid_round_sum((double)bytes, d.t.rounding);
    }
    if (sum != 0.0)
        atomicAdd(a.load, sum);
}

static __global__ void update_queue(const __grid_constant__ fluid_device d, uint32_t n)
{
    const fluid_state s = at_work(d);
    if (thread_number() >= d.t.n_ports)
        return;
    double *const load = d.load + (uint64_t)thread_number() * d.t.n_kinds * d.t.lookahead;
    fluid_queue_block(&d.t, &s, thread_number(), n, load, d.t.lookahead);
    for (uint32_t kind = 0; kind < d.t.n_kinds; kind++)
        for (uint32_t i = 0; i < n; i++)
            load[kind * d.t.lookahead + i] = 0.0;
}

static __global__ void tick(int64_t *now, uint32_t n)
{
    *now += n;
}

/* ---- launches ---- */

static uint32_t grid(uint64_t n, uint32_t threads)
{
    return (uint32_t)((n + threads - 1) / threads);
}

static cudaError_t fill(const fluid_device *d, cudaStream_t stream)
{
    fill_rows<<<grid(d->t.n_prefixes, TEAMS), THREADS, 0, stream>>>(*d);
    return cudaGetLastError();
}

static void update_sets(const fluid_device *d, uint32_t n, cudaStream_t stream)
{
    for (uint32_t level = 0, first = 0; level < d->t.n_levels; first += d->level_size[level++])
        update_set<<<grid(d->level_size[level], TEAMS), THREADS, 0, stream>>>(
            *d, first, first + d->level_size[level], n);
}

static cudaError_t stage(const fluid_device *d, uint32_t which, uint32_t n, cudaStream_t stream)
{
    switch (which) {
    case FLUID_STAGE_FRONTS:
        update_front<<<grid(d->t.n_ports, THREADS), THREADS, 0, stream>>>(*d, n);
        break;
    case FLUID_STAGE_FLOWS:
        update_flow<<<grid(d->t.n_flows, FLOW_THREADS), FLOW_THREADS, 0, stream>>>(*d, n);
        break;
    case FLUID_STAGE_SETS:
        update_sets(d, n, stream);
        break;
    case FLUID_STAGE_HOPS:
        update_hop<<<grid(d->t.n_prefixes, THREADS), THREADS, 0, stream>>>(*d, n);
        break;
    default:
        update_queue<<<grid(d->t.n_ports, THREADS), THREADS, 0, stream>>>(*d, n);
        tick<<<1, 1, 0, stream>>>(d->now, n);
    }
    return cudaGetLastError();
}

extern const fluid_kernels FLUID_KERNELS = {fill, stage};

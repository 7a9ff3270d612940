/*
 * The kernel that advances many runs, each at its own pace; see gpu/batch.h. Steps of a round, by one block:
 *   bound    each run's window, from the least next time (and next time + lookahead) of its LPs
 *   list     LPs with events in their run's window; sorted by the type of their first event
 *   handle   warps take LPs from the list; what they schedule goes to the block's outbox
 *   place    events of the outbox go to their LPs; regions that are full grow
 * LPs are single entities. What a thread does to an LP is gpu/round/round.h's, as in a single run.
 */
#pragma once

#include "engine/gpu/batch/small.cuh"

enum { WI_GPU_UNFINISHED = 2, WI_GPU_NOBODY = 0xffff };

template <class M> struct wi_gpu_group_block {
    static constexpr uint32_t LIST = WI_GPU_TILE + 32 * WI_GPU_TYPES_MAX; /* padding included */
    uint32_t n_listed, n_taken, out_count, n_spilled, flags, first, n_runs, lp_first, n_lps, share;
    weir_time low_ps[WI_GPU_GROUP_RUNS], reach_ps[WI_GPU_GROUP_RUNS], end_ps[WI_GPU_GROUP_RUNS];
    uint32_t events[WI_GPU_GROUP_RUNS];
    weir_time due_ps[WI_GPU_DUE * M::threads];
    uint32_t due[WI_GPU_DUE * M::threads];
    uint16_t list[WI_GPU_TILE], sorted[LIST];
    unsigned char type[WI_GPU_TILE];
    uint32_t first_of_type[WI_GPU_TYPES_MAX];
    wi_gpu_run run; /* of a group of one */
    union {
        weir_event event;
        unsigned char room[sizeof(weir_event) + M::payload];
    } shown[wi_gpu_lane_sums<M>::n ? M::threads / 32 : 1]; /* to a warp, while it computes sums */
};

/* What a lane works with. */
template <class M> struct wi_gpu_lane {
    const wi_gpu_run *run;
    const wi_gpu_type *types;
    uint32_t run_index, local;
    weir_ctx ctx;
    wi_gpu_work w;
};

/* Least next times of all runs of the group, and where their windows end. Sets flags to UNFINISHED where some run
 * is before its limit. */
template <class M>
static __device__ void wi_gpu_group_bound(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_group_block<M> *b)
{
    for (uint32_t i = threadIdx.x; i < b->n_runs; i += blockDim.x)
        b->low_ps[i] = b->reach_ps[i] = WEIR_TIME_MAX;
    if (threadIdx.x == 0)
        b->flags &= ~(uint32_t)WI_GPU_UNFINISHED;
    __syncthreads();
    if (b->n_runs == 1) {
        weir_time low = WEIR_TIME_MAX, reach = WEIR_TIME_MAX;
        const bool equal = b->run.lookahead_ps > 0;
        for (uint32_t i = threadIdx.x; i < b->n_lps; i += blockDim.x) {
            const weir_time next = g.next_ps[b->lp_first + i];
            low = next < low ? next : low;
            if (!equal) {
                const weir_time to = wi_gpu_reach(next, g.lookahead_ps[b->lp_first + i]);
                reach = to < reach ? to : reach;
            }
        }
        low = wi_gpu_warp_least(low);
        reach = equal ? WEIR_TIME_MAX : wi_gpu_warp_least(reach);
        if (threadIdx.x % 32 == 0) {
            wi_gpu_lower(&b->low_ps[0], low);
            wi_gpu_lower(&b->reach_ps[0], reach);
        }
    } else {
        for (uint32_t i = threadIdx.x; i < b->n_lps; i += blockDim.x) {
            const uint32_t local = s.run_of_lp[b->lp_first + i] - b->first;
            const weir_time next = g.next_ps[b->lp_first + i];
            if (next == WEIR_TIME_MAX)
                continue;
            wi_gpu_lower(&b->low_ps[local], next);
            if (g.runs[b->first + local].lookahead_ps == 0)
                wi_gpu_lower(&b->reach_ps[local], wi_gpu_reach(next, g.lookahead_ps[b->lp_first + i]));
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < b->n_runs; i += blockDim.x) {
        const wi_gpu_run *const run = &g.runs[b->first + i];
        const weir_time low = b->low_ps[i], limit = run->limit_ps;
        weir_time end = run->lookahead_ps > 0 ? wi_gpu_reach(low, run->lookahead_ps) : b->reach_ps[i];
        end = end < limit ? end : limit;
        if (low >= limit || g.faults[b->first + i].faulty)
            end = -1; /* nothing of it is listed */
        else
            atomicOr(&b->flags, (uint32_t)WI_GPU_UNFINISHED);
        b->end_ps[i] = end;
    }
    __syncthreads();
}

/* Type of the LP's first event: of several at one time it does not matter which. */
template <class M> static __device__ uint32_t wi_gpu_type_of_first(const wi_gpu &g, uint32_t lp)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const wi_gpu_lp l = g.lps[lp];
    const uint32_t base = wi_gpu_lp_base(l), n = wi_gpu_lp_count(l);
    weir_time least = WEIR_TIME_MAX;
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        const weir_time time = wi_gpu_slot(&g, base + i, slot_bytes)->time_ps;
        at = time < least ? i : at;
        least = time < least ? time : least;
    }
    return wi_gpu_slot(&g, base + at, slot_bytes)->type;
}

/* LPs [from, to) of the group that have something to do, into the list; then sorted as `mapping` says. */
template <class M>
static __device__ void wi_gpu_group_list(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_group_block<M> *b,
                                         uint32_t from, uint32_t to)
{
    if (threadIdx.x == 0)
        b->n_listed = b->n_taken = 0;
    for (uint32_t i = threadIdx.x; i < WI_GPU_TYPES_MAX; i += blockDim.x)
        b->first_of_type[i] = 0;
    __syncthreads();
    for (uint32_t i = from + threadIdx.x; i < to; i += blockDim.x) {
        const uint32_t local = b->n_runs == 1 ? 0 : s.run_of_lp[b->lp_first + i] - b->first;
        if (g.next_ps[b->lp_first + i] < b->end_ps[local])
            b->list[atomicAdd(&b->n_listed, 1u)] = (uint16_t)(i - from);
    }
    __syncthreads();
    const uint32_t n = b->n_listed;
    if (s.mapping == WI_GPU_MAP_NONE || n < 2) {
        for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
            b->sorted[i] = b->list[i];
        __syncthreads();
        return;
    }
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        b->type[i] = (unsigned char)wi_gpu_type_of_first<M>(g, b->lp_first + from + b->list[i]);
        atomicAdd(&b->first_of_type[b->type[i]], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t sum = 0;
        for (uint32_t t = 0; t < g.n_types; t++) {
            const uint32_t count = b->first_of_type[t];
            b->first_of_type[t] = sum;
            sum += s.mapping == WI_GPU_MAP_PAD ? (count + 31) / 32 * 32 : count;
        }
        b->n_listed = sum;
    }
    __syncthreads();
    if (s.mapping == WI_GPU_MAP_PAD) {
        for (uint32_t i = threadIdx.x; i < b->n_listed; i += blockDim.x)
            b->sorted[i] = WI_GPU_NOBODY;
        __syncthreads();
    }
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        b->sorted[atomicAdd(&b->first_of_type[b->type[i]], 1u)] = b->list[i];
    __syncthreads();
}

/* Room for what all threads of the block may leave before each looks again? */
template <class M>
static __device__ bool wi_gpu_group_has_room(const wi_gpu &g, const wi_gpu_groups &s,
                                             wi_gpu_group_block<M> *b)
{
    if (*(volatile uint32_t *)&b->out_count > g.out_room - (M::max_out + 1) * blockDim.x)
        return false;
    if (M::max_rec == 0)
        return true;
    if (*(volatile uint32_t *)&g.status->n_records + (uint64_t)M::max_rec * s.at_once <= g.rec_room)
        return true;
    wi_gpu_or(&g.status->flags[0], WI_GPU_DRAIN);
    atomicOr(&b->flags, (uint32_t)WI_GPU_PAUSED);
    return false;
}

/* The lane takes the LP at place `at` of the list. */
template <class M>
static __device__ void wi_gpu_group_open(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_group_block<M> *b,
                                         uint32_t lp, wi_gpu_rooms<M> *rooms, wi_gpu_lane<M> *l)
{
    l->local = b->n_runs == 1 ? 0 : s.run_of_lp[lp] - b->first;
    l->run_index = b->first + l->local;
    l->run = b->n_runs == 1 ? &b->run : &g.runs[l->run_index];
    l->types = s.types + (size_t)l->run_index * g.n_types;
    wi_gpu_aim(&l->ctx, l->run, rooms);
    wi_gpu_open(&g, l->run, &l->w, lp);
    wi_gpu_look(&g, l->run->seed, &l->w, b->end_ps[l->local], WI_GPU_SLOT_BYTES(M::payload));
}

/* Handle all that the listed LPs have in their windows. */
template <class M>
static __device__ void wi_gpu_group_work(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_group_block<M> *b,
                                         uint32_t from)
{
    constexpr uint32_t ALL = 0xffffffffu, slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    constexpr bool laned = wi_gpu_lane_sums<M>::n > 0;
    const uint32_t lane = threadIdx.x % 32, n = b->n_listed, warps = blockDim.x / 32;
    /* Tiny runs fill warps; of a single run few LPs are spread over all of them. */
    const uint32_t even = (n + warps - 1) / warps;
    const uint32_t take = b->n_runs > 1 || s.mapping == WI_GPU_MAP_PAD || even > 32 ? 32 : even;
    wi_gpu_rooms<M> rooms;
    wi_gpu_lane<M> l;
    double sums[laned ? wi_gpu_lane_sums<M>::n : 1];
    l.ctx.world = nullptr;
    l.w.due_ps = b->due_ps + threadIdx.x;
    l.w.due = b->due + threadIdx.x;
    l.w.due_stride = M::threads;
    weir_event *const event = &rooms.event.event;
    for (;;) {
        uint32_t at = 0;
        if (lane == 0)
            at = atomicAdd(&b->n_taken, take);
        at = __shfl_sync(ALL, at, 0);
        if (at >= n)
            return;
        const bool mine = lane < take && at + lane < n && b->sorted[at + lane] != WI_GPU_NOBODY;
        if (mine)
            wi_gpu_group_open(g, s, b, b->lp_first + from + b->sorted[at + lane], &rooms, &l);
        bool more = mine;
        uint32_t events = 0;
        while (__any_sync(ALL, more)) {
            bool due = more && l.w.n_due > 0 && !l.w.stopped;
            if (due && !wi_gpu_group_has_room(g, s, b)) {
                l.w.stopped = 1;
                due = false;
            }
            if (due)
                wi_gpu_take(&g, l.run->seed, &l.w, event, M::payload);
            if constexpr (laned) {
                const bool had = wi_gpu_lanes<M>(&l.ctx, event, sizeof b->shown[0],
                                                 &b->shown[threadIdx.x / 32].event, due, sums);
                if (due)
                    l.ctx.lane_sums = had ? sums : nullptr;
            }
            if (due) {
                const wi_gpu_turn turn = {&g,
                                          l.run,
                                          l.types,
                                          l.run_index,
                                          &b->out_count,
                                          blockIdx.x * g.out_room,
                                          b->end_ps[l.local],
                                          0,
                                          nullptr};
                wi_gpu_serve(&turn, &l.w, &l.ctx, event, M::handle, M::payload);
                if (WEIR_UNLIKELY(++events % WI_GPU_LP_EVENTS ==
                                  0)) { /* no LP keeps the launch from ending */
                    l.w.stopped = 1;
                    atomicOr(&b->flags, (uint32_t)WI_GPU_PAUSED);
                }
            }
            if (more && l.w.n_due == 0 && l.w.cut && !l.w.stopped) /* the list was cut: look again */
                wi_gpu_look(&g, l.run->seed, &l.w, b->end_ps[l.local], slot_bytes);
            more = more && !l.w.stopped && l.w.n_due > 0;
        }
        if (mine) {
            wi_gpu_close(&g, l.run, &l.w);
            if (events > 0)
                atomicAdd(&b->events[l.local], events);
        }
        __syncwarp();
    }
}

template <class M>
static __device__ void wi_gpu_group_begin(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_group_block<M> *b)
{
    if (threadIdx.x == 0) {
        const uint32_t last = s.first_run[blockIdx.x + 1] - 1;
        b->first = s.first_run[blockIdx.x];
        b->n_runs = last + 1 - b->first;
        b->lp_first = g.runs[b->first].lp_first;
        b->n_lps = g.runs[last].lp_first + g.runs[last].n_lps - b->lp_first;
        b->out_count = b->flags = 0;
        b->n_spilled = s.spilled[blockIdx.x];
        b->run = g.runs[b->first];
    }
    for (uint32_t i = threadIdx.x; i < WI_GPU_GROUP_RUNS; i += blockDim.x)
        b->events[i] = 0;
    __syncthreads();
    if (b->n_spilled > 0)
        wi_gpu_group_grow<M>(g, b);
}

template <class M>
static __device__ void wi_gpu_group_end(const wi_gpu_groups &s, wi_gpu_group_block<M> *b, uint64_t rounds)
{
    for (uint32_t i = threadIdx.x; i < b->n_runs; i += blockDim.x) {
        wi_gpu_run_report *const report = &s.reports[b->first + i];
        report->low_ps = b->low_ps[i];
        report->events += b->events[i];
        report->rounds += rounds;
    }
    if (threadIdx.x == 0)
        s.spilled[blockIdx.x] = b->n_spilled;
}

template <class M>
__global__ void __launch_bounds__(M::threads, M::blocks_per_sm)
    wi_gpu_batch_kernel(const __grid_constant__ wi_gpu g, const __grid_constant__ wi_gpu_groups s,
                        uint64_t max_rounds)
{
    __shared__ wi_gpu_group_block<M> block;
    wi_gpu_group_begin(g, s, &block);
    uint64_t round = 0;
    wi_gpu_group_bound(g, s, &block);
    while (block.flags == WI_GPU_UNFINISHED && round < max_rounds) {
        for (uint32_t from = 0; from < block.n_lps; from += WI_GPU_TILE) {
            const uint32_t to = block.n_lps - from < WI_GPU_TILE ? block.n_lps : from + WI_GPU_TILE;
            wi_gpu_group_list(g, s, &block, from, to);
            wi_gpu_group_work(g, s, &block, from);
            __syncthreads();
        }
        wi_gpu_group_place<M>(g, &block, [&](const wi_gpu_event *e) {
            return block.n_runs == 1 ? block.run.lp_first : g.runs[e->run].lp_first;
        });
        __syncthreads();
        round++;
        wi_gpu_group_bound(g, s, &block);
    }
    wi_gpu_group_end(s, &block, round);
}

/* For weir_gpu_program. */
template <class M> struct wi_gpu_batch_launcher {
    static int occupancy(int threads, int small, int *blocks)
    {
        if (small)
            return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, wi_gpu_small_kernel<M>, threads, 0);
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, wi_gpu_batch_kernel<M>, threads, 0);
    }
    static int launch(const wi_gpu *g, const wi_gpu_groups *s, const wi_gpu_launch *launch)
    {
        cudaStream_t stream = (cudaStream_t)launch->stream;
        if (s->small)
            wi_gpu_small_kernel<M><<<s->n_groups, M::threads, 0, stream>>>(*g, *s, launch->max_rounds);
        else
            wi_gpu_batch_kernel<M><<<s->n_groups, M::threads, 0, stream>>>(*g, *s, launch->max_rounds);
        return cudaGetLastError();
    }
};

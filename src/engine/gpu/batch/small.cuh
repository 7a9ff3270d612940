/*
 * The kernel that advances small runs, a block of threads a run: the steps of gpu/batch/batch.cuh made short. A packet that
 * five nodes answer is a chain of nine rounds with a handful of events in each, so what counts is how long one
 * round takes from end to end, not how many LPs it holds.
 *
 * LPs' words, next times, lookaheads and entities' heads are in shared memory while the launch lasts. Every warp
 * finds the window and its share of the due LPs by itself, so a round has two barriers: before the outbox is
 * dealt out, and after. Loops over items (weir/lanes.h) of all events of the window, whosever they are, are dealt
 * to all threads before the handlers are called, where the model says that no handler changes what they read.
 */
#pragma once

#include "engine/gpu/batch/ahead.cuh"
#include "engine/gpu/batch/group.cuh"

template <class M> struct wi_gpu_small_block {
    wi_gpu g; /* as the kernel's, but with LPs here */
    wi_gpu_run run;
    wi_gpu_lp lps[WI_GPU_SMALL_LPS];
    weir_time next_ps[WI_GPU_SMALL_LPS], lookahead_ps[WI_GPU_SMALL_LPS];
    weir_entity heads[WI_GPU_SMALL_LPS];
    wi_gpu_type types[WI_GPU_TYPES_MAX];
    weir_time due_ps[WI_GPU_DUE * WI_GPU_SMALL_LPS];
    uint32_t due[WI_GPU_DUE * WI_GPU_SMALL_LPS];
    unsigned char list[M::threads]; /* each warp's own */
    uint32_t index, out_count, n_spilled, flags, events, broken;
    wi_gpu_ahead<M> ahead;
    typename wi_gpu_ahead<M>::room shown[wi_gpu_lane_sums<M>::n ? M::threads / 32 : 1];
};

/* A round's window, and what the warp has of it. */
struct wi_gpu_small_window {
    weir_time low_ps, end_ps;
    uint32_t n, take; /* LPs that are due; those of each warp */
};

/* Where the window lies: the same in every warp. */
template <class M>
static __device__ __forceinline__ void wi_gpu_small_bound(const wi_gpu_small_block<M> *b,
                                                          wi_gpu_small_window *w)
{
    const wi_gpu_run *const run = &b->run;
    weir_time low = WEIR_TIME_MAX, reach = WEIR_TIME_MAX;
    for (uint32_t i = threadIdx.x % 32; i < run->n_lps; i += 32) {
        const weir_time next = b->next_ps[i], to = wi_gpu_reach(next, b->lookahead_ps[i]);
        low = next < low ? next : low;
        reach = to < reach ? to : reach;
    }
    w->low_ps = low = wi_gpu_warp_least(low);
    reach = run->lookahead_ps > 0 ? wi_gpu_reach(low, run->lookahead_ps) : wi_gpu_warp_least(reach);
    w->end_ps = reach < run->limit_ps ? reach : run->limit_ps;
}

/* The warp's share of the due LPs, into its list: evenly over the warps, as long as there are few. */
template <class M>
static __device__ __forceinline__ void wi_gpu_small_list(wi_gpu_small_block<M> *b, wi_gpu_small_window *w)
{
    constexpr uint32_t ALL = 0xffffffffu;
    const uint32_t lane = threadIdx.x % 32, warps = blockDim.x / 32, n_lps = b->run.n_lps;
    uint32_t n = 0;
    for (uint32_t from = 0; from < n_lps; from += 32)
        n += __popc(__ballot_sync(ALL, from + lane < n_lps && b->next_ps[from + lane] < w->end_ps));
    uint32_t even = (n + warps - 1) / warps;
    even = even < 32 ? even : 32; /* the others are due in the next round, too */
    const uint32_t first = threadIdx.x / 32 * even;
    uint32_t before = 0;
    for (uint32_t from = 0; from < n_lps; from += 32) {
        const bool due = from + lane < n_lps && b->next_ps[from + lane] < w->end_ps;
        const uint32_t mask = __ballot_sync(ALL, due);
        const uint32_t rank = before + __popc(mask & ((1u << lane) - 1));
        if (due && rank >= first && rank < first + even)
            b->list[threadIdx.x / 32 * 32 + rank - first] = (unsigned char)(from + lane);
        before += __popc(mask);
    }
    __syncwarp();
    w->n = n;
    w->take = even;
}

/* Events that a thread may handle before it looks again whether there is room for what they record. */
static __device__ __forceinline__ uint32_t wi_gpu_small_lease(const wi_gpu &g, const wi_gpu_groups &s,
                                                              uint32_t max_rec)
{
    const uint32_t twice = 2 * max_rec * s.at_once;
    const uint32_t lease = max_rec ? g.rec_room / twice : 1;
    return lease < 1 ? 1 : lease > 8 ? 8 : lease;
}

/* Room for what the lane may leave? */
template <class M>
static __device__ __forceinline__ bool wi_gpu_small_has_room(const wi_gpu &g, const wi_gpu_groups &s,
                                                             wi_gpu_small_block<M> *b, uint32_t lanes,
                                                             uint32_t *leased)
{
    if (*(volatile uint32_t *)&b->out_count > g.out_room - (M::max_out + 1) * lanes)
        return false;
    if (M::max_rec == 0)
        return true;
    if (*leased == 0) {
        const uint32_t lease = wi_gpu_small_lease(g, s, M::max_rec);
        if (*(volatile uint32_t *)&g.status->n_records + (uint64_t)lease * M::max_rec * s.at_once >
            g.rec_room) {
            wi_gpu_or(&g.status->flags[0], WI_GPU_DRAIN);
            atomicOr(&b->flags, (uint32_t)WI_GPU_PAUSED);
            return false;
        }
        *leased = lease;
    }
    (*leased)--;
    return true;
}

/* Handle all that the warp's LPs have in the window. */
template <class M>
static __device__ __forceinline__ void wi_gpu_small_work(const wi_gpu &g, const wi_gpu_groups &s,
                                                         wi_gpu_small_block<M> *b,
                                                         const wi_gpu_small_window &window, weir_ctx *ctx,
                                                         wi_gpu_rooms<M> *rooms)
{
    constexpr uint32_t ALL = 0xffffffffu, slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    constexpr int SUMS = wi_gpu_lane_sums<M>::n;
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, rank = warp * window.take + lane;
    const bool mine = lane < window.take && rank < window.n;
    weir_event *const event = &rooms->event.event;
    const wi_gpu_run *const run = &b->run;
    wi_gpu_work w;
    uint32_t events = 0, leased = 0, jobs = WI_GPU_NONE;
    w.n_due = w.cut = w.stopped = 0;
    if (mine) {
        w.due_ps = b->due_ps + rank;
        w.due = b->due + rank;
        w.due_stride = WI_GPU_SMALL_LPS;
        wi_gpu_open(&b->g, run, &w, run->lp_first + b->list[warp * 32 + lane]);
        wi_gpu_look(&g, run->seed, &w, window.end_ps, slot_bytes);
    }
    if constexpr (wi_gpu_is_ahead<M>::value)
        jobs = b->ahead.compute(g, run, ctx, event, &w);
    double sums[SUMS ? SUMS : 1];
    bool more = mine;
    while (__any_sync(ALL, more)) {
        bool due = more && w.n_due > 0 && !w.stopped;
        if (due && !wi_gpu_small_has_room(g, s, b, window.n, &leased)) {
            w.stopped = 1;
            due = false;
        }
        if (due)
            wi_gpu_take(&g, run->seed, &w, event, M::payload);
        if constexpr (SUMS > 0) {
            const double *known = nullptr;
            if constexpr (wi_gpu_is_ahead<M>::value)
                known = due ? b->ahead.find(jobs, event) : nullptr;
            const bool had =
                wi_gpu_lanes<M>(ctx, event, sizeof b->shown[0], &b->shown[warp].event, due && !known, sums);
            ctx->lane_sums = known ? known : had ? sums : nullptr;
        }
        if (due) {
            const wi_gpu_turn turn = {
                &g, run,    b->types, b->index, &b->out_count, blockIdx.x * g.out_room, window.end_ps,
                0,  nullptr};
            wi_gpu_serve(&turn, &w, ctx, event, M::handle, M::payload);
            if (WEIR_UNLIKELY(++events % WI_GPU_LP_EVENTS == 0)) {
                w.stopped = 1;
                atomicOr(&b->flags, (uint32_t)WI_GPU_PAUSED);
            }
        }
        if (more && w.n_due == 0 && w.cut && !w.stopped)
            wi_gpu_look(&g, run->seed, &w, window.end_ps, slot_bytes);
        more = more && !w.stopped && w.n_due > 0;
    }
    if (mine) {
        wi_gpu_close(&b->g, run, &w);
        atomicAdd(&b->events, events);
        if (WEIR_UNLIKELY(w.stopped) && ((volatile wi_gpu_fault_word *)&g.faults[b->index])->faulty)
            b->broken = 1;
    }
}

template <class M>
static __device__ void wi_gpu_small_begin(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_small_block<M> *b)
{
    const uint32_t index = s.first_run[blockIdx.x];
    if (threadIdx.x == 0) {
        b->g = g;
        b->run = g.runs[index];
        b->index = index;
        b->g.lps = b->lps - b->run.lp_first;
        b->g.next_ps = b->next_ps - b->run.lp_first;
        b->run.heads = b->heads;
        b->out_count = b->flags = b->events = 0;
        b->n_spilled = s.spilled[blockIdx.x];
        b->broken = g.faults[index].faulty;
        if constexpr (wi_gpu_is_ahead<M>::value)
            b->ahead.dealt = 0;
    }
    for (uint32_t t = threadIdx.x; t < g.n_types; t += blockDim.x)
        b->types[t] = s.types[(size_t)index * g.n_types + t];
    const wi_gpu_run *const run = &g.runs[index];
    const weir_time lookahead_ps = run->lookahead_ps;
    for (uint32_t i = threadIdx.x; i < run->n_lps; i += blockDim.x) {
        b->lps[i] = g.lps[run->lp_first + i];
        b->next_ps[i] = g.next_ps[run->lp_first + i];
        b->lookahead_ps[i] = lookahead_ps > 0 ? lookahead_ps : g.lookahead_ps[run->lp_first + i];
        b->heads[i] = run->heads[i];
    }
    __syncthreads();
    if (b->n_spilled > 0)
        wi_gpu_group_grow<M>(b->g, b);
}

template <class M>
static __device__ void wi_gpu_small_end(const wi_gpu &g, const wi_gpu_groups &s, wi_gpu_small_block<M> *b,
                                        weir_time low_ps, uint64_t rounds)
{
    const uint32_t index = s.first_run[blockIdx.x];
    const wi_gpu_run *const run = &g.runs[index];
    for (uint32_t i = threadIdx.x; i < run->n_lps; i += blockDim.x) {
        g.lps[run->lp_first + i] = b->lps[i];
        g.next_ps[run->lp_first + i] = b->next_ps[i];
        run->heads[i] = b->heads[i];
    }
    if (threadIdx.x == 0) {
        wi_gpu_run_report *const report = &s.reports[index];
        report->low_ps = low_ps;
        report->events += b->events;
        report->rounds += rounds;
        s.spilled[blockIdx.x] = b->n_spilled;
    }
}

template <class M>
__global__ void __launch_bounds__(M::threads, M::blocks_per_sm)
    wi_gpu_small_kernel(const __grid_constant__ wi_gpu g, const __grid_constant__ wi_gpu_groups s,
                        uint64_t max_rounds)
{
    __shared__ wi_gpu_small_block<M> block;
    static_assert(sizeof(wi_gpu_small_block<M>) <= 48 << 10, "static shared memory");
    wi_gpu_small_block<M> *const b = &block;
    wi_gpu_rooms<M> rooms;
    wi_gpu_small_window window;
    weir_ctx ctx;
    uint64_t round = 0;
    wi_gpu_small_begin(g, s, b);
    wi_gpu_aim(&ctx, &b->run, &rooms);
    uint32_t stop = b->n_spilled | b->broken; /* the same in all threads: read where nobody writes */
    for (;;) {
        wi_gpu_small_bound(b, &window);
        if (window.low_ps >= b->run.limit_ps || stop || round == max_rounds)
            break;
        wi_gpu_small_list(b, &window);
        wi_gpu_small_work(g, s, b, window, &ctx, &rooms);
        __syncthreads();
        stop = b->flags | b->broken;
        if constexpr (wi_gpu_is_ahead<M>::value)
            if (threadIdx.x == 0)
                b->ahead.dealt = 0;
        wi_gpu_group_place<M>(b->g, b, [&](const wi_gpu_event *) { return b->run.lp_first; });
        __syncthreads();
        stop |= b->n_spilled;
        round++;
    }
    __syncthreads();
    wi_gpu_small_end(g, s, b, window.low_ps, round);
}

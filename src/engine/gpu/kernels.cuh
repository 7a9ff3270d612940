/*
 * The kernels of the GPU engine, made for one model: a model's .cu file includes this and its handlers, and
 * names its program with WEIR_GPU_PROGRAM (weir/gpu_model.h).
 *
 * Two variants run the same steps: one persistent cooperative launch with grid-wide barriers, and one launch
 * a step, by the host (from a graph).
 *
 * Work within a step: a block owns every n_blocks-th tile of LPs. It lists the tile's LPs that have something
 * to do, and its threads take them from that list one after the other; a lane that is done with its LP takes
 * the next, so that a warp stays full though LPs differ in how much they have to do. A list that is shorter than
 * the block is spread over all warps: lanes that do different things wait for each other, warps do not. Not so where LPs
 * are hot: these are what a round waits for, and warps that have them are held up by all others.
 */
#pragma once

#include "engine/gpu/round/hot.cuh"
#include "engine/gpu/round/release.cuh"

/* Where a thread's handlers find their event, and leave what they schedule and record. */
template <class M> struct wi_gpu_rooms {
    static constexpr uint32_t stride = (uint32_t)sizeof(weir_event) + M::payload;
    static constexpr uint32_t rec_stride = (uint32_t)sizeof(weir_record_head) + M::record;
    union {
        weir_event event;
        unsigned char room[stride];
    } event;
    alignas(16) unsigned char out[(M::max_out + 1) * stride];
    alignas(16) unsigned char rec[(M::max_rec + 1) * rec_stride];
};

template <class M>
static __device__ __forceinline__ void wi_gpu_aim(weir_ctx *ctx, const wi_gpu_run *run,
                                                  wi_gpu_rooms<M> *rooms)
{
    memset(ctx, 0, sizeof *ctx);
    ctx->world = run->world;
    ctx->n_entities = run->n_entities;
    ctx->out = rooms->out;
    ctx->stride = rooms->stride;
    ctx->seed = run->seed;
    ctx->run = run->run;
    ctx->rec_stride = rooms->rec_stride;
    ctx->rec = rooms->rec;
    ctx->counters = run->counters + (blockIdx.x % run->counter_copies) * run->n_counters;
    ctx->n_counters = run->n_counters;
#pragma unroll
    for (int p = 0; p < WEIR_POOLS_MAX; p++)
        ctx->pool[p] = run->pool[p];
}

/* What of the list a warp takes its LPs from: places first to end - 1, at most `share` at once. */
struct wi_gpu_deal {
    uint32_t first, end, share, *taken;
};

/* LPs of light types are some warps', all others the other warps', by how long they take: lanes of a warp wait for each
 * other, and a round for the slowest. Where some LPs are hot the list stays whole, and warps full. */
template <class M> static __device__ wi_gpu_deal wi_gpu_deal_of(wi_gpu_block<M> *block)
{
    enum { WARPS = M::threads / 32, HEAVY = 4 /* times as long as a light one */ };
    const uint32_t n = M::hot > 0 ? block->n_cool : block->n_listed, light = block->n_light;
    if (n < block->n_listed)
        return {0, n, 32, &block->n_taken[0]};
    uint32_t heavy_warps = light == n ? 0 : WARPS;
    if (light > 0 && light < n) {
        const uint32_t heavy = HEAVY * (n - light);
        heavy_warps = (WARPS * heavy + (heavy + light) / 2) / (heavy + light);
        heavy_warps = heavy_warps < 1 ? 1 : heavy_warps < WARPS ? heavy_warps : WARPS - 1;
    }
    const bool is_heavy = threadIdx.x / 32 < heavy_warps;
    const uint32_t first = is_heavy ? light : 0, end = is_heavy ? n : light;
    const uint32_t warps = is_heavy ? heavy_warps : WARPS - heavy_warps;
    return {first, end, (end - first + warps - 1) / warps, &block->n_taken[is_heavy]};
}

/* Handle all that the listed LPs have in the window. Returns the number of events. */
template <class M>
static __device__ uint32_t wi_gpu_work_off(const wi_gpu &g, wi_gpu_block<M> *block, uint64_t round,
                                           const wi_gpu_tile &tile, weir_time end_ps, wi_gpu_bounds *bounds)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload), ALL = 0xffffffffu;
    constexpr int REFILL = 8; /* idle lanes that are worth a pass of the warp */
    const wi_gpu_run *const run = &block->run;
    const bool equal_lookaheads = run->lookahead_ps > 0;
    const uint32_t lane = threadIdx.x % 32;
    const wi_gpu_deal deal = wi_gpu_deal_of(block);
    wi_gpu_rooms<M> rooms;
    weir_ctx ctx;
    wi_gpu_aim(&ctx, run, &rooms);
    if (WEIR_UNLIKELY(g.rec_rooms != nullptr)) /* captures */
        ctx.rec = g.rec_rooms +
                  ((size_t)blockIdx.x * M::threads + threadIdx.x) * (g.most_records + 1) * g.rec_stride;
    wi_gpu_work w;
    w.due_ps = block->due_ps + threadIdx.x;
    w.due = block->due + threadIdx.x;
    w.due_stride = M::threads;
    enum { FREE, BUSY, DONE } now = lane < deal.share ? FREE : DONE;
    uint32_t events = 0;
    const wi_gpu_turn turn = {
        &g,     run,   block->types, block->run_index, &block->out_count, blockIdx.x * g.out_room,
        end_ps, round, bounds};
    if constexpr (M::hot > 0) {
        const wi_gpu_turn of_hot = turn; /* whose address functions take: the other stays in registers */
        events = wi_gpu_work_off_hot<M>({of_hot, block, &ctx, &rooms.event.event, &w}, tile);
    }
    w.n_due = w.cut = w.stopped = 0;
    for (;;) {
        const bool idle = now != DONE && (now == FREE || w.n_due == 0 || w.stopped);
        const uint32_t waiting = __ballot_sync(ALL, idle), working = __ballot_sync(ALL, now == BUSY && !idle);
        if (waiting && (working == 0 || __popc(waiting) >= REFILL)) {
            bool look = idle && now == BUSY && w.cut && w.n_due == 0;
            if (idle && now == BUSY && !look) {
                wi_gpu_bound(g, equal_lookaheads, w.lp, wi_gpu_close(&g, run, &w), bounds);
                now = FREE;
            }
            const uint32_t free = __ballot_sync(ALL, now == FREE);
            uint32_t from = 0;
            if (lane == 0 && free)
                from = atomicAdd(deal.taken, (uint32_t)__popc(free));
            from = deal.first + __shfl_sync(ALL, from, 0) + __popc(free & ((1u << lane) - 1));
            if (now == FREE) {
                now = from < deal.end ? BUSY : DONE;
                if (now == BUSY) {
                    wi_gpu_open(&g, run, &w,
                                wi_gpu_tile_lp(tile, (M::grouped ? block->grouped : block->list)[from]));
                    look = true;
                }
            }
            if (look)
                wi_gpu_look(&g, run->seed, &w, end_ps, slot_bytes);
            __syncwarp();
            continue;
        }
        if (working == 0)
            return events;
        if (now == BUSY && !idle) {
            if (wi_gpu_has_room(g, block, round)) {
                wi_gpu_handle(&turn, &w, &ctx, &rooms.event.event, M::handle, M::payload);
                if (WEIR_UNLIKELY(++events % WI_GPU_LP_EVENTS == 0))
                    wi_gpu_let_go(&g, round, &w);
            } else {
                w.stopped = 1;
            }
        }
        __syncwarp();
    }
}

/* Step 1 of a round. Returns the number of events that this thread has handled. `bounds`: of the rings, where there is
 * one run, that the step before has found. */
template <class M>
static __device__ __noinline__ uint32_t wi_gpu_step_handle(const wi_gpu &g, wi_gpu_block<M> *block,
                                                           uint64_t round, wi_gpu_bounds of_rings)
{
    const uint32_t third = (uint32_t)(round % 3), next_third = (uint32_t)((round + 1) % 3);
    uint32_t events = 0;
    wi_gpu_reset(g, round);
    if (threadIdx.x == 0)
        block->out_count = 0;
    for (uint32_t r = 0; r < g.n_runs; r++) {
        wi_gpu_run *const run = &g.runs[r];
        const weir_time end_ps = wi_gpu_window(run, third);
        wi_gpu_block_run(g, block, r);
        const uint32_t n_lps = block->run.n_lps, n_tiles = (n_lps + g.tile - 1) / g.tile;
        wi_gpu_bounds bounds = of_rings;
        /* Tiles go round the blocks, and each run begins with the block after the last one's end. */
        uint32_t at = blockIdx.x;
        if (r > 0)
            at = (at + g.n_blocks - (uint32_t)((uint64_t)r * n_tiles % g.n_blocks)) % g.n_blocks;
        for (; at < n_tiles; at += g.n_blocks) {
            const wi_gpu_tile tile = wi_gpu_tile_of<M>(g, block->run.lp_first, n_lps, at, n_tiles);
            if (threadIdx.x == 0)
                block->n_listed = block->n_light = block->n_taken[0] = block->n_taken[1] =
                    block->n_hot_taken = 0;
            __syncthreads();
            wi_gpu_list(g, block, tile, end_ps, &bounds);
            __syncthreads();
            if (M::grouped && (M::hot > 0 || block->n_listed > 32))
                wi_gpu_group(g, block, tile);
            else if (M::grouped)
                for (uint32_t i = threadIdx.x; i < block->n_listed; i += blockDim.x)
                    block->grouped[i] = block->list[i];
            if (M::grouped)
                __syncthreads();
            wi_gpu_lap(block, WI_GPU_SELECT);
            if (block->n_listed > 0)
                events += wi_gpu_work_off<M>(g, block, round, tile, end_ps, &bounds);
            __syncthreads();
            wi_gpu_lap(block, WI_GPU_HANDLING);
        }
        wi_gpu_reduce(block, run, block->run.lookahead_ps > 0, next_third, bounds);
        of_rings = wi_gpu_no_bounds();
    }
    if (threadIdx.x == 0)
        g.out_count[blockIdx.x] = block->out_count;
    return events;
}

/* Step 2: the block's own outbox, of n events, and what is due in the rings before the end of the window of round `next`.
 * Returns the bounds that the rings set the window after it, where there is one run; of several they are reduced. */
template <class M>
static __device__ __noinline__ wi_gpu_bounds wi_gpu_step_place(const wi_gpu &g, wi_gpu_block<M> *block,
                                                               uint64_t next, uint32_t n)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const uint32_t first = blockIdx.x * g.out_room;
    uint32_t *const n_spilled = &g.status->n_spilled[wi_gpu_round_before(next) % 3];
    if (g.n_runs == 1)
        wi_gpu_block_run(g, block, 0);
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        union {
            wi_gpu_event event;
            uint4 words[slot_bytes / 16];
        } slot;
        wi_gpu_copy(slot.words, wi_gpu_out(&g, first + i, slot_bytes), slot_bytes);
        const wi_gpu_run *const run = g.n_runs == 1 ? &block->run : &g.runs[slot.event.run];
        wi_gpu_place_or_spill(&g, wi_gpu_lp_of(&g, run, slot.event.target), first + i, &slot.event, g.spill,
                              n_spilled, slot_bytes);
    }
    wi_gpu_bounds bounds = wi_gpu_no_bounds();
    for (uint32_t r = 0; r < g.n_runs; r++) {
        wi_gpu_run *const run = &g.runs[r];
        if (!run->rings)
            continue;
        wi_gpu_block_run(g, block, r);
        wi_gpu_release<M>(g, block, wi_gpu_window(run, (uint32_t)(next % 3)), n_spilled, &bounds);
        if (g.n_runs == 1)
            break;
        wi_gpu_reduce(block, run, block->run.lookahead_ps > 0, (uint32_t)((next + 1) % 3), bounds);
        bounds = wi_gpu_no_bounds();
    }
    return bounds;
}

/* Step 3: thread `thread` of `n` threads, over what was spilled in this round: a warp an event, as a busy
 * port's region holds tens of thousands. */
template <class M>
static __device__ void wi_gpu_step_grow(const wi_gpu &g, uint64_t round, uint32_t n_spilled, uint32_t thread,
                                        uint32_t n)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    for (uint32_t i = thread / 32; i < n_spilled; i += n / 32) {
        wi_gpu_moved m = {0, 0, 0};
        if (thread % 32 == 0)
            m = wi_gpu_grow(&g, &g.spill[i], round, slot_bytes);
        m.n = __shfl_sync(0xffffffffu, m.n, 0);
        m.from = __shfl_sync(0xffffffffu, m.from, 0);
        m.to = __shfl_sync(0xffffffffu, m.to, 0);
        for (uint32_t k = thread % 32; k < m.n; k += 32)
            wi_gpu_copy(wi_gpu_slot(&g, m.to + k, slot_bytes), wi_gpu_slot(&g, m.from + k, slot_bytes),
                        slot_bytes);
    }
}

/* Step 4: thread i of n. */
template <class M>
static __device__ void wi_gpu_step_settle(const wi_gpu &g, uint32_t n_spilled, uint32_t i, uint32_t n)
{
    for (; i < n_spilled; i += n)
        wi_gpu_settle(&g, &g.spill[i], WI_GPU_SLOT_BYTES(M::payload));
}

static __device__ void wi_gpu_add_events(const wi_gpu &g, uint32_t events)
{
    const unsigned long long sum = __reduce_add_sync(0xffffffffu, events);
    if (threadIdx.x % 32 == 0 && sum > 0)
        atomicAdd((unsigned long long *)&g.status->events, sum);
}

/* A flag that the round before raised, or limits reached: the same answer in all blocks. */
static __device__ bool wi_gpu_must_stop(const wi_gpu &g, uint64_t round)
{
    const uint32_t flags = *(volatile uint32_t *)&g.status->flags[(round + 1) % 2];
    const bool done = wi_gpu_all_done(g, (uint32_t)(round % 3)); /* both loads on their way at once */
    return flags != 0 || done;
}

/* Between two steps of a round. */
static __device__ __forceinline__ void wi_gpu_step_barrier(const wi_gpu &g)
{
    if (g.warm)
        wi_gpu_grid_barrier_warm(&g.status->barrier);
    else
        wi_gpu_grid_barrier(&g.status->barrier);
}

/* What found no slot, between grid-wide barriers. */
template <class M>
static __device__ void wi_gpu_grow_all(const wi_gpu &g, wi_gpu_block<M> *block, uint64_t round)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, n_threads = gridDim.x * blockDim.x;
    const uint32_t n_spilled = *(volatile uint32_t *)&g.status->n_spilled[round % 3];
    if (n_spilled == 0)
        return;
    wi_gpu_grid_barrier(&g.status->barrier);
    wi_gpu_step_grow<M>(g, round, n_spilled, thread, n_threads);
    wi_gpu_grid_barrier(&g.status->barrier);
    wi_gpu_step_settle<M>(g, n_spilled, thread, n_threads);
    wi_gpu_grid_barrier(&g.status->barrier);
    wi_gpu_lap(block, WI_GPU_GROW);
}

/* Rounds in one launch, with grid-wide barriers. What is due by the limit of this launch leaves the rings first. */
template <class M>
static __device__ void wi_gpu_persist(const wi_gpu &g, wi_gpu_block<M> *block, uint64_t max_rounds)
{
    const uint64_t first_round = g.status->rounds;
    uint64_t round = first_round;
    uint32_t events = 0, sent = 0;
    for (;;) {
        const wi_gpu_bounds bounds = wi_gpu_step_place<M>(g, block, round, sent);
        wi_gpu_lap(block, WI_GPU_INSERT);
        wi_gpu_step_barrier(g);
        wi_gpu_lap(block, WI_GPU_WAIT);
        wi_gpu_grow_all<M>(g, block, wi_gpu_round_before(round));
        if (round - first_round >= max_rounds || wi_gpu_must_stop(g, round))
            break;
        events += wi_gpu_step_handle<M>(g, block, round, bounds);
        wi_gpu_step_barrier(g);
        wi_gpu_lap(block, WI_GPU_WAIT);
        sent = block->out_count;
        round++;
    }
    wi_gpu_add_events(g, events);
    wi_gpu_grid_barrier(&g.status->barrier);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        g.status->rounds = round;
    wi_gpu_add_laps(g, block, 1);
}

/* What was spilled, then, where a round was handled, the next round: by one block. */
template <class M> static __device__ void wi_gpu_end_round(const wi_gpu &g, uint64_t next, bool handled)
{
    const uint64_t round = wi_gpu_round_before(next);
    const uint32_t n_spilled = g.status->n_spilled[round % 3];
    wi_gpu_step_grow<M>(g, round, n_spilled, threadIdx.x, blockDim.x);
    __syncthreads();
    wi_gpu_step_settle<M>(g, n_spilled, threadIdx.x, blockDim.x);
    __syncthreads();
    if (!handled)
        return;
    const bool stop = wi_gpu_must_stop(g, next);
    if (threadIdx.x == 0) {
        g.status->rounds = next;
        g.status->halted = stop;
    }
}

/* The one kernel of both variants, so that handlers are compiled once. Host-driven, it is launched for a step at a time; once
 * the run must stop, launches for later rounds find nothing to do. `count`: most rounds; or of those two steps that follow it
 * whether a round has been handled, as before the first only what is due leaves the rings. A model with hot LPs has handlers
 * of many registers: one block has all, as what more keep in local memory does not fit the first-level cache. */
enum wi_gpu_mode { WI_GPU_PERSIST, WI_GPU_HANDLE, WI_GPU_PLACE, WI_GPU_END };

template <class M>
__global__ void __launch_bounds__(M::threads, M::hot > 0 ? 1 : M::blocks_per_sm)
    wi_gpu_kernel(const __grid_constant__ wi_gpu g, wi_gpu_mode mode, uint64_t count)
{
    __shared__ wi_gpu_block<M> block;
    if (mode != WI_GPU_PERSIST && g.status->halted)
        return;
    wi_gpu_block_init(g, &block);
    const uint64_t round = g.status->rounds;
    switch (mode) {
    case WI_GPU_PERSIST:
        wi_gpu_persist<M>(g, &block, count);
        return;
    case WI_GPU_HANDLE:
        wi_gpu_add_events(g, wi_gpu_step_handle<M>(g, &block, round, wi_gpu_no_bounds()));
        break;
    case WI_GPU_PLACE: {
        const wi_gpu_bounds bounds =
            wi_gpu_step_place<M>(g, &block, round + count, count ? g.out_count[blockIdx.x] : 0);
        if (g.n_runs == 1)
            wi_gpu_reduce(&block, g.runs, block.run.lookahead_ps > 0, (uint32_t)((round + count + 1) % 3),
                          bounds);
        break;
    }
    case WI_GPU_END:
        wi_gpu_end_round<M>(g, round + count, count > 0);
        break;
    }
    if (!g.time_steps)
        return;
    __syncthreads();
    wi_gpu_lap(&block, mode == WI_GPU_PLACE ? WI_GPU_INSERT
                       : mode == WI_GPU_END ? WI_GPU_GROW
                                            : WI_GPU_HANDLING);
    wi_gpu_add_laps(g, &block, mode == WI_GPU_END ? g.n_blocks : 1);
}

/* Behind plain functions, for weir_gpu_program. */
template <class M> struct wi_gpu_launcher {
    static int occupancy(int threads, int *blocks)
    {
        return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, wi_gpu_kernel<M>, threads, 0);
    }
    static int persistent(const wi_gpu *g, const wi_gpu_launch *launch)
    {
        wi_gpu copy = *g;
        wi_gpu_mode mode = WI_GPU_PERSIST;
        uint64_t max_rounds = launch->max_rounds;
        void *args[] = {&copy, &mode, &max_rounds};
        return cudaLaunchCooperativeKernel((const void *)wi_gpu_kernel<M>, dim3(g->n_blocks),
                                           dim3(g->n_threads), args, 0, (cudaStream_t)launch->stream);
    }
    static int round(const wi_gpu *g, const wi_gpu_launch *launch)
    {
        cudaStream_t stream = (cudaStream_t)launch->stream;
        const uint64_t handled = launch->max_rounds;
        if (handled)
            wi_gpu_kernel<M><<<g->n_blocks, g->n_threads, 0, stream>>>(*g, WI_GPU_HANDLE, 0);
        wi_gpu_kernel<M><<<g->n_blocks, g->n_threads, 0, stream>>>(*g, WI_GPU_PLACE, handled);
        wi_gpu_kernel<M><<<1, g->n_threads, 0, stream>>>(*g, WI_GPU_END, handled);
        return cudaGetLastError();
    }
};

#include "engine/gpu/batch/batch.cuh"
#include "engine/gpu/batch/staged.cuh"

/* The program of the model `name`, whose device code is the struct M; see weir/gpu_model.h. Of an M that is hot (pending
 * events from which on an LP is a warp's, gpu/round/hot.h) also bursts (whether a team may handle several events of it at once,
 * gpu/round/burst.cuh) and hottest (pending events, a power of two, from which on an LP that has nothing but bursts is the
 * whole block's) as constants, and `static __device__ void ask_ahead(world, event)`, which prefetches what handle will
 * read. Such models are grouped too. Of an M with a lane loop, `lanes` (gpu/round/lanes.cuh). */
#define WEIR_GPU_PROGRAM(function, name, M)                                     \
    WEIR_GPU_PROGRAM_OF(function, name, M, wi_gpu_batch_launcher<M>::occupancy, \
                        wi_gpu_batch_launcher<M>::launch, wi_gpu_staged_launcher<M>::launch)
/* The same of a model whose runs are never a batch's. */
#define WEIR_GPU_PROGRAM_ALONE(function, name, M) \
    WEIR_GPU_PROGRAM_OF(function, name, M, nullptr, nullptr, nullptr)
#define WEIR_GPU_PROGRAM_OF(function, name, M, batch_occupancy, batch_launch, staged_launch) \
    extern "C" const weir_gpu_program *function(void)                                        \
    {                                                                                        \
        static const weir_gpu_program program = {name,                                       \
                                                 M::payload,                                 \
                                                 M::max_out,                                 \
                                                 M::max_rec,                                 \
                                                 M::record,                                  \
                                                 M::threads,                                 \
                                                 M::hot > 0,                                 \
                                                 wi_gpu_launcher<M>::occupancy,              \
                                                 wi_gpu_launcher<M>::persistent,             \
                                                 wi_gpu_launcher<M>::round,                  \
                                                 batch_occupancy,                            \
                                                 batch_launch,                               \
                                                 M::grouped,                                 \
                                                 wi_gpu_lane_sums<M>::n > 0,                 \
                                                 staged_launch};                             \
        return &program;                                                                     \
    }

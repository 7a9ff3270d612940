/*
 * Part of the GPU engine's kernels: what a block keeps, the least time over all LPs, and the list of a tile's
 * LPs that have something to do.
 */
#pragma once

#include "engine/gpu/round/hot.h"
#include "engine/gpu/round/program.h"

enum {
    WI_GPU_TILE = 2048,       /* LPs of a tile, at most */
    WI_GPU_TILE_DEALT = 256,  /* up to this size LPs are dealt to tiles one by one */
    WI_GPU_WORLD_BYTES = 256, /* a world that small is copied to where every thread has it at hand */
    WI_GPU_GROUPS = WI_GPU_TYPES_MAX + 32 /* by type, or by the power of how many events there are */
};

/* What the threads of a block share. */
template <class M> struct wi_gpu_block {
    uint32_t run_index; /* whose copy `run` is */
    uint32_t n_listed, out_count;
    uint32_t n_light;    /* LPs of light types, which stand first */
    uint32_t n_taken[2]; /* how many of them, and of others, are taken */
    /* Models with hot LPs: those of the list that are none stand first, then the hottest. */
    uint32_t n_cool, n_hottest, n_hot_taken;
    uint32_t timed;                           /* this block reads the clock */
    uint64_t since_ns, step_ns[WI_GPU_STEPS]; /* its clock */
    wi_gpu_run run;                           /* all but its windows, which move */
    uint64_t world[WI_GPU_WORLD_BYTES / 8];
    wi_gpu_type types[WI_GPU_TYPES_MAX];
    weir_time part[32];
    union {
        weir_time due_ps[WI_GPU_DUE * M::threads];
        uint32_t buckets[2 * WI_GPU_DUE * M::threads]; /* while teams sort */
    };
    uint32_t due[WI_GPU_DUE * M::threads];
    uint32_t counts[M::hot > 0 ? M::threads / 32 + 1 : 1][WI_GPU_TEAM_COUNTS]; /* of warps; of the block */
    uint64_t team_words[M::hot > 0 ? WI_GPU_TEAM_TURNS *M::threads / 32 : 1];
    uint16_t list[WI_GPU_TILE];
    /* Models of several event types: the list with LPs of one type side by side, then hot ones, the longest
     * first. */
    uint32_t first_of_type[M::grouped ? WI_GPU_GROUPS : 1];
    uint16_t grouped[M::grouped ? WI_GPU_TILE : 1];
    unsigned char type[M::grouped ? WI_GPU_TILE : 1];
};

/* The time since the last lap belongs to `step`. */
template <class M> static __device__ __forceinline__ void wi_gpu_lap(wi_gpu_block<M> *block, int step)
{
    if (threadIdx.x != 0 || !block->timed)
        return;
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    block->step_ns[step] += now - block->since_ns;
    block->since_ns = now;
}

/* What a block's clock has counted goes to the run's sums; a step that one block does alone counts for all of `weight`. */
template <class M>
static __device__ __forceinline__ void wi_gpu_add_laps(const wi_gpu &g, const wi_gpu_block<M> *block,
                                                       uint32_t weight)
{
    if (threadIdx.x != 0 || !block->timed)
        return;
    for (int i = 0; i < WI_GPU_STEPS; i++)
        if (block->step_ns[i] > 0)
            atomicAdd((unsigned long long *)&g.status->step_ns[i],
                      (unsigned long long)block->step_ns[i] * weight);
}

/*
 * All blocks of the persistent kernel wait for each other. The top bit of *barrier flips when the last one
 * has come. Not the barrier of cooperative groups: that one looks with loads that acquire, and each of them
 * empties the first-level cache of a multiprocessor on which other blocks may still be handling.
 */
static __device__ __forceinline__ void wi_gpu_grid_barrier(uint32_t *barrier)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        const uint32_t before = atomicAdd(barrier, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
        uint32_t now;
        do {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
        } while (((before ^ now) & 0x80000000u) == 0);
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __syncthreads();
}

/* Add n to what stands at *at, after all that the block has written. */
static __device__ __forceinline__ uint32_t wi_gpu_arrive(uint32_t *at, uint32_t n)
{
    uint32_t old;
    asm volatile("atom.release.gpu.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(n) : "memory");
    return old;
}

/*
 * The same where all that blocks on other multiprocessors have written is read past the first-level cache
 * (wi_gpu.warm: wi_gpu_load, atomics, volatile): what is in it is the block's own, and it is not emptied.
 */
static __device__ __forceinline__ void wi_gpu_grid_barrier_warm(uint32_t *barrier)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t more = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
        const uint32_t before = wi_gpu_arrive(barrier, more);
        uint32_t now;
        do {
            asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(now) : "l"(barrier) : "memory");
        } while (((before ^ now) & 0x80000000u) == 0);
    }
    __syncthreads();
}

/* At a kernel's beginning. */
template <class M> static __device__ void wi_gpu_block_init(const wi_gpu &g, wi_gpu_block<M> *block)
{
    for (uint32_t i = threadIdx.x; i < g.n_types; i += blockDim.x)
        block->types[i] = g.types[i];
    if (threadIdx.x == 0) {
        block->run_index = WI_GPU_NONE;
        block->timed = g.time_steps || blockIdx.x == 0;
        wi_gpu_lap(block, WI_GPU_WAIT);
        for (int i = 0; i < WI_GPU_STEPS; i++)
            block->step_ns[i] = 0;
    }
    __syncthreads();
}

/* Make block->run the copy of run `r`. All threads call it with the same r. */
template <class M>
static __device__ void wi_gpu_block_run(const wi_gpu &g, wi_gpu_block<M> *block, uint32_t r)
{
    if (block->run_index == r)
        return;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < sizeof(wi_gpu_run) / 8; i += blockDim.x)
        ((uint64_t *)&block->run)[i] = ((const uint64_t *)&g.runs[r])[i];
    if (threadIdx.x == 0)
        block->run_index = r;
    __syncthreads();
    if (block->run.world_bytes > WI_GPU_WORLD_BYTES)
        return;
    for (uint32_t i = threadIdx.x; i < block->run.world_bytes; i += blockDim.x)
        ((unsigned char *)block->world)[i] = block->run.world[i];
    __syncthreads();
    if (threadIdx.x == 0)
        block->run.world = (const unsigned char *)block->world;
    __syncthreads();
}

static __device__ weir_time wi_gpu_warp_least(weir_time t)
{
    for (int step = 16; step > 0; step /= 2) {
        const weir_time other = __shfl_xor_sync(0xffffffffu, t, step);
        t = other < t ? other : t;
    }
    return t;
}

/* Lower *at by the least of a block's values. */
static __device__ void wi_gpu_block_lower(weir_time *part, weir_time *at, weir_time t)
{
    t = wi_gpu_warp_least(t);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = t;
    __syncthreads();
    if (threadIdx.x < 32) {
        t = wi_gpu_warp_least(threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : WEIR_TIME_MAX);
        if (threadIdx.x == 0 && t != WEIR_TIME_MAX)
            wi_gpu_lower(at, t);
    }
    __syncthreads();
}

/* Has every run reached its limit? The same answer in every thread of the block. */
static __device__ bool wi_gpu_all_done(const wi_gpu &g, uint32_t third)
{
    if (g.n_runs == 1)
        return *(volatile const weir_time *)&g.runs->low_ps[third] >= g.runs->limit_ps;
    int more = 0;
    for (uint32_t i = threadIdx.x; i < g.n_runs; i += blockDim.x) {
        const wi_gpu_run *run = &g.runs[i];
        more |= *(volatile const weir_time *)&run->low_ps[third] < run->limit_ps;
    }
    return !__syncthreads_or(more);
}

/* Is there room for all that the block's, and the grid's, threads may leave before each looks again? */
template <class M>
static __device__ __forceinline__ bool wi_gpu_has_room(const wi_gpu &g, const wi_gpu_block<M> *block,
                                                       uint64_t round)
{
    const uint32_t out_full = g.out_room - (M::max_out + 1) * blockDim.x;
    if (*(volatile const uint32_t *)&block->out_count > out_full)
        return false;
    if (M::max_rec == 0)
        return true;
    const uint64_t more = (uint64_t)g.most_records * blockDim.x * gridDim.x;
    if (*(volatile uint32_t *)&g.status->n_records + more <= g.rec_room)
        return true;
    wi_gpu_or(&g.status->flags[round % 2], WI_GPU_DRAIN);
    return false;
}

/* Reset what the round after the next will reduce into. */
static __device__ void wi_gpu_reset(const wi_gpu &g, uint64_t round)
{
    if (blockIdx.x != gridDim.x - 1)
        return;
    for (uint32_t i = threadIdx.x; i < g.n_runs; i += blockDim.x) {
        g.runs[i].low_ps[(round + 2) % 3] = WEIR_TIME_MAX;
        g.runs[i].end_ps[(round + 2) % 3] = WEIR_TIME_MAX;
    }
    if (threadIdx.x == 0)
        g.status->n_spilled[(round + 1) % 3] = 0;
}

/* Nothing bounds the next window. */
static __device__ __forceinline__ wi_gpu_bounds wi_gpu_no_bounds()
{
    return {WEIR_TIME_MAX, WEIR_TIME_MAX};
}

/* An LP's next event is at `time`. */
static __device__ __forceinline__ void wi_gpu_bound(const wi_gpu &g, bool equal_lookaheads, uint32_t lp,
                                                    weir_time time, wi_gpu_bounds *bounds)
{
    bounds->low_ps = time < bounds->low_ps ? time : bounds->low_ps;
    if (!equal_lookaheads) {
        const weir_time end = wi_gpu_reach(time, g.lookahead_ps[lp]);
        bounds->end_ps = end < bounds->end_ps ? end : bounds->end_ps;
    }
}

template <class M>
static __device__ void wi_gpu_reduce(wi_gpu_block<M> *block, wi_gpu_run *run, bool equal_lookaheads,
                                     uint32_t third, const wi_gpu_bounds &bounds)
{
    wi_gpu_block_lower(block->part, &run->low_ps[third], bounds.low_ps);
    if (!equal_lookaheads)
        wi_gpu_block_lower(block->part, &run->end_ps[third], bounds.end_ps);
}

/* Which LPs a tile has: first, first + step, ... */
struct wi_gpu_tile {
    uint32_t first, step, n;
};

/* Tile number `at` of a run. The LPs of a large one are neighbours, which are read together. Of a model with hot LPs
 * each tile takes its share of all, as the busy ports of one router are neighbours; and where there are few LPs, since
 * a round then waits for the block that has most to do, and busy kinds are neighbours too. */
template <class M>
static __device__ __forceinline__ wi_gpu_tile wi_gpu_tile_of(const wi_gpu &g, uint32_t lp_first,
                                                             uint32_t n_lps, uint32_t at, uint32_t n_tiles)
{
    wi_gpu_tile t = {lp_first + at * g.tile, 1, n_lps - at * g.tile < g.tile ? n_lps - at * g.tile : g.tile};
    if (M::hot > 0 || g.tile <= WI_GPU_TILE_DEALT) {
        t.first = lp_first + at;
        t.step = n_tiles;
        t.n = (n_lps - at + n_tiles - 1) / n_tiles;
    }
    return t;
}

static __device__ __forceinline__ uint32_t wi_gpu_tile_lp(const wi_gpu_tile &t, uint32_t i)
{
    return t.first + i * t.step;
}

/* List the tile's LPs that have an event before `end_ps`; the others bound the next window. */
template <class M>
static __device__ void wi_gpu_list(const wi_gpu &g, wi_gpu_block<M> *block, const wi_gpu_tile &tile,
                                   weir_time end_ps, wi_gpu_bounds *bounds)
{
    enum { AT_ONCE = 16 }; /* loads on their way at once */
    const bool equal_lookaheads = block->run.lookahead_ps > 0;
    for (uint32_t from = threadIdx.x; from < tile.n; from += AT_ONCE * blockDim.x) {
        weir_time next[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const uint32_t at = from + i * blockDim.x;
            next[i] = at < tile.n ? wi_gpu_load_time(&g.next_ps[wi_gpu_tile_lp(tile, at)]) : WEIR_TIME_MAX;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            const uint32_t at = from + i * blockDim.x;
            if (next[i] < end_ps)
                block->list[atomicAdd(&block->n_listed, 1u)] = (uint16_t)at;
            else if (next[i] != WEIR_TIME_MAX)
                wi_gpu_bound(g, equal_lookaheads, wi_gpu_tile_lp(tile, at), next[i], bounds);
        }
    }
}

/* Light types: their events schedule one other at most. */
template <class M>
static __device__ __forceinline__ bool wi_gpu_is_light(const wi_gpu_block<M> *block, uint32_t type)
{
    return block->types[type].max_events <= 1;
}

/* Which group of the list an LP belongs to: the type of its first event (which of several at one time it is
 * does not matter here), or how hot it is. A burst's warp pays sooner than one that handles event by event. */
template <class M>
static __device__ uint32_t wi_gpu_group_of(const wi_gpu &g, const wi_gpu_block<M> *block, uint32_t lp)
{
    constexpr uint32_t slot_bytes = WI_GPU_SLOT_BYTES(M::payload);
    const wi_gpu_lp l = wi_gpu_load(&g.lps[lp]);
    const uint32_t base = wi_gpu_lp_base(l), n = wi_gpu_lp_count(l);
    if (M::hot > 0 && n >= M::hot)
        return WI_GPU_TYPES_MAX + __clz((int)n);
    weir_time least = WEIR_TIME_MAX;
    uint32_t at = 0;
    for (uint32_t first = 0; first < n; first += 8) {
        weir_time time[8];
        wi_gpu_times(&g, base + first, n - first, time, slot_bytes);
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            if (time[i] < least) {
                least = time[i];
                at = first + i;
            }
    }
    const uint32_t type = wi_gpu_load_head(wi_gpu_slot(&g, base + at, slot_bytes), g.warm).type;
    if constexpr (M::hot > 0) {
        if (M::bursts && n >= M::hot / 4 && wi_gpu_is_light(block, type))
            return WI_GPU_TYPES_MAX + __clz((int)n);
    }
    return type;
}

/* Group t begins at place `sum` of the list. Returns its size, which stood there before. */
template <class M>
static __device__ uint32_t wi_gpu_begin_group(wi_gpu_block<M> *block, uint32_t t, uint32_t sum)
{
    const uint32_t count = block->first_of_type[t];
    block->first_of_type[t] = sum;
    return count;
}

/* The types that are light, as their events schedule one other at most, or those that are not: they begin from `sum` on.
 * Returns where the last of them ends. */
template <class M>
static __device__ uint32_t wi_gpu_sum_types(const wi_gpu &g, wi_gpu_block<M> *block, bool light, uint32_t sum)
{
    for (uint32_t t = 0; t < g.n_types; t++)
        if (wi_gpu_is_light(block, t) == light)
            sum += wi_gpu_begin_group(block, t, sum);
    return sum;
}

/* Sort the list by groups, so that the lanes of a warp run one handler and not all of them in turn. */
template <class M>
static __device__ void wi_gpu_group(const wi_gpu &g, wi_gpu_block<M> *block, const wi_gpu_tile &tile)
{
    const uint32_t n = block->n_listed;
    for (uint32_t i = threadIdx.x; i < WI_GPU_GROUPS; i += blockDim.x)
        block->first_of_type[i] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x) {
        const uint32_t group = wi_gpu_group_of(g, block, wi_gpu_tile_lp(tile, block->list[i]));
        block->type[i] = (unsigned char)group;
        atomicAdd(&block->first_of_type[group], 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t sum = wi_gpu_sum_types(g, block, true, 0);
        block->n_light = sum;
        sum = wi_gpu_sum_types(g, block, false, sum);
        if constexpr (M::hot > 0) {
            block->n_cool = sum;
            for (uint32_t t = WI_GPU_TYPES_MAX; t < WI_GPU_GROUPS; t++) {
                sum += wi_gpu_begin_group(block, t, sum);
                if (t == WI_GPU_TYPES_MAX + (uint32_t)__clz((int)M::hottest))
                    block->n_hottest = M::bursts && g.lp_shift == 0 ? sum - block->n_cool : 0;
            }
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
        block->grouped[atomicAdd(&block->first_of_type[block->type[i]], 1u)] = block->list[i];
    __syncthreads();
}

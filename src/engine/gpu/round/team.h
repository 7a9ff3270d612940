/*
 * Threads of the GPU engine that work on one LP together: the lanes of a warp, or a whole block, whose team
 * is then of several warps. On the host a team is one thread, for unit tests.
 *
 * All of a team call these functions with the same team, unless they say otherwise.
 */
#pragma once

#include "engine/gpu/round/lp.h"

enum { WI_GPU_TEAM_COUNTS = 2, WI_GPU_TEAM_TURNS = 4 };

typedef struct wi_gpu_team {
    uint32_t size, rank; /* its threads, and which this one is: 32 or the block's */
    uint32_t turn;
    uint32_t *counts; /* [WI_GPU_TEAM_COUNTS], which the team shares */
    uint64_t *words;  /* [WI_GPU_TEAM_TURNS][warps] of a team of several warps: what they share */
    /* Counters for sorting, 2^n: a warp's are rows of 2^width, `stride` from each other. */
    uint32_t *buckets;
    uint32_t n_buckets, width, stride;
} wi_gpu_team;

WI_GPU_FN uint32_t *wi_gpu_bucket(const wi_gpu_team *t, uint32_t i)
{
    return t->buckets + (i >> t->width) * t->stride + (i & ((1u << t->width) - 1));
}

/* What one of the team has written is there for the others after this. */
WI_GPU_FN void wi_gpu_barrier(const wi_gpu_team *t)
{
#if WEIR_ON_DEVICE
    if (t->size == 32)
        __syncwarp();
    else
        __syncthreads();
#else
    (void)t;
#endif
}

WI_GPU_FN void wi_gpu_team_clear(const wi_gpu_team *t)
{
    if (t->rank == 0)
        for (int i = 0; i < WI_GPU_TEAM_COUNTS; i++)
            t->counts[i] = 0;
    wi_gpu_barrier(t);
}

/* Those who say yes get numbers from *count on, which is one of the team's counts: no two the same, in no
 * order. A warp's lanes alone call it together. */
WI_GPU_FN uint32_t wi_gpu_claim(int yes, uint32_t *count)
{
#if WEIR_ON_DEVICE
    const uint32_t all = __ballot_sync(0xffffffffu, yes), lane = threadIdx.x % 32;
    uint32_t first = 0;
    if (lane == 0 && all != 0)
        first = atomicAdd(count, (uint32_t)__popc(all));
    return __shfl_sync(0xffffffffu, first, 0) + __popc(all & ((1u << lane) - 1));
#else
    return yes ? (*count)++ : *count;
#endif
}

/* The word of each warp's first lane, by warps. Good until the third such exchange from here: whoever writes
 * there then has waited for all others twice since. */
WI_GPU_FN const uint64_t *wi_gpu_team_share(wi_gpu_team *t, uint64_t word)
{
    uint64_t *const words = t->words + t->turn * (t->size / 32);
    t->turn = (t->turn + 1) % WI_GPU_TEAM_TURNS;
    if (t->rank % 32 == 0)
        words[t->rank / 32] = word;
    wi_gpu_barrier(t);
    return words;
}

WI_GPU_FN bool wi_gpu_team_any(wi_gpu_team *t, int yes)
{
#if WEIR_ON_DEVICE
    return t->size == 32 ? __any_sync(0xffffffffu, yes) : __syncthreads_or(yes);
#else
    (void)t;
    return yes;
#endif
}

WI_GPU_FN weir_time wi_gpu_team_least(wi_gpu_team *t, weir_time time)
{
#if WEIR_ON_DEVICE
    for (int step = 16; step > 0; step /= 2) {
        const weir_time other = __shfl_xor_sync(0xffffffffu, (long long)time, step);
        time = other < time ? other : time;
    }
    if (t->size > 32) {
        const uint64_t *const words = wi_gpu_team_share(t, (uint64_t)time);
        for (uint32_t i = 0; i < t->size / 32; i++)
            time = (weir_time)words[i] < time ? (weir_time)words[i] : time;
    }
#else
    (void)t;
#endif
    return time;
}

/* The sum of the numbers that threads of a lower rank have; *all: of all. */
WI_GPU_FN uint32_t wi_gpu_exclusive_scan(wi_gpu_team *t, uint32_t number, uint32_t *all)
{
#if WEIR_ON_DEVICE
    uint32_t sum = number;
    for (uint32_t step = 1; step < 32; step *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);
        if (t->rank % 32 >= step)
            sum += other;
    }
    *all = __shfl_sync(0xffffffffu, sum, 31);
    uint32_t before = sum - number;
    if (t->size > 32) {
        const uint64_t *const words = wi_gpu_team_share(t, *all);
        *all = 0;
        for (uint32_t i = 0; i < t->size / 32; i++) {
            before += i < t->rank / 32 ? (uint32_t)words[i] : 0;
            *all += (uint32_t)words[i];
        }
    }
    return before;
#else
    (void)t;
    *all = number;
    return 0;
#endif
}

/* The lowest rank that says yes; the team's size where none does. */
WI_GPU_FN uint32_t wi_gpu_team_first(wi_gpu_team *t, int yes)
{
#if WEIR_ON_DEVICE
    const uint32_t all = __ballot_sync(0xffffffffu, yes), warp = t->rank & ~31u;
    uint32_t first = all ? warp + (uint32_t)__ffs((int)all) - 1 : t->size;
    if (t->size > 32) {
        const uint64_t *const words = wi_gpu_team_share(t, first);
        for (uint32_t i = 0; i < t->size / 32; i++)
            first = (uint32_t)words[i] < first ? (uint32_t)words[i] : first;
    }
    return first;
#else
    return yes ? 0 : t->size;
#endif
}

/* The word of the thread of that rank. */
WI_GPU_FN uint64_t wi_gpu_team_of(wi_gpu_team *t, uint64_t word, uint32_t rank)
{
#if WEIR_ON_DEVICE
    word = __shfl_sync(0xffffffffu, (unsigned long long)word, (int)(rank % 32));
    return t->size == 32 ? word : wi_gpu_team_share(t, word)[rank / 32];
#else
    (void)t;
    (void)rank;
    return word;
#endif
}

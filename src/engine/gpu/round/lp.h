/*
 * The GPU engine's LPs and slots: an LP's region in a word, atomics that are plain operations on the host,
 * copies of slots, windows, and the order of events.
 */
#pragma once

#include "engine/gpu/round/data.h"

WI_GPU_FN uint32_t wi_gpu_lp_count(wi_gpu_lp lp)
{
    return (uint32_t)lp;
}

WI_GPU_FN uint32_t wi_gpu_lp_room(wi_gpu_lp lp)
{
    return 1u << ((lp >> 32) & ((1u << WI_GPU_ROOM_BITS) - 1));
}

WI_GPU_FN uint32_t wi_gpu_lp_base(wi_gpu_lp lp)
{
    return (uint32_t)(lp >> (32 + WI_GPU_ROOM_BITS)) * 8;
}

/* `room` is a power of two from 8 on; `base` a multiple of 8. */
WI_GPU_FN wi_gpu_lp wi_gpu_lp_make(uint32_t count, uint32_t base, uint32_t room)
{
    uint64_t bits = 0;
    while ((1u << bits) < room)
        bits++;
    return ((uint64_t)(base / 8) << WI_GPU_ROOM_BITS | bits) << 32 | count;
}

/* Count one more; the word from before. */
WI_GPU_FN wi_gpu_lp wi_gpu_lp_claim(wi_gpu_lp *lp)
{
#if WEIR_ON_DEVICE
    return atomicAdd((unsigned long long *)lp, 1ull);
#else
    return (*lp)++;
#endif
}

WI_GPU_FN uint32_t wi_gpu_add(uint32_t *at, uint32_t n)
{
#if WEIR_ON_DEVICE
    return atomicAdd(at, n);
#else
    const uint32_t before = *at;
    *at = before + n;
    return before;
#endif
}

WI_GPU_FN void wi_gpu_or(uint32_t *at, uint32_t bits)
{
#if WEIR_ON_DEVICE
    atomicOr(at, bits);
#else
    *at |= bits;
#endif
}

WI_GPU_FN void wi_gpu_lower(weir_time *at, weir_time t)
{
#if WEIR_ON_DEVICE
    atomicMin((long long *)at, (long long)t);
#else
    if (t < *at)
        *at = t;
#endif
}

/* Loads of what blocks on other multiprocessors write while the kernel runs: past the first-level cache, so that a
 * barrier need not empty it of entities' states and the world, which stay where they are. Not __ldcg, which is for global
 * memory alone: small runs of a batch have all this in a block's shared memory. */
WI_GPU_FN uint64_t wi_gpu_load(const uint64_t *at)
{
#if WEIR_ON_DEVICE
    return *(const volatile uint64_t *)at;
#else
    return *at;
#endif
}

WI_GPU_FN weir_time wi_gpu_load_time(const weir_time *at)
{
    return (weir_time)wi_gpu_load((const uint64_t *)at);
}

/* What stands before the payload of an event in a slot. What stands beside it is read next: where the barriers empty the
 * first-level cache, it may come from there. warm: they do not (wi_gpu.warm). Asked once for several words, as loads with a
 * branch between them do not go together. */
WI_GPU_FN wi_gpu_event wi_gpu_load_head(const wi_gpu_event *from, uint32_t warm)
{
#if WEIR_ON_DEVICE
    union {
        wi_gpu_event event;
        uint64_t words[3];
    } head;
    if (!warm)
        return *from;
    for (int i = 0; i < 3; i++)
        head.words[i] = wi_gpu_load((const uint64_t *)from + i);
    return head.event;
#else
    (void)warm;
    return *from;
#endif
}

/* 32 bytes, as memory moves them. */
typedef struct wi_gpu_sector {
    uint64_t words[4];
} __attribute__((aligned(16))) wi_gpu_sector;

/* Copy a slot from device memory: whole sectors. */
WI_GPU_FN void wi_gpu_fetch(void *to, const void *from, uint32_t bytes)
{
#if WEIR_ON_DEVICE
#pragma unroll
    for (uint32_t i = 0; i < bytes / 16; i++)
        ((uint4 *)to)[i] = __ldcg((const uint4 *)from + i);
#else
    memcpy(to, from, bytes);
#endif
}

/* Copy a slot: whole sectors. */
WI_GPU_FN void wi_gpu_copy(void *to, const void *from, uint32_t bytes)
{
#if WEIR_ON_DEVICE
#pragma unroll
    for (uint32_t i = 0; i < bytes / 16; i++)
        ((uint4 *)to)[i] = ((const uint4 *)from)[i];
#else
    memcpy(to, from, bytes);
#endif
}

/* Copy of a multiple of 8 bytes. */
WI_GPU_FN void wi_gpu_copy_words(void *to, const void *from, uint32_t bytes)
{
#if WEIR_ON_DEVICE
#pragma unroll
    for (uint32_t i = 0; i < bytes / 8; i++)
        ((uint64_t *)to)[i] = ((const uint64_t *)from)[i];
#else
    memcpy(to, from, bytes);
#endif
}

WI_GPU_FN wi_gpu_event *wi_gpu_slot(const wi_gpu *g, uint32_t slot, uint32_t slot_bytes)
{
    return (wi_gpu_event *)(void *)(g->slots + (size_t)slot * slot_bytes);
}

WI_GPU_FN wi_gpu_event *wi_gpu_out(const wi_gpu *g, uint32_t place, uint32_t slot_bytes)
{
    return (wi_gpu_event *)(void *)(g->out + (size_t)place * slot_bytes);
}

/* The event that a spill tells of. */
WI_GPU_FN wi_gpu_event *wi_gpu_spilled(const wi_gpu *g, const wi_gpu_spill *spill, uint32_t slot_bytes)
{
    return spill->from & WI_GPU_OF_RING ? wi_gpu_slot(g, spill->from & ~WI_GPU_OF_RING, slot_bytes)
                                        : wi_gpu_out(g, spill->from, slot_bytes);
}

/* A number that is the round before `round` modulo 2 and 3, by which flags and bounds are kept. */
WI_GPU_FN uint64_t wi_gpu_round_before(uint64_t round)
{
    return round + 5;
}

/* t + lookahead, where "never" stays so. */
WI_GPU_FN weir_time wi_gpu_reach(weir_time t, weir_time lookahead)
{
    return t > WEIR_TIME_MAX - lookahead ? WEIR_TIME_MAX : t + lookahead;
}

/* End of the round's window: half open, within the limit. */
WI_GPU_FN weir_time wi_gpu_window(const wi_gpu_run *run, uint32_t third)
{
    const weir_time end = run->lookahead_ps > 0
                              ? wi_gpu_reach(wi_gpu_load_time(&run->low_ps[third]), run->lookahead_ps)
                              : wi_gpu_load_time(&run->end_ps[third]);
    return end < run->limit_ps ? end : run->limit_ps;
}

WI_GPU_FN uint32_t wi_gpu_lp_of(const wi_gpu *g, const wi_gpu_run *run, uint32_t entity)
{
    return run->lp_first + (entity >> g->lp_shift);
}

/* Least power of two that is at least n. */
WI_GPU_FN uint32_t wi_gpu_power(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

/* Slots that an LP with `count` events gets: half as much again, 8 at least. */
WI_GPU_FN uint32_t wi_gpu_room_for(uint32_t count)
{
    const uint32_t room = wi_gpu_power(count + count / 2 + 1);
    return room < 8 ? 8 : room;
}

/* The least that an LP of 2^shift entities begins with: 8 slots for each, up to 128, so that the sum over
 * them has room to vary. With 8 in all, nearly all of 512 LPs of two Kademlia peers grew in 12 simulated
 * seconds, in 357 rounds; with 16, none. */
WI_GPU_FN uint32_t wi_gpu_least_room(uint32_t shift)
{
    return 8u << (shift < 4 ? shift : 4);
}

WI_GPU_FN uint32_t wi_gpu_first_room(const wi_gpu *g, uint32_t count)
{
    const uint32_t room = wi_gpu_room_for(count), least = wi_gpu_least_room(g->lp_shift);
    return room < least ? least : room;
}

/* Does a come before b? warm: see wi_gpu_load_head. */
WI_GPU_RARE bool wi_gpu_before(uint64_t seed, const wi_gpu_event *in_a, const wi_gpu_event *in_b,
                               uint32_t warm)
{
    const wi_gpu_event a = wi_gpu_load_head(in_a, warm), b = wi_gpu_load_head(in_b, warm);
    if (a.time_ps != b.time_ps)
        return a.time_ps < b.time_ps;
    const uint32_t tie_a = weir_tie(seed, a.source, a.seq), tie_b = weir_tie(seed, b.source, b.seq);
    if (tie_a != tie_b)
        return tie_a < tie_b;
    if (a.source != b.source)
        return a.source < b.source;
    return weir_seq_before(a.seq, b.seq);
}

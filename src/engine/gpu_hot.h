/*
 * LPs with many pending events: the port of a busy link has thousands of packets on their way. A lane that
 * seeks the first eight due events of such an LP again and again takes time with the square of their number.
 * So a warp works on it together: it lists what is due, sorts it, and asks for what the next events will
 * need, while one lane handles them in their order. Then all close the gaps.
 *
 * Functions are called by all lanes of a warp with the same arguments, unless they say otherwise; on the host
 * a warp has one lane.
 */
#ifndef WI_ENGINE_GPU_HOT_H
#define WI_ENGINE_GPU_HOT_H

#include "engine/gpu_round.h"

enum { WI_GPU_GONE = -1 }; /* time of an event that has been handled, until its slot is closed */

WI_GPU_FN uint32_t wi_gpu_lanes(void)
{
#if WEIR_ON_DEVICE
    return 32;
#else
    return 1;
#endif
}

WI_GPU_FN uint32_t wi_gpu_lane(void)
{
#if WEIR_ON_DEVICE
    return threadIdx.x % 32;
#else
    return 0;
#endif
}

/* What a lane has written is there for the others after this. */
WI_GPU_FN void wi_gpu_meet(void)
{
#if WEIR_ON_DEVICE
    __syncwarp();
#endif
}

/* How many lanes before this one say yes, and how many in all are added to *n. */
WI_GPU_FN uint32_t wi_gpu_rank(int yes, uint32_t *n)
{
#if WEIR_ON_DEVICE
    const uint32_t all = __ballot_sync(0xffffffffu, yes);
    const uint32_t rank = *n + __popc(all & ((1u << wi_gpu_lane()) - 1));
    *n += __popc(all);
    return rank;
#else
    return yes ? (*n)++ : *n;
#endif
}

WI_GPU_FN uint32_t wi_gpu_of_first(uint32_t value)
{
#if WEIR_ON_DEVICE
    return __shfl_sync(0xffffffffu, value, 0);
#else
    return value;
#endif
}

WI_GPU_FN weir_time wi_gpu_least_of_lanes(weir_time t)
{
#if WEIR_ON_DEVICE
    for (int step = 16; step > 0; step /= 2) {
        const weir_time other = __shfl_xor_sync(0xffffffffu, t, step);
        t = other < t ? other : t;
    }
#endif
    return t;
}

/* List the LP's due events as turns, in no order. Returns their number; w->rest_ps is the least of the rest.
 */
WI_GPU_FN uint32_t wi_gpu_hot_list(const wi_gpu *g, wi_gpu_work *w, weir_time end_ps, uint32_t slot_bytes)
{
    enum { AT_ONCE = 8 };
    const uint32_t lanes = wi_gpu_lanes();
    wi_gpu_turn *const turns = g->turns + w->base;
    weir_time rest_ps = WEIR_TIME_MAX;
    uint32_t n = 0;
    for (uint32_t first = wi_gpu_lane(); first - wi_gpu_lane() < w->count; first += AT_ONCE * lanes) {
        weir_time time[AT_ONCE];
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t slot = first + i * lanes;
            time[i] = slot < w->count ? wi_gpu_slot(g, w->base + slot, slot_bytes)->time_ps : WEIR_TIME_MAX;
        }
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const int due = time[i] < end_ps;
            const uint32_t at = wi_gpu_rank(due, &n);
            if (due) {
                turns[at].time_ps = time[i];
                turns[at].slot = first + i * lanes;
            } else if (time[i] < rest_ps) {
                rest_ps = time[i];
            }
        }
    }
    w->rest_ps = wi_gpu_least_of_lanes(rest_ps);
    wi_gpu_meet();
    return n;
}

/* Does turn a come before turn b? Turns that fill up have no slot, and come last. */
WI_GPU_FN int wi_gpu_turn_before(const wi_gpu *g, uint64_t seed, uint32_t base, wi_gpu_turn a, wi_gpu_turn b,
                                 uint32_t slot_bytes)
{
    if (a.time_ps != b.time_ps || a.slot == WI_GPU_NONE || b.slot == WI_GPU_NONE)
        return a.time_ps < b.time_ps;
    return wi_gpu_before(seed, wi_gpu_slot(g, base + a.slot, slot_bytes),
                         wi_gpu_slot(g, base + b.slot, slot_bytes));
}

/* Sort n turns: a bitonic network (Batcher 1968), filled up to a power of two, for which a region has room.
 */
WI_GPU_FN void wi_gpu_hot_sort(const wi_gpu *g, uint64_t seed, uint32_t base, uint32_t n, uint32_t slot_bytes)
{
    const uint32_t lanes = wi_gpu_lanes(), all = wi_gpu_power(n);
    wi_gpu_turn *const turns = g->turns + base;
    for (uint32_t i = n + wi_gpu_lane(); i < all; i += lanes) {
        turns[i].time_ps = WEIR_TIME_MAX;
        turns[i].slot = WI_GPU_NONE;
    }
    wi_gpu_meet();
    for (uint32_t size = 2; size <= all; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
#if WEIR_ON_DEVICE
#pragma unroll 4
#endif
            for (uint32_t k = wi_gpu_lane(); k < all / 2; k += lanes) {
                const uint32_t i = (k & ~(stride - 1)) * 2 + (k & (stride - 1)), j = i + stride;
                const wi_gpu_turn a = turns[i], b = turns[j];
                const int rising = (i & size) == 0;
                if (rising ? wi_gpu_turn_before(g, seed, base, b, a, slot_bytes)
                           : wi_gpu_turn_before(g, seed, base, a, b, slot_bytes)) {
                    turns[i] = b;
                    turns[j] = a;
                }
            }
            wi_gpu_meet();
        }
}

/* The digest's first block of an event in its slot. */
WI_GPU_FN uint64_t wi_gpu_hot_block(const wi_gpu_type *types, const wi_gpu_event *e, uint32_t most)
{
    return wi_gpu_first_block(e->time_ps, e->source, e->seq, e->type, (const uint64_t *)(const void *)(e + 1),
                              types[e->type].payload_bytes, most);
}

/* One lane alone: which of w's listed events, which have come to the LP since, is the first; w->n_due is not
 * 0. */
WI_GPU_FN uint32_t wi_gpu_first_due(const wi_gpu *g, uint64_t seed, const wi_gpu_work *w, uint32_t slot_bytes)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < w->n_due; i++)
        if (wi_gpu_due_before(g, seed, w->base, w->due_ps[i * w->due_stride], w->due[i * w->due_stride],
                              w->due_ps[least * w->due_stride], w->due[least * w->due_stride], slot_bytes))
            least = i;
    return least;
}

/* What wi_gpu_hot_take has taken. */
typedef enum wi_gpu_taken { WI_GPU_NO_TURN, WI_GPU_TURN, WI_GPU_LATE } wi_gpu_taken;

/* One lane alone: take the LP's next event out of its slot: the next turn, or one that has come since.
 * Nothing where none is left, or where turns from `end` on, of `all`, come first. */
WI_GPU_FN wi_gpu_taken wi_gpu_hot_take(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, uint32_t *next,
                                       uint32_t end, uint32_t all, weir_event *event, uint32_t payload_bytes)
{
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes);
    wi_gpu_turn turn;
    int late = 0;
    turn.time_ps = WEIR_TIME_MAX;
    turn.slot = WI_GPU_NONE;
    if (*next < all)
        turn = g->turns[w->base + *next];
    if (WEIR_UNLIKELY(w->n_due > 0)) {
        const uint32_t least = wi_gpu_first_due(g, seed, w, slot_bytes) * w->due_stride;
        wi_gpu_turn other;
        other.time_ps = w->due_ps[least];
        other.slot = w->due[least];
        late = wi_gpu_turn_before(g, seed, w->base, other, turn, slot_bytes);
        if (late) {
            const uint32_t last = --w->n_due * w->due_stride;
            w->due_ps[least] = w->due_ps[last];
            w->due[least] = w->due[last];
            turn = other;
        }
    }
    if (!late) {
        if (*next >= end)
            return WI_GPU_NO_TURN;
        ++*next;
    }
    wi_gpu_event *const from = wi_gpu_slot(g, w->base + turn.slot, slot_bytes);
    wi_gpu_read(from, seed, event, payload_bytes);
    from->time_ps = WI_GPU_GONE;
    return late ? WI_GPU_LATE : WI_GPU_TURN;
}

/* One lane alone: the LP is done for this round, but for turns from `next` on. Returns its least pending
 * time. */
WI_GPU_FN weir_time wi_gpu_hot_end(const wi_gpu *g, const wi_gpu_run *run, wi_gpu_work *w, uint32_t next,
                                   uint32_t all)
{
    if (next < all && g->turns[w->base + next].time_ps < w->rest_ps)
        w->rest_ps = g->turns[w->base + next].time_ps;
    return wi_gpu_close(g, run, w);
}

/* Close the gaps that `gone` of the first `count` events have left: the last ones fill them. */
WI_GPU_FN void wi_gpu_hot_pack(const wi_gpu *g, const wi_gpu_work *w, uint32_t count, uint32_t gone,
                               uint32_t slot_bytes)
{
    enum { AT_ONCE = 8 };
    const uint32_t lanes = wi_gpu_lanes(), left = count - gone;
    wi_gpu_turn *const turns = g->turns + w->base;
    uint32_t gaps = 0;
    for (uint32_t first = wi_gpu_lane(); first - wi_gpu_lane() < left; first += AT_ONCE * lanes) {
        int gap[AT_ONCE];
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t slot = first + i * lanes;
            gap[i] = slot < left && wi_gpu_slot(g, w->base + slot, slot_bytes)->time_ps == WI_GPU_GONE;
        }
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t at = wi_gpu_rank(gap[i], &gaps);
            if (gap[i])
                turns[at].slot = first + i * lanes;
        }
    }
    uint32_t filled = 0;
    wi_gpu_meet();
    for (uint32_t first = left; first < count; first += lanes) {
        const uint32_t slot = first + wi_gpu_lane();
        const int stays = slot < count && wi_gpu_slot(g, w->base + slot, slot_bytes)->time_ps != WI_GPU_GONE;
        const uint32_t at = wi_gpu_rank(stays, &filled);
        if (stays)
            wi_gpu_copy(wi_gpu_slot(g, w->base + turns[at].slot, slot_bytes),
                        wi_gpu_slot(g, w->base + slot, slot_bytes), slot_bytes);
    }
    wi_gpu_meet();
    if (wi_gpu_lane() == 0)
        *(uint32_t *)(void *)&g->lps[w->lp] = left; /* the lower half */
}

#endif

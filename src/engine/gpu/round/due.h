/* The list of an LP's due events, while a thread of the GPU engine works on it. */
#pragma once

#include "engine/gpu/round/lp.h"

/* Events of an LP that a look at its region finds due, at most. */
enum { WI_GPU_DUE = 8 };

/* What a thread keeps while it works on an LP. `due` lists, in no order, the first events of the window by
 * their slots: all of them, or where they are too many (`cut`) the first few. */
typedef struct wi_gpu_work {
    uint32_t lp, count, room, base;
    uint32_t entity;  /* whose head is in `head`; WI_GPU_NONE: nobody's */
    uint32_t stopped; /* nothing more of this LP in this round */
    uint32_t n_due, cut;
    uint32_t moved_from, moved_to; /* an event changed its slot: the list may still have the old one */
    weir_time rest_ps;             /* least time of the LP's events that are not in the window */
    weir_entity head;
    /* [WI_GPU_DUE], each due_stride from the last: in shared memory, threads side by side */
    weir_time *due_ps;
    uint32_t *due; /* counted from the region's start */
    uint32_t due_stride;
} wi_gpu_work;

/* Does the event in slot a come before the one in slot b of a region, both listed with these times? */
WI_GPU_FN bool wi_gpu_due_before(const wi_gpu *g, uint64_t seed, uint32_t base, weir_time time_a, uint32_t a,
                                 weir_time time_b, uint32_t b, uint32_t slot_bytes)
{
    return time_a < time_b ||
           (time_a == time_b && wi_gpu_before(seed, wi_gpu_slot(g, base + a, slot_bytes),
                                              wi_gpu_slot(g, base + b, slot_bytes), g->warm));
}

/* The list is full, or was cut before: an event that comes before its last takes the last's place, or a free
 * one. Returns how many are listed. By values, so that the caller's work stays in registers. */
WI_GPU_RARE uint32_t wi_gpu_enlist_cut(const wi_gpu *g, uint64_t seed, uint32_t base, weir_time *due_ps,
                                       uint32_t *due, uint32_t stride, uint32_t n_due, uint32_t slot,
                                       weir_time time, uint32_t slot_bytes)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < n_due; i++)
        if (!wi_gpu_due_before(g, seed, base, due_ps[i * stride], due[i * stride], due_ps[last * stride],
                               due[last * stride], slot_bytes))
            last = i;
    if (n_due == 0 ||
        !wi_gpu_due_before(g, seed, base, time, slot, due_ps[last * stride], due[last * stride], slot_bytes))
        return n_due;
    const uint32_t at = n_due < WI_GPU_DUE ? n_due++ : last;
    due_ps[at * stride] = time;
    due[at * stride] = slot;
    return n_due;
}

/* Put right what a list says of the event that changed its slot. */
WI_GPU_RARE void wi_gpu_remap(uint32_t *due, uint32_t stride, uint32_t n_due, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < n_due; i++)
        if (due[i * stride] == from)
            due[i * stride] = to;
}

/* Enter the event in `slot` into the list, unless it was cut before that. */
WI_GPU_FN void wi_gpu_enlist(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, uint32_t slot, weir_time time,
                             uint32_t slot_bytes)
{
    if (WEIR_UNLIKELY(w->cut || w->n_due == WI_GPU_DUE)) {
        w->cut = 1;
        w->n_due = wi_gpu_enlist_cut(g, seed, w->base, w->due_ps, w->due, w->due_stride, w->n_due, slot, time,
                                     slot_bytes);
        return;
    }
    const uint32_t at = w->n_due++ * w->due_stride;
    w->due_ps[at] = time;
    w->due[at] = slot;
}

/* Times of eight slots from `from` on, of which there are n: eight loads on their way at once. */
WI_GPU_FN void wi_gpu_times(const wi_gpu *g, uint32_t from, uint32_t n, weir_time time[8],
                            uint32_t slot_bytes)
{
    if (g->warm) {
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < 8; i++)
            time[i] =
                i < n ? wi_gpu_load_time(&wi_gpu_slot(g, from + i, slot_bytes)->time_ps) : WEIR_TIME_MAX;
        return;
    }
#if WEIR_ON_DEVICE
#pragma unroll
#endif
    for (uint32_t i = 0; i < 8; i++)
        time[i] = i < n ? wi_gpu_slot(g, from + i, slot_bytes)->time_ps : WEIR_TIME_MAX;
}

/* Look through the LP's region for what is due before `end_ps`. */
WI_GPU_FN void wi_gpu_look(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, weir_time end_ps,
                           uint32_t slot_bytes)
{
    w->n_due = 0;
    w->cut = 0;
    w->moved_from = WI_GPU_NONE;
    w->rest_ps = WEIR_TIME_MAX;
    for (uint32_t first = 0; first < w->count; first += 8) {
        weir_time time[8];
        wi_gpu_times(g, w->base + first, w->count - first, time, slot_bytes);
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < 8; i++) {
            if (time[i] < end_ps)
                wi_gpu_enlist(g, seed, w, first + i, time[i], slot_bytes);
            else
                w->rest_ps = time[i] < w->rest_ps ? time[i] : w->rest_ps;
        }
    }
}

/* Ask for an entity's state before its event is known. */
WI_GPU_FN void wi_gpu_prefetch_state(const wi_gpu_run *run, uint32_t entity)
{
    uint32_t k = 0;
    while (k + 1 < run->n_kinds && entity >= run->kind_first[k + 1])
        k++;
    const unsigned char *state = run->state[k] + (size_t)(entity - run->kind_first[k]) * run->kind_bytes[k];
#if WEIR_ON_DEVICE
    asm volatile("prefetch.global.L1 [%0];" ::"l"(state));
#else
    __builtin_prefetch(state);
#endif
}

WI_GPU_FN void wi_gpu_open(const wi_gpu *g, const wi_gpu_run *run, wi_gpu_work *w, uint32_t lp)
{
    if (g->lp_shift == 0) { /* known before the events are: one wait instead of two */
        w->entity = lp - run->lp_first;
        w->head = run->heads[w->entity];
        wi_gpu_prefetch_state(run, w->entity);
    } else {
        w->entity = WI_GPU_NONE;
    }
    const wi_gpu_lp l = wi_gpu_load(&g->lps[lp]);
    w->lp = lp;
    w->count = wi_gpu_lp_count(l);
    w->room = wi_gpu_lp_room(l);
    w->base = wi_gpu_lp_base(l);
    w->stopped = 0;
}

WI_GPU_FN void wi_gpu_put_head(const wi_gpu_run *run, wi_gpu_work *w)
{
    if (w->entity != WI_GPU_NONE)
        run->heads[w->entity] = w->head;
}

/* The LP is done for this round: what is left of it goes back. Returns its least pending time. */
WI_GPU_FN weir_time wi_gpu_close(const wi_gpu *g, const wi_gpu_run *run, wi_gpu_work *w)
{
    weir_time next = w->rest_ps;
    for (uint32_t i = 0; i < w->n_due; i++) {
        const weir_time time = w->due_ps[i * w->due_stride];
        next = time < next ? time : next;
    }
    wi_gpu_put_head(run, w);
    *(uint32_t *)(void *)&g->lps[w->lp] = w->count; /* the lower half */
    g->next_ps[w->lp] = next;
    return next;
}

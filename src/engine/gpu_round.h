/*
 * One round of the GPU engine, as plain functions over plain data: what a device thread does to an LP and to
 * an event. The kernels of gpu_kernels.cuh spread these over threads; unit tests call them one by one on the
 * host.
 *
 * LP: 2^lp_shift entities that follow each other. Its pending events lie, in no order, in a region of slots:
 * `room` slots from `base` on, the first `count` of them taken. Regions are powers of two, each of its LP's own
 * size: one port with a thousand packets on the way does not make the regions of all others larger. A slot is
 * whole sectors of 32 bytes, so that an event is written without reading what was there.
 *
 * A round, for each run, with barriers between the steps:
 *   handle   LPs with events before the window's end handle them in order. What they schedule goes to their
 *            block's outbox; events to themselves go straight to their own region.
 *   place    each event of the outbox claims a slot of its target's region. Where there is none it is
 *            spilled: the outbox keeps it.
 *   grow     only when something was spilled: each LP that overflowed moves to a larger region; then the
 *            spilled events take the slots that they claimed.
 * The window of the next round is reduced on the way: the least (next time + lookahead) over all LPs.
 *
 * Nothing is ever dropped: an LP whose block has no room left for what it might schedule, or no room for
 * records, stops early (its next time says so, so the next window begins there); when no slots are left at
 * all the kernel returns, and the host moves everything to a larger pool.
 */
#ifndef WI_ENGINE_GPU_ROUND_H
#define WI_ENGINE_GPU_ROUND_H

#include <string.h>

#include "weir/model.h"

#if defined(__CUDACC__)
#define WI_GPU_FN static __forceinline__ __host__ __device__
/* What is rarely needed stays out of line: rounds with little to do are short of instruction cache. */
#define WI_GPU_RARE static __noinline__ __host__ __device__ __attribute__((unused))
#else
#define WI_GPU_FN static inline
#define WI_GPU_RARE static inline
#endif

#define WI_GPU_NONE UINT32_MAX
enum { WI_GPU_TYPES_MAX = 32 /* event types of a model */ };

/* An event in a region or an outbox; its payload follows. `tie` follows from source and seq, and is computed
 * only where two times are equal. */
typedef struct wi_gpu_event {
    weir_time time_ps;
    uint32_t source, seq, target;
    uint16_t type, run; /* run: index into wi_gpu.runs */
} wi_gpu_event;
WEIR_STATIC_ASSERT(sizeof(wi_gpu_event) == 24, "slots are sized by this");

/* Bytes of a slot for a model's largest payload: whole sectors. */
#define WI_GPU_SLOT_BYTES(payload) ((((uint32_t)sizeof(wi_gpu_event) + (payload)) + 31u) / 32u * 32u)

/* An LP's region in one word, so that one atomic addition both claims a slot and tells where the region is:
 * events (or claims, while some are spilled) in the lower half; where the region begins, in units of 8 slots,
 * and the power of its size, in the upper half. */
typedef uint64_t wi_gpu_lp;
enum { WI_GPU_ROOM_BITS = 5, WI_GPU_SLOTS_MAX = 1 << 30 };

typedef struct wi_gpu_type {
    uint32_t first_entity, n_of_kind, state_bytes;
    uint16_t kind, payload_bytes, max_events, max_records;
} wi_gpu_type;

/* One simulation among those that the kernels advance together. */
typedef struct wi_gpu_run {
    const unsigned char *world;
    uint64_t world_bytes;
    weir_entity *heads;
    unsigned char *state[WEIR_KINDS_MAX], *pool[WEIR_POOLS_MAX];
    int64_t *counters; /* counter_copies times n_counters: blocks share copies, whose sum counts */
    uint64_t n_counters, seed;
    uint32_t counter_copies;
    uint32_t run, n_entities;
    uint32_t n_kinds, kind_first[WEIR_KINDS_MAX], kind_bytes[WEIR_KINDS_MAX];
    uint32_t lp_first, n_lps;
    weir_time lookahead_ps; /* of every LP; 0: they differ, see wi_gpu.lookahead_ps */
    weir_time limit_ps;     /* nothing at or after it is handled */
    /* Least next time, and least next time + lookahead, by round modulo 3: one is read, one is reduced into,
     * one is being reset. */
    weir_time low_ps[3], end_ps[3];
} wi_gpu_run;

typedef struct wi_gpu_fault {
    weir_time time_ps, value;
    uint32_t tie, source, seq, entity, type, fault, detail, run;
} wi_gpu_fault;

enum {
    WI_GPU_DRAIN = 1,   /* records must be taken out before the run can go on */
    WI_GPU_CROWDED = 2, /* the pool of slots is used up; spilled events wait in the outbox */
    WI_GPU_FAULTY = 4   /* a handler broke the contract */
};

/* Where time goes: finding LPs with something to do, handling, inserting, growing, waiting at barriers. */
enum { WI_GPU_SELECT, WI_GPU_HANDLING, WI_GPU_INSERT, WI_GPU_GROW, WI_GPU_WAIT, WI_GPU_STEPS };

/* What kernels report. */
typedef struct wi_gpu_status {
    uint64_t events;    /* handled */
    uint64_t rounds;    /* since the start; the index of the next one modulo 3 picks the window */
    uint64_t step_ns[WI_GPU_STEPS]; /* of the persistent kernel's first block */
    uint32_t flags[2];     /* set in this round, or the one before: by round modulo 2 */
    uint32_t n_spilled[3]; /* by round modulo 3 */
    uint32_t halted;       /* host-driven rounds do nothing */
    uint32_t slots_used;
    uint32_t n_records;
    uint32_t fault_lock, faulty; /* faulty: `fault` is the first in the order of events */
    wi_gpu_fault fault;
} wi_gpu_status;

typedef struct wi_gpu_spill {
    uint32_t from; /* place in the outboxes */
    uint32_t claim;
} wi_gpu_spill;

/* All that kernels work on: pointers to device memory (to host memory in unit tests). */
typedef struct wi_gpu {
    wi_gpu_run *runs;
    const wi_gpu_type *types;
    uint32_t n_runs, n_types;
    uint32_t n_lps, lp_shift; /* n_lps: of all runs */
    weir_time *next_ps;       /* [n_lps]: least pending time, WEIR_TIME_MAX if there is none */
    wi_gpu_lp *lps;           /* [n_lps] */
    weir_time *lookahead_ps;  /* [n_lps] */
    unsigned char *slots;     /* [n_slots][slot_bytes] */
    uint32_t n_slots, slot_bytes;
    uint32_t tile;      /* LPs that a block looks at together */
    unsigned char *out; /* outboxes: [n_blocks][out_room][slot_bytes] */
    uint32_t *out_count; /* [n_blocks] */
    uint32_t out_room, n_blocks, n_threads;
    wi_gpu_spill *spill; /* [n_blocks * out_room] */
    unsigned char *records;
    uint32_t rec_room, rec_stride;
    wi_gpu_status *status;
} wi_gpu;

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

WI_GPU_FN weir_time wi_gpu_lookahead(const wi_gpu *g, const wi_gpu_run *run, uint32_t lp)
{
    return run->lookahead_ps > 0 ? run->lookahead_ps : g->lookahead_ps[lp];
}

/* t + lookahead, where "never" stays so. */
WI_GPU_FN weir_time wi_gpu_reach(weir_time t, weir_time lookahead)
{
    return t > WEIR_TIME_MAX - lookahead ? WEIR_TIME_MAX : t + lookahead;
}

/* End of the round's window: half open, within the limit. */
WI_GPU_FN weir_time wi_gpu_window(const wi_gpu_run *run, uint32_t third)
{
    const weir_time end =
        run->lookahead_ps > 0 ? wi_gpu_reach(run->low_ps[third], run->lookahead_ps) : run->end_ps[third];
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

/* Does a come before b? */
WI_GPU_RARE int wi_gpu_before(uint64_t seed, const wi_gpu_event *a, const wi_gpu_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    const uint32_t tie_a = weir_tie(seed, a->source, a->seq), tie_b = weir_tie(seed, b->source, b->seq);
    if (tie_a != tie_b)
        return tie_a < tie_b;
    if (a->source != b->source)
        return a->source < b->source;
    return a->seq < b->seq;
}

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
    weir_time rest_ps; /* least time of the LP's events that are not in the window */
    weir_entity head;
    /* [WI_GPU_DUE], each due_stride from the last: in shared memory, threads side by side */
    weir_time *due_ps;
    uint32_t *due; /* counted from the region's start */
    uint32_t due_stride;
} wi_gpu_work;

/* Does the event in slot a come before the one in slot b of a region, both listed with these times? */
WI_GPU_FN int wi_gpu_due_before(const wi_gpu *g, uint64_t seed, uint32_t base, weir_time time_a, uint32_t a,
                                weir_time time_b, uint32_t b, uint32_t slot_bytes)
{
    return time_a < time_b || (time_a == time_b && wi_gpu_before(seed, wi_gpu_slot(g, base + a, slot_bytes),
                                                                 wi_gpu_slot(g, base + b, slot_bytes)));
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
    if (n_due == 0 || !wi_gpu_due_before(g, seed, base, time, slot, due_ps[last * stride], due[last * stride],
                                         slot_bytes))
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

/* Look through the LP's region for what is due before `end_ps`. */
WI_GPU_FN void wi_gpu_look(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, weir_time end_ps, uint32_t slot_bytes)
{
    w->n_due = 0;
    w->cut = 0;
    w->moved_from = WI_GPU_NONE;
    w->rest_ps = WEIR_TIME_MAX;
    for (uint32_t first = 0; first < w->count; first += 8) {
        weir_time time[8]; /* eight loads on their way at once */
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < 8; i++)
            time[i] = first + i < w->count ? wi_gpu_slot(g, w->base + first + i, slot_bytes)->time_ps
                                           : WEIR_TIME_MAX;
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
    const wi_gpu_lp l = g->lps[lp];
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

/* A handler broke the contract at `event`. The first such event of the round is kept: which one that is does
 * not depend on threads, as each LP stops at its first. */
WI_GPU_RARE void wi_gpu_fail(const wi_gpu *g, uint64_t round, wi_gpu_fault fault)
{
    wi_gpu_status *s = g->status;
    wi_gpu_or(&s->flags[round % 2], WI_GPU_FAULTY);
#if WEIR_ON_DEVICE
    while (atomicCAS(&s->fault_lock, 0, 1) != 0) {
    }
    __threadfence();
#endif
    volatile wi_gpu_fault *f = &s->fault;
    const int first =
        !*(volatile uint32_t *)&s->faulty || fault.time_ps < f->time_ps ||
        (fault.time_ps == f->time_ps &&
         (fault.tie < f->tie ||
          (fault.tie == f->tie && (fault.source < f->source || (fault.source == f->source && fault.seq < f->seq)))));
    if (first) {
        *(volatile uint32_t *)&s->faulty = 1;
        f->time_ps = fault.time_ps;
        f->value = fault.value;
        f->tie = fault.tie;
        f->source = fault.source;
        f->seq = fault.seq;
        f->entity = fault.entity;
        f->type = fault.type;
        f->fault = fault.fault;
        f->detail = fault.detail;
        f->run = fault.run;
    }
#if WEIR_ON_DEVICE
    __threadfence();
    atomicExch(&s->fault_lock, 0);
#endif
}

/* Write an event as slots hold it. */
WI_GPU_FN void wi_gpu_write(wi_gpu_event *to, const weir_event *e, uint32_t run, uint32_t payload_bytes)
{
    to->time_ps = e->time_ps;
    to->source = e->source;
    to->seq = e->seq;
    to->target = e->target;
    to->type = e->type;
    to->run = (uint16_t)run;
    wi_gpu_copy_words(to + 1, e + 1, payload_bytes);
}

/* Hand over what a handler scheduled: to the LP's own region where the target is the entity itself and there
 * is room, else to the outbox. `out_count` counts this block's outbox, which begins at place `out_first`. */
WI_GPU_FN void wi_gpu_send(const wi_gpu *g, const wi_gpu_type *types, weir_ctx *ctx, wi_gpu_work *w,
                           uint32_t run, weir_time end_ps, uint32_t *out_count, uint32_t out_first,
                           uint32_t payload_bytes)
{
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes);
    for (uint32_t i = 0; i < ctx->out_count; i++) {
        const weir_event *e = (const weir_event *)(const void *)(ctx->out + (size_t)i * ctx->stride);
        if (WEIR_UNLIKELY(e->type >= g->n_types ||
                          e->target - types[e->type].first_entity >= types[e->type].n_of_kind)) {
            weir_fault_keep(ctx, WEIR_FAULT_KIND, e->type, e->target);
            return;
        }
        if (e->target == ctx->entity && w->count < w->room) {
            const uint32_t slot = w->count++;
            wi_gpu_write(wi_gpu_slot(g, w->base + slot, slot_bytes), e, run, payload_bytes);
            if (e->time_ps < end_ps) {
                /* The new event may stand where the moved one stood. */
                wi_gpu_remap(w->due, w->due_stride, w->n_due, w->moved_from, w->moved_to);
                w->moved_from = WI_GPU_NONE;
                wi_gpu_enlist(g, ctx->seed, w, slot, e->time_ps, slot_bytes);
            } else if (e->time_ps < w->rest_ps) {
                w->rest_ps = e->time_ps;
            }
        } else {
            wi_gpu_write(wi_gpu_out(g, out_first + wi_gpu_add(out_count, 1), slot_bytes), e, run, payload_bytes);
            /* Inside the window, but with no room here: it comes back by the outbox, and what follows it must
             * wait. */
            if (e->time_ps < end_ps)
                w->stopped = 1;
        }
    }
}

/* weir_event_fold for payloads of at most `most` bytes, which the compiler knows: no loop, nothing in memory. */
WI_GPU_FN uint64_t wi_gpu_fold(uint64_t chain, const weir_event *event, uint32_t payload_bytes, uint32_t most)
{
    const uint64_t *payload = (const uint64_t *)(const void *)(event + 1);
    const uint32_t n = 3 + payload_bytes / 8, n_most = 3 + most / 8;
    uint64_t w[8];
    w[0] = (uint64_t)event->time_ps;
    w[1] = ((uint64_t)event->source << 32) | event->seq;
    w[2] = event->type;
#if WEIR_ON_DEVICE
#pragma unroll
#endif
    for (uint32_t i = 3; i < 8; i++)
        w[i] = i < n_most && i < n ? payload[i - 3] : 0;
    chain = weir_digest_mix(chain, weir_digest_block(w, n < 8 ? n : 8));
#if WEIR_ON_DEVICE
#pragma unroll
#endif
    for (uint32_t first = 8; first < n_most; first += 8) {
        if (first >= n)
            break;
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < 8; i++)
            w[i] = first + i < n_most && first + i < n ? payload[first + i - 3] : 0;
        chain = weir_digest_mix(chain, weir_digest_block(w, n - first < 8 ? n - first : 8));
    }
    return chain;
}

/* Take the LP's first due event out of its slot into `event`; the region's last event fills the hole. */
WI_GPU_FN void wi_gpu_take(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, weir_event *event,
                           uint32_t payload_bytes)
{
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes), n = w->due_stride;
    weir_time time = WEIR_TIME_MAX;
    uint32_t slot = 0, at = 0;
    for (uint32_t i = 0; i < w->n_due; i++) {
        const weir_time other = w->due_ps[i * n];
        uint32_t place = w->due[i * n];
        if (place == w->moved_from) {
            place = w->moved_to;
            w->due[i * n] = place;
        }
        if (i == 0 || wi_gpu_due_before(g, seed, w->base, other, place, time, slot, slot_bytes)) {
            time = other;
            slot = place;
            at = i;
        }
    }
    const uint32_t last_due = --w->n_due * n;
    w->due_ps[at * n] = w->due_ps[last_due];
    w->due[at * n] = w->due[last_due];

    wi_gpu_event *const from = wi_gpu_slot(g, w->base + slot, slot_bytes);
    event->time_ps = time;
    event->source = from->source;
    event->seq = from->seq;
    event->target = from->target;
    event->type = from->type;
    event->instance = 0;
    event->link = 0;
    event->tie = weir_tie(seed, event->source, event->seq);
    wi_gpu_copy_words(event + 1, from + 1, payload_bytes);
    w->count--;
    w->moved_from = w->count;
    w->moved_to = slot;
    if (slot != w->count)
        wi_gpu_copy(from, wi_gpu_slot(g, w->base + w->count, slot_bytes), slot_bytes);
}

/* Handle the LP's first due event, and hand over what it scheduled and recorded. `event` is room for it;
 * ctx->out and ctx->rec are the thread's own. */
WI_GPU_FN void wi_gpu_handle(const wi_gpu *g, const wi_gpu_run *run, const wi_gpu_type *types,
                             uint32_t run_index, wi_gpu_work *w, weir_ctx *ctx, weir_event *event,
                             weir_handler handle, weir_time end_ps, uint64_t round, uint32_t *out_count,
                             uint32_t out_first, uint32_t payload_bytes)
{
    wi_gpu_take(g, run->seed, w, event, payload_bytes);
    if (w->entity != event->target) {
        wi_gpu_put_head(run, w);
        w->entity = event->target;
        w->head = run->heads[event->target];
    }
    const wi_gpu_type *const type = &types[event->type];
    ctx->now_ps = event->time_ps;
    ctx->entity = event->target;
    ctx->self = &w->head;
    ctx->out_count = 0;
    ctx->out_capacity = type->max_events;
    ctx->rec_count = 0;
    ctx->rec_capacity = type->max_records;
    w->head.chain = wi_gpu_fold(w->head.chain, event, type->payload_bytes, payload_bytes);
    handle(ctx, run->state[type->kind] + (size_t)(event->target - type->first_entity) * type->state_bytes,
           event);
    if (WEIR_LIKELY(ctx->fault == WEIR_FAULT_NONE))
        wi_gpu_send(g, types, ctx, w, run_index, end_ps, out_count, out_first, payload_bytes);
    for (uint32_t i = 0; i < ctx->rec_count; i++) {
        const uint32_t at = wi_gpu_add(&g->status->n_records, 1);
        const weir_record_head *r =
            (const weir_record_head *)(const void *)(ctx->rec + (size_t)i * ctx->rec_stride);
        weir_record_head *to = (weir_record_head *)(void *)(g->records + (size_t)at * g->rec_stride);
        *to = *r;
        to->reserved = run_index;
        wi_gpu_copy_words(to + 1, r + 1, r->bytes);
    }
    if (WEIR_UNLIKELY(ctx->fault != WEIR_FAULT_NONE)) {
        wi_gpu_fault f;
        f.time_ps = event->time_ps;
        f.value = ctx->fault_value;
        f.tie = event->tie;
        f.source = event->source;
        f.seq = event->seq;
        f.entity = event->target;
        f.type = event->type;
        f.fault = ctx->fault;
        f.detail = ctx->fault_detail;
        f.run = run_index;
        wi_gpu_fail(g, round, f);
        ctx->fault = WEIR_FAULT_NONE;
        w->stopped = 1;
    }
}

/* The event `e`, at `place` of the outboxes, claims a slot of its target's LP; without one it is spilled. */
WI_GPU_FN void wi_gpu_place(const wi_gpu *g, uint32_t lp, uint32_t place, const wi_gpu_event *e,
                            uint64_t round, uint32_t slot_bytes)
{
    const wi_gpu_lp l = wi_gpu_lp_claim(&g->lps[lp]);
    wi_gpu_lower(&g->next_ps[lp], e->time_ps);
    if (wi_gpu_lp_count(l) < wi_gpu_lp_room(l)) {
        wi_gpu_copy(wi_gpu_slot(g, wi_gpu_lp_base(l) + wi_gpu_lp_count(l), slot_bytes), e, slot_bytes);
        return;
    }
    wi_gpu_spill *s = &g->spill[wi_gpu_add(&g->status->n_spilled[round % 3], 1)];
    s->from = place;
    s->claim = wi_gpu_lp_count(l);
}

WI_GPU_FN wi_gpu_lp *wi_gpu_spill_lp(const wi_gpu *g, const wi_gpu_spill *spill, uint32_t slot_bytes)
{
    const wi_gpu_event *e = wi_gpu_out(g, spill->from, slot_bytes);
    return &g->lps[wi_gpu_lp_of(g, &g->runs[e->run], e->target)];
}

/* The first spilled event of an LP moves the LP to a region that holds all claims. */
WI_GPU_RARE void wi_gpu_grow(const wi_gpu *g, const wi_gpu_spill *spill, uint64_t round, uint32_t slot_bytes)
{
    wi_gpu_lp *const lp = wi_gpu_spill_lp(g, spill, slot_bytes);
    const wi_gpu_lp l = *lp;
    if (spill->claim != wi_gpu_lp_room(l))
        return;
    const uint32_t room = wi_gpu_room_for(wi_gpu_lp_count(l));
    const uint32_t base = wi_gpu_add(&g->status->slots_used, room), from = wi_gpu_lp_base(l);
    if (base > g->n_slots || room > g->n_slots - base) {
        wi_gpu_or(&g->status->flags[round % 2], WI_GPU_CROWDED);
        return;
    }
    for (uint32_t i = 0; i < wi_gpu_lp_room(l); i++)
        wi_gpu_copy(wi_gpu_slot(g, base + i, slot_bytes), wi_gpu_slot(g, from + i, slot_bytes), slot_bytes);
    *lp = wi_gpu_lp_make(wi_gpu_lp_count(l), base, room);
}

/* A spilled event takes the slot that it claimed, if its LP has it now. */
WI_GPU_FN void wi_gpu_settle(const wi_gpu *g, const wi_gpu_spill *spill, uint32_t slot_bytes)
{
    const wi_gpu_lp l = *wi_gpu_spill_lp(g, spill, slot_bytes);
    if (spill->claim < wi_gpu_lp_room(l))
        wi_gpu_copy(wi_gpu_slot(g, wi_gpu_lp_base(l) + spill->claim, slot_bytes),
                    wi_gpu_out(g, spill->from, slot_bytes), slot_bytes);
}

#endif

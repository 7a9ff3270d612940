/*
 * LPs with many pending events: the port of a busy link has thousands of packets on their way. A lane that
 * seeks the first eight due events of such an LP again and again takes time with the square of their number.
 * So a team works on it together: it lists what is due, sorts it, and asks for what the next events will
 * need, while one thread handles them in their order, or all handle bursts (gpu/round/burst.cuh). Then all close
 * the gaps.
 *
 * Functions are called by all of a team with the same arguments, unless they say otherwise.
 */
#pragma once

#include "engine/gpu/round/round.h"
#include "engine/gpu/round/team.h"

enum { WI_GPU_GONE = -1 }; /* time of an event that has been handled, until its slot is closed */

/* List the LP's due events as entries, in no order. Returns their number; w->rest_ps is the least of the rest.
 */
WI_GPU_FN uint32_t wi_gpu_hot_list(const wi_gpu *g, wi_gpu_team *team, wi_gpu_work *w, weir_time end_ps,
                                   uint32_t slot_bytes)
{
    enum { AT_ONCE = 8 };
    const uint32_t base = w->base, count = w->count;
    wi_gpu_entry *const entries = g->entries + base;
    weir_time rest_ps = WEIR_TIME_MAX;
    wi_gpu_team_clear(team);
    for (uint32_t first = team->rank; first - team->rank < count; first += AT_ONCE * team->size) {
        weir_time time[AT_ONCE];
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) { /* all on their way at once: none depends on a condition */
            const uint32_t slot = first + i * team->size;
            time[i] = wi_gpu_slot(g, base + (slot < count ? slot : count - 1), slot_bytes)->time_ps;
        }
#if WEIR_ON_DEVICE
#pragma unroll
#endif
        for (uint32_t i = 0; i < AT_ONCE; i++) {
            const uint32_t slot = first + i * team->size;
            const int due = slot < count && time[i] < end_ps;
            const uint32_t at = wi_gpu_claim(due, &team->counts[0]);
            if (due) {
                entries[at].time_ps = time[i];
                entries[at].slot = slot;
            } else if (slot < count && time[i] < rest_ps) {
                rest_ps = time[i];
            }
        }
    }
    w->rest_ps = wi_gpu_team_least(team, rest_ps);
    wi_gpu_barrier(team);
    return team->counts[0];
}

/* Does entry a come before entry b? Entries that fill up have no slot, and come last. */
WI_GPU_FN bool wi_gpu_entry_before(const wi_gpu *g, uint64_t seed, uint32_t base, wi_gpu_entry a,
                                   wi_gpu_entry b, uint32_t slot_bytes)
{
    if (a.time_ps != b.time_ps || a.slot == WI_GPU_NONE || b.slot == WI_GPU_NONE)
        return a.time_ps < b.time_ps;
    return wi_gpu_before(seed, wi_gpu_slot(g, base + a.slot, slot_bytes),
                         wi_gpu_slot(g, base + b.slot, slot_bytes), g->warm);
}

/* Sort n entries: a bitonic network (Batcher 1968), filled up to a power of two, for which a region has room.
 */
WI_GPU_FN void wi_gpu_sort_network(const wi_gpu *g, const wi_gpu_team *team, uint64_t seed, uint32_t base,
                                   uint32_t n, uint32_t slot_bytes)
{
    const uint32_t all = wi_gpu_power(n);
    wi_gpu_entry *const entries = g->entries + base;
    for (uint32_t i = n + team->rank; i < all; i += team->size) {
        entries[i].time_ps = WEIR_TIME_MAX;
        entries[i].slot = WI_GPU_NONE;
    }
    wi_gpu_barrier(team);
    for (uint32_t size = 2; size <= all; size *= 2)
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            for (uint32_t k = team->rank; k < all / 2; k += team->size) {
                const uint32_t i = (k & ~(stride - 1)) * 2 + (k & (stride - 1)), j = i + stride;
                const wi_gpu_entry a = entries[i], b = entries[j];
                const int rising = (i & size) == 0;
                if (rising ? wi_gpu_entry_before(g, seed, base, b, a, slot_bytes)
                           : wi_gpu_entry_before(g, seed, base, a, b, slot_bytes)) {
                    entries[i] = b;
                    entries[j] = a;
                }
            }
            wi_gpu_barrier(team);
        }
}

/* How times fall into buckets: equal spans, so that a bucket's entries come before the next one's. */
typedef struct wi_gpu_spans {
    weir_time from_ps;
    uint32_t n, shift; /* buckets, and the power of a span */
} wi_gpu_spans;

WI_GPU_FN wi_gpu_spans wi_gpu_spans_of(const wi_gpu_team *team, uint32_t n, weir_time from_ps,
                                       weir_time end_ps)
{
    wi_gpu_spans s;
    s.from_ps = from_ps;
    s.n = wi_gpu_power(n);
    s.shift = 0;
    if (s.n > team->n_buckets)
        s.n = team->n_buckets;
    while ((uint64_t)(end_ps - 1 - from_ps) >> s.shift >= s.n)
        s.shift++;
    return s;
}

WI_GPU_FN uint32_t wi_gpu_span_of(const wi_gpu_spans *s, weir_time time_ps)
{
    return (uint32_t)((uint64_t)(time_ps - s->from_ps) >> s->shift);
}

/* Count n entries by buckets, then let each bucket hold where its entries begin. Returns whether all buckets are
 * small. */
WI_GPU_FN int wi_gpu_count_spans(const wi_gpu_entry *entries, wi_gpu_team *team, const wi_gpu_spans *s,
                                 uint32_t n)
{
    enum { BUCKET_MOST = 32 };
    const uint32_t share = (s->n + team->size - 1) / team->size, first = team->rank * share;
    uint32_t sum = 0, most = 0, all;
    for (uint32_t i = team->rank; i < s->n; i += team->size)
        *wi_gpu_bucket(team, i) = 0;
    wi_gpu_barrier(team);
    for (uint32_t i = team->rank; i < n; i += team->size)
        wi_gpu_add(wi_gpu_bucket(team, wi_gpu_span_of(s, entries[i].time_ps)), 1);
    wi_gpu_barrier(team);
    for (uint32_t i = first; i < first + share && i < s->n; i++) {
        const uint32_t count = *wi_gpu_bucket(team, i);
        sum += count;
        most = count > most ? count : most;
    }
    uint32_t before = wi_gpu_exclusive_scan(team, sum, &all);
    for (uint32_t i = first; i < first + share && i < s->n; i++) {
        const uint32_t count = *wi_gpu_bucket(team, i);
        *wi_gpu_bucket(team, i) = before;
        before += count;
    }
    return !wi_gpu_team_any(team, most > BUCKET_MOST);
}

/*
 * Sort the n entries that lie between from_ps and end_ps: to buckets of equal spans of time, of which there are
 * as many as entries where there is room; then each entry counts those of its bucket that come before it. Where
 * many fall into one bucket, as they have one time, a network sorts all.
 */
WI_GPU_FN void wi_gpu_hot_sort(const wi_gpu *g, wi_gpu_team *team, uint64_t seed, uint32_t base, uint32_t n,
                               weir_time from_ps, weir_time end_ps, uint32_t slot_bytes)
{
    wi_gpu_entry *const entries = g->entries + base, *const other = entries + g->n_slots;
    if (n < 2)
        return;
    const wi_gpu_spans spans = wi_gpu_spans_of(team, n, from_ps, end_ps);
    const int small = wi_gpu_count_spans(entries, team, &spans, n);
    wi_gpu_barrier(team);
    if (!small) {
        wi_gpu_sort_network(g, team, seed, base, n, slot_bytes);
        return;
    }
    for (uint32_t i = team->rank; i < n; i += team->size) {
        const wi_gpu_entry entry = entries[i];
        other[wi_gpu_add(wi_gpu_bucket(team, wi_gpu_span_of(&spans, entry.time_ps)), 1)] = entry;
    }
    wi_gpu_barrier(team); /* a bucket now holds where the next one's entries begin */
    for (uint32_t i = team->rank; i < n; i += team->size) {
        const wi_gpu_entry entry = other[i];
        const uint32_t span = wi_gpu_span_of(&spans, entry.time_ps), end = *wi_gpu_bucket(team, span);
        uint32_t at = span > 0 ? *wi_gpu_bucket(team, span - 1) : 0;
        for (uint32_t j = at; j < end; j++)
            at += j != i && wi_gpu_entry_before(g, seed, base, other[j], entry, slot_bytes);
        entries[at] = entry;
    }
    wi_gpu_barrier(team);
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
typedef enum wi_gpu_taken { WI_GPU_NO_ENTRY, WI_GPU_ENTRY, WI_GPU_LATE } wi_gpu_taken;

/* One lane alone: take the LP's next event out of its slot: the next entry, or one that has come since.
 * Nothing where none is left, or where entries from `end` on, of `all`, come first. */
WI_GPU_FN wi_gpu_taken wi_gpu_hot_take(const wi_gpu *g, uint64_t seed, wi_gpu_work *w, uint32_t *next,
                                       uint32_t end, uint32_t all, weir_event *event, uint32_t payload_bytes)
{
    const uint32_t slot_bytes = WI_GPU_SLOT_BYTES(payload_bytes);
    wi_gpu_entry entry;
    int late = 0;
    entry.time_ps = WEIR_TIME_MAX;
    entry.slot = WI_GPU_NONE;
    if (*next < all)
        entry = g->entries[w->base + *next];
    if (WEIR_UNLIKELY(w->n_due > 0)) {
        const uint32_t least = wi_gpu_first_due(g, seed, w, slot_bytes) * w->due_stride;
        wi_gpu_entry other;
        other.time_ps = w->due_ps[least];
        other.slot = w->due[least];
        late = wi_gpu_entry_before(g, seed, w->base, other, entry, slot_bytes);
        if (late) {
            const uint32_t last = --w->n_due * w->due_stride;
            w->due_ps[least] = w->due_ps[last];
            w->due[least] = w->due[last];
            entry = other;
        }
    }
    if (!late) {
        if (*next >= end)
            return WI_GPU_NO_ENTRY;
        ++*next;
    }
    wi_gpu_event *const from = wi_gpu_slot(g, w->base + entry.slot, slot_bytes);
    wi_gpu_read(from, seed, event, payload_bytes, 0);
    from->time_ps = WI_GPU_GONE;
    return late ? WI_GPU_LATE : WI_GPU_ENTRY;
}

/* One lane alone: the LP is done for this round, but for entries from `next` on. Returns its least pending
 * time. */
WI_GPU_FN weir_time wi_gpu_hot_end(const wi_gpu *g, const wi_gpu_run *run, wi_gpu_work *w, uint32_t next,
                                   uint32_t all)
{
    if (next < all && g->entries[w->base + next].time_ps < w->rest_ps)
        w->rest_ps = g->entries[w->base + next].time_ps;
    return wi_gpu_close(g, run, w);
}

/* Note the slots below `left` that are empty, by the team's first count: those of the first `next` entries, and
 * where more are gone all are looked at. */
WI_GPU_FN void wi_gpu_hot_gaps(const wi_gpu *g, const wi_gpu_team *team, uint32_t base, uint32_t left,
                               uint32_t gone, uint32_t next, uint32_t slot_bytes)
{
    wi_gpu_entry *const entries = g->entries + base;
    const uint32_t n = gone == next ? next : left;
    for (uint32_t first = team->rank; first - team->rank < n; first += team->size) {
        const uint32_t slot = gone != next ? first : first < n ? entries[first].slot : left;
        const int gap =
            slot < left && (gone == next || wi_gpu_slot(g, base + slot, slot_bytes)->time_ps == WI_GPU_GONE);
        const uint32_t at = wi_gpu_claim(gap, &team->counts[0]);
        if (gap)
            entries[at].gap = slot;
    }
}

/* Close the gaps that `gone` of the LP's `count` events have left, the first `next` entries among them: the
 * last events fill them. */
WI_GPU_FN void wi_gpu_hot_pack(const wi_gpu *g, const wi_gpu_team *team, const wi_gpu_work *w, uint32_t count,
                               uint32_t gone, uint32_t next, uint32_t slot_bytes)
{
    const uint32_t left = count - gone;
    const wi_gpu_entry *const entries = g->entries + w->base;
    wi_gpu_team_clear(team);
    wi_gpu_hot_gaps(g, team, w->base, left, gone, next, slot_bytes);
    wi_gpu_barrier(team);
    for (uint32_t first = left + team->rank; first - team->rank < count; first += team->size) {
        const int stays =
            first < count && wi_gpu_slot(g, w->base + first, slot_bytes)->time_ps != WI_GPU_GONE;
        const uint32_t at = wi_gpu_claim(stays, &team->counts[1]);
        if (stays)
            wi_gpu_copy(wi_gpu_slot(g, w->base + entries[at].gap, slot_bytes),
                        wi_gpu_slot(g, w->base + first, slot_bytes), slot_bytes);
    }
    wi_gpu_barrier(team);
    if (team->rank == 0)
        *(uint32_t *)(void *)&g->lps[w->lp] = left; /* the lower half */
}

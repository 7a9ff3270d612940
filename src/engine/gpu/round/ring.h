/*
 * Ordered streams on the device: events that leave an entity in rising time (packets on its link) wait in a ring of that
 * entity, and a word says when the first is due. A round moves what is due to its targets' regions, so that a region holds
 * an LP's window and its timers, and nobody looks at what is still on its way.
 *
 * Only the entity's own thread adds to a ring, while LPs handle; only one warp takes from it, between two steps. A ring
 * grows by a larger one: what the old one holds comes first, and nothing is copied. An event that finds no place, as the
 * old ring is not empty yet or the pool of slots is used up, or that is not the latest, goes by the outbox as others do.
 */
#pragma once

#include "engine/gpu/round/lp.h"

WI_GPU_FN void wi_gpu_bound_by(wi_gpu_bounds *bounds, weir_time time_ps, weir_time lookahead_ps)
{
    const weir_time end_ps = wi_gpu_reach(time_ps, lookahead_ps);
    bounds->low_ps = time_ps < bounds->low_ps ? time_ps : bounds->low_ps;
    bounds->end_ps = end_ps < bounds->end_ps ? end_ps : bounds->end_ps;
}

/* Reads past the first-level cache: others have written it before the last barrier. */
WI_GPU_FN wi_gpu_ring_head wi_gpu_ring_head_of(const wi_gpu_ring *ring)
{
    union {
        wi_gpu_ring_head head;
        wi_gpu_sector words;
    } room;
    wi_gpu_fetch(&room.words, &ring->now, sizeof room);
    return room.head;
}

WI_GPU_FN wi_gpu_ring wi_gpu_ring_of(const wi_gpu_ring *ring)
{
    union {
        wi_gpu_ring ring;
        wi_gpu_sector words[2];
    } room;
    wi_gpu_fetch(room.words, ring, sizeof room);
    return room.ring;
}

WI_GPU_FN uint32_t wi_gpu_ring_old(const wi_gpu_ring *r)
{
    return r->old_end - r->old_begin;
}

WI_GPU_FN uint32_t wi_gpu_ring_count(const wi_gpu_ring *r)
{
    return wi_gpu_ring_old(r) + (r->now.end - r->now.begin);
}

/* The slot of a ring's event number i from its first on. */
WI_GPU_FN uint32_t wi_gpu_ring_slot(const wi_gpu_ring *r, uint32_t i)
{
    const uint32_t old = wi_gpu_ring_old(r);
    return i < old ? r->old_base + ((r->old_begin + i) & (r->old_room - 1))
                   : r->now.base + ((r->now.begin + (i - old)) & (r->now.room - 1));
}

/* The slot that the next event but `ahead` is written to. */
WI_GPU_FN uint32_t wi_gpu_ring_next(const wi_gpu_ring_head *r, uint32_t ahead)
{
    return r->base + ((r->end + ahead) & (r->room - 1));
}

/* A larger ring, where the old one is empty and slots are left. */
WI_GPU_RARE bool wi_gpu_ring_grow(const wi_gpu *g, wi_gpu_ring *ring, uint64_t round)
{
    wi_gpu_ring r = wi_gpu_ring_of(ring);
    const wi_gpu_ring_head was = r.now;
    const uint32_t room = was.room == 0 ? 8 : was.room < 128 ? 4 * was.room : 2 * was.room;
    if (wi_gpu_ring_old(&r) > 0 || room > WI_GPU_SLOTS_MAX / 2)
        return false;
    const uint32_t used = *(volatile const uint32_t *)&g->status->slots_used;
    const uint32_t base = used < g->n_slots ? wi_gpu_add(&g->status->slots_used, room) : used;
    if (base > g->n_slots || room > g->n_slots - base) {
        wi_gpu_or(&g->status->flags[round % 2], WI_GPU_CROWDED);
        return false;
    }
    r.old_begin = was.begin;
    r.old_end = was.end;
    r.old_base = was.base;
    r.old_room = was.room;
    r.now.base = base;
    r.now.room = room;
    r.now.begin = r.now.end = 0;
    *ring = r;
    return true;
}

/* Whether n more events, the first of that time, may be added; r: the ring's head. Grows it if need be. */
WI_GPU_FN bool wi_gpu_ring_takes(const wi_gpu *g, wi_gpu_ring *ring, wi_gpu_ring_head *r, weir_time time_ps,
                                 uint32_t n, uint64_t round)
{
    if (time_ps < r->last_ps)
        return false;
    if (WEIR_LIKELY(r->room - (r->end - r->begin) >= n))
        return true;
    if (!wi_gpu_ring_grow(g, ring, round))
        return false;
    *r = wi_gpu_ring_head_of(ring);
    return r->room >= n;
}

/* n events have been written, from first_ps to last_ps, to targets whose least lookahead is reach_ps. */
WI_GPU_FN void wi_gpu_ring_add(const wi_gpu_run *run, uint32_t entity, const wi_gpu_ring_head *r, uint32_t n,
                               weir_time first_ps, weir_time last_ps, weir_time reach_ps)
{
    wi_gpu_ring_head *const head = &run->rings[entity].now;
    if (r->last_ps == WI_GPU_EMPTY)
        run->ring_first_ps[entity] = first_ps;
    head->last_ps = last_ps;
    head->end = r->end + n;
    if (reach_ps < r->reach_ps)
        head->reach_ps = reach_ps;
}

/* How many of the ring's events are due before end_ps; the first one is. */
WI_GPU_FN uint32_t wi_gpu_ring_due(const wi_gpu *g, const wi_gpu_ring *r, weir_time end_ps,
                                   uint32_t slot_bytes)
{
    const uint32_t n = wi_gpu_ring_count(r);
    uint32_t due = 1, step = 1;
    int wider = 1;
    while (step > 0) {
        if (step <= n - due &&
            wi_gpu_load_time(&wi_gpu_slot(g, wi_gpu_ring_slot(r, due + step - 1), slot_bytes)->time_ps) <
                end_ps) {
            due += step;
            step = wider ? 2 * step : step / 2;
        } else {
            wider = 0;
            step /= 2;
        }
    }
    return due;
}

/* The first n events are gone. Returns when the next one is due. */
WI_GPU_FN weir_time wi_gpu_ring_drop(const wi_gpu *g, wi_gpu_run *run, uint32_t entity, wi_gpu_ring *r,
                                     uint32_t n, uint32_t slot_bytes)
{
    const uint32_t old = wi_gpu_ring_old(r), of_old = n < old ? n : old;
    r->old_begin += of_old;
    r->now.begin += n - of_old;
    weir_time next_ps = WEIR_TIME_MAX;
    if (wi_gpu_ring_count(r) > 0) {
        next_ps = wi_gpu_load_time(&wi_gpu_slot(g, wi_gpu_ring_slot(r, 0), slot_bytes)->time_ps);
    } else {
        r->now.last_ps = WI_GPU_EMPTY;
        r->now.reach_ps = WEIR_TIME_MAX;
    }
    run->rings[entity] = *r;
    run->ring_first_ps[entity] = next_ps;
    return next_ps;
}

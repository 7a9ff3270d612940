/*
 * The router: input-buffered, store and forward of chunks, virtual channels, credits.
 *
 * A burst that comes in waits in its input's buffer in the queue of its output (virtual output queues: a
 * blocked packet stops no other that goes elsewhere). An output that is free takes the next input and virtual
 * channel in turn that has a chunk ready and room at the other end, and sends one chunk, or up to `burst` of
 * the same packet that are ready back to back. Room is taken when a chunk is sent, and given back when it has
 * left the buffer at the other end, in batches.
 *
 * Where packets choose their way by load, the channels before the choice are held: a packet gets such a
 * virtual channel only with room for all of it and keeps it until its tail has left, so that its chunks come
 * in unmixed and the choice of the first serves all.
 */
#pragma once

#include "models/interconnect/routing/torus.h"
#include "models/interconnect/routing/tree.h"

WEIR_FN ic_way ic_route(const ic_here *r, ic_burst *b)
{
    switch (r->w->wiring) {
    case IC_DRAGONFLY:
        return ic_route_dragonfly(r, b);
    case IC_TREE:
        return ic_route_tree(r, b);
    default:
        return ic_route_torus(r, b);
    }
}

/* Times in a router's state are the network's: its clock stands still while the network is suspended. */
WEIR_FN weir_time ic_clock(const ic_here *r)
{
    return r->ctx->now_ps - r->w->still_ps;
}

/* See to it that output o looks again at a time, at the latest. */
WEIR_FN void ic_wake_at(const ic_here *r, ic_output *o, uint32_t port, weir_time at_ps)
{
    const weir_time now_ps = ic_clock(r);
    if (o->wake_ps > now_ps && o->wake_ps <= at_ps)
        return;
    o->wake_ps = at_ps; /* one that is due later finds another time here, and does nothing */
    ic_output_tag *tag = (ic_output_tag *)weir_schedule(r->ctx, r->ctx->entity, IC_WAKE, at_ps - now_ps);
    tag->port = port;
    tag->pad = 0;
}

/* How many chunks of a run may go now; 0: none, and *later_ps is then when its first is ready, if that is why. */
WEIR_FN uint32_t ic_may_send(const ic_here *r, const ic_run *run, const ic_link *link, uint32_t port,
                             uint32_t q, weir_time *later_ps)
{
    const weir_time now_ps = ic_clock(r);
    uint32_t n = run->chunks < r->w->burst ? run->chunks : r->w->burst;
    if (link->class_ != IC_TERMINAL) {
        const uint32_t room = *ic_credits_at(r, port, run->vc);
        if (link->hold && run->vc == 0) {
            const uint32_t owner = *ic_owner_at(r, port, 0);
            if (owner ? owner != q + 1 : room < run->burst.size)
                return 0;
        } else {
            if (room == 0)
                return 0;
            n = n < room ? n : room;
        }
    }
    if (run->ready_ps > now_ps) {
        if (run->ready_ps < *later_ps)
            *later_ps = run->ready_ps;
        return 0;
    }
    if (n > 1) { /* only what is ready back to back */
        const weir_time slower_ps =
            ic_class_of(r, q / r->w->vcs)->chunk_ps - r->w->class_[link->class_].chunk_ps;
        if (slower_ps > 0) {
            const uint64_t ready = (uint64_t)(now_ps - run->ready_ps) / (uint64_t)slower_ps + 1;
            n = ready < n ? (uint32_t)ready : n;
        }
    }
    return n;
}

/* Give room for n chunks of input q back to who feeds it; the last of them leaves after `leaves_ps`. */
WEIR_FN void ic_return_credits(const ic_here *r, uint32_t q, uint32_t n, weir_time leaves_ps)
{
    const ic_world *w = r->w;
    const uint32_t port = q / w->vcs;
    const ic_link *link = ic_link_of(w, r->id, port);
    const ic_class *c = &w->class_[link->class_];
    uint32_t *owed = ic_owed_at(r, q), *held = ic_held_at(r, q);
    weir_touch(r->ctx, owed, sizeof *owed);
    weir_touch(r->ctx, held, sizeof *held);
    *held -= n;
    *owed += n;
    if (*owed < c->batch)
        return;
    const uint16_t type = link->class_ == IC_TERMINAL ? IC_REFILL : IC_CREDIT;
    ic_credit *credit = (ic_credit *)weir_schedule(r->ctx, link->peer, type, leaves_ps + c->credit_ps);
    credit->port = link->port;
    credit->vc = (uint8_t)(q % w->vcs);
    credit->chunks = (uint16_t)*owed;
    credit->pad = 0;
    *owed = 0;
}

/* Tell the other end of output `port` of n chunks of a run that leave from now on. */
WEIR_FN void ic_put_on_link(const ic_here *r, const ic_run *run, const ic_link *link, uint32_t n)
{
    const ic_class *c = &r->w->class_[link->class_];
    const int tail = run->chunks == n && (run->burst.mark & IC_TAIL);
    ic_burst *to;
    if (link->class_ == IC_TERMINAL) {
        if (!tail) /* a terminal does nothing before it has all */
            return;
        to = (ic_burst *)weir_schedule(r->ctx, link->peer, IC_DELIVER,
                                       (weir_time)n * c->chunk_ps + c->delay_ps + r->w->nic_ps);
    } else {
        to = (ic_burst *)weir_schedule(r->ctx, link->peer, IC_ARRIVE, c->arrive_ps);
    }
    *to = run->burst;
    to->chunks = (uint8_t)n;
    to->port = link->port;
    to->mark = (uint8_t)((run->burst.mark & ~(IC_VC | IC_TAIL)) | run->vc | (tail ? IC_TAIL : 0));
    to->hops = (uint8_t)(run->burst.hops + (run->burst.hops < UINT8_MAX));
}

/* Take room at the other end for what leaves. */
WEIR_FN void ic_consume_credits(const ic_here *r, const ic_run *run, const ic_link *link, uint32_t port,
                                uint32_t q, uint32_t n)
{
    uint32_t *credits = ic_credits_at(r, port, run->vc);
    ic_output *o = ic_output_at(r, port);
    if (link->class_ == IC_TERMINAL)
        return;
    if (link->hold && run->vc == 0) {
        uint32_t *owner = ic_owner_at(r, port, 0);
        const int tail = run->chunks == n && (run->burst.mark & IC_TAIL);
        weir_touch(r->ctx, owner, sizeof *owner);
        if (*owner == 0) {
            weir_touch(r->ctx, credits, sizeof *credits);
            *credits -= run->burst.size;
            o->away += run->burst.size;
        }
        *owner = tail ? 0 : q + 1;
        return;
    }
    weir_touch(r->ctx, credits, sizeof *credits);
    *credits -= n;
    o->away += n;
}

/* Take n chunks off the first run of a queue, and the run out when that was all. */
WEIR_FN void ic_shorten(const ic_here *r, ic_queue *queue, ic_run *run, uint32_t port, uint32_t q, uint32_t n)
{
    weir_touch(r->ctx, run, sizeof *run);
    run->chunks = (uint16_t)(run->chunks - n);
    if (run->chunks > 0) {
        run->ready_ps += (weir_time)n * ic_class_of(r, q / r->w->vcs)->chunk_ps;
        return;
    }
    const uint32_t slot = queue->head;
    weir_touch(r->ctx, queue, sizeof *queue);
    queue->head = run->link;
    ic_slot_free(r, slot);
    if (!queue->head) {
        uint64_t *mask = ic_mask_at(r, port) + q / 64;
        queue->tail = 0;
        weir_touch(r->ctx, mask, sizeof *mask);
        *mask &= ~((uint64_t)1 << q % 64);
    }
}

WEIR_FN uint32_t ic_lowest_bit(uint64_t bits)
{
#if WEIR_ON_DEVICE
    return (uint32_t)__ffsll((long long)bits) - 1;
#else
    return (uint32_t)__builtin_ctzll(bits);
#endif
}

/* The first input and virtual channel from `next` on, round and round, that may send by `port`, and how much;
 * none: n is 0. */
WEIR_FN uint32_t ic_arbitrate(const ic_here *r, const ic_link *link, uint32_t port, uint32_t next,
                              uint32_t *n, weir_time *later_ps)
{
    const uint32_t words = r->w->words;
    const uint64_t *mask = ic_mask_at(r, port);
    const uint64_t above = ~(uint64_t)0 << next % 64;
    for (uint32_t i = 0; i <= words; i++) {
        const uint32_t word = (next / 64 + i) % words;
        uint64_t bits = mask[word];
        if (i == 0)
            bits &= above;
        if (i == words)
            bits &= ~above;
        for (; bits; bits &= bits - 1) {
            const uint32_t q = word * 64 + ic_lowest_bit(bits);
            const ic_run *run = ic_run_at(r, ic_queue_at(r, q, port)->head);
            *n = ic_may_send(r, run, link, port, q, later_ps);
            if (*n)
                return q;
        }
    }
    *n = 0;
    return 0;
}

/* The same where not only the turn decides: of all that may send the one with the least rank. */
WEIR_FN uint32_t ic_arbitrate_ranked(const ic_here *r, const ic_link *link, uint32_t port, uint32_t next,
                                     uint32_t *n, weir_time *later_ps)
{
    const uint32_t words = r->w->words, inputs = r->w->ports * r->w->vcs;
    const uint64_t *mask = ic_mask_at(r, port);
    weir_time least = WEIR_TIME_MAX;
    uint32_t best = 0, first = 0;
    *n = 0;
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t bits = mask[word]; bits; bits &= bits - 1) {
            const uint32_t q = word * 64 + ic_lowest_bit(bits);
            const ic_run *run = ic_run_at(r, ic_queue_at(r, q, port)->head);
            const uint32_t chunks = ic_may_send(r, run, link, port, q, later_ps);
            const uint32_t turn = q >= next ? q - next : q + inputs - next;
            const weir_time rank =
                r->w->arbitration == IC_OLDEST
                    ? run->burst.born_ps
                    : (weir_time)(ic_link_of(r->w, r->id, q / r->w->vcs)->class_ == IC_TERMINAL);
            if (chunks && (*n == 0 || rank < least || (rank == least && turn < first))) {
                best = q;
                *n = chunks;
                least = rank;
                first = turn;
            }
        }
    return best;
}

/* Let output `port` send, if it is free and something may go. At most three events. */
WEIR_FN void ic_serve(const ic_here *r, uint32_t port)
{
    const weir_time now_ps = ic_clock(r);
    ic_output *o = ic_output_at(r, port);
    ic_router *head = ic_head(r);
    weir_time later_ps = WEIR_TIME_MAX;
    uint32_t n = 0;
    if (o->waiting == 0)
        return;
    weir_touch(r->ctx, o, sizeof *o);
    if (o->busy_ps > now_ps) {
        ic_wake_at(r, o, port, o->busy_ps);
        return;
    }
    const ic_link *link = ic_link_of(r->w, r->id, port);
    const uint32_t q = r->w->arbitration == IC_ROUND_ROBIN_CHUNKS
                           ? ic_arbitrate(r, link, port, o->next, &n, &later_ps)
                           : ic_arbitrate_ranked(r, link, port, o->next, &n, &later_ps);
    if (n == 0) {
        if (later_ps != WEIR_TIME_MAX)
            ic_wake_at(r, o, port, later_ps);
        return;
    }
    ic_queue *queue = ic_queue_at(r, q, port);
    ic_run *run = ic_run_at(r, queue->head);
    const weir_time takes_ps = (weir_time)n * r->w->class_[link->class_].chunk_ps;
    weir_touch(r->ctx, head, sizeof *head);
    o->busy_ps = now_ps + takes_ps;
    o->waiting -= n;
    o->next = q + 1 < r->w->ports * r->w->vcs ? q + 1 : 0;
    head->waiting -= n;
    head->hops += n;
    ic_put_on_link(r, run, link, n);
    ic_consume_credits(r, run, link, port, q, n);
    ic_shorten(r, queue, run, port, q, n);
    ic_return_credits(r, q, n, takes_ps);
    if (o->waiting > 0)
        ic_wake_at(r, o, port, o->busy_ps);
}

/* Put a burst that is ready from now on behind the others of its input for its output. */
WEIR_FN void ic_enqueue(const ic_here *r, const ic_burst *b, ic_way way, uint32_t q)
{
    ic_queue *queue = ic_queue_at(r, q, way.port);
    ic_router *head = ic_head(r);
    ic_output *o = ic_output_at(r, way.port);
    weir_touch(r->ctx, head, sizeof *head);
    weir_touch(r->ctx, o, sizeof *o);
    head->waiting += b->chunks;
    o->waiting += b->chunks;
    if (queue->tail) {
        ic_run *last = ic_run_at(r, queue->tail);
        if (last->burst.source == b->source && last->burst.packet == b->packet && last->vc == way.vc) {
            /* Chunks of an input are ready one after the other: all that came before are. */
            weir_touch(r->ctx, last, sizeof *last);
            last->ready_ps = ic_clock(r) - (weir_time)last->chunks * ic_class_of(r, q / r->w->vcs)->chunk_ps;
            last->chunks = (uint16_t)(last->chunks + b->chunks);
            last->burst.mark = (uint8_t)(last->burst.mark | (b->mark & IC_TAIL));
            return;
        }
    }
    const uint32_t slot = ic_slot_alloc(r);
    ic_run *run = ic_run_at(r, slot);
    weir_touch(r->ctx, run, sizeof *run);
    weir_touch(r->ctx, queue, sizeof *queue);
    run->burst = *b;
    run->ready_ps = ic_clock(r);
    run->link = 0;
    run->chunks = b->chunks;
    run->vc = (uint8_t)way.vc;
    run->pad = 0;
    if (queue->tail) {
        ic_run *last = ic_run_at(r, queue->tail);
        weir_touch(r->ctx, last, sizeof *last);
        last->link = slot;
    } else {
        uint64_t *mask = ic_mask_at(r, way.port) + q / 64;
        weir_touch(r->ctx, mask, sizeof *mask);
        *mask |= (uint64_t)1 << q % 64;
        queue->head = slot;
    }
    queue->tail = slot;
}

WEIR_FN ic_here ic_router_of(weir_ctx *ctx, void *state)
{
    ic_here r;
    r.ctx = ctx;
    r.w = ic_world_of(ctx);
    r.state = (unsigned char *)state;
    r.id = ctx->entity - r.w->n_terminals;
    r.base = IC_TABLE(r.w, uint32_t, r.w->runs_first_at)[r.id] - 1;
    return r;
}

WEIR_FN void ic_router_arrive(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_here r = ic_router_of(ctx, state);
    ic_burst b = *WEIR_PAYLOAD(ic_burst, event);
    const uint32_t q = b.port * r.w->vcs + (b.mark & IC_VC);
    uint32_t *held = ic_held_at(&r, q);
    weir_touch(ctx, held, sizeof *held);
    *held += b.chunks;
    if (WEIR_UNLIKELY(*held > ic_class_of(&r, b.port)->buffer)) {
        weir_fault(ctx, IC_FAULT_OVERFLOW);
        return;
    }
    const ic_way way = ic_route(&r, &b);
    if (WEIR_UNLIKELY(ic_link_of(r.w, r.id, way.port)->peer == IC_NONE)) {
        weir_fault(ctx, IC_FAULT_WIRING);
        return;
    }
    ic_enqueue(&r, &b, way, q);
    ic_serve(&r, way.port);
}

WEIR_FN void ic_router_credit(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_here r = ic_router_of(ctx, state);
    const ic_credit *credit = WEIR_PAYLOAD(ic_credit, event);
    uint32_t *credits = ic_credits_at(&r, credit->port, credit->vc);
    ic_output *o = ic_output_at(&r, credit->port);
    weir_touch(ctx, credits, sizeof *credits);
    weir_touch(ctx, o, sizeof *o);
    *credits += credit->chunks;
    o->away -= credit->chunks;
    if (WEIR_UNLIKELY(*credits > ic_class_of(&r, credit->port)->buffer)) {
        weir_fault(ctx, IC_FAULT_CREDITS);
        return;
    }
    if (o->busy_ps <= ic_clock(&r)) /* else it looks by itself when it is free */
        ic_serve(&r, credit->port);
}

WEIR_FN void ic_router_wake(weir_ctx *ctx, void *state, const weir_event *event)
{
    const ic_here r = ic_router_of(ctx, state);
    const uint32_t port = WEIR_PAYLOAD(ic_output_tag, event)->port;
    if (ic_output_at(&r, port)->wake_ps == ic_clock(&r))
        ic_serve(&r, port);
}

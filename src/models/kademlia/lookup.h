/*
 * An iterative lookup (Maymounkov and Mazieres 2002, section 2.3).
 *
 * The lookup keeps the closest candidates that it has heard of, asks alpha of them at a time, the closest
 * first, and learns k more from each answer. It ends when the k closest that did not fail have all answered,
 * or when a value was found. A request that is not answered in time is sent again, `retries` times; then its
 * peer has failed: it leaves the routing table, and stays in the list so that it is not asked anew.
 */
#pragma once

#include "models/kademlia/index.h"
#include "models/kademlia/times.h"

/* Send one request, new or again. */
WEIR_FN void kad_send(weir_ctx *ctx, const kad_world *w, kad_lookup *l, kad_flight *f, weir_stream *stream)
{
    kad_request *r = (kad_request *)weir_schedule(ctx, f->contact, KAD_REQUEST,
                                                  kad_latency(w, stream, ctx->entity, f->contact));
    r->key = l->key;
    r->tag = l->tag;
    r->value = l->kind == KAD_FIND_VALUE ? l->value : KAD_NONE;
    f->deadline_ps = ctx->now_ps + w->timeout_ps;
    f->tries++;
    l->requests++;
    weir_count(ctx, KAD_COUNT_REQUESTS, 1);
}

/*
 * Learn of n contacts at this depth. Distances are computed anew for the whole list: that is cheaper than to
 * keep them. A list that is full loses its farthest.
 */
WEIR_FN void kad_learn(const kad_world *w, kad_lookup *l, uint32_t self, const uint32_t *contact, uint32_t n,
                       uint32_t depth)
{
    kad_candidate *list = kad_candidates(w, l);
    uint64_t distance[KAD_LIST_MAX];
    uint32_t n_list = l->n_list;
    for (uint32_t i = 0; i < n_list; i++)
        distance[i] = kad_id(w->salt, list[i].contact) ^ l->key;
    for (uint32_t c = 0; c < n; c++) {
        if (contact[c] == self || contact[c] >= w->n_peers)
            continue;
        const uint64_t d = kad_id(w->salt, contact[c]) ^ l->key;
        uint32_t at = n_list;
        while (at > 0 && distance[at - 1] > d)
            at--;
        if (at == w->list_size || (at > 0 && distance[at - 1] == d)) /* too far, or known */
            continue;
        const uint32_t last = n_list < w->list_size ? n_list++ : n_list - 1;
        for (uint32_t i = last; i > at; i--) {
            distance[i] = distance[i - 1];
            list[i] = list[i - 1];
        }
        distance[at] = d;
        list[at].contact = contact[c];
        list[at].state = KAD_NEW;
        list[at].depth = (uint8_t)(depth < 255 ? depth : 255);
        list[at].reserved = 0;
    }
    l->n_list = (uint8_t)n_list;
}

/* Mark a candidate, if it still stands in the list. */
WEIR_FN void kad_mark(const kad_world *w, kad_lookup *l, uint32_t contact, uint8_t state)
{
    kad_candidate *list = kad_candidates(w, l);
    for (uint32_t i = 0; i < l->n_list; i++)
        if (list[i].contact == contact)
            list[i].state = state;
}

/* Ask as many as may be asked. Returns whether the lookup goes on: one of the k closest that did not fail has
 * still to answer. */
WEIR_FN int kad_advance(weir_ctx *ctx, const kad_world *w, kad_lookup *l, weir_stream *stream)
{
    kad_candidate *list = kad_candidates(w, l);
    int open = 0;
    for (uint32_t i = 0, alive = 0; i < l->n_list && alive < w->k; i++) {
        if (list[i].state == KAD_FAILED)
            continue;
        alive++;
        if (list[i].state == KAD_NEW && l->n_flight < w->alpha) {
            kad_flight *f = &kad_flights(l)[l->n_flight++];
            f->contact = list[i].contact;
            f->depth = list[i].depth;
            f->tries = 0;
            f->reserved = 0;
            list[i].state = KAD_ASKED;
            kad_send(ctx, w, l, f, stream);
        }
        open |= list[i].state != KAD_ANSWERED;
    }
    return open;
}

/* The request to `contact` that is under way; alpha where there is none. */
WEIR_FN uint32_t kad_find_flight(const kad_world *w, kad_lookup *l, uint32_t contact)
{
    for (uint32_t i = 0; i < l->n_flight; i++)
        if (kad_flights(l)[i].contact == contact)
            return i;
    return w->alpha;
}

WEIR_FN void kad_end_flight(kad_lookup *l, uint32_t i)
{
    kad_flights(l)[i] = kad_flights(l)[--l->n_flight];
}

/* The timer of a lookup. There is one pending while it is active, at or before the earliest deadline. */
WEIR_FN void kad_arm(weir_ctx *ctx, kad_lookup *l)
{
    weir_time first_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < l->n_flight; i++)
        if (kad_flights(l)[i].deadline_ps < first_ps)
            first_ps = kad_flights(l)[i].deadline_ps;
    kad_tag *t = (kad_tag *)weir_schedule_at(ctx, ctx->entity, KAD_TIMEOUT, first_ps);
    t->tag = l->tag;
    t->reserved = 0;
}

/* Begin the slot's next lookup after `delay_ps`. */
WEIR_FN void kad_plan(weir_ctx *ctx, const kad_lookup *l, weir_time delay_ps)
{
    kad_tag *t = (kad_tag *)weir_schedule(ctx, ctx->entity, KAD_START, delay_ps);
    t->tag = l->tag;
    t->reserved = 0;
}

/* The lookup is over, whatever came of it: what is under way or pending for it is stale from now on. */
WEIR_FN void kad_close(weir_ctx *ctx, kad_lookup *l, uint32_t what)
{
    weir_count(ctx, kad_kind_counter(l->kind, what), 1);
    weir_count(ctx, KAD_COUNT_ABANDONED, l->n_flight);
    l->active = 0;
    l->n_flight = 0;
    l->tag += KAD_LOOKUPS_MAX;
}

/* Count what came of a lookup that a user asked for. */
WEIR_FN void kad_judge_end(weir_ctx *ctx, const kad_world *w, kad_lookup *l, uint64_t self_id)
{
    const kad_candidate *list = kad_candidates(w, l);
    uint64_t reached = self_id ^ l->key; /* we are a peer ourselves */
    uint32_t hops = 0;
    for (uint32_t i = 0; i < l->n_list; i++) {
        const uint64_t distance = kad_id(w->salt, list[i].contact) ^ l->key;
        if (list[i].state != KAD_ANSWERED || distance > reached)
            continue;
        reached = distance;
        hops = list[i].depth;
        break; /* they stand by distance */
    }
    const kad_verdict v = kad_judge(w, l->key, reached, list, l->n_list);
    weir_count(ctx, kad_kind_counter(l->kind, KAD_SUCCEEDED), v.succeeded);
    weir_count(ctx, kad_kind_counter(l->kind, KAD_EXACT), v.exact);
    weir_count(ctx, KAD_HOPS + (hops < KAD_HOPS_BINS ? hops : KAD_HOPS_BINS - 1), 1);
}

/* Hand the value to the k closest that answered. They send nothing back. */
WEIR_FN void kad_store(weir_ctx *ctx, const kad_world *w, kad_lookup *l, weir_stream *stream)
{
    const kad_candidate *list = kad_candidates(w, l);
    for (uint32_t i = 0, n = 0; i < l->n_list && n < w->k; i++) {
        if (list[i].state != KAD_ANSWERED)
            continue;
        n++;
        kad_keep *keep = (kad_keep *)weir_schedule(ctx, list[i].contact, KAD_KEEP,
                                                   kad_latency(w, stream, ctx->entity, list[i].contact));
        keep->value = l->value;
        keep->reserved = 0;
        weir_count(ctx, KAD_COUNT_STORED, 1);
    }
}

/* The end of a lookup, and the plan for the slot's next one. */
WEIR_FN void kad_finish(weir_ctx *ctx, const kad_world *w, kad_peer *self, kad_lookup *l, int found,
                        weir_stream *stream)
{
    const weir_time took_ps = ctx->now_ps - l->started_ps;
    if (l->kind < KAD_JOIN) {
        const uint32_t requests = l->requests < KAD_REQUEST_BINS ? l->requests : KAD_REQUEST_BINS - 1;
        weir_count(ctx, KAD_LOOKUP_REQUESTS + requests, 1);
        weir_count(ctx, KAD_LATENCY + kad_latency_bin(took_ps), 1);
        weir_count(ctx, KAD_COUNT_TOOK_US, (took_ps + WEIR_PS_PER_US / 2) / WEIR_PS_PER_US);
        weir_count(ctx, kad_kind_counter(l->kind, KAD_FOUND), found);
        /* A value's lookup that found it ends before the closest peer is reached, so its end is not judged.
         */
        if (!found)
            kad_judge_end(ctx, w, l, kad_id(w->salt, ctx->entity));
    }
    if (l->kind == KAD_STORE_VALUE)
        kad_store(ctx, w, l, stream);
    const int joined = l->kind == KAD_JOIN && self->contacts > 0;
    if (joined)
        self->refresh = 0; /* fill the other buckets, one lookup each (section 2.3, "to join") */
    /* Who found nobody to ask learns nothing before a message could have come: without this, `think: 0s`
     * tries again a picosecond later, for ever. */
    const weir_time least_ps = l->requests ? 1 : w->latency_min_ps;
    kad_close(ctx, l, KAD_FINISHED);
    const weir_time pause_ps = self->refresh < w->n_buckets ? 1 : kad_think(w, weir_draw(stream));
    kad_plan(ctx, l, pause_ps > least_ps ? pause_ps : least_ps);
}

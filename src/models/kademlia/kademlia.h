/*
 * Kademlia: a distributed hash table of peers that look keys up in each other's routing tables.
 *
 * Model: Maymounkov and Mazieres, "Kademlia: A Peer-to-Peer Information System Based on the XOR Metric"
 * (IPTPS 2002), as a benchmark of parallel simulation (Andelfinger and Hartenstein 2014, section 3). A peer
 * looks a key up, thinks for a while that is uniform on [0, think], and looks up the next. Lookups ask for a
 * node, for a value, or for where to store one. Peers may come and go.
 * Left out, or simpler than there: buckets are refreshed after a join only, not every hour; stored values are
 * not republished and do not expire, the oldest gives way when a peer's places are full; STORE is not
 * acknowledged; a value that was found is not cached on the way; messages get lost at offline peers only.
 * Randomness: one Philox block a message (its latency), one a lookup (key, kind), one a pause, one a session.
 */
#pragma once

#include "models/kademlia/lookup.h"
#include "weir/engine.h"

/* A random other peer to join through; KAD_NONE for the first of a network that is only beginning. */
WEIR_FN uint32_t kad_doorkeeper(const weir_ctx *ctx, const kad_world *w, uint64_t bits)
{
    if (ctx->now_ps < w->bootstrap_ps) /* peers join in the order of their numbers */
        return ctx->entity > 0 ? (uint32_t)weir_mulhi64(bits, ctx->entity) : KAD_NONE;
    const uint32_t other = (uint32_t)weir_mulhi64(bits, w->n_peers - 1);
    return other + (other >= ctx->entity);
}

/* Choose what the next lookup is for, and put its first candidates in the list. */
WEIR_FN void kad_choose(weir_ctx *ctx, const kad_world *w, void *state, kad_lookup *l, weir_stream *stream)
{
    kad_peer *self = (kad_peer *)state;
    const uint64_t self_id = kad_id(w->salt, ctx->entity);
    uint32_t contact[KAD_K_MAX], n = 1;
    uint64_t bits, choice;
    weir_draw_pair(stream, &bits, &choice);
    const uint64_t kind = choice & UINT32_MAX;
    l->key = bits;
    l->kind = KAD_FIND_NODE;
    if (self->contacts == 0) {
        l->kind = KAD_JOIN;
        l->key = self_id;
        contact[0] = kad_doorkeeper(ctx, w, bits);
        kad_learn(w, l, ctx->entity, contact, n, 1);
        return;
    }
    if (self->refresh < w->n_buckets) {
        const uint64_t bit = (uint64_t)1 << (63 - self->refresh++);
        l->kind = KAD_REFRESH;
        l->key = ((self_id ^ bit) & ~(bit - 1)) | (bits & (bit - 1));
    } else if (kind < w->store_below + w->find_below) {
        l->kind = kind < w->store_below ? KAD_STORE_VALUE : KAD_FIND_VALUE;
        l->value = (uint32_t)(((choice >> 32) * w->n_values) >> 32);
        l->key = kad_value_key(w->salt, l->value);
    }
    n = kad_closest(w, state, self_id, l->key, ctx->entity, contact);
    kad_learn(w, l, ctx->entity, contact, n, 1);
}

WEIR_FN void kad_start_lookup(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    kad_peer *self = (kad_peer *)state;
    const uint32_t tag = WEIR_PAYLOAD(kad_tag, event)->tag;
    kad_lookup *l = kad_lookup_at(w, state, tag % KAD_LOOKUPS_MAX);
    if (tag != l->tag) /* planned before the peer went offline */
        return;

    weir_touch(ctx, state, w->head_bytes);
    weir_stream stream = weir_stream_open(ctx);
    l->started_ps = ctx->now_ps;
    l->active = 1;
    l->requests = 0;
    l->n_list = 0;
    l->value = KAD_NONE;
    kad_choose(ctx, w, state, l, &stream);
    weir_count(ctx, kad_kind_counter(l->kind, KAD_STARTED), 1);
    if (kad_advance(ctx, w, l, &stream))
        kad_arm(ctx, l);
    else /* nobody to ask */
        kad_finish(ctx, w, self, l, 0, &stream);
    weir_stream_close(ctx, &stream);
}

WEIR_FN bool kad_holds(const kad_world *w, void *state, uint32_t value)
{
    const uint32_t *held = kad_values(w, state), n = ((const kad_peer *)state)->n_values;
    for (uint32_t i = 0; i < n; i++)
        if (held[i] == value)
            return true;
    return false;
}

WEIR_FN void kad_answer(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    const kad_request *request = WEIR_PAYLOAD(kad_request, event);
    const uint64_t self_id = kad_id(w->salt, ctx->entity);
    const kad_peer *self = (const kad_peer *)state;
    /* Of peers that join and go, one that has not joined yet says nothing: whoever joined through it would take the
     * two of them for the network, and neither would look for the others any more. The first peer is the network
     * that others join. Where nobody goes, whom a peer joins through joins in the end. */
    const bool apart = w->bootstrap_ps && w->churn && self->contacts == 0 && ctx->entity > 0;
    if (!self->online || apart) {
        weir_count(ctx, KAD_COUNT_UNANSWERED, 1);
        return;
    }
    kad_prefetch(w, state, request->key ^ self_id);
    kad_seen(ctx, w, state, self_id, event->source);

    weir_stream stream = weir_stream_open(ctx);
    kad_response *r = (kad_response *)weir_schedule(ctx, event->source, KAD_RESPONSE,
                                                    kad_latency(w, &stream, ctx->entity, event->source));
    weir_stream_close(ctx, &stream);
    r->tag = request->tag;
    r->found = request->value != KAD_NONE && kad_holds(w, state, request->value);
    uint32_t n = 0;
    if (!r->found)
        n = kad_closest(w, state, self_id, request->key, event->source, r->contact);
    r->n = (uint16_t)n;
    for (uint32_t i = n; i < w->k + w->k % 2; i++)
        r->contact[i] = KAD_NONE;
}

WEIR_FN void kad_on_response(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    const kad_response *r = WEIR_PAYLOAD(kad_response, event);
    kad_peer *self = (kad_peer *)state;
    kad_lookup *l = kad_lookup_at(w, state, r->tag % KAD_LOOKUPS_MAX);
    const uint64_t self_id = kad_id(w->salt, ctx->entity);
    kad_prefetch(w, state, kad_id(w->salt, event->source) ^ self_id);
    const uint32_t at = l->active && l->tag == r->tag ? kad_find_flight(w, l, event->source) : w->alpha;
    if (at == w->alpha) {
        weir_count(ctx, KAD_COUNT_LATE, 1);
        if (self->online)
            kad_seen(ctx, w, state, self_id, event->source);
        return;
    }
    weir_touch(ctx, state, w->head_bytes);
    weir_stream stream = weir_stream_open(ctx);
    const uint32_t depth = kad_flights(l)[at].depth + 1u;
    weir_count(ctx, KAD_COUNT_RESPONSES, 1);
    kad_end_flight(l, at);
    kad_mark(w, l, event->source, KAD_ANSWERED);
    kad_learn(w, l, ctx->entity, r->contact, r->n, depth);
    kad_seen(ctx, w, state, self_id, event->source);
    if (r->found || !kad_advance(ctx, w, l, &stream))
        kad_finish(ctx, w, self, l, r->found, &stream);
    weir_stream_close(ctx, &stream);
}

WEIR_FN void kad_on_timeout(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    kad_peer *self = (kad_peer *)state;
    const uint32_t tag = WEIR_PAYLOAD(kad_tag, event)->tag;
    kad_lookup *l = kad_lookup_at(w, state, tag % KAD_LOOKUPS_MAX);
    if (!l->active || l->tag != tag)
        return;
    weir_touch(ctx, state, w->head_bytes);
    weir_stream stream = weir_stream_open(ctx);
    for (uint32_t i = l->n_flight; i-- > 0;) {
        kad_flight *f = &kad_flights(l)[i];
        if (f->deadline_ps > ctx->now_ps)
            continue;
        weir_count(ctx, KAD_COUNT_TIMEOUTS, 1);
        if (f->tries <= w->retries) {
            kad_send(ctx, w, l, f, &stream);
            continue;
        }
        kad_mark(w, l, f->contact, KAD_FAILED);
        kad_drop(ctx, w, state, kad_id(w->salt, ctx->entity), f->contact);
        kad_end_flight(l, i);
    }
    if (kad_advance(ctx, w, l, &stream))
        kad_arm(ctx, l);
    else
        kad_finish(ctx, w, self, l, 0, &stream);
    weir_stream_close(ctx, &stream);
}

/* Keep a value; where all places are taken, the oldest gives way. */
WEIR_FN void kad_keep_value(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    kad_peer *self = (kad_peer *)state;
    const uint32_t value = WEIR_PAYLOAD(kad_keep, event)->value;
    if (!self->online)
        return;
    weir_count(ctx, KAD_COUNT_KEPT, 1);
    if (kad_holds(w, state, value))
        return;
    uint32_t *place = &kad_values(w, state)[self->next_value];
    weir_touch(ctx, self, sizeof *self);
    weir_touch(ctx, place, sizeof *place);
    *place = value;
    self->next_value = (uint8_t)((self->next_value + 1u) % w->value_slots);
    self->n_values = (uint8_t)(self->n_values + (self->n_values < w->value_slots));
}

/* An empty table, and nothing stored. */
WEIR_FN void kad_forget(const kad_world *w, void *state)
{
    kad_peer *self = (kad_peer *)state;
    self->contacts = 0;
    self->n_values = 0;
    self->next_value = 0;
    for (uint32_t b = 0; b < w->n_buckets; b++) {
        uint32_t *slot = kad_bucket(w, state, b);
        for (uint32_t i = 0; i < w->k; i++)
            slot[i] = KAD_NONE;
        if (w->churn)
            *kad_cache(w, state, b) = KAD_NONE;
    }
}

/* The peer is there: a peer without contacts joins at once, through its first slot; the others think. */
WEIR_FN void kad_come(weir_ctx *ctx, const kad_world *w, void *state, weir_stream *stream)
{
    const kad_peer *self = (const kad_peer *)state;
    for (uint32_t i = 0; i < w->lookups; i++) {
        const weir_time think_ps = kad_think(w, weir_draw(stream));
        kad_plan(ctx, kad_lookup_at(w, state, i), i == 0 && self->contacts == 0 ? 1 : think_ps);
    }
}

WEIR_FN void kad_come_or_go(weir_ctx *ctx, void *state, const weir_event *event)
{
    const kad_world *w = kad_world_of(ctx);
    kad_peer *self = (kad_peer *)state;
    weir_stream stream = weir_stream_open(ctx);
    (void)event; /* carries nothing but its time */
    const uint32_t forgets = !self->online && w->fresh;
    weir_touch(ctx, state, forgets ? w->values_at : w->head_bytes);
    self->online = !self->online;
    if (!self->online) {
        weir_count(ctx, KAD_COUNT_WENT_OFFLINE, 1);
        for (uint32_t i = 0; i < w->lookups; i++) {
            kad_lookup *l = kad_lookup_at(w, state, i);
            if (l->active)
                kad_close(ctx, l, KAD_ABORTED);
            else
                l->tag += KAD_LOOKUPS_MAX;
        }
    } else {
        weir_count(ctx, KAD_COUNT_WENT_ONLINE, 1);
        if (forgets)
            kad_forget(w, state);
        kad_come(ctx, w, state, &stream);
    }
    const double scale_ps = self->online ? w->on_scale_ps : w->off_scale_ps;
    weir_schedule(ctx, ctx->entity, KAD_CHURN, kad_session(w, scale_ps, weir_draw(&stream)));
    weir_stream_close(ctx, &stream);
}

/* The values that lie here at the start, as many as there is room for. */
WEIR_FN void kad_store_preloaded(const weir_ctx *ctx, const kad_world *w, void *state)
{
    const kad_preload *list = (const kad_preload *)(const void *)((const unsigned char *)w + w->preload_at);
    kad_peer *self = (kad_peer *)state;
    uint32_t low = 0, high = w->n_preloaded;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (list[middle].peer < ctx->entity)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->n_preloaded && list[low].peer == ctx->entity && self->n_values < w->value_slots; low++)
        kad_values(w, state)[self->n_values++] = list[low].value;
    self->next_value = (uint8_t)(w->value_slots ? self->n_values % w->value_slots : 0);
}

/* What the network is at the start: sessions as in the long run (but each begins anew), tables filled or
 * empty, values in their places. */
WEIR_FN void kad_init(weir_ctx *ctx, void *state)
{
    const kad_world *w = kad_world_of(ctx);
    kad_peer *self = (kad_peer *)state;
    weir_stream stream = weir_stream_open(ctx);
    kad_forget(w, state);
    self->online =
        !w->churn || weir_draw_unit(&stream) < w->online_share || (w->bootstrap_ps && ctx->entity == 0);
    self->refresh = (uint8_t)w->n_buckets;
    weir_count(ctx, KAD_COUNT_ONLINE_FIRST, self->online);
    for (uint32_t i = 0; i < w->lookups; i++)
        kad_lookup_at(w, state, i)->tag = i;
    kad_store_preloaded(ctx, w, state);
    if (!w->bootstrap_ps)
        kad_fill_table(w, state, kad_id(w->salt, ctx->entity), weir_draw(&stream));
    if (self->online && w->bootstrap_ps) {
        const weir_time each_ps = w->bootstrap_ps / w->n_peers; /* the first at once, the last at the end */
        kad_plan(ctx, kad_lookup_at(w, state, 0), 1 + each_ps * (weir_time)ctx->entity);
        for (uint32_t i = 1; i < w->lookups; i++)
            kad_plan(ctx, kad_lookup_at(w, state, i), w->bootstrap_ps + kad_think(w, weir_draw(&stream)));
    } else if (self->online) {
        kad_come(ctx, w, state, &stream);
    }
    if (w->churn)
        weir_schedule(ctx, ctx->entity, KAD_CHURN,
                      kad_session(w, self->online ? w->on_scale_ps : w->off_scale_ps, weir_draw(&stream)));
    weir_stream_close(ctx, &stream);
}

/* What a user chooses. */
typedef struct kad_params {
    uint32_t n_peers;          /* 2 to 2^30; default 1,024 */
    uint32_t k;                /* contacts a bucket, and an answer: 1 to 20; default 8 */
    uint32_t alpha;            /* requests at a time: 1 to 8; default 3 */
    uint32_t lookups;          /* of a peer at a time: 1 to 8; default 1 */
    uint32_t retries;          /* of a request: 0 to 10; default 1 */
    uint64_t seed;             /* of identifiers and all draws; default 1 */
    uint32_t run;              /* replication; default 0 */
    weir_time think_ps;        /* longest pause between lookups; default 10 s */
    weir_time timeout_ps;      /* of a request; at least the least latency; default 1 s */
    weir_time latency_min_ps;  /* one way; the lookahead; default 10 ms */
    weir_time latency_mean_ps; /* at least latency_min_ps; default 60 ms */
    uint32_t latency_shape;    /* KAD_LATENCY_...; default exponential */
    int latency_per_pair;      /* default false: for each message */
    /* 0: tables are full at the start; else the time in which peers join; default 0 */
    weir_time bootstrap_ps;
    weir_time online_ps, offline_ps; /* mean sessions; both 0: no churn; default 0 */
    double session_shape;            /* Weibull; 0.1 to 10; default 1, exponential */
    int fresh;                       /* who comes back has forgotten table and values; default false */
    uint32_t n_values;               /* keys of the catalogue; default 0 */
    uint32_t value_slots;            /* values that a peer holds; 1 to 255; default 16 */
    double store_share, find_share;  /* of lookups; 0 to 1, together at most 1; default 0 */
    bool preload;                    /* values lie at the k closest peers at the start; default true */
} kad_params;

/* Model, world and lookaheads of one set of parameters; immutable, so that many simulations may share it. */
typedef struct wi_kad wi_kad;

/* Bytes of the world and of each peer's state, without making them. */
void wi_kad_sizes(const kad_params *params, uint64_t *world_bytes, uint32_t *state_bytes);
/* Make the world of parameters within the limits that stand with their keys (scenario/subjects). WEIR_E_NOMEM. O(N log N) time and 8 bytes a peer. */
WEIR_NODISCARD weir_status wi_kad_new(weir_diag *diag, const kad_params *params, wi_kad **out);
void wi_kad_free(wi_kad *kad); /* accepts null */
/* The world, and its bytes with all tables. */
const kad_world *wi_kad_world(const wi_kad *kad);
uint64_t wi_kad_world_bytes(const wi_kad *kad);
/* Everything of a set-up that the model decides, seed and run included; the caller adds engine, sink and
 * hook. `kad` must outlive the simulation. */
void wi_kad_setup(const wi_kad *kad, weir_setup *setup);
/* kademlia.cu: device code, only in builds with CUDA; for parameters up to these, and for all. */
enum { KAD_GPU_K_USUAL = 8, KAD_GPU_ALPHA_USUAL = 4 };
WEIR_EXTERN const struct weir_gpu_program *wi_kad_gpu(void);      /* usual */
WEIR_EXTERN const struct weir_gpu_program *wi_kad_wide_gpu(void); /* any */

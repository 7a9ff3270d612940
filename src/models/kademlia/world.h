/*
 * What a Kademlia peer is made of: the world that all share, a peer's state, the events, the counters.
 *
 * A peer's state is one piece of memory whose layout follows from the parameters, so that a small k pays for
 * no more than it uses:
 *   kad_peer
 *   for each of `lookups` slots:  kad_lookup, kad_flight[alpha], kad_candidate[list_size]
 *   at buckets_at:                uint32_t [n_buckets][k], contacts from least to most recently seen, then NONE
 *   at cache_at (with churn):     uint32_t [n_buckets], the replacement for each bucket, or NONE
 *   at values_at (with values):   uint32_t [value_slots], what others have stored here
 * Bucket b holds peers that share exactly b leading bits with us, the last one all that share more: with n_buckets =
 * ceil(log2 N) one or two peers are expected in it, so deeper ones would stand empty.
 */
#pragma once

#include "models/kademlia/identifier.h"
#include "weir/math.h"
#include "weir/model.h"

enum { KAD_K_MAX = 20, KAD_ALPHA_MAX = 8, KAD_LOOKUPS_MAX = 8, KAD_LIST_MAX = 2 * KAD_K_MAX };

enum { KAD_LATENCY_CONSTANT, KAD_LATENCY_UNIFORM, KAD_LATENCY_EXPONENTIAL };

typedef struct kad_world {
    uint64_t salt;
    uint32_t n_peers, k, alpha, lookups, retries;
    uint32_t list_size; /* candidates that a lookup remembers: k, and k more that failed where peers may */
    uint32_t n_buckets;
    /* layout of a peer's state */
    uint32_t lookup_bytes, head_bytes; /* of one slot; of all before the buckets */
    uint32_t buckets_at, cache_at, values_at, state_bytes;
    /* index of all identifiers: cell c of 2^index_bits holds order[start[c]] to order[start[c + 1]], rising
     */
    uint32_t index_bits;
    uint64_t start_at, order_at; /* byte offsets in the world */
    /* times */
    weir_time think_ps, timeout_ps, bootstrap_ps;
    weir_time latency_min_ps;
    double latency_extra_ps; /* mean of what comes on top of the least */
    uint32_t latency_shape, latency_per_pair;
    /* churn: sessions last scale * E^(1/shape), E exponential with mean 1 */
    uint32_t churn, fresh;
    double on_scale_ps, off_scale_ps, inverse_shape, online_share;
    /* values */
    uint32_t n_values, value_slots, n_preloaded;
    uint64_t store_below, find_below; /* of 2^32: what kind a lookup is */
    uint64_t preload_at;              /* kad_preload[n_preloaded], by rising peer */
} kad_world;

/* Where a value lies at the start. */
typedef struct kad_preload {
    uint32_t peer, value;
} kad_preload;

typedef struct kad_peer {
    uint32_t contacts; /* in all buckets */
    uint8_t online;
    uint8_t refresh; /* next bucket to refresh after a join; n_buckets: none */
    uint8_t n_values, next_value;
} kad_peer;

enum kad_kind { KAD_FIND_NODE, KAD_FIND_VALUE, KAD_STORE_VALUE, KAD_JOIN, KAD_REFRESH, KAD_LOOKUP_KINDS };

typedef struct kad_lookup {
    uint64_t key;
    weir_time started_ps;
    /* number of the lookup times KAD_LOOKUPS_MAX, plus its slot: what is stale does not match */
    uint32_t tag;
    uint32_t value; /* that is stored or looked for; NONE */
    uint16_t requests;
    uint8_t kind, active;
    uint8_t n_list, n_flight;
    uint16_t reserved;
} kad_lookup;

/* A request that is under way. */
typedef struct kad_flight {
    weir_time deadline_ps;
    uint32_t contact;
    uint8_t tries, depth;
    uint16_t reserved;
} kad_flight;

enum { KAD_NEW, KAD_ASKED, KAD_ANSWERED, KAD_FAILED };

/* Candidates stand by rising distance from the key. */
typedef struct kad_candidate {
    uint32_t contact;
    uint8_t state;
    uint8_t depth; /* 1: from our own table; one more than that of the peer that named it */
    uint16_t reserved;
} kad_candidate;

// clang-format off
/* Events: X(TYPE, name, handler, payload's bytes, others that one handling schedules); what depends on the parameters is 0
 * here. */
#define KAD_EVENTS(X)                                                                     \
    X(START, "start", kad_start_lookup, sizeof(kad_tag), 0)                               \
    X(REQUEST, "request", kad_answer, sizeof(kad_request), 1)                             \
    X(RESPONSE, "response", kad_on_response, 0, 0)                                      \
    X(TIMEOUT, "timeout", kad_on_timeout, sizeof(kad_tag), 0)                           \
    X(KEEP, "store", kad_keep_value, sizeof(kad_keep), 0)                                 \
    X(CHURN, "churn", kad_come_or_go, 0, 0)
// clang-format on
#define KAD_EVENT(TYPE, name, handler, bytes, events) KAD_##TYPE,
enum kad_event { KAD_EVENTS(KAD_EVENT) KAD_EVENT_TYPES };
#undef KAD_EVENT

typedef struct kad_tag { /* START and TIMEOUT */
    uint32_t tag, reserved;
} kad_tag;

typedef struct kad_request {
    uint64_t key;
    uint32_t tag;
    uint32_t value; /* NONE: FIND_NODE */
} kad_request;

/* `contact` has k places, an even number with the padding; those past n hold NONE. */
typedef struct kad_response {
    uint32_t tag;
    uint16_t n, found;
    uint32_t contact[KAD_K_MAX];
} kad_response;

typedef struct kad_keep {
    uint32_t value, reserved;
} kad_keep;

/* Bytes of a response's payload. */
WEIR_FN uint32_t kad_response_bytes(uint32_t k)
{
    return 8 + (k + k % 2) * 4;
}

/* Counters: single ones, then KAD_PER_KIND for each kind of lookup, then histograms. */
enum kad_counter {
    KAD_COUNT_REQUESTS,  /* sent, retries included; each ends in one of the next three, or is open */
    KAD_COUNT_RESPONSES, /* that came in time */
    KAD_COUNT_TIMEOUTS,
    KAD_COUNT_ABANDONED,  /* under way when their lookup ended */
    KAD_COUNT_LATE,       /* responses that nobody waited for any more */
    KAD_COUNT_UNANSWERED, /* requests that met a peer that is offline, or has not joined */
    KAD_COUNT_EVICTED,    /* contacts dropped from a table because they did not answer */
    KAD_COUNT_REPLACED,   /* of these, those whose place went to one from the replacement cache */
    KAD_COUNT_STORED,     /* STORE messages sent */
    KAD_COUNT_KEPT,       /* and taken by a peer that is online */
    KAD_COUNT_WENT_ONLINE,
    KAD_COUNT_WENT_OFFLINE,
    KAD_COUNT_ONLINE_FIRST, /* peers online at the start */
    KAD_COUNT_TOOK_US,      /* durations of the lookups in the histograms, added up */
    KAD_COUNT_SINGLE
};

/* Of each kind of lookup. */
enum kad_kind_count {
    KAD_STARTED,
    KAD_FINISHED,
    KAD_ABORTED,   /* the peer went offline */
    KAD_SUCCEEDED, /* ended at the closest peer, those left out that had been asked and did not answer */
    KAD_EXACT,     /* ended at the closest of all peers, online or not */
    KAD_FOUND,     /* the value */
    KAD_PER_KIND
};

/* Histograms, of the lookups that a user asked for (no joins, no refreshes) and that finished. */
enum kad_histogram {
    KAD_HOPS_BINS = 64,
    KAD_REQUEST_BINS = 256,
    KAD_LATENCY_BINS = 3074, /* up to 2^63 ps */
    KAD_HOPS = KAD_COUNT_SINGLE + KAD_LOOKUP_KINDS * KAD_PER_KIND,
    KAD_LOOKUP_REQUESTS = KAD_HOPS + KAD_HOPS_BINS,
    KAD_LATENCY = KAD_LOOKUP_REQUESTS + KAD_REQUEST_BINS,
    KAD_COUNTERS = KAD_LATENCY + KAD_LATENCY_BINS
};

WEIR_FN uint32_t kad_kind_counter(uint32_t kind, uint32_t what)
{
    return KAD_COUNT_SINGLE + kind * KAD_PER_KIND + what;
}

/* Latencies are counted in nanoseconds: one bin each up to 128, then 64 bins an octave (1.6 % wide). */
WEIR_FN uint32_t kad_latency_bin(weir_time latency_ps)
{
    const uint64_t ns = (uint64_t)latency_ps / (uint64_t)WEIR_PS_PER_NS;
    if (ns < 128)
        return (uint32_t)ns;
    const uint32_t octave = 57 - kad_shared_bits(ns); /* ns >> octave is 64 to 127 */
    return 64 * octave + (uint32_t)(ns >> octave);
}

/* Where a bin begins; behind the last one, all time. */
WEIR_FN weir_time kad_latency_bin_low(uint32_t bin)
{
    const uint32_t octave = bin < 128 ? 0 : bin / 64 - 1;
    return bin < KAD_LATENCY_BINS ? (weir_time)(bin - 64 * octave) * ((weir_time)1 << octave) * WEIR_PS_PER_NS
                                  : WEIR_TIME_MAX;
}

/* The parts of a peer's state. */
WEIR_FN const kad_world *kad_world_of(const weir_ctx *ctx)
{
    return (const kad_world *)(const void *)ctx->world;
}

WEIR_FN kad_lookup *kad_lookup_at(const kad_world *w, void *state, uint32_t slot)
{
    return (kad_lookup *)(void *)((unsigned char *)state + sizeof(kad_peer) + (size_t)slot * w->lookup_bytes);
}

WEIR_FN kad_flight *kad_flights(kad_lookup *l)
{
    return (kad_flight *)(void *)(l + 1);
}

WEIR_FN kad_candidate *kad_candidates(const kad_world *w, kad_lookup *l)
{
    return (kad_candidate *)(void *)(kad_flights(l) + w->alpha);
}

WEIR_FN uint32_t *kad_bucket(const kad_world *w, void *state, uint32_t b)
{
    return (uint32_t *)(void *)((unsigned char *)state + w->buckets_at) + (size_t)b * w->k;
}

WEIR_FN uint32_t *kad_cache(const kad_world *w, void *state, uint32_t b)
{
    return (uint32_t *)(void *)((unsigned char *)state + w->cache_at) + b;
}

WEIR_FN uint32_t *kad_values(const kad_world *w, void *state)
{
    return (uint32_t *)(void *)((unsigned char *)state + w->values_at);
}

/* The index of all identifiers. */
WEIR_FN const uint32_t *kad_start(const kad_world *w)
{
    return (const uint32_t *)(const void *)((const unsigned char *)w + w->start_at);
}

WEIR_FN const uint32_t *kad_order(const kad_world *w)
{
    return (const uint32_t *)(const void *)((const unsigned char *)w + w->order_at);
}

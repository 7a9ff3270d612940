/**
 * The model contract: what a model provides, and what its handlers may do.
 *
 * A model is entities of a few kinds, events with fixed-size payloads, an immutable world, and one handler
 * per event type. A handler sees the world, its own entity's state, the event and a weir_ctx, and nothing
 * else. It may read the world, read and write its own entity's fixed state and pool slots, draw from its own
 * random stream, schedule events, count and record. It never knows which engine runs it, and the same source
 * is compiled for the host and the device.
 *
 * Order: events at an entity are handled by rising (time, tie, source, source's sequence number). `tie` is a
 * hash, so that simultaneous events have no built-in favourite. Sequence numbers wrap at 2^32 and compare by
 * signed difference. Every engine keeps this order and gives the same digests.
 *
 * Units: picoseconds. Errors: a handler cannot return a status; a breach of the contract sets a fault word
 * that stops the run with a message that names the entity, the event type and the times.
 */
#ifndef WEIR_MODEL_H
#define WEIR_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "weir/digest.h"
#include "weir/fn.h"
#include "weir/random.h"
#include "weir/time.h"

enum {
    WEIR_KINDS_MAX = 8,    /**< entity kinds of a model */
    WEIR_POOLS_MAX = 8,    /**< slot pools of a model */
    WEIR_PAYLOAD_MAX = 96, /**< bytes of an event's payload */
    WEIR_RECORD_MAX = 128  /**< bytes of a record's data */
};

/** Head of an event; its payload follows at once. 32 bytes, so that a payload of 32 fills a cache line. */
typedef struct weir_event {
    weir_time time_ps;
    uint32_t tie;
    uint32_t source; /**< entity that scheduled it */
    uint32_t seq;    /**< how many events the source had scheduled before it, modulo 2^32 */
    uint32_t target;
    uint16_t type;
    uint16_t instance; /**< optimistic engine's own; outside the order and the digest */
    uint32_t link;     /**< the engine's own; outside the order and the digest */
} weir_event;
WEIR_STATIC_ASSERT(sizeof(weir_event) == 32, "events are copied and stored by this size");

/** The payload of an event, as a model's type. */
#define WEIR_PAYLOAD(type, event) ((const type *)((event) + 1))

enum { WEIR_QUIET_STEP = 1 << 20, WEIR_DRAW_BITS = 48 };

/** What an engine keeps for each entity beside the model's state. */
typedef struct weir_entity {
    uint64_t digest; /**< of all events handled: weir_entity_count */
    /** Position of the random stream, and above WEIR_DRAW_BITS the events handled, modulo 2^16. */
    uint64_t draws;
    weir_time lookahead_ps; /**< least delay of an event to another entity */
    uint32_t seq;           /**< events scheduled */
    uint32_t records; /**< records written; a quiet one counts WEIR_QUIET_STEP, which digests leave out */
} weir_entity;

/** A record as it leaves the simulation: head, then data. Ordered by (time, entity, number). */
typedef struct weir_record_head {
    weir_time time_ps;
    uint32_t entity;
    uint32_t number; /**< counts the entity's records, modulo 2^32 */
    uint16_t type;
    uint16_t bytes;
    uint32_t reserved; /**< 0; on a device the run */
} weir_record_head;

/** Faults that a handler can cause; the first one of an event is kept. */
enum {
    WEIR_FAULT_NONE = 0,
    WEIR_FAULT_DELAY,   /**< delay below 1 ps to itself, or below the lookahead to another */
    WEIR_FAULT_EVENTS,  /**< more events than the type states */
    WEIR_FAULT_RECORDS, /**< more records than the type states */
    WEIR_FAULT_SIZE,    /**< a record larger than the model states, or no multiple of 8 */
    WEIR_FAULT_TARGET,  /**< no such entity */
    WEIR_FAULT_KIND,    /**< no such event type, or the target is of another kind than the type's */
    WEIR_FAULT_COUNTER, /**< no such counter */
    WEIR_FAULT_GRAPH,   /**< an event for a group that the set-up's graph does not name */
    WEIR_FAULT_STUCK, /**< not a handler's: time (next to) stands still at this entity, and the run would not
                         end */
    WEIR_FAULT_MODEL  /**< the model's own check; weir_fault gives the code */
};

typedef struct weir_undo weir_undo;

/** A handler's view of its engine. Handlers use the functions below, not the fields. */
typedef struct weir_ctx {
    const unsigned char *world;
    weir_entity *self;
    weir_time now_ps;
    uint32_t entity;
    uint32_t n_entities;
    unsigned char *out; /**< outbox: out_capacity events of `stride` bytes, and one more as a scrap */
    uint32_t stride;
    uint32_t out_count, out_capacity;
    uint32_t fault, fault_detail; /**< detail: type of the event or record, or the model's code */
    weir_time fault_value;        /**< delay, target, bytes or counter, as the fault has it */
    uint64_t seed;
    uint32_t run;
    uint32_t rec_stride;
    unsigned char *rec;               /**< record buffer, and one more as a scrap */
    uint32_t rec_count, rec_capacity; /**< capacity: what this handling may fill */
    int64_t *counters;
    uint64_t n_counters;
    unsigned char *pool[WEIR_POOLS_MAX]; /**< slot 0 of each pool */
    weir_undo *undo;                     /**< null where nothing is ever rolled back */
    uint32_t shared_counters;            /**< several threads count at once */
    const double *lane_sums; /**< a device's: sums of the event's lane loop (weir/lanes.h), where a warp has
                                  computed them before the handler is called; else null */
} weir_ctx;

/** Engine internals that the inline functions below call on the host. */
WEIR_API void weir_undo_bytes(weir_undo *undo, void *ptr, size_t size);
/** Note that `delta` was added to a counter, so that rolling back takes it off again. */
WEIR_API void weir_undo_count(weir_undo *undo, int64_t *counter, int64_t delta);

/** The tie-breaking hash of (seed, source, sequence): two rounds of multiply and shift over the three
 * words. */
WEIR_FN uint32_t weir_tie(uint64_t seed, uint32_t source, uint32_t seq)
{
    uint64_t h = seed ^ (((uint64_t)source << 32) | seq);
    h *= UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

/** Whether sequence number a of a source comes before its b: they wrap, so the signed difference decides. */
WEIR_FN bool weir_seq_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/** Time of the event that is being handled, in picoseconds; -1 in init. */
WEIR_FN weir_time weir_now(const weir_ctx *ctx)
{
    return ctx->now_ps;
}

/** Engine internal: keep the first fault of this handling. */
WEIR_FN void weir_fault_keep(weir_ctx *ctx, uint32_t fault, uint32_t detail, weir_time value)
{
    if (ctx->fault != WEIR_FAULT_NONE)
        return;
    ctx->fault = fault;
    ctx->fault_detail = detail;
    ctx->fault_value = value;
}

/** State the first fault of this handling; the run ends with a message. `code` is the model's own, from 1. */
WEIR_FN void weir_fault(weir_ctx *ctx, uint32_t code)
{
    weir_fault_keep(ctx, WEIR_FAULT_MODEL, code, 0);
}

/**
 * Schedule an event and return its payload to be filled: all bytes that the event type states, every time.
 *
 * `delay_ps` is at least 1 to the entity itself and at least the entity's lookahead to any other. Less, or
 * more events than the handled type states, is a fault; the pointer returned is then a scrap that may be
 * written all the same. A delay past the last time there is (106 days; WEIR_TIME_MAX itself stands for
 * "never") ends there: no run goes so far.
 */
WEIR_FN void *weir_schedule(weir_ctx *ctx, uint32_t target, uint16_t type, weir_time delay_ps)
{
    const weir_time least = target == ctx->entity ? 1 : ctx->self->lookahead_ps;
    if (delay_ps > WEIR_TIME_MAX - 1 - ctx->now_ps) /* now_ps is at least -1, so the difference fits */
        delay_ps = WEIR_TIME_MAX - 1 - ctx->now_ps;
    const uint32_t slot = ctx->out_count;
    weir_event *event = (weir_event *)(void *)(ctx->out + (size_t)slot * ctx->stride);
    if (WEIR_UNLIKELY(delay_ps < least || slot >= ctx->out_capacity || target >= ctx->n_entities)) {
        if (target >= ctx->n_entities)
            weir_fault_keep(ctx, WEIR_FAULT_TARGET, type, (weir_time)target);
        else if (slot >= ctx->out_capacity)
            weir_fault_keep(ctx, WEIR_FAULT_EVENTS, type, delay_ps);
        else
            weir_fault_keep(ctx, WEIR_FAULT_DELAY, type, delay_ps);
        return event + 1;
    }
    ctx->out_count = slot + 1;
    const uint32_t seq = ctx->self->seq++;
    event->time_ps = ctx->now_ps + delay_ps;
    event->tie = weir_tie(ctx->seed, ctx->entity, seq);
    event->source = ctx->entity;
    event->seq = seq;
    event->target = target;
    event->type = type;
    event->instance = 0;
    event->link = 0;
    return event + 1;
}

/** The same with the time instead of the delay. */
WEIR_FN void *weir_schedule_at(weir_ctx *ctx, uint32_t target, uint16_t type, weir_time time_ps)
{
    /* The difference of a negative time may not fit; it is a fault all the same. */
    return weir_schedule(ctx, target, type,
                         time_ps < 0 ? -1 : (weir_time)((uint64_t)time_ps - (uint64_t)ctx->now_ps));
}

/** State that `size` bytes at `ptr`, which outlive the event, are about to change. Before the first write,
 * every path. */
WEIR_FN void weir_touch(weir_ctx *ctx, void *ptr, size_t size)
{
#if !WEIR_ON_DEVICE
    if (WEIR_UNLIKELY(ctx->undo != NULL))
        weir_undo_bytes(ctx->undo, ptr, size);
#else
    (void)ctx, (void)ptr, (void)size;
#endif
}

/** Add to a counter, anybody's: additions commute, so no order is needed. Counters are never read by
 * handlers. */
WEIR_FN void weir_count(weir_ctx *ctx, uint64_t counter, int64_t delta)
{
    if (WEIR_UNLIKELY(counter >= ctx->n_counters)) {
        weir_fault_keep(ctx, WEIR_FAULT_COUNTER, 0, (weir_time)counter);
        return;
    }
#if WEIR_ON_DEVICE
    atomicAdd((unsigned long long *)&ctx->counters[counter], (unsigned long long)delta);
#else
    if (WEIR_UNLIKELY(ctx->undo != NULL))
        weir_undo_count(ctx->undo, &ctx->counters[counter], delta);
    if (ctx->shared_counters)
        __atomic_fetch_add(&ctx->counters[counter], delta, __ATOMIC_RELAXED);
    else
        ctx->counters[counter] += delta;
#endif
}

/** Append a record of `bytes` (a multiple of 8, at most the model's record_bytes) and return its data to be
 * filled. */
WEIR_FN void *weir_record(weir_ctx *ctx, uint16_t type, uint16_t bytes)
{
    const uint32_t slot = ctx->rec_count;
    weir_record_head *head = (weir_record_head *)(void *)(ctx->rec + (size_t)slot * ctx->rec_stride);
    if (WEIR_UNLIKELY(slot >= ctx->rec_capacity || bytes % 8 != 0 ||
                      bytes > ctx->rec_stride - (uint32_t)sizeof *head)) {
        weir_fault_keep(ctx, slot >= ctx->rec_capacity ? WEIR_FAULT_RECORDS : WEIR_FAULT_SIZE, type, bytes);
        return head + 1;
    }
    ctx->rec_count = slot + 1;
    head->time_ps = ctx->now_ps;
    head->entity = ctx->entity;
    head->number = ctx->self->records++;
    head->type = type;
    head->bytes = bytes;
    head->reserved = 0;
    return head + 1;
}

/** The same, of a type that is left out of digests (weir_model.n_quiet_records). */
WEIR_FN void *weir_quiet_record(weir_ctx *ctx, uint16_t type, uint16_t bytes)
{
    void *data = weir_record(ctx, type, bytes);
    ctx->self->records += WEIR_QUIET_STEP - 1u;
    return data;
}

/** The entity's random stream, at its position; after drawing, give it back with weir_stream_close. */
WEIR_FN weir_stream weir_stream_open(const weir_ctx *ctx)
{
    weir_stream stream;
    stream.seed = ctx->seed;
    stream.entity = ctx->entity;
    stream.run = ctx->run;
    stream.draws = ctx->self->draws & ((UINT64_C(1) << WEIR_DRAW_BITS) - 1);
    return stream;
}

/**
 * Give the position of a random stream back to its entity; every stream that was opened is closed once.
 */
WEIR_FN void weir_stream_close(weir_ctx *ctx, const weir_stream *stream)
{
    const uint64_t own = (UINT64_C(1) << WEIR_DRAW_BITS) - 1;
    ctx->self->draws = (ctx->self->draws & ~own) | (stream->draws & own);
}

/** Slot `i` of a pool, counted over the whole pool; an entity uses its own slice only. */
WEIR_FN void *weir_slot(const weir_ctx *ctx, int pool, uint32_t i, uint32_t slot_bytes)
{
    return ctx->pool[pool] + (size_t)i * slot_bytes;
}

/** Hash of an event that is number n of those that its target handles: n, time, type, source, sequence, payload. */
WEIR_FN uint64_t weir_event_hash(uint64_t n, const weir_event *event, uint32_t payload_bytes)
{
    uint64_t words[3 + WEIR_PAYLOAD_MAX / 8];
    const uint64_t *payload = (const uint64_t *)(const void *)(event + 1);
    words[0] = (uint64_t)event->time_ps;
    words[1] = ((uint64_t)event->source << 32) | event->seq;
    words[2] = n << 16 | event->type;
    if (payload_bytes == 32) { /* a packet: all sizes known to the compiler */
        for (int i = 0; i < 4; i++)
            words[3 + i] = payload[i];
        return weir_digest_block(words, 7);
    }
    const uint32_t more = payload_bytes / 8;
    for (uint32_t i = 0; i < more; i++)
        words[3 + i] = payload[i];
    return weir_digest_words(words, 3 + more);
}

/**
 * Count an event that the entity handles into its digest, the sum modulo 2^64 of all their hashes. Each hash has the event's
 * place in the entity's order, modulo 2^16: so the sum tells orders apart, and yet many events of one entity may be
 * hashed side by side.
 */
WEIR_FN void weir_entity_count(weir_entity *entity, const weir_event *event, uint32_t payload_bytes)
{
    entity->digest += weir_event_hash(entity->draws >> WEIR_DRAW_BITS, event, payload_bytes);
    entity->draws += UINT64_C(1) << WEIR_DRAW_BITS;
}

/** Handle one event at its target. `state` is the entity's fixed part. */
typedef void (*weir_handler)(weir_ctx *ctx, void *state, const weir_event *event);

enum {
    /** Events of this type leave one source in rising time, whatever their targets (packets on one link). A
     * hint: an engine may queue them beside the pending set; one that is out of order is still handled in its
     * place. */
    WEIR_EVENT_ORDERED = 1
};

typedef struct weir_event_type {
    const char *name;
    weir_handler handle;
    uint16_t kind;          /**< kind of the entities that handle it */
    uint16_t payload_bytes; /**< multiple of 8 */
    uint16_t max_events;    /**< most events that one handling schedules */
    uint16_t max_records;   /**< most records that one handling writes */
    uint32_t flags;
} weir_event_type;

typedef struct weir_kind {
    const char *name;
    uint32_t state_bytes; /**< multiple of 8; zeroed before init */
    /** First state and events of one entity. It runs at -1 ps, so that weir_schedule_at(..., 0) is allowed;
     * events for itself only. On the host only. May be null. */
    void (*init)(weir_ctx *ctx, void *state);
    uint16_t max_events, max_records; /**< of one init */
} weir_kind;

/** A pool of equal slots; each entity of `kind` owns a slice, whose bounds the set-up gives. */
typedef struct weir_pool {
    const char *name;
    uint16_t kind;
    uint32_t slot_bytes; /**< multiple of 8; zeroed before init */
    /** Of a slice of `n` slots: how many, from its first on, a handler has ever written; the rest is zero. On
     * the host only. A pool whose slices are mostly empty takes memory, and time where state is hashed or
     * sent, for these alone. Null: all n. */
    uint32_t (*used)(const void *world, const void *slice, uint32_t n);
} weir_pool;

/** An event that will be handled soon. */
typedef struct weir_soon {
    const void *state; /**< the entity's fixed part; not to be read at first */
    const void *payload;
    uint32_t target;
    uint16_t type;
    bool again; /**< asked for the second time */
} weir_soon;

typedef struct weir_model {
    const char *name;
    const weir_kind *kinds;
    const weir_pool *pools; /**< may be null */
    const weir_event_type *types;
    const char *const *record_names; /**< may be null; for messages and traces */
    const char *const *fault_names;  /**< [code - 1]; may be null */
    uint16_t n_kinds, n_pools, n_types, n_records, n_faults;
    /** so many types of records, the last ones, are left out of digests: they tell what was seen, such as
     * captures, and are not written in every run */
    uint16_t n_quiet_records;
    uint16_t record_bytes; /**< most data bytes of a record; multiple of 8 */
    /**
     * Ask (__builtin_prefetch) for memory that an event's handler will read beside the entity's state. Called twice: first some
     * events before it is handled; then `again`, a few events before, when what the first call has asked for and the entity's
     * state can be read to find more. It writes nothing, and a wrong guess costs time only. `ctx` has world and pools, and no
     * entity. On the host only. May be null.
     */
    void (*ask)(const weir_ctx *ctx, const weir_soon *soon);
} weir_model;

#endif

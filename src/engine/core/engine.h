/* What the files of the engine folder share: the simulation, engines as tables, the undo log. */
#pragma once

#include "pending/events.h"
#include "pending/pending.h"
#include "engine/core/watch.h"
#include "weir/engine.h"

/* A time and a delay after it, where never (WEIR_TIME_MAX) stays never. */
static inline weir_time wi_time_later(weir_time at_ps, weir_time by_ps)
{
    return at_ps < WEIR_TIME_MAX - by_ps ? at_ps + by_ps : WEIR_TIME_MAX;
}

/* All that handling one event type needs, in one place. */
typedef struct wi_dispatch {
    weir_handler handle;
    unsigned char *state; /* fixed part of the kind's first entity */
    uint32_t state_bytes, first_entity, n_of_kind;
    uint16_t payload_bytes, max_events, max_records, kind;
    int ordered;
} wi_dispatch;

/* Kinds, pools, heads and counters. */
enum { WI_BLOCKS_MAX = WEIR_KINDS_MAX + WEIR_POOLS_MAX + 2 };

typedef struct wi_block {
    void *at;
    size_t bytes;
} wi_block;

/* Where events are handled one after another: a pending set, the context of the handler under way, and what
 * handlers leave. The sequential engine has one; a conservative one has one for each partition. */
typedef struct wi_part {
    weir_sim *sim;
    wi_pending pending;
    weir_ctx ctx;
    weir_time now_ps;
    uint64_t events;
    uint32_t rec_room;   /* records that ctx.rec holds */
    uint32_t rec_before; /* ctx.rec_count before the handling under way */
    weir_event during;   /* of a handling that set a fault */
    wi_watch watch;
    uint32_t frozen_at;     /* the suspension that went through it last */
    uint64_t anti_messages; /* events in `pending` that cancel another one there (WI_INSTANCE_ANTI) */
} wi_part;

/*
 * An engine. weir_sim holds the host's arrays and the initial state; the engine moves the simulation on.
 * All but `start` and `run_until` may be null where there is nothing to do. Functions that return a status
 * leave a message.
 */
typedef struct wi_engine_ops {
    const char *name;
    /* The host's state is initialised, and sim->main.pending holds the first events: take them over. */
    weir_status (*start)(weir_diag *diag, weir_sim *sim);
    /* Handle every event before limit_ps and set sim->now_ps to it, and sim->events. WEIR_E_INTERRUPTED, with
     * now_ps at a consistent point, when *stop becomes non-zero (stop may be null). Records may be handed out
     * on the way; those before now_ps are handed out when this returns. */
    weir_status (*run_until)(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop);
    /* Bring states, pools, heads and counters to the host's arrays. Called only when sim->stale, which
     * run_until sets where the arrays lag behind, and which the caller clears. */
    weir_status (*fetch)(weir_diag *diag, weir_sim *sim);
    /* The same for at least what `want` names, on rank 0 alone. Null: `fetch` does for all. */
    weir_status (*fetch_some)(weir_diag *diag, weir_sim *sim, const weir_sim_want *want);
    /* The hook has changed the world. Null: it is read where it lies. */
    weir_status (*update_world)(weir_diag *diag, weir_sim *sim);
    /* Null: those of sim->main.pending. */
    weir_status (*visit_pending)(weir_diag *diag, const weir_sim *sim,
                                 void (*visit)(void *user, const weir_event *event), void *user);
    /* Null: that of sim->main. Else adds to what is there already, state_bytes. */
    void (*memory_use)(const weir_sim *sim, weir_sim_memory *out);
    /* Null: there are none. False: neither. */
    bool (*optimistic)(const weir_sim *sim, weir_optimistic_statistics *out);
    void (*free)(weir_sim *sim); /* after a failed `start` too */
    /* The part whose pending set holds the events for an entity, between runs; null, or a function that returns
     * null: events can be neither suspended nor posted. */
    wi_part *(*part_of)(const weir_sim *sim, uint32_t entity);
    /* Whether this rank has the entity; only then it is asked for its part. Null: it has all. */
    bool (*has)(const weir_sim *sim, uint32_t entity);
    bool collective; /* all ranks start it together */
    /* The engine that stands in where `start` returns WEIR_E_UNSUPPORTED and optimistic_instead is set; may be null. */
    const struct wi_engine_ops *instead;
} wi_engine_ops;

/* part.c: all entities are of the main part. */
wi_part *wi_part_main(const weir_sim *sim, uint32_t entity);

extern const wi_engine_ops wi_engine_sequential, wi_engine_observed, wi_engine_check, wi_engine_conservative,
    wi_engine_optimistic;
/* Null in a build without it. */
const wi_engine_ops *wi_engine_gpu(void);

/* Events that are suspended together. */
typedef struct wi_suspension {
    wi_events events;
    weir_time since_ps;
    uint32_t number; /* the caller's */
} wi_suspension;

struct wi_saved;
struct wi_sim_edit; /* base/file/saved.h */

struct weir_sim {
    weir_setup setup;
    const wi_engine_ops *ops;
    void *engine;          /* the engine's own */
    wi_dispatch *dispatch; /* [types] */
    unsigned char *state[WEIR_KINDS_MAX], *pool[WEIR_POOLS_MAX];
    uint32_t kind_first[WEIR_KINDS_MAX + 1], pool_slots[WEIR_POOLS_MAX];
    weir_entity *heads;
    int64_t *counters;
    wi_part main; /* of the calling thread: initialises entities, and is all that the sequential engine has */
    weir_time now_ps, hook_at_ps;
    uint64_t events, record_chain, n_records;
    uint64_t events_before; /* of the run that this one goes on from */
    uint32_t n_entities, payload_bytes;
    int ordered;                      /* some event type is */
    uint32_t max_events, max_records; /* of any handling */
    int stale;                        /* the host's arrays lag behind the engine's */
    int partly;                       /* but what the caller reads has been fetched */
    wi_suspension *frozen;            /* [n_frozen], in the order of their numbers */
    uint32_t n_frozen, frozen_room;
    uint32_t n_suspended;                    /* so far */
    uint64_t peak_before, peak_bytes_before; /* of pending events, on engines that the simulation has left */
    uint32_t batch_number;                   /* of a batch's run (gpu/batch) */
    char why[400];                           /* the engine was chosen by lookahead: what spoke for it */
    weir_status failed;                      /* not WEIR_OK: the run broke off, and cannot go on */
    uint64_t state_bytes;
    wi_block blocks[WI_BLOCKS_MAX];
    uint32_t n_blocks;
};

/* sim.c: a simulation on an engine, from a set-up that has been checked; from the model's init, or from what was
 * saved, with an edit or null. */
weir_status wi_sim_make(weir_diag *diag, const weir_setup *setup, const wi_engine_ops *ops,
                        const struct wi_saved *saved, const struct wi_sim_edit *edit, weir_sim **out);

/* suspend.c: a suspension without events, in its place, that has not been; null when memory is short. */
wi_suspension *wi_suspension_add(weir_sim *sim, uint32_t number, weir_time since_ps);
/* Empty a part's pending set, and put back those of these events that are its own. False when memory is short. */
int wi_part_refill(weir_sim *sim, wi_part *part, const wi_events *events);

/* sim.c: start the engine in sim->ops. One that was not asked for by name may return WEIR_E_UNSUPPORTED, with its reason in
 * sim->why: then the engine that stands in for it starts. */
weir_status wi_sim_start(weir_diag *diag, weir_sim *sim);

/* checkpoint.c: states, pending events and clock, before the engine starts. */
weir_status wi_sim_read_saved(weir_diag *diag, weir_sim *sim, const struct wi_saved *from,
                              const struct wi_sim_edit *edit);

/* setup.c: WEIR_E_ARG with a message unless the set-up and its model are what their headers ask for. */
weir_status wi_setup_check(weir_diag *diag, const weir_setup *setup);

/* fault.c: what messages call an entity: "entity 12", and where the set-up has names "entity 12 (port r3->r7)". */
enum { WI_ENTITY_TEXT = 160 };
void wi_entity_text(const weir_sim *sim, uint32_t entity, char text[WI_ENTITY_TEXT]);
/* fault.c: message and status for part->ctx.fault, which must be set. `during`: what was handled. */
weir_status wi_fault_message(weir_diag *diag, const wi_part *part, const char *during);

/* part.c: a part with a pending set and an outbox, counting in `counters`. False when memory is short;
 * wi_part_free is allowed even so. */
int wi_part_init(wi_part *part, weir_sim *sim, int64_t *counters);
/* Free a part. */
void wi_part_free(wi_part *part);
/* Room for `more` further records after those that wait. False when memory is short. */
int wi_records_reserve(wi_part *part, uint32_t more);
/* records.c: hand out what the part wrote before `before_ps`, in order. */
weir_status wi_records_flush(weir_diag *diag, weir_sim *sim, wi_part *part, weir_time before_ps);
/* Put the part's records before `before_ps` in order; returns how many there are. They are its first. */
uint32_t wi_records_sort(wi_part *part, weir_time before_ps);
/* Forget the part's first n records. */
void wi_records_drop(wi_part *part, uint32_t n);
/* Digest n records that are in order, and give them to the sink. */
weir_status wi_records_hand_out(weir_diag *diag, weir_sim *sim, const unsigned char *records, size_t n);

/* read.c: digest of all that the engine keeps, without what the set-up's `outside` brings. */
uint64_t wi_engine_state_digest(const weir_sim *sim);
/* The slots of entity `i` of a pool's kind that are in use (weir_pool.used), and their first. */
uint32_t wi_slots_used(const weir_sim *sim, uint32_t pool, uint32_t i, unsigned char **first);
/* Of states, pools as far as they are in use, heads and counters. */
uint64_t wi_state_bytes(const weir_sim *sim);
/* Add what a part's pending set takes. */
void wi_part_memory(const wi_part *part, weir_sim_memory *out);

/* undo.c */
struct weir_undo {
    unsigned char *bytes;
    size_t used, capacity;
    int failed; /* memory ran short: the log is incomplete */
    /* Where the log does not own the bytes: find room for `size` more, moving them if need be. Null: they are
     * malloc'ed and grow. False when memory is short. */
    int (*more)(weir_undo *undo, size_t size);
};
/* Put back what `used` bytes of a log hold, the newest first. */
void wi_undo_apply(const unsigned char *bytes, size_t used);
/* Undo all that the log holds, and empty it. */
void wi_undo_rollback(weir_undo *undo);
/* What the entry that ends at byte `at` of the log restores; returns where the entry before it ends. Walk
 * from undo->used down to 0. A size of 0 is a counter. */
size_t wi_undo_before(const weir_undo *undo, size_t at, const void **ptr, size_t *size);
/* Empty the log. */
void wi_undo_clear(weir_undo *undo);
/* Free the log's own bytes. */
void wi_undo_free(weir_undo *undo);

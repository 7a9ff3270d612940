/* What the files of the engine folder share: the simulation, its dispatch table and its undo log. */
#ifndef WI_ENGINE_INTERNAL_H
#define WI_ENGINE_INTERNAL_H

#include "engine/pending.h"
#include "weir/engine.h"

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

struct weir_sim {
    weir_setup setup;
    wi_dispatch *dispatch; /* [types] */
    unsigned char *state[WEIR_KINDS_MAX], *pool[WEIR_POOLS_MAX];
    uint32_t kind_first[WEIR_KINDS_MAX + 1];
    weir_entity *heads;
    int64_t *counters;
    wi_pending pending;
    weir_ctx ctx;
    weir_time now_ps, hook_at_ps;
    uint64_t events, record_chain, n_records;
    uint32_t max_events, max_records; /* of any handling */
    uint32_t rec_room;                /* records that ctx->rec holds */
    uint32_t rec_before;              /* ctx->rec_count before the handling under way */
    weir_status failed;               /* not WEIR_OK: the run broke off, and cannot go on */
    uint64_t state_bytes;
    wi_block blocks[WI_BLOCKS_MAX];
    uint32_t n_blocks;
    struct wi_check *check; /* null but for the check engine */
};

/* setup.c: WEIR_E_ARG with a message unless the set-up and its model are what their headers ask for. */
weir_status wi_setup_check(weir_diag *diag, const weir_setup *setup);

/* Put what a handler scheduled into the pending set, where room must have been reserved. An event of no type,
 * or for an entity that is not of its type's kind, is a fault of that handler. */
static inline void wi_add_scheduled(weir_sim *sim)
{
    weir_ctx *ctx = &sim->ctx;
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < ctx->out_count; i++, at += ctx->stride) {
        const weir_event *event = (const weir_event *)(const void *)at;
        const wi_dispatch *d = &sim->dispatch[event->type];
        if (WEIR_UNLIKELY(event->type >= sim->setup.model->n_types ||
                          event->target - d->first_entity >= d->n_of_kind)) {
            weir_fault_keep(ctx, WEIR_FAULT_KIND, event->type, event->target);
            return;
        }
        wi_pending_add(&sim->pending, event, d->ordered);
    }
}

/* fault.c: message and status for ctx->fault, which must be set. */
weir_status wi_fault_message(weir_diag *diag, const weir_sim *sim, const char *during);

/* Room for `more` further records after those that wait. False when memory is short. */
int wi_records_reserve(weir_sim *sim, uint32_t more);
/* records.c: hand out what was written before `before_ps`, in order. */
weir_status wi_records_flush(weir_diag *diag, weir_sim *sim, weir_time before_ps);

/* check.c */
weir_status wi_check_new(weir_diag *diag, weir_sim *sim);
void wi_check_free(struct wi_check *check);
/* Handle `event` twice with a rollback between; WEIR_E_MODEL with a message when the two or the rollback
 * differ. */
weir_status wi_check_event(weir_diag *diag, weir_sim *sim, const weir_event *event);

/* undo.c */
struct weir_undo {
    unsigned char *bytes;
    size_t used, capacity;
    int failed; /* memory ran short: the log is incomplete */
};
void wi_undo_rollback(weir_undo *undo);
/* What the entry that ends at byte `at` of the log restores; returns where the entry before it ends. Walk
 * from undo->used down to 0. A size of 0 is a counter. */
size_t wi_undo_before(const weir_undo *undo, size_t at, const void **ptr, size_t *size);
void wi_undo_clear(weir_undo *undo);
void wi_undo_free(weir_undo *undo);

#endif

/* What the files of the engine folder share: the simulation, its dispatch table and its undo log. */
#ifndef WI_ENGINE_INTERNAL_H
#define WI_ENGINE_INTERNAL_H

#include "engine/pending.h"
#include "weir/engine.h"

/* An event of any model, on the stack. */
typedef union wi_event_room {
    weir_event event;
    unsigned char room[sizeof(weir_event) + WEIR_PAYLOAD_MAX];
} wi_event_room;

/* All that handling one event type needs, in one place. */
typedef struct wi_dispatch {
    weir_handler handle;
    unsigned char *state; /* fixed part of the kind's first entity */
    uint32_t state_bytes, first_entity, n_of_kind;
    uint16_t payload_bytes, max_events, max_records, kind;
    int ordered;
} wi_dispatch;

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
    uint64_t state_bytes;
    struct wi_check *check; /* null but for the check engine */
};

/* Run the handler of `event`, which is the sim's least. Null ctx->fault afterwards means that it kept the
 * contract. */
typedef void (*wi_handle_one)(weir_sim *sim, const weir_event *event);

/* Message and status for ctx->fault, which must be set. */
weir_status wi_fault_message(weir_diag *diag, const weir_sim *sim, const char *during);

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
void wi_undo_clear(weir_undo *undo);
void wi_undo_free(weir_undo *undo);

#endif

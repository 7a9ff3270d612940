/*
 * Finding the first event that two simulations of one model handle differently, whatever engines run them.
 *
 * Both are run side by side and compared at stop points: each entity's digest of events, numbers of draws,
 * events and records, and on request its state. The stop point at which they first differ is narrowed down,
 * with fresh simulations, to one picosecond. An event takes at least 1 ps to arrive, so what an entity is to
 * handle at that instant is pending just before it, and can be read from any engine without its help.
 */
#pragma once

#include "engine/core/engine.h"

/* Makes a simulation, the same each time it is asked. */
typedef struct wi_verify_side {
    weir_status (*make)(weir_diag *diag, void *user, weir_sim **out);
    void *user;
} wi_verify_side;

enum { WI_VERIFY_EVENTS = 8 };

/* An event with its payload. */
typedef struct wi_verify_event {
    weir_event head;
    uint64_t payload[WEIR_PAYLOAD_MAX / 8];
} wi_verify_event;

typedef struct wi_verify_report {
    int differ;
    int events_differ; /* digests differ; else only states do */
    weir_time at_ps;   /* of the first difference */
    uint32_t entity;   /* the first of n_differing entities that differ right after it */
    uint32_t n_differing;
    char entity_text[WI_ENTITY_TEXT];
    uint64_t event_digest[2], state_digest[2], events[2]; /* of whole runs */
    uint32_t n[2]; /* events that each side has pending for the entity at that instant, in order */
    wi_verify_event event[2][WI_VERIFY_EVENTS];
} wi_verify_report;

/* While a comparison lasts; all may be null. */
typedef struct wi_verify_watch {
    void (*progress)(void *user, weir_time now_ps); /* called with simulated times of several runs in turn */
    void *user;
    const volatile int *stop;
} wi_verify_watch;

/*
 * Compare two simulations from 0 to `until_ps`.
 *
 * Returns: WEIR_OK, differing or not; WEIR_E_ARG where they have other numbers of entities, or states of
 * other sizes; what running them returns. About ten more runs up to the difference where there is one.
 */
WEIR_NODISCARD weir_status wi_verify(weir_diag *diag, const wi_verify_side sides[2], weir_time until_ps,
                                     wi_verify_watch watch, wi_verify_report *report);

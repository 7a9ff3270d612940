/*
 * A trace of the events that a sequential run handles: which event scheduled which, where, and when.
 */
#pragma once

#include "base/memory.h"
#include "weir/engine.h"

#define WI_NO_CAUSE UINT32_MAX

/* Events in the order in which they were handled. */
typedef struct wi_trace {
    wi_owned memory;
    weir_time *time_ps; /* [n] */
    uint32_t *entity;   /* [n] */
    uint32_t *cause;    /* [n] event that scheduled it; WI_NO_CAUSE where that is not in the trace. Set by
                           wi_trace_link */
    uint32_t n, capacity;
    int failed; /* memory ran short: the trace ends early */
    int full;   /* capacity events are in it */
    /* for wi_trace_link */
    uint32_t *source, *seq;      /* [n] of the event */
    uint32_t *first_seq, *n_out; /* [n] of the events that its handler scheduled */
} wi_trace;

/* Room for `capacity` events, at most 2^32 - 2. WEIR_E_NOMEM; wi_trace_free is allowed even so. */
WEIR_NODISCARD weir_status wi_trace_init(weir_diag *diag, wi_trace *trace, uint32_t capacity);
/* Free the arrays of a trace. */
void wi_trace_free(wi_trace *trace);

/* A weir_observer whose user is a wi_trace; sets `full` and forgets what is past its capacity. */
void wi_trace_observe(void *trace, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                      uint32_t n);

/* Find every event's cause. O(n log n). WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_trace_link(weir_diag *diag, wi_trace *trace, uint32_t n_entities);

/* Collecting a trace, and linking each event to the one that scheduled it. */
#include "engine/analysis/trace.h"

#include <stdlib.h>
#include "base/memory.h"
#include "base/order.h"

weir_status wi_trace_init(weir_diag *diag, wi_trace *t, uint32_t capacity)
{
    const size_t n = (size_t)capacity + 1;
    *t = (wi_trace){.capacity = capacity};
    t->time_ps = wi_take(&t->memory, n, sizeof *t->time_ps);
    t->entity = wi_take(&t->memory, n, sizeof *t->entity);
    t->cause = wi_take(&t->memory, n, sizeof *t->cause);
    t->source = wi_take(&t->memory, n, sizeof *t->source);
    t->seq = wi_take(&t->memory, n, sizeof *t->seq);
    t->first_seq = wi_take(&t->memory, n, sizeof *t->first_seq);
    t->n_out = wi_take(&t->memory, n, sizeof *t->n_out);
    if (!t->memory.failed)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for a trace of %u events (%.1f MB)", capacity,
                     32e-6 * (double)n);
}

void wi_trace_free(wi_trace *t)
{
    wi_owned_free(&t->memory);
    *t = (wi_trace){0};
}

void wi_trace_observe(void *trace, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                      uint32_t n)
{
    wi_trace *t = trace;
    (void)
        stride; /* one handling's sequence numbers follow each other: the first and their number are enough */
    t->full |= t->n == t->capacity;
    if (t->full)
        return;
    const uint32_t i = t->n++;
    t->time_ps[i] = event->time_ps;
    t->entity[i] = event->target;
    t->source[i] = event->source;
    t->seq[i] = event->seq;
    t->first_seq[i] = n > 0 ? scheduled->seq : 0;
    t->n_out[i] = n;
}

/* The traced event of `source`'s list that scheduled its event number `seq`. Lists rise in sequence numbers,
 * which compare by difference because they wrap. */
static uint32_t cause_of(const wi_trace *t, const uint32_t *list, uint32_t n, uint32_t seq)
{
    const size_t behind = WI_FIRST(i, n, weir_seq_before(seq, t->first_seq[list[i]]));
    if (behind == 0)
        return WI_NO_CAUSE; /* scheduled before the trace began */
    const uint32_t event = list[behind - 1];
    return seq - t->first_seq[event] < t->n_out[event] ? event : WI_NO_CAUSE;
}

weir_status wi_trace_link(weir_diag *diag, wi_trace *t, uint32_t n_entities)
{
    uint32_t *first = calloc((size_t)n_entities + 2, sizeof *first); /* slices of `list`, an entity each */
    WI_FREED uint32_t *list = malloc(((size_t)t->n + 1) * sizeof *list); /* its events that scheduled some */
    if (!first || !list) {
        free(first);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the causes of %u events", t->n);
    }
    /* Counted one place further, so that filling the slices moves each bound to where it belongs. */
    for (uint32_t i = 0; i < t->n; i++)
        first[t->entity[i] + 2] += t->n_out[i] > 0;
    for (uint32_t e = 0; e < n_entities; e++)
        first[e + 2] += first[e + 1];
    for (uint32_t i = 0; i < t->n; i++)
        if (t->n_out[i] > 0)
            list[first[t->entity[i] + 1]++] = i;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t source = t->source[i];
        t->cause[i] = cause_of(t, list + first[source], first[source + 1] - first[source], t->seq[i]);
    }
    free(first);
    return WEIR_OK;
}

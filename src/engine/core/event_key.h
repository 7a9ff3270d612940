/*
 * The event key: in which order events are handled.
 *
 * At an entity by time_ps, then tie (a hash of seed, source and sequence number, so that simultaneous events have no
 * favourite), then source, then sequence number, which wraps. No two events share all four. The order does not depend on
 * the engine. Records leave by time, entity and number.
 */
#pragma once

#include "weir/model.h"

/* Whether a is handled before b. */
static inline bool wi_event_before(const weir_event *a, const weir_event *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    if (a->source != b->source)
        return a->source < b->source;
    return weir_seq_before(a->seq, b->seq);
}

/* Order of events, for qsort. */
static inline int wi_event_compare(const void *a, const void *b)
{
    return wi_event_before(a, b) ? -1 : wi_event_before(b, a);
}

/* Whether record a leaves before b. */
static inline bool wi_record_before(const weir_record_head *a, const weir_record_head *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->entity != b->entity)
        return a->entity < b->entity;
    return weir_seq_before(a->number, b->number);
}

/* Order of records, for qsort; no two are equal. */
static inline int wi_record_compare(const void *a, const void *b)
{
    return wi_record_before(a, b) ? -1 : 1;
}

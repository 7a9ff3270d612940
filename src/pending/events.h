/* A growing list of events. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "weir/model.h"

/* All zero but `stride`, the bytes of an event with its payload, is an empty list. */
typedef struct wi_events {
    unsigned char *at; /* malloc'ed */
    size_t n, stride;
    bool failed; /* memory ran short: some are missing */
} wi_events;

/* Event i of the list. */
static inline weir_event *wi_events_at(const wi_events *list, size_t i)
{
    return (weir_event *)(void *)(list->at + i * list->stride);
}

/* Append a copy of an event; a visitor of pending events, whose user is the list. */
static inline void wi_events_add(void *list, const weir_event *event)
{
    wi_events *l = list;
    if (wi_grow_one(&l->at, l->n, l->stride))
        memcpy(wi_events_at(l, l->n++), event, l->stride);
    else
        l->failed = true;
}

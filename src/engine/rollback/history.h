/*
 * What a part has handled and may have to take back: events in the order of their handling, each with the old
 * bytes of what it changed, in segments of memory that are filled one after another.
 *
 * An entry is written in sequence: its head, the event with its payload, the undo log that weir_touch feeds,
 * the events that it scheduled, its records. The entries of one entity are linked backwards, so that one entity
 * is rolled back alone. A segment is free again when every entry in it is earlier than the GVT, whatever has
 * become of them: committing costs nothing for each event.
 */
#pragma once

#include "engine/core/engine.h"

enum { WI_SEGMENT_BYTES = 1 << 16 };

/* An event that was scheduled, as far as cancelling needs it: its number follows from its place. */
typedef struct wi_sent {
    weir_time time_ps;
    uint32_t target;
    uint16_t type, unused;
} wi_sent;

/* What handling an event changes of its entity's head. */
typedef struct wi_head {
    uint64_t digest, draws;
    uint32_t seq, records;
} wi_head;

/* A handled event. */
typedef struct wi_done {
    struct wi_done *before; /* the entity's last before this one; not to be followed unless it is recent */
    weir_time before_ps;    /* its time; -1: none */
    wi_head head;           /* of the entity, before */
    uint32_t bytes;         /* of the whole entry */
    uint32_t undo_bytes;
    uint16_t n_sent, n_records;
    uint16_t instance; /* of what it sent */
    uint16_t undone;
    weir_event event; /* payload, undo log, wi_sent[n_sent], records follow */
} wi_done;

typedef struct wi_segment {
    struct wi_segment *next;
    weir_time first_ps, last_ps; /* least and greatest time of its entries */
    uint32_t used, room;         /* bytes behind this head */
    uint32_t n_records, n_entries;
} wi_segment;

typedef struct wi_history {
    wi_segment *oldest, *newest, *spare;
    uint32_t stride;       /* of events */
    uint32_t rec_stride;   /* of records */
    uint32_t segment_room; /* of an ordinary segment */
    uint32_t entry_room;   /* that an entry should find in its segment */
    size_t bytes, peak;    /* of segments in use */
    uint64_t entries;      /* in them, undone ones too */
    size_t most;           /* that they should take; one entry may always go beyond */
    wi_done *open;         /* the entry that is being written */
    weir_undo undo;        /* its log; given to the context */
} wi_history;

/* `most`: bytes, at least wi_history_least. An entry should be written only where wi_history_has_room; what it
 * needs beyond entry_room goes beyond the bound. */
void wi_history_init(wi_history *h, uint32_t stride, uint32_t rec_stride, uint32_t max_events, size_t most);
/* Free all segments. */
void wi_history_free(wi_history *h);
/* What `most` must be at least, so that one event can be kept. */
size_t wi_history_least(uint32_t stride, uint32_t max_events);

/* A new segment: false when memory is short. */
int wi_history_extend(wi_history *h, size_t bytes);
/* Free the segments all of whose entries are earlier than gvt_ps, after `commit` has seen the entries with
 * records, in no order. */
void wi_history_fossil_collect(wi_history *h, weir_time gvt_ps,
                               void (*commit)(void *user, const wi_done *done), void *user);
/* No entry that is left is earlier: WEIR_TIME_MAX when there is none. */
weir_time wi_history_first(const wi_history *h);
/* Call `visit` for each entry that has not been undone, oldest first; it may undo entries. */
void wi_history_visit(wi_history *h, void (*visit)(void *user, wi_done *done), void *user);

/* Whether another entry keeps within `most`. */
static inline int wi_history_has_room(const wi_history *h)
{
    return (h->newest && h->newest->room - h->newest->used >= h->entry_room) ||
           h->bytes + h->segment_room + sizeof(wi_segment) <= h->most;
}

/* The entries of a segment. */
static inline unsigned char *wi_segment_at(wi_segment *s)
{
    return (unsigned char *)(s + 1);
}

/* What an event may change of an entity's head. */
static inline wi_head wi_head_of(const weir_entity *entity)
{
    return (wi_head){entity->digest, entity->draws, entity->seq, entity->records};
}

/* Put that back. */
static inline void wi_head_restore(weir_entity *entity, const wi_head *head)
{
    entity->digest = head->digest;
    entity->draws = head->draws;
    entity->seq = head->seq;
    entity->records = head->records;
}

/* Begin an entry, and its log, for an event that is to be written there and then handled. Null when memory is short. */
static inline wi_done *wi_history_begin(wi_history *h)
{
    const size_t bytes = sizeof(wi_done) - sizeof(weir_event) + h->stride;
    if (WEIR_UNLIKELY(!h->newest || h->newest->used + bytes > h->newest->room) &&
        !wi_history_extend(h, bytes))
        return NULL;
    wi_segment *s = h->newest;
    wi_done *done = (wi_done *)(void *)(wi_segment_at(s) + s->used);
    h->open = done;
    h->undo.bytes = (unsigned char *)done + bytes;
    h->undo.used = 0;
    h->undo.capacity = s->room - s->used - bytes;
    return done;
}

/* Forget the entry that was begun, after its log has been used or is not needed. */
static inline void wi_history_drop(wi_history *h)
{
    h->open = NULL;
    h->undo.used = 0;
}

/* The open entry's log is complete: room for what it sent and its records, to be filled; null when memory is
 * short. It may have moved. */
static inline wi_sent *wi_history_end(wi_history *h, uint32_t n_sent, uint32_t n_records)
{
    const size_t more = n_sent * sizeof(wi_sent) + (size_t)n_records * h->rec_stride;
    if (WEIR_UNLIKELY(h->undo.capacity - h->undo.used < more) && !h->undo.more(&h->undo, more))
        return NULL;
    wi_done *done = h->open;
    wi_segment *s = h->newest;
    const weir_time at_ps = done->event.time_ps;
    done->undo_bytes = (uint32_t)h->undo.used;
    done->n_sent = (uint16_t)n_sent;
    done->n_records = (uint16_t)n_records;
    done->undone = 0;
    done->bytes = (uint32_t)(sizeof(wi_done) - sizeof(weir_event) + h->stride + h->undo.used + more);
    s->used += done->bytes;
    s->n_records += n_records;
    s->n_entries++;
    h->entries++;
    s->first_ps = at_ps < s->first_ps ? at_ps : s->first_ps;
    s->last_ps = at_ps > s->last_ps ? at_ps : s->last_ps;
    h->open = NULL;
    return (wi_sent *)(void *)(h->undo.bytes + h->undo.used);
}

/* Put back the bytes that an entry's event has changed; the entity's head is the caller's. */
static inline void wi_done_undo(const wi_history *h, const wi_done *done)
{
    wi_undo_apply((const unsigned char *)&done->event + h->stride, done->undo_bytes);
}

/* What an entry has sent. */
static inline const wi_sent *wi_done_sent(const wi_history *h, const wi_done *done)
{
    return (const wi_sent *)(const void *)((const unsigned char *)&done->event + h->stride +
                                           done->undo_bytes);
}

/* The records of an entry. */
static inline const unsigned char *wi_done_records(const wi_history *h, const wi_done *done)
{
    return (const unsigned char *)(wi_done_sent(h, done) + done->n_sent);
}

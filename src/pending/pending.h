/*
 * The pending set of an engine that handles events one by one: a ladder of keys whose bottom is a heap, and
 * ordered streams beside it.
 *
 * Events that leave one source in rising time (packets on a link) wait in a list of that source, the stream;
 * only the stream's first has a key. So there are about as many keys as busy links and timers, not as many as
 * packets in flight. A stream's events do not repeat their source, which is the stream, nor their tie, which
 * follows from source and sequence number. Memory of a pending event: 16 + payload and a key of 16 bytes
 * (about 19 in a large ladder), or 24 + payload in a stream: 67 and 56 bytes for a payload of 32.
 *
 * Removing the least event leaves a hole at the root, which the next key that is added fills: most events
 * schedule exactly one other, and one descent then does for both.
 */
#pragma once

#include <string.h>

#include "pending/ladder.h"
#include "weir/model.h"

/* An event of any model, on the stack. */
typedef union wi_event_room {
    weir_event event;
    unsigned char room[sizeof(weir_event) + WEIR_PAYLOAD_MAX];
} wi_event_room;

/* An event's instance with this bit anti_messages the event of the same source, number and instance. */
#define WI_INSTANCE_ANTI UINT16_C(0x8000)

/* Which entity's memory an event will want. */
typedef struct wi_soon {
    uint32_t seq, target;
    uint16_t type, instance;
} wi_soon;

/* An event that has a key, which holds its time and tie; the payload follows. */
typedef struct wi_body {
    uint32_t source;
    wi_soon soon;
} wi_body;

/* An event in a stream; the payload follows. */
typedef struct wi_streamed {
    weir_time time_ps;
    wi_soon soon;
    uint32_t link; /* the cell behind it */
} wi_streamed;

/* A growable array of equal cells with a free list through their first four bytes. Free cells are taken first, so that `used` is
 * the most that were in use at once. */
typedef struct wi_cells {
    unsigned char *base;
    uint32_t stride, used, free_head;
    size_t capacity;
} wi_cells;

typedef struct wi_stream {
    uint32_t head, tail; /* cells of `streamed`; WI_NONE when empty */
    weir_time tail_ps;
} wi_stream;

#define WI_HANDLE_STREAM UINT32_C(0x80000000)

typedef struct wi_pending {
    wi_ladder keys;
    int hole;           /* the heap's root has been taken and not been filled */
    wi_cells bodies;    /* wi_body and payload */
    wi_cells streamed;  /* wi_streamed and payload */
    wi_stream *streams; /* [entities], or null where no event type is ordered */
    uint64_t seed;
    uint32_t n_entities, payload_bytes;
    uint64_t count, peak;
} wi_pending;

/* The tie of an ordered event must be weir_tie(seed, source, seq). Handles are 31 bits: at most 2^31 entities
 * with streams, and 2^31 events in the heap. */
int wi_pending_init(wi_pending *p, uint64_t seed, uint32_t n_entities, uint32_t payload_bytes,
                    int with_streams);
/* Free all memory. */
void wi_pending_free(wi_pending *p);
/* Make room for `more` further events, so that adding them cannot fail. */
int wi_pending_reserve(wi_pending *p, size_t more);
/* Bring up the next keys, where run and heap are empty. */
void wi_pending_refill(wi_pending *p);
/* Call visit for each pending event, in no order. */
void wi_pending_visit(const wi_pending *p, void (*visit)(void *user, const weir_event *event), void *user);
/* Several events have the least time and tie: brings all of them to the heap, the least to its root. */
void wi_pending_settle(wi_pending *p);
/* Bytes that hold events at the peak. */
size_t wi_pending_event_bytes(const wi_pending *p);
/*
 * Removal: an event is taken back by adding one of the same time, tie, source, number and instance that has
 * WI_INSTANCE_ANTI. Both leave together when they are the least; nothing is searched before that. Where
 * wi_pending_tied says so, this takes out the pairs among the events of the least time and tie; returns how many
 * pairs. False, *failed set, when memory is short.
 */
uint32_t wi_pending_annihilate(wi_pending *p, int *failed);
/* As wi_pending_visit, without the pairs. False when memory is short: then none was visited. */
int wi_pending_visit_net(const wi_pending *p, void (*visit)(void *user, const weir_event *event), void *user);

/* Take a free cell; room must have been reserved. */
static inline uint32_t wi_cells_allocate(wi_cells *c)
{
    const uint32_t i = c->free_head;
    if (i == WI_NONE)
        return c->used++;
    memcpy(&c->free_head, c->base + (size_t)i * c->stride, sizeof c->free_head);
    /* Freed long ago, where many are taken in a row. */
    __builtin_prefetch(c->base + (size_t)c->free_head * c->stride, 1);
    return i;
}

/* Free a cell. */
static inline void wi_cells_free(wi_cells *c, uint32_t i)
{
    memcpy(c->base + (size_t)i * c->stride, &c->free_head, sizeof c->free_head);
    c->free_head = i;
}

/* The cell of a number. */
static inline void *wi_cells_at(const wi_cells *c, uint32_t i)
{
    return c->base + (size_t)i * c->stride;
}

/* Copy of a size that is a multiple of 8 and most often one of two; the compiler turns each into a few moves.
 */
static inline void wi_copy(void *to, const void *from, size_t size)
{
    if (size == 64)
        memcpy(to, from, 64);
    else if (size == 32)
        memcpy(to, from, 32);
    else
        for (size_t i = 0; i < size; i += 8)
            memcpy((unsigned char *)to + i, (const unsigned char *)from + i, 8);
}

/* Add a key: to the hole, the heap or a bucket. */
static inline void pending_key_add(wi_pending *p, wi_heap_key key)
{
    wi_ladder *const l = &p->keys;
    if (wi_key_time(key) >= l->near_end_ps) {
        wi_ladder_push_far(l, key);
    } else if (p->hole) {
        p->hole = 0;
        wi_heap_sink(&l->near, key);
    } else {
        wi_heap_push(&l->near, key);
        if (l->near.n > l->near_peak)
            l->near_peak = l->near.n;
    }
}

/* Whether `more` events need no wi_pending_reserve. */
static inline bool wi_pending_has_room(const wi_pending *p, size_t more)
{
    return wi_ladder_has_room(&p->keys, more + 1) && p->bodies.used + more <= p->bodies.capacity &&
           (!p->streams || p->streamed.used + more <= p->streamed.capacity);
}

/* A word that was written by itself a moment ago. A wider read, of its neighbours too, has to wait until all of
 * them have left the store buffer, behind whatever misses the cache; `volatile` keeps compilers from making one.
 */
static inline uint32_t wi_fresh_word(const uint32_t *word)
{
    return *(const volatile uint32_t *)word;
}

/* Copy what says which memory an event will want. */
static inline void wi_soon_write(wi_soon *to, const weir_event *event, uint16_t instance)
{
    to->seq = wi_fresh_word(&event->seq);
    to->target = wi_fresh_word(&event->target);
    to->type = event->type;
    to->instance = instance;
}

/* Add an event whose type is `ordered` or not, under an instance; room must have been reserved. */
static inline void wi_pending_add_as(wi_pending *p, const weir_event *event, int ordered, uint16_t instance)
{
    if (++p->count > p->peak)
        p->peak = p->count;
    if (ordered) {
        wi_stream *s = &p->streams[event->source];
        if (s->head == WI_NONE || event->time_ps > s->tail_ps) {
            const uint32_t i = wi_cells_allocate(&p->streamed);
            wi_streamed *cell = (wi_streamed *)wi_cells_at(&p->streamed, i);
            cell->time_ps = s->tail_ps = event->time_ps;
            wi_soon_write(&cell->soon, event, instance);
            wi_copy(cell + 1, event + 1, p->payload_bytes);
            if (s->head != WI_NONE) {
                ((wi_streamed *)wi_cells_at(&p->streamed, s->tail))->link = i;
                s->tail = i;
                return;
            }
            s->head = s->tail = i;
            pending_key_add(p, wi_key_make(event->time_ps, event->tie, WI_HANDLE_STREAM | event->source));
            return;
        }
    }
    const uint32_t i = wi_cells_allocate(&p->bodies);
    wi_body *body = (wi_body *)wi_cells_at(&p->bodies, i);
    body->source = wi_fresh_word(&event->source);
    wi_soon_write(&body->soon, event, instance);
    wi_copy(body + 1, event + 1, p->payload_bytes);
    pending_key_add(p, wi_key_make(event->time_ps, event->tie, i));
}

/* Add an event whose type is `ordered` or not; room must have been reserved. */
static inline void wi_pending_add(wi_pending *p, const weir_event *event, int ordered)
{
    wi_pending_add_as(p, event, ordered, event->instance);
}

/* Make room for one event and add it. False when memory is short. */
static inline int wi_pending_insert(wi_pending *p, const weir_event *event, int ordered)
{
    if (WEIR_UNLIKELY(!wi_pending_has_room(p, 1)) && !wi_pending_reserve(p, 1))
        return 0;
    wi_pending_add(p, event, ordered);
    return 1;
}

/* The earliest time, or WEIR_TIME_MAX: then there is none, or memory ran short (p->keys.failed). Closes the
 * hole, if there is one. */
static inline weir_time wi_pending_first(wi_pending *p)
{
    if (p->hole) {
        p->hole = 0;
        wi_heap_pop(&p->keys.near);
    }
    wi_heap_key least = wi_ladder_least(&p->keys);
    if (WEIR_UNLIKELY(least == WI_KEY_MAX)) {
        wi_pending_refill(p);
        least = wi_ladder_least(&p->keys);
        if (least == WI_KEY_MAX)
            return WEIR_TIME_MAX;
    }
    return wi_key_time(least);
}

/* Whether the least event has the time and tie of another. Needs wi_pending_first just before, and an event. */
static inline int wi_pending_tied(const wi_pending *p)
{
    const wi_ladder *const l = &p->keys;
    const wi_heap_key *const a = l->near.a, run = l->run[l->run_at];
    if (run < a[0])
        return wi_key_same(run, l->run[l->run_at + 1]) || wi_key_same(run, a[0]);
    return wi_key_same(a[0], a[1]) || wi_key_same(a[0], a[2]) || wi_key_same(a[0], a[3]) ||
           wi_key_same(a[0], a[4]) || wi_key_same(a[0], run);
}

/* Take the least key out. */
static inline wi_heap_key pending_key_pop(wi_pending *p)
{
    wi_ladder *const l = &p->keys;
    const wi_heap_key *const a = l->near.a, run = l->run[l->run_at];
    if (run < a[0]) {
        if (WEIR_LIKELY(!wi_key_same(run, l->run[l->run_at + 1]) && !wi_key_same(run, a[0]))) {
            l->run_at++;
            return run;
        }
        wi_pending_settle(p);
    } else if (WEIR_UNLIKELY(wi_key_same(a[0], a[1]) || wi_key_same(a[0], a[2]) || wi_key_same(a[0], a[3]) ||
                             wi_key_same(a[0], a[4]) || wi_key_same(a[0], run))) {
        wi_pending_settle(p);
    }
    p->hole = 1;
    return l->near.a[0];
}

/* How many events ahead in the run the memory of each stage is asked for: a stage's addresses are what the
 * one before it brought. Some hundred nanoseconds an event, and a memory that others use too. */
enum { WI_AHEAD_BODY = 24, WI_AHEAD_CELL = 20, WI_AHEAD_ENTITY = 12, WI_AHEAD_NEAR = 6 };

/* An event further on in the run, as far as its memory can be asked for. */
typedef struct wi_ahead {
    const wi_soon *soon;
    const void *payload;
    const void *behind; /* the cell behind it in its stream, read as it leaves; null: no stream */
} wi_ahead;

/* The event of the key `ahead` places further on in the run; false past the end of the run. */
static inline bool wi_pending_ahead(const wi_pending *p, size_t ahead, wi_ahead *out)
{
    const wi_ladder *l = &p->keys;
    if (l->run_at + ahead >= l->run_n)
        return false;
    const uint32_t handle = wi_key_handle(l->run[l->run_at + ahead]);
    if (!(handle & WI_HANDLE_STREAM)) {
        const wi_body *body = wi_cells_at(&p->bodies, handle);
        *out = (wi_ahead){&body->soon, body + 1, NULL};
        return true;
    }
    const wi_streamed *cell = wi_cells_at(&p->streamed, p->streams[handle & ~WI_HANDLE_STREAM].head);
    *out = (wi_ahead){&cell->soon, cell + 1, wi_cells_at(&p->streamed, cell->link)};
    return true;
}

/* Whether the run's first key was the last to leave it: no_report has asked ahead for what follows. */
static inline bool wi_pending_run_begins(const wi_pending *p)
{
    return p->keys.run_at == 1;
}

/* Of functions that only ask for memory: to the compiler they do nothing, and a call that is not inlined is left out. */
#define WI_ASKS static inline __attribute__((always_inline))

/* Ask for a cell. Few sizes are a line's, so that most cells lie on two. */
WI_ASKS void wi_cell_ask(const wi_cells *c, const void *cell)
{
    __builtin_prefetch(cell);
    __builtin_prefetch((const unsigned char *)cell + c->stride - 1);
}

/* Ask for what the keys further on in the run stand for. A stream's cells need a stage more than bodies. */
WI_ASKS void wi_pending_prefetch(const wi_pending *p)
{
    const wi_ladder *l = &p->keys;
    const size_t at = l->run_at + WI_AHEAD_BODY;
    if (at >= l->run_n)
        return;
    const uint32_t handle = wi_key_handle(l->run[at]),
                   nearer = wi_key_handle(l->run[at + WI_AHEAD_CELL - WI_AHEAD_BODY]);
    if (!(handle & WI_HANDLE_STREAM))
        wi_cell_ask(&p->bodies, wi_cells_at(&p->bodies, handle));
    else
        __builtin_prefetch(&p->streams[handle & ~WI_HANDLE_STREAM]);
    if (nearer & WI_HANDLE_STREAM)
        wi_cell_ask(&p->streamed, wi_cells_at(&p->streamed, p->streams[nearer & ~WI_HANDLE_STREAM].head));
}

/* Ask for where an entity's next ordered event will be appended; `last`: its stream has been asked for before. */
WI_ASKS void wi_pending_ask_stream(const wi_pending *p, uint32_t entity, bool last)
{
    const wi_stream *s = &p->streams[entity];
    if (!last)
        __builtin_prefetch(s, 1);
    else if (s->head != WI_NONE)
        __builtin_prefetch(&((const wi_streamed *)wi_cells_at(&p->streamed, s->tail))->link, 1);
}

/* The event of a stream's cell, time and tie left out. */
static inline void wi_streamed_read(const wi_pending *p, uint32_t source, const wi_streamed *cell,
                                    weir_event *out)
{
    out->source = source;
    memcpy(&out->seq, &cell->soon, sizeof cell->soon);
    out->link = 0;
    wi_copy(out + 1, cell + 1, p->payload_bytes);
}

/* The event of a heap key's body, time and tie left out. */
static inline void wi_body_read(const wi_pending *p, const wi_body *body, weir_event *out)
{
    memcpy(&out->source, body, sizeof *body);
    out->link = 0;
    wi_copy(out + 1, body + 1, p->payload_bytes);
}

/* Take the least event into `out` (32 + payload bytes). Needs wi_pending_first just before, and an event to
 * take. */
static inline void wi_pending_pop(wi_pending *p, weir_event *out)
{
    const wi_heap_key key = pending_key_pop(p);
    const uint32_t handle = wi_key_handle(key);
    p->count--;
    out->time_ps = wi_key_time(key);
    out->tie = wi_key_tie(key);
    if (!(handle & WI_HANDLE_STREAM)) {
        wi_body_read(p, (const wi_body *)wi_cells_at(&p->bodies, handle), out);
        wi_cells_free(&p->bodies, handle);
        return;
    }
    const uint32_t source = handle & ~WI_HANDLE_STREAM;
    wi_stream *s = &p->streams[source];
    const uint32_t i = s->head;
    const wi_streamed *cell = (const wi_streamed *)wi_cells_at(&p->streamed, i);
    const uint32_t next = cell->link;
    wi_streamed_read(p, source, cell, out);
    wi_cells_free(&p->streamed, i);
    if (i == s->tail) {
        s->head = WI_NONE;
        return;
    }
    s->head = next;
    cell = (const wi_streamed *)wi_cells_at(&p->streamed, next);
    pending_key_add(p, wi_key_make(cell->time_ps, weir_tie(p->seed, source, cell->soon.seq), handle));
}

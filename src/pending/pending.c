/* Set-up, growth and the rare cases of the pending set; see pending.h. */
#include "pending/pending.h"

#include "base/order.h"
#include "pending/events.h"
#include "pending/pages.h"

static int cells_reserve(wi_cells *c, size_t more)
{
    const size_t wanted = (size_t)c->used + more;
    if (wanted <= c->capacity)
        return 1;
    size_t capacity = c->capacity ? c->capacity + c->capacity / 2 : 1024;
    if (capacity < wanted)
        capacity = wanted;
    if (capacity > WI_HANDLE_STREAM)
        return 0;
    unsigned char *base = wi_pages_grow(c->base, c->capacity * c->stride, capacity * c->stride);
    if (!base)
        return 0;
    c->base = base;
    c->capacity = capacity;
    return 1;
}

int wi_pending_init(wi_pending *p, uint64_t seed, uint32_t n_entities, uint32_t payload_bytes,
                    int with_streams)
{
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->n_entities = n_entities;
    p->payload_bytes = payload_bytes;
    if (!wi_ladder_init(&p->keys))
        return 0;
    p->bodies.stride = sizeof(wi_body) + payload_bytes;
    p->streamed.stride = sizeof(wi_streamed) + payload_bytes;
    p->bodies.free_head = p->streamed.free_head = WI_NONE;
    if (with_streams) {
        p->streams = wi_pages_new((size_t)n_entities * sizeof *p->streams);
        if (!p->streams)
            return 0;
        for (uint32_t i = 0; i < n_entities; i++)
            p->streams[i] = (wi_stream){WI_NONE, WI_NONE, 0};
    }
    return wi_pending_reserve(p, 64);
}

void wi_pending_free(wi_pending *p)
{
    wi_ladder_free(&p->keys);
    wi_pages_free(p->bodies.base, p->bodies.capacity * p->bodies.stride);
    wi_pages_free(p->streamed.base, p->streamed.capacity * p->streamed.stride);
    wi_pages_free(p->streams, (size_t)p->n_entities * sizeof *p->streams);
    memset(p, 0, sizeof *p);
}

int wi_pending_reserve(wi_pending *p, size_t more)
{
    if (p->hole) { /* the ladder may move keys, and must not see one that has left */
        p->hole = 0;
        wi_heap_pop(&p->keys.near);
    }
    return wi_ladder_reserve(&p->keys, more + 1) && cells_reserve(&p->bodies, more) &&
           (!p->streams || cells_reserve(&p->streamed, more));
}

void wi_pending_refill(wi_pending *p)
{
    const wi_ladder *l = &p->keys;
    wi_ladder_refill(&p->keys);
    for (size_t i = l->run_at; i < l->run_n && i < l->run_at + WI_AHEAD_BODY; i++)
        if (!(wi_key_handle(l->run[i]) & WI_HANDLE_STREAM))
            __builtin_prefetch(wi_cells_at(&p->bodies, wi_key_handle(l->run[i])));
}

/* The whole event that a key stands for, without taking it. */
static void pending_look(const wi_pending *p, wi_heap_key key, weir_event *out)
{
    const uint32_t handle = wi_key_handle(key), source = handle & ~WI_HANDLE_STREAM;
    out->time_ps = wi_key_time(key);
    out->tie = wi_key_tie(key);
    if (handle & WI_HANDLE_STREAM)
        wi_streamed_read(p, source, wi_cells_at(&p->streamed, p->streams[source].head), out);
    else
        wi_body_read(p, wi_cells_at(&p->bodies, handle), out);
}

/* Order of events with equal time and tie. */
static int before(const weir_event *a, const weir_event *b)
{
    if (a->source != b->source)
        return a->source < b->source;
    return weir_seq_before(a->seq, b->seq);
}

/* Look for an earlier event than *best among the keys below and at `i` that have the root's time and tie;
 * they hang together, since no key is smaller than its parent. The depth is that of the heap. */
static size_t least_of_same(const wi_pending *p, size_t i, size_t least, wi_event_room *best)
{
    wi_event_room other;
    if (i >= p->keys.near.n || !wi_key_same(p->keys.near.a[i], p->keys.near.a[0]))
        return least;
    pending_look(p, p->keys.near.a[i], &other.event);
    if (i == 0 || before(&other.event, &best->event)) {
        memcpy(best, &other, sizeof other);
        least = i;
    }
    for (size_t c = 4 * i + 1; c <= 4 * i + 4; c++)
        least = least_of_same(p, c, least, best);
    return least;
}

void wi_pending_settle(wi_pending *p)
{
    if (wi_key_same(p->keys.run[p->keys.run_at], wi_ladder_least(&p->keys)))
        wi_ladder_run_to_heap(&p->keys);
    wi_event_room best;
    const size_t least = least_of_same(p, 0, 0, &best);
    /* Keys of equal time and tie may stand in any order of handles: the heap needs time and tie only. */
    const wi_heap_key root = p->keys.near.a[0];
    p->keys.near.a[0] = p->keys.near.a[least];
    p->keys.near.a[least] = root;
}

typedef struct visit {
    const wi_pending *p;
    void (*visit)(void *user, const weir_event *event);
    void *user;
} visit;

/* The event of a key, and those behind it when it stands for a stream. */
static void visit_key(void *all, wi_heap_key key)
{
    const visit *v = all;
    const wi_pending *p = v->p;
    const uint32_t handle = wi_key_handle(key), source = handle & ~WI_HANDLE_STREAM;
    wi_event_room one;
    if (!(handle & WI_HANDLE_STREAM)) {
        pending_look(p, key, &one.event);
        v->visit(v->user, &one.event);
        return;
    }
    const wi_stream *s = &p->streams[source];
    for (uint32_t i = s->head;;) {
        const wi_streamed *cell = wi_cells_at(&p->streamed, i);
        wi_streamed_read(p, source, cell, &one.event);
        one.event.time_ps = cell->time_ps;
        one.event.tie = weir_tie(p->seed, source, cell->soon.seq);
        v->visit(v->user, &one.event);
        if (i == s->tail)
            break;
        i = cell->link;
    }
}

void wi_pending_visit(const wi_pending *p, void (*visit_event)(void *user, const weir_event *event),
                      void *user)
{
    visit v = {p, visit_event, user};
    wi_ladder_visit(&p->keys, p->hole, visit_key, &v);
}

/* ---- removal ---- */

static int annihilate_each_other(const weir_event *a, const weir_event *b)
{
    return a->source == b->source && a->seq == b->seq && (a->instance ^ b->instance) == WI_INSTANCE_ANTI &&
           a->time_ps == b->time_ps;
}

/* Drop the pairs of events that lie next to or near each other, all of one time and tie. */
static uint32_t drop_pairs(wi_events *e)
{
    uint32_t pairs = 0;
    for (size_t i = 0; i < e->n; i++) {
        size_t k = i + 1;
        while (k < e->n && !annihilate_each_other(wi_events_at(e, i), wi_events_at(e, k)))
            k++;
        if (k >= e->n)
            continue;
        memmove(wi_events_at(e, k), wi_events_at(e, k + 1), (e->n - k - 1) * e->stride);
        memmove(wi_events_at(e, i), wi_events_at(e, i + 1), (e->n - i - 2) * e->stride);
        e->n -= 2;
        pairs++;
        i--;
    }
    return pairs;
}

uint32_t wi_pending_annihilate(wi_pending *p, int *failed)
{
    wi_events e = {.stride = sizeof(weir_event) + p->payload_bytes};
    wi_event_room one;
    const weir_time at_ps = wi_pending_first(p);
    for (int more = 1; more && !e.failed;) {
        more = wi_pending_tied(p);
        wi_pending_pop(p, &one.event);
        wi_events_add(&e, &one.event);
        more = more && wi_pending_first(p) == at_ps;
    }
    const uint32_t pairs = e.failed ? 0 : drop_pairs(&e);
    *failed |= e.failed || !wi_pending_reserve(p, e.n);
    for (size_t i = 0; i < e.n && !*failed; i++)
        wi_pending_add(p, wi_events_at(&e, i), 0);
    free(e.at);
    return pairs;
}

static int compare(const void *x, const void *y)
{
    const weir_event *a = x, *b = y;
    const int i = a->instance & ~WI_INSTANCE_ANTI, k = b->instance & ~WI_INSTANCE_ANTI;
    return WI_ORDER(a->time_ps, b->time_ps) ?: WI_ORDER(a->source, b->source) ?: WI_ORDER(a->seq, b->seq) ?: WI_ORDER(i, k);
}

int wi_pending_visit_net(const wi_pending *p, void (*visit_event)(void *user, const weir_event *event),
                         void *user)
{
    wi_events e = {.stride = sizeof(weir_event) + p->payload_bytes};
    wi_pending_visit(p, wi_events_add, &e);
    if (!e.failed && e.n > 1)
        qsort(e.at, e.n, e.stride, compare);
    for (size_t i = 0; i < e.n && !e.failed; i++) {
        if (i + 1 < e.n && annihilate_each_other(wi_events_at(&e, i), wi_events_at(&e, i + 1)))
            i++;
        else
            visit_event(user, wi_events_at(&e, i));
    }
    free(e.at);
    return !e.failed;
}

size_t wi_pending_event_bytes(const wi_pending *p)
{
    return wi_ladder_bytes(&p->keys) + (size_t)p->bodies.used * p->bodies.stride +
           (size_t)p->streamed.used * p->streamed.stride;
}

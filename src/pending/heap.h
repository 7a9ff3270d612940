/*
 * A 4-ary min-heap of 16-byte keys: time, tie, and a 32-bit handle of what the key stands for.
 *
 * Four children fill one cache line, so a level costs one miss; the root lies at the end of its line for
 * that. Slots past the end hold the greatest key, so that a group of children is always whole and the inner
 * loop has no second bound. Equal (time, tie) of different handles compare by handle here; the pending set
 * puts such rare pairs right.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "weir/time.h"

typedef unsigned __int128 wi_heap_key;

#define WI_KEY_MAX (~(wi_heap_key)0)

typedef struct wi_heap {
    wi_heap_key *a; /* a[0] is the root; a[1] starts a cache line */
    void *room;     /* what was allocated */
    size_t n, capacity;
} wi_heap;

/* A key of a time, a tie and a handle. */
static inline wi_heap_key wi_key_make(weir_time time_ps, uint32_t tie, uint32_t handle)
{
    return ((wi_heap_key)(uint64_t)time_ps << 64) | ((uint64_t)tie << 32) | handle;
}

/* The time of a key. */
static inline weir_time wi_key_time(wi_heap_key key)
{
    return (weir_time)(uint64_t)(key >> 64);
}

/* The handle of a key. */
static inline uint32_t wi_key_handle(wi_heap_key key)
{
    return (uint32_t)key;
}

/* The tie of a key. */
static inline uint32_t wi_key_tie(wi_heap_key key)
{
    return (uint32_t)((uint64_t)key >> 32);
}

/* Whether two keys have the same time and tie, so that only source and sequence number can order them. */
static inline bool wi_key_same(wi_heap_key a, wi_heap_key b)
{
    return wi_key_time(a) == wi_key_time(b) && wi_key_tie(a) == wi_key_tie(b);
}

/* Room for `capacity` keys. False when memory is short; the heap is then as it was. */
static inline int wi_heap_reserve(wi_heap *h, size_t capacity)
{
    if (capacity <= h->capacity)
        return 1;
    size_t wanted = h->capacity ? 2 * h->capacity : 1024;
    if (wanted < capacity)
        wanted = capacity;
    void *room = NULL;
    if (posix_memalign(&room, 64, (wanted + 8) * sizeof(wi_heap_key)) != 0)
        return 0;
    wi_heap_key *a = (wi_heap_key *)room + 3;
    for (size_t i = 0; i < h->n; i++)
        a[i] = h->a[i];
    for (size_t i = h->n; i < wanted + 5; i++)
        a[i] = WI_KEY_MAX;
    free(h->room);
    h->room = room;
    h->a = a;
    h->capacity = wanted;
    return 1;
}

/* Free the keys. */
static inline void wi_heap_free(wi_heap *h)
{
    free(h->room);
    h->room = NULL;
    h->a = NULL;
    h->n = h->capacity = 0;
}

/* Put `key` at `i` and let it sink. */
static inline void wi_heap_sink_at(wi_heap *h, size_t i, wi_heap_key key)
{
    wi_heap_key *const a = h->a;
    const size_t n = h->n;
    size_t c = 4 * i + 1;
    while (c < n) {
        const size_t left = a[c + 1] < a[c] ? c + 1 : c;
        const size_t right = a[c + 3] < a[c + 2] ? c + 3 : c + 2;
        const size_t least = a[right] < a[left] ? right : left;
        if (key <= a[least])
            break;
        a[i] = a[least];
        i = least;
        c = 4 * i + 1;
    }
    a[i] = key;
}

/* Put `key` where the root is and let it sink. */
static inline void wi_heap_sink(wi_heap *h, wi_heap_key key)
{
    wi_heap_sink_at(h, 0, key);
}

/* Make a heap of n keys in any order. */
static inline void wi_heap_build(wi_heap *h)
{
    for (size_t i = h->n > 1 ? (h->n - 2) / 4 + 1 : 0; i-- > 0;)
        wi_heap_sink_at(h, i, h->a[i]);
}

/* Add a key; room must have been reserved. */
static inline void wi_heap_push(wi_heap *h, wi_heap_key key)
{
    wi_heap_key *const a = h->a;
    size_t i = h->n++;
    while (i > 0) {
        const size_t parent = (i - 1) / 4;
        if (a[parent] <= key)
            break;
        a[i] = a[parent];
        i = parent;
    }
    a[i] = key;
}

/* Remove the root; the heap must not be empty. */
static inline void wi_heap_pop(wi_heap *h)
{
    const wi_heap_key last = h->a[--h->n];
    h->a[h->n] = WI_KEY_MAX;
    if (h->n > 0)
        wi_heap_sink(h, last);
}

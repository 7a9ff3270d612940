/* For bench_pending: a binary heap of the same 16-byte keys. */
#ifndef BENCH_PENDING_BINARY_H
#define BENCH_PENDING_BINARY_H

#include "pending/heap.h"

typedef struct binary_heap {
    wi_heap_key *a; /* a[1] is the root */
    size_t n, capacity;
} binary_heap;

static void binary_push(binary_heap *h, wi_heap_key key)
{
    if (h->n + 2 > h->capacity) {
        h->capacity = 2 * h->capacity + 1024;
        h->a = realloc(h->a, h->capacity * sizeof *h->a);
        if (!h->a)
            abort();
    }
    size_t i = ++h->n;
    for (; i > 1 && h->a[i / 2] > key; i /= 2)
        h->a[i] = h->a[i / 2];
    h->a[i] = key;
}

static wi_heap_key binary_pop(binary_heap *h)
{
    const wi_heap_key least = h->a[1], key = h->a[h->n--];
    size_t i = 1, c = 2;
    for (; c <= h->n; c = 2 * i) {
        if (c < h->n && h->a[c + 1] < h->a[c])
            c++;
        if (key <= h->a[c])
            break;
        h->a[i] = h->a[c];
        i = c;
    }
    h->a[i] = key;
    return least;
}

#endif

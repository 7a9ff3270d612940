/* For bench_pending: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) with two-pass merging. */
#ifndef BENCH_PENDING_PAIRING_H
#define BENCH_PENDING_PAIRING_H

#include "pending/heap.h"

typedef struct pairing_node {
    wi_heap_key key;
    uint32_t child, next; /* 0: none */
} pairing_node;

typedef struct pairing_heap {
    pairing_node *node; /* node 0 is nobody */
    uint32_t root, free, used, capacity;
} pairing_heap;

static uint32_t pairing_meld(pairing_heap *h, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return a ? a : b;
    if (h->node[b].key < h->node[a].key) {
        const uint32_t t = a;
        a = b;
        b = t;
    }
    h->node[b].next = h->node[a].child;
    h->node[a].child = b;
    return a;
}

static void pairing_push(pairing_heap *h, wi_heap_key key)
{
    uint32_t i = h->free;
    if (i) {
        h->free = h->node[i].next;
    } else {
        if (h->used + 2 > h->capacity) {
            h->capacity = 2 * h->capacity + 1024;
            h->node = realloc(h->node, h->capacity * sizeof *h->node);
            if (!h->node)
                abort();
        }
        i = ++h->used;
    }
    h->node[i] = (pairing_node){key, 0, 0};
    h->root = pairing_meld(h, h->root, i);
}

static wi_heap_key pairing_pop(pairing_heap *h)
{
    const uint32_t root = h->root;
    const wi_heap_key least = h->node[root].key;
    uint32_t pairs = 0, i = h->node[root].child;
    while (i) {
        const uint32_t a = i, b = h->node[a].next;
        i = b ? h->node[b].next : 0;
        h->node[a].next = 0;
        if (b)
            h->node[b].next = 0;
        const uint32_t pair = pairing_meld(h, a, b);
        h->node[pair].next = pairs;
        pairs = pair;
    }
    uint32_t merged = 0;
    while (pairs) {
        const uint32_t rest = h->node[pairs].next;
        h->node[pairs].next = 0;
        merged = pairing_meld(h, merged, pairs);
        pairs = rest;
    }
    h->root = merged;
    h->node[root].next = h->free;
    h->free = root;
    return least;
}

#endif

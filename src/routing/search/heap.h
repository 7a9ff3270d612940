/* Nodes by their distances so far: a heap that knows where each node stands in it. */
#pragma once

#include "routing/search/tree.h"

#define WI_HEAP_ARITY 4u

/* One entry a node. */
typedef struct wi_heap_entry {
    weir_cost dist;
    uint32_t node;
} wi_heap_entry;

/* The queue of the breadth-first search takes the memory of `where`. */
struct weir_route_space {
    uint32_t n;
    uint32_t max_degree;
    uint32_t *where;     /* [n]: position in the heap */
    weir_cost *dist;     /* [n]: distances that the caller does not want */
    wi_heap_entry *heap; /* [n] */
    /* Of searches from both ends (pair.c): the ends' own spaces, null before the first. And of an end: the nodes that it has seen,
     * in the order of their first distances; all other distances are WEIR_NO_WAY. */
    struct weir_route_space *end[2];
    uint32_t *seen, n_seen;
    uint32_t waiting, head; /* heap[head] to heap[head + waiting - 1] wait; head is above 0 only in_order */
    bool in_order;          /* what waits has come in rising distance, so that the heap is a queue */
};

static inline void wi_heap_up(wi_tree_space *space, uint32_t at, wi_heap_entry moved)
{
    while (at > 0) {
        const uint32_t parent = (at - 1) / WI_HEAP_ARITY;
        if (space->heap[parent].dist <= moved.dist)
            break;
        space->heap[at] = space->heap[parent];
        space->where[space->heap[at].node] = at;
        at = parent;
    }
    space->heap[at] = moved;
    space->where[moved.node] = at;
}

/* The least of up to WI_HEAP_ARITY kids, the first of which is number `kid`. */
static inline uint32_t wi_heap_least(const wi_heap_entry *heap, uint32_t kid, uint32_t size)
{
    if (kid + WI_HEAP_ARITY <= size) {
        const uint32_t a = kid + (heap[kid + 1].dist < heap[kid].dist);
        const uint32_t b = kid + 2 + (heap[kid + 3].dist < heap[kid + 2].dist);
        return heap[b].dist < heap[a].dist ? b : a;
    }
    uint32_t least = kid;
    for (uint32_t k = kid + 1; k < size; ++k)
        least = heap[k].dist < heap[least].dist ? k : least;
    return least;
}

static inline uint32_t wi_heap_pop(wi_tree_space *space, uint32_t *size)
{
    wi_heap_entry *const heap = space->heap;
    const uint32_t top = heap[0].node;
    const wi_heap_entry moved = heap[--*size];
    uint32_t at = 0;
    for (;;) {
        const uint32_t kid = WI_HEAP_ARITY * at + 1;
        if (kid >= *size)
            break;
        const uint32_t least = wi_heap_least(heap, kid, *size);
        if (heap[least].dist >= moved.dist)
            break;
        heap[at] = heap[least];
        space->where[heap[at].node] = at;
        at = least;
    }
    heap[at] = moved;
    space->where[moved.node] = at;
    return top;
}

/*
 * A graph in the making: places in a plane and pairs of ends, as the models of BRITE draw them, before links
 * have rates and delays. Hierarchical models put several sketches together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "weir/random.h"
#include "weir/status.h"

typedef struct wi_sketch_link {
    uint32_t a, b;
    uint64_t rate_bps; /* 0: not given */
} wi_sketch_link;

typedef struct wi_sketch {
    uint32_t n;
    double *x, *y;       /* [n]: plane kilometres */
    uint32_t *as_number; /* [n]: 0: none */
    wi_owned memory;     /* of these */
    wi_sketch_link *link;
    size_t n_links, capacity;
    bool no_memory; /* a link could not be added */
} wi_sketch;

/* Make a sketch of n nodes without links; WEIR_E_NOMEM. The caller frees it in any case. */
weir_status wi_sketch_init(weir_diag *diag, wi_sketch *sketch, uint32_t n);
/* Free a sketch; a zeroed one is empty. */
void wi_sketch_free(wi_sketch *sketch);
/* Add a link; a failure is remembered in no_memory. */
void wi_sketch_join(wi_sketch *sketch, uint32_t a, uint32_t b);
/* Report WEIR_E_NOMEM when a link could not be added. */
weir_status wi_sketch_check(weir_diag *diag, const wi_sketch *sketch);
/* Count degrees, [n], the caller's to free; null when memory is short. */
uint32_t *wi_sketch_degrees(const wi_sketch *sketch);

/* A set of unordered pairs of nodes, by open addressing. Zeroed: empty. */
typedef struct wi_pair_set {
    uint64_t *slot; /* (low << 32 | high) + 1; 0 where free */
    size_t n, n_slots;
} wi_pair_set;

/* Free a set. */
void wi_pair_set_free(wi_pair_set *set);
/* Whether the set holds a pair. */
bool wi_pair_set_has(const wi_pair_set *set, uint32_t a, uint32_t b);
/* Add a pair that is not there yet; false when memory is short. */
bool wi_pair_set_add(wi_pair_set *set, uint32_t a, uint32_t b);
/* Remove a pair that is there. */
void wi_pair_set_remove(wi_pair_set *set, uint32_t a, uint32_t b);

/* Find the root of the set that i is in. Sets merge by the lower number, with path halving: root[i] <= i. */
uint32_t wi_set_root(uint32_t *root, uint32_t i);
/* Merge the sets of a and b; false when they are one already. */
bool wi_set_merge(uint32_t *root, uint32_t a, uint32_t b);
/* Find the components of a sketch as such sets, the caller's to free, and how many; null when memory is
 * short. */
uint32_t *wi_sketch_components(const wi_sketch *sketch, uint32_t *count);

/* Join components by one link each, from a random node of the smaller one to a random node outside; report
 * how many in a note. */
weir_status wi_join_up(weir_diag *diag, weir_stream *stream, wi_sketch *sketch);

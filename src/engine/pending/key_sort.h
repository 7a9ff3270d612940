/*
 * Sorting a few hundred keys whose times are spread about evenly: what a bucket of the ladder holds.
 */
#ifndef WI_ENGINE_PENDING_KEY_SORT_H
#define WI_ENGINE_PENDING_KEY_SORT_H

#include "engine/pending/heap.h"

/* Sort n keys by rising order; `spare` is room for as many. */
void wi_key_sort(wi_key *keys, wi_key *spare, size_t n);

#endif

/*
 * Zeroed memory for arrays that are reached at random: large ones lie on huge pages where the system gives
 * them, since with pages of 4 KiB nearly every access to a gigabyte misses the TLB as well as the cache.
 *
 * Sizes are in bytes. Freeing and growing take the size that was asked for.
 */
#pragma once

#include <stddef.h>

/* At least 64-byte aligned. Null when memory is short; size 0 gives a valid pointer. */
void *wi_pages_new(size_t size);
/* The same, of which little may ever be written: pages are small, and there when they are. */
void *wi_pages_new_sparse(size_t size);
/* Grow from `size` to `more` bytes, contents kept, the rest zero. Null when memory is short: `at` is as it
 * was. `at` may be null with size 0. */
void *wi_pages_grow(void *at, size_t size, size_t more);
/* Free memory of `size` bytes. Accepts null. */
void wi_pages_free(void *at, size_t size);

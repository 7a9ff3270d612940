/*
 * Bytes that several images hold as if each had a copy: they stand in memory once, and a page of which one image writes a
 * byte becomes that image's own (MAP_PRIVATE over an anonymous file).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { WI_COW_PAGE = 4096 };

typedef struct wi_cow wi_cow;

/* A copy of `data`; null when memory is short, where the system has no such files, or where address
 * space is limited (ulimit -v), of which mappings take more than copies. */
wi_cow *wi_cow_new(const void *data, size_t size);
/* Images that have them keep them. Accepts null. */
void wi_cow_free(wi_cow *pages);
/* The bytes, for reading. */
const void *wi_cow_data(const wi_cow *pages);

/* A block of `size` bytes and those of the pages, up to whole pages: `data` first, then the pages. `size` is a multiple of
 * WI_COW_PAGE. To be freed by wi_cow_unmap with *all; null when memory is short. */
void *wi_cow_map(const void *data, size_t size, const wi_cow *pages, size_t *all);
/* Free a block of wi_cow_map. */
void wi_cow_unmap(void *block, size_t all);

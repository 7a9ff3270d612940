/* The memory that is one entity's own: its state, and its slots of each pool, those in use and some more. What a handler
 * may write. */
#pragma once

#include "engine/core/engine.h"

typedef struct wi_own_piece {
    unsigned char *at;
    size_t bytes;
    const char *what; /* name of the kind or pool */
} wi_own_piece;

typedef struct wi_own {
    wi_own_piece pieces[1 + WEIR_POOLS_MAX];
    size_t n, bytes;
} wi_own;

/* An entity's own memory. */
wi_own wi_own_of(const weir_sim *sim, uint32_t entity, uint32_t kind);
/* All of it, one piece behind the other, to `to`. */
void wi_own_copy(unsigned char *to, const wi_own *own);
/* Whether memory lies within one piece; *offset is then its place in such a copy. */
bool wi_own_has(const wi_own *own, const void *at, size_t bytes, size_t *offset);
/* The piece of a place in such a copy; *offset becomes the place within it. */
const wi_own_piece *wi_own_piece_at(const wi_own *own, size_t *offset);

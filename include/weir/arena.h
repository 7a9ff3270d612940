/**
 * Memory for set-up: many small blocks that live and die together.
 *
 * A bump allocator over large chunks. Blocks are aligned to 64 bytes, a cache line, and zeroed; they never
 * move and are not freed one by one. An arena belongs to one thread at a time.
 */
#ifndef WEIR_ARENA_H
#define WEIR_ARENA_H

#include <stddef.h>

#include "weir/fn.h"

#define WEIR_ARENA_ALIGN 64

typedef struct weir_arena weir_arena;

/** An empty arena, or null when memory is short. chunk_bytes 0: 1 MiB. */
WEIR_API weir_arena *weir_arena_new(size_t chunk_bytes);
/** Frees all blocks; null is allowed. */
WEIR_API void weir_arena_free(weir_arena *arena);

/** A zeroed block of count * size bytes, or null when memory is short or the product overflows. Zero bytes
 * give a block of their own, too. */
WEIR_API void *weir_arena_alloc(weir_arena *arena, size_t count, size_t size);
/** A copy of a string in the arena, or null when memory is short. */
WEIR_API char *weir_arena_strdup(weir_arena *arena, const char *text);

/** Bytes handed out, with their padding. */
WEIR_API size_t weir_arena_used(const weir_arena *arena);

#endif

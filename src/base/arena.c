/* Chunks in a list, the newest first; a block that is larger than a chunk gets a chunk of its own. */
#include "weir/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct chunk {
    struct chunk *next;
    size_t capacity, used; /* of the bytes after the header, which takes one alignment unit */
} chunk;

struct weir_arena {
    chunk *chunks;
    size_t chunk_bytes, used;
};

_Static_assert(sizeof(chunk) <= WEIR_ARENA_ALIGN, "a chunk's header fits one alignment unit");

weir_arena *weir_arena_new(size_t chunk_bytes)
{
    weir_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return NULL;
    const size_t wanted = chunk_bytes ? chunk_bytes : (size_t)1 << 20;
    arena->chunk_bytes = wanted < SIZE_MAX / 2
                             ? (wanted + WEIR_ARENA_ALIGN - 1) & ~(size_t)(WEIR_ARENA_ALIGN - 1)
                             : SIZE_MAX / 2 + 1;
    return arena;
}

void weir_arena_free(weir_arena *arena)
{
    if (!arena)
        return;
    for (chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(arena);
}

static chunk *add_chunk(weir_arena *arena, size_t bytes)
{
    const size_t capacity = bytes > arena->chunk_bytes ? bytes : arena->chunk_bytes;
    if (capacity > SIZE_MAX - WEIR_ARENA_ALIGN)
        return NULL;
    chunk *c = aligned_alloc(WEIR_ARENA_ALIGN, WEIR_ARENA_ALIGN + capacity);
    if (!c)
        return NULL;
    *c = (chunk){.next = arena->chunks, .capacity = capacity};
    arena->chunks = c;
    return c;
}

void *weir_arena_alloc(weir_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    bytes = bytes ? (bytes + WEIR_ARENA_ALIGN - 1) & ~(size_t)(WEIR_ARENA_ALIGN - 1) : WEIR_ARENA_ALIGN;
    chunk *c = arena->chunks;
    if (!c || c->capacity - c->used < bytes)
        c = add_chunk(arena, bytes);
    if (!c)
        return NULL;
    unsigned char *block = (unsigned char *)c + WEIR_ARENA_ALIGN + c->used;
    c->used += bytes;
    arena->used += bytes;
    return memset(block, 0, bytes);
}

char *weir_arena_strdup(weir_arena *arena, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = weir_arena_alloc(arena, bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

size_t weir_arena_used(const weir_arena *arena)
{
    return arena->used;
}

/* The undo log: old bytes and counter additions, newest last, put back from the end. */
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"

/* `ptr` of a counter has its highest bit set, which no address of a program has. */
typedef struct undo_entry {
    uintptr_t ptr;
    int64_t size; /* or the delta, of a counter */
} undo_entry;

static const uintptr_t counter_bit = (uintptr_t)1 << (8 * sizeof(uintptr_t) - 1);

static int grow(weir_undo *undo, size_t size)
{
    if (undo->more)
        return undo->more(undo, size);
    const size_t capacity = 2 * undo->capacity + size + 4096;
    unsigned char *bytes = realloc(undo->bytes, capacity);
    if (!bytes)
        return 0;
    undo->bytes = bytes;
    undo->capacity = capacity;
    return 1;
}

static inline unsigned char *undo_room(weir_undo *undo, size_t size)
{
    if (WEIR_UNLIKELY(undo->capacity - undo->used < size) && !grow(undo, size)) {
        undo->failed = 1;
        return NULL;
    }
    unsigned char *at = undo->bytes + undo->used;
    undo->used += size;
    return at;
}

/* Each entry is its old bytes, rounded up, and then its head, so that it can be read backwards. */
static inline size_t rounded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

void weir_undo_bytes(weir_undo *undo, void *ptr, size_t size)
{
    const undo_entry entry = {(uintptr_t)ptr, (int64_t)size};
    unsigned char *at = size ? undo_room(undo, rounded(size) + sizeof entry) : NULL;
    if (!at)
        return;
    if (size % 8 == 0) {
        for (size_t i = 0; i < size; i += 8)
            memcpy(at + i, (const unsigned char *)ptr + i, 8);
    } else {
        memcpy(at, ptr, size);
        memset(at + size, 0, rounded(size) - size); /* so that two logs can be compared */
    }
    memcpy(at + rounded(size), &entry, sizeof entry);
}

void weir_undo_count(weir_undo *undo, int64_t *counter, int64_t delta)
{
    const undo_entry entry = {(uintptr_t)counter | counter_bit, delta};
    unsigned char *at = undo_room(undo, sizeof entry);
    if (at)
        memcpy(at, &entry, sizeof entry);
}

void wi_undo_apply(const unsigned char *bytes, size_t used)
{
    while (used > 0) {
        undo_entry entry;
        used -= sizeof entry;
        memcpy(&entry, bytes + used, sizeof entry);
        if (entry.ptr & counter_bit) {
            *(int64_t *)(entry.ptr & ~counter_bit) -= entry.size;
        } else {
            used -= rounded((size_t)entry.size);
            memcpy((void *)entry.ptr, bytes + used, (size_t)entry.size);
        }
    }
}

void wi_undo_rollback(weir_undo *undo)
{
    wi_undo_apply(undo->bytes, undo->used);
    undo->used = 0;
}

size_t wi_undo_before(const weir_undo *undo, size_t at, const void **ptr, size_t *size)
{
    undo_entry entry;
    memcpy(&entry, undo->bytes + at - sizeof entry, sizeof entry);
    *size = entry.ptr & counter_bit ? 0 : (size_t)entry.size;
    *ptr = (const void *)(entry.ptr & ~counter_bit);
    return at - sizeof entry - rounded(*size);
}

void wi_undo_clear(weir_undo *undo)
{
    undo->used = 0;
}

void wi_undo_free(weir_undo *undo)
{
    free(undo->bytes);
    memset(undo, 0, sizeof *undo);
}

/* The undo log: old bytes and counter additions, newest last, put back from the end. */
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"

typedef struct undo_entry {
    void *ptr;
    size_t size;   /* 0: a counter */
    int64_t delta; /* of a counter */
} undo_entry;

static unsigned char *undo_room(weir_undo *undo, size_t size)
{
    if (undo->capacity - undo->used < size) {
        size_t capacity = 2 * undo->capacity + size + 4096;
        unsigned char *bytes = realloc(undo->bytes, capacity);
        if (!bytes) {
            undo->failed = 1;
            return NULL;
        }
        undo->bytes = bytes;
        undo->capacity = capacity;
    }
    unsigned char *at = undo->bytes + undo->used;
    undo->used += size;
    return at;
}

/* Each entry is its old bytes, rounded up, and then its head, so that it can be read backwards. */
static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

void weir_undo_bytes(weir_undo *undo, void *ptr, size_t size)
{
    const undo_entry entry = {ptr, size, 0};
    unsigned char *at = size ? undo_room(undo, rounded(size) + sizeof entry) : NULL;
    if (!at)
        return;
    memcpy(at, ptr, size);
    memset(at + size, 0, rounded(size) - size); /* so that two logs can be compared */
    memcpy(at + rounded(size), &entry, sizeof entry);
}

void weir_undo_count(weir_undo *undo, int64_t *counter, int64_t delta)
{
    const undo_entry entry = {counter, 0, delta};
    unsigned char *at = undo_room(undo, sizeof entry);
    if (at)
        memcpy(at, &entry, sizeof entry);
}

void wi_undo_rollback(weir_undo *undo)
{
    while (undo->used > 0) {
        undo_entry entry;
        undo->used -= sizeof entry;
        memcpy(&entry, undo->bytes + undo->used, sizeof entry);
        if (entry.size == 0) {
            *(int64_t *)entry.ptr -= entry.delta;
        } else {
            undo->used -= rounded(entry.size);
            memcpy(entry.ptr, undo->bytes + undo->used, entry.size);
        }
    }
}

size_t wi_undo_before(const weir_undo *undo, size_t at, const void **ptr, size_t *size)
{
    undo_entry entry;
    memcpy(&entry, undo->bytes + at - sizeof entry, sizeof entry);
    *ptr = entry.ptr;
    *size = entry.size;
    return at - sizeof entry - rounded(entry.size);
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

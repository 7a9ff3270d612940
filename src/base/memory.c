/* Owned memory: pieces in a list, each behind its link. */
#include "base/memory.h"

typedef union piece {
    union piece *next;
    max_align_t align;
} piece;

void *wi_take(wi_owned *owned, size_t n, size_t size)
{
    piece *one = size && n <= (SIZE_MAX - sizeof *one) / size ? calloc(1, sizeof *one + n * size) : NULL;
    owned->failed |= !one;
    if (!one)
        return NULL;
    one->next = owned->last;
    owned->last = one;
    return one + 1;
}

void wi_owned_free(wi_owned *owned)
{
    for (piece *one = owned->last, *next; one; one = next) {
        next = one->next;
        free(one);
    }
    *owned = (wi_owned){0};
}

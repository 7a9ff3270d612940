/* Blocks, and owned memory: pieces in a list, each behind its link. */
#include "base/memory.h"

#include <sys/mman.h>

void *wi_new_block(uint64_t bytes)
{
    enum { LINE = 64, LARGE_PAGE = 1 << 21 };
    const bool large = bytes >= LARGE_PAGE;
    void *p = NULL;
    if (bytes > SIZE_MAX / 2 || posix_memalign(&p, large ? LARGE_PAGE : LINE, bytes ? bytes : LINE) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (large)
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* a refusal costs speed only */
#endif
    return p;
}

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

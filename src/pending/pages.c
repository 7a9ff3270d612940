/* Small sizes come from the heap, large ones straight from the system; see pages.h. */
#include "pending/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 1 << 21, LARGE = 1 << 22, LINE = 64 };

static size_t rounded(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

/* Map `size`, a multiple of HUGE, at a multiple of HUGE. */
static void *map(size_t size, int flags, int advice)
{
    unsigned char *all =
        mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    const size_t before = rounded((uintptr_t)all, HUGE) - (uintptr_t)all;
    if (before > 0)
        munmap(all, before);
    munmap(all + before + size, HUGE - before);
    /* A refusal costs speed only. */
    (void)madvise(all + before, size, advice);
    return all + before;
}

static void *new_pages(size_t size, int flags, int advice)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    if (size >= LARGE)
        return map(rounded(size, HUGE), flags, advice);
    void *at = aligned_alloc(LINE, rounded(size ? size : 1, LINE));
    if (at)
        memset(at, 0, rounded(size ? size : 1, LINE));
    return at;
}

void *wi_pages_new(size_t size)
{
    return new_pages(size, 0, MADV_HUGEPAGE);
}

void *wi_pages_new_sparse(size_t size)
{
    return new_pages(size, MAP_NORESERVE, MADV_NOHUGEPAGE);
}

void *wi_pages_grow(void *at, size_t size, size_t more)
{
    unsigned char *grown = wi_pages_new(more);
    if (!grown)
        return NULL;
    if (size < LARGE) {
        if (size > 0)
            memcpy(grown, at, size);
        wi_pages_free(at, size);
        return grown;
    }
    /* Large to large: the pages move, nothing is copied. */
    const size_t old = rounded(size, HUGE);
    if (mremap(at, old, old, MREMAP_MAYMOVE | MREMAP_FIXED, grown) != MAP_FAILED)
        return grown;
    wi_pages_free(grown, more);
    return NULL;
}

void wi_pages_free(void *at, size_t size)
{
    if (!at)
        return;
    if (size >= LARGE)
        munmap(at, rounded(size, HUGE));
    else
        free(at);
}

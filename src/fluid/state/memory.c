/* Arrays of the fluid, and the error where there is no memory for one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fluid/state/internal.h"

weir_status wi_fluid_no_memory(weir_diag *diag, uint64_t bytes, const char *what)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for %llu bytes of the fluid's %s",
                     (unsigned long long)bytes, what);
}

/* Rows beyond what lags reach: steps that are begun. */
enum { SPARE = 6 };

uint32_t wi_fluid_rows(const fluid_tables *t, double steps)
{
    const uint32_t rows = (uint32_t)ceil(steps) + t->lookahead + SPARE;
    return (rows + FLUID_LINE - 1) / FLUID_LINE * FLUID_LINE;
}

enum { LINE = 64, LARGE_PAGE = 1 << 21 };

/* A hint: histories are many and each is touched a line at a time, so that small pages miss the TLB. */
static void ask_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)1 << 21, end = (uintptr_t)p + bytes;
    const uintptr_t first = ((uintptr_t)p + page - 1) & ~(page - 1);
    if (end >= first + page)
        (void)madvise((void *)first, (end - first) & ~(page - 1), MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}

/* At a line of memory, so that rows of a block fill whole ones; large arrays at a large page. */
void *wi_fluid_array(weir_diag *diag, uint64_t n, size_t size, const char *what)
{
    const size_t page = n > LARGE_PAGE / size ? LARGE_PAGE : LINE, bytes = n > 0 ? n * size : 1;
    void *p = NULL;
    if (n > (SIZE_MAX - LARGE_PAGE) / size || posix_memalign(&p, page, bytes) != 0) {
        wi_fluid_no_memory(diag, n * size, what);
        return NULL;
    }
    ask_large_pages(p, bytes);
    return memset(p, 0, bytes);
}

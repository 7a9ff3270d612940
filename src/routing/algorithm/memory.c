/* Memory of lanes and the clock, for all algorithms; see algorithm.h. */
#include "routing/algorithm/algorithm.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *wi_alloc_lanes(uint64_t bytes)
{
    const size_t align = bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
    void *p = NULL;
    if (bytes > SIZE_MAX - HUGE_PAGE || posix_memalign(&p, align, bytes ? bytes : 64) != 0)
        return NULL;
    if (align == HUGE_PAGE)
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint: fewer page faults and TLB misses */
    return p;
}

double wi_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

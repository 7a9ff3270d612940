/* Wall-clock time, for progress and summaries; never for anything simulated. */
#ifndef WI_BASE_CLOCK_H
#define WI_BASE_CLOCK_H

#include <time.h>

/* Seconds since some time in the past; steady. */
static inline double wi_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

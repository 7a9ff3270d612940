/* Wall-clock time, for progress and summaries; never for anything simulated. */
#pragma once

#include <pthread.h>
#include <time.h>

/* Seconds since some time in the past; steady. */
static inline double wi_clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Wait for a condition, less than a second and `for_ns` at the most. The lock is held, as for pthread_cond_wait. */
static inline void wi_clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock, long for_ns)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += for_ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_cond_timedwait(condition, lock, &until);
}

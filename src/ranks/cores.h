/*
 * Where threads run. Threads that wait for each other in turn are never runnable at the same time if they
 * sleep while they wait, so that a scheduler sees no reason to move them off the one core where waking each
 * other has brought them together. They have to see it themselves.
 *
 * Linux only; elsewhere no core is known, and none is left.
 */
#ifndef WI_RANKS_CORES_H
#define WI_RANKS_CORES_H

#include <stdint.h>

#define WI_CORE_UNKNOWN UINT32_MAX

/* Cores that the calling thread may use, at least 1. */
uint32_t wi_cores_allowed(void);
/* The core that the calling thread is on. */
uint32_t wi_core_here(void);
/* Move the calling thread to a core that it may use and that is not among the n `taken`; false when there is
 * none. The thread is not tied to it: the scheduler may move it on at any time. */
int wi_core_leave(const uint32_t *taken, uint32_t n);

#endif

/* Admission by memory: runs at once take no more than there is. The bytes of a run are known when its subject
 * is built (the estimate of `weir check`); until then it counts as the largest so far, and the first one as
 * all memory, so that it is built alone. A run that needs more than all memory is admitted when no other is
 * in; then it fits, or fails by name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct wi_quota wi_quota;
struct wi_common;

/* Makes a quota of so many bytes; null when memory is short. All that follow accept null, and then admit
 * every run. */
wi_quota *wi_quota_new(double bytes);
/* Frees a quota; accepts null. */
void wi_quota_free(wi_quota *quota);
/* Counts what runs share, too. To be called before any run enters. */
void wi_quota_beside(wi_quota *quota, struct wi_common *shared);

/* Waits until a run may be built; returns the bytes that it counts for, for wi_quota_leave. Any thread;
 * `stop` ends the waiting. */
double wi_quota_enter(wi_quota *quota, const volatile int *stop);
/* The same for a run that lacked memory beside others: waits until no other run is in, and keeps others out
 * until its own bytes are known. Not for null. */
double wi_quota_enter_alone(wi_quota *quota, const volatile int *stop);
/* Returns whether two runs were ever in at once. */
bool wi_quota_had_company(wi_quota *quota);
/* The run's own bytes are known: waits where they are more. Returns what it counts for now. */
double wi_quota_change(wi_quota *quota, double counted, double bytes, const volatile int *stop);
/* Gives back what a run counted for. */
void wi_quota_leave(wi_quota *quota, double counted);

/* Did a run have to wait for another's memory? The most that were in at once, and the largest. Any thread. */
bool wi_quota_waited(wi_quota *quota, uint32_t *most, double *largest);

/* Returns the bytes that a process may still take, of the machine, its control group and its own limits,
 * shared by so many processes. */
double wi_quota_memory(uint32_t processes);

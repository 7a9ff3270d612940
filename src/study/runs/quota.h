/* Admission by memory: runs at once take no more than there is. The bytes of a run are known when its subject
 * is built (the estimate of `weir check`); until then it counts as the largest so far, and the first one as
 * all memory, so that it is built alone. A run that needs more than all memory is admitted when no other is
 * in; then it fits, or fails by name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct wi_quota wi_quota;
struct wi_common;

/* Makes a quota of so many bytes, which what runs share (may be null) counts for too; null when memory is short. All that
 * follow accept null, and then admit every run. */
wi_quota *wi_quota_new(double bytes, struct wi_common *shared);
/* Frees a quota; accepts null. */
void wi_quota_free(wi_quota *quota);

/* Waits until a run may be built; returns the bytes that it counts for, for wi_quota_leave. Any thread;
 * `stop` ends the waiting. alone: a run that lacked memory beside others waits until no other is in, and keeps others
 * out until its own bytes are known. */
double wi_quota_enter(wi_quota *quota, bool alone, const volatile int *stop);
/* The run's own bytes are known: waits where they are more. Returns what it counts for now. */
double wi_quota_change(wi_quota *quota, double counted, double bytes, const volatile int *stop);
/* Gives back what a run counted for. */
void wi_quota_leave(wi_quota *quota, double counted);

/* What was seen so far. Any thread. */
typedef struct wi_quota_seen {
    bool waited;    /* a run had to, for another's memory */
    uint32_t most;  /* that were in at once */
    double largest; /* bytes of a run */
} wi_quota_seen;
wi_quota_seen wi_quota_look(wi_quota *quota);

/* Returns the bytes that a process may still take, of the machine, its control group and its own limits,
 * shared by so many processes. */
double wi_quota_memory(uint32_t processes);

/*
 * Admission by memory: runs at once take no more than there is. What a run takes is known when its subject is built (the
 * estimate of `weir check`); until then it counts as much as the largest so far, and the very first as all there is, so that
 * it is built alone. A run that wants more than all is let in when no other is, and fails by itself and by name, or fits.
 */
#ifndef WI_STUDY_RUNS_QUOTA_H
#define WI_STUDY_RUNS_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wi_quota wi_quota;
struct wi_common;

/* For so many bytes; null when memory is short, and null may be given to all that follow: everybody is let in. */
wi_quota *wi_quota_new(double bytes);
/* Frees a quota; accepts null. */
void wi_quota_free(wi_quota *quota);
/* What runs have in common counts beside them. Before anybody enters. */
void wi_quota_beside(wi_quota *quota, struct wi_common *shared);

/* Waits until a run may be built; returns what it counts for, to be given back. Any thread; `stop` ends the waiting. */
double wi_quota_enter(wi_quota *quota, const volatile int *stop);
/* The same for one that lacked memory beside others: waits until nobody else is in, and nobody comes in before it has said
 * what it takes. Not for null. */
double wi_quota_enter_alone(wi_quota *quota, const volatile int *stop);
/* Were two in at once, ever? */
bool wi_quota_had_company(wi_quota *quota);
/* The run's own bytes are known: waits where they are more. Returns what it counts for now. */
double wi_quota_change(wi_quota *quota, double counted, double bytes, const volatile int *stop);
/* Gives back what a run counted for. */
void wi_quota_leave(wi_quota *quota, double counted);

/* Did a run have to wait for another's memory? The most that were in at once, and the largest. */
bool wi_quota_waited(const wi_quota *quota, uint32_t *most, double *largest);

/* What a process may still take: of the machine, its control group, its own limits; shared by so many processes. */
double wi_quota_memory(uint32_t processes);

#endif

/*
 * Receives from any rank, or of any tag, that come to their messages before the job runs.
 *
 * MPI leaves open which message such a receive takes: the one that comes first. Here that is the first one on a network that takes no
 * time: the job is gone through in the order of its computations' times, at equal times in the order of ranks and of their
 * operations. A message is there when it is sent, and takes the first receive that is posted and fits it; a receive takes the
 * first message that is there and fits it. So the outcome is one that MPI can have, and the same on every network.
 *
 * A trace may have one number for "any rank" and "nobody" (wi_job.any_or_nobody), which what is there tells apart. Of a tag at a
 * rank there are as many messages for receives from any rank as there are such receives, or there are none, and they are from
 * nobody.
 */
#pragma once

#include "jobs/job.h"

typedef struct wi_any wi_any;

/* The job's receives from any rank or of any tag; *out is null where there are none. WEIR_E_FORMAT where it cannot be told who
 * is nobody; WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_any_new(weir_diag *diag, wi_job *job, wi_any **out);
void wi_any_free(wi_any **any);

/* A send is done, a receive is posted: return the other one, which has been before, or WI_JOB_NONE. A receive is given the rank and
 * the tag of what it takes. */
uint32_t wi_any_send(wi_any *any, uint32_t op);
uint32_t wi_any_receive(wi_any *any, uint32_t op);

/* Operations in order of their time, at equal times of `entry`, which is twice an operation's number, and 1 where it ends. */
void wi_any_put(wi_any *any, uint64_t entry, weir_time at_ps);
bool wi_any_next(wi_any *any, uint64_t *entry);

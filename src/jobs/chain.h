/*
 * What a rank that trains a model does: operations one after the other, and beside them collectives, of gradients, that are one
 * after the other too.
 */
#pragma once

#include "jobs/job.h"

/* `last` and `beside` are WI_JOB_NONE at first. */
typedef struct wi_job_chain {
    wi_job *job;
    uint32_t rank;
    uint32_t last, beside; /* operations */
    uint64_t where;        /* of what is added, for messages */
    bool failed;           /* memory is short */
} wi_job_chain;

/* Adds an operation behind the last one, which stays that; WI_JOB_NONE after a failure. */
uint32_t wi_job_chain_add(wi_job_chain *c, wi_job_op op);
/* A computation, unless it takes no time. */
void wi_job_chain_compute(wi_job_chain *c, weir_time time_ps, uint32_t name);
/* A collective of the rank's group, of `bytes` of the whole vector, unless it carries nothing. */
void wi_job_chain_collective(wi_job_chain *c, uint8_t op, const uint32_t *groups, uint64_t bytes,
                             uint32_t name, bool beside);

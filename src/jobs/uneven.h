/*
 * Collectives whose parts differ, and prefix reductions, as sends and receives: they have no closed form (collective.h). With p
 * ranks, as MPICH has them (Thakur, Rabenseifner, Gropp, 2005):
 *   all-to-all: everybody posts all receives, then all sends to the next rank, the one after it, ..., and waits for all of them
 *   gather and scatter: the root likewise with each other rank, which has one message
 *   all-gather: a ring; a rank passes on what came last, p - 1 times
 *   prefix reduction: recursive doubling; whoever is 1, 2, 4, ... away exchanges with each other
 * Where nothing is to be sent, no message is.
 */
#pragma once

#include <stdbool.h>

#include "jobs/job.h"

/* Operations that readers write down before it is known whose they are; no action of a program has one. */
enum { JOB_OP_ALLTOALLV = JOB_OPS, JOB_OP_GATHERV, JOB_OP_SCATTERV, JOB_OP_ALLGATHERV, JOB_OP_SCAN };

/* One rank's part in a collective; ranks are numbers in the group, of `member`. */
typedef struct wi_uneven {
    uint32_t op;
    uint32_t rank, p, root; /* rank, root: below p */
    const uint32_t *member; /* [p] the job's ranks; null: they are the numbers */
    const uint32_t *to;     /* bytes for each: ALLTOALLV, SCATTERV at the root [p]; GATHERV elsewhere [1] */
    const uint32_t *
        from; /* bytes of each: ALLTOALLV, ALLGATHERV, GATHERV at the root [p]; SCATTERV elsewhere, SCAN [1] */
    uint32_t key;  /* of all messages */
    uint32_t slot; /* none is taken from here on */
    bool alone;    /* the rank has no request under way */
} wi_uneven;

/* Puts the actions behind those of a program, all at one place. False when memory is short. */
bool wi_uneven_put(const wi_uneven *u, wi_job_programs *to, wi_job_place place);

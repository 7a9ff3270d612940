/* What the files that put a job in place share. */
#pragma once

#include "network/network.h"

/* A job under way to its place. */
typedef struct wi_placing {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    wi_job *job;
    wi_placed_job *placed;
    uint32_t *
        group_lists; /* [groups] place in the job's lists of its members by server; UINT32_MAX: not there yet */
    uint32_t *servers; /* [groups] and how many servers they are on, */
    uint32_t *each;    /* [groups] with so many each, 0: they differ */
    uint64_t most_bytes;
    weir_status status; /* the first failure stays, and nothing is added after it */
} wi_placing;

static inline void wi_placing_no_memory(wi_placing *p)
{
    if (p->status == WEIR_OK)
        p->status = weir_fail(p->diag, WEIR_E_NOMEM, "no memory for the job of class '%s'", p->c->name.text);
}

/* job_collectives.c: how each collective operation goes. */
void wi_placing_collectives(wi_placing *p);
/* job_messages.c: of each rank whom it sends to, and how many messages may be under way at once. */
void wi_placing_messages(wi_placing *p);

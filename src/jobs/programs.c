/* Programs of ranks, and their actions as operations that wait for each other; see job.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/job.h"

bool wi_job_put(wi_job_programs *to, const job_action *action, wi_job_place place)
{
    if (!wi_grow_one(&to->actions, to->n_actions, sizeof *to->actions) ||
        !wi_grow_one(&to->place, to->n_actions, sizeof *to->place))
        return false;
    to->place[to->n_actions] = place;
    to->actions[to->n_actions++] = *action;
    return true;
}

/* ---- operations of programs ---- */

/* A rank's actions as operations. */
typedef struct chain {
    wi_job *job;
    uint32_t last;  /* WI_JOB_NONE: none yet */
    bool at_start;  /* what follows waits for its start alone: a request */
    uint32_t *open; /* [n_slots] operations of requests that are not waited for; WI_JOB_NONE: none */
    uint32_t n_slots;
} chain;

/* The next action waits for the one before, and for `request` unless that is WI_JOB_NONE. */
static bool add(chain *c, const wi_job_op *op, bool goes_on)
{
    const uint32_t at = wi_job_add(c->job, op);
    const bool good =
        at != WI_JOB_NONE && (c->last == WI_JOB_NONE || wi_job_after(c->job, at, c->last, c->at_start));
    c->last = at;
    c->at_start = goes_on;
    return good;
}

static bool wait_for(chain *c, uint32_t slot)
{
    const uint32_t op = c->open[slot];
    c->open[slot] = WI_JOB_NONE;
    return op == WI_JOB_NONE || wi_job_after(c->job, c->last, op, false);
}

static bool take_action(chain *c, const job_action *a, uint32_t rank, uint64_t line)
{
    wi_job_op op = {.kind = WI_JOB_COMPUTE,
                    .rank = rank,
                    .peer = a->peer,
                    .tag = a->key,
                    .bytes = a->bytes,
                    .where = line};
    const bool request = a->op == JOB_OP_ISEND || a->op == JOB_OP_IRECV;
    if (a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND)
        op.kind = WI_JOB_SEND;
    else if (a->op == JOB_OP_RECV || a->op == JOB_OP_IRECV)
        op.kind = WI_JOB_RECV;
    else if (a->op >= JOB_OP_BARRIER) {
        op.kind = WI_JOB_COLLECTIVE;
        op.collective = a->op;
        op.group = a->slot;
    } else if (a->op == JOB_OP_COMPUTE)
        op.time_ps = a->time_ps;
    if (!add(c, &op, request))
        return false;
    if (request)
        c->open[a->slot] = c->last;
    bool good = true;
    for (uint32_t i = 0; a->op == JOB_OP_WAITALL && good && i < c->n_slots; i++)
        good = wait_for(c, i);
    return good && (a->op != JOB_OP_WAIT || wait_for(c, a->slot));
}

uint32_t wi_job_slots(const job_action *actions, size_t n)
{
    uint32_t slots = 0;
    for (size_t i = 0; i < n; i++)
        if (actions[i].op < JOB_OP_BARRIER && actions[i].slot >= slots)
            slots = actions[i].slot + 1;
    return slots;
}

bool wi_job_group_of_all(wi_job *job)
{
    WI_FREED uint32_t *all = malloc(((size_t)job->n_ranks + 1) * sizeof *all);
    for (uint32_t r = 0; all && r < job->n_ranks; r++)
        all[r] = r;
    return all && wi_job_group(job, all, job->n_ranks) != WI_JOB_NONE;
}

bool wi_job_of_programs(wi_job *job)
{
    const wi_job_programs *const p = &job->programs;
    const uint32_t slots = wi_job_slots(p->actions, p->n_actions);
    WI_FREED uint32_t *open = malloc(((size_t)slots + 1) * sizeof *open);
    bool good = open && (job->n_groups || wi_job_group_of_all(job));
    for (uint32_t r = 0; good && r < job->n_ranks; r++) {
        chain c = {job, WI_JOB_NONE, false, open, slots};
        for (uint32_t i = 0; i < slots; i++)
            open[i] = WI_JOB_NONE;
        for (size_t i = p->first[r]; good && i < p->first[r + 1]; i++)
            good = take_action(&c, &p->actions[i], r, p->place[i].line);
    }
    return good;
}

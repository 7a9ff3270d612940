/* SimGrid's time-independent traces: actions of a rank follow each other, and requests go on beside them. */
#include <stdlib.h>

#include "base/memory.h"
#include "jobs/read/readers.h"
#include "jobs/read/trace.h"

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

static bool take(chain *c, const job_action *a, uint32_t rank, uint64_t line)
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

static bool convert(wi_job *job, const wi_job_trace *t)
{
    uint32_t slots = 1;
    for (size_t i = 0; i < t->n_actions; i++)
        slots = t->actions[i].slot >= slots ? t->actions[i].slot + 1 : slots;
    WI_FREED uint32_t *open = malloc((size_t)slots * sizeof *open),
                      *all = malloc((size_t)t->ranks * sizeof *all);
    bool good = open && all;
    for (uint32_t r = 0; good && r < t->ranks; r++)
        all[r] = r;
    good = good && wi_job_group(job, all, t->ranks) != WI_JOB_NONE;
    for (uint32_t r = 0; good && r < t->ranks; r++) {
        chain c = {job, WI_JOB_NONE, false, open, slots};
        for (uint32_t i = 0; i < slots; i++)
            open[i] = WI_JOB_NONE;
        for (size_t i = t->first[r]; good && i < t->first[r + 1]; i++)
            good = take(&c, &t->actions[i], r, t->place[i].line);
    }
    return good;
}

weir_status wi_job_read_simgrid(weir_diag *diag, wi_job *job, const wi_job_options *options)
{
    wi_job_trace_options how;
    wi_job_trace t = {0};
    wi_job_trace_options_init(&how);
    how.flops_per_s = options->flops > 0.0 ? options->flops : how.flops_per_s;
    job->what = "line";
    weir_status status = wi_job_trace_read(wi_source_file(diag, job->file), &how, &t);
    if (status == WEIR_OK && !convert(job, &t))
        status = weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for its operations", job->file);
    wi_job_trace_free(&t);
    return status;
}

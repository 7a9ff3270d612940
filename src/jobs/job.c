/* A job as it is put together; see job.h. */
#include "jobs/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

uint32_t wi_job_add(wi_job *job, const wi_job_op *op)
{
    if (job->n_ops >= WI_JOB_OPS_MAX || !wi_grow_one(&job->op, job->n_ops, sizeof *job->op))
        return WI_JOB_NONE;
    job->op[job->n_ops] = *op;
    if (op->rank >= job->n_ranks)
        job->n_ranks = op->rank + 1;
    return job->n_ops++;
}

bool wi_job_after(wi_job *job, uint32_t after, uint32_t before, bool at_start)
{
    if (!wi_grow_one(&job->edge, job->n_edges, sizeof *job->edge))
        return false;
    job->edge[job->n_edges++] = (wi_job_edge){before, after, at_start};
    return true;
}

uint32_t wi_job_group(wi_job *job, const uint32_t *ranks, uint32_t n)
{
    if (!wi_grow_one(&job->group_first, job->n_groups, sizeof *job->group_first))
        return WI_JOB_NONE;
    job->group_first[job->n_groups] = job->n_members;
    for (uint32_t i = 0; i < n; i++) {
        if (!wi_grow_one(&job->member, job->n_members, sizeof *job->member))
            return WI_JOB_NONE;
        job->member[job->n_members++] = ranks[i];
    }
    return job->n_groups++;
}

uint32_t wi_job_group_size(const wi_job *job, uint32_t group)
{
    const uint32_t end = group + 1 < job->n_groups ? job->group_first[group + 1] : job->n_members;
    return end - job->group_first[group];
}

uint32_t wi_job_name(wi_job *job, const char *text, size_t length)
{
    const uint32_t at = job->n_names ? job->n_names : 1;
    if (length == 0)
        return 0;
    for (uint32_t i = job->n_names; i < at + length + 1; i++) {
        if (!wi_grow_one(&job->names, i, 1))
            return WI_JOB_NONE;
        job->names[i] = i >= at && i < at + length ? text[i - at] : '\0';
    }
    job->n_names = at + (uint32_t)length + 1;
    return at;
}

weir_status wi_job_fail(weir_diag *diag, weir_status status, const wi_job *job, uint32_t op,
                        const char *format, ...)
{
    const wi_job_op *const o = &job->op[op];
    const char *const name = o->name ? job->names + o->name : "";
    const char *const file = job->programs.n_actions && job->programs.n_files
                                 ? job->programs.file[job->programs.place[op].file]
                                 : job->file;
    const bool in_line = job->what && strcmp(job->what, "line") == 0;
    char text[500];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return weir_fail_at(diag, status, file, in_line ? (int)o->where : 0, in_line,
                        "rank %u, %s %llu (%s%s%s): %s", o->rank, job->what ? job->what : "operation",
                        (unsigned long long)o->where, wi_job_kind_name(o), *name ? " " : "", name, text);
}

const char *wi_job_op_name(uint32_t op)
{
    static const char *const names[JOB_OPS] = {
        "compute",        "send",     "isend",  "recv",    "irecv",     "wait",
        "waitall",        "barrier",  "bcast",  "reduce",  "allreduce", "allgather",
        "reduce-scatter", "alltoall", "gather", "scatter", "exchange"};
    return names[op];
}

const char *wi_job_kind_name(const wi_job_op *op)
{
    static const uint8_t kinds[] = {JOB_OP_COMPUTE, JOB_OP_SEND, JOB_OP_RECV};
    const uint32_t is = op->kind == WI_JOB_COLLECTIVE ? op->collective : kinds[op->kind];
    return is == JOB_OP_REDUCE_SCATTER ? "reduce_scatter" : wi_job_op_name(is);
}

void wi_job_programs_free(wi_job_programs *programs)
{
    wi_texts_free(programs->file, programs->n_files);
    free(programs->actions);
    free(programs->place);
    free(programs->first);
    free(programs->lane);
    free(programs->lanes);
    *programs = (wi_job_programs){0};
}

void wi_job_free(wi_job *job)
{
    free(job->op);
    free(job->edge);
    free(job->member);
    free(job->group_first);
    free(job->names);
    free(job->together);
    free(job->file);
    wi_job_programs_free(&job->programs);
    *job = (wi_job){0};
}

/* Any bytes as a job: GOAL, as text or binary, or a workload. No crash, errors exactly when it is not read, and what is read is what a network takes
 * for granted. */
#include <stdlib.h>
#include <string.h>

#include "jobs/read/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void look_at(const wi_job *job)
{
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        must(o->rank < job->n_ranks && o->name <= job->n_names && o->time_ps >= 0);
        if (o->kind == WI_JOB_SEND || o->kind == WI_JOB_RECV)
            must(o->peer < job->n_ranks && job->op[o->match].match == i);
        if (o->kind == WI_JOB_COLLECTIVE)
            must(o->group < job->n_groups && o->match < job->n_together);
    }
    for (uint32_t i = 0; i < job->n_edges; i++)
        must(job->edge[i].before < job->n_ops && job->edge[i].after < job->n_ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wi_job_options options = {.ranks = 4};
    weir_diag *diag = weir_diag_new();
    for (int kind = 0; kind < 3; kind++) {
        char *text = calloc(size + 1, 1);
        wi_job job = {.file = strdup("fuzz")};
        if (!text || !job.file)
            abort();
        for (size_t i = 0; i < size; i++)
            text[i] = (char)data[i];
        weir_diag_clear(diag);
        weir_status status = kind == 0   ? wi_job_read_simai(diag, &job, text, &options)
                             : kind == 1 ? wi_job_read_goal(diag, &job, text)
                             : wi_job_is_goal_binary(text, size)
                                 ? wi_job_read_goal_binary(diag, &job, text, size)
                                 : weir_fail(diag, WEIR_E_FORMAT, "none");
        /* A header may ask for a million ranks: what is read stays small. */
        status = status ?: job.n_ops > 100000 ? WEIR_E_NOMEM : wi_job_close(diag, &job);
        if (status == WEIR_OK) {
            look_at(&job);
            status = wi_job_to_programs(diag, &job, JOB_AUTO);
            must(status == WEIR_OK ? job.programs.first[job.n_ranks] == job.programs.n_actions
                                   : status == WEIR_E_NOMEM || status == WEIR_E_UNSUPPORTED);
        } else
            must(status == WEIR_E_NOMEM || weir_diag_errors(diag) > 0);
        wi_job_free(&job);
        free(text);
    }
    weir_diag_free(diag);
    return 0;
}

/* Any bytes as two ranks' files of DUMPI: four bytes say how many of them are the first one's. No crash, errors exactly when they are not
 * read, and what is read is what a network takes for granted. */
#include <stdlib.h>
#include <string.h>

#include "jobs/read/dumpi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct parts {
    const uint8_t *at[2];
    size_t n[2];
} parts;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static weir_status bring(void *from, uint32_t rank, char **text, size_t *size)
{
    const parts *const p = from;
    *size = p->n[rank];
    *text = malloc(*size + 1);
    must(*text != NULL);
    for (size_t i = 0; i < *size; i++)
        (*text)[i] = (char)p->at[rank][i];
    return WEIR_OK;
}

static void look_at(const wi_job *job)
{
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        must(o->rank < 2 && o->time_ps >= 0);
        if (o->kind == WI_JOB_SEND || o->kind == WI_JOB_RECV)
            must(o->peer < 2 && o->peer != o->rank && job->op[o->match].match == i);
        if (o->kind == WI_JOB_COLLECTIVE)
            must(o->group < job->n_groups && o->match < job->n_together);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    const size_t first = (size_t)data[0] << 24 | data[1] << 16 | data[2] << 8 | data[3];
    const size_t n = first < size - 4 ? first : size - 4;
    const parts p = {{data + 4, data + 4 + n}, {n, size - 4 - n}};
    weir_diag *diag = weir_diag_new();
    wi_job job = {.file = strdup("fuzz"), .n_ranks = 2};
    job.programs.file = calloc(2, sizeof *job.programs.file);
    must(diag && job.file && job.programs.file);
    for (; job.programs.n_files < 2; job.programs.n_files++)
        job.programs.file[job.programs.n_files] = strdup("rank");
    weir_status status = wi_dumpi_read(diag, &job, bring, (void *)(uintptr_t)&p) ?: wi_job_close(diag, &job);
    must(status == WEIR_E_NOMEM || (status != WEIR_OK) == (weir_diag_errors(diag) > 0));
    if (status == WEIR_OK) {
        look_at(&job);
        status = wi_job_to_programs(diag, &job, JOB_AUTO);
        must(status == WEIR_E_NOMEM ||
             (status == WEIR_OK && job.programs.first[2] == job.programs.n_actions));
    }
    wi_job_free(&job);
    weir_diag_free(diag);
    return 0;
}

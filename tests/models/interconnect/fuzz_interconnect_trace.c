/* Any bytes into the reader of traces: no crash, and what it accepts can be run. */
#include <stdlib.h>

#include "models/interconnect/interconnect.h"
#include "jobs/read/trace.h"
#include "models/usual/interconnect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void can_be_run(weir_diag *diag, const wi_job *trace)
{
    ic_job job;
    ic_params p;
    wi_ic *ic;
    ic_job_init(&job);
    usual_interconnect(&p);
    job.pattern = IC_PROGRAMMED;
    job.n_ranks = trace->n_ranks;
    job.actions = trace->programs.actions;
    job.n_actions = trace->programs.n_actions;
    job.first_action = trace->programs.first;
    p.jobs = &job;
    p.n_jobs = 1;
    if (trace->n_ranks <= 72)
        must(wi_ic_new(diag, &p, &ic) == WEIR_OK);
    if (trace->n_ranks <= 72)
        wi_ic_free(ic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wi_job trace = {.may_deadlock = true};
    weir_diag *diag = weir_diag_new();
    if ((wi_job_trace_read(wi_source_memory(diag, "fuzz", (const char *)data, size), 1e9, &trace)
             ?: wi_job_close(diag, &trace)) == WEIR_OK)
        can_be_run(diag, &trace);
    wi_job_free(&trace);
    weir_diag_free(diag);
    return 0;
}

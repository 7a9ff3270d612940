/* The executor of one machine: as many runs at once as there are cores for. */
#include "engine/ranks/cores.h"
#include "study/runs/workers.h"
#include "study/runs/quota.h"
#include "study/runs/work.h"

uint32_t wi_jobs_at_once(const weir_study *s, const weir_study_options *options)
{
    const uint32_t threads = s->scenario->engine.threads > 1 ? s->scenario->engine.threads : 1;
    const uint32_t fit = wi_cores_allowed() / threads;
    return options->jobs ? options->jobs : fit ? fit : 1;
}

/* Between two looks for runs that others may bring. */
enum { WAIT_MS = 50, AT_ONCE = 64 };

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    wi_workers *workers = wi_workers_new(s, wi_jobs_at_once(s, options), options);
    bool more = workers != NULL;
    if (!workers)
        wi_work_fail(work, WEIR_E_NOMEM, "no memory, or no process, for the runs of a study");
    while (more || (workers && wi_workers_has(workers) > 0)) {
        wi_job jobs[AT_ONCE];
        wi_row *row;
        const uint32_t wants = wi_workers_wants(workers);
        wi_workers_give(workers, jobs,
                        (uint32_t)wi_work_poll(work, wants < AT_ONCE ? wants : AT_ONCE, jobs, &more));
        for (int ms = WAIT_MS; wi_workers_take(workers, ms, jobs, &row); ms = 0)
            wi_work_done(work, jobs[0], row);
    }
    wi_workers_free(workers);
}

const wi_executor wi_executor_cores = {.name = "cores", .run = run};

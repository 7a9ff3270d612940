/* The executors of one machine: cores and a device. */

#include "study/runs/work.h"
#include "study/runs/workers.h"

/* Between two looks for runs that others may bring. */
enum { WAIT_MS = 50 };

/* Takes runs from the queue as the workers want them, and hands their rows back. */
static void run_in_process(const wi_station_kind *kind, const weir_study *s,
                           const weir_study_options *options, wi_work *work)
{
    wi_workers *workers = wi_workers_new(s, kind, wi_jobs_at_once(s, options), options);
    bool more = workers != NULL;
    if (!workers)
        wi_work_fail(work, WEIR_E_NOMEM, "no memory, or no process, for the runs of a study");
    while (more || (workers && wi_workers_has(workers) > 0)) {
        wi_job jobs[WI_ASK_MAX];
        wi_row *row;
        if (wi_workers_ended(workers))
            wi_work_fail(work, WEIR_E_DEVICE, wi_workers_ended(workers));
        const uint32_t wants = wi_workers_wants(workers), most = wants < WI_ASK_MAX ? wants : WI_ASK_MAX;
        wi_workers_give(workers, jobs, most > 0 ? (uint32_t)wi_work_take(work, most, jobs, &more) : 0);
        for (int ms = WAIT_MS; wi_workers_take(workers, ms, jobs, &row); ms = 0) {
            if (wi_workers_ended(workers))
                wi_work_fail(work, WEIR_E_DEVICE, wi_workers_ended(workers));
            wi_work_done(work, jobs[0], row);
        }
    }
    wi_workers_free(workers);
}

void wi_run_on_cores(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    run_in_process(&wi_station_cores, s, options, work);
}

void wi_run_on_device(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    run_in_process(&wi_station_device, s, options, work);
}

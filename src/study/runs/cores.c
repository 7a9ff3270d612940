/* The executor of one machine: a run a thread, as many threads as there are cores for. */
#include <pthread.h>
#include <stdlib.h>

#include "engine/cores.h"
#include "engine/ranks/ranks.h"
#include "study/runs/quota.h"
#include "study/runs/work.h"

typedef struct worker {
    const weir_study *s;
    wi_work *work;
    wi_quota *quota;
} worker;

static void *serve(void *user)
{
    worker *w = user;
    wi_job job;
    while (wi_work_take(w->work, 1, &job) == 1)
        wi_work_done(w->work, job, wi_run_job(w->s, job, w->quota, wi_work_stop(w->work)));
    return NULL;
}

uint32_t wi_jobs_at_once(const weir_study *s, const weir_study_options *options)
{
    const uint32_t threads = s->scenario->engine.threads > 1 ? s->scenario->engine.threads : 1;
    const uint32_t fit = wi_cores_allowed() / threads;
    return options->jobs ? options->jobs : fit ? fit : 1;
}

wi_quota *wi_study_quota(const weir_study *s, uint32_t jobs)
{
    const uint32_t processes = s->ranks ? s->ranks->on_this_machine : 1;
    wi_quota *quota = jobs > 1 || processes > 1 ? wi_quota_new(wi_quota_memory(processes)) : NULL;
    wi_quota_beside(quota, s->shared);
    return quota;
}

static void tell_of_memory(const weir_study *s, const wi_quota *quota, uint32_t jobs)
{
    uint32_t most;
    double largest;
    if (wi_quota_waited(quota, &most, &largest))
        weir_warn(s->diag,
                  "memory: runs take up to %.3g GB each, so no more than %u were at once, not the %u that "
                  "there are cores for",
                  1e-9 * largest, most, jobs);
}

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    const uint32_t n = wi_jobs_at_once(s, options);
    worker w = {s, work, wi_study_quota(s, n)};
    pthread_t *threads = malloc(n * sizeof *threads);
    uint32_t started = 0;
    while (threads && started + 1 < n && pthread_create(&threads[started], NULL, serve, &w) == 0)
        started++;
    serve(&w); /* this one too; with no other it does all of it */
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    tell_of_memory(s, w.quota, n);
    wi_quota_free(w.quota);
}

const wi_executor wi_executor_cores = {.name = "cores", .run = run};

/* The executor of one machine: a run a thread, as many threads as there are cores for. */
#include <pthread.h>
#include <stdlib.h>

#include "engine/cores.h"
#include "study/runs/work.h"

typedef struct worker {
    const weir_study *s;
    wi_work *work;
} worker;

static void *serve(void *user)
{
    worker *w = user;
    wi_job job;
    while (wi_work_take(w->work, 1, &job) == 1)
        wi_work_done(w->work, job, wi_run_job(w->s, job, wi_work_stop(w->work)));
    return NULL;
}

uint32_t wi_jobs_at_once(const weir_study *s, const weir_study_options *options)
{
    const uint32_t threads = s->scenario->engine.threads > 1 ? s->scenario->engine.threads : 1;
    const uint32_t fit = wi_cores_allowed() / threads;
    return options->jobs ? options->jobs : fit ? fit : 1;
}

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    const uint32_t n = wi_jobs_at_once(s, options);
    worker w = {s, work};
    pthread_t *threads = malloc(n * sizeof *threads);
    uint32_t started = 0;
    while (threads && started + 1 < n && pthread_create(&threads[started], NULL, serve, &w) == 0)
        started++;
    serve(&w); /* this one too; with no other it does all of it */
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

const wi_executor wi_executor_cores = {.name = "cores", .run = run};

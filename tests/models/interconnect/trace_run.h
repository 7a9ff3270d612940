/* Traces from a text, and their run in one switch. */
#ifndef TEST_MODELS_INTERCONNECT_TRACE_RUN_H
#define TEST_MODELS_INTERCONNECT_TRACE_RUN_H

#include "interconnect_run.h"
#include "jobs/read/trace.h"
#include "models/usual/interconnect.h"

static inline weir_status close_trace(weir_diag *diag, wi_source source, wi_job *trace)
{
    *trace = (wi_job){.may_deadlock = true};
    return wi_job_trace_read(source, 1e9, trace) ?: wi_job_close(diag, trace);
}

static inline weir_status parse_trace(weir_diag *diag, const char *text, wi_job *trace)
{
    return close_trace(diag, wi_source_memory(diag, "t.txt", text, strlen(text)), trace);
}

/* A switch with a terminal for each rank, of 16 Gb/s: 0.5 ns a byte. */
static inline fabric replay_times(weir_diag *diag, const wi_job *trace, weir_engine engine, uint64_t eager,
                                  weir_time until_ps, uint32_t iterations)
{
    ic_job job;
    ic_params p;
    ic_job_init(&job);
    usual_interconnect(&p);
    job.pattern = IC_PROGRAMMED;
    job.n_ranks = trace->n_ranks;
    job.actions = trace->programs.actions;
    job.n_actions = trace->programs.n_actions;
    job.first_action = trace->programs.first;
    job.lane = trace->programs.lane;
    job.lanes = trace->programs.lanes;
    job.times = true;
    job.iterations = iterations;
    job.eager_bytes = eager;
    p.wiring = IC_TREE;
    p.levels = 1;
    p.k = trace->n_ranks < 2 ? 2 : trace->n_ranks;
    p.jobs = &job;
    p.n_jobs = 1;
    fabric f = fabric_start(diag, &p, engine, engine == WEIR_ENGINE_SEQUENTIAL ? 0 : 2);
    fabric_run(diag, f, until_ps);
    expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
    return f;
}

static inline fabric replay_trace(weir_diag *diag, const wi_job *trace, weir_engine engine, uint64_t eager,
                                  weir_time until_ps)
{
    return replay_times(diag, trace, engine, eager, until_ps, 1);
}

#endif

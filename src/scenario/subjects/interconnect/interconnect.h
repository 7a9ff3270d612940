/* What the files of the interconnect's subject share: what a scenario asks for, and what a run gathers. */
#pragma once

#include "base/memory.h"
#include "models/interconnect/bypass.h"
#include "models/interconnect/stuck.h"
#include "jobs/job.h"
#include "jobs/results/times.h"
#include "models/interconnect/jobs/job.h"
#include "subject/subject.h"

typedef struct ic_asked_job {
    ic_job job; /* without what its files and `ranks` hold; stop_ps -1: never */
    weir_scenario_ranks ranks;
    weir_names terminals;
    const char *grid; /* "4x6"; null: none */
    weir_place grid_place;
    const char *messages; /* file; null: none */
    weir_sc_reduce allreduce;
    bool actions; /* a file of them */
} ic_asked_job;

typedef struct ic_asked {
    ic_params params; /* without jobs; seed and run are the scenario's */
    int mode;         /* of the surrogate */
    weir_place where[IC_AT_N];
    weir_place dragonfly_place, tree_place, torus_place; /* file null: not given */
    const char *torus_size;
    uint32_t torus_terminals;
    ic_asked_job *jobs;
    size_t n_jobs;
    wi_director_params director; /* without the mode; its place: file null, no surrogate */
    weir_place place;
} ic_asked;

/* Of the words of `mode`: no surrogate after all. */
enum { WI_IC_MODE_NONE = -1 };

static inline bool wi_ic_has_surrogate(const ic_asked *a)
{
    return a->director.place.file && a->mode != WI_IC_MODE_NONE;
}

/* keys.c: the section of the scenario. */
enum { WI_IC_N_KEYS = 18 };
extern const wi_key wi_ic_keys[WI_IC_N_KEYS];
bool wi_ic_hides(const wi_key *key, const void *at);
void wi_ic_check_keys(wi_reader *r, const wi_node *node, void *at);
/* Up to `most` sizes of "4x4x2"; 0 where the text is none. */
uint32_t wi_ic_sizes(const char *text, uint32_t *out, uint32_t most);

/* jobs.c */
typedef struct wi_ic_job_files {
    ic_plan_entry *plan;
    uint32_t *terminals;
    wi_job_programs programs; /* without `first` where all ranks do the same */
    wi_job job;               /* whose operations have times; empty: none have */
    uint32_t *place;          /* [job.n_ops] number of each in its rank */
} wi_ic_job_files;
extern const wi_section wi_ic_job_section;
/* What the model is given for a job. `files` holds what it points to, on every path. */
WEIR_NODISCARD weir_status wi_ic_job_of(weir_diag *diag, const ic_asked_job *asked, ic_job *job,
                                        wi_ic_job_files *files);
void wi_ic_job_free(wi_ic_job_files *files);
/* The model is built of it: all goes but where actions of a trace stand, and operations that have times. */
void wi_ic_job_built(wi_ic_job_files *files);
/* Where an action of a job with a program or trace stands. */
weir_place wi_ic_place_of(const ic_asked_job *asked, const wi_ic_job_files *files, size_t action);

/* results.c */
typedef struct wi_ic_results {
    wi_owned memory;
    const wi_ic *ic;
    const wi_subject_run *run;
    const wi_director *director; /* null: no surrogate */
    const ic_asked *asked;
    wi_series_table *routers;     /* null: none are kept */
    double *row;                  /* [routers] */
    uint32_t *router_entities;    /* [routers] whose states samples read */
    int64_t *warm, *now, *last;   /* [n_counters] */
    const wi_ic_job_files *files; /* [n_jobs]: where actions stand */
    wi_ic_stuck *stuck;           /* [n_stuck] ranks that can never go on, at the end */
    size_t n_stuck;
    uint64_t n_counters;
} wi_ic_results;
/* Take memory, choose what samples read, begin the series of routers. */
WEIR_NODISCARD weir_status wi_ic_results_open(wi_ic_results *r, wi_subject_run *run);
void wi_ic_results_end(wi_ic_results *r);
/* Look at the counters: at the end of the warm-up, at a sample, and as of now. */
void wi_ic_results_warm(wi_ic_results *r, const wi_subject_run *run);
WEIR_NODISCARD weir_status wi_ic_results_sample(wi_ic_results *r, const wi_subject_run *run);
void wi_ic_results_look(wi_ic_results *r, const wi_subject_run *run);
/* Add the figures of summary.json. */
void wi_ic_results_summarise(const wi_ic_results *r, const wi_subject_run *run, json_t *into);
extern const wi_result_table wi_ic_series, wi_ic_actions_table, wi_ic_ranks_table, wi_ic_program_summary;
extern const wi_result_table *const wi_ic_tables[];

/* Return a quantile of latencies by bins [IC_LATENCY_BINS]: the middle of its bin, which is 3 % wide. */
double wi_ic_quantile_s(const int64_t *bins, double q);

/* programs.c: a job's ranks as jobs.csv has them, without what the network counts; nothing but their number where it has no program. */
wi_job_figures wi_ic_job_figures(const wi_ic_results *r, const weir_sim *sim, uint32_t job);
/* programs.c: actions.csv and ranks.csv, where there are programs; add key `program` of a job. */
void wi_ic_programs_summarise(const wi_ic_results *r, const wi_subject_run *run, uint32_t job, json_t *into);
/* Return WEIR_E_DEADLOCK, with what each of the first ranks waits for, where any waits for ever. */
weir_status wi_ic_programs_deadlock(const wi_ic_results *r, weir_diag *diag);

/* Results of programs: what their iterations, collectives and messages took. */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "jobs/job.h"
#include "jobs/results/times.h"
#include "output/csv.h"
#include "scenario/subjects/interconnect/interconnect.h"

double wi_ic_quantile_s(const int64_t *bins, double q)
{
    uint64_t all = 0, below = 0; /* of a forged checkpoint they may wrap */
    for (uint32_t i = 0; i < IC_LATENCY_BINS; i++)
        all += (uint64_t)bins[i];
    for (uint32_t i = 0; i < IC_LATENCY_BINS; i++) {
        below += (uint64_t)bins[i];
        if (all > 0 && (double)below >= q * (double)all)
            return 0.5 * weir_seconds(ic_latency_bin_low(i) + ic_latency_bin_low(i + 1));
    }
    return (double)NAN;
}

static const ic_job_world *job_at(const wi_ic_results *r, uint32_t job)
{
    const ic_world *w = wi_ic_world(r->ic);
    return IC_TABLE(w, ic_job_world, w->jobs_at) + job;
}

/* What a job's programs have counted since the warm-up; null: it has none. */
static const int64_t *counted(const wi_ic_results *r, uint32_t job)
{
    const ic_world *w = wi_ic_world(r->ic);
    if (job_at(r, job)->source != IC_PROGRAM)
        return NULL;
    return r->now + w->program_counters + (uint64_t)job * IC_PROG_COUNTERS;
}

static const ic_rank *rank_at(const wi_ic_results *r, const weir_sim *sim, uint32_t job, uint32_t rank,
                              uint32_t *terminal)
{
    const ic_world *w = wi_ic_world(r->ic);
    *terminal = IC_TABLE(w, uint32_t, w->rank_terminal_at)[job_at(r, job)->first + rank];
    return weir_sim_slot(sim, IC_POOL_RANKS, IC_TABLE(w, uint32_t, w->rank_first_at)[*terminal]);
}

/* Mean of n spans whose sum is a counter of a program. */
static double mean_s(const int64_t *c, uint32_t sum, int64_t n)
{
    return wi_ic_mean_s(n, c[sum], c[IC_PROG_CARRY + sum]);
}

/* ---- actions ---- */

/* A job's operations, on their terminals. */
typedef struct placed_times {
    const wi_ic_results *r;
    uint32_t job;
} placed_times;

/* What a rank has noted of an iteration: its beginning, 0, or the end of its operation of a number, from 1. One without operations
 * notes nothing: it goes through its iterations as it begins. */
static weir_time noted(const placed_times *t, uint32_t rank, uint32_t iteration, uint32_t what)
{
    const ic_world *w = wi_ic_world(t->r->ic);
    uint32_t terminal;
    const ic_rank *of = rank_at(t->r, t->r->run->sim, t->job, rank, &terminal);
    const uint32_t n = IC_TABLE(w, ic_program, w->programs_at)[terminal].n_ops;
    if (n == 0)
        return of->ended ? of->ended_ps : WEIR_TIME_MAX;
    const weir_time *at =
        weir_sim_slot(t->r->run->sim, IC_POOL_TIMES,
                      IC_TABLE(w, uint32_t, w->times_first_at)[terminal] + iteration * (n + 1u) + what);
    return *at ? *at - 1 : WEIR_TIME_MAX;
}

static weir_time began(const void *of, uint32_t rank, uint32_t iteration)
{
    return noted(of, rank, iteration, 0);
}

static weir_time op_ended(const void *of, uint32_t op, uint32_t iteration)
{
    const placed_times *t = of;
    const wi_ic_job_files *files = &t->r->files[t->job];
    return noted(t, files->job.op[op].rank, iteration, files->place[op] + 1);
}

static wi_job_times times_of(const placed_times *of)
{
    return (wi_job_times){.job = &of->r->files[of->job].job, .of = of, .began = began, .ended = op_ended};
}

/* Ranks of a job whose operations have times, malloc'ed; null: they have none, or memory is short. */
static wi_job_rank *ranks_of(const wi_ic_results *r, uint32_t job, uint64_t *ops_ended)
{
    const placed_times of = {r, job};
    wi_job_times t = times_of(&of);
    wi_job_rank *ranks =
        t.job->n_ops ? wi_job_ranks(&t, r->asked->jobs[job].ranks.iterations, ops_ended) : NULL;
    uint32_t terminal;
    for (uint32_t i = 0; ranks && i < t.job->n_ranks; i++) /* or at `stop` */
        ranks[i].over = rank_at(r, r->run->sim, job, i, &terminal)->ended;
    return ranks;
}

static weir_status put_actions(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    for (uint32_t j = 0; j < r->asked->n_jobs; j++) {
        const placed_times of = {r, j};
        wi_job_times t = times_of(&of);
        if (t.job->n_ops &&
            !wi_job_put_actions(&t, csv, r->asked->jobs[j].job.name, r->asked->jobs[j].ranks.iterations))
            return weir_fail(r->run->diag, WEIR_E_NOMEM, "no memory for the results of job '%s'",
                             r->asked->jobs[j].job.name);
    }
    return WEIR_OK;
}

static bool has_actions(const void *results)
{
    const wi_ic_results *r = results;
    uint32_t j = 0;
    while (j < r->asked->n_jobs && r->files[j].job.n_ops == 0)
        j++;
    return j < r->asked->n_jobs;
}
const wi_result_table wi_ic_actions_table = WI_JOB_ACTION_ROWS(put_actions, has_actions);

/* Has any job a program? */
static bool has_programs(const void *results)
{
    return wi_ic_world(((const wi_ic_results *)results)->ic)->program_counters;
}

/* ---- ranks that wait for ever ---- */

enum { NAMED_MOST = 16, REASON = 256 };

/* Of a rank; null: it does not. */
static const wi_ic_stuck *stuck_at(const wi_ic_results *r, uint32_t job, uint32_t rank)
{
    for (size_t i = 0; i < r->n_stuck; i++) /* few, and none in a run that is right */
        if (r->stuck[i].job == job && r->stuck[i].rank == rank)
            return &r->stuck[i];
    return NULL;
}

/* "rank 0 waits in 'send' for rank 1 to receive it (tag 0)". */
static void put_reason(char out[REASON], const wi_ic_stuck *s)
{
    char what[64];
    if (s->tag & IC_KEY_COLLECTIVE)
        snprintf(what, sizeof what, "to take its part");
    else
        snprintf(what, sizeof what, "to %s (tag %" PRIu32 ")", s->sends ? "receive" : "send", s->tag);
    snprintf(out, REASON, "rank %" PRIu32 " waits in '%s' for rank %" PRIu32 " %s%s", s->rank,
             wi_job_op_name(s->op), s->peer, what, s->peer_ended ? ", which has ended" : "");
}

static size_t stuck_of_job(const wi_ic_results *r, uint32_t job)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_stuck; i++)
        n += r->stuck[i].job == job;
    return n;
}

/* The first message says how many; each of the next a rank of them, as far as they are not too many. */
weir_status wi_ic_programs_deadlock(const wi_ic_results *r, weir_diag *diag)
{
    weir_status status = WEIR_OK;
    for (uint32_t j = 0; j < r->asked->n_jobs; j++) {
        const size_t n = stuck_of_job(r, j);
        const weir_place job = r->asked->jobs[j].job.place;
        size_t named = 0;
        weir_time since_ps = 0;
        for (size_t i = 0; i < r->n_stuck; i++)
            if (r->stuck[i].job == j && r->stuck[i].since_ps > since_ps)
                since_ps = r->stuck[i].since_ps;
        for (size_t i = 0; i < r->n_stuck && named < NAMED_MOST; i++) {
            const wi_ic_stuck *s = &r->stuck[i];
            const weir_place at = wi_ic_place_of(&r->asked->jobs[j], &r->files[j], s->action);
            char why[REASON];
            if (s->job != j)
                continue;
            put_reason(why, s);
            if (named++ == 0)
                status = weir_fail_at(
                    diag, WEIR_E_DEADLOCK, WEIR_AT(at),
                    "job '%s' is in a deadlock: %zu of its %" PRIu32 " ranks wait for ever since %.9g s; %s",
                    r->asked->jobs[j].job.name, n, job_at(r, j)->n_ranks, weir_seconds(since_ps), why);
            else
                status = weir_fail_at(diag, WEIR_E_DEADLOCK, WEIR_AT(at), "%s", why);
        }
        if (n > named)
            status = weir_fail_at(diag, WEIR_E_DEADLOCK, WEIR_AT(job),
                                  "and %zu more ranks; ranks.csv has all", n - named);
    }
    return status;
}

/* The same for summary.json: the first of them. */
static json_t *deadlock(const wi_ic_results *r, uint32_t job)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_stuck && json_array_size(list) < NAMED_MOST; i++) {
        const wi_ic_stuck *s = &r->stuck[i];
        if (s->job != job)
            continue;
        const weir_place at = wi_ic_place_of(&r->asked->jobs[job], &r->files[job], s->action);
        json_array_append_new(list, json_pack("{s:I, s:s, s:I, s:s?, s:i}", "rank", (json_int_t)s->rank,
                                              "action", wi_job_op_name(s->op), "waits_for",
                                              (json_int_t)s->peer, "file", at.file, "line", at.line));
    }
    return list;
}

#define RANKS(X)                                                                                            \
    X(TEXT, "job", "", r->asked->jobs[job].job.name, "name of the job"),                                    \
        X(U64, "rank", "", number, "number of the rank"),                                                   \
        X(U64, "terminal", "", terminal, "where it is placed"),                                             \
        X(TEXT, "state", "",                                                                                \
          s             ? "deadlock"                                                                        \
          : rank->ended ? "ended"                                                                           \
                        : "under way",                                                                      \
          "`ended`, `under way`, or `deadlock`: it waits for ever"),                                        \
        X(U64, "iterations", "", rank->iteration, "of its program, that it ended"),                         \
        X(SECONDS, "end_s", "s", rank->ended ? rank->ended_ps : WI_NO_TIME,                                 \
          "when it ended; empty: it has not"),                                                              \
        X(SECONDS, "compute_s", "s", took ? took->compute_ps : WI_NO_TIME,                                  \
          "its computations that ended, summed; empty where `actions` is false, and of programs"),          \
        X(SECONDS, "waited_s", "s",                                                                         \
          took && rank->ended ? took->end_ps - took->start_ps - took->busy_ps : WI_NO_TIME,                 \
          "likewise: from its start to its end, without any computation; empty: it has not ended"),         \
        X(U64, "waits_for", "", s ? s->peer : WI_NO_COUNT, "in a deadlock: the rank that it waits for"),    \
        X(TEXT, "action", "", s ? wi_job_op_name(s->op) : NULL, "in a deadlock: the action that it is in"), \
        X(TEXT, "file", "", at.file, "in a deadlock: where that stands"),                                   \
        X(U64, "line", "", s ? (uint64_t)at.line : WI_NO_COUNT, NULL)
static const wi_result_column rank_columns[] = {RANKS(WI_COLUMN)};

static void put_rank(const wi_ic_results *r, wi_csv *csv, uint32_t job, uint32_t number,
                     const wi_job_rank *took)
{
    const wi_ic_stuck *s = stuck_at(r, job, number);
    uint32_t terminal;
    const ic_rank *rank = rank_at(r, r->run->sim, job, number, &terminal);
    const weir_place at =
        s ? wi_ic_place_of(&r->asked->jobs[job], &r->files[job], s->action) : (weir_place){0};
    wi_csv_row(csv, (const wi_cell[]){RANKS(WI_CELL)});
}

static weir_status put_ranks(const void *results, wi_csv *csv)
{
    const wi_ic_results *r = results;
    for (uint32_t j = 0; j < wi_ic_world(r->ic)->n_jobs; j++) {
        WI_FREED wi_job_rank *took = ranks_of(r, j, NULL);
        for (uint32_t i = 0; counted(r, j) && i < job_at(r, j)->n_ranks; i++)
            put_rank(r, csv, j, i, took ? &took[i] : NULL);
    }
    return WEIR_OK;
}
const wi_result_table wi_ic_ranks_table = WI_ROWS("ranks.csv", rank_columns, put_ranks, has_programs);

/* ---- summary.json ---- */

/* Ranks that have ended over the whole run, and when the last of them did. */
static int64_t ended(const wi_ic_results *r, const weir_sim *sim, uint32_t job, weir_time *last_ps)
{
    int64_t n = 0;
    *last_ps = 0;
    for (uint32_t i = 0; i < job_at(r, job)->n_ranks; i++) {
        uint32_t terminal;
        const ic_rank *rank = rank_at(r, sim, job, i, &terminal);
        n += rank->ended;
        if (rank->ended && rank->ended_ps > *last_ps)
            *last_ps = rank->ended_ps;
    }
    return n;
}

wi_job_figures wi_ic_job_figures(const wi_ic_results *r, const weir_sim *sim, uint32_t job)
{
    const double none = (double)NAN;
    const uint64_t some = counted(r, job) ? 0 : WI_NO_COUNT;
    uint64_t ops_ended = 0;
    wi_job_figures f = {job_at(r, job)->n_ranks,
                        some,
                        some,
                        WI_NO_COUNT,
                        WI_NO_COUNT,
                        0,
                        0,
                        none,
                        none,
                        none,
                        none,
                        none,
                        none,
                        none,
                        none};
    if (!counted(r, job))
        return f;
    WI_FREED wi_job_rank *took = ranks_of(r, job, &ops_ended);
    if (took)
        return wi_job_figures_of(&r->files[job].job, took, r->asked->jobs[job].ranks.iterations, ops_ended);
    weir_time last_ps;
    uint32_t terminal;
    f.ranks_ended = (uint64_t)ended(r, sim, job, &last_ps);
    f.end_s = f.ranks_ended == f.ranks ? weir_seconds(last_ps) : none;
    f.iterations = UINT32_MAX;
    for (uint32_t i = 0; i < f.ranks; i++) {
        const uint32_t n = rank_at(r, sim, job, i, &terminal)->iteration;
        f.iterations = n < f.iterations ? n : f.iterations;
    }
    const weir_time start_ps = job_at(r, job)->start_ps;
    f.start_s = start_ps <= weir_sim_now(sim) ? weir_seconds(start_ps) : none;
    f.duration_s = f.ranks_ended == f.ranks ? weir_seconds(last_ps - start_ps) : none;
    f.iteration_mean_s = f.duration_s / (double)f.iterations;
    return f;
}

#define PROGRAM(X)                                                                                           \
    X(U64, "ranks_ended", "", of.ranks_ended, "ranks that have ended"),                                      \
        X(U64, "ranks_deadlocked", "", stuck_of_job(r, job), "ranks that wait for ever"),                    \
        X(DOUBLE, "end_s", "s", of.end_s, "when the last rank ended; null until all have"),                  \
        X(U64, "iterations", "", (uint64_t)c[IC_PROG_ITERATIONS], "iterations that ranks ended"),            \
        X(DOUBLE, "iteration_mean_s", "s", mean_s(c, IC_PROG_ITERATION_PS, c[IC_PROG_ITERATIONS]),           \
          "of an iteration of a rank"),                                                                      \
        X(DOUBLE, "compute_mean_s", "s", of.compute_mean_s,                                                  \
          "of a rank: its computations that ended, summed; this and the next three null where `actions` is " \
          "false, and of programs"),                                                                         \
        X(DOUBLE, "waited_mean_s", "s", of.waited_mean_s,                                                    \
          "of a rank that ended: communication that nothing hides"),                                         \
        X(DOUBLE, "waited_max_s", "s", of.waited_max_s, "the longest of these"),                             \
        X(DOUBLE, "critical_s", "s", of.critical_s,                                                          \
          "of an iteration on a network that takes no time: its longest chain of computations"),             \
        X(U64, "message_latency/count", "", (uint64_t)c[IC_PROG_MESSAGES], "messages of programs"),          \
        X(DOUBLE, "message_latency/mean_s", "s", mean_s(c, IC_PROG_MESSAGE_PS, c[IC_PROG_MESSAGES]),         \
          "from the first chunk into the network to the last one out of it; before come its turn at the "    \
          "terminal, and in rendezvous two short messages"),                                                 \
        X(DOUBLE, "message_latency/p50_s", "s", wi_ic_quantile_s(c + IC_PROG_BINS, 0.5), NULL),              \
        X(DOUBLE, "message_latency/p99_s", "s", wi_ic_quantile_s(c + IC_PROG_BINS, 0.99), NULL)
static const wi_result_column program_columns[] = {PROGRAM(WI_COLUMN)};
const wi_result_table wi_ic_program_summary =
    WI_RESULT(SUMMARY, "interconnect.jobs.program", program_columns);

/* Each kind of action that ranks ended. */
static json_t *actions_of(const int64_t *c)
{
    json_t *actions = json_object();
    for (uint32_t op = 0; op < JOB_OPS; op++) {
        const int64_t n = c[IC_PROG_OPS + 2 * op];
        if (n)
            json_object_set_new(actions, wi_job_op_name(op),
                                json_pack("{s:o, s:o}", "count", wi_json_count((uint64_t)n), "mean_s",
                                          wi_json_real(mean_s(c, IC_PROG_OPS + 2 * op + 1, n))));
    }
    return actions;
}

void wi_ic_programs_summarise(const wi_ic_results *r, const wi_subject_run *run, uint32_t job, json_t *into)
{
    const int64_t *c = counted(r, job);
    if (!c)
        return;
    const wi_job_figures of = wi_ic_job_figures(r, run->sim, job);
    json_t *o = wi_result_object(&wi_ic_program_summary, (const wi_cell[]){PROGRAM(WI_CELL)}, 0);
    if (stuck_of_job(r, job))
        json_object_set_new(o, "deadlock", deadlock(r, job));
    json_object_set_new(o, "actions", actions_of(c));
    json_object_set_new(into, "program", o);
}

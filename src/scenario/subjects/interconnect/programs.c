/* Results of programs: what their iterations, collectives and messages took. */
#include <math.h>
#include <string.h>

#include "output/csv.h"
#include "output/json.h"
#include "scenario/subjects/interconnect/interconnect.h"

static const char *const op_names[IC_OPS] = {"compute",   "send",      "isend",          "recv",     "irecv",
                                             "wait",      "waitall",   "barrier",        "bcast",    "reduce",
                                             "allreduce", "allgather", "reduce-scatter", "alltoall", "gather",
                                             "scatter",   "exchange"};

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

static const ic_rank *rank_at(const wi_ic_results *r, uint32_t job, uint32_t rank, uint32_t *terminal)
{
    const ic_world *w = wi_ic_world(r->ic);
    *terminal = IC_TABLE(w, uint32_t, w->rank_terminal_at)[job_at(r, job)->first + rank];
    return weir_sim_slot(r->sim, IC_POOL_RANKS, IC_TABLE(w, uint32_t, w->rank_first_at)[*terminal]);
}

static double mean_s(int64_t sum_ps, int64_t n)
{
    return n ? 1e-12 * (double)sum_ps / (double)n : (double)NAN;
}

static bool any_program(const wi_ic_results *r)
{
    return wi_ic_world(r->ic)->program_counters != 0;
}

static weir_status write_actions(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {
        {"job", WI_CSV_TEXT}, {"action", WI_CSV_TEXT}, {"count", WI_CSV_U64}, {"time_mean_s", WI_CSV_DOUBLE}};
    wi_csv *csv;
    const weir_status status = wi_csv_open(r->diag, r->folder, "actions.csv", columns, 4, &csv);
    for (uint32_t j = 0; status == WEIR_OK && j < wi_ic_world(r->ic)->n_jobs; j++) {
        const int64_t *c = counted(r, j);
        for (uint32_t op = 0; c && op < IC_OPS; op++) {
            const int64_t n = c[IC_PROG_OPS + 2 * op];
            if (!n)
                continue;
            wi_csv_text(csv, r->asked->jobs[j].name);
            wi_csv_text(csv, op_names[op]);
            wi_csv_u64(csv, (uint64_t)n);
            wi_csv_double(csv, mean_s(c[IC_PROG_OPS + 2 * op + 1], n));
        }
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

static weir_status write_ranks(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"job", WI_CSV_TEXT},
                                            {"rank", WI_CSV_U64},
                                            {"terminal", WI_CSV_U64},
                                            {"iterations", WI_CSV_U64},
                                            {"end_s", WI_CSV_SECONDS}};
    wi_csv *csv;
    const weir_status status = wi_csv_open(r->diag, r->folder, "ranks.csv", columns, 5, &csv);
    for (uint32_t j = 0; status == WEIR_OK && j < wi_ic_world(r->ic)->n_jobs; j++)
        for (uint32_t i = 0; counted(r, j) && i < job_at(r, j)->n_ranks; i++) {
            uint32_t terminal;
            const ic_rank *rank = rank_at(r, j, i, &terminal);
            wi_csv_text(csv, r->asked->jobs[j].name);
            wi_csv_u64(csv, i);
            wi_csv_u64(csv, terminal);
            wi_csv_u64(csv, rank->iteration);
            if (rank->ended)
                wi_csv_seconds(csv, rank->ended_ps);
            else
                wi_csv_empty(csv);
        }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
}

weir_status wi_ic_programs_write(const wi_ic_results *r)
{
    if (!any_program(r))
        return WEIR_OK;
    const weir_status status = write_actions(r);
    return status == WEIR_OK ? write_ranks(r) : status;
}

/* Ranks that have ended over the whole run, and when the last of them did. */
static int64_t ended(const wi_ic_results *r, uint32_t job, weir_time *last_ps)
{
    int64_t n = 0;
    *last_ps = 0;
    for (uint32_t i = 0; i < job_at(r, job)->n_ranks; i++) {
        uint32_t terminal;
        const ic_rank *rank = rank_at(r, job, i, &terminal);
        n += rank->ended;
        if (rank->ended && rank->ended_ps > *last_ps)
            *last_ps = rank->ended_ps;
    }
    return n;
}

void wi_ic_programs_summarise(const wi_ic_results *r, uint32_t job, json_t *into)
{
    const int64_t *c = counted(r, job);
    weir_time last_ps;
    if (!c)
        return;
    json_t *o = json_object(), *actions = json_object(), *message = json_object();
    const int64_t done = ended(r, job, &last_ps);
    json_object_set_new(o, "ranks_ended", wi_json_count((uint64_t)done));
    json_object_set_new(o, "end_s",
                        wi_json_real(done == job_at(r, job)->n_ranks ? weir_seconds(last_ps) : (double)NAN));
    json_object_set_new(o, "iterations", wi_json_count((uint64_t)c[IC_PROG_ITERATIONS]));
    json_object_set_new(o, "iteration_mean_s",
                        wi_json_real(mean_s(c[IC_PROG_ITERATION_PS], c[IC_PROG_ITERATIONS])));
    json_object_set_new(message, "count", wi_json_count((uint64_t)c[IC_PROG_MESSAGES]));
    json_object_set_new(message, "mean_s", wi_json_real(mean_s(c[IC_PROG_MESSAGE_PS], c[IC_PROG_MESSAGES])));
    json_object_set_new(message, "p50_s", wi_json_real(wi_ic_quantile_s(c + IC_PROG_BINS, 0.5)));
    json_object_set_new(message, "p99_s", wi_json_real(wi_ic_quantile_s(c + IC_PROG_BINS, 0.99)));
    json_object_set_new(o, "message_latency", message);
    for (uint32_t op = 0; op < IC_OPS; op++) {
        const int64_t n = c[IC_PROG_OPS + 2 * op];
        if (!n)
            continue;
        json_t *a = json_object();
        json_object_set_new(a, "count", wi_json_count((uint64_t)n));
        json_object_set_new(a, "mean_s", wi_json_real(mean_s(c[IC_PROG_OPS + 2 * op + 1], n)));
        json_object_set_new(actions, op_names[op], a);
    }
    json_object_set_new(o, "actions", actions);
    json_object_set_new(into, "program", o);
}

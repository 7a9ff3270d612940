/* Results of programs: what their iterations, collectives and messages took. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "output/csv.h"
#include "output/json.h"
#include "scenario/subjects/interconnect/interconnect.h"

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
            wi_csv_text(csv, wi_ic_op_name(op));
            wi_csv_u64(csv, (uint64_t)n);
            wi_csv_double(csv, mean_s(c[IC_PROG_OPS + 2 * op + 1], n));
        }
    }
    return status == WEIR_OK ? wi_csv_close(r->diag, csv) : status;
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
             wi_ic_op_name(s->op), s->peer, what, s->peer_ended ? ", which has ended" : "");
}

static size_t stuck_of_job(const wi_ic_results *r, uint32_t job)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_stuck; i++)
        n += r->stuck[i].job == job;
    return n;
}

/* The first message says how many; each of the next a rank of them, as far as they are not too many. */
weir_status wi_ic_programs_deadlock(const wi_ic_results *r)
{
    weir_status status = WEIR_OK;
    for (uint32_t j = 0; j < r->asked->n_jobs; j++) {
        const size_t n = stuck_of_job(r, j);
        const weir_place job = r->asked->jobs[j].place;
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
                    r->diag, WEIR_E_DEADLOCK, at.file, at.line, at.column,
                    "job '%s' is in a deadlock: %zu of its %" PRIu32 " ranks wait for ever since %.9g s; %s",
                    r->asked->jobs[j].name, n, job_at(r, j)->n_ranks, weir_seconds(since_ps), why);
            else
                status = weir_fail_at(r->diag, WEIR_E_DEADLOCK, at.file, at.line, at.column, "%s", why);
        }
        if (n > named)
            status = weir_fail_at(r->diag, WEIR_E_DEADLOCK, job.file, job.line, job.column,
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
                                              "action", wi_ic_op_name(s->op), "waits_for",
                                              (json_int_t)s->peer, "file", at.file, "line", at.line));
    }
    return list;
}

/* Whether a rank has ended, was cut off by the end of the run, or waits for ever, and then where and for whom. */
static void put_state(wi_csv *csv, const wi_ic_results *r, uint32_t job, uint32_t rank, bool ended)
{
    const wi_ic_stuck *s = stuck_at(r, job, rank);
    wi_csv_text(csv, s ? "deadlock" : ended ? "ended" : "under way");
    if (s) {
        const weir_place at = wi_ic_place_of(&r->asked->jobs[job], &r->files[job], s->action);
        wi_csv_u64(csv, s->peer);
        wi_csv_text(csv, wi_ic_op_name(s->op));
        wi_csv_text(csv, at.file ? at.file : "");
        wi_csv_u64(csv, (uint64_t)at.line);
    } else {
        for (int i = 0; i < 4; i++)
            wi_csv_empty(csv);
    }
}

static weir_status write_ranks(const wi_ic_results *r)
{
    static const wi_csv_column columns[] = {{"job", WI_CSV_TEXT},      {"rank", WI_CSV_U64},
                                            {"terminal", WI_CSV_U64},  {"iterations", WI_CSV_U64},
                                            {"end_s", WI_CSV_SECONDS}, {"state", WI_CSV_TEXT},
                                            {"waits_for", WI_CSV_U64}, {"action", WI_CSV_TEXT},
                                            {"file", WI_CSV_TEXT},     {"line", WI_CSV_U64}};
    wi_csv *csv;
    const weir_status status =
        wi_csv_open(r->diag, r->folder, "ranks.csv", columns, sizeof columns / sizeof columns[0], &csv);
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
            put_state(csv, r, j, i, rank->ended);
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
    json_object_set_new(o, "ranks_deadlocked", wi_json_count(stuck_of_job(r, job)));
    if (stuck_of_job(r, job))
        json_object_set_new(o, "deadlock", deadlock(r, job));
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
        json_object_set_new(actions, wi_ic_op_name(op), a);
    }
    json_object_set_new(o, "actions", actions);
    json_object_set_new(into, "program", o);
}

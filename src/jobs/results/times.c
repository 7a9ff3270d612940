/* Actions of jobs on any network; see times.h. */
#include "jobs/results/times.h"

#include <stdlib.h>

#define ACTIONS(X)                                                                                           \
    X(TEXT, "job", "", name, "name of the traffic class, one with `job`"),                                   \
        X(U64, "iteration", "", iteration, "from 0"), X(U64, "rank", "", o->rank, "that does it"),           \
        X(U64, "action", "", o->where, "its line in the trace, or number of its node"),                      \
        X(TEXT, "name", "", o->name ? job->names + o->name : "", "its name there; empty where it has none"), \
        X(TEXT, "kind", "", wi_job_kind_name(o), "`compute`, `send`, `recv`, or the collective operation"),  \
        X(U64, "peer", "",                                                                                   \
          !has_peer ? WI_NO_COUNT                                                                            \
          : rooted  ? job->member[job->group_first[o->group] + o->peer]                                      \
                    : o->peer,                                                                                \
          "rank that it sends to or receives from, or the root; empty of others"),                           \
        X(U64, "bytes", "bytes", o->kind == WI_JOB_COMPUTE ? WI_NO_COUNT : o->bytes,                         \
          "of the message, or of the collective as its algorithm counts them"),                              \
        X(SECONDS, "start_s", "s", t->start[i] == WEIR_TIME_MAX ? WI_NO_TIME : t->start[i],                  \
          "when all that it waits for was there, of a computation that ended when its processor turned to "  \
          "it; empty: not yet"),                                                                             \
        X(SECONDS, "end_s", "s", t->end[i] == WEIR_TIME_MAX ? WI_NO_TIME : t->end[i],                        \
          "when it ended; empty: not yet")
const wi_result_column wi_job_action_columns[] = {ACTIONS(WI_COLUMN)};
_Static_assert(sizeof wi_job_action_columns / sizeof *wi_job_action_columns == WI_JOB_ACTION_COLUMNS,
               "as many");

bool wi_job_times_open(wi_job_times *t)
{
    t->start = malloc(((size_t)t->job->n_ops + 1) * sizeof *t->start);
    t->end = malloc(((size_t)t->job->n_ops + 1) * sizeof *t->end);
    return t->start && t->end;
}

void wi_job_times_close(wi_job_times *t)
{
    free(t->start);
    free(t->end);
    t->start = t->end = NULL;
}

void wi_job_times_read(wi_job_times *t, uint32_t iteration)
{
    const wi_job *const job = t->job;
    for (uint32_t i = 0; i < job->n_ops; i++) {
        t->end[i] = t->ended(t->of, i, iteration);
        t->start[i] = t->began(t->of, job->op[i].rank, iteration);
    }
    for (bool again = true; again;) { /* starts that wait for starts may stand in any order */
        again = false;
        for (uint32_t i = 0; i < job->n_edges; i++) {
            const wi_job_edge *const e = &job->edge[i];
            const weir_time from_ps = (e->at_start ? t->start : t->end)[e->before];
            if (from_ps > t->start[e->after]) {
                t->start[e->after] = from_ps;
                again = true;
            }
        }
    }
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->op[i].kind == WI_JOB_COMPUTE && t->end[i] != WEIR_TIME_MAX)
            t->start[i] = t->end[i] - job->op[i].time_ps;
}

static void put_actions(const wi_job_times *t, wi_csv *csv, const char *name, uint32_t iteration)
{
    const wi_job *const job = t->job;
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        const bool rooted = o->kind == WI_JOB_COLLECTIVE &&
                            (o->collective == JOB_OP_BCAST || o->collective == JOB_OP_REDUCE ||
                             o->collective == JOB_OP_GATHER || o->collective == JOB_OP_SCATTER);
        const bool has_peer = o->kind == WI_JOB_SEND || o->kind == WI_JOB_RECV || rooted;
        wi_csv_row(csv, (const wi_cell[]){ACTIONS(WI_CELL)});
    }
}

bool wi_job_put_actions(wi_job_times *t, wi_csv *csv, const char *name, uint32_t iterations)
{
    const bool good = wi_job_times_open(t);
    for (uint32_t k = 0; good && k < iterations; k++) {
        wi_job_times_read(t, k);
        put_actions(t, csv, name, k);
    }
    wi_job_times_close(t);
    return good;
}

/*
 * Ranks that do several things at once: random jobs of computations, messages and collectives that wait for each other. An
 * operation starts as all is there that it waits for, never earlier or later; a computation takes its time on its processor, which serves
 * one at a time and never idles while one is wanted; what is received was sent. The same on every engine.
 */
#include <stdlib.h>

#include "base/order.h"
#include "jobs/results/times.h"
#include "trace_run.h"

enum { RANKS = 5, OPS = 1000, PROCESSORS = 3 };

typedef struct random_job {
    wi_job job;
    uint32_t of_rank[RANKS][OPS], n[RANKS]; /* operations, in an order in which none waits for a later one */
    uint32_t tags;
    uint64_t seed;
} random_job;

static void add(random_job *r, wi_job_op op)
{
    const uint32_t at = wi_job_add(&r->job, &op), rank = op.rank, n = r->n[rank];
    assert_int_not_equal(at, WI_JOB_NONE);
    for (uint64_t i = rnd_below(&r->seed, 4); i > 0 && n > 0; i--) {
        const uint32_t back = (uint32_t)rnd_below(&r->seed, n < 6 ? n : 6);
        assert_true(wi_job_after(&r->job, at, r->of_rank[rank][n - 1 - back], rnd_below(&r->seed, 5) == 0));
    }
    r->of_rank[rank][r->n[rank]++] = at;
}

static void make_job(random_job *r, uint64_t seed)
{
    static const uint8_t ops[] = {JOB_OP_BARRIER, JOB_OP_ALLREDUCE, JOB_OP_ALLTOALL, JOB_OP_BCAST,
                                  JOB_OP_GATHER};
    const uint32_t some[] = {3, 0, 4};
    *r = (random_job){.seed = seed, .job = {.n_ranks = RANKS, .may_deadlock = true, .what = "operation"}};
    r->tags = 1 + (uint32_t)rnd_below(&r->seed, 40);
    assert_true(wi_job_group_of_all(&r->job));
    assert_int_not_equal(wi_job_group(&r->job, some, 3), WI_JOB_NONE);
    for (int i = 0; i < 40; i++) {
        const uint32_t rank = (uint32_t)rnd_below(&r->seed, RANKS), what = (uint32_t)rnd_below(&r->seed, 5);
        if (what < 2) {
            add(r, (wi_job_op){.kind = WI_JOB_COMPUTE,
                               .rank = rank,
                               .processor = (uint16_t)rnd_below(&r->seed, PROCESSORS),
                               .time_ps = (weir_time)rnd_below(&r->seed, 3) * 1000003});
        } else if (what < 4) {
            const uint32_t to = (rank + 1 + (uint32_t)rnd_below(&r->seed, RANKS - 1)) % RANKS;
            wi_job_op op = {.kind = WI_JOB_SEND,
                            .rank = rank,
                            .peer = to,
                            .tag = (uint32_t)rnd_below(&r->seed, r->tags),
                            .bytes = 1 + rnd_below(&r->seed, 5000)};
            add(r, op);
            op.kind = WI_JOB_RECV;
            op.rank = to;
            op.peer = rank;
            add(r, op);
        } else {
            const uint32_t group = (uint32_t)rnd_below(&r->seed, 2), n = wi_job_group_size(&r->job, group);
            wi_job_op op = {.kind = WI_JOB_COLLECTIVE,
                            .collective = ops[rnd_below(&r->seed, 5)],
                            .peer = (uint32_t)rnd_below(&r->seed, n),
                            .group = group,
                            .bytes = 1 + rnd_below(&r->seed, 3000)};
            for (uint32_t k = 0; k < n; k++) {
                op.rank = r->job.member[r->job.group_first[group] + k];
                add(r, op);
            }
        }
    }
}

/* ---- what ranks noted ---- */

typedef struct noted {
    fabric f;
    const random_job *r;
    uint32_t place[RANKS * OPS];
} noted;

static weir_time at(const noted *t, uint32_t rank, uint32_t iteration, uint32_t what)
{
    const ic_world *w = t->f.w;
    const uint32_t terminal = IC_TABLE(w, uint32_t, w->rank_terminal_at)[rank],
                   n = IC_TABLE(w, ic_program, w->programs_at)[terminal].n_ops;
    const weir_time *found =
        weir_sim_slot(t->f.sim, IC_POOL_TIMES,
                      IC_TABLE(w, uint32_t, w->times_first_at)[terminal] + iteration * (n + 1) + what);
    assert_true(*found > 0);
    return *found - 1;
}

static weir_time began(const void *of, uint32_t rank, uint32_t iteration)
{
    return at(of, rank, iteration, 0);
}

static weir_time ended(const void *of, uint32_t op, uint32_t iteration)
{
    const noted *t = of;
    return at(t, t->r->job.op[op].rank, iteration, t->place[op] + 1);
}

WI_ORDER_BY(by_time, weir_time, WI_ORDER(x[0], y[0]) ?: WI_ORDER(x[1], y[1]))

/* A processor's computations, each [2] when it was wanted and when it ended, and the time it takes behind that: one after the other in the order
 * in which they were wanted, without a gap that nobody asked for. */
static void check_processor(weir_time (*c)[3], size_t n)
{
    weir_time free_ps = 0;
    qsort(c, n, sizeof *c, by_time);
    for (size_t i = 0; i < n; i++) {
        const weir_time from_ps = c[i][0] > free_ps ? c[i][0] : free_ps;
        assert_int_equal(c[i][1], from_ps + c[i][2]);
        free_ps = c[i][1];
    }
}

static void check_times(const noted *t, uint32_t iterations)
{
    const wi_job *const job = &t->r->job;
    wi_job_times times = {.job = job, .of = t, .began = began, .ended = ended};
    weir_time(*c)[3] = malloc((size_t)job->n_ops * sizeof *c), *wanted = malloc(job->n_ops * sizeof *wanted);
    assert_true(wi_job_times_open(&times) && c && wanted);
    for (uint32_t k = 0; k < iterations; k++) {
        wi_job_times_read(&times, k);
        for (uint32_t i = 0; i < job->n_ops; i++)
            wanted[i] = began(t, job->op[i].rank, k);
        for (bool again = true;
             again;) { /* starts of computations that wait for their processor do not count here */
            again = false;
            for (uint32_t e = 0; e < job->n_edges; e++) {
                const wi_job_edge *const edge = &job->edge[e];
                const weir_time ps = edge->at_start ? wanted[edge->before] : times.end[edge->before];
                again |= ps > wanted[edge->after];
                wanted[edge->after] = ps > wanted[edge->after] ? ps : wanted[edge->after];
            }
        }
        for (uint32_t i = 0; i < job->n_ops; i++) {
            assert_true(times.end[i] >= wanted[i]);
            if (job->op[i].kind == WI_JOB_RECV)
                assert_true(times.end[i] > wanted[job->op[i].match]);
        }
        for (uint32_t p = 0; p < RANKS * PROCESSORS; p++) {
            size_t n = 0;
            for (uint32_t i = 0; i < job->n_ops; i++) {
                const wi_job_op *const o = &job->op[i];
                if (o->kind == WI_JOB_COMPUTE && o->rank * PROCESSORS + o->processor == p && o->time_ps > 0) {
                    c[n][0] = wanted[i];
                    c[n][1] = times.end[i];
                    c[n++][2] = o->time_ps;
                }
                if (o->kind == WI_JOB_COMPUTE && o->time_ps == 0)
                    assert_int_equal(times.end[i], wanted[i]);
            }
            check_processor(c, n);
        }
    }
    wi_job_times_close(&times);
    free(c);
    free(wanted);
}

static void ranks_do_several_things_at_once(void **state)
{
    static const weir_engine engines[] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CONSERVATIVE,
                                          WEIR_ENGINE_OPTIMISTIC};
    weir_diag *diag = *state;
    static random_job r;
    uint32_t several = 0;
    for (uint64_t i = 0; i < 150; i++) {
        static noted t;
        uint64_t first = 0;
        make_job(&r, 100 + i);
        expect_ok(diag, wi_job_close(diag, &r.job));
        expect_ok(diag, wi_job_to_programs(diag, &r.job, JOB_AUTO));
        several += r.job.programs.lane != NULL;
        uint32_t n[RANKS] = {0};
        for (uint32_t op = 0; op < r.job.n_ops; op++)
            t.place[op] = n[r.job.op[op].rank]++;
        t.r = &r;
        for (size_t e = 0; e < (i < 30 ? 3 : 1); e++) {
            t.f = replay_times(diag, &r.job, engines[e], i % 2 ? 1000 : 1000000, WEIR_PS_PER_S, 2);
            const uint64_t digest = weir_sim_event_digest(t.f.sim);
            for (uint32_t k = 0; k < RANKS; k++)
                if (!((const ic_rank *)weir_sim_slot(t.f.sim, IC_POOL_RANKS, k))->ended)
                    fail_msg("job %d: rank %u has not ended", (int)i, k);
            check_times(&t, 2);
            assert_true(e == 0 || digest == first);
            first = digest;
            fabric_end(t.f);
        }
        wi_job_free(&r.job);
    }
    assert_true(several > 100);
}

/* More collectives of one group at once than messages are told apart: 700 barriers of two ranks, each behind a computation of
 * its own, which rank 1 does the other way round. */
static void collectives_that_meet_are_told_apart(void **state)
{
    enum { N = 700 };
    weir_diag *diag = *state;
    static random_job r;
    static noted t;
    r = (random_job){.job = {.n_ranks = 2, .may_deadlock = true, .what = "operation"}};
    assert_true(wi_job_group_of_all(&r.job));
    for (uint32_t rank = 0; rank < 2; rank++)
        for (uint32_t i = 0; i < N; i++) {
            const weir_time ns = rank ? N - i : i + 1;
            wi_job_op op = {.kind = WI_JOB_COMPUTE,
                            .rank = rank,
                            .processor = (uint16_t)i,
                            .time_ps = 1000000 + 1000 * ns};
            const uint32_t before = wi_job_add(&r.job, &op);
            op = (wi_job_op){
                .kind = WI_JOB_COLLECTIVE, .rank = rank, .collective = JOB_OP_BCAST, .bytes = 1 + 64 * i};
            t.place[before] = 2 * i;
            t.place[before + 1] = 2 * i + 1;
            assert_true(wi_job_after(&r.job, wi_job_add(&r.job, &op), before, false));
        }
    expect_ok(diag, wi_job_close(diag, &r.job));
    expect_ok(diag, wi_job_to_programs(diag, &r.job, JOB_AUTO));
    t.r = &r;
    t.f = replay_times(diag, &r.job, WEIR_ENGINE_SEQUENTIAL, 1000000, WEIR_PS_PER_S, 1);
    for (uint32_t i = 0; i < N; i++) { /* what is received was sent, and wanted, before */
        const weir_time sent_ps = ended(&t, 2 * i, 0), wanted_ps = ended(&t, 2 * (N + i), 0),
                        came_ps = ended(&t, 2 * (N + i) + 1, 0);
        assert_true(came_ps >= sent_ps + (weir_time)(32 * (i + 1)) && came_ps >= wanted_ps);
    }
    fabric_end(t.f);
    wi_job_free(&r.job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_do_several_things_at_once),
                                       cmocka_unit_test(collectives_that_meet_are_told_apart)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

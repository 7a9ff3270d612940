/*
 * Programs of ranks against the closed forms of collectives: in a switch that joins all ranks (a tree of one level) nothing is
 * ever in anybody's way, so each collective takes its sum of message times to the picosecond. On other wirings against an
 * independent recurrence: a step begins when the step before has come and gone.
 */
#include "nightly.h"
#include "interconnect_paths.h"
#include "models/usual/interconnect.h"

/* The time of a message of so many bytes between terminals of one router, from its send to its receive. */
static weir_time message_ps(const ic_world *w, const ic_params *p, uint64_t bytes)
{
    const ic_class *t = &w->class_[IC_TERMINAL];
    const weir_time chunks = bytes ? (weir_time)((bytes + p->chunk_bytes - 1) / p->chunk_bytes) : 1;
    return 2 * (t->chunk_ps + t->delay_ps) + p->router_ps + p->nic_ps + (chunks - 1) * t->chunk_ps;
}

static const ic_rank *rank_of(fabric f, uint32_t terminal)
{
    return weir_sim_slot(f.sim, IC_POOL_RANKS, IC_TABLE(f.w, uint32_t, f.w->rank_first_at)[terminal]);
}

/* When the last rank was done; -1: not all are. */
static weir_time end_of(fabric f, uint32_t job)
{
    const ic_job_world *j = IC_TABLE(f.w, ic_job_world, f.w->jobs_at) + job;
    weir_time last_ps = 0;
    for (uint32_t r = 0; r < j->n_ranks; r++) {
        const ic_rank *rank = rank_of(f, IC_TABLE(f.w, uint32_t, f.w->rank_terminal_at)[j->first + r]);
        if (!rank->ended)
            return -1;
        last_ps = rank->ended_ps > last_ps ? rank->ended_ps : last_ps;
    }
    return last_ps;
}

static int64_t program_count(fabric f, uint32_t job, uint32_t what)
{
    return weir_sim_counters(f.sim)[f.w->program_counters + (uint64_t)job * IC_PROG_COUNTERS + what];
}

/* A switch for n ranks. */
static ic_params crossbar(const ic_job *job, uint32_t n)
{
    ic_params p;
    usual_interconnect(&p);
    p.wiring = IC_TREE;
    p.levels = 1;
    p.k = n < 2 ? 2 : n;
    p.jobs = job;
    p.n_jobs = 1;
    return p;
}

static ic_job program(const job_action *actions, size_t n, uint32_t ranks)
{
    ic_job job;
    ic_job_init(&job);
    job.pattern = IC_PROGRAMMED;
    job.n_ranks = ranks;
    job.actions = actions;
    job.n_actions = n;
    return job;
}

static uint32_t log2_of(uint32_t n)
{
    uint32_t e = 0;
    while ((UINT64_C(1) << e) < n)
        e++;
    return e;
}

/* Of an eager message, or of one that is asked for first. */
static weir_time told_ps(const ic_world *w, const ic_params *p, uint64_t bytes, uint64_t eager)
{
    const weir_time one = message_ps(w, p, bytes);
    return bytes > eager ? one + 2 * message_ps(w, p, 1) : one;
}

static weir_time closed_form(const ic_world *w, const ic_params *p, const job_action *a, uint32_t n,
                             uint64_t eager)
{
    const uint64_t b = a->bytes;
    const uint64_t whole = a->op == JOB_OP_REDUCE_SCATTER ? b : n * b;
    /* What MPICH does: thresholds of Thakur and others, section 4. */
    const bool small = a->op == JOB_OP_ALLGATHER        ? whole <= 81920
                       : a->op == JOB_OP_REDUCE_SCATTER ? whole < 524288
                                                        : b <= 256;
    const bool doubles = a->algorithm == JOB_DOUBLING || (a->algorithm == JOB_AUTO && small);
    weir_time sum = 0;
    switch (a->op) {
    case JOB_OP_BARRIER:
        return log2_of(n) * told_ps(w, p, 1, eager);
    case JOB_OP_BCAST:
    case JOB_OP_REDUCE:
        return log2_of(n) * told_ps(w, p, b, eager);
    case JOB_OP_ALLREDUCE:
        if (a->algorithm == JOB_RING)
            return 2 * (n - 1) * told_ps(w, p, (b + n - 1) / n, eager);
        if (a->algorithm == JOB_DOUBLING || (a->algorithm == JOB_AUTO && b <= 2048))
            return log2_of(n) * told_ps(w, p, b, eager);
        for (uint32_t k = 2; k <= n; k *= 2)
            sum += 2 * told_ps(w, p, (b + k - 1) / k, eager);
        return sum;
    case JOB_OP_ALLGATHER:
    case JOB_OP_GATHER:
    case JOB_OP_SCATTER:
        for (uint32_t k = 1; k < n && (doubles || a->op != JOB_OP_ALLGATHER); k *= 2)
            sum += told_ps(w, p, k * b, eager);
        if (sum > 0)
            return sum;
        return (n - 1) * told_ps(w, p, b, eager);
    case JOB_OP_ALLTOALL:
        if (doubles)
            return log2_of(n) * told_ps(w, p, n / 2 * b, eager);
        return (n - 1) * told_ps(w, p, b, eager);
    case JOB_OP_REDUCE_SCATTER:
        for (uint32_t k = 1; k < n && doubles; k *= 2)
            sum += told_ps(w, p, k * ((b + n - 1) / n), eager);
        if (doubles)
            return sum;
        return (n - 1) * told_ps(w, p, (b + n - 1) / n, eager);
    default:
        return -1;
    }
}

/* Of any p: what one sends another receives, in the same order and of the same bytes; and in all a rank receives what it lacks. */
static void steps_of_all_ranks_go_together(void **state)
{
    (void)state;
    enum { P = 40, STEPS = 100 };
    static const job_op ops[] = {JOB_OP_ALLGATHER, JOB_OP_REDUCE_SCATTER, JOB_OP_ALLTOALL, JOB_OP_GATHER,
                                 JOB_OP_SCATTER};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (uint32_t p = 2; p <= P; p++)
            for (uint32_t root = 0; root < p; root += 1 + p / 3) {
                static uint64_t sent[P][P][STEPS], got[P][P][STEPS];
                static uint32_t n_sent[P][P], n_got[P][P];
                uint64_t received[P] = {0};
                memset(n_sent, 0, sizeof n_sent);
                memset(n_got, 0, sizeof n_got);
                for (uint32_t rank = 0; rank < p; rank++) {
                    const job_collective c = {.op = ops[k],
                                              .algorithm = JOB_DOUBLING,
                                              .rank = rank,
                                              .p = p,
                                              .root = root,
                                              .bytes = 10 * p};
                    job_step s;
                    for (uint32_t step = 0; job_collective_step(&c, step, &s); step++) {
                        assert_true(step < STEPS);
                        if (s.to != JOB_NOBODY)
                            sent[rank][s.to][n_sent[rank][s.to]++] = s.to_bytes;
                        if (s.from != JOB_NOBODY)
                            got[s.from][rank][n_got[s.from][rank]++] = s.from_bytes;
                        received[rank] += s.from != JOB_NOBODY ? s.from_bytes : 0;
                    }
                }
                for (uint32_t a = 0; a < p; a++)
                    for (uint32_t b = 0; b < p; b++) {
                        assert_int_equal(n_sent[a][b], n_got[a][b]);
                        assert_memory_equal(sent[a][b], got[a][b], n_sent[a][b] * sizeof sent[a][b][0]);
                    }
                for (uint32_t a = 0; a < p; a++) {
                    if (ops[k] == JOB_OP_ALLGATHER)
                        assert_int_equal(received[a], 10 * p * (p - 1));
                    if (ops[k] == JOB_OP_REDUCE_SCATTER)
                        assert_int_equal(received[a], 10 * (p - 1));
                }
                if (ops[k] == JOB_OP_GATHER)
                    assert_int_equal(received[root], 10 * p * (p - 1));
            }
}

static void collectives_take_their_closed_form(void **state)
{
    static const struct {
        job_op op;
        job_algorithm algorithm;
        bool power; /* the form is for powers of two */
    } kinds[] = {{JOB_OP_BARRIER, JOB_RING, false},
                 {JOB_OP_BCAST, JOB_RING, true},
                 {JOB_OP_REDUCE, JOB_RING, true},
                 {JOB_OP_ALLREDUCE, JOB_RING, false},
                 {JOB_OP_ALLREDUCE, JOB_DOUBLING, true},
                 {JOB_OP_ALLREDUCE, JOB_RABENSEIFNER, true},
                 {JOB_OP_ALLGATHER, JOB_RING, false},
                 {JOB_OP_REDUCE_SCATTER, JOB_RING, false},
                 {JOB_OP_ALLTOALL, JOB_RING, false},
                 {JOB_OP_ALLGATHER, JOB_DOUBLING, true},
                 {JOB_OP_REDUCE_SCATTER, JOB_DOUBLING, true},
                 {JOB_OP_ALLTOALL, JOB_DOUBLING, true},
                 {JOB_OP_GATHER, JOB_DOUBLING, true},
                 {JOB_OP_SCATTER, JOB_DOUBLING, true},
                 {JOB_OP_ALLREDUCE, JOB_AUTO, true},
                 {JOB_OP_ALLGATHER, JOB_AUTO, true},
                 {JOB_OP_REDUCE_SCATTER, JOB_AUTO, true},
                 {JOB_OP_ALLTOALL, JOB_AUTO, true}};
    static const uint32_t ranks[] = {2, 3, 4, 7, 8, 16, 64};
    static const uint64_t sizes[] = {1, 64, 1000, 4096, 4097, 16384, 65536, 200000};
    weir_diag *diag = *state;
    uint64_t random = 3, cases = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t r = 0; r < sizeof ranks / sizeof ranks[0]; r++)
            for (size_t s = SANITIZED ? k % 3 : 0; s < sizeof sizes / sizeof sizes[0];
                 s += SANITIZED ? 3 : 1) {
                const uint32_t n = ranks[r];
                if ((kinds[k].power && (n & (n - 1))) || (n == 64 && s > 5 && s < 7) ||
                    (n == 64 && kinds[k].op == JOB_OP_ALLTOALL && sizes[s] > 20000))
                    continue;
                const job_action a = {.op = (uint8_t)kinds[k].op,
                                      .algorithm = (uint8_t)kinds[k].algorithm,
                                      .peer = rnd_below(&random, n),
                                      .bytes = sizes[s]};
                ic_job job = program(&a, 1, n);
                job.iterations = 1 + rnd_below(&random, 2);
                job.placement = (weir_sc_place)rnd_below(&random, 3);
                ic_params p = crossbar(&job, n);
                p.burst = 1 + rnd_below(&random, 2) * 63;
                if (rnd_below(&random, 2))
                    fabric_unlike(&p);
                fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
                fabric_run(diag, f, WEIR_PS_PER_S);
                /* A tree's second turn begins while others are still at the first; the others are in step. */
                const bool tree = a.op == JOB_OP_BCAST || a.op == JOB_OP_REDUCE || a.op == JOB_OP_GATHER ||
                                  a.op == JOB_OP_SCATTER;
                const weir_time want = closed_form(f.w, &p, &a, n, job.eager_bytes), got = end_of(f, 0);
                if (tree && job.iterations > 1) {
                    assert_true(got > want && got <= 2 * want);
                } else if (got != (weir_time)job.iterations * want) {
                    fail_msg(
                        "op %d, algorithm %d, %u ranks, %llu bytes, burst %u: %lld ps, want %u times %lld",
                        a.op, a.algorithm, n, (unsigned long long)a.bytes, p.burst, (long long)got,
                        job.iterations, (long long)want);
                }
                assert_int_equal(program_count(f, 0, IC_PROG_ENDED), n);
                assert_int_equal(program_count(f, 0, IC_PROG_ITERATIONS), n * job.iterations);
                assert_int_equal(program_count(f, 0, IC_PROG_OPS + 2u * a.op), n * job.iterations);
                expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
                fabric_end(f);
                cases++;
            }
    assert_true(cases > (SANITIZED ? 100 : 300));
}

/* Round a ring in other wirings, in a dragonfly over every other group (the next one's link ends where it would meet
 * what leaves): no two of its messages share a channel, so a step of a rank is over when its own message
 * has left and its neighbour's has come, which left when the neighbour was done with the step before. */
static weir_time ring_ps(const ic_world *w, const ic_params *p, uint32_t n, uint32_t steps, uint64_t bytes)
{
    weir_time at[512] = {0}, then[512], last = 0;
    const uint32_t *rank_terminal = IC_TABLE(w, uint32_t, w->rank_terminal_at);
    const uint32_t chunks = (uint32_t)((bytes + p->chunk_bytes - 1) / p->chunk_bytes);
    for (uint32_t s = 0; s < steps; s++) {
        for (uint32_t r = 0; r < n; r++) {
            const uint32_t from = (r + n - 1) % n, source = rank_terminal[from];
            const weir_time comes = at[from] + path_ps(w, p, path_of(w, source, rank_terminal[r]), chunks),
                            left = at[r] + (weir_time)chunks * w->class_[IC_TERMINAL].chunk_ps;
            then[r] = comes > left ? comes : left;
        }
        memcpy(at, then, sizeof at);
    }
    for (uint32_t r = 0; r < n; r++)
        last = at[r] > last ? at[r] : last;
    return last;
}

static void rings_go_at_the_pace_of_their_paths(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 17;
    for (int i = 0; i < 45; i++) {
        ic_params p;
        usual_interconnect(&p);
        p.wiring = (ic_wiring)(i % 3);
        p.p = 1 + rnd_below(&random, 2);
        p.a = 2 + 2 * rnd_below(&random, 2); /* groups, a h + 1, are an odd number */
        p.h = 1;
        p.k = 2 + rnd_below(&random, 3);
        p.levels = 1 + rnd_below(&random, 3);
        p.dimensions = 1 + rnd_below(&random, 3);
        for (uint32_t d = 0; d < p.dimensions; d++)
            p.size[d] = 3 + 2 * rnd_below(&random, 2); /* odd: one shortest way */
        p.burst = 1 + rnd_below(&random, 2) * 15;
        if (rnd_below(&random,
                      2)) { /* delays only: behind a slow channel a message would meet the one before it */
            fabric_unlike(&p);
            p.local.rate_bps = p.global.rate_bps = p.terminal.rate_bps;
        }
        const bool reduces = rnd_below(&random, 2);
        const job_action a = {.op = reduces ? JOB_OP_ALLREDUCE : JOB_OP_ALLGATHER,
                              .bytes = 1 + rnd_below(&random, 16000)};
        ic_job job = program(&a, 1, 0);
        uint32_t terminals[512];
        if (p.wiring == IC_DRAGONFLY) {
            const uint32_t each = p.a * p.p, groups = p.a + 1;
            job.n_ranks = each * groups;
            job.terminals = terminals;
            job.n_terminals = job.n_ranks;
            for (uint32_t r = 0; r < job.n_ranks; r++)
                terminals[r] = r / each * 2 % groups * each + r % each;
        }
        p.jobs = &job;
        p.n_jobs = 1;
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        const uint32_t n = f.w->n_terminals;
        assert_true(n <= 512);
        fabric_run(diag, f, WEIR_PS_PER_S);
        const weir_time want =
            ring_ps(f.w, &p, n, (reduces ? 2 : 1) * (n - 1), reduces ? (a.bytes + n - 1) / n : a.bytes);
        if (end_of(f, 0) != want)
            fail_msg("case %d: wiring %d, %u ranks, %llu bytes, burst %u: %lld ps, want %lld", i,
                     (int)p.wiring, n, (unsigned long long)a.bytes, p.burst, (long long)end_of(f, 0),
                     (long long)want);
        fabric_end(f);
    }
}

/* Neighbours in a switch: messages leave one after the other, and each direction is a permutation: the last of 2 d comes
 * when its 2 d - 1 predecessors have left. */
static void stencils_take_their_closed_form(void **state)
{
    static const uint32_t grids[][3] = {{5, 0, 0}, {8, 0, 0}, {3, 4, 0}, {5, 3, 0}, {3, 3, 3}, {4, 3, 5}};
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
        for (uint64_t bytes = 64; bytes <= 16384; bytes *= 4) {
            uint32_t n = 1, d = 0;
            for (; d < 3 && grids[i][d]; d++)
                n *= grids[i][d];
            const job_action a[2] = {{.op = JOB_OP_COMPUTE, .time_ps = 5 * WEIR_PS_PER_US},
                                     {.op = JOB_OP_EXCHANGE, .bytes = bytes}};
            ic_job job = program(a, 2, n);
            memcpy(job.grid, grids[i], sizeof job.grid);
            job.iterations = 3;
            const ic_params p = crossbar(&job, n);
            fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
            fabric_run(diag, f, WEIR_PS_PER_S);
            const weir_time each =
                (weir_time)(2 * d - 1) * (weir_time)(bytes / 64) * f.w->class_[IC_TERMINAL].chunk_ps;
            const weir_time want = 3 * (a[0].time_ps + each + message_ps(f.w, &p, bytes));
            if (end_of(f, 0) != want)
                fail_msg("%u ranks in %u dimensions, %llu bytes: %lld ps, want %lld", n, d,
                         (unsigned long long)bytes, (long long)end_of(f, 0), (long long)want);
            fabric_end(f);
        }
}

/* Any actions of ranks that do the same. */
static uint32_t random_actions(uint64_t *random, uint32_t n, job_action *out)
{
    const uint32_t length = 1 + rnd_below(random, 6);
    for (uint32_t i = 0; i < length; i++)
        out[i] =
            (job_action){.op = (uint8_t)(rnd_below(random, 3)
                                             ? JOB_OP_BARRIER + rnd_below(random, JOB_OPS - JOB_OP_BARRIER)
                                             : JOB_OP_COMPUTE),
                         .algorithm = (uint8_t)rnd_below(random, JOB_ALGORITHMS),
                         .peer = rnd_below(random, n),
                         .bytes = 1 + rnd_below(random, 3000),
                         .time_ps = rnd_below(random, 2000000)};
    return length;
}

typedef struct digests {
    uint64_t event, state;
} digests;

static digests digests_of(weir_diag *diag, const ic_params *p, weir_engine engine, uint32_t threads,
                          weir_time end_ps)
{
    fabric f = fabric_start(diag, p, engine, threads);
    fabric_run(diag, f, end_ps / 3);
    fabric_run(diag, f, end_ps);
    expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
    const digests d = {weir_sim_event_digest(f.sim), weir_sim_state_digest(f.sim)};
    fabric_end(f);
    return d;
}

static void engines_agree_on_programs(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 77;
    for (int i = 0; i < 18; i++) {
        job_action a[2][8];
        ic_job job[2];
        ic_params p;
        usual_interconnect(&p);
        p.wiring = (ic_wiring)(i % 3);
        p.p = p.wiring == IC_TORUS ? 1 : 2;
        p.a = 3, p.h = 1, p.k = 3, p.levels = 2;
        p.size[0] = 3, p.size[1] = 2, p.size[2] = 3;
        p.seed = rnd(&random);
        for (int j = 0; j < 2; j++) {
            const uint32_t n = 3 + rnd_below(&random, 2);
            job[j] = program(a[j], random_actions(&random, n, a[j]), n);
            job[j].placement = (weir_sc_place)rnd_below(&random, 3);
            job[j].grid[0] = n;
            job[j].iterations = rnd_below(&random, 4);
            job[j].eager_bytes = rnd_below(&random, 4000);
        }
        a[0][0].op = JOB_OP_ALLREDUCE; /* something takes time */
        a[1][0].op = JOB_OP_EXCHANGE;
        p.jobs = job;
        p.n_jobs = 2;
        const weir_time end_ps = 15 * WEIR_PS_PER_US;
        const digests want = digests_of(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0, end_ps);
        static const struct {
            weir_engine engine;
            uint32_t threads;
        } others[] = {{WEIR_ENGINE_CHECK, 0},
                      {WEIR_ENGINE_CONSERVATIVE, 2},
                      {WEIR_ENGINE_OPTIMISTIC, 1},
                      {WEIR_ENGINE_OPTIMISTIC, 3}};
        for (size_t e = 0; e < sizeof others / sizeof others[0]; e++) {
            const digests got = digests_of(diag, &p, others[e].engine, others[e].threads, end_ps);
            if (got.event != want.event || got.state != want.state)
                fail_msg("case %d: engine %d, %u threads: another digest", i, (int)others[e].engine,
                         others[e].threads);
        }
    }
}

/* All that ranks of any programs send arrives, and all come to their end: nobody waits for ever. */
static void every_program_ends(void **state)
{
    weir_diag *diag = *state;
    uint64_t random = 5;
    for (int i = 0; i < 60; i++) {
        job_action a[8];
        const uint32_t n = 2 + rnd_below(&random, 30);
        ic_job job = program(a, random_actions(&random, n, a), n);
        ic_params p;
        usual_interconnect(&p);
        job.placement = (weir_sc_place)rnd_below(&random, 3);
        job.grid[0] = n;
        job.iterations = 1 + rnd_below(&random, 5);
        job.eager_bytes = rnd_below(&random, 4000);
        p.jobs = &job;
        p.n_jobs = 1;
        p.routing = (ic_routing)rnd_below(&random, 4);
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        fabric_run(diag, f, WEIR_PS_PER_S);
        if (end_of(f, 0) < 0)
            fail_msg("case %d: %lld of %u ranks have ended", i, (long long)program_count(f, 0, IC_PROG_ENDED),
                     n);
        assert_int_equal(fabric_count(f, IC_COUNT_PACKETS), fabric_count(f, IC_COUNT_INJECTED));
        assert_int_equal(program_count(f, 0, IC_PROG_MESSAGES), fabric_count(f, IC_COUNT_MESSAGES));
        expect_ok(diag, wi_ic_check(diag, f.ic, f.sim));
        fabric_end(f);
    }
}

static void expect_refused(weir_diag *diag, const ic_params *p, const char *text)
{
    wi_ic *ic;
    assert_int_equal(wi_ic_new(diag, p, &ic), WEIR_E_ARG);
    expect_message(diag, text);
}

static void what_cannot_be_a_program_is_refused(void **state)
{
    weir_diag *diag = *state;
    job_action a = {.op = JOB_OP_BCAST, .peer = 4, .bytes = 1};
    ic_job job = program(&a, 1, 4);
    const ic_params p = crossbar(&job, 4);
    expect_refused(diag, &p, "action 1 names rank 4; it has ranks 0 to 3");
    a.peer = 0, a.op = JOB_OPS;
    expect_refused(diag, &p, "action 1 is none that there is");
    a.op = JOB_OP_SEND;
    expect_refused(diag, &p, "rank 0 sends to itself");
    a.op = JOB_OP_BCAST, a.bytes = UINT64_C(1) << 40;
    expect_refused(diag, &p, "want at most 1073741824 chunks");
    a = (job_action){.op = JOB_OP_COMPUTE};
    job.iterations = 0;
    expect_refused(diag, &p, "without end in which nothing takes time");
    job.n_actions = 0;
    expect_refused(diag, &p, "without actions");
    job.n_actions = 1, job.grid[0] = 5;
    expect_refused(diag, &p, "grid of 5 cells and 4 ranks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_of_all_ranks_go_together),
                                       cmocka_unit_test(collectives_take_their_closed_form),
                                       cmocka_unit_test(rings_go_at_the_pace_of_their_paths),
                                       cmocka_unit_test(stencils_take_their_closed_form),
                                       cmocka_unit_test(engines_agree_on_programs),
                                       cmocka_unit_test(every_program_ends),
                                       cmocka_unit_test(what_cannot_be_a_program_is_refused)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

/*
 * Ranks that can never go on: found exactly, whatever the engine and however late, and none while something may still happen.
 *
 * Judge: programs of blocking and non-blocking messages between named ranks, in order for each source and tag, are confluent: who is
 * left in the end does not depend on times. So an obvious interpreter without time, which lets any rank go on that can, leaves the
 * same ranks in the same actions. Random programs of two to five ranks, a third of which get stuck; a run that is cut off early
 * accuses only those that are stuck in the end.
 */
#include "models/interconnect/stuck.h"
#include "trace_run.h"
#include "models/usual/interconnect.h"

enum { RANKS = 5, LENGTH = 40, EAGER = 100, PROGRAMS = 300 };

/* ---- programs without time ---- */

typedef struct step {
    uint8_t op;
    uint32_t peer, tag, slot, nth; /* nth: of its source, target and tag */
} step;

typedef struct program {
    uint32_t ranks, n[RANKS];
    step at[RANKS][LENGTH];
} program;

typedef struct state {
    uint32_t at[RANKS];
    uint32_t sends[RANKS][RANKS][2], receives[RANKS][RANKS][2]; /* posted, by source, target, tag */
    uint32_t barriers[RANKS];                                   /* entered */
    bool entered[RANKS];                                        /* the action it is in */
} state;

/* Tag 0 is eager, tag 1 is not. */
static bool is_done(const state *s, uint32_t rank, const step *a)
{
    const bool sends = a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND;
    if (sends)
        return a->tag == 0 || s->receives[rank][a->peer][a->tag] > a->nth;
    return s->sends[a->peer][rank][a->tag] > a->nth;
}

static bool may_leave(const program *p, const state *s, uint32_t rank)
{
    const step *a = &p->at[rank][s->at[rank]];
    switch (a->op) {
    case JOB_OP_SEND:
    case JOB_OP_RECV:
        return is_done(s, rank, a);
    case JOB_OP_WAITALL:
        for (uint32_t i = 0; i < s->at[rank]; i++) {
            const step *b = &p->at[rank][i];
            if ((b->op == JOB_OP_ISEND || b->op == JOB_OP_IRECV) && !is_done(s, rank, b))
                return false;
        }
        return true;
    case JOB_OP_BARRIER:
        for (uint32_t r = 0; r < p->ranks; r++)
            if (s->barriers[r] < s->barriers[rank])
                return false;
        return true;
    default:
        return true;
    }
}

static void enter(const program *p, state *s, uint32_t rank)
{
    const step *a = &p->at[rank][s->at[rank]];
    s->entered[rank] = true;
    if (a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND)
        s->sends[rank][a->peer][a->tag]++;
    else if (a->op == JOB_OP_RECV || a->op == JOB_OP_IRECV)
        s->receives[a->peer][rank][a->tag]++;
    else if (a->op == JOB_OP_BARRIER)
        s->barriers[rank]++;
}

/* Where each rank is in the end. */
static state interpret(const program *p)
{
    state s = {0};
    for (bool again = true; again;) {
        again = false;
        for (uint32_t r = 0; r < p->ranks; r++) {
            if (s.at[r] == p->n[r])
                continue;
            if (!s.entered[r])
                enter(p, &s, r);
            if (may_leave(p, &s, r)) {
                s.at[r]++;
                s.entered[r] = false;
                again = true;
            }
        }
    }
    return s;
}

/* ---- random ones ---- */

static void add(program *p, uint32_t rank, step a)
{
    p->at[rank][p->n[rank]++] = a;
}

/* Messages in one order for all, so that it would go well; then neighbours in each rank's list change places. */
static program draw(uint64_t *seed)
{
    program p = {.ranks = 2 + rnd_below(seed, RANKS - 1)};
    const uint32_t messages = 1 + rnd_below(seed, 12), swaps = rnd_below(seed, 4);
    for (uint32_t m = 0; m < messages; m++) {
        const uint32_t from = rnd_below(seed, p.ranks),
                       to = (from + 1 + rnd_below(seed, p.ranks - 1)) % p.ranks, tag = rnd_below(seed, 2),
                       kind = rnd_below(seed, 8);
        if (kind == 0)
            for (uint32_t r = 0; r < p.ranks; r++)
                add(&p, r, (step){.op = JOB_OP_BARRIER});
        add(&p, from, (step){.op = kind < 3 ? JOB_OP_ISEND : JOB_OP_SEND, .peer = to, .tag = tag});
        add(&p, to, (step){.op = kind > 5 ? JOB_OP_IRECV : JOB_OP_RECV, .peer = from, .tag = tag});
        if (kind == 1)
            add(&p, from, (step){.op = JOB_OP_WAITALL});
    }
    for (uint32_t r = 0; r < p.ranks; r++)
        for (uint32_t i = 0; i < swaps && p.n[r] > 1; i++) {
            const uint32_t at = rnd_below(seed, p.n[r] - 1);
            const step a = p.at[r][at];
            p.at[r][at] = p.at[r][at + 1];
            p.at[r][at + 1] = a;
        }
    uint32_t sent[RANKS][RANKS][2] = {0}, received[RANKS][RANKS][2] = {0};
    for (uint32_t r = 0; r < p.ranks; r++)
        for (uint32_t i = 0; i < p.n[r]; i++) {
            step *a = &p.at[r][i];
            if (a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND)
                a->nth = sent[r][a->peer][a->tag]++;
            else if (a->op == JOB_OP_RECV || a->op == JOB_OP_IRECV)
                a->nth = received[a->peer][r][a->tag]++;
        }
    return p;
}

static void write_trace(const program *p, char *out, size_t size)
{
    static const char *const names[] = {"compute", "send", "isend",   "recv",
                                        "irecv",   "wait", "waitall", "barrier"};
    int n = 0;
    for (uint32_t r = 0; r < p->ranks; r++) {
        n += snprintf(out + n, size - (size_t)n, "%u init\n", r);
        for (uint32_t i = 0; i < p->n[r]; i++) {
            const step *a = &p->at[r][i];
            n += a->op == JOB_OP_BARRIER || a->op == JOB_OP_WAITALL
                     ? snprintf(out + n, size - (size_t)n, "%u %s\n", r, names[a->op])
                     : snprintf(out + n, size - (size_t)n, "%u %s %u %u %d\n", r, names[a->op], a->peer,
                                a->tag, a->tag ? 500 : 64);
        }
    }
    assert_true((size_t)n < size);
}

/* Those found are those that the interpreter left, and where it left them; with `some`, a part of them. Returns how many. */
static size_t compare(weir_diag *diag, fabric f, const program *p, const wi_job *trace, bool some,
                      uint64_t seed)
{
    const state want = interpret(p);
    wi_ic_stuck *got;
    size_t n, left = 0;
    expect_ok(diag, wi_ic_find_stuck(diag, f.ic, f.sim, &got, &n));
    for (uint32_t r = 0; r < p->ranks; r++)
        left += want.at[r] < p->n[r];
    if (some ? n > left : n != left)
        fail_msg("seed %llu: %zu ranks wait for ever, want %s%zu", (unsigned long long)seed, n,
                 some ? "at most " : "", left);
    for (size_t i = 0; i < n; i++) {
        const uint32_t r = got[i].rank;
        if (got[i].action - trace->programs.first[r] != want.at[r] || got[i].op != p->at[r][want.at[r]].op)
            fail_msg("seed %llu: rank %u waits in action %zu, want %u", (unsigned long long)seed, r,
                     got[i].action - trace->programs.first[r], want.at[r]);
    }
    free(got);
    return n;
}

static void those_that_are_left_are_found(void **unused)
{
    static const weir_engine engines[] = {WEIR_ENGINE_CONSERVATIVE, WEIR_ENGINE_OPTIMISTIC};
    weir_diag *diag = *unused;
    size_t stuck = 0;
    for (uint64_t n = 0; n < PROGRAMS; n++) {
        uint64_t seed = n;
        char text[RANKS * LENGTH * 24];
        const program p = draw(&seed);
        wi_job trace;
        write_trace(&p, text, sizeof text);
        expect_ok(diag, parse_trace(diag, text, &trace));
        fabric f = replay_trace(diag, &trace, n % 10 ? WEIR_ENGINE_SEQUENTIAL : engines[n / 10 % 2], EAGER,
                                WEIR_PS_PER_MS);
        stuck += compare(diag, f, &p, &trace, false, n) > 0;
        fabric_end(f);
        f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, EAGER, 1 + rnd_below(&seed, 3000000));
        (void)compare(diag, f, &p, &trace, true, n);
        fabric_end(f);
        wi_job_free(&trace);
    }
    print_message("%zu of %d programs get stuck\n", stuck, PROGRAMS);
    assert_true(stuck > PROGRAMS / 5 && stuck < PROGRAMS);
}

/* Two of four ranks are stuck while the others compute on; the message says who would have to act. */
static void a_part_may_be_stuck(void **unused)
{
    weir_diag *diag = *unused;
    wi_job trace;
    wi_ic_stuck *got;
    size_t n;
    expect_ok(diag, parse_trace(diag,
                                "0 send 1 3 9999\n0 recv 1 4\n1 send 0 4 9999\n1 recv 0 3\n"
                                "2 compute 1e9\n2 send 3 0 8\n3 recv 2 0 8\n",
                                &trace));
    fabric f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 100, WEIR_PS_PER_MS);
    expect_ok(diag, wi_ic_find_stuck(diag, f.ic, f.sim, &got, &n));
    assert_int_equal(n, 2);
    assert_true(got[0].rank == 0 && got[0].peer == 1 && got[0].tag == 3 && got[0].sends &&
                !got[0].peer_ended);
    assert_true(got[1].rank == 1 && got[1].peer == 0 && got[1].tag == 4 && got[1].op == JOB_OP_SEND);
    assert_int_equal(trace.programs.place[got[1].action].line, 3);
    free(got);
    fabric_end(f);
    f = replay_trace(diag, &trace, WEIR_ENGINE_SEQUENTIAL, 10000, WEIR_PS_PER_MS); /* eager: nobody is */
    expect_ok(diag, wi_ic_find_stuck(diag, f.ic, f.sim, &got, &n));
    assert_int_equal(n, 0);
    fabric_end(f);
    wi_job_free(&trace);
}

/* Ranks that end an iteration before `stop` begin another one, which those that end behind it do not: no deadlock. */
static void who_is_left_at_stop_is_not_stuck(void **unused)
{
    static const job_action actions[] = {{.op = JOB_OP_ALLREDUCE, .algorithm = JOB_RING, .bytes = 64},
                                         {.op = JOB_OP_BCAST, .bytes = 64}};
    weir_diag *diag = *unused;
    size_t left = 0;
    for (weir_time stop_ps = 5 * WEIR_PS_PER_US; stop_ps < 15 * WEIR_PS_PER_US; stop_ps += 137000) {
        ic_job job;
        ic_params p;
        wi_ic_stuck *got;
        size_t n;
        ic_job_init(&job);
        usual_interconnect(&p);
        job.pattern = IC_PROGRAMMED;
        job.n_ranks = 8;
        job.actions = actions;
        job.n_actions = 2;
        job.iterations = 0;
        job.stop_ps = stop_ps;
        p.wiring = IC_TREE;
        p.levels = 1;
        p.k = 8;
        p.jobs = &job;
        p.n_jobs = 1;
        fabric f = fabric_start(diag, &p, WEIR_ENGINE_SEQUENTIAL, 0);
        fabric_run(diag, f, WEIR_PS_PER_MS);
        expect_ok(diag, wi_ic_find_stuck(diag, f.ic, f.sim, &got, &n));
        assert_int_equal(n, 0);
        for (uint32_t t = 0; t < 8; t++)
            left += !((const ic_rank *)weir_sim_slot(f.sim, IC_POOL_RANKS, t))->ended;
        fabric_end(f);
    }
    assert_true(left > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(those_that_are_left_are_found),
                                       cmocka_unit_test(a_part_may_be_stuck),
                                       cmocka_unit_test(who_is_left_at_stop_is_not_stuck)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

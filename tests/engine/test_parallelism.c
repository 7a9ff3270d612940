/*
 * Rounds of traces made by hand, where they can be counted on paper; of a run, against a slow independent
 * count; and the causes that a trace finds.
 */
#include "harness.h"
#include "toy.h"

#include "engine/analysis/parallelism.h"

/* A trace of given times, entities and causes. */
static wi_trace by_hand(weir_diag *diag, uint32_t n, const weir_time *time_ps, const uint32_t *entity,
                        const uint32_t *cause)
{
    wi_trace t;
    expect_ok(diag, wi_trace_init(diag, &t, n));
    t.n = n;
    memcpy(t.time_ps, time_ps, n * sizeof *time_ps);
    memcpy(t.entity, entity, n * sizeof *entity);
    memcpy(t.cause, cause, n * sizeof *cause);
    return t;
}

static uint64_t rounds(weir_diag *diag, const wi_trace *t, const uint32_t *lp, uint32_t n_lps,
                       weir_time window_ps)
{
    uint64_t n;
    expect_ok(diag, wi_parallelism_rounds(diag, t, lp, n_lps, window_ps, &n));
    return n;
}

/*
 * Three peers A, B, C as in figure 1 of the paper (the times are ours):
 *   A: 0 at t 0, 3 at t 12       0 causes 2 and 4
 *   B: 1 at t 1, 4 at t 14       1 causes 3
 *   C: 2 at t 11                 2 causes 5 at t 22 at A
 * Window 100: {0, 1}, then {2, 3, 4}, then {5}: 3 rounds on three LPs. With A and B in one LP: {0}, {1, 2},
 * {3}, {4}, {5}: 5. All in one: 6. Window 10 cuts at t + 10: {0, 1}, {2, 3, 4}, {5} again, since 11 begins
 * the second; window 11 does not yet hold the event at 0 + 11, window 12 may hold it but it waits for event
 * 0; window 3 splits the second round: 11 and 12 together, 14 after them.
 */
static void by_hand_on_paper(void **state)
{
    enum { A, B, C };
    static const weir_time time_ps[] = {0, 1, 11, 12, 14, 22};
    static const uint32_t entity[] = {A, B, C, A, B, A};
    static const uint32_t cause[] = {WI_NO_CAUSE, WI_NO_CAUSE, 0, 1, 0, 2};
    static const uint32_t apart[] = {0, 1, 2}, pair[] = {0, 0, 1}, one[] = {0, 0, 0};
    weir_diag *diag = *state;
    wi_trace t = by_hand(diag, 6, time_ps, entity, cause);
    assert_int_equal(rounds(diag, &t, apart, 3, 100), 3);
    assert_int_equal(rounds(diag, &t, pair, 2, 100), 5);
    assert_int_equal(rounds(diag, &t, one, 1, 100), 6);
    assert_int_equal(rounds(diag, &t, apart, 3, 10), 3);
    assert_int_equal(rounds(diag, &t, apart, 3, 3), 4);
    assert_int_equal(rounds(diag, &t, apart, 3, 1), 6);
    wi_trace_free(&t);
}

/* The window is half-open: of two unrelated events, the one at its very end waits. */
static void the_window_is_half_open(void **state)
{
    static const weir_time time_ps[] = {5, 15};
    static const uint32_t entity[] = {0, 1}, cause[] = {WI_NO_CAUSE, WI_NO_CAUSE};
    weir_diag *diag = *state;
    wi_trace t = by_hand(diag, 2, time_ps, entity, cause);
    assert_int_equal(rounds(diag, &t, entity, 2, 10), 2);
    assert_int_equal(rounds(diag, &t, entity, 2, 11), 1);
    assert_int_equal(rounds(diag, &t, entity, 2, WEIR_TIME_MAX), 1);
    t.n = 0;
    assert_int_equal(rounds(diag, &t, entity, 2, 10), 0);
    wi_trace_free(&t);
}

/* The definition, word by word: look through all events in every round. */
static uint64_t slow_rounds(const wi_trace *t, const uint32_t *lp, weir_time window_ps)
{
    unsigned char *gone = calloc(t->n, 1), *chosen = calloc(t->n, 1);
    uint64_t n = 0;
    for (uint32_t left = t->n; left > 0; n++) {
        uint32_t first = 0;
        while (gone[first])
            first++;
        memset(chosen, 0, t->n);
        for (uint32_t i = first; i < t->n; i++) {
            int depends = gone[i] || t->time_ps[i] >= t->time_ps[first] + window_ps ||
                          (t->cause[i] != WI_NO_CAUSE && !gone[t->cause[i]]);
            for (uint32_t j = first; j < i && !depends; j++)
                depends = !gone[j] && lp[t->entity[j]] == lp[t->entity[i]];
            chosen[i] = !depends;
        }
        for (uint32_t i = 0; i < t->n; i++) {
            gone[i] |= chosen[i];
            left -= chosen[i];
        }
    }
    free(gone);
    free(chosen);
    return n;
}

typedef struct parents {
    uint32_t source, seq, event;
} parents;

/* Causes as a test finds them: a list of all that was scheduled. */
typedef struct both {
    wi_trace trace;
    parents scheduled[20000];
    uint32_t n, cause[2000];
} both;

static void observe_both(void *user, const weir_event *event, const weir_event *scheduled, uint32_t stride,
                         uint32_t n)
{
    both *b = user;
    const uint32_t self = b->trace.n;
    if (self < b->trace.capacity) {
        b->cause[self] = WI_NO_CAUSE;
        for (uint32_t i = 0; i < b->n; i++)
            if (b->scheduled[i].source == event->source && b->scheduled[i].seq == event->seq)
                b->cause[self] = b->scheduled[i].event;
        for (uint32_t i = 0; i < n; i++) {
            const weir_event *e =
                (const weir_event *)(const void *)((const unsigned char *)scheduled + (size_t)i * stride);
            assert_true(b->n < 20000);
            b->scheduled[b->n++] = (parents){e->source, e->seq, self};
        }
    }
    wi_trace_observe(&b->trace, event, scheduled, stride, n);
}

static void a_run_against_the_definition(void **state)
{
    weir_diag *diag = *state;
    both *b = calloc(1, sizeof *b);
    toy t;
    toy_make(&t, 1);
    weir_setup setup = t.setup;
    expect_ok(diag, wi_trace_init(diag, &b->trace, 1000));
    setup.observer = observe_both;
    setup.observer_user = b;
    weir_sim *sim = new_sim(diag, &setup);
    expect_ok(diag, weir_sim_run(diag, sim, 100 * TOY_GRID_PS, NULL));
    assert_int_equal(b->trace.n, 1000);
    assert_true(b->trace.full);
    expect_ok(diag, wi_trace_link(diag, &b->trace, TOY_ENTITIES));
    uint32_t caused = 0;
    for (uint32_t i = 0; i < b->trace.n; i++) {
        assert_int_equal(b->trace.cause[i], b->cause[i]);
        caused += b->cause[i] != WI_NO_CAUSE;
    }
    assert_true(caused > 900);
    static const uint32_t counts[] = {1, 2, 5, 16, TOY_ENTITIES};
    uint64_t before = UINT64_MAX;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (weir_time window_ps = 1; window_ps < 10 * TOY_GRID_PS; window_ps = 3 * window_ps + 1000) {
            uint32_t lp[TOY_ENTITIES];
            wi_parallelism_assign(11, TOY_ENTITIES, counts[i], lp);
            const uint64_t n = rounds(diag, &b->trace, lp, counts[i], window_ps);
            assert_int_equal(n, slow_rounds(&b->trace, lp, window_ps));
            assert_true(counts[i] > 1 || n == b->trace.n);
            before = n < before ? n : before;
        }
    assert_true(before < 500); /* there is something to be had */
    weir_sim_free(sim);
    wi_trace_free(&b->trace);
    free(b);
}

static void assignment_is_even(void **state)
{
    uint32_t lp[1000], n[7] = {0}, again[1000];
    (void)state;
    wi_parallelism_assign(1, 1000, 7, lp);
    wi_parallelism_assign(1, 1000, 7, again);
    assert_memory_equal(lp, again, sizeof lp);
    uint32_t in_turn = 0;
    for (int e = 0; e < 1000; e++) {
        n[lp[e]]++;
        in_turn += lp[e] == (uint32_t)e % 7;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(n[i], 142, 143);
    assert_in_range(in_turn, 90, 200); /* a seventh by chance, 143 +- 11 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand_on_paper),
        cmocka_unit_test(the_window_is_half_open),
        cmocka_unit_test(a_run_against_the_definition),
        cmocka_unit_test(assignment_is_even),
    };
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

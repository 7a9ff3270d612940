/*
 * The director of given periods, over a model that says what it is told to: it marks the quarters of what is tracked, switches where
 * that tells what will be, stays where it does not, and goes on with the next period.
 */
#include <math.h>

#include "diag.h"
#include "surrogate/director.h"
#include "models/usual/director.h"

/* What a model tells, and what was asked of it. */
typedef struct fake {
    double backlog_us[5]; /* at the marks of a tracked period */
    wi_drift drift;
    int64_t
        delivered[5]; /* packets until the last mark: in each quarter, and in the period; unless all are 0 */
    int looks, tracks, marks, rounds, returns;
} fake;

static weir_status look(weir_diag *diag, void *user, wi_director_view *out)
{
    fake *f = user;
    int64_t packets = f->looks == 5 ? 14000 : 1000 * f->looks; /* ten a microsecond */
    (void)diag;
    for (int i = 0; i < 5 && f->delivered[0]; i++)
        packets =
            i == 0 ? (f->looks > 0 ? f->delivered[0] : 0) : packets + (f->looks > i ? f->delivered[i] : 0);
    *out = (wi_director_view){.packets = packets,
                              .latency_ps = packets * 2 * WEIR_PS_PER_US,
                              .backlog_s = 1e-6 * f->backlog_us[f->looks % 5]};
    f->looks++;
    return WEIR_OK;
}

static weir_status track(weir_diag *diag, void *user)
{
    (void)diag;
    ((fake *)user)->tracks++;
    return WEIR_OK;
}

static weir_status mark(weir_diag *diag, void *user)
{
    (void)diag;
    ((fake *)user)->marks++;
    return WEIR_OK;
}

static weir_status drift(weir_diag *diag, void *user, wi_drift *out)
{
    (void)diag;
    *out = ((const fake *)user)->drift;
    return WEIR_OK;
}

static weir_status go_round(weir_diag *diag, void *user, wi_surrogate_mode mode, weir_time next_ps)
{
    (void)diag, (void)mode, (void)next_ps;
    ((fake *)user)->rounds++;
    return WEIR_OK;
}

static weir_status come_back(weir_diag *diag, void *user, wi_surrogate_mode mode)
{
    (void)diag, (void)mode;
    ((fake *)user)->returns++;
    return WEIR_OK;
}

static wi_director_model model_of(fake *f)
{
    return (wi_director_model){.user = f,
                               .look = look,
                               .track = track,
                               .mark = mark,
                               .drift = drift,
                               .go_round = go_round,
                               .come_back = come_back};
}

/* Call it at all the stop points that it asks for; returns their number. */
static int direct(weir_diag *diag, fake *f, const wi_director_params *how, wi_director **out)
{
    const wi_director_model model = model_of(f);
    int calls = 0;
    expect_ok(diag, wi_director_new(diag, how, &model, out));
    for (weir_time at_ps = wi_director_first(*out), next_ps; at_ps != WEIR_TIME_MAX; at_ps = next_ps) {
        expect_ok(diag, wi_director_call(diag, *out, at_ps, &next_ps));
        assert_true(next_ps > at_ps);
        calls++;
    }
    return calls;
}

#define US WEIR_PS_PER_US

static wi_director_params periods_of(const wi_period *periods, size_t n)
{
    wi_director_params how;
    usual_director(&how);
    how.periods = periods;
    how.n_periods = n;
    return how;
}

/*
 * A tracked period of 400 us, a period of 1 ms. Backlogs of 0, 10, 20, 30, 40 us grow by 0.1 s/s in every quarter, without error.
 * Of 0, 20, 20, 40, 40 they grow by 0.2, 0, 0.2, 0: 0.1 in the mean, with a standard error of sqrt(0.04 / 3) / 2 = 0.0577, too large
 * to call it growth. Of 0, 14, 20, 34, 40: 0.14, 0.06, 0.14, 0.06, a standard error of 0.0231, which over half of the period, 500 us, is
 * 11.5 us of 40 + 50 + 2 us of wait and latency: 12.6 %.
 */
static void it_switches_where_it_can_tell(void **state)
{
    static const struct {
        double backlog_us[5];
        wi_drift drift;
        const char *why; /* null: it switches */
    } cases[] = {
        {{0}, {0.09, 0.01}, NULL},
        {{0}, {0.11, 0.20}, NULL}, /* noise */
        {{0}, {0.11, 0.10}, "differ by 11 %"},
        {{0, 10, 20, 30, 40}, {0}, NULL},
        {{0, 20, 20, 40, 40}, {0}, NULL},
        {{0, 14, 20, 34, 40}, {0}, "uncertain by 13 %"},
        {{40, 26, 20, 6, 0}, {0}, NULL},
    };
    static const wi_period period = {1000 * US, 2000 * US, 400 * US, {"s.yaml", 7, 11}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int always = 0; always < 2; always++) {
            weir_diag *diag = *state;
            wi_director_params how = periods_of(&period, 1);
            wi_director *d;
            size_t n;
            fake f = {.drift = cases[i].drift};
            memcpy(f.backlog_us, cases[i].backlog_us, sizeof f.backlog_us);
            how.always = always;
            const size_t said = weir_diag_count(diag);
            const int calls = direct(diag, &f, &how, &d), round = always || !cases[i].why;
            assert_int_equal(calls, 5 + round); /* tracking, three marks, the beginning; the end */
            assert_int_equal(f.rounds, round);
            assert_int_equal(f.returns, round);
            assert_int_equal(f.tracks, 1);
            assert_int_equal(f.marks, 3);
            assert_int_equal(f.looks, 5 + round);
            const wi_decision *log = wi_director_log(d, &n);
            assert_int_equal(n, 1 + round);
            assert_string_equal(log->reason, round ? "given" : "not settled");
            assert_true(log->shift == cases[i].drift.halves && log->latency_new_s == 2e-6);
            assert_true(fabs(log->backlog_growth - (cases[i].backlog_us[4] - cases[i].backlog_us[0]) / 400) <
                        1e-9);
            assert_int_equal(weir_diag_count(diag) - said, !round);
            if (!round) {
                expect_message(diag, cases[i].why);
                assert_int_equal(weir_diag_get(diag, said)->line, 7);
            }
            assert_int_equal(wi_director_round_ps(d, 3000 * US), round ? 1000 * US : 0);
            wi_director_free(d);
        }
}

/*
 * What was delivered in the period is held against what was tracked, a thousand packets a microsecond: a million in 1 ms, within 5 %.
 * Where quarters had 40,000, 160,000, 40,000 and 160,000 their mean has a standard error of 34,641, and the period, 2.5 times as long
 * as they are together, is known to sqrt(1.4) of it: 41 % off. Six times that is more than all. So is six times that of four packets.
 */
static void it_says_what_was_delivered(void **state)
{
    static const struct {
        int64_t delivered[5];
        bool said;
    } cases[] = {{{100000, 100000, 100000, 100000, 1040000}, false},
                 {{100000, 100000, 100000, 100000, 1060000}, true},
                 {{100000, 100000, 100000, 100000, 960000}, false},
                 {{100000, 100000, 100000, 100000, 940000}, true},
                 {{100000, 101000, 100000, 99000, 1060000}, true},
                 {{40000, 160000, 40000, 160000, 1300000}, false},
                 {{1, 1, 1, 1, 25}, false}};
    static const wi_period period = {1000 * US, 2000 * US, 400 * US, {"s.yaml", 7, 11}};
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const wi_director_params how = periods_of(&period, 1);
        weir_diag_clear(diag);
        wi_director *d;
        size_t n;
        fake f = {.drift = {0}};
        memcpy(f.delivered, cases[i].delivered, sizeof f.delivered);
        assert_int_equal(direct(diag, &f, &how, &d), 6);
        const wi_decision *log = wi_director_log(d, &n);
        assert_true(n == 2 && fabs(log[1].delivered_per_s - 1e3 * (double)cases[i].delivered[4]) < 1);
        assert_int_equal(weir_diag_count(diag), cases[i].said);
        if (cases[i].said)
            expect_message(diag, "what was tracked does not tell");
        expect_ok(diag, wi_director_end(diag, d, period.until_ps)); /* it has come back */
        assert_int_equal(weir_diag_count(diag), cases[i].said);
        wi_director_free(d);
    }
}

/* A period that lasts to the run's end has no stop point there. */
static void it_says_so_at_the_end(void **state)
{
    static const wi_period period = {1000 * US, 2000 * US, 400 * US, {"s.yaml", 7, 11}};
    weir_diag *diag = *state;
    const wi_director_params how = periods_of(&period, 1);
    for (int whole = 0; whole < 2; whole++) {
        fake f = {.delivered = {100000, 100000, 100000, 100000, 1060000}};
        const wi_director_model model = model_of(&f);
        weir_diag_clear(diag);
        wi_director *d;
        expect_ok(diag, wi_director_new(diag, &how, &model, &d));
        for (weir_time at_ps = wi_director_first(d); at_ps < period.until_ps;)
            expect_ok(diag, wi_director_call(diag, d, at_ps, &at_ps));
        expect_ok(diag,
                  wi_director_end(diag, d, period.until_ps - !whole)); /* stopped before: nothing to say */
        assert_int_equal(weir_diag_count(diag), whole);
        wi_director_free(d);
    }
}

/* Of three periods the middle one's tracking begins where the first ends, the last one's where it is left out. */
static void periods_follow_each_other(void **state)
{
    static const wi_period periods[] = {
        {100 * US, 200 * US, 40 * US, {0}}, {220 * US, 300 * US, 20 * US, {0}}, {0, 400 * US, 3, {0}}};
    weir_diag *diag = *state;
    wi_period given[3];
    memcpy(given, periods, sizeof given);
    given[2].from_ps = 300 * US + 3; /* shorter than its quarters can be */
    const wi_director_params how = periods_of(given, 3);
    wi_director *d;
    size_t n;
    fake f = {.drift = {0}};
    assert_int_equal(direct(diag, &f, &how, &d), 6 + 5 + 2); /* an end is the next beginning */
    assert_int_equal(f.rounds, 3);
    assert_int_equal(f.tracks, 3);
    const wi_decision *log = wi_director_log(d, &n);
    assert_int_equal(n, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(log[i].at_ps, i % 2 ? given[i / 2].until_ps : given[i / 2].from_ps);
    wi_director_free(d);
    fake wanders = {.drift = {0.5, 0.1}};
    assert_int_equal(direct(diag, &wanders, &how, &d), 5 + 5 + 3);
    assert_int_equal(wanders.rounds, 1); /* the last, of which no quarters can be seen */
    (void)wi_director_log(d, &n);
    assert_int_equal(n, 4);
    wi_director_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_switches_where_it_can_tell), cmocka_unit_test(it_says_what_was_delivered),
        cmocka_unit_test(it_says_so_at_the_end), cmocka_unit_test(periods_follow_each_other)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

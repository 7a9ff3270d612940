/*
 * Latin hypercubes: each part of each parameter's range is met once, evenly or by the logarithm; lists are met evenly; the same
 * seed draws the same sets, another others; and the mean over sets of what parameters add up to varies far less than that of sets
 * drawn freely (McKay, Beckman and Conover, 1979).
 */
#include "study/small.h"

#include <math.h>

#include "study/plan/study.h"
#include "study/plan/value.h"

static weir_study *drawn(weir_diag *diag, const char *vary, const char *n, const char *seed)
{
    char points[60], seeds[60];
    const char *const sets[] = {vary, points, seeds, NULL};
    weir_study *s = NULL;
    snprintf(points, sizeof points, "study.latin-hypercube=%s", n);
    snprintf(seeds, sizeof seeds, "seed=%s", seed);
    write_file("s.yaml", PHOLD);
    expect_ok(diag, open_with(diag, "s.yaml", sets, &s));
    return s;
}

static double number(const weir_study *s, uint32_t point, uint32_t param)
{
    return wi_value_of(s->points[point].value[param]).number;
}

/* Of x from 0 to 1: which of n parts it is in; each comes once. */
static void each_once(const double *x, uint32_t n)
{
    uint8_t met[1000] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const double part = floor(x[i] * n);
        if (!(part >= 0.0 && part < n) || met[(size_t)part]++)
            fail_msg("%g of %u: the part %g is left, or met twice", x[i], n, part);
    }
}

static const char four[] =
    "study.vary=[{name: a, values: 0.5..2.5}, {name: b, values: 1ms..1s log}, {name: c, values: "
    "100MB..10MB}, {name: d, values: [p, q, r]}, {name: e, values: 1..12}, {name: f, values: 7..8.5, with: "
    "a}]";

static void each_part_once(void **state)
{
    static const char *const sizes[] = {"2", "7", "48", "999"};
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (int k = 0; k < 4; k++) {
        weir_study *s = drawn(diag, four, sizes[k], "1");
        const uint32_t n = (uint32_t)strtoul(sizes[k], NULL, 10);
        double x[3][1000];
        uint32_t words[3] = {0}, whole[13] = {0};
        assert_int_equal(s->n_points, n);
        for (uint32_t i = 0; i < n; i++) {
            x[0][i] = (number(s, i, 0) - 0.5) / 2.0;
            x[1][i] = log(number(s, i, 1) / 1e-3) / log(1e3);
            x[2][i] = (100e6 - number(s, i, 2) / 8.0) / 90e6;
            words[s->points[i].value[3][0] - 'p']++;
            whole[(size_t)number(s, i, 4)]++;
            assert_true(floor((number(s, i, 5) - 7.0) / 1.5 * n) == floor(x[0][i] * n)); /* in step */
        }
        for (int p = 0; p < 3; p++)
            each_once(x[p], n);
        for (int w = 0; w < 3; w++)
            assert_in_range(words[w], n / 3, n / 3 + 1);
        for (int w = 1; w <= 12; w++)
            assert_in_range(whole[w], n / 12, n / 12 + 1);
        weir_study_free(s);
    }
    weir_diag_free(diag);
}

static void seed_decides(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_study *one = drawn(diag, four, "20", "1"), *same = drawn(diag, four, "20", "1"),
               *other = drawn(diag, four, "20", "2");
    uint32_t alike = 0;
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        assert_true(one->points[i].key == same->points[i].key);
        alike += strcmp(one->points[i].value[0], other->points[i].value[0]) == 0;
    }
    assert_int_equal(alike, 0);
    weir_study_free(one);
    weir_study_free(same);
    weir_study_free(other);
    weir_diag_free(diag);
}

/* The mean of a + b + c over 50 sets, each uniform on [0, 1): drawn freely its variance is 3 / 12 / 50; here a part's width decides,
 * 3 / 12 / 50^3. And parameters are not correlated: r has a standard error of 1 / 7. */
static void varies_less(void **state)
{
    enum { DESIGNS = 100, N = 50 };
    weir_diag *diag = weir_diag_new();
    double squares = 0.0, r = 0.0;
    (void)state;
    for (int k = 0; k < DESIGNS; k++) {
        char seed[12];
        snprintf(seed, sizeof seed, "%d", k + 1);
        weir_study *s =
            drawn(diag,
                  "study.vary=[{name: a, values: 1.5..2.5}, {name: b, values: 1.5..2.5}, {name: c, values: "
                  "1.5..2.5}]",
                  "50", seed);
        double sum = 0.0, ab = 0.0;
        for (uint32_t i = 0; i < N; i++) {
            const double a = number(s, i, 0) - 2.0, b = number(s, i, 1) - 2.0, c = number(s, i, 2) - 2.0;
            sum += (a + b + c) / N;
            ab += 12.0 * a * b / N;
        }
        squares += sum * sum / DESIGNS;
        r += ab / DESIGNS;
        weir_study_free(s);
    }
    print_message("  variance of the mean: %.3g of that of free sets; correlation %.3f\n",
                  squares / (3.0 / 12.0 / N), r);
    assert_true(squares < 2.0 * 3.0 / 12.0 / N / N / N);
    assert_true(fabs(r) < 4.0 / 7.0 / sqrt(DESIGNS));
    weir_diag_free(diag);
}

/* Lists too short for so many sets: those that come twice are run once, and a warning says so. A range without steps is one of
 * drawn sets alone. */
static void told(void **state)
{
    weir_diag *diag = weir_diag_new();
    weir_study *s =
        drawn(diag, "study.vary=[{name: a, values: [1, 2]}, {name: b, values: [1, 2]}]", "40", "1");
    static const char *const none[] = {"study.vary=[{name: a, values: 0.5..2.5}]", NULL};
    (void)state;
    assert_int_equal(s->n_points, 4);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "36 of 40 parameter sets were drawn before"));
    weir_study_free(s);
    weir_diag_clear(diag);
    assert_int_equal(open_with(diag, "s.yaml", none, &s), WEIR_E_SCENARIO);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "study.latin-hypercube"));
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_part_once), cmocka_unit_test(seed_decides),
                                       cmocka_unit_test(varies_less), cmocka_unit_test(told)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}

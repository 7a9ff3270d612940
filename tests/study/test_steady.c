/*
 * One long run by itself: MSER-5 against its definition, computed the slow way; batch means by hand; and over 400 runs of an
 * autoregressive process that begins far from its mean, intervals that hold the mean as often as they say, and are much
 * narrower than where nothing is cut. Holm's procedure by hand.
 */
#include "diag.h"

#include <math.h>

#include "splitmix.h"
#include "study/tables/column.h"

static double normal(uint64_t *random)
{
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += (double)(rnd(random) >> 11) * 0x1p-53;
    return sum;
}

/* x' = 0.8 x + noise, from 30: the mean is 0, and the warm-up is some 20 samples. */
static void process(uint64_t *random, double from, double *out, size_t n)
{
    double x = from;
    for (size_t i = 0; i < n; i++)
        out[i] = x = 0.8 * x + normal(random);
}

static size_t mser5_slowly(const double *x, size_t n)
{
    const size_t b = n / 5;
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t d = 0; d + 5 <= b; d++) {
        double mean = 0.0, squares = 0.0;
        for (size_t k = d * 5; k < b * 5; k++)
            mean += x[k] / (double)((b - d) * 5);
        for (size_t k = d; k < b; k++) {
            const double z = (x[5 * k] + x[5 * k + 1] + x[5 * k + 2] + x[5 * k + 3] + x[5 * k + 4]) / 5.0;
            squares += (z - mean) * (z - mean);
        }
        const double value = squares / ((double)(b - d) * (double)(b - d));
        if (value < least) {
            least = value;
            best = d;
        }
    }
    return 2 * best <= b ? best * 5 : SIZE_MAX;
}

static void mser_is_its_definition(void **state)
{
    double x[1000];
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < 200; i++) {
        const size_t n = 40 + rnd_below(&random, 900);
        process(&random, i % 2 ? 30.0 : 0.0, x, n);
        assert_int_equal(wi_mser5(x, n), mser5_slowly(x, n));
    }
    /* 10 five times, then -1 and 1 in turn: the first five go. */
    for (int i = 0; i < 100; i++)
        x[i] = i < 5 ? 10.0 : i % 2 ? 1.0 : -1.0;
    assert_int_equal(wi_mser5(x, 100), 5);
    for (int i = 0; i < 100; i++) /* it never settles */
        x[i] = i * i;
    assert_true(wi_mser5(x, 100) == SIZE_MAX);
    assert_true(wi_mser5(x, 19) == SIZE_MAX);
}

/* 20 batches of two whose means are 0 and 1 in turn: sd sqrt(5 / 19), t(19) = 2.093024. */
static void batches_by_hand(void **state)
{
    double x[40];
    (void)state;
    for (int i = 0; i < 40; i++)
        x[i] = (i / 2) % 2 + (i % 2 ? 0.25 : -0.25);
    assert_true(fabs(wi_batch_means(x, 40, 0.95) - 2.093024 * sqrt(5.0 / 19.0) / sqrt(20.0)) < 1e-6);
    assert_true(isnan(wi_batch_means(x, 19, 0.95)));
}

static void intervals_hold_the_mean(void **state)
{
    enum { RUNS = 400, SAMPLES = 2000 };
    static double x[SAMPLES];
    uint64_t random = 11;
    double widths = 0.0, uncut = 0.0;
    int held = 0;
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        process(&random, 150.0, x, SAMPLES);
        uncut += wi_batch_means(x, SAMPLES, 0.95);
        const size_t cut = wi_mser5(x, SAMPLES);
        assert_true(cut >= 5 && cut < SAMPLES / 2);
        const double half = wi_batch_means(x + cut, SAMPLES - cut, 0.95);
        double sum = 0.0;
        for (size_t i = cut; i < SAMPLES; i++)
            sum += x[i] / (double)(SAMPLES - cut);
        held += fabs(sum) <= half;
        widths += half;
    }
    print_message("  %.1f %% of %d held the mean; uncut intervals are %.1f times as wide\n",
                  100.0 * held / RUNS, RUNS, uncut / widths);
    assert_in_range(1000 * held / RUNS, 925, 975);
    assert_true(uncut > 2.0 * widths);
}

/* 0.005 x 4, 0.01 x 3, 0.03 x 2, and 0.04 not below the one before. */
static void holm_by_hand(void **state)
{
    static const double p[] = {0.01, 0.04, (double)NAN, 0.03, 0.005}, want[] = {0.03, 0.06, 0.0, 0.06, 0.02};
    double got[5];
    (void)state;
    assert_true(wi_holm(p, 5, got));
    for (int i = 0; i < 5; i++)
        assert_true(i == 2 ? isnan(got[i]) : fabs(got[i] - want[i]) < 1e-12);
}

/* Of 400 studies with ten effects of nothing each, five in a hundred call any of them real. */
static void holm_over_studies(void **state)
{
    enum { STUDIES = 400, EFFECTS = 10, RUNS = 8 };
    uint64_t random = 5;
    int wrong = 0, wrong_plain = 0;
    (void)state;
    for (int study = 0; study < STUDIES; study++) {
        double p[EFFECTS], holm[EFFECTS], values[RUNS];
        bool any = false, any_plain = false;
        for (int e = 0; e < EFFECTS; e++) {
            wi_summary sum;
            for (int r = 0; r < RUNS; r++)
                values[r] = normal(&random);
            wi_summarise(values, RUNS, 0.95, &sum);
            p[e] = wi_summary_p(&sum);
        }
        assert_true(wi_holm(p, EFFECTS, holm));
        for (int e = 0; e < EFFECTS; e++) {
            any |= holm[e] < 0.05;
            any_plain |= p[e] < 0.05;
        }
        wrong += any;
        wrong_plain += any_plain;
    }
    print_message("  %.1f %% of studies call something real; uncorrected %.1f %%\n", 100.0 * wrong / STUDIES,
                  100.0 * wrong_plain / STUDIES);
    assert_in_range(wrong, 0.02 * STUDIES, 0.08 * STUDIES);
    assert_true(wrong_plain > 0.3 * STUDIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mser_is_its_definition),  cmocka_unit_test(batches_by_hand),
        cmocka_unit_test(intervals_hold_the_mean), cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(holm_over_studies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Quantiles of the samples of all replications: against the slow way (all samples sorted, the formula of pool.h as it stands);
 * what a run keeps is bounded, and how far off; over 400 studies whose samples depend on each other within a replication, intervals
 * that hold the true quantile as often as they say, and how seldom those that take samples for independent do; and a study of a
 * network that has one.
 */
#include "study/small.h"

#include <math.h>

#include "splitmix.h"
#include "study/plan/study.h"
#include "study/plan/pool.h"

static double uniform(uint64_t *random)
{
    return ((double)(rnd(random) >> 11) + 0.5) * 0x1p-53;
}

static double exponential(uint64_t *random)
{
    return -log(uniform(random));
}

static wi_pool_quantile find(char *const *texts, uint32_t n, double q)
{
    wi_pool *pool = wi_pool_make((const char *const *)texts, n);
    const wi_pool_quantile found = wi_pool_find(pool, q, 0.95);
    wi_pool_free(pool);
    return found;
}

/* Three replications of 4, 2 and 4 samples: p50 is the fifth of ten, 5. At or below it are 3 of 4, 1 of 2, 1 of 4: the share 0.5 has
 * the variance 3/2 (1 + 0 + 1) / 100, so the half-width is t(2) 0.17320508 = 4.30265 x 0.17320508 = 0.745: beyond all samples. With
 * 80 %, t(2) = 1.885618, it is 0.32660: from the share 0.1734, the second value, to 0.8266, the ninth. */
static void by_hand(void **state)
{
    static const double runs[3][4] = {{1, 2, 4, 7}, {5, 9}, {3, 6, 8, 10}};
    static const size_t sizes[3] = {4, 2, 4};
    char *texts[3];
    (void)state;
    for (int r = 0; r < 3; r++)
        texts[r] = wi_pool_text(runs[r], sizes[r]);
    wi_pool *pool = wi_pool_make((const char *const *)texts, 3);
    wi_pool_quantile q = wi_pool_find(pool, 0.5, 0.95);
    assert_true(q.value == 5.0 && isnan(q.low) && isnan(q.high));
    q = wi_pool_find(pool, 0.5, 0.8);
    assert_true(q.value == 5.0 && q.low == 2.0 && q.high == 9.0);
    wi_pool_free(pool);
    q = find(texts, 1, 0.5); /* one replication tells nothing of others */
    assert_true(q.value == 2.0 && isnan(q.low) && isnan(q.high));
    q = find(texts, 0, 0.5);
    assert_true(isnan(q.value));
    for (int r = 0; r < 3; r++)
        free(texts[r]);
}

/* p95 of these ten is the largest, 10: nothing above it could be an upper end. At or below it are all, which says nothing of a
 * lower one, so the share is that of the value before, 9: 4 of 4, 2 of 2, 3 of 4. Its variance is 3/2 (0.4^2 + 0.2^2 + 0.6^2) / 100
 * = 0.0084, so the half-width is 4.30265 x 0.0916515 = 0.394: from the share 0.556, the sixth value. Where all samples are
 * equal the interval has no width. */
static void largest(void **state)
{
    static const double runs[3][4] = {{1, 2, 4, 7}, {5, 9}, {3, 6, 8, 10}}, equal[2] = {3, 3};
    static const size_t sizes[3] = {4, 2, 4};
    char *texts[3], *alike[2];
    (void)state;
    for (int r = 0; r < 3; r++)
        texts[r] = wi_pool_text(runs[r], sizes[r]);
    for (int r = 0; r < 2; r++)
        alike[r] = wi_pool_text(equal, 2);
    wi_pool_quantile q = find(texts, 3, 0.95);
    assert_true(q.value == 10.0 && q.low == 6.0 && isnan(q.high));
    q = find(alike, 2, 0.95);
    assert_true(q.value == 3.0 && q.low == 3.0 && q.high == 3.0);
    for (int r = 0; r < 3; r++)
        free(texts[r]);
    for (int r = 0; r < 2; r++)
        free(alike[r]);
}

/* Each sample is within 2^-9 of what it stands for over five octaves; few are kept as they are. */
static void bounded(void **state)
{
    enum { N = 200000 };
    static double x[N];
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < N; i++)
        x[i] = (i % 3 ? 1e-3 : -1e-3) * exp(3.4 * uniform(&random));
    x[0] = (double)NAN;
    x[1] = (double)INFINITY;
    char *few = wi_pool_text(x, 1000), *many = wi_pool_text(x, N);
    print_message("  %zu bytes for 1,000 samples, %zu for %d\n", strlen(few), strlen(many), N);
    assert_true(strlen(few) < 27000 && strlen(many) < 27000);
    for (double q = 0.001; q < 1.0; q += 0.037) {
        double exact[N];
        memcpy(exact, x + 2, (N - 2) * sizeof *x);
        wi_sort(exact, N - 2);
        const double want = exact[(size_t)ceil(q * (N - 2)) - 1], got = find(&many, 1, q).value;
        if (!(fabs(got / want - 1.0) < 0x1p-7)) /* negative and positive octaves share the digits */
            fail_msg("p%g: %.9g, want %.9g", 100 * q, got, want);
        memcpy(exact, x + 2, 998 * sizeof *x);
        wi_sort(exact, 998);
        assert_true(find(&few, 1, q).value == exact[(size_t)ceil(q * 998) - 1]);
    }
    free(few);
    free(many);
}

static void others_are_no_texts(void **state)
{
    static const char *const no[] = {"",       "x",     "40 1",  "0 ",
                                     "0 1*",   "0 1*0", "0 1,2", "0 ffffffffffffffff ffff",
                                     "0 1* 2", "3f 5",  "0 zz",  "0 fff8000000000000",
                                     "0 -1"};
    (void)state;
    assert_true(wi_pool_is("0") && wi_pool_is("0 bff0000000000000*5 1"));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (wi_pool_is(no[i]))
            fail_msg("'%s' is taken", no[i]);
}

/*
 * Replication r has a rate of its own, 1 + z, z exponential of mean 1/2, and n exponential samples of that rate, n from 50 to 150:
 * of all, the share above x is E[exp(-(1 + z) x)] = exp(-x) / (1 + x / 2). The p99 solves exp(x) (1 + x / 2) = 100.
 */
static double true_quantile(double q)
{
    double low = 0.0, high = 50.0;
    while (high - low > 1e-12) {
        const double x = (low + high) / 2.0;
        *(exp(-x) / (1.0 + x / 2.0) > 1.0 - q ? &low : &high) = x;
    }
    return low;
}

static void coverage(void **state)
{
    enum { STUDIES = 400 };
    static const struct {
        uint32_t runs;
        double q;
    } cases[] = {{10, 0.5}, {10, 0.9}, {30, 0.5}, {30, 0.9}, {30, 0.99}};
    uint64_t random = 17;
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double truth = true_quantile(cases[c].q);
        int held = 0, naive = 0;
        for (int s = 0; s < STUDIES; s++) {
            static double x[30 * 150];
            char *texts[30];
            size_t n = 0;
            for (uint32_t r = 0; r < cases[c].runs; r++) {
                const size_t from = n, each = 50 + rnd_below(&random, 101);
                const double rate = 1.0 + exponential(&random) / 2.0;
                for (size_t i = 0; i < each; i++)
                    x[n++] = exponential(&random) / rate;
                texts[r] = wi_pool_text(x + from, each);
            }
            const wi_pool_quantile got = find(texts, cases[c].runs, cases[c].q);
            held += !(truth < got.low) && !(truth > got.high);
            uint32_t low, high;
            wi_sort(x, n);
            wi_order_interval((uint32_t)n, cases[c].q, 0.95, &low, &high);
            naive += x[low - 1] <= truth && truth <= x[high - 1];
            for (uint32_t r = 0; r < cases[c].runs; r++)
                free(texts[r]);
        }
        print_message(
            "  p%g of %u replications: %.1f %% of %d intervals hold it; of independent samples %.1f %%\n",
            100 * cases[c].q, cases[c].runs, 100.0 * held / STUDIES, STUDIES, 100.0 * naive / STUDIES);
        assert_in_range(1000 * held / STUDIES, 915, 985);
        assert_true(cases[c].q > 0.5 || naive < 0.8 * STUDIES);
    }
}

/* A network's flows: the table has the quantiles of all of them, whoever ran the runs. */
static void of_a_study(void **state)
{
    static const char *const sets[] = {
        "study.metrics=[\"all = pooled(flows.goodput_bps)\", \"p0(flows.goodput_bps)\"]",
        "study.replications=4", "study.quantiles=[1%, 50%]", NULL};
    weir_diag *diag = weir_diag_new();
    const weir_study_options o = into("pooled", 2);
    (void)state;
    write_file("s.yaml", NETWORK);
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, NULL));
    char *runs = read_text("pooled/runs.csv"), *all = read_text("pooled/aggregate.csv");
    double least = (double)INFINITY, p1 = 0.0, p1_low = 0.0;
    uint32_t lines = 0;
    for (char *line = strchr(runs, '\n'); line && line[1]; line = strchr(line + 1, '\n'), lines++) {
        const char *cell = line;
        for (int k = 0; k < 9; k++) /* point, replication, seed, run, status, events, digests, all, p0 */
            cell = strchr(cell, ',') + 1;
        least = fmin(least, strtod(cell, NULL));
    }
    assert_int_equal(lines, 4);
    const char *row = strstr(all, "0,all,4,0,");
    assert_non_null(row);
    for (int k = 0; k < 8; k++)
        row = strchr(row, ',') + 1;
    p1 = strtod(row, NULL);
    p1_low = strtod(strchr(row, ',') + 1, NULL);
    (void)p1_low;
    if (p1 != least) /* of a dozen flows the first hundredth is the least */
        fail_msg("p1 %g, least %g, in\n%s", p1, least, all);
    free(runs);
    free(all);
    /* From the journal, without a run: the same. */
    char *before = read_text("pooled/aggregate.csv");
    expect_ok(diag, run_into(diag, "s.yaml", sets, &o, NULL));
    all = read_text("pooled/aggregate.csv");
    assert_string_equal(all, before);
    free(all);
    free(before);
    weir_diag_free(diag);
}

static void no_more_than_four(void **state)
{
    static const char *const sets[] = {"study.metrics=[a = pooled(flows.goodput_bps), b = "
                                       "pooled(flows.goodput_bps), c = pooled(flows.goodput_bps), d = "
                                       "pooled(flows.goodput_bps), e = pooled(flows.goodput_bps)]",
                                       NULL};
    weir_diag *diag = weir_diag_new();
    weir_study *s = NULL;
    (void)state;
    write_file("s.yaml", NETWORK);
    assert_int_equal(open_with(diag, "s.yaml", sets, &s), WEIR_E_SCENARIO);
    assert_non_null(strstr(weir_diag_get(diag, 0)->text, "metric 'e': no more than 4 are pooled"));
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),          cmocka_unit_test(largest),
        cmocka_unit_test(bounded),          cmocka_unit_test(others_are_no_texts),
        cmocka_unit_test(coverage),         cmocka_unit_test(of_a_study),
        cmocka_unit_test(no_more_than_four)};
    return cmocka_run_group_tests(tests, in_scratch, out_of_scratch);
}

/*
 * Intervals: Student's quantiles against printed tables, and against the two laws with a closed form (1 and 2 degrees
 * of freedom); ranks of order statistics against the binomial sums of the definition; and, over 1,000 studies of a
 * known distribution, intervals that hold the true mean and median as often as they say.
 */
#include "diag.h"

#include <math.h>

#include "splitmix.h"
#include "study/plan/study.h"

static void student_tables(void **state)
{
    /* t of 97.5 % and 99.5 %, as tables print them. */
    static const struct {
        uint32_t freedom;
        double t975, t995;
    } rows[] = {{1, 12.706, 63.657}, {2, 4.303, 9.925},  {3, 3.182, 5.841},   {4, 2.776, 4.604},
                {5, 2.571, 4.032},   {9, 2.262, 3.250},  {10, 2.228, 3.169},  {29, 2.045, 2.756},
                {30, 2.042, 2.750},  {60, 2.000, 2.660}, {120, 1.980, 2.617}, {1000, 1.962, 2.581}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(fabs(wi_student_quantile(0.975, rows[i].freedom) - rows[i].t975) < 6e-4);
        assert_true(fabs(wi_student_quantile(0.995, rows[i].freedom) - rows[i].t995) < 6e-4);
    }
    for (double p = 0.55; p < 0.9999; p += 0.01) {
        const double one = tan(3.14159265358979 * (p - 0.5)), a = 2 * p - 1,
                     two = a * sqrt(2.0 / (1.0 - a * a));
        assert_true(fabs(wi_student_quantile(p, 1) / one - 1.0) < 1e-9);
        assert_true(fabs(wi_student_quantile(p, 2) / two - 1.0) < 1e-9);
    }
    assert_true(fabs(wi_student_quantile(0.975, 100000) - 1.959988) < 1e-5);
}

static double binomial_below(uint32_t n, double q, uint32_t l)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < l; k++)
        sum +=
            exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(q) + (n - k) * log1p(-q));
    return sum;
}

static void order_ranks(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 400; n += n < 40 ? 1 : 37) {
        for (double q = 0.02; q < 1.0; q += 0.06) {
            for (int c = 0; c < 3; c++) {
                const double confidence = c == 0   ? 0.8
                                          : c == 1 ? 0.95
                                                   : 0.99,
                             alpha = (1.0 - confidence) / 2.0;
                uint32_t low, high, want_low = 0, want_high = 0;
                wi_order_interval(n, q, confidence, &low, &high);
                for (uint32_t l = 1; l <= n && binomial_below(n, q, l) <= alpha; l++)
                    want_low = l;
                for (uint32_t u = n; u >= 1 && 1.0 - binomial_below(n, q, u) <= alpha; u--)
                    want_high = u;
                if (low != want_low || high != want_high)
                    fail_msg("n %u, q %g, %g: [%u, %u], want [%u, %u]", n, q, confidence, low, high, want_low,
                             want_high);
            }
        }
    }
    uint32_t low, high;
    wi_order_interval(100000, 0.5, 0.95, &low, &high); /* 50000 -+ 1.96 * 158.1 */
    assert_in_range(low, 49688, 49693);
    assert_in_range(high, 50307, 50313);
}

static double uniform(uint64_t *state)
{
    return ((double)(rnd(state) >> 11) + 0.5) * 0x1p-53;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 1,000 studies of n replications each; the share that holds the truth has a standard error below 0.7 %. */
static void coverage(void **state)
{
    enum { STUDIES = 1000 };
    uint64_t seed = 7;
    (void)state;
    for (uint32_t n = 5; n <= 30; n += 25) {
        for (double confidence = 0.9; confidence < 0.995; confidence += 0.045) {
            int mean_in = 0, median_in = 0;
            for (int s = 0; s < STUDIES; s++) {
                double x[30];
                wi_summary sum;
                uint32_t low, high;
                for (uint32_t i = 0; i < n; i++) /* normal, mean 3, sd 2, by Box and Muller */
                    x[i] = 3.0 +
                           2.0 * sqrt(-2.0 * log(uniform(&seed))) * cos(6.283185307179586 * uniform(&seed));
                wi_summarise(x, n, confidence, &sum);
                mean_in += sum.low <= 3.0 && 3.0 <= sum.high;
                qsort(x, n, sizeof *x, by_value);
                wi_order_interval(n, 0.5, confidence, &low, &high);
                median_in += (low == 0 || x[low - 1] <= 3.0) && (high == 0 || 3.0 <= x[high - 1]);
            }
            const double share = mean_in / (double)STUDIES,
                         sd = sqrt(confidence * (1 - confidence) / STUDIES);
            if (!(fabs(share - confidence) < 4.0 * sd))
                fail_msg("n %u: %g of the intervals hold the mean, want %g", n, share, confidence);
            if (!(median_in / (double)STUDIES > confidence - 4.0 * sd)) /* ranks are whole: at least */
                fail_msg("n %u: %g of the intervals hold the median, want %g", n, median_in / (double)STUDIES,
                         confidence);
        }
    }
}

/* var(X - Y) = var X + var Y - 2 cov: on common random numbers the interval is narrower by sqrt(1 - rho). */
static void pairs_are_narrower(void **state)
{
    enum { N = 2000 };
    static double x[N], y[N], d[N];
    uint64_t seed = 11;
    (void)state;
    for (double rho = 0.0; rho < 1.0; rho += 0.3) {
        wi_summary sx, sy, sd;
        for (int i = 0; i < N; i++) {
            const double r = sqrt(-2.0 * log(uniform(&seed))), a = 6.283185307179586 * uniform(&seed);
            x[i] = r * cos(a);
            y[i] = rho * x[i] + sqrt(1.0 - rho * rho) * r * sin(a);
            d[i] = x[i] - y[i];
        }
        wi_summarise(x, N, 0.95, &sx);
        wi_summarise(y, N, 0.95, &sy);
        wi_summarise(d, N, 0.95, &sd);
        const double unpaired = sqrt(sx.sd * sx.sd + sy.sd * sy.sd);
        assert_true(fabs(sd.sd / unpaired - sqrt(1.0 - rho)) < 0.05);
    }
}

static void quantiles(void **state)
{
    static const double x[] = {1.0, 2.0, 4.0, 8.0};
    wi_summary sum;
    (void)state;
    assert_true(wi_quantile(x, 4, 0.5) == 3.0);
    assert_true(wi_quantile(x, 4, 0.0) == 1.0);
    assert_true(wi_quantile(x, 4, 1.0) == 8.0);
    assert_true(fabs(wi_quantile(x, 4, 0.9) - 6.8) < 1e-12); /* at 2.7: 4 + 0.7 * 4 */
    assert_true(isnan(wi_quantile(x, 0, 0.5)));
    wi_summarise(x, 4, 0.95, &sum);
    assert_true(sum.mean == 3.75 && fabs(sum.sd - 3.095695936834452) < 1e-12);
    wi_summarise(x, 1, 0.95, &sum);
    assert_true(sum.n == 1 && sum.mean == 1.0 && isnan(sum.sd) && isnan(sum.low));
    wi_summarise(x, 0, 0.95, &sum);
    assert_true(sum.n == 0 && isnan(sum.mean));
}

/* Thirty times a number of which three and more sum up to something else: no deviation, so no effect of p = 0 either. */
static void equal_values_have_no_spread(void **state)
{
    double x[30];
    wi_summary sum;
    (void)state;
    for (uint32_t n = 2; n <= 30; n++) {
        for (uint32_t i = 0; i < n; i++)
            x[i] = 1510613.33333333;
        wi_summarise(x, n, 0.95, &sum);
        if (!(sum.mean == x[0] && sum.sd == 0.0 && sum.low == x[0] && sum.high == x[0]))
            fail_msg("%u: %.17g, sd %g", n, sum.mean, sum.sd);
        assert_true(isnan(wi_summary_p(&sum)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_tables), cmocka_unit_test(order_ranks),
        cmocka_unit_test(coverage),       cmocka_unit_test(pairs_are_narrower),
        cmocka_unit_test(quantiles),      cmocka_unit_test(equal_values_have_no_spread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

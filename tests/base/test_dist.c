/* Distributions: each kind against its law by the test of Kolmogorov and Smirnov and by its mean, with fixed
 * seeds; the sampler on points in an image; parameters that are refused; and pinned bits, which the device
 * must give too. label: bits */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/cdf.h"
#include "weir/digest.h"
#include "weir/dist.h"
#include "base/image.h"

enum { N = 20000 };

static double sample[N];

static void draw(const weir_dist *d, const unsigned char *base)
{
    char why[100];
    if (!weir_dist_check(d, why, sizeof why))
        fail_msg("%s", why);
    weir_stream s = weir_stream_make(1, d->kind, 0);
    for (int i = 0; i < N; i++)
        sample[i] = weir_dist_sample(d, base, &s);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The mean of the sample against weir_dist_mean, and against `mean` worked out here, within 4 standard
 * errors. */
static void check_mean(const weir_dist *d, double mean, double deviation)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += sample[i];
    const double slack = 4 * deviation / sqrt(N) + 1e-9 * fabs(mean);
    if (!(fabs(sum / N - mean) <= slack))
        fail_msg("kind %u: mean is %g, want %g within %g", d->kind, sum / N, mean, slack);
    if (!(fabs(weir_dist_mean(d) - mean) <= 1e-6 * fabs(mean)))
        fail_msg("kind %u: weir_dist_mean is %.9g, want %.9g", d->kind, weir_dist_mean(d), mean);
}

/* Largest distance to a continuous law; 1.63 / sqrt(N) is passed by one seed in a hundred. */
static void check_law(const weir_dist *d, double (*law)(double x))
{
    qsort(sample, N, sizeof *sample, by_value);
    double distance = 0;
    for (int i = 0; i < N; i++) {
        const double p = law(sample[i]);
        distance = fmax(distance, fmax(fabs(p - (double)i / N), fabs(p - (i + 1.0) / N)));
    }
    if (!(distance < 1.63 / sqrt(N)))
        fail_msg("kind %u: distance to its law is %g", d->kind, distance);
}

static double law_uniform(double x)
{
    return (x + 3) / 10;
}
static double law_exponential(double x)
{
    return 1 - exp(-x / 2.5);
}
static double law_normal(double x)
{
    return 0.5 * erfc(-(x - 10) / 2 / sqrt(2));
}
static double law_normal_min(double x)
{
    const double below = 0.5 * erfc(1 / sqrt(2)); /* of mean 2, deviation 2, below 0 */
    return (0.5 * erfc(-(x - 2) / 2 / sqrt(2)) - below) / (1 - below);
}
static double law_pareto(double x)
{
    return 1 - pow(3 / x, 2.5);
}
static double law_pareto_bounded(double x)
{
    return (1 - pow(1 / x, 1.2)) / (1 - pow(1e-4, 1.2));
}

static void continuous_laws(void **state)
{
    (void)state;
    weir_dist d = weir_dist_constant(7);
    draw(&d, NULL);
    check_mean(&d, 7, 0);

    d = weir_dist_uniform(-3, 7);
    draw(&d, NULL);
    check_mean(&d, 2, 10 / sqrt(12));
    check_law(&d, law_uniform);

    d = weir_dist_exponential(2.5);
    draw(&d, NULL);
    check_mean(&d, 2.5, 2.5);
    check_law(&d, law_exponential);

    d = weir_dist_normal(10, 2);
    draw(&d, NULL);
    check_mean(&d, 10, 2);
    check_law(&d, law_normal);

    d = weir_dist_normal_min(2, 2, 0); /* phi(1) = 0.2419707245, Phi(1) = 0.8413447461 */
    draw(&d, NULL);
    check_mean(&d, 2 + 2 * 0.24197072451914337 / 0.8413447460685429, 2);
    check_law(&d, law_normal_min);
    assert_true(sample[0] >= 0);

    d = weir_dist_pareto_mean(5, 2.5); /* scale 3 */
    draw(&d, NULL);
    check_mean(&d, 5, 3 / 1.5 * sqrt(2.5 / 0.5));
    check_law(&d, law_pareto);
    assert_true(sample[0] >= 3);
    assert_true(isinf(weir_dist_mean(&(weir_dist){.kind = WEIR_DIST_PARETO, .a = 1, .c = 1, .d = 1})));

    /* E = L^a / (1 - (L/H)^a) * a / (a - 1) * (L^(1-a) - H^(1-a)); second moment likewise */
    d = weir_dist_pareto_bounded(1, 1.2, 1e4);
    draw(&d, NULL);
    const double share = 1 - pow(1e-4, 1.2);
    const double mean = 6 * (1 - pow(1e4, -0.2)) / share, square = 1.2 / 0.8 * (pow(1e4, 0.8) - 1) / share;
    check_mean(&d, mean, sqrt(square - mean * mean));
    check_law(&d, law_pareto_bounded);
    assert_true(sample[0] >= 1 && sample[N - 1] <= 1e4);
    d = weir_dist_pareto_bounded(2, 1, 8); /* shape 1: 2 ln 4 / (1 - 1/4) */
    assert_true(fabs(weir_dist_mean(&d) - 2 * log(4) / 0.75) < 1e-9);
}

/* Frequencies of the first ranks and of the rest by chi-square, with 20 degrees of freedom: 45.3 is passed
 * once in a thousand seeds. */
static void zipf_ranks(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        double exponent;
    } cases[] = {{1, 1}, {10, 0}, {100, 1}, {1000, 0.8}, {100000, 1.0000001}, {100000, 1.5}, {1000, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const double s = cases[c].exponent;
        const weir_dist d = weir_dist_zipf(cases[c].n, s);
        draw(&d, NULL);
        double weight = 0, first = 0, square = 0;
        for (uint64_t k = cases[c].n; k >= 1; k--) {
            weight += pow((double)k, -s);
            first += pow((double)k, 1 - s);
            square += pow((double)k, 2 - s);
        }
        const double mean = first / weight;
        check_mean(&d, mean, sqrt(square / weight - mean * mean));
        double seen[21] = {0}, chi2 = 0, rest = N;
        for (int i = 0; i < N; i++) {
            const double k = sample[i];
            assert_true(k >= 1 && k <= (double)cases[c].n && k == floor(k));
            seen[k <= 20 ? (int)k - 1 : 20]++;
        }
        for (int k = 1; k <= 20 && (uint64_t)k <= cases[c].n; k++) {
            const double want = N * pow(k, -s) / weight;
            rest -= want;
            chi2 += (seen[k - 1] - want) * (seen[k - 1] - want) / want;
        }
        if (cases[c].n > 20)
            chi2 += (seen[20] - rest) * (seen[20] - rest) / rest;
        if (!(chi2 < 45.3))
            fail_msg("n %" PRIu64 ", exponent %g: chi-square is %g", cases[c].n, s, chi2);
    }
    const weir_dist vast = weir_dist_zipf(UINT64_C(1) << 40, 0.5); /* mean about n / 3 */
    draw(&vast, NULL);
    check_mean(&vast, 0x1p40 / 3, 0x1p40 * 0.3);
}

/* Zipf spends few blocks, so that a sample's cost is bounded in practice. */
static void zipf_rejects_seldom(void **state)
{
    (void)state;
    for (double s = 0; s <= 4; s += 0.25) {
        const weir_dist d = weir_dist_zipf(1000, s);
        weir_stream stream = weir_stream_make(5, 0, 0);
        for (int i = 0; i < N; i++)
            (void)weir_dist_sample(&d, NULL, &stream);
        if (stream.draws > N * 1.3)
            fail_msg("exponent %g: %g blocks a sample", s, (double)stream.draws / N);
    }
}

static double law_cdf(double x)
{
    if (x < 100)
        return 0;
    return x < 1000 ? 0.1 + 0.6 * (x - 100) / 900 : 0.7 + 0.3 * (x - 1000) / 9000;
}

static void empirical_points_in_an_image(void **state)
{
    (void)state;
    static const weir_cdf_point points[] = {{100, 0.1}, {1000, 0.7}, {10000, 1}};
    wi_image image = {0};
    uint64_t offset;
    assert_true(wi_image_reserve(&image, 24, 1, &offset));
    assert_true(wi_image_append(&image, points, sizeof points, 8, &offset));

    weir_dist d = weir_dist_cdf(points, 3, false, offset);
    draw(&d, image.bytes);
    check_mean(&d, 0.1 * 100 + 0.6 * 550 + 0.3 * 5500, 2600);
    qsort(sample, N, sizeof *sample, by_value);
    int atoms =
        0; /* a tenth lies on the first point; the law has a jump there, so the distance is taken above it */
    while (sample[atoms] == 100)
        atoms++;
    assert_true(fabs(atoms - 0.1 * N) < 4 * sqrt(N * 0.09));
    double distance = 0;
    for (int i = atoms; i < N; i++)
        distance = fmax(distance, fabs(law_cdf(sample[i]) - (double)i / N));
    assert_true(distance < 1.63 / sqrt(N));

    d = weir_dist_cdf(points, 3, true, offset);
    draw(&d, image.bytes);
    check_mean(&d, 0.1 * 100 + 0.6 * 1000 + 0.3 * 10000, 4000);
    int count[3] = {0};
    for (int i = 0; i < N; i++) {
        const int k = sample[i] == 100 ? 0 : sample[i] == 1000 ? 1 : 2;
        assert_true(sample[i] == points[k].x);
        count[k]++;
    }
    for (int k = 0; k < 3; k++) {
        const double p = points[k].p - (k ? points[k - 1].p : 0);
        assert_true(fabs(count[k] - N * p) < 4 * sqrt(N * p * (1 - p)));
    }
    wi_image_free(&image);
}

static void jumps_and_flat_stretches(void **state)
{
    (void)state;
    /* half at exactly 10, nothing between 20 and 30 */
    static const weir_cdf_point points[] = {{0, 0}, {10, 0.2}, {10, 0.7}, {20, 0.8}, {30, 0.8}, {40, 1}};
    const weir_dist d = weir_dist_cdf(points, 6, false, 0);
    draw(&d, (const unsigned char *)points);
    int at_ten = 0;
    for (int i = 0; i < N; i++) {
        assert_true(sample[i] >= 0 && sample[i] <= 40 && !(sample[i] > 20 && sample[i] < 30));
        at_ten += sample[i] == 10;
    }
    assert_true(fabs(at_ten - 0.5 * N) < 4 * sqrt(0.25 * N));
    const weir_cdf_point one = {5, 1};
    const weir_dist single = weir_dist_cdf(&one, 1, false, 0);
    draw(&single, (const unsigned char *)&one);
    check_mean(&single, 5, 0);
}

static void integers_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(weir_round_clamped(2.5, 0, 10), 3);
    assert_int_equal(weir_round_clamped(-2.5, -10, 10), -3);
    assert_int_equal(weir_round_clamped(0.4, 1, 10), 1);
    assert_int_equal(weir_round_clamped(1e300, 0, 10), 10);
    assert_int_equal(weir_round_clamped(INFINITY, 0, INT64_MAX), INT64_MAX);
    assert_int_equal(weir_round_clamped(-INFINITY, INT64_MIN, 0), INT64_MIN);
    assert_int_equal(weir_round_clamped(0x1p63, 0, INT64_MAX), INT64_MAX);
    assert_int_equal(weir_round_clamped(-0x1p63, INT64_MIN, 0), INT64_MIN);
    assert_int_equal(weir_round_clamped(NAN, 3, 10), 3);
    const weir_dist d = weir_dist_exponential(1e12);
    weir_stream s = weir_stream_make(1, 0, 0);
    for (int i = 0; i < 1000; i++) {
        const int64_t gap = weir_dist_sample_integer(&d, NULL, &s, 1, 1000000000);
        assert_true(gap >= 1 && gap <= 1000000000);
    }
}

static void refused_parameters(void **state)
{
    (void)state;
    const weir_cdf_point point = {1, 1};
    const struct {
        weir_dist dist;
        const char *want;
    } cases[] = {
        {weir_dist_constant(NAN), "value is nan; want a finite number"},
        {weir_dist_uniform(3, 2), "uniform range from 3 to 2; want finite bounds, the lower one first"},
        {weir_dist_exponential(0), "exponential mean is 0; want more than 0"},
        {weir_dist_normal(INFINITY, 1), "normal mean is inf; want a finite number"},
        {weir_dist_normal(0, -1), "normal deviation is -1; want 0 or more"},
        {weir_dist_normal_min(0, 1, 2), "normal minimum is 2; want at most mean + deviation, 1"},
        {weir_dist_pareto(1, 0), "Pareto shape is 0; want 0.1 or more"},
        {weir_dist_pareto(0, 2), "Pareto scale is 0; want more than 0"},
        {weir_dist_pareto_mean(5, 1),
         "Pareto shape is 1; want more than 1, for there is no mean at or below"},
        {weir_dist_pareto_bounded(4, 2, 3), "Pareto maximum is not above the scale, 4"},
        {weir_dist_zipf(0, 1), "Zipf n is 0; want 1 to 2^40"},
        {weir_dist_zipf(10, -1), "Zipf exponent is -1; want 0 to 100"},
        {weir_dist_cdf(&point, 0, false, 0), "an empirical distribution without points"},
        {weir_dist_cdf(&point, 1, false, 4), "points at offset 4; want a multiple of 8"},
        {(weir_dist){.kind = 99}, "unknown kind of distribution: 99"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[120];
        assert_false(weir_dist_check(&cases[i].dist, why, sizeof why));
        assert_string_equal(why, cases[i].want);
        assert_false(weir_dist_check(&cases[i].dist, NULL, 0));
    }
}

static void bits_are_pinned(void **state)
{
    (void)state;
    static const weir_cdf_point points[] = {{100, 0.1}, {1000, 0.7}, {10000, 1}};
    const weir_dist dists[] = {weir_dist_uniform(1, 2),
                               weir_dist_exponential(3),
                               weir_dist_normal(1, 1),
                               weir_dist_normal_min(1, 1, 0),
                               weir_dist_pareto_mean(5, 1.5),
                               weir_dist_pareto_bounded(1, 1.2, 1e6),
                               weir_dist_zipf(1000, 1),
                               weir_dist_zipf(1000000, 0.9),
                               weir_dist_cdf(points, 3, false, 0),
                               weir_dist_cdf(points, 3, true, 0)};
    uint64_t chain = WEIR_DIGEST_START;
    weir_stream s = weir_stream_make(42, 1, 2);
    for (int i = 0; i < 2000; i++)
        for (size_t k = 0; k < sizeof dists / sizeof *dists; k++)
            chain = weir_digest_word(
                chain, weir_bits_of_double(weir_dist_sample(&dists[k], (const unsigned char *)points, &s)));
    if (chain != UINT64_C(0x7038a8356da77c83))
        fail_msg("the bits fold to %016" PRIx64, chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(continuous_laws),          cmocka_unit_test(zipf_ranks),
        cmocka_unit_test(zipf_rejects_seldom),      cmocka_unit_test(empirical_points_in_an_image),
        cmocka_unit_test(jumps_and_flat_stretches), cmocka_unit_test(integers_are_clamped),
        cmocka_unit_test(refused_parameters),       cmocka_unit_test(bits_are_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

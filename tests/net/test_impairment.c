/*
 * What links do to packets, without a network, against theory over grids: loss rates of Gilbert and Elliott's chain and
 * the lengths of its bursts and gaps (geometric), its stationary start, 1 - (1 - p)^(8 n) of bit errors, means and variances
 * of jitters, and their order; duplicates. Bounds are five standard deviations of the estimate, or chi-square at 1e-6.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "net/link/impairment.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US

typedef struct link {
    weir_ctx ctx;
    weir_entity self;
    net_impairment m;
    net_impaired s;
    weir_time at_ps;
} link;

static void make(link *l, uint32_t entity)
{
    memset(l, 0, sizeof *l);
    l->ctx.self = &l->self;
    l->ctx.seed = 11;
    l->ctx.entity = entity;
    l->self.draws = 12345 * (uint64_t)entity; /* of the queue: nothing to the link */
}

/* A packet each 12 us that takes 10 us to send. */
static net_fate pass(link *l, uint32_t bytes)
{
    l->at_ps += 12 * US;
    return net_impair(&l->ctx, &l->m, &l->s, (net_given){bytes, l->at_ps, 10 * US, 0});
}

static void within(double got, double want, double half, const char *what, double a, double b)
{
    if (!(fabs(got - want) <= half))
        fail_msg("%s (%g, %g): %.9g, want %.9g within %.3g", what, a, b, got, want, half);
}

/* The chain's share of losses. With x the state's chance of loss, lambda = 1 - p - r the chain's correlation from packet
 * to packet, the mean of n has the variance (mean (1 - mean) + 2 v lambda / (1 - lambda)) / n, v = pi_b pi_g (bad - good)^2. */
static void burst_loss_rate(void **state)
{
    enum { N = 300000 };
    static const double enters[] = {0.001, 0.02, 0.3, 1.0}, exits[] = {0.01, 0.25, 1.0};
    static const double goods[] = {0.0, 0.01}, bads[] = {1.0, 0.6};
    (void)state;
    for (int i = 0; i < 4 * 3 * 4; i++) {
        const double p = enters[i % 4], r = exits[i / 4 % 3], good = goods[i / 12 % 2], bad = bads[i / 24];
        link l;
        make(&l, (uint32_t)i);
        l.m.flags = NET_IMPAIR_BURSTS;
        l.m.enter = p;
        l.m.exit = r;
        l.m.good = good;
        l.m.bad = bad;
        uint64_t lost = 0;
        for (int k = 0; k < N; k++)
            lost += pass(&l, 1500).lost;
        const double share = p / (p + r), mean = share * bad + (1.0 - share) * good, lambda = 1.0 - p - r;
        const double v = share * (1.0 - share) * (bad - good) * (bad - good);
        const double variance = (mean * (1.0 - mean) + 2.0 * v * lambda / (1.0 - lambda)) / N;
        within((double)lost / N, mean, 5.0 * sqrt(fmax(variance, 0.0)) + 1e-12, "loss rate", p, r);
        assert_int_equal(l.self.draws, 12345 * (uint64_t)i);
    }
}

/* Runs of one kind in a row against a geometric law of parameter `leave`, first and last run left out. */
static void expect_geometric(const uint32_t *count, uint32_t bins, double leave, const char *what)
{
    double n = 0.0, chi = 0.0, left = 1.0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < bins; i++)
        n += count[i];
    assert_true(n > 1000);
    for (uint32_t i = 0; i + 1 < bins && n * left * leave > 20.0; i++) {
        const double want = n * left * leave;
        chi += (count[i] - want) * (count[i] - want) / want;
        left *= 1.0 - leave;
        used++;
    }
    assert_true(used >= 2);
    /* Wilson and Hilferty's normal approximation of chi-square, at 4.75 deviations. */
    const double k = used, z = (cbrt(chi / k) - (1.0 - 2.0 / (9.0 * k))) / sqrt(2.0 / (9.0 * k));
    if (!(z < 4.75))
        fail_msg("%s, leaving with %g: chi-square %g over %u bins", what, leave, chi, used);
}

static void burst_lengths(void **state)
{
    enum { N = 400000, BINS = 2000 };
    static const double enters[] = {0.01, 0.1, 0.4}, exits[] = {0.05, 0.25, 0.7};
    (void)state;
    for (int i = 0; i < 9; i++) {
        static uint32_t runs[2][BINS];
        const double leave[2] = {enters[i % 3], exits[i / 3]};
        memset(runs, 0, sizeof runs);
        link l;
        make(&l, 100 + (uint32_t)i);
        l.m.flags = NET_IMPAIR_BURSTS;
        l.m.enter = leave[0];
        l.m.exit = leave[1];
        l.m.bad = 1.0;
        uint32_t length = 0, n = 0;
        bool was = false;
        for (int k = 0; k < N; k++) {
            const bool lost = pass(&l, 100).lost;
            if (k > 0 && lost != was) {
                if (n++ > 0) /* the first run began before the first packet */
                    runs[was][length - 1 < BINS - 1 ? length - 1 : BINS - 1]++;
                length = 0;
            }
            was = lost;
            length++;
        }
        expect_geometric(runs[1], BINS, leave[1], "burst");
        expect_geometric(runs[0], BINS, leave[0], "gap");
    }
}

/* The first packet of many links is lost as often as any. */
static void stationary_start(void **state)
{
    enum { N = 100000 };
    (void)state;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < N; i++) {
        link l;
        make(&l, i);
        l.m.flags = NET_IMPAIR_BURSTS;
        l.m.enter = 0.01;
        l.m.exit = 0.04;
        l.m.bad = 1.0;
        lost += pass(&l, 100).lost;
    }
    within((double)lost / N, 0.2, 5.0 * sqrt(0.2 * 0.8 / N), "first packet", 0.01, 0.04);
}

static void bit_errors(void **state)
{
    enum { N = 200000 };
    static const double ratios[] = {1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.05};
    static const uint32_t sizes[] = {28, 40, 576, 1500, 9000, 65535};
    (void)state;
    for (int i = 0; i < 7 * 6; i++) {
        const double p = ratios[i % 7];
        const uint32_t bytes = sizes[i / 7];
        link l;
        make(&l, 1000 + (uint32_t)i);
        l.m.log_bit_arrives = -p * weir_log1p_ratio(-p);
        uint32_t lost = 0;
        for (int k = 0; k < N; k++)
            lost += pass(&l, bytes).lost;
        const double want = -expm1(8.0 * bytes * log1p(-p));
        within((double)lost / N, want, 5.0 * sqrt(want * (1.0 - want) / N) + 1.0 / N, "bit errors", p, bytes);
    }
}

/* mean, standard deviation and kurtosis of a kind of jitter of mean m: the error of the sample variance follows. */
static void jitter_moments(void **state)
{
    enum { N = 400000 };
    static const weir_time means[] = {1, 3 * US, 2 * MS, 70 * MS};
    (void)state;
    for (int i = 0; i < 4 * 3; i++) {
        const double m = (double)means[i % 4], shape = 6.0;
        const int kind = i / 4;
        link l;
        make(&l, 2000 + (uint32_t)i);
        l.m.flags = NET_IMPAIR_JITTER | NET_IMPAIR_REORDER;
        l.m.jitter = kind == 0   ? weir_dist_uniform(0.0, 2.0 * m)
                     : kind == 1 ? weir_dist_exponential(m)
                                 : weir_dist_pareto_mean(m, shape);
        const double low = m * (shape - 1.0) / shape;
        const double deviation = kind == 0   ? m / sqrt(3.0)
                                 : kind == 1 ? m
                                             : low / (shape - 1.0) * sqrt(shape / (shape - 2.0));
        const double kurtosis = kind == 0   ? 1.8
                                : kind == 1 ? 9.0
                                            : 3.0 + 6.0 * (216.0 + 36.0 - 36.0 - 2.0) / (6.0 * 3.0 * 2.0);
        double sum = 0.0, squares = 0.0;
        for (int k = 0; k < N; k++) {
            const net_fate f = pass(&l, 1500);
            assert_false(f.lost || f.twice);
            assert_true(f.begins_ps >= l.at_ps);
            const double x = (double)(f.begins_ps - l.at_ps) - m;
            sum += x;
            squares += x * x;
        }
        if (means[i % 4] == 1) /* whole picoseconds */
            continue;
        within(sum / N, 0.0, 5.0 * deviation / sqrt(N), "mean of jitter", m, kind);
        within(squares / N, deviation * deviation, 5.0 * deviation * deviation * sqrt((kurtosis - 1.0) / N),
               "variance of jitter", m, kind);
    }
}

/* Without reordering: what would overtake waits, and comes its own transmission later; nobody waits longer than for the
 * largest jitter before. */
static void order_is_kept(void **state)
{
    (void)state;
    link l, free;
    make(&l, 5);
    l.m.flags = NET_IMPAIR_JITTER;
    l.m.jitter = weir_dist_exponential(100.0 * US);
    make(&free, 5); /* the same draws */
    free.m = l.m;
    free.m.flags |= NET_IMPAIR_REORDER;
    weir_time last_ps = 0, overtaken = 0;
    for (int k = 0; k < 100000; k++) {
        const weir_time own_ps = pass(&free, 1500).begins_ps, got_ps = pass(&l, 1500).begins_ps;
        assert_int_equal(got_ps, own_ps > last_ps + 10 * US ? own_ps : last_ps + 10 * US);
        overtaken += own_ps < last_ps;
        last_ps = got_ps;
    }
    assert_true(overtaken > 10000);
}

static void duplicates(void **state)
{
    enum { N = 200000 };
    static const double shares[] = {0.001, 0.3, 1.0};
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        link l;
        make(&l, 3000 + i);
        l.m.duplication = shares[i % 3];
        if (i >= 3) {
            l.m.flags = NET_IMPAIR_JITTER | NET_IMPAIR_REORDER;
            l.m.jitter = weir_dist_uniform(0.0, 2.0 * MS);
        }
        uint32_t twice = 0, before = 0;
        for (int k = 0; k < N; k++) {
            const net_fate f = pass(&l, 1500);
            assert_true(f.again_ps >= l.at_ps);
            twice += f.twice;
            before += f.twice && f.again_ps < f.begins_ps;
            if (f.twice && i < 3)
                assert_int_equal(f.again_ps, f.begins_ps + 1);
        }
        within((double)twice / N, shares[i % 3], 5.0 * sqrt(shares[i % 3] * (1.0 - shares[i % 3]) / N),
               "copies", shares[i % 3], 0);
        if (i >= 3) /* with a jitter of its own */
            within((double)before, 0.5 * twice, 2.5 * sqrt(twice), "copies that come first", shares[i % 3],
                   0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(burst_loss_rate),  cmocka_unit_test(burst_lengths),
        cmocka_unit_test(stationary_start), cmocka_unit_test(bit_errors),
        cmocka_unit_test(jitter_moments),   cmocka_unit_test(order_is_kept),
        cmocka_unit_test(duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Lines that follow traces, without a network. Mahimahi's rule: opportunities by hand, and against a queue that is served
 * opportunity by opportunity as its link does; rates: integrals by hand, and sizes against the integral between beginning and
 * end on random traces. Long-run throughput is the mean of the trace in both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "net/link/trace.h"
#include "splitmix.h"

#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US

/* 0, 3, 3, 7, 10, and again 10 (the 0 of the next pass), 13, 13, 17, 20, 20, .. ms. */
static const weir_time five[] = {0, 3 * MS, 3 * MS, 7 * MS, 10 * MS};
static const net_trace hand = {.kind = NET_TRACE_OPPORTUNITIES, .n = 5, .period_ps = 10 * MS};

/*
 * The opportunity of 0 is gone for what comes at 0. 3000 bytes take 1504 at 7 ms and 1496 at 10; 28 more take the 8 that are
 * left of it, and 20 of the next, at 10 ms too. What comes at 10 ms waits for 13. A packet of 1504 each takes one each.
 */
static void opportunities_by_hand(void **state)
{
    static const struct {
        weir_time at_ps;
        uint32_t bytes;
        weir_time left_ps;
    } packets[] = {{0, 1504, 3 * MS},     {1 * MS, 1504, 3 * MS},    {2 * MS, 3000, 10 * MS},
                   {2 * MS, 28, 10 * MS}, {10 * MS, 100, 13 * MS},   {15 * MS, 1504, 17 * MS},
                   {17 * MS, 1, 20 * MS}, {40 * MS - 1, 1, 40 * MS}, {40 * MS, 4512, 47 * MS}};
    uint64_t served = 0;
    (void)state;
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
        assert_int_equal(net_trace_served(&hand, five, &served, packets[i].at_ps, packets[i].bytes),
                         packets[i].left_ps);
    assert_int_equal(net_trace_past(&hand, five, 0), 1);
    assert_int_equal(net_trace_past(&hand, five, 3 * MS - 1), 1);
    assert_int_equal(net_trace_past(&hand, five, 3 * MS), 3);
    assert_int_equal(net_trace_past(&hand, five, 10 * MS), 6);
    assert_int_equal(net_trace_when(&hand, five, 4), 10 * MS);
    assert_int_equal(net_trace_when(&hand, five, 5), 10 * MS);
}

enum { PACKETS = 3000 };

/* A link served as link_queue.cc says: each opportunity gives its bytes to the packets that have come before it, in order. */
static void serve(const net_trace *t, const weir_time *at, const weir_time *come, const uint32_t *bytes,
                  weir_time *left)
{
    uint32_t first = 0, rest = bytes[0];
    for (uint64_t k = 0; first < PACKETS; k++) {
        const weir_time now = (weir_time)(k / t->n) * t->period_ps + at[k % t->n];
        uint32_t give = NET_OPPORTUNITY;
        while (give > 0 && first < PACKETS && come[first] < now) {
            const uint32_t take = give < rest ? give : rest;
            give -= take;
            rest -= take;
            if (rest == 0) {
                left[first++] = now;
                rest = first < PACKETS ? bytes[first] : 0;
            }
        }
    }
}

static void opportunities_as_mahimahi(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        enum { MOST = 40 };
        static weir_time at[MOST], come[PACKETS], left[PACKETS];
        static uint32_t bytes[PACKETS];
        uint64_t random = seed, served = 0;
        net_trace t = {.kind = NET_TRACE_OPPORTUNITIES, .n = 1 + rnd_below(&random, MOST)};
        weir_time now = 0;
        for (uint32_t i = 0; i < t.n; i++)
            at[i] = (now += rnd_below(&random, 6) * MS);
        at[t.n - 1] = t.period_ps = now + MS;
        now = 0;
        for (int i = 0; i < PACKETS; i++) {
            now += rnd_below(&random, 4) * MS * (rnd_below(&random, 8) == 0 ? 20 : 1) +
                   rnd_below(&random, 2) * 7 * US;
            come[i] = now;
            bytes[i] = rnd_below(&random, 3) ? 28 + rnd_below(&random, 1473) : 40 + rnd_below(&random, 6000);
        }
        serve(&t, at, come, bytes, left);
        for (int i = 0; i < PACKETS; i++)
            assert_int_equal(net_trace_served(&t, at, &served, come[i], bytes[i]), left[i]);
    }
}

/* 10 Mbps to 100 ms, 2 to 150, nothing to 200, 8 to 300, and again. */
static const net_trace_point steps[] = {{0, 10000000, 0, 0.0},
                                        {100 * MS, 2000000, 0, 125000.0},
                                        {150 * MS, 0, 0, 137500.0},
                                        {200 * MS, 8000000, 0, 137500.0},
                                        {300 * MS, 8000000, 0, 237500.0}};

static void rates_by_hand(void **state)
{
    const net_trace again = {.kind = NET_TRACE_RATES,
                             .n = 5,
                             .period_ps = 300 * MS,
                             .pass_bytes = 237500.0,
                             .pass_work = UINT64_C(1900000) * 1000000000000};
    const net_trace holds = {.kind = NET_TRACE_RATES, .n = 5, .pass_bytes = 237500.0};
    (void)state;
    assert_int_equal(net_trace_sent(&again, steps, 0, 1250), 1 * MS);
    /* 5000 bits at 10 Mbps, 5000 at 2 */
    assert_int_equal(net_trace_sent(&again, steps, 99500 * US, 1250), 102500 * US);
    /* 2000 bits at 2 Mbps, nothing for 50 ms, 8000 at 8 */
    assert_int_equal(net_trace_sent(&again, steps, 149 * MS, 1250), 201 * MS);
    assert_int_equal(net_trace_sent(&again, steps, 170 * MS, 1250), 201250 * US);
    /* 4000 bits at 8 Mbps, 6000 at 10 */
    assert_int_equal(net_trace_sent(&again, steps, 299500 * US, 1250), 300600 * US);
    assert_int_equal(net_trace_sent(&again, steps, 300 * MS * 1000 + 149 * MS, 1250),
                     300 * MS * 1000 + 201 * MS);
    assert_int_equal(net_trace_sent(&holds, steps, 299500 * US, 1250), 300750 * US);
    assert_int_equal(net_trace_sent(&holds, steps, 1000 * MS, 1250), 1001250 * US);
    assert_true(net_trace_bytes(&again, steps, 150 * MS) == 137500.0);
    assert_true(net_trace_bytes(&again, steps, 199 * MS) == 137500.0);
    assert_true(fabs(net_trace_bytes(&again, steps, 700 * MS) - (2 * 237500.0 + 125000.0)) < 1e-6);
    assert_true(fabs(net_trace_bytes(&holds, steps, 700 * MS) - (237500.0 + 400000.0)) < 1e-6);
    /* Passes of 10 bytes each: 65535 take 6553 and a half. */
    const net_trace_point fast[] = {{0, 10000000, 0, 0.0}, {8 * US, 0, 0, 10.0}};
    const net_trace short_one = {.kind = NET_TRACE_RATES,
                                 .n = 2,
                                 .period_ps = 8 * US,
                                 .pass_bytes = 10.0,
                                 .pass_work = UINT64_C(80) * 1000000000000};
    assert_int_equal(net_trace_sent(&short_one, fast, 0, 65535), 6553 * 8 * US + 4 * US);
    assert_int_equal(net_trace_sent(&short_one, fast, 3 * US, 10), 11 * US);
    assert_int_equal(net_trace_sent(&short_one, fast, 0, 20), 16 * US);
    /* less than a picosecond is rounded up */
    const net_trace_point odd[] = {{0, 3000000007u, 0, 0.0}};
    const net_trace flat = {.kind = NET_TRACE_RATES, .n = 1};
    assert_int_equal(net_trace_sent(&flat, odd, 5, 1), 5 + 2667);
}

/* Back to back packets: each is its size of the integral, within what a picosecond is at the fastest rate. */
static void rates_integrate(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        enum { MOST = 30 };
        net_trace_point p[MOST] = {0};
        uint64_t random = seed;
        net_trace t = {.kind = NET_TRACE_RATES, .n = 2 + rnd_below(&random, MOST - 1)};
        for (uint32_t i = 0; i < t.n; i++) {
            p[i].rate_bps =
                i == 0 || rnd_below(&random, 3) ? 8000 + (uint64_t)rnd_below(&random, 4000000) * 25 : 0;
            if (i == 0)
                continue;
            p[i].at_ps = p[i - 1].at_ps + 1 + rnd_below(&random, 1u << 30) * (weir_time)(seed % 5 ? 1 : 100);
            p[i].bytes =
                p[i - 1].bytes + (double)(p[i].at_ps - p[i - 1].at_ps) * ((double)p[i - 1].rate_bps / 8e12);
        }
        t.period_ps = p[t.n - 1].at_ps;
        t.pass_bytes = p[t.n - 1].bytes;
        for (uint32_t i = 0; i + 1 < t.n && t.pass_work < UINT64_MAX; i++) {
            const double part = (double)p[i].rate_bps * (double)(p[i + 1].at_ps - p[i].at_ps);
            t.pass_work = (double)t.pass_work + part > 1e19
                              ? UINT64_MAX
                              : t.pass_work + p[i].rate_bps * (uint64_t)(p[i + 1].at_ps - p[i].at_ps);
        }
        weir_time now = 0;
        double sum = 0.0;
        for (int k = 0; k < 20000; k++) {
            const uint32_t bytes = 28 + rnd_below(&random, 9000);
            const weir_time left = net_trace_sent(&t, p, now, bytes);
            const double got = net_trace_bytes(&t, p, left) - net_trace_bytes(&t, p, now);
            if (!(fabs(got - bytes) < 1e-4 + 1e-9 * net_trace_bytes(&t, p, left)))
                fail_msg("seed %d: %g bytes sent for %u", (int)seed, got, bytes);
            sum += bytes;
            now = left;
        }
        /* the mean rate, within a pass */
        const double mean = t.pass_bytes / (double)t.period_ps;
        if (!(fabs(sum - mean * (double)now) <= t.pass_bytes))
            fail_msg("seed %d: %g bytes in all, mean %g", (int)seed, sum, mean * (double)now);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(opportunities_by_hand),
                                       cmocka_unit_test(opportunities_as_mahimahi),
                                       cmocka_unit_test(rates_by_hand), cmocka_unit_test(rates_integrate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

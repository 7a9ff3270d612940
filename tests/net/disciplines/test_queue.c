/*
 * Queue disciplines without a network: drop-tail's limits, RED's average, probability, spreading and marking.
 */
#include <stdlib.h>

#include "room.h"

/* Room for 10,000 bytes at 8 Mb/s, which sends a byte in a microsecond. */
static net_queue bytes_queue(uint64_t limit)
{
    net_queue q;
    memset(&q, 0, sizeof q);
    q.params.limit_bytes = limit;
    q.bytes_per_ps = 1e-6;
    return q;
}

static net_arrival arrival(uint32_t backlog_bytes, uint32_t bytes)
{
    net_arrival a;
    memset(&a, 0, sizeof a);
    a.backlog_ps = (weir_time)backlog_bytes * US;
    a.bytes = bytes;
    return a;
}

static void droptail(void **state)
{
    (void)state;
    net_queue q = bytes_queue(10000);
    net_arrival a = arrival(9000, 1000);
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    a = arrival(9001, 1000);
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_DROP_LIMIT);
    a = arrival(9001, 999);
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    /* Less than half a byte over comes from rounding times, and is forgiven. */
    a = arrival(9000, 1000);
    a.backlog_ps += US / 3;
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    /* A packet larger than the limit never fits. */
    a = arrival(0, 10001);
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_DROP_LIMIT);

    q = bytes_queue(UINT64_MAX);
    q.params.limit_packets = 3;
    q.counts_packets = 1;
    a = arrival(60000, 65535);
    a.backlog_packets = 2;
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_ACCEPT);
    a.backlog_packets = 3;
    assert_int_equal(net_droptail_arrive(&q, NULL, &a, NULL), NET_DROP_LIMIT);
}

static net_red_params *red_of(net_queue *q)
{
    return (net_red_params *)(void *)q->params.own;
}

static net_queue red(double max_p, uint8_t mode)
{
    net_queue q = bytes_queue(1000000);
    q.params.type = NET_QUEUE_RED;
    const net_red_params params = {
        .min = 5000, .max = 15000, .max_p = max_p, .weight = 0.25, .mean_packet_bytes = 500, .mode = mode};
    ROOM_SET(red, &q, params);
    return q;
}

/* avg <- avg + w (q - avg), by hand; and after an idle time of m small packets, (1 - w)^m first. */
static void average(void **state)
{
    (void)state;
    const net_queue q = red(0.1, NET_RED_BERNOULLI);
    net_arrival a = arrival(4000, 1000);
    double avg = net_red_average(&q, 0.0, &a); /* 0.25 4000 */
    assert_true(fabs(avg - 1000.0) < 1e-9);
    a = arrival(8000, 1000);
    avg = net_red_average(&q, avg, &a); /* 0.75 1000 + 0.25 8000 */
    assert_true(fabs(avg - 2750.0) < 1e-9);
    /* Idle for 1.5 ms, in which 1500 bytes, three small packets, could have been sent: 2750 0.75^3 =
     * 1160.15625, and 0.75 of that with this arrival. */
    a = arrival(0, 1000);
    a.idle_since_ps = 10 * MS;
    a.now_ps = 10 * MS + 1500 * US;
    avg = net_red_average(&q, avg, &a);
    assert_true(fabs(avg - 0.75 * 1160.15625) < 1e-6);
    /* Not idle at all. */
    a.idle_since_ps = a.now_ps;
    assert_true(fabs(net_red_average(&q, 1000.0, &a) - 750.0) < 1e-9);

    net_queue packets = q;
    red_of(&packets)->in_packets = 1;
    a = arrival(4000, 1000);
    a.backlog_packets = 8;
    assert_true(fabs(net_red_average(&packets, 4.0, &a) - 5.0) < 1e-12);
}

static void probability(void **state)
{
    (void)state;
    net_queue q = red(0.1, NET_RED_BERNOULLI);
    assert_true(net_red_probability(red_of(&q), 4999) == 0.0);
    assert_true(net_red_probability(red_of(&q), 5000) == 0.0);
    assert_true(fabs(net_red_probability(red_of(&q), 10000) - 0.05) < 1e-12);
    assert_true(net_red_probability(red_of(&q), 15000) == 1.0);
    red_of(&q)->gentle = true;
    assert_true(fabs(net_red_probability(red_of(&q), 15000) - 0.1) < 1e-12);
    assert_true(fabs(net_red_probability(red_of(&q), 22500) - 0.55) < 1e-12);
    assert_true(net_red_probability(red_of(&q), 30000) == 1.0);
}

/* Drops among `n` arrivals that all see the same queue, so that the average stays. */
static double rate_at(const net_queue *q, uint32_t backlog, uint32_t n, double *variance)
{
    weir_stream random = weir_stream_make(1, 2, 3);
    net_queue_state s = {.average = backlog, .count = -1};
    net_arrival a = arrival(backlog, 500);
    uint32_t drops = 0, gap = 0;
    double sum = 0.0, squares = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        gap++;
        if (net_red_arrive(q, &s, &a, &random) == NET_ACCEPT)
            continue;
        drops++;
        sum += gap;
        squares += (double)gap * gap;
        gap = 0;
    }
    *variance = squares / drops - sum / drops * (sum / drops);
    return (double)drops / n;
}

/*
 * Gaps between drops, with p = p_b = 1/50. bernoulli: geometric, mean 1/p = 50, variance (1 - p)/p^2 = 2450.
 * uniform: on 1 .. 50, mean 25.5, variance (50^2 - 1)/12 = 208.25. wait: no drop at counts below 50, then on
 * 50 .. 99 uniformly, mean 74.5, the same variance. Over n = 2,000,000 arrivals the standard error of a rate
 * r is r sqrt(n r var) / n, below 0.5 % for all: within 2 %.
 */
static void modes(void **state)
{
    (void)state;
    const double mean[] = {[NET_RED_UNIFORM] = 25.5, [NET_RED_BERNOULLI] = 50.0, [NET_RED_WAIT] = 74.5};
    const double want_var[] = {
        [NET_RED_UNIFORM] = 208.25, [NET_RED_BERNOULLI] = 2450, [NET_RED_WAIT] = 208.25};
    for (uint8_t mode = 0; mode < 3; mode++) {
        const net_queue q = red(0.04, mode); /* p_b at the middle is 0.02 */
        double variance;
        const double rate = rate_at(&q, 10000, 2000000, &variance);
        if (!(fabs(rate * mean[mode] - 1) <= 0.02 && fabs(variance / want_var[mode] - 1) <= 0.05))
            fail_msg("mode %u: a drop in %.2f arrivals, want %.2f; variance of gaps %.1f, want %.1f", mode,
                     1 / rate, mean[mode], variance, want_var[mode]);
    }
    /* 2, 1 and 2/3 of p_b for small p_b. */
    const double factor[] = {[NET_RED_UNIFORM] = 2, [NET_RED_BERNOULLI] = 1, [NET_RED_WAIT] = 2.0 / 3.0};
    for (uint8_t mode = 0; mode < 3; mode++) {
        const net_queue q = red(0.01, mode);
        double variance;
        assert_true(fabs(rate_at(&q, 10000, 2000000, &variance) / (0.005 * factor[mode]) - 1) < 0.04);
    }
}

/* In the gentle range between max and 2 max drops are as frequent as p_b says; above it all are dropped. */
static void gentle(void **state)
{
    (void)state;
    net_queue q = red(0.1, NET_RED_BERNOULLI);
    double variance;
    red_of(&q)->gentle = true;
    assert_true(fabs(rate_at(&q, 22500, 1000000, &variance) / 0.55 - 1) < 0.01);
    assert_true(rate_at(&q, 30000, 1000, &variance) == 1.0);
}

static void marking(void **state)
{
    (void)state;
    net_queue q = red(1.0, NET_RED_BERNOULLI);
    weir_stream random = weir_stream_make(1, 2, 3);
    red_of(&q)->ecn = true;
    /* At the middle half are marked, none dropped; those who cannot be marked are dropped. */
    for (int capable = 0; capable <= 1; capable++) {
        net_queue_state s = {.average = 10000, .count = -1};
        net_arrival a = arrival(10000, 500);
        a.ecn_capable = capable;
        int marks = 0, drops = 0;
        for (int i = 0; i < 10000; i++) {
            const enum net_verdict v = net_red_arrive(&q, &s, &a, &random);
            marks += v == NET_MARK;
            drops += v == NET_DROP_EARLY;
        }
        assert_true(abs((capable ? marks : drops) - 5000) < 250);
        assert_int_equal(capable ? drops : marks, 0);
    }
    /* Above the upper threshold all are dropped (RFC 3168, section 7), and when it is full too. */
    net_queue_state s = {.average = 40000, .count = -1};
    net_arrival a = arrival(40000, 500);
    a.ecn_capable = 1;
    assert_int_equal(net_red_arrive(&q, &s, &a, &random), NET_DROP_EARLY);
    a = arrival(999501, 500);
    a.ecn_capable = 1;
    s.average = 0;
    s.count = 5;
    assert_int_equal(net_red_arrive(&q, &s, &a, &random), NET_DROP_LIMIT);
    assert_int_equal(s.count,
                     0); /* a forced drop is a drop: gaps begin anew (Floyd and Jacobson, section 4) */
}

/* Below min nothing is drawn, and the count begins anew when min is crossed. */
static void below_min(void **state)
{
    (void)state;
    const net_queue q = red(0.1, NET_RED_UNIFORM);
    weir_stream random = weir_stream_make(1, 2, 3);
    net_queue_state s = {.average = 0, .count = 7};
    const net_arrival a = arrival(1000, 500);
    assert_int_equal(net_red_arrive(&q, &s, &a, &random), NET_ACCEPT);
    assert_int_equal(s.count, -1);
    assert_true(random.draws == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(droptail),    cmocka_unit_test(average),
                                       cmocka_unit_test(probability), cmocka_unit_test(modes),
                                       cmocka_unit_test(gentle),      cmocka_unit_test(marking),
                                       cmocka_unit_test(below_min)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

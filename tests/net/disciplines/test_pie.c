/*
 * PIE without a network: steps of the probability worked out from RFC 8033's formula in each of its ranges, the cap,
 * the decay, updates made late as if in time, the burst allowance, spared packets, drops kept apart, marks.
 */
#include <math.h>

#include "room.h"

static net_queue make(bool derandomize, bool ecn)
{
    const net_pie_params params = {.target_ps = 15 * MS,
                                   .update_ps = 15 * MS,
                                   .burst_ps = 150 * MS,
                                   .alpha = 0.125,
                                   .beta = 1.25,
                                   .mark_below = 0.1,
                                   .mean_packet_bytes = 1500,
                                   .derandomize = derandomize,
                                   .ecn = ecn};
    net_queue q = room_queue(NET_QUEUE_PIE, 0);
    ROOM_SET(pie, &q, params);
    return q;
}

static double step(double p, int delay_ms, int before_ms)
{
    const net_queue q = make(true, false);
    net_pie s = {.p = p, .delay_ps = before_ms * MS};
    net_pie_update(NET_QUEUE_PARAMS(pie, &q), &s, delay_ms * MS);
    return s.p - p;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12;
}

/* Delay 35 ms, 25 ms before: 0.125 (0.035 - 0.015) + 1.25 (0.035 - 0.025) = 0.015, times the range's factor. */
static void steps(void **state)
{
    (void)state;
    static const double p[] = {0.0, 0.000005, 0.00005, 0.0005, 0.005, 0.05, 0.5},
                        over[] = {2048, 512, 128, 32, 8, 2, 1};
    for (int i = 0; i < 7; i++)
        assert_true(near(step(p[i], 35, 25), 0.015 / over[i]));
    assert_true(near(step(0.5, 115, 25), 0.02));                   /* 0.125 + 0.1 is capped */
    assert_true(near(step(0.05, 115, 25), (0.0125 + 0.1125) / 2)); /* not below 0.1 */
    assert_true(near(step(0.5, 5, 25), -0.00125 - 0.025));
    assert_true(near(step(0.5, 0, 0), (0.5 - 0.001875) * 0.98 - 0.5)); /* and decays */
    assert_true(near(step(0.5, 0, 5), -0.001875 - 0.00625));
    assert_true(near(step(0.001, 0, 100), -0.001)); /* never below 0 */
    assert_true(near(step(0.99, 500, 5), 0.01));    /* nor above 1 */
}

static net_arrival arrival(net_pie *s, weir_time now_ps, weir_time busy_ps)
{
    net_arrival a;
    memset(&a, 0, sizeof a);
    a.now_ps = now_ps;
    a.idle_since_ps = busy_ps;
    a.backlog_ps = busy_ps > now_ps ? busy_ps - now_ps : 0;
    a.bytes = 1000;
    a.own = (uint64_t *)(void *)s;
    return a;
}

/* Busy until 200 ms, seen at 100 ms and not again before 400 ms: the updates at 105, 120 ... 195 ms have delays of 95,
 * 80 ... 5 ms, the others 0. The same as by single updates. */
static void late_updates(void **state)
{
    (void)state;
    const net_queue q = make(true, false);
    net_pie late = {.p = 0.3, .delay_ps = 90 * MS, .next_ps = 105 * MS}, in_time = late;
    const net_arrival a = arrival(&late, 400 * MS, 200 * MS);
    net_pie_catch_up(NET_QUEUE_PARAMS(pie, &q), &late, &a);
    for (int t = 105; t <= 400; t += 15)
        net_pie_update(NET_QUEUE_PARAMS(pie, &q), &in_time, (t < 200 ? 200 - t : 0) * MS);
    assert_true(late.p == in_time.p);
    assert_int_equal(late.delay_ps, 0);
    assert_int_equal(late.next_ps, 405 * MS);
    /* A day later nothing is left, and it took no day's updates. */
    const net_arrival day = arrival(&late, 86400 * WEIR_PS_PER_S + 1, 200 * MS);
    net_pie_catch_up(NET_QUEUE_PARAMS(pie, &q), &late, &day);
    assert_true(late.p == 0.0);
    assert_int_equal(late.burst_ps, 150 * MS);
    assert_int_equal(late.next_ps, 86400 * WEIR_PS_PER_S + 15 * MS);
}

/* From an idle start nothing is dropped for 150 ms of a standing queue of 100 ms, whatever the probability. */
static void burst(void **state)
{
    (void)state;
    const net_queue q = make(false, false);
    weir_stream random = weir_stream_make(1, 2, 3);
    net_pie s;
    memset(&s, 0, sizeof s);
    weir_time first = 0;
    for (int t = 0; t < 2000 && !first; t++) {
        const net_arrival a = arrival(&s, t * MS, (t + 100) * MS);
        if (net_pie_arrive(&q, NULL, &a, &random) != NET_ACCEPT)
            first = t;
    }
    assert_in_range(first, 150, 600);
}

static void spared(void **state)
{
    (void)state;
    const net_queue q = make(false, false);
    net_pie s = {.p = 1.0, .delay_ps = 100 * MS, .next_ps = WEIR_TIME_MAX};
    weir_stream random = weir_stream_make(1, 2, 3);
    net_arrival a = arrival(&s, 10 * MS, 13 * MS); /* 3000 bytes: two packets */
    assert_int_equal(net_pie_arrive(&q, NULL, &a, &random), NET_ACCEPT);
    a = arrival(&s, 10 * MS, 13 * MS + US);
    assert_int_equal(net_pie_arrive(&q, NULL, &a, &random), NET_DROP_EARLY);
    s.delay_ps = 7 * MS; /* below half the target: only with p below 0.2 */
    assert_int_equal(net_pie_arrive(&q, NULL, &a, &random), NET_DROP_EARLY);
    s.p = 0.19;
    const uint64_t draws = random.draws;
    assert_int_equal(net_pie_arrive(&q, NULL, &a, &random), NET_ACCEPT);
    assert_true(random.draws == draws);
}

/* p = 0.1: gaps from 9 (0.85 is reached by the ninth) to 85; without, some are shorter. The rate stays near p. */
static void drops_apart(void **state)
{
    (void)state;
    for (int spread = 0; spread < 2; spread++) {
        const net_queue q = make(spread, false);
        weir_stream random = weir_stream_make(4, 5, 6);
        net_pie s = {.p = 0.1, .delay_ps = 100 * MS, .next_ps = WEIR_TIME_MAX};
        const net_arrival a = arrival(&s, 0, 100 * MS);
        int gap = 0, least = 1000, most = 0, drops = 0;
        for (int i = 0; i < 100000; i++) {
            gap++;
            if (net_pie_arrive(&q, NULL, &a, &random) == NET_ACCEPT)
                continue;
            least = gap < least ? gap : least;
            most = gap > most ? gap : most;
            drops++;
            gap = 0;
        }
        assert_int_equal(least, spread ? 9 : 1);
        assert_true(spread ? most <= 86 : most > 40);
        /* mean gap: 10 without; 8 + 10, cut at 85, with */
        assert_in_range(drops, spread ? 5400 : 9700, spread ? 5750 : 10300);
    }
}

static void marks(void **state)
{
    (void)state;
    const net_queue q = make(false, true);
    weir_stream random = weir_stream_make(1, 2, 3);
    net_pie s = {.p = 0.0999, .delay_ps = 100 * MS, .next_ps = WEIR_TIME_MAX};
    net_arrival a = arrival(&s, 0, 100 * MS);
    a.ecn_capable = 1;
    int marked = 0, dropped = 0;
    for (int i = 0; i < 2000; i++) {
        const enum net_verdict v = net_pie_arrive(&q, NULL, &a, &random);
        marked += v == NET_MARK;
        dropped += v == NET_DROP_EARLY;
    }
    assert_in_range(marked, 150, 250);
    assert_int_equal(dropped, 0);
    s.p = 0.1;
    marked = 0;
    for (int i = 0; i < 2000; i++)
        marked += net_pie_arrive(&q, NULL, &a, &random) == NET_MARK;
    assert_int_equal(marked, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps),       cmocka_unit_test(late_updates),
                                       cmocka_unit_test(burst),       cmocka_unit_test(spared),
                                       cmocka_unit_test(drops_apart), cmocka_unit_test(marks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

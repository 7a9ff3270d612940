/*
 * DualPI2 without a network: steps of the probability, the coupled law (L4S marks k p', classic drops p'^2), the L4S
 * queue's own ramp, overload, turns, and updates made late.
 */
#include <math.h>

#include "room.h"

static room r;

static void make(void)
{
    const net_dualpi2_params params = {.target_ps = 15 * MS,
                                       .update_ps = 15 * MS,
                                       .rtt_max_ps = 100 * MS,
                                       .ramp_min_ps = 800 * US,
                                       .ramp_max_ps = 1200 * US,
                                       .coupling = 2.0};
    net_queue q = room_queue(NET_QUEUE_DUALPI2, 10000);
    ROOM_SET(dualpi2, &q, params);
    room_init(&r, &q);
}

static net_dualpi2 *dual(void)
{
    return (net_dualpi2 *)room_at(&r, 0)->own;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12;
}

enum { L4S = NET_ECT | NET_ECT1 };

/* alpha = 0.1 0.015 / 0.01 = 0.15 /s, beta = 3 /s. From 25 ms to 35 ms: 0.15 0.02 + 3 0.01 = 0.033. */
static void steps(void **state)
{
    (void)state;
    make();
    net_dualpi2 s;
    memset(&s, 0, sizeof s);
    s.p = 0.2;
    s.delay_ps = 25 * MS;
    net_dualpi2_update(NET_QUEUE_PARAMS(dualpi2, &r.q), &s, 35 * MS);
    assert_true(near(s.p, 0.233));
    net_dualpi2_update(NET_QUEUE_PARAMS(dualpi2, &r.q), &s, 0); /* 0.15 -0.015 + 3 -0.035 */
    assert_true(near(s.p, 0.233 - 0.00225 - 0.105));
    s.p = 0.001;
    net_dualpi2_update(NET_QUEUE_PARAMS(dualpi2, &r.q), &s, 0);
    assert_true(s.p == 0.0);
    net_dualpi2_update(NET_QUEUE_PARAMS(dualpi2, &r.q), &s, 1000 * MS);
    assert_true(s.p == 1.0);
}

static void ramp(void **state)
{
    (void)state;
    make();
    assert_true(net_dualpi2_ramp(NET_QUEUE_PARAMS(dualpi2, &r.q), 800 * US) == 0.0);
    assert_true(near(net_dualpi2_ramp(NET_QUEUE_PARAMS(dualpi2, &r.q), 900 * US), 0.25));
    assert_true(net_dualpi2_ramp(NET_QUEUE_PARAMS(dualpi2, &r.q), 1200 * US) == 1.0);
}

/* 10,000 packets of one kind at p' = 0.3: classic ones dropped 0.09 of the time, or marked so; L4S marked 0.6. */
static void coupling(void **state)
{
    (void)state;
    static const uint8_t flags[] = {0, NET_ECT, L4S};
    static const double share[] = {0.09, 0.09, 0.6};
    for (int k = 0; k < 3; k++) {
        make();
        dual()->p = 0.3;
        dual()->next_ps = WEIR_TIME_MAX;
        uint32_t sent = 0;
        for (int i = 0; i < 10000; i++) {
            room_put(&r, 0, 0, 1000, flags[k], 0);
            sent += room_get(&r, 0).bytes > 0;
        }
        const uint64_t hit = k == 0 ? r.port.dropped[1] : r.port.marked;
        assert_true(fabs((double)hit - share[k] * 10000.0) <= 1.0);
        assert_int_equal(sent + r.port.dropped[1], 10000);
        assert_true(k == 0 || r.port.dropped[1] == 0);
    }
    /* p' = 0.6: k p' passes 1, and both are dropped with p'^2 = 0.36, ECN or not. */
    for (int k = 1; k < 3; k++) {
        make();
        dual()->p = 0.6;
        dual()->next_ps = WEIR_TIME_MAX;
        for (int i = 0; i < 10000; i++) {
            room_put(&r, 0, 0, 1000, flags[k], 0);
            room_get(&r, 0);
        }
        assert_true(fabs((double)r.port.dropped[1] - 3600.0) <= 1.0);
        assert_int_equal(r.port.marked, 0);
    }
}

/* The ramp marks where p' is 0, but not a packet that is alone. */
static void ramp_marks(void **state)
{
    (void)state;
    make();
    dual()->next_ps = WEIR_TIME_MAX;
    for (int i = 0; i < 3; i++)
        room_put(&r, 0, 0, 1000, L4S, 0);
    uint32_t marked = 0;
    for (int i = 0; i < 2; i++) { /* chance 1: the sum passes 1 at the second */
        room_get(&r, 2 * MS);
        marked = (uint32_t)r.port.marked;
        assert_int_equal(marked, i);
    }
    assert_int_equal(room_get(&r, 3 * MS).flags & NET_CE, 0);
}

/* While both wait, one byte in ten is the classic queue's; alone, each has the line. */
static void turns(void **state)
{
    (void)state;
    make();
    dual()->next_ps = WEIR_TIME_MAX;
    uint32_t n[2] = {0, 0};
    for (int i = 0; i < 1000; i++) {
        room_put(&r, 0, 0, 1000, 0, 0);
        room_put(&r, 0, 1, 1000, L4S, 0);
    }
    for (int i = 0; i < 1000; i++)
        n[room_get(&r, 0).flow]++;
    assert_in_range(n[0], 99, 101);
    for (int i = 0; i < 1000; i++)
        n[room_get(&r, 0).flow]++;
    assert_int_equal(n[0], 1000);
    assert_int_equal(n[1], 1000);
}

/* A packet that waits from 0 is found by the updates of 15, 30, 45 ms with delays of so much, all made at 50 ms. */
static void late_updates(void **state)
{
    (void)state;
    make();
    room_put(&r, 1, 0, 1000, 0, 0);
    room_put(&r, 1, 0, 1000, 0, 0);
    net_dualpi2 s;
    memset(&s, 0, sizeof s);
    for (int t = 15; t <= 45; t += 15)
        net_dualpi2_update(NET_QUEUE_PARAMS(dualpi2, &r.q), &s, t * MS - 1);
    assert_int_equal(room_get(&r, 50 * MS).bytes, 1000);
    assert_true(dual()->p == s.p);
    assert_int_equal(dual()->next_ps, 60 * MS);
    while (room_get(&r, 50 * MS).bytes)
        ;
    room_put(&r, 86400 * WEIR_PS_PER_S, 0, 1000, 0, 0); /* a day's updates at once, without making them */
    assert_true(dual()->p == 0.0);
    assert_int_equal(dual()->next_ps, 86400 * WEIR_PS_PER_S + 15 * MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps),    cmocka_unit_test(ramp),
                                       cmocka_unit_test(coupling), cmocka_unit_test(ramp_marks),
                                       cmocka_unit_test(turns),    cmocka_unit_test(late_updates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

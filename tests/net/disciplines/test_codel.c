/*
 * CoDel without a network: when it begins to drop, the times of further drops by the control law of RFC 8289,
 * where count goes on from, marks instead of drops, and the limit.
 */
#include "room.h"

static room r;

static void make(bool ecn, uint32_t limit)
{
    const net_codel_params params = {
        .target_ps = 5 * MS, .interval_ps = 100 * MS, .mtu_bytes = 1500, .ecn = ecn};
    net_queue q = room_queue(NET_QUEUE_CODEL, limit);
    ROOM_SET(codel, &q, params);
    room_init(&r, &q);
}

static uint64_t early(void)
{
    return r.port.dropped[NET_DROP_EARLY - NET_DROP_LIMIT];
}

/*
 * 400 packets stand at 0, and one is taken each millisecond from 10 ms on: all have waited longer than the target.
 * The first look, at 10 ms, starts the clock; at 110 ms it has run for an interval, and the first packet is dropped.
 * With count n the next drop is interval / sqrt(n) after the last:
 *   210.000 ms (1), 280.711 (2: 100/sqrt 2 = 70.711), 338.446 (3: 57.735), 388.446 (4: 50)
 * each made at the next look, a whole millisecond.
 */
static void control_law(void **state)
{
    (void)state;
    static const int expected_ms[] = {110, 210, 281, 339, 389};
    make(false, 1000);
    for (int i = 0; i < 400; i++)
        room_put(&r, 0, 0, 1000, 0, 0);
    int n = 0;
    for (int t = 10; t < 400; t++) {
        const uint64_t before = early();
        assert_int_equal(room_get(&r, t * MS).bytes, 1000);
        if (early() == before)
            continue;
        assert_int_equal(early(), before + 1);
        assert_true(n < 5);
        assert_int_equal(t, expected_ms[n++]);
    }
    assert_int_equal(n, 5);
    assert_int_equal(net_codel_control_law(0, 100 * MS, 4), 50 * MS);
    assert_int_equal(net_codel_control_law(7, 100 * MS, 1), 100 * MS + 7);
    assert_int_equal(r.counters[NET_COUNT_DROPPED], 5);
}

/* No more than an MTU behind the head, or one packet below the target: the clock starts anew. */
static void short_queues_are_spared(void **state)
{
    (void)state;
    make(false, 1000);
    for (int t = 0; t < 2000; t += 20) { /* two packets that wait for 20 ms, 1000 bytes behind the head */
        room_put(&r, t * MS, 0, 1000, 0, 0);
        room_put(&r, t * MS, 0, 1000, 0, 0);
        assert_int_equal(room_get(&r, (t + 20) * MS).bytes, 1000);
        assert_int_equal(room_get(&r, (t + 20) * MS).bytes, 1000);
    }
    assert_int_equal(early(), 0);
    for (int i = 0; i < 50; i++)
        room_put(&r, 3000 * MS, 0, 1000, 0, 0);
    for (int i = 0; i < 20; i++)
        room_get(&r, (3010 + 4 * i) * MS); /* the clock has run since 3010 ms */
    net_codel_state *s = (net_codel_state *)room_at(&r, 0)->own;
    assert_int_equal(s->codel.first_above_ps, 3110 * MS);
    while (room_get(&r, 3100 * MS).bytes)
        ;
    assert_int_equal(s->codel.first_above_ps, 0); /* empty */
    assert_int_equal(early(), 0);
}

/* When dropping begins again within 16 intervals, count goes on from what was reached since the last beginning. */
static void count_goes_on(void **state)
{
    (void)state;
    make(false, 1000);
    net_codel *c = &((net_codel_state *)room_at(&r, 0)->own)->codel;
    c->count = 9;
    c->last_count = 2;
    c->drop_next_ps = 1000 * MS;
    net_codel_begin(room_at(&r, 2599 * MS), c);
    assert_int_equal(c->count, 7);
    assert_int_equal(c->last_count, 7);
    assert_int_equal(c->drop_next_ps, net_codel_control_law(2599 * MS, 100 * MS, 7));
    c->count = 9;
    c->last_count = 2;
    c->drop_next_ps = 1000 * MS;
    net_codel_begin(room_at(&r, 2600 * MS), c); /* 16 intervals later */
    assert_int_equal(c->count, 1);
    c->count = 3;
    c->last_count = 2; /* one drop only */
    c->drop_next_ps = 1000 * MS;
    net_codel_begin(room_at(&r, 1100 * MS), c);
    assert_int_equal(c->count, 1);
}

/* The same times with marks, and every packet is sent. */
static void marks(void **state)
{
    (void)state;
    make(true, 1000);
    for (int i = 0; i < 400; i++)
        room_put(&r, 0, 0, 1000, NET_ECT, 0);
    static const int expected_ms[] = {110, 210, 281, 339, 389};
    int n = 0;
    for (int t = 10; t < 400; t++) {
        const net_packet p = room_get(&r, t * MS);
        assert_int_equal(p.bytes, 1000);
        if (p.flags & NET_CE)
            assert_int_equal(t, expected_ms[n++]);
    }
    assert_int_equal(n, 5);
    assert_int_equal(r.port.marked, 5);
    assert_int_equal(early(), 0);
    /* Packets that cannot be marked are dropped. */
    make(true, 1000);
    for (int i = 0; i < 200; i++)
        room_put(&r, 0, 0, 1000, 0, 0);
    for (int t = 10; t < 150; t++)
        assert_int_equal(room_get(&r, t * MS).flags & NET_CE, 0);
    assert_int_equal(early(), 1);
}

static void limits(void **state)
{
    (void)state;
    make(false, 3);
    for (int i = 0; i < 5; i++)
        room_put(&r, 0, 0, 1000, 0, 0);
    assert_int_equal(r.port.ring_count, 3);
    assert_int_equal(r.port.dropped[0], 2);
    assert_int_equal(r.port.waiting.bytes, 3000);
    room_get(&r, MS);
    room_put(&r, MS, 0, 1000, 0, 0);
    assert_int_equal(r.port.dropped[0], 2);
    assert_int_equal(r.port.ring_count, 3);

    net_queue q = room_queue(NET_QUEUE_CODEL, 0);
    q.params.limit_bytes = 2500;
    const net_codel_params params = {.target_ps = 5 * MS, .interval_ps = 100 * MS, .mtu_bytes = 1500};
    ROOM_SET(codel, &q, params);
    room_init(&r, &q);
    for (int i = 0; i < 3; i++)
        room_put(&r, 0, 0, 1000, 0, 0);
    assert_int_equal(r.port.dropped[0], 1);
    room_put(&r, 0, 0, 500, 0, 0); /* to the byte */
    assert_int_equal(r.port.dropped[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_law), cmocka_unit_test(short_queues_are_spared),
        cmocka_unit_test(count_goes_on), cmocka_unit_test(marks), cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

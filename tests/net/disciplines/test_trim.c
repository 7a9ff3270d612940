/*
 * Trimming without a network: which packets lose their data and which are dropped, the order of headers and data, and that
 * the packet which has come and the last in the queue are cut as often.
 */
#include "room.h"

static room r;

static void make(uint32_t packets, uint64_t headers)
{
    const net_trim_params params = {.headers_bytes = headers, .turns = 10};
    net_queue q = room_queue(NET_QUEUE_TRIM, packets);
    ROOM_SET(trim, &q, params);
    room_init(&r, &q);
}

static void put(uint32_t flow, uint16_t bytes, uint8_t flags)
{
    room_put(&r, 0, flow, bytes, flags, 0);
}

static void expect(uint32_t flow, uint32_t bytes, uint32_t flags)
{
    const net_packet p = room_get(&r, 0);
    assert_int_equal(p.bytes, bytes);
    assert_int_equal(p.flags, flags);
    assert_int_equal(p.flow, flow);
}

/* Two fit; of the third and the second one is cut, and its header goes before all. */
static void full_queues_cut(void **state)
{
    (void)state;
    make(2, 1000);
    put(1, 1500, NET_TRIMS);
    put(2, 1400, NET_TRIMS);
    assert_int_equal(r.port.waiting.bytes, 2900);
    put(3, 1300, NET_TRIMS);
    assert_int_equal(r.port.marked, 1);
    const net_packet cut = room_get(&r, 0);
    assert_true(cut.flow == 3 || cut.flow == 2);
    assert_int_equal(cut.bytes, NET_HEADER_TCP);
    assert_int_equal(cut.flags, NET_TRIMS | NET_TRIMMED);
    assert_int_equal(r.counters[cut.flow * NET_FLOW_COUNTERS + NET_COUNT_MARKED], 1);
    assert_int_equal(r.port.waiting.bytes, 1500 + (cut.flow == 3 ? 1400 : 1300));
    expect(1, 1500, NET_TRIMS);
    expect(cut.flow == 3 ? 2 : 3, cut.flow == 3 ? 1400 : 1300, NET_TRIMS);
    assert_int_equal(r.port.waiting.bytes, 0);
    assert_int_equal(r.port.ring_count, 0);
    assert_int_equal(room_get(&r, 0).bytes, 0);
}

/* Others cannot be cut, whatever they carry, and are not cut from the queue's end either. */
static void others_are_dropped(void **state)
{
    (void)state;
    static const uint8_t flags[] = {0, NET_ECT, NET_ECT | NET_ECT1, NET_UDP};
    for (size_t i = 0; i < sizeof flags; i++) {
        make(1, 1000);
        put(1, 1500, flags[i]);
        put(2, 1500, flags[i]);
        assert_int_equal(r.port.dropped[0], 1);
        for (int k = 0; k < 8; k++) /* whatever the coin says */
            put(3, 1500, NET_TRIMS);
        for (int k = 0; k < 8; k++)
            expect(3, NET_HEADER_TCP, NET_TRIMS | NET_TRIMMED);
        expect(1, 1500, flags[i]);
    }
}

/* ACKs, and headers that were cut elsewhere, go with the headers, ten for one of data; beyond their limit they are lost. */
static void ten_for_one(void **state)
{
    (void)state;
    make(8, 24 * NET_HEADER_TCP);
    for (uint32_t i = 0; i < 3; i++)
        put(1, 1500, NET_TRIMS);
    for (uint32_t i = 0; i < 25; i++)
        put(i % 2 ? 2 : 3, NET_HEADER_TCP, i % 2 ? NET_ACK : NET_TRIMS | NET_TRIMMED);
    assert_int_equal(r.port.dropped[0], 1);
    assert_int_equal(r.port.marked, 0);
    for (int i = 0; i < 24; i++) {
        if (i == 10 || i == 20)
            expect(1, 1500, NET_TRIMS);
        assert_int_equal(room_get(&r, 0).bytes, NET_HEADER_TCP);
    }
    expect(1, 1500, NET_TRIMS);
    assert_int_equal(r.port.ring_count, 0);
}

static void both_as_often(void **state)
{
    (void)state;
    enum { N = 10000 };
    uint32_t last = 0;
    make(1, 4000);
    for (uint32_t i = 0; i < N; i++) {
        put(1, 1500, NET_TRIMS);
        put(2, 1500, NET_TRIMS);
        last += room_get(&r, 0).flow == 1;
        room_get(&r, 0);
    }
    assert_in_range(last, N / 2 - 5 * 50, N / 2 + 5 * 50); /* sigma 50 */
}

static void bytes_may_be_the_limit(void **state)
{
    (void)state;
    const net_trim_params params = {400};
    net_queue q = room_queue(NET_QUEUE_TRIM, 0);
    q.params.limit_bytes = 3000;
    ROOM_SET(trim, &q, params);
    room_init(&r, &q);
    put(1, 1500, NET_TRIMS);
    put(1, 1500, NET_TRIMS);
    assert_int_equal(r.port.marked, 0);
    put(1, 1500, NET_TRIMS);
    assert_int_equal(r.port.marked, 1);
    make(8, 400);
    for (int i = 0; i < 9; i++)
        put(1, 9000, NET_TRIMS);
    assert_int_equal(r.port.marked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_queues_cut),
        cmocka_unit_test(others_are_dropped),
        cmocka_unit_test(ten_for_one),
        cmocka_unit_test(both_as_often),
        cmocka_unit_test(bytes_may_be_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

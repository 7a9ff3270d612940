/*
 * FQ-CoDel without a network: the order in which queues are served, new ones first, worked out by hand; credits in
 * bytes; a new queue that empties goes to the old ones; the fattest queue loses half; CoDel in each queue.
 */
#include "room.h"

static room r;

/* Tags that fall into queues of their own, in order of their flow numbers. */
static uint32_t tag_of[ROOM_FLOWS];

static void make(uint32_t limit, uint32_t quantum)
{
    const net_fq_codel_params params = {
        .codel = {.target_ps = 5 * MS, .interval_ps = 100 * MS, .mtu_bytes = 1500},
        .flows = 1024,
        .quantum_bytes = quantum};
    net_queue q = room_queue(NET_QUEUE_FQ_CODEL, limit);
    ROOM_SET(fq_codel, &q, params);
    room_init(&r, &q);
    uint32_t seen[ROOM_FLOWS], tag = 0;
    for (uint32_t i = 0; i < ROOM_FLOWS; i++) {
        bool taken = true;
        while (taken) {
            seen[i] = net_fq_number(room_at(&r, 0), ++tag);
            assert_in_range(seen[i], 1, 1024);
            taken = false;
            for (uint32_t k = 0; k < i; k++)
                taken |= seen[k] == seen[i];
        }
        tag_of[i] = tag;
    }
}

static void put(weir_time now_ps, uint32_t flow, uint16_t bytes)
{
    room_put(&r, now_ps, flow, bytes, 0, tag_of[flow]);
}

static void expect(weir_time now_ps, const char *flows)
{
    for (; *flows; flows++) {
        const net_packet p = room_get(&r, now_ps);
        assert_int_not_equal(p.bytes, 0);
        assert_int_equal(p.flow, *flows - '0');
    }
}

/*
 * Quantum 1000, packets of 500. Flow 0 has six packets, flow 1 four, both new. Flow 0 sends two, is without
 * credit, gets a quantum and turns old; flow 1 the same; then 0 and 1 in turn from the old ones. Flow 2 comes while
 * they do, and is served at once, before both.
 */
static void new_queues_first(void **state)
{
    (void)state;
    make(100, 1000);
    for (int i = 0; i < 6; i++)
        put(0, 0, 500);
    for (int i = 0; i < 4; i++)
        put(0, 1, 500);
    expect(0, "00110");
    put(0, 2, 500);
    expect(0, "2011");
    expect(0, "00");
    assert_int_equal(room_get(&r, 0).bytes, 0);
    assert_int_equal(r.port.ring_count, 0);
}

/* Credits are bytes: a queue of 1500s and one of 300s, quantum 1500, send as many bytes. */
static void fair_in_bytes(void **state)
{
    (void)state;
    make(1000, 1500);
    for (int i = 0; i < 40; i++)
        put(0, 0, 1500);
    for (int i = 0; i < 200; i++)
        put(0, 1, 300);
    uint32_t bytes[2] = {0, 0};
    for (int i = 0; i < 120; i++) {
        const net_packet p = room_get(&r, 0);
        bytes[p.flow] += p.bytes;
        const uint32_t apart = bytes[0] > bytes[1] ? bytes[0] - bytes[1] : bytes[1] - bytes[0];
        assert_true(apart <= 2 * 1500);
    }
    assert_int_equal(bytes[0], 30000);
    assert_int_equal(bytes[1], 30000);
}

/* Flow 1 is new, is served before flow 0, and empties, which shows at the next look: it goes behind the old ones. What
 * comes for it then waits until flow 0 has used up its credit; were it new again, it would go first. */
static void no_starvation(void **state)
{
    (void)state;
    make(100, 1000);
    for (int i = 0; i < 8; i++)
        put(0, 0, 500);
    expect(0, "00");
    put(0, 1, 500);
    expect(0, "10");
    put(0, 1, 500);
    expect(0, "0100");
}

static void fattest_loses_half(void **state)
{
    (void)state;
    make(20, 1000);
    for (int i = 0; i < 12; i++)
        put(0, 0, 500);
    for (int i = 0; i < 8; i++)
        put(0, 1, 500);
    assert_int_equal(r.port.dropped[0], 0);
    put(0, 2, 100); /* the 21st: of flow 0's 6000 bytes half go, six packets */
    assert_int_equal(r.port.dropped[0], 6);
    assert_int_equal(r.counters[0 * NET_FLOW_COUNTERS + NET_COUNT_DROPPED], 6);
    assert_int_equal(r.port.ring_count, 15);
    assert_int_equal(r.port.waiting.bytes, 6 * 500 + 8 * 500 + 100);

    make(200, 1000); /* 64 at most */
    for (int i = 0; i < 201; i++)
        put(0, 5, 500);
    assert_int_equal(r.port.dropped[0], 64);
    make(1, 1000);
    put(0, 0, 500);
    put(0, 1, 700);
    assert_int_equal(r.port.ring_count, 1);
    expect(0, "0");
}

/* One queue stands above the target for long and loses packets; the other, with no packet behind its head, none. */
static void codel_in_each(void **state)
{
    (void)state;
    make(10240 / 8, 1000);
    for (int i = 0; i < 1000; i++)
        put(0, 0, 1000);
    for (int t = 10; t < 400; t++) {
        if (t % 5 == 0)
            put((t - 8) * MS, 1, 200);
        room_get(&r, t * MS);
    }
    assert_in_range(r.counters[NET_COUNT_DROPPED], 4, 6);
    assert_int_equal(r.counters[NET_FLOW_COUNTERS + NET_COUNT_DROPPED], 0);
}

/* Another seed puts flows elsewhere; 10,000 tags fill 1024 queues as evenly as chance: chi-square within 5 sigma. */
static void hashing(void **state)
{
    (void)state;
    static uint32_t n[1025];
    make(10, 1000);
    uint32_t same = 0;
    double chi = 0.0;
    for (uint32_t tag = 0; tag < 10240; tag++) {
        r.ctx.seed = 1;
        const uint32_t a = net_fq_number(room_at(&r, 0), tag * 2654435761u);
        r.ctx.seed = 2;
        same += a == net_fq_number(room_at(&r, 0), tag * 2654435761u);
        n[a]++;
    }
    for (uint32_t i = 1; i <= 1024; i++)
        chi += ((double)n[i] - 10.0) * ((double)n[i] - 10.0) / 10.0;
    assert_true(chi < 1023.0 + 5.0 * 45.2);
    assert_in_range(same, 0, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_queues_first), cmocka_unit_test(fair_in_bytes),
        cmocka_unit_test(no_starvation),    cmocka_unit_test(fattest_loses_half),
        cmocka_unit_test(codel_in_each),    cmocka_unit_test(hashing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

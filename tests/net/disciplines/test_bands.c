/* Bands by class selector without a network: strict priority's order, DRR's shares to the byte, limits and marks of a
 * band alone. */
#include "room.h"

static room r;

static void expect(const char *flows)
{
    for (; *flows; flows++) {
        const net_packet p = room_get(&r, 0);
        assert_int_not_equal(p.bytes, 0);
        assert_int_equal(p.flow, *flows - '0');
    }
}

static void priority(void **state)
{
    (void)state;
    net_queue q = room_queue(NET_QUEUE_PRIORITY, 3);
    const net_bands_params params = {.mark_bytes = 1500};
    ROOM_SET(priority, &q, params);
    assert_int_equal(q.slots, 8 * 4);
    room_init(&r, &q);
    room_put(&r, 0, 0, 1000, NET_ECT, 0);
    room_put(&r, 0, 1, 1000, NET_ECT, 46); /* expedited forwarding: band 5 */
    room_put(&r, 0, 2, 1000, NET_ECT, 34); /* AF41: band 4 */
    room_put(&r, 0, 3, 1000, NET_ECT, 63);
    room_put(&r, 0, 4, 1000, NET_ECT, 7); /* band 0 too */
    expect("31");
    room_put(&r, 0, 5, 1000, NET_ECT, 40);
    expect("5204");
    assert_int_equal(room_get(&r, 0).bytes, 0);
    assert_int_equal(r.port.marked, 0);
    for (int i = 0; i < 4; i++) {
        room_put(&r, 0, 0, 1000, NET_ECT, 8);
        room_put(&r, 0, 1, 1000, NET_ECT, 16);
    }
    assert_int_equal(r.port.dropped[0], 2); /* each band holds three */
    assert_int_equal(r.port.marked, 2);     /* the third of each finds 2000 bytes */
    expect("111000");
}

static net_queue drr(uint32_t quantum, uint32_t limit)
{
    net_queue q = room_queue(NET_QUEUE_DRR, limit);
    const net_drr_params params = {.quantum_bytes = quantum, .weight = {1, 1, 3, 1, 1, 1, 1, 1}};
    ROOM_SET(drr, &q, params);
    return q;
}

/*
 * Quantum 500. Bands 0 and 1 have packets of 300, band 1 comes later. Both begin with 500: band 0 sends one (credit 200), gets 500
 * and goes behind (700); band 1 the same; then each sends two (700 - 600 = 100, 600), then two again (0), and so on.
 */
static void turns(void **state)
{
    (void)state;
    net_queue q = drr(500, 100);
    room_init(&r, &q);
    for (int i = 0; i < 10; i++)
        room_put(&r, 0, 0, 300, 0, 0);
    for (int i = 0; i < 10; i++)
        room_put(&r, 0, 1, 300, 0, 8);
    expect("0100110011"
           "0100110011");
    assert_int_equal(room_get(&r, 0).bytes, 0);
}

/* A packet that comes to an empty band goes once the others have used their credit. Band 0 has 200 of its 500 left, too little, as band
 * 1's first comes; then 700, of which two go before band 1's second. */
static void a_late_band_waits_for_one_turn(void **state)
{
    (void)state;
    net_queue q = drr(500, 100);
    room_init(&r, &q);
    for (int i = 0; i < 6; i++)
        room_put(&r, 0, 0, 300, 0, 0);
    expect("0");
    room_put(&r, 0, 1, 300, 0, 8);
    expect("10");
    room_put(&r, 0, 1, 300, 0, 8);
    expect("0100");
}

/* Weights 3 to 1 with packets of 700 and 1400: bytes as 3 to 1. */
static void shares(void **state)
{
    (void)state;
    net_queue q = drr(1500, 1000);
    room_init(&r, &q);
    uint64_t bytes[2] = {0, 0};
    for (int i = 0; i < 250; i++)
        room_put(&r, 0, 0, 1400, 0, 2);
    for (int i = 0; i < 900; i++)
        room_put(&r, 0, 1, 700, 0, 18);
    for (int i = 0; i < 800; i++) {
        const net_packet p = room_get(&r, 0);
        bytes[p.flow] += p.bytes;
    }
    const double ratio = (double)bytes[1] / (double)bytes[0];
    assert_true(ratio > 2.95 && ratio < 3.05);
    while (room_get(&r, 0).bytes)
        ;
    assert_int_equal(r.port.ring_count, 0);
    assert_int_equal(((net_drr *)room_at(&r, 0)->own)->head, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(priority), cmocka_unit_test(turns),
                                       cmocka_unit_test(a_late_band_waits_for_one_turn),
                                       cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The receiver: what it delivers, when it acknowledges, what its SACK blocks say.
 */
#include "net/wire.h"

static wire *w;
static void begin(net_class cls)
{
    w = wire_new(cls, 1, UINT64_C(1000000000), MS);
    w->lose = wire_keep_acks;
    w->n_kept = 0;
    memset(&w->last_ack, 0, sizeof w->last_ack);
    wire_run(w, 1); /* the flow begins at the sender */
}

/* Hand segment [seq, seq + length) to the receiver; returns how many ACKs that gave. */
static uint32_t segment(uint32_t seq, uint32_t length, uint8_t flags)
{
    const uint32_t before = w->n_kept;
    const net_packet p = wire_segment(w, seq, length, flags);
    wire_deliver(w, 1, &p, w->now + 1);
    return w->n_kept - before;
}

static void in_order_and_gaps(void **state)
{
    (void)state;
    begin(plain_tcp());
    assert_int_equal(segment(0, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 1000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), wire_sack_to(w, &w->last_ack, 0));
    /* 2000 missing: 3000 .. 5000 is reported, with the segment that came last first. */
    assert_int_equal(segment(2000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 1000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 2000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 0), 3000);
    assert_int_equal(segment(6000, 1000, 0), 1);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 6000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 0), 7000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 1), 2000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 1), 3000);
    assert_int_equal(segment(3000, 1000, 0), 1);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 2000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 0), 4000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 1), 6000);
    /* The gap is filled: 1000 .. 4000 is delivered at once. */
    assert_int_equal(segment(1000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 4000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 6000);
    assert_int_equal(w->rx[0].bytes, 4000);
    assert_int_equal(segment(4000, 1000, 0), 1);
    assert_int_equal(segment(5000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 7000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), wire_sack_to(w, &w->last_ack, 0));
    assert_int_equal(w->rx[0].bytes, 7000);
    assert_int_equal(w->rx[0].duplicates, 0);
    wire_free(w);
}

static void duplicates(void **state)
{
    (void)state;
    begin(plain_tcp());
    segment(0, 1000, 0);
    assert_int_equal(segment(0, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 1000);
    segment(3000, 1000, 0);
    assert_int_equal(segment(3000, 1000, 0), 1);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 3000);
    assert_int_equal(w->rx[0].duplicates, 2);
    assert_int_equal(w->rx[0].bytes, 1000);
    wire_free(w);
}

/* Forty-nine holes: nothing is forgotten, and every block is reported in three ACKs, latest first. */
static void holds_the_window(void **state)
{
    (void)state;
    begin(plain_tcp());
    for (uint32_t i = 0; i < 49; i++) {
        segment(1000 + 2000 * i, 1000, 0);
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(wire_sack_from(w, &w->last_ack, k), k <= i ? 1000 + 2000 * (i - k) : 0);
            assert_int_equal(wire_sack_to(w, &w->last_ack, k), k <= i ? 2000 + 2000 * (i - k) : 0);
        }
    }
    assert_int_equal(w->rx[0].n_ooo, 49);
    segment(1000, 1000, 0); /* a duplicate changes no block (and says so) */
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 97000);
    assert_true(w->last_ack.flags & NET_DSACK);
    segment(92000, 1000, 0); /* joins two, of which one is still remembered */
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 91000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 0), 94000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 1), 97000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 2), 95000);
    assert_false(w->last_ack.flags & NET_DSACK);
    for (uint32_t i = 0; i < 49; i++)
        if (i != 46)
            segment(2000 * i, 1000, 0);
    assert_int_equal(w->last_ack.seq, 98000);
    assert_int_equal(w->rx[0].n_ooo, 0);
    assert_int_equal(w->rx[0].bytes, 98000);
    assert_int_equal(w->rx[0].duplicates, 1);
    wire_free(w);
}

/* RFC 7323, section 4.3: a delayed ACK echoes its oldest segment; what is out of order changes nothing; the
 * segment that fills a gap is echoed. */
static void echoes_times(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    c.delayed_ack = 2;
    begin(c);
    const weir_time begun = w->now;
    segment(0, 1000, 0); /* sent when handed over but for 1 ps */
    wire_run(w, begun + 5 * MS);
    w->now = begun + 5 * MS;
    segment(1000, 1000, 0);
    assert_true(llabs(net_ack_elapsed(&w->last_ack, w->cls, w->now) - 5 * MS) < 100);
    w->now += 5 * MS;
    segment(3000, 1000, 0);
    assert_true(llabs(net_ack_elapsed(&w->last_ack, w->cls, w->now) - 10 * MS) < 100);
    w->now += 5 * MS;
    segment(4000, 1000, 0);
    assert_true(llabs(net_ack_elapsed(&w->last_ack, w->cls, w->now) - 15 * MS) < 100);
    w->now += 5 * MS;
    segment(2000, 1000, 0);
    assert_int_equal(w->last_ack.seq, 5000);
    assert_true(net_ack_elapsed(&w->last_ack, w->cls, w->now) < 100);
    wire_free(w);
}

/* The flow's last segment is short, wherever it comes in. */
static void short_last_segment(void **state)
{
    (void)state;
    begin(plain_tcp());
    segment(2000, 300, NET_FIN);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 2000);
    segment(1000, 1000, 0);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), 1000);
    assert_int_equal(wire_sack_to(w, &w->last_ack, 0),
                     3000); /* whole segments; the sender knows how long it was */
    segment(0, 1000, 0);
    assert_int_equal(w->last_ack.seq, 2300);
    assert_int_equal(w->rx[0].bytes, 2300);
    assert_true(w->rx[0].flags & NET_RX_DONE);
    wire_free(w);
}

/* RFC 5681, section 4.2: every second segment, at once when out of order or when a gap closes, otherwise
 * late. */
static void delayed_acks(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    c.delayed_ack = 2;
    begin(c);
    assert_int_equal(segment(0, 1000, 0), 0);
    assert_int_equal(segment(1000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 2000);
    /* One alone waits for 40 ms, and no longer. */
    assert_int_equal(segment(2000, 1000, 0), 0);
    const weir_time due = w->now + 40 * MS;
    const uint32_t before = w->n_kept;
    wire_run(w, due);
    assert_int_equal(w->n_kept, before);
    wire_run(w, due + 1);
    assert_int_equal(w->n_kept, before + 1);
    assert_int_equal(w->last_ack.seq, 3000);
    /* An ACK sent for the second leaves a stale timer, which must not send a third. */
    assert_int_equal(segment(3000, 1000, 0), 0);
    assert_int_equal(segment(4000, 1000, 0), 1);
    const uint32_t after = w->n_kept;
    wire_run(w, w->now + 100 * MS);
    assert_int_equal(w->n_kept, after);
    /* Out of order, duplicate, closing a gap: at once. */
    assert_int_equal(segment(6000, 1000, 0), 1);
    assert_int_equal(segment(6000, 1000, 0), 1);
    assert_int_equal(segment(5000, 1000, 0), 1);
    assert_int_equal(w->last_ack.seq, 7000);
    /* The last of a flow: at once. */
    assert_int_equal(segment(7000, 500, NET_FIN), 1);
    assert_int_equal(w->last_ack.seq, 7500);
    wire_free(w);
}

/* RFC 3168, section 6.1.3: ECE from a mark until CWR. */
static void echoes_marks(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_ECN;
    begin(c);
    segment(0, 1000, NET_ECT);
    assert_false(w->last_ack.flags & NET_CE);
    segment(1000, 1000, NET_ECT | NET_CE);
    assert_true(w->last_ack.flags & NET_CE);
    segment(2000, 1000, NET_ECT);
    assert_true(w->last_ack.flags & NET_CE);
    segment(3000, 1000, NET_ECT | NET_CWR);
    assert_false(w->last_ack.flags & NET_CE);
    /* A mark on the very segment that says CWR counts. */
    segment(4000, 1000, NET_ECT | NET_CE);
    segment(5000, 1000, NET_ECT | NET_CE | NET_CWR);
    assert_true(w->last_ack.flags & NET_CE);
    wire_free(w);
}

/* RFC 3550, section 6.4.1: J <- J + (|D| - J)/16. Delays 5, 9, 6 ms: 0; 4/16 = 0.25; 0.25 + (3 - 0.25)/16. */
static void delay_and_jitter(void **state)
{
    (void)state;
    begin(plain_tcp());
    const int delay_ms[] = {5, 9, 6};
    weir_time at = SEC;
    for (uint32_t i = 0; i < 3; i++) {
        net_packet p = wire_segment(w, 1000 * i, 1000, 0);
        p.u.data.sent_ps = at - delay_ms[i] * MS;
        wire_deliver(w, 1, &p, at);
        at += 50 * MS;
    }
    const net_rx *rx = &w->rx[0];
    assert_true(fabs((double)rx->jitter_ps * 1e-9 - (0.25 + 2.75 / 16)) < 1e-6);
    assert_true(rx->delay_sum_ns == 20000000);
    assert_true(fabs((double)rx->delay_min_s - 0.005) < 1e-8 && fabs((double)rx->delay_max_s - 0.009) < 1e-8);
    wire_free(w);
}

/* Across the wrap of sequence numbers everything is as elsewhere. */
static void wraps(void **state)
{
    (void)state;
    const uint32_t base = UINT32_MAX - 2500;
    begin(plain_tcp());
    w->tx[0].first = base;
    w->rx[0].flow = 0;
    segment(base, 1000, 0);
    assert_int_equal(w->last_ack.seq, base + 1000);
    segment(base + 2000, 1000, 0); /* holds the wrap */
    segment(base + 4000, 1000, 0); /* beyond it */
    assert_int_equal(wire_sack_from(w, &w->last_ack, 0), base + 4000);
    assert_int_equal(wire_sack_from(w, &w->last_ack, 1), base + 2000);
    segment(base + 1000, 1000, 0);
    assert_int_equal(w->last_ack.seq, base + 3000);
    segment(base + 3000, 1000, 0);
    assert_int_equal(w->last_ack.seq, base + 5000);
    assert_int_equal(w->rx[0].bytes, 5000);
    wire_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order_and_gaps),
                                       cmocka_unit_test(duplicates),
                                       cmocka_unit_test(holds_the_window),
                                       cmocka_unit_test(echoes_times),
                                       cmocka_unit_test(short_last_segment),
                                       cmocka_unit_test(delayed_acks),
                                       cmocka_unit_test(echoes_marks),
                                       cmocka_unit_test(delay_and_jitter),
                                       cmocka_unit_test(wraps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

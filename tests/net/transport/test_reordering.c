/*
 * A sender with RACK on a path that reorders, with one scripted delay after the other: a recovery whose segment was late
 * and not lost is undone (RFC 3522 and 4015), each round trip with a D-SACK makes the reordering window a quarter
 * longer (RFC 8985, section 6.2, step 4) until 16 recoveries have gone by without, and what is lost stays lost.
 * The wire is 100 Mb/s and 10 ms each way, segments are 1000 bytes, an ACK each.
 */
#include "net/wire.h"

static const weir_time rtt = 20 * MS + 83200 * 1000 + 3200 * 1000;

/* What becomes of the first transmission of segment `number`: it comes so much later, or not at all. */
typedef struct script {
    uint32_t number[64];
    weir_time late_ps[64]; /* 0: lost */
    uint32_t n;
    uint32_t times[4000];
} script;

static script s;

static void disturb(uint32_t number, weir_time late_ps)
{
    s.number[s.n] = number;
    s.late_ps[s.n++] = late_ps;
}

static void arrive(wire *w, const net_packet *p, weir_time at)
{
    wire_event *e = &w->pending[w->n_pending++];
    memset(e, 0, sizeof *e);
    e->head.type = NET_EV_HOST_PACKET;
    e->head.target = 1;
    e->head.time_ps = at;
    memcpy(e->payload, p, sizeof *p);
}

static bool play(wire *w, net_packet *p)
{
    if (p->flags & (NET_ACK | NET_SYN))
        return false;
    const uint32_t number = (p->seq - w->tx[0].first) / 1000;
    assert_true(number < 4000);
    if (s.times[number]++ > 0)
        return false;
    for (uint32_t i = 0; i < s.n; i++)
        if (s.number[i] == number) {
            if (s.late_ps[i])
                arrive(w, p, w->now + 10 * MS + 83200 * 1000 + s.late_ps[i]);
            return true;
        }
    return false;
}

/* 3 MB, 40 segments at a time: one window after the other, from the second round trip on. */
static wire *start(void)
{
    net_class c = sized_tcp(3000000);
    c.flags |= NET_CLASS_RACK;
    c.initial_window_bytes = c.window_bytes = 40000;
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    memset(&s, 0, sizeof s);
    w->lose = play;
    return w;
}

static void step(wire *w)
{
    assert_true(w->n_pending > 0);
    weir_time first = w->pending[0].head.time_ps;
    for (uint32_t i = 1; i < w->n_pending; i++)
        first = w->pending[i].head.time_ps < first ? w->pending[i].head.time_ps : first;
    wire_run(w, first + 1);
}

static void expect_complete(wire *w, uint32_t retransmissions, uint32_t duplicates)
{
    wire_run(w, 60 * SEC);
    assert_int_equal(w->n_completed, 1);
    assert_true(w->rx[0].bytes == w->tx[0].size);
    assert_int_equal(w->tx[0].retransmissions, retransmissions);
    assert_int_equal(w->rx[0].duplicates, duplicates);
    assert_int_equal(w->tx[0].timeouts, 0);
    wire_free(w);
}

static void a_late_segment_costs_no_window(void **state)
{
    (void)state;
    wire *w = start();
    const net_tx *tx = &w->tx[0];
    disturb(400, rtt / 2);
    while (tx->state != NET_TX_RECOVERY)
        step(w);
    assert_int_equal(tx->ssthresh, 20000);
    const weir_time begun = w->now;
    while (tx->state == NET_TX_RECOVERY)
        step(w);
    assert_true(w->now - begun < rtt); /* before the answer to what was sent again */
    assert_int_equal(tx->cwnd, 80000); /* slow start, as before: twice what the receiver takes */
    assert_int_equal(tx->ssthresh, UINT32_MAX);
    assert_int_equal(tx->reo_steps, 0);
    wire_run(w, begun + rtt + MS);
    assert_int_equal(tx->reo_steps, 1); /* the receiver had it twice */
    expect_complete(w, 1, 1);
}

/* Where two are late in one recovery, it is undone when both have come. */
static void all_must_have_been_late(void **state)
{
    (void)state;
    wire *w = start();
    const net_tx *tx = &w->tx[0];
    disturb(400, rtt / 2);
    disturb(402, rtt / 2 + 2 * MS);
    while (tx->state != NET_TX_RECOVERY)
        step(w);
    const weir_time begun = w->now;
    while (tx->una - tx->first <= 400000)
        step(w);
    assert_int_equal(tx->state, NET_TX_RECOVERY);
    while (tx->state == NET_TX_RECOVERY)
        step(w);
    assert_true(w->now - begun < rtt);
    assert_int_equal(tx->cwnd, 80000);
    expect_complete(w, 2, 2);
}

/* A loss beside it: the window is reduced, as it should be. */
static void a_loss_is_not_undone(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        wire *w = start();
        const net_tx *tx = &w->tx[0];
        disturb(400, 0);
        if (both)
            disturb(402, rtt / 2);
        while (tx->state != NET_TX_RECOVERY)
            step(w);
        while (tx->state == NET_TX_RECOVERY)
            step(w);
        assert_int_equal(tx->ssthresh, 20000);
        assert_in_range(tx->cwnd, 19000, 22000);
        expect_complete(w, 1 + (uint32_t)both, (uint32_t)both);
    }
}

/* The window is min_rtt / 4, and so much more for each round trip with a D-SACK: what came too late before is waited for
 * after it. A run of segments may last a quarter of a round trip, which it has on top. */
static void the_window_grows(void **state)
{
    (void)state;
    wire *w = start();
    const net_tx *tx = &w->tx[0];
    disturb(400, rtt * 6 / 10);    /* sent again: a window of a quarter */
    disturb(600, rtt * 85 / 100);  /* and again: of a half, and the quarter of a run */
    disturb(800, rtt * 70 / 100);  /* of three quarters: waited for, */
    disturb(1000, rtt * 70 / 100); /* and still */
    while (tx->una - tx->first < 700000)
        step(w);
    assert_int_equal(tx->reo_steps, 2);
    assert_int_equal(tx->retransmissions, 2);
    expect_complete(w, 2, 2);
}

/* After 16 recoveries without a D-SACK it is a quarter again. */
static void the_window_shrinks(void **state)
{
    (void)state;
    wire *w = start();
    const net_tx *tx = &w->tx[0];
    disturb(300, rtt * 6 / 10);
    for (uint32_t i = 0; i < 16; i++)
        disturb(500 + 100 * i, 0);
    while (tx->una - tx->first < 1950000)
        step(w);
    assert_int_equal(tx->reo_steps, 1);
    while (tx->una - tx->first < 2200000)
        step(w);
    assert_int_equal(tx->reo_steps, 0);
    expect_complete(w, 17, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_segment_costs_no_window),
        cmocka_unit_test(all_must_have_been_late),
        cmocka_unit_test(a_loss_is_not_undone),
        cmocka_unit_test(the_window_grows),
        cmocka_unit_test(the_window_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

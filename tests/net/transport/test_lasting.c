/*
 * Connections that last (transport/lasting.h), by hand-solved cases: pipeACK, when a window is validated, what a loss and five
 * minutes leave of one that is not (RFC 7661), the restart window (RFC 5681, section 4.1) and CUBIC's clock. Segments of 1000 B.
 */
#include <string.h>

#include "diag.h"
#include "net/transport/lasting.h"

#define MS WEIR_PS_PER_MS
#define S WEIR_PS_PER_S
enum { K = 1000 };

static net_class class_of(void)
{
    return (net_class){
        .flags = NET_CLASS_LASTS | NET_CLASS_VALIDATES, .mss_bytes = K, .initial_window_bytes = 10 * K};
}

static net_tx open_tx(uint32_t segments)
{
    return (net_tx){.state = NET_TX_OPEN, .cwnd = segments * K, .ssthresh = UINT32_MAX, .srtt_ps = 100 * MS};
}

/* What an ACK at a time acknowledges up to; `sent` is what has gone by then. Returns whether it may open the window. */
static int ack(net_validation *v, net_tx *tx, const net_class *c, weir_time at, uint32_t una, uint32_t sent)
{
    net_cc_event e = net_cc_event_of(at, NET_CC_ACKED, 0);
    e.grows = 1;
    e.acked = una * K - tx->una;
    tx->una = una * K;
    tx->nxt = sent * K;
    net_validation_on_ack(v, tx, c, NET_TX_OPEN, &e);
    return e.grows;
}

/* Undefined at first: validated. The first ACK begins a round trip with what is out then, up to segment 10; that of segment 11
 * ends it. The next one is up to segment 20. */
static void test_pipe_ack(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_tx tx = open_tx(10);
    net_validation v = {0};
    net_validation_begin(&v, 0);
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, 0), UINT32_MAX);
    for (uint32_t k = 1; k <= 11; k++)
        assert_true(ack(&v, &tx, &c, 100 * MS + k, k, 9 + k));
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, 101 * MS), 11 * K);
    ack(&v, &tx, &c, 200 * MS, 24, 30); /* beyond it: counts whole */
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, 201 * MS), 13 * K);
    /* Periods of 200 ms, the span being max(300 ms, 1 s): smaller samples do not lessen it, time does. */
    for (int i = 0; i < 6; i++)
        ack(&v, &tx, &c, (400 + 150 * i) * MS, 100 * (1 + (uint32_t)i), 101 + 100 * (uint32_t)i);
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, 1151 * MS), 100 * K);
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, 2200 * MS), 0); /* idle beyond the span */
}

/* Slow start: each round trip acknowledges the window of its begin, half of the one at its end: validated all the way. */
static void test_slow_start(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_tx tx = open_tx(10);
    net_validation v = {0};
    uint32_t una = 0, sent = 10;
    net_validation_begin(&v, 0);
    for (int round = 1; round <= 8; round++) {
        const uint32_t out = sent - una;
        for (uint32_t k = 0; k < out; k++) {
            una++;
            if (!ack(&v, &tx, &c, round * 100 * MS, una, sent))
                fail_msg("round %d, ACK %u of %u does not open a window of %u", round, k, out, tx.cwnd);
            tx.cwnd += K;
            sent += 2;
        }
    }
    assert_int_equal(tx.cwnd, 10 * 256 * K);
}

/* A window of 100 segments of which 20 are used: it stays. With 50 it is validated again. */
static void test_no_growth(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_tx tx = open_tx(100);
    net_validation v = {0};
    net_validation_begin(&v, 0);
    v.n = 1;
    v.most[0] = 20 * K;
    v.since_ps[0] = 5 * S;
    assert_false(net_validated(&v, &tx, 5 * S + MS));
    assert_false(ack(&v, &tx, &c, 5 * S + MS, 1, 51));
    assert_true(ack(&v, &tx, &c, 5 * S + 100 * MS, 52, 101)); /* a sample of 52 */
    assert_true(net_validated(&v, &tx, 5 * S + 100 * MS));
    assert_int_equal(tx.cwnd, 100 * K);
}

/* Section 4.4.1: of 100 segments, pipeACK 20, 40 in flight: 20 are left while it is mended; 8 have been sent again, so
 * (40 - 8) / 2 = 16 at the end, and pipeACK is undefined. A window that is validated: the control's own. */
static void test_loss(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_tx tx = open_tx(100);
    net_validation v = {.n = 1, .most = {20 * K}, .since_ps = {S}};
    net_cc_event e = net_cc_event_of(S + MS, NET_CC_LOST, 40 * K);
    tx.retransmissions = 5;
    assert_int_equal(net_validation_on_loss(&v, &tx, &c, 70 * K, &e), 20 * K);
    tx.retransmissions = 13;
    tx.cwnd = tx.ssthresh = 20 * K;
    e = net_cc_event_of(S + 90 * MS, NET_CC_ACKED, 0);
    net_validation_on_ack(&v, &tx, &c, NET_TX_RECOVERY, &e);
    assert_int_equal(tx.cwnd, 16 * K);
    assert_int_equal(tx.ssthresh, 16 * K);
    assert_int_equal(net_pipe_ack(&v, tx.srtt_ps, S + 90 * MS), UINT32_MAX);
    tx = open_tx(100);
    v = (net_validation){.n = 1, .most = {50 * K}, .since_ps = {S}};
    e = net_cc_event_of(S + MS, NET_CC_LOST, 40 * K);
    assert_int_equal(net_validation_on_loss(&v, &tx, &c, 70 * K, &e), 70 * K);
    v.most[0] = 49 * K; /* a timeout is the control's in any case */
    e = net_cc_event_of(S + MS, NET_CC_TIMEOUT, 40 * K);
    assert_int_equal(net_validation_on_loss(&v, &tx, &c, 70 * K, &e), 70 * K);
}

/* Section 4.4.3: 100 segments, ssthresh 60, not used from 10 s on. After five minutes 50, ssthresh 75; after ten 25; after 15
 * minutes the initial window. Validated in between, the five minutes begin anew. */
static void test_nvp(void **state)
{
    (void)state;
    const net_class c = class_of();
    static const struct {
        int after_s;
        uint32_t cwnd, ssthresh;
    } cases[] = {{299, 100, 60}, {300, 100, 60}, {301, 50, 75},  {601, 25, 75},
                 {901, 12, 75},  {1201, 10, 75}, {99999, 10, 75}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_tx tx = open_tx(100);
        net_validation v = {.n = 1, .since_ps = {0}, .valid_ps = 10 * S};
        tx.ssthresh = 60 * K;
        net_validation_expire(&v, &tx, &c, (10 + cases[i].after_s) * S);
        if (tx.cwnd / K != cases[i].cwnd || tx.ssthresh / K != cases[i].ssthresh)
            fail_msg("%d s: %u and %u", cases[i].after_s, tx.cwnd, tx.ssthresh);
    }
    net_tx tx = open_tx(100);
    net_validation v = {.n = 1, .most = {50 * K}, .since_ps = {299 * S}, .valid_ps = 10 * S};
    net_validation_expire(&v, &tx, &c, 299 * S + MS);
    net_validation_expire(&v, &tx, &c, 590 * S);
    assert_int_equal(tx.cwnd, 100 * K);
    net_validation_expire(&v, &tx, &c, 600 * S);
    assert_int_equal(tx.cwnd, 50 * K);
}

/* CUBIC's time since its reduction leaves the pause out: W after it is what it was before. BBR's interval begins anew. */
static void test_controls(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_tx tx = open_tx(100);
    net_cubic s = {.now = {.w_max = 140.0, .k_s = 4.0, .start_ps = 20 * S}};
    const double before = net_cubic_window(&s.now, weir_seconds(23 * S - s.now.start_ps));
    net_cubic_on_idle(&s, &tx, &c, 63 * S, 40 * S);
    assert_true(net_cubic_window(&s.now, weir_seconds(63 * S - s.now.start_ps)) == before);
    net_rate r = {0};
    net_rate_put(&r, S, S);
    net_rate_resume(&r, 9 * S);
    const net_rate_mark *m = net_rate_find(&r, 9 * S);
    assert_int_equal(m->delivered_ps, 9 * S);
    assert_int_equal(m->first_ps, 9 * S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipe_ack),  cmocka_unit_test(test_slow_start),
                                       cmocka_unit_test(test_no_growth), cmocka_unit_test(test_loss),
                                       cmocka_unit_test(test_nvp),       cmocka_unit_test(test_controls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

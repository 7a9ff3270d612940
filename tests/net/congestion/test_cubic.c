/*
 * CUBIC against its formulas (RFC 9438) and HyStart++ against its rules (RFC 9406). The wire is 1 Gb/s and 20 ms or
 * 50 ms each way, segments are 1000 bytes, an ACK each. Formulas are computed here with libm, from what the test
 * itself knows: the window at the loss.
 */
#include "net/wire.h"

static uint32_t lose_from, lose_n;

static bool lose_some(wire *w, net_packet *p)
{
    const uint32_t number = (p->seq - w->tx[0].first) / 1000;
    if ((p->flags & NET_ACK) || lose_n == 0 || number < lose_from)
        return false;
    lose_n--;
    return true;
}

static void ask(net_class *c, int hystart, bool friendly, bool fast_convergence)
{
    const net_cubic_params params = {friendly, fast_convergence, hystart};
    memcpy(c->cc, &params, sizeof params);
}

static net_class cubic_tcp(uint32_t segments)
{
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_RACK;
    c.congestion = NET_CC_CUBIC;
    c.initial_window_bytes = segments * 1000;
    c.window_bytes = 4000 * 1000;
    ask(&c, NET_CUBIC_HYSTART_OFF, true, true);
    return c;
}

static net_cubic *state_of(wire *w)
{
    return net_cc_at(&w->ctx, &w->tx[0], w->cls, NET_CC_WORDS(net_cubic));
}

/* A wire whose flow has lost one segment with `segments` in flight, and is just out of the recovery. */
static wire *after_loss(uint32_t segments, weir_time delay, bool friendly)
{
    net_class c = cubic_tcp(segments);
    ask(&c, NET_CUBIC_HYSTART_OFF, friendly, true);
    wire *w = wire_new(c, 1, 1000000000, delay);
    w->lose = lose_some;
    lose_from = 0;
    lose_n = 1;
    weir_time t = 0;
    while (w->tx[0].recoveries == 0 || w->tx[0].state != NET_TX_OPEN)
        wire_run(w, t += 100 * US);
    assert_int_equal(w->tx[0].timeouts, 0);
    return w;
}

/*
 * Of 600 segments in flight one is lost: the window goes to 420 = 0.7 * 600, W_max = 600, and K =
 * cbrt(180 / 0.4) = 7.663 s. From the first ACK on it follows W(t) = 0.4 (t - K)^3 + 600 through the plateau at K,
 * and into the convex region: 683 segments at t = 13.6 s.
 */
static void follows_the_cubic(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const weir_time delay = i ? 50 * MS : 20 * MS;
        wire *w = after_loss(600, delay, false);
        assert_in_range(w->tx[0].ssthresh, 419999, 420000);
        while (state_of(w)->now.start_ps == 0)
            wire_run(w, w->now + US);
        const double begun_s = weir_seconds(state_of(w)->now.start_ps), k_s = cbrt(180.0 / 0.4);
        int n = 0;
        for (weir_time t = w->now; t < 14 * SEC; t += 100 * MS, n++) {
            wire_run(w, t);
            const double d = weir_seconds(t) - begun_s - k_s, want = 600.0 + 0.4 * d * d * d;
            const double got = w->tx[0].cwnd / 1000.0;
            /* The window is on its way to where the cubic is a round trip later. */
            const double late = 1.2 * d * d * 2.0 * weir_seconds(delay);
            if (!(fabs(got - want) < 0.001 * want + 0.5 * late))
                fail_msg("delay %d: at %g s the window is %g, want %g", i, weir_seconds(t), got, want);
        }
        assert_true(n > 130);
        assert_int_equal(w->tx[0].recoveries, 1);
        wire_free(w);
    }
}

/*
 * Where K is long and the round trip short, Reno is ahead: of 40 segments 28 are left, and in a round trip of 40 ms
 * W_est grows by alpha = 9/17 of a segment, until it is past the 40 of before, and by one from there on.
 */
static void reno_friendly(void **state)
{
    (void)state;
    wire *w = after_loss(40, 20 * MS, true);
    while (state_of(w)->now.start_ps == 0)
        wire_run(w, w->now + US);
    const double begun_s = weir_seconds(state_of(w)->now.start_ps), rtt_s = 0.04;
    /* The window is W_est, so that the number acknowledged in a round trip is W_est too: alpha a round trip. */
    const double crossed_s = (40.0 - 28.0) * 17.0 / 9.0 * rtt_s;
    int n = 0;
    for (weir_time t = w->now; weir_seconds(t) - begun_s < 1.5; t += 20 * MS, n++) {
        wire_run(w, t);
        const double t_s = weir_seconds(t) - begun_s;
        const double want =
            t_s < crossed_s ? 28.0 + 9.0 / 17.0 * t_s / rtt_s : 40.0 + (t_s - crossed_s) / rtt_s;
        const double got = w->tx[0].cwnd / 1000.0;
        if (!(fabs(got - want) < 0.03 * want))
            fail_msg("after %g s the window is %g, want %g", t_s, got, want);
    }
    assert_true(n > 70);
    wire_free(w);
}

/* Losses by hand: a flow at W = 100 that loses at 100 and again at 90 remembers 90 (1 + 0.7) / 2 = 76.5 as W_max, with
 * fast convergence, and 90 without. The threshold is 0.7 of the flight, and two segments at least. */
static void losses(void **state)
{
    (void)state;
    for (int fast = 0; fast <= 1; fast++) {
        net_class c = cubic_tcp(10);
        ask(&c, NET_CUBIC_HYSTART_OFF, true, fast != 0);
        net_tx tx;
        net_cubic s;
        memset(&tx, 0, sizeof tx);
        net_cubic_init(&s, &tx, &c);
        tx.cwnd = 100000;
        net_cc_event e = net_cc_event_of(SEC, NET_CC_LOST, 100000);
        assert_in_range(net_cubic_on_loss(&s, &tx, &c, &e), 69999, 70000);
        assert_true(s.now.w_max == 100.0);
        tx.cwnd = 90000;
        e.flight = 2500;
        assert_int_equal(net_cubic_on_loss(&s, &tx, &c, &e), 2000);
        assert_true(fabs(s.now.w_max - (fast ? 76.5 : 90.0)) < 1e-9);
        /* A timeout: K = 0 from the window that slow start ends with; and what was, if it was spurious. */
        const net_cubic before = s;
        e.sign = NET_CC_TIMEOUT;
        net_cubic_on_loss(&s, &tx, &c, &e);
        net_cubic_begin(&s, 2 * SEC, 45.0);
        assert_true(s.now.k_s == 0.0 && s.now.w_max == 45.0);
        net_cubic_on_undo(&s, &tx, &c);
        assert_memory_equal(&s.now, &before.now, sizeof s.now);
    }
}

/* HyStart++ by hand: a sample a call, eight a round. Round trips of 100 ms, then of 112.4 ms: an eighth more is not
 * reached. Then 112.5 ms: conservative slow start; it ends slow start five rounds later, the first of them in part. */
static void hystart_by_hand(void **state)
{
    (void)state;
    net_hystart h;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    net_hystart_init(&h, 1);
    tx.cwnd = 50000;
    tx.ssthresh = UINT32_MAX;
    for (int round = 0; round < 8; round++) {
        const weir_time unit = 65536, hundred = 100 * MS / unit * unit;
        const weir_time rtt = round == 0   ? hundred
                              : round == 1 ? hundred + hundred / 8 - 2 * unit
                              : round == 2 ? 2 * hundred
                                           : 2 * hundred + round;
        tx.nxt += 50000;
        for (int i = 0; i < 8; i++) {
            tx.una += i == 0 ? 1 : 0; /* the first ACK of a round is beyond the last one's end */
            net_hystart_sample(&h, &tx, rtt);
        }
        if (round < 2)
            assert_int_equal(h.phase, NET_HYSTART_SLOW);
        else
            assert_int_equal(h.phase, round < 7 ? NET_HYSTART_CSS : NET_HYSTART_OFF);
        assert_int_equal(tx.ssthresh, round < 7 ? UINT32_MAX : 50000);
        tx.una = tx.nxt;
    }
    /* The round trip falls below what it was when CSS began: slow start goes on. */
    net_hystart_init(&h, 1);
    tx.ssthresh = UINT32_MAX;
    for (int round = 0; round < 4; round++) {
        tx.nxt += 50000;
        for (int i = 0; i < 8; i++) {
            tx.una += i == 0 ? 1 : 0;
            net_hystart_sample(&h, &tx, (round == 1 || round == 2 ? 130 : 100) * MS);
        }
        assert_int_equal(h.phase, round == 1 || round == 2 ? NET_HYSTART_CSS : NET_HYSTART_SLOW);
        tx.una = tx.nxt;
    }
}

/* Linux's detectors by hand, at a window of 20 segments and a round trip of 100 ms. ACKs in a train, 1 ms apart, are found when they have
 * come for more than 50 ms, for more than 100 ms where the flow is paced; not 3 ms apart. A round trip of 112.4 ms is no sign, one of 113
 * ms is, at the ninth sample of a round. Below 16 segments nothing is. */
static void hystart_linux_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags, segments;
        weir_time gap, later; /* between ACKs; above the least round trip */
        int samples;          /* until it is found; 0: never */
    } cases[] = {{0, 20, MS, 0, 52},          {NET_CLASS_PACED, 20, MS, 0, 102}, {0, 20, 3 * MS, 0, 0},
                 {0, 20, 3 * MS, 13 * MS, 9}, {0, 20, 3 * MS, 12400 * US, 0},    {0, 15, MS, 13 * MS, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_hystart_linux h;
        net_class c = plain_tcp();
        net_tx tx;
        int n = 0;
        memset(&tx, 0, sizeof tx);
        c.flags |= cases[i].flags;
        tx.cwnd = cases[i].segments * 1000;
        tx.ssthresh = UINT32_MAX;
        tx.nxt = 1000000;
        net_hystart_linux_init(&h);
        h.least = (uint32_t)((100 * MS) >> 16);
        while (n < 300 && tx.ssthresh == UINT32_MAX) {
            net_cc_event e = net_cc_event_of(SEC + n++ * cases[i].gap, NET_CC_ACKED, 0);
            e.rtt_ps = 100 * MS + cases[i].later;
            net_hystart_linux_sample(&h, &tx, &c, &e);
        }
        assert_int_equal(tx.ssthresh == UINT32_MAX ? 0 : n, cases[i].samples);
    }
}

/* A path of 20 Mb/s and 100 ms without a bound on its queue: BDP 241 packets. Windows of 10, 20 ... 160 segments fit;
 * that of 320 queues for 33 ms, more than an eighth of the round trip. It is found before the window has doubled again,
 * and five rounds of conservative slow start are worth 1.25^5: slow start ends, without a loss, within 320 and 1953.
 * Alone it goes on to the receiver's window of 4000. */
static void hystart_on_a_path(void **state)
{
    (void)state;
    for (int with = NET_CUBIC_HYSTART_OFF; with <= NET_CUBIC_HYSTART_LINUX; with++) {
        net_class c = cubic_tcp(10);
        ask(&c, with, true, true);
        wire *w = wire_new(c, 1, 20000000, 50 * MS);
        wire_run(w, MS);
        for (weir_time t = MS; t < 3 * SEC && w->tx[0].ssthresh == UINT32_MAX; t += MS)
            wire_run(w, t);
        if (with == NET_CUBIC_HYSTART_LINUX) /* at once; the queue is found within a round trip */
            assert_in_range(w->tx[0].ssthresh, 241000, 640000);
        else if (with)
            assert_in_range(w->tx[0].ssthresh, 320000,
                            640000 * 5 * 5 * 5 * 5 / (4 * 4 * 4 * 4) * 5 / 4 + 20000);
        else
            assert_int_equal(w->tx[0].ssthresh, UINT32_MAX);
        wire_free(w);
    }
}

/* Paced, the segments of a window of 40 leave evenly, at twice its rate as slow start never ends here, and the goodput
 * stays that of the window. */
static weir_time last_sent, closest;

static bool watch_gaps(wire *w, net_packet *p)
{
    if (p->flags & NET_ACK)
        return false;
    if (w->now > SEC && last_sent > 0 && w->now - last_sent < closest)
        closest = w->now - last_sent;
    last_sent = w->now;
    return false;
}

static void paces(void **state)
{
    (void)state;
    static const uint16_t controls[] = {NET_CC_NEWRENO, NET_CC_CUBIC};
    for (int i = 0; i < 2; i++) {
        net_class c = cubic_tcp(10);
        c.congestion = controls[i];
        c.flags |= NET_CLASS_PACED;
        c.window_bytes = 40000;
        wire *w = wire_new(c, 1, 1000000000, 20 * MS);
        w->lose = watch_gaps;
        last_sent = 0;
        closest = SEC;
        wire_run(w, 3 * SEC);
        assert_true(w->tx[0].acked_bytes >
                    2800000); /* 40,000 bytes every 40 ms for 3 s, less the slow start */
        assert_true(closest > 40 * MS / 80 * 98 / 100 && closest < 40 * MS / 80 * 105 / 100);
        wire_free(w);
    }
}

/* An ACK of one segment, `at` after the flow began. */
static void acked(net_cubic *s, net_tx *tx, const net_class *c, weir_time at, int grows, int echo)
{
    net_cc_event e = net_cc_event_of(at, NET_CC_ACKED, 0);
    e.acked = e.delivered = 1000;
    e.grows = grows;
    e.echo = echo;
    net_cubic_on_ack(s, tx, c, &e);
}

/* RFC 9438, section 5.8: from 3 s to 8 s the window is not used, and those 5 s are no part of t. ACKs go on at 8.04 s as others do at
 * 3.04 s that had no such time, with the same window to the bit. Of marks and recoveries time is. */
static void unused_time_does_not_count(void **state)
{
    (void)state;
    enum { UNUSED, MARKED, RECOVERS, USED, CASES };
    const net_class c = cubic_tcp(10);
    double window[CASES];
    for (int k = 0; k < CASES; k++) {
        const weir_time later = k == USED ? 0 : 5 * SEC;
        net_tx tx = {.cwnd = 420000, .ssthresh = 420000, .state = NET_TX_OPEN, .srtt_ps = 40 * MS};
        net_cubic s = {
            .now = {.w_max = 600.0, .k_s = 7.663, .w_est = 420.0, .prior = 600.0, .start_ps = SEC}};
        for (weir_time t = SEC; t <= 3 * SEC; t += 40 * MS)
            acked(&s, &tx, &c, t, 1, 0);
        tx.state = k == RECOVERS ? NET_TX_RECOVERY : NET_TX_OPEN;
        for (weir_time t = 3 * SEC + 40 * MS; t <= 3 * SEC + later; t += 40 * MS)
            acked(&s, &tx, &c, t, 0, k == MARKED);
        tx.state = NET_TX_OPEN;
        acked(&s, &tx, &c, 3 * SEC + later + 40 * MS, 1, 0);
        window[k] = (double)tx.cwnd + s.rest;
    }
    assert_true(window[UNUSED] == window[USED]);
    assert_true(window[MARKED] > window[USED] && window[RECOVERS] == window[MARKED]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_cubic),
        cmocka_unit_test(reno_friendly),
        cmocka_unit_test(losses),
        cmocka_unit_test(hystart_by_hand),
        cmocka_unit_test(hystart_linux_by_hand),
        cmocka_unit_test(hystart_on_a_path),
        cmocka_unit_test(paces),
        cmocka_unit_test(unused_time_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

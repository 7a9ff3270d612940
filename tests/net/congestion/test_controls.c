/*
 * DCTCP (RFC 8257), Prague, Vegas, LEDBAT (RFC 6817) and Swift, each against its own rules: hand-solved steps, and a flow
 * on a wire whose queue is known. Segments are 1000 bytes; the wire's queue has no bound.
 */
#include "net/wire.h"

static net_class tcp_of(uint16_t congestion, uint32_t flags)
{
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_RACK | flags;
    c.congestion = congestion;
    c.window_bytes = 4000 * 1000;
    return c;
}

/* ---- DCTCP ---- */

static net_cc_event ack_of(uint32_t bytes, int echo, weir_time now)
{
    net_cc_event e = net_cc_event_of(now, NET_CC_ACKED, 0);
    e.acked = e.delivered = bytes;
    e.echo = echo != 0;
    e.marked = echo ? e.acked : 0;
    e.grows = !echo;
    return e;
}

/* Windows of ten segments of which m are marked: alpha <- 15/16 alpha + 1/16 m / 10, from 1. A mark then leaves
 * cwnd (1 - alpha / 2). */
static void dctcp_alpha(void **state)
{
    (void)state;
    static const int marked[] = {10, 0, 3, 7, 1, 0, 0, 10, 5, 2};
    net_class c = tcp_of(NET_CC_DCTCP, NET_CLASS_ECN);
    net_dctcp s;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    tx.cwnd = tx.ssthresh = 10000;
    tx.nxt = 10000;
    net_dctcp_init(&s, &tx, &c);
    assert_true(s.alpha == 1.0);
    double alpha = 1.0;
    for (int w = 0; w < 10; w++) {
        for (int i = 0; i < 10; i++) {
            tx.una += 1000;
            const net_cc_event e = ack_of(1000, i < marked[w], SEC);
            if (w == 0 && i == 0)
                tx.una -= 1; /* the first window ends with what was outstanding at the first ACK */
            net_dctcp_watch(&s, &tx, &e);
            if (w == 0 && i == 0)
                tx.una += 1;
            tx.nxt += 1000;
        }
        /* The window is over with the first ACK beyond its end; that one still counts. */
        tx.una += 1;
        const net_cc_event e = ack_of(0, 0, SEC);
        net_dctcp_watch(&s, &tx, &e);
        tx.una -= 1;
        tx.nxt = tx.una + 10000;
        s.window_end = tx.nxt;
        alpha = alpha * 15.0 / 16.0 + marked[w] / 10.0 / 16.0;
        if (!(fabs(s.alpha - alpha) < 1e-12))
            fail_msg("after window %d alpha is %.12g, want %.12g", w, s.alpha, alpha);
    }
    tx.cwnd = 100000;
    net_cc_event e = net_cc_event_of(SEC, NET_CC_MARKED, 100000);
    assert_in_range(net_dctcp_on_loss(&s, &tx, &c, &e), (uint32_t)(100000 * (1 - alpha / 2)) - 1,
                    (uint32_t)(100000 * (1 - alpha / 2)));
    e.sign = NET_CC_LOST;
    assert_int_equal(net_dctcp_on_loss(&s, &tx, &c, &e), 50000);
}

/* The receiver's state machine: with an ACK for two segments, those of one window marked as 0 0 1 1 1 0 0 1: ACKs are due
 * for (0 0), then the first 1 at once, (1 1), the 0 at once, ... and what waits when the state changes goes first. Of
 * 100 marked segments the sender is told exactly. */
static uint32_t echoed, acked_before, mark_period;

static bool mark_and_count(wire *w, net_packet *p)
{
    if (p->flags & NET_ACK) {
        if (p->flags & NET_CE)
            echoed += p->seq - acked_before;
        acked_before = p->seq;
        return false;
    }
    const uint32_t number = (p->seq - w->tx[0].first) / 1000;
    if (number % mark_period >= mark_period / 2 && (p->flags & NET_ECT))
        p->flags |= NET_CE;
    return false;
}

static void dctcp_echo_is_exact(void **state)
{
    (void)state;
    for (mark_period = 2; mark_period < 12; mark_period++) {
        net_class c = tcp_of(NET_CC_DCTCP, NET_CLASS_ECN | NET_CLASS_SIZED);
        c.size = weir_dist_constant(mark_period * 60 * 1000.0);
        c.delayed_ack = 2;
        wire *w = wire_new(c, 1, 100000000, MS);
        w->lose = mark_and_count;
        echoed = acked_before = 0;
        wire_run(w, 20 * SEC);
        assert_int_equal(w->n_completed, 1);
        const uint32_t marked = 60 * (mark_period - mark_period / 2) * 1000;
        assert_int_equal(echoed, marked);
        wire_free(w);
    }
}

/* Every segment that finds more than K bytes queued is marked: the step of a DCTCP switch, before the wire. The queue
 * is what the wire has not sent yet. */
static uint64_t backlog_sum, backlog_n, backlog_max, step_bytes, rate_bps, acked_then;
static weir_time watched_from;

static bool step_mark(wire *w, net_packet *p)
{
    if (p->flags & NET_ACK)
        return false;
    const weir_time busy = w->host[0].nic.busy_until_ps - w->now;
    const uint64_t backlog = (uint64_t)((double)busy * 1e-12 * (double)rate_bps / 8.0);
    if (step_bytes && backlog > step_bytes && (p->flags & NET_ECT))
        p->flags |= NET_CE;
    if (w->now > watched_from) {
        backlog_sum += backlog;
        backlog_n++;
        backlog_max = backlog > backlog_max ? backlog : backlog_max;
    }
    return false;
}

/* Until twice `from`, watched from then on: acked_then is what was acknowledged before. */
static wire *on_a_step(net_class c, uint64_t rate, weir_time delay, weir_time from)
{
    rate_bps = rate;
    watched_from = from;
    wire *w = wire_new(c, 1, rate, delay);
    w->lose = step_mark;
    backlog_sum = backlog_n = backlog_max = 0;
    wire_run(w, from);
    acked_then = w->tx[0].acked_bytes;
    wire_run(w, 2 * from);
    assert_true(backlog_n > 1000);
    return w;
}

/* The wire is as busy as this. */
static void expect_busy(const wire *w, double share)
{
    const double got = (double)(w->tx[0].acked_bytes - acked_then) * 8.0 * 1.04;
    const double want = (double)rate_bps * weir_seconds(watched_from);
    if (!(got > share * want && got <= 1.01 * want))
        fail_msg("%g of the wire is used, want %g", got / want, share);
}

/*
 * DCTCP's saw-tooth (Alizadeh and others, SIGCOMM 2010, section 3.3): with one flow of window W* = C RTT + K at the step,
 * alpha = sqrt(2 / W*), and the queue swings below K by a part of that. Here C RTT = 100 Mb/s 4 ms = 50 kB = 48 packets,
 * K = 30 kB: it never empties, stays within K + a few segments, and the wire is busy.
 */
static void dctcp_on_a_step(void **state)
{
    (void)state;
    step_bytes = 30000;
    wire *w = on_a_step(tcp_of(NET_CC_DCTCP, NET_CLASS_ECN), 100000000, 2 * MS, 3 * SEC);
    const double mean = (double)backlog_sum / (double)backlog_n;
    if (!(mean > 15000 && mean < 33000 && backlog_max < 40000))
        fail_msg("a queue of %g bytes, at most %llu", mean, (unsigned long long)backlog_max);
    expect_busy(w, 0.99);
    assert_int_equal(w->tx[0].retransmissions, 0);
    const net_dctcp *s = net_cc_at(&w->ctx, &w->tx[0], w->cls, NET_CC_WORDS(net_dctcp));
    const double want = sqrt(2.0 / ((50000.0 + 30000.0) / 1040.0));
    if (!(s->alpha > 0.6 * want && s->alpha < 1.6 * want))
        fail_msg("alpha is %g, want about %g", s->alpha, want);
    wire_free(w);
}

/* ---- Prague ---- */

/* The same step at 3 kB, packets paced: the queue stays near it. Packets carry ECT(1). */
static void prague_on_a_step(void **state)
{
    (void)state;
    step_bytes = 3000;
    wire *w = on_a_step(tcp_of(NET_CC_PRAGUE, NET_CLASS_ECN), 100000000, 5 * MS, 8 * SEC);
    const double mean = (double)backlog_sum / (double)backlog_n;
    if (!(mean < 8000 && backlog_max < 30000))
        fail_msg("a queue of %g bytes, at most %llu", mean, (unsigned long long)backlog_max);
    expect_busy(w, 0.95);
    assert_int_equal(w->tx[0].retransmissions, 0);
    wire_free(w);
}

/* Equilibrium of a mark probability p: per virtual round trip R = 25 ms the window falls by p / 2 of itself and grows by
 * (SRTT / R)^2 I / SRTT segments, where the next reduction comes I = R + 1 / (p rate) later, with the first mark after R.
 * So x = p R rate solves x / 2 = 1 + 1 / x, x = 1 + sqrt(3), and the rate does not depend on the round trip below R. */
static bool mark_one_in_25(wire *w, net_packet *p)
{
    if (!(p->flags & NET_ACK) && (p->flags & NET_ECT) && weir_draw_unit((weir_stream *)w->user) < 0.04)
        p->flags |= NET_CE;
    return false;
}

static void prague_rate(void **state)
{
    (void)state;
    static const weir_time delays[] = {2 * MS, 4 * MS, 8 * MS, 20 * MS};
    for (int i = 0; i < 4; i++) {
        weir_stream random = weir_stream_make(1, 0, 0);
        wire *w = wire_new(tcp_of(NET_CC_PRAGUE, NET_CLASS_ECN), 1, 1000000000, delays[i]);
        w->lose = mark_one_in_25;
        w->user = &random;
        wire_run(w, 10 * SEC);
        const uint64_t before = w->tx[0].acked_bytes;
        wire_run(w, 60 * SEC);
        const double rtt_s = 2 * weir_seconds(delays[i]), r_s = rtt_s > 0.025 ? rtt_s : 0.025;
        const double want = (1.0 + sqrt(3.0)) / (r_s * 0.04),
                     got = (double)(w->tx[0].acked_bytes - before) / 50.0 / 1000.0;
        if (!(got > 0.85 * want && got < 1.2 * want))
            fail_msg("%g ms: %g segments a second, want about %g", 1e3 * rtt_s, got, want);
        wire_free(w);
    }
}

/* ---- by delay ---- */

/* A lone Vegas flow keeps 2 to 4 segments in the queue and the wire busy. */
static void vegas_on_a_wire(void **state)
{
    (void)state;
    step_bytes = 0;
    wire *w = on_a_step(tcp_of(NET_CC_VEGAS, 0), 10000000, 10 * MS, 10 * SEC);
    const double mean = (double)backlog_sum / (double)backlog_n;
    if (!(mean > 500 && mean < 6000))
        fail_msg("a queue of %g bytes", mean);
    expect_busy(w, 0.99);
    wire_free(w);
}

/* Ten segments are out, and round trips of 20 ms grow by 1 ms a segment. Wherever in sequence space a flow begins, slow start ends after
 * the first round without growth, whose least round trip is some 10 ms too long: far more than a segment of 10 to 20 in the queue. */
static void vegas_anywhere_in_sequence_space(void **state)
{
    (void)state;
    static const uint32_t firsts[] = {0, 1000, 0x7fffffff, 0x80000001, 0xc0000000, 0xfffffff0};
    const net_class c = tcp_of(NET_CC_VEGAS, 0);
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        net_tx tx = {.una = firsts[i], .nxt = firsts[i] + 10000, .cwnd = 10000, .ssthresh = UINT32_MAX};
        net_vegas s;
        net_vegas_init(&s, &tx, &c);
        for (int k = 0; k < 60; k++) {
            net_cc_event e = net_cc_event_of((k + 1) * MS, NET_CC_ACKED, 0);
            e.acked = e.delivered = 1000;
            e.grows = 1;
            e.rtt_ps = (20 + k) * MS;
            tx.una += 1000;
            tx.nxt = tx.una + 10000;
            net_vegas_on_ack(&s, &tx, &c, &e);
        }
        if (!(tx.ssthresh < 40000))
            fail_msg("from %u: a window of %u, slow start to %u", firsts[i], tx.cwnd, tx.ssthresh);
    }
}

/* A lone LEDBAT flow queues its target: 100 ms, 25 ms; from both sides of slow start. */
static void ledbat_target(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        net_class c = tcp_of(NET_CC_LEDBAT, 0);
        const net_ledbat_params params = {(i & 1 ? 25 : 100) * MS, (i & 2) != 0};
        memcpy(c.cc, &params, sizeof params);
        wire *w = wire_new(c, 1, 5000000, 10 * MS);
        wire_run(w, 60 * SEC);
        const double busy = weir_seconds(w->host[0].nic.busy_until_ps - w->now),
                     want = weir_seconds(params.target_ps);
        if (!(fabs(busy - want) < 0.05 * want + 0.005)) /* three segments */
            fail_msg("target %g s: %g s are queued", want, busy);
        wire_free(w);
    }
}

/* LEDBAT by hand: GAIN 1, target 100 ms. With 50 ms queued, ten segments acknowledged at cwnd = 10 add half a segment;
 * with 200 ms they take one away. */
static void ledbat_by_hand(void **state)
{
    (void)state;
    net_class c = tcp_of(NET_CC_LEDBAT, 0);
    const net_ledbat_params params = {100 * MS, false};
    memcpy(c.cc, &params, sizeof params);
    net_ledbat s;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    net_ledbat_init(&s, &tx, &c);
    tx.cwnd = tx.nxt = 10000;
    for (int i = 0; i < 4; i++)
        net_ledbat_sample(&s, SEC, 20 * MS + (i == 3 ? 0 : 50 * MS));
    for (int i = 0; i < 4; i++)
        net_ledbat_sample(&s, SEC, 70 * MS);
    net_cc_event e = ack_of(10000, 0, SEC);
    e.rtt_ps = 70 * MS;
    net_ledbat_on_ack(&s, &tx, &c, &e);
    assert_in_range(tx.cwnd, 10499, 10501);
    tx.cwnd = 10000;
    s.rest = 0;
    for (int i = 0; i < 4; i++)
        net_ledbat_sample(&s, SEC, 220 * MS);
    e.rtt_ps = 220 * MS;
    net_ledbat_on_ack(&s, &tx, &c, &e);
    assert_in_range(tx.cwnd, 8998, 9001);
    /* The base is forgotten ten minutes later. */
    net_ledbat_sample(&s, 600 * SEC + SEC, 220 * MS);
    assert_int_equal(net_ledbat_queueing_ps(&s), 0);
}

/* Swift holds the round trip at its target: 200 us of wire, target 400 us. Below a segment it paces: 100
 * flows share 1 Gb/s, half a segment each, and with flow-based scaling they share it (without, some are starved: 1 to 47). */
static void swift_target(void **state)
{
    (void)state;
    net_class c = tcp_of(NET_CC_SWIFT, 0);
    const net_swift_params params = {400 * US, 0, 1, 0};
    memcpy(c.cc, &params, sizeof params);
    wire *w = wire_new(c, 1, 1000000000, 100 * US);
    wire_run(w, SEC);
    const double rtt = (double)w->tx[0].srtt_ps;
    if (!(fabs(rtt - 400e6) < 0.1 * 400e6))
        fail_msg("a round trip of %g us", rtt * 1e-6);
    assert_true((double)w->tx[0].acked_bytes > 0.95 * 125e6 / 1.04);
    wire_free(w);
    const net_swift_params scaled = {400 * US, 400 * US};
    memcpy(c.cc, &scaled, sizeof scaled);
    w = wire_new(c, 100, 1000000000, 100 * US);
    wire_run(w, SEC);
    uint64_t sum = 0, least = UINT64_MAX, most = 0;
    double mean_rtt = 0;
    for (int i = 0; i < 100; i++) {
        const uint64_t got = w->tx[i].acked_bytes;
        sum += got;
        least = got < least ? got : least;
        most = got > most ? got : most;
        mean_rtt += (double)w->tx[i].srtt_ps / 100.0;
    }
    assert_true((double)sum > 0.9 * 125e6 / 1.04);
    if (!(mean_rtt < 900e6 && (double)most < 6.0 * (double)least))
        fail_msg("100 flows: a round trip of %g us, flows of %llu to %llu bytes", mean_rtt * 1e-6,
                 (unsigned long long)least, (unsigned long long)most);
    wire_free(w);
}

/* Algorithm 2: the scaling is nothing at 100 segments, and the range at a tenth of one; a / sqrt(w) + b between. */
static void swift_scaling(void **state)
{
    (void)state;
    const net_swift_params params = {50 * US, 100 * US, 0, 0};
    assert_true(fabs(net_swift_target_ps(&params, 0, 100.0) - 50e6) < 1.0);
    assert_true(fabs(net_swift_target_ps(&params, 0, 0.1) - 150e6) < 1.0);
    assert_true(fabs(net_swift_target_ps(&params, 0, 0.001) - 150e6) < 1.0);
    assert_true(fabs(net_swift_target_ps(&params, 6 * US, 100.0) - 56e6) < 1.0);
    const double a = 100e6 / (sqrt(10.0) - 0.1);
    assert_true(fabs(net_swift_target_ps(&params, 0, 4.0) - (50e6 + a * 0.5 - a * 0.1)) < 10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dctcp_alpha),
        cmocka_unit_test(dctcp_echo_is_exact),
        cmocka_unit_test(dctcp_on_a_step),
        cmocka_unit_test(prague_on_a_step),
        cmocka_unit_test(prague_rate),
        cmocka_unit_test(vegas_on_a_wire),
        cmocka_unit_test(vegas_anywhere_in_sequence_space),
        cmocka_unit_test(ledbat_target),
        cmocka_unit_test(ledbat_by_hand),
        cmocka_unit_test(swift_target),
        cmocka_unit_test(swift_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

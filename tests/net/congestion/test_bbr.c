/*
 * BBR's state machine on a path of fixed rate, 20 Mb/s and 50 ms: BDP 120 segments of 1040 bytes. The queue has no bound
 * but where the test drops.
 */
#include "net/wire.h"

enum { SEGMENTS = 120 };

static net_class bbr_tcp(uint16_t congestion)
{
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_RACK;
    c.congestion = congestion;
    c.window_bytes = 4000 * 1000;
    return c;
}

static double queued_ms(const wire *w)
{
    const weir_time busy = w->host[0].nic.busy_until_ps - w->now;
    return busy > 0 ? (double)busy * 1e-9 : 0.0;
}

/* Startup finds the rate within 25 %, drain empties the queue, then the flight is one BDP: phases of 5/4 and 3/4 move it by
 * a quarter for an eighth of the time each. The wire is busy. */
static void v1_on_a_path(void **state)
{
    (void)state;
    for (int delack = 1; delack <= 2; delack++) {
        net_class c = bbr_tcp(NET_CC_BBR);
        c.delayed_ack = (uint32_t)delack;
        wire *w = wire_new(c, 1, 20000000, 25 * MS);
        wire_run(w, MS);
        const net_bbr *s = net_cc_at(&w->ctx, &w->tx[0], w->cls, NET_CC_WORDS(net_bbr));
        weir_time startup = 0, drain = 0;
        double pipe = 0, queue = 0;
        uint64_t n = 0, acked = 0;
        for (weir_time t = MS; t < 62 * SEC; t += MS) {
            wire_run(w, t);
            if (s->mode == NET_BBR_STARTUP)
                startup = t;
            if (s->mode == NET_BBR_DRAIN)
                drain = t;
            if (t < 2 * SEC)
                continue;
            if (acked == 0)
                acked = w->tx[0].acked_bytes;
            assert_int_equal(s->mode, NET_BBR_PROBE_BW); /* a lone flow sees RTprop again and again */
            pipe += net_tcp_pipe(&w->tx[0], w->cls);
            queue += queued_ms(w);
            n++;
        }
        assert_true(startup > 300 * MS &&
                    startup < 900 * MS); /* 3.6 doublings and three rounds of up to 3 RTTs */
        assert_true(drain > startup && drain < startup + 300 * MS);
        assert_true(fabs(s->bw.value[0] - 2.5e6 / 1.04) < 0.03 * 2.5e6);
        assert_true(fabs((double)s->rtprop_ps * 1e-9 - 50.5) < 1.0 + (delack - 1) * 1.0);
        pipe /= (double)n * 1000.0 * SEGMENTS;
        queue /= (double)n;
        if (!(pipe > 0.95 && pipe < 1.12 && queue < 6.0))
            fail_msg("%g BDP are in flight, %g ms are queued", pipe, queue);
        const double used = (double)(w->tx[0].acked_bytes - acked) * 8 * 1.04 / 60.0 / 20e6;
        if (!(used > 0.95))
            fail_msg("%g of the wire is used", used);
        assert_int_equal(w->tx[0].retransmissions, 0);
        wire_free(w);
    }
}

/* Several flows keep a queue between them, and see RTprop no more: each goes to four segments for 200 ms every ten seconds,
 * all together, and finds it. They share the wire. */
static void v1_probes_rtprop(void **state)
{
    (void)state;
    enum { FLOWS = 3 };
    wire *w = wire_new(bbr_tcp(NET_CC_BBR), FLOWS, 20000000, 25 * MS);
    weir_time entered[FLOWS] = {0}, probing[FLOWS] = {0};
    int was[FLOWS] = {0}, visits[FLOWS] = {0};
    wire_run(w, MS);
    for (weir_time t = MS; t < 62 * SEC; t += MS) {
        wire_run(w, t);
        for (int i = 0; i < FLOWS; i++) {
            const net_bbr *s = net_cc_at(&w->ctx, &w->tx[i], w->cls, NET_CC_WORDS(net_bbr));
            if (s->mode == NET_BBR_PROBE_RTT && was[i] != NET_BBR_PROBE_RTT) {
                if (visits[i]++ > 0 && !(t - entered[i] > 9900 * MS && t - entered[i] < 11000 * MS))
                    fail_msg("flow %d probes RTprop after %g s", i, weir_seconds(t - entered[i]));
                entered[i] = t;
            }
            if (s->mode == NET_BBR_PROBE_RTT)
                probing[i] += MS;
            else if (was[i] == NET_BBR_PROBE_RTT && !(fabs((double)s->rtprop_ps * 1e-9 - 50.5) < 3.0))
                fail_msg("flow %d: RTprop is %g ms", i, (double)s->rtprop_ps * 1e-9);
            was[i] = s->mode;
        }
    }
    uint64_t sum = 0;
    for (int i = 0; i < FLOWS; i++) {
        assert_in_range(visits[i], 4, 6);
        assert_true(probing[i] >= visits[i] * 200 * MS && probing[i] < visits[i] * 400 * MS);
        sum += w->tx[i].acked_bytes;
        assert_in_range(w->tx[i].acked_bytes * 8 / 62, 3000000, 12000000);
    }
    assert_true((double)sum * 8 * 1.04 / 62.0 > 0.94 * 20e6);
    wire_free(w);
}

/* One packet in 50 is lost: no sign of congestion to BBR, whose rate stays that of the wire. */
static bool lose_one_in_50(wire *w, net_packet *p)
{
    return !(p->flags & NET_ACK) && weir_draw_unit((weir_stream *)w->user) < 0.02;
}

static bool lose_one_in_100(wire *w, net_packet *p)
{
    return !(p->flags & NET_ACK) && weir_draw_unit((weir_stream *)w->user) < 0.01;
}

static void v1_under_losses(void **state)
{
    (void)state;
    for (int rack = 0; rack <= 1; rack++) {
        weir_stream random = weir_stream_make(3, 0, 0);
        net_class c = bbr_tcp(NET_CC_BBR);
        if (!rack)
            c.flags &= ~(uint32_t)NET_CLASS_RACK;
        wire *w = wire_new(c, 1, 20000000, 25 * MS);
        w->lose = lose_one_in_50;
        w->user = &random;
        wire_run(w, 30 * SEC);
        const double used = (double)w->tx[0].acked_bytes * 8 * 1.04 / 30.0 / 20e6;
        if (!(used > 0.85))
            fail_msg("recovery %d: %g of the wire is used, %u timeouts", rack, used, w->tx[0].timeouts);
        wire_free(w);
    }
}

/* Times of the packets that come through, in order, and of ACKs so far. */
typedef struct told {
    weir_stream random;
    weir_time sent_ps[20000];
    uint32_t n_data, n_acks, n_sacks;
} told;

/* One in seven is lost. With an ACK each and a wire that keeps order, ACK i is of the i-th packet that came through. */
static bool lose_and_compare(wire *w, net_packet *p)
{
    told *t = (told *)w->user;
    if (!(p->flags & NET_ACK)) {
        if (weir_draw_unit(&t->random) < 1.0 / 7.0)
            return true;
        assert_true(t->n_data < 20000);
        t->sent_ps[t->n_data++] = p->u.data.sent_ps;
        return false;
    }
    assert_true(t->n_acks < t->n_data);
    const weir_time sent_ps = t->sent_ps[t->n_acks++], told_ps = w->now - net_ack_elapsed(p, w->cls, w->now);
    t->n_sacks += net_ack_has_blocks(p, w->cls);
    if (!(llabs((long long)(told_ps - sent_ps)) <= 16)) /* the unit of the time */
        fail_msg("ACK %u tells of %lld ps after its packet was sent", t->n_acks,
                 (long long)(told_ps - sent_ps));
    return false;
}

/* ACKs tell when what caused them was sent, beside the order too: samples of a rate are of that packet's interval. */
static void acks_tell_times(void **state)
{
    (void)state;
    told *t = calloc(1, sizeof *t);
    t->random = weir_stream_make(3, 0, 0);
    wire *w = wire_new(bbr_tcp(NET_CC_BBR), 1, 20000000, 25 * MS);
    w->lose = lose_and_compare;
    w->user = t;
    wire_run(w, 5 * SEC);
    assert_true(t->n_sacks > t->n_acks / 2 && t->n_acks > 5000);
    wire_free(w);
    free(t);
}

/* Version 3 on the same path: startup, drain, then probing of the rate every 2 to 3 s. The flight is about a BDP, min_rtt is seen in
 * DOWN, and nothing is lost. */
static void v3_on_a_path(void **state)
{
    (void)state;
    wire *w = wire_new(bbr_tcp(NET_CC_BBR3), 1, 20000000, 25 * MS);
    wire_run(w, MS);
    const net_bbr3 *s = net_cc_at(&w->ctx, &w->tx[0], w->cls, NET_CC_WORDS(net_bbr3));
    double pipe = 0, queue = 0;
    uint64_t n = 0, acked = 0, ups = 0;
    int was = s->state;
    for (weir_time t = MS; t < 42 * SEC; t += MS) {
        wire_run(w, t);
        if (t >= 2 * SEC) {
            acked = acked ? acked : w->tx[0].acked_bytes;
            pipe += net_tcp_pipe(&w->tx[0], w->cls);
            queue += queued_ms(w);
            ups += s->state == NET_BBR3_UP && was != NET_BBR3_UP;
            n++;
        }
        was = s->state;
    }
    pipe /= (double)n * 1000.0 * SEGMENTS;
    queue /= (double)n;
    const double used = (double)(w->tx[0].acked_bytes - acked) * 8 * 1.04 / 40.0 / 20e6;
    if (!(pipe > 0.9 && pipe < 1.25 && queue < 12.0 && used > 0.94 && ups >= 40 / 4 && ups <= 40 / 2))
        fail_msg("%g BDP in flight, %g ms queued, %g used, %llu probes", pipe, queue, used,
                 (unsigned long long)ups);
    assert_true(fabs(net_bbr3_largest(s) - 2.5e6 / 1.04) < 0.03 * 2.5e6);
    assert_true(s->full && s->inflight_long >= NET_BBR3_NONE);
    assert_int_equal(w->tx[0].retransmissions, 0);
    wire_free(w);
}

/* 1 % of all packets are lost at random, below the threshold of 2 %. Between probes, up to 63 round trips apart, each round
 * trip takes its losses off the rate (section 5.3.3.5.3): 0.99^63 = 0.53 at the end, 0.74 in the mean. */
static void v3_under_losses(void **state)
{
    (void)state;
    weir_stream random = weir_stream_make(3, 0, 0);
    wire *w = wire_new(bbr_tcp(NET_CC_BBR3), 1, 20000000, 25 * MS);
    w->lose = lose_one_in_100;
    w->user = &random;
    wire_run(w, 30 * SEC);
    const double used = (double)w->tx[0].acked_bytes * 8 * 1.04 / 30.0 / 20e6;
    if (!(used > 0.55))
        fail_msg("%g of the wire is used, %u timeouts", used, w->tx[0].timeouts);
    wire_free(w);
}

/* Of ten segments three are lost, two of them go again, one of which arrives; the other is found lost again, as after a timeout, and
 * goes. RACK takes what goes again for no longer lost, the scoreboard for both. Four losses either way, each once. */
static void losses_count_once(void **state)
{
    (void)state;
    static const struct {
        uint32_t lost, again, retransmissions;
    } sack[] = {{3, 0, 0}, {3, 1, 1}, {3, 2, 2}, {2, 1, 2}, {2, 0, 2}, {2, 1, 3}, {2, 2, 4}, {0, 0, 4}},
      rack[] = {{3, 0, 0}, {2, 0, 1}, {1, 0, 2}, {1, 0, 2}, {2, 0, 2}, {1, 0, 3}, {0, 0, 4}, {0, 0, 4}};
    for (int r = 0; r <= 1; r++) {
        net_class c = bbr_tcp(NET_CC_BBR3);
        net_tx tx = {0};
        uint32_t all = 0, sum = 0;
        c.flags &= r ? ~0u : ~(uint32_t)NET_CLASS_RACK;
        for (int i = 0; i < 8; i++) {
            tx.n_lost = (r ? rack : sack)[i].lost;
            if (!r)
                tx.n_again = sack[i].again;
            tx.retransmissions = (r ? rack : sack)[i].retransmissions;
            sum += net_bbr_newly_lost(&tx, &c, &all);
        }
        assert_int_equal(sum, 4);
    }
}

/* The filter of the largest: against the largest of the last ten rounds, of 10,000 random samples. It keeps three, so that it
 * may forget early what lies between, but never the largest itself, nor beyond its time by more than a quarter window. */
static void windowed_maximum(void **state)
{
    (void)state;
    weir_stream random = weir_stream_make(1, 0, 0);
    double sample[10000];
    uint32_t at[10000], round = 0;
    net_max m;
    net_max_reset(&m, 0.0, 0);
    for (int i = 0; i < 10000; i++) {
        round += weir_draw_unit(&random) < 0.3;
        sample[i] = weir_draw_unit(&random) * (1.0 + 0.5 * sin(i / 500.0));
        at[i] = round;
        net_max_update(&m, sample[i], round, 10);
        double largest = 0.0;
        for (int k = i; k >= 0 && round - at[k] <= 10; k--)
            largest = sample[k] > largest ? sample[k] : largest;
        assert_true(m.value[0] <= largest);
        assert_true(round - m.at[0] <= 10);
        assert_true(m.value[0] > 0.5 * largest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(v1_on_a_path),     cmocka_unit_test(v1_probes_rtprop),
        cmocka_unit_test(v1_under_losses),  cmocka_unit_test(acks_tell_times),
        cmocka_unit_test(v3_on_a_path),     cmocka_unit_test(v3_under_losses),
        cmocka_unit_test(windowed_maximum), cmocka_unit_test(losses_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * HPCC (Li and others, SIGCOMM 2019) by its own rules. A load in 16 bits: in order, and within 2^-12 of what it stands for. A
 * port's meter: hand-solved steps, and under a constant load that load. The window: each branch by hand, once a round trip; an
 * overload gone after one; and many flows, each told of the most loaded of its lines, against the fixed point
 * U = eta + n W_AI / (B T) with equal windows, on one line and on a parking lot. What ACKs carry, and a run on a wire.
 */
#include "net/wire.h"

enum { MSS = 1000, WHOLE = MSS + NET_HEADER_TCP };

/* 100 Gb/s for 10 us: B T is 125 kB; a step of 125 bytes. */
static net_class class_of(uint64_t line_bps, weir_time base_ps, uint64_t ai_bps, uint32_t max_stage)
{
    net_class c = plain_tcp();
    const net_hpcc_params params = {{line_bps, base_ps}, ai_bps, 1, 0.95, max_stage};
    c.flags |= NET_CLASS_RACK | net_hpcc_traits;
    c.congestion = NET_CC_HPCC;
    c.window_bytes = 16000 * MSS;
    memcpy(c.cc, &params, sizeof params);
    return c;
}

static void loads_in_16_bits(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (double load = 1e-9; load < 1e9; load *= 1.0003) {
        const uint32_t code = net_load_code(load);
        assert_true(code >= before && code <= UINT16_MAX);
        before = code;
        const double error = fabs(net_load_of(code) - load);
        if (load < 1.6e7 && !(error <= fmax(load * 0x1p-12, 0x1p-19) * (1.0 + 1e-12)))
            fail_msg("%g is read as %g", load, net_load_of(code));
    }
    assert_int_equal(net_load_code(0.0), 0);
    assert_int_equal(net_load_code(-1.0), 0);
    assert_int_equal(net_load_code((double)NAN), 0);
    assert_int_equal(net_load_code((double)INFINITY), NET_LOAD_MOST);
    for (uint32_t code = 0; code <= UINT16_MAX; code++)
        assert_int_equal(net_load_code(net_load_of(code)), code);
}

static double take(net_meter *m, weir_time period_ps, weir_time begins_ps, weir_time send_ps, double queue_ps)
{
    net_meter_take(m, period_ps, begins_ps, send_ps, queue_ps);
    return m->load;
}

static void a_meter_by_hand(void **state)
{
    (void)state;
    net_meter m = {0};
    /* T is 10 us; a packet takes 1 us, and is the first: nothing before it. */
    near_to(take(&m, 10 * US, SEC, US, 0.0) + 1.0, 1.0, 0.0);
    /* 2 us later, with 3 us of others behind: 0.2 (3 / 10) and the 1 us that was sent, of 10. */
    near_to(take(&m, 10 * US, SEC + 2 * US, 2 * US, 3.0 * US), 0.2 * 0.3 + 0.1, 1e-12);
    /* Back to back: 4 / 5 of that, and 2 us of 10. */
    near_to(take(&m, 10 * US, SEC + 4 * US, US, 0.0), 0.8 * 0.16 + 0.2, 1e-12);
    /* After 50 us of nothing, what was before counts no more: 1 us of 50 was sent. */
    near_to(take(&m, 10 * US, SEC + 54 * US, US, 0.0), 0.02, 1e-12);
}

/* Packets at a constant rate: the mean tends to it, and to it and the queue where some always waits. */
static void a_meter_tells_the_load(void **state)
{
    (void)state;
    for (double load = 0.1; load <= 1.0; load += 0.15)
        for (weir_time send = 100000; send <= 4 * US; send *= 3)
            for (double queue = 0.0; queue <= 20.0 * US; queue += 10.0 * US) {
                net_meter m = {0};
                double got = 0.0, at = 0.0;
                for (int i = 0; i < 2000; i++, at += (double)send / load)
                    got = take(&m, 10 * US, (weir_time)at, send, queue);
                near_to(got, load + queue / (10.0 * US), 1e-4);
            }
}

/* An ACK at `now_us` of what was sent at `sent_us`. */
static void ack(net_hpcc *s, net_tx *tx, const net_class *c, int sent_us, int now_us, double load)
{
    net_cc_event e = net_cc_event_of(SEC + now_us * US, NET_CC_ACKED, 0);
    e.load = net_load_code(load);
    e.sent_ps = SEC + sent_us * US;
    net_hpcc_on_ack(s, tx, c, &e);
}

static void windows_by_hand(void **state)
{
    (void)state;
    const net_class c = class_of(UINT64_C(100000000000), 10 * US, 100000000, 2);
    const double q = 0x1p-12; /* what a code's width may do */
    net_hpcc s;
    net_tx tx = {.first = 7};
    net_hpcc_init(&s, &tx, &c);
    near_to(s.window, 125000.0, 1e-12); /* B T, at once and at the line's rate */
    assert_true(net_hpcc_pace_bps(&s, &tx, &c, 0) == UINT64_C(100000000001));
    near_to((double)tx.cwnd, 125000.0 * MSS / WHOLE + MSS - 1.0, 1e-4);
    /* Twice what the line carries: half of eta, and W_AI; W_c with the first ACK. */
    ack(&s, &tx, &c, 0, 10, 2.0);
    const double first = 125000.0 * 0.95 / 2.0 + 125.0;
    near_to(s.window, first, q);
    near_to(s.reference, first, q);
    assert_true(s.stage == 0 && s.moved_ps == SEC + 10 * US);
    near_to((double)net_hpcc_pace_bps(&s, &tx, &c, 0), s.window * 8.0 / 10e-6, 1e-6);
    /* Within the round trip W follows each ACK, from the same W_c; that of what was sent just before is no exception. */
    ack(&s, &tx, &c, 1, 11, 1.9);
    near_to(s.window, s.reference * 0.95 / 1.9 + 125.0, q);
    ack(&s, &tx, &c, 9, 19, 0.95 * (1.0 + 2.0 * q));
    near_to(s.window, s.reference + 125.0, 3.0 * q);
    near_to(s.reference, first, q);
    /* The next round trip: W_c moves, and below eta by W_AI alone, as often as max_stage says. */
    const double second = s.reference + 125.0, third = second + 125.0;
    ack(&s, &tx, &c, 10, 20, 0.5);
    near_to(s.reference, second, 1e-12);
    assert_int_equal(s.stage, 1);
    ack(&s, &tx, &c, 11, 21, 0.5);
    near_to(s.window, third, 1e-12); /* stage 1 of 2, but W_c stays */
    ack(&s, &tx, &c, 20, 30, 0.5);
    near_to(s.reference, third, 1e-12);
    assert_int_equal(s.stage, 2);
    ack(&s, &tx, &c, 31, 41, 0.76);
    near_to(s.reference, third * 0.95 / 0.76 + 125.0, q);
    assert_int_equal(s.stage, 0);
    /* Never more than B T, and never less than W_AI. */
    for (int at = 50; at < 140; at += 10)
        ack(&s, &tx, &c, at, at + 10, 0.001);
    near_to(s.window, 125000.0, 1e-12);
    ack(&s, &tx, &c, 140, 150, 1e9);
    near_to(s.window, 125.0, 0.01);
    assert_true(tx.cwnd >= MSS); /* one packet can always go, at W / T */
    /* After a timeout a packet, and while what was lost is mended at most half of what was in flight; then B T again. */
    net_cc_event timeout = net_cc_event_of(SEC + 200 * US, NET_CC_TIMEOUT, 60000);
    tx.state = NET_TX_LOSS;
    s.stage = 2;
    tx.ssthresh = net_hpcc_on_loss(&s, &tx, &c, &timeout);
    assert_int_equal(tx.ssthresh, 30000);
    near_to(s.window, WHOLE, 1e-12);
    ack(&s, &tx, &c, 200, 210, 0.1);
    near_to(s.window, WHOLE * 9.5 + 125.0, 10 * q);
    ack(&s, &tx, &c, 210, 220, 0.01);
    near_to(s.window, WHOLE * 9.5 + 250.0, 10 * q);
    ack(&s, &tx, &c, 220, 230, 0.01);
    ack(&s, &tx, &c, 230, 240, 0.01);
    near_to(s.window, 30000.0, 1e-12);
    tx.state = NET_TX_OPEN;
    for (int at = 240; at < 300; at += 10)
        ack(&s, &tx, &c, at, at + 10, 0.01);
    near_to(s.window, 125000.0, 1e-12);
    /* One for nothing leaves the window that it found, within a packet; losses without one leave it too. */
    timeout.sign = NET_CC_LOST;
    assert_int_equal(net_hpcc_on_loss(&s, &tx, &c, &timeout), c.window_bytes);
    const uint32_t found = tx.cwnd;
    timeout.sign = NET_CC_TIMEOUT;
    net_hpcc_on_loss(&s, &tx, &c, &timeout);
    tx.cwnd = found;
    net_hpcc_on_undo(&s, &tx, &c);
    near_to(s.window, 125000.0, 1.0 / MSS);
    /* A loss is not answered; the receiver's window bounds all. */
    const net_cc_event lost = net_cc_event_of(SEC, NET_CC_LOST, 5000);
    assert_int_equal(net_hpcc_on_loss(&s, &tx, &c, &lost), c.window_bytes);
    net_class narrow = c;
    narrow.window_bytes = 5000;
    net_hpcc_init(&s, &tx, &narrow);
    assert_int_equal(tx.cwnd, 5000);
}

/* Flows over lines, round trip by round trip: U of a line is what its flows have in flight over B T. */
enum { FLOWS = 40, LINES = 8 };
typedef struct lot {
    net_hpcc flow[FLOWS];
    net_tx tx[FLOWS];
    int n, lines, at_us;
    bool over[FLOWS][LINES];
} lot;

static double load_of(const lot *l, int line, double most)
{
    double sum = 0.0;
    for (int i = 0; i < l->n; i++)
        sum += l->over[i][line] ? l->flow[i].window : 0.0;
    return sum / most;
}

static void round_trips(lot *l, const net_class *c, int n)
{
    const double most = net_line_most(&NET_CC_PARAMS(hpcc, c)->line);
    for (; n > 0; n--) {
        double load[LINES];
        for (int k = 0; k < l->lines; k++)
            load[k] = load_of(l, k, most);
        for (int i = 0; i < l->n; i++) {
            double largest = 0.0;
            for (int k = 0; k < l->lines; k++)
                largest = l->over[i][k] && load[k] > largest ? load[k] : largest;
            ack(&l->flow[i], &l->tx[i], c, l->at_us, l->at_us + 100, largest);
        }
        l->at_us += 100;
    }
}

static lot *lot_of(const net_class *c, int flows, int lines)
{
    lot *l = calloc(1, sizeof *l);
    assert_non_null(l);
    l->n = flows;
    l->lines = lines;
    for (int i = 0; i < flows; i++) {
        net_hpcc_init(&l->flow[i], &l->tx[i], c);
        l->over[i][0] = lines == 1;
    }
    return l;
}

static void one_line(void **state)
{
    (void)state;
    static const uint64_t lines[] = {UINT64_C(10000000000), UINT64_C(100000000000)};
    static const double steps[] = {0.0004, 0.002, 0.01};
    static const uint32_t stages[] = {0, 5};
    for (size_t b = 0; b < 2; b++)
        for (weir_time base = 5 * US; base <= 80 * US; base *= 4)
            for (int n = 1; n <= FLOWS; n = n < 2 ? 2 : 3 * n)
                for (size_t k = 0; k < 6; k++) {
                    const uint64_t ai = (uint64_t)(steps[k / 2] * (double)lines[b]);
                    const net_class c = class_of(lines[b], base, ai, stages[k % 2]);
                    const double most = net_line_most(&NET_CC_PARAMS(hpcc, &c)->line), share = steps[k / 2];
                    lot *l = lot_of(&c, n, 1);
                    round_trips(l, &c, 1); /* all at once, with B T each: gone after one */
                    near_to(load_of(l, 0, most), n > 1 ? 0.95 + n * share : fmin(0.95 + share, 1.0), 0x1p-11);
                    for (int i = 0; i < n; i++) /* from unequal windows */
                        l->flow[i].reference = most * (1.0 + i) / n;
                    round_trips(l, &c, (int)(12.0 / share / n) + 40);
                    const double want = 0.95 + n * share;
                    near_to(load_of(l, 0, most), want, 0x1p-10);
                    for (int i = 0; i < n; i++)
                        near_to(l->flow[i].window, want * most / n, 0.02);
                    free(l);
                }
}

/* A flow over all lines, one more on each and three on the first: on the first all five have a fifth, elsewhere the rest is the
 * other's. There U (U - eta - 1 step) = (U - eta) W / (B T) for the W that the long flow has. */
static void parking_lots(void **state)
{
    (void)state;
    const net_class c = class_of(UINT64_C(100000000000), 10 * US, 200000000, 5);
    const double most = net_line_most(&NET_CC_PARAMS(hpcc, &c)->line), step = 0.002;
    for (int lines = 2; lines <= LINES; lines++) {
        lot *l = lot_of(&c, lines + 4, lines);
        for (int k = 0; k < lines; k++)
            l->over[0][k] = l->over[1 + k][k] = true;
        for (int i = lines + 1; i < lines + 4; i++)
            l->over[i][0] = true;
        round_trips(l, &c, 8000);
        const double first = 0.95 + 5 * step, w = first / 5.0;
        near_to(load_of(l, 0, most), first, 0x1p-10);
        for (int i = 0; i < lines + 4; i++)
            if (i < 2 || i > lines)
                near_to(l->flow[i].window / most, w, 0.02);
        const double sum = 0.95 + step + w, other = 0.5 * (sum + sqrt(sum * sum - 4.0 * 0.95 * w));
        for (int k = 1; k < lines; k++)
            near_to(load_of(l, k, most), other, 0x1p-10);
        free(l);
    }
}

/* In ACKs of both widths: the load, the time, and all blocks but the last. */
static void acks_carry_it(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (uint32_t load = 0; load <= UINT16_MAX; load += 4369) {
            net_class c = class_of(UINT64_C(10000000000), 10 * US, 10000000, 5);
            const net_ack_block block[3] = {{3, 5}, {8, 9}, {11, 16}};
            net_packet p = {0};
            c.map_words = wide ? NET_ACK_NARROW_WORDS + 1 : 16;
            const weir_time sent = 280 * SEC + 123456789, now = sent + 5 * MS;
            net_ack_pack(&p, &c, (weir_time)((uint64_t)sent | (uint64_t)load << 48), block, 3);
            assert_int_equal(net_ack_tag(&p), load);
            assert_true(llabs(net_ack_elapsed(&p, &c, now) - 5 * MS) <= (wide ? 1 << 17 : 32));
            assert_int_equal(net_ack_block_at(&p, &c, 0).to, 5);
            assert_int_equal(net_ack_block_at(&p, &c, 1).to, wide ? 0 : 9);
            assert_int_equal(net_ack_block_at(&p, &c, 2).to, 0);
        }
}

/* What a receiver echoes: the latest load, and the time as RFC 7323 has it, or the segment's own, where 48 bits of it come round too. */
static void receivers_echo_the_latest(void **state)
{
    (void)state;
    const uint64_t round = UINT64_C(1) << 48;
    for (uint64_t begin = 5 * US; begin < 3 * round; begin += round - 2 * US) {
        net_rx rx = {.last_ack = 1000};
        net_packet p = {.seq = 1000};
        p.u.data.sent_ps = (weir_time)((begin & NET_SENT_MASK) | UINT64_C(300) << 48);
        rx.echo_ps = net_rx_echo_load(&rx, &p, false, (weir_time)begin + US);
        assert_true(rx.echo_ps == p.u.data.sent_ps);
        p.seq = 3000; /* out of order: its load, not its time */
        p.u.data.sent_ps = (weir_time)(((begin + 3 * US) & NET_SENT_MASK) | UINT64_C(200) << 48);
        rx.echo_ps = net_rx_echo_load(&rx, &p, false, (weir_time)begin + 4 * US);
        assert_true(((uint64_t)rx.echo_ps & NET_SENT_MASK) == (begin & NET_SENT_MASK));
        assert_true((uint64_t)rx.echo_ps >> 48 == 200);
        const weir_time own = net_rx_echo_load(&rx, &p, true, (weir_time)begin + 4 * US);
        assert_true(own == p.u.data.sent_ps);
        p.seq = 1000; /* in order and later */
        rx.echo_ps = net_rx_echo_load(&rx, &p, false, (weir_time)begin + 5 * US);
        assert_true(rx.echo_ps == p.u.data.sent_ps);
    }
}

/* One flow alone, over a wire: eta of it and W_AI, at once, with nothing in the queue. T is left to the builder. */
static void a_flow_on_a_wire(void **state)
{
    (void)state;
    net_class c = class_of(0, 0, 0, 5);
    wire *w = wire_new(c, 1, UINT64_C(10000000000), 20 * US);
    const net_hpcc_params *a = NET_CC_PARAMS(hpcc, w->cls);
    assert_true(a->line.line_bps == UINT64_C(10000000000) && a->ai_bps == 4000000);
    assert_true(a->line.base_ps == 40 * US + 8 * (WHOLE + NET_HEADER_TCP) * 100);
    wire_run(w, 10 * MS);
    const double from = (double)w->host[0].nic.bytes;
    wire_run(w, 30 * MS);
    near_to(((double)w->host[0].nic.bytes - from) * 8.0 / 0.02, 10e9 * (0.95 + 1.0 / 2500.0), 0.002);
    near_to(w->tx[0].rtt_max_s, weir_seconds(a->line.base_ps), 0.001);
    assert_int_equal(w->tx[0].retransmissions, 0);
    wire_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_in_16_bits),
        cmocka_unit_test(a_meter_by_hand),
        cmocka_unit_test(a_meter_tells_the_load),
        cmocka_unit_test(windows_by_hand),
        cmocka_unit_test(one_line),
        cmocka_unit_test(parking_lots),
        cmocka_unit_test(acks_carry_it),
        cmocka_unit_test(receivers_echo_the_latest),
        cmocka_unit_test(a_flow_on_a_wire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

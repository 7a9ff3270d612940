/*
 * Whole transfers over a wire that loses exactly the packets that the test names: recovery with and without
 * SACK, timeouts, handshakes, ECN, sequence numbers that wrap, windows and sizes at their extremes.
 */
#include "net/wire.h"

/* Segments (by number) whose first transmission is lost. */
typedef struct losses {
    const uint32_t *segment;
    uint32_t n, mss, first;
    uint32_t done;
} losses;

static bool lose_named(wire *w, net_packet *p)
{
    losses *l = w->user;
    if ((p->flags & NET_ACK) || l->done == l->n)
        return false;
    if (p->seq - l->first != l->segment[l->done] * l->mss)
        return false;
    l->done++;
    return true;
}

/* RTT of a 1040-byte segment and its ACK over the wire of these tests, 100 Mb/s and 10 ms each way. */
static const weir_time rtt = 20 * MS + 83200 * 1000 + 3200 * 1000;

static wire *transfer(net_class c, losses *l, weir_time until)
{
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    w->lose = lose_named;
    w->user = l;
    wire_run(w, until);
    return w;
}

static void expect_complete(const wire *w, uint64_t bytes)
{
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->tx[0].state, NET_TX_DONE);
    assert_true(w->tx[0].acked_bytes == bytes);
    assert_true(w->rx[0].bytes == bytes);
    assert_int_equal(w->tx[0].una, w->tx[0].nxt);
}

/* Five losses in one window: SACK mends them all in one recovery of about one round trip, without the timer,
 * each segment sent once more and no other. */
static void sack_mends_a_window(void **state)
{
    (void)state;
    static const uint32_t lost[] = {40, 42, 45, 46, 47};
    losses l = {lost, 5, 1000, 0, 0};
    wire *w = transfer(sized_tcp(200000), &l, 5 * SEC);
    expect_complete(w, 200000);
    assert_int_equal(w->tx[0].retransmissions, 5);
    assert_int_equal(w->tx[0].recoveries, 1);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->rx[0].duplicates, 0);
    assert_int_equal(w->n_data, 205);
    wire_free(w);
}

/* Every other segment of a window is lost: both ends know each hole, nothing comes twice, and no timer runs
 * out. */
static void mends_thirty_holes(void **state)
{
    (void)state;
    static uint32_t lost[30];
    for (uint32_t i = 0; i < 30; i++)
        lost[i] = 40 + 2 * i;
    losses l = {lost, 30, 1000, 0, 0};
    net_class c = sized_tcp(300000);
    c.window_bytes = 300000; /* new data can always go: no rescue (NextSeg, rule 4) */
    wire *w = transfer(c, &l, 10 * SEC);
    expect_complete(w, 300000);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].recoveries, 2); /* the last of them were sent after the first was found */
    assert_int_equal(w->tx[0].retransmissions, 30);
    assert_int_equal(w->rx[0].duplicates, 0);
    wire_free(w);
}

/* NewReno (RFC 6582) mends one loss a round trip, each told by a partial ACK, in one recovery. */
static void newreno_mends_a_window(void **state)
{
    (void)state;
    static const uint32_t lost[] = {40, 42, 45};
    losses l = {lost, 3, 1000, 0, 0};
    net_class c = sized_tcp(200000);
    c.flags &= ~(uint32_t)NET_CLASS_SACK;
    wire *w = transfer(c, &l, 5 * SEC);
    expect_complete(w, 200000);
    assert_int_equal(w->tx[0].retransmissions, 3);
    assert_int_equal(w->tx[0].recoveries, 1);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->rx[0].duplicates, 0);
    wire_free(w);
}

/*
 * Twenty segments at once, the first lost: 19 duplicate ACKs. The flight is 20 segments, so the window after
 * the recovery is 10, and the two segments of limited transmit do not count.
 */
static void recovery_halves(void **state)
{
    (void)state;
    static const uint32_t lost[] = {0};
    for (int sack = 0; sack <= 1; sack++) {
        losses l = {lost, 1, 1000, 0, 0};
        net_class c = plain_tcp();
        c.initial_window_bytes = 20000;
        c.flags = sack ? NET_CLASS_SACK : 0;
        wire *w = transfer(c, &l, 2 * rtt + 2 * MS);
        assert_int_equal(w->tx[0].recoveries, 1);
        assert_int_equal(w->tx[0].state, NET_TX_OPEN);
        assert_int_equal(w->tx[0].ssthresh, 10000);
        assert_true(w->tx[0].cwnd >= 10000 && w->tx[0].cwnd < 12000);
        assert_int_equal(w->tx[0].retransmissions, 1);
        wire_free(w);
    }
}

/* Duplicate ACKs that bring no news, as duplicate segments cause them, start no recovery where SACK is on. */
static void old_news(void **state)
{
    (void)state;
    wire *w = wire_new(plain_tcp(), 1, 100000000, 10 * MS);
    wire_run(w, 30 * MS);
    for (int i = 0; i < 6; i++) {
        net_packet ack;
        net_packet_init(&ack, 0, 0, w->tx[0].una, NET_HEADER_TCP, NET_ACK);
        wire_deliver(w, 0, &ack, w->now + 1);
    }
    assert_int_equal(w->tx[0].recoveries, 0);
    assert_int_equal(w->tx[0].state, NET_TX_OPEN);
    wire_free(w);
}

/* Everything from segment 40 on is lost for a while, and the times of what is sent are noted. */
typedef struct blackout {
    weir_time from, to;
    weir_time sent[64];
    uint32_t n, most_in_flight, in_flight;
} blackout;

static bool lose_all_between(wire *w, net_packet *p)
{
    blackout *b = w->user;
    if (p->flags & NET_ACK)
        return false;
    if (w->now < b->from || w->now >= b->to)
        return false;
    if (b->n < 64)
        b->sent[b->n++] = w->now;
    return true;
}

/*
 * The timer doubles from one timeout to the next. RTT samples are all equal but for queueing in slow start,
 * so the RTO is the least, 200 ms, after the last ACK; then 400, 800, 1600 ms. The window is one segment
 * after it, and ssthresh is half the flight at the first timeout, not at the later ones.
 */
static void timeouts_double(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        net_class c = sized_tcp(1000000);
        c.flags = (c.flags & ~(uint32_t)NET_CLASS_SACK) | (sack ? NET_CLASS_SACK : 0);
        c.window_bytes = 40000;
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        blackout b = {.from = 200 * MS, .to = 4 * SEC};
        w->lose = lose_all_between;
        w->user = &b;
        wire_run(w, 4 * SEC);
        assert_int_equal(w->tx[0].timeouts, 4);
        assert_int_equal(w->tx[0].state, NET_TX_LOSS);
        assert_int_equal(w->tx[0].cwnd, 1000);
        assert_int_equal(w->tx[0].ssthresh, 20000);
        assert_true(b.n >= 4);
        const weir_time *t = &b.sent[b.n - 4];
        assert_true(t[1] - t[0] == 400 * MS && t[2] - t[1] == 800 * MS && t[3] - t[2] == 1600 * MS);
        /* It goes on, with what was lost and no more; duplicates only where ACKs cannot say what arrived. */
        wire_run(w, 20 * SEC);
        expect_complete(w, 1000000);
        assert_int_equal(w->tx[0].backoff, 0);
        assert_int_equal(w->rx[0].duplicates, 0);
        wire_free(w);
    }
}

/* What is under way, by the wire's own count. */
static bool count_flight(wire *w, net_packet *p)
{
    blackout *b = w->user;
    if (p->flags & NET_ACK)
        return false;
    if (w->now < b->to && w->now >= b->from && p->seq % 3000 == 0)
        return true;
    uint32_t data = 1;
    for (uint32_t i = 0; i < w->n_pending; i++) {
        const net_packet *q = (const net_packet *)(const void *)w->pending[i].payload;
        data += w->pending[i].head.type == NET_EV_HOST_PACKET && !(q->flags & NET_ACK);
    }
    if (w->tx[0].state == NET_TX_LOSS && data * 1000 > w->tx[0].cwnd + 3000)
        b->n++;
    return false;
}

/* After a timeout no more is in flight than cwnd and what a cumulative ACK has just made superfluous, though
 * duplicate ACKs come in for what is sent twice. */
static void loss_state_keeps_to_the_window(void **state)
{
    (void)state;
    net_class c = sized_tcp(500000);
    c.flags &= ~(uint32_t)NET_CLASS_SACK;
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    blackout b = {.from = 100 * MS, .to = 150 * MS};
    w->lose = count_flight;
    w->user = &b;
    wire_run(w, 60 * SEC);
    expect_complete(w, 500000);
    assert_true(w->tx[0].timeouts > 0);
    assert_int_equal(b.n, 0);
    wire_free(w);
}

/* A lost SYN is sent again after 1 s, the next after 2 s more. The echoed time tells which of them was
 * answered, and the initial window is one segment (RFC 5681, section 3.1). */
static bool lose_two_syns(wire *w, net_packet *p)
{
    blackout *b = w->user;
    if (!(p->flags & NET_SYN) || (p->flags & NET_ACK))
        return false;
    b->sent[b->n++] = w->now;
    return b->n <= 2;
}

static void lost_syns(void **state)
{
    (void)state;
    net_class c = sized_tcp(5000);
    c.flags |= NET_CLASS_HANDSHAKE;
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    blackout b = {0};
    w->lose = lose_two_syns;
    w->user = &b;
    wire_run(w, 10 * SEC);
    expect_complete(w, 5000);
    assert_int_equal(b.n, 3);
    assert_true(b.sent[0] == 0 && b.sent[1] == SEC && b.sent[2] == 3 * SEC);
    assert_int_equal(w->tx[0].timeouts, 2);
    assert_true((double)w->tx[0].rtt_max_s < 0.05);
    /* Windows of 1, 2 and 2 segments: three round trips after the handshake's. */
    const double done_s = 3.0 + 4 * weir_seconds(rtt);
    assert_true(fabs(w->finished_s - done_s) < 0.005);
    wire_free(w);
}

/* The last ACK is lost: the timer sends the last segment again, and the flow ends. */
static bool lose_last_ack(wire *w, net_packet *p)
{
    uint32_t *left = w->user;
    if (!(p->flags & NET_ACK) || p->seq != 20000 || *left == 0)
        return false;
    (*left)--;
    return true;
}

static void lost_last_ack(void **state)
{
    (void)state;
    uint32_t left = 2;
    wire *w = wire_new(sized_tcp(20000), 1, 100000000, 10 * MS);
    w->lose = lose_last_ack;
    w->user = &left;
    wire_run(w, 10 * SEC);
    expect_complete(w, 20000);
    assert_int_equal(w->tx[0].timeouts, 2);
    assert_int_equal(w->rx[0].duplicates, 2);
    wire_free(w);
}

/* One mark: the window halves once, the next new segment says CWR, retransmissions are not ECN-capable. */
typedef struct marks {
    uint32_t at, cwr, ect_again, high;
    bool marked;
} marks;

static bool mark_one(wire *w, net_packet *p)
{
    marks *m = w->user;
    (void)w;
    if (p->flags & NET_ACK)
        return false;
    const bool again = net_seq_before(p->seq, m->high);
    m->high = net_seq_max(m->high, p->seq + p->bytes - NET_HEADER_TCP);
    m->cwr += (p->flags & NET_CWR) != 0;
    m->ect_again += again && (p->flags & NET_ECT) != 0;
    if (p->seq == m->at && !m->marked) {
        m->marked = true;
        p->flags |= NET_CE;
    }
    return p->seq == m->at + 5000 && !again; /* and a loss in the same window */
}

static void one_mark(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        net_class c = plain_tcp();
        c.flags = NET_CLASS_ECN | (sack ? NET_CLASS_SACK : 0);
        c.window_bytes = 30000;
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        marks m = {.at = 200000};
        w->lose = mark_one;
        w->user = &m;
        wire_run(w, SEC);
        assert_int_equal(w->tx[0].reductions, 1);
        assert_int_equal(w->tx[0].recoveries, 1);   /* mends the loss, */
        assert_int_equal(w->tx[0].ssthresh, 15000); /* halves no second time */
        assert_int_equal(w->tx[0].timeouts, 0);
        assert_int_equal(w->tx[0].retransmissions, 1);
        assert_int_equal(m.ect_again, 0);
        assert_true(m.cwr >= 1 && m.cwr <= 2);
        assert_false(w->rx[0].flags & NET_RX_ECE);
        wire_free(w);
    }
}

/* A transfer that begins just below the wrap, with losses on both sides of it and on it. */
static void wraps(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        static const uint32_t lost[] = {30, 50, 52, 53, 90};
        net_class c = sized_tcp(200000);
        c.flags = (c.flags & ~(uint32_t)NET_CLASS_SACK) | (sack ? NET_CLASS_SACK : 0);
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        w->tx[0].flags = NET_TX_STARTED;
        w->tx[0].nxt = UINT32_MAX - 50500 - (1u << 20) + 1; /* segment 50 holds the wrap */
        losses l = {lost, 5, 1000, UINT32_MAX - 50500 + 1, 0};
        w->lose = lose_named;
        w->user = &l;
        wire_run(w, 10 * SEC);
        assert_int_equal(w->tx[0].first, l.first);
        assert_int_equal(l.done, 5);
        expect_complete(w, 200000);
        assert_int_equal(w->tx[0].timeouts, 0);
        assert_int_equal(w->tx[0].retransmissions, 5);
        wire_free(w);
    }
}

/*
 * 10 GB at 100 Gb/s in segments of 65,000 bytes: sequence numbers wrap twice. A loss at the beginning, the
 * next after 3 GB and after 9 GB: the sender must not take its old `recover` for one that lies ahead.
 */
static void ten_gigabytes(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        static const uint32_t lost[] = {100, 46154, 92308, 138462};
        net_class c = sized_tcp(UINT64_C(10000000000));
        c.flags = (c.flags & ~(uint32_t)NET_CLASS_SACK) | (sack ? NET_CLASS_SACK : 0);
        c.mss_bytes = 65000;
        c.initial_window_bytes = 650000;
        c.window_bytes = 65000 * 200;
        wire *w = wire_new(c, 1, UINT64_C(100000000000), 100 * US);
        losses l = {lost, 4, 65000, 0, 0};
        w->lose = lose_named;
        w->user = &l;
        wire_run(w, 60 * SEC);
        expect_complete(w, UINT64_C(10000000000));
        assert_int_equal(w->tx[0].retransmissions, 4);
        assert_int_equal(w->tx[0].recoveries, 4);
        assert_int_equal(w->tx[0].timeouts, 0);
        wire_free(w);
    }
}

/* ECN paces its reductions by the same number, gigabytes after the last. */
static bool mark_late(wire *w, net_packet *p)
{
    uint64_t *sent = w->user;
    if (p->flags & NET_ACK)
        return false;
    if (++*sent == 40000)
        p->flags |= NET_CE;
    return false;
}

static void marks_after_gigabytes(void **state)
{
    (void)state;
    uint64_t sent = 0;
    net_class c = sized_tcp(UINT64_C(3000000000));
    c.flags |= NET_CLASS_ECN;
    c.mss_bytes = 65000;
    c.initial_window_bytes = 650000;
    c.window_bytes = 65000 * 200;
    wire *w = wire_new(c, 1, UINT64_C(100000000000), 100 * US);
    w->lose = mark_late;
    w->user = &sent;
    wire_run(w, 60 * SEC);
    expect_complete(w, UINT64_C(3000000000));
    assert_int_equal(w->tx[0].reductions, 1);
    wire_free(w);
}

/* Sizes, segments and windows at their extremes all arrive, with as many packets as they need. */
static void extremes(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        uint32_t mss, initial, window, delayed_ack;
        bool handshake;
        uint32_t packets;
    } cases[] = {{1, 1000, 10000, 100000, 1, false, 1},
                 {1, 1000, 10000, 100000, 2, true, 2},
                 {1, 1, 1, 1, 2, false, 1},
                 {300, 1, 10, 20, 1, false, 300},
                 {999, 1000, 1000, 1000, 2, true, 2},
                 {1001, 1000, 1000, 1000, 2, false, 2},
                 {50000, 1000, 10000, 1000, 1, false, 50},
                 {50000, 1000, 10000, 1999, 2, true, 51},
                 {50000, 1460, 14600, 2000, 2, false, 35},
                 {1000000, 65000, 650000, 65000, 1, true, 17},
                 {100000, 1000, 20000, 3000, 1, true, 101},
                 {100000, 1000, 64000000, 1u << 30, 2, true, 101}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_class c = sized_tcp(cases[i].bytes);
        c.flags |= cases[i].handshake ? NET_CLASS_HANDSHAKE : 0;
        c.mss_bytes = cases[i].mss;
        c.initial_window_bytes = cases[i].initial;
        c.window_bytes = cases[i].window;
        c.delayed_ack = cases[i].delayed_ack;
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        wire_run(w, 100 * SEC);
        expect_complete(w, cases[i].bytes);
        if (w->n_data != cases[i].packets)
            fail_msg("case %zu: %llu packets, want %u", i, (unsigned long long)w->n_data, cases[i].packets);
        assert_int_equal(w->tx[0].timeouts, 0);
        wire_free(w);
    }
}

/* Without a propagation delay, and between hosts of very different rates, time still goes on. */
static void no_delay(void **state)
{
    (void)state;
    const uint64_t rates[] = {1000, 1000000, UINT64_C(100000000000)};
    for (int i = 0; i < 3; i++) {
        wire *w = wire_new(sized_tcp(20000), 1, rates[i], 0);
        wire_run(w, 3000 * SEC);
        expect_complete(w, 20000);
        wire_free(w);
    }
}

/* Random losses both ways, on data and ACKs, SYNs included: all complete, nothing is delivered twice. */
static bool lose_at_random(wire *w, net_packet *p)
{
    weir_stream *random = w->user;
    (void)p;
    return weir_draw_unit(random) < 0.1;
}

static void random_losses(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        weir_stream random = weir_stream_make(seed, 0, 0);
        net_class c = sized_tcp(1 + weir_draw_below(&random, 100000));
        c.flags = NET_CLASS_SIZED | (seed & 1 ? NET_CLASS_SACK : 0) | (seed & 2 ? NET_CLASS_HANDSHAKE : 0) |
                  (seed & 4 ? NET_CLASS_ECN : 0);
        c.delayed_ack = seed & 8 ? 2 : 1;
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        w->tx[0].flags = NET_TX_STARTED;
        w->tx[0].nxt = (uint32_t)weir_draw(&random);
        w->lose = lose_at_random;
        w->user = &random;
        wire_run(w, 10000 * SEC);
        if (w->n_completed != 1)
            fail_msg("seed %u: not complete, state %u", seed, w->tx[0].state);
        expect_complete(w, w->tx[0].size);
        wire_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sack_mends_a_window),
                                       cmocka_unit_test(mends_thirty_holes),
                                       cmocka_unit_test(newreno_mends_a_window),
                                       cmocka_unit_test(recovery_halves),
                                       cmocka_unit_test(old_news),
                                       cmocka_unit_test(timeouts_double),
                                       cmocka_unit_test(loss_state_keeps_to_the_window),
                                       cmocka_unit_test(lost_syns),
                                       cmocka_unit_test(lost_last_ack),
                                       cmocka_unit_test(one_mark),
                                       cmocka_unit_test(wraps),
                                       cmocka_unit_test(ten_gigabytes),
                                       cmocka_unit_test(marks_after_gigabytes),
                                       cmocka_unit_test(extremes),
                                       cmocka_unit_test(no_delay),
                                       cmocka_unit_test(random_losses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

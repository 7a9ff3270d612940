/*
 * One scripted loss, mark or delay for each rule of the RFCs that TCP follows here: 3168, 5681, 6298, 6582,
 * 5682, 6675, 6928, 7323, 8985, 9937. The wire is 100 Mb/s and 10 ms each way, segments are 1000 bytes, an ACK each.
 */
#include "net/wire.h"

static const weir_time rtt = 20 * MS + 83200 * 1000 + 3200 * 1000;

/* Which transmissions are lost: of segment `number` its first `times`. */
typedef struct script {
    struct {
        uint32_t number, times;
    } lose[64];
    uint32_t n, first;
    weir_time sent[2000][4]; /* of each segment its first four transmissions */
    uint32_t times[2000];
    uint32_t acks_lost_from, acks_lost_to, n_acks; /* by number */
    uint32_t mark_from, mark_to;                   /* segments that are marked */
} script;

static bool play(wire *w, net_packet *p)
{
    script *s = w->user;
    if (p->flags & NET_ACK) {
        const uint32_t n = s->n_acks++;
        return n >= s->acks_lost_from && n < s->acks_lost_to;
    }
    if (p->flags & NET_SYN)
        return false;
    const uint32_t number = (p->seq - w->tx[0].first) / 1000;
    if (number >= 2000)
        return false;
    const uint32_t times = s->times[number]++;
    if (times < 4)
        s->sent[number][times] = w->now;
    if (number >= s->mark_from && number < s->mark_to)
        p->flags |= NET_CE;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->lose[i].number == number && times < s->lose[i].times)
            return true;
    return false;
}

static script s;

static void lose(uint32_t number, uint32_t times)
{
    s.lose[s.n].number = number;
    s.lose[s.n++].times = times;
}

static wire *start(net_class c)
{
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    w->lose = play;
    w->user = &s;
    return w;
}

static net_class initial(net_class c, uint32_t segments)
{
    c.initial_window_bytes = segments * 1000;
    return c;
}

static net_class newreno(net_class c)
{
    c.flags &= ~(uint32_t)NET_CLASS_SACK;
    return c;
}

static void clear(void)
{
    memset(&s, 0, sizeof s);
}

static void expect_complete(const wire *w)
{
    assert_int_equal(w->n_completed, 1);
    assert_true(w->rx[0].bytes == w->tx[0].size);
}

/* RFC 6675, NextSeg rule 3: of 20 segments 13 and 18 are lost. Three SACKs say that 13 is; 18 has one SACKed
 * segment above it, and there is no new data: it goes all the same, at once. Rule 2 alone would wait for the
 * timer. */
static void rule_3(void **state)
{
    (void)state;
    clear();
    lose(13, 1);
    lose(18, 1);
    wire *w = start(initial(sized_tcp(20000), 20));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_int_equal(w->rx[0].duplicates, 0);
    assert_true(s.sent[18][1] - s.sent[13][1] < MS);
    assert_true(w->finished_s < weir_seconds(2 * rtt + 5 * MS));
    wire_free(w);
}

/* Rule 4: besides segment 2 the last is lost, which no SACK can show. The partial ACK that segment 2's
 * retransmission brings lets the rescue go. */
static void rule_4(void **state)
{
    (void)state;
    clear();
    lose(2, 1);
    lose(9, 1);
    wire *w = start(initial(sized_tcp(10000), 20));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_int_equal(w->rx[0].duplicates, 0);
    assert_true(w->finished_s < weir_seconds(3 * rtt + 5 * MS));
    wire_free(w);
    /* Once in a recovery: where the rescue is lost too, the timer has to do. */
    clear();
    lose(2, 1);
    lose(9, 2);
    w = start(initial(sized_tcp(10000), 20));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 1);
    wire_free(w);
}

/* RFC 6675, section 5, and 5681, section 4.3: a loss in the window after the last one's halves again, also
 * where one ACK ends the first recovery and shows the second loss. 40 segments are out when 0 is lost; of
 * what is sent in the recovery (from 40 on) 41 is lost, and the ACKs in between are lost, so that the next
 * tells of both. */
static void entered_again(void **state)
{
    (void)state;
    clear();
    lose(0, 1);
    lose(45, 1);
    wire *w = start(initial(plain_tcp(), 40));
    /* Until the first recovery is over. */
    wire_run(w, rtt + 12 * MS);
    assert_int_equal(w->tx[0].state, NET_TX_RECOVERY);
    assert_int_equal(w->tx[0].ssthresh, 20000);
    const uint32_t recover = w->tx[0].recover;
    /* One ACK says: all of the first window, and four segments above 45. */
    wire_run(w, 2 * rtt);
    net_packet ack;
    net_packet_init(&ack, 0, 0, recover, NET_HEADER_TCP, NET_ACK);
    const net_ack_block block = {(46000 - recover) / 1000, (50000 - recover) / 1000};
    if (w->tx[0].state == NET_TX_RECOVERY && net_seq_before(w->tx[0].una, recover)) {
        net_ack_pack(&ack, w->cls, w->now - rtt, &block, 1);
        wire_deliver(w, 0, &ack, w->now + 1);
    } else {
        fail_msg("the first recovery is over already");
    }
    assert_int_equal(w->tx[0].recoveries, 2);
    assert_int_equal(w->tx[0].state, NET_TX_RECOVERY);
    assert_int_equal(w->tx[0].ssthresh, 10000);
    wire_free(w);
}

/* RFC 6582, section 3.2, step 3: three losses of a window without SACK are mended one a round trip, and the
 * window is as large afterwards as half the flight. */
static void partial_acks(void **state)
{
    (void)state;
    clear();
    lose(20, 1);
    lose(22, 1);
    lose(25, 1);
    wire *w = start(newreno(initial(sized_tcp(200000), 30)));
    wire_run(w, 10 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].recoveries, 1);
    assert_int_equal(w->tx[0].retransmissions, 3);
    assert_int_equal(w->tx[0].timeouts, 0);
    for (int i = 0; i < 2; i++) {
        static const uint32_t numbers[] = {20, 22, 25};
        const weir_time gap = s.sent[numbers[i + 1]][1] - s.sent[numbers[i]][1];
        assert_true(gap >= 20 * MS && gap < rtt + 5 * MS);
    }
    wire_free(w);
}

/* RFC 6582, section 4. Twenty losses take twenty round trips to mend. "Impatient": the timer, started by the
 * first partial ACK, runs out on the way, and slow start sends the rest. "Slow but steady": it never does. */
static void impatient_and_steady(void **state)
{
    (void)state;
    double took[2];
    for (int steady = 0; steady <= 1; steady++) {
        clear();
        for (uint32_t i = 0; i < 40; i++)
            lose(20 + 2 * i, 1);
        net_class c = newreno(initial(sized_tcp(400000), 100));
        c.window_bytes = 400000;
        if (steady)
            c.flags |= NET_CLASS_STEADY;
        wire *w = start(c);
        wire_run(w, 20 * SEC);
        expect_complete(w);
        assert_int_equal(w->tx[0].timeouts, steady ? 0 : 1);
        if (!steady) /* a whole timeout after the first partial ACK */
            assert_true(w->tx[0].retransmissions > 40);
        else
            assert_int_equal(w->tx[0].retransmissions, 40);
        took[steady] = w->finished_s;
        wire_free(w);
    }
    assert_true(took[0] < took[1] - 0.2);
}

/* RFC 6582, section 3.2, steps 2 and 4: without SACK a timeout sends all again, also what has arrived. Of 20 segments the first is lost
 * twice, and 3, 6, 9 and 12 once. The timer sends 0, then 3 and 4, 6 to 8, and so on; at last the receiver has all with 12, and answers
 * 13 to 19 by duplicate ACKs of what was the highest before the timeout. These show no loss. */
static void no_false_retransmit_after_a_timeout(void **state)
{
    (void)state;
    clear();
    lose(0, 2);
    for (uint32_t i = 3; i <= 12; i += 3)
        lose(i, 1);
    wire *w = start(newreno(initial(sized_tcp(200000), 20)));
    wire_run(w, 10 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 1);
    assert_int_equal(w->tx[0].recoveries, 1);
    assert_true(w->rx[0].duplicates > 3);
    wire_free(w);
}

/* RFC 5681, sections 3.1 and 4.3: where a retransmission is lost, the timeout in recovery lowers ssthresh
 * again: 40 segments in flight, 20 after the loss, 10 after the timeout. */
static void timeout_in_recovery(void **state)
{
    (void)state;
    for (int sack = 0; sack <= 1; sack++) {
        clear();
        lose(0, 2);
        net_class c = initial(plain_tcp(), 40);
        c.window_bytes = 40000; /* nothing new while the first segment is missing */
        wire *w = start(sack ? c : newreno(c));
        wire_run(w, 100 * MS);
        assert_int_equal(w->tx[0].state, NET_TX_RECOVERY);
        assert_int_equal(w->tx[0].ssthresh, 20000);
        for (weir_time t = 100 * MS; w->tx[0].timeouts == 0 && t < 5 * SEC; t += MS)
            wire_run(w, t);
        assert_int_equal(w->tx[0].timeouts, 1);
        assert_int_equal(w->tx[0].cwnd, 1000);
        assert_int_equal(w->tx[0].ssthresh, 10000);
        wire_free(w);
    }
}

/* The timer starts anew when a recovery does: a retransmission that is lost is sent again one RTO after it
 * was sent, not one RTO after the last ACK before. */
static void timer_starts_with_recovery(void **state)
{
    (void)state;
    clear();
    lose(30, 2);
    net_class c = initial(plain_tcp(), 10);
    c.window_bytes = 40000;
    wire *w = start(c);
    wire_run(w, 5 * SEC);
    assert_int_equal(w->tx[0].timeouts, 1);
    assert_true(s.sent[30][2] - s.sent[30][1] >= 200 * MS);
    assert_true(s.sent[30][2] - s.sent[30][1] < 230 * MS);
    wire_free(w);
}

/* RFC 3168, section 6.1.2: the window does not grow on ACKs that echo a mark. Receivers echo until CWR, so
 * the whole next window's ACKs do: with all packets of a window marked, growth resumes after it. */
static void no_growth_on_echoes(void **state)
{
    (void)state;
    clear();
    s.mark_from = 200;
    s.mark_to = 100000;
    net_class c = plain_tcp();
    c.flags |= NET_CLASS_ECN;
    c.window_bytes = 40000;
    wire *w = start(c);
    for (weir_time t = 0; w->tx[0].reductions == 0 && t < SEC; t += 10 * US)
        wire_run(w, t);
    assert_int_equal(w->tx[0].cwnd, 20000);
    wire_run(w, w->now + rtt / 2); /* half a window of ACKs, all with the echo */
    assert_int_equal(w->tx[0].cwnd, 20000);
    assert_int_equal(w->tx[0].reductions, 1);
    wire_free(w);
}

/* RFC 7323, section 4.2: each ACK of new data is a sample, of data sent again too: the echo says which
 * transmission it answers. */
static void samples(void **state)
{
    (void)state;
    clear();
    lose(30, 1);
    wire *w = start(initial(sized_tcp(100000), 10));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    /* All ACKs but the duplicate ones moved una; none took a retransmission for its original. */
    assert_true(w->tx[0].rtt_n > 50);
    assert_true((double)w->tx[0].rtt_max_s < 0.040);
    assert_true((double)w->tx[0].rtt_min_s >= 0.020);
    wire_free(w);
}

/* The timer outlasts the last round trip that was measured, whatever came before it and however many samples share the gains (RFC 6298
 * has one a round trip, which counts a quarter in RTTVAR and so once in the timer). */
static void outlasts_the_last_sample(void **state)
{
    (void)state;
    const net_class c = {.rto_min_ps = 1, .rto_initial_ps = WEIR_PS_PER_S};
    for (uint32_t segments = 1; segments <= 100000; segments *= 10)
        for (int growth = 1; growth <= 64; growth *= 2) {
            net_tx tx = {.flags = 0};
            for (int i = 0; i < 200; i++) {
                const weir_time sample_ps = 20 * MS + (i < 100 ? 0 : 20 * MS * growth * (i - 99) / 100);
                net_tcp_rtt_sample(&tx, sample_ps, segments);
                assert_true(net_tcp_rto(&tx, &c) >= sample_ps - 8);
            }
        }
}

/* RFC 6298 with RFC 7323: SRTT follows a queue that fills in one round trip. A wire of 1 Mb/s sends a window
 * of 60 segments in half a second, more than twice the least timeout: the timer never runs out. */
static void follows_the_queue(void **state)
{
    (void)state;
    clear();
    net_class c = initial(sized_tcp(600000), 10);
    c.window_bytes = 60000;
    wire *w = wire_new(c, 1, 1000000, 10 * MS);
    w->lose = play;
    w->user = &s;
    wire_run(w, 20 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 0);
    assert_true((double)w->tx[0].rtt_max_s > 0.45);
    wire_free(w);
}

static net_class rack(net_class c)
{
    c.flags |= NET_CLASS_RACK;
    return c;
}

/* RFC 8985, section 6: a window of scattered losses, mended in one recovery, each sent again once. */
static void rack_mends_a_window(void **state)
{
    (void)state;
    clear();
    for (uint32_t i = 0; i < 20; i++)
        lose(30 + 2 * i, 1);
    net_class c = rack(initial(sized_tcp(300000), 100));
    c.window_bytes = 300000;
    wire *w = start(c);
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].recoveries, 1);
    assert_int_equal(w->tx[0].retransmissions, 20);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->rx[0].duplicates, 0);
    wire_free(w);
}

/* A retransmission that is lost shows too: what was sent after it is delivered. RFC 6675 waits for the timer. */
static void rack_finds_lost_retransmissions(void **state)
{
    (void)state;
    for (int with = 0; with <= 1; with++) {
        clear();
        lose(30, 3);
        net_class c = initial(sized_tcp(300000), 50);
        c.window_bytes = 300000;
        wire *w = start(with ? rack(c) : c);
        wire_run(w, 5 * SEC);
        expect_complete(w);
        assert_true(with ? w->tx[0].timeouts == 0 : w->tx[0].timeouts > 0);
        assert_int_equal(w->tx[0].retransmissions >= 3, 1);
        if (with) {
            assert_true(s.sent[30][2] - s.sent[30][1] < rtt + 3 * MS);
            assert_true(s.sent[30][3] - s.sent[30][2] < rtt + 3 * MS);
            assert_int_equal(w->rx[0].duplicates, 0);
        }
        wire_free(w);
    }
}

/* Two SACKed segments are less than three: the loss shows after a quarter of the round trip, not by the
 * timer. */
static void rack_waits_for_reordering(void **state)
{
    (void)state;
    clear();
    lose(7, 1);
    wire *w = start(rack(initial(sized_tcp(10000), 20)));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 1);
    const double again_s = weir_seconds(s.sent[7][1]), heard_s = weir_seconds(rtt + 9 * 83200 * 1000);
    assert_true(again_s > heard_s + 0.2 * weir_seconds(rtt) && again_s < heard_s + 0.35 * weir_seconds(rtt));
    wire_free(w);
}

/* RFC 8985, section 7: the last two segments are lost; a probe of the last one goes two round trips after, and
 * its SACK shows the other loss. The timer would have taken 200 ms. */
static void tail_loss_probe(void **state)
{
    (void)state;
    clear();
    lose(18, 1);
    lose(19, 1);
    wire *w = start(rack(initial(sized_tcp(20000), 20)));
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_true(s.sent[19][1] < s.sent[18][1]);
    const double probe_s = weir_seconds(s.sent[19][1]);
    assert_true(probe_s > 0.06 && probe_s < 0.075); /* the last ACK comes after 22 ms; twice SRTT on */
    assert_int_equal(w->rx[0].duplicates, 0);
    wire_free(w);
}

/* The same where two round trips are more than the timeout, which is one and a little: the probe goes in its place. After 299 ACKs of
 * nearly equal round trips the variance is below a sixteenth of one, and the timeout below 1.25 of them. */
static void tail_loss_probe_in_the_timers_place(void **state)
{
    (void)state;
    clear();
    lose(298, 1);
    lose(299, 1);
    net_class c = rack(sized_tcp(300000));
    c.rto_min_ps = MS;
    c.window_bytes = 20000;
    wire *w = start(c);
    wire_run(w, 5 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_true(s.sent[299][1] < s.sent[298][1]);
    const weir_time after = s.sent[299][1] - s.sent[299][0] - rtt; /* the last ACK comes a round trip after */
    assert_true(after > rtt && after < rtt + rtt / 4);
    wire_free(w);
}

/* RFC 9937: of 40 segments in flight the first is lost. cwnd goes down by one segment for every two delivered,
 * so about half of the 39 that arrive let something go, and the recovery ends with ssthresh. */
static void proportional_rate(void **state)
{
    (void)state;
    clear();
    lose(0, 1);
    net_class c = rack(initial(plain_tcp(), 40));
    c.window_bytes = 400000;
    wire *w = start(c);
    wire_run(w, rtt + 5 * MS); /* all 39 duplicate ACKs are in */
    const net_tx *tx = &w->tx[0];
    assert_int_equal(tx->state, NET_TX_RECOVERY);
    assert_int_equal(tx->ssthresh, 20000);
    assert_in_range(w->n_data, 40 + 19, 40 + 22);
    wire_run(w, 2 * rtt + MS);
    assert_int_equal(tx->state, NET_TX_OPEN);
    assert_in_range(tx->cwnd, 20000, 22000);
    wire_free(w);
}

/* RFC 9937: of 40 segments the first 30 are lost, so that what is in flight is far below ssthresh, 20. While ACKs tell of later
 * segments alone, one goes for each that has arrived: eight for the third ACK to the tenth. With what these bring the window
 * moves and nothing more is lost, so that two go for each, up to ssthresh. */
static void proportional_rate_in_a_heavy_loss(void **state)
{
    (void)state;
    clear();
    for (uint32_t k = 0; k < 30; k++)
        lose(k, 1);
    net_class c = rack(initial(plain_tcp(), 40));
    c.window_bytes = 400000;
    wire *w = start(c);
    wire_run(w, rtt + 5 * MS); /* all ten duplicate ACKs are in */
    const net_tx *tx = &w->tx[0];
    assert_int_equal(tx->state, NET_TX_RECOVERY);
    assert_int_equal(tx->ssthresh, 20000);
    assert_in_range(w->n_data, 40 + 8, 40 + 8 + 2); /* limited transmit: RFC 3042 */
    wire_run(w, 2 * rtt + 5 * MS);
    assert_in_range(w->n_data, 40 + 24, 40 + 30);
    wire_run(w, 4 * rtt);
    assert_int_equal(tx->state, NET_TX_OPEN);
    assert_int_equal(tx->timeouts, 0);
    assert_int_equal(tx->retransmissions, 30);
    wire_free(w);
}

/* RFC 5682: the wire holds everything up for 300 ms from 100 ms on, so the timer runs out though nothing is
 * lost. The first ACK brings two new segments, the second shows that the timeout was spurious: the window is
 * what it was. */
static void spurious_timeout(void **state)
{
    (void)state;
    net_class c = rack(sized_tcp(2000000));
    c.window_bytes = 40000;
    wire *w = wire_new(c, 1, 100000000, 10 * MS);
    wire_run(w, 200 * MS);
    const uint32_t before = w->tx[0].cwnd, ssthresh = w->tx[0].ssthresh;
    for (weir_time t = 200 * MS; t <= 490 * MS; t += MS) {
        wire_run(w, t);
        for (uint32_t i = 0; i < w->n_pending; i++)
            if (w->pending[i].head.type == NET_EV_HOST_PACKET && w->pending[i].head.time_ps < 500 * MS)
                w->pending[i].head.time_ps += 300 * MS;
    }
    assert_int_equal(w->tx[0].timeouts, 1);
    assert_int_equal(w->tx[0].state, NET_TX_LOSS);
    wire_run(w, 530 * MS);
    assert_int_equal(w->tx[0].state, NET_TX_OPEN);
    assert_true(w->tx[0].cwnd >= before);
    assert_int_equal(w->tx[0].ssthresh, ssthresh);
    wire_run(w, 10 * SEC);
    expect_complete(w);
    assert_int_equal(w->tx[0].retransmissions, 2); /* a probe, and the timer's */
    assert_int_equal(w->rx[0].duplicates, 2);
    wire_free(w);
}

/* A real timeout is none that F-RTO takes back: everything in flight is lost. */
static void real_timeout(void **state)
{
    (void)state;
    clear();
    for (uint32_t i = 0; i < 30; i++)
        lose(100 + i, 1);
    net_class c = rack(sized_tcp(300000));
    c.window_bytes = 20000;
    wire *w = start(c);
    wire_run(w, 10 * SEC);
    expect_complete(w);
    assert_int_equal(w->rx[0].duplicates, 0);
    assert_true(w->tx[0].ssthresh < 20000);
    wire_free(w);
}

/* Random losses both ways with RACK: all complete. */
static bool lose_some(wire *w, net_packet *p)
{
    (void)p;
    return weir_draw_unit((weir_stream *)w->user) < 0.1;
}

static void rack_at_random(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 200; seed++) {
        weir_stream random = weir_stream_make(seed, 0, 0);
        net_class c = rack(sized_tcp(1 + weir_draw_below(&random, 100000)));
        c.flags |= (seed & 2 ? NET_CLASS_HANDSHAKE : 0) | (seed & 4 ? NET_CLASS_ECN : 0);
        c.delayed_ack = seed & 8 ? 2 : 1;
        wire *w = wire_new(c, 1, 100000000, 10 * MS);
        w->tx[0].flags = NET_TX_STARTED;
        w->tx[0].nxt = (uint32_t)weir_draw(&random);
        w->lose = lose_some;
        w->user = &random;
        wire_run(w, 10000 * SEC);
        if (w->n_completed != 1)
            fail_msg("seed %u: not complete, state %u", seed, w->tx[0].state);
        expect_complete(w);
        wire_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_3),
        cmocka_unit_test(rule_4),
        cmocka_unit_test(entered_again),
        cmocka_unit_test(partial_acks),
        cmocka_unit_test(impatient_and_steady),
        cmocka_unit_test(no_false_retransmit_after_a_timeout),
        cmocka_unit_test(timeout_in_recovery),
        cmocka_unit_test(timer_starts_with_recovery),
        cmocka_unit_test(no_growth_on_echoes),
        cmocka_unit_test(samples),
        cmocka_unit_test(outlasts_the_last_sample),
        cmocka_unit_test(follows_the_queue),
        cmocka_unit_test(rack_mends_a_window),
        cmocka_unit_test(rack_finds_lost_retransmissions),
        cmocka_unit_test(rack_waits_for_reordering),
        cmocka_unit_test(tail_loss_probe),
        cmocka_unit_test(tail_loss_probe_in_the_timers_place),
        cmocka_unit_test(proportional_rate),
        cmocka_unit_test(proportional_rate_in_a_heavy_loss),
        cmocka_unit_test(spurious_timeout),
        cmocka_unit_test(real_timeout),
        cmocka_unit_test(rack_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

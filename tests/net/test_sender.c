/*
 * The sender's arithmetic on cases made by hand: round-trip times and timeouts, the scoreboard, the window.
 */
#include "wire.h"

/*
 * RFC 6298. First sample 100 ms: SRTT 100, RTTVAR 50, RTO 100 + 4 50 = 300. Second 140 ms: the error is 40,
 * RTTVAR 50 + (40 - 50)/4 = 47.5, SRTT 100 + 40/8 = 105, RTO 105 + 190 = 295. Third 65 ms: error 40,
 * RTTVAR 45.625, SRTT 100, RTO 282.5.
 */
static void timeouts(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    assert_true(net_tcp_rto(&tx, &c) == SEC); /* before any sample */
    net_tcp_rtt_sample(&tx, 100 * MS);
    assert_true(tx.srtt_ps == 100 * MS && tx.rttvar_ps == 50 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 300 * MS);
    net_tcp_rtt_sample(&tx, 140 * MS);
    assert_true(tx.rttvar_ps == 47500 * US && tx.srtt_ps == 105 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 295 * MS);
    net_tcp_rtt_sample(&tx, 65 * MS);
    assert_true(tx.rttvar_ps == 45625 * US && tx.srtt_ps == 100 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 282500 * US);
    assert_int_equal(tx.rtt_n, 3);
    assert_true(tx.rtt_sum_ns == 305000000);
    assert_true(fabs((double)tx.rtt_min_s - 0.065) < 1e-8 && fabs((double)tx.rtt_max_s - 0.14) < 1e-8);
    /* Backing off doubles, up to a minute. */
    const weir_time base = net_tcp_rto(&tx, &c);
    for (tx.backoff = 0; tx.backoff < 10; tx.backoff++)
        assert_true(net_tcp_rto(&tx, &c) == (base << tx.backoff < 60 * SEC ? base << tx.backoff : 60 * SEC));
    /* The next sample ends it. */
    net_tcp_rtt_sample(&tx, 100 * MS);
    assert_int_equal(tx.backoff, 0);
    /* No variation: a clock tick of 1 ms above SRTT, and never below the class's least. */
    for (int i = 0; i < 200; i++)
        net_tcp_rtt_sample(&tx, 100 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 200 * MS);
    c.rto_min_ps = MS;
    assert_true(llabs(net_tcp_rto(&tx, &c) - 101 * MS) < US);
}

/* A sender with bytes [una, una + 20 segments) outstanding, and SACKed segments as given. */
static net_tx board(uint32_t una, const uint32_t (*sacked)[2], uint32_t n)
{
    net_tx tx = {.state = NET_TX_RECOVERY,
                 .una = una,
                 .high_rtx = una,
                 .lost_to = una,
                 .nxt = una + 20000,
                 .cwnd = 20000};
    for (uint32_t i = 0; i < n; i++)
        assert_true(
            net_ranges_add(&tx.sacked, &tx.n_ranges, una + 1000 * sacked[i][0], una + 1000 * sacked[i][1]));
    return tx;
}

static const uint32_t unas[] = {0, 123456, UINT32_MAX - 5000};

/* Segments 3-4, 8 and 12 SACKed of 0 .. 19; 0 .. 7 lost, of which 0 and 1 are retransmitted. */
static void pipe_counts(void **state)
{
    (void)state;
    const net_class c = plain_tcp();
    static const uint32_t sacked[][2] = {{3, 5}, {8, 9}, {12, 13}};
    for (int i = 0; i < 3; i++) {
        net_tx tx = board(unas[i], sacked, 3);
        /* Nothing is lost yet: all but the four SACKed are on their way. */
        assert_int_equal(net_tcp_pipe(&tx, &c), 16000);
        tx.lost_to = tx.una + 8000;
        tx.high_rtx = tx.una + 2000;
        /* 20 - 4 SACKed - lost and not retransmitted (2, 5, 6, 7) = 12. */
        assert_int_equal(net_tcp_pipe(&tx, &c), 12000);
        tx.high_rtx = tx.una + 8000;
        assert_int_equal(net_tcp_pipe(&tx, &c), 16000);
    }
}

/* Without SACK each duplicate ACK tells of one segment; after a timeout it tells nothing. */
static void pipe_without_sack(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    c.flags = 0;
    net_tx tx = board(1000, NULL, 0);
    tx.dupacks = 3;
    tx.lost_to = tx.una + 1000;
    assert_int_equal(net_tcp_pipe(&tx, &c), 16000); /* 20 - 3 - the lost one */
    tx.high_rtx = tx.lost_to;
    assert_int_equal(net_tcp_pipe(&tx, &c), 17000);
    tx.dupacks = 200;
    assert_int_equal(net_tcp_pipe(&tx, &c), 0);
    tx.dupacks = 3;
    tx.state = NET_TX_LOSS;
    tx.lost_to = tx.nxt;
    assert_int_equal(net_tcp_pipe(&tx, &c), 1000); /* the one sent again */
}

/* NextSeg, rule 1, walks the holes below lost_to, whole segments where the hole allows. */
static void next_lost(void **state)
{
    (void)state;
    const net_class c = plain_tcp();
    static const uint32_t sacked[][2] = {{1, 3}, {5, 6}, {10, 11}};
    for (int i = 0; i < 3; i++) {
        net_tx tx = board(unas[i], sacked, 3);
        uint32_t seq = 0;
        assert_int_equal(net_tcp_next_lost(&tx, &c, &seq), 0);
        tx.lost_to = tx.una + 8500; /* within segment 8 */
        static const uint32_t want[][2] = {{0, 1000},    {3000, 1000}, {4000, 1000},
                                           {6000, 1000}, {7000, 1000}, {8000, 500}};
        for (int k = 0; k < 6; k++) {
            assert_int_equal(net_tcp_next_lost(&tx, &c, &seq), want[k][1]);
            assert_int_equal(seq - tx.una, want[k][0]);
            tx.high_rtx = seq + want[k][1];
        }
        assert_int_equal(net_tcp_next_lost(&tx, &c, &seq), 0);
        /* A hole smaller than a segment. */
        tx.high_rtx = tx.una + 4400;
        assert_int_equal(net_tcp_next_lost(&tx, &c, &seq), 600);
        assert_int_equal(seq - tx.una, 4400);
    }
}

/* IsLost of RFC 6675: three ranges, or more than two segments, SACKed above. */
static void lost_boundary(void **state)
{
    (void)state;
    const net_class c = plain_tcp();
    static const uint32_t two[][2] = {{3, 4}, {8, 9}}, pair[][2] = {{5, 7}}, triple[][2] = {{5, 8}};
    static const uint32_t three[][2] = {{3, 4}, {8, 9}, {12, 13}};
    static const uint32_t mixed[][2] = {{3, 4}, {8, 9}, {12, 15}};
    for (int i = 0; i < 3; i++) {
        const uint32_t una = unas[i];
        net_tx tx = board(una, two, 2); /* two ranges of one segment each: not yet */
        assert_int_equal(net_tcp_lost_boundary(&tx, &c), una);
        tx = board(una, pair, 1); /* exactly two segments: not more than two */
        assert_int_equal(net_tcp_lost_boundary(&tx, &c), una);
        tx = board(una, triple, 1);
        assert_int_equal(net_tcp_lost_boundary(&tx, &c), una + 5000);
        tx = board(una, three, 3); /* what is below all three */
        assert_int_equal(net_tcp_lost_boundary(&tx, &c), una + 3000);
        tx = board(una, mixed, 3); /* three segments at the top: all below are lost */
        assert_int_equal(net_tcp_lost_boundary(&tx, &c), una + 12000);
    }
}

/* Blocks are cut to what is outstanding, and only what is new is news. */
static void takes_sacks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        const uint32_t una = unas[i];
        net_tx tx = board(una, NULL, 0);
        net_packet ack;
        net_packet_init(&ack, 0, 0, una, 40, NET_ACK, 64);
        assert_int_equal(net_tcp_take_sacks(&tx, &ack), 0); /* no blocks */
        ack.u.sack[0] = una - 3000;                         /* below una: old news */
        ack.u.sack[1] = una - 1000;
        assert_int_equal(net_tcp_take_sacks(&tx, &ack), 0);
        assert_int_equal(tx.n_ranges, 0);
        ack.u.sack[0] = una - 1000;
        ack.u.sack[1] = una + 2000;
        ack.u.sack[2] = una + 19000;
        ack.u.sack[3] = una + 25000; /* beyond nxt */
        assert_int_equal(net_tcp_take_sacks(&tx, &ack), 1);
        assert_int_equal(tx.n_ranges, 2);
        assert_int_equal(tx.sacked.from[0], una);
        assert_int_equal(tx.sacked.to[1], una + 20000);
        assert_int_equal(net_tcp_take_sacks(&tx, &ack), 0);
    }
}

/*
 * Congestion avoidance: MSS^2 / cwnd an ACK, without losing fractions. From 100,000 bytes, k ACKs of 1000
 * bytes give cwnd with cwnd^2 - 100000^2 = 2 MSS^2 k (but for the discrete steps, worth MSS^2/cwnd a step):
 * after 5000 ACKs sqrt(1e10 + 1e10) = 141,421.
 */
static void additive_increase(void **state)
{
    (void)state;
    net_class c = plain_tcp();
    c.window_bytes = 1u << 30;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    tx.cwnd = tx.ssthresh = 100000;
    for (int i = 0; i < 5000; i++)
        net_cc_on_ack(&tx, &c, 1000);
    if (abs((int)tx.cwnd - 141421) > 3)
        fail_msg("cwnd is %u, want 141421", tx.cwnd);
    /* Where a step is less than a byte, remainders add up: 10,000 ACKs at 2,000,000 bytes give 5000. */
    tx.cwnd = tx.ssthresh = 2000000;
    tx.cc.newreno.remainder = 0;
    for (int i = 0; i < 10000; i++)
        net_cc_on_ack(&tx, &c, 1000);
    assert_true(abs((int)tx.cwnd - 2004994) < 4); /* sqrt(4e12 + 2e10) = 2004993.8 */
    /* Slow start: min(acknowledged, MSS). The window bounds it. */
    tx.cwnd = 5000;
    tx.ssthresh = UINT32_MAX;
    net_cc_on_ack(&tx, &c, 2000);
    assert_int_equal(tx.cwnd, 6000);
    net_cc_on_ack(&tx, &c, 300);
    assert_int_equal(tx.cwnd, 6300);
    c.window_bytes = 7000;
    net_cc_on_ack(&tx, &c, 1000);
    assert_int_equal(tx.cwnd, 7000);
    /* Equation 4 of RFC 5681. */
    assert_int_equal(net_cc_ssthresh(&tx, &c, 21000), 10500);
    assert_int_equal(net_cc_ssthresh(&tx, &c, 3000), 2000);
}

/* Half of the flight, and what limited transmit sent on duplicate ACKs is no part of it. */
static void halves_the_flight(void **state)
{
    (void)state;
    const net_class c = plain_tcp();
    net_tx tx = board(5000, NULL, 0); /* 20 segments out, */
    tx.state = NET_TX_OPEN;
    tx.recover = tx.una - 1;
    tx.cwnd = 18000; /* two of them on duplicate ACKs */
    net_tcp_enter_recovery(&tx, &c, tx.una);
    assert_int_equal(tx.cwnd, 9000);
    assert_int_equal(tx.ssthresh, 9000);
    assert_int_equal(tx.recover, tx.nxt);
    /* Less in flight than cwnd allows: the flight counts. */
    tx = board(5000, NULL, 0);
    tx.state = NET_TX_OPEN;
    tx.recover = tx.una;
    tx.cwnd = 50000;
    net_tcp_enter_recovery(&tx, &c, tx.una);
    assert_int_equal(tx.cwnd, 10000);
    /* ECN has halved for these bytes already. */
    tx = board(5000, NULL, 0);
    tx.state = NET_TX_OPEN;
    tx.recover = tx.una + 1;
    tx.cwnd = tx.ssthresh = 12000;
    net_tcp_enter_recovery(&tx, &c, tx.una);
    assert_int_equal(tx.cwnd, 12000);
    assert_int_equal(tx.recover, tx.nxt);
}

/* A slot's next flow never begins where its last did, nor within reach of its late ACKs. */
static void next_flow_of_a_slot(void **state)
{
    (void)state;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    assert_int_equal(net_tcp_next_first(&tx), 0);
    tx.flags = NET_TX_STARTED;
    const uint32_t lengths[] = {1, 1000, 1u << 20, 1u << 31, 0xfff00000u, 0xffffffffu, 0};
    for (int i = 0; i < 7; i++) {
        tx.first = 7777;
        tx.nxt = tx.first + lengths[i];
        const uint32_t first = net_tcp_next_first(&tx);
        assert_true(first != tx.first);
        assert_true(first - tx.nxt >= 1u << 20 && first - tx.nxt <= 1u << 21);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeouts),           cmocka_unit_test(pipe_counts),
        cmocka_unit_test(pipe_without_sack),  cmocka_unit_test(next_lost),
        cmocka_unit_test(lost_boundary),      cmocka_unit_test(takes_sacks),
        cmocka_unit_test(additive_increase),  cmocka_unit_test(halves_the_flight),
        cmocka_unit_test(next_flow_of_a_slot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * The sender's arithmetic on cases made by hand: round-trip times and timeouts, the scoreboard, the window.
 */
#include "net/wire.h"

#include "splitmix.h"

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
    net_tcp_rtt_sample(&tx, 100 * MS, 1);
    assert_true(tx.srtt_ps == 100 * MS && tx.rttvar_ps == 50 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 300 * MS);
    net_tcp_rtt_sample(&tx, 140 * MS, 2);
    assert_true(tx.rttvar_ps == 47500 * US && tx.srtt_ps == 105 * MS);
    assert_true(net_tcp_rto(&tx, &c) == 295 * MS);
    net_tcp_rtt_sample(&tx, 65 * MS, 1);
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
    net_tcp_rtt_sample(&tx, 100 * MS, 1);
    assert_int_equal(tx.backoff, 0);
    /* No variation: a clock tick of 1 ms above SRTT, and never below the class's least. */
    for (int i = 0; i < 200; i++)
        net_tcp_rtt_sample(&tx, 100 * MS, 1);
    assert_true(net_tcp_rto(&tx, &c) == 200 * MS);
    c.rto_min_ps = MS;
    assert_true(llabs(net_tcp_rto(&tx, &c) - 101 * MS) < US);
}

/*
 * RFC 7323, appendix G: of 20 segments in flight 10 samples are expected, so each moves SRTT by 1/80 of its
 * error and RTTVAR by 1/40. After a round trip of samples that are 10 ms off, SRTT is off by (79/80)^10 of
 * it.
 */
static void many_samples_a_round_trip(void **state)
{
    (void)state;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    net_tcp_rtt_sample(&tx, 100 * MS, 1);
    net_tcp_rtt_sample(&tx, 108 * MS, 20);
    assert_true(tx.srtt_ps == 100100 * US);
    assert_true(tx.rttvar_ps == 50 * MS - 42 * MS / 40);
    net_tcp_rtt_sample(&tx, 108100 * US, 19); /* ceil(19 / 2) = 10 */
    assert_true(tx.srtt_ps == 100200 * US);
    memset(&tx, 0, sizeof tx);
    net_tcp_rtt_sample(&tx, 100 * MS, 1);
    for (int i = 0; i < 10; i++)
        net_tcp_rtt_sample(&tx, 110 * MS, 20);
    assert_true(fabs((double)(110 * MS - tx.srtt_ps) - 10e9 * pow(79.0 / 80.0, 10)) < 1000);
}

/* 2^32 - 1 samples count: their mean stays as it is. */
static void counted_samples(void **state)
{
    (void)state;
    net_tx tx;
    memset(&tx, 0, sizeof tx);
    tx.rtt_n = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++)
        net_tcp_rtt_sample(&tx, MS, 1);
    assert_true(tx.rtt_n == UINT32_MAX && tx.rtt_sum_ns == 1000000);
}

/* A sample of 912 ps is a nanosecond 912 times of a thousand, of one flow and of a thousand flows of one each. */
static void short_samples(void **state)
{
    (void)state;
    net_tx tx;
    uint64_t sum_ns = 0;
    memset(&tx, 0, sizeof tx);
    for (uint32_t i = 0; i < 1000; i++) {
        net_tx one;
        memset(&one, 0, sizeof one);
        one.first = 1461 * i;
        net_tcp_rtt_sample(&one, 912, 1);
        net_tcp_rtt_sample(&tx, 912, 1);
        sum_ns += one.rtt_sum_ns;
    }
    assert_true(llabs((long long)tx.rtt_sum_ns - 912) <= 2 && llabs((long long)sum_ns - 912) <= 10);
}

/* A sender with bytes [una, una + 20 segments) outstanding, and SACKed segments as given. Its row begins near
 * the ring's end. */
static weir_ctx board_ctx;
static uint64_t board_row[1];

static net_class board_class(void)
{
    net_class c = plain_tcp();
    c.map_words = 1;
    return c;
}

static net_tx board(uint32_t una, const uint32_t (*sacked)[2], uint32_t n)
{
    const net_class c = board_class();
    net_tx tx = {.state = NET_TX_RECOVERY,
                 .una = una,
                 .nxt = una + 20000,
                 .recover = una + 20000,
                 .rescue = una + 20000,
                 .n_out = 20,
                 .base = 55,
                 .cwnd = 20000};
    memset(&board_ctx, 0, sizeof board_ctx);
    board_row[0] = 0;
    board_ctx.pool[NET_POOL_WINDOW] = (unsigned char *)board_row;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(net_tcp_sack(&board_ctx, &tx, &c, sacked[i][0], sacked[i][1]),
                         sacked[i][1] - sacked[i][0]);
    return tx;
}

static const uint32_t unas[] = {0, 123456, UINT32_MAX - 5000};

/* Segments 3-4, 8 and 12 SACKed of 0 .. 19; 0 .. 7 lost, of which 0 and 1 are retransmitted. */
static void pipe_counts(void **state)
{
    (void)state;
    const net_class c = board_class();
    static const uint32_t sacked[][2] = {{3, 5}, {8, 9}, {12, 13}};
    net_tx tx = board(0, sacked, 3);
    /* Nothing is lost yet: all but the four SACKed are on their way. */
    assert_int_equal(net_tcp_pipe(&tx, &c), 16000);
    net_tcp_lose_to(&board_ctx, &tx, &c, 8);
    assert_int_equal(net_tcp_pipe(&tx, &c), 10000);
    net_tcp_again(&tx, 0);
    net_tcp_again(&tx, 1);
    /* 20 - 4 SACKed - lost and not retransmitted (2, 5, 6, 7) = 12. */
    assert_int_equal(net_tcp_pipe(&tx, &c), 12000);
    /* The first retransmission arrives, and with it segment 5. */
    net_tcp_sack(&board_ctx, &tx, &c, 5, 6);
    assert_int_equal(net_tcp_forget(&board_ctx, &tx, &c, 1), 1);
    assert_int_equal(net_tcp_pipe(&tx, &c), 11000);
    assert_int_equal(tx.lost_to, 7);
    assert_int_equal(tx.again_to, 1);
    assert_int_equal(tx.sack_top, 12);
    /* 1 .. 8 are acknowledged: of these 1, 2, 6, 7 were not SACKed. */
    assert_int_equal(net_tcp_forget(&board_ctx, &tx, &c, 8), 4);
    assert_int_equal(tx.n_lost + tx.n_again, 0);
    assert_int_equal(tx.n_sacked, 1);
    assert_int_equal(net_tcp_pipe(&tx, &c), 10000);
    /* What is sent again though it is not lost for sure is on its way twice (SetPipe, a and b). */
    net_tcp_again(&tx, 0);
    assert_int_equal(net_tcp_pipe(&tx, &c), 11000);
}

/* The counters against counting, over random SACKs, losses, retransmissions and acknowledgements. */
static void counters_follow(void **state)
{
    (void)state;
    const net_class c = board_class();
    uint64_t seed = 7;
    for (int round = 0; round < 2000; round++) {
        net_tx tx = board(unas[round % 3], NULL, 0);
        tx.base = rnd_below(&seed, 64);
        unsigned char sacked[64] = {0};
        for (int step = 0; step < 30 && tx.n_out > 1; step++) {
            const uint32_t a = rnd_below(&seed, tx.n_out), b = a + rnd_below(&seed, tx.n_out - a + 1);
            const uint32_t what = rnd_below(&seed, 4),
                           next = net_tcp_next_unsacked(&board_ctx, &tx, &c, tx.again_to, tx.n_out);
            if (what == 0 && a < b) {
                net_tcp_sack(&board_ctx, &tx, &c, a, b);
                memset(sacked + a, 1, b - a);
            } else if (what == 1) {
                net_tcp_lose_to(&board_ctx, &tx, &c, b);
            } else if (what == 2 && next < tx.n_out) {
                net_tcp_again(&tx, next);
            } else if (what == 3 && rnd_below(&seed, 4) == 0) {
                net_tcp_forget(&board_ctx, &tx, &c, a);
                memmove(sacked, sacked + a, sizeof sacked - a);
            }
            uint32_t n_sacked = 0, n_lost = 0, n_again = 0, top = 0;
            for (uint32_t k = 0; k < tx.n_out; k++) {
                n_sacked += sacked[k];
                n_lost += !sacked[k] && k < tx.lost_to;
                n_again += !sacked[k] && k < tx.again_to;
                top = sacked[k] ? k + 1 : top;
            }
            assert_int_equal(tx.n_sacked, n_sacked);
            assert_int_equal(tx.n_lost, n_lost);
            assert_int_equal(tx.n_again, n_again);
            assert_int_equal(tx.sack_top, top);
        }
    }
}

/* NextSeg's rules in turn: what is lost, new data, what lies below a SACKed segment, the last segment once.
 */
static void next_seg(void **state)
{
    (void)state;
    const net_class c = board_class();
    static const uint32_t sacked[][2] = {{1, 3}, {5, 6}, {10, 11}};
    for (int i = 0; i < 3; i++) {
        net_tx tx = board(unas[i], sacked, 3);
        tx.left = 1500;
        tx.rescue = tx.una - 1;
        net_tcp_lose_to(&board_ctx, &tx, &c, 6);
        static const struct {
            enum net_tcp_what what;
            uint32_t k;
        } want[] = {{NET_SEND_AGAIN, 0}, {NET_SEND_AGAIN, 3},  {NET_SEND_AGAIN, 4}, {NET_SEND_NEW, 0},
                    {NET_SEND_NEW, 0},   {NET_SEND_AGAIN, 6},  {NET_SEND_AGAIN, 7}, {NET_SEND_AGAIN, 8},
                    {NET_SEND_AGAIN, 9}, {NET_SEND_RESCUE, 21}};
        static const uint32_t length[] = {1000, 1000, 1000, 1000, 500, 1000, 1000, 1000, 1000, 500};
        for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
            const net_tcp_choice next = net_tcp_next(&board_ctx, &tx, &c);
            assert_int_equal(next.what, want[k].what);
            assert_int_equal(next.length, length[k]);
            assert_int_equal(next.k, want[k].k);
            if (next.what == NET_SEND_NEW) {
                tx.nxt += next.length;
                tx.left -= next.length;
                tx.n_out++;
            } else if (next.what == NET_SEND_AGAIN) {
                net_tcp_again(&tx, next.k);
            }
        }
        tx.rescue = tx.recover; /* as the rescue does */
        assert_int_equal(net_tcp_next(&board_ctx, &tx, &c).what, NET_SEND_NOTHING);
        /* Outside recovery nothing but new data goes, and after it nothing. */
        tx = board(unas[i], sacked, 3);
        tx.state = NET_TX_OPEN;
        assert_int_equal(net_tcp_next(&board_ctx, &tx, &c).what, NET_SEND_NOTHING);
    }
}

/* IsLost of RFC 6675: three SACKed segments above, in one run or in several. */
static void lost_boundary(void **state)
{
    (void)state;
    const net_class c = board_class();
    static const uint32_t two[][2] = {{3, 4}, {8, 9}}, pair[][2] = {{5, 7}}, triple[][2] = {{5, 8}};
    static const uint32_t three[][2] = {{3, 4}, {8, 9}, {12, 13}};
    static const uint32_t mixed[][2] = {{3, 4}, {8, 9}, {12, 15}};
    net_tx tx = board(0, two, 2); /* two ranges of one segment each: not yet */
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 0);
    tx = board(0, pair, 1); /* exactly two segments: not more than two */
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 0);
    tx = board(0, triple, 1);
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 5);
    tx = board(0, three, 3); /* what is below all three */
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 3);
    tx = board(0, mixed, 3); /* three segments at the top: all below are lost */
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 12);
    tx.lost_to = 13; /* no further down than what is lost already */
    assert_int_equal(net_tcp_lost_boundary(&board_ctx, &tx, &c), 0);
}

/* Blocks are cut to what is outstanding, and only what is new is news. */
static void takes_sacks(void **state)
{
    (void)state;
    const net_class c = board_class();
    net_tx tx = board(unas[2], NULL, 0);
    net_packet ack;
    net_packet_init(&ack, 0, 0, tx.una, 40, NET_ACK);
    assert_int_equal(net_tcp_accept_sacks(&board_ctx, &tx, &c, &ack), 0); /* no blocks */
    const net_ack_block blocks[] = {{19, 25}, {1, 3}};                    /* one beyond nxt */
    net_ack_pack(&ack, &c, 0, blocks, 2);
    assert_int_equal(net_tcp_accept_sacks(&board_ctx, &tx, &c, &ack), 3);
    assert_int_equal(tx.n_sacked, 3);
    assert_int_equal(tx.sack_top, 20);
    assert_int_equal(net_tcp_accept_sacks(&board_ctx, &tx, &c, &ack), 0);
}

static void acked(net_tx *tx, const net_class *c, uint32_t bytes)
{
    net_cc_event e = net_cc_event_of(0, NET_CC_ACKED, 0);
    e.acked = e.delivered = bytes;
    e.grows = 1;
    net_cc_on_ack(&board_ctx, tx, c, &e);
}

static uint32_t threshold(net_tx *tx, const net_class *c, uint32_t flight)
{
    const net_cc_event e = net_cc_event_of(0, NET_CC_LOST, flight);
    return net_cc_on_loss(&board_ctx, tx, c, &e);
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
        acked(&tx, &c, 1000);
    if (abs((int)tx.cwnd - 141421) > 3)
        fail_msg("cwnd is %u, want 141421", tx.cwnd);
    /* Where a step is less than a byte, remainders add up: 10,000 ACKs at 2,000,000 bytes give 5000. */
    tx.cwnd = tx.ssthresh = 2000000;
    tx.cc.words[0] = 0;
    for (int i = 0; i < 10000; i++)
        acked(&tx, &c, 1000);
    assert_true(abs((int)tx.cwnd - 2004994) < 4); /* sqrt(4e12 + 2e10) = 2004993.8 */
    /* Slow start: min(acknowledged, MSS). After it the receiver's window bounds it. */
    tx.cwnd = 5000;
    tx.ssthresh = UINT32_MAX;
    acked(&tx, &c, 2000);
    assert_int_equal(tx.cwnd, 6000);
    acked(&tx, &c, 300);
    assert_int_equal(tx.cwnd, 6300);
    c.window_bytes = 7000;
    tx.ssthresh = 7000;
    acked(&tx, &c, 1000);
    assert_int_equal(tx.cwnd, 7000);
    /* Equation 4 of RFC 5681. */
    assert_int_equal(threshold(&tx, &c, 21000), 10500);
    assert_int_equal(threshold(&tx, &c, 3000), 2000);
}

/* Half of the flight, and what limited transmit sent on duplicate ACKs is no part of it. */
static void halves_the_flight(void **state)
{
    (void)state;
    const net_class c = board_class();
    net_tx tx = board(5000, NULL, 0); /* 20 segments out, */
    tx.recover = tx.una - 1;
    tx.cwnd = 18000; /* two of them on duplicate ACKs */
    net_tcp_reduce(&board_ctx, &tx, &c, tx.una, NET_CC_LOST);
    assert_int_equal(tx.cwnd, 9000);
    assert_int_equal(tx.ssthresh, 9000);
    assert_int_equal(tx.recover, tx.nxt);
    /* Less in flight than cwnd allows: the flight counts. */
    tx = board(5000, NULL, 0);
    tx.cwnd = 50000;
    net_tcp_reduce(&board_ctx, &tx, &c, tx.una, NET_CC_LOST);
    assert_int_equal(tx.cwnd, 10000);
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
        cmocka_unit_test(timeouts),          cmocka_unit_test(counted_samples),
        cmocka_unit_test(short_samples),     cmocka_unit_test(many_samples_a_round_trip),
        cmocka_unit_test(pipe_counts),       cmocka_unit_test(counters_follow),
        cmocka_unit_test(next_seg),          cmocka_unit_test(lost_boundary),
        cmocka_unit_test(takes_sacks),       cmocka_unit_test(additive_increase),
        cmocka_unit_test(halves_the_flight), cmocka_unit_test(next_flow_of_a_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Ultra Ethernet's controls: each branch of NSCC's law by hand; the share of a receiver's rate where links above hosts are
 * oversubscribed; and how entropy values are chosen.
 */
#include "net/wire.h"

enum { MSS = 960, PACKET = MSS + NET_HEADER_TCP };

/* 100 Gb/s and 12 us, so that a is 1 and B T 150,000 bytes; D 9 us, so that b is 3/4. */
static net_class class_of(void)
{
    net_class c = plain_tcp();
    const net_nscc_params params = {
        .line = {UINT64_C(100000000000), 12 * US}, .ack_bytes = 4000, .paths = 8, .gate = 3};
    c.flags |= NET_CLASS_RACK | net_nscc_traits;
    c.congestion = NET_CC_NSCC;
    c.mss_bytes = MSS;
    c.window_bytes = 16000 * MSS;
    memcpy(c.cc, &params, sizeof params);
    return c;
}

static void tell(net_nscc *s, net_tx *tx, const net_class *c, weir_time at_ps, weir_time rtt_ps,
                 uint32_t packets, bool marked)
{
    net_cc_event e = net_cc_event_of(at_ps, NET_CC_ACKED, 100 * PACKET);
    e.rtt_ps = rtt_ps;
    e.delivered = packets * PACKET;
    e.echo = marked;
    net_nscc_on_ack(s, tx, c, &e);
}

static void branches_by_hand(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_nscc s;
    net_tx tx = {.first = 7};
    net_nscc_init(&s, &tx, &c);
    near_to(s.window, 225000.0, 0.0); /* 1.5 B T */
    assert_int_equal(net_ndp_of(&tx)->credit, 226);
    /* Fair: 5 mss acked / W, put off until more than 8 packets have come; with it 0.15 mss, as a round trip is over. */
    s.window = 100000.0;
    tell(&s, &tx, &c, MS, 22 * US, 9, false);
    const double fair = 100000.0 + 5.0 * MSS * 9 * PACKET / 100000.0;
    near_to(s.window, fair + 0.15 * MSS, 1e-12);
    /* Proportional: at d = 3 us a third of D: 4 a b mss (1 - 1/3) = 2 mss. Nothing grows before 8 packets have come. */
    tell(&s, &tx, &c, MS + US, 15 * US, 8, false);
    near_to(s.window, fair + 0.15 * MSS, 1e-12);
    const double before = s.window;
    tell(&s, &tx, &c, MS + 2 * US, 15 * US, 1, false);
    near_to(s.window, before + 2.0 * MSS * 9 * PACKET / before, 1e-12);
    /* Marked within the target: nothing. Marked above it: by the mean delay, which is below D yet: nothing. */
    const double same = s.window;
    tell(&s, &tx, &c, MS + 3 * US, 15 * US, 1, true);
    tell(&s, &tx, &c, MS + 3 * US, 30 * US, 1, true);
    near_to(s.window, same, 0.0);
    /* A mean of 18 us: 1 - 0.8 (18 - 9) / 18 = 0.6, once a round trip; of far more: a half. */
    s.delay_ps = 18e6;
    tell(&s, &tx, &c, 2 * MS, 30 * US, 1, true);
    near_to(s.window, 0.6 * same + 0.15 * MSS, 1e-12);
    const double fallen = s.window;
    tell(&s, &tx, &c, 2 * MS + 11 * US, 30 * US, 1, true);
    near_to(s.window, fallen, 0.0);
    s.delay_ps = 1e9;
    tell(&s, &tx, &c, 2 * MS + 13 * US, 30 * US, 1, true);
    near_to(s.window, 0.5 * fallen + 0.15 * MSS, 1e-12);
}

/* Without delay for a window: a quarter of what is acknowledged. The base round trip falls, and with it the largest window. */
static void idle_paths_are_filled_fast(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_nscc s;
    net_tx tx = {.first = 7};
    net_nscc_init(&s, &tx, &c);
    s.window = 20000.0;
    tell(&s, &tx, &c, MS, 12 * US, 20, false); /* proportional: 20 kB is not more than a window */
    const double before = s.window;
    near_to(before, 20000.0 + 3.0 * MSS * 20 * PACKET / 20000.0 + 0.15 * MSS, 1e-12);
    tell(&s, &tx, &c, MS + US, 12 * US, 4, false);
    near_to(s.window, before + 1000.0, 1e-12);
    tell(&s, &tx, &c, MS + 2 * US, 8 * US, 1000, false);
    near_to(s.window, 150000.0, 1e-12); /* 1.5 of what 8 us carry */
}

/* A trimmed packet costs itself; after a round trip and D in which less than an eighth has come, all but what has. */
static void trims_and_quick_adapt(void **state)
{
    (void)state;
    const net_class c = class_of();
    net_nscc s;
    net_tx tx = {.first = 7};
    net_cc_event e = net_cc_event_of(MS, NET_CC_LOST, 100 * PACKET);
    e.acked = PACKET;
    net_nscc_init(&s, &tx, &c);
    net_nscc_on_loss(&s, &tx, &c, &e);
    near_to(s.window, 224000.0, 0.0);
    s.arrived = 28000; /* of 225,000 / 8 = 28,125 */
    e.now_ps = MS + 22 * US;
    net_nscc_on_loss(&s, &tx, &c, &e);
    near_to(s.window, 28000.0, 0.0);
    net_nscc_on_loss(&s, &tx, &c, &e); /* as 100 packets were in flight, 99 more say nothing */
    near_to(s.window, 28000.0, 0.0);
    s.ignored = s.ignores;
    net_nscc_on_loss(&s, &tx, &c, &e);
    near_to(s.window, 27000.0, 0.0);
    e.sign = NET_CC_TIMEOUT;
    e.acked = 100 * PACKET;
    net_nscc_on_loss(&s, &tx, &c, &e);
    near_to(s.window, PACKET, 0.0);
}

/* Four times oversubscribed: 22.5 % at least. */
static void oversubscribed_credits(void **state)
{
    (void)state;
    net_pulls p = {.received = 100, .trimmed = 10};
    net_pulls_look(&p, 4.0);
    near_to(p.less, 0.1, 1e-12);
    p.received = 50;
    p.marked = 50; /* the mean is 1/2: by half of 0.2 */
    net_pulls_look(&p, 4.0);
    near_to(p.less, 1.0 - 0.9 * 0.9, 1e-12);
    p.received = p.trimmed = 50;
    net_pulls_look(&p, 4.0);
    near_to(p.less, 0.775, 1e-12);
    for (int i = 0; i < 6; i++) /* 1, 2, 4, 8, 16, 32 % */
        net_pulls_look(&p, 4.0);
    near_to(p.less, 0.775 - 0.63, 1e-9);
    p.received = p.trimmed_last = 50; /* of its own line: no reason to fall */
    net_pulls_look(&p, 4.0);
    near_to(p.less, 0.0, 0.0);
}

enum { PATHS = 8 };

/* Values of a round, as a set; each comes once. */
static uint32_t round_of(net_entropy *e, weir_stream *random, uint32_t n)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < n; i++)
        seen |= 1u << net_entropy_unspared(e, PATHS, random);
    return seen;
}

static void values(void **state)
{
    (void)state;
    weir_stream random = weir_stream_make(1, 2, 3);
    net_entropy e = {.next = 0};
    for (int i = 0; i < 20; i++)
        assert_int_equal(round_of(&e, &random, PATHS), 0xff);
    /* A mark spares a value once, a trimmed packet four times, each in another packet. */
    net_entropy_learn(&e, NET_BALANCE_BITMAP, 3, NET_PATH_MARKED, 0);
    assert_int_equal(round_of(&e, &random, PATHS - 1), 0xff & ~8);
    assert_int_equal(round_of(&e, &random, PATHS), 0xff);
    net_entropy_learn(&e, NET_BALANCE_BITMAP, 3, NET_PATH_TRIMMED, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(round_of(&e, &random, PATHS - 1), 0xff & ~8);
    assert_int_equal(round_of(&e, &random, PATHS), 0xff);
    /* Were all spared, each goes all the same. */
    for (uint32_t i = 0; i < PATHS; i++)
        net_entropy_learn(&e, NET_BALANCE_MIXED, i, NET_PATH_TRIMMED, 0);
    assert_true(net_entropy_unspared(&e, PATHS, &random) < PATHS);
    /* REPS: what came back unmarked goes again, the oldest first, and once; of ten the last eight. */
    net_entropy r = {.next = 0};
    for (uint32_t i = 0; i < 10; i++)
        net_entropy_learn(&r, NET_BALANCE_REPS, i, NET_PATH_GOOD, 0);
    net_entropy_learn(&r, NET_BALANCE_REPS, 99, NET_PATH_MARKED, 0);
    for (uint32_t i = 2; i < 10; i++)
        assert_int_equal(net_entropy_reps(&r, 256, &random), i);
    assert_int_equal(r.fresh, 0);
    /* After a timeout those that are known go in turn, for 10 ms; then it explores. */
    net_entropy_learn(&r, NET_BALANCE_REPS, 0, NET_PATH_TIMEOUT, MS);
    assert_int_equal(net_entropy_reps(&r, 256, &random), 8);
    assert_int_equal(net_entropy_reps(&r, 256, &random), 9);
    assert_int_equal(net_entropy_reps(&r, 256, &random), 2);
    net_entropy_learn(&r, NET_BALANCE_REPS, 5, NET_PATH_GOOD, 12 * MS);
    assert_true(!r.frozen && r.explores == 16 && r.fresh == 1);
    for (int i = 0; i < 16; i++)
        net_entropy_reps(&r, 256, &random);
    assert_int_equal(net_entropy_reps(&r, 256, &random), 5);
}

/* Credits are wanted for what is left, and for no more than the window, the largest one, or half of the numbers that a packet
 * has room for. Those that are there are taken off; who has not asked yet wants one at least. */
static void wanted_credits(void **state)
{
    static const struct {
        uint64_t left, line_bps;
        double window;
        uint32_t credit, unasked, want;
    } cases[] = {{5, 100, 20, 0, 0, 5},       {1000, 100, 20, 0, 0, 21},    {1000, 100, 20, 10, 0, 11},
                 {1000, 100, 20, 30, 0, 0},   {1000, 100, 20, 30, 1, 1},    {0, 100, 20, 0, 1, 0},
                 {1000, 100, 150, 0, 0, 151}, {1000, 100, 1000, 0, 0, 226}, {1000, 800, 1000, 0, 0, 511}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net_class c = class_of();
        net_nscc_params params;
        memcpy(&params, c.cc, sizeof params);
        params.credits = true;
        params.line.line_bps = cases[i].line_bps * UINT64_C(1000000000);
        memcpy(c.cc, &params, sizeof params);
        c.flags |= NET_CLASS_SIZED;
        c.size = weir_dist_constant(1.0);
        wire *w = wire_new(c, 1, UINT64_C(100000000000), US);
        net_tx *const tx = &w->tx[0];
        net_nscc *const law = (net_nscc *)net_cc_at(&w->ctx, tx, w->cls, NET_CC_WORDS(net_nscc));
        net_nscc_init(law, tx, w->cls);
        net_ndp *const s = net_ndp_of(tx);
        law->window = cases[i].window * PACKET;
        tx->left = cases[i].left * MSS;
        s->pulled = 100;
        s->credit = cases[i].credit;
        s->unasked = cases[i].unasked != 0;
        const uint32_t got = net_uet_target(&w->ctx, tx, w->cls) - s->pulled;
        if (got != cases[i].want)
            fail_msg("case %zu: %u credits are wanted, not %u", i, got, cases[i].want);
        wire_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_by_hand),
                                       cmocka_unit_test(idle_paths_are_filled_fast),
                                       cmocka_unit_test(trims_and_quick_adapt),
                                       cmocka_unit_test(oversubscribed_credits),
                                       cmocka_unit_test(values),
                                       cmocka_unit_test(wanted_credits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

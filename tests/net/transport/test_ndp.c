/*
 * NDP (Handley and others, SIGCOMM 2017) between two hosts, worked out by hand: the first window at the rate of the line, a packet
 * for each pull, pulls as far apart as packets, in turn among flows; what was trimmed goes again before new data and once; what was
 * lost goes after the timeout; and nobody is asked for more than is missing. Ultra Ethernet's credits: where all that went unasked is
 * lost, a header alone asks for some.
 */
#include "net/wire.h"

/* A segment with its header takes a millisecond, a header 1/26; the wire 10 ms. */
enum { BPS = 8320000 };
#define WIRE_DELAY (10 * MS)
#define SHORT_MS (1.0 / 26.0)

static net_class class_of(uint64_t segments, uint32_t window)
{
    net_class c = sized_tcp(segments * 1000);
    c.flags |= NET_CLASS_RACK; /* rows of the window */
    c.congestion = NET_CC_NDP;
    c.initial_window_bytes = window * 1000;
    return c;
}

/* What a test sees and does: pulls, in order; segments to be trimmed or lost the first time. */
typedef struct watch {
    uint32_t trim, lose; /* a bit a segment */
    uint32_t n_pulls, n_again, again[32], n_asked;
    uint32_t pull_flow[256];
    weir_time pull_ps[256];
} watch;

static bool see(wire *w, net_packet *p)
{
    watch *s = w->user;
    const uint32_t k = p->seq / 1000, bit = k < 32 ? UINT32_C(1) << k : 0;
    if (p->flags & NET_ACK) {
        if ((p->flags & NET_PULL) && s->n_pulls < 256) {
            s->pull_ps[s->n_pulls] = w->now;
            s->pull_flow[s->n_pulls++] = p->flow;
        }
        return false;
    }
    assert_true(p->flags & NET_TRIMS);
    if (w->tx[p->flow].retransmissions > s->n_again && s->n_again < 32)
        s->again[s->n_again++] = k;
    if (s->lose & bit) {
        s->lose &= ~bit;
        return true;
    }
    if (s->trim & bit) {
        s->trim &= ~bit;
        p->bytes = NET_HEADER_TCP;
        p->flags |= NET_TRIMMED;
    }
    return false;
}

static wire *begin(uint64_t segments, uint32_t window, uint32_t flows, watch *s)
{
    wire *w = wire_new(class_of(segments, window), flows, BPS, WIRE_DELAY);
    w->user = s;
    w->lose = see;
    return w;
}

/*
 * Eight segments, four unasked: they come at 11 to 14 ms, each with an ACK and then a pull. The first pull comes at 21 and two
 * headers' times; its packet is there 11 ms later, the last of four 3 ms after it, its ACK a header's time and 10 ms later.
 */
static void window_then_pulls(void **state)
{
    (void)state;
    watch s = {0};
    wire *w = begin(8, 4, 1, &s);
    wire_run(w, SEC);
    assert_int_equal(w->n_data, 8);
    assert_int_equal(w->n_completed, 1);
    const double want_s = 1e-3 * (21.0 + 2.0 * SHORT_MS + 11.0 + 3.0 + 10.0 + SHORT_MS);
    if (!(fabs(w->finished_s - want_s) < 1e-8))
        fail_msg("done after %.9f s, want %.9f", w->finished_s, want_s);
    assert_true(w->tx[0].timeouts == 0 && w->tx[0].retransmissions == 0 && w->rx[0].bytes == 8000);
    wire_free(w);
}

/* Segments 1 and 2 of four come as headers: they, and no others, go again, in their order, without a timeout. */
static void trimmed_goes_again(void **state)
{
    (void)state;
    watch s = {.trim = 6};
    wire *w = begin(4, 4, 1, &s);
    wire_run(w, SEC);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->n_data, 6);
    assert_int_equal(w->tx[0].retransmissions, 2);
    assert_int_equal(w->tx[0].timeouts, 0);
    assert_true(s.again[0] == 1 && s.again[1] == 2);
    assert_int_equal(w->rx[0].packets, 6);
    wire_free(w);
    /* Ten segments, all of the first window but the last trimmed, and one of these again: before any new one. */
    watch t = {.trim = 0x7};
    w = begin(10, 4, 1, &t);
    wire_run(w, 21500 * US); /* 0 has gone again, 1 goes at 22 ms */
    t.trim = 2;
    wire_run(w, SEC);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->n_data, 14);
    assert_true(t.again[0] == 0 && t.again[1] == 1 && t.again[2] == 2 && t.again[3] == 1);
    assert_int_equal(w->tx[0].timeouts, 0);
    wire_free(w);
}

/* Nobody knows of what was lost whole: the timeout (200 ms here) sends it, once. Of any one of four, and of the last pull. */
static void lost_goes_after_the_timeout(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        watch s = {.lose = 1u << k};
        wire *w = begin(4, 4, 1, &s);
        wire_run(w, 10 * SEC);
        assert_int_equal(w->n_completed, 1);
        assert_int_equal(w->n_data, 5);
        assert_int_equal(w->tx[0].timeouts, 1);
        assert_true(w->finished_s > 0.2 && w->finished_s < 0.3);
        wire_free(w);
    }
    watch all = {.lose = 0xf}; /* the whole window: one by one, as nothing comes that could be pulled for */
    wire *w = begin(4, 4, 1, &all);
    wire_run(w, 100 * SEC);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->rx[0].bytes, 4000);
    wire_free(w);
}

static bool all_lost(wire *w, net_packet *p)
{
    see(w, p);
    return true;
}

/*
 * Segment 1 of a long flow is lost whole while pulls go on for others: it has a timer of its own, and goes again a timeout (200 ms,
 * the least) after it was sent, or after the first answer, at 21 ms, which said how long a timeout is. Once only, though much has
 * come since and more comes after.
 */
static void lost_goes_while_others_come(void **state)
{
    (void)state;
    watch s = {.lose = 2};
    wire *w = begin(400, 8, 1, &s);
    wire_run(w, 199 * MS);
    assert_true(w->n_data > 50 && w->tx[0].retransmissions == 0);
    wire_run(w, 222 * MS);
    assert_int_equal(w->tx[0].retransmissions, 1);
    assert_int_equal(s.again[0], 1);
    wire_run(w, 10 * SEC);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->n_data, 401);
    assert_int_equal(w->tx[0].timeouts, 1);
    wire_free(w);
}

/* Before there is a round trip the timeout is the least and four times the first window's time on the line: here all of the window
 * is lost, and goes again after 200 and 16 ms, then, lost again, after twice that. */
static void the_first_timeout_is_short(void **state)
{
    (void)state;
    watch s = {.lose = 0xf};
    wire *w = begin(4, 4, 1, &s);
    wire_run(w, 215900 * US);
    assert_int_equal(w->n_data, 4);
    s.lose = 0xf;
    wire_run(w, 220 * MS);
    assert_int_equal(w->n_data, 8);
    wire_run(w, (216 + 431) * MS);
    assert_int_equal(w->n_data, 8);
    wire_run(w, (216 + 433 + 50) * MS);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->tx[0].timeouts, 2);
    wire_free(w);
}

/* The headers of five segments of each of three flows come at once: pulls a packet's time apart, in turn, five each. */
static void pulls_take_turns(void **state)
{
    (void)state;
    watch s = {0};
    wire *w = begin(60, 8, 3, &s);
    w->lose = all_lost;
    wire_run(w, 5 * MS);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < 5; k++) {
            net_packet p = wire_segment(w, k * 1000, 0, NET_TRIMS | NET_TRIMMED);
            p.flow = i;
            p.u.data.rx_hint = w->tx[i].rx_hint;
            wire_deliver(w, 1, &p, 5 * MS);
        }
    wire_run(w, 100 * MS);
    assert_int_equal(s.n_pulls, 15);
    for (uint32_t i = 0; i < 15; i++) {
        assert_int_equal(s.pull_flow[i], i % 3);
        assert_true(s.pull_ps[i] == 5 * MS + 1 + (weir_time)i * MS);
    }
    wire_free(w);
}

/* A flow of n segments is pulled n times at most; one that fits into the first window, by the time its end is known, never. */
static void no_more_than_is_missing(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 40; n += 3) {
        watch s = {0};
        wire *w = begin(n, 10, 1, &s);
        wire_run(w, SEC);
        assert_int_equal(w->n_completed, 1);
        assert_int_equal(w->n_data, n);
        assert_true(s.n_pulls <= n);
        assert_int_equal(w->n_acks, n + s.n_pulls);
        if (n == 1)
            assert_int_equal(s.n_pulls, 0);
        wire_free(w);
    }
}

/*
 * RCCC's first window, 1.5 B T or 34 of 60 segments, is lost whole. What is lost does not go again unasked:
 * one header asks, at the first timeout; its credit, of four segments, brings the first of them.
 */
static bool data_lost_at_first(wire *w, net_packet *p)
{
    watch *s = w->user;
    see(w, p);
    if (p->flags & NET_ACK)
        return false;
    s->n_asked += net_is_request(p);
    return p->bytes > NET_HEADER_TCP && s->n_asked == 0;
}

static void credit_is_asked_for(void **state)
{
    (void)state;
    watch s = {0};
    net_class c = class_of(60, 8);
    c.flags |= net_rccc_traits;
    c.congestion = NET_CC_RCCC;
    const net_nscc_params params = {.line = {BPS, 22 * MS}, .ack_bytes = 4000, .paths = 4, .credits = true};
    memcpy(c.cc, &params, sizeof params);
    wire *w = wire_new(c, 1, BPS, WIRE_DELAY);
    w->user = &s;
    w->lose = data_lost_at_first;
    weir_time at_ps = 0;
    while (s.n_asked == 0 && at_ps < 10 * SEC)
        wire_run(w, at_ps += MS);
    assert_int_equal(s.n_asked, 1);
    assert_int_equal(w->tx[0].retransmissions, 0);
    assert_int_equal(w->n_data, 34 + 1);
    wire_run(
        w, at_ps +
               19 * MS); /* asked at 232 ms; the header's way and the pull's take 20 and two headers' times */
    assert_int_equal(w->tx[0].retransmissions, 0);
    wire_run(w, at_ps + 20 * MS);
    assert_int_equal(w->tx[0].retransmissions, 4);
    wire_run(w, 100 * SEC);
    assert_int_equal(w->n_completed, 1);
    assert_int_equal(w->tx[0].retransmissions, 34);
    assert_int_equal(w->rx[0].bytes, 60000);
    wire_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_then_pulls),           cmocka_unit_test(trimmed_goes_again),
        cmocka_unit_test(lost_goes_after_the_timeout), cmocka_unit_test(pulls_take_turns),
        cmocka_unit_test(lost_goes_while_others_come), cmocka_unit_test(the_first_timeout_is_short),
        cmocka_unit_test(no_more_than_is_missing),     cmocka_unit_test(credit_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

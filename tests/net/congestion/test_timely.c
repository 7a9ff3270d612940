/*
 * TIMELY (Mittal and others, SIGCOMM 2015, algorithm 1): each branch by hand; the growth below t_low, which is exponential where
 * segments are what takes longest, and linear where round trips are; and a long walk of round trips against the algorithm as the
 * paper prints it, written down once more.
 */
#include "net/wire.h"
#include "splitmix.h"

enum { MSS = 1000 };

/* 10 Gb/s, T 20 us, a step of 10 Mb/s. */
static net_class class_of(uint64_t segment, double alpha)
{
    net_class c = plain_tcp();
    const net_timely_params params = {
        {UINT64_C(10000000000), 20 * US}, 10000000, 100000000, segment, 50 * US, 500 * US, alpha, 0.8};
    c.flags |= NET_CLASS_RACK | net_timely_traits;
    c.congestion = NET_CC_TIMELY;
    c.window_bytes = 16000 * MSS;
    memcpy(c.cc, &params, sizeof params);
    return c;
}

/* A completion at a time, of a whole segment. */
static void complete(net_timely *s, net_tx *tx, const net_class *c, weir_time at_ps, weir_time rtt_ps)
{
    net_cc_event e = net_cc_event_of(at_ps, NET_CC_ACKED, 0);
    e.sent_ps = e.now_ps - rtt_ps;
    e.delivered = (uint32_t)NET_CC_PARAMS(timely, c)->segment;
    net_timely_on_ack(s, tx, c, &e);
}

static void branches_by_hand(void **state)
{
    (void)state;
    const net_class c = class_of(16000, 0.5);
    net_timely s;
    net_tx tx = {.first = 7};
    net_timely_init(&s, &tx, &c);
    near_to(s.rate, 10e9, 0.0);
    /* The first is only noted. */
    complete(&s, &tx, &c, MS, 100 * US);
    near_to(s.rate, 10e9, 0.0);
    assert_int_equal(tx.cwnd, c.window_bytes);
    /* 20 us more: a gradient of a half, of which 0.8 goes. */
    complete(&s, &tx, &c, 2 * MS, 120 * US);
    near_to(s.rate, 10e9 * 0.6, 1e-12);
    /* Too soon after it, or not a whole segment: nothing. */
    complete(&s, &tx, &c, 2 * MS + 19 * US, 400 * US);
    near_to(s.rate, 6e9, 1e-12);
    /* 10 us more: a quarter and a quarter. */
    complete(&s, &tx, &c, 3 * MS, 130 * US);
    near_to(s.rate, 6e9 * 0.6, 1e-12);
    /* Down by 40 us: -1 and a quarter, and a step; then four more, the last of which is five at once. */
    for (int i = 0; i < 5; i++)
        complete(&s, &tx, &c, (4 + i) * MS, (90 - i) * US);
    near_to(s.rate, 3.6e9 + 4 * 10e6 + 50e6, 1e-12);
    /* Below t_low by a step, whatever the gradient; and the run of falling ones is over. */
    complete(&s, &tx, &c, 10 * MS, 49 * US);
    near_to(s.rate, 3.7e9, 1e-12);
    assert_int_equal(s.falls, 0);
    /* Above t_high by its share, whatever the gradient. */
    complete(&s, &tx, &c, 11 * MS, 1000 * US);
    near_to(s.rate, 3.7e9 * 0.6, 1e-12);
    /* A gradient above 1.25 leaves the least rate. */
    s.rtt_ps = 100 * US;
    complete(&s, &tx, &c, 12 * MS, 400 * US);
    near_to(s.rate, 100e6, 1e-12);
    /* Never above the line; a loss is not answered. */
    s.rate = 9.999e9;
    complete(&s, &tx, &c, 13 * MS, 30 * US);
    near_to(s.rate, 10e9, 0.0);
    assert_int_equal(net_timely_on_loss(&s, &tx, &c, NULL), c.window_bytes);
    assert_true(net_timely_pace_bps(&s, &tx, &c, 0) == UINT64_C(10000000000));
}

/* ACKs of single packets at the flow's own rate, all of a round trip below t_low. */
static double grown(const net_class *c, double from_bps, double seconds)
{
    net_timely s;
    net_tx tx = {.first = 7};
    net_timely_init(&s, &tx, c);
    s.rate = from_bps;
    double at_s = 1.0;
    while (at_s < 1.0 + seconds) {
        net_cc_event e = net_cc_event_of((weir_time)(at_s * 1e12), NET_CC_ACKED, 0);
        e.sent_ps = e.now_ps - 30 * US;
        e.delivered = MSS;
        net_timely_on_ack(&s, &tx, c, &e);
        at_s += 8.0 * MSS / s.rate;
    }
    return s.rate;
}

static void growth_is_as_solved(void **state)
{
    (void)state;
    /* 64 kB take 51 us and more: dR/dt = step R / (8 segment). */
    const net_class long_ones = class_of(64000, 0.875);
    for (double seconds = 0.01; seconds < 0.1;
         seconds *= 2) { /* the first is only noted, the last has begun */
        const double times = exp(10e6 * seconds / 512e3), got_bps = grown(&long_ones, 200e6, seconds);
        assert_true(fabs(got_bps - 200e6 * times) < 20e6 * times);
    }
    /* 1 kB takes at most 10 us: a step each 20 us, and up to a packet's time. */
    const net_class short_ones = class_of(1000, 0.875);
    const double got = grown(&short_ones, 800e6, 0.01);
    assert_true(got <= 800e6 + 500 * 10e6 && got >= 800e6 + 500 * 10e6 * 0.8);
}

/* The paper's algorithm 1, in seconds. */
typedef struct paper {
    double rate, diff, before;
    int falls;
} paper;

static void paper_completes(paper *p, double rtt)
{
    const double delta = 10e6, beta = 0.8, alpha = 0.875, low = 50e-6, high = 500e-6, least = 20e-6;
    const double new_diff = rtt - p->before;
    p->before = rtt;
    p->diff = (1 - alpha) * p->diff + alpha * new_diff;
    const double gradient = p->diff / least;
    if (rtt < low || rtt > high) {
        p->falls = 0;
        p->rate = rtt < low ? p->rate + delta : p->rate * (1 - beta * (1 - high / rtt));
    } else if (gradient <= 0) {
        p->falls++;
        p->rate += (p->falls >= 5 ? 5 : 1) * delta;
    } else {
        p->falls = 0;
        p->rate *= 1 - beta * gradient;
    }
    p->rate = fmin(fmax(p->rate, 100e6), 10e9);
}

static void a_walk_is_the_papers(void **state)
{
    (void)state;
    const net_class c = class_of(16000, 0.875);
    net_timely s;
    net_tx tx = {.first = 7};
    uint64_t random = 5;
    paper p = {.rate = 10e9};
    net_timely_init(&s, &tx, &c);
    weir_time rtt_ps = 100 * US;
    for (int i = 0; i < 100000; i++) {
        const int64_t step = (int64_t)rnd_below(&random, 8000001) - 4000000;
        rtt_ps = rtt_ps + step < 25 * US ? 25 * US : rtt_ps + step > 700 * US ? 700 * US : rtt_ps + step;
        complete(&s, &tx, &c, (i + 1) * MS, rtt_ps);
        if (i == 0)
            p.before = (double)rtt_ps * 1e-12;
        else
            paper_completes(&p, (double)rtt_ps * 1e-12);
        near_to(s.rate, p.rate, 1e-6);
        p.rate = s.rate; /* what is rounded does not add up */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_by_hand),
        cmocka_unit_test(growth_is_as_solved),
        cmocka_unit_test(a_walk_is_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

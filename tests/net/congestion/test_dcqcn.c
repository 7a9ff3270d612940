/*
 * DCQCN (Zhu and others, SIGCOMM 2015), against its own rules: the steps of algorithm 1 and equations 1 to 4, hand-solved; and
 * the mean rate of a flow whose packets are marked with a constant chance, against the fixed point of the fluid model in
 * Y. Zhu, M. Ghobadi, V. Misra, J. Padhye: ECN or Delay, CoNEXT 2016, section 3.
 */
#include "net/wire.h"

static net_class class_of(uint64_t line_bps)
{
    net_class c = plain_tcp();
    const net_dcqcn_params params = {line_bps, 40000000,    400000000, 10000000, 50 * US, 55 * US,
                                     55 * US,  1.0 / 256.0, 1000000,   5,        true,    {0}};
    c.flags |= NET_CLASS_RACK | NET_CLASS_ECN | net_dcqcn_traits;
    c.congestion = NET_CC_DCQCN;
    c.window_bytes = 4000 * 1000;
    memcpy(c.cc, &params, sizeof params);
    return c;
}

static void ack(net_dcqcn *s, const net_class *c, weir_time now, uint32_t bytes, int echo)
{
    static net_tx tx;
    net_cc_event e = net_cc_event_of(now, NET_CC_ACKED, 0);
    e.acked = bytes;
    e.echo = echo != 0;
    net_dcqcn_on_ack(s, &tx, c, &e);
}

#define near(got, want)                                                               \
    do {                                                                              \
        if (!(fabs((got) - (want)) <= 1e-9 * (want)))                                 \
            fail_msg("%s is %.12g, want %.12g", #got, (double)(got), (double)(want)); \
    } while (0)

static void steps_by_hand(void **state)
{
    (void)state;
    const net_class c = class_of(UINT64_C(40000000000));
    net_dcqcn s;
    net_tx tx = {0};
    net_dcqcn_init(&s, &tx, &c);
    ack(&s, &c, SEC - 1, 1000, 0);
    assert_true(net_dcqcn_pace_bps(&s, &tx, &c, SEC) ==
                UINT64_C(40000000000)); /* the line's, until the first mark */
    ack(&s, &c, SEC, 1000, 1);
    near(s.current, 20e9); /* alpha 1: half, and alpha stays 1 */
    near(s.target, 40e9);
    near(s.alpha, 1.0);
    ack(&s, &c, SEC + 49 * US, 1000, 1); /* within the interval: not heard */
    near(s.current, 20e9);
    ack(&s, &c, SEC + 50 * US, 1000, 1);
    near(s.current, 10e9);
    near(s.target, 20e9);
    /* Four timers of fast recovery: R_T stays, R_C is half way each time; alpha falls by 1/256 with each. */
    ack(&s, &c, SEC + 50 * US + 220 * US, 1000, 0);
    near(s.target, 20e9);
    near(s.current, 20e9 - 10e9 / 16.0);
    near(s.alpha, 255.0 / 256.0 * (255.0 / 256.0) * (255.0 / 256.0) * (255.0 / 256.0));
    /* The fifth and sixth are additive. */
    const double before = s.current;
    ack(&s, &c, SEC + 50 * US + 330 * US, 1000, 0);
    near(s.target, 20.08e9);
    near(s.current, ((before + 20.04e9) / 2.0 + 20.08e9) / 2.0);
    /* Ten megabytes, five times: still additive, as the lesser count, BC, is not above 5; the sixth: hyper, by one step. */
    for (int i = 0; i < 5; i++)
        ack(&s, &c, SEC + 380 * US, 10000000, 0);
    near(s.target, 20.28e9);
    ack(&s, &c, SEC + 380 * US, 10000000, 0);
    near(s.target, 20.68e9);
    /* A mark resets all counts: (1 - alpha / 2) of the rate, and alpha is g nearer to 1. */
    const double alpha = s.alpha, rate = s.current;
    ack(&s, &c, SEC + 381 * US, 0, 1);
    near(s.target, rate);
    near(s.current, rate * (1.0 - alpha / 2.0));
    near(s.alpha, alpha * 255.0 / 256.0 + 1.0 / 256.0);
    assert_true(s.timers == 0 && s.counters == 0 && s.bytes < 10000000);
    /* In the end it is the line's again, and never more. */
    ack(&s, &c, SEC + 381 * US + SEC, 1000, 0);
    near(s.current, 40e9);
}

/* By the timer alone, with F = 2: a round of fast recovery, one of additive increase, and then hai_rate in each, whatever is sent. */
/* Two notifications, and a round of growth before a third. */
static void without_a_clamp_the_target_stays(void **state)
{
    (void)state;
    net_class c = class_of(UINT64_C(40000000000));
    ((net_dcqcn_params *)(void *)c.cc)->clamp_target = false;
    net_dcqcn s;
    net_tx tx = {0};
    net_dcqcn_init(&s, &tx, &c);
    ack(&s, &c, SEC, 1000, 1);
    near(s.target, 40e9);
    ack(&s, &c, SEC + 50 * US, 1000, 1);
    near(s.target, 40e9);
    near(s.current, 10e9);
    ack(&s, &c, SEC + 106 * US, 1000, 0);
    near(s.current, 25e9);
    ack(&s, &c, SEC + 107 * US, 1000, 1);
    near(s.target, 25e9);
}

static void the_timer_alone(void **state)
{
    (void)state;
    net_class c = class_of(UINT64_C(40000000000));
    net_dcqcn_params *const p = (net_dcqcn_params *)(void *)c.cc;
    p->byte_counter = 0;
    p->fast_recovery = 2;
    net_dcqcn s;
    net_tx tx = {0};
    net_dcqcn_init(&s, &tx, &c);
    ack(&s, &c, SEC, 1000, 1);
    ack(&s, &c, SEC + 50 * US, 1000, 1);
    near(s.target, 20e9);
    static const double targets[] = {20e9, 20.04e9, 20.44e9, 20.84e9, 21.24e9};
    double rate = 10e9;
    for (int i = 0; i < 5; i++) {
        ack(&s, &c, SEC + 50 * US + (i + 1) * 55 * US, 30000000, 0);
        near(s.target, targets[i]);
        rate = 0.5 * (rate + targets[i]);
        near(s.current, rate);
    }
}

/* The model's F counts the rounds before the first additive one, of which algorithm 1 has one less than its F.
 * Zero where a rate of r packets a second is the fixed point for a chance p: a^2 alpha / ((b + d) (c + e)) = tau^2 R_AI r. */
static double excess(double p, double r)
{
    const double l = log1p(-p), tau = 50e-6, timer = 55e-6, bytes = 10e6 / 1000.0, ai = 40e6 / 8000.0,
                 f = 4.0;
    const double a = -expm1(tau * r * l), alpha = -expm1(timer * r * l);
    const double b = p / expm1(-bytes * l), c = exp(f * bytes * l) * b;
    const double d = p / expm1(-timer * r * l), e = exp(f * timer * r * l) * d;
    return a * a * alpha - (b + d) * (c + e) * tau * tau * ai * r;
}

static double fixed_point(double p)
{
    double low = 1.0, high = 1e9;
    for (int i = 0; i < 200; i++) {
        const double r = sqrt(low * high);
        if (excess(p, r) > 0.0)
            high = r;
        else
            low = r;
    }
    return low;
}

static void the_fluid_models_fixed_point(void **state)
{
    (void)state;
    static const double chances[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05};
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        const net_class c = class_of(UINT64_C(1000000000000));
        const double p = chances[i], want = 8000.0 * fixed_point(p);
        uint64_t random = 12345 + i;
        net_dcqcn s;
        net_tx tx = {0};
        double now = 1e12, bits = 0.0, from = 0.0;
        net_dcqcn_init(&s, &tx, &c);
        for (int k = 0; k < 6000000; k++) {
            if (k == 1000000) {
                from = now;
                bits = 0.0;
            }
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            now += 8000.0 * 1e12 / s.current;
            bits += 8000.0;
            ack(&s, &c, (weir_time)now, 1000, (double)(random >> 11) * 0x1p-53 < p);
        }
        const double got = bits / ((now - from) * 1e-12);
        /* The model is of means: it leaves out that a rate varies, and with it the marks. That is one factor over all. */
        if (!(fabs(got / want - 1.215) <= 0.03))
            fail_msg("p %g: %.4g Gb/s, the model %.4g: %.3f", p, got * 1e-9, want * 1e-9, got / want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_by_hand),
        cmocka_unit_test(the_timer_alone),
        cmocka_unit_test(without_a_clamp_the_target_stays),
        cmocka_unit_test(the_fluid_models_fixed_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

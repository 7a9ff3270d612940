/*
 * The law of CUBIC windows alone (law/cubic.h): where losses come at a rate that stays, the window is the root of its
 * equations, for steps of 0.1 to 20 ms and in both regimes; without losses it follows RFC 9438's cubic, equation 1, to
 * rounding; slow start ends as HyStart++ has it, and never exceeds the limit. The cube root in single precision is
 * held against libm's in double at every float.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "weir/fluid.h"

#define FLUID_APART 1
typedef double fluid_real;
#define WI_FLUID_BUILD
#include "fluid/law/cubic.h"

static fluid_class class_of(double step_s, double limit)
{
    const weir_fluid_class from = {.congestion = "cubic"};
    fluid_class c = {.inv_ack = 1.0, .window_limit = limit, .clock = 0.5};
    fluid_cubic_build(&from, step_s, &c);
    return c;
}

/* The window at which W_max, the age and W_est stay, where a session has losses of l a second, by bisection: with
 * W_max = W (1 - gives share), share = 1/2 + 5 (W_max - W) / W_max, and the age 1 / (0.6 l) s; l of those sessions that
 * have not had one within a round trip. */
static double root(double loss_rate, double rtt_s, double step_s)
{
    double low = 1.0, high = 1e7;
    for (int i = 0; i < 200; i++) {
        const double w = sqrt(low * high);
        double share = 0.5;
        for (int k = 0; k < 200; k++) {
            const double top = w * (1.0 - 0.15 * share), wanted = 0.5 + 5.0 * (top - w) / top;
            share += 0.2 * ((wanted < 0.0 ? 0.0 : wanted > 1.0 ? 1.0 : wanted) - share);
        }
        const double one = 1.0 - fluid_decay(loss_rate * w * step_s / rtt_s),
                     over = 1.0 - fluid_decay(step_s / rtt_s);
        const double l = one * over / (one + over) / step_s;
        const double top = w * (1.0 - 0.15 * share), past = 1.0 / (0.6 * l) - cbrt(0.3 * top / 0.4);
        const double cubic = 0.4 * past * past * past + top;
        const double kept = 0.7 * w - 1.5, est = 0.61 / rtt_s / l + (kept > 0.0 ? kept : 0.0);
        if ((cubic > est ? cubic : est) > w)
            low = w;
        else
            high = w;
    }
    return low;
}

static double settle(double p, double rtt_s, double step_s)
{
    const fluid_class cls = class_of(step_s, 1e6);
    const fluid_cubic_law law = fluid_cubic_open(&cls);
    const double inv = step_s / rtt_s;
    fluid_cubic s = {20.0, fluid_cubic_k(&law, 20.0), 20.0, 0.0};
    fluid_window w = {20.0, 0.0, 0.0, 0.0};
    for (long i = 0; i < (long)(600.0 / step_s); i++) {
        const fluid_feedback by = {inv, inv, p * w.size * inv, (1.0 - p) * w.size * inv, 0.0};
        const double sent = fluid_cubic_advance(&law, 2, 0, &w, &s, &by);
        assert_true(sent >= 0.0 && w.size >= 1.0);
    }
    return w.size;
}

static void windows_settle_at_the_root(void **state)
{
    (void)state;
    static const double losses[] = {1e-4, 1e-3, 1e-2, 3e-2}, rtts[] = {0.02, 0.1, 0.4};
    static const double steps[] = {1e-3, 5e-3, 2e-2};
    for (int p = 0; p < 4; p++)
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                if (steps[k] > rtts[r])
                    continue;
                const double got = settle(losses[p], rtts[r], steps[k]);
                const double wanted = root(losses[p], rtts[r], steps[k]);
                if (!(fabs(got / wanted - 1.0) < 0.01))
                    fail_msg("loss %g, round trip %g s, step %g s: %g for %g", losses[p], rtts[r], steps[k],
                             got, wanted);
            }
}

/* After a loss at 100 segments: W(t) = 0.4 (t - K)^3 + 100 with K = cbrt(75) = 4.217 s. */
static void without_losses_it_is_the_cubic(void **state)
{
    (void)state;
    fluid_class cls = class_of(1e-3, 1e6);
    cls.own[FLUID_CUBIC_ALPHA] = 0.0;
    const fluid_cubic_law law = fluid_cubic_open(&cls);
    fluid_cubic s = {100.0, 0.0, 1.0, 0.0};
    fluid_window w = {70.0, 0.0, 0.0, 0.0};
    const fluid_feedback by = {1e-2, 1e-2, 0.0, 0.7, 0.0};
    for (int i = 1; i <= 8000; i++) {
        (void)fluid_cubic_advance(&law, 2, 0, &w, &s, &by);
        const double past = 1e-3 * i - cbrt(75.0), wanted = 0.4 * past * past * past + 100.0;
        if (!(fabs(w.size - wanted) < 1e-6))
            fail_msg("%d ms after the loss: %.9g for %.9g", i, w.size, wanted);
    }
}

/* Eight times the argument is an exponent more of the first guess by exactly one, so three octaves are all mantissas;
 * and steps of 1 ns to 1 s with windows of 1 to 1e6 segments have arguments from 0.75 to 7.5e32. Cubes of whole numbers
 * are exact. */
static void single_root_is_accurate(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint32_t bits = weir_bits_of_float(1.0f); bits < weir_bits_of_float(8.0f); bits++) {
        const float x = weir_float_of_bits(bits);
        const double error = fabs(fluid_cubic_single_root(x) - cbrt(x)) * 0x1p23;
        worst = error > worst ? error : worst;
    }
    print_message("  at most %.3f units in the last place\n", worst);
    assert_true(worst < 1.0);
    for (uint32_t bits = weir_bits_of_float(0x1p-126f); bits < weir_bits_of_float(1e38f); bits += 997) {
        const float x = weir_float_of_bits(bits);
        if (!(fabs(fluid_cubic_single_root(x) / cbrt(x) - 1.0) < 0x1p-23))
            fail_msg("the cube root of %a is %a", x, fluid_cubic_single_root(x));
    }
    for (int k = 1; k <= 256; k++)
        assert_true(fluid_cubic_single_root((float)(k * k * k)) == (float)k);
}

/* However a queue bunches its losses, all of a round trip are one reduction: of sessions that lose six segments each
 * within a hundredth, a tenth or all of it nearly all have had one, and none two. */
static void clumps_are_one_reduction(void **state)
{
    (void)state;
    fluid_class cls = class_of(1e-3, 1e6);
    cls.own[FLUID_CUBIC_ALPHA] = 0.0;
    const fluid_cubic_law law = fluid_cubic_open(&cls);
    static const int lasts[] = {1, 10, 100};
    for (int k = 0; k < 3; k++) {
        fluid_cubic s = {100.0, cbrt(75.0), 1.0, 0.0};
        fluid_window w = {100.0, 0.0, 0.0, 0.0};
        for (int i = 0; i < lasts[k]; i++) {
            const fluid_feedback by = {1e-2, 1e-2, 6.0 / lasts[k], 1.0 - 6.0 / lasts[k], 0.0};
            (void)fluid_cubic_advance(&law, 2, 0, &w, &s, &by);
        }
        print_message("  6 segments in %d ms of 100: %g, %g in recovery\n", lasts[k], s.age, s.resting);
        assert_true(s.resting > 0.8 && s.resting <= 1.0);
    }
}

/* Sessions start over a path of 100 ms. While the round trip stands still they double in each; where it grows by
 * 15 ms in each they go over to a quarter of that, and settle; a loss takes 0.3 of the window; none exceeds the limit. */
static void slow_start(void **state)
{
    (void)state;
    const fluid_class cls = class_of(1e-3, 500.0);
    const fluid_cubic_law law = fluid_cubic_open(&cls);
    for (int grows = 0; grows < 2; grows++)
        for (int lost = 0; lost < 2; lost++) {
            fluid_cubic s = {0.0, 0.0, 0.0, 0.0};
            fluid_window w = {10.0, 0.0, 1.0, 0.0};
            double rtt = 100.0;
            for (int i = 0; i < 300; i++) {
                const fluid_feedback by = {1.0 / rtt, 1.0 / rtt, 0.0, w.size / rtt, 0.0};
                (void)fluid_cubic_advance(&law, 2, 1, &w, &s, &by);
            }
            if (!(fabs(w.size / (10.0 * exp(3.0)) - 1.0) < 0.02)) /* continuous doubling: e in a round trip */
                fail_msg("%g segments after three round trips", w.size);
            for (int i = 0; i < 9000; i++) {
                const double next = grows && i < 900 ? rtt + 0.15 : rtt;
                const fluid_feedback by = {1.0 / rtt, 1.0 / next, lost ? 0.01 : 0.0, w.size / rtt, 0.0};
                (void)fluid_cubic_advance(&law, 2, w.slow + w.recovering > 0.0, &w, &s, &by);
                rtt = next;
                assert_true(w.size >= 1.0 && w.size <= 500.0 + 1e-9);
            }
            if (grows || lost)
                assert_true(w.slow == 0.0 && w.recovering == 0.0);
            else
                assert_true(w.slow == 1.0 && fabs(w.size - 500.0) < 1e-6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_settle_at_the_root), cmocka_unit_test(without_losses_it_is_the_cubic),
        cmocka_unit_test(single_root_is_accurate), cmocka_unit_test(clumps_are_one_reduction),
        cmocka_unit_test(slow_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

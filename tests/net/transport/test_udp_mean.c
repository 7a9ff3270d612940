/* Pinned down: the mean of UDP packets as they are sent, sizes rounded and kept within 28 and 65535 bytes,
 * against closed forms of the continuous distributions; rounding is worth less than a thousandth there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "packets/build/building.h"

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-3 * wanted))
        fail_msg("%.9g for %.9g", got, wanted);
}

/* E[min(X, m)] of a Pareto of scale a and shape s: a + a / (s - 1) (1 - (a / m)^(s - 1)). */
static double pareto_up_to(double a, double s, double m)
{
    return a + a / (s - 1.0) * (1.0 - pow(a / m, s - 1.0));
}

static void pareto(void **state)
{
    (void)state;
    const double a = 200.0, s = 1.5, most = 65535.0, cut = 2000.0;
    weir_dist d = weir_dist_pareto(a, s);
    near(wi_udp_mean_bytes(&d), pareto_up_to(a, s, most));
    /* Cut off at 2000: the share q beyond is taken away, and the rest has all of the chance. */
    d = weir_dist_pareto_bounded(a, s, cut);
    const double q = pow(a / cut, s);
    near(wi_udp_mean_bytes(&d), (pareto_up_to(a, s, cut) - q * cut) / (1.0 - q));
}

static void others(void **state)
{
    (void)state;
    weir_dist d = weir_dist_uniform(100.0, 500.0);
    near(wi_udp_mean_bytes(&d), 300.0);
    /* At least 28: 28 + 300 e^(-28/300). */
    d = weir_dist_exponential(300.0);
    near(wi_udp_mean_bytes(&d), 28.0 + 300.0 * exp(-28.0 / 300.0));
    d = weir_dist_constant(1000.0);
    near(wi_udp_mean_bytes(&d), 1000.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pareto), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

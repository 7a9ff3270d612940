/*
 * Lane loops: the host's version gives the bits of the stated order for any number of items, with any body and
 * for both instruction sets; wide functions are as exact as they say, and one number at a time gives the bits
 * of eight at a time.
 */
#include <math.h>

#include "base/cpu_features.h"
#include "diag.h"
#include "splitmix.h"
#include "weir/lanes.h"
#include "weir/wide.h"

enum { ITEMS_MAX = 208 };

typedef struct numbers {
    double x[ITEMS_MAX];
} numbers;

/* Terms of very different sizes, so that another order of sums gives other bits. */
WEIR_WIDE_FN void mixed(const void *world, const void *subject, const weir_event *event, weir_wide item,
                        weir_wide *term)
{
    const weir_wide x = item * *(const double *)world + *(const double *)subject;
    (void)event;
    term[0] = weir_wide_cos_turns(x);
    term[1] = weir_wide_exp_negative(-weir_wide_abs(x)) * weir_wide_sin_turns(x * x);
    term[2] = x * x * x;
}

static WEIR_LANES_HOST(mixed_any, mixed, 3)

    /* One item alone: a vector of which only the first place is looked at. */
    static void alone(double world, double subject, uint32_t item, double *term)
{
    weir_wide wide[WEIR_LANE_SUMS];
    mixed(&world, &subject, NULL, weir_wide_of((double)item), wide);
    for (int s = 0; s < 3; s++)
        memcpy(&term[s], &wide[s], sizeof *term);
}

/* The order as weir/lanes.h words it. */
static void in_order(double world, double subject, uint32_t n, double *sum)
{
    double lane[3][WEIR_LANES] = {{0}};
    for (uint32_t i = 0; i < n; i++) {
        double term[3];
        alone(world, subject, i, term);
        for (int s = 0; s < 3; s++)
            lane[s][i % WEIR_LANES] += term[s];
    }
    for (int s = 0; s < 3; s++) {
        for (int step = 16; step > 0; step /= 2)
            for (int j = 0; j < step; j++)
                lane[s][j] += lane[s][j + step];
        sum[s] = lane[s][0];
    }
}

static void the_order_is_the_stated_one(void **state)
{
    uint64_t random = 5;
    (void)state;
    for (int c = 0; c < 200; c++) {
        const uint32_t n = c < 100 ? (uint32_t)c : rnd_below(&random, 500);
        const double world = (double)rnd_below(&random, 1000) / 997.0;
        const double subject = (double)rnd_below(&random, 1000) - 500.25;
        double want[3], got[3];
        in_order(world, subject, n, want);
        mixed_any(&world, &subject, NULL, n, got);
        if (memcmp(want, got, sizeof want) != 0)
            fail_msg("%u items, %g, %g: %a %a %a; want %a %a %a", n, world, subject, got[0], got[1], got[2],
                     want[0], want[1], want[2]);
    }
}

/* Another order of the same terms gives another sum: the test above can fail. */
static void the_order_matters(void **state)
{
    const double world = 0.731, subject = -3.2;
    double plain = 0.0, got[3];
    (void)state;
    for (uint32_t i = 0; i < ITEMS_MAX; i++) {
        double term[3];
        alone(world, subject, i, term);
        plain += term[0];
    }
    mixed_any(&world, &subject, NULL, ITEMS_MAX, got);
    assert_true(plain != got[0]);
    assert_true(fabs(plain - got[0]) < 1e-12);
}

static double first_of(weir_wide x)
{
    double y;
    memcpy(&y, &x, sizeof y);
    return y;
}

static void wide_functions_are_exact(void **state)
{
    const long double two_pi = 6.283185307179586476925286766559L;
    uint64_t random = 9;
    long double sine = 0, cosine = 0, power = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        const double x = ((double)(int64_t)rnd(&random)) * 0x1p-63 * (i % 2 ? 1.0 : 0x1p20);
        const long double turn = (long double)x - roundl((long double)x);
        sine = fmaxl(sine, fabsl(first_of(weir_wide_sin_turns(weir_wide_of(x))) - sinl(two_pi * turn)));
        cosine = fmaxl(cosine, fabsl(first_of(weir_wide_cos_turns(weir_wide_of(x))) - cosl(two_pi * turn)));
        const double y = -fabs(x) * (i % 2 ? 1.0 : 600.0 * 0x1p-20);
        power = fmaxl(power, fabsl(first_of(weir_wide_exp_negative(weir_wide_of(y))) / expl(y) - 1.0L));
    }
    if (!(sine < 7e-16L && cosine < 7e-16L && power < 3e-16L))
        fail_msg("errors: sine %Lg, cosine %Lg, exp %Lg", sine, cosine, power);
    assert_true(first_of(weir_wide_exp_negative(weir_wide_of(0.0))) == 1.0);
    assert_true(first_of(weir_wide_exp_negative(weir_wide_of(-1e9))) < 1e-300);
    assert_true(first_of(weir_wide_sin_turns(weir_wide_of(0.0))) == 0.0);
    assert_true(isnan(first_of(weir_wide_cos_turns(weir_wide_of(NAN)))));
    assert_true(isnan(first_of(weir_wide_exp_negative(weir_wide_of(NAN)))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_the_stated_one),
        cmocka_unit_test(the_order_matters),
        cmocka_unit_test(wide_functions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* weir's elementary functions against long double libm, whose 64 bits are the reference: the error stays
 * below what weir/math.h states, over random arguments of all sizes and over those that are hard; special
 * cases follow Annex F; and pinned bits show that every build computes the same. label: bits */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "weir/digest.h"
#include "weir/math.h"
#include "weir/random.h"

enum { TRIALS = 60000 };

static weir_stream stream;

static double between(double low, double high)
{
    return low + (high - low) * weir_draw_unit(&stream);
}

/* Any finite double: all exponents alike. */
static double any_double(void)
{
    for (;;) {
        const double x = weir_double_of_bits(weir_draw(&stream));
        if (isfinite(x))
            return x;
    }
}

static double any_positive(void)
{
    const double x = fabs(any_double());
    return x > 0 ? x : 1;
}

/* |got - want| in units in the last place of a double of want's size. */
static double error_ulp(double got, long double want)
{
    if ((isnan(got) && isnan(want)) || (isinf(got) && got == (double)want) || (got == 0 && want == 0))
        return 0;
    const int exponent = want != 0 && ilogbl(want) > -1022 ? ilogbl(want) : -1022;
    return (double)fabsl(((long double)got - want) / ldexpl(1, exponent - 52));
}

static void check(const char *name, double x, double y, double got, long double want, double bound)
{
    const double error = error_ulp(got, want);
    if (!(error <= bound))
        fail_msg("%s(%a, %a) is %a, want %La: %.3f ulp", name, x, y, got, want, error);
}

static void log_is_accurate(void **state)
{
    (void)state;
    stream = weir_stream_make(1, 0, 0);
    for (int i = 0; i < TRIALS; i++) {
        const double x[] = {any_positive(), between(0, 2), 1 + between(-1, 1) * ldexp(1, -(i % 52)),
                            ldexp(1, i % 2098 - 1074)};
        for (int j = 0; j < 4; j++)
            if (x[j] > 0)
                check("log", x[j], 0, weir_log(x[j]), logl(x[j]), 0.9);
    }
    assert_true(weir_log(1) == 0 && !signbit(weir_log(1)));
}

static void exp_is_accurate(void **state)
{
    (void)state;
    stream = weir_stream_make(2, 0, 0);
    for (int i = 0; i < TRIALS; i++) {
        const double x[] = {between(-1, 1), between(-708, 709.78), between(-1, 1) * ldexp(1, -(i % 60)),
                            between(-1.001, 1.001) * 0x1.62e42fefa39efp-2};
        for (int j = 0; j < 4; j++)
            check("exp", x[j], 0, weir_exp(x[j]), expl(x[j]), 0.8);
        const double low = between(-746, -708); /* subnormal results */
        check("exp", low, 0, weir_exp(low), expl(low), 1);
    }
    assert_true(weir_exp(0x1.62e42fefa39efp+9) < INFINITY && isinf(weir_exp(0x1.62e42fefa39f0p+9)));
    assert_true(weir_exp(-745.1332) > 0 && weir_exp(-745.1333) == 0);
}

static void cbrt_is_accurate(void **state)
{
    (void)state;
    stream = weir_stream_make(3, 0, 0);
    for (int i = 0; i < TRIALS; i++) {
        const double x[] = {any_double(), between(-8, 8),
                            ldexp(1 + between(-1, 1) * 0x1p-40, i % 2098 - 1074)};
        for (int j = 0; j < 3; j++)
            check("cbrt", x[j], 0, weir_cbrt(x[j]), cbrtl(x[j]), 0.7);
        const double k = i;
        assert_true(weir_cbrt(k * k * k) == k && weir_cbrt(-k * k * k) == -k);
    }
}

static void sin_and_cos_are_accurate(void **state)
{
    (void)state;
    stream = weir_stream_make(4, 0, 0);
    for (int i = 0; i < TRIALS; i++) {
        const double x[] = {
            between(-4, 4),          between(-1e6, 1e6), between(-1, 1) * ldexp(1, -(i % 60)),
            between(0x1p20, 0x1p21), any_double(),       (double)(i * 1.57079632679489661923132169L)};
        for (int j = 0; j < 6; j++) {
            check("sin", x[j], 0, weir_sin(x[j]), sinl(x[j]), 0.9);
            check("cos", x[j], 0, weir_cos(x[j]), cosl(x[j]), 0.9);
        }
    }
    /* The double that comes closest to a multiple of pi/2. */
    const double hard = 6381956970095103.0 * 0x1p797;
    check("cos", hard, 0, weir_cos(hard), cosl(hard), 0.9);
    check("cos", DBL_MAX, 0, weir_cos(DBL_MAX), cosl(DBL_MAX), 0.9);
    check("sin", DBL_MAX, 0, weir_sin(DBL_MAX), sinl(DBL_MAX), 0.9);
}

static void pow_is_accurate(void **state)
{
    (void)state;
    stream = weir_stream_make(5, 0, 0);
    for (int i = 0; i < TRIALS; i++) {
        const double x[] = {any_positive(), between(0, 10), 1 + between(-1, 1) * ldexp(1, -(i % 50))};
        for (int j = 0; j < 3; j++) {
            if (!(x[j] > 0) || x[j] == 1)
                continue;
            double y = between(-3, 3);
            check("pow", x[j], y, weir_pow(x[j], y), powl(x[j], y), isnormal(weir_pow(x[j], y)) ? 0.8 : 1);
            y = between(-709, 709) / log(x[j]); /* results of all sizes */
            if (fabs(y * log(x[j])) < 707)
                check("pow", x[j], y, weir_pow(x[j], y), powl(x[j], y), 0.8);
        }
    }
}

/* Where x^y is a double, that double comes out. */
static void exact_powers_are_exact(void **state)
{
    (void)state;
    for (int base = 2; base < 1000; base++) {
        double want = base;
        for (int n = 1; want < 0x1p53; n++, want *= base) {
            assert_true(weir_pow(base, n) == want);
            assert_true(weir_pow(-base, n) == (n % 2 ? -want : want));
            assert_true(weir_pow(ldexp(base, -7), n) == ldexp(want, -7 * n));
        }
    }
    for (int k = -1074; k < 1024; k++)
        assert_true(weir_pow(2, k) == ldexp(1, k));
    for (int k = 0; k < 2000; k++) {
        assert_true(weir_pow((double)k * k, 0.5) == k);
        assert_true(weir_pow(k, 1) == k);
        assert_true(weir_exp(0) == 1);
    }
}

static void same(const char *name, double got, double want)
{
    const bool nan_bits = weir_bits_of_double(got) == UINT64_C(0x7ff8000000000000);
    if (isnan(want) ? !nan_bits : weir_bits_of_double(got) != weir_bits_of_double(want))
        fail_msg("%s is %a, want %a", name, got, want);
}
#define SAME(expression, want) same(#expression, expression, want)

static void special_cases(void **state)
{
    (void)state;
    const double inf = INFINITY, none = NAN;
    SAME(weir_log(0.0), -inf);
    SAME(weir_log(-0.0), -inf);
    SAME(weir_log(-1), none);
    SAME(weir_log(-inf), none);
    SAME(weir_log(inf), inf);
    SAME(weir_log(none), none);
    SAME(weir_log(-none), none);
    SAME(weir_exp(0.0), 1);
    SAME(weir_exp(-0.0), 1);
    SAME(weir_exp(inf), inf);
    SAME(weir_exp(-inf), 0);
    SAME(weir_exp(1e300), inf);
    SAME(weir_exp(-1e300), 0);
    SAME(weir_exp(-none), none);
    SAME(weir_cbrt(0.0), 0.0);
    SAME(weir_cbrt(-0.0), -0.0);
    SAME(weir_cbrt(inf), inf);
    SAME(weir_cbrt(-inf), -inf);
    SAME(weir_cbrt(-none), none);
    SAME(weir_sin(0.0), 0.0);
    SAME(weir_sin(-0.0), -0.0);
    SAME(weir_sin(0x1p-1074), 0x1p-1074);
    SAME(weir_sin(inf), none);
    SAME(weir_sin(-none), none);
    SAME(weir_cos(-0.0), 1);
    SAME(weir_cos(-inf), none);
    SAME(weir_cos(none), none);
}

/* C17, F.10.4.4, against libm, which follows it: all pairs of these. */
static void special_cases_of_pow(void **state)
{
    (void)state;
    static const double values[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    -0.5,
                                    2,
                                    -2,
                                    3,
                                    -3,
                                    INFINITY,
                                    -INFINITY,
                                    NAN,
                                    1e308,
                                    -1e308,
                                    5e-324,
                                    -5e-324,
                                    0x1p52,
                                    0x1p53,
                                    0x1p53 + 2,
                                    -0x1p53,
                                    1.5,
                                    -1.5,
                                    0x1.fffffffffffffp-1,
                                    4503599627370497.0,
                                    0x1p-70,
                                    1e5};
    const size_t n = sizeof values / sizeof *values;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double x = values[i], y = values[j], got = weir_pow(x, y), want = pow(x, y);
            if (isnan(want) || isinf(want) || want == 0)
                same("pow", got, want);
            else
                check("pow", x, y, got, powl(x, y), 0.8);
        }
}

/* Bits of 200,000 results, folded: the same with gcc 12 and clang, at -O0, -O2 and -O3, with and without
 * -march=x86-64-v3, and must be on the device. */
static void bits_are_pinned(void **state)
{
    (void)state;
    stream = weir_stream_make(6, 0, 0);
    uint64_t chain = WEIR_DIGEST_START;
    for (int i = 0; i < 20000; i++) {
        const double x = any_double(), p = fabs(x), s = between(-700, 700), u = weir_draw_unit_open(&stream);
        const double results[] = {weir_log(p),    weir_log(u), weir_exp(s), weir_exp(u),  weir_pow(p, u),
                                  weir_pow(u, s), weir_sin(x), weir_cos(s), weir_cbrt(x), weir_sin(1000 * s)};
        for (int j = 0; j < 10; j++)
            chain = weir_digest_word(chain, weir_bits_of_double(results[j]));
    }
    if (chain != UINT64_C(0x64be9c93513b4eb2))
        fail_msg("the bits fold to %016" PRIx64, chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_is_accurate),  cmocka_unit_test(exp_is_accurate),
        cmocka_unit_test(cbrt_is_accurate), cmocka_unit_test(sin_and_cos_are_accurate),
        cmocka_unit_test(pow_is_accurate),  cmocka_unit_test(exact_powers_are_exact),
        cmocka_unit_test(special_cases),    cmocka_unit_test(special_cases_of_pow),
        cmocka_unit_test(bits_are_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

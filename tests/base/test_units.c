/* Quantities: exact values, every kind of error with its message, and format and parse as inverses on random
 * values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "weir/random.h"
#include "weir/units.h"
#include "base/units/decimal.h"

static char why[200];

static weir_time time_of(const char *text)
{
    weir_time t = -1;
    if (!weir_parse_time(text, &t, why, sizeof why))
        fail_msg("%s", why);
    return t;
}

static uint64_t rate_of(const char *text)
{
    uint64_t r = 0;
    if (!weir_parse_rate(text, &r, why, sizeof why))
        fail_msg("%s", why);
    return r;
}

static uint64_t size_of(const char *text)
{
    uint64_t r = 0;
    if (!weir_parse_size(text, &r, why, sizeof why))
        fail_msg("%s", why);
    return r;
}

static void times(void **state)
{
    (void)state;
    assert_true(time_of("5ms") == 5 * WEIR_PS_PER_MS);
    assert_true(time_of(" 5 ms ") == 5 * WEIR_PS_PER_MS);
    assert_true(time_of("0s") == 0);
    assert_true(time_of("1ps") == 1);
    assert_true(time_of("1.5ns") == 1500);
    assert_true(time_of("2.5us") == 2500000);
    assert_true(time_of("2.5\xc2\xb5s") == 2500000);
    assert_true(time_of("2.5\xce\xbcs") == 2500000);
    assert_true(time_of("0.1s") == WEIR_PS_PER_S / 10); /* which no double holds */
    assert_true(time_of("1e-3s") == WEIR_PS_PER_MS);
    assert_true(time_of("+1.E3ms") == WEIR_PS_PER_S);
    assert_true(time_of("1_000ms") == WEIR_PS_PER_S);
    assert_true(time_of("1min") == 60 * WEIR_PS_PER_S);
    assert_true(time_of("1h") == 3600 * WEIR_PS_PER_S);
    assert_true(time_of("106d") == 106 * 86400 * WEIR_PS_PER_S);
    assert_true(time_of("9223372036854775807ps") == INT64_MAX);
    assert_true(time_of("9.223372036854775807e6s") == INT64_MAX);
    assert_true(time_of("0.5ps") == 1); /* rounded half up */
    assert_true(time_of("1.499ps") == 1);
    assert_true(time_of("-0s") == 0);
}

static void rates_and_sizes(void **state)
{
    (void)state;
    assert_true(rate_of("10Gbps") == UINT64_C(10000000000));
    assert_true(rate_of("1.544Mbps") == 1544000);
    assert_true(rate_of("1Kibps") == 1024);
    assert_true(rate_of("1MBps") == 8000000);
    assert_true(rate_of("1KiBps") == 8192);
    assert_true(rate_of("3.2Tbps") == UINT64_C(3200000000000));
    assert_true(rate_of("0bps") == 0);
    assert_true(rate_of("18446744073709551615bps") == UINT64_MAX); /* the 20th digit is dropped */
    assert_true(size_of("1500B") == 1500);
    assert_true(size_of("64KiB") == 65536);
    assert_true(size_of("1.5kB") == 1500);
    assert_true(size_of("0.5KiB") == 512);
    assert_true(size_of("1TiB") == UINT64_C(1) << 40);
    assert_true(size_of("5MB") == 5000000);
}

static void shares_counts_and_event_rates(void **state)
{
    (void)state;
    double x = -1;
    uint64_t n = 0;
    assert_true(weir_parse_share("30%", &x, why, sizeof why) && x == 0.3);
    assert_true(weir_parse_share("0.3", &x, why, sizeof why) && x == 0.3);
    assert_true(weir_parse_share("100%", &x, why, sizeof why) && x == 1);
    assert_true(weir_parse_share("-0", &x, why, sizeof why) && x == 0 && !signbit(x));
    assert_true(weir_parse_event_rate("200/s", &x, why, sizeof why) && x == 200);
    assert_true(weir_parse_event_rate("3/ms", &x, why, sizeof why) && x == 3000);
    assert_true(weir_parse_event_rate("0.1 / us", &x, why, sizeof why) && x == 1e5);
    assert_true(weir_parse_event_rate("0.5/min", &x, why, sizeof why) && x == 0.5 / 60);
    assert_true(weir_parse_count("1_000_000", &n, why, sizeof why) && n == 1000000);
    assert_true(weir_parse_count("1e6", &n, why, sizeof why) && n == 1000000);
    assert_true(weir_parse_number("-2.5e-3", &x, why, sizeof why) && x == -2.5e-3);
}

typedef enum kind { TIME, RATE, SIZE, SHARE, EVENTS, COUNT, NUMBER } kind;

static bool parse(kind k, const char *text, char *message, size_t size)
{
    weir_time t = 77;
    uint64_t n = 77;
    double x = 77;
    bool good = false;
    switch (k) {
    case TIME:
        good = weir_parse_time(text, &t, message, size);
        break;
    case RATE:
        good = weir_parse_rate(text, &n, message, size);
        break;
    case SIZE:
        good = weir_parse_size(text, &n, message, size);
        break;
    case SHARE:
        good = weir_parse_share(text, &x, message, size);
        break;
    case EVENTS:
        good = weir_parse_event_rate(text, &x, message, size);
        break;
    case COUNT:
        good = weir_parse_count(text, &n, message, size);
        break;
    case NUMBER:
        good = weir_parse_number(text, &x, message, size);
        break;
    }
    assert_true(good || (t == 77 && n == 77 && x == 77));
    return good;
}

static void errors_say_what_to_do(void **state)
{
    (void)state;
    static const struct {
        kind kind;
        const char *text, *want;
    } cases[] = {
        {RATE, "5ms", "\"5ms\" is a time; want a rate such as 10Mbps"},
        {RATE, "10", "\"10\" has no unit; want a rate such as 10Mbps"},
        {RATE, "0", "\"0\" has no unit; want a rate such as 10Mbps"},
        {RATE, "10mbps", "\"10mbps\": unknown unit 'mbps' (did you mean Mbps?)"},
        {RATE, "10MBPS", "\"10MBPS\": unknown unit 'MBPS' (did you mean MBps?)"},
        {RATE, "10Gb/s", "\"10Gb/s\": unknown unit 'Gb/s' (did you mean Gbps?)"},
        {RATE, "10Gbit", "\"10Gbit\": unknown unit 'Gbit' (did you mean Gbps?)"},
        {RATE, "64KiB", "\"64KiB\" is a size; want a rate such as 10Mbps"},
        {RATE, "200/s", "\"200/s\" is a rate of events; want a rate such as 10Mbps"},
        {RATE, "2e7Tbps", "\"2e7Tbps\" is too large; the largest rate is about 18_000_000Tbps"},
        {RATE, "1e-9bps", "\"1e-9bps\" is less than half of 1 bps, the smallest step"},
        {TIME, "5m", "\"5m\": unknown unit 'm' (did you mean min or ms?)"},
        {TIME, "5sec", "\"5sec\": unknown unit 'sec' (did you mean s?)"},
        {TIME, "5 MS", "\"5 MS\": unknown unit 'MS' (did you mean ms?)"},
        {TIME, "5 foo", "\"5 foo\": unknown unit 'foo'; want a time in ps, ns, us, ms, s, min, h, d"},
        {TIME, "107d", "\"107d\" is too large; the largest time is about 106d"},
        {TIME, "1e99999999999s", "\"1e99999999999s\" is too large; the largest time is about 106d"},
        {TIME, "9223372036854775808ps",
         "\"9223372036854775808ps\" is too large; the largest time is about 106d"},
        {TIME, "0.4ps", "\"0.4ps\" is less than half of 1 ps, the smallest step"},
        {TIME, "-5s", "\"-5s\" is negative; want a time of 0 or more"},
        {TIME, "", "\"\" is empty; want a time such as 5ms"},
        {TIME, "  ", "\"  \" is empty; want a time such as 5ms"},
        {TIME, "fast", "\"fast\" does not begin with a number; want a time such as 5ms"},
        {TIME, "1,5s", "\"1,5s\" has a comma; the decimal point is '.'"},
        {TIME, "5s or a little longer",
         "\"5s or a little longer\" is followed by more than a unit; want a time such as 5ms"},
        {SIZE, "10kb",
         "\"10kb\" counts bits; sizes are in bytes, with an upper-case B (B, kB, MB, GB, TB, KiB, MiB, GiB, "
         "TiB)"},
        {SIZE, "10KB", "\"10KB\": unknown unit 'KB' (did you mean kB?)"},
        {SIZE, "10mb", "\"10mb\": unknown unit 'mb' (did you mean MB?)"},
        {SIZE, "10Mbps", "\"10Mbps\" is a rate; want a size such as 64KiB"},
        {SHARE, "130%", "\"130%\" is not between 0% and 100%"},
        {SHARE, "30", "\"30\" is not between 0 and 1; want a share such as 30% or 0.3"},
        {SHARE, "5ms", "\"5ms\" is a time; want a share such as 30% or 0.3"},
        {EVENTS, "200", "\"200\" has no unit; want a rate of events such as 200/s"},
        {EVENTS, "200/x", "\"200/x\": unknown unit '/x'; want a rate of events in /ps .. /s, /min, /h, /d"},
        {EVENTS, "5ms", "\"5ms\" is a time; want a rate of events such as 200/s"},
        {EVENTS, "-1/s", "\"-1/s\" is negative; want a rate of events of 0 or more"},
        {EVENTS, "1e400/s", "\"1e400/s\" is too large"},
        {COUNT, "2.5", "\"2.5\" is not a whole number"},
        {COUNT, "-2", "\"-2\" is negative; want a whole number of 0 or more"},
        {COUNT, "20kB",
         "\"20kB\" has a unit, or something else, after the number; want a whole number such as 20"},
        {COUNT, "1e20", "\"1e20\" is too large; the largest number is 18446744073709551615"},
        {NUMBER, "1e999", "\"1e999\" is too large"},
        {NUMBER, "nan", "\"nan\" does not begin with a number; want a number such as 0.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(parse(cases[i].kind, cases[i].text, why, sizeof why));
        assert_string_equal(why, cases[i].want);
        assert_false(parse(cases[i].kind, cases[i].text, NULL, 0));
    }
    char tight[8];
    assert_false(parse(RATE, "5ms", tight, sizeof tight));
    assert_true(strlen(tight) < sizeof tight);
    char endless[300];
    memset(endless, '9', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_false(parse(TIME, endless, why, sizeof why));
    assert_true(strstr(why, "...\"") != NULL && strlen(why) < 120);
}

static void shortest_spellings(void **state)
{
    (void)state;
    static const struct {
        weir_time t;
        const char *want;
    } cases[] = {
        {0, "0s"},
        {1, "1ps"},
        {500 * WEIR_PS_PER_US, "500us"},
        {1500 * WEIR_PS_PER_MS, "1.5s"},
        {60 * WEIR_PS_PER_S, "60s"},
        {86400 * WEIR_PS_PER_S, "1d"},
        {-5000, "-5ns"},
        {INT64_MAX, "9223372036854775807ps"},
        {INT64_MIN, "-9223372036854775808ps"},
    };
    char text[WEIR_UNITS_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(weir_format_time(cases[i].t, text), cases[i].want);
    assert_string_equal(weir_format_rate(UINT64_C(10000000000), text), "10Gbps");
    assert_string_equal(weir_format_rate(1544000, text), "1544kbps");
    assert_string_equal(weir_format_rate(0, text), "0bps");
    assert_string_equal(weir_format_size(65536, text), "64KiB");
    assert_string_equal(weir_format_size(1500, text), "1500B");
    assert_string_equal(weir_format_size(5000000, text), "5MB");
}

/* Random sizes of all magnitudes, and round ones. Twenty-digit values are beyond what the parser keeps. */
static void format_and_parse_are_inverse(void **state)
{
    (void)state;
    weir_stream s = weir_stream_make(7, 0, 0);
    char text[WEIR_UNITS_TEXT];
    for (int i = 0; i < 30000; i++) {
        uint64_t v = weir_draw(&s) >> (1 + weir_draw_below(&s, 63));
        for (uint64_t zeros = weir_draw_below(&s, 12); zeros > 0 && v < UINT64_MAX / 20; zeros--)
            v *= 10;
        if (v > INT64_MAX)
            continue;
        if (time_of(weir_format_time((weir_time)v, text)) != (weir_time)v ||
            rate_of(weir_format_rate(v, text)) != v || size_of(weir_format_size(v, text)) != v)
            fail_msg("%" PRIu64 " came out as %s", v, text);
    }
}

static void locale_does_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        print_message("no de_DE locale here: the decimal comma is not tried\n");
    double x;
    assert_true(time_of("1.5s") == 1500 * WEIR_PS_PER_MS);
    assert_true(weir_parse_number("1.2345678901234567e-30", &x, why, sizeof why) &&
                x == 1.2345678901234567e-30);
    char text[WEIR_UNITS_TEXT];
    assert_string_equal(weir_format_time(1500 * WEIR_PS_PER_MS, text), "1.5s");
    setlocale(LC_ALL, "C");
}

static void decimals_stop_where_the_number_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t used;
        double value;
    } cases[] = {
        {"12e", 2, 12},
        {"12e+", 2, 12},
        {"12e+3x", 5, 12e3},
        {"1_0", 3, 10},
        {"1__0", 1, 1},
        {"1_", 1, 1},
        {".5", 2, 0.5},
        {"5.", 2, 5},
        {"1.2.3", 3, 1.2},
        {"007", 3, 7},
        {"-3,4", 2, -3},
        {"0x10", 1, 0},
        {"1e-400", 6, 0},
        {"0e99999", 7, 0},
        {"123456789012345678901234567890", 30, 1.234567890123456789e29},
        {"0.1234567890123456789012345", 27, 0.1234567890123456789},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].text;
        double x;
        assert_true(wi_read_double(&p, p + strlen(p), &x));
        assert_int_equal(p - cases[i].text, cases[i].used);
        assert_true(x == cases[i].value);
    }
    static const char *const none[] = {"", "-", "+", ".", "e5", "_1", "-.", "inf", "1e400"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *p = none[i];
        double x;
        assert_false(wi_read_double(&p, p + strlen(p), &x));
        assert_ptr_equal(p, none[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times),
        cmocka_unit_test(rates_and_sizes),
        cmocka_unit_test(shares_counts_and_event_rates),
        cmocka_unit_test(errors_say_what_to_do),
        cmocka_unit_test(shortest_spellings),
        cmocka_unit_test(format_and_parse_are_inverse),
        cmocka_unit_test(locale_does_not_matter),
        cmocka_unit_test(decimals_stop_where_the_number_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

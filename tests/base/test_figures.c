/* Figures for people: three digits, the right prefix at its edges, a dash where nothing was measured. */
#include "base/units/figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void prefixes(void **state)
{
    (void)state;
    char out[WI_FIGURE];
    assert_string_equal(wi_figure_si(out, 0), "0");
    assert_string_equal(wi_figure_si(out, 999), "999");
    assert_string_equal(wi_figure_si(out, 999.6), "1.00 k");
    assert_string_equal(wi_figure_si(out, 12345), "12.3 k");
    assert_string_equal(wi_figure_si(out, 999999), "1.00 M");
    assert_string_equal(wi_figure_si(out, 4.5e9), "4.50 G");
    assert_string_equal(wi_figure_si(out, 1e20), "100000 P");
}

static void units(void **state)
{
    (void)state;
    char out[WI_FIGURE];
    assert_string_equal(wi_figure_unit(out, 12345, "bit/s"), "12.3 kbit/s");
    assert_string_equal(wi_figure_unit(out, 12, "bit/s"), "12 bit/s");
    assert_string_equal(wi_figure_unit(out, 12, ""), "12");
    assert_string_equal(wi_figure_duration(out, 1.5), "1.5 s");
    assert_string_equal(wi_figure_duration(out, 0.02), "20 ms");
    assert_string_equal(wi_figure_duration(out, 3e-5), "30 us");
    assert_string_equal(wi_figure_duration(out, -0.053), "-53 ms"); /* the lower end of an interval */
    assert_string_equal(wi_figure_decimals(out, 2.345, 1), "2.3");
    assert_string_equal(wi_figure_percent(out, 0.125), "12.5 %");
}

static void nothing_measured(void **state)
{
    (void)state;
    char out[WI_FIGURE];
    assert_string_equal(wi_figure_unit(out, (double)NAN, "bit/s"), "-");
    assert_string_equal(wi_figure_duration(out, (double)NAN), "-");
    assert_string_equal(wi_figure_decimals(out, (double)NAN, 2), "-");
    assert_string_equal(wi_figure_percent(out, (double)NAN), "-");
}

static void columns(void **state)
{
    (void)state;
    assert_int_equal(wi_text_columns(""), 0);
    assert_int_equal(wi_text_columns("plain"), 5);
    assert_int_equal(wi_text_columns("Z\u00fcrich"), 6);
    assert_int_equal(wi_text_columns("Zu\u0308rich"), 6); /* the dots by themselves */
    assert_int_equal(wi_text_columns("\u6771\u4eac"), 4);
    assert_int_equal(wi_text_columns("\U0001f600"), 2);
    assert_int_equal(wi_text_columns("\xff"), 1); /* broken: a byte is a mark */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes),
        cmocka_unit_test(units),
        cmocka_unit_test(nothing_measured),
        cmocka_unit_test(columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

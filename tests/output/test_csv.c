/* Pinned down: the bytes of a table with every type of cell, exact numbers, and that misuse and a full disk
 * are reported. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "output/csv.h"
#include "output/number.h"
#include "output/results/remove_tree.h"
#include "output/scratch.h"
#include "skip.h"

static const wi_result_column columns[] = {
    {"name", WI_CSV_TEXT},          {"sent_packets", WI_CSV_U64}, {"received_packets", WI_CSV_U64},
    {"goodput_bps", WI_CSV_DOUBLE}, {"start_s", WI_CSV_SECONDS},
};

static int setup(void **state)
{
    (void)state;
    return scratch_make() ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return wi_remove_tree(scratch_folder);
}

static wi_csv *open_table(weir_diag *diag)
{
    wi_csv *csv;
    assert_int_equal(wi_csv_open(diag, scratch_folder, "t.csv", columns, 5, &csv), WEIR_OK);
    return csv;
}

static void all_types_and_quotes(void **state)
{
    (void)state;
    wi_csv *csv = open_table(NULL);
    WI_CSV_PUT(csv, {.TEXT = "New York, \"NY\""}, {.U64 = UINT64_MAX - 1}, {.U64 = 0}, {.DOUBLE = 0.1},
               {.SECONDS = 1500000000001});
    wi_csv_row(csv, (const wi_cell[]){{.TEXT = "a\nb"},
                                      {.U64 = WI_NO_COUNT},
                                      {.U64 = 1},
                                      {.DOUBLE = NAN},
                                      {.SECONDS = -WEIR_PS_PER_MS}});
    WI_CSV_PUT(csv, {.TEXT = NULL}, {.U64 = 2}, {.U64 = 3}, {.DOUBLE = 4});
    WI_CSV_PUT(csv, {.SECONDS = WI_NO_TIME});
    assert_int_equal(wi_csv_close(NULL, csv), WEIR_OK);
    char *text = read_text(scratch_path("t.csv"));
    assert_string_equal(text, "name,sent_packets,received_packets,goodput_bps,start_s\n"
                              "\"New York, \"\"NY\"\"\",18446744073709551614,0,0.1,1.500000000001\n"
                              "\"a\nb\",,1,,-0.001\n"
                              ",2,3,4,\n");
    free(text);
}

static void misuse_is_remembered(void **state)
{
    (void)state;
    wi_csv *csv = open_table(NULL);
    WI_CSV_PUT(csv, {.TEXT = "a row that ends early"});
    assert_int_equal(wi_csv_close(NULL, csv), WEIR_E_ARG);
    assert_int_equal(wi_csv_open(NULL, scratch_folder, "t.csv", columns, 0, &csv), WEIR_E_ARG);
    assert_null(csv);
}

static void full_disk(void **state)
{
    (void)state;
    if (!exists("/dev/full"))
        skip_aloud("no /dev/full here");
    weir_diag *diag = weir_diag_new();
    wi_csv *csv;
    assert_int_equal(wi_csv_open(diag, "/dev", "full", columns, 5, &csv), WEIR_OK);
    for (int i = 0; i < 50000; i++)
        wi_csv_row(csv, (const wi_cell[5]){{.TEXT = "x"}});
    assert_int_equal(wi_csv_close(diag, csv), WEIR_E_IO);
    assert_string_equal(weir_diag_get(diag, 0)->file, "/dev/full");
    weir_diag_free(diag);
}

/* The same by printf and strtod: the shortest of fifteen to seventeen digits. */
static void print_slowly(double value, char text[WI_NUMBER_MAX])
{
    if (fabs(value) < 9007199254740992.0 && value == floor(value)) {
        snprintf(text, WI_NUMBER_MAX, "%.0f", value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, WI_NUMBER_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
}

static double read_slowly(float value)
{
    char text[WI_NUMBER_MAX];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value)
            break;
    }
    return strtod(text, NULL);
}

/* Random bits, times, rates, means, thousandths: what results hold. */
static void numbers_are_as_printf_has_them(void **state)
{
    (void)state;
    uint64_t x = 2;
    for (int i = 0; i < 300000; i++) {
        char text[WI_NUMBER_MAX], want[WI_NUMBER_MAX];
        double value;
        x = x * 6364136223846793005u + 1442695040888963407u;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value) || i % 5 > 0) {
            const double kinds[] = {(double)(x >> 20) / 1e9, (double)(x >> 40) / (double)((x & 0xffff) + 1),
                                    (double)((int64_t)x >> 34) * 0.001, ldexp(1.0, (int)(x >> 60) * 8 - 70),
                                    (double)(x >> 30) / 3.0 * 1e-15};
            value = kinds[i % 5];
        }
        wi_format_double(value, text);
        print_slowly(value, want);
        assert_string_equal(text, want);
        const float narrow = (float)((double)(x >> 24) * (i % 2 ? 1e-15 : -1e-3));
        assert_true(wi_of_float((double)narrow) == read_slowly(narrow));
    }
}

static void doubles_read_back(void **state)
{
    (void)state;
    char text[WI_NUMBER_MAX];
    const double samples[] = {
        0,      1,        -3,     0.1,  1.0 / 3,   2.0 / 3,  1e300, 5e-324, 1.7976931348623157e308,
        123e15, 9.999e22, 1e-310, 1e15, 12345.678, -1.0 / 7, 0.3,   1e22,   9007199254740993.0};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        wi_format_double(samples[i], text);
        assert_true(strtod(text, NULL) == samples[i]);
    }
    uint64_t x = 1;
    for (int i = 0; i < 100000; i++) { /* random bit patterns, by a linear congruence (Knuth's MMIX) */
        x = x * 6364136223846793005u + 1442695040888963407u;
        double value;
        memcpy(&value, &x, sizeof value);
        if (!isfinite(value))
            continue;
        wi_format_double(value, text);
        if (strtod(text, NULL) != value)
            fail_msg("%a became %s", value, text);
    }
    wi_format_double(0.3, text);
    assert_string_equal(text, "0.3");
    wi_format_double(1e10, text);
    assert_string_equal(text, "10000000000");
    wi_format_double(INFINITY, text);
    assert_string_equal(text, "inf");
}

static void locale_does_not_matter(void **state)
{
    (void)state;
    char text[WI_NUMBER_MAX], line[512];
    FILE *const source = fopen(scratch_path("comma.src"), "w");
    assert_non_null(source);
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3\nEND LC_NUMERIC\n", source);
    fclose(source);
    snprintf(
        line, sizeof line,
        "mkdir %s/locales; localedef -c -f ANSI_X3.4-1968 -i %s/comma.src %s/locales/comma >/dev/null 2>&1",
        scratch_folder, scratch_folder, scratch_folder);
    (void)!system(line); /* exit 1 for a locale with one category */
    setenv("LOCPATH", scratch_path("locales"), 1);
    if (!setlocale(LC_NUMERIC, "comma"))
        skip_aloud("localedef makes no locale with a decimal comma (package locales)");
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5"); /* the locale holds, and would show */
    wi_format_double(1.5, text);
    setlocale(LC_NUMERIC, "C");
    assert_string_equal(text, "1.5");
}

static void seconds_are_exact(void **state)
{
    (void)state;
    char text[WI_NUMBER_MAX];
    const struct {
        weir_time ps;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "0.000000000001"},
                 {-1, "-0.000000000001"},
                 {60 * WEIR_PS_PER_S, "60"},
                 {1234567890123, "1.234567890123"},
                 {INT64_MAX, "9223372.036854775807"},
                 {INT64_MIN, "-9223372.036854775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wi_format_seconds(cases[i].ps, text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(all_types_and_quotes), CASE(misuse_is_remembered),           CASE(full_disk),
        CASE(doubles_read_back),    CASE(numbers_are_as_printf_has_them), CASE(locale_does_not_matter),
        CASE(seconds_are_exact),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}

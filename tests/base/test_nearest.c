/* The nearest right spelling: habits of fingers are found, far words are not offered. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/nearest.h"

static void near_and_far(void **state)
{
    (void)state;
    static const char *const keys[] = {"rate", "delay",      "queue", "bandwidth", "max_p",
                                       NULL,   "congestion", "ms",    "s"};
    static const struct {
        const char *word, *want;
    } cases[] = {
        {"rate", "rate"},
        {"Rate", "rate"},
        {"raet", "rate"},
        {"rat", "rate"},
        {"rates", "rate"},
        {"RATE", "rate"},
        {"bandwith", "bandwidth"},
        {"band-width", "bandwidth"},
        {"max-p", "max_p"},
        {"quue", "queue"},
        {"congesiton", "congestion"},
        {"cogestoin", "congestion"},
        {"bw", NULL},
        {"latency", NULL},
        {"x", NULL},
        {"", NULL},
        {"MS", "ms"},
        {"sm", "ms"},
        {"zz", NULL},
        {"m", "ms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = wi_nearest(cases[i].word, keys, sizeof keys / sizeof *keys);
        if (!cases[i].want)
            assert_null(got);
        else {
            assert_non_null(got);
            assert_string_equal(got, cases[i].want);
        }
    }
    assert_null(wi_nearest("rate", keys, 0));
}

static void case_beats_an_edit(void **state)
{
    (void)state;
    static const char *const units[] = {"kbps", "MBps", "Mbps"};
    assert_string_equal(wi_nearest("mbps", units, 3), "Mbps");
    assert_string_equal(wi_nearest("MBPS", units, 3), "MBps");
}

static void long_words_are_passed_over(void **state)
{
    (void)state;
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    const char *const known[] = {endless, "aa"};
    assert_null(wi_nearest(endless, known, 2));
    assert_string_equal(wi_nearest("aa", known, 2), "aa");
    endless[63] = '\0';
    assert_ptr_equal(wi_nearest(endless, known, 2), endless);
}

static void hints_end_messages(void **state)
{
    (void)state;
    static const char *const keys[] = {"rate", "delay"};
    const char *many[100];
    assert_string_equal(WI_HINT("rte", keys, 2), " (did you mean 'rate'?)");
    assert_string_equal(WI_HINT("colour", keys, 2), "; known are rate, delay");
    assert_string_equal(WI_HINT("colour", keys, 0), "");
    for (size_t i = 0; i < 100; i++)
        many[i] = keys[i % 2];
    const char *const cut = WI_HINT("colour", many, 100);
    assert_int_equal(strlen(cut), WI_HINT_BYTES - 1);
    assert_string_equal(cut + strlen(cut) - 3, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_and_far),
        cmocka_unit_test(case_beats_an_edit),
        cmocka_unit_test(long_words_are_passed_over),
        cmocka_unit_test(hints_end_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

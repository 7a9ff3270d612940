/* Ranges: their values worked out by hand, and what is no range. */
#include "diag.h"

#include "study/plan/range.h"

static bool append(void *user, const char *value)
{
    char *list = user;
    strcat(list, list[0] ? " " : "");
    strcat(list, value);
    return true;
}

static void values(void **state)
{
    static const char *const cases[][2] = {
        {"1..5", "1 2 3 4 5"},
        {"1..10 step 2", "1 3 5 7 9"},
        {"10..1 step 3", "10 7 4 1"},
        {"3..3", "3"},
        {"0.1..0.5 step 0.1", "0.1 0.2 0.3 0.4 0.5"}, /* in decimal: 0.1 + 2 * 0.1 is 0.3 */
        {"1ms..2ms step 250us", "1ms 1250us 1.5ms 1750us 2ms"},
        {"1ms..1s log 4", "1ms 10ms 0.1s 1s"},
        {"1..1000 log 4", "1 10 100 1000"},
        {"1..100 log 5", "1 3 10 32 100"}, /* whole ends: whole numbers */
        {"1..3 log 5", "1 2 3"},           /* 1.3 and 1 fall together, 2.3 and 1.7 too */
        {"1.5..150 log 3", "1.5 15 150"},
        {"1..1024 times 4", "1 4 16 64 256 1024"},
        {"1kB..64kB times 8", "1kB 8kB 64kB"},
        {"64..1 times 4", "64 16 4 1"},
        {"10Mbps..30Mbps step 10Mbps", "10Mbps 20Mbps 30Mbps"},
        {"10%..30% step 10%", "0.1 0.2 0.3"},
    };
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char list[400] = "";
        assert_true(wi_range_is(cases[i][0]));
        expect_ok(diag, wi_range_values(diag, (weir_place){0}, cases[i][0], NULL, append, list));
        assert_string_equal(list, cases[i][1]);
    }
}

static void refused(void **state)
{
    static const char *const cases[][2] = {
        {"1ms..5kB step 1ms", "units of different kinds"},
        {"1ms..5ms step 1kB", "step has a unit"},
        {"1ms..5ms", "say in which steps"},
        {"0.5..2", "say in which steps"},
        {"1..5 step 0", "step above 0"},
        {"0..5 log 3", "ends above 0"},
        {"1..5 log 1", "from 2 on"},
        {"1..5 times 1", "factor above 1"},
        {"1..5 log 2ms", "without unit"},
        {"1..99999999", "more than a million"},
        {"1..5 by 2", "want A..B step S"},
        {"1.. step 2", "want A..B step S"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char list[400] = "";
        weir_diag *diag = weir_diag_new();
        if (wi_range_values(diag, (weir_place){0}, cases[i][0], NULL, append, list) != WEIR_E_SCENARIO)
            fail_msg("%s is taken", cases[i][0]);
        expect_message(diag, cases[i][1]);
        weir_diag_free(diag);
    }
}

static void no_range(void **state)
{
    static const char *const texts[] = {"../net.graphml", "a..b", "5", "red", "", "..", "1", "./x..y"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(wi_range_is(texts[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refused),
                                       cmocka_unit_test(no_range)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

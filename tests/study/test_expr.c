/*
 * Expressions over quantities: units and dimensions worked out by hand, precedence, names, and each thing that is
 * refused with what the message must hold.
 */
#include "diag.h"

#include <math.h>

#include "study/plan/expr.h"

static bool names(void *user, const char *name, size_t length, wi_value *out)
{
    static const struct {
        const char *name, *value;
    } known[] = {{"rtt", "100ms"}, {"rate", "10Mbps"}, {"flows", "16"},
                 {"type", "red"},  {"lp-size", "8"},   {"lp", "3"},
                 {"size", "5"},    {"share", "30%"},   {"arrivals", "200/s"}};
    (void)user;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) {
            *out = wi_value_of(known[i].value);
            return true;
        }
    return false;
}

static const char *const known_names[] = {"rtt", "rate", "flows", "type"};

static weir_status value_of(weir_diag *diag, const char *text, wi_value *out)
{
    return wi_expr_value(diag, (weir_place){0}, text, &(wi_names){names, NULL, known_names, 4}, out);
}

static void values(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"1 + 2 * 3", "7"},
        {"(1 + 2) * 3", "9"},
        {"2 ^ 3 ^ 2", "512"},
        {"-2 ^ 2", "-4"},
        {"10 - 4 - 3", "3"},
        {"1e3 / 8", "125"},
        {"rtt", "0.1s"},
        {"2 * rtt + 1us", "200001us"},
        {"rtt * rate", "125kB"},                /* 0.1 s * 10e6 bit/s = 1e6 bit */
        {"rtt * rate / sqrt(flows)", "31250B"}, /* / 4 */
        {"1500B / rate", "1.2ms"},              /* 12000 bit / 10 Mbit/s */
        {"1MB / rtt", "80Mbps"},
        {"sqrt(rtt * 400ms)", "0.2s"},
        {"round(2.5)", "3"},
        {"min(3, 2) + max(3, 2)", "5"},
        {"floor(2.9) + ceil(2.1)", "5"},
        {"mod(7, 4)", "3"},
        {"log2(flows)", "4"},
        {"lp-size", "8"}, /* one name */
        {"lp - size", "-2"},
        {"50%", "0.5"},
        {"share * 10", "3"},
        {"200/s", "200/s"},
        {"arrivals * 2", "400/s"},
        {"arrivals * rtt", "20"},
        {"flows / rtt", "160/s"},
        {"1 < 2", "1"},
        {"1ms < 1s && 2 >= 2", "1"},
        {"2 == 3 || 1 != 1", "0"},
        {"type == 'red'", "1"},
        {"type != \"red\"", "0"},
        {"!(1 < 2)", "0"},
        {"1 = 1", "1"},
        /* 3 x 0.1 is 0.30000000000000004 as doubles go, 7 x 0.1 is 0.7000000000000001 */
        {"300ms >= 3 * rtt", "1"},
        {"300ms < 3 * rtt", "0"},
        {"7 * rtt > 700ms", "0"},
        {"7 * rtt <= 700ms && 7 * rtt == 700ms", "1"},
        {"7 * rtt != 700ms", "0"},
        {"0.3000000001 > 3 * 0.1", "1"},
        {"1000000000000001 == 1000000000000002", "0"}, /* whole numbers are exact */
    };
    weir_diag *diag = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wi_value v;
        char text[WI_VALUE_TEXT] = "";
        expect_ok(diag, value_of(diag, cases[i].text, &v));
        assert_true(wi_value_format(&v, text));
        if (strcmp(text, cases[i].want) != 0)
            fail_msg("%s = %s, want %s", cases[i].text, text, cases[i].want);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"rtt + rate", "takes two of a kind, not a time and a rate"},
        {"rtt < 5", "a time and a number"},
        {"flow + 1", "did you mean 'flows'"},
        {"nothing + 1", "is called 'nothing'"},
        {"1 +", "ends where a value is wanted"},
        {"(1 + 2", "a bracket is not closed"},
        {"1 2", "nothing is known to do with '2'"},
        {"log2(rtt)", "takes a number, not a time"},
        {"min(1)", "wants two values"},
        {"type * 2", "cannot be multiplied"},
        {"type < 'a'", "by == and != alone"},
        {"2 ^ rtt", "takes a number behind it"},
        {"sqrt(0 - 1)", "no number"},
        {"0 / 0", "no number"},
        {"", "ends where a value is wanted"},
        {"*", "want a value where '*' stands"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_diag *diag = weir_diag_new();
        wi_value v;
        (void)state;
        if (value_of(diag, cases[i].text, &v) != WEIR_E_SCENARIO)
            fail_msg("%s is taken", cases[i].text);
        expect_message(diag, cases[i].message);
        weir_diag_free(diag);
    }
}

/* A depth that would overflow the stack is refused, and no quantity is lost between text and number. */
static void deep(void **state)
{
    char text[4001];
    wi_value v;
    weir_diag *diag = weir_diag_new();
    (void)state;
    for (const char *c = "(-^"; *c; c++) {
        memset(text, *c, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        assert_int_equal(value_of(diag, text, &v), WEIR_E_SCENARIO);
    }
    for (int i = 0; i < 2000; i++)
        memcpy(text + 2 * i, "2^", 2);
    assert_int_equal(value_of(diag, text, &v), WEIR_E_SCENARIO);
    weir_diag_free(diag);
}

static void equal(void **state)
{
    static const char *const same[][2] = {
        {"1000us", "1ms"}, {"30%", "0.3"}, {"8Mbps", "1MBps"}, {"red", "\"red\""}};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        const wi_value a = wi_value_of(same[i][0]), b = wi_value_of(same[i][1]);
        assert_true(wi_value_equal(&a, &b));
    }
    const wi_value a = wi_value_of("1"), b = wi_value_of("1s");
    assert_false(wi_value_equal(&a, &b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(refused),
                                       cmocka_unit_test(deep), cmocka_unit_test(equal)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

/* The collector of messages: what is kept, counted, dropped and printed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "weir/status.h"

static void names_are_the_identifiers(void **state)
{
    (void)state;
    assert_string_equal(weir_status_name(WEIR_OK), "WEIR_OK");
    assert_string_equal(weir_status_name(WEIR_E_IO), "WEIR_E_IO");
    assert_string_equal(weir_status_name(WEIR_E_DEVICE), "WEIR_E_DEVICE");
    for (int s = WEIR_E_ARG; s <= WEIR_E_DEVICE; s++)
        assert_memory_equal(weir_status_name((weir_status)s), "WEIR_E_", 7);
    assert_non_null(weir_status_name((weir_status)99));
}

static void keeps_order_and_position(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char file[] = "links.csv";
    assert_int_equal(weir_fail_at(diag, WEIR_E_FORMAT, file, 41, 7, "rate is %d", 0), WEIR_E_FORMAT);
    file[0] = '?'; /* the collector has its own copy */
    weir_warn(diag, "careful");
    weir_warn(diag, "careful");
    weir_warn_at(diag, "a.yaml", 3, 0, "odd");
    weir_warn_at(diag, "a.yaml", 3, 0, "odd"); /* once is enough */
    weir_note(diag, "by the way");
    assert_int_equal(weir_fail(diag, WEIR_E_IO, "gone"), WEIR_E_IO);

    static const char *const want[] = {"links.csv:41:7: error: rate is 0", "warning: careful",
                                       "a.yaml:3: warning: odd", "note: by the way", "error: gone"};
    assert_int_equal(weir_diag_count(diag), 5);
    assert_int_equal(weir_diag_errors(diag), 2);
    assert_int_equal(weir_diag_dropped(diag), 0);
    for (size_t i = 0; i < 5; i++) {
        char text[100];
        const int n = weir_message_format(weir_diag_get(diag, i), text, sizeof text);
        assert_string_equal(text, want[i]);
        assert_int_equal(n, strlen(want[i]));
    }
    assert_int_equal(weir_diag_get(diag, 0)->status, WEIR_E_FORMAT);
    assert_int_equal(weir_diag_get(diag, 1)->status, WEIR_OK);
    assert_null(weir_diag_get(diag, 5));

    weir_diag_clear(diag);
    assert_int_equal(weir_diag_count(diag), 0);
    assert_int_equal(weir_diag_errors(diag), 0);
    weir_note(diag, "again");
    assert_int_equal(weir_diag_count(diag), 1);
    weir_diag_free(diag);
}

static void a_file_without_line(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char text[12];
    (void)weir_fail_at(diag, WEIR_E_IO, "x", 0, 0, "unreadable");
    assert_int_equal(weir_message_format(weir_diag_get(diag, 0), text, sizeof text), 20);
    assert_string_equal(text, "x: error: u"); /* cut as snprintf cuts */
    weir_diag_free(diag);
}

static void no_collector_is_fine(void **state)
{
    (void)state;
    assert_int_equal(weir_fail(NULL, WEIR_E_ARG, "%s", "lost"), WEIR_E_ARG);
    assert_int_equal(weir_fail_at(NULL, WEIR_E_NOMEM, "f", 1, 1, "lost"), WEIR_E_NOMEM);
    weir_warn(NULL, "lost");
    weir_diag_clear(NULL);
    weir_diag_free(NULL);
    assert_int_equal(weir_diag_count(NULL), 0);
    assert_int_equal(weir_diag_errors(NULL), 0);
    assert_int_equal(weir_diag_dropped(NULL), 0);
    assert_null(weir_diag_get(NULL, 0));
}

static void floods_and_long_texts_are_bounded(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    char long_text[5000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    for (int i = 0; i < 1500; i++)
        (void)weir_fail(diag, WEIR_E_FORMAT, "%d %s", i, long_text);
    assert_int_equal(weir_diag_count(diag), 1000);
    assert_int_equal(weir_diag_dropped(diag), 500);
    assert_int_equal(weir_diag_errors(diag), 1500);
    assert_memory_equal(weir_diag_get(diag, 999)->text, "999 xxx", 7);
    assert_true(strlen(weir_diag_get(diag, 0)->text) < 2000);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_identifiers),
        cmocka_unit_test(keeps_order_and_position),
        cmocka_unit_test(a_file_without_line),
        cmocka_unit_test(no_collector_is_fine),
        cmocka_unit_test(floods_and_long_texts_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

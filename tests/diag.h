/* What tests of all folders share: a diag for each test, and calls that must succeed or leave a message. */
#ifndef TESTS_DIAG_H
#define TESTS_DIAG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "weir/status.h"

static inline void print_messages(const weir_diag *diag)
{
    char text[2100];
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        weir_message_format(weir_diag_get(diag, i), text, sizeof text);
        print_message("  %s\n", text);
    }
}

/* The call must succeed; else its messages are shown. */
static inline void expect_ok(const weir_diag *diag, weir_status status)
{
    if (status == WEIR_OK)
        return;
    print_messages(diag);
    fail_msg("%s", weir_status_name(status));
}

/* The last message must hold `text`. */
static inline void expect_message(const weir_diag *diag, const char *text)
{
    const size_t n = weir_diag_count(diag);
    assert_true(n > 0);
    const char *got = weir_diag_get(diag, n - 1)->text;
    if (!strstr(got, text))
        fail_msg("message '%s' does not hold '%s'", got, text);
}

/* cmocka's set-up and tear-down of a group: *state is its diag. */
static inline int diag_set_up(void **state)
{
    return (*state = weir_diag_new()) ? 0 : -1;
}

static inline int diag_tear_down(void **state)
{
    weir_diag_free(*state);
    return 0;
}

#endif

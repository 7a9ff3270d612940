/* Lines for people: a text takes its width in columns of a terminal, whatever its bytes. */
#include "subject/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_are_aligned_by_columns(void **state)
{
    (void)state;
    static const wi_line line = {.text = "{name:-8}|{name:8}|", .list = "all"};
    json_t *figures = json_pack("{s:[{s:s}, {s:s}, {s:s}]}", "all", "name", "plain", "name", "Z\u00fcrich",
                                "name", "\u6771\u4eac");
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_true(figures && out);
    wi_lines_print(out, &line, 1, figures);
    fclose(out);
    assert_string_equal(
        text, "plain   |   plain|\nZ\u00fcrich  |  Z\u00fcrich|\n\u6771\u4eac    |    \u6771\u4eac|\n");
    free(text);
    json_decref(figures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_aligned_by_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

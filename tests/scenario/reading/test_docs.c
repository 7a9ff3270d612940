/* docs/scenario.md is what the tables say, and its example is a good scenario. WEIR_UPDATE_DOCS=1 writes the
 * page anew. */
#include "scenario/load.h"

#define PAGE WEIR_SOURCE_DIR "/docs/scenario.md"

static char *read_page(void)
{
    FILE *f = fopen(PAGE, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    if (f) {
        text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
        fclose(f);
    }
    return text;
}

static void page_is_current(void **state)
{
    char *want = weir_scenario_markdown();
    const char *update = getenv("WEIR_UPDATE_DOCS");
    (void)state;
    assert_non_null(want);
    if (update && strcmp(update, "1") == 0) {
        FILE *f = fopen(PAGE, "w");
        assert_non_null(f);
        fputs(want, f);
        assert_int_equal(fclose(f), 0);
        print_message("wrote %s\n", PAGE);
    }
    char *got = read_page();
    if (strcmp(want, got) != 0) {
        size_t line = 1;
        for (size_t i = 0; want[i] && want[i] == got[i]; i++)
            line += want[i] == '\n';
        fail_msg("docs/scenario.md differs from the tables in line %zu; run this test with "
                 "WEIR_UPDATE_DOCS=1 to write it",
                 line);
    }
    free(got);
    free(want);
}

static void example_is_good(void **state)
{
    char *page = weir_scenario_markdown();
    (void)state;
    assert_non_null(page);
    char *start = strstr(page, "```yaml\n");
    assert_non_null(start);
    start += strlen("```yaml\n");
    char *end = strstr(start, "```\n");
    assert_non_null(end);
    *end = '\0';
    weir_scenario *s = good(start, NULL, 0);
    assert_int_equal(s->n_traffic, 3);
    weir_scenario_free(s);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_current),
        cmocka_unit_test(example_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

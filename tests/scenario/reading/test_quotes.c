/*
 * What the pages quote from files is in those files, to the letter: a fenced block that follows the comment
 *
 *     <!-- quote: examples/first/first.yaml -->
 *
 * must stand in that file as it stands in the page. So an example cannot change behind a page's back. And no page
 * shows a scenario that is refused.
 */
#include <ctype.h>
#include <glob.h>

#include "scenario/load.h"

#define MARK "<!-- quote: "

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    if (!f)
        fail_msg("%s cannot be read", path);
    text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
    fclose(f);
    return text;
}

/* The block after `at`: its text, cut off in place; moves `at` behind it. */
static const char *next_block(const char *page, char **at)
{
    char *fence = strstr(*at, "```");
    char *start = fence ? strchr(fence, '\n') : NULL;
    char *end = start ? strstr(start, "\n```") : NULL;
    if (!end)
        fail_msg("%s: a quote without a fenced block after it", page);
    for (const char *c = *at; c < fence; c++)
        if (!isspace((unsigned char)*c))
            fail_msg("%s: a quote's comment must stand right before the block", page);
    end[1] = '\0';
    *at = end + 2;
    return start + 1;
}

static int check_page(const char *page)
{
    char *text = read_file(page);
    char *at = text;
    int quotes = 0;
    while ((at = strstr(at, MARK)) != NULL) {
        char path[4096];
        const char *name = at + strlen(MARK);
        char *close = strstr(at, " -->");
        if (!close)
            fail_msg("%s: the comment '%.40s' does not end", page, at);
        snprintf(path, sizeof path, WEIR_SOURCE_DIR "/%.*s", (int)(close - name), name);
        at = close + strlen(" -->");
        const char *quote = next_block(page, &at);
        char *source = read_file(path);
        if (!strstr(source, quote))
            fail_msg("%s quotes what is not in %s:\n%s", page, path, quote);
        free(source);
        quotes++;
    }
    free(text);
    return quotes;
}

/* The sum of what `check` returns for every page of the documentation. */
static int each_page(int (*check)(const char *page))
{
    static const char *const pages[] = {WEIR_SOURCE_DIR "/*.md", WEIR_SOURCE_DIR "/docs/*.md",
                                        WEIR_SOURCE_DIR "/docs/*/*.md"};
    int n = 0;
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        glob_t found;
        if (glob(pages[i], 0, NULL, &found) != 0)
            fail_msg("no page %s", pages[i]);
        for (size_t k = 0; k < found.gl_pathc; k++)
            n += check(found.gl_pathv[k]);
        globfree(&found);
    }
    return n;
}

static void quotes_are_true(void **state)
{
    (void)state;
    assert_true(each_page(check_page) >= 5);
}

/* The scenarios of a page: nothing in them is refused, by this version or any build. What a block leaves out of the
 * file's top is put before it. */
static int try_page(const char *page)
{
    char *text = read_file(page), *at = text;
    int n = 0;
    while ((at = strstr(at, "```yaml\n")) != NULL) {
        char *block = at + strlen("```yaml\n"), *end = strstr(block, "\n```"), *whole = NULL;
        assert_non_null(end);
        end[1] = '\0';
        if (block[0] == ' ') { /* part of a section */
            at = end + 2;
            continue;
        }
        const bool model =
            strstr(block, "model:\n") || strstr(block, "\nmodel:") || strncmp(block, "model:", 6) == 0;
        assert_true(asprintf(&whole, "%s%s%s%s%s", strstr(block, "weir: 1") ? "" : "weir: 1\n",
                             strstr(block, "duration:") ? "" : "duration: 1s\n",
                             model || strstr(block, "topology:") ? "" : TOPOLOGY,
                             model || strstr(block, "traffic:") ? "" : TRAFFIC, block) > 0);
        weir_scenario *s = NULL;
        weir_diag *diag = weir_diag_new();
        const weir_status status = weir_scenario_parse(diag, page, whole, strlen(whole), NULL, NULL, 0, &s);
        if (status != WEIR_OK) {
            print_messages(diag);
            fail_msg("%s shows what is refused:\n%s", page, whole);
        }
        weir_scenario_free(s);
        weir_diag_free(diag);
        free(whole);
        at = end + 2;
        n++;
    }
    free(text);
    return n;
}

static void examples_are_accepted(void **state)
{
    (void)state;
    assert_in_range(each_page(try_page), 3, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotes_are_true),
                                       cmocka_unit_test(examples_are_accepted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

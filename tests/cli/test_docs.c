/* Pinned down: the man page and the shell completion name every command and option of the tables, and
 * completion offers what the tables say. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "skip.h"

/* The text of a file of the source tree, backslashes left out (the man page writes \-). */
static char *plain_text(const char *path)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", WEIR_SOURCE_DIR, path);
    FILE *f = fopen(name, "r");
    if (!f)
        fail_msg("%s cannot be read", name);
    char *text = calloc(1, 1 << 16);
    size_t n = 0;
    for (int c; (c = fgetc(f)) != EOF && n < (1 << 16) - 1;)
        if (c != '\\')
            text[n++] = (char)c;
    fclose(f);
    return text;
}

static void all_options_are_in(const char *path)
{
    char *text = plain_text(path);
    for (size_t i = 0; i < cli_n_options; i++) {
        char option[64];
        snprintf(option, sizeof option, "--%s", cli_options[i].name);
        const char *at = strstr(text, option);
        while (at && (isalnum((unsigned char)at[strlen(option)]) || at[strlen(option)] == '-'))
            at = strstr(at + 1, option);
        if (!at)
            fail_msg("%s does not name %s", path, option);
    }
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(commands[i].name, " "), commands[i].name);
        if (!strstr(text, word))
            fail_msg("%s does not name the command %s", path, word);
    }
    free(text);
}

static void man_page(void **state)
{
    (void)state;
    all_options_are_in("docs/man/weir.1");
}

static void completion(void **state)
{
    (void)state;
    all_options_are_in("tools/completion/weir.bash");
}

/* What bash would offer after `weir WORDS... --`, one a line. */
static char *offered(const char *command)
{
    char line[1024];
    char *text = calloc(1, 4096);
    snprintf(line, sizeof line,
             "bash --norc -c '. \"%s/tools/completion/weir.bash\"; COMP_WORDS=(weir %s --); "
             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir; printf \"%%s\\n\" \"${COMPREPLY[@]}\"'",
             WEIR_SOURCE_DIR, command);
    FILE *f = popen(line, "r");
    const size_t n = fread(text, 1, 4095, f);
    text[n] = '\0';
    pclose(f);
    return text;
}

static void completion_offers_what_a_command_takes(void **state)
{
    (void)state;
    if (system("command -v bash >/dev/null") != 0)
        skip_aloud("no bash here");
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t c = 0; c < n; c++) {
        if (!commands[c].takes) /* help and version: completed with names of commands */
            continue;
        char *text = offered(commands[c].name);
        for (size_t i = 0; i < cli_n_options; i++) {
            char option[64];
            snprintf(option, sizeof option, "--%s\n", cli_options[i].name);
            const bool there = strstr(text, option) != NULL;
            if (there != cli_takes_option(&commands[c], &cli_options[i]))
                fail_msg("completion of weir %s: --%s is %s", commands[c].name, cli_options[i].name,
                         there ? "offered but not taken" : "taken but not offered");
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(man_page),
        cmocka_unit_test(completion),
        cmocka_unit_test(completion_offers_what_a_command_takes),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}

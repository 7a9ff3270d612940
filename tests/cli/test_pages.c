/* Pinned down: manual page and completions say what the tables of commands and options say: the same
 * commands, and for each the same options, no more and no fewer. The shells themselves are asked what they
 * would offer; troff has nothing to complain of. The words that complete a value are those it takes. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "cli/terminal/options.h"
#include "cli/pages.h"
#include "skip.h"
#include "weir/topology.h"

#define PAGES WEIR_BINARY_DIR "/src/cli/pages"
#define SHELLS WEIR_SOURCE_DIR "/src/cli/pages"
#define ON_PATH "PATH=" WEIR_BINARY_DIR "/src/cli:$PATH "

/* What a shell's command says on standard output; fails where it says something on standard error. */
static const char *said(const char *line)
{
    static char text[1 << 16];
    char quiet[4096];
    assert_in_range(snprintf(quiet, sizeof quiet, "{ %s; } 2>.err </dev/null", line), 1, sizeof quiet - 1);
    FILE *pipe = popen(quiet, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof text - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    slurp(".err", err_text, sizeof err_text);
    if (status != 0 || err_text[0])
        fail_msg("%s\nends with %d and says: %s", line, status, err_text);
    return text;
}

static void want_program(const char *name)
{
    char line[80];
    snprintf(line, sizeof line, "command -v %s >/dev/null 2>&1", name);
    if (system(line) != 0)
        skip_aloud("no %s here", name);
}

/* Is `word` among the words of a text? */
static bool has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if ((at == text || strchr(" \n\t,'\"=(", at[-1])) && strchr(" \n\t,.'\"[]()=:", at[n]))
            return true;
    return false;
}

/* A text that lists options (--name) must list those that the command takes, and no others. */
static void assert_options(const char *who, const cli_command *command, const char *text)
{
    size_t found = 0, taken = 0;
    for (size_t i = 0; i < cli_n_options; i++) {
        char name[64];
        snprintf(name, sizeof name, "--%s", cli_options[i].name);
        const bool takes = cli_takes_option(command, &cli_options[i]);
        if (has_word(text, name) != takes)
            fail_msg("%s: weir %s %s %s; it says:\n%s", who, command->name,
                     takes ? "does not offer" : "offers", name, text);
        taken += takes;
    }
    for (const char *at = text; (at = strstr(at, "--")); at += 2)
        found += at == text || strchr(" \n\t", at[-1]) != NULL;
    if (found != taken)
        fail_msg("%s: weir %s has %zu options, %zu are offered:\n%s", who, command->name, taken, found, text);
}

static void assert_commands(const char *who, const char *text)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    for (size_t i = 0; i < n; i++) {
        char first[64];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(commands[i].name, " "), commands[i].name);
        if (!has_word(text, first))
            fail_msg("%s does not offer %s: %s", who, first, text);
    }
}

static void bash_offers_what_the_table_has(void **state)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    char line[512];
    (void)state;
    /* Debian's bash-completion reads the file from within a function. */
    const char *ask =
        ON_PATH "bash -c 'load() { source " SHELLS "/weir.bash; }; load; COMP_WORDS=(weir %s \"%s\"); "
                "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _weir; echo \"${COMPREPLY[@]}\"'";
    snprintf(line, sizeof line, ask, "", "");
    assert_commands("bash", said(line));
    for (size_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, ask, commands[i].name, "--");
        assert_options("bash", &commands[i], said(line));
    }
    snprintf(line, sizeof line, ask, "run --engine", "con");
    assert_string_equal(said(line), "conservative\n");
    snprintf(line, sizeof line, ask, "topology", "con");
    assert_string_equal(said(line), "convert\n");
    snprintf(line, sizeof line, ask, "topology models", "wax");
    assert_string_equal(said(line), "waxman\n");
    put_text("net.graphml", "");
    snprintf(line, sizeof line, ask, "topology info", "net");
    assert_string_equal(said(line), "net.graphml\n");
}

static void fish_offers_what_the_table_has(void **state)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    char line[512];
    (void)state;
    want_program("fish");
    const char *ask =
        ON_PATH "HOME=$PWD fish -c 'source " SHELLS "/weir.fish; complete -C \"weir %s\"' | cut -f1";
    snprintf(line, sizeof line, ask, "");
    assert_commands("fish", said(line));
    for (size_t i = 0; i < n; i++) {
        char words[80];
        snprintf(words, sizeof words, "%s --", commands[i].name);
        snprintf(line, sizeof line, ask, words);
        assert_options("fish", &commands[i], said(line));
    }
    snprintf(line, sizeof line, ask, "run --engine con");
    assert_string_equal(said(line), "conservative\n");
    snprintf(line, sizeof line, ask, "topology con");
    assert_string_equal(said(line), "convert\n");
}

/* zsh completes only where it edits a line: its own function is replaced by one that prints what it gets. */
static void zsh_offers_what_the_table_has(void **state)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    char line[1024];
    (void)state;
    want_program("zsh");
    const char *ask =
        ON_PATH "zsh -f -c '_describe() { print -rl -- ${(P)2%%%%:*} }; _files() { print files }; "
                "words=(weir %s \"%s\"); CURRENT=${#words}; source " SHELLS "/_weir; _weir'";
    snprintf(line, sizeof line, ask, "", "");
    assert_commands("zsh", said(line));
    for (size_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, ask, commands[i].name, "--");
        assert_options("zsh", &commands[i], said(line));
    }
    snprintf(line, sizeof line, ask, "topology", "con");
    assert_string_equal(said(line), "convert\n");
    snprintf(line, sizeof line, ask, "topology info", "");
    assert_string_equal(said(line), "files\n");
}

/* A command's part of the manual page, from its heading to the next. */
static void manual_page_has_what_the_table_has(void **state)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    static char page[1 << 17], part[1 << 14];
    (void)state;
    slurp(PAGES "/weir.1", page, sizeof page);
    char *to = page; /* \- as - */
    for (const char *from = page; *from; from++)
        if (from[0] != '\\' || from[1] != '-')
            *to++ = *from;
    *to = '\0';
    for (size_t i = 0; i < n; i++) {
        char heading[80];
        snprintf(heading, sizeof heading, ".SS weir %s %s\n", commands[i].name, commands[i].operands);
        const char *begin = strstr(page, heading);
        if (!begin)
            fail_msg("the page has no '%s'", heading);
        assert_non_null(strstr(begin, commands[i].summary));
        begin = strstr(begin, "\nOptions:");
        snprintf(part, sizeof part, "%.*s", (int)(strstr(begin, "\n.PP") - begin), begin);
        assert_options("man", &commands[i], part);
    }
    const char *options = strstr(page, "\n.SH OPTIONS");
    assert_non_null(options);
    for (size_t i = 0; i < cli_n_options; i++) {
        assert_non_null(strstr(options, cli_options[i].doc));
        if (cli_options[i].value)
            assert_non_null(strstr(options, cli_options[i].value));
    }
}

static void troff_has_no_complaint(void **state)
{
    (void)state;
    want_program("groff");
    assert_string_equal(said("groff -man -ww -z -Tutf8 " PAGES "/weir.1"), "");
}

/* What is offered for a value is taken; formats are those of the library. */
static void words_are_taken(void **state)
{
    size_t n;
    char line[256];
    (void)state;
    const weir_topology_format *formats = weir_topology_formats(&n);
    for (size_t k = 0; k < 2; k++, formats = weir_topology_write_formats(&n)) {
        const char *name = k ? "format" : "from";
        for (size_t i = 0; i < cli_n_options; i++)
            for (size_t f = 0; strcmp(cli_options[i].name, name) == 0 && f < n; f++)
                if (!has_word(cli_options[i].words, formats[f].name) &&
                    strncmp(cli_options[i].words, formats[f].name, strlen(formats[f].name)) != 0)
                    fail_msg("--%s does not offer %s", name, formats[f].name);
    }
    for (size_t i = 0; i < cli_n_options; i++) {
        const char *at =
            cli_options[i].key && strcmp(cli_options[i].key, "engine.type") == 0 ? cli_options[i].words : "";
        for (size_t length; *at; at += length + strspn(at + length, " ")) {
            length = strcspn(at, " ");
            snprintf(line, sizeof line, "check %s/examples/phold/phold.yaml --engine %.*s", WEIR_SOURCE_DIR,
                     (int)length, at);
            const int code = weir(line); /* or named as what the build lacks */
            if (code != 0)
                assert_says(line, 2, "", "is not available in this build");
        }
    }
}

/* `weir topology --help` lists the group's commands; `weir topology info --help` its options. */
static void help_is_of_the_table(void **state)
{
    size_t n;
    const cli_command *commands = cli_commands(&n);
    char line[128];
    (void)state;
    for (size_t i = 0; i < n; i++) {
        const char *blank = strchr(commands[i].name, ' ');
        snprintf(line, sizeof line, "%s --help", commands[i].name);
        assert_says(line, 0, commands[i].summary, "");
        for (size_t k = 0; k < cli_n_options; k++) {
            char name[64];
            snprintf(name, sizeof name, "--%s", cli_options[k].name);
            if (cli_takes_option(&commands[i], &cli_options[k]) && !has_word(out_text, name))
                fail_msg("weir %s: no %s in:\n%s", line, name, out_text);
        }
        if (!blank)
            continue;
        for (size_t k = 0; k < 3; k++) {
            static const char *const forms[] = {"%.*s --help", "%.*s -h", "help %.*s"};
            snprintf(line, sizeof line, forms[k], (int)(blank - commands[i].name), commands[i].name);
            assert_says(line, 0, commands[i].summary, "");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bash_offers_what_the_table_has),
        cmocka_unit_test(fish_offers_what_the_table_has),
        cmocka_unit_test(zsh_offers_what_the_table_has),
        cmocka_unit_test(manual_page_has_what_the_table_has),
        cmocka_unit_test(troff_has_no_complaint),
        cmocka_unit_test(words_are_taken),
        cmocka_unit_test(help_is_of_the_table),
    };
    return test_result(cmocka_run_group_tests(tests, enter_scratch, leave_scratch));
}

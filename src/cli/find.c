/* The command that words name, or what it could have been. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/terminal/cli.h"

/* How many words of argv spell the name; 0: others. */
static int words_that_match(const char *name, int argc, char *const *argv)
{
    int words = 0;
    for (;;) {
        const size_t length = strcspn(name, " ");
        if (words >= argc || strlen(argv[words]) != length || strncmp(argv[words], name, length) != 0)
            return 0;
        words++;
        if (name[length] == '\0')
            return words;
        name += length + 1;
    }
}

static void say_unknown(weir_diag *diag, int argc, char *const *argv)
{
    enum { KNOWN = 64 };
    const char *known[KNOWN];
    size_t n;
    const cli_command *commands = cli_commands(&n);
    char two[128], message[256];
    n = n < KNOWN ? n : KNOWN;
    for (size_t i = 0; i < n; i++)
        known[i] = commands[i].name;
    const char *nearest = wi_nearest(argv[0], known, n);
    /* A name of two words: the second one decides. */
    const bool has_second = argc > 1 && argv[1][0] != '-';
    snprintf(two, sizeof two, "%s %s", argv[0], has_second ? argv[1] : "");
    const char *nearest_two = wi_nearest(two, known, n);
    const bool topology = strcmp(argv[0], "topology") == 0;
    const bool group = topology || strcmp(argv[0], "analyze") == 0;
    snprintf(message, sizeof message, "unknown command '%.100s'", group || nearest_two ? two : argv[0]);
    if (group && !has_second)
        snprintf(message, sizeof message, "'%s' wants a second word, such as '%s'", argv[0],
                 topology ? "topology info" : "analyze parallelism");
    else if (nearest_two || nearest)
        snprintf(message + strlen(message), sizeof message - strlen(message), " (did you mean '%s'?)",
                 nearest_two ? nearest_two : nearest);
    else
        snprintf(message + strlen(message), sizeof message - strlen(message), "; weir help lists all");
    (void)!weir_fail(diag, WEIR_E_ARG, "%s", message);
}

const cli_command *cli_find_command(weir_diag *diag, int n, char *const *words, int *named)
{
    size_t n_commands;
    const cli_command *commands = cli_commands(&n_commands);
    for (size_t i = 0; i < n_commands; i++) {
        *named = words_that_match(commands[i].name, n, words);
        if (*named > 0)
            return &commands[i];
    }
    if (diag)
        say_unknown(diag, n, words);
    return NULL;
}

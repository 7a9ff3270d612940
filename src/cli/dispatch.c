/* From a command line to the command that it names. */
#include "cli/terminal/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/pages/pages.h"

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

/* `weir help`: of itself, of a group, of a command. */
static int help_command(const cli_args *args)
{
    if (args->n_operands == 0) {
        cli_help(NULL);
        return CLI_OK;
    }
    if (args->n_operands == 1 && cli_help_group(args->operands[0]))
        return CLI_OK;
    weir_diag *diag = weir_diag_new();
    char *words[] = {(char *)args->operands[0], (char *)args->operands[1]};
    int named;
    const cli_command *about = cli_find_command(diag, args->n_operands, words, &named);
    if (about)
        cli_help(about);
    cli_print_messages(diag, 0);
    weir_diag_free(diag);
    return about ? CLI_OK : CLI_USAGE;
}

static int usage_error(weir_diag *diag)
{
    cli_print_messages(diag, 0);
    weir_diag_free(diag);
    return CLI_USAGE;
}

/* Options before a command: only those that need none. */
static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || (b && strcmp(word, b) == 0);
}

int cli_main(int argc, char **argv)
{
    if (argc < 2) {
        cli_help(NULL);
        return cli_finish_stdout(CLI_USAGE);
    }
    if (is_one_of(argv[1], "--help", "-h")) {
        cli_help(NULL);
        return cli_finish_stdout(CLI_OK);
    }
    if (is_one_of(argv[1], "--version", NULL))
        return cli_finish_stdout(cli_version(NULL, NULL));
    if (strcmp(argv[1], "complete") == 0)
        return cli_finish_stdout(cli_complete(argc - 2, argv + 2));
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write, which names it */
    weir_diag *diag = weir_diag_new();
    int words = 0;
    cli_args args;
    if (argv[1][0] == '-') {
        (void)!weir_fail(diag, WEIR_E_ARG,
                         "'%s' stands before the command; weir COMMAND [OPTIONS], see weir help", argv[1]);
        return usage_error(diag);
    }
    if (argc == 3 && is_one_of(argv[2], "--help", "-h") && cli_help_group(argv[1])) {
        weir_diag_free(diag);
        return cli_finish_stdout(CLI_OK);
    }
    const cli_command *command = cli_find_command(diag, argc - 1, argv + 1, &words);
    if (!command)
        return usage_error(diag);
    if (cli_parse(diag, command, argc - words, argv + words, &args) != WEIR_OK) {
        cli_args_free(&args);
        return usage_error(diag);
    }
    weir_diag_free(diag);
    int code = CLI_OK;
    if (args.help)
        cli_help(command);
    else if (args.version)
        code = cli_version(command, &args);
    else
        code = command->run ? command->run(command, &args) : help_command(&args);
    cli_args_free(&args);
    return cli_finish_stdout(code);
}

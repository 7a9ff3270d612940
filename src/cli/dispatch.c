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
static weir_status help_command(weir_diag *diag, const cli_args *args)
{
    char *words[] = {(char *)args->operands[0], (char *)args->operands[1]};
    const cli_command *about = NULL;
    int named;
    if (args->n_operands == 1 && cli_help_group(args->operands[0]))
        return WEIR_OK;
    if (args->n_operands > 0 && !(about = cli_find_command(diag, args->n_operands, words, &named)))
        return WEIR_E_ARG;
    cli_help(about);
    return WEIR_OK;
}

/* Options before a command: only those that need none. */
static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || (b && strcmp(word, b) == 0);
}

/* The command that the words name, with its options; an exit code. */
static int run_command(weir_diag *diag, int n, char **words)
{
    int named = 0, code = -1;
    cli_args args = {0};
    weir_status st = WEIR_E_ARG;
    const cli_command *command = cli_find_command(diag, n, words, &named);
    if (command) /* getopt skips the first: the last word of the command's name */
        st = cli_parse(diag, command, n - named + 1, words + named - 1, &args);
    if (st != WEIR_OK)
        code = CLI_USAGE;
    else if (args.help)
        cli_help(command);
    else if (args.version)
        st = cli_version(diag, &args, &code);
    else
        st = command->run ? command->run(diag, &args, &code) : help_command(diag, &args);
    cli_print_messages(diag, args.verbosity);
    cli_args_free(&args);
    return code >= 0 ? code : cli_exit_code(st);
}

int cli_main(int argc, char **argv)
{
    int code = CLI_OK;
    weir_diag *diag = weir_diag_new();
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its write, which names it */
    if (argc < 2 || is_one_of(argv[1], "--help", "-h")) {
        cli_help(NULL);
        code = argc < 2 ? CLI_USAGE : CLI_OK;
    } else if (is_one_of(argv[1], "--version", NULL)) {
        (void)!cli_version(diag, NULL, &code);
    } else if (strcmp(argv[1], "complete") == 0) {
        code = cli_complete(argc - 2, argv + 2);
    } else if (argv[1][0] == '-') {
        (void)!weir_fail(diag, WEIR_E_ARG,
                         "'%s' stands before the command; weir COMMAND [OPTIONS], see weir help", argv[1]);
        code = CLI_USAGE;
    } else if (argc != 3 || !is_one_of(argv[2], "--help", "-h") || !cli_help_group(argv[1])) {
        code = run_command(diag, argc - 1, argv + 1);
    }
    cli_print_messages(diag, 0);
    weir_diag_free(diag);
    return cli_finish_stdout(code);
}

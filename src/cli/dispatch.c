/* From a command line to the command that it names. */
#include "cli/terminal/cli.h"

#include <signal.h>
#include <string.h>

#include "cli/pages.h"

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

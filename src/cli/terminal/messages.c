/* What commands share: messages, exit codes, a scenario, JSON. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "weir/ranks.h"

void cli_print_messages(weir_diag *diag, int verbosity)
{
    if (!diag) {
        fprintf(stderr, "weir: error: no memory for messages\n");
        return;
    }
    const weir_severity least = verbosity < 0 ? WEIR_ERROR : verbosity > 0 ? WEIR_NOTE : WEIR_WARNING;
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        weir_message message = *weir_diag_get(diag, i);
        char text[4096];
        if (message.severity < least)
            continue;
        message.file = cli_place(message.file);
        weir_message_format(&message, text, sizeof text);
        fprintf(stderr, "%s%s\n", message.file ? "" : "weir: ", text);
    }
    if (weir_diag_dropped(diag) > 0)
        fprintf(stderr, "weir: %zu more messages are not shown\n", weir_diag_dropped(diag));
    weir_diag_clear(diag);
}

void cli_print_once(weir_diag *diag, const cli_args *args)
{
    if (weir_rank() == 0)
        cli_print_messages(diag, args->verbosity);
    else
        weir_diag_clear(diag);
}

int cli_exit_code(weir_status status)
{
    switch (status) {
    case WEIR_OK:
        return CLI_OK;
    case WEIR_E_ARG:
    case WEIR_E_FORMAT:
    case WEIR_E_SCENARIO:
    case WEIR_E_UNSUPPORTED:
        return CLI_USAGE;
    default:
        return CLI_FAILED;
    }
}

weir_status cli_load_scenario(weir_diag *diag, const cli_args *args, int *code, weir_scenario **out)
{
    const weir_status st =
        weir_scenario_load(diag, args->operands[0], (const char *const *)args->sets, args->n_sets, out);
    if (st != WEIR_OK && st != WEIR_E_NOMEM)
        *code = CLI_USAGE;
    return st;
}

weir_status cli_print_json(weir_diag *diag, json_t *root)
{
    const bool good = root && json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0;
    json_decref(root);
    putchar('\n');
    return good ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for the text");
}

int cli_finish_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "weir: error: standard output cannot be written: %s\n", strerror(errno));
    return code != CLI_OK ? code : CLI_FAILED;
}

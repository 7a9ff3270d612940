/* Messages to stderr, and exit codes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal/cli.h"

void cli_print_messages(weir_diag *diag, int verbosity)
{
    if (!diag) {
        fprintf(stderr, "weir: error: no memory for messages\n");
        return;
    }
    const weir_severity least = verbosity < 0 ? WEIR_ERROR : verbosity > 0 ? WEIR_NOTE : WEIR_WARNING;
    for (size_t i = 0; i < weir_diag_count(diag); i++) {
        const weir_message *message = weir_diag_get(diag, i);
        char text[4096];
        if (message->severity < least)
            continue;
        weir_message_format(message, text, sizeof text);
        fprintf(stderr, "%s%s\n", message->file ? "" : "weir: ", text);
    }
    if (weir_diag_dropped(diag) > 0)
        fprintf(stderr, "weir: %zu more messages are not shown\n", weir_diag_dropped(diag));
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

int cli_finish_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "weir: error: standard output cannot be written: %s\n", strerror(errno));
    return code != CLI_OK ? code : CLI_FAILED;
}

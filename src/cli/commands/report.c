/* weir report. */
#include <stdio.h>

#include "cli/cli.h"
#include "weir/report.h"

int cli_report(const cli_command *command, const cli_args *args)
{
    (void)command;
    weir_diag *diag = weir_diag_new();
    const char *path = args->output ? args->output : "report.html";
    const weir_status status = weir_report_write(diag, args->operands, (size_t)args->n_operands, path);
    cli_print_messages(diag, args->verbosity);
    if (status == WEIR_OK && args->verbosity >= 0)
        printf("%s\n", path);
    weir_diag_free(diag);
    return status == WEIR_E_ARG ? CLI_USAGE : cli_exit_code(status);
}

/* weir export. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/terminal/cli.h"
#include "weir/report.h"

CLI_COMMAND(export)
{
    const char *const format = args->format ? args->format : "chrome", *const run = args->operands[0];
    size_t n = strlen(run);
    while (n > 1 && run[n - 1] == '/')
        n--;
    WI_FREED char *usual = NULL;
    if (asprintf(&usual, "%.*s.%s", (int)n, run,
                 strcmp(format, "chrome") == 0    ? "json"
                 : strcmp(format, "flowmon") == 0 ? "xml"
                                                  : format) < 0) {
        usual = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a path");
    }
    const char *const path = args->output ? args->output : usual;
    if (!args->force && access(path, F_OK) == 0)
        return weir_fail(diag, WEIR_E_IO, "%s is there already; --force replaces it", path);
    const weir_status status = weir_export(diag, run, format, path);
    if (status == WEIR_OK && args->json)
        return cli_print_json(diag, json_pack("{s:s}", "export", path));
    if (status == WEIR_OK && args->verbosity >= 0)
        printf("%s\n", path);
    return status;
}

/* weir report. */
#include <stdio.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "weir/report.h"

/* Nothing stands there, or a report, which is made again from the same folders; all else is someone's. */
static weir_status may_write(weir_diag *diag, const char *path, bool force)
{
    enum { HEAD = 1024 };
    char head[HEAD + 1];
    FILE *f = force ? NULL : fopen(path, "rb");
    if (!f)
        return WEIR_OK;
    head[fread(head, 1, HEAD, f)] = '\0';
    fclose(f);
    if (strstr(head, "<title>weir report</title>"))
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_IO, "%s is there already, and is no report of weir's; --force replaces it",
                     path);
}

CLI_COMMAND(report)
{
    const char *path = args->output ? args->output : "report.html";
    weir_status status = may_write(diag, path, args->force)
                             ?: weir_report_write(diag, args->operands, (size_t)args->n_operands, path);
    if (status == WEIR_OK && args->json)
        return cli_print_json(diag, json_pack("{s:s}", "report", path));
    if (status == WEIR_OK && args->verbosity >= 0)
        printf("%s\n", path);
    return status;
}

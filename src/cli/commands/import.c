/* weir import. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/terminal/cli.h"
#include "base/file/out.h"
#include "weir/scenario.h"

CLI_COMMAND(import)
{
    WI_FREED char *text = NULL;
    const char *const path = args->output && strcmp(args->output, "-") != 0 ? args->output : NULL;
    if (path && !args->force && access(path, F_OK) == 0)
        return weir_fail(diag, WEIR_E_IO, "%s is there already; --force replaces it", path);
    WI_RETURN_IF_FAILED(weir_scenario_import(diag, args->operands, (size_t)args->n_operands,
                                             path && strchr(path, '/'), &text));
    if (!path && args->json)
        return cli_print_json(diag, json_pack("{s:s}", "text", text));
    if (!path)
        return fputs(text, stdout) < 0 ? weir_fail(diag, WEIR_E_IO, "standard output takes no more")
                                       : WEIR_OK;
    const weir_status written = wi_out_put_whole(diag, path, text, strlen(text));
    if (written == WEIR_OK && args->json)
        return cli_print_json(diag, json_pack("{s:s}", "scenario", path));
    if (written == WEIR_OK && args->verbosity >= 0)
        printf("%s\n", path);
    return written;
}

/* weir plot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/cli.h"
#include "report/plots.h"

static weir_status choose_format(weir_diag *diag, const char *format, bool *png)
{
    *png = format && strcmp(format, "png") == 0;
    if (!format || *png || strcmp(format, "svg") == 0)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "--format %s: pictures are svg or png", format);
}

/* RUN-plots, unless --output says so; malloc'ed. */
static char *folder_of(const cli_args *args)
{
    char *folder = NULL;
    const char *run = args->operands[0];
    size_t n = strlen(run);
    if (args->output)
        return strdup(args->output);
    while (n > 1 && run[n - 1] == '/')
        n--;
    return asprintf(&folder, "%.*s-plots", (int)n, run) < 0 ? NULL : folder;
}

CLI_COMMAND(plot)
{
    (void)code;
    char *folder = folder_of(args);
    wi_plots plots = {.diag = diag,
                      .run = args->operands[0],
                      .to = folder,
                      .say = args->verbosity < 0 || args->json ? NULL : stdout,
                      .files = args->json ? json_array() : NULL};
    weir_status status = folder ? choose_format(diag, args->format, &plots.png)
                                : weir_fail(diag, WEIR_E_NOMEM, "no memory for the name of a folder");
    const bool made = status == WEIR_OK && mkdir(folder, 0777) == 0;
    if (status == WEIR_OK && !made && errno != EEXIST)
        status =
            weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "the folder cannot be made: %s", strerror(errno));
    if (status == WEIR_OK)
        status = wi_plots_of_run(&plots);
    if (made && plots.made == 0)
        (void)remove(folder);
    if (status == WEIR_OK && plots.made == 0)
        status =
            weir_fail(diag, WEIR_E_ARG, "%s has nothing to draw: no network, series or flows", plots.run);
    if (status == WEIR_OK && plots.files)
        status = cli_print_json(diag, json_pack("{s:s, s:O}", "folder", folder, "pictures", plots.files));
    json_decref(plots.files);
    free(folder);
    return status;
}

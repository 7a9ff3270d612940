/* weir plot. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cli/terminal/cli.h"
#include "report/plots.h"
#include "report/report.h"

static const char *const formats[] = {"svg", "png", "pdf"};
enum { FORMATS = sizeof formats / sizeof *formats };

static const char *known_format(const char *name)
{
    for (size_t i = 0; name && i < FORMATS; i++)
        if (strcmp(name, formats[i]) == 0)
            return formats[i];
    return NULL;
}

/* Whether a name ends as a picture's of a kind that is not drawn; else it is a folder's, which may have dots too. */
static bool is_other_picture(const char *dot)
{
    static const char *const others[] = {".gif", ".jpg", ".jpeg", ".eps", ".ps", ".tif", ".tiff", ".webp"};
    for (size_t i = 0; dot && i < sizeof others / sizeof *others; i++)
        if (strcmp(dot, others[i]) == 0)
            return true;
    return false;
}

/* By --format, else by the name of the one file. */
static weir_status choose_format(weir_diag *diag, const cli_args *args, wi_plots *plots)
{
    const char *dot = args->output ? strrchr(args->output, '.') : NULL;
    const char *of_file = known_format(dot ? dot + 1 : NULL);
    plots->format = args->format ? known_format(args->format) : of_file ? of_file : "svg";
    if (of_file && plots->n_names == 1)
        plots->file = args->output;
    if (!plots->format)
        return weir_fail(diag, WEIR_E_ARG, "--format %s: pictures are svg, png or pdf", args->format);
    if (is_other_picture(dot))
        return weir_fail(diag, WEIR_E_ARG, "--output %s: pictures are svg, png or pdf", args->output);
    if (of_file && plots->n_names != 1)
        return weir_fail(
            diag, WEIR_E_ARG,
            "--output %s is a file, which takes one FIGURE; weir plot RUN without one names those of a run",
            args->output);
    return WEIR_OK;
}

/* The folder in [LABEL=]RUN; null: the operand is no run. */
static const char *folder_in(const char *operand)
{
    const char *folder = operand;
    while (folder && !wi_report_has(folder, "summary.json"))
        folder = (folder = strchr(folder, '=')) ? folder + 1 : NULL;
    return folder;
}

/* The runs that the operands begin with, at least one; the first is one, or the library says that it is none. A run without a
 * label is called after the last part of its folder, or after `whole` of it. */
static size_t find_runs(const cli_args *args, bool whole, wi_plotted *run)
{
    size_t n = 0;
    for (const char *folder; n < WI_PLOTTED_MOST && n < (size_t)args->n_operands; n++) {
        const char *const operand = args->operands[n];
        folder = folder_in(operand);
        if (!folder && n > 0)
            break;
        run[n].folder = folder ? folder : operand;
        size_t end = strlen(operand), from = 0;
        if (folder && folder != operand) {
            end = (size_t)(folder - operand) - 1;
        } else {
            while (end > 1 && operand[end - 1] == '/')
                end--;
            for (from = whole ? 0 : end; from > 0 && operand[from - 1] != '/';)
                from--;
        }
        snprintf(run[n].label, sizeof run[n].label, "%.*s", (int)(end - from), operand + from);
    }
    return n;
}

/* The first label that two runs have, as curves would; null: none. */
static const char *alike(const wi_plotted *run, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(run[i].label, run[k].label) == 0)
                return run[i].label;
    return NULL;
}

/* RUN-plots, unless --output says so; malloc'ed. */
static char *folder_of(const cli_args *args, const char *run)
{
    char *folder = NULL;
    size_t n = strlen(run);
    if (args->output)
        return strdup(args->output);
    while (n > 1 && run[n - 1] == '/')
        n--;
    return asprintf(&folder, "%.*s-plots", (int)n, run) < 0 ? NULL : folder;
}

CLI_COMMAND(plot)
{
    wi_plotted run[WI_PLOTTED_MOST];
    const size_t n_runs = find_runs(args, false, run);
    if (alike(run, n_runs))
        (void)find_runs(args, true, run);
    WI_FREED char *folder = folder_of(args, run[0].folder);
    wi_plots plots = {.diag = diag,
                      .run = run,
                      .n_runs = n_runs,
                      .since_s = (double)args->since_ps / 1e12 /* as time_s has it */,
                      .until_s = args->until_ps   ? (double)args->until_ps / 1e12
                                 : args->since_ps ? INFINITY
                                                  : 0.0,
                      .to = folder,
                      .names = args->operands + n_runs,
                      .n_names = (size_t)args->n_operands - n_runs,
                      .look = {.width_mm = (unsigned)args->width_mm,
                               .font_pt = (unsigned)args->font_pt,
                               .grey = args->grey},
                      .say = args->verbosity < 0 || args->json ? NULL : stdout,
                      .files = args->json ? json_array() : NULL};
    weir_status status = folder ? choose_format(diag, args, &plots)
                                : weir_fail(diag, WEIR_E_NOMEM, "no memory for the name of a folder");
    if (status == WEIR_OK && alike(run, n_runs))
        status = weir_fail(diag, WEIR_E_ARG,
                           "two runs are called '%s' in the same axes; give each a label: LABEL=RUN",
                           alike(run, n_runs));
    if (status == WEIR_OK && (args->width_mm > 2000 || args->font_pt > 100))
        status = weir_fail(diag, WEIR_E_ARG, "a picture is at most 2000 mm wide, its text 100 points");
    if (status == WEIR_OK && args->until_ps && args->until_ps <= args->since_ps)
        status = weir_fail(diag, WEIR_E_ARG, "--until is not after --since, %.9g s", plots.since_s);
    if (status == WEIR_OK && plots.n_names > 0 && folder_in(plots.names[0]))
        status = weir_fail(diag, WEIR_E_ARG, "%s is one run too many: at most %d in the same axes",
                           plots.names[0], WI_PLOTTED_MOST);
    const bool made = status == WEIR_OK && !plots.file && mkdir(folder, 0777) == 0;
    if (status == WEIR_OK && !plots.file && !made && errno != EEXIST)
        status =
            weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "the folder cannot be made: %s", strerror(errno));
    status = status ?: wi_plots_of_run(&plots);
    if (made && plots.made == 0)
        (void)remove(folder);
    if (status == WEIR_OK && plots.made == 0 && plots.n_names)
        status =
            weir_fail(diag, WEIR_E_ARG, "%s has no such picture%s; weir plot %s names those that it has",
                      run[0].folder, plots.until_s > 0.0 ? " of that stretch of time" : "", run[0].folder);
    if (status == WEIR_OK && plots.made == 0)
        status =
            weir_fail(diag, WEIR_E_ARG, "%s has nothing to draw: no network, series or flows", run[0].folder);
    if (status == WEIR_OK && plots.files)
        status = cli_print_json(diag, json_pack("{s:s, s:O}", "folder", folder, "pictures", plots.files));
    json_decref(plots.files);
    return status;
}

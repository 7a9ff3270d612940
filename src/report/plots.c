/* The figures of a run (figures.h), as files. */
#include "report/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/file/out.h"
#include "output/plot.h"
#include "report/figures.h"
#include "report/report.h"

enum { CURVES = WI_PLOTTED_MOST, TITLE = 200 };
static const wi_report_budget budget = {.table_rows = 10000, .series_values = 2000000, .frame_values = 1};

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static double *numbers(const json_t *list)
{
    const size_t n = json_array_size(list);
    double *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; out && i < n; i++) {
        const json_t *value = json_array_get(list, i);
        out[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    return out;
}

static double sum_of(const json_t *row)
{
    double sum = 0.0;
    size_t i;
    const json_t *value;
    json_array_foreach(row, i, value) sum += json_is_number(value) ? fabs(json_number_value(value)) : 0.0;
    return sum;
}

/* Leave `most` series, those with most in them, in their order; those that are zero throughout tell nothing. */
static void thin_out(json_t *series, size_t most)
{
    size_t chosen[CURVES];
    double value[CURVES];
    size_t n = 0;
    for (size_t r = 0; r < json_array_size(series); r++) {
        const double sum = sum_of(json_object_get(json_array_get(series, r), "y"));
        if (n == most) {
            size_t least = 0;
            for (size_t i = 1; i < n; i++)
                least = value[i] < value[least] ? i : least;
            if (!(sum > value[least]))
                continue;
            n--;
            memmove(chosen + least, chosen + least + 1, (n - least) * sizeof *chosen);
            memmove(value + least, value + least + 1, (n - least) * sizeof *value);
        }
        if (!(sum > 0.0))
            continue;
        chosen[n] = r;
        value[n++] = sum;
    }
    for (size_t r = json_array_size(series); r-- > 0;) {
        if (n > 0 && chosen[n - 1] == r)
            n--;
        else
            json_array_remove(series, r);
    }
}

static weir_status draw_figure(wi_plots *p, const json_t *group, const json_t *figure)
{
    const json_t *series = json_object_get(figure, "series"), *x = json_object_get(figure, "x"),
                 *y = json_object_get(figure, "y");
    char title[TITLE], file[TITLE];
    wi_curve curve[CURVES] = {0};
    snprintf(file, sizeof file, "%s", text_of(figure, "name"));
    wi_plot_file(file);
    const size_t n = wi_picture_wanted(p, file) ? json_array_size(series) : 0;
    const double high =
        strcmp(text_of(x, "unit"), "s") == 0 && strncmp(file, "series-", 7) == 0 ? p->until_s : 0.0;
    bool good = true, shown = high <= 0.0;
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(series, i), *own = json_object_get(one, "x"),
                     *at = own ? own : json_object_get(group, "at"), *values = json_object_get(one, "y");
        const char *name = text_of(one, "name");
        double *const when = numbers(at), *const value = numbers(values);
        curve[i] = (wi_curve){.name = name[0] ? name : NULL, .x = when, .y = value};
        curve[i].n = json_array_size(at) == json_array_size(values) ? json_array_size(at) : 0;
        good = good && when && value;
        for (size_t k = 0; good && high > 0.0 && k < curve[i].n; k++)
            if (when[k] >= p->since_s && when[k] <= high)
                shown = true;
            else
                when[k] = value[k] = (double)NAN;
    }
    snprintf(title, sizeof title, "%.90s: %.90s", text_of(group, "name"), text_of(figure, "title"));
    const wi_plot plot = {.title = title,
                          .x_label = text_of(x, "label"),
                          .y_label = text_of(y, "label"),
                          .x_unit = text_of(x, "unit"),
                          .y_unit = text_of(y, "unit"),
                          .log_x = json_is_true(json_object_get(x, "log")),
                          .from_x = high > 0.0 ? p->since_s : 0.0,
                          .log_y = json_is_true(json_object_get(y, "log")),
                          .curves = curve,
                          .n_curves = n,
                          .lines = strcmp(text_of(figure, "style"), "dots") != 0,
                          .steps = strcmp(text_of(figure, "style"), "step") == 0,
                          .decimal = true,
                          .look = p->look};
    size_t size = 0;
    const bool empty = n == 0 || (good && !shown);
    WI_FREED char *svg = good && !empty ? wi_plot_text(&plot, 1, &size) : NULL;
    weir_status status = empty ? WEIR_OK
                         : svg ? wi_picture_put(p, file, svg, size)
                               : weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %s", file);
    for (size_t i = 0; i < n; i++) {
        free((void *)curve[i].x);
        free((void *)curve[i].y);
    }
    return status;
}

static weir_status draw_network(wi_plots *p, const char *name)
{
    char why[300], title[TITLE];
    size_t size = 0;
    if (!wi_picture_wanted(p, "network"))
        return WEIR_OK;
    json_auto_t *network = wi_report_network(p->run[0].folder, why, sizeof why);
    if (!network) {
        if (why[0] && p->say)
            fprintf(p->say, "%s\n", why);
        return WEIR_OK;
    }
    snprintf(title, sizeof title, "%.120s: load", name);
    WI_FREED char *svg = wi_plot_map(network, title, &p->look, &size);
    return svg ? wi_picture_put(p, "network", svg, size)
               : weir_fail(p->diag, WEIR_E_NOMEM, "no memory for a picture");
}

static json_t *figures_of(wi_plots *p, const char *run)
{
    json_auto_t *tables = wi_report_tables(p->diag, run, budget.table_rows);
    json_t *series = wi_report_has(run, "series.h5") ? wi_report_series(p->diag, run, &budget) : NULL;
    json_t *groups = wi_report_figures(series, tables);
    size_t i, k;
    const json_t *group, *figure;
    json_array_foreach(groups, i, group)
    {
        json_array_foreach(json_object_get(group, "figures"), k, figure)
            thin_out(json_object_get(figure, "series"), CURVES / p->n_runs);
    }
    return groups;
}

static weir_status draw_figures(wi_plots *p)
{
    json_auto_t *groups = p->n_runs == 1 ? figures_of(p, p->run[0].folder) : json_array();
    for (size_t r = 0; p->n_runs > 1 && r < p->n_runs; r++) {
        json_auto_t *own = figures_of(p, p->run[r].folder);
        wi_figures_beside(groups, own, p->run[r].label);
    }
    weir_status status = WEIR_OK;
    size_t i, k;
    const json_t *group, *figure;
    json_array_foreach(groups, i, group)
    {
        json_array_foreach(json_object_get(group, "figures"), k, figure)
        {
            status = status ?: draw_figure(p, group, figure);
        }
    }
    return status;
}

weir_status wi_plots_of_run(wi_plots *p)
{
    json_error_t error;
    WI_RETURN_IF_FAILED(wi_report_of_run(p->diag, p->run[0].folder));
    WI_FREED char *path = wi_path_join(p->run[0].folder, "summary.json");
    json_auto_t *summary = path ? json_load_file(path, 0, &error) : NULL;
    if (!summary)
        return weir_fail(p->diag, WEIR_E_ARG, "%s is no run: it has no summary.json that can be read",
                         p->run[0].folder);
    return draw_network(p, text_of(summary, "name")) ?: draw_figures(p);
}

/* Which pictures a run has: its pieces of JSON (report.h) as curves. */
#include "report/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/out.h"
#include "output/plot.h"
#include "report/report.h"

enum { CURVES = 8, TITLE = 200 };
static const wi_report_budget budget = {.table_rows = 100, .series_values = 2000000, .frame_values = 1};

/* ---- curves ---- */

typedef struct drawing {
    wi_plot plot;
    wi_curve curve[CURVES];
    char title[TITLE], x_label[TITLE], y_label[TITLE];
} drawing;

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

static void free_curves(drawing *d)
{
    for (size_t i = 0; i < d->plot.n_curves; i++) {
        free((void *)d->curve[i].x);
        free((void *)d->curve[i].y);
    }
    d->plot.n_curves = 0;
}

/* False when memory is short; a curve too many is left out. */
static bool add(drawing *d, const char *name, double *x, double *y, size_t n)
{
    if (!x || !y || d->plot.n_curves == CURVES) {
        const bool good = x && y;
        free(x);
        free(y);
        return good;
    }
    d->curve[d->plot.n_curves++] = (wi_curve){.name = name && name[0] ? name : NULL, .x = x, .y = y, .n = n};
    return true;
}

/* Twenty-fold ranges are easier to read by their logarithm; a zero cannot be. */
static bool is_wide(const drawing *d)
{
    double low = INFINITY, high = 0.0;
    for (size_t c = 0; c < d->plot.n_curves; c++)
        for (size_t i = 0; i < d->curve[c].n; i++) {
            const double x = d->curve[c].x[i];
            low = isfinite(x) ? fmin(low, x) : low;
            high = isfinite(x) ? fmax(high, x) : high;
        }
    return low > 0.0 && high >= 20.0 * low;
}

static weir_status put(wi_plots *p, drawing *d, const char *name)
{
    char file[TITLE];
    size_t size = 0;
    weir_status status = WEIR_OK;
    d->plot.title = d->title;
    d->plot.x_label = d->x_label;
    d->plot.y_label = d->y_label;
    d->plot.curves = d->curve;
    snprintf(file, sizeof file, "%s", name);
    for (char *c = file; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c))
            *c = '_';
    if (d->plot.n_curves > 0) {
        char *svg = wi_plot_text(&d->plot, 1, &size);
        status = svg ? wi_picture_put(p, file, svg, size)
                     : weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %s", file);
        free(svg);
    }
    free_curves(d);
    return status;
}

static weir_status no_memory(const wi_plots *p)
{
    return weir_fail(p->diag, WEIR_E_NOMEM, "no memory for a picture");
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* ---- series ---- */

static double mean_of(const json_t *row)
{
    double sum = 0.0;
    size_t i;
    const json_t *value;
    json_array_foreach(row, i, value) sum += json_is_number(value) ? fabs(json_number_value(value)) : 0.0;
    return sum;
}

/* The rows of a column with most in them, in their order; those that are zero all the time tell nothing. */
static size_t pick_rows(const json_t *rows, size_t *chosen)
{
    double value[CURVES];
    size_t n = 0;
    for (size_t r = 0; r < json_array_size(rows); r++) {
        const double mean = mean_of(json_array_get(rows, r));
        if (n == CURVES) {
            size_t least = 0;
            for (size_t i = 1; i < n; i++)
                least = value[i] < value[least] ? i : least;
            if (!(mean > value[least]))
                continue;
            n--;
            memmove(chosen + least, chosen + least + 1, (n - least) * sizeof *chosen);
            memmove(value + least, value + least + 1, (n - least) * sizeof *value);
        }
        if (!(mean > 0.0))
            continue;
        chosen[n] = r;
        value[n++] = mean;
    }
    return n;
}

static bool fill_series(drawing *d, const json_t *table, size_t column)
{
    const json_t *rows = json_array_get(json_object_get(table, "values"), column);
    const json_t *time = json_object_get(table, "time"), *names = json_object_get(table, "names");
    size_t chosen[CURVES];
    const size_t n = json_array_size(time), picked = pick_rows(rows, chosen);
    for (size_t i = 0; i < picked; i++) {
        const json_t *row = json_array_get(rows, chosen[i]);
        if (json_array_size(row) == n &&
            !add(d, json_string_value(json_array_get(names, chosen[i])), numbers(time), numbers(row), n))
            return false;
    }
    return true;
}

static weir_status draw_series(wi_plots *p, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns");
    const char *name = text_of(table, "name");
    weir_status status = WEIR_OK;
    for (size_t c = 0; c < json_array_size(columns) && status == WEIR_OK; c++) {
        const char *column = text_of(json_array_get(columns, c), "name"),
                   *units = text_of(json_array_get(columns, c), "units");
        drawing d = {.plot = {.lines = true, .decimal = true}};
        char file[TITLE];
        snprintf(d.title, sizeof d.title, "%s of %s", column, name);
        snprintf(d.x_label, sizeof d.x_label, "time (s)");
        snprintf(d.y_label, sizeof d.y_label, "%s%s%s", column,
                 units[0] && strcmp(units, "1") != 0 ? ", " : "", strcmp(units, "1") != 0 ? units : "");
        snprintf(file, sizeof file, "series-%.80s-%.80s", name, column);
        if (fill_series(&d, table, c)) {
            status = put(p, &d, file);
        } else {
            free_curves(&d);
            status = no_memory(p);
        }
    }
    return status;
}

/* ---- distributions ---- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static weir_status draw_queues(wi_plots *p, const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns"), *names = json_object_get(table, "names");
    drawing d = {.plot = {.lines = true, .decimal = true},
                 .x_label = "queue_bytes, bytes",
                 .y_label = "share of samples"};
    size_t c = 0, chosen[CURVES];
    while (c < json_array_size(columns) &&
           strcmp(text_of(json_array_get(columns, c), "name"), "queue_bytes") != 0)
        c++;
    const json_t *rows = json_array_get(json_object_get(table, "values"), c);
    snprintf(d.title, sizeof d.title, "queues of %s%s", text_of(table, "name"),
             json_object_get(table, "how") ? ", least and greatest of stretches" : "");
    const size_t picked = pick_rows(rows, chosen);
    for (size_t i = 0; i < picked; i++) {
        const json_t *row = json_array_get(rows, chosen[i]);
        const size_t n = json_array_size(row);
        double *x = numbers(row), *y = malloc((n + 1) * sizeof *y);
        if (x && n > 0)
            qsort(x, n, sizeof *x, ascending);
        for (size_t k = 0; y && k < n; k++)
            y[k] = ((double)k + 1.0) / (double)n;
        if (!add(&d, json_string_value(json_array_get(names, chosen[i])), x, y, n)) {
            free_curves(&d);
            return no_memory(p);
        }
    }
    return put(p, &d, "cdf-queue");
}

/* The distributions of one column, a curve a class. */
static weir_status draw_cdf(wi_plots *p, const json_t *table, const json_t *all, size_t *i)
{
    const char *column = text_of(json_array_get(all, *i), "column"), *name = text_of(table, "name");
    drawing d = {.plot = {.lines = true, .decimal = true}};
    char file[TITLE];
    snprintf(d.title, sizeof d.title, "%s of %s", column, name);
    snprintf(d.x_label, sizeof d.x_label, "%s", column);
    snprintf(d.y_label, sizeof d.y_label, "share at most that");
    for (; *i < json_array_size(all) && strcmp(text_of(json_array_get(all, *i), "column"), column) == 0;
         ++*i) {
        const json_t *one = json_array_get(all, *i), *x = json_object_get(one, "x");
        if (!add(&d, text_of(one, "group"), numbers(x), numbers(json_object_get(one, "q")),
                 json_array_size(x))) {
            free_curves(&d);
            return no_memory(p);
        }
    }
    d.plot.log_x = is_wide(&d);
    snprintf(file, sizeof file, "cdf-%.80s-%.80s", name, column);
    return put(p, &d, file);
}

static weir_status draw_table(wi_plots *p, const char *name)
{
    char *path = wi_path_join(p->run, name);
    const bool there = path && access(path, R_OK) == 0;
    free(path);
    json_t *table = there ? wi_report_table(p->diag, p->run, name, budget.table_rows) : NULL;
    const json_t *all = json_object_get(table, "cdf");
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < json_array_size(all) && status == WEIR_OK;)
        status = draw_cdf(p, table, all, &i);
    json_decref(table);
    return status;
}

/* ---- slowdown by size ---- */

static size_t column_of(const json_t *table, const char *name)
{
    const json_t *columns = json_object_get(table, "columns");
    size_t c = 0;
    while (c < json_array_size(columns) && strcmp(text_of(json_array_get(columns, c), "name"), name) != 0)
        c++;
    return c;
}

static double cell(const json_t *table, const char *column, size_t row)
{
    const json_t *list = json_array_get(json_object_get(table, "data"), column_of(table, column));
    const json_t *value = json_array_get(list, row);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* One class from row `first` on, at the ends of its sizes; the last has none: ten times where it begins. */
static bool add_class(drawing *d, const json_t *table, const char *column, const char *name, size_t first,
                      size_t n)
{
    double *x = malloc((n + 1) * sizeof *x), *y = malloc((n + 1) * sizeof *y);
    for (size_t i = 0; x && y && i < n; i++) {
        const double from = cell(table, "size_over_bytes", first + i),
                     to = cell(table, "size_to_bytes", first + i);
        x[i] = to > 0.0 && to < 1e18 ? to : 10.0 * from;
        y[i] = cell(table, column, first + i);
    }
    return add(d, name, x, y, n);
}

static weir_status draw_slowdown(wi_plots *p)
{
    static const char *const columns[] = {"slowdown_p50", "slowdown_p99"};
    static char names[CURVES][TITLE];
    char *path = wi_path_join(p->run, "slowdown.csv");
    const bool there = path && access(path, R_OK) == 0;
    free(path);
    json_t *table = there ? wi_report_table(p->diag, p->run, "slowdown.csv", 10000) : NULL;
    const json_t *classes = json_array_get(json_object_get(table, "data"), column_of(table, "class"));
    const size_t rows = json_array_size(classes);
    drawing d = {.plot = {.log_x = true, .log_y = true, .decimal = true},
                 .title = "slowdown by size",
                 .x_label = "size, up to (bytes)",
                 .y_label = "slowdown"};
    bool good = true;
    for (size_t first = 0, n; good && first < rows && d.plot.n_curves + 2 <= CURVES; first += n) {
        const char *class = json_string_value(json_array_get(classes, first));
        for (n = 1; first + n < rows &&
                    json_equal(json_array_get(classes, first), json_array_get(classes, first + n));)
            n++;
        for (int k = 0; k < 2 && good; k++) {
            char *name = names[d.plot.n_curves];
            snprintf(name, TITLE, "%.100s, %s", class ? class : "", columns[k] + 9);
            good = add_class(&d, table, columns[k], name, first, n);
        }
    }
    const weir_status status = good ? put(p, &d, "slowdown") : no_memory(p);
    free_curves(&d);
    json_decref(table);
    return status;
}

/* ---- the network ---- */

static weir_status draw_network(wi_plots *p, const char *name)
{
    char why[300], title[TITLE];
    size_t size = 0;
    json_t *network = wi_report_network(p->run, why, sizeof why);
    if (!network) {
        if (why[0] && p->say)
            fprintf(p->say, "%s\n", why);
        return WEIR_OK;
    }
    snprintf(title, sizeof title, "%.120s: load", name);
    char *svg = wi_plot_map(network, title, &size);
    const weir_status status = svg ? wi_picture_put(p, "network", svg, size) : no_memory(p);
    free(svg);
    json_decref(network);
    return status;
}

static weir_status draw_all_series(wi_plots *p)
{
    char *path = wi_path_join(p->run, "series.h5");
    const bool there = path && access(path, R_OK) == 0;
    weir_status status = WEIR_OK;
    free(path);
    json_t *tables = there ? wi_report_series(p->diag, p->run, &budget) : NULL;
    size_t i;
    json_t *table;
    json_array_foreach(tables, i, table)
    {
        if (status == WEIR_OK)
            status = draw_series(p, table);
        if (status == WEIR_OK && strcmp(text_of(table, "name"), "ports") == 0)
            status = draw_queues(p, table);
    }
    json_decref(tables);
    return status;
}

weir_status wi_plots_of_run(wi_plots *p)
{
    static const char *const tables[] = {"flows.csv", "lookups.csv", "messages.csv", "jobs.csv"};
    json_error_t error;
    char *path = wi_path_join(p->run, "summary.json");
    json_t *summary = path ? json_load_file(path, 0, &error) : NULL;
    free(path);
    if (!summary)
        return weir_fail(p->diag, WEIR_E_ARG, "%s is no run: it has no summary.json that can be read",
                         p->run);
    weir_status status = draw_network(p, text_of(summary, "name"));
    if (status == WEIR_OK)
        status = draw_all_series(p);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == WEIR_OK; i++)
        status = draw_table(p, tables[i]);
    if (status == WEIR_OK)
        status = draw_slowdown(p);
    json_decref(summary);
    return status;
}

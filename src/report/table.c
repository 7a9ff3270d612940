/* A CSV table: all of its rows for distributions, some of them to be looked at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/out.h"
#include "base/memory.h"
#include "output/csv_read.h"
#include "report/figures.h"
#include "report/report.h"
#include "report/values.h"

enum { COLUMNS_MAX = 256, GROUPS_MAX = 24, CDF_MAX = 8, DECADES = 13 /* of sizes, from 1 B */ };

/* Columns whose distribution is shown; and columns by which the largest rows are shown: the first that there
 * is. */
static const char *const distributed[] = {"completion_s", "slowdown",         "goodput_bps", "rtt_mean_s",
                                          "delay_mean_s", "queue_mean_bytes", "wait_mean_s", "utilisation"};
static const char *const ranking[] = {"completion_s", "wait_mean_s", "latency_mean_s", "rtt_mean_s",
                                      "goodput_bps"};

typedef struct table {
    char *name[COLUMNS_MAX];
    bool text[COLUMNS_MAX], any[COLUMNS_MAX]; /* holds what is no number; holds something */
    size_t n_columns, rows;
    int group, key, size, completion; /* columns; -1: none */
    int cdf[CDF_MAX];
    size_t n_cdf;
    char *group_name[GROUPS_MAX];
    size_t n_groups, group_rows[GROUPS_MAX];
    wi_values value[CDF_MAX][GROUPS_MAX];
    wi_values by_size[DECADES]; /* completion times, of transfers up to 1, 10, 100 B ... */
    wi_values keys;
    double least;           /* of the key column, of rows that are among the largest */
    size_t largest, stride; /* how many of those; each stride-th row besides; 0: all rows */
    bool no_memory;
} table;

static int find(const table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->name[i], name) == 0)
            return (int)i;
    return -1;
}

static void take_header(table *t, const wi_csv_reader *r)
{
    size_t n;
    char *const *const fields = wi_csv_names(r, &n);
    t->n_columns = n < COLUMNS_MAX ? n : COLUMNS_MAX;
    for (size_t i = 0; i < t->n_columns; i++)
        t->no_memory |= !(t->name[i] = strdup(fields[i]));
    if (t->no_memory)
        return;
    t->group = find(t, "class");
    t->size = find(t, "size_bytes");
    t->completion = find(t, "completion_s");
    t->key = -1;
    for (size_t i = 0; i < sizeof ranking / sizeof *ranking && t->key < 0; i++)
        t->key = find(t, ranking[i]);
    for (size_t i = 0; i < sizeof distributed / sizeof *distributed && t->n_cdf < CDF_MAX; i++) {
        const int column = find(t, distributed[i]);
        if (column >= 0)
            t->cdf[t->n_cdf++] = column;
    }
}

/* The number that a field holds; NaN where it is empty or holds something else. */
static double number_of(const char *field)
{
    char *end;
    if (!*field)
        return NAN;
    const double value = strtod(field, &end);
    return *end ? NAN : value;
}

static size_t group_of(table *t, const char *name)
{
    size_t g = 0;
    while (g < t->n_groups && strcmp(t->group_name[g], name) != 0)
        g++;
    if (g == t->n_groups && g < GROUPS_MAX && (t->group_name[g] = strdup(name)))
        t->n_groups++;
    return g; /* GROUPS_MAX: one too many */
}

static void count_size(table *t, char **fields)
{
    const double size = number_of(fields[t->size]), time = number_of(fields[t->completion]);
    size_t decade = 0;
    for (double to = 1.0; decade < DECADES && size > to; to *= 10.0)
        decade++;
    if (size > 0.0 && isfinite(time) && decade < DECADES)
        t->no_memory |= !wi_values_add(&t->by_size[decade], time);
}

static void count_row(table *t, char **fields)
{
    t->rows++;
    for (size_t i = 0; i < t->n_columns; i++) {
        t->any[i] |= fields[i][0] != '\0';
        if (!t->text[i] && fields[i][0] && isnan(number_of(fields[i])))
            t->text[i] = true;
    }
    if (t->key >= 0 && !isnan(number_of(fields[t->key])))
        t->no_memory |= !wi_values_add(&t->keys, number_of(fields[t->key]));
    const size_t g = group_of(t, t->group >= 0 ? fields[t->group] : "");
    if (g < t->n_groups)
        t->group_rows[g]++;
    for (size_t c = 0; g < t->n_groups && c < t->n_cdf; c++) {
        const double value = number_of(fields[t->cdf[c]]);
        if (isfinite(value))
            t->no_memory |= !wi_values_add(&t->value[c][g], value);
    }
    if (t->size >= 0 && t->completion >= 0)
        count_size(t, fields);
}

/* Which rows are shown, where there are too many. */
static void choose(table *t, size_t max_rows, json_t *out)
{
    if (t->rows <= max_rows)
        return;
    t->largest = t->keys.n > max_rows / 2 ? max_rows / 2 : 0;
    if (t->largest)
        t->least = wi_values_from_top(&t->keys, t->largest - 1);
    const size_t even = max_rows - t->largest;
    t->stride = (t->rows + even - 1) / even;
    json_object_set_new(
        out, "how",
        t->largest ? wi_report_text("%zu rows; shown are the %zu with the largest %s, and every %zu-th. Of a "
                                    "class of few, all. Distributions are of all rows.",
                                    t->rows, t->largest, t->name[t->key], t->stride)
                   : wi_report_text("%zu rows; shown is every %zu-th. Distributions are of all rows.",
                                    t->rows, t->stride));
}

/* Whether all rows of this one's class are shown: a class of few would be lost among the others. */
static bool of_few(table *t, char **fields, size_t max_rows)
{
    const size_t g = t->group >= 0 ? group_of(t, fields[t->group]) : GROUPS_MAX;
    return g < t->n_groups && t->group_rows[g] <= max_rows / (4 * GROUPS_MAX);
}

static void put_row(const table *t, char **fields, json_t *data)
{
    for (size_t i = 0; i < t->n_columns; i++)
        json_array_append_new(json_array_get(data, i), t->text[i] ? wi_report_text("%s", fields[i])
                                                                  : wi_report_number(number_of(fields[i])));
}

typedef struct pass {
    weir_diag *diag;
    const char *path;
    size_t max_rows;
} pass;

static weir_status first_pass(const pass *p, table *t)
{
    wi_csv_reader *r = NULL;
    char **fields;
    WI_RETURN_IF_FAILED(wi_csv_reader_open(p->diag, p->path, &r));
    take_header(t, r);
    while (!t->no_memory && wi_csv_read(r, &fields))
        count_row(t, fields);
    weir_status status = wi_csv_reader_close(p->diag, r);
    return t->no_memory ? weir_fail(p->diag, WEIR_E_NOMEM, "no memory for the table %s", p->path) : status;
}

static weir_status second_pass(const pass *p, table *t, json_t *data)
{
    wi_csv_reader *r = NULL;
    char **fields;
    size_t largest = 0;
    WI_RETURN_IF_FAILED(wi_csv_reader_open(p->diag, p->path, &r));
    for (size_t row = 0; wi_csv_read(r, &fields); row++) {
        bool taken = !t->stride || row % t->stride == 0 || of_few(t, fields, p->max_rows);
        if (!taken && largest < t->largest && number_of(fields[t->key]) >= t->least) {
            taken = true;
            largest++;
        }
        if (taken)
            put_row(t, fields, data);
    }
    return wi_csv_reader_close(p->diag, r);
}

/* A distribution of `column`: a series for each of n groups that has values. more: behind the figure's name. */
static json_t *distribution(wi_values *value, char *const *group, size_t n, const char *table_name,
                            const char *column, const char *more)
{
    static const wi_axis share = {"share at most that", "", false};
    char name[WI_FIGURE_TEXT], label[WI_FIGURE_TEXT];
    wi_axis x = wi_column_axis(column, label);
    json_t *series = json_array();
    double low = (double)INFINITY, high = 0.0;
    for (size_t g = 0; g < n; g++) {
        wi_values *v = &value[g];
        if (!v->n)
            continue;
        json_t *one = json_pack("{s:o, s:I}", "name", wi_report_text("%s", group[g]), "n", (json_int_t)v->n);
        if (one && wi_values_quantiles(v, one)) { /* sorts them */
            low = fmin(low, v->value[0]);
            high = fmax(high, v->value[v->n - 1]);
            json_array_append_new(series, one);
        } else {
            json_decref(one);
        }
    }
    x.log = low > 0.0 && high >= 20.0 * low; /* easier to read; a zero cannot be */
    snprintf(name, sizeof name, "cdf-%.80s-%.80s%s", table_name, column, more);
    return wi_figure_new(name, more[0] ? "completion time by size" : label, "step", &x, &share, series);
}

/* Completion times by the decade of the size, where transfers are of more than one. */
static json_t *distribution_by_size(table *t, const char *table_name)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    char text[DECADES][24], *names[DECADES];
    for (int d = 0, unit_of = 1; d < DECADES; d++, unit_of = d % 3 ? 10 * unit_of : 1) {
        snprintf(text[d], sizeof text[d], "up to %d %s", unit_of, unit[d / 3]);
        names[d] = text[d];
    }
    return distribution(t->by_size, names, DECADES, table_name, "completion_s", "-by-size");
}

static void put_distributions(table *t, json_t *out)
{
    json_t *figures = json_array();
    const char *text = json_string_value(json_object_get(out, "name")), *name = text ? text : "";
    for (size_t c = 0; c <= t->n_cdf; c++) {
        json_t *one =
            c < t->n_cdf ? distribution(t->value[c], t->group_name, t->n_groups, name, t->name[t->cdf[c]], "")
                         : distribution_by_size(t, name);
        if (json_array_size(json_object_get(one, "series")) > (c == t->n_cdf))
            json_array_append(figures, one);
        json_decref(one);
    }
    json_object_set_new(out, "figures", figures);
}

static void free_table(table *t)
{
    for (size_t i = 0; i < t->n_columns; i++)
        free(t->name[i]);
    for (size_t g = 0; g < GROUPS_MAX; g++) {
        free(g < t->n_groups ? t->group_name[g] : NULL);
        for (size_t c = 0; c < CDF_MAX; c++)
            wi_values_free(&t->value[c][g]);
    }
    for (size_t d = 0; d < DECADES; d++)
        wi_values_free(&t->by_size[d]);
    wi_values_free(&t->keys);
    free(t);
}

json_t *wi_report_table(weir_diag *diag, const char *folder, const char *file, size_t max_rows)
{
    WI_FREED char *path = wi_path_join(folder, file);
    table *t = calloc(1, sizeof *t);
    json_t *out = json_object(), *data = json_array(), *columns = json_array();
    const pass p = {diag, path, max_rows};
    weir_status status =
        path && t ? first_pass(&p, t) : weir_fail(diag, WEIR_E_NOMEM, "no memory for a table");
    if (status == WEIR_OK) {
        choose(t, max_rows, out);
        for (size_t i = 0; i < t->n_columns; i++) {
            json_array_append_new(data, json_array());
            json_array_append_new(columns, json_pack("{s:o, s:b}", "name", wi_report_text("%s", t->name[i]),
                                                     "number", !t->text[i] && t->any[i]));
        }
        status = second_pass(&p, t, data);
    }
    if (status == WEIR_OK) {
        json_object_set_new(out, "name", wi_report_text("%.*s", (int)strcspn(file, "."), file));
        json_object_set_new(out, "rows", json_integer((json_int_t)t->rows));
        put_distributions(t, out);
    }
    json_object_set_new(out, "columns", columns);
    json_object_set_new(out, "data", data);
    if (t)
        free_table(t);
    if (status == WEIR_OK)
        return out;
    json_decref(out);
    return NULL;
}

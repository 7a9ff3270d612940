/* Columns of a run's CSV tables. */
#include "study/tables/column.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units/decimal.h"
#include "base/nearest.h"
#include "base/memory.h"
#include "output/csv_read.h"
#include "base/file/out.h"

bool wi_statistic_of_time(const char *name)
{
    return strcmp(name, "steady") == 0 || strcmp(name, "cut") == 0 || strcmp(name, "halfwidth") == 0;
}

/* After the warm-up: its mean, and how sure that is; and the share that was the warm-up. */
static double of_time(const char *name, double confidence, double *values, size_t n)
{
    const size_t cut = wi_mser5(values, n);
    if (cut == SIZE_MAX)
        return (double)NAN;
    if (strcmp(name, "cut") == 0)
        return (double)cut / (double)n;
    if (strcmp(name, "halfwidth") == 0)
        return wi_batch_means(values + cut, n - cut, confidence);
    return wi_statistic("mean", 0.0, values + cut, n - cut);
}

bool wi_statistic_known(const char *name)
{
    static const char *const known[] = {"mean", "sd", "min", "max", "sum", "count", "median", "pooled"};
    if (wi_statistic_of_time(name))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], name) == 0)
            return true;
    return false;
}

double wi_statistic(const char *name, double quantile, double *values, size_t n)
{
    size_t kept = 0;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            sum += values[kept++] = values[i];
    if (strcmp(name, "count") == 0)
        return (double)kept;
    if (strcmp(name, "sum") == 0)
        return sum;
    if (kept == 0)
        return (double)NAN;
    if (wi_statistic_of_time(name))
        return of_time(name, quantile, values, kept);
    if (strcmp(name, "mean") == 0 || strcmp(name, "pooled") == 0)
        return sum / (double)kept;
    if (strcmp(name, "sd") == 0) {
        wi_summary summary;
        wi_summarise(values, (uint32_t)kept, 0.95, &summary);
        return summary.sd;
    }
    wi_sort(values, kept);
    if (strcmp(name, "min") == 0)
        return values[0];
    if (strcmp(name, "max") == 0)
        return values[kept - 1];
    return wi_quantile(values, (uint32_t)kept, name[0] == 'p' ? quantile : 0.5);
}

/* ---- columns of tables ---- */

static weir_status no_column(weir_diag *diag, const wi_metric *m, const char *column, const wi_csv_reader *r)
{
    size_t n;
    char *const *const names = wi_csv_names(r, &n);
    return weir_fail(diag, WEIR_E_ARG, "metric '%s': %s.csv has no column '%s'%s", m->of, m->table, column,
                     WI_HINT(column, (const char *const *)names, n));
}

/* Numbers of a column, as they come. */
typedef struct numbers {
    double *value;
    size_t n;
} numbers;

static bool add_number(numbers *to, const char *text)
{
    double value;
    if (!wi_read_double(&text, text + strlen(text), &value))
        return true;
    if (!wi_grow_one(&to->value, to->n, sizeof *to->value))
        return false;
    to->value[to->n++] = value;
    return true;
}

/* Whether a row, whose field `where[i]` stands in the column of condition i, is one that the metric is of. */
static bool meets(const wi_metric *m, char *const *field, const size_t *where)
{
    for (size_t i = 0; i < m->n_where; i++)
        if (strcmp(field[where[i]], m->where[i].text) != 0)
            return false;
    return true;
}

static weir_status take_rows(weir_diag *diag, const wi_metric *m, wi_csv_reader *r, numbers *out)
{
    char **field;
    size_t where[WI_WHERE_MAX], n;
    const size_t column = wi_csv_column(r, m->column);
    (void)wi_csv_names(r, &n);
    if (n > 0 && column == SIZE_MAX)
        return no_column(diag, m, m->column, r);
    for (size_t i = 0; i < m->n_where; i++) {
        where[i] = wi_csv_column(r, m->where[i].column);
        if (n > 0 && where[i] == SIZE_MAX)
            return no_column(diag, m, m->where[i].column, r);
    }
    while (wi_csv_read(r, &field))
        if (meets(m, field, where) && !add_number(out, field[column]))
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the rows of %s.csv", m->table);
    return WEIR_OK;
}

/* Tables of a folder, for a message. */
static weir_status no_table(weir_diag *diag, const char *folder, const wi_metric *m)
{
    char list[300] = "";
    DIR *dir = opendir(folder);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        const size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".csv") != 0 || strlen(list) + n + 3 > sizeof list)
            continue;
        strcat(list, list[0] ? ", " : "");
        strncat(list, e->d_name, n - 4);
    }
    if (dir)
        closedir(dir);
    return weir_fail(diag, WEIR_E_ARG, "metric '%s': runs write no table '%s'; there is %s%s", m->of,
                     m->table, list[0] ? list : "none",
                     list[0] ? ", and series.GROUP.COLUMN of series.h5" : "");
}

weir_status wi_column_values(weir_diag *diag, const char *folder, const wi_metric *m, double **out, size_t *n)
{
    char file[300], *path = NULL;
    wi_csv_reader *reader = NULL;
    numbers found = {0};
    snprintf(file, sizeof file, "%.250s.csv", m->table);
    weir_status status = (path = wi_path_join(folder, file))
                             ? WEIR_OK
                             : weir_fail(diag, WEIR_E_NOMEM, "no memory for the name of %s", file);
    if (path && (strchr(m->table, '/') || access(path, F_OK) != 0))
        status = no_table(diag, folder, m);
    status = status ?: wi_csv_reader_open(diag, path, &reader) ?: take_rows(diag, m, reader, &found);
    const weir_status read = wi_csv_reader_close(diag, reader);
    status = status == WEIR_OK ? read : status;
    free(path);
    if (status != WEIR_OK) {
        free(found.value);
        found = (numbers){0};
    }
    *out = found.value;
    *n = found.n;
    return status;
}

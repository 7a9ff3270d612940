/* Columns of a run's CSV tables. */
#include "study/tables/column.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units/decimal.h"
#include "base/file/file.h"
#include "base/nearest.h"
#include "output/out.h"

enum { COLUMNS_MAX = 256, TABLE_BYTES_MAX = 2000000000 };

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

/* ---- CSV, as output/csv.h writes it ---- */

/* Takes one cell in place: quotes are undone and the text is ended. Returns the byte that ended it. */
static char next_cell(char **at, char **cell)
{
    char *from = *at, *to = *at;
    *cell = to;
    if (*from == '"') {
        for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
            from += from[0] == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else {
        from += strcspn(from, ",\n");
        to = from;
    }
    const char ended = *from;
    *to = '\0';
    *at = ended ? from + 1 : from;
    return ended;
}

static weir_status no_column(weir_diag *diag, const wi_metric *m, const char *column, char *const *names,
                             size_t n)
{
    const char *near = wi_nearest(column, (const char *const *)names, n);
    char list[400] = "";
    for (size_t i = 0; i < n && strlen(list) + strlen(names[i]) + 3 < sizeof list; i++) {
        strcat(list, i ? ", " : "");
        strcat(list, names[i]);
    }
    if (near)
        return weir_fail(diag, WEIR_E_ARG, "metric '%s': %s.csv has no column '%s' (did you mean '%s'?)",
                         m->of, m->table, column, near);
    return weir_fail(diag, WEIR_E_ARG, "metric '%s': %s.csv has no column '%s'; it has %s", m->of, m->table,
                     column, list);
}

static size_t find(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

static weir_status take_rows(weir_diag *diag, const wi_metric *m, char *text, size_t size, double **out,
                             size_t *kept)
{
    char *names[COLUMNS_MAX], *at = text, *end = text + size;
    size_t n = 0, lines = 0;
    char ended = ',';
    for (const char *c = text; c < end; c++)
        lines += *c == '\n';
    while (ended == ',' && n < COLUMNS_MAX)
        ended = next_cell(&at, &names[n++]);
    const size_t column = find(names, n, m->column),
                 where = m->where_column ? find(names, n, m->where_column) : 0;
    if (column == SIZE_MAX || where == SIZE_MAX)
        return no_column(diag, m, column == SIZE_MAX ? m->column : m->where_column, names, n);
    double *values = malloc((lines + 1) * sizeof *values);
    if (!values)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the %zu rows of %s.csv", lines, m->table);
    while (at < end) {
        char *cell[COLUMNS_MAX];
        size_t k = 0;
        for (ended = ','; ended == ',' && k < n; k++)
            ended = next_cell(&at, &cell[k]);
        if (k < n || (m->where_column && strcmp(cell[where], m->where_text) != 0))
            continue;
        const char *from = cell[column];
        double value;
        if (wi_read_double(&from, from + strlen(from), &value))
            values[(*kept)++] = value;
    }
    *out = values;
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
    *out = NULL;
    *n = 0;
    char *text = NULL, *path = NULL;
    size_t size = 0;
    if (strchr(m->table, '/') || asprintf(&path, "%s/%s.csv", folder, m->table) < 0)
        return no_table(diag, folder, m);
    if (access(path, F_OK) != 0) {
        free(path);
        return no_table(diag, folder, m);
    }
    weir_status status = wi_file_read(diag, path, TABLE_BYTES_MAX, &text, &size);
    if (status == WEIR_OK)
        status = take_rows(diag, m, text, size, out, n);
    free(text);
    free(path);
    return status;
}

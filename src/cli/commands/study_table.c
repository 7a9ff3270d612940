/* What a study found, from its aggregate.csv: a table for people, a list for programs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/cli.h"
#include "base/memory.h"
#include "base/units/figures.h"
#include "output/csv_read.h"
#include "base/file/out.h"

/* More rows than people read in a terminal are in the file only. */
enum { ROWS_MAX = 24, COLUMNS_MAX = 64, CELL = 100, WIDE = 24, ACROSS_MAX = 9 };

typedef char cell[CELL];

/* Where the columns of aggregate.csv stand: point, parameters, metric, n, failed, mean, sd, low, high, quantiles, unit. */
typedef struct layout {
    size_t metric, n, failed, mean, low, high, unit;
} layout;

/* False: this is no such table. A parameter of that name would stand before. */
static bool find_layout(const wi_csv_reader *r, layout *l)
{
    *l = (layout){wi_csv_column(r, "metric"), wi_csv_column(r, "n"),   wi_csv_column(r, "failed"),
                  wi_csv_column(r, "mean"),   wi_csv_column(r, "low"), wi_csv_column(r, "high"),
                  wi_csv_column(r, "unit")};
    return l->metric != SIZE_MAX && l->n != SIZE_MAX && l->failed != SIZE_MAX && l->mean != SIZE_MAX &&
           l->low != SIZE_MAX && l->high != SIZE_MAX && l->unit != SIZE_MAX;
}

static weir_status open_table(weir_diag *diag, const char *folder, wi_csv_reader **out)
{
    WI_FREED char *path = wi_path_join(folder, "aggregate.csv");
    *out = NULL;
    return path ? wi_csv_reader_open(diag, path, out)
                : weir_fail(diag, WEIR_E_NOMEM, "no memory for the name of a table");
}

/* ---- for people ---- */

/* A number in the metric's unit; a dash where there is none. */
static void put_figure(cell out, const char *unit, const char *text)
{
    char figure[WI_FIGURE];
    unit = wi_unit_shown(unit);
    const double value = text[0] ? strtod(text, NULL) : (double)NAN;
    if (!isnan(value) && strcmp(unit, "s") == 0)
        wi_figure_time(figure, value, 4); /* an interval may be narrow */
    else if (fabs(value) < 1.0 || (fabs(value) < 1000.0 && !unit[0]))
        snprintf(figure, sizeof figure, "%.4g%s%s", value, unit[0] ? " " : "",
                 unit); /* a mean of whole numbers is none */
    else
        wi_figure_unit(figure, value, unit);
    snprintf(out, CELL, "%s", figure);
}

typedef struct table {
    cell (*at)[COLUMNS_MAX];     /* [rows]; the first is the heads */
    size_t rows, columns, words; /* words: columns of texts, to the left */
    size_t across;               /* metrics that are columns of their own, or 0 */
    bool intervals;              /* some mean has one */
    unsigned long long more;
} table;

static void put_text(cell out, const char *text)
{
    snprintf(out, CELL, "%s", text);
}

/* A row of a parameter set and metric. */
static void take_row(table *t, const layout *l, char *const *field)
{
    cell *row = t->at[t->rows++];
    size_t k = 0;
    for (size_t i = 1; i <= l->metric && k < COLUMNS_MAX - 4; i++)
        put_text(row[k++], field[i]);
    put_text(row[k++], field[l->n]);
    if (t->rows == 1) { /* the heads */
        t->words = k - 1;
        put_text(row[k++], "mean");
        put_text(row[k++], "low");
        put_text(row[k++], "high");
        t->columns = k;
        return;
    }
    put_figure(row[k++], field[l->unit], field[l->mean]);
    put_figure(row[k++], field[l->unit], field[l->low]);
    put_figure(row[k++], field[l->unit], field[l->high]);
}

/* A mean, and half of its interval where it has one (Student's: as far down as up). */
static void put_mean(cell out, const layout *l, char *const *field)
{
    cell mean, half, width;
    put_figure(mean, field[l->unit], field[l->mean]);
    if (!field[l->low][0]) {
        put_text(out, mean);
        return;
    }
    snprintf(width, CELL, "%.17g", 0.5 * (strtod(field[l->high], NULL) - strtod(field[l->low], NULL)));
    put_figure(half, field[l->unit], width);
    snprintf(out, CELL, "%.40s ± %.40s", mean, half);
}

/* Metric `m` of a parameter set, whose row begins with the first one; heads come with the first set. */
static void take_across(table *t, const layout *l, char *const *names, char *const *field, size_t m)
{
    const size_t sets = l->metric - 1;
    if (m == 0) {
        t->rows += t->rows == 0 ? 2 : 1;
        t->words = sets + t->intervals;
        t->columns = t->words + t->across;
        for (size_t i = 0; i < sets; i++) {
            put_text(t->at[0][i], names[i + 1]);
            put_text(t->at[t->rows - 1][i], field[i + 1]);
        }
    }
    cell *row = t->at[t->rows - 1];
    if (t->intervals && m == 0) {
        put_text(t->at[0][sets], "n");
        put_text(row[sets], field[l->n]);
    } else if (t->intervals && strcmp(row[sets], field[l->n]) != 0) {
        put_text(row[sets], "differs");
    }
    put_text(t->at[0][t->words + m], field[l->metric]);
    put_mean(row[t->words + m], l, field);
}

/* Whether metrics can be columns, and how many they are; else 0. */
static weir_status look_across(weir_diag *diag, const char *folder, table *t)
{
    wi_csv_reader *reader = NULL;
    char **field;
    layout l;
    size_t metrics = 0, rows = 0;
    const weir_status status = open_table(diag, folder, &reader);
    WI_FREED char *first = NULL;
    while (status == WEIR_OK && find_layout(reader, &l) && wi_csv_read(reader, &field)) {
        first = rows++ == 0 ? strdup(field[0]) : first;
        metrics += first && strcmp(first, field[0]) == 0;
        t->intervals |= field[l.low][0] != '\0';
    }
    const size_t most = t->intervals ? ACROSS_MAX / 2 : ACROSS_MAX;
    const bool fits = metrics <= most && l.metric + metrics < COLUMNS_MAX;
    t->across = fits && rows > metrics && rows % metrics == 0 ? metrics : 0;
    const weir_status read = wi_csv_reader_close(diag, reader);
    return status == WEIR_OK ? read : status;
}

/* Whether rows that are alike in column `by` are so in column `c`. */
static bool decides(const table *t, size_t by, size_t c)
{
    for (size_t r = 1; r < t->rows; r++)
        for (size_t s = 1; s < r; s++)
            if (strcmp(t->at[r][by], t->at[s][by]) == 0 && strcmp(t->at[r][c], t->at[s][c]) != 0)
                return false;
    return true;
}

/* Widths; 0 for a parameter of long values, such as maps, that one to its left decides. Returns how many of those there are. */
static size_t choose_columns(const table *t, size_t *width)
{
    size_t left_out = 0;
    for (size_t c = 0; c < t->columns; c++) {
        for (size_t r = 0; r < t->rows; r++)
            width[c] = wi_text_columns(t->at[r][c]) > width[c] ? wi_text_columns(t->at[r][c]) : width[c];
        bool decided = false;
        for (size_t by = 0; by < c && width[c] > WIDE && c + !t->across < t->words; by++)
            decided |= width[by] > 0 && decides(t, by, c);
        width[c] = decided ? 0 : width[c];
        left_out += decided;
    }
    return left_out;
}

static void print_table(const table *t)
{
    size_t width[COLUMNS_MAX] = {0};
    const size_t left_out = choose_columns(t, width);
    for (size_t r = 0; r < t->rows; r++) {
        for (size_t c = 0; c < t->columns; c++)
            if (width[c] > 0)
                printf(c < t->words ? "  %-*s" : "  %*s",
                       (int)(width[c] + strlen(t->at[r][c]) - wi_text_columns(t->at[r][c])), t->at[r][c]);
        putchar('\n');
    }
    if (left_out > 0)
        printf("  ... and %zu wide columns more in aggregate.csv, which the others decide\n", left_out);
    if (t->more > 0)
        printf("  ... and %llu rows more in aggregate.csv\n", t->more);
}

weir_status cli_print_aggregate(weir_diag *diag, const char *folder)
{
    wi_csv_reader *reader = NULL;
    char **field;
    size_t columns, n = 0;
    layout l;
    WI_FREED void *room = calloc(ROWS_MAX + 1, sizeof(cell[COLUMNS_MAX]));
    table t = {.at = room};
    weir_status status = room ? look_across(diag, folder, &t)
                              : weir_fail(diag, WEIR_E_NOMEM, "no memory for the table of a study");
    status = status == WEIR_OK ? open_table(diag, folder, &reader) : status;
    if (status == WEIR_OK && find_layout(reader, &l)) {
        char *const *const names = wi_csv_names(reader, &columns);
        if (!t.across)
            take_row(&t, &l, names);
        for (const size_t group = t.across ? t.across : 1; wi_csv_read(reader, &field); n++)
            if (n / group >= ROWS_MAX)
                t.more += n % group == 0;
            else if (t.across)
                take_across(&t, &l, names, field, n % group);
            else
                take_row(&t, &l, field);
    }
    const weir_status read = wi_csv_reader_close(diag, reader);
    if (t.rows > 1)
        print_table(&t);
    return status == WEIR_OK ? read : status;
}

/* ---- for programs ---- */

/* Parameters and the metric are texts; the rest numbers, null where there is none. */
static json_t *row_json(char *const *names, char *const *field, size_t n, size_t metric, size_t unit)
{
    json_t *row = json_object(), *parameters = json_object();
    for (size_t i = 1; i < metric; i++)
        json_object_set_new(parameters, names[i], json_string(field[i]));
    json_object_set_new(row, "parameters", parameters);
    json_object_set_new(row, "metric", json_string(field[metric]));
    for (size_t i = metric + 1; i < n; i++) {
        const double value = strtod(field[i], NULL);
        json_object_set_new(row, names[i],
                            i == unit         ? json_string(field[i])
                            : !field[i][0]    ? json_null()
                            : i <= metric + 2 ? json_integer((json_int_t)value)
                                              : json_real(value));
    }
    return row;
}

weir_status cli_aggregate_json(weir_diag *diag, const char *folder, json_t **out)
{
    wi_csv_reader *reader = NULL;
    char **field;
    size_t n;
    layout l;
    *out = json_array();
    const weir_status status = open_table(diag, folder, &reader);
    char *const *const names = wi_csv_names(reader, &n);
    while (find_layout(reader, &l) && wi_csv_read(reader, &field))
        json_array_append_new(*out, row_json(names, field, n, l.metric, l.unit));
    const weir_status read = wi_csv_reader_close(diag, reader);
    return status == WEIR_OK ? read : status;
}

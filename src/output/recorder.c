/* See recorder.h. */
#include "output/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

struct wi_recorder_table {
    wi_recorder_table *next;
    char *name;
    char **column, **units, **row;
    size_t n_columns, n_rows;
    size_t used, room; /* instants */
    double *times;     /* [room] */
    double *values;    /* [n_columns][n_rows][room] */
};

struct wi_recorder {
    wi_recorder_table *tables;
};

wi_recorder *wi_recorder_new(void)
{
    return calloc(1, sizeof(wi_recorder));
}

static void table_free(wi_recorder_table *t)
{
    free(t->name);
    wi_texts_free(t->column, t->n_columns);
    wi_texts_free(t->units, t->n_columns);
    wi_texts_free(t->row, t->n_rows);
    free(t->times);
    free(t->values);
    free(t);
}

void wi_recorder_free(wi_recorder *recorder)
{
    while (recorder && recorder->tables) {
        wi_recorder_table *const next = recorder->tables->next;
        table_free(recorder->tables);
        recorder->tables = next;
    }
    free(recorder);
}

static bool copy_texts(wi_recorder_table *t, const wi_result_column *columns, const char *const *rows)
{
    bool whole = t->name && t->column && t->units && t->row;
    for (size_t i = 0; whole && i < t->n_columns; i++) {
        t->column[i] = strdup(columns[i].name);
        t->units[i] = strdup(columns[i].units);
        whole = t->column[i] && t->units[i];
    }
    for (size_t i = 0; whole && i < t->n_rows; i++)
        whole = (t->row[i] = strdup(rows[i])) != NULL;
    return whole;
}

wi_recorder_table *wi_recorder_add(wi_recorder *recorder, const wi_result_table *of, const char *const *rows,
                                   size_t n_rows)
{
    wi_recorder_table *const t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->n_columns = of->n_columns;
    t->n_rows = n_rows;
    t->name = strdup(of->name);
    t->column = calloc(of->n_columns + 1, sizeof *t->column);
    t->units = calloc(of->n_columns + 1, sizeof *t->units);
    t->row = calloc(n_rows + 1, sizeof *t->row);
    if (!copy_texts(t, of->columns, rows)) {
        table_free(t);
        return NULL;
    }
    t->next = recorder->tables;
    recorder->tables = t;
    return t;
}

/* Twice the room; every line of values moves to where it begins then. */
static bool grow(wi_recorder_table *t)
{
    const size_t room = t->room ? 2 * t->room : 64, lines = t->n_columns * t->n_rows;
    double *const times = malloc(room * sizeof *times);
    double *const values = malloc((lines * room + 1) * sizeof *values);
    if (!times || !values) {
        free(times);
        free(values);
        return false;
    }
    if (t->used > 0)
        memcpy(times, t->times, t->used * sizeof *times);
    for (size_t i = 0; t->used > 0 && i < lines; i++)
        memcpy(values + i * room, t->values + i * t->room, t->used * sizeof *values);
    free(t->times);
    free(t->values);
    t->times = times;
    t->values = values;
    t->room = room;
    return true;
}

bool wi_recorder_append(wi_recorder_table *t, double time_s, const double *values)
{
    if (t->used == t->room && !grow(t))
        return false;
    t->times[t->used] = time_s;
    for (size_t c = 0; c < t->n_columns; c++)
        for (size_t r = 0; r < t->n_rows; r++)
            t->values[(c * t->n_rows + r) * t->room + t->used] = values[r * t->n_columns + c];
    t->used++;
    return true;
}

/* ---- reading ---- */

/* The number of a name; n, with a message, where it is not there. */
static size_t find_name(weir_diag *diag, const char *what, const char *name, char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    (void)weir_fail(diag, WEIR_E_ARG, "no %s '%s'%s", what, name,
                    WI_HINT(name, (const char *const *)names, n));
    return n;
}

static const wi_recorder_table *find_table(weir_diag *diag, const wi_recorder *recorder, const char *name)
{
    char *names[32];
    size_t n = 0;
    for (wi_recorder_table *t = recorder->tables; t; t = t->next) {
        if (strcmp(t->name, name) == 0)
            return t;
        if (n < sizeof names / sizeof *names)
            names[n++] = t->name;
    }
    (void)find_name(diag, "table of series", name, names, n);
    return NULL;
}

weir_status wi_recorder_find(weir_diag *diag, const wi_recorder *recorder, const char *table,
                             const char *column, const char *row, wi_recorded *out)
{
    *out = (wi_recorded){0};
    const wi_recorder_table *const t = find_table(diag, recorder, table);
    if (!t)
        return WEIR_E_ARG;
    const size_t c = find_name(diag, "column", column, t->column, t->n_columns);
    if (c == t->n_columns)
        return WEIR_E_ARG;
    if (!row && t->n_rows != 1)
        return weir_fail(diag, WEIR_E_ARG, "table '%s' has %zu rows; say which", table, t->n_rows);
    const size_t r = row ? find_name(diag, "row", row, t->row, t->n_rows) : 0;
    if (r == t->n_rows)
        return WEIR_E_ARG;
    *out = (wi_recorded){.n = t->used,
                         .time_s = t->times,
                         .value = t->values ? t->values + (c * t->n_rows + r) * t->room : NULL,
                         .units = t->units[c]};
    return WEIR_OK;
}

size_t wi_recorder_rows(const wi_recorder *recorder, const char *table, char *const **rows)
{
    *rows = NULL;
    for (const wi_recorder_table *t = recorder ? recorder->tables : NULL; t; t = t->next)
        if (strcmp(t->name, table) == 0) {
            *rows = t->row;
            return t->n_rows;
        }
    return 0;
}

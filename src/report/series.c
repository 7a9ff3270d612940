/* series.h5, made small: long series by the least and greatest value of equal stretches, in the order in which they came. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "output/h5_file.h"
#include "base/memory.h"
#include "base/file/out.h"
#include "report/figures.h"
#include "report/h5_read.h"
#include "report/report.h"

enum {
    ROWS_MAX = 60,
    POINTS_MIN = 100,
    POINTS_MAX = 3000,
    BLOCK_VALUES = 1 << 17,
    FRAMES_MIN = 10,
    FRAMES_MAX = 120
};

/* What a stretch of one series came to. */
typedef struct stretch {
    double first, last, low, high;
    size_t low_at, high_at;
} stretch;

/* A walk over a column in blocks; `visit` is given one instant at a time. */
typedef struct walk {
    const wi_h5_table *table;
    double *block; /* [instants_a_block][rows] */
    size_t instants_a_block;
} walk;

static bool walk_over(const walk *w, const char *column,
                      void (*visit)(void *user, size_t instant, const double *row), void *user)
{
    for (size_t at = 0; at < w->table->instants; at += w->instants_a_block) {
        const size_t left = w->table->instants - at;
        const size_t n = left < w->instants_a_block ? left : w->instants_a_block;
        if (!wi_h5_read(w->table, column, at, n, w->block))
            return false;
        for (size_t i = 0; i < n; i++)
            visit(user, at + i, w->block + i * w->table->rows);
    }
    return true;
}

static bool walk_begin(walk *w, const wi_h5_table *t)
{
    w->table = t;
    w->instants_a_block = t->rows < BLOCK_VALUES ? BLOCK_VALUES / t->rows : 1;
    w->block = malloc(w->instants_a_block * t->rows * sizeof *w->block);
    return w->block != NULL;
}

/* ---- which rows ---- */

static void add_up(void *user, size_t instant, const double *row)
{
    double **const sums = user;
    (void)instant;
    for (double *sum = sums[0]; sum < sums[1]; sum++, row++)
        *sum += isfinite(*row) ? fabs(*row) : 0.0;
}

typedef struct ranked {
    double sum;
    size_t row;
} ranked;

WI_ORDER_BY(by_sum, ranked, WI_ORDER(y->sum, x->sum) ?: WI_ORDER(x->row, y->row))

WI_ORDER_BY(by_row, ranked, WI_ORDER(x->row, y->row))

static const char *ranking_column(const wi_h5_table *t)
{
    static const char *const known[] = {"throughput_bps", "goodput_bps", "queue_bytes", "buffered_bytes"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        for (size_t c = 0; c < t->n_columns; c++)
            if (strcmp(t->column[c], known[k]) == 0)
                return t->column[c];
    return t->column[0];
}

/* The `n` rows with the largest sum of a column, in their order. */
static bool pick_rows(const walk *w, const char *column, size_t n, size_t *out)
{
    const size_t rows = w->table->rows;
    WI_FREED ranked *all = calloc(rows, sizeof *all);
    WI_FREED double *sum = calloc(rows, sizeof *sum);
    double *range[2] = {sum, sum ? sum + rows : NULL};
    const bool ok = all && sum && (n == rows || walk_over(w, column, add_up, range));
    for (size_t i = 0; ok && i < rows; i++)
        all[i] = (ranked){sum[i], i};
    if (ok) {
        qsort(all, rows, sizeof *all, by_sum);
        qsort(all, n, sizeof *all, by_row);
        for (size_t i = 0; i < n; i++)
            out[i] = all[i].row;
    }
    return ok;
}

/* ---- one column ---- */

typedef struct folding {
    const size_t *row; /* [n_rows] */
    size_t n_rows, a_stretch, instants;
    stretch *now;   /* [n_rows] */
    json_t **value; /* [n_rows] arrays */
} folding;

static void put_stretch(const stretch *s, bool whole, json_t *to)
{
    const bool low_first = s->low_at <= s->high_at;
    if (!whole) { /* a stretch of one instant: nothing is folded */
        json_array_append_new(to, wi_report_number(s->first));
        return;
    }
    json_array_append_new(to, wi_report_number(low_first ? s->low : s->high));
    json_array_append_new(to, wi_report_number(low_first ? s->high : s->low));
}

static void fold(void *user, size_t instant, const double *row)
{
    const folding *f = user;
    const bool begins = instant % f->a_stretch == 0;
    const bool ends = (instant + 1) % f->a_stretch == 0 || instant + 1 == f->instants;
    for (size_t i = 0; i < f->n_rows; i++) {
        stretch *s = &f->now[i];
        const double value = row[f->row[i]];
        if (begins)
            *s = (stretch){value, value, value, value, instant, instant};
        if (value < s->low || isnan(s->low)) {
            s->low = value;
            s->low_at = instant;
        }
        if (value > s->high || isnan(s->high)) {
            s->high = value;
            s->high_at = instant;
        }
        if (ends)
            put_stretch(s, f->a_stretch > 1, f->value[i]);
    }
}

/* The series of a column: a row each. Null where it cannot be read. */
static json_t *column_series(const walk *w, const char *column, const json_t *names, const size_t *rows,
                             size_t a_stretch)
{
    json_t *out = json_array(), *value[ROWS_MAX];
    stretch now[ROWS_MAX];
    folding f = {rows, json_array_size(names), a_stretch, w->table->instants, now, value};
    for (size_t i = 0; i < f.n_rows; i++)
        json_array_append_new(
            out, json_pack("{s:O, s:o}", "name", json_array_get(names, i), "y", value[i] = json_array()));
    if (walk_over(w, column, fold, &f))
        return out;
    json_decref(out);
    return NULL;
}

static bool is_flat(const json_t *series)
{
    size_t i, k;
    const json_t *one, *value;
    json_array_foreach(series, i, one)
    {
        json_array_foreach(json_object_get(one, "y"), k, value)
        {
            if (json_number_value(value) != 0.0)
                return false;
        }
    }
    return true;
}

/* Variances are drawn as standard deviations, which have a unit that people know. */
static void take_roots(json_t *series)
{
    size_t i, k;
    json_t *one, *value;
    json_array_foreach(series, i, one)
    {
        json_t *const y = json_object_get(one, "y");
        json_array_foreach(y, k, value)
        {
            if (json_is_number(value))
                json_array_set_new(y, k, wi_report_number(sqrt(json_number_value(value))));
        }
    }
}

/* A figure of a column; one that is zero throughout is only named. */
static void put_figure(const wi_h5_table *t, const char *column, json_t *series, json_t *group)
{
    static const wi_axis time = {"time", "s", false};
    static const char *const shown[][2] = {
        {"bytes", "B"}, {"bytes/s", "B/s"}, {"1/s", "/s"},         {"1", ""},
        {"s", "s"},     {"bit/s", "bit/s"}, {"packets", "packets"}};
    char units[64], label[WI_FIGURE_TEXT], name[WI_FIGURE_TEXT];
    wi_axis y = wi_column_axis(column, label);
    wi_h5_units(t, column, units, sizeof units);
    for (size_t i = 0; units[0] && i < sizeof shown / sizeof *shown; i++)
        if (strcmp(units, shown[i][0]) == 0)
            y.unit = shown[i][1];
    snprintf(name, sizeof name, "series-%.80s-%.80s", t->name, column);
    char *const variance = strcmp(units, "s2") == 0 ? strstr(label, "variance") : NULL;
    if (variance) {
        take_roots(series);
        y.unit = "s";
        snprintf(variance, sizeof label - (size_t)(variance - label), "standard deviation");
    }
    if (is_flat(series)) {
        json_array_append_new(json_object_get(group, "flat"), wi_report_text("%s", column));
        json_decref(series);
        return;
    }
    json_array_append_new(json_object_get(group, "figures"),
                          wi_figure_new(name, label, "line", &time, &y, series));
}

/* Two times a stretch, at a quarter and three quarters of it; or all of them. */
static json_t *times_of(const wi_h5_table *t, size_t a_stretch)
{
    json_t *out = json_array();
    WI_FREED double *time = malloc(t->instants * sizeof *time);
    if (!time || !wi_h5_read(t, "time_s", 0, t->instants, time)) {
        json_decref(out);
        return NULL;
    }
    for (size_t at = 0; at < t->instants; at += a_stretch) {
        const size_t end = at + a_stretch < t->instants ? at + a_stretch - 1 : t->instants - 1;
        json_array_append_new(out,
                              wi_report_number(time[at] + 0.25 * (time[end] - time[at]) * (a_stretch > 1)));
        if (a_stretch > 1)
            json_array_append_new(out, wi_report_number(time[at] + 0.75 * (time[end] - time[at])));
    }
    return out;
}

static json_t *names_of(const wi_h5_table *t, const size_t *rows, size_t n)
{
    json_t *out = json_array();
    WI_FREED char **names = wi_h5_names(t);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, wi_report_text("%s", names ? names[rows[i]] : ""));
    return out;
}

/* What is not shown of a table, in words. */
static void put_notes(const wi_h5_table *t, size_t rows, size_t a_stretch, json_t *group)
{
    json_t *notes = json_object_get(group, "notes");
    if (a_stretch > 1)
        json_array_append_new(notes,
                              wi_report_text("Of every %zu samples the least and the greatest.", a_stretch));
    if (rows < t->rows)
        json_array_append_new(
            notes, wi_report_text("%zu of %zu rows: those with most %s.", rows, t->rows, ranking_column(t)));
}

static json_t *one_table(const wi_h5_table *t, size_t budget)
{
    size_t row[ROWS_MAX];
    walk w;
    const size_t n = t->rows < ROWS_MAX ? t->rows : ROWS_MAX;
    size_t points = budget / (n * t->n_columns);
    points = points < POINTS_MIN ? POINTS_MIN : points > POINTS_MAX ? POINTS_MAX : points;
    const size_t a_stretch = t->instants <= points ? 1 : (2 * t->instants + points - 1) / points;
    json_t *group = wi_figure_group(t->name), *names = NULL;
    bool ok = walk_begin(&w, t) && pick_rows(&w, ranking_column(t), n, row);
    json_object_set_new(group, "flat", json_array());
    if (ok)
        names = names_of(t, row, n);
    for (size_t c = 0; ok && c < t->n_columns; c++) {
        json_t *series = column_series(&w, t->column[c], names, row, a_stretch);
        ok = series != NULL;
        if (ok)
            put_figure(t, t->column[c], series, group);
    }
    json_t *time = ok ? times_of(t, a_stretch) : NULL;
    free(w.block);
    json_decref(names);
    if (time) {
        json_object_set_new(group, "at", time);
        put_notes(t, n, a_stretch, group);
        return group;
    }
    json_decref(group);
    return NULL;
}

/* All tables of a file, each given to `use`; null where it cannot be read. */
static json_t *with_tables(weir_diag *diag, const char *folder,
                           json_t *(*use)(const wi_h5_table *, size_t, void *), void *user)
{
    WI_FREED char *path = wi_path_join(folder, "series.h5");
    WI_FREED wi_h5_table *tables = calloc(WI_H5_TABLES_MAX, sizeof *tables);
    json_t *out = NULL;
    if (path && tables) {
        const wi_h5_quiet before = wi_h5_begin();
        const hid_t file = wi_h5_open(path);
        if (file >= 0) {
            const size_t n = wi_h5_tables(file, tables);
            out = use(tables, n, user);
            for (size_t i = 0; i < n; i++)
                H5Gclose(tables[i].group);
            H5Fclose(file);
        }
        wi_h5_end(before);
    }
    if (!out)
        weir_warn_at(diag, path, 0, 0, "cannot be read as time series, and is left out");
    return out;
}

static json_t *all_series(const wi_h5_table *tables, size_t n, void *user)
{
    const wi_report_budget *budget = user;
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *one = one_table(&tables[i], budget->series_values / n);
        if (one)
            json_array_append_new(out, one);
    }
    return out;
}

json_t *wi_report_series(weir_diag *diag, const char *folder, const wi_report_budget *budget)
{
    wi_report_budget own = *budget;
    return with_tables(diag, folder, all_series, &own);
}

/* ---- the map over time ---- */

typedef struct framing {
    size_t rows, a_frame, instants;
    double *now; /* [rows] */
    char how;    /* 'm'ean, 'h'ighest, 's'um */
    json_t *out; /* an array of frames */
} framing;

static void frame(void *user, size_t instant, const double *row)
{
    framing *f = user;
    const size_t at = instant % f->a_frame;
    for (size_t i = 0; i < f->rows; i++) {
        const double value = isfinite(row[i]) ? row[i] : 0.0;
        f->now[i] = at == 0 ? value : f->how == 'h' ? fmax(f->now[i], value) : f->now[i] + value;
    }
    if (at + 1 < f->a_frame && instant + 1 < f->instants)
        return;
    json_t *one = json_array();
    for (size_t i = 0; i < f->rows; i++)
        json_array_append_new(one,
                              wi_report_number(f->how == 'm' ? f->now[i] / (double)(at + 1) : f->now[i]));
    json_array_append_new(f->out, one);
}

static json_t *frames_of(const wi_h5_table *t, size_t budget)
{
    static const struct {
        const char *column, *key;
        char how;
    } shown[] = {{"utilisation", "utilisation", 'm'},
                 {"queue_bytes", "queue", 'h'},
                 {"dropped_packets", "drops", 's'}};
    walk w;
    size_t frames = budget / (3 * t->rows);
    frames = frames < FRAMES_MIN ? FRAMES_MIN : frames > FRAMES_MAX ? FRAMES_MAX : frames;
    const size_t a_frame = (t->instants + frames - 1) / frames;
    WI_FREED double *now = malloc(t->rows * sizeof *now), *time = malloc(t->instants * sizeof *time);
    WI_FREED size_t *rows = malloc(t->rows * sizeof *rows);
    json_t *out = json_object(), *times = json_array();
    bool ok = walk_begin(&w, t) && now && time && rows && wi_h5_read(t, "time_s", 0, t->instants, time);
    for (size_t at = 0; ok && at < t->instants; at += a_frame)
        json_array_append_new(
            times, wi_report_number(time[at + a_frame < t->instants ? at + a_frame - 1 : t->instants - 1]));
    for (size_t i = 0; rows && i < t->rows; i++)
        rows[i] = i;
    for (size_t k = 0; ok && k < sizeof shown / sizeof *shown; k++) {
        framing f = {t->rows, a_frame, t->instants, now, shown[k].how, json_array()};
        ok = walk_over(&w, shown[k].column, frame, &f);
        json_object_set_new(out, shown[k].key, f.out);
    }
    json_object_set_new(out, "time", times);
    if (ok)
        json_object_set_new(out, "names", names_of(t, rows, t->rows));
    free(w.block);
    if (ok)
        return out;
    json_decref(out);
    return NULL;
}

static json_t *frames_of_ports(const wi_h5_table *tables, size_t n, void *user)
{
    const wi_report_budget *budget = user;
    for (size_t i = 0; i < n; i++)
        if (strcmp(tables[i].name, "ports") == 0 && tables[i].rows <= budget->frame_values / (3 * FRAMES_MIN))
            return frames_of(&tables[i], budget->frame_values);
    return json_null();
}

json_t *wi_report_frames(weir_diag *diag, const char *folder, const wi_report_budget *budget)
{
    wi_report_budget own = *budget;
    return with_tables(diag, folder, frames_of_ports, &own);
}

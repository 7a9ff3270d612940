/* The tables of a study. All in the order of the plan, and of nothing but settings, digests and metrics. */
#include "study/tables/tables.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/csv.h"
#include "output/number.h"
#include "study/tables/baseline.h"
#include "study/tables/effects.h"
#include "study/runs/folder.h"

enum { NAME_MAX_BYTES = 64 };

typedef struct table {
    wi_csv_column *column;
    char (*name)[NAME_MAX_BYTES]; /* of those that are made here */
    size_t n, room, names;
    wi_csv *csv;
} table;

static void add(table *t, const char *name, wi_csv_type type)
{
    if (t->n < t->room)
        t->column[t->n++] = (wi_csv_column){name, type};
}

static void add_all(table *t, size_t n, const wi_csv_column *columns)
{
    for (size_t i = 0; i < n; i++)
        add(t, columns[i].name, columns[i].type);
}
#define ADD(t, ...)                                                              \
    add_all((t), sizeof((wi_csv_column[]){__VA_ARGS__}) / sizeof(wi_csv_column), \
            (const wi_csv_column[]){__VA_ARGS__})

static weir_status no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory for the tables of a study");
}

/* What tells tables apart. */
typedef struct table_kind {
    const char *name;
    void (*columns)(const weir_study *s, table *t);
    weir_status (*rows)(const weir_study *s, weir_diag *diag, wi_csv *csv);
} table_kind;

static weir_status write_table(const weir_study *s, weir_diag *diag, const char *folder,
                               const table_kind *kind, table *t)
{
    char unfinished[80];
    if (!t->column || !t->name)
        return no_memory(diag);
    kind->columns(s, t);
    snprintf(unfinished, sizeof unfinished, "%s" WI_UNFINISHED, kind->name);
    weir_status status = wi_csv_open(diag, folder, unfinished, t->column, t->n, &t->csv);
    if (status == WEIR_OK)
        status = kind->rows(s, diag, t->csv);
    if (status != WEIR_OK)
        return status;
    status = wi_csv_close(diag, t->csv);
    t->csv = NULL;
    return status == WEIR_OK ? wi_folder_move(diag, folder, kind->name) : status;
}

static table table_of(const weir_study *s)
{
    const size_t room = s->n_params + s->n_metrics + 3 * s->scenario->study.n_quantiles + 16;
    return (table){
        .room = room, .column = calloc(room, sizeof(wi_csv_column)), .name = calloc(room, NAME_MAX_BYTES)};
}

static void drop(table *t)
{
    wi_csv_drop(t->csv);
    free(t->column);
    free(t->name);
}

static weir_status put_table(const weir_study *s, weir_diag *diag, const char *folder, const table_kind *kind)
{
    table t = table_of(s);
    const weir_status status = write_table(s, diag, folder, kind, &t);
    drop(&t);
    return status;
}

static void add_params(const weir_study *s, table *t)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        add(t, s->params[i].name, WI_CSV_TEXT);
}

/* Numbers, so that programs that read the table can calculate: units are taken off in `unit` columns of plots only. */
static void put_params(const weir_study *s, wi_csv *csv, const wi_point *p)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        wi_csv_text(csv, p->value[i]);
}

static void put_number(wi_csv *csv, double value)
{
    if (isnan(value))
        wi_csv_empty(csv);
    else
        wi_csv_double(csv, value);
}

static bool varies(const weir_study *s, const char *path)
{
    for (uint32_t i = 0; i < s->n_params; i++)
        if (s->params[i].path && strcmp(s->params[i].path, path) == 0)
            return true;
    return false;
}

/* ---- runs.csv ---- */

/* The figure that every row has anyway? */
static bool is_column(const wi_metric *m)
{
    return strcmp(m->name, "events") == 0 && strcmp(m->of, "events") == 0;
}

static void put_run(const weir_study *s, wi_csv *csv, uint32_t point, uint32_t replication, bool seed)
{
    const wi_point *p = &s->points[point];
    const wi_row *row = p->row[replication];
    char hex[24];
    const bool good = row->status == WEIR_OK;
    wi_csv_u64(csv, point);
    wi_csv_u64(csv, replication);
    put_params(s, csv, p);
    if (seed)
        wi_csv_u64(csv, s->scenario->seed);
    wi_csv_u64(csv, wi_run_number(s, (wi_job){point, replication}));
    wi_csv_text(csv, good ? "ok" : "failed");
    if (good) {
        wi_csv_u64(csv, row->events);
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)row->event_digest);
        wi_csv_text(csv, hex);
        snprintf(hex, sizeof hex, "%016llx", (unsigned long long)row->state_digest);
        wi_csv_text(csv, hex);
    } else {
        for (int i = 0; i < 3; i++)
            wi_csv_empty(csv);
    }
    for (uint32_t m = 0; m < s->n_metrics; m++)
        if (!is_column(&s->metrics[m]))
            put_number(csv, row->metric[m]);
    wi_csv_text(csv, row->error ? row->error : "");
}

static void run_columns(const weir_study *s, table *t)
{
    ADD(t, {"point", WI_CSV_U64}, {"replication", WI_CSV_U64});
    add_params(s, t);
    if (!varies(s, "seed"))
        add(t, "seed", WI_CSV_U64);
    ADD(t, {"run", WI_CSV_U64}, {"status", WI_CSV_TEXT}, {"events", WI_CSV_U64},
        {"event_digest", WI_CSV_TEXT}, {"state_digest", WI_CSV_TEXT});
    for (uint32_t m = 0; m < s->n_metrics; m++)
        if (!is_column(&s->metrics[m]))
            add(t, s->metrics[m].name, WI_CSV_DOUBLE);
    add(t, "error", WI_CSV_TEXT);
}

static weir_status put_runs(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    const bool seed = !varies(s, "seed");
    (void)diag;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t r = 0; r < s->points[i].rooms && r < s->points[i].want; r++)
            if (s->points[i].row[r])
                put_run(s, csv, i, r, seed);
    return WEIR_OK;
}

static const table_kind runs_table = {"runs.csv", run_columns, put_runs};

/* ---- aggregate.csv ---- */

double *wi_point_values(const wi_point *p, uint32_t metric, uint32_t *n, uint32_t *failed)
{
    double *values = malloc((p->want + 1) * sizeof *values);
    *n = *failed = 0;
    for (uint32_t r = 0; values && r < p->want && r < p->rooms; r++) {
        if (!p->row[r])
            continue;
        if (p->row[r]->status != WEIR_OK)
            ++*failed;
        else if (!isnan(p->row[r]->metric[metric]))
            values[(*n)++] = p->row[r]->metric[metric];
    }
    return values;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_quantile(wi_csv *csv, const double *sorted, uint32_t n, double q, double confidence)
{
    uint32_t low = 0, high = 0;
    if (n > 0)
        wi_order_interval(n, q, confidence, &low, &high);
    put_number(csv, wi_quantile(sorted, n, q));
    put_number(csv, low ? sorted[low - 1] : (double)NAN);
    put_number(csv, high ? sorted[high - 1] : (double)NAN);
}

static const double *quantiles_of(const weir_study *s, size_t *n)
{
    static const double median = 0.5;
    *n = s->scenario->study.n_quantiles;
    if (*n > 0)
        return s->scenario->study.quantiles;
    *n = 1;
    return &median;
}

static weir_status put_aggregate_row(const weir_study *s, weir_diag *diag, wi_csv *csv, uint32_t point,
                                     uint32_t metric)
{
    const wi_point *p = &s->points[point];
    const double confidence = s->scenario->study.confidence;
    uint32_t n, failed;
    size_t n_quantiles;
    const double *quantile = quantiles_of(s, &n_quantiles);
    double *values = wi_point_values(p, metric, &n, &failed);
    wi_summary sum;
    if (!values)
        return no_memory(diag);
    wi_summarise(values, n, confidence, &sum);
    wi_csv_u64(csv, point);
    put_params(s, csv, p);
    wi_csv_text(csv, s->metrics[metric].name);
    wi_csv_u64(csv, n);
    wi_csv_u64(csv, failed);
    put_number(csv, sum.mean);
    put_number(csv, sum.sd);
    put_number(csv, sum.low);
    put_number(csv, sum.high);
    qsort(values, n, sizeof *values, by_value);
    for (size_t q = 0; q < n_quantiles; q++)
        put_quantile(csv, values, n, quantile[q], confidence);
    free(values);
    return WEIR_OK;
}

static void add_quantiles(const weir_study *s, table *t)
{
    static const char *const ends[] = {"", "_low", "_high"};
    size_t n;
    const double *quantile = quantiles_of(s, &n);
    for (size_t q = 0; q < n; q++)
        for (size_t e = 0; e < 3; e++) {
            char number[WI_NUMBER_MAX];
            wi_format_double(wi_twelve_digits(100.0 * quantile[q]), number);
            snprintf(t->name[t->names], NAME_MAX_BYTES, "p%s%s", number, ends[e]);
            add(t, t->name[t->names++], WI_CSV_DOUBLE);
        }
}

static void aggregate_columns(const weir_study *s, table *t)
{
    add(t, "point", WI_CSV_U64);
    add_params(s, t);
    ADD(t, {"metric", WI_CSV_TEXT}, {"n", WI_CSV_U64}, {"failed", WI_CSV_U64}, {"mean", WI_CSV_DOUBLE},
        {"sd", WI_CSV_DOUBLE}, {"low", WI_CSV_DOUBLE}, {"high", WI_CSV_DOUBLE});
    add_quantiles(s, t);
}

static weir_status put_aggregate(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; status == WEIR_OK && i < s->n_points; i++)
        for (uint32_t m = 0; status == WEIR_OK && m < s->n_metrics; m++)
            status = put_aggregate_row(s, diag, csv, i, m);
    return status;
}

static const table_kind aggregate_table = {"aggregate.csv", aggregate_columns, put_aggregate};

/* ---- differences.csv ---- */

static weir_status put_difference(const weir_study *s, weir_diag *diag, wi_csv *csv, uint32_t point,
                                  uint32_t base, uint32_t metric)
{
    const wi_point *p = &s->points[point], *b = &s->points[base];
    double *pairs = malloc(((size_t)p->want + 1) * 2 * sizeof *pairs),
           *ground = pairs ? pairs + p->want + 1 : NULL;
    wi_summary difference, under;
    if (!pairs)
        return no_memory(diag);
    const uint32_t n = wi_paired(p, b, metric, pairs, ground);
    wi_summarise(pairs, n, s->scenario->study.confidence, &difference);
    wi_summarise(ground, n, s->scenario->study.confidence, &under);
    free(pairs);
    wi_csv_u64(csv, point);
    put_params(s, csv, p);
    wi_csv_text(csv, s->metrics[metric].name);
    wi_csv_u64(csv, base);
    wi_csv_u64(csv, n);
    put_number(csv, under.mean);
    put_number(csv, difference.mean);
    put_number(csv, difference.sd);
    put_number(csv, difference.low);
    put_number(csv, difference.high);
    put_number(csv, under.mean != 0.0 ? difference.mean / fabs(under.mean) : (double)NAN);
    return WEIR_OK;
}

static void difference_columns(const weir_study *s, table *t)
{
    add(t, "point", WI_CSV_U64);
    add_params(s, t);
    ADD(t, {"metric", WI_CSV_TEXT}, {"baseline", WI_CSV_U64}, {"n", WI_CSV_U64},
        {"baseline_mean", WI_CSV_DOUBLE}, {"difference", WI_CSV_DOUBLE}, {"sd", WI_CSV_DOUBLE},
        {"low", WI_CSV_DOUBLE}, {"high", WI_CSV_DOUBLE}, {"relative", WI_CSV_DOUBLE});
}

static weir_status put_differences(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    uint32_t *const bases = wi_baselines(s);
    weir_status status = bases ? WEIR_OK : no_memory(diag);
    for (uint32_t i = 0; status == WEIR_OK && i < s->n_points; i++) {
        const uint32_t base = bases[i];
        for (uint32_t m = 0; status == WEIR_OK && base != UINT32_MAX && base != i && m < s->n_metrics; m++)
            status = put_difference(s, diag, csv, i, base, m);
    }
    free(bases);
    return status;
}

static const table_kind differences_table = {"differences.csv", difference_columns, put_differences};

/* ---- effects.csv ---- */

static void effect_columns(const weir_study *s, table *t)
{
    (void)s;
    ADD(t, {"metric", WI_CSV_TEXT}, {"effect", WI_CSV_TEXT}, {"aliases", WI_CSV_TEXT}, {"n", WI_CSV_U64},
        {"difference", WI_CSV_DOUBLE}, {"sd", WI_CSV_DOUBLE}, {"low", WI_CSV_DOUBLE}, {"high", WI_CSV_DOUBLE},
        {"p", WI_CSV_DOUBLE}, {"p_holm", WI_CSV_DOUBLE});
}

static const table_kind effects_table = {"effects.csv", effect_columns, wi_effects_put};

/* ---- names ---- */

static weir_status say_taken(weir_study *s, const table_kind *kind, const char *name)
{
    const char *what = "quantile", *how = "name it once";
    weir_place at = s->scenario->study.place;
    for (uint32_t i = 0; i < s->n_params; i++)
        if (strcmp(s->params[i].name, name) == 0)
            what = "parameter", how = "give it another name: name: ...", at = s->params[i].place;
    for (uint32_t i = 0; i < s->n_metrics; i++)
        if (strcmp(s->metrics[i].name, name) == 0)
            what = "metric", how = "give it another name: NAME = ...", at = s->metrics[i].place;
    return weir_fail_at(s->diag, WEIR_E_SCENARIO, at.file ? at.file : s->file, at.line, at.column,
                        "%s '%s': %s has a column of this name; %s", what, name, kind->name, how);
}

static weir_status check_names(weir_study *s, const table_kind *kind)
{
    table t = table_of(s);
    weir_status status = t.column && t.name ? WEIR_OK : no_memory(s->diag);
    if (status == WEIR_OK)
        kind->columns(s, &t);
    for (size_t i = 0; i < t.n && status == WEIR_OK; i++)
        for (size_t k = 0; k < i && status == WEIR_OK; k++)
            if (strcmp(t.column[k].name, t.column[i].name) == 0)
                status = say_taken(s, kind, t.column[i].name);
    drop(&t);
    return status;
}

weir_status wi_tables_check(weir_study *s)
{
    weir_status status = check_names(s, &runs_table);
    if (status == WEIR_OK)
        status = check_names(s, &aggregate_table);
    if (status == WEIR_OK && s->scenario->study.baseline.n > 0)
        status = check_names(s, &differences_table);
    return status;
}

/* ---- all of them ---- */

/* Whether a metric has a value is seen at a run's end: a class that is misspelt behind `where` has no rows. */
static void say_empty(const weir_study *s, weir_diag *diag)
{
    for (uint32_t m = 0; m < s->n_metrics; m++) {
        uint64_t good = 0, values = 0;
        for (uint32_t i = 0; i < s->n_points; i++)
            for (uint32_t r = 0; r < s->points[i].rooms; r++) {
                const wi_row *row = s->points[i].row[r];
                good += row && row->status == WEIR_OK;
                values += row && row->status == WEIR_OK && !isnan(row->metric[m]);
            }
        if (good > 0 && values == 0)
            weir_warn_at(diag, s->metrics[m].place.file, s->metrics[m].place.line, s->metrics[m].place.column,
                         "metric '%s': no run has a value of it", s->metrics[m].name);
    }
}

/* Of an earlier plan, which had a baseline, other metrics or other names. */
static weir_status remove_old(weir_diag *diag, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "cannot be listed: %s", strerror(errno));
    int error = 0;
    for (struct dirent *e; !error && (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        const bool plot =
            strncmp(e->d_name, "plot-", 5) == 0 && n > 4 && strcmp(e->d_name + n - 4, ".svg") == 0;
        if ((plot || strcmp(e->d_name, differences_table.name) == 0 ||
             strcmp(e->d_name, effects_table.name) == 0) &&
            unlinkat(dirfd(dir), e->d_name, 0) != 0)
            error = errno;
    }
    closedir(dir);
    return error ? weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "old plots cannot be removed: %s",
                                strerror(error))
                 : WEIR_OK;
}

weir_status wi_tables_put(const weir_study *s, weir_diag *diag, const char *folder)
{
    say_empty(s, diag);
    weir_status status = remove_old(diag, folder);
    if (status == WEIR_OK)
        status = put_table(s, diag, folder, &runs_table);
    if (status == WEIR_OK)
        status = put_table(s, diag, folder, &aggregate_table);
    if (status == WEIR_OK && s->scenario->study.baseline.n > 0)
        status = put_table(s, diag, folder, &differences_table);
    if (status == WEIR_OK && wi_effects_has(s))
        status = put_table(s, diag, folder, &effects_table);
    return status;
}

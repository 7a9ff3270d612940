/* The tables of a study. All in the order of the plan, and of nothing but settings, digests and metrics. */
#include "study/tables/table.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "output/csv.h"
#include "base/file/out.h"
#include "study/tables/column.h"

static const wi_table_kind *const kinds[] = {&wi_table_runs, &wi_table_aggregate, &wi_table_differences,
                                             &wi_table_effects};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool has(const weir_study *s, const wi_table_kind *kind)
{
    return !kind->has || kind->has(s);
}

static weir_status write_table(const weir_study *s, weir_diag *diag, const char *folder,
                               const wi_table_kind *kind, wi_table *t)
{
    WI_FREED char *path = wi_path_join(folder, kind->name);
    wi_out *file = NULL;
    weir_status status =
        path && t->column && t->name ? wi_out_open_whole(diag, path, &file) : wi_study_no_memory(diag);
    if (status != WEIR_OK)
        return status;
    kind->columns(s, t);
    WI_RETURN_IF_FAILED(wi_csv_begin(diag, file, t->column, t->n, &t->csv) ?: kind->rows(s, diag, t->csv));
    status = wi_csv_close(diag, t->csv);
    t->csv = NULL;
    return status;
}

static wi_table table_of(const weir_study *s)
{
    const size_t room = s->n_params + s->n_metrics + 3 * s->scenario->study.n_quantiles + 16;
    return (wi_table){
        .room = room, .column = calloc(room, sizeof(wi_result_column)), .name = calloc(room, WI_TABLE_NAME)};
}

static void drop(wi_table *t)
{
    wi_csv_drop(t->csv);
    free(t->column);
    free(t->name);
}

static weir_status put_table(const weir_study *s, weir_diag *diag, const char *folder,
                             const wi_table_kind *kind)
{
    wi_table t = table_of(s);
    const weir_status status = write_table(s, diag, folder, kind, &t);
    drop(&t);
    return status;
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

#define RUNS(X)                                                              \
    X(U64, "run", "", wi_run_number(s, (wi_job){point, replication}), NULL), \
        X(TEXT, "status", "", good ? "ok" : "failed", NULL),                 \
        X(U64, "events", "", good ? row->events : WI_NO_COUNT, NULL),        \
        X(TEXT, "event_digest", "", good ? event : NULL, NULL),              \
        X(TEXT, "state_digest", "", good ? state : NULL, NULL)

static void put_run(const weir_study *s, wi_csv *csv, uint32_t point, uint32_t replication, bool seed)
{
    const wi_point *p = &s->points[point];
    const wi_row *row = p->row[replication];
    char event[24], state[24];
    const bool good = row->status == WEIR_OK;
    snprintf(event, sizeof event, "0x%016llx", (unsigned long long)row->event_digest);
    snprintf(state, sizeof state, "0x%016llx", (unsigned long long)row->state_digest);
    WI_CSV_PUT(csv, {.U64 = point}, {.U64 = replication});
    wi_table_put_params(s, csv, p);
    if (seed)
        WI_CSV_PUT(csv, {.U64 = s->scenario->seed});
    WI_CSV_PUT(csv, RUNS(WI_CELL));
    for (uint32_t m = 0; m < s->n_metrics; m++)
        if (!is_column(&s->metrics[m]))
            WI_CSV_PUT(csv, {.DOUBLE = row->metric[m]});
    WI_CSV_PUT(csv, {.TEXT = row->error});
}

static void run_columns(const weir_study *s, wi_table *t)
{
    WI_TABLE_ADD(t, {"point", WI_CSV_U64}, {"replication", WI_CSV_U64});
    wi_table_add_params(t, s);
    if (!varies(s, "seed"))
        WI_TABLE_ADD(t, {"seed", WI_CSV_U64});
    WI_TABLE_ADD(t, RUNS(WI_COLUMN));
    for (uint32_t m = 0; m < s->n_metrics; m++)
        if (!is_column(&s->metrics[m]))
            WI_TABLE_ADD(t, {s->metrics[m].name, WI_CSV_DOUBLE});
    WI_TABLE_ADD(t, {"error", WI_CSV_TEXT});
}

static weir_status put_runs(const weir_study *s, weir_diag *diag, wi_csv *csv)
{
    const bool seed = !varies(s, "seed");
    (void)diag;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t r = 0; r < s->points[i].want; r++)
            if (wi_point_row(&s->points[i], r))
                put_run(s, csv, i, r, seed);
    return WEIR_OK;
}

const wi_table_kind wi_table_runs = {"runs.csv", NULL, run_columns, put_runs};

/* ---- names ---- */

static weir_status refuse_name(weir_study *s, const wi_table_kind *kind, const char *name)
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

static weir_status check_names(weir_study *s, const wi_table_kind *kind)
{
    wi_table t = table_of(s);
    weir_status status = t.column && t.name ? WEIR_OK : wi_study_no_memory(s->diag);
    if (status == WEIR_OK)
        kind->columns(s, &t);
    for (size_t i = 0; i < t.n && status == WEIR_OK; i++)
        for (size_t k = 0; k < i && status == WEIR_OK; k++)
            if (strcmp(t.column[k].name, t.column[i].name) == 0)
                status = refuse_name(s, kind, t.column[i].name);
    drop(&t);
    return status;
}

weir_status wi_tables_check(weir_study *s)
{
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < KINDS && status == WEIR_OK; i++)
        if (has(s, kinds[i]))
            status = check_names(s, kinds[i]);
    return status;
}

/* ---- all of them ---- */

/* Warns of metrics without any value, as a class that is misspelt behind `where` has no rows, and of runs whose warm-up
 * nobody can tell. */
static void warn_of_empty(const weir_study *s, weir_diag *diag)
{
    for (uint32_t m = 0; m < s->n_metrics; m++) {
        uint64_t good = 0, values = 0;
        for (uint32_t i = 0; i < s->n_points; i++)
            for (uint32_t r = 0; r < s->points[i].want; r++) {
                const wi_row *row = wi_point_row(&s->points[i], r);
                good += row && row->status == WEIR_OK;
                values += row && row->status == WEIR_OK && !isnan(row->metric[m]);
            }
        if (good > 0 && values == 0)
            weir_warn_at(diag, WEIR_AT(s->metrics[m].place), "metric '%s': no run has a value of it",
                         s->metrics[m].name);
        else if (values < good && s->metrics[m].statistic && wi_statistic_of_time(s->metrics[m].statistic))
            weir_warn_at(
                diag, WEIR_AT(s->metrics[m].place),
                "metric '%s': %llu of %llu runs were too short to tell where their warm-up ends, and have "
                "no value of it; let runs be longer, or take the mean after output.warmup",
                s->metrics[m].name, (unsigned long long)(good - values), (unsigned long long)good);
    }
}

/* Tables that this plan does not have, and all plots. */
static bool is_old(const weir_study *s, const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i]->name) == 0)
            return !has(s, kinds[i]);
    return n > 9 && strncmp(name, "plot-", 5) == 0 && strcmp(name + n - 4, ".svg") == 0;
}

/* Removes what an earlier plan has left. */
static weir_status remove_old(const weir_study *s, weir_diag *diag, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "cannot be listed: %s", strerror(errno));
    int error = 0;
    for (struct dirent *e; !error && (e = readdir(dir));)
        if (is_old(s, e->d_name) && unlinkat(dirfd(dir), e->d_name, 0) != 0)
            error = errno;
    closedir(dir);
    return error ? weir_fail_at(diag, WEIR_E_IO, folder, 0, 0, "old plots cannot be removed: %s",
                                strerror(error))
                 : WEIR_OK;
}

/* Whether a parameter set has replications that succeeded, and all of them are one run again and again. */
static bool repeats(const wi_point *p, uint32_t *n)
{
    const wi_row *first = NULL;
    *n = 0;
    for (uint32_t r = 0; r < p->want; r++) {
        const wi_row *row = wi_point_row(p, r);
        if (!row || row->status != WEIR_OK)
            continue;
        first = first ? first : row;
        if (row->event_digest != first->event_digest || row->state_digest != first->state_digest)
            return false;
        ++*n;
    }
    return *n > 1;
}

/* Where nothing is drawn at random an interval has no width, and means nothing. */
static void warn_of_repeats(const weir_study *s, weir_diag *diag)
{
    uint32_t sets = 0, most = 0;
    for (uint32_t i = 0; i < s->n_points; i++) {
        uint32_t n;
        if (!repeats(&s->points[i], &n))
            continue;
        sets++;
        most = n > most ? n : most;
    }
    if (sets > 0)
        weir_warn(
            diag,
            "replications are identical in %u of %u parameter sets (up to %u of one): nothing there is "
            "random, so that intervals say nothing; let something be, such as start: {uniform: [0s, 1s]}",
            sets, s->n_points, most);
}

weir_status wi_tables_put(const weir_study *s, weir_diag *diag, const char *folder)
{
    warn_of_empty(s, diag);
    warn_of_repeats(s, diag);
    weir_status status = remove_old(s, diag, folder);
    for (size_t i = 0; i < KINDS && status == WEIR_OK; i++)
        if (has(s, kinds[i]))
            status = put_table(s, diag, folder, kinds[i]);
    return status ?: wi_plots_put(s, diag, folder);
}

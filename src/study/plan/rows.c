/* Rows: what came of runs, and where they stand; and the settings of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/plan/study.h"

wi_row *wi_row_new(const weir_study *s)
{
    wi_row *row = calloc(1, sizeof *row);
    if (!row)
        return NULL;
    row->metric = malloc((s->n_metrics + 1) * sizeof *row->metric);
    row->pool = calloc(s->n_metrics + 1, sizeof *row->pool);
    row->n_pools = s->n_metrics;
    if (!row->metric || !row->pool) {
        wi_row_free(row);
        return NULL;
    }
    for (uint32_t i = 0; i < s->n_metrics; i++)
        row->metric[i] = (double)NAN;
    return row;
}

void wi_row_free(wi_row *row)
{
    if (!row)
        return;
    for (uint32_t i = 0; row->pool && i < row->n_pools; i++)
        free(row->pool[i]);
    free(row->pool);
    free(row->metric);
    free(row->error);
    weir_diag_free(row->said);
    free(row);
}

bool wi_point_put(wi_point *point, uint32_t replication, wi_row *row)
{
    if (replication >= point->rooms) {
        uint32_t rooms = point->rooms ? point->rooms : 4;
        while (rooms <= replication)
            rooms *= 2;
        wi_row **more = realloc(point->row, rooms * sizeof *more);
        if (!more)
            return false;
        memset(more + point->rooms, 0, (rooms - point->rooms) * sizeof *more);
        point->row = more;
        point->rooms = rooms;
    }
    if (point->row[replication]) {
        wi_row_free(point->row[replication]);
    } else {
        point->done++;
    }
    point->row[replication] = row;
    point->wall_s += row->wall_s;
    return true;
}

void wi_sets_free(char **sets, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(sets[i]);
}

uint32_t wi_run_number(const weir_study *s, wi_job job)
{
    const uint32_t own = s->scenario->study.independent ? (uint32_t)(s->points[job.point].key >> 33) : 0;
    return s->scenario->run + own + job.replication;
}

size_t wi_run_sets(const weir_study *s, wi_job job, char **sets)
{
    const wi_point *point = &s->points[job.point];
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_params; i++) {
        if (!s->params[i].path)
            continue;
        if (asprintf(&sets[n], "%s=%s", s->params[i].path, point->value[i]) < 0) {
            wi_sets_free(sets, n);
            return 0;
        }
        n++;
    }
    if (asprintf(&sets[n], "run=%u", wi_run_number(s, job)) < 0) {
        wi_sets_free(sets, n);
        return 0;
    }
    return n + 1;
}

/* The journal: a line of JSON for each run that is over. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "output/json.h"
#include "study/runs/folder.h"
#include "study/runs/journal.h"

enum { JOURNAL_BYTES_MAX = 2000000000 };

static json_t *metrics_of(const weir_study *s, const wi_row *row)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < s->n_metrics; i++)
        json_object_set_new(o, s->metrics[i].of, wi_json_real(row->metric[i]));
    return o;
}

char *wi_journal_line(const weir_study *s, wi_job job, const wi_row *row)
{
    json_t *o = json_object();
    json_object_set_new(o, "point", wi_json_hex(s->points[job.point].key));
    json_object_set_new(o, "replication", json_integer(job.replication));
    json_object_set_new(o, "status", json_string(weir_status_name(row->status)));
    json_object_set_new(o, "wall_s", wi_json_real(row->wall_s));
    if (row->status == WEIR_OK) {
        json_object_set_new(o, "events", wi_json_hex(row->events));
        json_object_set_new(o, "event_digest", wi_json_hex(row->event_digest));
        json_object_set_new(o, "state_digest", wi_json_hex(row->state_digest));
        json_object_set_new(o, "metrics", metrics_of(s, row));
    } else {
        json_object_set_new(o, "error", json_string(row->error ? row->error : ""));
    }
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(o);
    return text;
}

/* ---- reading ---- */

static uint64_t hex_of(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? strtoull(text, NULL, 16) : 0;
}

typedef struct keyed {
    uint64_t key;
    uint32_t point;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Null where the row lacks a metric of today's, or memory. */
static wi_row *good_row(const weir_study *s, const json_t *o)
{
    const json_t *metrics = json_object_get(o, "metrics");
    wi_row *row = wi_row_new(s);
    for (uint32_t i = 0; row && i < s->n_metrics; i++) {
        const json_t *value = json_object_get(metrics, s->metrics[i].of);
        if (!value) {
            wi_row_free(row);
            return NULL;
        }
        row->metric[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    if (!row)
        return NULL;
    row->events = hex_of(o, "events");
    row->event_digest = hex_of(o, "event_digest");
    row->state_digest = hex_of(o, "state_digest");
    row->wall_s = json_number_value(json_object_get(o, "wall_s"));
    return row;
}

static wi_row *failed_row(const weir_study *s, const json_t *o)
{
    const char *error = json_string_value(json_object_get(o, "error"));
    wi_row *row = wi_row_new(s);
    if (row) {
        row->status = WEIR_E_MODEL; /* which one it was, the text says */
        row->error = strdup(error ? error : "");
        row->wall_s = json_number_value(json_object_get(o, "wall_s"));
    }
    return row;
}

/* Lines of runs that succeeded: taken, and of no point of the plan. */
typedef struct tally {
    size_t taken, strange;
} tally;

static void take_line(weir_study *s, const keyed *keys, const char *line, size_t length, bool failed,
                      tally *count)
{
    json_t *o = json_loadb(line, length, 0, NULL);
    const keyed want = {.key = hex_of(o, "point")};
    const keyed *hit = o ? bsearch(&want, keys, s->n_points, sizeof *keys, by_key) : NULL;
    const json_int_t replication = json_integer_value(json_object_get(o, "replication"));
    const char *status = json_string_value(json_object_get(o, "status"));
    const bool good = status && strcmp(status, "WEIR_OK") == 0;
    wi_row *row = NULL;
    count->strange += good && !hit;
    if (hit && status && replication >= 0 && replication < UINT32_MAX / 4) {
        wi_point *p = &s->points[hit->point];
        const bool has = (uint32_t)replication < p->rooms && p->row[replication];
        if (good)
            row = good_row(s, o);
        else if (failed && !has)
            row = failed_row(s, o);
        count->taken += good && row;
        if (row && !wi_point_put(p, (uint32_t)replication, row))
            wi_row_free(row);
    }
    json_decref(o);
}

weir_status wi_journal_load(weir_study *s, const char *folder, bool failed)
{
    char *text = NULL, *path = NULL;
    size_t size = 0;
    tally count = {0};
    if (asprintf(&path, "%s/" WI_JOURNAL, folder) < 0)
        return weir_fail(s->diag, WEIR_E_NOMEM, "no memory for a path");
    keyed *keys = malloc((s->n_points + 1) * sizeof *keys);
    weir_status status =
        keys ? WEIR_OK : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the rows of a study");
    for (uint32_t i = 0; keys && i < s->n_points; i++)
        keys[i] = (keyed){s->points[i].key, i};
    if (keys)
        qsort(keys, s->n_points, sizeof *keys, by_key);
    if (status == WEIR_OK && access(path, F_OK) == 0)
        status = wi_file_read(s->diag, path, JOURNAL_BYTES_MAX, &text, &size);
    for (char *at = text, *end; at && (end = memchr(at, '\n', (size_t)(text + size - at))); at = end + 1)
        take_line(s, keys, at, (size_t)(end - at), failed, &count);
    if (count.strange > 0 && count.taken == 0)
        weir_warn(s->diag,
                  "%s: none of its %zu finished runs is of this plan: other values, another version of weir, "
                  "or files "
                  "that have changed since; all are run again",
                  folder, count.strange);
    free(keys);
    free(text);
    free(path);
    return status;
}

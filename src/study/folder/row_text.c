/* Rows as JSON: lines of the journal, and what processes and ranks send each other. */
#include "study/folder/row_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "study/plan/pool.h"

static json_t *metrics_of(const weir_study *s, const wi_row *row)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < s->n_metrics; i++)
        json_object_set_new(o, s->metrics[i].kept, wi_json_real(row->metric[i]));
    return o;
}

/* Of those that are pooled. */
static json_t *pools_of(const weir_study *s, const wi_row *row)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < s->n_metrics; i++)
        if (row->pool[i])
            json_object_set_new(o, s->metrics[i].kept, json_string(row->pool[i]));
    return o;
}

/* Line and column are those of the study's file; 0: of none. */
static json_t *warnings_of(const weir_study *s, const weir_diag *messages)
{
    json_t *list = json_array();
    for (size_t i = 0; messages && i < weir_diag_count(messages); i++) {
        const weir_message *m = weir_diag_get(messages, i);
        const bool here = m->file && strcmp(m->file, s->file) == 0;
        if (m->severity == WEIR_WARNING)
            json_array_append_new(list,
                                  json_pack("[iis]", here ? m->line : 0, here ? m->column : 0, m->text));
    }
    return list;
}

char *wi_row_text(const weir_study *s, wi_job job, const wi_row *row, bool messages)
{
    json_auto_t *o = json_object();
    json_object_set_new(o, "point", wi_json_hex(s->points[job.point].key));
    json_object_set_new(o, "replication", json_integer(job.replication));
    json_object_set_new(o, "status", json_string(weir_status_name(row->status)));
    json_object_set_new(o, "wall_s", wi_json_real(row->wall_s));
    if (row->status == WEIR_OK) {
        json_object_set_new(o, "events", wi_json_hex(row->events));
        json_object_set_new(o, "event_digest", wi_json_hex(row->event_digest));
        json_object_set_new(o, "state_digest", wi_json_hex(row->state_digest));
        json_object_set_new(o, "metrics", metrics_of(s, row));
        json_t *const pools = pools_of(s, row);
        if (json_object_size(pools) > 0)
            json_object_set(o, "pools", pools);
        json_decref(pools);
    } else {
        json_object_set_new(o, "error", json_string(row->error ? row->error : ""));
    }
    if (row->died)
        json_object_set_new(o, "died", json_true());
    if (messages)
        json_object_set_new(o, "warnings", warnings_of(s, row->messages));
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
    return text;
}

uint64_t wi_row_hex(const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? strtoull(text, NULL, 16) : 0;
}

static weir_status status_of(const char *name)
{
    for (weir_status status = WEIR_OK; name && status <= WEIR_E_DEVICE; status++)
        if (strcmp(weir_status_name(status), name) == 0)
            return status;
    return WEIR_E_MODEL;
}

static weir_diag *messages_of(const weir_study *s, const json_t *list)
{
    weir_diag *messages = json_array_size(list) > 0 ? weir_diag_new() : NULL;
    for (size_t i = 0; messages && i < json_array_size(list); i++) {
        int line = 0, column = 0;
        const char *text = "";
        if (json_unpack(json_array_get(list, i), "[iis]", &line, &column, &text) == 0)
            weir_warn_at(messages, line ? s->file : NULL, line, column, "%s", text);
    }
    return messages;
}

/* False: the row lacks what a metric wants. */
static bool take_metric(const weir_study *s, const json_t *o, uint32_t i, wi_row *row)
{
    const json_t *value = json_object_get(json_object_get(o, "metrics"), s->metrics[i].kept);
    const char *pool = json_string_value(json_object_get(json_object_get(o, "pools"), s->metrics[i].kept));
    row->metric[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    if (s->metrics[i].pooled && pool && wi_pool_is(pool))
        row->pool[i] = strdup(pool);
    return value && (!s->metrics[i].pooled || row->pool[i] || isnan(row->metric[i]));
}

wi_row *wi_row_of_json(const weir_study *s, json_t *o)
{
    const char *error = json_string_value(json_object_get(o, "error"));
    wi_row *row = wi_row_new(s);
    if (!row)
        return NULL;
    row->status = status_of(json_string_value(json_object_get(o, "status")));
    for (uint32_t i = 0; row->status == WEIR_OK && i < s->n_metrics; i++) {
        if (!take_metric(s, o, i, row)) {
            wi_row_free(row);
            return NULL;
        }
    }
    row->events = wi_row_hex(o, "events");
    row->event_digest = wi_row_hex(o, "event_digest");
    row->state_digest = wi_row_hex(o, "state_digest");
    row->wall_s = json_number_value(json_object_get(o, "wall_s"));
    row->died = json_is_true(json_object_get(o, "died"));
    row->error = row->status == WEIR_OK ? NULL : strdup(error ? error : "");
    row->messages = messages_of(s, json_object_get(o, "warnings"));
    return row;
}

wi_row *wi_row_of_text(const weir_study *s, const char *text, size_t length)
{
    json_auto_t *o = json_loadb(text, length, 0, NULL);
    wi_row *row = o ? wi_row_of_json(s, o) : NULL;
    return row;
}

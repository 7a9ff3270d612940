/* Reading a session: figures of its summary as they stand, and its time series. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "scenario/session/session.h"

enum { KEYS_MOST = 64, PART_MOST = 256 };

/* The element of a list by its name, or by its number; a name may be a number itself. */
static json_t *element(const json_t *list, const char *part)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *const item = json_array_get(list, i);
        const char *const name = json_string_value(json_object_get(item, "name"));
        if (name && strcmp(name, part) == 0)
            return item;
    }
    const bool number = part[0] && !part[strspn(part, "0123456789")];
    return number ? json_array_get(list, strtoul(part, NULL, 10)) : NULL;
}

/* What there is at a place, for a message: the nearest name, or some of them. */
static weir_status nothing_there(weir_diag *diag, const json_t *at, const char *part, const char *path)
{
    const char *known[KEYS_MOST];
    size_t n = 0;
    const char *key = NULL;
    json_t *value = NULL;
    if (json_is_object(at)) {
        json_object_foreach((json_t *)(uintptr_t)at, key, value)
        {
            if (n < KEYS_MOST)
                known[n++] = key;
        }
    }
    for (size_t i = 0; i < json_array_size(at) && n < KEYS_MOST; i++) {
        const char *const name = json_string_value(json_object_get(json_array_get(at, i), "name"));
        if (name)
            known[n++] = name;
    }
    return weir_fail(diag, WEIR_E_ARG, "metric '%s': no '%s'%s", path, part, WI_HINT(part, known, n));
}

/* What the path [from, ...) begins with at a place, and how many letters of it: a name may hold dots itself ("p99.9"), so the
 * longest is tried first. */
static json_t *next_of(const json_t *at, const char *from, size_t *length)
{
    for (size_t n = strlen(from); n > 0; n--) {
        char part[PART_MOST];
        if ((from[n] && from[n] != '.') || n >= sizeof part)
            continue;
        memcpy(part, from, n);
        part[n] = '\0';
        json_t *const next = json_is_array(at) ? element(at, part) : json_object_get(at, part);
        *length = n;
        if (next)
            return next;
    }
    return NULL;
}

weir_status wi_json_number(weir_diag *diag, json_t *root, const char *path, double *value)
{
    json_t *at = root;
    *value = (double)NAN;
    for (const char *from = path; *from;) {
        size_t length = 0;
        json_t *const next = next_of(at, from, &length);
        if (!next) {
            char part[PART_MOST];
            snprintf(part, sizeof part, "%.*s", (int)strcspn(from, "."), from);
            if (!part[0])
                return weir_fail(diag, WEIR_E_ARG, "metric '%s': want names joined by single dots", path);
            return nothing_there(diag, at, part, path);
        }
        at = next;
        from += length + (from[length] == '.');
    }
    if (json_is_number(at))
        *value = json_number_value(at);
    else if (json_is_boolean(at))
        *value = json_is_true(at) ? 1.0 : 0.0;
    else if (!json_is_null(at))
        return weir_fail(diag, WEIR_E_ARG, "metric '%s' is no number", path);
    return WEIR_OK;
}

weir_status weir_session_metric(weir_session *s, const char *path, double *value)
{
    weir_run_result now;
    *value = (double)NAN;
    const weir_status fetched = weir_sim_fetch(s->diag, s->sim);
    WI_RETURN_IF_FAILED(fetched == WEIR_OK ? wi_session_measure(s, &now) : fetched);
    json_t *const summary = wi_summary_make(s, &now);
    const weir_status status = wi_json_number(s->diag, summary, path, value);
    json_decref(summary);
    weir_run_result_free(&now);
    return status;
}

weir_status weir_session_series(weir_session *s, const char *table, const char *column, const char *row,
                                weir_session_samples *out)
{
    wi_recorded found;
    *out = (weir_session_samples){0};
    if (!s->recorder)
        return weir_fail(s->diag, WEIR_E_ARG, "time series are not kept; set keep_series in the options");
    const weir_status status = wi_recorder_find(s->diag, s->recorder, table, column, row, &found);
    if (status == WEIR_OK)
        *out = (weir_session_samples){found.n, found.time_s, found.value, found.units};
    return status;
}

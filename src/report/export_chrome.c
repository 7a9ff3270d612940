/*
 * Trace events as JSON, for Perfetto and chrome://tracing: a process a job with a thread a rank, from actions.csv, and a process a
 * class with a bar a flow, from flows.csv. Bars of one row may overlap, so all are asynchronous events.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/export.h"

typedef struct chrome {
    wi_out *file;
    bool any;
    unsigned long long bars; /* asynchronous ones so far: their numbers */
    char **process;          /* [n] names of jobs and classes, numbers from 1 on */
    size_t n;
} chrome;

static void put_event(chrome *c, json_t *event)
{
    char *text = json_dumps(event, JSON_COMPACT);
    wi_out_text(c->file, c->any ? ",\n" : "\n");
    if (text)
        wi_out_text(c->file, text);
    c->any = true;
    free(text);
    json_decref(event);
}

static void put_name(chrome *c, const char *what, size_t process, long long thread, const char *name)
{
    put_event(c, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", what, "pid",
                           (json_int_t)process, "tid", (json_int_t)thread, "args", "name", name));
}

/* Number of a job or class, which is named where it comes first; 0: no memory. */
static size_t process_of(chrome *c, const char *kind, const char *name)
{
    char full[400];
    snprintf(full, sizeof full, "%s %s", kind, name);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->process[i], full) == 0)
            return i + 1;
    if (!wi_grow_one(&c->process, c->n, sizeof *c->process) || !(c->process[c->n] = strdup(full)))
        return 0;
    put_name(c, "process_name", ++c->n, 0, full);
    return c->n;
}

static void put_bar(chrome *c, size_t process, long long thread, const char *name, const char *category,
                    double from_us, double to_us)
{
    const json_int_t id = (json_int_t)++c->bars;
    for (int end = 0; end < 2; end++)
        put_event(c, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:f}", "ph", end ? "e" : "b", "name", name,
                               "cat", category, "id", id, "pid", (json_int_t)process, "tid",
                               (json_int_t)thread, "ts", end ? to_us : from_us));
}

static const char *field_of(const wi_csv_reader *t, const char *name)
{
    return wi_csv_field(t, wi_csv_column(t, name));
}

static weir_status put_actions(weir_diag *diag, const char *run, chrome *c)
{
    wi_csv_reader *t;
    char **field;
    weir_status status = wi_export_open(diag, run, "actions.csv", &t);
    while (status == WEIR_OK && wi_csv_read(t, &field)) {
        const char *const start = field_of(t, "start_s"), *const end = field_of(t, "end_s"),
                          *const kind = field_of(t, "kind"), *const name = field_of(t, "name");
        char text[300];
        if (!*start || !*end) /* under way; or an interconnect's table, which has no times */
            continue;
        const size_t process = process_of(c, "job", field_of(t, "job"));
        const double from_us = 1e6 * strtod(start, NULL), to_us = 1e6 * strtod(end, NULL);
        snprintf(text, sizeof text, "%s%s%s", kind, *name ? " " : "", name);
        put_bar(c, process, strtoll(field_of(t, "rank"), NULL, 10), text, kind, from_us, to_us);
        if (process == 0)
            status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the names of jobs");
    }
    const weir_status closed = wi_csv_reader_close(diag, t);
    return status ?: closed;
}

static weir_status put_flows(weir_diag *diag, const char *run, chrome *c)
{
    wi_csv_reader *t;
    char **field;
    weir_status status = wi_export_open(diag, run, "flows.csv", &t);
    while (status == WEIR_OK && wi_csv_read(t, &field)) {
        const char *const start = field_of(t, "start_s"), *const end = field_of(t, "end_s");
        char text[700];
        if (!*start || !*end)
            continue;
        const size_t process = process_of(c, "class", field_of(t, "class"));
        snprintf(text, sizeof text, "%s to %s, %s B", field_of(t, "from"), field_of(t, "to"),
                 field_of(t, "size_bytes"));
        put_bar(c, process, 0, text, "flow", 1e6 * strtod(start, NULL), 1e6 * strtod(end, NULL));
        if (process == 0)
            status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the names of classes");
    }
    const weir_status closed = wi_csv_reader_close(diag, t);
    return status ?: closed;
}

weir_status wi_export_chrome(weir_diag *diag, const char *run, wi_out *file)
{
    chrome c = {.file = file};
    wi_out_text(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    weir_status status = put_actions(diag, run, &c) ?: put_flows(diag, run, &c);
    wi_out_text(file, "\n]}\n");
    if (status == WEIR_OK && !c.any)
        status = weir_fail(diag, WEIR_E_ARG, "%s has no flow and no job that ended", run);
    wi_texts_free(c.process, c.n);
    return status;
}

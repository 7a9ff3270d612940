/*
 * Trace events as JSON, for Perfetto and chrome://tracing: a process a job with a thread a rank, from actions.csv, and a process a
 * class with a bar a flow, from flows.csv. Bars of one row may overlap, so all are asynchronous events.
 */
#include <jansson.h>
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

/* Number of a job or class, which is named where it comes first; 0: no memory. */
static size_t process_of(chrome *c, const char *owner)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->process[i], owner) == 0)
            return i + 1;
    if (!wi_grow_one(&c->process, c->n, sizeof *c->process) || !(c->process[c->n] = strdup(owner)))
        return 0;
    put_event(c, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", "process_name", "pid",
                           (json_int_t)++c->n, "tid", (json_int_t)0, "args", "name", owner));
    return c->n;
}

static weir_status put_bar(void *ctx, const wi_export_bar *b)
{
    chrome *c = ctx;
    const json_int_t id = (json_int_t)++c->bars;
    const size_t process = process_of(c, b->owner);
    for (int end = 0; end < 2; end++)
        put_event(c, json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:f}", "ph", end ? "e" : "b", "name", b->text,
                               "cat", b->category, "id", id, "pid", (json_int_t)process, "tid",
                               (json_int_t)b->row, "ts", 1e6 * (end ? b->to_s : b->from_s)));
    return process ? WEIR_OK : WEIR_E_NOMEM;
}

weir_status wi_export_chrome(weir_diag *diag, const char *run, wi_out *file)
{
    chrome c = {.file = file};
    wi_out_text(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    const weir_status status = wi_export_bars(diag, run, put_bar, &c);
    wi_out_text(file, "\n]}\n");
    wi_texts_free(c.process, c.n);
    return status;
}

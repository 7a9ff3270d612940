/* Tables of a results folder, row by row, for exports. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include "report/export.h"
#include "report/report.h"

weir_status wi_export_open(weir_diag *diag, const char *run, const char *name, wi_csv_reader **out)
{
    char path[4200];
    *out = NULL;
    snprintf(path, sizeof path, "%s/%s", run, name);
    return wi_report_has(run, name) ? wi_csv_reader_open(diag, path, out) : WEIR_OK;
}

void wi_export_put(wi_out *file, const char *format, ...)
{
    char text[4001];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    wi_out_text(file, text);
}

static const char *field_of(const wi_csv_reader *t, const char *name)
{
    return wi_csv_field(t, wi_csv_column(t, name));
}

/* How far the run got: what is under way then is drawn until then. NaN: no word of it. */
static double end_of(const char *run)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/summary.json", run);
    json_auto_t *summary = json_load_file(path, 0, NULL);
    const json_t *const reached = json_object_get(summary, "reached_s");
    return json_is_number(reached) ? json_number_value(reached) : (double)NAN;
}

/* The bars of a table: actions.csv, whose owners are jobs, or flows.csv. */
static weir_status bars_of(weir_diag *diag, const char *run, bool jobs, const char *table, bool *any,
                           weir_status (*each)(void *, const wi_export_bar *), void *ctx)
{
    wi_csv_reader *t;
    char **field, owner[400], text[700];
    const double reached_s = end_of(run);
    weir_status status = wi_export_open(diag, run, table, &t);
    while (status == WEIR_OK && wi_csv_read(t, &field)) {
        const char *const start = field_of(t, "start_s"), *const end = field_of(t, "end_s");
        const double from_s = strtod(start, NULL), to_s = *end ? strtod(end, NULL) : reached_s;
        if (!*start || !(to_s >= from_s)) /* it has not begun */
            continue;
        const char *const kind = jobs ? field_of(t, "kind") : "flow";
        const char *const size = jobs ? "" : field_of(t, "size_bytes");
        const char *const left = !*end && (jobs || *size) ? ", not complete" : "";
        if (jobs)
            snprintf(text, sizeof text, "%s%s%s%s", kind, *field_of(t, "name") ? " " : "",
                     field_of(t, "name"), left);
        else
            snprintf(text, sizeof text, "%s to %s%s%s%s%s", field_of(t, "from"), field_of(t, "to"),
                     *size ? ", " : "", size, *size ? " B" : "", left);
        snprintf(owner, sizeof owner, jobs ? "job %s" : "class %s", field_of(t, jobs ? "job" : "class"));
        const wi_export_bar bar = {.owner = owner,
                                   .category = kind,
                                   .text = text,
                                   .row = jobs ? strtoll(field_of(t, "rank"), NULL, 10) : 0,
                                   .from_s = from_s,
                                   .to_s = to_s};
        *any = true;
        status = each(ctx, &bar);
    }
    const weir_status closed = wi_csv_reader_close(diag, t);
    return status ?: closed;
}

weir_status wi_export_bars(weir_diag *diag, const char *run,
                           weir_status (*each)(void *ctx, const wi_export_bar *bar), void *ctx)
{
    bool any = false;
    weir_status status = bars_of(diag, run, true, "actions.csv", &any, each, ctx)
                             ?: bars_of(diag, run, false, "flows.csv", &any, each, ctx);
    if (status == WEIR_OK && !any)
        status = weir_fail(diag, WEIR_E_ARG, "%s has no flow and no operation of a job", run);
    return status == WEIR_E_NOMEM ? weir_fail(diag, status, "no memory for the bars of %s", run) : status;
}

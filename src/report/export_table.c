/* Tables of a results folder, row by row, for exports. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/export.h"
#include "base/memory.h"
#include "report/report.h"

static char **copy_of(char *const *text, size_t n)
{
    char **out = calloc(n + 1, sizeof *out);
    for (size_t i = 0; out && i < n; i++)
        if (!(out[i] = strdup(text[i]))) {
            for (size_t k = 0; k < i; k++)
                free(out[k]);
            free(out);
            return NULL;
        }
    return out;
}

weir_status wi_export_open(weir_diag *diag, const char *run, const char *name, wi_export_table *out)
{
    char path[4200], **fields;
    size_t n;
    *out = (wi_export_table){0};
    if (!wi_report_has(run, name))
        return WEIR_OK;
    snprintf(path, sizeof path, "%s/%s", run, name);
    const weir_status status = wi_csv_reader_open(diag, path, &out->reader);
    if (status != WEIR_OK || !wi_csv_read(out->reader, &fields, &n))
        return status;
    out->name = copy_of(fields, n);
    out->n = out->name ? n : 0;
    return out->name ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for its columns", path);
}

bool wi_export_row(wi_export_table *t)
{
    size_t n = 0;
    return t->reader && wi_csv_read(t->reader, &t->field, &n) && n == t->n;
}

const char *wi_export_field(const wi_export_table *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->name[i], name) == 0)
            return t->field[i];
    return "";
}

weir_status wi_export_close(weir_diag *diag, wi_export_table *t)
{
    wi_texts_free(t->name, t->n);
    const weir_status status = wi_csv_reader_close(diag, t->reader);
    *t = (wi_export_table){0};
    return status;
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

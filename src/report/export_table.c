/* Tables of a results folder, row by row, for exports. */
#include <stdarg.h>
#include <stdio.h>

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

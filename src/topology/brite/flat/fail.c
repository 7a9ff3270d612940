/* An error in what a flat model was asked for, worded with its place; see flat.h. */
#include "topology/brite/flat/flat.h"

#include <stdarg.h>
#include <stdio.h>

weir_status wi_flat_fail(weir_diag *diag, const wi_flat *flat, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return weir_fail_at(diag, flat->file ? WEIR_E_FORMAT : WEIR_E_SCENARIO, flat->file, flat->line, 0, "%s",
                        text);
}

#include "report/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

json_t *wi_report_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 9007199254740992.0)
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *wi_report_text(const char *fmt, ...)
{
    char small[512], *text = small;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(small, sizeof small, fmt, args);
    if (n >= (int)sizeof small && vasprintf(&text, fmt, again) < 0)
        text = small;
    va_end(again);
    va_end(args);
    json_t *out = json_string(text);
    if (!out) { /* no UTF-8: what is not ASCII is not shown */
        for (char *c = text; *c; c++)
            if (*c & 0x80)
                *c = '?';
        out = json_string(text);
    }
    if (text != small)
        free(text);
    return out;
}

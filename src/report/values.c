#include "report/values.h"
#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALL_UP_TO = 400, EVEN = 360 };

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

bool wi_values_add(wi_values *v, double value)
{
    if (!wi_grow_one(&v->value, v->n, sizeof *v->value))
        return false;
    v->value[v->n++] = value;
    return true;
}

void wi_values_free(wi_values *v)
{
    free(v->value);
    *v = (wi_values){0};
}

static void sort(wi_values *v)
{
    if (v->n)
        qsort(v->value, v->n, sizeof *v->value, wi_order_double);
}

double wi_values_from_top(wi_values *v, size_t rank)
{
    sort(v);
    return v->value[v->n - 1 - rank];
}

/* The share q of n sorted values: nearest rank, as a step function has it. */
static bool add(const wi_values *v, double q, json_t *shares, json_t *values)
{
    const double rank = ceil(q * (double)v->n);
    const size_t i = rank < 1.0 ? 0 : (size_t)rank - 1;
    return json_array_append_new(shares, json_real(q)) == 0 &&
           json_array_append_new(values, wi_report_number(v->value[i < v->n ? i : v->n - 1])) == 0;
}

bool wi_values_quantiles(wi_values *v, json_t *out)
{
    static const double tail[] = {5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 1e-5};
    enum { TAIL = sizeof tail / sizeof *tail };
    json_t *shares = json_array(), *values = json_array();
    sort(v);
    bool ok =
        shares && values && add(v, 0.0, shares, values); /* from the axis up: one value is a line, too */
    if (v->n <= ALL_UP_TO) {
        for (size_t i = 0; ok && i < v->n; i++)
            ok = add(v, (double)(i + 1) / (double)v->n, shares, values);
    } else {
        for (size_t i = TAIL; ok && i-- > 0;)
            ok = add(v, tail[i], shares, values);
        for (size_t i = 3; ok && i <= EVEN - 3; i++)
            ok = add(v, (double)i / EVEN, shares, values);
        for (size_t i = 0; ok && i < TAIL; i++)
            ok = add(v, 1.0 - tail[i], shares, values);
        ok = ok && add(v, 1.0, shares, values);
    }
    ok = json_object_set_new(out, "y", shares) == 0 && json_object_set_new(out, "x", values) == 0 && ok;
    return ok;
}

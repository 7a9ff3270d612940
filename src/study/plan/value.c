/* Values of a study: quantities read, named, compared and written. */
#include "study/plan/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units/decimal.h"
#include "output/number.h"
#include "weir/units.h"

bool wi_value_of_unit(const char *name, size_t length, wi_value *out)
{
    char text[24];
    weir_time ps;
    uint64_t whole;
    if (length == 0 || length > sizeof text - 2)
        return false;
    snprintf(text, sizeof text, "1%.*s", (int)length, name);
    *out = wi_value_number(1.0);
    if (weir_parse_time(text, &ps, NULL, 0)) {
        out->number = (double)ps / 1e12;
        out->seconds = 1.0;
    } else if (weir_parse_rate(text, &whole, NULL, 0)) {
        out->number = (double)whole;
        out->seconds = -1.0;
        out->bits = 1.0;
    } else if (weir_parse_size(text, &whole, NULL, 0)) {
        out->number = 8.0 * (double)whole;
        out->bits = 1.0;
    } else {
        return false;
    }
    return true;
}

static size_t letters(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && wi_is_letter(*at))
        at++;
    return (size_t)(at - from);
}

/* A picosecond is no exact double of seconds, so times are scaled last. */
bool wi_value_read(const char **at, const char *end, wi_value *out)
{
    const char *next = *at;
    double number;
    if (next >= end || !(wi_is_digit(*next) || *next == '.') || !wi_read_double(&next, end, &number))
        return false;
    *out = wi_value_number(number);
    *at = next;
    if (next < end && *next == '%') {
        out->number = number / 100.0;
        *at = next + 1;
        return true;
    }
    while (next < end && *next == ' ')
        next++;
    wi_value unit;
    const size_t n = letters(next, end);
    if (!wi_value_of_unit(next, n, &unit))
        return true;
    *out = unit;
    out->number =
        unit.seconds == 1.0 && unit.number < 1.0 ? number / round(1.0 / unit.number) : number * unit.number;
    *at = next + n;
    return true;
}

wi_value wi_value_of(const char *text)
{
    const char *at = text, *end = text + strlen(text);
    const bool negative = at < end && *at == '-';
    wi_value value, unit;
    at += negative;
    if (wi_value_read(&at, end, &value)) {
        const char *slash = at;
        while (slash < end && *slash == ' ')
            slash++;
        if (slash + 1 < end && *slash == '/' && value.seconds == 0.0 && value.bits == 0.0 &&
            wi_value_of_unit(slash + 1, (size_t)(end - slash - 1), &unit) && unit.bits == 0.0) {
            value.number /= unit.number;
            value.seconds = -1.0;
            at = end;
        }
        if (at == end) {
            value.number = negative ? -value.number : value.number;
            return value;
        }
    }
    const size_t n = strlen(text);
    const bool quoted = n >= 2 && (text[0] == '"' || text[0] == '\'') && text[n - 1] == text[0];
    return (wi_value){.text = text + quoted, .length = n - 2 * quoted, .number = (double)NAN};
}

const char *wi_value_what(const wi_value *v)
{
    if (v->text)
        return "a text";
    if (v->seconds == 0.0 && v->bits == 0.0)
        return "a number";
    if (v->seconds == 1.0 && v->bits == 0.0)
        return "a time";
    if (v->seconds == -1.0 && v->bits == 0.0)
        return "an event rate";
    if (v->seconds == 0.0 && v->bits == 1.0)
        return "a size";
    if (v->seconds == -1.0 && v->bits == 1.0)
        return "a rate";
    return "a quantity of a unit that no key has";
}

bool wi_value_format(const wi_value *v, char out[WI_VALUE_TEXT])
{
    char number[WI_NUMBER_MAX];
    if (v->text || !isfinite(v->number))
        return false;
    if (v->seconds == 1.0 && v->bits == 0.0 && v->number >= 0.0 && v->number < 9e6)
        weir_format_time((weir_time)llround(v->number * 1e12), out);
    else if (v->seconds == 0.0 && v->bits == 1.0 && v->number >= 0.0 && v->number < 1e19)
        weir_format_size((uint64_t)llround(v->number / 8.0), out);
    else if (v->seconds == -1.0 && v->bits == 1.0 && v->number >= 0.0 && v->number < 9e18)
        weir_format_rate((uint64_t)llround(v->number), out);
    else if (v->bits == 0.0 && (v->seconds == 0.0 || v->seconds == -1.0)) {
        wi_format_double(v->number, number);
        snprintf(out, WI_VALUE_TEXT, "%s%s", number, v->seconds != 0.0 ? "/s" : "");
    } else {
        return false;
    }
    return true;
}

/* 3 * 100 ms is no exact double of 300 ms. Whole numbers are exact, and may have more than twelve digits. */
static bool equal(double a, double b)
{
    return a == b || ((a != floor(a) || b != floor(b)) && wi_twelve_digits(a) == wi_twelve_digits(b));
}

bool wi_value_equal(const wi_value *a, const wi_value *b)
{
    if (a->text || b->text)
        return a->text && b->text && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    return a->seconds == b->seconds && a->bits == b->bits && equal(a->number, b->number);
}

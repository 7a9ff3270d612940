/* Numbers as text. */
#include "output/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that embeds weir may have set a locale with a decimal comma. */
static void use_point(char *text)
{
    const char *point = localeconv()->decimal_point;
    char *at = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
    if (!at)
        return;
    *at = '.';
    memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
}

void wi_format_double(double value, char text[WI_NUMBER_MAX])
{
    text[0] = '\0';
    if (isnan(value))
        return;
    if (fabs(value) < 9007199254740992.0 && value == floor(value)) { /* 2^53: whole, and most results are */
        snprintf(text, WI_NUMBER_MAX, "%.0f", value);
        return;
    }
    /* Fifteen digits always survive decimal to binary and back, seventeen always tell two doubles apart. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, WI_NUMBER_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    use_point(text);
}

void wi_format_seconds(weir_time value_ps, char text[WI_NUMBER_MAX])
{
    const char *sign = value_ps < 0 ? "-" : "";
    const uint64_t ps = value_ps < 0 ? 0 - (uint64_t)value_ps : (uint64_t)value_ps;
    const unsigned long long whole = ps / (uint64_t)WEIR_PS_PER_S;
    unsigned long long part = ps % (uint64_t)WEIR_PS_PER_S;
    int digits = 12;
    if (part == 0) {
        snprintf(text, WI_NUMBER_MAX, "%s%llu", sign, whole);
        return;
    }
    while (part % 10 == 0) {
        part /= 10;
        digits--;
    }
    snprintf(text, WI_NUMBER_MAX, "%s%llu.%0*llu", sign, whole, digits, part);
}

double wi_per_second(double amount, weir_time span_ps)
{
    return span_ps > 0 ? (double)((long double)amount * 1e12L / (long double)span_ps) : (double)NAN;
}

double wi_twelve_digits(double value)
{
    char text[WI_NUMBER_MAX];
    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL); /* the same locale both ways */
}

double wi_of_float(double value)
{
    char text[WI_NUMBER_MAX];
    if (!(fabs(value) < 3e38) || (double)(float)value != value)
        return value;
    for (int digits = 6; digits <= 9; digits++) { /* nine always tell two floats apart */
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtof(text, NULL) == (float)value)
            break;
    }
    return strtod(text, NULL);
}

#include "base/units/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXPONENT_MAX = 100000 };

static bool is_digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

typedef struct reading {
    wi_decimal number;
    bool full;  /* no further digit fits into 64 bits: the rest is dropped */
    bool any;   /* a digit was seen */
    bool point; /* so was the decimal point */
} reading;

static void add_digit(reading *r, int digit)
{
    r->any = true;
    r->full |= r->number.digits > (UINT64_MAX - (uint64_t)digit) / 10;
    if (!r->full) {
        r->number.digits = 10 * r->number.digits + (uint64_t)digit;
        if (r->point && r->number.exponent > -EXPONENT_MAX)
            r->number.exponent--;
    } else if (!r->point) {
        r->number.cut = true;
        if (r->number.exponent < EXPONENT_MAX)
            r->number.exponent++;
    }
}

static const char *read_exponent(const char *p, const char *end, int *exponent)
{
    const char *start = p;
    if (p >= end || (*p != 'e' && *p != 'E'))
        return start;
    p++;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (!is_digit(p, end))
        return start;
    int value = 0;
    for (; is_digit(p, end); p++)
        value = value < EXPONENT_MAX ? 10 * value + (*p - '0') : EXPONENT_MAX;
    *exponent = negative ? -value : value;
    return p;
}

static void tidy(wi_decimal *d)
{
    if (d->digits == 0)
        d->exponent = 0;
    while (d->digits && d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
    if (d->exponent > EXPONENT_MAX)
        d->exponent = EXPONENT_MAX;
    if (d->exponent < -EXPONENT_MAX)
        d->exponent = -EXPONENT_MAX;
}

const char *wi_decimal_read(const char *text, const char *end, wi_decimal *out)
{
    reading r = {0};
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+'))
        r.number.negative = *p++ == '-';
    for (; p < end; p++) {
        if (is_digit(p, end))
            add_digit(&r, *p - '0');
        else if (*p == '.' && !r.point)
            r.point = true;
        else if (*p != '_' || !r.any || p[-1] == '.' || !is_digit(p + 1, end))
            break;
    }
    if (!r.any)
        return NULL;
    int exponent = 0;
    p = read_exponent(p, end, &exponent);
    r.number.exponent += exponent;
    tidy(&r.number);
    *out = r.number;
    return p;
}

double wi_decimal_to_double(const wi_decimal *d)
{
    /* Both operands exact: one operation, correctly rounded (the common case, 20 times as fast as what
     * follows). */
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->digits <= UINT64_C(1) << 53 && d->exponent >= -22 && d->exponent <= 22) {
        const double digits = d->negative ? -(double)d->digits : (double)d->digits;
        return d->exponent < 0 ? digits / tens[-d->exponent] : digits * tens[d->exponent];
    }
    /* strtod rounds correctly, and a text without a decimal point means the same in every locale. */
    char text[48];
    snprintf(text, sizeof text, "%s%" PRIu64 "e%d", d->negative ? "-" : "", d->digits, d->exponent);
    return strtod(text, NULL);
}

bool wi_read_double(const char **text, const char *end, double *out)
{
    wi_decimal d;
    const char *rest = wi_decimal_read(*text, end, &d);
    if (!rest)
        return false;
    const double value = wi_decimal_to_double(&d);
    if (!isfinite(value))
        return false;
    *text = rest;
    *out = value;
    return true;
}

/*
 * Numbers as text. A row of flows.csv has some fourteen that want all their digits: printf and strtod took more than half of the
 * time of runs with many short flows. What the results hold is, nearly always, 1e-6 to 1e22, where 128 bits make it exact.
 */
#include "output/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* digits * 10^by, of n digits. */
typedef struct decimal {
    uint64_t digits;
    int n, by;
} decimal;

enum { DIGITS_MAX = 17 }; /* always tell two doubles apart */
enum { POWER_MAX = 22 };  /* of ten, below 2^75 */

/* A double is whole / 2^halved, whole of 53 bits. Times a power of ten that fits 128 bits, so that what follows is exact. */
typedef struct binary {
    uint64_t whole;
    int halved;
} binary;

static binary binary_of(double size)
{
    int exponent;
    const double share = frexp(size, &exponent);
    return (binary){(uint64_t)ldexp(share, 53), 53 - exponent};
}

static unsigned __int128 power_of_ten(int n)
{
    // clang-format off
    static const uint64_t power[] = {
        1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u, 1000000000u, 10000000000u, 100000000000u,
        1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u, 10000000000000000u, 100000000000000000u,
        1000000000000000000u, 10000000000000000000u};
    // clang-format on
    return n < 20 ? power[n] : (unsigned __int128)power[19] * power[n - 19];
}

/* The decimal of n digits that is nearest to a number above 0, of two the even one. */
static decimal nearest(double size, int n)
{
    const binary b = binary_of(size);
    decimal d = {.n = n, .by = (int)ceil(log10(size)) - n};
    for (int tries = 0; tries < 2 && d.by <= 0 && d.by >= -POWER_MAX && b.halved > 0 && b.halved < 127;
         tries++) {
        const unsigned __int128 all = b.whole * power_of_ten(-d.by),
                                half = (unsigned __int128)1 << (b.halved - 1), rest = all & (2 * half - 1);
        d.digits = (uint64_t)(all >> b.halved);
        d.digits += rest > half || (rest == half && d.digits % 2 == 1);
        if (d.digits >= (uint64_t)power_of_ten(n - 1) && d.digits < (uint64_t)power_of_ten(n))
            return d;
        d.by += d.digits < (uint64_t)power_of_ten(n) ? -1 : 1;
    }
    char text[WI_NUMBER_MAX];
    snprintf(text, sizeof text, "%.*e", n - 1, size);
    d.digits = 0;
    const char *c = text;
    for (; *c != 'e'; c++) /* the point is the locale's, and may be more than a byte */
        d.digits = *c >= '0' && *c <= '9' ? 10 * d.digits + (uint64_t)(*c - '0') : d.digits;
    d.by = (int)strtol(c + 1, NULL, 10) + 1 - n;
    return d;
}

/* The double nearest to a decimal. Up to fifteen digits and a power of ten that is exact, one operation rounds once. */
static double value_of(const decimal *d)
{
    if (d->n <= 15 && d->by >= -POWER_MAX && d->by <= POWER_MAX)
        return d->by < 0 ? (double)d->digits / (double)power_of_ten(-d->by)
                         : (double)d->digits * (double)power_of_ten(d->by);
    char text[WI_NUMBER_MAX];
    /* Without a point the locale does not matter. */
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)d->digits, d->by);
    return strtod(text, NULL);
}

/* Whether a decimal is nearer to that double than to any other. */
static bool reads_back(const decimal *d, double size)
{
    const binary b = binary_of(size);
    const uint64_t least = UINT64_C(1) << 52; /* whose neighbours lie at two distances */
    if (d->by <= 0 && d->by >= -POWER_MAX && b.halved >= 0 && b.halved <= 70 && b.whole != least) {
        const unsigned __int128 power = power_of_ten(-d->by), exact = b.whole * power,
                                it = (unsigned __int128)d->digits << b.halved,
                                off = 2 * (it > exact ? it - exact : exact - it);
        return off < power || (off == power && b.whole % 2 == 0);
    }
    return value_of(d) == size;
}

/* As printf's %g has it, with that many digits. */
static void put_decimal(const decimal *d, char *to)
{
    const int exponent = d->by + d->n - 1;
    const bool fixed = exponent >= -4 && exponent < d->n;
    char digit[2 * DIGITS_MAX + 1];
    uint64_t left = d->digits;
    int end = d->n, point = fixed ? exponent + 1 : 1;
    for (int i = d->n; i > 0; i--, left /= 10)
        digit[i - 1] = (char)('0' + left % 10);
    while (end > point && end > 1 && digit[end - 1] == '0')
        end--;
    if (point <= 0) {
        memcpy(to, "0.0000", (size_t)(2 - point));
        memcpy(to += 2 - point, digit, (size_t)end);
        to += end;
    } else {
        memcpy(to, digit, (size_t)point);
        to += point;
        if (end > point) {
            *to = '.';
            memcpy(to + 1, digit + point, (size_t)(end - point));
            to += 1 + end - point;
        }
    }
    *to = '\0';
    if (!fixed)
        sprintf(to, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
}

/* Digits of a whole number; returns where they end. */
static char *put_whole(uint64_t value, char *to)
{
    char back[20];
    int n = 0;
    do
        back[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n > 0)
        *to++ = back[--n];
    *to = '\0';
    return to;
}

void wi_format_whole(uint64_t value, char text[WI_NUMBER_MAX])
{
    (void)put_whole(value, text);
}

void wi_format_double(double value, char text[WI_NUMBER_MAX])
{
    text[0] = '\0';
    if (isnan(value))
        return;
    if (signbit(value))
        *text++ = '-';
    if (isinf(value)) {
        strcpy(text, "inf");
        return;
    }
    const double size = fabs(value);
    if (size < 9007199254740992.0 && size == floor(size)) { /* 2^53: whole, and most results are */
        (void)put_whole((uint64_t)size, text);
        return;
    }
    /* Fifteen digits always survive decimal to binary and back. */
    decimal d = nearest(size, 15);
    while (d.n < DIGITS_MAX && !reads_back(&d, size))
        d = nearest(size, d.n + 1);
    put_decimal(&d, text);
}

void wi_format_seconds(weir_time value_ps, char text[WI_NUMBER_MAX])
{
    const uint64_t ps = value_ps < 0 ? 0 - (uint64_t)value_ps : (uint64_t)value_ps;
    uint64_t part = ps % (uint64_t)WEIR_PS_PER_S;
    if (value_ps < 0)
        *text++ = '-';
    text = put_whole(ps / (uint64_t)WEIR_PS_PER_S, text);
    if (part == 0)
        return;
    int digits = 12;
    for (; part % 10 == 0; part /= 10)
        digits--;
    for (int i = digits; i > 0; i--, part /= 10)
        text[i] = (char)('0' + part % 10);
    text[0] = '.';
    text[digits + 1] = '\0';
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
    enum { FLOAT_DIGITS = 9 }; /* always tell two floats apart */
    if (!(fabs(value) < 3e38) || (double)(float)value != value)
        return value;
    for (int n = 6; value != 0.0 && n <= FLOAT_DIGITS; n++) {
        const decimal d = nearest(fabs(value), n);
        const double read = value_of(&d);
        if ((float)read == (float)fabs(value) || n == FLOAT_DIGITS)
            return copysign(read, value);
    }
    return value;
}

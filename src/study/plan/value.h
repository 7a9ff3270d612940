/*
 * Values of a study: of parameters, and of expressions over them.
 *
 * A value is a number with a dimension, or a text. Dimensions are exponents of seconds and bits, so that
 * `rtt * rate` of a time and a rate is an amount of data, and comparing a time with a size is an error.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { WI_VALUE_TEXT = 64 };

typedef struct wi_value {
    const char *text; /* null: a number. [length], the expression's or the caller's */
    size_t length;
    double number;
    double seconds, bits; /* exponents of the dimension */
} wi_value;

static inline wi_value wi_value_number(double number)
{
    return (wi_value){.number = number};
}

/* A value as scenarios write it: a number with or without unit, else a text (without its quotes). */
wi_value wi_value_of(const char *text);

/* A number in the unit that a key of its dimension takes; false where no key has such a dimension. */
bool wi_value_format(const wi_value *value, char out[WI_VALUE_TEXT]);

/* Numbers of one dimension that are equal, to twelve digits where they are not whole; or equal texts. */
bool wi_value_equal(const wi_value *a, const wi_value *b);

/* "a time", "a number", "a text": for messages. */
const char *wi_value_what(const wi_value *value);

/* Read digits with a unit behind them, if any, and move *at past them; false and nothing read where there is no number. */
bool wi_value_read(const char **at, const char *end, wi_value *out);

/* One of a unit, such as `ms` or `Mbps`; false where there is no such unit. */
bool wi_value_of_unit(const char *name, size_t length, wi_value *out);

/* Of names and units; bytes of UTF-8 are letters. */
static inline bool wi_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static inline bool wi_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

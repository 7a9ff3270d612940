/*
 * Decimal numbers in text: exact, and the same in every locale.
 *
 * Text need not end in a zero byte: `end` points past its last byte. Nothing beyond `end` is read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* digits * 10^exponent. Digits that do not fit into 64 bits are dropped: those past the 19th or 20th. */
typedef struct wi_decimal {
    bool negative;
    bool cut; /* digits before the decimal point were dropped */
    uint64_t digits;
    int exponent; /* without trailing zeros in digits; kept within +-100,000 */
} wi_decimal;

/*
 * Read [sign] digits [. digits] [e [sign] digits], where `_` may stand between two digits.
 * Returns where the number ends, or null where `text` begins with none.
 */
const char *wi_decimal_read(const char *text, const char *end, wi_decimal *out);

/* The nearest double of those digits; infinite beyond the range. */
double wi_decimal_to_double(const wi_decimal *decimal);

/* Read one finite number and move *text past it; false, with *text where it was, where there is none. */
bool wi_read_double(const char **text, const char *end, double *out);

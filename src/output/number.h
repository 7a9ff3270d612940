/* Numbers as text, the same in every locale. */
#pragma once

#include "weir/time.h"

enum { WI_NUMBER_MAX = 40 }; /* bytes that hold any number written here, the final zero included */

/* The shortest decimal text that reads back as the same double; NaN gives "", infinities "inf" and "-inf".
 */
void wi_format_double(double value, char text[WI_NUMBER_MAX]);

void wi_format_whole(uint64_t value, char text[WI_NUMBER_MAX]);

/* Seconds, all twelve decimals of the picoseconds, final zeros left out: 1500000000000 gives "1.5". */
void wi_format_seconds(weir_time value_ps, char text[WI_NUMBER_MAX]);

/* Of a value that was kept in single precision: the double of its shortest decimal text as a float, so that
 * 22.96 ms are that. Others are returned as they are. */
double wi_of_float(double value);

/* The value with 12 significant digits: for sums that were added up in doubles, whose last digits are chance. */
double wi_twelve_digits(double value);

/* `amount` over a span of time, a second; NaN for a span of nothing. Rounded once, so that 12,760,400 bits in a
 * second are that and not a digit beside it. */
double wi_per_second(double amount, weir_time span_ps);

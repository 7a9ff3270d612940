/** Numbers as text, the same in every locale. */
#ifndef WEIR_OUTPUT_NUMBER_H
#define WEIR_OUTPUT_NUMBER_H

#include "weir/time.h"

enum { WI_NUMBER_MAX = 40 }; /**< bytes that hold any number written here, the final zero included */

/** The shortest decimal text that reads back as the same double; NaN gives "", infinities "inf" and "-inf".
 */
void wi_format_double(double value, char text[WI_NUMBER_MAX]);

/** Seconds, all twelve decimals of the picoseconds, final zeros left out: 1500000000000 gives "1.5". */
void wi_format_seconds(weir_time value_ps, char text[WI_NUMBER_MAX]);

#endif

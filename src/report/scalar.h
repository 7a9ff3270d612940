/* JSON of single numbers and texts. */
#ifndef WI_REPORT_SCALAR_H
#define WI_REPORT_SCALAR_H

#include <jansson.h>

#include "weir/fn.h"

/* A number, short: whole ones exactly, others as doubles (printed with six digits); null for what is not finite. */
json_t *wi_report_number(double value);
/* printf into a JSON string. */
json_t *wi_report_text(const char *fmt, ...) WEIR_PRINTF(1, 2);

#endif

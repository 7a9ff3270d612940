/* summary.json in a few lines for people: what a subject says of its own figures. */
#ifndef WI_SCENARIO_SUBJECT_TELL_H
#define WI_SCENARIO_SUBJECT_TELL_H

#include <jansson.h>

/* For those who write such lines. The number `key` of an object; NaN where it has none (another kind of
 * traffic, nothing measured). */
double wi_number_of(const json_t *object, const char *key);

#endif

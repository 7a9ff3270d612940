/* summary.json in a few lines for people: what a subject says of its own figures. */
#ifndef WI_SCENARIO_SUBJECTS_TELL_H
#define WI_SCENARIO_SUBJECTS_TELL_H

#include <stdio.h>

#include <jansson.h>

/* The lines of the subject that the summary names; none where it names none that is known, or is null. */
void wi_summary_tell(FILE *out, const json_t *summary);

/* For those who write such lines. The number `key` of an object; NaN where it has none (another kind of
 * traffic, nothing measured). */
double wi_number_of(const json_t *object, const char *key);

#endif

/* The files that a scenario reads, and their digests. */
#ifndef WI_SCENARIO_INPUTS_H
#define WI_SCENARIO_INPUTS_H

#include "scenario/schema/schema.h"

extern const wi_section wi_section_input;

/*
 * Put the digests of all files that the scenario names into scenario->inputs, in place of those that its file
 * states; where these differ, a warning says which file has changed. Without a base folder, what is stated stays.
 */
void wi_inputs_take(wi_reader *r, weir_scenario *scenario);

#endif

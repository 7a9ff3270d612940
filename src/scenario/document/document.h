/* A scenario file as a whole: its top section, and what a resolved one is written to. */
#pragma once

#include <stdio.h>

#include <jansson.h>

#include "keys/keys.h"
#include "schema/tree.h"
#include "subject/subject.h"

extern const wi_section wi_schema; /* the whole file */
extern const wi_section wi_section_model, wi_section_input;

/*
 * As weir_scenario_parse, of the file without one of its sections too, whose keys what is set may name. Places are
 * those of the text.
 */
WEIR_NODISCARD weir_status wi_scenario_parse_edited(weir_diag *diag, const wi_yaml_text *of,
                                                    const char *base_dir, const wi_edits *edits,
                                                    weir_scenario **out);

/* subjects.c: what a scenario simulates. */
const wi_subject *wi_subject_of(const weir_scenario *scenario);
/* Subject number `i`, the network first; null past the last. */
const wi_subject *wi_subject_at(size_t i);
/* The lines for people of the subject that a summary names; none where it names none that is known, or is null. */
void wi_summary_tell(FILE *out, const json_t *summary);

/* scenario.yaml, the resolved scenario, in a results folder. */
WEIR_NODISCARD weir_status wi_scenario_put(weir_diag *diag, const weir_scenario *scenario,
                                           const char *folder);

/*
 * Put the digests of all files that the scenario names into scenario->inputs, in place of those that its file
 * states; where these differ, a warning says which file has changed. Without a base folder, what is stated stays.
 */
void wi_inputs_take(wi_reader *r, weir_scenario *scenario);

/* Scenarios that are part of a file. */
#ifndef WI_SCENARIO_PARSE_H
#define WI_SCENARIO_PARSE_H

#include "weir/scenario.h"

/* As weir_scenario_parse, of the file without one of its sections (null: with all), whose keys `sets` may name too. Places are
 * those of the text. */
WEIR_NODISCARD weir_status wi_scenario_parse_without(weir_diag *diag, const char *name, const char *text,
                                                     size_t length, const char *base_dir,
                                                     const char *const *sets, size_t n_sets,
                                                     const char *section, weir_scenario **out);

#endif

/* What `weir study` prints of what it found. */
#ifndef WI_CLI_COMMANDS_STUDY_TABLE_H
#define WI_CLI_COMMANDS_STUDY_TABLE_H

#include <jansson.h>

#include "weir/status.h"

/* Prints the aggregate.csv of a study's folder: parameters, metric, number of replications, mean and interval; the first rows
 * where there are many. WEIR_E_IO, WEIR_E_FORMAT, WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status cli_print_aggregate(weir_diag *diag, const char *folder);
/* The same as a list of objects, all rows and columns: *out is a new reference on every path. */
WEIR_NODISCARD weir_status cli_aggregate_json(weir_diag *diag, const char *folder, json_t **out);

#endif

/* YAML trees as text again: one value in flow style, and a whole file. */
#ifndef WI_SCHEMA_TREE_H
#define WI_SCHEMA_TREE_H

#include <stdio.h>

#include "schema/yaml.h"

/* A value as it may stand after `--set PATH=`; null when memory is short. */
const char *wi_node_flow(weir_arena *arena, const wi_node *node);

/* Take a key out of a mapping, where it is there; null: none. */
void wi_node_drop(wi_node *root, const char *key);

/*
 * The text of a file with all `sets` put in, and `key` (null: none) left out: what a study keeps, and gives its
 * runs. `*out` is the caller's to free.
 */
WEIR_NODISCARD weir_status wi_scenario_apply(weir_diag *diag, const char *name, const char *text,
                                             size_t length, const char *const *sets, size_t n_sets,
                                             const char *key, char **out);

/*
 * Keys in which two files differ, as paths with commas between, cut to size; "" where they are the same. What changes
 * no result is passed over: `study` and `engine`.
 */
WEIR_NODISCARD weir_status wi_scenario_differences(weir_diag *diag, const char *name, const char *a,
                                                   size_t a_length, const char *b, size_t b_length, char *out,
                                                   size_t size);

#endif

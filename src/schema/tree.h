/* YAML trees as text again: one value in flow style, and a whole file. */
#pragma once

#include <stdio.h>

#include "schema/yaml.h"

/* A value as it may stand after `--set PATH=`; null when memory is short. */
const char *wi_node_flow(weir_arena *arena, const wi_node *node);

/* Take a key out of a mapping, where it is there; null: none. */
void wi_node_drop(wi_node *root, const char *key);

/* What is changed of a file before it is read: values set ("PATH=VALUE"), and a section left out (null: none). */
typedef struct wi_edits {
    const char *const *sets; /* [n_sets] */
    size_t n_sets;
    const char *without;
} wi_edits;

/* The text of a file with its edits: what a study keeps, and gives its runs. `*out` is the caller's to free. */
WEIR_NODISCARD weir_status wi_scenario_apply(weir_diag *diag, const wi_yaml_text *of, const wi_edits *edits,
                                             char **out);

/*
 * Keys in which two files differ, as paths with commas between, cut to size; "" where they are the same. What changes
 * no result is passed over: `study` and `engine`.
 */
WEIR_NODISCARD weir_status wi_scenario_differences(weir_diag *diag, const wi_yaml_text *a,
                                                   const wi_yaml_text *b, char *out, size_t size);

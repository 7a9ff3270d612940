/*
 * YAML as scenario files use it: one document of mappings, sequences and scalars, as a tree whose nodes know
 * their place.
 *
 * Scalars stay text; what they mean is for the schema to say. Anchors and aliases work (an alias is a copy);
 * tags, merge keys, several documents, keys that are not text, and duplicate keys are errors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "weir/arena.h"
#include "weir/names.h"

enum {
    WI_YAML_BYTES_MAX = 16 << 20,
    WI_YAML_DEPTH_MAX = 64,
    WI_YAML_NODES_MAX = 1000000, /* aliases count each time they are used */
    WI_YAML_KEYS_MAX = 256       /* in one mapping; bounds the search for duplicates */
};

typedef enum wi_node_type { WI_SCALAR, WI_SEQUENCE, WI_MAPPING } wi_node_type;

typedef struct wi_node wi_node;
struct wi_node {
    wi_node_type type;
    bool plain;       /* a scalar without quotes */
    const char *text; /* of a scalar; without NUL inside */
    weir_place place;
    const char *key; /* the node's own, when it is a value in a mapping */
    weir_place key_place;
    wi_node *first, *last; /* children */
    wi_node *next;
    size_t n; /* children */
};

/* A text to be read; `name` stands for its file in messages and places. */
typedef struct wi_yaml_text {
    const char *name, *text;
    size_t length;
} wi_yaml_text;

/*
 * Parse one document, whose name is kept by the tree. With
 * `fixed` set, all places are that one (text that comes from no file) instead of lines and columns. Errors go
 * to diag; *out is null then, except where duplicate keys are all that is wrong: then it is the tree with the
 * first value of each, so that the rest can be checked too. The tree lives in `arena`.
 */
WEIR_NODISCARD weir_status wi_yaml_parse(weir_diag *diag, weir_arena *arena, const wi_yaml_text *of,
                                         const weir_place *fixed, wi_node **out);

/* The value of a key in a mapping, or null; null too for a null node and for what is no mapping. */
wi_node *wi_node_child(const wi_node *node, const char *key);
/* A plain scalar that YAML takes as null: empty, ~ or null. */
bool wi_node_is_null(const wi_node *node);
/* "a section", "a list", "a value": for messages. */
const char *wi_node_what(const wi_node *node);
void wi_node_append(wi_node *parent, wi_node *child);

/* Apply "path=value" to a tree, as weir_scenario_load documents. The root must be a mapping. */
WEIR_NODISCARD weir_status wi_yaml_set(weir_diag *diag, weir_arena *arena, wi_node *root, const char *set);

/* storage.c: texts in an arena; null when memory is short. */
char *wi_text_copy(weir_arena *arena, const char *text, size_t length);
char *wi_text_format(weir_arena *arena, const char *fmt, ...) WEIR_PRINTF(2, 3);

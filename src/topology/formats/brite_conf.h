/* A BRITE configuration as text: blocks of keys and values, with their lines. brite_conf.c reads it,
 * brite_conf_model.c says what it means. */
#ifndef WI_TOPOLOGY_FORMATS_BRITE_CONF_H
#define WI_TOPOLOGY_FORMATS_BRITE_CONF_H

#include "topology/brite/brite.h"
#include "topology/read/reader.h"

enum { WI_CONF_KEYS = 24, WI_CONF_MODELS = 3 };

typedef struct wi_conf_key {
    wi_slice name, value;
    int line;
    bool used;
} wi_conf_key;

/* BeginModel ... EndModel */
typedef struct wi_conf_block {
    wi_conf_key key[WI_CONF_KEYS];
    size_t n;
    int line;
} wi_conf_block;

typedef struct wi_conf {
    weir_diag *diag;
    wi_source *source; /* held: slices stay good */
    const weir_topology_options *options;
    wi_conf_block model[WI_CONF_MODELS];
    size_t n_models;
} wi_conf;

/* The text into blocks. */
weir_status wi_conf_parse(wi_conf *conf);
/* The key of a block, or null; marks it as used. */
const wi_conf_key *wi_conf_find(wi_conf_block *block, const char *name);
/* A number within bounds. A key that is missing is an error. */
weir_status wi_conf_number(const wi_conf *conf, wi_conf_block *block, const char *name, double low,
                           double high, double *out);
/* The same for a whole number. */
weir_status wi_conf_count(const wi_conf *conf, wi_conf_block *block, const char *name, uint32_t low,
                          uint32_t high, uint32_t *out);
/* Warns of keys that nobody used. */
void wi_conf_warn_unused(const wi_conf *conf);

#endif

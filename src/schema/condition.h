/* Conditions on the keys of a section (wi_clash in schema.h), term by term. */
#ifndef WI_SCHEMA_CONDITION_H
#define WI_SCHEMA_CONDITION_H

#include "schema/schema.h"

enum { WI_NAME_MAX = 64 }; /* of a key, with its path */

typedef struct wi_term {
    bool negated;             /* "!a" or "a!=b" */
    const char *path, *words; /* words: behind the sign, null where it asks whether the key is given */
    size_t path_size, words_size;
    const char *items; /* of "list[]{...}": what holds of one of them, and is all of the term */
    size_t items_size;
} wi_term;

/* Takes the next term off a condition; false: there is none. */
bool wi_next_term(const char **at, const char *end, wi_term *out);
/* The next of several names with `mark` between them, in WI_NAME_MAX bytes; false: there is none. */
bool wi_next_name(const char **at, const char *end, char mark, char *out);
/* Is a value of the key one of the term's words? Null is none. */
bool wi_is_one_of(const wi_key *key, const char *text, const wi_term *t);

#endif

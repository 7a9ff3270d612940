/* The nearest right spelling, for messages such as "unknown key 'bandwith' (did you mean 'bandwidth'?)". */
#pragma once

#include <stddef.h>

/*
 * The word of `known` nearest to `word`, or null when none is near.
 *
 * Counts insertions, deletions, substitutions and swaps of neighbours (Damerau and Levenshtein, each place
 * edited once); a change of case counts an eighth, `-`, `_` and blank for one another likewise. Near is one
 * edit, or one for each three letters, and never as many as the word has letters. Of equally near words the
 * first. Null entries and words of more than 63 bytes are passed over.
 */
const char *wi_nearest(const char *word, const char *const *known, size_t n);

/* What a message of an unknown word ends with: " (did you mean 'NEAR'?)", or where none is near "; known are A, B, C", as many as
 * there is room for. Stands until the end of the block. */
enum { WI_HINT_BYTES = 400 };
#define WI_HINT(word, known, n) wi_hint((char[WI_HINT_BYTES]){0}, word, known, n)
const char *wi_hint(char out[WI_HINT_BYTES], const char *word, const char *const *known, size_t n);

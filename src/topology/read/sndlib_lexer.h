/*
 * Words of SNDlib's native format, for both who read it: topologies (topology/formats/sndlib.c) and traffic
 * matrices (network/files/demands.c).
 *
 * A token is a parenthesis or a word; blanks and line breaks stand between words; `#` begins a comment. A
 * word in double quotes may hold blanks and parentheses: our own addition, so that a file can name nodes
 * whose names have some.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum wi_sndlib_type { WI_SNDLIB_END, WI_SNDLIB_OPEN, WI_SNDLIB_CLOSE, WI_SNDLIB_WORD } wi_sndlib_type;

typedef struct wi_sndlib_token {
    wi_sndlib_type type;
    bool unclosed;    /* a quoted word that does not end in its line, where it was cut */
    const char *text; /* of a word: without its quotes; not ended by a zero */
    size_t length;
    int line, column; /* from 1 */
} wi_sndlib_token;

/* What is to be read: [at, end), of which `line` is the number of the line at `line_start`. */
typedef struct wi_sndlib_lexer {
    const char *at, *end, *line_start;
    int line;
} wi_sndlib_lexer;

/* Begin at a text whose first line has that number. */
wi_sndlib_lexer wi_sndlib_text(const char *text, size_t length, int line);
/* Read the next token. */
wi_sndlib_token wi_sndlib_next(wi_sndlib_lexer *lexer);
/* Go past a line break, which stands at `at`. */
void wi_sndlib_new_line(wi_sndlib_lexer *lexer);
/* Compare a token with a word. */
bool wi_sndlib_is(const wi_sndlib_token *token, const char *word);
/* Whether a file begins so. */
bool wi_sndlib_is_title(const char *line, size_t length);

/* Of META's unit: bits per second that 1 stands for, 0 for a word that is none. */
double wi_sndlib_unit(const char *word, size_t length);
/* The nearest unit to a word, never null; and all of them, for messages. */
const char *wi_sndlib_nearest_unit(const char *word);
#define WI_SNDLIB_UNITS "BITSPERSEC, KBITPERSEC, MBITPERSEC, GBITPERSEC, TBITPERSEC"

/* Slices of what is read, words of a line, and numbers: what readers of text share. */
#pragma once

#include "base/file/source.h"
#include "weir/time.h"

enum { WI_SHOWN = 48 };
/* Write a slice for a message to `out`, of WI_SHOWN bytes, and return it: unprintable bytes as '?', long text
 * cut. */
const char *wi_shown(wi_slice slice, char *out);
/* Make one line of a text, in place: blanks for runs of blanks and control characters, whole UTF-8
 * characters. */
void wi_one_line(char *text);
/* Parse a finite number that is all of the slice; false otherwise. */
bool wi_slice_number(wi_slice slice, double *out);
/* Whether a slice is digits, and has some. */
bool wi_slice_digits(wi_slice slice);
/* Parse a whole number from 0 to 2^32 - 1 that is all of the slice, digits only; false otherwise. */
bool wi_slice_u32(wi_slice slice, uint32_t *out);
/* Compare a slice with a word, in any case of letters. */
bool wi_slice_is(wi_slice slice, const char *text);
/* Compare the begin of a slice with a text. */
bool wi_slice_begins(wi_slice slice, const char *text);
/* Copy as much of a slice as fits, ended by a NUL, control characters as '?'. */
void wi_slice_copy(wi_slice slice, char *out, size_t size);
/* A text as a slice. */
wi_slice wi_slice_of(const char *text);

/* ---- words of a line ---- */

/* Take the next word between blanks off a line; false where there is none. */
bool wi_next_word(wi_slice *line, wi_slice *word);
/* Split a line at blanks, and put at most `room` of its fields into `field`; returns how many there are. */
size_t wi_split(wi_slice line, wi_slice *field, size_t room);
/* Read the next line that holds something before any `#`, and split it at blanks and commas: at most `room` of its fields are
 * put into `field`. Returns how many there are; 0 at the end, and after a failure. */
size_t wi_next_record(wi_source *source, wi_slice *field, size_t room);
/* What a field says, or 0 after an error that begins with `what`. A number without a unit is of `unit`; "": it needs one. */
weir_time wi_time_field(wi_source *source, wi_slice field, const char *what, const char *unit);
uint64_t wi_size_field(wi_source *source, wi_slice field, const char *what, const char *unit);
uint64_t wi_rate_field(wi_source *source, wi_slice field, const char *what, const char *unit);
/* The whole number within bounds that a field is, digits only, or `least` after an error that begins with `what`. */
uint32_t wi_whole_field(wi_source *source, wi_slice field, const char *what, uint32_t least, uint32_t most);
/* The number within bounds that a field is, or an error that says `what` it is. */
double wi_number_field(wi_source *source, wi_slice field, const char *what, double low, double high);

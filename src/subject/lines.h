/*
 * Figures of summary.json in a few lines for people. A line is text in which {PATH} stands for the figure of that path, or of the
 * first of PATH|PATH that there is, in the unit that its name ends with: "12.3 kbit/s" of goodput_bps, "20 ms" of p99_s. After a
 * colon: -N or N, the least width; then % for a share in per cent, .N for so many decimals, Ng for so many digits; after
 * another colon a text that follows the figure within the width. {=TEXT:-N} is a text in a width.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

typedef struct wi_line {
    const char *text;
    const char *list;  /* once for each item of the list of this path, where paths begin; null: once */
    const char *needs; /* only where there is a figure of this path, above 0 if > follows it; null: always */
    const char *other; /* the text where there is none; null: nothing */
    const char *head;  /* a line before the first of these; null: none */
} wi_line;

void wi_lines_print(FILE *out, const wi_line *lines, size_t n, const json_t *figures);

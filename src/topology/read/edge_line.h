/* Lines of edge lists: what separates their columns, and columns in quotes. */
#pragma once

#include "base/file/source.h"

enum { WI_EDGE_FIELDS = 4 };

typedef struct wi_edge_line {
    int line;
    size_t n_fields; /* all of them, also beyond WI_EDGE_FIELDS */
    wi_slice field[WI_EDGE_FIELDS];
    bool quoted[WI_EDGE_FIELDS]; /* "" stands for a quote */
} wi_edge_line;

/* '|' if there is one; ',' if there is one and blanks only follow commas; blanks otherwise. What stands in
 * quotes does not count. */
char wi_edge_separator(wi_slice line);
/* A line's columns, without blanks and quotes around them. */
wi_edge_line wi_edge_split(wi_slice line, char separator, int number);
/* A quoted column without doubled quotes. Returns its length; `text` holds as many bytes as the column. */
size_t wi_edge_unquoted(wi_slice column, char *text);

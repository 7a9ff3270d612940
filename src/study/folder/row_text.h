/* Rows as JSON, on one line: the journal's, and what processes and ranks send each other. */
#pragma once

#include <jansson.h>

#include "study/plan/study.h"

/* Malloc'ed, without a line feed; `messages`: with the run's warnings. Null when memory is short. */
char *wi_row_text(const weir_study *s, wi_job job, const wi_row *row, bool messages);
/* Reads a row. Null where memory is short, or the row lacks a metric of this study. */
wi_row *wi_row_of_text(const weir_study *s, const char *text, size_t length);
/* The same of a line that is JSON already. */
wi_row *wi_row_of_json(const weir_study *s, json_t *o);
/* A number that is written as hexadecimal digits; 0: none. */
uint64_t wi_row_hex(const json_t *o, const char *key);

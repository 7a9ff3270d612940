/*
 * Patterns of names: "core*", "r?", "h[0-15]", "node[01-20,30]", "[a-d]*".
 *
 * `*` stands for any characters, none included, `?` for one. Brackets hold either whole numbers and ranges of
 * them, with commas between (a number with leading zeros asks for that many digits, one without for no
 * leading zeros), or characters and ranges of them as a shell has it, [!...] for all others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "weir/status.h"

/* Has it a character that only a pattern has? A bracket counts with its partner. */
bool wi_is_pattern(const char *text);
bool wi_pattern_matches(const char *pattern, const char *name);

/* Names of files with `*` and `?` in their last part, which stand for several files. */
/* Does the last part of a path hold `*` or `?`? */
bool wi_is_file_pattern(const char *path);

/* Files, in the order of bytes. */
typedef struct wi_files {
    char **path; /* [n], absolute where the pattern is */
    size_t n;
} wi_files;

/* The files that a pattern stands for; none found is no error. WEIR_E_NOMEM, WEIR_E_IO. wi_files_free in any case. */
WEIR_NODISCARD weir_status wi_files_find(weir_diag *diag, const char *pattern, wi_files *out);
void wi_files_free(wi_files *files);

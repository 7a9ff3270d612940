/* Names of files with `*` and `?` in their last part, which stand for several files. */
#ifndef WI_SCHEMA_FILE_PATTERN_H
#define WI_SCHEMA_FILE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/status.h"

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

#endif

/* A whole file in memory. */
#pragma once

#include <stddef.h>

#include "weir/status.h"

/*
 * Read a file whole, compressed (unpack.h) or not, followed by a zero byte that *size does not count. More
 * than `limit` bytes, uncompressed, is an error. "-" is standard input.
 *
 * Owner:   *text is the caller's (free); null on failure.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_FORMAT when it is too large or its compression is damaged;
 * WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_file_read(weir_diag *diag, const char *path, size_t limit, char **text,
                                        size_t *size);

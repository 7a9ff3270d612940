/*
 * Files as they are, or compressed by gzip or (where the build has libbz2) by bzip2, as one stream of bytes. Which it is, their
 * first bytes tell, not their names.
 */
#pragma once

#include "weir/status.h"

typedef struct wi_unpack wi_unpack;

/*
 * Open a file; "-" with `or_stdin` is standard input, gzip'd or not.
 *
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT where it is bzip2's and this build cannot.
 */
WEIR_NODISCARD weir_status wi_unpack_open(weir_diag *diag, const char *path, bool or_stdin, wi_unpack **out);
/* The next bytes, at most n; *got is 0 at the end alone. WEIR_E_IO, WEIR_E_NOMEM, WEIR_E_FORMAT for what breaks off or is
 * damaged: the message is wi_unpack_why, valid until the next call. */
WEIR_NODISCARD weir_status wi_unpack_read(wi_unpack *unpack, void *out, unsigned n, unsigned *got);
/* Why the last read failed. */
const char *wi_unpack_why(const wi_unpack *unpack);
/* Accepts null. */
void wi_unpack_close(wi_unpack *unpack);

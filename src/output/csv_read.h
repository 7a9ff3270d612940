/* CSV tables, row by row: RFC 4180 with lines that end in LF or CRLF. */
#ifndef WI_OUTPUT_CSV_READ_H
#define WI_OUTPUT_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "weir/status.h"

typedef struct wi_csv_reader wi_csv_reader;

/* WEIR_E_IO where the file cannot be opened; WEIR_E_NOMEM. *out is null then. */
WEIR_NODISCARD weir_status wi_csv_reader_open(weir_diag *diag, const char *path, wi_csv_reader **out);
/* The next row's fields, which are the reader's until the next call; false at the end and on failure. */
bool wi_csv_read(wi_csv_reader *reader, char ***fields, size_t *n);
/* Close and free: WEIR_OK, or what ended the reading, with the line: WEIR_E_IO, WEIR_E_FORMAT for a quote that
 * does not end or a row of more than 2^24 bytes, WEIR_E_NOMEM. Accepts null. */
WEIR_NODISCARD weir_status wi_csv_reader_close(weir_diag *diag, wi_csv_reader *reader);

#endif

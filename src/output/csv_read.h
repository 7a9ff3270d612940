/* CSV tables, row by row below a line of names: RFC 4180 with lines that end in LF or CRLF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "weir/status.h"

typedef struct wi_csv_reader wi_csv_reader;

/* Open a table and read the names of its columns. WEIR_E_IO where the file cannot be opened; WEIR_E_NOMEM. *out is null then:
 * to what follows a null reader is a table without columns. */
WEIR_NODISCARD weir_status wi_csv_reader_open(weir_diag *diag, const char *path, wi_csv_reader **out);
/* The names, [*n], the reader's; and which is the last of this name, SIZE_MAX: none. */
char *const *wi_csv_names(const wi_csv_reader *reader, size_t *n);
size_t wi_csv_column(const wi_csv_reader *reader, const char *name);
/* The next row's fields, as many as there are names, which are the reader's until the next call; false at the end and on
 * failure. Rows of another length are passed over. */
bool wi_csv_read(wi_csv_reader *reader, char ***fields);
/* The field of that row in a column; "" in SIZE_MAX. */
const char *wi_csv_field(const wi_csv_reader *reader, size_t column);
/* Close and free: WEIR_OK, or what ended the reading, with the line: WEIR_E_IO, WEIR_E_FORMAT for a quote that
 * does not end or a row of more than 2^24 bytes, WEIR_E_NOMEM. Accepts null. */
WEIR_NODISCARD weir_status wi_csv_reader_close(weir_diag *diag, wi_csv_reader *reader);

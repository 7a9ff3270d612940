/* JSON files and values, over jansson. */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "weir/status.h"

/* A count. Above 2^63 - 1, which jansson's integers cannot hold, the nearest double. */
json_t *wi_json_count(uint64_t value);
/* A 64-bit word as "0x" and 16 hexadecimal digits: readers that take all numbers for doubles keep it whole.
 */
json_t *wi_json_hex(uint64_t value);
/* A double; null for NaN and infinities, which JSON does not have. */
json_t *wi_json_real(double value);

/*
 * The text of a value: two spaces of indent, keys in the order of adding, reals with 15 significant digits, a
 * line feed at the end. Malloc'ed, the caller's to free; null when memory is short or `root` is null.
 */
char *wi_json_text(const json_t *root);

/* Write the text of `root` as one file; WEIR_E_NOMEM, also for a null root (jansson's answer to no memory),
 * WEIR_E_IO. */
WEIR_NODISCARD weir_status wi_json_put(weir_diag *diag, const char *folder, const char *name,
                                       const json_t *root);

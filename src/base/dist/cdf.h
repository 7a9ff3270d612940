/* Reading a CDF from memory, for weir_cdf_load and for tests that need no file. */
#ifndef WI_BASE_DIST_CDF_H
#define WI_BASE_DIST_CDF_H

#include <stddef.h>

#include "weir/cdf.h"

/* As weir_cdf_load, from `size` bytes of text; `name` stands for the file in messages. */
WEIR_NODISCARD weir_status wi_cdf_parse(weir_diag *diag, const char *name, const char *text, size_t size,
                                        weir_cdf **out);

#endif

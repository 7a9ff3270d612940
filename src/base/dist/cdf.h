/* Reading a CDF from any source, for weir_cdf_load and for tests that need no file. */
#pragma once

#include "base/file/source.h"
#include "weir/cdf.h"

/* As weir_cdf_load, from a source, which is closed. */
WEIR_NODISCARD weir_status wi_cdf_read(wi_source source, weir_cdf **out);

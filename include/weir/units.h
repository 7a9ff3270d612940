/**
 * Quantities with units as people write them: `5ms`, `10Gbps`, `64KiB`, `30%`, `200/s`.
 *
 * Text:       digits with an optional fraction and an optional exponent of ten (`2.5e3`), grouped by
 *             `_` if so wished, then the unit, with or without blanks between. Case matters: `Mbps` is
 *             bits, `MBps` bytes per second. The decimal point is `.` whatever the locale.
 * Exactness:  integers are scaled in 128 bits and rounded once, halves up; what does not fit is an
 *             error, and so is a positive quantity that rounds to zero. Doubles are correctly rounded
 *             (rates of events per minute or longer: rounded twice). Digits past the 19th significant
 *             one are ignored.
 * Errors:     false, with *out untouched, and in `why` (may be null; cut to why_size) the offending
 *             text, what was wanted, and the nearest right spelling where there is one. The caller
 *             knows file and line.
 * Threads:    any; nothing is allocated and there is no state.
 */
#ifndef WEIR_UNITS_H
#define WEIR_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/fn.h"
#include "weir/time.h"

/** Time in picoseconds: ps, ns, us (or µs), ms, s, min, h, d. Negative times are errors. */
WEIR_API WEIR_NODISCARD bool weir_parse_time(const char *text, weir_time *out, char *why, size_t why_size);

/** Rate in bits per second: bps, kbps, Mbps, Gbps, Tbps; Kibps .. Tibps; and with B for bytes: Bps, kBps ..
 * TiBps. */
WEIR_API WEIR_NODISCARD bool weir_parse_rate(const char *text, uint64_t *out_bps, char *why, size_t why_size);

/** Size in bytes: B, kB, MB, GB, TB; KiB, MiB, GiB, TiB. Bits (`kb`, `Mb`) are errors. */
WEIR_API WEIR_NODISCARD bool weir_parse_size(const char *text, uint64_t *out_bytes, char *why,
                                             size_t why_size);

/** Share between 0 and 1: `30%` or `0.3`. */
WEIR_API WEIR_NODISCARD bool weir_parse_share(const char *text, double *out, char *why, size_t why_size);

/** Events per second: `200/s`, `3/ms`, `0.5/min`; the units of time after the slash. */
WEIR_API WEIR_NODISCARD bool weir_parse_event_rate(const char *text, double *out_per_s, char *why,
                                                   size_t why_size);

/** A whole number without a unit: `20`, `1_000_000`, `1e6`. */
WEIR_API WEIR_NODISCARD bool weir_parse_count(const char *text, uint64_t *out, char *why, size_t why_size);

/** Any finite number without a unit, with an optional sign. */
WEIR_API WEIR_NODISCARD bool weir_parse_number(const char *text, double *out, char *why, size_t why_size);

/** Enough room for any text that the functions below write. */
#define WEIR_UNITS_TEXT 40

/**
 * The shortest spelling that parses back to the same value; returns `out`, which holds WEIR_UNITS_TEXT bytes.
 * Rates come out in decimal bits per second; sizes in decimal or binary units, whichever is shorter. Negative
 * times (differences) are written with a sign, which parsing refuses.
 */
WEIR_API char *weir_format_time(weir_time t_ps, char *out);
/** A rate in bits a second as text that weir_parse_rate reads back exactly; returns out. */
WEIR_API char *weir_format_rate(uint64_t rate_bps, char *out);
/** A size in bytes as text that weir_parse_size reads back exactly; returns out. */
WEIR_API char *weir_format_size(uint64_t bytes, char *out);

#endif

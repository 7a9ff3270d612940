/**
 * Simulated time and transmission time.
 *
 * Units: time is a signed 64-bit count of picoseconds (292 years either way would not fit: the range is ±106
 * days). Rates are bits per second, sizes are bytes.
 */
#ifndef WEIR_TIME_H
#define WEIR_TIME_H

#include <stdint.h>

#include "weir/fn.h"

typedef int64_t weir_time;

#define WEIR_PS_PER_S INT64_C(1000000000000)
#define WEIR_PS_PER_MS INT64_C(1000000000)
#define WEIR_PS_PER_US INT64_C(1000000)
#define WEIR_PS_PER_NS INT64_C(1000)
#define WEIR_TIME_MAX INT64_MAX

/**
 * Time to put `bytes` on a link of `rate_bps`, rounded once to the nearest picosecond.
 *
 * Whole packet in one division: a picosecond-per-byte constant is 20 % off at 3.2 Tb/s, where a byte lasts
 * 2.5 ps. Needs rate_bps > 0 and bytes <= 2 MiB, which keeps the product inside 64 bits. The result is at
 * least 1 ps.
 */
WEIR_FN weir_time weir_tx_time(uint32_t bytes, uint64_t rate_bps)
{
    const uint64_t bits = 8u * (uint64_t)bytes;
    const uint64_t ps = (bits * (uint64_t)WEIR_PS_PER_S + rate_bps / 2) / rate_bps;
    return ps > 0 ? (weir_time)ps : 1;
}

/**
 * A time that lies `ps` after `from_ps`, which is at least 0; the fraction of a picosecond is cut off. What
 * would lie past the last time there is (106 days), where no run goes, ends there: draws of long pauses do.
 */
WEIR_FN weir_time weir_time_after(weir_time from_ps, double ps)
{
    const weir_time most_ps = WEIR_TIME_MAX - 1 - from_ps;
    return ps < (double)most_ps ? from_ps + (weir_time)ps : WEIR_TIME_MAX - 1;
}

/** Seconds as a double, for results only. */
WEIR_FN double weir_seconds(weir_time t_ps)
{
    return (double)t_ps / 1e12; /* not * 1e-12, which is not exact: 100 us were 9.999999999999999e-05 */
}

#endif

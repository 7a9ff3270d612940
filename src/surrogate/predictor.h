/*
 * Predictors: what stands for the network while it is bypassed. Each keeps a row of numbers for a source, a target
 * and a size of packets, made from what was seen in a tracked period, and gives a packet's latency by it and how long
 * it waits for room before.
 *
 * The wait, a mean, is the row's first number for all of them: without it a surrogate takes what the network cannot.
 * (CODES' predictor gives the delay until a terminal's next packet for that, a mean over those that another one stood
 * behind: codes-org/codes, src/surrogate/packet-latency-predictor/average.c.) For the latency a predictor is a function
 * of its numbers and of 64 random bits, valid on host and device; and a function that makes the numbers from what was
 * seen. A new one is those two and a line of WI_PREDICTORS.
 */
#pragma once

#include "weir/bits.h"
#include "weir/fn.h"
#include "weir/time.h"

enum {
    WI_SEEN_BINS = 64, /* of a histogram of latencies: four an octave from the unit on */
    WI_SEEN_UNIT_PS = 64000,
    WI_QUANTILES = 17 /* least, sixteenths, greatest */
};

/* What was seen between a source and a target. */
typedef struct wi_seen {
    int64_t sent, stalled_ps; /* packets that left the source, and how long they were kept from it */
    int64_t packets, sum_ps;  /* those delivered, and their latencies */
    int64_t units;            /* sizes of these */
    int64_t bin[WI_SEEN_BINS];
} wi_seen;

// clang-format off
/* X(NAME, numbers for the latency, doc) */
#define WI_PREDICTORS(X)                                                                                     \
    X(mean, 1, "the mean latency of the pair")                                                               \
    X(quantile, WI_QUANTILES, "a latency drawn from the pair's distribution")                                \
    X(constant, 1, "for tests: a microsecond, whatever was seen")
// clang-format on

#define WI_PREDICTOR_ENUM(name, width, doc) WI_PREDICTOR_##name,
typedef enum wi_predictor { WI_PREDICTORS(WI_PREDICTOR_ENUM) WI_N_PREDICTORS } wi_predictor;
#undef WI_PREDICTOR_ENUM

/* Bin of a latency, and where a bin begins: the unit times 2^(bin / 4), in quarters of an octave. */
WEIR_FN uint32_t wi_seen_bin(weir_time latency_ps)
{
    const uint64_t units = (uint64_t)latency_ps * 4 / WI_SEEN_UNIT_PS;
    if (units < 8)
        return units < 4 ? 0 : (uint32_t)units - 4;
    uint32_t octave = 0;
    while (units >> octave >= 8)
        octave++;
    const uint32_t bin = 4 * octave + (uint32_t)(units >> octave) - 4;
    return bin < WI_SEEN_BINS ? bin : WI_SEEN_BINS - 1;
}

WEIR_FN weir_time wi_seen_bin_low(uint32_t bin)
{
    return (weir_time)(bin % 4 + 4) * ((weir_time)1 << bin / 4) * (WI_SEEN_UNIT_PS / 4);
}

WEIR_FN weir_time wi_predict_mean(const int64_t *row, uint64_t bits)
{
    (void)bits;
    return row[0];
}

/* Between two neighbouring quantiles, chosen by the upper bits, in proportion to the lower ones. */
WEIR_FN weir_time wi_predict_quantile(const int64_t *row, uint64_t bits)
{
    const uint64_t at = (bits >> 32) * (WI_QUANTILES - 1);
    const uint32_t i = (uint32_t)(at >> 32);
    const uint64_t part = at & UINT32_MAX, span = (uint64_t)(row[i + 1] - row[i]);
    return row[i] + (weir_time)weir_mulhi64(span << 16, part << 16) /* span and part stay below 2^48 */;
}

WEIR_FN weir_time wi_predict_constant(const int64_t *row, uint64_t bits)
{
    (void)bits;
    return row[0];
}

/* How long a packet waits for room, by its row. */
WEIR_FN weir_time wi_predict_stall(const int64_t *row)
{
    return row[0];
}

/* The latency of a packet, by its row; without the time for its own length. */
WEIR_FN weir_time wi_predict(wi_predictor which, const int64_t *row, uint64_t bits)
{
#define WI_PREDICTOR_CASE(name, width, doc) \
    case WI_PREDICTOR_##name:               \
        return wi_predict_##name(row + 1, bits);
    switch (which) {
        WI_PREDICTORS(WI_PREDICTOR_CASE)
    default:
        return 0;
    }
#undef WI_PREDICTOR_CASE
}

/* Numbers in a row. */
uint32_t wi_predictor_width(wi_predictor which);
/* Whether it needs the histograms of what was seen. */
int wi_predictor_wants_bins(wi_predictor which);
/* The row of what was seen; `seen` holds at least one packet that was delivered. `unit_ps` is
 * the time that a unit of size takes by itself. */
void wi_predictor_fit(wi_predictor which, const wi_seen *seen, weir_time unit_ps, int64_t *row);

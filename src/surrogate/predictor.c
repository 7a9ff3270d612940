/* Rows of predictors from what was seen. Latencies are kept without the time for a packet's own length, so that
 * packets of one class of sizes differ by that. */
#include "surrogate/predictor.h"

static void fit_mean(const wi_seen *seen, int64_t *row)
{
    row[0] = seen->sum_ps / seen->packets;
}

/* Each quantile where the cumulative histogram reaches it, evenly within a bin. */
static void fit_quantile(const wi_seen *seen, int64_t *row)
{
    int64_t all = 0, below = 0;
    uint32_t bin = 0;
    for (uint32_t i = 0; i < WI_SEEN_BINS; i++)
        all += seen->bin[i];
    while (bin < WI_SEEN_BINS - 1 && seen->bin[bin] == 0)
        bin++;
    for (uint32_t q = 0; q < WI_QUANTILES; q++) {
        const double want = (double)all * q / (WI_QUANTILES - 1);
        while (bin < WI_SEEN_BINS - 1 && (double)(below + seen->bin[bin]) < want)
            below += seen->bin[bin++];
        const weir_time low_ps = wi_seen_bin_low(bin), wide_ps = wi_seen_bin_low(bin + 1) - low_ps;
        const double into = seen->bin[bin] ? (want - (double)below) / (double)seen->bin[bin] : 0.0;
        row[q] = low_ps + (weir_time)((double)wide_ps * into);
    }
}

static void fit_constant(const wi_seen *seen, int64_t *row)
{
    (void)seen;
    row[0] = WEIR_PS_PER_US;
}

typedef struct entry {
    uint32_t width;
    void (*fit)(const wi_seen *seen, int64_t *row);
} entry;

#define ENTRY(name, width, doc) {width, fit_##name},
static const entry entries[WI_N_PREDICTORS] = {WI_PREDICTORS(ENTRY)};
#undef ENTRY

uint32_t wi_predictor_width(wi_predictor which)
{
    return 1 + entries[which].width;
}

int wi_predictor_wants_bins(wi_predictor which)
{
    return which == WI_PREDICTOR_quantile;
}

void wi_predictor_fit(wi_predictor which, const wi_seen *seen, weir_time unit_ps, int64_t *row)
{
    const int64_t own_ps = seen->units * unit_ps / seen->packets;
    row[0] = which == WI_PREDICTOR_constant ? 0 : seen->stalled_ps / (seen->sent ? seen->sent : 1);
    entries[which].fit(seen, row + 1);
    for (uint32_t i = 1; i <= entries[which].width; i++)
        row[i] -= own_ps;
}

/* What of a network's steady states was skipped, in summary.json. */
#include "scenario/results/results.h"

typedef struct skips_row {
    uint64_t skips, packets, bytes, looks;
    double time_s;
} skips_row;

static const wi_result_column columns[] = {
    WI_COLUMN(U64, skips_row, skips, "", "times that the network was moved on in time"),
    WI_COLUMN(DOUBLE, skips_row, time_s, "s", "simulated time that was skipped"),
    WI_COLUMN(U64, skips_row, packets, "", "data packets that were counted and not simulated"),
    WI_COLUMN(U64, skips_row, bytes, "B", "their payload"),
    WI_COLUMN(U64, skips_row, looks, "", "times that it was looked at"),
};
const wi_result_table wi_skips_table = WI_RESULT(SUMMARY, "steady", columns);

json_t *wi_skips_summarise(wi_skipped total)
{
    json_t *o = json_object();
    wi_result_put(
        o, &wi_skips_table,
        &(skips_row){total.skips, total.packets, total.bytes, total.looks, weir_seconds(total.time_ps)}, 0);
    return o;
}

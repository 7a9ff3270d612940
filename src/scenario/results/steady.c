/* What of a network's steady states was skipped, in summary.json. */
#include "scenario/results/results.h"

#define SKIPS(X)                                                                                  \
    X(U64, "skips", "", total.skips, "times that a part of the network was moved on in time"),    \
        X(DOUBLE, "time_s", "s", weir_seconds(total.time_ps),                                     \
          "simulated time in which some part of the network was skipped"),                        \
        X(U64, "iterations", "", total.iterations, "of jobs, that were repeated from memory"),    \
        X(U64, "packets", "", total.packets, "data packets that were counted and not simulated"), \
        X(U64, "bytes", "B", total.bytes, "their payload"),                                       \
        X(U64, "looks", "", total.looks, "times that a part was looked at")
static const wi_result_column columns[] = {SKIPS(WI_COLUMN)};
const wi_result_table wi_skips_table = WI_RESULT(SUMMARY, "steady", columns);

json_t *wi_skips_summarise(wi_skipped total)
{
    json_t *o = json_object();
    wi_result_put(o, &wi_skips_table, (const wi_cell[]){SKIPS(WI_CELL)}, 0);
    return o;
}

/* Their keys (-DWEIR_EXTRA_KEYS=...). */
#include "keys/congestion/congestions.h"
#include "keys/queue/queues.h"

static const wi_key toy_keys[] = {
    WI_KEY("every", count, net_toy_params, every, .fallback = "10", .low = "2",
           .doc = "of so many packets the last is dropped"),
};

const wi_queue_kind wi_queue_toy = {.section = WI_SECTION("toy", toy_keys, net_toy_params)};

static const wi_key still_keys[] = {
    WI_KEY("segments", count, net_still_params, segments, .fallback = "10", .low = "2",
           .doc = "of the window"),
    WI_KEY("pace", rate, net_still_params, rate_bps, .fallback = "1Mbps",
           .doc = "at which packets leave, headers included"),
};

const wi_congestion_kind wi_congestion_still = {.section = WI_SECTION("still", still_keys, net_still_params)};

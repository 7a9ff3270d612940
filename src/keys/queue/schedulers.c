/* Keys of disciplines that say who goes next, or when: bands by class selector, and token buckets. */
#include <math.h>

#include "keys/queue/queues.h"

#define BANDS_MARK                                                       \
    WI_KEY("mark", size, net_bands_params, mark_bytes, .fallback = "0B", \
           .doc = "what waits in a band above which packets of ECN-capable flows are marked; 0: none are")

static const wi_key priority_keys[] = {BANDS_MARK};

static void check_bands(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    wi_check_mark(r, node, q, "mark", ((const net_bands_params *)(const void *)q->own)->mark_bytes);
}

const wi_queue_kind wi_queue_priority = {.section = WI_SECTION("priority", priority_keys, net_bands_params),
                                         .check = check_bands,
                                         .limit_packets = 1000};

#define WEIGHT(i, dscp)                                                                                 \
    WI_KEY("weight_" #i, count, net_drr_params, weight[i], .fallback = "1", .low = "1", .high = "1000", \
           .doc = "share of the line of DSCP " dscp ", in relation to the others")

static const wi_key drr_keys[] = {
    WI_KEY("quantum", size32, net_drr_params, quantum_bytes, .fallback = "1500B", .low = "64B", .high = "1MB",
           .doc = "bytes a round for a weight of 1"),
    BANDS_MARK,
    WEIGHT(0, "0 to 7"),
    WEIGHT(1, "8 to 15"),
    WEIGHT(2, "16 to 23"),
    WEIGHT(3, "24 to 31"),
    WEIGHT(4, "32 to 39"),
    WEIGHT(5, "40 to 47"),
    WEIGHT(6, "48 to 55"),
    WEIGHT(7, "56 to 63"),
};

const wi_queue_kind wi_queue_drr = {
    .section = WI_SECTION("drr", drr_keys, net_drr_params), .check = check_bands, .limit_packets = 1000};

#define BUCKET_KEYS                                                                                \
    WI_KEY("rate", rate, net_bucket_params, rate_bps, .required = true, .above = "0bps",           \
           .doc = "at which the bucket fills"),                                                    \
        WI_KEY("bucket", size, net_bucket_params, burst_bytes, .fallback = "15kB", .low = "1500B", \
               .doc = "that the bucket holds: what may go at once, at the line's rate")

/* A bucket is kept as the time in which it fills (net/port/bucket.h). */
static void check_bucket(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_bucket_params *const p = (const net_bucket_params *)(const void *)q->own;
    if (p->rate_bps > 0 && (double)p->burst_bytes * 8.0 > NET_BUCKET_MOST_S * (double)p->rate_bps)
        wi_complain(
            r, wi_place_of(node, "bucket"),
            "bucket: %.15g bytes fill in more than a million seconds at rate; want at most %.15g bytes",
            (double)p->burst_bytes, floor(NET_BUCKET_MOST_S * (double)p->rate_bps / 8.0));
}

static const wi_key policer_keys[] = {
    BUCKET_KEYS,
    WI_KEY("ecn", bool, net_bucket_params, ecn, .fallback = "false",
           .doc = "mark packets of ECN-capable flows instead of dropping them"),
};

const wi_queue_kind wi_queue_policer = {.section = WI_SECTION("policer", policer_keys, net_bucket_params),
                                        .check = check_bucket};

static const wi_key shaper_keys[] = {
    BUCKET_KEYS,
    WI_KEY("mark", size, net_shaper_params, mark_bytes, .fallback = "0B",
           .doc = "what waits above which packets of ECN-capable flows are marked; 0: none are"),
};

static void check_shaper(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    wi_check_mark(r, node, q, "mark", ((const net_shaper_params *)(const void *)q->own)->mark_bytes);
    check_bucket(r, node, q);
}

const wi_queue_kind wi_queue_shaper = {.section = WI_SECTION("shaper", shaper_keys, net_shaper_params),
                                       .check = check_shaper,
                                       .limit_packets = 1000};

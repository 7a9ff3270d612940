/* Keys of CoDel and of FQ-CoDel, whose parameters begin with CoDel's. */
#include "keys/queue/queues.h"

#define CODEL_KEYS                                                                                          \
    WI_KEY("target", time, net_codel_params, target_ps, .fallback = "5ms", .above = "0s", .high = "1min",   \
           .doc = "waiting time that is acceptable for long"),                                              \
        WI_KEY("interval", time, net_codel_params, interval_ps, .fallback = "100ms", .above = "0s",         \
               .high = "1min", .doc = "how long it may be exceeded: about the largest usual round trip"),   \
        WI_KEY("mtu", size32, net_codel_params, mtu_bytes, .fallback = "1500B", .high = "65535B",           \
               .doc = "with no more than this behind it, no packet is dropped. It is the largest packet's " \
                      "size: set it where segments are larger than 1500B"),                                 \
        WI_KEY("ecn", bool, net_codel_params, ecn, .fallback = "false",                                     \
               .doc = "mark packets of ECN-capable flows instead of dropping them")

static void check_codel(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_codel_params *const p = (const net_codel_params *)(const void *)q->own;
    if (p->target_ps > p->interval_ps)
        wi_complain(r, wi_place_of(node, "target"),
                    "target is above interval, so that it is never judged in time");
}

static const wi_key codel_keys[] = {CODEL_KEYS};

/* The limit is Linux's. */
const wi_queue_kind wi_queue_codel = {.section = WI_SECTION("codel", codel_keys, net_codel_params),
                                      .limit_packets = 1000,
                                      .check = check_codel};

static const wi_key fq_codel_keys[] = {
    CODEL_KEYS,
    WI_KEY("flows", count, net_fq_codel_params, flows, .fallback = "1024", .low = "1", .high = "65536",
           .doc = "queues that flows are hashed to; 64 bytes each"),
    WI_KEY("quantum", size32, net_fq_codel_params, quantum_bytes, .fallback = "1514B", .low = "64B",
           .high = "1GB", .doc = "bytes that a queue may send in a round"),
};

/* The limit is that of RFC 8290, section 5.2.3. */
const wi_queue_kind wi_queue_fq_codel = {.section =
                                             WI_SECTION("fq_codel", fq_codel_keys, net_fq_codel_params),
                                         .limit_packets = 10240,
                                         .check = check_codel};

/* Keys of disciplines that go by what waits alone: drop-tail, threshold, trim. */
#include "keys/queue/queues.h"

static void droptail_fluid(const net_queue *q, weir_fluid_queue *out)
{
    (void)q;
    out->type = WEIR_FLUID_DROPTAIL;
}

const wi_queue_kind wi_queue_droptail = {.section = {.name = "droptail"}, .fluid = droptail_fluid};

void wi_check_mark(wi_reader *r, const wi_node *node, const weir_queue_params *queue, const char *key,
                   uint64_t mark_bytes)
{
    if (mark_bytes && queue->limit_bytes && mark_bytes >= queue->limit_bytes)
        wi_complain(r, wi_place_of(node, key), "%s is not below limit, so that nothing is ever marked", key);
}

static const wi_key threshold_keys[] = {
    WI_KEY("mark", size, net_threshold_params, mark_bytes, .fallback = "97500B", .also = "k threshold",
           .doc = "backlog above which packets are marked; 65 packets of 1500 B unless given, which Alizadeh "
                  "et al. have at 10 Gb/s"),
    WI_KEY("mark_packets", count, net_threshold_params, mark_packets, .unset = "`mark` in bytes", .low = "1",
           .high = "1000000",
           .doc = "packets in the queue, without the one that comes, above which it is marked"),
};

static void check_threshold(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_threshold_params *const p = (const net_threshold_params *)(const void *)q->own;
    if (!p->mark_packets)
        wi_check_mark(r, node, q, "mark", p->mark_bytes);
    else if (q->limit_packets && p->mark_packets >= q->limit_packets)
        wi_complain(r, wi_place_of(node, "mark_packets"),
                    "mark_packets is not below limit_packets, so that nothing is ever marked");
}

static void threshold_fluid(const net_queue *q, weir_fluid_queue *out)
{
    const net_threshold_params *const p = NET_QUEUE_PARAMS(threshold, q);
    out->type = WEIR_FLUID_THRESHOLD;
    out->min_bytes = p->mark_packets ? net_counted_bytes(q) * (double)p->mark_packets : (double)p->mark_bytes;
}

const wi_queue_kind wi_queue_threshold = {.section =
                                              WI_SECTION("threshold", threshold_keys, net_threshold_params),
                                          .check = check_threshold,
                                          .fluid = threshold_fluid};

static const wi_key trim_keys[] = {
    WI_KEY("headers", size, net_trim_params, headers_bytes, .fallback = "24kB", .low = "40B", .high = "16MB",
           .doc = "what may wait of headers and ACKs, 40 bytes each; the data's is `limit` or "
                  "`limit_packets`, 8 packets unless given"),
    WI_KEY("headers_turns", count, net_trim_params, turns, .fallback = "10", .high = "1000000",
           .doc = "headers and ACKs that go before a packet of data where both wait; 0: all of them"),
    WI_KEY("mark_min", size, net_trim_params, mark_min, .fallback = "0B",
           .doc = "with `mark_max`: data that stay, up to which no packet that leaves is marked"),
    WI_KEY("mark_max", size, net_trim_params, mark_max, .unset = "nothing is marked",
           .doc = "above which each is; between the two a share that rises in proportion"),
};

static void check_trim(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_trim_params *const p = (const net_trim_params *)(const void *)q->own;
    if (p->mark_max ? p->mark_min >= p->mark_max : p->mark_min)
        wi_complain(r, wi_place_of(node, "mark_min"), "want a mark_min below mark_max");
    wi_check_mark(r, node, q, "mark_min", p->mark_min);
}

const wi_queue_kind wi_queue_trim = {
    .section = WI_SECTION("trim", trim_keys, net_trim_params), .check = check_trim, .limit_packets = 8};

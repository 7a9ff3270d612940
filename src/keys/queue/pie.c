/* Keys of the proportional-integral controllers: PIE and DualPI2. */
#include "keys/queue/queues.h"

static const wi_key pie_keys[] = {
    WI_KEY("target", time, net_pie_params, target_ps, .fallback = "15ms", .above = "0s", .high = "1min",
           .doc = "queueing delay that is aimed at"),
    WI_KEY("update", time, net_pie_params, update_ps, .fallback = "15ms", .low = "1us", .high = "1min",
           .doc = "time between two steps of the probability"),
    WI_KEY("burst", time, net_pie_params, burst_ps, .fallback = "150ms", .high = "1h",
           .doc = "for how long nothing is dropped when a queue builds up"),
    WI_KEY("alpha", number, net_pie_params, alpha, .fallback = "0.125", .above = "0", .high = "1000",
           .doc = "what each second of the delay beyond the target adds to the probability at an update. It "
                  "is not scaled: with another `update` than 15 ms, change it in proportion"),
    WI_KEY("beta", number, net_pie_params, beta, .fallback = "1.25", .low = "0", .high = "1000",
           .doc = "step for each second by which the delay has grown"),
    WI_KEY("mark_below", share, net_pie_params, mark_below, .fallback = "0.1",
           .doc = "with `ecn`, from this probability on packets are dropped all the same"),
    WI_KEY("mean_packet", size32, net_pie_params, mean_packet_bytes, .fallback = "1500B", .low = "1B",
           .high = "65535B", .doc = "up to two of these in the queue, nothing is dropped"),
    WI_KEY("derandomize", bool, net_pie_params, derandomize, .fallback = "true", .doc = "keep drops apart"),
    WI_KEY("ecn", bool, net_pie_params, ecn, .fallback = "false",
           .doc = "mark packets of ECN-capable flows instead of dropping them"),
};

const wi_queue_kind wi_queue_pie = {.section = WI_SECTION("pie", pie_keys, net_pie_params)};

static const wi_key dualpi2_keys[] = {
    WI_KEY("target", time, net_dualpi2_params, target_ps, .fallback = "15ms", .above = "0s", .high = "1min",
           .doc = "queueing delay that is aimed at in the classic queue"),
    WI_KEY("update", time, net_dualpi2_params, update_ps, .fallback = "15ms", .low = "1us", .high = "1min",
           .doc = "time between two steps of the probability"),
    WI_KEY("rtt_max", time, net_dualpi2_params, rtt_max_ps, .fallback = "100ms", .low = "1us", .high = "1min",
           .doc = "longest round trip for which the controller is made"),
    WI_KEY("coupling", number, net_dualpi2_params, coupling, .fallback = "2", .above = "0", .high = "100",
           .doc = "k: marks of L4S packets are k times the root of the classic drops"),
    WI_KEY("ramp_min", time, net_dualpi2_params, ramp_min_ps, .fallback = "800us", .high = "1min",
           .doc = "delay of the L4S queue from which on its packets are marked"),
    WI_KEY("ramp_max", time, net_dualpi2_params, ramp_max_ps, .fallback = "1200us", .high = "1min",
           .doc = "delay of the L4S queue from which on all are"),
};

static void check_dualpi2(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_dualpi2_params *const p = (const net_dualpi2_params *)(const void *)q->own;
    if (p->ramp_min_ps >= p->ramp_max_ps)
        wi_complain(r, wi_place_of(node, "ramp_max"), "ramp_max is not above ramp_min");
}

const wi_queue_kind wi_queue_dualpi2 = {.section = WI_SECTION("dualpi2", dualpi2_keys, net_dualpi2_params),
                                        .limit_packets = 10000,
                                        .check = check_dualpi2};

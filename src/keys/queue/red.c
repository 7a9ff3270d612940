/* Keys of RED. */
#include "keys/queue/queues.h"

static const wi_word modes[] = {
    {"uniform", NET_RED_UNIFORM,
     "drops spread evenly by the count since the last, as Floyd and Jacobson have it"},
    {"bernoulli", NET_RED_BERNOULLI, "each packet on its own, as the fluid model has it"},
    {"wait", NET_RED_WAIT, "as uniform, but at least 1/p packets after the last drop; ns-3's default"},
};
static const wi_word marks[] = {
    {"false", NET_RED_DROPS, "they are dropped"},
    {"true", NET_RED_MARKS, "they are marked while the chance is less than 1"},
    {"only", NET_RED_MARKS_ALONE,
     "they are always marked, and no packet of any flow is dropped early, as switches for RDMA have it"}};
static const wi_word averages[] = {{"bytes", 0, NULL}, {"packets", 1, NULL}};
static const wi_words mode_words = {modes, 3}, average_words = {averages, 2};

static const wi_key red_keys[] = {
    WI_KEY("min", size_real, net_red_params, min, .required = true, .above = "0B", .also = "min_th minth",
           .doc = "average from which on packets are dropped or marked"),
    WI_KEY("max", size_real, net_red_params, max, .required = true, .above = "0B", .also = "max_th maxth",
           .doc = "average at which the chance reaches `max_p`"),
    WI_KEY("max_p", share, net_red_params, max_p, .fallback = "0.1", .above = "0", .also = "p_max pmax",
           .doc = "drop probability at `max`"),
    WI_KEY("w", share, net_red_params, weight, .fallback = "0.002", .above = "0", .also = "weight w_q wq",
           .doc = "weight of a new packet in the average"),
    WI_KEY("gentle", bool, net_red_params, gentle, .fallback = "true",
           .doc = "above `max` the probability rises to 1 at twice `max`, instead of at once"),
    WI_KEY("mode", word, net_red_params, mode, .fallback = "uniform", .words = &mode_words,
           .doc = "how a probability becomes drops"),
    WI_KEY("ecn", word, net_red_params, ecn, .fallback = "false", WI_WORDS(marks),
           .doc = "what becomes of packets of ECN-capable flows"),
    WI_KEY("average", word, net_red_params, in_packets, .fallback = "bytes", .words = &average_words,
           .doc = "what the average counts; for packets, `min` and `max` are divided by `mean_packet`"),
    WI_KEY("mean_packet", size32, net_red_params, mean_packet_bytes, .fallback = "1000B", .low = "1B",
           .high = "65535B", .doc = "packet size by which idle time and averages in packets are reckoned"),
};

static void check_red(wi_reader *r, const wi_node *node, const weir_queue_params *q)
{
    const net_red_params *const p = (const net_red_params *)(const void *)q->own;
    if (p->min >= p->max)
        wi_complain(r, wi_place_of(node, "max"), "max is not above min");
    else if (q->limit_bytes && p->max > (double)q->limit_bytes)
        wi_complain(r, wi_place_of(node, "max"), "max is above limit, so it can't be reached");
}

static void red_fluid(const net_queue *q, weir_fluid_queue *out)
{
    const net_red_params *const p = NET_QUEUE_PARAMS(red, q);
    const double unit = p->in_packets ? net_counted_bytes(q) : 1.0;
    out->type = WEIR_FLUID_RED;
    out->min_bytes = p->min * unit;
    out->max_bytes = p->max * unit;
    out->max_p = p->max_p;
    out->weight = p->weight;
    out->mean_packet_bytes = p->mean_packet_bytes;
    out->mode = p->mode == NET_RED_UNIFORM     ? WEIR_FLUID_RED_UNIFORM
                : p->mode == NET_RED_BERNOULLI ? WEIR_FLUID_RED_BERNOULLI
                                               : WEIR_FLUID_RED_WAIT;
    out->gentle = p->gentle;
    out->ecn = p->ecn != NET_RED_DROPS;
    out->marks_alone = p->ecn == NET_RED_MARKS_ALONE;
}

const wi_queue_kind wi_queue_red = {
    .section = WI_SECTION("red", red_keys, net_red_params), .check = check_red, .fluid = red_fluid};

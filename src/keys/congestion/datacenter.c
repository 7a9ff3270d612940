/* Keys of the controls of data centres. */
#include "keys/congestion/congestions.h"
#include "weir/time.h"

const wi_congestion_kind wi_congestion_dctcp = {.section = {.name = "dctcp"},
                                                .check = wi_congestion_needs_ecn};

static const wi_key swift_keys[] = {
    WI_KEY(
        "delay_target", time, net_swift_params, target_ps, .fallback = "50us", .above = "0s",
        .also = "base_target",
        .doc =
            "delay of a round trip that flows of 100 segments and more are held at, beside what links add"),
    WI_KEY("hop_delay", time, net_swift_params, hop_ps, .fallback = "auto", .word = "auto", .above = "0s",
           .also = "hop_scaling",
           .doc = "what each link of the path adds to it; `auto`: the idle round trips of the class's pairs "
                  "over the fewest links and the most, their difference by link"),
    WI_KEY("flow_scaling", time, net_swift_params, range_ps, .fallback = "100us", .also = "fs_range",
           .doc = "what is added to it for a window of a tenth of a segment; less for larger ones, by 1 / "
                  "sqrt(window), so that unequal paths come to like shares"),
};

/* An ACK that waits for its timer is taken for a queue, or hides one: an ACK a segment. */
static void needs_each_ack(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    wi_congestion_refuses(r, node, tcp, "delayed_ack", tcp->delayed_ack != 1, "delayed_ack: 1");
    tcp->delayed_ack = 1;
}

const wi_congestion_kind wi_congestion_swift = {.section = WI_SECTION("swift", swift_keys, net_swift_params),
                                                .check = needs_each_ack};

static const wi_key dcqcn_keys[] = {
    WI_KEY("line_rate", rate, net_dcqcn_params, line_bps, .fallback = "auto", .word = "auto", .low = "1Mbps",
           .doc = "rate at which flows begin, and the most that they have; `auto`: that of the fastest "
                  "interface of a host"),
    WI_KEY("ai_rate", rate, net_dcqcn_params, ai_bps, .fallback = "40Mbps", .above = "0bps",
           .also = "rate_ai rai", .doc = "step of additive increase"),
    WI_KEY("hai_rate", rate, net_dcqcn_params, hai_bps, .fallback = "400Mbps", .above = "0bps",
           .also = "rate_hai", .doc = "step of hyper increase"),
    WI_KEY("min_rate", rate, net_dcqcn_params, least_bps, .fallback = "100Mbps", .low = "1Mbps",
           .doc = "the least that a flow has, or its line's; that of the authors' simulator. Where all flows "
                  "of a line have "
                  "it, losses without pauses do not end"),
    WI_KEY(
        "byte_counter", size, net_dcqcn_params, byte_counter, .fallback = "10MB", .low = "64kB",
        .word = "none",
        .doc =
            "bytes after which the rate grows; `none`: with the timer alone, and after one round of additive "
            "increase by `hai_rate` in each, as ns-3's RDMA fork has it"),
    WI_KEY("fast_recovery", count, net_dcqcn_params, fast_recovery, .fallback = "5", .low = "1",
           .high = "1000",
           .doc = "F: the round, of the timer or the byte counter, from which on the target grows too"),
    WI_KEY("clamp_target", bool, net_dcqcn_params, clamp_target, .fallback = "true",
           .also = "clamp_tgt_rate clamp_target_rate",
           .doc = "whether each notification sets the target rate, as in the paper; `false`: only where the "
                  "rate has grown since the one before, as NICs and ns-3's RDMA fork usually have it"),
    WI_KEY("cnp_interval", time, net_dcqcn_params, cnp_ps, .fallback = "50us", .above = "0s", .high = "1s",
           .doc = "least time between two congestion notifications of a flow"),
    WI_KEY("alpha_timer", time, net_dcqcn_params, alpha_ps, .fallback = "55us", .low = "1us", .high = "1s",
           .doc = "time without one after which alpha falls"),
    WI_KEY("rate_timer", time, net_dcqcn_params, timer_ps, .fallback = "55us", .low = "1us", .high = "1s",
           .doc = "time after which the rate grows"),
    WI_KEY("gain", share, net_dcqcn_params, gain, .fallback = "0.00390625", .above = "0", .also = "g",
           .doc = "g, the weight of the latest in alpha: 1/256"),
};

static void check_dcqcn(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    wi_congestion_needs_ecn(r, node, tcp);
    wi_congestion_needs_sack(r, node, tcp);
}

const wi_congestion_kind wi_congestion_dcqcn = {.section = WI_SECTION("dcqcn", dcqcn_keys, net_dcqcn_params),
                                                .check = check_dcqcn};

/* Of a control with NET_CLASS_LINE. */
#define LINE_KEYS(type)                                                                                    \
    WI_KEY("line_rate", rate, type, line.line_bps, .fallback = "auto", .word = "auto", .low = "1Mbps",     \
           .doc = "B, the rate at which flows begin, and the most that they have; `auto`: that of the "    \
                  "fastest interface of a host"),                                                          \
        WI_KEY("base_rtt", time, type, line.base_ps, .fallback = "auto", .word = "auto", .low = "1us",     \
               .high = "10s", .also = "t max_rtt min_rtt",                                                 \
               .doc = "T, one in the whole network where ports measure (`hpcc`, `powertcp`); `auto`: the " \
                      "longest round trip of any pair with this control, of a full packet and its ACK "    \
                      "where nobody else sends")

static const wi_key hpcc_keys[] = {
    LINE_KEYS(net_hpcc_params),
    WI_KEY("target_load", share, net_hpcc_params, target, .fallback = "95%", .above = "0",
           .also = "eta target_utilization", .doc = "eta, the load of a line that is aimed at"),
    WI_KEY("ai_rate", rate, net_hpcc_params, ai_bps, .fallback = "auto", .word = "auto", .above = "0bps",
           .also = "rate_ai w_ai",
           .doc = "W_AI / T, the step of additive increase; `auto`: 1/2500 of `line_rate`"),
    WI_KEY("min_rate", rate, net_hpcc_params, least_bps, .fallback = "auto", .word = "auto", .above = "0bps",
           .doc = "the least that a flow has, whose packets are no further apart; `auto`: 1/250 of "
                  "`line_rate`"),
    WI_KEY(
        "max_stage", count, net_hpcc_params, max_stage, .fallback = "5", .high = "1000", .also = "mi_thresh",
        .doc = "round trips of additive increase alone, before a window below the target grows by its share"),
};

static void check_line(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    wi_congestion_needs_sack(r, node, tcp);
    wi_congestion_refuses(r, node, tcp, "ecn", tcp->ecn, "false");
    needs_each_ack(r, node, tcp);
}

const wi_congestion_kind wi_congestion_hpcc = {.section = WI_SECTION("hpcc", hpcc_keys, net_hpcc_params),
                                               .check = check_line,
                                               .begins = "what line_rate carries in base_rtt"};

static const wi_key powertcp_keys[] = {
    LINE_KEYS(net_powertcp_params),
    WI_KEY("gain", share, net_powertcp_params, gain, .fallback = "90%", .above = "0", .also = "gamma",
           .doc = "gamma, the weight of the latest window"),
    WI_KEY("expected_flows", number, net_powertcp_params, flows, .fallback = "10", .low = "1", .high = "1e6",
           .also = "n beta",
           .doc = "the step beta is what the line carries in `base_rtt` over this; so is a flow's part of "
                  "the queue"),
};

const wi_congestion_kind wi_congestion_powertcp = {
    .section = WI_SECTION("powertcp", powertcp_keys, net_powertcp_params),
    .check = check_line,
    .begins = "what line_rate carries in base_rtt"};
const wi_congestion_kind wi_congestion_theta_powertcp = {
    .section = WI_SECTION("theta_powertcp", powertcp_keys, net_powertcp_params),
    .check = check_line,
    .begins = "what line_rate carries in base_rtt"};

static void check_timely(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    const net_timely_params *p = (const net_timely_params *)(const void *)tcp->congestion_params;
    check_line(r, node, tcp);
    if (p->low_ps >= p->high_ps)
        wi_complain(r, wi_place_of(node, "t_low"), "want a t_low below t_high");
}

static const wi_key timely_keys[] = {
    LINE_KEYS(net_timely_params),
    WI_KEY("ai_rate", rate, net_timely_params, ai_bps, .fallback = "10Mbps", .above = "0bps",
           .also = "delta rate_ai", .doc = "delta, the step of additive increase"),
    WI_KEY("min_rate", rate, net_timely_params, least_bps, .fallback = "100Mbps", .low = "1Mbps",
           .doc = "the least that a flow has, or its line's; that of ns-3's RDMA fork. Where all flows of a "
                  "line have it, "
                  "losses do not end"),
    WI_KEY("segment", size, net_timely_params, segment, .fallback = "16kB", .above = "0B", .high = "1GB",
           .doc = "bytes of which the end is a completion, as the paper's 16 to 64 kB"),
    WI_KEY("t_low", time, net_timely_params, low_ps, .fallback = "50us", .above = "0s",
           .doc = "round trip below which the rate only grows"),
    WI_KEY("t_high", time, net_timely_params, high_ps, .fallback = "500us", .above = "0s",
           .doc = "round trip above which it falls, whatever the gradient"),
    WI_KEY("ewma", share, net_timely_params, alpha, .fallback = "87.5%", .above = "0", .also = "alpha",
           .doc = "alpha, the weight of the latest in the gradient; that of ns-3's RDMA fork"),
    WI_KEY("beta", share, net_timely_params, beta, .fallback = "80%", .above = "0",
           .doc = "what a gradient of 1 takes of the rate"),
};

const wi_congestion_kind wi_congestion_timely = {
    .section = WI_SECTION("timely", timely_keys, net_timely_params), .check = check_timely};

/* Without keys of its own: a first window of 30 packets and a timeout of 1 ms, as the paper has them. */
static void check_ndp(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    wi_congestion_needs_sack(r, node, tcp);
    wi_congestion_refuses(r, node, tcp, "ecn", tcp->ecn, "ecn: false");
    wi_congestion_refuses(r, node, tcp, "pacing", tcp->pacing, "pacing: false");
    wi_congestion_refuses(r, node, tcp, "max_rate", tcp->max_rate_bps > 0, "none");
    wi_congestion_refuses(r, node, tcp, "handshake", tcp->handshake, "handshake: false");
    needs_each_ack(r, node, tcp);
    wi_congestion_refuses(r, node, tcp, "recovery", tcp->recovery != WEIR_SC_RECOVERY_RACK, "recovery: rack");
    tcp->handshake = false;
    tcp->recovery = WEIR_SC_RECOVERY_RACK; /* its rows of the window are these */
    if (!wi_node_child(node, "initial_window"))
        tcp->initial_window = 30;
}

const wi_congestion_kind wi_congestion_ndp = {.section = {.name = "ndp"}, .check = check_ndp};

static const wi_word balances[] = {
    {"oblivious", NET_BALANCE_OBLIVIOUS, "each value once a round, in an order of chance", false},
    {"bitmap", NET_BALANCE_BITMAP, "the same, but values that were marked or trimmed are passed over", false},
    {"reps", NET_BALANCE_REPS, "values that came back unmarked go again, of eight at most; else any", false},
    {"mixed", NET_BALANCE_MIXED, "values that came back unmarked go again; else as `bitmap`", false},
};

static void check_paths(wi_reader *r, const wi_node *node, const net_nscc_params *p)
{
    if (p->paths & (p->paths - 1u))
        wi_complain(r, wi_place_of(node, "paths"), "%u paths; want a power of two", p->paths);
}

static void check_uet(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    const net_nscc_params *const p = (const net_nscc_params *)(const void *)tcp->congestion_params;
    const bool ecn = !wi_node_child(node, "ecn") || tcp->ecn;
    tcp->ecn = WEIR_SC_ECN_OFF;
    check_ndp(r, node, tcp);
    tcp->ecn = ecn ? WEIR_SC_ECN_CLASSIC : WEIR_SC_ECN_OFF;
    check_paths(r, node, p);
    if (p->oversubscribed > 1.0 && tcp->congestion == NET_CC_NSCC && !p->credits)
        wi_complain(r, wi_place_of(node, "oversubscription"), "want credits: true with oversubscription");
}

#define UET_KEYS                                                                                          \
    LINE_KEYS(net_nscc_params),                                                                           \
        WI_KEY("paths", count, net_nscc_params, paths, .fallback = "64", .low = "1", .high = "256",       \
               .also = "entropies",                                                                       \
               .doc = "entropy values, a power of two: with `routing: {ecmp: true}` switches hash these " \
                      "with the flow"),                                                                   \
        WI_KEY("balance", word, net_nscc_params, balance, .fallback = "mixed", WI_WORDS(balances),        \
               .also = "load_balancing load_balancing_algo", .doc = "which of them a packet takes"),      \
        WI_KEY("ack_bytes", size, net_nscc_params, ack_bytes, .fallback = "auto", .word = "auto",         \
               .low = "1B", .high = "1MB", .also = "sack_threshold",                                      \
               .doc = "bytes, headers included, after which a receiver answers unasked; `auto`: 16384B, " \
                      "but a quarter of the nearest pair's largest window at most")

#define OVERSUBSCRIPTION_KEY                                                                               \
    WI_KEY("oversubscription", number, net_nscc_params, oversubscribed, .fallback = "1", .low = "1",       \
           .high = "1000", .also = "oversubscribed",                                                       \
           .doc = "rate of hosts over that of the links above them: above 1, receivers slow their grants " \
                  "by what is marked, and trimmed before its last link, down to 90 % over this")

static const wi_key nscc_keys[] = {
    UET_KEYS,
    WI_KEY("target_delay", time, net_nscc_params, target_ps, .fallback = "auto", .word = "auto",
           .above = "0s", .also = "target_qdelay",
           .doc = "D, delay beyond `base_rtt` that is aimed at; `auto`: three quarters of `base_rtt`"),
    WI_KEY("first_window", count, net_nscc_params, first, .unset = "the largest", .low = "1",
           .high = "1000000", .doc = "packets with which flows begin"),
    WI_KEY("qa_gate", count, net_nscc_params, gate, .fallback = "3", .high = "32",
           .doc = "quick adapt is for when less than 1 / 2^gate of the largest window arrives; 32: never"),
    WI_KEY("credits", bool, net_nscc_params, credits, .fallback = "false", .also = "rccc",
           .doc = "receivers grant credits too, as `rccc` has it"),
    OVERSUBSCRIPTION_KEY,
};

const wi_congestion_kind wi_congestion_nscc = {
    .section = WI_SECTION("nscc", nscc_keys, net_nscc_params),
    .check = check_uet,
    .begins = "first_window, or 1.5 of what line_rate carries in base_rtt"};

static void check_rccc(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    check_uet(r, node, tcp);
    ((net_rccc_params *)(void *)tcp->congestion_params)->credits = true;
}

static const wi_key rccc_keys[] = {UET_KEYS, OVERSUBSCRIPTION_KEY};

const wi_congestion_kind wi_congestion_rccc = {.section = WI_SECTION("rccc", rccc_keys, net_rccc_params),
                                               .check = check_rccc,
                                               .begins = "1.5 of what line_rate carries in base_rtt"};

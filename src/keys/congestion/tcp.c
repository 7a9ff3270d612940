/* Keys of the controls of TCP on the Internet. */
#include "keys/congestion/congestions.h"

const wi_congestion_kind wi_congestion_newreno = {.section = {.name = "newreno"}};
const wi_congestion_kind wi_congestion_vegas = {.section = {.name = "vegas"}};

/* RFC 9331, section 4.3: a scalable control needs to know how many packets were marked. */
static void check_prague(wi_reader *r, const wi_node *node, weir_scenario_tcp *tcp)
{
    wi_congestion_needs_ecn(r, node, tcp);
    if (!wi_node_child(node, "ecn"))
        tcp->ecn = WEIR_SC_ECN_ACCURATE;
}

const wi_congestion_kind wi_congestion_prague = {.section = {.name = "prague"}, .check = check_prague};
const wi_congestion_kind wi_congestion_bbr = {.section = {.name = "bbr"}, .check = wi_congestion_needs_sack};
const wi_congestion_kind wi_congestion_bbr3 = {.section = {.name = "bbr3"},
                                               .check = wi_congestion_needs_sack};

static const wi_word hystarts[] = {
    {"true", NET_CUBIC_HYSTART_PLUS, "HyStart++ (RFC 9406): more slowly for five rounds, then it ends"},
    {"linux", NET_CUBIC_HYSTART_LINUX,
     "HyStart, as Linux has it: it ends at once, also where ACKs come in a train for half a round trip"},
    {"false", NET_CUBIC_HYSTART_OFF, "with a loss or a mark alone"}};

static const wi_key cubic_keys[] = {
    WI_KEY("hystart", word, net_cubic_params, hystart, .fallback = "true", WI_WORDS(hystarts),
           .doc = "how slow start ends before it overshoots, as the round trip grows"),
    WI_KEY("reno_friendly", bool, net_cubic_params, friendly, .fallback = "true",
           .doc = "the window is at least that of a Reno flow (RFC 9438, section 4.3)"),
    WI_KEY("fast_convergence", bool, net_cubic_params, fast_convergence, .fallback = "true",
           .doc = "a flow whose window shrinks gives way (RFC 9438, section 4.7)"),
};

const wi_congestion_kind wi_congestion_cubic = {.section = WI_SECTION("cubic", cubic_keys, net_cubic_params)};

static const wi_key ledbat_keys[] = {
    WI_KEY("target", time, net_ledbat_params, target_ps, .fallback = "100ms", .above = "0s", .high = "100ms",
           .doc = "queuing delay that the flow adds (RFC 6817: 100 ms at most)"),
    WI_KEY("slow_start", bool, net_ledbat_params, slow_start, .fallback = "true",
           .doc = "begins with slow start, until three quarters of the target are queued"),
};

const wi_congestion_kind wi_congestion_ledbat = {.section =
                                                     WI_SECTION("ledbat", ledbat_keys, net_ledbat_params)};

/* Keys of `udp`. */
#include "keys/traffic/traffic.h"

typedef weir_scenario_udp udp_t;

static const wi_word patterns[] = {
    {"cbr", WEIR_SC_UDP_CBR, "evenly spaced"},
    {"poisson", WEIR_SC_UDP_POISSON, "exponential gaps"},
    {"onoff", WEIR_SC_UDP_ONOFF, "evenly spaced in bursts, with pauses between"},
};
static const wi_word durations[] = {
    {"exponential", WEIR_SC_DIST_EXPONENTIAL, NULL},
    {"pareto", WEIR_SC_DIST_PARETO, NULL},
};

/* "on" and "off" alone would be truth values to YAML 1.1. */
static const wi_key udp_keys[] = {
    WI_KEY("rate", rate, udp_t, rate_bps, .with = "!trace", .above = "0bps", .also = "bandwidth speed",
           .unset = "needed, but with `demands`",
           .doc = "of each pair, IP and UDP headers included, on the long run (pauses too)"),
    WI_KEY("packet", tagged, udp_t, packet, .fallback = "1000B", .with = "!trace", .tagged = &wi_packet_sizes,
           .place_offset = offsetof(udp_t, packet.place), .also = "size packet_size",
           .doc = "bytes of a packet, the 28 of IP and UDP headers included; what is drawn is kept within 28 "
                  "B and 65535 B"),
    WI_KEY("pattern", word, udp_t, pattern, .fallback = "cbr", .with = "!trace", WI_WORDS(patterns),
           .doc = "when packets are sent"),
    WI_KEY(
        "on_time", time, udp_t, on_ps, .fallback = "1s", .with = "pattern=onoff", .above = "0s",
        .also = "on burst",
        .doc =
            "onoff: mean length of a burst, in which `rate` · (`on_time` + `off_time`) / `on_time` is sent"),
    WI_KEY("off_time", time, udp_t, off_ps, .fallback = "1s", .with = "pattern=onoff", .above = "0s",
           .also = "off pause", .doc = "onoff: mean length of a pause"),
    WI_KEY("durations", word, udp_t, on_off, .fallback = "exponential", .with = "pattern=onoff",
           WI_WORDS(durations), .also = "distribution", .doc = "onoff: distribution of both lengths"),
    WI_KEY("shape", number, udp_t, shape, .fallback = "1.5", .with = "pattern=onoff durations=pareto",
           .above = "1", .also = "alpha", .doc = "onoff: tail exponent of Pareto lengths"),
    WI_KEY("jitter", share, udp_t, jitter, .fallback = "0", .with = "!trace pattern=cbr",
           .doc = "cbr: each gap is drawn evenly from within this share of it, either way"),
    WI_KEY("trace", path, udp_t, trace.text, .place_offset = offsetof(udp_t, trace.place),
           .also = "replay file", .unset = "`rate`, `packet` and `pattern`",
           .doc = "a file of lines `TIME SIZE`: each flow sends these packets, at these times from its start "
                  "on (seconds, or with a unit; bytes of the IP packet). It is silent after the last"),
    WI_KEY("repeat", time, udp_t, repeat_ps, .with = "trace", .above = "0s", .also = "period loop",
           .unset = "once", .doc = "trace: after so long it begins again; later than its last packet"),
};

static void check_udp(wi_reader *r, const wi_node *node, void *at)
{
    (void)node;
    const udp_t *u = at;
    const double largest = u->packet.kind == WEIR_SC_DIST_CONSTANT || u->packet.kind == WEIR_SC_DIST_UNIFORM
                               ? (u->packet.high > u->packet.low ? u->packet.high : u->packet.low)
                               : u->packet.mean;
    const double least = u->packet.kind == WEIR_SC_DIST_CONSTANT || u->packet.kind == WEIR_SC_DIST_UNIFORM
                             ? u->packet.low
                             : u->packet.mean;
    if (u->packet.kind != WEIR_SC_DIST_CDF && (least < 28 || largest > 65535))
        wi_complain(r, u->packet.place, "packet: want 28 B (headers alone) to 65535 B");
}

const wi_section wi_section_udp =
    WI_SECTION("udp", udp_keys, udp_t, .place_offset = offsetof(udp_t, place), .check = check_udp);

/* Keys of `udp`. */
#include "keys/traffic/dist.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef weir_scenario_udp udp_t;

static const wi_word patterns[] = {
    {"cbr", WEIR_SC_UDP_CBR, "evenly spaced"},
    {"poisson", WEIR_SC_UDP_POISSON, "exponential gaps"},
    {"onoff", WEIR_SC_UDP_ONOFF, "evenly spaced in bursts, with pauses between"},
};
static const wi_words pattern_words = {patterns, N_OF(patterns)};
static const wi_word durations[] = {
    {"exponential", WEIR_SC_DIST_EXPONENTIAL, NULL},
    {"pareto", WEIR_SC_DIST_PARETO, NULL},
};
static const wi_words duration_words = {durations, N_OF(durations)};

/* "on" and "off" alone would be truth values to YAML 1.1. */
static const wi_key udp_keys[] = {
    {.name = "rate",
     .with = "!trace",
     .kind = &wi_kind_rate,
     .offset = offsetof(udp_t, rate_bps),
     .above = "0bps",
     .also = "bandwidth speed",
     .unset = "needed, but with `demands`",
     .doc = "of each pair, IP and UDP headers included, on the long run (pauses too)"},
    {.name = "packet",
     .with = "!trace",
     .kind = &wi_kind_tagged,
     .offset = offsetof(udp_t, packet),
     .tagged = &wi_packet_sizes,
     .place_offset = offsetof(udp_t, packet.place),
     .fallback = "1000B",
     .also = "size packet_size",
     .doc = "bytes of a packet, the 28 of IP and UDP headers included; what is drawn is kept within 28 B and "
            "65535 B"},
    {.name = "pattern",
     .with = "!trace",
     .kind = &wi_kind_word,
     .offset = offsetof(udp_t, pattern),
     .words = &pattern_words,
     .fallback = "cbr",
     .doc = "when packets are sent"},
    {.name = "on_time",
     .with = "pattern=onoff",
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, on_ps),
     .fallback = "1s",
     .above = "0s",
     .also = "on burst",
     .doc = "onoff: mean length of a burst, in which `rate` · (`on_time` + `off_time`) / `on_time` is sent"},
    {.name = "off_time",
     .with = "pattern=onoff",
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, off_ps),
     .fallback = "1s",
     .above = "0s",
     .also = "off pause",
     .doc = "onoff: mean length of a pause"},
    {.name = "durations",
     .with = "pattern=onoff",
     .kind = &wi_kind_word,
     .offset = offsetof(udp_t, on_off),
     .words = &duration_words,
     .fallback = "exponential",
     .also = "distribution",
     .doc = "onoff: distribution of both lengths"},
    {.name = "shape",
     .with = "pattern=onoff durations=pareto",
     .kind = &wi_kind_number,
     .offset = offsetof(udp_t, shape),
     .fallback = "1.5",
     .above = "1",
     .also = "alpha",
     .doc = "onoff: tail exponent of Pareto lengths"},
    {.name = "jitter",
     .with = "!trace pattern=cbr",
     .kind = &wi_kind_share,
     .offset = offsetof(udp_t, jitter),
     .fallback = "0",
     .doc = "cbr: each gap is drawn evenly from within this share of it, either way"},
    {.name = "trace",
     .kind = &wi_kind_path,
     .offset = offsetof(udp_t, trace.text),
     .place_offset = offsetof(udp_t, trace.place),
     .also = "replay file",
     .unset = "`rate`, `packet` and `pattern`",
     .doc = "a file of lines `TIME SIZE`: each flow sends these packets, at these times from its start on "
            "(seconds, or "
            "with a unit; bytes of the IP packet). It is silent after the last"},
    {.name = "repeat",
     .with = "trace",
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, repeat_ps),
     .above = "0s",
     .also = "period loop",
     .unset = "once",
     .doc = "trace: after so long it begins again; later than its last packet"},
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

const wi_section wi_section_udp = {
    .name = "udp",
    .keys = udp_keys,
    .n_keys = N_OF(udp_keys),
    .size = sizeof(udp_t),
    .place_offset = offsetof(udp_t, place),
    .check = check_udp,
};

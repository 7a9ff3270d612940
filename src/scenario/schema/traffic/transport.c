/* Keys of `tcp` and `udp`, and distributions of sizes. */
#include "scenario/schema/traffic/congestions.h"
#include "scenario/schema/traffic/video.h"
#include "scenario/schema/schema.h"

#include <string.h>

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A size, or {exponential: 100kB} and so on. */
typedef weir_scenario_dist dist_t;

static const wi_key pareto_keys[] = {
    {.name = "mean",
     .kind = &wi_kind_size_real,
     .offset = offsetof(dist_t, mean),
     .required = true,
     .above = "0B",
     .doc = "mean"},
    {.name = "shape",
     .kind = &wi_kind_number,
     .offset = offsetof(dist_t, shape),
     .required = true,
     .above = "1",
     .also = "alpha",
     .doc = "tail exponent; at 1 and below there is no mean"},
};
static const wi_section pareto_section = {.name = "pareto", .keys = pareto_keys, .n_keys = N_OF(pareto_keys)};

static const wi_form dist_forms[] = {
    {.tag = WEIR_SC_DIST_EXPONENTIAL,
     .key = {.name = "exponential",
             .kind = &wi_kind_size_real,
             .offset = offsetof(dist_t, mean),
             .above = "0B"}},
    {.tag = WEIR_SC_DIST_PARETO,
     .key = {.name = "pareto", .kind = &wi_kind_section, .section = &pareto_section}},
    {.tag = WEIR_SC_DIST_UNIFORM,
     .key = {.name = "uniform",
             .kind = &wi_kind_range,
             .of = &wi_kind_size_real,
             .offset = offsetof(dist_t, low),
             .above = "0B"}},
    {.tag = WEIR_SC_DIST_CDF,
     .key = {.name = "cdf", .kind = &wi_kind_path, .offset = offsetof(dist_t, file)}},
};
_Static_assert(offsetof(dist_t, high) == offsetof(dist_t, low) + sizeof(double), "a range");
static const wi_key dist_other = {
    .name = "size", .kind = &wi_kind_size_real, .offset = offsetof(dist_t, low), .above = "0B"};

static int pick_dist(const void *at)
{
    return ((const dist_t *)at)->kind;
}

static void settle_dist(void *at, int tag)
{
    ((dist_t *)at)->kind = (weir_sc_dist)tag;
}

#define DISTRIBUTION(wants_)                                                                 \
    {                                                                                        \
        .forms = dist_forms, .n = N_OF(dist_forms), .other = &dist_other,                    \
        .other_tag = WEIR_SC_DIST_CONSTANT, .other_types = 1u << WI_SCALAR, .wants = wants_, \
        .pick = pick_dist, .settle = settle_dist                                             \
    }
static const wi_tagged transfer_tagged =
    DISTRIBUTION("a size such as 100kB, {exponential: 100kB}, {pareto: {mean: 100kB, shape: 1.2}}, "
                 "{uniform: [1kB, 9kB]}, or {cdf: FILE}");
static const wi_tagged packet_tagged =
    DISTRIBUTION("a size such as 1000B, {exponential: 500B}, {pareto: {mean: 500B, shape: 1.2}}, "
                 "{uniform: [64B, 1500B]}, or {cdf: FILE}");

typedef weir_scenario_tcp tcp_t;
enum { WINDOW_SEGMENTS_MAX = (1 << 24) - 1 }; /* SACK blocks count them in 24 bits */

static const wi_word recoveries[] = {
    {"sack", WEIR_SC_RECOVERY_SACK, "RFC 6675"},
    {"rack", WEIR_SC_RECOVERY_RACK,
     "RFC 8985 (RACK-TLP) with 6937 (PRR) and 5682 (F-RTO), as today's stacks"},
};
static const wi_words recovery_words = {recoveries, N_OF(recoveries)};
static const wi_word partial_acks[] = {
    {"impatient", WEIR_SC_PARTIAL_IMPATIENT, "the first of a recovery alone"},
    {"steady", WEIR_SC_PARTIAL_STEADY, "each one: \"slow but steady\""},
};
static const wi_words partial_ack_words = {partial_acks, N_OF(partial_acks)};

static int pick_arrivals(const void *at)
{
    return ((const tcp_t *)at)->arrivals.kind;
}

static void settle_arrivals(void *at, int tag)
{
    ((tcp_t *)at)->arrivals.kind = (weir_sc_arrivals)tag;
}

static const wi_form arrivals_forms[] = {
    {.tag = WEIR_SC_ARRIVALS_POISSON,
     .key = {.name = "poisson",
             .kind = &wi_kind_event_rate,
             .offset = offsetof(tcp_t, arrivals.per_s),
             .above = "0/s"}},
    {.tag = WEIR_SC_ARRIVALS_PERIODIC,
     .key = {.name = "periodic",
             .kind = &wi_kind_time,
             .offset = offsetof(tcp_t, arrivals.interval_ps),
             .above = "0s"}},
    {.tag = WEIR_SC_ARRIVALS_ALL,
     .key = {.name = "all", .kind = &wi_kind_count, .offset = offsetof(tcp_t, arrivals.count), .low = "1"}},
};
static const wi_tagged arrivals_tagged = {
    .forms = arrivals_forms,
    .n = N_OF(arrivals_forms),
    .other_tag = -1,
    .wants = "{poisson: 200/s}, {periodic: 10ms}, or {all: 1000}",
    .pick = pick_arrivals,
    .settle = settle_arrivals,
};

static const wi_key request_keys[] = {
    {.name = "size",
     .kind = &wi_kind_size,
     .offset = offsetof(tcp_t, request.bytes),
     .fallback = "100B",
     .above = "0B",
     .high = "1GiB",
     .doc = "bytes of a request"},
    {.name = "think",
     .kind = &wi_kind_time,
     .offset = offsetof(tcp_t, request.think_ps),
     .fallback = "0s",
     .doc = "mean of the exponential pause between a reply and the next request"},
};

static void check_request(wi_reader *r, const wi_node *node, void *at)
{
    (void)r;
    (void)node;
    ((tcp_t *)at)->request.given = true;
}

static const wi_section request_section = {
    .name = "request",
    .doc = "Request and response: `from` asks `to`, which replies with `size` bytes; after a pause, again.",
    .keys = request_keys,
    .n_keys = N_OF(request_keys),
    .place_offset = offsetof(tcp_t, request.place),
    .check = check_request,
};

static const wi_key tcp_keys[] = {
    {.name = "congestion",
     .kind = &wi_kind_word,
     .offset = offsetof(tcp_t, congestion),
     .words = &wi_congestion_words,
     .place_offset = offsetof(tcp_t, congestion_place),
     .fallback = "cubic",
     .also = "cc algorithm variant",
     .doc = "congestion control; of classes with fluid traffic `newreno` unless given, the control of which "
            "fluid has a law"},
    {.name = "sessions",
     .kind = &wi_kind_count,
     .offset = offsetof(tcp_t, sessions),
     .fallback = "1",
     .low = "1",
     .high = "1000000",
     .also = "connections flows",
     .doc = "parallel connections of each pair"},
    {.name = "size",
     .kind = &wi_kind_tagged,
     .offset = offsetof(tcp_t, size),
     .tagged = &transfer_tagged,
     .place_offset = offsetof(tcp_t, size.place),
     .also = "bytes",
     .unset = "long-lived",
     .doc = "bytes of a transfer"},
    {.name = "arrivals",
     .kind = &wi_kind_tagged,
     .tagged = &arrivals_tagged,
     .place_offset = offsetof(tcp_t, arrivals.place),
     .unset = "`sessions` flows a pair, once",
     .doc = "how transfers of `size` come; rates and counts are of the whole class, over its pairs"},
    {.name = "request",
     .kind = &wi_kind_section,
     .section = &request_section,
     .unset = "`from` sends",
     .doc = "request and response"},
    {.name = "video",
     .kind = &wi_kind_section,
     .section = &wi_section_video,
     .unset = "`from` sends",
     .doc = "adaptive video"},
    {.name = "connection",
     .kind = &wi_kind_word,
     .offset = offsetof(tcp_t, connection),
     .words = &wi_connection_words,
     .place_offset = offsetof(tcp_t, connection_place),
     .fallback = "new",
     .also = "persistent idle keepalive",
     .doc = "`request`, `video`: what replies travel on. With `video` the default is `restart`, and `keep` "
            "where the control "
            "has a rate or window of its own"},
    {.name = "mss",
     .kind = &wi_kind_size32,
     .offset = offsetof(tcp_t, mss_bytes),
     .fallback = "1460B",
     .low = "1B",
     .high = "65000B",
     .also = "segment",
     .doc = "payload of a full segment"},
    {.name = "initial_window",
     .kind = &wi_kind_count,
     .offset = offsetof(tcp_t, initial_window),
     .fallback = "10",
     .low = "1",
     .high = "10000",
     .also = "iw",
     .doc = "segments (RFC 6928)"},
    {.name = "window",
     .kind = &wi_kind_size,
     .offset = offsetof(tcp_t, window_bytes),
     .fallback = "1MiB",
     .above = "0B",
     .high = "1GiB",
     .also = "rwnd receive_window",
     .doc = "receive window, at least one segment"},
    {.name = "delayed_ack",
     .kind = &wi_kind_count,
     .offset = offsetof(tcp_t, delayed_ack),
     .fallback = "2",
     .low = "1",
     .high = "2",
     .doc = "full segments an ACK"},
    {.name = "delayed_ack_timeout",
     .kind = &wi_kind_time,
     .offset = offsetof(tcp_t, delayed_ack_timeout_ps),
     .fallback = "40ms",
     .above = "0s",
     .high = "500ms",
     .doc = "longest wait of an ACK (RFC 1122)"},
    {.name = "sack",
     .kind = &wi_kind_bool,
     .offset = offsetof(tcp_t, sack),
     .fallback = "true",
     .doc = "selective acknowledgements (RFC 2018, 6675)"},
    {.name = "recovery",
     .kind = &wi_kind_word,
     .offset = offsetof(tcp_t, recovery),
     .words = &recovery_words,
     .fallback = "rack",
     .also = "loss_recovery loss_detection",
     .doc = "with SACK: how losses are found and mended"},
    {.name = "partial_ack",
     .kind = &wi_kind_word,
     .offset = offsetof(tcp_t, partial_ack),
     .words = &partial_ack_words,
     .fallback = "impatient",
     .doc = "without SACK: which partial ACKs restart the retransmission timer (RFC 6582, section 4)"},
    {.name = "ecn",
     .kind = &wi_kind_bool,
     .offset = offsetof(tcp_t, ecn),
     .fallback = "false",
     .doc = "explicit congestion notification (RFC 3168)"},
    {.name = "pacing",
     .kind = &wi_kind_bool,
     .offset = offsetof(tcp_t, pacing),
     .fallback = "false",
     .doc = "packets leave evenly spaced, at twice the window a round trip in slow start and 1.2 times after "
            "it; "
            "controls that pace do so in any case"},
    {.name = "rto_min",
     .kind = &wi_kind_time,
     .offset = offsetof(tcp_t, rto_min_ps),
     .fallback = "200ms",
     .above = "0s",
     .high = "60s",
     .also = "min_rto",
     .doc = "least retransmission timeout"},
    {.name = "handshake",
     .kind = &wi_kind_bool,
     .offset = offsetof(tcp_t, handshake),
     .fallback = "true",
     .doc = "flows begin with SYN and SYN-ACK"},
    {.name = "max_flows",
     .kind = &wi_kind_count,
     .offset = offsetof(tcp_t, max_flows),
     .fallback = "256",
     .low = "1",
     .high = "1000000",
     .doc = "with `arrivals`: flows under way at once at a sending host; more are turned away, and counted"},
};

static void check_tcp(wi_reader *r, const wi_node *node, void *at)
{
    tcp_t *t = at;
    const wi_node *arrivals = wi_node_child(node, "arrivals"), *request = wi_node_child(node, "request");
    if (arrivals && t->size.kind == WEIR_SC_DIST_NONE)
        wi_complain(r, arrivals->key_place, "arrivals need a 'size': flows that come must also end");
    if (request && t->size.kind == WEIR_SC_DIST_NONE)
        wi_complain(r, request->key_place, "request needs a 'size' beside it, that of the reply");
    if (t->window_bytes < t->mss_bytes)
        wi_complain(r, wi_place_of(node, "window"), "window is less than one segment (mss)");
    if (t->mss_bytes && t->window_bytes / t->mss_bytes >= WINDOW_SEGMENTS_MAX)
        wi_complain(r, wi_place_of(node, "window"), "window is more than %d segments (mss)",
                    WINDOW_SEGMENTS_MAX);
    if (!t->sack && wi_node_child(node, "recovery"))
        wi_complain(r, wi_place_of(node, "recovery"), "recovery means nothing here; it is for sack: true");
    if (t->sack && wi_node_child(node, "partial_ack"))
        wi_complain(r, wi_place_of(node, "partial_ack"),
                    "partial_ack means nothing here; it is for sack: false");
    const wi_congestion_kind *const kind = wi_congestion_kind_of(t->congestion);
    if (kind->begins && wi_node_child(node, "initial_window"))
        wi_complain(r, wi_place_of(node, "initial_window"),
                    "initial_window means nothing here; flows of congestion '%s' begin with %s",
                    kind->section.name, kind->begins);
    if (kind->check)
        kind->check(r, node, t);
    wi_connection_check(r, node, t);
}

static bool tcp_hides(const wi_key *key, const void *at)
{
    if (key->words == &recovery_words)
        return !((const tcp_t *)at)->sack;
    if (key->offset == offsetof(tcp_t, partial_ack) && key->words == &partial_ack_words)
        return ((const tcp_t *)at)->sack;
    if (key->offset == offsetof(tcp_t, initial_window) && strcmp(key->name, "initial_window") == 0)
        return wi_congestion_kind_of(((const tcp_t *)at)->congestion)->begins != NULL;
    if (key->words == &wi_connection_words)
        return !((const tcp_t *)at)->request.given && !((const tcp_t *)at)->video.given;
    if (key->section == &wi_section_video)
        return !((const tcp_t *)at)->video.given;
    return key->section == &request_section && !((const tcp_t *)at)->request.given;
}

const wi_section wi_section_tcp = {
    .name = "tcp",
    .keys = tcp_keys,
    .n_keys = N_OF(tcp_keys),
    .variants = &wi_congestion_variants,
    .size = sizeof(tcp_t),
    .place_offset = offsetof(tcp_t, place),
    .check = check_tcp,
    .hides = tcp_hides,
    .rules = "[{'dependentRequired': {'arrivals': ['size'], 'request': ['size']}}, "
             "{'if': {'required': ['video']}, 'then': {'properties': {'size': false, 'arrivals': false, "
             "'request': false}}}, "
             "{'if': {'required': ['connection']}, 'then': {'anyOf': [{'required': ['request']}, "
             "{'required': ['video']}]}}, "
             "{'if': {'required': ['congestion'], 'properties': {'congestion': {'const': 'ndp'}}}, 'then': "
             "{'properties': "
             "{'connection': {'const': 'new'}}}}, "
             "{'if': {'required': ['congestion'], 'properties': {'congestion': {'enum': ['bbr', 'bbr3', "
             "'dcqcn', 'hpcc']}}}, 'then': "
             "{'properties': {'connection': {'enum': ['new', 'keep']}}}}, "
             "{'if': {'required': ['sack'], 'properties': {'sack': {'const': false}}}, 'then': "
             "{'properties': {'recovery': false}}, 'else': {'properties': {'partial_ack': false}}}, "
             "{'if': {'required': ['congestion'], 'properties': {'congestion': {'enum': ['dctcp', 'prague', "
             "'dcqcn']}}}, "
             "'then': {'properties': {'ecn': {'const': true}}}}, "
             "{'if': {'required': ['congestion'], 'properties': {'congestion': {'enum': ['bbr', 'bbr3', "
             "'dcqcn', 'hpcc']}}}, "
             "'then': {'properties': {'sack': {'const': true}}}}, "
             "{'if': {'required': ['congestion'], 'properties': {'congestion': {'const': 'hpcc'}}}, "
             "'then': {'properties': {'ecn': {'const': false}, 'initial_window': false}}}]",
};

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
     .kind = &wi_kind_rate,
     .offset = offsetof(udp_t, rate_bps),
     .above = "0bps",
     .also = "bandwidth speed",
     .unset = "needed, but with `demands`",
     .doc = "of each pair, IP and UDP headers included, on the long run (pauses too)"},
    {.name = "packet",
     .kind = &wi_kind_tagged,
     .offset = offsetof(udp_t, packet),
     .tagged = &packet_tagged,
     .place_offset = offsetof(udp_t, packet.place),
     .fallback = "1000B",
     .also = "size packet_size",
     .doc = "bytes of a packet, the 28 of IP and UDP headers included; what is drawn is kept within 28 B and "
            "65535 B"},
    {.name = "pattern",
     .kind = &wi_kind_word,
     .offset = offsetof(udp_t, pattern),
     .words = &pattern_words,
     .fallback = "cbr",
     .doc = "when packets are sent"},
    {.name = "on_time",
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, on_ps),
     .fallback = "1s",
     .above = "0s",
     .also = "on burst",
     .doc = "onoff: mean length of a burst, in which `rate` · (`on_time` + `off_time`) / `on_time` is sent"},
    {.name = "off_time",
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, off_ps),
     .fallback = "1s",
     .above = "0s",
     .also = "off pause",
     .doc = "onoff: mean length of a pause"},
    {.name = "durations",
     .kind = &wi_kind_word,
     .offset = offsetof(udp_t, on_off),
     .words = &duration_words,
     .fallback = "exponential",
     .also = "distribution",
     .doc = "onoff: distribution of both lengths"},
    {.name = "shape",
     .kind = &wi_kind_number,
     .offset = offsetof(udp_t, shape),
     .fallback = "1.5",
     .above = "1",
     .also = "alpha",
     .doc = "onoff: tail exponent of Pareto lengths"},
    {.name = "jitter",
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
     .kind = &wi_kind_time,
     .offset = offsetof(udp_t, repeat_ps),
     .above = "0s",
     .also = "period loop",
     .unset = "once",
     .doc = "trace: after so long it begins again; later than its last packet"},
};

static bool udp_hides(const wi_key *key, const void *at)
{
    const udp_t *u = at;
    if (key->offset == offsetof(udp_t, repeat_ps))
        return !u->trace.text;
    if (u->trace.text)
        return key->offset != offsetof(udp_t, trace.text);
    if (key->offset == offsetof(udp_t, jitter))
        return u->pattern != WEIR_SC_UDP_CBR;
    if (key->offset == offsetof(udp_t, shape))
        return u->pattern != WEIR_SC_UDP_ONOFF || u->on_off != WEIR_SC_DIST_PARETO;
    if (key->offset == offsetof(udp_t, on_ps) || key->offset == offsetof(udp_t, off_ps) ||
        key->offset == offsetof(udp_t, on_off))
        return u->pattern != WEIR_SC_UDP_ONOFF;
    return false;
}

static void check_udp(wi_reader *r, const wi_node *node, void *at)
{
    const udp_t *u = at;
    const double largest = u->packet.kind == WEIR_SC_DIST_CONSTANT || u->packet.kind == WEIR_SC_DIST_UNIFORM
                               ? (u->packet.high > u->packet.low ? u->packet.high : u->packet.low)
                               : u->packet.mean;
    const double least = u->packet.kind == WEIR_SC_DIST_CONSTANT || u->packet.kind == WEIR_SC_DIST_UNIFORM
                             ? u->packet.low
                             : u->packet.mean;
    if (u->packet.kind != WEIR_SC_DIST_CDF && (least < 28 || largest > 65535))
        wi_complain(r, u->packet.place, "packet: want 28 B (headers alone) to 65535 B");
    for (size_t i = 0; i < N_OF(udp_keys); i++) {
        const wi_node *child = wi_node_child(node, udp_keys[i].name);
        if (child && u->trace.text && udp_hides(&udp_keys[i], u))
            wi_complain(r, child->key_place,
                        "%s does not go together with trace, whose file says what is sent when", child->key);
        else if (child && udp_keys[i].offset == offsetof(udp_t, repeat_ps) && !u->trace.text)
            wi_complain(r, child->key_place, "%s means nothing here; it is for trace", child->key);
        else if (child && udp_hides(&udp_keys[i], u))
            wi_complain(r, child->key_place, "%s means nothing here; it is for %s", child->key,
                        udp_keys[i].offset == offsetof(udp_t, jitter) ? "pattern: cbr"
                        : udp_keys[i].offset == offsetof(udp_t, shape)
                            ? "pattern: onoff with durations: pareto"
                            : "pattern: onoff");
    }
}

const wi_section wi_section_udp = {
    .name = "udp",
    .keys = udp_keys,
    .n_keys = N_OF(udp_keys),
    .size = sizeof(udp_t),
    .place_offset = offsetof(udp_t, place),
    .check = check_udp,
    .hides = udp_hides,
    .rules = "[{'dependentRequired': {'repeat': ['trace']}}, {'if': {'required': ['trace']}, 'then': "
             "{'properties': "
             "{'rate': false, 'packet': false, 'pattern': false, 'jitter': false}}}, "
             "{'if': {'required': ['pattern'], 'properties': {'pattern': {'const': 'onoff'}}}, 'else': "
             "{'properties': {'on_time': false, 'off_time': false, 'durations': false, 'shape': false}}}, "
             "{'if': {'required': ['pattern'], 'properties': {'pattern': {'enum': ['onoff', 'poisson']}}}, "
             "'then': {'properties': {'jitter': false}}}, "
             "{'if': {'required': ['durations'], 'properties': {'durations': {'const': 'pareto'}}}, 'else': "
             "{'properties': {'shape': false}}}]",
};

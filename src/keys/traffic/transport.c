/* Keys of `tcp`. */
#include "keys/congestion/congestions.h"
#include "keys/traffic/traffic.h"

#include <string.h>

typedef weir_scenario_tcp tcp_t;
enum { INITIAL_WINDOW_MAX = 10000 };
enum { WINDOW_SEGMENTS_MAX = (1 << 24) - 1 }; /* SACK blocks count them in 24 bits */

static const wi_word recoveries[] = {
    {"sack", WEIR_SC_RECOVERY_SACK, "RFC 6675"},
    {"rack", WEIR_SC_RECOVERY_RACK,
     "RFC 8985 (RACK-TLP) with 9937 (PRR) and 5682 (F-RTO), as today's stacks"},
    {"go-back-n", WEIR_SC_RECOVERY_GO_BACK,
     "as NICs of RoCE: what comes behind a hole is dropped, a NACK says where to begin again"},
    {"irn", WEIR_SC_RECOVERY_IRN,
     "Mittal and others, 2018: RDMA with selective repeat, and no more in flight than the network holds"},
};
static const wi_word ecns[] = {
    {"false", WEIR_SC_ECN_OFF, "none"},
    {"true", WEIR_SC_ECN_CLASSIC,
     "marks come back in ECE (RFC 3168); each as it is for `dctcp`, `prague` and `dcqcn` (RFC 8257)"},
    {"accurate", WEIR_SC_ECN_ACCURATE, "ACKs count marked packets in three bits (AccECN, RFC 9768)"},
};
static const wi_word partial_acks[] = {
    {"impatient", WEIR_SC_PARTIAL_IMPATIENT, "the first of a recovery alone"},
    {"steady", WEIR_SC_PARTIAL_STEADY, "each one: \"slow but steady\""},
};

static const wi_form arrivals_forms[] = {
    {.tag = WEIR_SC_ARRIVALS_POISSON,
     .key = WI_KEY("poisson", event_rate, tcp_t, arrivals.per_s, .above = "0/s")},
    {.tag = WEIR_SC_ARRIVALS_LOAD, .key = WI_KEY("load", share, tcp_t, arrivals.load, .above = "0%")},
    {.tag = WEIR_SC_ARRIVALS_PERIODIC,
     .key = WI_KEY("periodic", time, tcp_t, arrivals.interval_ps, .above = "0s")},
    {.tag = WEIR_SC_ARRIVALS_ALL, .key = WI_KEY("all", count, tcp_t, arrivals.count, .low = "1")},
};
static const wi_tagged arrivals_tagged = {
    .forms = arrivals_forms,
    .n = WI_N_OF(arrivals_forms),
    .other_tag = -1,
    .wants = "{poisson: 200/s}, {load: 50%}, {periodic: 10ms}, or {all: 1000}",
    .tag_offset = offsetof(tcp_t, arrivals.kind),
};

static const wi_key request_keys[] = {
    WI_KEY("size", size, tcp_t, request.bytes, .fallback = "100B", .above = "0B", .high = "65495B",
           .doc = "bytes of a request, which is one packet"),
    WI_KEY("think", time, tcp_t, request.think_ps, .fallback = "0s",
           .doc = "mean of the exponential pause between a reply and the next request"),
};

static void check_request(wi_reader *r, const wi_node *node, void *at)
{
    (void)r;
    (void)node;
    ((tcp_t *)at)->request.given = true;
}

static const wi_section request_section = WI_SECTION(
    "request", request_keys, tcp_t,
    .doc = "Request and response: `from` asks `to`, which replies with `size` bytes; after a pause, again.",
    .place_offset = offsetof(tcp_t, request.place), .check = check_request);

static const wi_key tcp_keys[] = {
    WI_KEY("congestion", word, tcp_t, congestion, .fallback = "cubic", .words = &wi_congestion_words,
           .place_offset = offsetof(tcp_t, congestion_place), .also = "cc algorithm variant",
           .doc = "congestion control, whatever the fidelity; fluid has laws of some (docs/fluid.md)"),
    WI_KEY("sessions", count, tcp_t, sessions, .fallback = "1", .low = "1", .high = "1000000",
           .also = "connections flows", .doc = "parallel connections of each pair"),
    WI_KEY("size", tagged, tcp_t, size, .tagged = &wi_transfer_sizes,
           .place_offset = offsetof(tcp_t, size.place), .also = "bytes", .unset = "long-lived",
           .doc = "bytes of a transfer"),
    {.name = "arrivals",
     .kind = &wi_kind_tagged,
     .tagged = &arrivals_tagged,
     .place_offset = offsetof(tcp_t, arrivals.place),
     .unset = "`sessions` flows a pair, once",
     .doc = "how transfers of `size` come; rates and counts are of the whole class, over its pairs. A load "
            "comes as `poisson` does, with as many transfers as make up this share of the rate of all links "
            "that leave each source, by the mean size"},
    WI_PART("request", request_section, .unset = "`from` sends", .doc = "request and response"),
    WI_PART("video", wi_section_video, .unset = "`from` sends", .doc = "adaptive video"),
    WI_KEY("connection", word, tcp_t, connection, .fallback = "new", .words = &wi_connection_words,
           .place_offset = offsetof(tcp_t, connection_place), .also = "persistent idle keepalive",
           .doc = "`request`, `video`, `job`: what replies travel on, or messages of a rank to another, each "
                  "on a connection that is idle where there is one. With `video` the default is `restart`, "
                  "and `keep` where the control has a rate or window of its own"),
    WI_KEY("mss", size32, tcp_t, mss_bytes, .fallback = "1460B", .low = "1B", .high = "65000B",
           .also = "segment", .doc = "payload of a full segment"),
    WI_KEY("initial_window", count, tcp_t, initial_window, .fallback = "10", .low = "1", .high = "10000",
           .also = "iw",
           .doc = "segments (RFC 6928); 30 with `ndp`, 10000 with RDMA's recoveries and `dcqcn` or `timely`"),
    WI_KEY("window", size, tcp_t, window_bytes, .fallback = "1MiB", .above = "0B", .high = "1GiB",
           .also = "rwnd receive_window", .doc = "receive window, at least one segment"),
    WI_KEY("delayed_ack", count, tcp_t, delayed_ack, .fallback = "2", .low = "1", .high = "2",
           .doc = "full segments an ACK"),
    WI_KEY("delayed_ack_timeout", time, tcp_t, delayed_ack_timeout_ps, .fallback = "40ms", .above = "0s",
           .high = "500ms", .doc = "longest wait of an ACK (RFC 1122)"),
    WI_KEY("sack", bool, tcp_t, sack, .fallback = "true",
           .doc = "selective acknowledgements (RFC 2018, 6675)"),
    WI_KEY("recovery", word, tcp_t, recovery, .fallback = "rack", .with = "sack=true", WI_WORDS(recoveries),
           .also = "loss_recovery loss_detection",
           .doc = "with SACK: how losses are found and mended; the last two are RDMA's, whose NACKs stand "
                  "for SACKs"),
    WI_KEY("nack_interval", time, tcp_t, nack_interval_ps, .fallback = "500us", .with = "recovery=go-back-n",
           .above = "0s", .high = "60s",
           .doc = "least time between two NACKs of one hole; that of ns-3's RDMA fork"),
    WI_KEY("bdp_cap", size, tcp_t, bdp_bytes, .fallback = "auto", .word = "auto", .with = "recovery=irn",
           .above = "0B", .high = "1GiB", .also = "bdp_fc",
           .doc = "payload in flight at most; `auto`: what the fastest interface of a host sends in the "
                  "longest idle round trip of the class's pairs"),
    WI_KEY("rto_low", time, tcp_t, rto_low_ps, .fallback = "auto", .word = "auto", .with = "recovery=irn",
           .above = "0s", .high = "60s",
           .doc = "least retransmission timeout while few segments are in flight, in place of `rto_min`; "
                  "`auto`: 100us, or two idle round trips"),
    WI_KEY("rto_low_segments", count, tcp_t, rto_low_segments, .fallback = "3", .with = "recovery=irn",
           .high = "1000", .doc = "how many are few"),
    WI_KEY("tail_probes", bool, tcp_t, tail_probes, .fallback = "true", .with = "sack=true", .also = "tlp",
           .doc = "with `recovery: rack`: a probe goes where the last segments may be lost (TLP, RFC 8985, "
                  "section 7)"),
    WI_KEY("partial_ack", word, tcp_t, partial_ack, .fallback = "impatient", .with = "sack=false",
           WI_WORDS(partial_acks),
           .doc = "without SACK: which partial ACKs restart the retransmission timer (RFC 6582, section 4)"),
    WI_KEY("ecn", word, tcp_t, ecn, .fallback = "false", WI_WORDS(ecns),
           .doc = "explicit congestion notification: packets are marked where they would be dropped"),
    WI_KEY("pacing", bool, tcp_t, pacing, .fallback = "false",
           .doc = "packets leave evenly spaced, at twice the window a round trip in slow start and 1.2 times "
                  "after it; controls that pace do so in any case"),
    WI_KEY("rto_min", time, tcp_t, rto_min_ps, .fallback = "auto", .word = "auto", .above = "0s",
           .high = "60s", .also = "min_rto",
           .doc =
               "least retransmission timeout. `auto`: 200ms; 320us with `recovery: irn`, 4ms with "
               "`go-back-n`, 1ms with `ndp`, 100us with `nscc` and `rccc`, or two idle round trips; with the "
               "last three at least an idle round trip (15us with `nscc` and `rccc`) and six times what the "
               "longest queue that trims takes when it is full"),
    WI_KEY("rto_initial", time, tcp_t, rto_initial_ps, .fallback = "1s", .above = "0s", .high = "60s",
           .also = "initial_rto",
           .doc = "retransmission timeout until a round trip is known (RFC 6298), at least `rto_min`; of "
                  "requests too. RDMA's recoveries have `rto_min` from the start"),
    WI_KEY("max_rate", rate, tcp_t, max_rate_bps, .unset = "the line's", .above = "0bps",
           .also = "rate_limit rate_cap", .doc = "no flow sends faster, headers included"),
    WI_KEY("handshake", bool, tcp_t, handshake, .fallback = "true",
           .doc = "flows begin with SYN and SYN-ACK"),
    WI_KEY("max_flows", count, tcp_t, max_flows, .fallback = "256", .low = "1", .high = "1000000",
           .doc = "with `arrivals`: flows under way at once at a sending host; more are turned away, and "
                  "counted. With `periodic` and `share: demand` each pair has its part, and four if there "
                  "are so many"),
};

/* What RDMA's recoveries have in common: no handshake, an answer to each packet, timeouts of data centres. */
static void check_rdma(wi_reader *r, const wi_node *node, tcp_t *t)
{
    if (!t->sack || t->recovery < WEIR_SC_RECOVERY_GO_BACK)
        return;
    if (t->handshake && wi_node_child(node, "handshake"))
        wi_complain(r, wi_place_of(node, "handshake"), "handshake: RDMA has none; want handshake: false");
    if (t->delayed_ack != 1 && wi_node_child(node, "delayed_ack"))
        wi_complain(r, wi_place_of(node, "delayed_ack"),
                    "delayed_ack: RDMA answers each packet; want delayed_ack: 1");
    t->handshake = false;
    t->delayed_ack = 1;
    /* NICs send at their rate from the first packet on. */
    if ((t->congestion == NET_CC_DCQCN || t->congestion == NET_CC_TIMELY) &&
        !wi_node_child(node, "initial_window"))
        t->initial_window = INITIAL_WINDOW_MAX;
}

static void check_tcp(wi_reader *r, const wi_node *node, void *at)
{
    tcp_t *t = at;
    if (t->window_bytes < t->mss_bytes)
        wi_complain(r, wi_place_of(node, "window"), "window is less than one segment (mss)");
    if (t->mss_bytes && t->window_bytes / t->mss_bytes >= WINDOW_SEGMENTS_MAX)
        wi_complain(r, wi_place_of(node, "window"), "window is more than %d segments (mss)",
                    WINDOW_SEGMENTS_MAX);
    const wi_congestion_kind *const kind = wi_congestion_kind_of(t->congestion);
    if (kind->begins && wi_node_child(node, "initial_window"))
        wi_complain(r, wi_place_of(node, "initial_window"),
                    "initial_window means nothing here; flows of congestion '%s' begin with %s",
                    kind->section.name, kind->begins);
    if (kind->check)
        kind->check(r, node, t);
    check_rdma(r, node, t);
    wi_connection_check(r, node, t);
}

static bool tcp_hides(const wi_key *key, const void *at)
{
    return key->offset == offsetof(tcp_t, initial_window) && strcmp(key->name, "initial_window") == 0 &&
           wi_congestion_kind_of(((const tcp_t *)at)->congestion)->begins != NULL;
}

static const wi_clash tcp_clashes[] = {
    {"arrivals", "!size", "since flows that come must also end"},
    {"request", "!size", "that of the reply"},
    {"request", "arrivals", "since a client asks again when it has its reply; want think, or sessions"},
    {"video", "size|arrivals|request", "which says what is asked for when"},
    {"recovery=go-back-n|irn", "congestion=newreno|cubic|prague|vegas|ledbat|bbr|bbr3",
     "as RDMA's recoveries go with controls of data centres: dcqcn, timely, hpcc, powertcp, theta_powertcp, "
     "swift, dctcp"},
    {"ecn=accurate", "recovery=go-back-n|irn", "as AccECN is TCP's"},
    {"ecn=accurate", "congestion=dcqcn|hpcc|timely|powertcp|theta_powertcp|ndp|nscc|rccc",
     "as AccECN is TCP's"},
};

const wi_section wi_section_tcp = WI_SECTION(
    "tcp", tcp_keys, tcp_t, .variants = &wi_congestion_variants, .place_offset = offsetof(tcp_t, place),
    .check = check_tcp, .hides = tcp_hides, .clashes = tcp_clashes, .n_clashes = WI_N_OF(tcp_clashes),
    .rules =
        "[{'if': {'required': ['congestion'], 'properties': {'congestion': {'enum': ['ndp', 'nscc', "
        "'rccc']}}}, 'then': {'properties': {'connection': {'const': 'new'}}}}, {'if': {'required': "
        "['congestion'], 'properties': {'congestion': {'enum': ['bbr', 'bbr3', 'dcqcn', 'hpcc', 'timely', "
        "'powertcp', 'theta_powertcp']}}}, 'then': {'properties': {'connection': {'enum': ['new', 'keep']}, "
        "'sack': {'const': true}}}}, {'if': {'required': ['congestion'], 'properties': {'congestion': "
        "{'enum': ['dctcp', 'prague', 'dcqcn']}}}, 'then': {'properties': {'ecn': {'not': {'const': "
        "false}}}}}, {'if': "
        "{'required': ['congestion'], 'properties': {'congestion': {'enum': ['hpcc', 'timely', 'powertcp', "
        "'theta_powertcp']}}}, 'then': {'properties': {'ecn': {'const': false}}}}, {'if': {'required': "
        "['congestion'], 'properties': {'congestion': {'enum': ['hpcc', 'powertcp', 'theta_powertcp', "
        "'nscc', 'rccc']}}}, 'then': {'properties': {'initial_window': false}}}, {'if': {'required': "
        "['congestion'], 'properties': {'congestion': {'const': 'hpcc'}}}, 'then': true, 'else': "
        "{'properties': {'ai_rate': {'not': {'const': 'auto'}}}}}, {'if': {'required': ['recovery'], "
        "'properties': {'recovery': {'enum': ['go-back-n', 'irn']}}}, 'then': {'properties': {'handshake': "
        "{'const': false}, 'delayed_ack': {'const': 1}}}}]");

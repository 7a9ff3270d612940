/* Keys of the items of `topology.links`: what some links are like, and what they do to packets. */
#include "keys/keys.h"

typedef weir_scenario_link_override link_override_t;
typedef weir_scenario_bursts bursts_t;
typedef weir_scenario_jitter jitter_t;
typedef weir_scenario_link_trace trace_t;

static const wi_key bursts_keys[] = {
    WI_KEY("mean", share, bursts_t, mean, .above = "0", .below = "1", .absent = -1, .also = "loss rate",
           .unset = "`enter` is needed", .doc = "of packets lost on the long run"),
    WI_KEY("enter", share, bursts_t, enter, .above = "0", .absent = -1, .also = "p p13 good_to_bad",
           .unset = "`mean` is needed", .doc = "chance that the link turns bad before a packet"),
    WI_KEY("length", number, bursts_t, length, .low = "1", .high = "1e9", .absent = -1,
           .also = "burst packets", .unset = "`exit` is needed",
           .doc = "mean number of packets that it stays bad for"),
    WI_KEY("exit", share, bursts_t, exit, .above = "0", .absent = -1, .also = "r p31 bad_to_good",
           .unset = "`length` is needed",
           .doc = "chance that it turns good again before a packet: 1 / `length`"),
    WI_KEY("good", share, bursts_t, good, .fallback = "0", .doc = "chance that a good link loses a packet"),
    WI_KEY("bad", share, bursts_t, bad, .fallback = "100%", .doc = "chance that a bad link loses a packet"),
};

/* The chance of turning bad that has the link lose a share of `mean`. */
static double enter_of(const bursts_t *b)
{
    const double share = (b->mean - b->good) / (b->bad - b->good);
    return b->exit * share / (1.0 - share);
}

static void check_bursts(wi_reader *r, const wi_node *node, void *at)
{
    bursts_t *b = at;
    const wi_node *mean = wi_node_child(node, "mean"), *enter = wi_node_child(node, "enter");
    const wi_node *length = wi_node_child(node, "length"), *leave = wi_node_child(node, "exit");
    if (!mean == !enter) {
        wi_complain(r, mean ? enter->key_place : node->place, "burst_loss wants one of mean and enter");
        return;
    }
    if (!length == !leave) {
        wi_complain(r, length ? leave->key_place : node->place, "burst_loss wants one of length and exit");
        return;
    }
    if (!(b->good < b->bad)) {
        wi_complain(r, node->place, "burst_loss: bad, %.9g, is not above good, %.9g", b->bad, b->good);
        return;
    }
    b->exit = length ? 1.0 / b->length : b->exit;
    if (mean && !(b->mean > b->good && b->mean < b->bad))
        wi_complain(r, mean->place, "mean: %.9g is not between good, %.9g, and bad, %.9g", b->mean, b->good,
                    b->bad);
    else if (mean && enter_of(b) > 1.0)
        wi_complain(r, mean->place,
                    "mean: bursts as short as that lose less than %.9g even if a good link turns bad at "
                    "once; make them longer",
                    b->mean);
    else if (mean)
        b->enter = enter_of(b);
}

/* What was worked out is not written. */
static bool bursts_hides(const wi_key *key, const void *at)
{
    const bursts_t *b = at;
    return (key->offset == offsetof(bursts_t, enter) && b->mean > 0.0) ||
           (key->offset == offsetof(bursts_t, exit) && b->length > 0.0);
}

static const wi_section bursts_section = WI_SECTION(
    "burst_loss", bursts_keys, bursts_t,
    .doc =
        "Losses in bursts (Gilbert and Elliott): a link is good or bad, and changes before a packet. Besides "
        "`loss`, which is independent. Of `mean` and `enter` one is given, of `length` and `exit` one.",
    .place_offset = offsetof(bursts_t, place), .check = check_bursts, .hides = bursts_hides,
    .rules = "[{'type': 'object', 'oneOf': [{'required': ['mean']}, {'required': ['enter']}]}, {'type': "
             "'object', 'oneOf': [{'required': ['length']}, {'required': ['exit']}]}]");

static const wi_word distributions[] = {
    {"uniform", WEIR_SC_JITTER_UNIFORM, "from 0 to twice `mean`"},
    {"exponential", WEIR_SC_JITTER_EXPONENTIAL, NULL},
    {"pareto", WEIR_SC_JITTER_PARETO, "with a tail of `shape`, from `mean` (`shape` - 1) / `shape` on"},
};

static const wi_key jitter_keys[] = {
    WI_KEY("mean", time, jitter_t, mean_ps, .required = true, .above = "0s", .high = "100s",
           .doc = "what is added to the link's delay on the mean"),
    WI_KEY("distribution", word, jitter_t, distribution, .fallback = "uniform", WI_WORDS(distributions),
           .doc = "of what is added, packet by packet; at most 1000 s"),
    WI_KEY("shape", number, jitter_t, shape, .fallback = "2.5", .with = "distribution=pareto", .above = "1",
           .also = "alpha", .doc = "pareto: tail exponent"),
    WI_KEY("reorder", bool, jitter_t, reorder, .fallback = "false", .also = "reordering",
           .doc =
               "packets may overtake each other; without, a packet that would waits for the one before it"),
};

static const wi_section jitter_section =
    WI_SECTION("jitter", jitter_keys, jitter_t,
               .doc = "A delay that differs from packet to packet, never less than the link's `delay`.",
               .place_offset = offsetof(jitter_t, place));

static const wi_word trace_formats[] = {
    {"auto", WEIR_SC_TRACE_AUTO, "told by the first line"},
    {"rates", WEIR_SC_TRACE_RATES, "lines `TIME RATE [DELAY]` with units, from 0s on"},
    {"mahimahi", WEIR_SC_TRACE_MAHIMAHI, "a packet-delivery trace: milliseconds at which 1504 bytes may go"},
};

static const wi_word trace_ends[] = {
    {"repeat", WEIR_SC_TRACE_REPEAT, "the trace begins again at the time of its last line"},
    {"hold", WEIR_SC_TRACE_HOLD, "the last rate and delay stay; for `rates`"},
};

static const wi_key trace_keys[] = {
    WI_KEY("file", path, trace_t, file.text, .required = true, .place_offset = offsetof(trace_t, file.place),
           .also = "path", .doc = "the trace, relative to the scenario; gzip'd or not"),
    WI_KEY("format", word, trace_t, format, .fallback = "auto", WI_WORDS(trace_formats), .doc = "of `file`"),
    WI_KEY("end", word, trace_t, end, .fallback = "repeat", WI_WORDS(trace_ends), .also = "loop after",
           .doc = "what comes after the last line"),
};

static const wi_section trace_section =
    WI_SECTION("trace", trace_keys, trace_t,
               .doc = "A rate, and a delay, that change with time. The link's rate is then the mean of the "
                      "trace, its delay the least, and `rate` and `delay` mean nothing beside them.",
               .place_offset = offsetof(trace_t, place));

static const wi_key link_override_keys[] = {
    WI_KEY(
        "link", links, link_override_t, link, .required = true, .also = "links",
        .doc =
            "\"A->B\" for one direction, \"A--B\" for both, patterns such as \"core*--*\", or \"*\" for all"),
    WI_KEY("rate", rate, link_override_t, rate_bps, .above = "0bps",
           .also = "bandwidth capacity speed datarate", .unset = "as it is", .doc = "rate"),
    WI_KEY("delay", time, link_override_t, delay_ps, .above = "0s", .absent = -1, .also = "latency",
           .unset = "as it is", .doc = "propagation delay"),
    WI_KEY("loss", share, link_override_t, loss, .below = "1", .absent = -1, .also = "drop error",
           .unset = "`topology.loss`", .doc = "chance that the link loses a packet"),
    WI_KEY("overhead", size32, link_override_t, overhead, .high = "255B", WI_ETHERNET, .absent = UINT32_MAX,
           .also = "framing preamble ethernet ifg fcs", .unset = "`topology.overhead`",
           .doc = "what the link sends besides with each packet, or `ethernet`"),
    WI_KEY("burst_loss", section, link_override_t, bursts, .section = &bursts_section,
           .also = "gilbert elliott bursts gemodel", .unset = "none", .doc = "losses in bursts"),
    WI_KEY("bit_errors", number, link_override_t, bit_errors,
           .place_offset = offsetof(link_override_t, bit_errors_place), .low = "0", .high = "0.1",
           .absent = -1, .also = "ber biterrors corrupt", .unset = "none",
           .doc = "share of bits that arrive wrong, such as 1e-7: a packet of n bytes is lost with 1 - (1 - "
                  "p)^(8n)"),
    WI_KEY("jitter", section, link_override_t, jitter, .section = &jitter_section,
           .also = "variation reorder", .unset = "none", .doc = "a delay that varies"),
    WI_KEY("duplication", share, link_override_t, duplication,
           .place_offset = offsetof(link_override_t, duplication_place), .absent = -1,
           .also = "duplicate duplicates", .unset = "none", .doc = "chance that a packet arrives twice"),
    WI_KEY("trace", section, link_override_t, trace, .section = &trace_section,
           .also = "mahimahi cellular schedule", .unset = "none",
           .doc = "a rate and a delay that change with time"),
};

static void check_link_override(wi_reader *r, const wi_node *node, void *at)
{
    (void)at;
    const wi_node *rate = wi_node_child(node, "rate");
    if (rate && wi_node_child(node, "trace"))
        wi_complain(r, rate->key_place, "rate and trace don't go together; the trace says what the rate is");
    if (node->n < 2)
        wi_complain(r, node->place, "this item of links changes nothing; add rate, delay or loss");
}

const wi_section wi_section_link_override = WI_SECTION(
    "item of links", link_override_keys, link_override_t,
    .doc =
        "Properties of some links, whatever the topology says; what they do to packets "
        "([impairments](packet-network.md#what-links-do-to-packets)) is kept by what an item does not name.",
    .place_offset = offsetof(link_override_t, place), .check = check_link_override,
    .rules = "[{'minProperties': 2}, {'not': {'required': ['rate', 'trace']}}]");

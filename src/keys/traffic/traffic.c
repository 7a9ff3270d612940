/* Keys of a traffic class; those of its transport are in transport.c and udp.c. */
#include "keys/traffic/traffic.h"

typedef weir_scenario_class class_t;

/* start: a time, or {uniform: [a, b]}. */
static const wi_form start_forms[] = {
    {.tag = 1, .key = WI_KEY("uniform", range, class_t, start_ps, .of = &wi_kind_time)},
};
_Static_assert(offsetof(class_t, start_last_ps) == offsetof(class_t, start_ps) + sizeof(weir_time),
               "a range");
static const wi_key start_other = WI_KEY("start", time, class_t, start_ps);
static const wi_tagged start_tagged = {
    .forms = start_forms,
    .n = WI_N_OF(start_forms),
    .other = &start_other,
    .other_types = 1u << WI_SCALAR,
    .wants = "a time such as 5s, or {uniform: [0s, 1s]}",
    .spread = true,
};

static const wi_form pairs_forms[] = {
    {.tag = WEIR_SC_PAIRS_ALL, .key = {.name = "all"}},
    {.tag = WEIR_SC_PAIRS_PERMUTATION, .key = {.name = "permutation"}},
    {.tag = WEIR_SC_PAIRS_RANDOM,
     .key = WI_KEY("random", count, class_t, n_random, .low = "1", .high = "100000000")},
};
static const wi_key pairs_other =
    WI_KEY("pairs", pair_list, class_t, pairs, .count_offset = offsetof(class_t, n_pairs));
static const wi_tagged pairs_tagged = {
    .forms = pairs_forms,
    .n = WI_N_OF(pairs_forms),
    .other = &pairs_other,
    .other_tag = WEIR_SC_PAIRS_LIST,
    .other_types = 1u << WI_SEQUENCE,
    .wants = "all, permutation, {random: 40}, or a list of [from, to]",
    .tag_offset = offsetof(class_t, where),
};

/* fidelity: UINT32_MAX sessions stand for `rest` until the class is checked. */
static const wi_key mixed_keys[] = {
    WI_KEY("packet", count, class_t, packet_sessions, .fallback = "rest", .word = "rest",
           .word_value = WI_REST_OF_SESSIONS, .doc = "sessions simulated packet by packet"),
    WI_KEY("fluid", count, class_t, fluid_sessions, .fallback = "rest", .word = "rest",
           .word_value = WI_REST_OF_SESSIONS, .doc = "sessions simulated as fluid"),
};
static const wi_section mixed_section = WI_SECTION(
    "fidelity", mixed_keys, class_t,
    .rules =
        "[{'type': 'object', 'anyOf': [{'required': ['packet'], 'properties': {'packet': {'not': {'const': "
        "'rest'}}}}, {'required': ['fluid'], 'properties': {'fluid': {'not': {'const': 'rest'}}}}]}]");

static const wi_form fidelity_forms[] = {
    {.tag = WEIR_SC_PACKET, .key = {.name = "packet"}},
    {.tag = WEIR_SC_FLUID, .key = {.name = "fluid"}},
};
static const wi_key fidelity_other = WI_PART("fidelity", mixed_section);
static const wi_tagged fidelity_tagged = {
    .forms = fidelity_forms,
    .n = WI_N_OF(fidelity_forms),
    .other = &fidelity_other,
    .other_tag = WEIR_SC_MIXED,
    .other_types = 1u << WI_MAPPING,
    .wants = "packet, fluid, or sessions of each such as {packet: 10, fluid: rest}",
    .tag_offset = offsetof(class_t, fidelity),
};

static const wi_word shares[] = {
    {"equal", WEIR_SC_SHARE_EQUAL, "every pair has the same"},
    {"demand", WEIR_SC_SHARE_DEMAND, "in proportion to the demands"},
};

static const wi_key class_keys[] = {
    WI_KEY("name", text, class_t, name.text, .required = true, .place_offset = offsetof(class_t, name.place),
           .doc = "unique; results are listed under it"),
    WI_KEY("tcp", section, class_t, tcp, .section = &wi_section_tcp, .unset = "`udp` is needed",
           .doc = "the class is TCP; `tcp: {}` takes all defaults"),
    WI_KEY("udp", section, class_t, udp, .section = &wi_section_udp, .unset = "`tcp` is needed",
           .doc = "the class is UDP"),
    WI_KEY("from", names, class_t, from, .also = "src source sources", .unset = "`pairs` or `demands`",
           .doc = "senders; with `request`, those who ask"),
    WI_KEY("to", names, class_t, to, .also = "dst destination destinations", .unset = "`pairs` or `demands`",
           .doc = "receivers: every node of `from` with every node of `to`, a node with itself left out"),
    {.name = "pairs",
     .kind = &wi_kind_tagged,
     .tagged = &pairs_tagged,
     .unset = "`from` and `to`, or `demands`",
     .doc = "ordered pairs of nodes: `all`, a `permutation` (each sends to one and hears from one), so many "
            "at `random` out of those that have a way to each other (a pair may come twice), or a list. The "
            "first three are among "
            "the hosts, or among the routers where there are no hosts"},
    WI_KEY("demands", path, class_t, demands.file.text, .place_offset = offsetof(class_t, demands.file.place),
           .pattern = true, .also = "matrix demand", .unset = "`from` and `to`, or `pairs`",
           .doc = "a traffic matrix in SNDlib's native format, or REPETITA's (`.demands`: nodes by their "
                  "number in the topology, kb/s). UDP: the rate of each pair is its demand. TCP: it says "
                  "which pairs there are"),
    WI_PART("collective", wi_section_collective, .also = "incast shuffle allreduce all_reduce alltoall",
            .unset = "`from` and `to`, or `pairs`", .doc = "flows that wait for each other"),
    WI_PART("job", wi_section_job, .unset = "`from` and `to`, or `pairs`", .doc = "the messages of a job"),
    WI_PART("gravity", wi_section_gravity, .place_offset = offsetof(class_t, gravity.place),
            .unset = "`from` and `to`, or `pairs`",
            .doc = "a matrix by the weights of nodes, used as `demands` are"),
    WI_KEY("flows", path, class_t, flows.text, .place_offset = offsetof(class_t, flows.place),
           .also = "list transfers", .unset = "`from` and `to`, or `pairs`",
           .doc = "a file of lines TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS: each is a TCP transfer. "
                  "Times, in seconds or with a unit, count from `start`; lines of other classes are theirs. "
                  "Or htsim's connections (`.cm`, `.tm`), with their triggers and messages, or `flow.txt` of "
                  "ns-3's RDMA "
                  "fork, as they are"),
    WI_KEY(
        "start_unit", time, class_t, start_unit_ps, .fallback = "1ps", .with = "flows", .above = "0s",
        .high = "1s",
        .doc =
            "what a `start` in htsim's connections counts: 1ps; 1us in those of Ultra Ethernet's simulator"),
    WI_KEY("scale", number, class_t, demands.scale, .fallback = "1", .with = "demands", .above = "0",
           .also = "factor", .doc = "`demands`: factor on every demand"),
    WI_KEY("step", time, class_t, demands.step_ps, .with = "demands udp", .above = "0s",
           .also = "interval every granularity", .unset = "`demands` is one file",
           .doc =
               "`demands` names matrices by a pattern (`demandMatrix-*.txt`), in the order of their names, "
               "and each holds for this long, the last one to the end. UDP, of constant rate or Poisson"),
    WI_KEY("max_pairs", count, class_t, demands.max_pairs, .fallback = "all", .with = "demands|gravity",
           .word = "all", .low = "1",
           .doc = "`demands`, `gravity`: only so many pairs, those with the largest demands (of several "
                  "matrices: in sum)"),
    WI_KEY("share", word, class_t, demands.share, .fallback = "equal", .with = "demands|gravity",
           WI_WORDS(shares),
           .doc = "`demands`, `gravity`, TCP: how sessions (`tcp.sessions` is then their mean a pair, "
                  "before each pair's is rounded, to at least one) and arrivals are spread over the pairs"),
    {.name = "start",
     .kind = &wi_kind_tagged,
     .tagged = &start_tagged,
     .fallback = "0s",
     .place_offset = offsetof(class_t, start_place),
     .also = "begin",
     .doc = "when the flows start; `uniform` draws each one's start from a range"},
    WI_KEY("stop", time, class_t, stop_ps, .above = "0s", .also = "end", .unset = "`duration`",
           .doc = "no packet of a long-lived flow, no transfer and no request starts from then on; transfers "
                  "under way are finished"),
    WI_KEY("dscp", count, class_t, dscp, .fallback = "0", .low = "0", .high = "63",
           .also = "tos priority class",
           .doc = "of the packets, both ways; queues `priority` and `drr` go by its upper three bits"),
    {.name = "fidelity",
     .kind = &wi_kind_tagged,
     .tagged = &fidelity_tagged,
     .fallback = "packet",
     .place_offset = offsetof(class_t, fidelity_place),
     .doc = "simulated packet by packet, as fluid, or some sessions (of each pair) this way and the rest the "
            "other"},
};

/* None of the forms of `pairs`. */
static bool class_hides(const wi_key *key, const void *at)
{
    const class_t *c = at;
    return key->tagged == &pairs_tagged && (c->where == WEIR_SC_FROM_TO || c->where >= WEIR_SC_DEMANDS);
}

static const wi_clash class_clashes[] = {
    {"tcp", "udp", "which another class has"},
    {"from", "!to", "whom it sends to"},
    {"to", "!from", "who sends"},
    {"from|to", "pairs|demands|collective|gravity|flows|job", "which says the same; keep one"},
    {"pairs", "demands|collective|gravity|flows|job", "which says the same; keep one"},
    {"demands", "collective|gravity|flows|job", "which says the same; keep one"},
    {"collective", "gravity|flows|job", "which says the same; keep one"},
    {"gravity", "flows|job", "which says the same; keep one"},
    {"demands|gravity", "udp.rate", "which gives each pair a rate; want scale or total"},
    {"demands|gravity", "udp.trace", "which gives each pair a rate"},
    {"step", "udp.pattern=onoff", "whose rates change; want pattern: cbr or poisson"},
    {"tcp.max_rate", "fidelity!=packet", "fluid's windows know no cap; want fidelity: packet"},
    {"tcp.hystart=linux", "fidelity!=packet",
     "fluid's slow start ends as HyStart++ has it; want hystart: true, or false, or fidelity: packet"},
    {"step", "fidelity!=packet", "whose rates change, which fluid does not follow; want fidelity: packet"},
    {"flows", "udp", "since a list of flows needs 'tcp': flows of a size"},
    {"flows", "tcp.size|tcp.arrivals|tcp.request|tcp.video|stop", "whose file says what comes when"},
    {"flows", "tcp.sessions!=1", "whose file says what comes when"},
    {"flows", "fidelity!=packet", "whose flows have a start each; want fidelity: packet"},
    {"flows", "job", "which says the same; keep one"},
    {"job", "udp", "whose messages are transfers; want 'tcp'"},
    {"job", "tcp.size|tcp.arrivals|tcp.request|tcp.video", "whose trace says what is sent"},
    {"job", "tcp.sessions!=1", "whose trace says what is sent"},
    {"job", "stop", "whose ranks would wait for ever for what is not sent"},
    {"job", "fidelity!=packet", "whose flows wait for each other; want fidelity: packet"},
    {"collective", "udp", "since a collective operation needs 'tcp': flows that end"},
    {"collective", "!tcp.size", "one for all flows"},
    {"collective", "tcp.arrivals|tcp.request|tcp.video", "which says what flows there are"},
    {"collective", "tcp.sessions!=1", "which says what flows there are"},
    {"collective", "fidelity!=packet", "whose flows wait for each other; want fidelity: packet"},
    {"udp.trace", "fidelity!=packet", "which is replayed packet by packet; want fidelity: packet"},
    {"udp", "fidelity!=packet|fluid", "which has no sessions to divide; want packet or fluid"},
    {"tcp.video", "fidelity!=packet", "whose players choose by single segments; want fidelity: packet"},
};

const wi_section wi_section_class = WI_SECTION(
    "class", class_keys, class_t,
    .doc = "A list of classes. A class is one kind of flows between some pairs of nodes. It has exactly one "
           "of `tcp` and `udp`, and exactly one of `from` with `to`, `pairs`, `demands`, `gravity`, `flows`, "
           "`collective`, and `job`. Nodes are named as the topology names them.",
    .place_offset = offsetof(class_t, place), .check = wi_class_check, .hides = class_hides,
    .clashes = class_clashes, .n_clashes = WI_N_OF(class_clashes),
    .rules =
        "[{'anyOf': [{'required': ['tcp']}, {'required': ['udp']}]}, {'anyOf': [{'required': ['from']}, "
        "{'required': ['pairs']}, {'required': ['demands']}, {'required': ['collective']}, {'required': "
        "['gravity']}, {'required': ['flows']}, {'required': ['job']}]}, {'if': {'anyOf': [{'required': "
        "['flows']}, {'required': ['job']}]}, 'then': {'properties': {'start': {'type': 'string'}}}}, {'if': "
        "{'required': ['collective']}, 'then': {'properties': {'tcp': {'type': 'object', 'properties': "
        "{'size': {'not': {'type': 'object'}}}}}}}, {'if': {'not': {'anyOf': [{'required': ['demands']}, "
        "{'required': ['gravity']}]}}, 'then': {'properties': {'udp': {'type': 'object', 'anyOf': "
        "[{'required': ['rate']}, {'required': ['trace']}]}}}}, {'if': {'required': ['step']}, 'then': "
        "{'properties': {'demands': {'type': 'string', 'pattern': '[*?][^/]*$'}, 'start': {'type': "
        "'string'}}}, 'else': {'properties': {'demands': {'not': {'type': 'string', 'pattern': "
        "'[*?][^/]*$'}}}}}, {'if': {'required': ['tcp'], 'properties': {'tcp': {'type': 'object', "
        "'required': ['size']}}}, 'then': {'anyOf': [{'properties': {'fidelity': {'anyOf': [{'const': "
        "'packet'}, {'type': 'object'}]}}}, {'properties': {'fidelity': {'const': 'fluid'}, 'tcp': "
        "{'required': ['arrivals'], 'properties': {'arrivals': {'type': 'object'}, 'request': false}}}}]}}, "
        "{'properties': {'name': {'pattern': '^[^\\\\x00-\\\\x1f]+$'}}}]");

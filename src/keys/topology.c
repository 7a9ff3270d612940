/* Keys of `topology`: the network, its links and its queues. */
#include "keys/keys.h"
#include "keys/queue/queues.h"

typedef weir_scenario_topology topology_t;
typedef weir_scenario_queue queue_t;
typedef weir_scenario_queue_override queue_override_t;

static const wi_word overrides[] = {
    {"false", WEIR_SC_OVERRIDE_NONE, "none"}, {"true", WEIR_SC_OVERRIDE_GIVEN, NULL},
    {"rate", WEIR_SC_OVERRIDE_RATE, NULL},    {"delay", WEIR_SC_OVERRIDE_DELAY, NULL},
    {"both", WEIR_SC_OVERRIDE_BOTH, NULL},
};

#define QUEUE_KEYS(usual, of_words, of_limit)                                                        \
    WI_KEY("type", word, queue_t, params.type, .fallback = usual, .words = &of_words,                \
           .also = "discipline qdisc aqm", .doc = "queue discipline"),                               \
        WI_KEY("limit", size, queue_t, params.limit_bytes, .fallback = "auto", .word = "auto",       \
               .above = "0B", .also = "size buffer capacity", .doc = of_limit),                      \
        WI_KEY("limit_packets", count, queue_t, params.limit_packets, .low = "1", .high = "1000000", \
               .also = "packets", .unset = "the limit is in bytes",                                  \
               .doc = "limit in packets instead of `limit`")
#define LIMIT_DOC                                                                                         \
    "largest backlog, the packet being sent included, at most what the line sends in a million seconds; " \
    "`auto` is what it sends in 100 ms, and at least 64 kB and a packet. Where a discipline decides at "  \
    "departure, what waits, without the packet being sent; `auto` is then its own number of packets"

static const wi_key queue_keys[] = {QUEUE_KEYS("droptail", wi_queue_words, LIMIT_DOC)};
static const wi_key host_queue_keys[] = {
    QUEUE_KEYS("round-robin", wi_host_queue_words,
               LIMIT_DOC ". With `round-robin`: a packet of UDP is dropped that has waited for longer than "
                         "the line takes to send so much")};

static bool queue_hides(const wi_key *key, const void *at)
{
    return key->offset == offsetof(queue_t, params.limit_bytes) &&
           ((const queue_t *)at)->params.limit_packets > 0;
}

static void check_queue(wi_reader *r, const wi_node *node, void *at)
{
    queue_t *q = at;
    const wi_node *packets = wi_node_child(node, "limit_packets");
    if (packets && wi_node_child(node, "limit"))
        wi_complain(r, packets->key_place, "limit and limit_packets don't go together; keep one");
    else if (packets)
        q->params.limit_bytes = 0; /* one that is inherited */
    else if (wi_node_child(node, "limit"))
        q->params.limit_packets = 0;
    const wi_queue_kind *const kind = wi_queue_kind_of(q->params.type);
    if (kind->check)
        kind->check(r, node, &q->params);
}

/* check_queue, for the JSON Schema. */
#define ONE_LIMIT "{'not': {'type': 'object', 'required': ['limit', 'limit_packets']}}"

static const wi_section queue_section =
    WI_SECTION("queue", queue_keys, queue_t, .doc = "A queue in front of a link.",
               .variants = &wi_queue_variants, .place_offset = offsetof(queue_t, place), .check = check_queue,
               .hides = queue_hides, .rules = "[" ONE_LIMIT "]");

static const wi_clash host_queue_clashes[] = {
    {"type=round-robin", "limit_packets",
     "flows hold back what the line does not take; want `limit`, or type: droptail"},
};
static const wi_section host_queue_section = WI_SECTION(
    "host_queue", host_queue_keys, queue_t,
    .doc = "The interface of a host. By default its flows take turns, and nothing of TCP is dropped there.",
    .variants = &wi_queue_variants, .place_offset = offsetof(queue_t, place), .check = check_queue,
    .hides = queue_hides, .rules = "[" ONE_LIMIT "]", .clashes = host_queue_clashes,
    .n_clashes = WI_N_OF(host_queue_clashes));

static const wi_key queue_override_keys[] = {
    WI_KEY("link", links, queue_override_t, link, .required = true, .also = "links port ports",
           .doc = "ports by their links: \"A->B\" for one direction, \"A--B\" for both, patterns such as "
                  "\"core*--*\", or \"*\" for all"),
};

static void init_queue_override(void *at, const void *parent)
{
    ((queue_override_t *)at)->queue = ((const topology_t *)parent)->queue;
}

static void check_queue_override(wi_reader *r, const wi_node *node, void *at)
{
    (void)at;
    if (node->n < 2)
        wi_complain(r, node->place, "this item of queues changes nothing; add keys of a queue");
}

static const wi_section queue_override_section =
    WI_SECTION("item of queues", queue_override_keys, queue_override_t,
               .doc = "Queues of some ports of routers; those of hosts are `topology.host_queue`. Besides "
                      "`link`, an item takes the keys of `topology.queue`; "
                      "those left out are as there.",
               .mixin = &queue_section, .mixin_offset = offsetof(queue_override_t, queue), .inherits = true,
               .init = init_queue_override, .check = check_queue_override,
               .rules = "[{'minProperties': 2}, " ONE_LIMIT "]");

static const wi_key link_keys[] = {
    WI_KEY("rate", rate, topology_t, link.rate_bps, .fallback = "10Gbps", .above = "0bps",
           .also = "bandwidth capacity speed datarate", .doc = "rate of a link that has none"),
    WI_KEY("delay", time, topology_t, link.delay_ps, .fallback = "1ms", .above = "0s", .also = "latency",
           .doc = "propagation delay of a link that has none, nor coordinates"),
    WI_KEY("delay_from_coordinates", bool, topology_t, link.delay_from_coordinates, .fallback = "true",
           .also = "coordinates distance",
           .doc =
               "where a link has no delay and its ends have coordinates: their distance over `signal_speed`"),
    WI_KEY("override", word, topology_t, link.override, .fallback = "false", WI_WORDS(overrides),
           .doc = "links for which `rate` and `delay` replace what the topology says. `true`: whichever of "
                  "the two is given here, so that `{rate: 1Gbps, override: true}` leaves delays as they are"),
};

static void check_link(wi_reader *r, const wi_node *node, void *at)
{
    topology_t *t = at;
    const bool rate = wi_node_child(node, "rate"), delay = wi_node_child(node, "delay");
    if (t->link.override != WEIR_SC_OVERRIDE_GIVEN)
        return;
    if (!rate && !delay)
        wi_complain(r, wi_place_of(node, "override"),
                    "override: true, and link gives neither rate nor delay");
    t->link.override = !delay  ? WEIR_SC_OVERRIDE_RATE
                       : !rate ? WEIR_SC_OVERRIDE_DELAY
                               : WEIR_SC_OVERRIDE_BOTH;
}
static const wi_section link_section = WI_SECTION(
    "link", link_keys, topology_t,
    .doc = "What links are like where the topology does not say. How many links that concerned is reported.",
    .check = check_link,
    .rules = "[{'if': {'required': ['override'], 'properties': {'override': {'const': true}}}, 'then': "
             "{'anyOf': [{'required': ['rate']}, {'required': ['delay']}]}}]");

static const wi_key access_keys[] = {
    WI_KEY("rate", rate, topology_t, access.rate_bps, .fallback = "100Gbps", .above = "0bps",
           .also = "bandwidth capacity speed", .doc = "rate"),
    WI_KEY("delay", time, topology_t, access.delay_ps, .fallback = "10us", .above = "0s", .also = "latency",
           .doc = "propagation delay"),
    WI_KEY("queue", section, topology_t, access.queue, .section = &queue_section,
           .unset = "as `topology.queue`", .doc = "queue of the router's port toward the host"),
};

static void check_access(wi_reader *r, const wi_node *node, void *at);

static const wi_section access_section =
    WI_SECTION("access", access_keys, topology_t,
               .doc = "The link between a router that traffic is attached to and the implicit host that "
                      "sends or receives it.",
               .check = check_access);

/* A resolved scenario gives all keys, whether there are such hosts or not. */
static void check_access(wi_reader *r, const wi_node *node, void *at)
{
    (void)r;
    for (const wi_node *child = node ? node->first : NULL; child; child = child->next)
        if (!wi_is_fallback(&access_section, child))
            ((topology_t *)at)->access.place = child->key_place;
}

static const wi_word formats[] = {
    {"auto", WEIR_SC_FORMAT_AUTO, "told by the name and the first bytes"},
    {"graphml", WEIR_SC_FORMAT_GRAPHML, "as the Internet Topology Zoo writes it"},
    {"cch", WEIR_SC_FORMAT_CCH, "Rocketfuel's router maps"},
    {"edges", WEIR_SC_FORMAT_EDGES, "an edge list, plain or gzip'd"},
    {"brite", WEIR_SC_FORMAT_BRITE, "a topology that BRITE wrote"},
    {"brite-conf", WEIR_SC_FORMAT_BRITE_CONF, "a BRITE configuration, from which a topology is made"},
    {"weights", WEIR_SC_FORMAT_WEIGHTS, "Rocketfuel's inferred weights"},
    {"latencies", WEIR_SC_FORMAT_LATENCIES, "Rocketfuel's latencies"},
    {"as-rel", WEIR_SC_FORMAT_AS_REL, "CAIDA's AS relationships"},
    {"sndlib", WEIR_SC_FORMAT_SNDLIB, "SNDlib's native format"},
    {"sndlib-xml", WEIR_SC_FORMAT_SNDLIB_XML, "SNDlib's XML format"},
    {"gml", WEIR_SC_FORMAT_GML, "GML, as the Internet Topology Zoo and networkx write it"},
    {"repetita", WEIR_SC_FORMAT_REPETITA, "REPETITA's topologies"},
    {"codes", WEIR_SC_FORMAT_CODES, "CODES' links between groups, with those within one beside it"},
    {"ns3-rdma", WEIR_SC_FORMAT_NS3_RDMA, "a topology of ns-3's RDMA fork"},
    {"htsim", WEIR_SC_FORMAT_HTSIM, "htsim's `.topo`: a fat-tree or leaf-spine by tiers"},
    {"inet", WEIR_SC_FORMAT_INET, "Inet 3.0"},
    {"orbis", WEIR_SC_FORMAT_ORBIS, "Orbis 0.7"},
};

static const wi_word modules[] = {
    {"none", WEIR_SC_MODULES_NONE, "not given, as modules are not installed"},
    {"least", WEIR_SC_MODULES_LEAST, "the capacity of its least module"},
    {"most", WEIR_SC_MODULES_MOST, "that of its largest"},
};

static const wi_key topology_keys[] = {
    WI_KEY("file", path, topology_t, file.text, .place_offset = offsetof(topology_t, file.place),
           .also = "path graph", .unset = "`generate` is needed",
           .doc = "topology file, relative to the scenario"),
    WI_KEY("format", word, topology_t, format, .fallback = "auto", .with = "file", WI_WORDS(formats),
           .doc = "format of `file`"),
    {.name = "generate",
     .kind = &wi_kind_generate,
     .also = "generator model",
     .unset = "`file` is needed",
     .doc = "a generator by its name, with its parameters; the page on topologies lists them"},
    WI_PART("brite", wi_section_brite, .place_offset = offsetof(topology_t, brite.place),
            .unset = "engine: cpp", .doc = "for models of BRITE: which of its programs is followed"),
    WI_PART("keys", wi_section_graphml_keys, .place_offset = offsetof(topology_t, keys.place),
            .also = "attributes graphml", .unset = "attributes by their own names",
            .doc = "for a GraphML file: which attributes of it say what"),
    WI_KEY("modules", word, topology_t, modules, .fallback = "none", WI_WORDS(modules),
           .also = "module capacities",
           .doc = "for SNDlib's files: the rate of a link for which no capacity is installed"),
    WI_PART("link", link_section, .always = true, .also = "links",
            .doc = "links about which the topology says nothing"),
    WI_KEY("signal_speed", number, topology_t, signal_speed_km_per_s, .fallback = "200000", .above = "0",
           .high = "299792.458", .also = "speed",
           .doc = "km/s, for delays from coordinates; 200000 is light in fibre"),
    WI_KEY("loss", share, topology_t, loss, .fallback = "0", .below = "1", .also = "error drop",
           .doc = "chance that a link between routers loses a packet, apart from full queues"),
    WI_KEY("overhead", size32, topology_t, overhead, .fallback = "0B", .high = "255B", WI_ETHERNET,
           .also = "framing preamble ethernet ifg fcs",
           .doc = "what links, hosts' own included, send besides with each packet; `ethernet`: 38 bytes of "
                  "header, FCS, preamble and gap"),
    WI_KEY("queue", section, topology_t, queue, .section = &queue_section, .always = true,
           .doc = "queues of routers' ports"),
    WI_KEY("host_queue", section, topology_t, host_queue, .section = &host_queue_section, .always = true,
           .doc = "hosts' own interfaces"),
    WI_PART("access", access_section, .always = true, .doc = "links of implicit hosts"),
    WI_PART(
        "shared_buffer", wi_section_shared_buffer, .place_offset = offsetof(topology_t, shared_buffer.place),
        .unset = "each port has its queue's limit alone", .doc = "memory that all ports of a router share"),
    WI_KEY("queues", list, topology_t, queues, .count_offset = offsetof(topology_t, n_queues),
           .section = &queue_override_section, .unset = "none",
           .doc = "other queues for some ports; the last item that names a port wins"),
    WI_KEY("links", list, topology_t, links, .count_offset = offsetof(topology_t, n_links),
           .section = &wi_section_link_override, .unset = "none",
           .doc = "other rates and delays for some links, losses, jitter; the last item that names a link "
                  "wins, key by key"),
};

static void check_topology(wi_reader *r, const wi_node *node, void *at)
{
    topology_t *t = at;
    if (t->file.text && t->model.text)
        wi_complain(r, wi_node_child(node, "generate")->key_place,
                    "file and generate don't go together; keep one");
    else if (!t->file.text && !t->model.text)
        wi_complain(r, node->place, "topology needs 'file' or 'generate'");
    wi_check_brite(r, t);
    wi_check_graphml_keys(r, node, t);
}

const wi_section wi_section_topology = WI_SECTION(
    "topology", topology_keys, topology_t,
    .doc = "The network: a file or a generator, and what is added to it. Routers forward; hosts, where a "
           "topology has any, send and receive. Traffic from or to a router goes through an implicit host of "
           "its own.",
    .place_offset = offsetof(topology_t, place), .check = check_topology,
    .rules =
        "[{'type': 'object', 'oneOf': [{'required': ['file']}, {'required': ['generate']}]}, "
        "{'dependentRequired': {'keys': ['file']}}, {'if': {'required': ['keys', 'format']}, 'then': "
        "{'properties': {'format': {'enum': ['auto', 'graphml']}}}}, {'not': {'required': ['generate', "
        "'format']}}, {'if': {'required': ['brite', 'file']}, 'then': {'anyOf': [{'required': ['format'], "
        "'properties': {'format': {'const': 'brite-conf'}}}, {'properties': {'format': {'const': 'auto'}, "
        "'file': {'pattern': '.\\\\.conf$'}}}]}}, {'if': {'required': ['brite', 'generate']}, 'then': "
        "{'properties': {'brite': {'properties': {'codes': {'const': 'engine'}}}}}}]");

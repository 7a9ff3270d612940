/* Keys of a traffic class, but for those of its transport (schema/transport.c). */
#include "scenario/schema/traffic/collective.h"
#include "scenario/schema/sections/places.h"
#include "scenario/schema/traffic/congestions.h"
#include "scenario/schema/file_pattern.h"
#include "scenario/schema/schema.h"

#include <string.h>

#include "scenario/network/name_pattern.h"

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef weir_scenario_class class_t;

/* start: a time, or {uniform: [a, b]}. A single time is a range without width. */
enum { START_AT, START_UNIFORM };

static int pick_start(const void *at)
{
    const class_t *c = at;
    return c->start_last_ps > c->start_ps ? START_UNIFORM : START_AT;
}

static void settle_start(void *at, int tag)
{
    class_t *c = at;
    if (tag == START_AT)
        c->start_last_ps = c->start_ps;
}

static const wi_form start_forms[] = {
    {.tag = START_UNIFORM,
     .key = {.name = "uniform",
             .kind = &wi_kind_range,
             .of = &wi_kind_time,
             .offset = offsetof(class_t, start_ps)}},
};
_Static_assert(offsetof(class_t, start_last_ps) == offsetof(class_t, start_ps) + sizeof(weir_time),
               "a range");
static const wi_key start_other = {
    .name = "start", .kind = &wi_kind_time, .offset = offsetof(class_t, start_ps)};
static const wi_tagged start_tagged = {
    .forms = start_forms,
    .n = N_OF(start_forms),
    .other = &start_other,
    .other_tag = START_AT,
    .other_types = 1u << WI_SCALAR,
    .wants = "a time such as 5s, or {uniform: [0s, 1s]}",
    .pick = pick_start,
    .settle = settle_start,
};

/* pairs */
static int pick_where(const void *at)
{
    return ((const class_t *)at)->where;
}

static void settle_where(void *at, int tag)
{
    ((class_t *)at)->where = (weir_sc_where)tag;
}

static const wi_form pairs_forms[] = {
    {.tag = WEIR_SC_PAIRS_ALL, .key = {.name = "all"}},
    {.tag = WEIR_SC_PAIRS_PERMUTATION, .key = {.name = "permutation"}},
    {.tag = WEIR_SC_PAIRS_RANDOM,
     .key = {.name = "random",
             .kind = &wi_kind_count,
             .offset = offsetof(class_t, n_random),
             .low = "1",
             .high = "100000000"}},
};
static const wi_key pairs_other = {.name = "pairs",
                                   .kind = &wi_kind_pair_list,
                                   .offset = offsetof(class_t, pairs),
                                   .count_offset = offsetof(class_t, n_pairs)};
static const wi_tagged pairs_tagged = {
    .forms = pairs_forms,
    .n = N_OF(pairs_forms),
    .other = &pairs_other,
    .other_tag = WEIR_SC_PAIRS_LIST,
    .other_types = 1u << WI_SEQUENCE,
    .wants = "all, permutation, {random: 40}, or a list of [from, to]",
    .pick = pick_where,
    .settle = settle_where,
};

/* fidelity: UINT32_MAX sessions stand for `rest` until the class is checked. */
#define REST UINT32_MAX
static const wi_key mixed_keys[] = {
    {.name = "packet",
     .kind = &wi_kind_count,
     .offset = offsetof(class_t, packet_sessions),
     .fallback = "rest",
     .word = "rest",
     .word_value = REST,
     .doc = "sessions simulated packet by packet"},
    {.name = "fluid",
     .kind = &wi_kind_count,
     .offset = offsetof(class_t, fluid_sessions),
     .fallback = "rest",
     .word = "rest",
     .word_value = REST,
     .doc = "sessions simulated as fluid"},
};
static const wi_section mixed_section = {
    .name = "fidelity",
    .keys = mixed_keys,
    .n_keys = N_OF(mixed_keys),
    .rules = "[{'type': 'object', 'anyOf': [{'required': ['packet'], 'properties': {'packet': {'not': "
             "{'const': 'rest'}}}}, "
             "{'required': ['fluid'], 'properties': {'fluid': {'not': {'const': 'rest'}}}}]}]",
};

static int pick_fidelity(const void *at)
{
    return ((const class_t *)at)->fidelity;
}

static void settle_fidelity(void *at, int tag)
{
    ((class_t *)at)->fidelity = (weir_sc_fidelity)tag;
}

static const wi_form fidelity_forms[] = {
    {.tag = WEIR_SC_PACKET, .key = {.name = "packet"}},
    {.tag = WEIR_SC_FLUID, .key = {.name = "fluid"}},
};
static const wi_key fidelity_other = {
    .name = "fidelity", .kind = &wi_kind_section, .section = &mixed_section};
static const wi_tagged fidelity_tagged = {
    .forms = fidelity_forms,
    .n = N_OF(fidelity_forms),
    .other = &fidelity_other,
    .other_tag = WEIR_SC_MIXED,
    .other_types = 1u << WI_MAPPING,
    .wants = "packet, fluid, or sessions of each such as {packet: 10, fluid: rest}",
    .pick = pick_fidelity,
    .settle = settle_fidelity,
};

static const wi_word shares[] = {
    {"equal", WEIR_SC_SHARE_EQUAL, "every pair has the same"},
    {"demand", WEIR_SC_SHARE_DEMAND, "in proportion to the demands"},
};
static const wi_words share_words = {shares, N_OF(shares)};

static const wi_key class_keys[] = {
    {.name = "name",
     .kind = &wi_kind_text,
     .offset = offsetof(class_t, name.text),
     .place_offset = offsetof(class_t, name.place),
     .required = true,
     .doc = "unique; results are listed under it"},
    {.name = "tcp",
     .kind = &wi_kind_section,
     .offset = offsetof(class_t, tcp),
     .section = &wi_section_tcp,
     .unset = "`udp` is needed",
     .doc = "the class is TCP; `tcp: {}` takes all defaults"},
    {.name = "udp",
     .kind = &wi_kind_section,
     .offset = offsetof(class_t, udp),
     .section = &wi_section_udp,
     .unset = "`tcp` is needed",
     .doc = "the class is UDP"},
    {.name = "from",
     .kind = &wi_kind_names,
     .offset = offsetof(class_t, from),
     .also = "src source sources",
     .unset = "`pairs` or `demands`",
     .doc = "senders; with `request`, those who ask"},
    {.name = "to",
     .kind = &wi_kind_names,
     .offset = offsetof(class_t, to),
     .also = "dst destination destinations",
     .unset = "`pairs` or `demands`",
     .doc = "receivers: every node of `from` with every node of `to`, a node with itself left out"},
    {.name = "pairs",
     .kind = &wi_kind_tagged,
     .tagged = &pairs_tagged,
     .unset = "`from` and `to`, or `demands`",
     .doc =
         "ordered pairs of nodes: `all`, a `permutation` (each sends to one and hears from one), so many at "
         "`random` out of those that have a way to each other, or a list. The first three are among the "
         "hosts, or among the routers where there are no "
         "hosts"},
    {.name = "demands",
     .kind = &wi_kind_path,
     .offset = offsetof(class_t, demands.file.text),
     .place_offset = offsetof(class_t, demands.file.place),
     .pattern = true,
     .also = "matrix demand",
     .unset = "`from` and `to`, or `pairs`",
     .doc = "a traffic matrix in SNDlib's native format, or REPETITA's (`.demands`: nodes by their number in "
            "the topology, "
            "kb/s). UDP: the rate of each pair is its demand. TCP: it "
            "says which "
            "pairs there are"},
    {.name = "collective",
     .kind = &wi_kind_section,
     .section = &wi_section_collective,
     .unset = "`from` and `to`, or `pairs`",
     .doc = "flows that wait for each other"},
    {.name = "gravity",
     .kind = &wi_kind_section,
     .section = &wi_section_gravity,
     .place_offset = offsetof(class_t, gravity.place),
     .unset = "`from` and `to`, or `pairs`",
     .doc = "a matrix by the weights of nodes, used as `demands` are"},
    {.name = "flows",
     .kind = &wi_kind_path,
     .offset = offsetof(class_t, flows.text),
     .place_offset = offsetof(class_t, flows.place),
     .also = "list transfers",
     .unset = "`from` and `to`, or `pairs`",
     .doc = "a file of lines TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS: each is a TCP transfer. Times, "
            "in seconds or with "
            "a unit, count from `start`; lines of other classes are theirs"},
    {.name = "scale",
     .kind = &wi_kind_number,
     .offset = offsetof(class_t, demands.scale),
     .fallback = "1",
     .above = "0",
     .also = "factor",
     .doc = "`demands`: factor on every demand"},
    {.name = "step",
     .kind = &wi_kind_time,
     .offset = offsetof(class_t, demands.step_ps),
     .above = "0s",
     .also = "interval every granularity",
     .unset = "`demands` is one file",
     .doc = "`demands` names matrices by a pattern (`demandMatrix-*.txt`), in the order of their names, and "
            "each "
            "holds for this long, the last one to the end. UDP, of constant rate or Poisson"},
    {.name = "max_pairs",
     .kind = &wi_kind_count,
     .offset = offsetof(class_t, demands.max_pairs),
     .fallback = "all",
     .word = "all",
     .low = "1",
     .doc = "`demands`, `gravity`: only so many pairs, those with the largest demands (of several matrices: "
            "in sum)"},
    {.name = "share",
     .kind = &wi_kind_word,
     .offset = offsetof(class_t, demands.share),
     .words = &share_words,
     .fallback = "equal",
     .doc = "`demands`, `gravity`, TCP: how sessions (`tcp.sessions` is then their mean a pair, each pair "
            "has at least "
            "one) and "
            "arrivals are spread over the pairs"},
    {.name = "start",
     .kind = &wi_kind_tagged,
     .tagged = &start_tagged,
     .fallback = "0s",
     .place_offset = offsetof(class_t, start_place),
     .also = "begin",
     .doc = "when the flows start; `uniform` draws each one's start from a range"},
    {.name = "stop",
     .kind = &wi_kind_time,
     .offset = offsetof(class_t, stop_ps),
     .above = "0s",
     .also = "end",
     .unset = "`duration`",
     .doc = "no packet of a long-lived flow, no transfer and no request starts from then on; transfers under "
            "way "
            "are finished"},
    {.name = "dscp",
     .kind = &wi_kind_count,
     .offset = offsetof(class_t, dscp),
     .fallback = "0",
     .low = "0",
     .high = "63",
     .also = "tos priority class",
     .doc = "of the packets, both ways; queues `priority` and `drr` go by its upper three bits"},
    {.name = "fidelity",
     .kind = &wi_kind_tagged,
     .tagged = &fidelity_tagged,
     .fallback = "packet",
     .place_offset = offsetof(class_t, fidelity_place),
     .doc = "simulated packet by packet, as fluid, or some sessions (of each pair) this way and the rest the "
            "other"},
};

static void check_transport(wi_reader *r, const wi_node *node, class_t *c)
{
    const wi_node *tcp = wi_node_child(node, "tcp"), *udp = wi_node_child(node, "udp");
    c->is_udp = udp != NULL;
    if (tcp && udp)
        wi_complain(r, udp->key_place, "class '%s' has both tcp and udp; make it two classes", c->name.text);
    else if (!tcp && !udp)
        wi_complain(r, node->place, "class '%s' needs 'tcp' or 'udp'; 'tcp: {}' takes all defaults",
                    c->name.text);
}

static void check_from_to(wi_reader *r, const class_t *c, const wi_node *from, const wi_node *to)
{
    if (!from || !to)
        wi_complain(r, (from ? from : to)->key_place, "class '%s' has '%s' but not '%s'", c->name.text,
                    from ? "from" : "to", from ? "to" : "from");
    else if (c->from.n == 1 && c->to.n == 1 && strcmp(c->from.item[0].text, c->to.item[0].text) == 0 &&
             !wi_is_pattern(c->to.item[0].text))
        wi_complain(r, to->place, "class '%s' sends from '%s' to itself", c->name.text, c->to.item[0].text);
}

static void check_where(wi_reader *r, const wi_node *node, class_t *c)
{
    static const char *const of_demands[] = {"scale", "max_pairs", "share"};
    const wi_node *from = wi_node_child(node, "from"), *to = wi_node_child(node, "to");
    const wi_node *pairs = wi_node_child(node, "pairs"), *demands = wi_node_child(node, "demands");
    const wi_node *collective = wi_node_child(node, "collective");
    const wi_node *gravity = wi_node_child(node, "gravity"), *flows = wi_node_child(node, "flows");
    const wi_node *ends = from ? from : to;
    const wi_node *last = flows        ? flows
                          : gravity    ? gravity
                          : collective ? collective
                          : demands    ? demands
                          : pairs      ? pairs
                                       : ends;
    const wi_node *before = last != pairs && pairs             ? pairs
                            : last != ends && ends             ? ends
                            : last != demands && demands       ? demands
                            : last != collective && collective ? collective
                                                               : gravity;
    if (!last) {
        wi_complain(r, node->place,
                    "class '%s' has no places; add 'from' and 'to', 'pairs', 'demands', 'gravity', 'flows', "
                    "or 'collective'",
                    c->name.text);
        return;
    }
    c->where_place = last->place;
    if ((ends != NULL) + (pairs != NULL) + (demands != NULL) + (collective != NULL) + (gravity != NULL) +
            (flows != NULL) >
        1)
        wi_complain(r, last->key_place, "class '%s': %s does not go together with %s; keep one", c->name.text,
                    last->key, before->key);
    else if (ends)
        check_from_to(r, c, from, to);
    if (ends)
        c->where = WEIR_SC_FROM_TO;
    else if (demands)
        c->where = WEIR_SC_DEMANDS;
    else if (collective)
        c->where = WEIR_SC_COLLECTIVE;
    else if (gravity)
        c->where = WEIR_SC_GRAVITY;
    else if (flows)
        c->where = WEIR_SC_FLOW_LIST;
    for (size_t i = 0; !demands && i < (gravity ? 1 : N_OF(of_demands)); i++) {
        const wi_node *child = wi_node_child(node, of_demands[i]);
        if (child)
            wi_complain(r, child->key_place, "%s is for a class with 'demands'%s", child->key,
                        i > 0 ? " or 'gravity'" : "");
    }
}

static void check_udp_rate(wi_reader *r, const wi_node *node, const class_t *c)
{
    const wi_node *udp = wi_node_child(node, "udp"), *rate = wi_node_child(udp, "rate");
    const bool matrix = c->where == WEIR_SC_DEMANDS || c->where == WEIR_SC_GRAVITY;
    if (matrix && c->udp.trace.text)
        wi_complain(r, wi_place_of(udp, "trace"),
                    "class '%s' takes its rates from %s, and its packets from a trace; keep one",
                    c->name.text, c->where == WEIR_SC_GRAVITY ? "gravity" : "demands");
    else if (matrix && rate)
        wi_complain(r, rate->key_place, "class '%s' takes its rates from %s; leave out rate, or use '%s'",
                    c->name.text, c->where == WEIR_SC_GRAVITY ? "gravity" : "demands",
                    c->where == WEIR_SC_GRAVITY ? "total" : "scale");
    else if (!matrix && !rate && !c->udp.trace.text)
        wi_complain(r, udp->place, "missing key 'rate' in udp (a rate such as 10Mbps)");
}

/* Matrices that follow each other. */
static void check_steps(wi_reader *r, const wi_node *node, const class_t *c)
{
    const wi_node *demands = wi_node_child(node, "demands"), *step = wi_node_child(node, "step");
    const bool many = demands && wi_is_file_pattern(c->demands.file.text);
    if (step && !demands)
        wi_complain(r, step->key_place, "step is for a class with 'demands'");
    else if (step && !many)
        wi_complain(r, step->key_place,
                    "step: demands names one file; matrices that follow each other have a pattern, such as "
                    "'matrices/*.txt'");
    else if (many && !step)
        wi_complain(r, demands->place, "demands is a pattern; add 'step', how long each matrix holds");
    else if (step && !c->is_udp)
        wi_complain(r, step->key_place,
                    "class '%s' is TCP, whose sessions have no rate to change; want 'udp'", c->name.text);
    else if (step && c->udp.pattern == WEIR_SC_UDP_ONOFF)
        wi_complain(r, step->key_place,
                    "class '%s': rates change with step, which pattern: onoff does not follow; want cbr or "
                    "poisson",
                    c->name.text);
    else if (step && c->start_last_ps != c->start_ps)
        wi_complain(r, c->start_place, "step: start is one time, from which the matrices count");
    else if (step && c->fidelity != WEIR_SC_PACKET)
        wi_complain(
            r, wi_place_of(node, "fidelity"),
            "class '%s' has demands that change with step, which fluid does not follow: want fidelity: "
            "packet",
            c->name.text);
}

static void check_mixed(wi_reader *r, const wi_node *node, class_t *c)
{
    const weir_place place = wi_place_of(node, "fidelity");
    const uint32_t sessions = c->tcp.sessions;
    if (c->is_udp) {
        wi_complain(r, place, "class '%s' is UDP, which has no sessions to divide; want packet or fluid",
                    c->name.text);
        return;
    }
    if (c->packet_sessions == REST && c->fluid_sessions == REST) {
        wi_complain(r, place, "fidelity: say how many sessions are packets, or how many are fluid");
        return;
    }
    if (c->packet_sessions == REST)
        c->packet_sessions = sessions > c->fluid_sessions ? sessions - c->fluid_sessions : 0;
    else if (c->fluid_sessions == REST)
        c->fluid_sessions = sessions > c->packet_sessions ? sessions - c->packet_sessions : 0;
    const uint64_t sum = (uint64_t)c->packet_sessions + c->fluid_sessions;
    if (sum != sessions)
        wi_complain(r, place, "fidelity divides %llu sessions, but class '%s' has %u",
                    (unsigned long long)sum, c->name.text, sessions);
    else if (c->fluid_sessions == 0) /* a mix with nothing of the one is the other */
        c->fidelity = WEIR_SC_PACKET;
    else if (c->packet_sessions == 0)
        c->fidelity = WEIR_SC_FLUID;
}

/* Keys of a transport that decide about single packets. `recovery: sack` is what fluid's laws stand for. */
static void warn_of_packets_only(wi_reader *r, const wi_section *section, const wi_node *transport,
                                 const class_t *c)
{
    static const char *const names[] = {
        "sack", "partial_ack", "recovery", "rto_min", "delayed_ack_timeout", "handshake", "jitter"};
    for (size_t i = 0; i < N_OF(names); i++) {
        const wi_node *child = wi_node_child(transport, names[i]);
        const char *fallback = NULL;
        for (size_t k = 0; k < section->n_keys; k++)
            if (strcmp(section->keys[k].name, names[i]) == 0)
                fallback = section->keys[k].fallback;
        const bool stands =
            strcmp(names[i], "recovery") == 0 && child && child->text && strcmp(child->text, "sack") == 0;
        if (child && !stands && !(fallback && child->text && strcmp(child->text, fallback) == 0))
            weir_warn_at(r->diag, child->place.file, child->place.line, child->place.column,
                         "class '%s' is fluid, which knows no single packets: %s has no effect on it",
                         c->name.text, names[i]);
    }
}

static void check_fidelity(wi_reader *r, const wi_node *node, class_t *c)
{
    if (c->fidelity == WEIR_SC_MIXED) {
        check_mixed(r, node, c);
    } else {
        const uint32_t sessions = c->is_udp ? 0 : c->tcp.sessions;
        c->packet_sessions = c->fidelity == WEIR_SC_PACKET ? sessions : 0;
        c->fluid_sessions = c->fidelity == WEIR_SC_FLUID ? sessions : 0;
    }
    if (c->fidelity != WEIR_SC_PACKET && !c->is_udp)
        wi_congestion_settle_fluid(wi_node_child(node, "tcp"), &c->tcp);
    if (c->fidelity == WEIR_SC_FLUID)
        warn_of_packets_only(r, c->is_udp ? &wi_section_udp : &wi_section_tcp,
                             wi_node_child(node, c->is_udp ? "udp" : "tcp"), c);
    if (c->fidelity != WEIR_SC_PACKET && !c->is_udp && c->tcp.video.given)
        wi_complain(
            r, wi_place_of(node, "fidelity"),
            "class '%s' is adaptive video, whose players choose by single segments: want fidelity: packet",
            c->name.text);
    const bool density = c->fidelity == WEIR_SC_FLUID && !c->tcp.request.given &&
                         (c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_POISSON ||
                          c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_PERIODIC);
    if (c->fidelity != WEIR_SC_PACKET && !c->is_udp && c->tcp.size.kind != WEIR_SC_DIST_NONE && !density)
        wi_complain(
            r, wi_place_of(node, "fidelity"),
            "class '%s' has transfers of a size; fluid takes them as a density, all of a class, that comes "
            "by arrivals: poisson or every, without request",
            c->name.text);
}

static void check_class(wi_reader *r, const wi_node *node, void *at)
{
    class_t *c = at;
    const size_t errors = r->errors;
    for (const char *ch = c->name.text; *ch; ch++) {
        if ((unsigned char)*ch < 0x20) {
            wi_complain(r, c->name.place, "a class's name must not hold control characters");
            break;
        }
    }
    check_transport(r, node, c);
    check_where(r, node, c);
    if (r->errors == errors && c->is_udp)
        check_udp_rate(r, node, c);
    if (r->errors == errors && c->where == WEIR_SC_COLLECTIVE)
        wi_collective_check_class(r, node, c);
    if (r->errors == errors)
        check_steps(r, node, c);
    if (r->errors == errors && c->is_udp && c->udp.trace.text && c->fidelity != WEIR_SC_PACKET)
        wi_complain(r, wi_place_of(node, "fidelity"),
                    "class '%s' replays a trace, packet by packet: want fidelity: packet", c->name.text);
    if (r->errors == errors && c->where == WEIR_SC_FLOW_LIST)
        wi_flow_list_check_class(r, node, c);
    if (r->errors == errors)
        check_fidelity(r, node, c);
    if (c->stop_ps && c->stop_ps <= c->start_last_ps)
        wi_complain(r, wi_place_of(node, "stop"), "class '%s' stops before it starts", c->name.text);
}

static bool class_hides(const wi_key *key, const void *at)
{
    const class_t *c = at;
    if (key->section == &wi_section_tcp)
        return c->is_udp;
    if (key->section == &wi_section_udp)
        return !c->is_udp;
    if (key->offset == offsetof(class_t, from) || key->offset == offsetof(class_t, to))
        return c->where != WEIR_SC_FROM_TO;
    if (key->tagged == &pairs_tagged)
        return c->where == WEIR_SC_FROM_TO || c->where >= WEIR_SC_DEMANDS; /* none of `pairs` */
    if (key->section == &wi_section_collective)
        return c->where != WEIR_SC_COLLECTIVE;
    if (key->section == &wi_section_gravity)
        return c->where != WEIR_SC_GRAVITY;
    if (key->offset == offsetof(class_t, demands.scale) || key->offset == offsetof(class_t, demands.step_ps))
        return c->where != WEIR_SC_DEMANDS;
    if (key->offset == offsetof(class_t, demands.max_pairs) ||
        key->offset == offsetof(class_t, demands.share))
        return c->where != WEIR_SC_DEMANDS && c->where != WEIR_SC_GRAVITY;
    return false;
}

const wi_section wi_section_class = {
    .name = "class",
    .doc = "A list of classes. A class is one kind of flows between some pairs of nodes: exactly one of "
           "`tcp` and `udp`, "
           "and exactly one of `from` with `to`, `pairs`, `demands`, `gravity`, `flows`, and `collective`. "
           "Nodes are named as "
           "the topology "
           "names them.",
    .keys = class_keys,
    .n_keys = N_OF(class_keys),
    .size = sizeof(class_t),
    .place_offset = offsetof(class_t, place),
    .check = check_class,
    .hides = class_hides,
    .rules =
        "[{'oneOf': [{'required': ['tcp']}, {'required': ['udp']}]}, "
        "{'dependentRequired': {'from': ['to'], 'to': ['from']}}, "
        "{'oneOf': [{'required': ['from']}, {'required': ['pairs']}, {'required': ['demands']}, {'required': "
        "['collective']}, {'required': ['gravity']}, {'required': ['flows']}]}, "
        "{'if': {'required': ['flows']}, 'then': {'required': ['tcp'], 'properties': {'tcp': {'properties': "
        "{'size': false, 'arrivals': false, 'request': false, 'video': false, 'sessions': {'const': 1}}}, "
        "'stop': "
        "false, "
        "'start': {'type': 'string'}, 'fidelity': {'const': 'packet'}}}}, "
        "{'if': {'required': ['collective']}, 'then': {'required': ['tcp'], 'properties': {'tcp': {'type': "
        "'object', 'required': ['size'], 'properties': {'size': {'not': {'type': 'object'}}, 'arrivals': "
        "false, "
        "'request': false, 'video': false, 'sessions': {'const': 1}}}, 'fidelity': {'const': 'packet'}}}}, "
        "{'dependentRequired': {'scale': ['demands']}}, "
        "{'if': {'anyOf': [{'required': ['max_pairs']}, {'required': ['share']}]}, 'then': {'anyOf': "
        "[{'required': ['demands']}, {'required': ['gravity']}]}}, "
        "{'if': {'anyOf': [{'required': ['demands']}, {'required': ['gravity']}]}, 'then': {'properties': "
        "{'udp': {'properties': {'rate': false, 'trace': "
        "false}}}}, 'else': {'properties': {'udp': {'type': 'object', 'anyOf': [{'required': ['rate']}, "
        "{'required': ['trace']}]}}}}, "
        "{'if': {'required': ['udp'], 'properties': {'udp': {'type': 'object', 'required': ['trace']}}}, "
        "'then': "
        "{'properties': {'fidelity': {'const': 'packet'}}}}, "
        "{'if': {'required': ['step']}, 'then': {'required': ['demands', 'udp'], 'properties': {'demands': "
        "{'pattern': '[*?][^/]*$'}, 'start': {'type': 'string'}, 'fidelity': {'const': 'packet'}, 'udp': "
        "{'properties': {'pattern': {'not': {'const': 'onoff'}}}}}}, "
        "'else': {'properties': {'demands': {'not': {'pattern': '[*?][^/]*$'}}}}}, "
        "{'if': {'required': ['udp']}, 'then': {'properties': {'fidelity': {'type': 'string'}}}}, "
        "{'if': {'required': ['tcp'], 'properties': {'tcp': {'type': 'object', 'required': ['size']}}}, "
        "'then': {'anyOf': [{'properties': {'fidelity': {'anyOf': [{'const': 'packet'}, {'type': "
        "'object'}]}}}, "
        "{'properties': {'fidelity': {'const': 'fluid'}, 'tcp': {'required': ['arrivals'], "
        "'properties': {'arrivals': "
        "{'type': 'object'}, 'request': false}}}}]}}, "
        "{'if': {'required': ['tcp'], 'properties': {'tcp': {'type': 'object', 'required': ['video']}}}, "
        "'then': "
        "{'properties': {'fidelity': {'const': 'packet'}}}}, "
        "{'properties': {'name': {'pattern': '^[^\\\\x00-\\\\x1f]+$'}}}]",
};

/* What keys of a traffic class go together, and what a class is that has them. */

#include <string.h>

#include "schema/pattern.h"
#include "keys/traffic/traffic.h"

typedef weir_scenario_class class_t;

static void check_transport(wi_reader *r, const wi_node *node, class_t *c)
{
    c->is_udp = wi_node_child(node, "udp") != NULL;
    if (!c->is_udp && !wi_node_child(node, "tcp"))
        wi_complain(r, node->place, "class '%s' needs 'tcp' or 'udp'; 'tcp: {}' takes all defaults",
                    c->name.text);
}

static void check_where(wi_reader *r, const wi_node *node, class_t *c)
{
    static const struct {
        const char *key;
        int where;
    } ways[] = {{"from", WEIR_SC_FROM_TO},
                {"demands", WEIR_SC_DEMANDS},
                {"pairs", -1},
                {"collective", WEIR_SC_COLLECTIVE},
                {"gravity", WEIR_SC_GRAVITY},
                {"flows", WEIR_SC_FLOW_LIST},
                {"job", WEIR_SC_JOB}};
    for (size_t i = 0; i < WI_N_OF(ways); i++) {
        const wi_node *way = wi_node_child(node, ways[i].key);
        if (!way)
            continue;
        c->where_place = way->place;
        if (ways[i].where >= 0) /* what `pairs` says is read already */
            c->where = ways[i].where;
        if (i == 0 && c->from.n == 1 && c->to.n == 1 &&
            strcmp(c->from.item[0].text, c->to.item[0].text) == 0 && !wi_is_pattern(c->to.item[0].text))
            wi_complain(r, wi_place_of(node, "to"), "class '%s' sends from '%s' to itself", c->name.text,
                        c->to.item[0].text);
        return;
    }
    wi_complain(r, node->place,
                "class '%s' has no places; add 'from' and 'to', 'pairs', 'demands', 'gravity', 'flows', "
                "'collective', or 'job'",
                c->name.text);
}

static void check_udp_rate(wi_reader *r, const wi_node *node, const class_t *c)
{
    const wi_node *udp = wi_node_child(node, "udp");
    const bool matrix = c->where == WEIR_SC_DEMANDS || c->where == WEIR_SC_GRAVITY;
    if (!matrix && !wi_node_child(udp, "rate") && !c->udp.trace.text)
        wi_complain(r, udp->place, "missing key 'rate' in udp (a rate such as 10Mbps)");
}

/* Matrices that follow each other. */
static void check_steps(wi_reader *r, const wi_node *node, const class_t *c)
{
    const wi_node *demands = wi_node_child(node, "demands"), *step = wi_node_child(node, "step");
    const bool many = demands && wi_is_file_pattern(c->demands.file.text);
    if (step && !many)
        wi_complain(r, step->key_place,
                    "step: demands names one file; matrices that follow each other have a pattern, such as "
                    "'matrices/*.txt'");
    else if (many && !step)
        wi_complain(r, demands->place, "demands is a pattern; add 'step', how long each matrix holds");
    else if (step && c->start_last_ps != c->start_ps)
        wi_complain(r, c->start_place, "step: start is one time, from which the matrices count");
}

static void check_start(wi_reader *r, const class_t *c)
{
    if (c->start_last_ps != c->start_ps)
        wi_complain(r, c->start_place,
                    c->where == WEIR_SC_JOB ? "job: start is one time, at which all ranks begin"
                                            : "flows: start is one time, from which those of the file count");
}

static void check_mixed(wi_reader *r, const wi_node *node, class_t *c)
{
    const weir_place place = wi_place_of(node, "fidelity");
    const uint32_t sessions = c->tcp.sessions;
    if (c->packet_sessions == WI_REST_OF_SESSIONS && c->fluid_sessions == WI_REST_OF_SESSIONS) {
        wi_complain(r, place, "fidelity: say how many sessions are packets, or how many are fluid");
        return;
    }
    if (c->packet_sessions == WI_REST_OF_SESSIONS)
        c->packet_sessions = sessions > c->fluid_sessions ? sessions - c->fluid_sessions : 0;
    else if (c->fluid_sessions == WI_REST_OF_SESSIONS)
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
    static const char *const names[] = {"sack",
                                        "partial_ack",
                                        "recovery",
                                        "rto_min",
                                        "tail_probes",
                                        "rto_initial",
                                        "delayed_ack_timeout",
                                        "handshake",
                                        "jitter",
                                        "nack_interval",
                                        "bdp_cap",
                                        "rto_low",
                                        "rto_low_segments"};
    for (size_t i = 0; i < WI_N_OF(names); i++) {
        const wi_node *child = wi_node_child(transport, names[i]);
        const bool stands =
            strcmp(names[i], "recovery") == 0 && child && child->text && strcmp(child->text, "sack") == 0;
        if (child && !stands && !wi_is_fallback(section, child))
            weir_warn_at(r->diag, WEIR_AT(child->place),
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
    if (c->fidelity == WEIR_SC_FLUID)
        warn_of_packets_only(r, c->is_udp ? &wi_section_udp : &wi_section_tcp,
                             wi_node_child(node, c->is_udp ? "udp" : "tcp"), c);
    const bool density = c->fidelity == WEIR_SC_FLUID && (c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_POISSON ||
                                                          c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_LOAD ||
                                                          c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_PERIODIC);
    if (c->fidelity != WEIR_SC_PACKET && !c->is_udp && c->tcp.size.kind != WEIR_SC_DIST_NONE && !density)
        wi_complain(r, wi_place_of(node, "fidelity"),
                    "class '%s' has transfers of a size; fluid takes them as a density, all of a class, that "
                    "comes by arrivals: poisson, load or periodic",
                    c->name.text);
}

static void warn_idle_tcp(wi_reader *r, const wi_node *node, const weir_scenario_tcp *tcp)
{
    if (tcp->arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS || tcp->arrivals.kind == WEIR_SC_ARRIVALS_ALL)
        wi_warn_idle(r, wi_given(&wi_section_tcp, node, "max_flows"),
                     "it bounds transfers that come by 'arrivals'");
    if (tcp->arrivals.kind != WEIR_SC_ARRIVALS_SESSIONS)
        wi_warn_idle(r, wi_given(&wi_section_tcp, node, "sessions"),
                     "'arrivals' tells how many transfers there are");
    if (tcp->recovery != WEIR_SC_RECOVERY_RACK)
        wi_warn_idle(r, wi_given(&wi_section_tcp, node, "tail_probes"),
                     "recovery is not rack, which alone has them");
    if (tcp->delayed_ack == 1)
        wi_warn_idle(r, wi_given(&wi_section_tcp, node, "delayed_ack_timeout"),
                     "with delayed_ack: 1 no ACK waits");
}

void wi_class_check(wi_reader *r, const wi_node *node, void *at)
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
    if (r->errors == errors && c->where == WEIR_SC_JOB)
        wi_job_check_class(r, node, c);
    if (r->errors == errors && c->tcp.connection != WEIR_SC_CONNECTION_NEW && c->where != WEIR_SC_JOB &&
        !c->tcp.request.given && !c->tcp.video.given)
        wi_complain(r, wi_place_of(wi_node_child(node, "tcp"), "connection"),
                    "connection means nothing here; it is for request, video or job");
    if (r->errors == errors)
        check_steps(r, node, c);
    if (r->errors == errors && c->where >= WEIR_SC_FLOW_LIST)
        check_start(r, c);
    if (r->errors == errors)
        check_fidelity(r, node, c);
    if (r->errors == errors && wi_node_child(node, "tcp"))
        warn_idle_tcp(r, wi_node_child(node, "tcp"), &c->tcp);
    if (c->stop_ps && c->stop_ps <= c->start_last_ps)
        wi_complain(r, wi_place_of(node, "stop"), "class '%s' stops before it starts", c->name.text);
}

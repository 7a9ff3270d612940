/* From the classes that travel as fluid to a plan for the solver. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "packets/stats/stats.h"
#include "base/memory.h"
#include "network/fluid/load.h"
#include "keys/queue/queues.h"
#include "keys/congestion/congestions.h"

static double payload_of(const wi_network *n, uint32_t cls)
{
    const weir_scenario_class *c = &n->scenario->traffic[cls];
    if (c->is_udp) {
        const double packet = n->plan.classes[cls].params.udp_mean_bytes;
        return (packet - NET_HEADER_UDP) / packet;
    }
    if (c->tcp.size.kind != WEIR_SC_DIST_NONE)
        return wi_fluid_transfer_of(n, cls).payload;
    return (double)c->tcp.mss_bytes / (c->tcp.mss_bytes + NET_HEADER_TCP);
}

static weir_status plan_payload(weir_diag *diag, wi_fluid_net *f)
{
    const weir_scenario *s = f->network->scenario;
    f->payload = wi_take(&f->memory, s->n_traffic, sizeof *f->payload);
    if (!f->payload)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the classes of the fluid");
    for (uint32_t cls = 0; cls < s->n_traffic; cls++)
        if (s->traffic[cls].fidelity != WEIR_SC_PACKET)
            f->payload[cls] = payload_of(f->network, cls);
    return WEIR_OK;
}

/* What a loss costs a window of W segments, 0.57 W + 1.5: a halving, and round trips of recovery in which it does not
 * grow, which count the more the smaller it is. Under independent random losses packets have 0.585 W + 2.2 at
 * windows of 2.5 to 57 segments, over RED, where the line stays full, 1.1 rather than 2.2 (docs/fluid.md). */
static const double calibrated_decrease = 0.57, calibrated_more = 1.5;

/* With delayed ACKs the last ACK of a window comes early, W/b + 1 - 1/b in a round trip: small windows grow faster
 * by it, and a loss costs this much more, times 1 - 1/b, so that windows of five segments and more are what they were
 * under random losses. Half of what is sent follows ACKs: of 0, 0.3, 0.5 and 0.7 that has the losses over drop-tail
 * queues (docs/fluid.md). A session answers a recovery's losses once (RFC 6582, section 3.2), however many they are, and
 * a full queue's losses spare some sessions: 0.3 of a loss at once, and 0.7 a round trip while losses go on. */
static const double calibrated_more_acks = 1.4, calibrated_clock = 0.5, calibrated_most = 0.7,
                    calibrated_at_once = 0.3;

/* sized: transfers, whose windows are those of a mean one over its life, whatever grew them; their last segments make the
 * mean one shorter than a full one. */
static weir_fluid_class tcp_class(const wi_fluid_net *f, uint32_t cls, bool sized)
{
    const weir_scenario_class *c = &f->network->scenario->traffic[cls];
    const bool paper = f->network->scenario->fluid.tcp == WEIR_SC_FLUID_TCP_PAPER;
    const uint32_t full = c->tcp.mss_bytes + NET_HEADER_TCP,
                   wire = sized ? (uint32_t)lround(wi_fluid_transfer_of(f->network, cls).packet_bytes) : full;
    const double window = (double)f->network->plan.classes[cls].params.window_bytes * full / c->tcp.mss_bytes;
    return (weir_fluid_class){
        .name = c->name.text,
        .ecn = c->tcp.ecn,
        .mss_bytes = wire,
        .window_limit_bytes = (uint64_t)window,
        .initial_window = paper ? 1.0 : c->tcp.initial_window,
        .segments_per_ack = paper ? 1.0 : c->tcp.delayed_ack,
        .decrease = paper ? 0.5 : calibrated_decrease,
        .decrease_more =
            paper ? 0.0 : calibrated_more + calibrated_more_acks * (1.0 - 1.0 / c->tcp.delayed_ack),
        .most_losses = paper ? 0.0 : calibrated_most,
        .losses_at_once = paper ? 0.0 : calibrated_at_once,
        .ack_bytes = paper ? 0 : NET_HEADER_TCP,
        .ack_clock = paper ? 0.0 : calibrated_clock,
        .congestion = sized ? NULL : wi_congestion_kind_of(c->tcp.congestion)->section.name,
        .keys = f->network->plan.classes[cls].params.cc,
        .slow_start = !paper};
}

/* A class for each TCP class, and for each rate of UDP; those of a class follow each other. A source that
 * goes on and off has a class, and a schedule, of its own. */
static uint32_t class_for(const wi_fluid_net *f, weir_fluid_class *classes, uint32_t n, uint32_t *of,
                          const wi_fluid_demand *d)
{
    const weir_scenario_class *c = &f->network->scenario->traffic[d->cls];
    const bool own = (c->is_udp && c->udp.pattern == WEIR_SC_UDP_ONOFF) || d->per_s > 0.0;
    for (uint32_t i = n; i > 0 && of[i - 1] == d->cls && !own; i--)
        if (!c->is_udp || classes[i - 1].rate_bps == d->rate_bps)
            return i - 1;
    of[n] = d->cls;
    classes[n] =
        c->is_udp ? (weir_fluid_class){.name = c->name.text,
                                       .udp = true,
                                       .mss_bytes =
                                           (uint32_t)f->network->plan.classes[d->cls].params.udp_mean_bytes,
                                       .rate_bps = d->rate_bps}
                  : tcp_class(f, d->cls, d->per_s > 0.0);
    return n;
}

/* What the law of a class has no answer for. */
static weir_status check_bounds(weir_diag *diag, const weir_scenario_class *c, const weir_fluid_class *cls)
{
    const char *const lacks = cls->udp ? NULL : weir_fluid_law_bounds(cls, NULL);
    const weir_place at = c->tcp.congestion_place.file ? c->tcp.congestion_place : c->place;
    return lacks ? weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(at), "class '%s': %s", c->name.text, lacks)
                 : WEIR_OK;
}

/* Classes, and of each demand its own; number: [demands]. */
static weir_status plan_classes(weir_diag *diag, wi_fluid_net *f, uint32_t *number)
{
    const wi_fluid_list *list = &f->network->fluid_flows;
    weir_fluid_class *classes = wi_take(&f->memory, list->n, sizeof *classes);
    WI_FREED uint32_t *of = calloc((size_t)list->n + 1, sizeof *of);
    weir_status status = WEIR_OK;
    f->plan.classes = classes;
    if (!classes || !of)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for %u fluid flows", list->n);
    for (uint32_t i = 0; i < list->n && status == WEIR_OK; i++) {
        number[i] = class_for(f, classes, f->plan.n_classes, of, &list->item[i]);
        if (number[i] < f->plan.n_classes)
            continue;
        status = wi_fluid_net_schedule(diag, f, i, &classes[number[i]]);
        f->plan.n_classes++;
        if (status == WEIR_OK)
            status =
                check_bounds(diag, &f->network->scenario->traffic[list->item[i].cls], &classes[number[i]]);
    }
    return status;
}

/* The queue as the scenario has it, of a directed edge. */
static const weir_scenario_queue *asked_queue(const wi_fluid_net *f, uint32_t edge)
{
    const weir_scenario_topology *t = &f->network->scenario->topology;
    const uint32_t number = f->network->plan.edge_queue[edge],
                   overrides = f->network->plan.n_queues - (uint32_t)t->n_queues;
    if (f->network->graph->role[f->network->graph->target[f->network->graph->reverse[edge]]] == WEIR_HOST)
        return &t->host_queue;
    return number < overrides ? &t->queue : &t->queues[number - overrides].queue;
}

/* Fluid keeps as much history as a queue can hold. */
static weir_status check_history(weir_diag *diag, const wi_fluid_net *f, uint32_t edge, weir_place place)
{
    const weir_graph *g = f->network->graph;
    const double most = WEIR_FLUID_QUEUE_MOST_S / 8.0 * (double)g->rate_bps[edge],
                 limit = (double)f->plan.queues[f->plan.queue_of_edge[edge]].limit_bytes;
    if (g->rate_bps[edge] == 0 || limit <= most)
        return WEIR_OK;
    const bool host = asked_queue(f, edge) == &f->network->scenario->topology.host_queue;
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(place),
                        "the queue of link %s to %s, which fluid passes, holds %g s of its rate; fluid keeps "
                        "that much history: want at most %g s, %s.limit: %.0fB",
                        g->name[g->target[g->reverse[edge]]], g->name[g->target[edge]],
                        8.0 * limit / (double)g->rate_bps[edge], WEIR_FLUID_QUEUE_MOST_S,
                        host ? "host_queue" : "queue", floor(most));
}

/* Fluid passes queues whose discipline has a law of it, and links that delay and lose at random, and no others. */
static weir_status check_queues(weir_diag *diag, const wi_fluid_net *f)
{
    const net_queue *queues = NET_ARRAY(wi_net_world(f->network->net), net_queue, queues);
    for (uint32_t i = 0; i < f->plan.path_first[f->plan.n_flows]; i++) {
        const uint32_t edge = f->plan.path_edge[i];
        const wi_queue_kind *const kind = wi_queue_kind_of(queues[f->plan.queue_of_edge[edge]].params.type);
        const weir_place place = asked_queue(f, edge)->place;
        weir_status status =
            wi_network_fluid_passes(diag, f->network, edge)
                ?: wi_network_fluid_passes(diag, f->network, f->network->graph->reverse[edge]);
        if (status != WEIR_OK)
            return status;
        if (!kind->fluid)
            return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(place),
                                "there is no fluid law of queue '%s', and fluid traffic passes one; use "
                                "fidelity: packet, or another queue there",
                                kind->section.name);
        status = check_history(diag, f, edge, place);
        if (status != WEIR_OK)
            return status;
    }
    return WEIR_OK;
}

/* A packet queue's parameters, in bytes. */
static weir_fluid_queue fluid_queue(const net_queue *q)
{
    weir_fluid_queue out = {.limit_bytes = net_limit_bytes(q)};
    const wi_queue_kind *const kind = wi_queue_kind_of(q->params.type);
    if (kind->fluid) /* else none of its ports is on a way of fluid */
        kind->fluid(q, &out);
    return out;
}

/* Queues that count packets: each is taken for the mean one of the sessions that pass. */
static weir_status size_counted(weir_diag *diag, const wi_fluid_net *f)
{
    const weir_fluid_plan *plan = &f->plan;
    net_world *const w = (net_world *)(void *)f->network->net->world;
    net_queue *const queues = (net_queue *)(void *)(f->network->net->world + w->queues);
    WI_FREED double *bytes = calloc(plan->n_queues + 1, sizeof *bytes);
    WI_FREED double *sessions = calloc(plan->n_queues + 1, sizeof *sessions);
    if (!bytes || !sessions)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the queues of the fluid");
    for (uint32_t i = 0; i < plan->n_flows; i++)
        for (uint32_t h = plan->path_first[i]; h < plan->path_first[i + 1]; h++) {
            const uint32_t q = plan->queue_of_edge[plan->path_edge[h]];
            bytes[q] += plan->flows[i].sessions * plan->classes[plan->flows[i].cls].mss_bytes;
            sessions[q] += plan->flows[i].sessions;
        }
    for (uint32_t q = 0; q < plan->n_queues; q++)
        if (queues[q].counts_packets && sessions[q] > 0.0)
            queues[q].counted_bytes = (uint32_t)lround(bytes[q] / sessions[q]);
    return WEIR_OK;
}

/* The network's queues, numbered as it numbers them. */
static weir_status plan_queues(weir_diag *diag, wi_fluid_net *f)
{
    const wi_net *net = f->network->net;
    const net_world *w = wi_net_world(net);
    const uint32_t n_edges = f->network->graph->n_edges;
    uint32_t *of_edge = wi_take(&f->memory, n_edges, sizeof *of_edge);
    f->plan.queue_of_edge = of_edge;
    if (!of_edge)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the queues of the fluid");
    for (uint32_t e = 0; e < net->n_hosts + net->n_ports; e++) {
        const uint32_t edge = wi_net_edge_of(net, f->network->graph, e), queue = wi_net_link(net, e)->queue;
        if (edge == UINT32_MAX)
            continue;
        of_edge[edge] = queue;
        f->plan.n_queues = queue >= f->plan.n_queues ? queue + 1 : f->plan.n_queues;
    }
    WI_RETURN_IF_FAILED(size_counted(diag, f));
    weir_fluid_queue *queues = wi_take(&f->memory, f->plan.n_queues, sizeof *queues);
    f->plan.queues = queues;
    for (uint32_t i = 0; queues && i < f->plan.n_queues; i++)
        queues[i] = fluid_queue(NET_ARRAY(w, net_queue, queues) + i);
    return queues ? check_queues(diag, f)
                  : weir_fail(diag, WEIR_E_NOMEM, "no memory for the queues of the fluid");
}

/* Steps of a block: as many as the solver does at once. */
enum { BLOCK_STEPS = 16 };

/* Controls that go by delay keep their queues short. */
static bool keeps_queue(const weir_fluid_class *c)
{
    return !c->congestion || (strcmp(c->congestion, "swift") != 0 && strcmp(c->congestion, "bbr") != 0);
}

/* What stands in the queue of the link that is narrowest for a flow, where its sessions fill it and its law keeps one. */
static double queue_s(const wi_fluid_net *f, uint32_t i, double round_s)
{
    const weir_fluid_flow *const flow = &f->plan.flows[i];
    const weir_fluid_class *const c = &f->plan.classes[flow->cls];
    const uint32_t e = wi_fluid_is_lasting(f, flow) ? wi_fluid_narrowest(f, i) : UINT32_MAX;
    if (e == UINT32_MAX || !keeps_queue(c) ||
        8.0 * (double)c->window_limit_bytes / round_s < wi_fluid_share_bps(f, e))
        return 0.0;
    const weir_fluid_queue *const q = &f->plan.queues[f->plan.queue_of_edge[e]];
    const double bytes = q->type == WEIR_FLUID_DROPTAIL ? 0.5 * (double)q->limit_bytes : q->min_bytes;
    return 8.0 * bytes / (double)f->network->graph->rate_bps[e];
}

/* Round trip, queues included, mean over sessions. */
static double mean_round_ps(const wi_fluid_net *f)
{
    double sum_s = 0.0, sessions = 0.0;
    for (uint32_t i = 0; i < f->plan.n_flows; i++) {
        const double n = f->plan.flows[i].sessions, round_s = wi_fluid_round_s(f, i);
        sessions += n;
        sum_s += n * (round_s + queue_s(f, i, round_s));
    }
    return sessions > 0.0 ? sum_s / sessions * (double)WEIR_PS_PER_S : 0.0;
}

/* The shortest way back to a source: news of a path's end takes so long at least. */
static weir_time least_way_back_ps(const wi_fluid_net *f)
{
    const weir_graph *const g = f->network->graph;
    weir_time least_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < f->plan.n_flows; i++) {
        weir_time back_ps = f->plan.flows[i].beside_ps;
        for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++)
            back_ps += g->delay_ps[g->reverse[f->plan.path_edge[h]]];
        least_ps = back_ps < least_ps ? back_ps : least_ps;
    }
    return least_ps;
}

static bool is_udp(const wi_fluid_net *f)
{
    bool all = true;
    for (uint32_t c = 0; c < f->plan.n_classes; c++)
        all &= f->plan.classes[c].udp;
    return all;
}

/* How long a block of steps may be. Where the smallest delay is less than a fortieth of the mean round trip it is an eighth of
 * that, and ports of shorter links are solved in order (weir_fluid_options.least_delay_ps). Fluid alone has it so too where all
 * ways back are longer by half than the smallest delay: no round trip is changed by it then. UDP alone goes by no way back. */
static double block_ps(const wi_fluid_net *f, weir_time least_delay_ps)
{
    const double least_ps = (double)least_delay_ps, eighth_ps = f->round_ps / 8.0;
    if (least_ps < eighth_ps / 5.0)
        return eighth_ps;
    const double longer_ps = f->is_udp ? eighth_ps : fmin(eighth_ps, (double)least_way_back_ps(f));
    return !wi_fluid_net_has_packets(f) && longer_ps > 1.5 * least_ps ? longer_ps : least_ps;
}

/* A step of `auto` is a sixteenth of a block, as many as the solver does at once, or a tenth of the smallest delay where packets
 * that meet the fluid may do so in each step. */
static void plan_options(wi_fluid_net *f, weir_time least_delay_ps)
{
    const weir_scenario_fluid *s = &f->network->scenario->fluid;
    f->round_ps = mean_round_ps(f);
    f->is_udp = is_udp(f);
    const double block = block_ps(f, least_delay_ps);
    const bool is_short = !s->step_ps && block > (double)least_delay_ps;
    const int parts = is_short || !wi_fluid_net_has_packets(f) ? BLOCK_STEPS : 10;
    weir_time step_ps = (weir_time)(block / parts);
    step_ps = step_ps > WEIR_PS_PER_MS ? WEIR_PS_PER_MS : step_ps > 0 ? step_ps : 1;
    weir_fluid_options_init(&f->options);
    f->options.step_ps = s->step_ps ? s->step_ps : step_ps;
    f->options.least_delay_ps =
        is_short && BLOCK_STEPS * step_ps > least_delay_ps ? BLOCK_STEPS * step_ps : 0;
    f->options.law = s->law == WEIR_SC_FLUID_LAW_PAPER ? WEIR_FLUID_PAPER : WEIR_FLUID_CONSERVING;
    f->options.double_precision = s->precision == WEIR_SC_PRECISION_DOUBLE;
    f->options.order = s->order;
    f->options.measure_from_ps = f->network->scenario->output.warmup_ps;
}

/* Links that fail and come back. */
static weir_status plan_outages(weir_diag *diag, wi_fluid_net *f)
{
    const wi_network *n = f->network;
    weir_fluid_outage *outages = wi_take(&f->memory, n->plan.n_outages, sizeof *outages);
    f->plan.outages = outages;
    if (!outages)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u failures of links", n->plan.n_outages);
    for (uint32_t i = 0; i < n->plan.n_outages; i++)
        if (n->plan.outages[i].edge !=
            UINT32_MAX) /* an access link beside the graph: its node's links fail too */
            outages[f->plan.n_outages++] = (weir_fluid_outage){.at_ps = n->plan.outages[i].at_ps,
                                                               .edge = n->plan.outages[i].edge,
                                                               .down = n->plan.outages[i].down};
    return WEIR_OK;
}

static bool has_transfers(const wi_network *n)
{
    bool some = false;
    for (uint32_t i = 0; i < n->fluid_flows.n; i++)
        some |= n->fluid_flows.item[i].per_s > 0.0;
    return some;
}

weir_status wi_fluid_net_plan(weir_diag *diag, wi_fluid_net *f)
{
    weir_time least_delay_ps = WEIR_TIME_MAX;
    f->plan.graph = f->network->graph;
    f->plan.join_alike = f->network->scenario->fluid.aggregate && f->network->plan.n_outages == 0 &&
                         !has_transfers(f->network);
    f->plan.loss_of_edge = f->network->fluid_loss ? f->network->fluid_loss : f->network->plan.edge_loss;
    WI_FREED uint32_t *number = calloc((size_t)f->network->fluid_flows.n + 1, sizeof *number);
    if (!number)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u fluid flows", f->network->fluid_flows.n);
    weir_status status =
        plan_payload(diag, f) ?: plan_classes(diag, f, number) ?: wi_fluid_net_find_ways(diag, f, number, &least_delay_ps);
    status = status ?: wi_fluid_count_sessions(diag, f);
    if (status == WEIR_OK)
        wi_fluid_net_plan_transfers(f);
    status = status ?: plan_queues(diag, f) ?: plan_outages(diag, f);
    if (status == WEIR_OK)
        plan_options(f, least_delay_ps);
    return status;
}

void wi_fluid_net_unplan(wi_fluid_net *f)
{
    for (uint32_t i = 0; i < f->plan.n_classes; i++)
        free((void *)f->plan.classes[i].schedule);
    free((void *)f->plan.flows);
    free((void *)f->plan.path_first);
    free((void *)f->plan.path_edge);
}

/* Building the fluid side of a network, and coupling it with the packets. */
#include "network/fluid/fluid.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

enum { PATH_MOST = 256, SHORT_BLOCK = 6, SOLVER_BLOCK = 16 };

/* On the device, if it can hold the fluid; else *out is null, and a note says what kept it from there. A machine
 * without a device is an ordinary case, and no news. */
static void try_device(weir_diag *diag, wi_fluid_net *f, weir_fluid **out)
{
    weir_diag *const why = weir_diag_new();
    const weir_status status = weir_fluid_new(why, &f->plan, &f->options, out);
    if (status != WEIR_OK && status != WEIR_E_UNSUPPORTED)
        weir_note(diag, "fluid: device: auto takes the CPU: %s",
                  why && weir_diag_count(why) > 0 ? weir_diag_get(why, 0)->text : weir_status_name(status));
    weir_diag_free(why);
}

/* The first class that is fluid, in part at least. */
static weir_place place_of_fluid(const wi_fluid_net *f)
{
    const wi_fluid_list *list = &f->network->fluid_flows;
    const weir_scenario *s = f->network->scenario;
    if (list->n == 0)
        return s->fluid.place;
    const weir_scenario_class *c = &s->traffic[list->item[0].cls];
    return c->fidelity_place.file ? c->fidelity_place : c->place;
}

/* A solver knows no scenario, and tells no lines: what it refuses or warns of gets that of the fluid's first class. */
static weir_status new_solver(weir_diag *diag, const wi_fluid_net *f, weir_fluid **out)
{
    const weir_place at = place_of_fluid(f);
    weir_diag *said = weir_diag_new();
    if (!said)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for messages");
    weir_diag_set_stop(said, weir_diag_stop(diag));
    const weir_status status = weir_fluid_new(said, &f->plan, &f->options, out);
    for (size_t i = 0; i < weir_diag_count(said); i++) {
        const weir_message *m = weir_diag_get(said, i);
        if (m->severity == WEIR_ERROR)
            (void)weir_fail_at(diag, status, WEIR_AT(at), "%s", m->text);
        else if (m->severity == WEIR_WARNING)
            weir_warn_at(diag, WEIR_AT(at), "%s", m->text);
        else
            weir_note(diag, "%s", m->text);
    }
    weir_diag_free(said);
    return status;
}

/* A solver at time 0. `auto` takes a device where there is one that can hold the fluid; packets on a device
 * want it there. */
static weir_status make_solver(weir_diag *diag, wi_fluid_net *f, weir_fluid **out)
{
    const weir_scenario *s = f->network->scenario;
    const weir_sc_device device =
        s->engine.type == WEIR_SC_ENGINE_GPU ? WEIR_SC_DEVICE_CUDA : s->fluid.device;
    f->options.backend = device == WEIR_SC_DEVICE_CPU ? NULL : weir_fluid_cuda();
    f->on_device = f->options.backend != NULL;
    f->options.over_ranks = true;
    if (device == WEIR_SC_DEVICE_CUDA && !f->on_device)
        return weir_fail_at(diag, WEIR_E_UNSUPPORTED, s->fluid.place.file, s->fluid.place.line, 0,
                            "fluid: device: cuda, and this build has no CUDA; want cpu or auto");
    if (device == WEIR_SC_DEVICE_AUTO && f->on_device) {
        try_device(diag, f, out);
        if (*out)
            return WEIR_OK;
        f->options.backend = NULL;
        f->on_device = false;
    }
    return new_solver(diag, f, out);
}

/* Entities and the fluid's ports, both ways. */
static weir_status number_ports(weir_diag *diag, wi_fluid_net *f, const weir_fluid *fluid)
{
    const wi_net *net = f->network->net;
    const uint32_t entities = net->n_hosts + net->n_ports;
    f->n_ports = (uint32_t)f->size.ports;
    f->port_entity = wi_take(&f->memory, f->n_ports, sizeof *f->port_entity);
    f->port_of = wi_take(&f->memory, entities, sizeof *f->port_of);
    f->meeting_of = wi_take(&f->memory, entities, sizeof *f->meeting_of);
    f->flow_means = wi_take(&f->memory, f->network->fluid_flows.n, sizeof *f->flow_means);
    if (f->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u ports of the fluid", f->n_ports);
    for (uint32_t e = 0; e < entities; e++) {
        const uint32_t edge = wi_net_edge_of(net, f->network->graph, e);
        f->port_of[e] = edge == UINT32_MAX ? UINT32_MAX : weir_fluid_port(fluid, edge);
        f->meeting_of[e] = UINT32_MAX;
        if (f->port_of[e] != UINT32_MAX)
            f->port_entity[f->port_of[e]] = e;
    }
    return WEIR_OK;
}

/* Packets between two nodes, data or ACKs, come by here. */
static void mark_path(wi_fluid_net *f, uint32_t src_host, uint32_t dst_host, unsigned char *met)
{
    uint32_t hops[PATH_MOST];
    const uint32_t n = wi_net_path(f->network->net, 0, src_host, dst_host, hops, PATH_MOST);
    for (uint32_t h = 0; h < n; h++)
        met[hops[h]] = 1;
}

static void mark_pair(wi_fluid_net *f, uint32_t src, uint32_t dst, unsigned char *met)
{
    const uint32_t a = wi_net_host_of(f->network->net, src), b = wi_net_host_of(f->network->net, dst);
    mark_path(f, a, b, met);
    mark_path(f, b, a, met);
}

/* By the fluid's port, then by entity. */
WI_ORDER_BY(by_port, wi_meeting, WI_ORDER(x->port, y->port) ?: WI_ORDER(x->entity, y->entity))

/* Ports that packets and fluid share. Without prefetching, and where the way depends on the flow (ECMP) or on
 * the time (failures), all that carry fluid. */
static weir_status find_meetings(weir_diag *diag, wi_fluid_net *f)
{
    const wi_network *n = f->network;
    const uint32_t entities = n->net->n_hosts + n->net->n_ports;
    const bool all = n->scenario->routing.ecmp || !n->scenario->fluid.prefetch || n->net->n_steps > 0;
    WI_FREED unsigned char *met = calloc((size_t)entities + 1, 1);
    WI_FREED uint32_t *alike = calloc((size_t)f->n_ports + 1, sizeof *alike); /* links of each port */
    f->meetings = wi_take(&f->memory, entities, sizeof *f->meetings);
    if (!met || !alike || !f->meetings)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the ports of packets");
    for (uint32_t e = 0; e < entities; e++)
        if (f->port_of[e] != UINT32_MAX)
            alike[f->port_of[e]]++;
    for (uint32_t i = 0; i < n->plan.n_flows && !all; i++)
        mark_pair(f, n->plan.flows[i].src, n->plan.flows[i].dst, met);
    for (uint32_t i = 0; i < n->plan.n_arrivals && !all; i++)
        for (uint32_t k = 0; k < n->plan.arrivals[i].n_dst; k++)
            mark_pair(f, n->plan.arrivals[i].src, n->plan.arrivals[i].dst[k], met);
    for (uint32_t e = 0; e < entities; e++)
        if (f->port_of[e] != UINT32_MAX && (met[e] || all))
            f->meetings[f->n_meetings++] = (wi_meeting){e, f->port_of[e], alike[f->port_of[e]]};
    qsort(f->meetings, f->n_meetings, sizeof *f->meetings, by_port);
    for (uint32_t i = 0; i < f->n_meetings; i++)
        f->meeting_of[f->meetings[i].entity] = i;
    return WEIR_OK;
}

/* One, where a scenario names the step. Steps of `auto` are as fine as short links want; packets and fluid hear
 * of each other four times in an eighth of a round trip. */
static uint32_t steps_of_lockstep(const wi_fluid_net *f, uint32_t most)
{
    if (f->network->scenario->fluid.step_ps)
        return 1;
    const double steps = f->round_ps / 32.0 / (double)f->options.step_ps;
    return steps < 2.0 ? 1 : steps < most ? (uint32_t)steps : most;
}

static weir_status couple(weir_diag *diag, wi_fluid_net *f, weir_fluid *fluid)
{
    const weir_scenario *s = f->network->scenario;
    const bool async = s->fluid.coupling == WEIR_SC_COUPLING_ASYNC;
    const uint32_t most = weir_fluid_lookahead(fluid);
    /* Without packets nothing is exchanged, and how many steps are done at once changes no bit. */
    const bool alone = !wi_fluid_net_has_packets(f);
    /* Where a block is an eighth of a round trip, packets and fluid hear of each other three times in it. */
    const uint32_t often = f->options.least_delay_ps > 0 && most > SHORT_BLOCK ? SHORT_BLOCK : most;
    const uint32_t whole =
        most > SOLVER_BLOCK ? most - most % SOLVER_BLOCK : most; /* no short block behind */
    f->lookahead = s->fluid.lookahead ? s->fluid.lookahead
                   : alone            ? whole
                   : async            ? often
                                      : steps_of_lockstep(f, often);
    if (f->lookahead > most) {
        weir_fluid_free(fluid);
        return weir_fail_at(diag, WEIR_E_SCENARIO, s->fluid.place.file, s->fluid.place.line, 0,
                            "fluid: lookahead: %u steps, and the smallest delay allows %u", f->lookahead,
                            most);
    }
    /* The check engine sees to it that no event changes the world beside it: nor may the fluid's thread. */
    const wi_coupling_options o = {.async = async && !alone && s->engine.type != WEIR_SC_ENGINE_CHECK,
                                   .on_device = s->engine.type == WEIR_SC_ENGINE_GPU,
                                   .lookahead = f->lookahead,
                                   .batch = s->fluid.batch ? s->fluid.batch
                                            : async        ? 0
                                                           : 1,
                                   .prefetch = s->fluid.prefetch,
                                   .fixup = s->fluid.fixup,
                                   .end_ps = s->duration_ps,
                                   .tolerance = f->options.law == WEIR_FLUID_PAPER ? 0.0
                                                : f->options.double_precision      ? 1e-5
                                                                                   : 1e-3,
                                   .next_sample = wi_fluid_net_next_sample,
                                   .sample = wi_fluid_net_sample,
                                   .user = f};
    return wi_coupling_new(diag, f->network->net, fluid, f->options.step_ps, f->meetings, f->n_meetings, &o,
                           &f->coupling);
}

/* Where packets would be cheaper by far, and that is worth a word. */
static void warn_of_cost(weir_diag *diag, const wi_fluid_net *f)
{
    wi_fluid_cost cost;
    if (f->on_device)
        return;
    wi_fluid_net_cost(f, &cost);
    if (cost.solver_s > 2.0 * cost.packets_s && cost.solver_s > cost.packets_s + 1.0)
        weir_warn_at(
            diag, WEIR_AT(place_of_fluid(f)),
            "fluid takes about %.2g s of processor time, and the same flows as packets about %.2g s: it "
            "costs by the step, packets by the hop; simulate packets, or want a longer fluid: step",
            cost.solver_s, cost.packets_s);
}

weir_status wi_fluid_net_build(weir_diag *diag, wi_network *network, wi_fluid_net **out)
{
    wi_fluid_net *f = *out = calloc(1, sizeof *f);
    weir_fluid *fluid = NULL;
    if (!f)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for fluid");
    pthread_mutex_init(&f->lock, NULL);
    f->network = network;
    WI_RETURN_IF_FAILED(wi_fluid_net_plan(diag, f) ?: make_solver(diag, f, &fluid));
    f->size = weir_fluid_measure(fluid);
    weir_status status = number_ports(diag, f, fluid) ?: find_meetings(diag, f) ?: wi_fluid_net_warn_of_few(diag, f);
    if (status == WEIR_OK) {
        wi_fluid_net_warn_of_bounds(diag, f);
        status = couple(diag, f, fluid);
        if (status == WEIR_OK)
            warn_of_cost(diag, f);
        return status;
    }
    weir_fluid_free(fluid);
    return status;
}

weir_status wi_fluid_net_attach(weir_diag *diag, wi_fluid_net *f, const weir_sim *sim)
{
    if (f->attached) {
        weir_fluid *fluid = NULL;
        WI_RETURN_IF_FAILED(make_solver(diag, f, &fluid));
        wi_coupling_restart(f->coupling, fluid);
        wi_fluid_net_drop_samples(f);
    }
    f->attached = true;
    return wi_coupling_attach(diag, f->coupling, sim);
}

void wi_fluid_net_free(wi_fluid_net *f)
{
    if (!f)
        return;
    wi_coupling_free(f->coupling); /* its thread first: it takes samples */
    wi_fluid_net_drop_samples(f);
    wi_fluid_net_unplan(f);
    pthread_mutex_destroy(&f->lock);
    free(f->warned);
    wi_owned_free(&f->memory);
    free(f);
}

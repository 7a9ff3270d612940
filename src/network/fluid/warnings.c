/* The bounds' rows, and saying them. */
#include "network/fluid/warnings.h"

#include <math.h>

#include "base/memory.h"
#include "output/json.h"

#define AS_PACKETS "simulate the class as packets"
#define MIX_AS_ONE "simulate all sessions as packets, or all as fluid"

const wi_fluid_bound wi_fluid_bounds[WI_BOUNDS] = {
    [WI_BOUND_SMALL_PACKETS] =
        {"small-packets", "packets of less than two thirds of others' in a full drop-tail queue of bytes",
         "losses of the smaller ones as fluid over as packets", 1.2, 240.0, AS_PACKETS},
    [WI_BOUND_THREE_PACKETS] =
        {"three-packets", "a queue that holds three packets or fewer, or leaves fewer than two unmarked",
         "goodput of fluid over packets'", 1.0, 374.0, AS_PACKETS},
    [WI_BOUND_FEW_OVER_WAYS] =
        {"few-over-ways",
         "fewer than four sessions, or a stream above a link's rate, over each of several "
         "ways of equal cost",
         "goodput of fluid over packets'", 1.0, 4.0, AS_PACKETS},
    [WI_BOUND_ON_OFF] = {"on-off", "UDP that goes on and off beside TCP in a full drop-tail queue",
                         "goodput of TCP beside fluid over packets'", 1.0, 2.7, "simulate both as packets"},
    [WI_BOUND_DCTCP_MIX] = {"dctcp-mix", "DCTCP, of which some sessions are packets",
                            "goodput of a session of packets over one of fluid", 0.11, 1.7, MIX_AS_ONE},
    [WI_BOUND_UDP_MIX] = {"udp-mix", "UDP beside packets, over less than 60 kB of drop-tail",
                          "losses of UDP as fluid over as packets", 0.25, 4.0, AS_PACKETS},
    [WI_BOUND_IN_A_ROW] = {"queues-in-a-row", "several full drop-tail queues in a row",
                           "goodput of fluid that crosses them over packets'", 0.44, 24.0, AS_PACKETS},
    [WI_BOUND_BESIDE_A_ROW] = {"beside-a-row",
                               "a full drop-tail queue, most of whose sessions cross others too",
                               "goodput of fluid that crosses it alone over packets'", 0.86, 8.9, AS_PACKETS},
    [WI_BOUND_FEW_IN_A_MIX] =
        {"few-in-a-mix",
         "packets beside fluid: fewer than ten sessions, or than five of packets and a hundred in all",
         "goodput of a session of packets over one of fluid", 0.16, 2.3, MIX_AS_ONE},
    [WI_BOUND_SMALL_WINDOWS_IN_A_MIX] =
        {"small-windows-in-a-mix",
         "packets beside fluid: path and queue hold fewer than three segments a session",
         "goodput of a session of packets over one of fluid", 0.02, 1.14, MIX_AS_ONE},
    [WI_BOUND_BOTH_WAYS] =
        {"both-ways",
         "fluid alone, both ways: sessions times queue are below two and a half times what the path holds",
         "goodput of fluid over packets'", 1.05, 2.05, AS_PACKETS},
    [WI_BOUND_SHORT_QUEUE] = {"short-queue",
                              "fluid alone: sessions times queue are below half of what the path holds, or "
                              "fewer than five share fewer than eight packets",
                              "goodput of fluid over packets'", 0.98, 1.7, AS_PACKETS},
    [WI_BOUND_SMALL_WINDOWS] = {"small-windows",
                                "fluid alone: path and queue hold fewer than 1.5 segments a session",
                                "losses of fluid over packets'", 0.25, 21.0, AS_PACKETS},
    [WI_BOUND_UDP_BESIDE_TCP] = {"udp-beside-tcp", "UDP beside TCP in a full drop-tail queue",
                                 "losses of UDP as fluid over as packets", 0.23, 8.9,
                                 "simulate both as packets"},
    [WI_BOUND_ACKS] = {"acks", "ACKs wait for a tenth of the round trip in drop-tail queues of other fluid",
                       "losses of fluid over packets'", 0.22, 2.5, AS_PACKETS},
    [WI_BOUND_BUSY] = {"busy", "transfers that come, over a line that is used to half and more",
                       "times of transfers as fluid over as packets", 0.13, 1.8, AS_PACKETS}};

static bool is_said(const wi_fluid_net *f, uint32_t cls, uint32_t bound)
{
    for (uint32_t i = 0; i < f->n_warned; i++)
        if (f->warned[i].cls == cls && f->warned[i].bound == bound)
            return true;
    return false;
}

/* Without memory it is said all the same. */
static void keep(wi_fluid_net *f, wi_fluid_warned one)
{
    if (wi_grow_one(&f->warned, f->n_warned, sizeof *f->warned))
        f->warned[f->n_warned++] = one;
}

uint32_t wi_fluid_entity_of(const wi_network *n, uint32_t edge)
{
    const uint32_t last = n->net->n_hosts + n->net->n_ports - 1;
    uint32_t entity = 0;
    while (entity < last && wi_net_edge_of(n->net, n->graph, entity) != edge)
        entity++;
    return entity;
}

void wi_fluid_keep_law_warning(wi_fluid_net *f, uint32_t cls, uint32_t entity, const char *what)
{
    keep(f, (wi_fluid_warned){cls, entity, WI_BOUND_OF_LAW, what});
}

void wi_fluid_warn(weir_diag *diag, wi_fluid_net *f, uint32_t cls, uint32_t entity, uint32_t bound,
                   const char *found)
{
    const weir_scenario_class *c = &f->network->scenario->traffic[cls];
    const weir_place at = c->fidelity_place.file ? c->fidelity_place : c->place;
    const wi_fluid_bound *b = &wi_fluid_bounds[bound];
    if (is_said(f, cls, bound))
        return;
    keep(f, (wi_fluid_warned){cls, entity, bound, b->quantity});
    WI_FREED char *port = wi_port_name(f->network, entity);
    weir_warn_at(diag, WEIR_AT(at),
                 "class '%s' is fluid at %s, %s: %s; %s was measured as %g to %g there (docs/fluid.md, Where "
                 "fluid does not hold); %s",
                 c->name.text, port ? port : "?", found, b->where, b->quantity, b->low, b->high, b->remedy);
}

json_t *wi_fluid_summarise_warnings(const wi_fluid_net *f)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < f->n_warned; i++) {
        const wi_fluid_warned *w = &f->warned[i];
        const wi_fluid_bound *b = w->bound < WI_BOUNDS ? &wi_fluid_bounds[w->bound] : NULL;
        WI_FREED char *port = wi_port_name(f->network, w->entity);
        json_t *o = json_object();
        json_object_set_new(o, "class", json_string(f->network->scenario->traffic[w->cls].name.text));
        json_object_set_new(o, "port", json_string(port ? port : "?"));
        json_object_set_new(o, "bound", json_string(b ? b->name : "law"));
        json_object_set_new(o, "quantity", json_string(w->quantity));
        json_object_set_new(o, "low", wi_json_real(b ? b->low : (double)NAN));
        json_object_set_new(o, "high", wi_json_real(b ? b->high : (double)NAN));
        json_array_append_new(all, o);
    }
    return all;
}

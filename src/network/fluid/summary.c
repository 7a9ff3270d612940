/* The fluid in summary.json. */
#include <math.h>

#include "output/json.h"
#include "network/fluid/warnings.h"

json_t *wi_fluid_summarise_class(const wi_network *n, uint32_t cls, double span_s)
{
    const wi_fluid_list *list = &n->fluid_flows;
    const bool udp = n->scenario->traffic[cls].is_udp;
    uint64_t flows = 0, sessions = 0;
    double received = 0.0, lost = 0.0, arrived = 0.0, window = 0.0, rtt = 0.0, seen = 0.0, in_progress = 0.0,
           per_s = 0.0;
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->item[i].cls != cls)
            continue;
        wi_fluid_total t;
        wi_fluid_net_total(n->fluid, i, &t);
        const double weight = list->item[i].sessions;
        flows++;
        sessions += list->item[i].sessions;
        received += t.received_bytes;
        lost += t.lost_bytes;
        arrived += t.acked_bytes;
        if (!isnan(t.rtt_mean_s)) {
            window += weight * t.window_mean_bytes;
            rtt += weight * t.rtt_mean_s;
            seen += weight;
        }
        in_progress += t.in_progress;
        per_s += list->item[i].per_s;
    }
    json_t *c = json_object();
    json_object_set_new(c, "flows", wi_json_count(flows));
    json_object_set_new(c, "sessions", wi_json_count(sessions));
    json_object_set_new(c, "received_bytes", wi_json_count((uint64_t)received));
    json_object_set_new(c, "goodput_bps", wi_json_real(span_s > 0.0 ? 8.0 * received / span_s : (double)NAN));
    json_object_set_new(c, "loss",
                        wi_json_real(arrived + lost > 0.0 ? lost / (arrived + lost) : (double)NAN));
    if (!udp) {
        json_object_set_new(c, "cwnd_mean_bytes", wi_json_real(seen > 0.0 ? window / seen : (double)NAN));
        json_object_set_new(c, "rtt_mean_s", wi_json_real(seen > 0.0 ? rtt / seen : (double)NAN));
    }
    if (per_s > 0.0) { /* Little's law */
        json_object_set_new(c, "in_progress_mean", wi_json_real(in_progress));
        json_object_set_new(c, "completion_mean_s", wi_json_real(in_progress / per_s));
    }
    return c;
}

/* A law keeps a window at a segment or more, and loses what does not fit. Packets wait for timeouts there, and lose less: 25 % for
 * 67 with 1,800 sessions over 1 Gb/s and 9 ms. */
void wi_fluid_net_warn_of_floors(weir_diag *diag, const wi_fluid_net *f)
{
    static const double much = 0.2;
    const weir_scenario *s = f->network->scenario;
    for (uint32_t cls = 0; cls < s->n_traffic; cls++) {
        const weir_scenario_class *c = &s->traffic[cls];
        json_auto_t *sums = c->is_udp ? NULL : wi_fluid_summarise_class(f->network, cls, 1.0);
        const double loss = json_real_value(json_object_get(sums, "loss"));
        if (loss > much)
            weir_warn_at(diag, WEIR_AT(c->fidelity_place.file ? c->fidelity_place : c->place),
                         "class '%s': as fluid, sessions lose %.0f %% of what they send, where packets would "
                         "wait for timeouts "
                         "and lose less; simulate the class as packets",
                         c->name.text, 100.0 * loss);
    }
}

json_t *wi_fluid_summarise(const wi_fluid_net *f)
{
    const wi_coupling_report r = wi_coupling_measure(f->coupling);
    json_t *o = json_object();
    json_object_set_new(o, "warnings", wi_fluid_summarise_warnings(f));
    json_object_set_new(o, "device", json_string(f->on_device ? "cuda" : "cpu"));
    json_object_set_new(o, "step_s", wi_json_real(weir_seconds(f->options.step_ps)));
    json_object_set_new(o, "lookahead_steps", wi_json_count(f->lookahead));
    json_object_set_new(o, "batch", wi_json_count(r.batch));
    json_object_set_new(o, "exchanges", wi_json_count(r.exchanges));
    json_object_set_new(o, "shared_ports", wi_json_count(f->n_meetings));
    json_object_set_new(o, "ports", wi_json_count(f->size.ports));
    json_object_set_new(o, "flows", wi_json_count(f->size.flows));
    json_object_set_new(o, "hops", wi_json_count(f->size.hops));
    json_object_set_new(o, "bytes", wi_json_count(f->size.bytes));
    json_object_set_new(o, "largest_difference", wi_json_real(r.largest_difference));
    json_object_set_new(o, "fluid_wall_s", wi_json_real(r.fluid_s));
    json_object_set_new(o, "gathered_s", wi_json_real(r.gathered_s));
    json_object_set_new(o, "packets_waited_s", wi_json_real(r.packets_waited_s));
    json_object_set_new(o, "fluid_waited_s", wi_json_real(r.fluid_waited_s));
    return o;
}

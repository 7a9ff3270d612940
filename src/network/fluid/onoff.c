/*
 * UDP sources that go on and off, as fluid: a changing rate, with on and off times drawn from the class's
 * distributions, each source from a stream of its own. Packets draw theirs on the way, from their hosts'
 * streams: the two agree in law, not draw by draw.
 */
#include <stdlib.h>

#include "net/transport/udp.h"
#include "network/fluid/fluid.h"

enum { CHANGES_MOST = 1 << 24 }; /* of one source: 400 MB of schedule and table */

static weir_status too_many(weir_diag *diag, const weir_scenario_class *c)
{
    return weir_fail_at(diag, WEIR_E_UNSUPPORTED, WEIR_AT(c->fidelity_place),
                        "class '%s': a source goes on and off more than %d times in this run, which fluid "
                        "keeps a table of; want longer on_time and off_time, a shorter run, or packets",
                        c->name.text, CHANGES_MOST / 2);
}

/* The source's stream: streams of entities begin at 0, those of classes end at UINT32_MAX - 65535. */
static weir_stream stream_of(const weir_scenario *s, uint32_t demand)
{
    return weir_stream_make(s->seed, UINT32_MAX - 65536 - demand, s->run);
}

weir_status wi_fluid_net_schedule(weir_diag *diag, const wi_fluid_net *f, uint32_t demand,
                                  weir_fluid_class *cls)
{
    const weir_scenario *s = f->network->scenario;
    const wi_fluid_demand *d = &f->network->fluid_flows.item[demand];
    const weir_scenario_class *c = &s->traffic[d->cls];
    if (!c->is_udp || c->udp.pattern != WEIR_SC_UDP_ONOFF)
        return WEIR_OK;
    const net_class *p = &f->network->plan.classes[d->cls].params;
    const weir_time end_ps = c->stop_ps && c->stop_ps < s->duration_ps ? c->stop_ps : s->duration_ps;
    const double peak = (double)d->rate_bps * ((double)c->udp.on_ps + (double)c->udp.off_ps) /
                        (double)c->udp.on_ps; /* while on */
    weir_stream random = stream_of(s, demand);
    weir_fluid_rate *at = NULL;
    uint32_t n = 0, room = 0;
    for (weir_time t = d->start_ps; t < end_ps || n == 0;) {
        if (n + 2 > room) {
            room = 2 * room + 64;
            weir_fluid_rate *grown = n < CHANGES_MOST ? realloc(at, room * sizeof *grown) : NULL;
            if (!grown) {
                free(at);
                return n < CHANGES_MOST ? weir_fail(diag, WEIR_E_NOMEM, "no memory for a source's schedule")
                                        : too_many(diag, c);
            }
            at = grown;
        }
        at[n++] = (weir_fluid_rate){t, (uint64_t)peak};
        t += weir_dist_sample_integer(&p->on, NULL, &random, 1, NET_GAP_MAX_PS);
        at[n++] = (weir_fluid_rate){t, 0};
        t += weir_dist_sample_integer(&p->off, NULL, &random, 1, NET_GAP_MAX_PS);
    }
    cls->schedule = at;
    cls->n_schedule = n;
    return WEIR_OK;
}

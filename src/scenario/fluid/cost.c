/*
 * What fluid costs a processor, and what the same flows would as packets, at a guess that is good to a factor
 * of two: fluid by the step, whatever flows send, packets by the hop. docs/fluid.md has the measurements.
 */
#include <stdlib.h>

#include "net/stats/stats.h"
#include "scenario/fluid/fluid.h"

/* Of a block of up to 16 steps, a flow, a prefix or a port, and of a packet's hop: in caches and beyond. */
static const double in_cache_s = 110e-9, in_memory_s = 210e-9, hop_s = 65e-9, hop_in_memory_s = 150e-9;
enum { BLOCK_STEPS = 16, CACHE_BYTES = 32 << 20, CACHE_SESSIONS = 8000 };

static double solver_s(const wi_fluid_net *f, double steps)
{
    const double things = (double)(f->size.flows + f->size.prefixes + f->size.ports);
    const double block = f->lookahead < BLOCK_STEPS ? f->lookahead : BLOCK_STEPS;
    return steps / block * things * (f->size.bytes > CACHE_BYTES ? in_memory_s : in_cache_s);
}

/* Sessions on each link. */
static double *count_sessions(const wi_fluid_net *f)
{
    double *sessions = calloc((size_t)f->network->graph->n_edges + 1, sizeof *sessions);
    for (uint32_t i = 0; sessions && i < f->plan.n_flows; i++)
        for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++)
            sessions[f->plan.path_edge[h]] += f->plan.flows[i].sessions;
    return sessions;
}

/* Packet hops of a flow of a class in a second: each session has an equal share of every link of its path, and
 * no more than its window in a round trip. */
static double hops_a_second(const wi_fluid_net *f, uint32_t i, uint32_t cls, const double *sessions)
{
    const weir_graph *g = f->network->graph;
    const weir_fluid_flow *flow = &f->plan.flows[i];
    const weir_fluid_class *c = &f->plan.classes[flow->cls];
    double round_s = 0.0, share_bps = 1e30, hops = 0.0;
    for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++, hops += 1.0) {
        const uint32_t e = f->plan.path_edge[h];
        const double bps = (double)g->rate_bps[e] / sessions[e];
        share_bps = bps < share_bps ? bps : share_bps;
        round_s += weir_seconds(g->delay_ps[e] + g->delay_ps[g->reverse[e]]);
    }
    double rate_bps = c->udp ? (double)c->rate_bps : 8.0 * (double)c->window_limit_bytes / round_s;
    if (flow->transfers_per_s > 0.0)
        rate_bps = 8.0 * flow->transfers_per_s * flow->mean_bytes;
    rate_bps = rate_bps < share_bps ? rate_bps : share_bps;
    const double bytes = c->udp ? f->network->classes[cls].params.udp_mean_bytes : c->mss_bytes;
    const double acks = c->udp ? 0.0 : 1.0 / f->network->scenario->traffic[cls].tcp.delayed_ack;
    return hops * (1.0 + acks) * flow->sessions * rate_bps / (8.0 * bytes);
}

void wi_fluid_net_cost(const wi_fluid_net *f, wi_fluid_cost *out)
{
    const weir_scenario *s = f->network->scenario;
    *out = (wi_fluid_cost){.steps = (double)s->duration_ps / (double)f->options.step_ps};
    out->solver_s = solver_s(f, out->steps);
    double *sessions = count_sessions(f), all = 0.0;
    for (uint32_t d = 0; sessions && d < f->network->fluid_flows.n; d++)
        for (uint32_t i = f->first_way[d]; i < f->first_way[d + 1]; i++) {
            const weir_fluid_flow *flow = &f->plan.flows[i];
            const weir_time stop_ps = flow->stop_ps < s->duration_ps ? flow->stop_ps : s->duration_ps;
            all += flow->sessions;
            if (stop_ps > flow->start_ps)
                out->packet_hops += hops_a_second(f, i, f->network->fluid_flows.item[d].cls, sessions) *
                                    weir_seconds(stop_ps - flow->start_ps);
        }
    free(sessions);
    out->packets_s = out->packet_hops * (all > CACHE_SESSIONS ? hop_in_memory_s : hop_s);
}

/*
 * What fluid costs a processor, and what the same flows would as packets, good to a factor of two: fluid by the step,
 * whatever flows send, packets by the hop, of rates that are max-min fair. docs/fluid-measured.md has the measurements.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/fluid/load.h"
#include "base/memory.h"

/* A packet's hop, in caches and beyond, where fluid takes so many times as long too. */
static const double hop_s = 65e-9, hop_in_memory_s = 150e-9, beyond_caches = 1.9;
/* A block of 16 steps in packet hops, by instructions (tools/fluid-cost): itself, and what a flow, a prefix, a port and a flow whose
 * law has no lanes besides add to it. Where marks are told of, no step is done beside others. */
static const double block_hops = 7.0, flow_hops = 1.1, prefix_hops = 1.6, port_hops = 1.6, law_hops = 3.5,
                    marks_factor = 2.9;
/* Of that, what streams take that stand still. */
static const double still_share = 0.05;
/* A shorter block, in blocks of 16: itself, and a step. */
static const double short_block = 0.7, short_step = 0.075;
enum { BLOCK_STEPS = 16, CACHE_BYTES = 32 << 20, CACHE_SESSIONS = 8000 };

/* Hops that laws take which are done a session at a time. */
static double laws_hops(const wi_fluid_net *f)
{
    double own = 0.0;
    for (uint32_t i = 0; i < f->plan.n_flows; i++) {
        const weir_fluid_class *c = &f->plan.classes[f->plan.flows[i].cls];
        own += !c->udp && c->congestion && strcmp(c->congestion, "newreno") != 0 &&
               strcmp(c->congestion, "cubic") != 0;
    }
    return f->plan.n_flows ? law_hops * own / f->plan.n_flows * (double)f->size.flows : 0.0;
}

/* Whether the solver tells flows of marks, or goes by the paper's law: step by step. */
static bool tells_marks(const wi_fluid_net *f)
{
    if (f->options.law == WEIR_FLUID_PAPER)
        return true;
    for (uint32_t c = 0; c < f->plan.n_classes; c++)
        if (f->plan.classes[c].ecn)
            return true;
    return false;
}

/* Whether all are streams of one rate, most steps of which are not reckoned (fluid/cpu/rest.h). */
static bool stands_still(const wi_fluid_net *f)
{
    bool all = !wi_fluid_net_has_packets(f);
    for (uint32_t c = 0; c < f->plan.n_classes; c++)
        all &= f->plan.classes[c].udp && f->plan.classes[c].n_schedule == 0 && f->plan.classes[c].off_ps == 0;
    return all;
}

static double solver_s(const wi_fluid_net *f, double steps)
{
    const double n = f->lookahead < BLOCK_STEPS ? f->lookahead : BLOCK_STEPS;
    const double part = n < BLOCK_STEPS ? short_block + short_step * n : 1.0;
    const double hops = block_hops + flow_hops * (double)f->size.flows +
                        prefix_hops * (double)f->size.prefixes + port_hops * (double)f->size.ports +
                        laws_hops(f);
    return steps / n * part * hops * hop_s * (tells_marks(f) ? marks_factor : 1.0) *
           (stands_still(f) ? still_share : 1.0) * (f->size.bytes > CACHE_BYTES ? beyond_caches : 1.0);
}

/* What a session of a flow sends where links leave it room: its rate, its window in a round trip, its transfers. */
static double wanted_bps(const wi_fluid_net *f, uint32_t i)
{
    const weir_fluid_flow *flow = &f->plan.flows[i];
    const weir_fluid_class *c = &f->plan.classes[flow->cls];
    if (flow->transfers_per_s > 0.0)
        return 8.0 * flow->transfers_per_s * flow->mean_bytes;
    return c->udp ? (double)c->rate_bps : 8.0 * (double)c->window_limit_bytes / wi_fluid_round_s(f, i);
}

/* A link while rates are looked for. */
typedef struct fair_link {
    double share_bps;     /* of a session that it limits */
    double others_bps;    /* what sessions send that are limited elsewhere */
    double free, packets; /* sessions that it limits; of these packets', whose rates are not looked for */
} fair_link;

enum { ROUNDS = 32 };

/* A session of flow i has the least of what it wants and of its links' shares; returns whether that has changed by more than
 * a hundredth. */
static bool give_share(const wi_fluid_net *f, const fair_link *links, uint32_t i, double *rate_bps)
{
    double least_bps = wanted_bps(f, i);
    for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++)
        least_bps = fmin(least_bps, links[f->plan.path_edge[h]].share_bps);
    const bool moved = fabs(least_bps - rate_bps[i]) > 0.01 * rate_bps[i];
    rate_bps[i] = least_bps;
    return moved;
}

/* Links divide among the sessions that they limit what the others leave. */
static void divide_links(const wi_fluid_net *f, fair_link *links, const double *rate_bps)
{
    const weir_graph *g = f->network->graph;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        links[e].others_bps = 0.0;
        links[e].free = links[e].packets;
    }
    for (uint32_t i = 0; i < f->plan.n_flows; i++)
        for (uint32_t h = f->plan.path_first[i]; h < f->plan.path_first[i + 1]; h++) {
            fair_link *const l = &links[f->plan.path_edge[h]];
            const double n = f->plan.flows[i].sessions;
            if (rate_bps[i] < 0.999 * l->share_bps)
                l->others_bps += n * rate_bps[i];
            else
                l->free += n;
        }
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const double left_bps = fmax((double)g->rate_bps[e] - links[e].others_bps, 0.0);
        links[e].share_bps = links[e].free > 0.0 ? left_bps / links[e].free : (double)INFINITY;
    }
}

/* Max-min fair rates of each flow's sessions, [flows], by shares that links tell and flows answer until both agree
 * (A. Charny, An Algorithm for Rate Allocation in a Packet-Switching Network with Feedback, MIT, 1994). Null: no memory. */
static double *fair_rates(const wi_fluid_net *f)
{
    const uint32_t n_edges = f->network->graph->n_edges;
    WI_FREED fair_link *const links = calloc((size_t)n_edges + 1, sizeof *links);
    double *const rate_bps = calloc((size_t)f->plan.n_flows + 1, sizeof *rate_bps);
    bool moved = links && rate_bps;
    for (uint32_t e = 0; e < n_edges && moved; e++)
        links[e].packets = f->links[e].packets;
    for (int round = 0; round < ROUNDS && moved; round++) {
        divide_links(f, links, rate_bps);
        moved = false;
        for (uint32_t i = 0; i < f->plan.n_flows; i++)
            moved |= give_share(f, links, i, rate_bps);
    }
    return rate_bps;
}

/* Packet hops of a flow of a class in a second, at a session's rate: of data and ACKs. */
static double hops_a_second(const wi_fluid_net *f, uint32_t i, uint32_t cls, double rate_bps)
{
    const weir_fluid_class *c = &f->plan.classes[f->plan.flows[i].cls];
    const double hops = f->plan.path_first[i + 1] - f->plan.path_first[i];
    const double bytes = c->udp ? (double)f->network->plan.classes[cls].params.udp_mean_bytes : c->mss_bytes;
    const double acks = c->udp ? 0.0 : 1.0 / f->network->scenario->traffic[cls].tcp.delayed_ack;
    return hops * (1.0 + acks) * f->plan.flows[i].sessions * rate_bps / (8.0 * bytes);
}

void wi_fluid_net_cost(const wi_fluid_net *f, wi_fluid_cost *out)
{
    const weir_scenario *s = f->network->scenario;
    *out =
        (wi_fluid_cost){.steps = (double)s->duration_ps / (double)f->options.step_ps, .bytes = f->size.bytes};
    out->solver_s = solver_s(f, out->steps);
    double *rate_bps = fair_rates(f), all = 0.0;
    for (uint32_t d = 0; rate_bps && d < f->network->fluid_flows.n; d++)
        for (uint32_t i = f->first_way[d]; i < f->first_way[d + 1]; i++) {
            const weir_fluid_flow *flow = &f->plan.flows[i];
            const weir_time stop_ps = flow->stop_ps < s->duration_ps ? flow->stop_ps : s->duration_ps;
            all += flow->sessions;
            if (stop_ps > flow->start_ps)
                out->packet_hops += hops_a_second(f, i, f->network->fluid_flows.item[d].cls, rate_bps[i]) *
                                    weir_seconds(stop_ps - flow->start_ps);
        }
    free(rate_bps);
    out->packets_s = out->packet_hops * (all > CACHE_SESSIONS ? hop_in_memory_s : hop_s);
}

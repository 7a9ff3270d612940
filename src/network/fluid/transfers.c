/*
 * Transfers of a size as a density. Bytes come at the rate of arrivals times the mean size; what is left of them over
 * the mean size is the number of transfers in progress, each with a window of its own. That window is what a transfer
 * has in the mean over its life on an idle path, segments over round trips: a handshake, slow start from the initial
 * window to the class's limit or what the path holds, and the rest at that; losses make it less, as any window. So the
 * load of links is that of packets, and transfers last as long as on an idle path, longer where the fluid has queues
 * and losses. What the chance of arrivals does, queues and slower transfers below a load of one, is beyond a fluid.
 */
#include <math.h>

#include "network/fluid/fluid.h"

enum { SAMPLES = 4096 };

static double packets_of(double bytes, uint32_t mss)
{
    return ceil(bytes / mss);
}

/* Draws of a class's sizes: always the same ones. */
static weir_stream sizes(void)
{
    return weir_stream_make(1, UINT32_MAX, 0);
}

static double draw(const wi_network *n, uint32_t cls, weir_stream *random)
{
    const weir_cdf *cdf = n->cdf[cls];
    const unsigned char *points = cdf ? (const void *)cdf->points : NULL;
    const double x = weir_dist_sample(&n->plan.classes[cls].params.size, points, random);
    return x < 1.0 ? 1.0 : x;
}

wi_fluid_transfer wi_fluid_transfer_of(const wi_network *n, uint32_t cls)
{
    const uint32_t mss = n->scenario->traffic[cls].tcp.mss_bytes;
    const double mean = weir_dist_mean(&n->plan.classes[cls].params.size);
    double packets = 0.0, drawn = 0.0;
    weir_stream random = sizes();
    for (int i = 0; i < SAMPLES; i++) {
        const double bytes = draw(n, cls, &random);
        drawn += bytes;
        packets += packets_of(bytes, mss);
    }
    const double headers = NET_HEADER_TCP * packets;
    return (wi_fluid_transfer){.bytes = mean * (1.0 + headers / drawn),
                               .packet_bytes = (drawn + headers) / packets,
                               .payload = drawn / (drawn + headers)};
}

/* Round trips of a transfer of so many segments, its handshake included. */
static double rounds_of(double segments, double initial, double growth, double most)
{
    double rounds = 1.0, window = initial < most ? initial : most;
    while (segments > 0.0 && window < most) {
        rounds += segments < window ? segments / window : 1.0;
        segments -= window;
        window = window * growth < most ? window * growth : most;
    }
    return segments > 0.0 ? rounds + segments / window : rounds;
}

/* What a way holds, in segments, and no more than the class's limit. */
static double most_of(const wi_fluid_net *f, uint32_t flow, double limit)
{
    const weir_graph *g = f->network->graph;
    double round_s = weir_seconds(f->plan.flows[flow].beside_ps), least_bps = 1e30;
    for (uint32_t h = f->plan.path_first[flow]; h < f->plan.path_first[flow + 1]; h++) {
        const uint32_t e = f->plan.path_edge[h];
        round_s += weir_seconds(g->delay_ps[e] + g->delay_ps[g->reverse[e]]);
        least_bps = (double)g->rate_bps[e] < least_bps ? (double)g->rate_bps[e] : least_bps;
    }
    const double holds = round_s * least_bps / 8.0 / f->plan.classes[f->plan.flows[flow].cls].mss_bytes;
    return holds < 1.0 ? 1.0 : holds < limit ? holds : limit;
}

static void plan_class(const wi_fluid_net *f, uint32_t demand)
{
    const uint32_t cls = f->network->fluid_flows.item[demand].cls, flow = f->first_way[demand];
    const weir_scenario_tcp *tcp = &f->network->scenario->traffic[cls].tcp;
    weir_fluid_class *c = (weir_fluid_class *)&f->plan.classes[f->plan.flows[flow].cls];
    const double growth = 1.0 + 1.0 / c->segments_per_ack;
    const double most = most_of(f, flow, (double)c->window_limit_bytes / c->mss_bytes);
    double segments = 0.0, rounds = 0.0;
    weir_stream random = sizes();
    for (int i = 0; i < SAMPLES; i++) {
        const double n = packets_of(draw(f->network, cls, &random), tcp->mss_bytes);
        segments += n;
        rounds += rounds_of(n, tcp->initial_window, growth, most);
    }
    const double window = segments / rounds > 1.0 ? segments / rounds : 1.0;
    c->window_limit_bytes = (uint64_t)ceil(window * c->mss_bytes);
    c->initial_window = (double)c->window_limit_bytes / c->mss_bytes;
    c->slow_start = false;
}

void wi_fluid_net_plan_transfers(wi_fluid_net *f)
{
    for (uint32_t i = 0; i < f->network->fluid_flows.n; i++)
        if (f->network->fluid_flows.item[i].per_s > 0.0)
            plan_class(f, i);
}

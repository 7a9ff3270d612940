/* Classes of traffic: when flows of their pairs start, and how they arrive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "network/pairs.h"
#include "base/memory.h"
#include "base/order.h"

enum { FLOWS_MAX = WI_FLOWS_MAX, PAIR_SLOTS_MIN = 4 };

typedef struct traffic {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    weir_stream random; /* for pairs and starts of this class */
    wi_pair_list pairs;
    weir_status status;
} traffic;

static void fail_memory(traffic *t)
{
    if (t->status == WEIR_OK)
        t->status =
            weir_fail(t->diag, WEIR_E_NOMEM, "no memory for the flows of class '%s'", t->c->name.text);
}

static weir_time draw_start(traffic *t)
{
    const weir_scenario_class *c = t->c;
    const uint64_t span = (uint64_t)(c->start_last_ps - c->start_ps);
    return c->start_ps + (span ? (weir_time)weir_draw_below(&t->random, span + 1) : 0);
}

static void add_flow(traffic *t, const wi_pair *p, weir_time start_ps, uint64_t rate_bps)
{
    const wi_net_flow_plan flow = {
        .src = p->src, .dst = p->dst, .cls = (uint16_t)t->cls, .start_ps = start_ps, .rate_bps = rate_bps};
    t->status = wi_network_add_flow(t->diag, t->n, &flow);
}

/* Sessions of one pair and start that follow each other become one flow. */
static void add_fluid(traffic *t, const wi_pair *p, weir_time start_ps, uint64_t rate_bps, double per_s)
{
    wi_fluid_list *f = &t->n->fluid_flows;
    wi_fluid_demand *last = f->n ? &f->item[f->n - 1] : NULL;
    if (last && !t->c->is_udp && per_s == 0.0 && last->src == p->src && last->dst == p->dst &&
        last->cls == t->cls && last->start_ps == start_ps) {
        last->sessions++;
        return;
    }
    if (f->n >= FLOWS_MAX || !wi_grow_one(&f->item, f->n, sizeof *f->item)) {
        fail_memory(t);
        return;
    }
    f->item[f->n++] = (wi_fluid_demand){.src = p->src,
                                        .dst = p->dst,
                                        .cls = t->cls,
                                        .sessions = 1,
                                        .start_ps = start_ps,
                                        .rate_bps = rate_bps,
                                        .per_s = per_s};
}

static wi_net_arrivals_plan *add_arrivals(traffic *t, uint32_t n_dst)
{
    wi_net_plan *const plan = &t->n->plan;
    uint32_t *dst = malloc((size_t)n_dst * sizeof *dst);
    if (!dst || !wi_grow_one(&plan->arrivals, plan->n_arrivals, sizeof *plan->arrivals)) {
        free(dst);
        fail_memory(t);
        return NULL;
    }
    plan->arrivals[plan->n_arrivals] = (wi_net_arrivals_plan){
        .cls = (uint16_t)t->cls, .start_ps = draw_start(t), .dst = dst, .n_dst = n_dst};
    return &plan->arrivals[plan->n_arrivals++];
}

static double total_demand(const wi_pair_list *pairs)
{
    double sum = 0.0;
    for (size_t i = 0; i < pairs->n; i++)
        sum += (double)pairs->item[i].demand_bps;
    return sum;
}

/* Do pairs have shares by their demands? */
static bool by_demand(const weir_scenario_class *c)
{
    return (c->where == WEIR_SC_DEMANDS || c->where == WEIR_SC_GRAVITY) &&
           c->demands.share == WEIR_SC_SHARE_DEMAND;
}

/* Share of the class that a pair has: by demand where the class says so, otherwise equal. */
static double pair_share(const traffic *t, const wi_pair *p, double total)
{
    if (by_demand(t->c) && total > 0.0)
        return (double)p->demand_bps / total;
    return 1.0 / (double)t->pairs.n;
}

static void tcp_sessions(traffic *t)
{
    if ((double)t->pairs.n * (double)t->c->packet_sessions > FLOWS_MAX) {
        t->status = weir_fail_at(t->diag, WEIR_E_SCENARIO, WEIR_AT(t->c->where_place),
                                 "class '%s': %zu pairs of %u sessions; want at most %d flows",
                                 t->c->name.text, t->pairs.n, t->c->packet_sessions, FLOWS_MAX);
        return;
    }
    const double total = total_demand(&t->pairs);
    for (size_t i = 0; i < t->pairs.n; i++) {
        const double mean =
            (double)t->c->tcp.sessions * (double)t->pairs.n * pair_share(t, &t->pairs.item[i], total);
        const uint32_t sessions = mean < 1.0 ? 1u : (uint32_t)(mean + 0.5);
        /* Starts are drawn for all, so that they do not depend on the sessions' fidelity. */
        const uint32_t packets =
            (uint32_t)((double)sessions * t->c->packet_sessions / (double)t->c->tcp.sessions + 0.5);
        for (uint32_t k = 0; k < sessions && t->status == WEIR_OK; k++) {
            const weir_time start_ps = draw_start(t);
            if (k < packets)
                add_flow(t, &t->pairs.item[i], start_ps, 0);
            else
                add_fluid(t, &t->pairs.item[i], start_ps, 0, 0.0);
        }
    }
}

WI_ORDER_BY(by_source, wi_pair, WI_ORDER(x->src, y->src) ?: WI_ORDER(x->dst, y->dst))

/* Transfers a second of a source's pairs, of which there are n, each. Of a load: by the rate of its links. */
static double pair_per_s(const traffic *t, const wi_pair *p, size_t n, double total)
{
    if (t->c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_POISSON)
        return t->c->tcp.arrivals.per_s * pair_share(t, p, total);
    const double bits = 8.0 * weir_dist_mean(&t->n->plan.classes[t->cls].params.size);
    return t->c->tcp.arrivals.load * wi_network_node_rate(t->n->graph, p->src) / (bits * (double)n);
}

/* The end of the pairs of one source that begin at i. */
static size_t source_end(const traffic *t, size_t i)
{
    const wi_pair *const item = t->pairs.item;
    size_t end = i + 1;
    while (end < t->pairs.n && item[end].src == item[i].src)
        end++;
    return end;
}

/* Flows under way at once of `n` pairs, of a source's `of_host`: their part of max_flows, and some even so. */
static uint32_t slots_of(const traffic *t, uint32_t n, uint32_t of_host)
{
    const uint32_t all = t->c->tcp.max_flows, least = all < PAIR_SLOTS_MIN ? all : PAIR_SLOTS_MIN;
    const uint32_t slots = (uint32_t)((uint64_t)all * n / of_host);
    return slots < least ? least : slots;
}

/* Poisson: one source of arrivals a host, over its pairs; where pairs differ in their share, one a pair. */
static void tcp_poisson(traffic *t)
{
    const bool poisson = t->c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_POISSON, each = by_demand(t->c);
    const double total = total_demand(&t->pairs), mean_ps = 1e12 / t->c->tcp.arrivals.per_s;
    qsort(t->pairs.item, t->pairs.n, sizeof *t->pairs.item, by_source);
    for (size_t i = 0, end; i < t->pairs.n && t->status == WEIR_OK; i = end) {
        end = source_end(t, i);
        const uint32_t of_host = (uint32_t)(end - i), step = each ? 1 : of_host;
        for (size_t k = i; k < end; k += step) {
            wi_net_arrivals_plan *a = add_arrivals(t, step);
            if (!a)
                return;
            a->src = t->pairs.item[k].src;
            a->gap_ps = poisson ? mean_ps / (pair_share(t, &t->pairs.item[k], total) * step)
                                : 1e12 / (pair_per_s(t, &t->pairs.item[k], of_host, total) * step);
            a->slots = slots_of(t, step, of_host);
            for (uint32_t d = 0; d < step; d++)
                ((uint32_t *)a->dst)[d] = t->pairs.item[k + d].dst;
        }
    }
}

static void tcp_periodic(traffic *t)
{
    const weir_time interval_ps = t->c->tcp.arrivals.interval_ps;
    const double total = total_demand(&t->pairs);
    uint32_t *of_host = calloc(t->n->graph->n_nodes, sizeof *of_host);
    if (!of_host)
        fail_memory(t);
    for (size_t i = 0; i < t->pairs.n && of_host; i++)
        of_host[t->pairs.item[i].src]++;
    for (size_t i = 0; i < t->pairs.n && t->status == WEIR_OK; i++) {
        wi_net_arrivals_plan *a = add_arrivals(t, 1);
        if (!a)
            break;
        a->src = t->pairs.item[i].src;
        ((uint32_t *)a->dst)[0] = t->pairs.item[i].dst;
        a->periodic = true;
        /* Pairs begin one after the other; those of less demand later in their longer gaps, as some have none in a run. */
        const double share = pair_share(t, &t->pairs.item[i], total);
        a->gap_ps = by_demand(t->c) ? (double)interval_ps / share : (double)interval_ps * (double)t->pairs.n;
        a->start_ps += by_demand(t->c)
                           ? (weir_time)fmin(a->gap_ps * ((double)i + 0.5) / (double)t->pairs.n, 1e18)
                           : (weir_time)i * interval_ps;
        a->slots = slots_of(t, 1, of_host[a->src]);
    }
    free(of_host);
}

/* Transfers as a density, of each pair. */
static void tcp_fluid_transfers(traffic *t)
{
    const weir_sc_arrivals kind = t->c->tcp.arrivals.kind;
    const double total = total_demand(&t->pairs);
    if (kind == WEIR_SC_ARRIVALS_LOAD)
        qsort(t->pairs.item, t->pairs.n, sizeof *t->pairs.item, by_source);
    for (size_t i = 0, end; i < t->pairs.n && t->status == WEIR_OK; i = end) {
        end = kind == WEIR_SC_ARRIVALS_LOAD ? source_end(t, i) : i + 1;
        for (size_t k = i; k < end && t->status == WEIR_OK; k++)
            add_fluid(t, &t->pairs.item[k], draw_start(t), 0,
                      kind == WEIR_SC_ARRIVALS_PERIODIC ? pair_share(t, &t->pairs.item[k], total) /
                                                              weir_seconds(t->c->tcp.arrivals.interval_ps)
                                                        : pair_per_s(t, &t->pairs.item[k], end - i, total));
    }
}

/* So many transfers in all: dealt in turn, or each pair has its part of them, to the next one. */
static void tcp_all(traffic *t)
{
    const uint32_t n = t->c->tcp.arrivals.count;
    const double total = total_demand(&t->pairs);
    size_t pair = 0;
    double until = by_demand(t->c) ? pair_share(t, &t->pairs.item[0], total) : 0.0;
    for (uint32_t i = 0; i < n && t->status == WEIR_OK; i++) {
        for (; by_demand(t->c) && (i + 0.5) / n > until && pair + 1 < t->pairs.n; pair++)
            until += pair_share(t, &t->pairs.item[pair + 1], total);
        add_flow(t, &t->pairs.item[by_demand(t->c) ? pair : i % t->pairs.n], draw_start(t), 0);
    }
}

/* A load's transfers are dealt evenly to a source's pairs. */
static void check_load(traffic *t)
{
    if (t->c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_LOAD && by_demand(t->c))
        t->status = weir_fail_at(t->diag, WEIR_E_SCENARIO, WEIR_AT(t->c->tcp.arrivals.place),
                                 "class '%s': a load is spread evenly over the pairs of each source; with "
                                 "share: demand give a rate, {poisson: 200/s}",
                                 t->c->name.text);
}

static void tcp_flows(traffic *t)
{
    check_load(t);
    if (t->status != WEIR_OK)
        return;
    if (t->c->fidelity == WEIR_SC_FLUID && t->c->tcp.size.kind != WEIR_SC_DIST_NONE) {
        tcp_fluid_transfers(t);
        return;
    }
    switch (t->c->tcp.arrivals.kind) {
    case WEIR_SC_ARRIVALS_POISSON:
    case WEIR_SC_ARRIVALS_LOAD:
        tcp_poisson(t);
        break;
    case WEIR_SC_ARRIVALS_PERIODIC:
        tcp_periodic(t);
        break;
    case WEIR_SC_ARRIVALS_ALL:
        tcp_all(t);
        break;
    default:
        tcp_sessions(t);
    }
}

/* Gaps between packets are whole picoseconds (net/transport/udp.h). Returns whether a flow of packets of one
 * size that go evenly sends another rate for that by more than 0.1 %, with a warning. */
static bool warn_of_gaps(const traffic *t, double rate_bps)
{
    const weir_scenario_udp *u = &t->c->udp;
    if (u->pattern == WEIR_SC_UDP_POISSON || u->trace.text || u->jitter > 0.0 ||
        u->packet.kind != WEIR_SC_DIST_CONSTANT)
        return false;
    const double gap_ps = 8e12 * u->packet.low / rate_bps, whole_ps = fmax(round(gap_ps), 1.0);
    const bool off = fabs(gap_ps / whole_ps - 1.0) > 1e-3;
    if (off)
        weir_warn_at(
            t->diag, WEIR_AT(t->c->place),
            "class '%s': packets of %.0f bytes at %g bit/s are %.4g ps apart, in whole ps %.0f: it sends "
            "%.4g bit/s; want larger packets, or pattern: poisson",
            t->c->name.text, u->packet.low, rate_bps, gap_ps, whole_ps, rate_bps * gap_ps / whole_ps);
    return off;
}

static void udp_flows(traffic *t)
{
    const weir_scenario_udp *u = &t->c->udp;
    bool warned = false;
    for (size_t i = 0; i < t->pairs.n && t->status == WEIR_OK; i++) {
        const wi_pair *p = &t->pairs.item[i];
        double rate = (double)(u->trace.text ? 1 /* its packets say */
                               : u->rate_bps ? u->rate_bps
                                             : p->demand_bps);
        if (t->c->fidelity == WEIR_SC_FLUID) {
            if (rate >= 1.0)
                add_fluid(t, p, draw_start(t), (uint64_t)rate, 0.0);
            continue;
        }
        if (u->pattern == WEIR_SC_UDP_ONOFF)
            rate *= ((double)u->on_ps + (double)u->off_ps) / (double)u->on_ps;
        warned = warned || warn_of_gaps(t, rate);
        if (rate >= 1.0)
            add_flow(t, p, draw_start(t), (uint64_t)rate);
    }
}

static void tcp_class(traffic *t, net_class *p, wi_net_class_plan *plan)
{
    const weir_scenario_tcp *c = &t->c->tcp;
    p->flags = (c->sack && c->recovery != WEIR_SC_RECOVERY_GO_BACK ? NET_CLASS_SACK : 0) |
               (c->sack && c->recovery == WEIR_SC_RECOVERY_GO_BACK ? NET_CLASS_GO_BACK : 0) |
               (c->sack && c->recovery == WEIR_SC_RECOVERY_IRN ? NET_CLASS_IRN : 0) |
               (c->sack && c->recovery == WEIR_SC_RECOVERY_RACK ? NET_CLASS_RACK : 0) |
               (c->partial_ack == WEIR_SC_PARTIAL_STEADY ? NET_CLASS_STEADY : 0) |
               (c->tail_probes ? 0 : NET_CLASS_NO_PROBES) | (c->ecn ? NET_CLASS_ECN : 0) |
               (c->ecn == WEIR_SC_ECN_ACCURATE ? NET_CLASS_ACE : 0) | (c->pacing ? NET_CLASS_PACED : 0) |
               (c->handshake ? NET_CLASS_HANDSHAKE : 0) | (c->max_rate_bps ? NET_CLASS_CAPPED : 0) |
               (c->arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS || c->arrivals.kind == WEIR_SC_ARRIVALS_ALL
                    ? 0
                    : NET_CLASS_DYNAMIC) |
               (c->size.kind != WEIR_SC_DIST_NONE || t->c->where >= WEIR_SC_FLOW_LIST ? NET_CLASS_SIZED : 0) |
               (c->request.given ? NET_CLASS_REQUEST : 0) |
               (c->connection != WEIR_SC_CONNECTION_NEW ? NET_CLASS_LASTS : 0) |
               (c->connection == WEIR_SC_CONNECTION_RESTART ? NET_CLASS_RESTART : 0) |
               (c->connection == WEIR_SC_CONNECTION_VALIDATE ? NET_CLASS_VALIDATES : 0);
    p->congestion = (uint16_t)c->congestion;
    memcpy(p->cc, c->congestion_params, sizeof p->cc);
    p->mss_bytes = c->mss_bytes;
    p->initial_window_bytes = c->initial_window * c->mss_bytes;
    p->window_bytes = c->window_bytes > UINT32_C(1) << 30 ? UINT32_C(1) << 30 : (uint32_t)c->window_bytes;
    p->delayed_ack = c->delayed_ack;
    p->delayed_ack_ps = c->delayed_ack_timeout_ps;
    p->rto_min_ps = c->rto_min_ps;
    p->rto_initial_ps = c->rto_initial_ps;
    p->rto_low_ps = c->rto_low_ps;
    p->rto_low_segments = c->rto_low_segments;
    p->bdp_bytes = c->bdp_bytes < p->window_bytes ? (uint32_t)c->bdp_bytes : p->window_bytes;
    p->nack_ps = c->nack_interval_ps;
    p->most_bps = c->max_rate_bps;
    p->think_ps = c->request.think_ps;
    p->request_bytes = (uint32_t)c->request.bytes;
    if (c->size.kind != WEIR_SC_DIST_NONE)
        t->status = wi_network_dist(t->diag, &c->size, &t->n->cdf[t->cls], &p->size);
    if (t->n->cdf[t->cls])
        plan->size_points = t->n->cdf[t->cls]->points;
}

static weir_status add_class(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario *s = n->scenario;
    /* Streams of entities begin at 0; those of classes, used before the run, lie far above. */
    traffic t = {.diag = diag,
                 .n = n,
                 .c = &s->traffic[cls],
                 .cls = cls,
                 .random = weir_stream_make(s->seed, UINT32_MAX - cls, s->run)};
    wi_net_class_plan *plan = &n->plan.classes[cls];
    plan->name = t.c->name.text;
    plan->place = t.c->where_place;
    plan->histogram = s->output.histograms;
    plan->params.stop_ps = t.c->stop_ps;
    plan->params.dscp = t.c->dscp;
    if (t.c->is_udp)
        t.status = wi_network_udp(diag, n, cls);
    else
        tcp_class(&t, &plan->params, plan);
    if (t.status == WEIR_OK && !t.c->is_udp && t.c->tcp.video.given)
        t.status = wi_network_video(diag, n, cls);
    if (t.status == WEIR_OK && t.c->where == WEIR_SC_COLLECTIVE)
        return wi_network_collective(diag, n, cls, &t.random);
    if (t.status == WEIR_OK && t.c->where == WEIR_SC_JOB)
        return wi_network_job(diag, n, cls, &t.random);
    if (t.status == WEIR_OK && t.c->where == WEIR_SC_FLOW_LIST)
        return wi_network_listed(diag, n, cls);
    if (t.status == WEIR_OK && t.c->demands.step_ps > 0)
        return wi_network_matrices(diag, n, cls);
    if (t.status == WEIR_OK)
        t.status = wi_network_pairs(diag, n, t.c, &t.random, &t.pairs);
    if (t.status == WEIR_OK) {
        if (t.c->is_udp)
            udp_flows(&t);
        else
            tcp_flows(&t);
    }
    free(t.pairs.item);
    return t.status;
}

weir_status wi_network_traffic(weir_diag *diag, wi_network *n)
{
    const weir_scenario *s = n->scenario;
    weir_status status = WEIR_OK;
    n->plan.classes = wi_take(&n->memory, s->n_traffic, sizeof *n->plan.classes);
    n->cdf = wi_take(&n->memory, s->n_traffic, sizeof *n->cdf);
    n->replayed = wi_take(&n->memory, s->n_traffic, sizeof *n->replayed);
    n->jobs = wi_take(&n->memory, s->n_traffic, sizeof *n->jobs);
    if (!n->plan.classes || !n->cdf || !n->replayed || !n->jobs)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %zu classes", s->n_traffic);
    if (s->n_traffic > UINT16_MAX)
        return weir_fail(diag, WEIR_E_SCENARIO, "more than %d classes of traffic", UINT16_MAX);
    for (uint32_t i = 0; i < s->n_traffic; i++) {
        const weir_status one = add_class(diag, n, i);
        status = status == WEIR_OK ? one : status;
    }
    return status;
}

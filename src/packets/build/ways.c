/*
 * Ways that are too long: of more links than packets may pass (routing.ttl), or of more time than ACKs tell
 * of (net/flow/ack.h). A network of few routers and fast links has none, and no way is looked for there.
 */
#include <math.h>

#include "net/flow/ack.h"
#include "net/switch/port.h"
#include "packets/build/building.h"

enum { HOPS_MAX = 256, PAIRS_LOOKED_AT = 4096 };

/* Of a class: the way of most links, and the longest times there and back, with queues that are empty and full. */
typedef struct longest {
    uint32_t links;
    double idle_ps, full_ps;
    wi_build_pair by_links, by_idle, by_full;
} longest;

typedef struct looking {
    const wi_building *b;
    const net_class *classes;
    uint32_t packet;     /* the largest, bytes */
    double window_bytes; /* all that TCP may have out at once */
    bool only_tcp;
    longest *of; /* [classes] */
} looking;

/* What is before a link takes when it is as much as there can be. */
static double full_queue_ps(const looking *k, const net_link *link)
{
    const net_queue *q = &k->b->queues[link->queue];
    const double limit = q->params.limit_bytes != UINT64_MAX ? (double)q->params.limit_bytes
                         : q->params.limit_packets           ? (double)k->packet * q->params.limit_packets
                                                             : k->window_bytes;
    return (k->only_tcp ? fmin(limit, k->window_bytes) : limit) / q->bytes_per_ps;
}

static uint32_t go(const looking *k, uint32_t flow, uint32_t src, uint32_t dst, uint32_t bytes,
                   double *idle_ps, double *full_ps)
{
    uint32_t entity[HOPS_MAX];
    const uint32_t n = wi_net_path(k->b->net, flow, src, dst, entity, HOPS_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const net_link *link = net_link_of(wi_net_world(k->b->net), entity[i]);
        const double alone_ps = (double)(link->delay_ps + net_link_time(link, bytes));
        *idle_ps += alone_ps;
        *full_ps += alone_ps + full_queue_ps(k, link);
    }
    return n;
}

static void take(void *user, const wi_build_pair *p)
{
    const looking *k = user;
    const net_class *c = &k->classes[p->cls];
    longest *of = &k->of[p->cls];
    double idle_ps = 0.0, full_ps = 0.0;
    const bool udp = c->flags & NET_CLASS_UDP;
    const uint32_t there = go(k, p->flow, p->src, p->dst, k->packet, &idle_ps, &full_ps),
                   back = udp ? 0 : go(k, p->flow, p->dst, p->src, NET_HEADER_TCP, &idle_ps, &full_ps),
                   links = there > back ? there : back;
    if (links > of->links) {
        of->links = links;
        of->by_links = *p;
    }
    if (idle_ps > of->idle_ps) {
        of->idle_ps = idle_ps;
        of->by_idle = *p;
    }
    if (full_ps > of->full_ps) {
        of->full_ps = full_ps;
        of->by_full = *p;
    }
}

static weir_status judge(const looking *k, uint32_t cls)
{
    const wi_net_class_plan *plan = &k->b->plan->classes[cls];
    const net_class *c = &k->classes[cls];
    const longest *of = &k->of[cls];
    const char *const *name = k->b->plan->graph->name;
    const uint32_t *node = k->b->net->host_node;
    const double round_ps = (double)net_ack_round_ps(c);
    const char *const also = c->flags & NET_CLASS_ACE && c->map_words > NET_ACK_NARROW_WORDS
                                 ? ", or a window of no more than 16,384 segments"
                                 : "";
    if (of->links > k->b->plan->ttl)
        weir_warn_at(
            k->b->diag, WEIR_AT(plan->place),
            "class '%s': from '%s' to '%s' there are more links than routing.ttl, which is %u, so that "
            "no packet arrives; want a larger ttl",
            plan->name, name[node[of->by_links.src]], name[node[of->by_links.dst]], k->b->plan->ttl);
    if (c->flags & NET_CLASS_UDP || (double)k->b->plan->duration_ps <= round_ps)
        return WEIR_OK;
    if (of->idle_ps >= round_ps)
        return weir_fail_at(
            k->b->diag, WEIR_E_SCENARIO, WEIR_AT(plan->place),
            "class '%s': an idle path from '%s' to '%s' and back takes %.4g s, and times in ACKs "
            "come round after %.4g s; want smaller delays, or faster links%s",
            plan->name, name[node[of->by_idle.src]], name[node[of->by_idle.dst]], 1e-12 * of->idle_ps,
            1e-12 * round_ps, also);
    if (of->full_ps >= round_ps)
        weir_warn_at(
            k->b->diag, WEIR_AT(plan->place),
            "class '%s': from '%s' to '%s' and back takes %.4g s where all queues are full, and times in "
            "ACKs come round after %.4g s: longer round trips are taken for shorter ones by as much; "
            "want smaller limits of queues, or faster links%s",
            plan->name, name[node[of->by_full.src]], name[node[of->by_full.dst]], 1e-12 * of->full_ps,
            1e-12 * round_ps, also);
    return WEIR_OK;
}

/* Whether a way of as many links as packets may pass could take as long as ACKs tell of. */
static bool may_be_slow(const looking *k)
{
    const wi_net *net = k->b->net;
    double round_ps = INFINITY, most_ps = 0.0;
    for (uint32_t i = 0; i < k->b->plan->n_classes; i++)
        if (!(k->classes[i].flags & NET_CLASS_UDP))
            round_ps = fmin(round_ps, (double)net_ack_round_ps(&k->classes[i]));
    for (uint32_t i = 0; i < net->n_hosts + net->n_ports; i++) {
        const net_link *link = net_link_of(wi_net_world(net), i);
        most_ps =
            fmax(most_ps, (double)(link->delay_ps + net_link_time(link, k->packet)) + full_queue_ps(k, link));
    }
    return round_ps < (double)k->b->plan->duration_ps && 2.0 * k->b->plan->ttl * most_ps >= round_ps;
}

weir_status wi_build_check_ways(wi_building *b)
{
    const net_world *w = wi_net_world(b->net);
    looking k = {.b = b,
                 .classes = NET_ARRAY(w, net_class, classes),
                 .packet = wi_build_most_packet(b, &(uint32_t){0}),
                 .only_tcp = true,
                 .of = wi_build_temp(b, w->n_classes, sizeof *k.of)};
    if (!k.of)
        return b->status;
    for (uint32_t i = 0; i < w->n_classes; i++) {
        const net_class *c = &k.classes[i];
        const bool udp = c->flags & NET_CLASS_UDP;
        k.only_tcp &= !udp;
        if (!udp)
            k.window_bytes = fmax(k.window_bytes, (double)w->n_tx * ((double)c->window_bytes + k.packet));
    }
    const bool slow = may_be_slow(&k);
    if (slow || w->n_routers + 1 > b->plan->ttl) {
        const uint64_t n = wi_build_each_pair(b, UINT64_MAX, take, &k); /* the first */
        wi_build_each_pair(b, slow ? 1 : 1 + n / PAIRS_LOOKED_AT, take, &k);
    }
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < w->n_classes && status == WEIR_OK; i++)
        status = judge(&k, i);
    return status;
}

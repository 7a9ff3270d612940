/* Repeating a span: what its flows have sent once more is counted everywhere that it would have gone. */
#include "packets/skip/skipper.h"

typedef void visiting(wi_skipper *s, uint32_t entity, void *what);

/* The ports on a flow's way, one after the other; `back`: on that of its ACKs. */
static void along_way(wi_skipper *s, const wi_skip_flow *f, bool back, visiting *visit, void *what)
{
    enum { HOPS_MAX = 256 };
    const net_world *w = wi_net_world(s->net);
    const net_tx *tx = &f->sent[2];
    const uint32_t src = NET_ARRAY(w, uint32_t, tx_host)[f->tx];
    net_packet probe;
    net_packet_init(&probe, f->tx, back ? net_dst_of_ack(w, src, tx->first) : tx->dst, 0, NET_HEADER_TCP,
                    back ? NET_ACK : 0);
    if (!back) {
        probe.u.data.first = tx->first;
        probe.u.data.rx_hint = tx->rx_hint; /* and the flowlet */
    }
    uint32_t entity = back ? tx->dst : src;
    for (uint32_t hop = 0; entity != NET_NONE && hop < HOPS_MAX; hop++) {
        const net_link *link = wi_net_link(s->net, entity);
        visit(s, entity, what);
        entity = link->peer_is_host ? NET_NONE : net_next_port(w, link->peer, &probe, hop);
    }
}

typedef struct count {
    uint64_t packets, bytes;
} count;

static void add_count(wi_skipper *s, uint32_t entity, void *what)
{
    const count *c = what;
    net_port *port = (net_port *)(uintptr_t)wi_net_port(s->net, s->sim, entity);
    port->packets += c->packets;
    port->bytes += c->bytes;
}

/* ---- what lines can carry ---- */

typedef struct carried {
    double packets, bytes_each;
} carried;

static void add_load(wi_skipper *s, uint32_t entity, void *what)
{
    const carried *c = what;
    const net_link *link = wi_net_link(s->net, entity);
    s->load_ps[entity] += c->packets * 8.0 * (c->bytes_each + (double)link->overhead) /
                          (double)link->rate_bps * (double)WEIR_PS_PER_S;
}

static void keep_most(wi_skipper *s, uint32_t entity, void *what)
{
    double *most_ps = what;
    *most_ps = s->load_ps[entity] > *most_ps ? s->load_ps[entity] : *most_ps;
}

/* Counts are off by a packet or two. Where that is more than a line can carry, its flows have what it can. */
static void bound_by_lines(wi_skipper *s, wi_skip_part *p)
{
    const net_world *w = wi_net_world(s->net);
    const double span_ps = (double)(p->at_ps[2] - p->at_ps[0]);
    for (uint32_t i = 0; i < p->n_entities; i++)
        s->load_ps[p->entities[i]] = 0.0;
    for (size_t k = 0; k < p->n_flows; k++) {
        const wi_skip_flow *f = &p->flows[k];
        const net_class *c = net_class_of_flow(w, f->tx);
        carried data = {f->packets, f->sent[2].state == NET_TX_UDP ? (double)c->packet.a
                                                                   : (double)(c->mss_bytes + NET_HEADER_TCP)},
                acks = {f->acks, NET_HEADER_TCP};
        along_way(s, f, false, add_load, &data);
        along_way(s, f, true, add_load, &acks);
    }
    for (size_t k = 0; k < p->n_flows; k++) {
        wi_skip_flow *f = &p->flows[k];
        double most_ps = span_ps;
        along_way(s, f, false, keep_most, &most_ps);
        f->packets *= span_ps / most_ps;
        f->acks *= span_ps / most_ps;
    }
}

/* ---- repeating ---- */

/* From when to when a part of the skip goes, in spans. What is counted up to a time is rounded down there: parts add up, and no flow is
 * ahead of its line. */
typedef struct stretch {
    double from, to;
} stretch;

static uint64_t whole(double number)
{
    return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

/* Of what grew by so much in the span, how much comes in the part. */
static uint64_t grown(stretch t, double growth)
{
    return whole(growth * t.to) - whole(growth * t.from);
}

static uint64_t grown_by(stretch t, uint64_t before, uint64_t after)
{
    return grown(t, (double)(after - before));
}

static void repeat_flow(wi_skipper *s, wi_skip_part *p, const wi_skip_flow *f, stretch t)
{
    const net_tx *a = &f->sent[0], *b = &f->sent[2];
    const net_rx *ra = &f->received[0], *rb = &f->received[2];
    net_tx *tx = weir_sim_slot(s->sim, NET_POOL_TX, f->tx);
    net_rx *rx = weir_sim_slot(s->sim, NET_POOL_RX, f->rx);
    const bool udp = tx->state == NET_TX_UDP;
    const net_class *c = net_class_of_flow(wi_net_world(s->net), f->tx);
    const uint64_t packets = grown(t, f->packets), acks = grown(t, f->acks),
                   header = udp ? NET_HEADER_UDP : NET_HEADER_TCP,
                   bytes = packets * (udp ? (uint64_t)c->packet.a - NET_HEADER_UDP : c->mss_bytes);
    tx->packets += packets;
    tx->acks += acks;
    const uint64_t rtt_n = grown_by(t, a->rtt_n, b->rtt_n);
    if (rtt_n <= UINT32_MAX - tx->rtt_n) { /* as in net_tcp_rtt_sample */
        tx->rtt_sum_ns += grown_by(t, a->rtt_sum_ns, b->rtt_sum_ns);
        tx->rtt_n += (uint32_t)rtt_n;
    }
    tx->reductions += (uint32_t)grown_by(t, a->reductions, b->reductions);
    if (!udp) {
        tx->acked_bytes += bytes;
        tx->left -= tx->flags & NET_TX_UNBOUNDED ? 0 : bytes;
    }
    rx->packets += packets;
    rx->bytes += bytes;
    rx->acks += acks;
    rx->delay_sum_ns += grown_by(t, ra->delay_sum_ns, rb->delay_sum_ns);
    along_way(s, f, false, add_count, &(count){packets, bytes + packets * header});
    along_way(s, f, true, add_count, &(count){acks, acks * NET_HEADER_TCP});
    s->total.packets += packets;
    p->packets += packets;
    s->total.bytes += bytes;
}

/* Packets and bytes are counted by flows, so that none is lost between two ports. */
static void repeat_port(net_port *port, const net_port *growth, stretch t)
{
    port->marked += grown(t, (double)growth->marked);
    port->wait_ns = net_sum(port->wait_ns, grown(t, (double)growth->wait_ns));
    port->backlog = net_sum(port->backlog, grown(t, (double)growth->backlog));
}

void wi_skip_take_growth(wi_skipper *s, wi_skip_part *p)
{
    const int64_t *counters = weir_sim_counters(s->sim);
    for (uint32_t i = 0; i < p->n_entities; i++) {
        const net_port *now = wi_net_port(s->net, s->sim, p->entities[i]);
        net_port *port = &s->ports[p->entities[i]];
        port->marked = now->marked - port->marked;
        port->wait_ns = now->wait_ns - port->wait_ns;
        port->backlog = now->backlog - port->backlog;
    }
    for (uint32_t r = 0; r < p->n_counters; r++)
        for (uint64_t i = p->counters[r].first; i < p->counters[r].end; i++)
            s->counters[i] = counters[i] - s->counters[i];
    bound_by_lines(s, p);
}

void wi_skip_apply(wi_skipper *s, wi_skip_part *p, weir_time at_ps)
{
    const double span_ps = (double)(p->at_ps[2] - p->at_ps[0]);
    const stretch t = {(double)(p->done_ps - p->since_ps) / span_ps, (double)(at_ps - p->since_ps) / span_ps};
    int64_t *counters = (int64_t *)(uintptr_t)weir_sim_counters(s->sim);
    for (uint32_t i = 0; i < p->n_entities; i++)
        repeat_port((net_port *)(uintptr_t)wi_net_port(s->net, s->sim, p->entities[i]),
                    &s->ports[p->entities[i]], t);
    for (size_t k = 0; k < p->n_flows; k++)
        repeat_flow(s, p, &p->flows[k], t);
    for (uint32_t r = 0; r < p->n_counters; r++)
        for (uint64_t i = p->counters[r].first; i < p->counters[r].end; i++)
            counters[i] += (int64_t)grown(t, (double)s->counters[i]);
    wi_net_move_state(s->net, s->sim, p->entities, p->n_entities, at_ps - p->done_ps);
    s->total.time_ps += at_ps - s->total_until_ps;
    s->total_until_ps = p->done_ps = at_ps;
}

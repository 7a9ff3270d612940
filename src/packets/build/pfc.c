/* Switches that pause their neighbours (net/switch/pfc.h): the largest packet, headroom, who is at a link's other end. */

#include "packets/build/building.h"
#include "net/switch/pfc.h"
#include "net/transport/turn.h"

/* The largest and the least that a class of traffic sends, either way. */
static void packets_of(const net_class *c, uint32_t *least, uint32_t *most)
{
    const weir_dist *d = &c->packet;
    *least = NET_HEADER_TCP;
    *most = c->mss_bytes + NET_HEADER_TCP;
    if (c->flags & NET_CLASS_REQUEST && c->request_bytes + NET_HEADER_TCP > *most)
        *most = c->request_bytes + NET_HEADER_TCP;
    if (!(c->flags & NET_CLASS_UDP))
        return;
    *least = d->kind == WEIR_DIST_CONSTANT ? (uint32_t)d->a : NET_PACKET_LEAST;
    *most = d->kind == WEIR_DIST_CONSTANT  ? (uint32_t)d->a
            : d->kind == WEIR_DIST_UNIFORM ? (uint32_t)(d->a + d->b) + 1u
                                           : UINT16_MAX;
    *most = *most < UINT16_MAX ? *most : UINT16_MAX;
    *least = *least > NET_PACKET_LEAST ? *least : NET_PACKET_LEAST;
}

uint32_t wi_build_most_packet(const wi_building *b, uint32_t *least)
{
    uint32_t most = NET_PACKET_LEAST, low, high;
    *least = NET_HEADER_TCP;
    for (uint32_t c = 0; c < b->plan->n_classes; c++) {
        packets_of(&b->plan->classes[c].params, &low, &high);
        most = high > most ? high : most;
        *least = low < *least ? low : *least;
    }
    return most;
}

uint32_t wi_build_turn_bytes(const wi_building *b)
{
    uint32_t bytes = UINT16_MAX, low, high;
    for (uint32_t c = 0; c < b->plan->n_classes; c++) {
        packets_of(&b->plan->classes[c].params, &low, &high);
        bytes = high < bytes ? high : bytes;
    }
    return bytes > NET_TURN_BYTES ? bytes : NET_TURN_BYTES;
}

/* Lossless priorities of which there is any traffic. */
static uint32_t lossless_count(const wi_net_plan *plan)
{
    uint32_t n = 0, used = 0;
    for (uint32_t c = 0; c < plan->n_classes; c++)
        used |= UINT32_C(1) << (plan->classes[c].params.dscp >> 3 & (NET_BANDS - 1u));
    for (uint32_t i = 0; i < NET_BANDS; i++)
        n += (plan->shared.pfc.lossless & used) >> i & 1u;
    return n;
}

/*
 * Bytes that come after a port has decided to pause its neighbour, with the packet that made it: the frame waits for a packet
 * that the port is sending, has 64 bytes, and travels; meanwhile the line brings what it can. Then the neighbour sends the
 * packet that it has begun, and the line's delay brings what is on it.
 */
static uint64_t in_flight(const net_link *in, const net_link *out, uint32_t mtu)
{
    const weir_time frame_ps = net_link_time(out, mtu) + net_link_time(out, NET_PFC_FRAME) + out->delay_ps;
    const double line = (double)in->rate_bps / 8e12 * ((double)frame_ps + (double)in->delay_ps);
    return (uint64_t)line + 2u * (uint64_t)mtu + 2u;
}

static weir_status refuse(const wi_building *b, uint32_t port, const char *what, uint64_t got, uint64_t want)
{
    const wi_net_plan *p = b->plan;
    const uint32_t e = b->net->port_edge[port];
    const char *const at = p->graph->name[b->net->port_node[port]],
                      *const from = e == UINT32_MAX ? "its host" : p->graph->name[p->graph->target[e]];
    return weir_fail_at(b->diag, WEIR_E_SCENARIO, WEIR_AT(p->shared.pfc.place), what, (unsigned long long)got,
                        at, from, (unsigned long long)want);
}

/* What lines are filled in from. */
typedef struct filling {
    wi_building *b;
    const net_link *links;
    const net_host_params *hosts;
    uint32_t *of_edge; /* [n_edges] entity that sends over each */
    uint32_t mtu;
} filling;

static weir_status fill_line(const filling *f, uint32_t port, net_pfc_line *line)
{
    const wi_building *b = f->b;
    const net_link *links = f->links;
    const net_host_params *hosts = f->hosts;
    const weir_graph *g = b->plan->graph;
    const uint32_t e = b->net->port_edge[port];
    const uint32_t back = e == UINT32_MAX ? UINT32_MAX : g->reverse[e];
    if (back != UINT32_MAX && !weir_edge_exists(g, back))
        return weir_fail_at(b->diag, WEIR_E_UNSUPPORTED, WEIR_AT(b->plan->shared.pfc.place),
                            "pfc: the link from '%s' to '%s' leads one way, so that pause frames cannot go",
                            g->name[b->net->port_node[port]], g->name[g->target[e]]);
    line->reverse = links[port].peer_is_host ? links[port].peer : f->of_edge[back];
    const net_link *in =
        line->reverse < b->net->n_hosts ? &hosts[line->reverse].nic : &links[line->reverse - b->net->n_hosts];
    const uint64_t least = in_flight(in, &links[port], f->mtu), given = b->plan->shared.pfc.headroom_bytes;
    line->headroom_bytes = given ? given : least;
    if (given && given < least)
        return refuse(b, port,
                      "pfc: headroom of %llu bytes cannot hold what is in flight to '%s' from '%s' when it "
                      "pauses it: want %llu, or auto",
                      given, least);
    return WEIR_OK;
}

static weir_status fill(const filling *f, net_pfc_line *lines, double *pools)
{
    const wi_building *b = f->b;
    const uint32_t mtu = f->mtu, n = lossless_count(b->plan);
    const uint64_t size = b->plan->shared.bytes;
    weir_status status = WEIR_OK;
    for (uint32_t r = 0, p = 0; r < b->head.n_routers && status == WEIR_OK; r++) {
        const uint32_t end =
            r + 1 < b->head.n_routers ? b->router_port[r + 1] - b->net->n_hosts : b->net->n_ports;
        uint64_t reserved = mtu; /* the last packet below a threshold */
        for (; p < end && status == WEIR_OK; p++) {
            status = fill_line(f, p, &lines[p]);
            reserved += n * lines[p].headroom_bytes;
        }
        if (status == WEIR_OK && p && reserved + mtu > size)
            return refuse(b, p - 1,
                          "pfc: shared_buffer of %llu bytes is less than the headroom of all ports of '%s' "
                          "(one leads to '%s') and two packets; want %llu",
                          size, reserved + mtu);
        pools[r] = (double)size - (double)reserved;
    }
    return status;
}

/* Of a switch's words: the rest is slots that no packet has been in. */
static uint32_t words_used(const void *world, const void *slice, uint32_t n)
{
    const uint32_t slots = ((const net_world *)world)->pfc_slots * NET_QUEUED_WORDS;
    const net_pfc_memory *const memory =
        (const net_pfc_memory *)(const void *)((const uint64_t *)slice + (n - slots - NET_PFC_MEMORY_WORDS));
    return n - slots + memory->store.used * NET_QUEUED_WORDS;
}

weir_status wi_build_pfc(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    wi_net *net = b->net;
    if (!b->plan->shared.pfc.lossless)
        return WEIR_OK;
    net_pfc_line *lines = wi_build_temp(b, net->n_ports, sizeof *lines);
    double *pools = wi_build_temp(b, b->head.n_routers, sizeof *pools);
    filling f = {b, links, hosts, wi_build_temp(b, b->plan->graph->n_edges, sizeof(uint32_t)), 0};
    uint32_t least;
    f.mtu = wi_build_most_packet(b, &least);
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t p = 0; p < net->n_ports; p++)
        if (net->port_edge[p] != UINT32_MAX)
            f.of_edge[net->port_edge[p]] = net->n_hosts + p;
    WI_RETURN_IF_FAILED(fill(&f, lines, pools));
    b->head.pfc_lines = wi_build_array(b, lines, net->n_ports, sizeof *lines);
    b->head.pfc_pools = wi_build_array(b, pools, b->head.n_routers, sizeof *pools);
    b->head.pfc_xoff = b->plan->shared.pfc.xoff_bytes;
    b->head.pfc_xon_offset = b->plan->shared.pfc.xon_offset;
    b->head.pfc_lossless = b->plan->shared.pfc.lossless;
    b->head.pfc_slots = wi_build_pfc_slots(b);
    return b->status;
}

/* As many as fit into the memory. */
uint32_t wi_build_pfc_slots(const wi_building *b)
{
    uint32_t least;
    wi_build_most_packet(b, &least);
    const uint64_t most = b->plan->shared.bytes / least + 1;
    return most < UINT32_MAX / 16 ? (uint32_t)most : UINT32_MAX / 16;
}

uint64_t wi_build_pfc_words(const wi_building *b, uint32_t ports)
{
    return (uint64_t)ports * NET_PFC_PORT_WORDS + NET_PFC_MEMORY_WORDS +
           (uint64_t)wi_build_pfc_slots(b) * NET_QUEUED_WORDS;
}

void wi_build_pfc_model(wi_building *b)
{
    if (!b->head.pfc_lines)
        return;
    if (!b->metered) /* what is measured stands behind the slots */
        b->net->model.pools[NET_POOL_PORT_WORDS].used = words_used;
    b->head.c_pfc = b->net->n_counters;
    b->net->n_counters += ((uint64_t)b->net->n_hosts + b->net->n_ports) * NET_PFC_COUNTERS;
}

uint64_t wi_net_pfc_slots(const wi_net *net)
{
    const net_world *const w = wi_net_world(net);
    uint64_t switches = 0;
    for (uint32_t r = 0; net->model.pools[NET_POOL_PORT_WORDS].used && r < w->n_routers; r++)
        switches += NET_ARRAY(w, uint32_t, router_ports)[r] > 0;
    return switches * w->pfc_slots;
}

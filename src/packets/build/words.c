/*
 * What each entity has in its kind's pool of words: departure times or a store of packets, the ports of a switch with shared
 * memory, the state of an impaired link, a meter; a host besides its programs, its ring of pulls (transport/pull.h) and its gates.
 */
#include "packets/build/building.h"
#include "net/switch/port.h"
#include "net/transport/pull.h"

/* A port that counts packets holds at most so many: 8 MB of departure times. */
enum { RING_MAX = 1 << 20 };

/* Words of a port in its kind's pool: departure times, or a store. */
static uint64_t words_of(const net_queue *q)
{
    if (q->departs)
        return net_store_words(q);
    if (!q->counts_packets)
        return q->own_words;
    if (q->params.limit_packets)
        return q->own_words + (uint64_t)q->params.limit_packets + 1;
    const uint64_t most = q->params.limit_bytes / NET_PACKET_LEAST + 2;
    return q->own_words + (most < RING_MAX ? most : RING_MAX);
}

/* Words of a host's pulls. */
static uint64_t pull_words(const wi_building *b, uint32_t host)
{
    const uint32_t *first = b->net->pool_first[NET_POOL_RX];
    return wi_build_any(b->plan, NET_CLASS_NDP)
               ? (uint64_t)NET_PULLS_WORDS + (first[host + 1] - first[host] + 1u) / 2u
               : 0;
}

static uint32_t gate_words(const wi_building *b, uint32_t host)
{
    return b->gate_first ? b->gate_first[host + 1] - b->gate_first[host] : 0;
}

uint64_t wi_build_last_words(const wi_building *b, uint32_t host)
{
    return (b->programs.words ? b->programs.words[host] : 0) + pull_words(b, host) + gate_words(b, host);
}

/* Words of the meters of an entity's links. */
static uint64_t meter_words(const wi_building *b, uint32_t entity)
{
    if (!b->metered)
        return 0;
    return (uint64_t)NET_METER_WORDS *
           (entity >= b->net->n_hosts && b->plan->shared.bytes ? wi_build_switch_ports(b, entity) : 1u);
}

/* Bounds of each entity's ring: for the engine by kind, a host's gates behind its own; for the handlers as pairs over all
 * entities. */
weir_status wi_build_words(wi_building *b, const net_link *links, const net_host_params *hosts)
{
    wi_net *net = b->net;
    const uint32_t n = net->n_hosts + net->n_ports;
    uint32_t *host_first = net->pool_first[NET_POOL_HOST_WORDS] =
        wi_build_keep(b, (uint64_t)net->n_hosts + 1, sizeof *host_first);
    uint32_t *port_first = net->pool_first[NET_POOL_PORT_WORDS] =
        wi_build_keep(b, (uint64_t)net->n_ports + 1, sizeof *port_first);
    uint32_t *pairs = wi_build_temp(b, 2 * (uint64_t)n, sizeof *pairs);
    if (b->status != WEIR_OK)
        return b->status;
    for (uint32_t i = 0; i < n; i++) {
        const bool host = i < net->n_hosts;
        uint32_t *first = host ? &host_first[i] : &port_first[i - net->n_hosts];
        const net_link *link = host ? &hosts[i].nic : &links[i - net->n_hosts];
        const uint64_t own = (uint64_t)first[0] + words_of(&b->queues[link->queue]) +
                             wi_build_switch_words(b, i),
                       end = own + (link->impaired ? NET_IMPAIRED_WORDS : 0) + meter_words(b, i) +
                             (host ? wi_build_last_words(b, i) : 0);
        if (end > UINT32_MAX)
            return weir_fail(b->diag, WEIR_E_NOMEM,
                             "queues that count packets need more than %u departure times in all: give them "
                             "smaller limits, or count bytes",
                             UINT32_MAX);
        first[1] = (uint32_t)end;
        pairs[2 * i] = first[0];
        pairs[2 * i + 1] = (uint32_t)own;
    }
    if (host_first[net->n_hosts] || port_first[net->n_ports])
        b->head.rings = wi_build_array(b, pairs, 2 * (uint64_t)n, sizeof *pairs);
    return b->status;
}

weir_status wi_build_pulls(wi_building *b)
{
    const uint32_t n = b->net->n_hosts, *end = b->net->pool_first[NET_POOL_HOST_WORDS] + 1;
    if (!wi_build_any(b->plan, NET_CLASS_NDP))
        return WEIR_OK;
    uint32_t *first = wi_build_place(b, n, sizeof *first, &b->head.pulls);
    for (uint32_t h = 0; first && h < n; h++) {
        first[h] = end[h] - gate_words(b, h) - (uint32_t)pull_words(b, h);
    }
    return b->status;
}

/*
 * Forwarding: the port through which a packet leaves a router, by its table or by a source route; and the hashes that share
 * flows, packets or flowlets out over paths of equal cost (ECMP; C. Hopps, RFC 2992).
 */
#pragma once

#include "net/packet/world.h"

/* Where in an array of entries a packet with a source route finds the port of its router number `hop`. */
WEIR_FN size_t net_path_at(const net_world *w, const net_packet *packet, uint32_t hop)
{
    const uint32_t backward = (packet->flags & NET_ACK) != 0;
    return (size_t)NET_ARRAY(w, uint32_t, paths)[2 * (size_t)packet->flow + backward] + hop;
}

/* What shares flows out over paths of equal cost: a hash of the flow and its direction. Flows that follow each
 * other in a slot, at steps of their size, are far apart in it. */
WEIR_FN uint32_t net_flow_hash(const net_packet *packet)
{
    uint64_t h = ((uint64_t)packet->flow << 32) + net_packet_number(packet);
    h = (h ^ (packet->flags & NET_ACK)) * UINT64_C(0xd6e8feb86659fd93);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

/* Another number for each packet of a flow: of what a packet carries unchanged from end to end. */
WEIR_FN uint32_t net_spray_hash(const net_packet *packet)
{
    const uint64_t sent = packet->flags & NET_ACK ? packet->u.ack[0] : packet->u.ack[0] & NET_SENT_MASK;
    uint64_t h = sent * UINT64_C(0x9e3779b97f4a7c15) + packet->u.ack[1];
    h = (h ^ (h >> 29) ^ packet->seq) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return net_flow_hash(packet) ^ (uint32_t)(h >> 32);
}

/* Another number for each flowlet of a flow's data. */
NET_RARE uint32_t net_flowlet_hash(const net_packet *packet)
{
    const uint32_t number = packet->flags & NET_ACK ? 0u : packet->u.data.rx_hint / NET_HINT_SLOTS;
    uint64_t h = (uint64_t)(number % NET_HINT_FLOWLETS) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xd6e8feb86659fd93);
    return net_flow_hash(packet) ^ (uint32_t)(h >> 32);
}

/* Another number for each entropy value of a flow, where its class has them (flow/entropy.h). */
NET_RARE uint32_t net_entropy_hash(const net_world *w, const net_packet *packet)
{
    if ((packet->flags & NET_UDP) || !(net_class_of_flow(w, packet->flow)->flags & NET_CLASS_UET))
        return net_flow_hash(packet);
    const uint64_t value = packet->flags & NET_ACK ? packet->u.ack[1] & UINT16_MAX : packet->u.ack[0] >> 48;
    uint64_t h = (value + 1u) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xd6e8feb86659fd93);
    return net_flow_hash(packet) ^ (uint32_t)(h >> 32);
}

/* Where the forwarding table has a router's entry for a destination. */
WEIR_FN const void *net_table_entry(const net_world *w, uint32_t router, const net_dest *dest)
{
    return (const unsigned char *)net_at(w, w->table) +
           ((size_t)router * w->n_columns + dest->column) * w->entry_bytes;
}

/* Entity of the port through which a packet leaves a router whose entry for it that is. */
WEIR_FN uint32_t net_entry_port(const net_world *w, uint32_t router, const net_packet *packet, uint32_t entry)
{
    if (WEIR_UNLIKELY(entry == (w->entry_bytes == 1 ? UINT8_MAX : WEIR_NO_PORT)))
        return NET_NONE;
    if (w->ecmp) {
        const uint32_t *bounds =
            NET_ARRAY(w, uint32_t, set_bounds) + NET_ARRAY(w, uint32_t, set_first)[router] + entry;
        const uint32_t hash = WEIR_LIKELY(w->ecmp == 1) ? net_flow_hash(packet)
                              : w->ecmp == NET_FLOWLETS ? net_flowlet_hash(packet)
                              : w->ecmp == NET_ENTROPY  ? net_entropy_hash(w, packet)
                                                        : net_spray_hash(packet);
        const uint32_t pick = weir_ecmp_pick(hash + w->path_salt, router, bounds[1] - bounds[0]);
        entry = NET_ARRAY(w, uint16_t, set_ports)[bounds[0] + pick];
    }
    return NET_ARRAY(w, uint32_t, router_port)[router] + entry;
}

/* Entity of the port through which a packet leaves a router, the packet's number `hop` (0: its first);
 * NET_NONE where there is no way. */
WEIR_FN uint32_t net_next_port(const net_world *w, uint32_t router, const net_packet *packet, uint32_t hop)
{
    const net_dest *dest = NET_ARRAY(w, net_dest, dests) + net_packet_dst(w, packet);
    if (dest->router == router)
        return dest->port;
    const uint64_t entries = w->paths ? w->path_ports : w->table;
    const size_t at = w->paths ? net_path_at(w, packet, hop) : (size_t)router * w->n_columns + dest->column;
    return net_entry_port(w, router, packet,
                          w->entry_bytes == 1 ? ((const uint8_t *)net_at(w, entries))[at]
                                              : ((const uint16_t *)net_at(w, entries))[at]);
}

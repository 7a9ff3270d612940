/*
 * What handlers of the packet network read beside their entity, for engines on the host to ask for some events ahead (weir_model.ask).
 *
 * In a network that no cache holds a packet at a port waits for four lines, one after the other: the port's state, its link, the
 * entry of the next router's forwarding table, and the next cell of its stream. A host's packet waits for five of a sender or three
 * of a receiver.
 */
#pragma once

#include "net/transport/receiver.h"

/* To the compiler these do nothing: a call that is not inlined is left out. */
#define NET_ASKS static inline __attribute__((always_inline)) void

NET_ASKS net_ask_bytes(const void *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch((const unsigned char *)at + i);
    __builtin_prefetch((const unsigned char *)at + bytes - 1);
}

/* The entry that takes a packet for a host on from a router. */
NET_ASKS net_ask_way(const net_world *w, const net_link *link, uint32_t dst)
{
    if (link->peer_is_host || w->paths || !w->table)
        return;
    __builtin_prefetch(net_table_entry(w, link->peer, NET_ARRAY(w, net_dest, dests) + dst));
    __builtin_prefetch(NET_ARRAY(w, uint32_t, router_port) + link->peer);
    if (w->ecmp)
        __builtin_prefetch(NET_ARRAY(w, uint32_t, set_first) + link->peer);
}

NET_ASKS net_ask_port(const net_world *w, uint32_t port, const net_packet *packet, bool again)
{
    const net_link *link = net_port_link(w, port);
    if (again) {
        net_ask_way(w, link, net_packet_dst(w, packet));
        return;
    }
    __builtin_prefetch(link);
    __builtin_prefetch(NET_ARRAY(w, net_dest, dests) + packet->dst);
    if (w->ecmp && packet->flags & NET_ACK)
        __builtin_prefetch(NET_ARRAY(w, uint32_t, tx_host) + packet->flow);
}

/* A sender, then its window and the way of what it sends. */
NET_ASKS net_ask_sender(const weir_ctx *ctx, const net_world *w, uint32_t host, uint32_t flow, bool again)
{
    const net_tx *tx = (const net_tx *)weir_slot(ctx, NET_POOL_TX, flow, sizeof *tx);
    if (!again) {
        net_ask_bytes(tx, sizeof *tx);
        return;
    }
    const net_class *c = net_class_at(w, tx->cls);
    if (c->flags & NET_CLASS_SACK)
        net_ask_bytes(
            weir_slot(ctx, NET_POOL_WINDOW, tx->map + NET_TX_ROWS(c->flags) * c->map_words, sizeof(uint64_t)),
            (NET_TX_WORDS(c->flags) + 1u) * sizeof(uint64_t));
    net_ask_way(w, &NET_ARRAY(w, net_host_params, hosts)[host].nic, tx->dst);
}

/* A receiver, then its window and the way of its ACKs. */
NET_ASKS net_ask_receiver(const weir_ctx *ctx, const net_world *w, uint32_t host, uint32_t slot, bool again)
{
    const net_rx *rx = (const net_rx *)weir_slot(ctx, NET_POOL_RX, slot, sizeof *rx);
    if (!again) {
        net_ask_bytes(rx, sizeof *rx);
        return;
    }
    if (slot >= w->n_rx) /* of a host without room for flows that come by themselves */
        return;
    if (rx->n_ooo)
        __builtin_prefetch(weir_slot(ctx, NET_POOL_WINDOW, rx->map, sizeof(uint64_t)));
    net_ask_way(w, &NET_ARRAY(w, net_host_params, hosts)[host].nic, rx->sender);
}

NET_ASKS net_ask_packet(const weir_ctx *ctx, const net_world *w, uint32_t host, const net_packet *packet,
                        bool again)
{
    if (packet->flags & NET_ACK)
        net_ask_sender(ctx, w, host, packet->flow, again);
    else
        net_ask_receiver(ctx, w, host, net_rx_from(w, packet->flow, packet->u.data.rx_hint, host), again);
}

/* Who waits for a turn, where that is one. */
NET_ASKS net_ask_turn(const weir_ctx *ctx, const net_host *host)
{
    if (host->ring)
        net_ask_bytes(weir_slot(ctx, NET_POOL_TX, host->ring - 1u, sizeof(net_tx)), sizeof(net_tx));
}

/* See weir_model.ask. */
static void net_ask(const weir_ctx *ctx, const weir_soon *soon)
{
    const net_world *w = (const net_world *)ctx->world;
    const net_note *note = (const net_note *)soon->payload;
    if (soon->type == NET_EV_PORT_PACKET) {
        net_ask_port(w, soon->target, (const net_packet *)soon->payload, soon->again);
        return;
    }
    if (soon->target >= w->n_hosts)
        return;
    if (!soon->again)
        net_ask_bytes(&NET_ARRAY(w, net_host_params, hosts)[soon->target].nic, sizeof(net_link));
    if (soon->type == NET_EV_HOST_PACKET)
        net_ask_packet(ctx, w, soon->target, (const net_packet *)soon->payload, soon->again);
    else if (soon->type == NET_EV_SEND || soon->type == NET_EV_TX_TIMER || soon->type == NET_EV_UDP_SEND)
        net_ask_sender(ctx, w, soon->target, note->index, soon->again);
    else if (soon->type == NET_EV_RX_TIMER)
        net_ask_receiver(ctx, w, soon->target, note->index, soon->again);
    else if (soon->type == NET_EV_HOST_DEPART && soon->again)
        net_ask_turn(ctx, (const net_host *)soon->state);
}

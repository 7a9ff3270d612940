/*
 * Flowlets: what a flow sends after a pause may take another path without overtaking what went before (S. Sinha, S. Kandula and
 * D. Katabi, "Harnessing TCPs Burstiness using Flowlet Switching", HotNets 2004). Switches that pick a path by chance for each are
 * LetFlow's (Vanini and others, NSDI 2017). Here routers have no state of flows, so the sender's host numbers flowlets, as
 * CLOVE's do (Katta and others, CoNEXT 2017): by the pause before a packet is handed to the interface. Packets carry the number,
 * modulo 128, beside where their receiver's slot is, and it is part of the hash by which routers pick among paths of equal cost.
 * ACKs keep the flow's path.
 */
#pragma once

#include "net/flow/endpoint.h"
#include "net/packet/world.h"

enum { NET_FLOWLET_UNIT_BITS = 16 };

/* Number the flowlet of the packet that a sender, which is touched, is about to send. */
WEIR_FN void net_flowlet(const weir_ctx *ctx, const net_world *w, net_tx *tx)
{
    if (WEIR_LIKELY(w->ecmp != NET_FLOWLETS))
        return;
    const uint32_t now = (uint32_t)((uint64_t)weir_now(ctx) >> NET_FLOWLET_UNIT_BITS);
    const uint32_t number = tx->rx_hint / NET_HINT_SLOTS % NET_HINT_FLOWLETS;
    if (now - tx->sent_at > w->flowlet) {
        tx->rx_hint &= NET_HINT_KNOWN | (NET_HINT_SLOTS - 1u);
        tx->rx_hint |= (number + 1u) % NET_HINT_FLOWLETS * NET_HINT_SLOTS;
    }
    tx->sent_at = now;
}

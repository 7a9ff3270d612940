/*
 * Routes in a k-ary n-tree (Petrini, Vanneschi, IPPS 1997): n levels of k^(n-1) switches, k^n terminals. A
 * switch is its level (0: the terminals') and n - 1 digits to the base k; ports 0 .. k - 1 lead down, k .. 2k - 1
 * up. Up port j of level l leads to the switch whose digit l is j; down from level l to l - 1 sets digit l - 1.
 *
 * Up until the digits from the level on agree with the target's, then down, where there is one way. Upwards,
 * `minimal` takes the target terminal's digit of the level, so that the terminals of a switch have ways down of their
 * own; `adaptive` takes the output with the least load, equals by the packet's
 * bits. Deadlock: never up after down.
 */
#pragma once

#include "models/interconnect/routing/dragonfly.h"

WEIR_FN uint32_t ic_least_up(const ic_here *r, const ic_burst *b)
{
    const uint32_t k = r->w->k, first = ic_one_of(ic_packet_bits(b->source, b->packet, IC_SALT_TIE), k);
    uint32_t best = first, least = UINT32_MAX;
    for (uint32_t i = 0; i < k; i++) {
        const uint32_t up = first + i < k ? first + i : first + i - k;
        const uint32_t load = ic_load(r, k + up);
        if (load < least) {
            least = load;
            best = up;
        }
    }
    return k + best;
}

WEIR_FN ic_way ic_route_tree(const ic_here *r, ic_burst *b)
{
    const ic_world *w = r->w;
    const uint32_t width = w->levels; /* level, then the digits */
    const uint32_t *mine = IC_TABLE(w, uint32_t, w->coordinate_at) + (size_t)r->id * width;
    const uint32_t to = IC_TABLE(w, uint32_t, w->terminal_at)[b->target];
    const uint32_t *its = IC_TABLE(w, uint32_t, w->coordinate_at) + (size_t)to * width;
    const uint32_t level = mine[0];
    ic_way way;
    way.vc = 0;
    uint32_t digit = level;
    while (digit + 1 < w->levels && mine[1 + digit] == its[1 + digit])
        digit++;
    if (digit + 1 >= w->levels) { /* all agree: down */
        way.port = level == 0 ? IC_TABLE(w, uint8_t, w->terminal_port_at)[b->target] : its[level];
        return way;
    }
    if (w->routing != IC_ADAPTIVE) {
        way.port = w->k + (level == 0 ? IC_TABLE(w, uint8_t, w->terminal_port_at)[b->target] : its[level]);
        return way;
    }
    int is_new;
    ic_choice *c = ic_choice_of(r, b, &is_new);
    if (is_new)
        c->port = (uint8_t)ic_least_up(r, b);
    way.port = c->port;
    return way;
}

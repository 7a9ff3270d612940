/*
 * Routes in a dragonfly of one dimension (Kim, Dally, Scott, Abts, ISCA 2008): groups of a routers, all joined
 * with each other; p terminals and h global links a router.
 *
 * Minimal: to the router with a link to the target's group, over it, to the target's router. Valiant: first to
 * a random other group, then minimal. UGAL-L: at the first router the shorter of the two by load times hops,
 * as the router sees its own outputs. PAR (Jiang, Kim, Dally, ISCA 2009): the same, and once more at the
 * second router of the source group for packets that were sent the minimal way.
 * Where several links join two groups, a packet's bits choose one. All global links are wired: what is left when each pair of
 * groups has as many joins groups at some distances once more, so that numbers of links differ by one at most.
 *
 * Deadlock: channels are taken in the rising order local 0, local 1 (PAR's second), global 0, local 2, global
 * 1, local 3. Packets within a group always go straight.
 */
#pragma once

#include "models/interconnect/world/router_state.h"

typedef struct ic_way {
    uint32_t port, vc;
} ic_way;

WEIR_FN uint32_t ic_group_of(const ic_world *w, uint32_t router)
{
    return IC_TABLE(w, uint16_t, w->group_at)[router];
}

WEIR_FN uint32_t ic_local_port(const ic_world *w, uint32_t from, uint32_t to)
{
    const uint32_t mine = from % w->a, its = to % w->a;
    return w->p + its - (its > mine);
}

/* Where a link more joins pairs of neighbours only: is a group the one `offset` on's partner? */
WEIR_FN int ic_is_paired(const ic_world *w, uint32_t from, uint32_t offset)
{
    const uint32_t low = offset == 1 ? from : (from ? from : w->groups) - 1;
    return !w->paired || (offset != 1 && offset != w->groups - 1) || (low % 2 == 0 && low + 1 < w->groups);
}

/* The channel of a link that a group has beyond links_each to the one `offset` on; IC_NONE: it has none. */
WEIR_FN uint32_t ic_extra_channel(const ic_world *w, uint32_t from, uint32_t offset)
{
    return ic_is_paired(w, from, offset) ? IC_TABLE(w, uint32_t, w->extra_at)[offset] : IC_NONE;
}

/* The channel of `from`'s group that a packet takes to another group. */
WEIR_FN const ic_channel *ic_channel_to(const ic_world *w, const ic_burst *b, uint32_t from, uint32_t to)
{
    const uint32_t offset = to > from ? to - from : to + w->groups - from;
    const uint32_t extra = ic_extra_channel(w, from, offset), links = w->links_each + (extra != IC_NONE);
    const uint32_t which =
        links == 1 ? 0 : ic_one_of(ic_packet_bits(b->source, b->packet, IC_SALT_LINK + 16 * from), links);
    return IC_TABLE(w, ic_channel, w->channel_at) +
           (which == w->links_each ? extra : which * (w->groups - 1) + offset - 1);
}

/* The next step to another group, for a packet with `globals` global links behind it. */
WEIR_FN ic_way ic_to_group(const ic_here *r, const ic_burst *b, uint32_t to, uint32_t globals, uint32_t local)
{
    const ic_world *w = r->w;
    const uint32_t group = ic_group_of(w, r->id);
    const ic_channel *c = ic_channel_to(w, b, group, to);
    const uint32_t gate = group * w->a + c->router;
    ic_way way;
    if (gate == r->id) {
        way.port = c->port;
        way.vc = globals;
    } else {
        way.port = ic_local_port(w, r->id, gate);
        way.vc = w->local_vc[local];
    }
    return way;
}

/* The router at which a packet enters a group from another one. */
WEIR_FN uint32_t ic_entry(const ic_world *w, const ic_burst *b, uint32_t from, uint32_t to)
{
    const ic_channel *c = ic_channel_to(w, b, from, to);
    return ic_link_of(w, from * w->a + c->router, c->port)->peer - w->n_terminals;
}

/* Channels between routers from router `from` of a group to router `to` of another, the minimal way. */
WEIR_FN uint32_t ic_minimal_hops(const ic_world *w, const ic_burst *b, uint32_t from, uint32_t to_group,
                                 uint32_t to)
{
    const uint32_t group = ic_group_of(w, from);
    const ic_channel *c = ic_channel_to(w, b, group, to_group);
    return 1u + (group * w->a + c->router != from) + (ic_entry(w, b, group, to_group) != to);
}

/* A random group that is neither of two; there must be a third. */
WEIR_FN uint32_t ic_other_group(const ic_world *w, const ic_burst *b, uint32_t one, uint32_t two)
{
    const uint32_t low = one < two ? one : two, high = one < two ? two : one;
    uint32_t via = ic_one_of(ic_packet_bits(b->source, b->packet, IC_SALT_VIA), w->groups - 2);
    via += via >= low;
    via += via >= high;
    return via;
}

/* UGAL's choice between the minimal way to a router and one over another group. Returns the group of the detour or IC_NO_VIA. */
WEIR_FN uint32_t ic_ugal(const ic_here *r, const ic_burst *b, uint32_t to, uint32_t local)
{
    const ic_world *w = r->w;
    const uint32_t group = ic_group_of(w, r->id), to_group = ic_group_of(w, to);
    const uint32_t via = ic_other_group(w, b, group, to_group);
    const ic_way direct = ic_to_group(r, b, to_group, 0, local), detour = ic_to_group(r, b, via, 0, local);
    const uint32_t direct_hops = ic_minimal_hops(w, b, r->id, to_group, to);
    const uint32_t middle = ic_entry(w, b, group, via);
    const uint32_t detour_hops =
        ic_minimal_hops(w, b, r->id, via, middle) + ic_minimal_hops(w, b, middle, to_group, to);
    const int64_t direct_cost = (int64_t)ic_load(r, direct.port) * direct_hops;
    const int64_t detour_cost = (int64_t)ic_load(r, detour.port) * detour_hops + w->bias;
    return direct_cost <= detour_cost ? IC_NO_VIA : via;
}

/* The detour of a packet to a router, decided by its first burst for all. */
WEIR_FN uint16_t ic_decided_via(const ic_here *r, const ic_burst *b, uint32_t to, uint32_t local)
{
    int is_new;
    ic_choice *c = ic_choice_of(r, b, &is_new);
    if (is_new)
        c->via = (uint16_t)ic_ugal(r, b, to, local);
    return c->via;
}

/* Where a burst goes from here; may set its detour. */
WEIR_FN ic_way ic_route_dragonfly(const ic_here *r, ic_burst *b)
{
    const ic_world *w = r->w;
    const uint32_t to = IC_TABLE(w, uint32_t, w->terminal_at)[b->target];
    ic_way way;
    if (to == r->id) {
        way.port = IC_TABLE(w, uint8_t, w->terminal_port_at)[b->target];
        way.vc = 0;
        return way;
    }
    const uint32_t group = ic_group_of(w, r->id), to_group = ic_group_of(w, to);
    const uint32_t vc = b->mark & IC_VC;
    const uint32_t from = ic_link_of(w, r->id, b->port)->class_;
    uint32_t globals = 0, local = 0; /* its place on the path */
    if (from == IC_GLOBAL)
        globals = vc + 1;
    else if (from == IC_LOCAL)
        globals = w->globals_of_vc[vc];
    if (globals == 0 && group != to_group && b->via == IC_NO_VIA && w->groups > 2) {
        if (from == IC_TERMINAL && w->routing == IC_VALIANT) {
            b->via = (uint16_t)ic_other_group(w, b, group, to_group);
        } else if (from == IC_TERMINAL && (w->routing == IC_UGAL || w->routing == IC_PAR)) {
            b->via = ic_decided_via(r, b, to, 0);
        } else if (from == IC_LOCAL && w->routing == IC_PAR && vc == w->local_vc[0]) {
            b->via = ic_decided_via(r, b, to, 1);
            local = 1;
        }
    }
    if (from == IC_LOCAL && globals == 0)
        local = 1;
    local = globals ? globals + 1 : local;
    const uint32_t next = globals == 0 && b->via != IC_NO_VIA ? b->via : to_group;
    if (next != group)
        return ic_to_group(r, b, next, globals, local);
    way.port = ic_local_port(w, r->id, to);
    way.vc = w->local_vc[local];
    return way;
}

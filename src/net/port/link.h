/* A port's link: how long a packet takes on it, the trace that it follows, and what impairs it. */
#pragma once

#include "net/port/port_state.h"
#include "weir/units.h"

/* How long a link takes to send a packet of so many bytes, with what it adds to each. */
WEIR_FN weir_time net_link_time(const net_link *link, uint32_t bytes)
{
    bytes += (uint32_t)link->overhead;
    return link->ps_per_byte ? (weir_time)((uint64_t)bytes * link->ps_per_byte)
                             : weir_tx_time(bytes, link->rate_bps);
}

/* Whether a link's random loss takes a packet. */
WEIR_FN bool net_link_loses(const net_link *link, weir_stream *random)
{
    return link->loss && (uint32_t)(weir_draw(random) >> 32) < link->loss;
}

/* State of an entity's link, where that is impaired: behind what the port has in its pool. */
WEIR_FN net_impaired *net_impaired_of(const weir_ctx *ctx, const net_world *w, uint32_t entity)
{
    const uint32_t at = NET_ARRAY(w, uint32_t, rings)[2 * (size_t)entity + 1];
    return (net_impaired *)weir_slot(ctx, entity < w->n_hosts ? NET_POOL_HOST_WORDS : NET_POOL_PORT_WORDS, at,
                                     8);
}

/* What an entity's link, an impaired one, does to packets; and the trace that it follows, or null. */
WEIR_FN const net_impairment *net_impairment_at(const net_world *w, uint32_t entity)
{
    return NET_ARRAY(w, net_impairment, impairments) + NET_ARRAY(w, uint32_t, impairment_of)[entity];
}

/* The trace that an impaired link follows, or null. */
WEIR_FN const net_trace *net_trace_at(const net_world *w, uint32_t entity)
{
    const uint64_t trace = net_impairment_at(w, entity)->trace;
    return trace ? (const net_trace *)net_at(w, trace) : (const net_trace *)0;
}

/* When a packet that is there since ready_ps, of which the line begins at begins_ps at the earliest, will have left. */
WEIR_FN_APART weir_time net_trace_leaves(weir_ctx *ctx, const net_world *w, const net_trace *t,
                                         weir_time ready_ps, weir_time begins_ps, uint32_t bytes)
{
    if (t->kind == NET_TRACE_RATES)
        return net_trace_sent(t, (const net_trace_point *)net_at(w, t->points), begins_ps, bytes);
    net_impaired *s = net_impaired_of(ctx, w, ctx->entity);
    weir_touch(ctx, s, sizeof *s);
    const weir_time at_ps =
        net_trace_served(t, (const weir_time *)net_at(w, t->points), &s->served, ready_ps, bytes);
    return at_ps > begins_ps ? at_ps : begins_ps;
}

/* Bytes that the line can send from one time to another. */
WEIR_FN_APART double net_trace_between(const net_world *w, const net_trace *t, weir_time from_ps,
                                       weir_time to_ps)
{
    if (to_ps <= from_ps)
        return 0.0;
    if (t->kind == NET_TRACE_RATES) {
        const net_trace_point *points = (const net_trace_point *)net_at(w, t->points);
        return net_trace_bytes(t, points, to_ps) - net_trace_bytes(t, points, from_ps);
    }
    const weir_time *at = (const weir_time *)net_at(w, t->points);
    return (double)NET_OPPORTUNITY * (double)(net_trace_past(t, at, to_ps) - net_trace_past(t, at, from_ps));
}

/* Bytes that stand in a port that decides at arrival, whose line's state that is. */
WEIR_FN_APART double net_trace_backlog(const net_world *w, const net_trace *t, const net_impaired *s,
                                       weir_time now_ps, weir_time busy_until_ps)
{
    if (t->kind == NET_TRACE_RATES || busy_until_ps <= now_ps)
        return net_trace_between(w, t, now_ps, busy_until_ps);
    const uint64_t gone =
        net_trace_past(t, (const weir_time *)net_at(w, t->points), now_ps) * NET_OPPORTUNITY;
    return s->served > gone ? (double)(s->served - gone) : 0.0;
}

/* The fate of a packet that an impaired link is given. */
WEIR_FN_APART net_fate net_link_fate(weir_ctx *ctx, const net_world *w, const net_packet *packet,
                                     weir_time leaves_ps, weir_time send_ps)
{
    const net_impairment *m = net_impairment_at(w, ctx->entity);
    net_given given;
    given.bytes = packet->bytes;
    given.leaves_ps = leaves_ps;
    given.send_ps = send_ps;
    given.more_ps = 0;
    if (m->flags & NET_IMPAIR_DELAYS) {
        const net_trace *t = (const net_trace *)net_at(w, m->trace);
        const net_trace_point *points = (const net_trace_point *)net_at(w, t->points);
        given.more_ps = points[net_trace_point_at(t, points, net_trace_split(t, leaves_ps).rest_ps)].more_ps;
    }
    net_impaired *s = net_impaired_of(ctx, w, ctx->entity);
    weir_touch(ctx, s, sizeof *s);
    return net_impair(ctx, m, s, given);
}

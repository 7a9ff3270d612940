/* A source over a block: what it learns of its path, and what it sends. */
#ifndef WI_FLUID_LAW_SOURCE_H
#define WI_FLUID_LAW_SOURCE_H

#include "fluid/law/columns.h"
#include "fluid/law/laws.h"

/* What of a flow's fluid comes to be known at its source in a step. */
typedef struct fluid_news {
    fluid_real rtt, sent, arrived, signalled; /* round trip at the step's end; bytes */
} fluid_news;

/* The source's view of its path: a pull from the last port over the wire and the way back. */
typedef struct fluid_exit {
    fluid_column lag, keep, signal, volume;
    const double *own_lag, *own_keep, *own_signal;
    double delay;
} fluid_exit;

WEIR_FN fluid_exit fluid_exit_open(const fluid_tables *t, const fluid_state *s, uint32_t flow, double delay)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_port *const port = &t->ports[f->port];
    const uint32_t kind = t->classes[f->cls].kind;
    fluid_exit e;
    e.lag = fluid_port_column(port, s->now, s->lag, f->prefix);
    e.keep = fluid_port_column(port, s->now, s->keep, f->prefix);
    e.signal = fluid_port_column(port, s->now, t->signals ? s->signal : s->keep, f->prefix);
    e.volume = fluid_volume_column(t, s, flow);
    e.own_lag = s->own_lag + port->own;
    e.own_keep = fluid_own(t, s->own_keep, port, kind);
    e.own_signal = t->signals ? fluid_own(t, s->own_signal, port, kind) : e.own_keep;
    e.delay = delay;
    return e;
}

WEIR_FN fluid_news fluid_exit_arrive(const fluid_tables *t, const fluid_exit *e, const fluid_pull *p,
                                     uint32_t i, fluid_real rtt0)
{
    fluid_news r;
    r.rtt = fluid_far_lag(e->lag, p);
    const fluid_arrival a =
        fluid_arrive_in_step(t->paper, e->lag, e->keep, e->volume, e->own_keep, p, i, rtt0, r.rtt);
    r.sent = a.sent;
    r.arrived = a.arrived;
    r.signalled =
        t->signals ? r.sent * fluid_far_signal(e->signal, e->keep, e->own_signal, p) : r.sent - r.arrived;
    return r;
}

WEIR_FN fluid_news fluid_exit_step(const fluid_tables *t, const fluid_exit *e, int64_t now, uint32_t i,
                                   fluid_place *place, fluid_real rtt0)
{
    const fluid_pull p =
        fluid_pull_step(e->own_lag, e->own_keep, t->signals ? e->own_signal : (const double *)0, e->lag.rows,
                        e->lag.now, now, e->delay, i, place);
    return fluid_exit_arrive(t, e, &p, i, rtt0);
}

/* A source over a block: its parameters in the solver's precision, and its state. */
typedef struct fluid_source {
    const fluid_flow *flow;
    fluid_settings settings;
    fluid_real burst, inv_burst; /* a segment of every session; by which what comes of all is one's */
    fluid_real first; /* segments sent in a step, until first_end, that nothing lets go (fluid_feedback) */
    double first_end; /* start and the first round trip, in steps */
    fluid_window window;
    fluid_words own;               /* state of the class's law */
    fluid_real rtt, inv_rtt, back; /* round trip less what ACKs wait, and that; the second of both together */
    double sent, acked, lost, ended;
} fluid_source;

/* Whether some session of a flow may be in slow start, or has just left it. */
WEIR_FN bool fluid_is_starting(uint32_t flags)
{
    return (flags & FLUID_STARTING) != 0;
}

WEIR_FN fluid_window fluid_window_open(const fluid_state *s, uint32_t flow, uint32_t flags)
{
    const fluid_real none = (fluid_real)0;
    const int starting = fluid_is_starting(flags);
    fluid_window w;
    w.size = ((const fluid_real *)s->window)[flow];
    w.rest = ((const fluid_real *)s->window_rest)[flow];
    w.answered = ((const fluid_real *)s->answered)[flow];
    w.slow = starting ? ((const fluid_real *)s->slow)[flow] : none;
    w.recovering = starting ? ((const fluid_real *)s->recovering)[flow] : none;
    return w;
}

/* The flag is dropped when all have settled. */
WEIR_FN void fluid_window_close(const fluid_state *s, uint32_t flow, const fluid_window *w)
{
    const fluid_real none = (fluid_real)0;
    ((fluid_real *)s->window)[flow] = w->size;
    ((fluid_real *)s->window_rest)[flow] = w->rest;
    ((fluid_real *)s->answered)[flow] = w->answered;
    if (!fluid_is_starting(s->flow_flags[flow]))
        return;
    ((fluid_real *)s->slow)[flow] = w->slow;
    ((fluid_real *)s->recovering)[flow] = w->recovering;
    if (w->slow == none && w->recovering == none)
        s->flow_flags[flow] &= ~(uint32_t)FLUID_STARTING;
}

/* Segments of the initial window that are sent in a step that starts at `from`: evenly until `end`. */
WEIR_FN fluid_real fluid_first_sent(fluid_real first, double end, double from)
{
    const double left = end - from;
    return first * (fluid_real)(left < 0.0 ? 0.0 : left < 1.0 ? left : 1.0);
}

/* Sessions by which what comes of all is divided: of transfers, which may be none, no fewer than a small part
 * of those that come in a round trip. */
WEIR_FN double fluid_fewest(const fluid_flow *f, double sessions)
{
    const double few = f->offered > 0.0 ? 0x1p-10 * f->offered * f->base / f->mean : 0.0;
    return sessions > few ? sessions : few;
}

WEIR_FN fluid_source fluid_source_open(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    fluid_source r;
    r.flow = &t->flows[flow];
    const fluid_class *const cls = &t->classes[r.flow->cls];
    r.settings.cls = cls;
    r.settings.order = t->order;
    r.settings.tcp.inv_ack = (fluid_real)cls->inv_ack;
    r.settings.tcp.decrease = (fluid_real)cls->decrease;
    r.settings.tcp.more = (fluid_real)cls->more;
    r.settings.tcp.limit = (fluid_real)cls->window_limit;
    r.settings.starting = fluid_is_starting(s->flow_flags[flow]);
    r.settings.tcp.most = (fluid_real)cls->most_losses;
    r.settings.tcp.at_once = (fluid_real)cls->losses_at_once;
    r.settings.tcp.clock = (fluid_real)cls->clock;
    r.settings.tcp.more_acks = (fluid_real)cls->more_acks;
    r.burst = (fluid_real)(s->sessions[flow] * cls->mss);
    r.inv_burst = (fluid_real)1 / (fluid_real)(fluid_fewest(r.flow, s->sessions[flow]) * cls->mss);
    r.window = fluid_window_open(s, flow, s->flow_flags[flow]);
    fluid_law_load(t, s, flow, &r.own);
    r.first = ((const fluid_real *)s->first)[flow];
    r.first_end = r.flow->start + r.flow->base;
    r.rtt = ((const fluid_real *)s->rtt)[flow];
    r.back = ((const fluid_real *)s->back)[flow];
    r.inv_rtt = (fluid_real)1 / (r.rtt + r.back);
    r.sent = s->sent[flow];
    r.acked = s->acked[flow];
    r.lost = s->lost[flow];
    r.ended = s->ended[flow];
    return r;
}

WEIR_FN void fluid_source_close(const fluid_tables *t, const fluid_state *s, uint32_t flow,
                                const fluid_source *r)
{
    fluid_window_close(s, flow, &r->window);
    fluid_law_store(t, s, flow, &r->own);
    ((fluid_real *)s->rtt)[flow] = r->rtt;
    s->sent[flow] = r->sent;
    s->acked[flow] = r->acked;
    s->lost[flow] = r->lost;
    s->ended[flow] = r->ended;
}

/* Bytes that a source would send in a step; moves the window. inv_rtt: 1 / round trip at the step's end. */
WEIR_FN fluid_real fluid_source_wish(const fluid_tables *t, fluid_source *r, double from,
                                     const fluid_news *news, fluid_real inv_rtt)
{
    const fluid_flow *const f = r->flow;
    const double to = from + 1.0;
    if (to <= f->start || from >= f->stop)
        return (fluid_real)0;
    if (r->settings.cls->flags & FLUID_UDP)
        return (fluid_real)(f->sessions * fluid_udp_bytes(t, r->settings.cls, f->start,
                                                          from > f->start ? from : f->start,
                                                          to < f->stop ? to : f->stop));
    const fluid_real marked = news->signalled - (news->sent - news->arrived);
    const fluid_feedback by = {r->inv_rtt,
                               inv_rtt,
                               news->signalled * r->inv_burst,
                               news->arrived * r->inv_burst,
                               fluid_first_sent(r->first, r->first_end, from),
                               marked > (fluid_real)0 ? marked * r->inv_burst : (fluid_real)0,
                               (fluid_real)(r->sent - r->acked - r->lost) * r->inv_burst};
    return r->burst * fluid_law_step(&r->settings, &r->window, &r->own, &by);
}

/* A step of a source: counts the news, returns the bytes sent. */
WEIR_FN fluid_real fluid_source_step(const fluid_tables *t, fluid_source *r, double from,
                                     const fluid_news *news)
{
    const fluid_flow *const f = r->flow;
    const fluid_real inv_rtt = (fluid_real)1 / (news->rtt + r->back);
    r->acked += (double)news->arrived;
    r->lost += (double)(news->sent - news->arrived);
    fluid_real bytes = fluid_source_wish(t, r, from, news, inv_rtt);
    if (f->size > 0.0) { /* what was lost is sent again */
        const fluid_real left = (fluid_real)(f->size - (r->sent - r->lost));
        bytes = bytes < left ? bytes : left > (fluid_real)0 ? left : (fluid_real)0;
        if (r->ended < 0.0 && r->acked >= f->size * (1.0 - 1e-6))
            r->ended = from + 1.0;
    }
    r->sent += (double)bytes;
    r->rtt = news->rtt;
    r->inv_rtt = inv_rtt;
    return bytes;
}

#endif

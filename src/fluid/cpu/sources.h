/*
 * Part of cpu/solver.h: sources. What a flow learns in a block is carried like any prefix (cpu/carry.h), flow
 * by flow; then windows move step by step, SOURCES flows at once, lane by lane the arithmetic of
 * fluid_source_step.
 */
#ifndef WI_FLUID_CPU_SOURCES_H
#define WI_FLUID_CPU_SOURCES_H

enum { SOURCES = BLOCK };

/* Step by step: where signals are kept besides losses, or by the paper's law. */
static void plain_source(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n)
{
    const fluid_exit e = fluid_exit_open(t, s, flow, t->flows[flow].delay);
    fluid_real *const volume = (fluid_real *)s->volume + t->rings[flow].at;
    fluid_source source = fluid_source_open(t, s, flow);
    fluid_place place = s->exit[flow];
    for (uint32_t i = 0; i < n; i++) {
        const fluid_news news = fluid_exit_step(t, &e, s->now, i, &place, source.rtt);
        volume[fluid_slot(e.volume.now, (int32_t)i, e.volume.rows)] =
            fluid_source_step(t, &source, (double)s->now + (double)i, &news);
    }
    s->exit[flow] = place;
    fluid_source_close(t, s, flow, &source);
}

/* Whether a source is one of those that the lanes are made for: NewReno without end, on in the whole block. */
static bool steady(const fluid_tables *t, int64_t now, uint32_t flow, uint32_t n)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_class *const c = &t->classes[f->cls];
    return c->law == FLUID_LAW_NEWRENO && !(c->flags & FLUID_UDP) && f->size <= 0.0 &&
           (double)(now + 1) > f->start && (double)(now + n) - 1.0 < f->stop;
}

/* A quantity of all lanes at each step. */
typedef fluid_real by_step[BLOCK][SOURCES];

typedef struct lanes {
    fluid_real inv_ack[SOURCES], decrease[SOURCES], more[SOURCES], limit[SOURCES], most[SOURCES],
        at_once[SOURCES], clock[SOURCES], more_acks[SOURCES], burst[SOURCES];
    fluid_real inv_burst[SOURCES], first[SOURCES];
    fluid_real size[SOURCES], rest[SOURCES], slow[SOURCES], recovering[SOURCES], answered[SOURCES],
        inv_rtt[SOURCES], back[SOURCES];
    double first_end[SOURCES], sent[SOURCES], acked[SOURCES], lost[SOURCES];
    /* Of each lane: round trip, bytes of which news comes (arrived or lost), and that arrived. */
    carried news[SOURCES] IN_LINES;
    by_step rtt IN_LINES, gone IN_LINES, arrived IN_LINES; /* the same, transposed */
    by_step bytes IN_LINES;                                /* that are sent */
    fluid_real volume[SOURCES][BLOCK] IN_LINES;            /* the same, transposed */
} lanes;

static void lane_open(const fluid_tables *t, const fluid_state *s, uint32_t flow, lanes *v, uint32_t l)
{
    const fluid_source r = fluid_source_open(t, s, flow);
    v->inv_ack[l] = r.settings.tcp.inv_ack;
    v->decrease[l] = r.settings.tcp.decrease;
    v->more[l] = r.settings.tcp.more;
    v->limit[l] = r.settings.tcp.limit;
    v->most[l] = r.settings.tcp.most;
    v->at_once[l] = r.settings.tcp.at_once;
    v->clock[l] = r.settings.tcp.clock;
    v->more_acks[l] = r.settings.tcp.more_acks;
    v->burst[l] = r.burst;
    v->inv_burst[l] = r.inv_burst;
    v->first[l] = r.first;
    v->first_end[l] = r.first_end;
    v->size[l] = r.window.size;
    v->rest[l] = r.window.rest;
    v->slow[l] = r.window.slow;
    v->recovering[l] = r.window.recovering;
    v->answered[l] = r.window.answered;
    v->inv_rtt[l] = r.inv_rtt;
    v->back[l] = r.back;
    v->sent[l] = r.sent;
    v->acked[l] = r.acked;
    v->lost[l] = r.lost;
}

/* An idle lane: any numbers that make no exception. */
static void lane_idle(lanes *v, uint32_t l)
{
    v->inv_ack[l] = v->inv_ack[0];
    v->decrease[l] = v->decrease[0];
    v->more[l] = v->more[0];
    v->limit[l] = v->limit[0];
    v->most[l] = v->most[0];
    v->at_once[l] = v->at_once[0];
    v->clock[l] = v->clock[0];
    v->more_acks[l] = v->more_acks[0];
    v->burst[l] = v->burst[0];
    v->inv_burst[l] = v->inv_burst[0];
    v->first[l] = v->first[0];
    v->first_end[l] = v->first_end[0];
    v->size[l] = v->size[0];
    v->rest[l] = v->rest[0];
    v->slow[l] = v->slow[0];
    v->recovering[l] = v->recovering[0];
    v->answered[l] = v->answered[0];
    v->inv_rtt[l] = v->inv_rtt[0];
    v->back[l] = v->back[0];
    v->sent[l] = v->acked[l] = v->lost[l] = 0.0;
    v->news[l] = v->news[0];
}

static void lane_close(const fluid_tables *t, const fluid_state *s, uint32_t flow, const lanes *v, uint32_t l,
                       uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, flow);
    store((fluid_real *)s->volume + t->rings[flow].at, own.now, own.rows, v->volume[l], n);
    const fluid_window window = {v->size[l], v->rest[l], v->slow[l], v->recovering[l], v->answered[l]};
    fluid_window_close(s, flow, &window);
    ((fluid_real *)s->rtt)[flow] = v->news[l].lag[n - 1];
    s->sent[flow] = v->sent[l];
    s->acked[flow] = v->acked[l];
    s->lost[flow] = v->lost[l];
}

INLINE void lanes_step(lanes *v, uint32_t i, double from, uint32_t order, int starting)
{
    for (uint32_t l = 0; l < SOURCES; l++) {
        const fluid_real lost = v->gone[i][l] - v->arrived[i][l];
        const fluid_tcp tcp = {v->inv_ack[l], v->decrease[l], v->limit[l], v->more[l],
                               v->most[l],    v->at_once[l],  v->clock[l], v->more_acks[l]};
        const fluid_real inv_rtt = (fluid_real)1 / (v->rtt[i][l] + v->back[l]);
        const fluid_feedback by = {v->inv_rtt[l],
                                   inv_rtt,
                                   lost * v->inv_burst[l],
                                   v->arrived[i][l] * v->inv_burst[l],
                                   fluid_first_sent(v->first[l], v->first_end[l], from),
                                   (fluid_real)0,
                                   (fluid_real)0};
        fluid_window window = {v->size[l], v->rest[l], v->slow[l], v->recovering[l], v->answered[l]};
        v->bytes[i][l] = v->burst[l] * fluid_window_step(&tcp, order, starting, &window, &by);
        v->size[l] = window.size;
        v->rest[l] = window.rest;
        v->slow[l] = window.slow;
        v->recovering[l] = window.recovering;
        v->answered[l] = window.answered;
        v->inv_rtt[l] = inv_rtt;
    }
    for (uint32_t l = 0; l < SOURCES; l++) {
        v->acked[l] += (double)v->arrived[i][l];
        v->lost[l] += (double)(v->gone[i][l] - v->arrived[i][l]);
        v->sent[l] += (double)v->bytes[i][l];
    }
}

/* Pulls of the exit that a flow shares with those before it: same port, same way back. */
typedef struct exit_pulls {
    uint32_t port;
    double delay;
    fluid_place end;
    block_pulls p;
} exit_pulls;

static void exit_pull(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n, exit_pulls *x)
{
    const fluid_flow *const f = &t->flows[flow];
    if (x->port == f->port && x->delay == f->delay)
        return;
    const fluid_port *const port = &t->ports[f->port];
    const own_maps own = {s->own_lag + port->own, s->own_keep + port->own, port->rows,
                          fluid_row_now(s->now, port->rows)};
    x->port = f->port;
    x->delay = f->delay;
    x->end = s->exit[flow];
    pull_block(&own, s->now, f->delay, 0, n, &x->end, &x->p);
}

/* What a flow's source learns in a block. */
static void lane_learn(const fluid_tables *t, const fluid_state *s, uint32_t flow, const exit_pulls *x,
                       uint32_t n, carried *news)
{
    const fluid_exit e = fluid_exit_open(t, s, flow, x->delay);
    const fluid_path path = {e.lag, e.keep, e.volume, e.own_keep, n == BLOCK};
    carry(&path, &x->p, n, ((const fluid_real *)s->rtt)[flow], news);
    s->exit[flow] = x->end;
}

/* A source whose window is none of the lanes', step by step, by what it has learnt. */
static void learnt_source(const fluid_tables *t, const fluid_state *s, uint32_t flow, const carried *news,
                          uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, flow);
    fluid_source source = fluid_source_open(t, s, flow);
    fluid_real bytes[BLOCK] IN_LINES;
    for (uint32_t i = 0; i < n; i++) {
        const fluid_news step = {news->lag[i], news->sent[i], news->arrived[i],
                                 news->sent[i] - news->arrived[i]};
        bytes[i] = fluid_source_step(t, &source, (double)s->now + (double)i, &step);
    }
    store((fluid_real *)s->volume + t->rings[flow].at, own.now, own.rows, bytes, n);
    fluid_source_close(t, s, flow, &source);
}

/* Windows of all lanes, step by step. starting: some lane's flow is. */
static void lanes_block(lanes *v, double now, uint32_t order, bool starting, uint32_t n)
{
    const uint32_t stride = sizeof(carried) / sizeof(fluid_real);
    transpose((const fluid_real *)v->news[0].lag, stride, v->rtt);
    transpose((const fluid_real *)v->news[0].sent, stride, v->gone);
    transpose((const fluid_real *)v->news[0].arrived, stride, v->arrived);
    if (order == 1)
        for (uint32_t i = 0; i < n; i++)
            lanes_step(v, i, now + i, 1, 1);
    else if (starting)
        for (uint32_t i = 0; i < n; i++)
            lanes_step(v, i, now + i, 2, 1);
    else
        for (uint32_t i = 0; i < n; i++)
            lanes_step(v, i, now + i, 2, 0);
    transpose((const fluid_real *)v->bytes, SOURCES, v->volume);
}

/* Flows first .. first + count - 1, at most SOURCES, over a block. */
static void sources_block(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t count,
                          uint32_t n)
{
    uint32_t flow[SOURCES], used = 0;
    const bool plain = t->signals || t->paper;
    bool starting = false;
    exit_pulls exits;
    lanes v;
    exits.port = FLUID_NONE;
    flows_far(t, s, first + 3 * SOURCES, SOURCES);
    for (uint32_t f = first; f < first + count; f++) {
        if (plain) {
            plain_source(t, s, f, n);
            continue;
        }
        flow_far(t, f + FAR);
        flow_near(t, s, f + NEAR);
        exit_pull(t, s, f, n, &exits);
        lane_learn(t, s, f, &exits, n, &v.news[used]);
        if (!steady(t, s->now, f, n)) {
            learnt_source(t, s, f, &v.news[used], n);
            continue;
        }
        lane_open(t, s, f, &v, used);
        starting |= fluid_is_starting(s->flow_flags[f]);
        flow[used++] = f;
    }
    if (used == 0)
        return;
    for (uint32_t l = used; l < SOURCES; l++)
        lane_idle(&v, l);
    lanes_block(&v, (double)s->now, t->order, starting, n);
    for (uint32_t l = 0; l < used; l++)
        lane_close(t, s, flow[l], &v, l, n);
}

#endif

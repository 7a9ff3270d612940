/*
 * Part of cpu_solver.h: sources. What a flow learns in a block is carried like any prefix (cpu_carry.h), flow
 * by flow; then windows move step by step, SOURCES flows at once, lane by lane the arithmetic of
 * fluid_source_step.
 */
#ifndef WI_FLUID_CPU_SOURCES_H
#define WI_FLUID_CPU_SOURCES_H

enum { SOURCES = 16 };

/* Step by step: any order, any law, any kind of source. */
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

/* Whether a source is one of those that the lanes are made for: TCP without end, on in the whole block. */
static bool steady(const fluid_tables *t, int64_t now, uint32_t flow, uint32_t n)
{
    const fluid_flow *const f = &t->flows[flow];
    return !(t->classes[f->cls].flags & FLUID_UDP) && f->size <= 0.0 && (double)(now + 1) > f->start &&
           (double)(now + n) - 1.0 < f->stop;
}

/* A quantity of all lanes at each step. */
typedef fluid_real by_lane[WI_FLUID_BLOCK][SOURCES];

typedef struct lanes {
    fluid_real inv_ack[SOURCES], decrease[SOURCES], limit[SOURCES], slow_gain[SOURCES], burst[SOURCES];
    fluid_real window[SOURCES], inv_rtt[SOURCES];
    double sent[SOURCES], acked[SOURCES], lost[SOURCES];
    by_lane rtt, gone, arrived; /* gone: bytes of which news comes, arrived or lost */
    by_lane bytes;
} lanes;

static void lane_open(const fluid_tables *t, const fluid_state *s, uint32_t flow, lanes *v, uint32_t l)
{
    const fluid_source r = fluid_source_open(t, s, flow);
    v->inv_ack[l] = r.tcp.inv_ack;
    v->decrease[l] = r.tcp.decrease;
    v->limit[l] = r.tcp.limit;
    v->slow_gain[l] = r.tcp.slow_gain;
    v->burst[l] = r.burst;
    v->window[l] = r.window;
    v->inv_rtt[l] = r.inv_rtt;
    v->sent[l] = r.sent;
    v->acked[l] = r.acked;
    v->lost[l] = r.lost;
}

static void lane_close(const fluid_tables *t, const fluid_state *s, uint32_t flow, const lanes *v, uint32_t l,
                       uint32_t n)
{
    const fluid_column own = fluid_volume_column(t, s, flow);
    fluid_real bytes[WI_FLUID_BLOCK];
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = v->bytes[i][l];
    store((fluid_real *)s->volume + t->rings[flow].at, own.now, own.rows, bytes, n);
    ((fluid_real *)s->window)[flow] = v->window[l];
    ((fluid_real *)s->rtt)[flow] = v->rtt[n - 1][l];
    s->sent[flow] = v->sent[l];
    s->acked[flow] = v->acked[l];
    s->lost[flow] = v->lost[l];
    if ((t->classes[t->flows[flow].cls].flags & FLUID_SLOW_START) && v->slow_gain[l] <= (fluid_real)0)
        s->flow_flags[flow] |= FLUID_SIGNALLED;
}

static inline void lanes_step(lanes *v, uint32_t i, uint32_t order)
{
    for (uint32_t l = 0; l < SOURCES; l++) {
        const fluid_real lost = v->gone[i][l] - v->arrived[i][l];
        const fluid_real slow = lost > (fluid_real)0 ? (fluid_real)0 : v->slow_gain[l];
        const fluid_tcp tcp = {(fluid_real)0, v->inv_ack[l], v->decrease[l], v->limit[l], slow};
        const fluid_real inv_rtt = (fluid_real)1 / v->rtt[i][l];
        fluid_real window = v->window[l];
        v->bytes[i][l] = v->burst[l] * fluid_window_step(&tcp, order, &window, v->inv_rtt[l], inv_rtt,
                                                         (fluid_real)0, lost / v->burst[l]);
        v->window[l] = window;
        v->slow_gain[l] = slow;
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
    uint32_t shape;
    fluid_place end;
    fluid_pulls p;
    int32_t from[WI_FLUID_BLOCK], to[WI_FLUID_BLOCK];
    fluid_real room[7][WI_FLUID_BLOCK];
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
    pull_block(&own, s->now, f->delay, n, &x->end, &x->p);
    x->shape = shape_of(&x->p, n);
}

static void exits_open(exit_pulls *x)
{
    fluid_pulls p = {x->from,    x->to,      x->room[0], x->room[1], x->room[2],
                     x->room[3], x->room[4], x->room[5], x->room[6]};
    x->p = p;
    x->port = FLUID_NONE;
    x->delay = 0.0;
}

/* What a flow's source learns in a block, into its lane. */
static void lane_learn(const fluid_tables *t, const fluid_state *s, uint32_t flow, const exit_pulls *x,
                       uint32_t n, lanes *v, uint32_t l)
{
    const fluid_exit e = fluid_exit_open(t, s, flow, x->delay);
    const fluid_path path = {e.lag, e.keep, e.volume, e.own_keep};
    carried c;
    c.lag[0] = ((const fluid_real *)s->rtt)[flow];
    carry(&path, &x->p, x->shape, n, &c);
    for (uint32_t i = 0; i < n; i++) {
        v->rtt[i][l] = c.lag[i + 1];
        v->gone[i][l] = c.sent[i];
        v->arrived[i][l] = c.arrived[i];
    }
    s->exit[flow] = x->end;
}

/* Flows first .. first + count - 1, at most SOURCES, over a block. */
static void sources_block(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t count,
                          uint32_t n)
{
    uint32_t flow[SOURCES], used = 0;
    const bool plain = t->order == 4 || t->signals || t->paper;
    exit_pulls exits;
    lanes v;
    exits_open(&exits);
    for (uint32_t f = first; f < first + count; f++) {
        if (plain || !steady(t, s->now, f, n)) {
            plain_source(t, s, f, n);
            continue;
        }
        flow_far(t, f + FAR);
        flow_near(t, s, f + NEAR);
        exit_pull(t, s, f, n, &exits);
        lane_learn(t, s, f, &exits, n, &v, used);
        lane_open(t, s, f, &v, used);
        flow[used++] = f;
    }
    if (used == 0)
        return;
    for (uint32_t l = used; l < SOURCES; l++) { /* idle lanes: any numbers that make no exception */
        lane_open(t, s, flow[0], &v, l);
        for (uint32_t i = 0; i < n; i++) {
            v.rtt[i][l] = v.rtt[i][0];
            v.gone[i][l] = v.arrived[i][l] = (fluid_real)0;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (t->order == 1)
            lanes_step(&v, i, 1);
        else
            lanes_step(&v, i, 2);
    }
    for (uint32_t l = 0; l < used; l++)
        lane_close(t, s, flow[l], &v, l, n);
}

#endif

/*
 * Part of cpu/solver.h: sources. What a flow learns in a block is carried like any prefix (cpu/carry.h), flow
 * by flow; then windows move step by step, SOURCES flows at once, lane by lane the arithmetic of
 * fluid_source_step.
 */
#ifndef WI_FLUID_CPU_SOURCES_H
#define WI_FLUID_CPU_SOURCES_H

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

/* The law of a source for which there are lanes: NewReno, or CUBIC past its slow start, without end, on in the whole block;
 * FLUID_NONE: there are none. */
static uint32_t lanes_of(const fluid_tables *t, const fluid_state *s, uint32_t flow, uint32_t n)
{
    const fluid_flow *const f = &t->flows[flow];
    const fluid_class *const c = &t->classes[f->cls];
    const bool made = c->law == FLUID_LAW_NEWRENO ||
                      (c->law == FLUID_LAW_CUBIC && t->order != 1 && !fluid_is_starting(s->flow_flags[flow]));
    return made && !(c->flags & FLUID_UDP) && f->size <= 0.0 && (double)(s->now + 1) > f->start &&
                   (double)(s->now + n) - 1.0 < f->stop
               ? c->law
               : FLUID_NONE;
}

/* A quantity of all lanes at each step. */
typedef fluid_real by_step[BLOCK][SOURCES];

/* A number of each lane: parameters of both laws, of CUBIC alone, and state. */
// clang-format off
#define LANE_REALS(X)                                                                                       \
    X(inv_ack) X(decrease) X(more) X(limit) X(most) X(at_once) X(clock) X(more_acks) X(burst) X(inv_burst)  \
    X(first)                                                                                                \
    X(c) X(gives) X(alpha) X(decay)                                                                         \
    X(size) X(rest) X(slow) X(recovering) X(answered) X(inv_rtt) X(back)                                    \
    X(w_max) X(age) X(w_est) X(resting)
// clang-format on

typedef struct lanes {
#define X(name) fluid_real name[SOURCES];
    LANE_REALS(X)
#undef X
    double first_end[SOURCES], sent[SOURCES], acked[SOURCES], lost[SOURCES];
    /* Of each lane: round trip, bytes of which news comes (arrived or lost), and that arrived. */
    carried news[SOURCES] IN_LINES;
    by_step rtt IN_LINES, gone IN_LINES, arrived IN_LINES; /* the same, transposed */
    by_step bytes IN_LINES;                                /* that are sent */
    fluid_real volume[SOURCES][BLOCK] IN_LINES;            /* the same, transposed */
} lanes;

static void lane_open_cubic(const fluid_source *r, lanes *v, uint32_t l)
{
    const fluid_cubic_law law = fluid_cubic_open(r->settings.cls);
    v->c[l] = law.c;
    v->gives[l] = law.gives;
    v->alpha[l] = law.alpha;
    v->decay[l] = law.age;
    v->w_max[l] = r->own.cubic.w_max;
    v->age[l] = r->own.cubic.age;
    v->w_est[l] = r->own.cubic.w_est;
    v->resting[l] = r->own.cubic.resting;
}

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
    if (r.settings.cls->law == FLUID_LAW_CUBIC)
        lane_open_cubic(&r, v, l);
}

/* An idle lane: any numbers that make no exception. */
static void lane_idle(lanes *v, uint32_t l)
{
#define X(name) v->name[l] = v->name[0];
    LANE_REALS(X)
#undef X
    v->first_end[l] = v->first_end[0];
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
    if (t->classes[t->flows[flow].cls].law == FLUID_LAW_CUBIC) {
        fluid_words words = {{0}};
        words.cubic = (fluid_cubic){v->w_max[l], v->age[l], v->w_est[l], v->resting[l]};
        fluid_law_store(t, s, flow, &words);
    }
    ((fluid_real *)s->rtt)[flow] = v->news[l].lag[n - 1];
    s->sent[flow] = v->sent[l];
    s->acked[flow] = v->acked[l];
    s->lost[flow] = v->lost[l];
}

/* What comes to be known of a lane in step i. */
INLINE fluid_feedback lane_feedback(const lanes *v, uint32_t i, uint32_t l, double from)
{
    const fluid_real lost = v->gone[i][l] - v->arrived[i][l];
    const fluid_feedback by = {v->inv_rtt[l],
                               (fluid_real)1 / (v->rtt[i][l] + v->back[l]),
                               lost * v->inv_burst[l],
                               v->arrived[i][l] * v->inv_burst[l],
                               fluid_first_sent(v->first[l], v->first_end[l], from),
                               (fluid_real)0,
                               (fluid_real)0};
    return by;
}

INLINE void lanes_count(lanes *v, uint32_t i)
{
    for (uint32_t l = 0; l < SOURCES; l++) {
        v->acked[l] += (double)v->arrived[i][l];
        v->lost[l] += (double)(v->gone[i][l] - v->arrived[i][l]);
        v->sent[l] += (double)v->bytes[i][l];
    }
}

INLINE void lanes_step(lanes *v, uint32_t i, double from, uint32_t order, int starting)
{
    for (uint32_t l = 0; l < SOURCES; l++) {
        const fluid_tcp tcp = {v->inv_ack[l], v->decrease[l], v->limit[l], v->more[l],
                               v->most[l],    v->at_once[l],  v->clock[l], v->more_acks[l]};
        const fluid_feedback by = lane_feedback(v, i, l, from);
        fluid_window window = {v->size[l], v->rest[l], v->slow[l], v->recovering[l], v->answered[l]};
        v->bytes[i][l] = v->burst[l] * fluid_window_step(&tcp, order, starting, &window, &by);
        v->size[l] = window.size;
        v->rest[l] = window.rest;
        v->slow[l] = window.slow;
        v->recovering[l] = window.recovering;
        v->answered[l] = window.answered;
        v->inv_rtt[l] = by.inv1;
    }
    lanes_count(v, i);
}

INLINE fluid_cubic_law lane_cubic(const lanes *v, uint32_t l)
{
    const fluid_cubic_law law = {v->c[l],       (fluid_real)FLUID_CUBIC_BETA,
                                 v->gives[l],   v->alpha[l],
                                 v->more[l],    v->decay[l],
                                 v->inv_ack[l], v->limit[l],
                                 v->clock[l],   (fluid_real)0,
                                 (fluid_real)0};
    return law;
}

/* fluid_cubic_advance past slow start. */
INLINE void cubic_lanes_step(lanes *v, uint32_t i, double from, uint32_t order)
{
    for (uint32_t l = 0; l < SOURCES; l++) {
        const fluid_cubic_law law = lane_cubic(v, l);
        const fluid_feedback by = lane_feedback(v, i, l, from);
        fluid_window window = {v->size[l], v->rest[l], (fluid_real)0, (fluid_real)0, (fluid_real)0};
        fluid_cubic own = {v->w_max[l], v->age[l], v->w_est[l], v->resting[l]};
        fluid_cubic_settle(&law, order, &window, &own, &by);
        const fluid_real after = fluid_cubic_window(&law, &own);
        v->rest[l] = window.rest;
        v->w_max[l] = own.w_max;
        v->age[l] = own.age;
        v->w_est[l] = own.w_est;
        v->resting[l] = own.resting;
        v->bytes[i][l] = v->burst[l] * fluid_sent(order, v->size[l], after, v->clock[l], &by);
        v->size[l] = after;
        v->inv_rtt[l] = by.inv1;
    }
    lanes_count(v, i);
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
    if (s->rest)
        flow_note(t, s, flow, news, bytes, n);
    store((fluid_real *)s->volume + t->rings[flow].at, own.now, own.rows, bytes, n);
    fluid_source_close(t, s, flow, &source);
}

/* Windows of all lanes, step by step. starting: some lane's flow is. */
static void lanes_block(lanes *v, double now, uint32_t law, uint32_t order, bool starting, uint32_t n)
{
    const uint32_t stride = sizeof(carried) / sizeof(fluid_real);
    transpose((const fluid_real *)v->news[0].lag, stride, v->rtt);
    transpose((const fluid_real *)v->news[0].sent, stride, v->gone);
    transpose((const fluid_real *)v->news[0].arrived, stride, v->arrived);
    if (law == FLUID_LAW_CUBIC)
        for (uint32_t i = 0; i < n; i++)
            cubic_lanes_step(v, i, now + i, 2);
    else if (order == 1)
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
    uint32_t flow[SOURCES], used = 0,
                            law = FLUID_NONE; /* of the lanes: that of the first flow that has some */
    const bool plain = t->signals || t->paper;
    bool starting = false;
    const int32_t at = s->rest ? rest_of_all(s->rest, s->now) : 0;
    uint32_t resting = 0;
    exit_pulls exits;
    lanes v;
    if (s->rest && group_rests(t, s, first, n))
        return;
    exits.port = FLUID_NONE;
    if (!s->rest)
        flows_far(t, s, first + 3 * SOURCES, SOURCES);
    for (uint32_t f = first; f < first + count; f++) {
        if (plain) {
            plain_source(t, s, f, n);
            continue;
        }
        if (s->rest && flow_rests(t, s, f, n)) {
            flow_rows(t, s, f, n);
            resting++;
            continue;
        }
        if (s->rest)
            wi_fluid_rest_count_flow(s, f);
        flow_far(t, f + FAR);
        flow_near(t, s, f + NEAR);
        exit_pull(t, s, f, n, &exits);
        lane_learn(t, s, f, &exits, n, &v.news[used]);
        const uint32_t own = lanes_of(t, s, f, n);
        if (own == FLUID_NONE || (used > 0 && own != law)) {
            learnt_source(t, s, f, &v.news[used], n);
            continue;
        }
        law = own;
        lane_open(t, s, f, &v, used);
        starting |= fluid_is_starting(s->flow_flags[f]);
        flow[used++] = f;
    }
    if (resting == count)
        group_note(s, first, count, at);
    if (used == 0)
        return;
    for (uint32_t l = used; l < SOURCES; l++)
        lane_idle(&v, l);
    lanes_block(&v, (double)s->now, law, t->order, starting, n);
    for (uint32_t l = 0; l < used; l++)
        lane_close(t, s, flow[l], &v, l, n);
}

#endif

/*
 * The solver on the CPU, in one precision: cpu_single.c and cpu_double.c define fluid_real and FLUID_TYPE and
 * include this.
 *
 * Prefixes take most of the time. They are handled in chunks of neighbours, a step for all of a chunk at a
 * time, so that what can be is done in vector instructions; what a chunk reads twice (rows of the upstream
 * port end one step and begin the next, and so do volumes) stays in registers or first-level cache.
 */
#include <string.h>

#include "fluid/blocks.h"
#include "fluid/internal.h"

#define NAME_(what, type) wi_fluid_##what##_##type
#define NAME(what, type) NAME_(what, type)
#define FLUID_FUNCTION(what) NAME(what, FLUID_TYPE)

enum { LANES = 16 };

void FLUID_FUNCTION(fill_flows)(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t f = 0; f < t->n_flows; f++) {
        const fluid_class *const c = &t->classes[t->flows[f].cls];
        ((fluid_real *)s->window)[f] = (fluid_real)c->initial_window;
        ((fluid_real *)s->rtt)[f] = (fluid_real)t->flows[f].base;
        if (t->order == 4)
            for (int i = 0; i < 2; i++)
                ((fluid_real *)s->rtt_before)[2 * (uint64_t)f + i] = (fluid_real)t->flows[f].base;
    }
}

void FLUID_FUNCTION(fill_rows)(const fluid_tables *t, const fluid_state *s)
{
    for (uint32_t p = 0; p < t->n_ports; p++) {
        const fluid_port *const port = &t->ports[p];
        for (uint64_t row = 0; row < port->rows; row++)
            for (uint32_t i = 0; i < port->n_prefixes; i++) {
                ((fluid_real *)s->lag)[port->at + row * port->n_prefixes + i] = t->base[port->first + i];
                ((fluid_real *)s->keep)[port->at + row * port->n_prefixes + i] = 1;
            }
    }
}

double FLUID_FUNCTION(window)(const fluid_state *s, uint32_t flow)
{
    return ((const fluid_real *)s->window)[flow];
}

double FLUID_FUNCTION(rtt)(const fluid_state *s, uint32_t flow)
{
    return ((const fluid_real *)s->rtt)[flow];
}

double FLUID_FUNCTION(delivered)(const fluid_tables *t, const fluid_state *s, uint32_t flow)
{
    const fluid_flow *const f = &t->flows[flow];
    const double wire = t->ports[f->port].delay, ahead = f->delay - wire;
    const uint32_t whole = (uint32_t)ahead;
    fluid_exit e = fluid_exit_open(t, s, flow, f->delay);
    fluid_place place = s->exit[flow];
    fluid_real rtt = ((const fluid_real *)s->rtt)[flow];
    double bytes = s->acked[flow];
    for (uint32_t i = 0; i < whole; i++) { /* what the source will learn in the coming steps */
        const fluid_news news = fluid_exit_step(t, &e, s->now, i, &place, rtt);
        bytes += (double)news.arrived;
        rtt = news.rtt;
    }
    e.delay = wire + 1.0; /* and the part of a step that is left: until now - wire */
    bytes += (double)fluid_exit_step(t, &e, s->now, 0, &place, rtt - (fluid_real)whole).arrived;
    return bytes;
}

/* ---- prefixes ---- */

static void root_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t n,
                       double *arrived)
{
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        const fluid_column v = fluid_volume_column(t, s, t->series[p]);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)fluid_at(v, (int32_t)i), t->rounding);
    }
}

/* One by one: any order, any law. */
static void plain_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment, uint32_t n,
                        double *arrived)
{
    for (uint32_t p = segment->first; p < segment->first + segment->n; p++) {
        fluid_hop h = fluid_hop_open(t, s, segment, p);
        for (uint32_t i = 0; i < n; i++)
            arrived[i] += fluid_round_sum((double)fluid_hop_step(t, &h, i), t->rounding);
    }
}

/* A chunk of at most LANES prefixes of one segment. */
typedef struct chunk {
    uint32_t n;
    uint32_t parent[LANES];
    const fluid_real *volume[LANES];
    uint32_t volume_rows[LANES], volume_now[LANES];
    uint32_t volume_slot[LANES]; /* of the step that holds the source's time */
    fluid_real sent[LANES];      /* in that step */
    fluid_real lag[LANES];
    fluid_real before[LANES], after[LANES];           /* upstream's lags at the ends of a step */
    fluid_real keep_before[LANES], keep_after[LANES]; /* survival in the step before it, and in it */
    fluid_real keep[LANES], moved[LANES];             /* of the step at work: survival, bytes that arrive */
} chunk;

static void chunk_open(const fluid_tables *t, const fluid_state *s, uint32_t first, uint32_t n,
                       const fluid_real *lag, chunk *c)
{
    c->n = n;
    for (uint32_t l = 0; l < n; l++) {
        const fluid_column v = fluid_volume_column(t, s, t->series[first + l]);
        c->parent[l] = t->parent[first + l];
        c->lag[l] = lag[l];
        c->volume[l] = v.at;
        c->volume_rows[l] = v.rows;
        c->volume_now[l] = v.now;
        c->volume_slot[l] = fluid_slot(v.now, fluid_sent_at(-1, lag[l]).step, v.rows);
        c->sent[l] = v.at[c->volume_slot[l]];
    }
}

static void load_row(const chunk *c, const fluid_real *row, fluid_real *out)
{
    for (uint32_t l = 0; l < c->n; l++)
        out[l] = row[c->parent[l]];
}

/* What a chunk needs of the port that it pulls from. */
typedef struct source {
    const fluid_port *port;
    const fluid_real *lag, *keep;
    const double *own_keep;
    uint32_t now;
} source;

static fluid_column source_column(const source *up, const fluid_real *rows, uint32_t parent)
{
    const fluid_column c = {rows + parent, up->port->n_prefixes, up->port->rows, up->now};
    return c;
}

/* Upstream's rows around step `to`; `have`: the step whose rows are there. */
static void load_rows(chunk *c, const source *up, int32_t have, int32_t to)
{
    const uint64_t width = up->port->n_prefixes;
    const uint64_t row = width * fluid_slot(up->now, to, up->port->rows);
    if (have == to - 1) {
        memcpy(c->before, c->after, sizeof c->before);
        memcpy(c->keep_before, c->keep_after, sizeof c->keep_before);
    } else {
        const uint64_t earlier = width * fluid_slot(up->now, to - 1, up->port->rows);
        load_row(c, up->lag + earlier, c->before);
        load_row(c, up->keep + earlier, c->keep_before);
    }
    load_row(c, up->lag + row, c->after);
    load_row(c, up->keep + row, c->keep_after);
}

/* Whether each lane's arrivals have one survival: then it is theirs. */
static bool even(chunk *c, const fluid_pull *p)
{
    bool same = p->from == p->to || p->from == p->to - 1;
    for (uint32_t l = 0; l < c->n; l++) {
        c->keep[l] = p->keep_to * c->keep_after[l];
        if (p->from != p->to && p->keep_from * c->keep_before[l] != c->keep[l])
            same = false;
    }
    return same;
}

/* Bytes that arrive in step i at even survival. */
static void move_evenly(chunk *c, uint32_t i, const fluid_real *lag)
{
    for (uint32_t l = 0; l < c->n; l++) {
        const fluid_when from = fluid_sent_at((int32_t)i - 1, c->lag[l]),
                         to = fluid_sent_at((int32_t)i, lag[l]);
        const fluid_real *const v = c->volume[l];
        if (WEIR_LIKELY(to.step == from.step + 1)) {
            uint32_t slot = c->volume_slot[l] + 1;
            slot = slot == c->volume_rows[l] ? 0 : slot;
            const fluid_real next = v[slot];
            c->moved[l] = fluid_volume_of_two(c->sent[l], from.rest, next, to.rest);
            c->volume_slot[l] = slot;
            c->sent[l] = next;
        } else {
            const fluid_column column = {v, 1, c->volume_rows[l], c->volume_now[l]};
            c->moved[l] = fluid_volume(column, from, to, 2);
            c->volume_slot[l] = fluid_slot(column.now, to.step, column.rows);
            c->sent[l] = v[c->volume_slot[l]];
        }
    }
    for (uint32_t l = 0; l < c->n; l++)
        c->moved[l] *= c->keep[l];
}

/* Bytes that arrive in step i, and their survival, lane by lane. */
static void move_unevenly(chunk *c, const source *up, const fluid_pull *p, uint32_t i, const fluid_real *lag)
{
    for (uint32_t l = 0; l < c->n; l++) {
        const fluid_column v = {c->volume[l], 1, c->volume_rows[l], c->volume_now[l]};
        const fluid_when to = fluid_sent_at((int32_t)i, lag[l]);
        const fluid_arrival a =
            fluid_arrive(source_column(up, up->lag, c->parent[l]), source_column(up, up->keep, c->parent[l]),
                         v, up->own_keep, p, fluid_sent_at((int32_t)i - 1, c->lag[l]), to, 2);
        c->moved[l] = a.arrived;
        c->keep[l] = a.keep;
        c->volume_slot[l] = fluid_slot(v.now, to.step, v.rows);
        c->sent[l] = c->volume[l][c->volume_slot[l]];
    }
}

static void chunk_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                        uint32_t first, uint32_t width, uint32_t n, double *arrived)
{
    const fluid_port *const port = &t->ports[segment->port];
    source up = {.port = &t->ports[segment->upstream]};
    up.lag = (const fluid_real *)s->lag + up.port->at;
    up.keep = (const fluid_real *)s->keep + up.port->at;
    up.own_keep = fluid_own(t, s->own_keep, up.port, segment->kind);
    up.now = fluid_row_now(s->now, up.port->rows);
    const fluid_pull *const pulls = fluid_pulls(t, s, up.port, segment->kind);
    const uint32_t now = fluid_row_now(s->now, port->rows);
    const uint64_t at = port->at + (first - port->first), stride = port->n_prefixes;
    fluid_real *const out_lag = (fluid_real *)s->lag + at, *const out_keep = (fluid_real *)s->keep + at;
    int32_t have = INT32_MIN;
    chunk c;
    chunk_open(t, s, first, width, out_lag + stride * fluid_slot(now, -1, port->rows), &c);
    for (uint32_t i = 0; i < n; i++) {
        const fluid_pull p = pulls[i];
        fluid_real lag[LANES];
        if (have != p.to)
            load_rows(&c, &up, have, p.to);
        have = p.to;
        for (uint32_t l = 0; l < width; l++)
            lag[l] = fluid_carry_lag(c.before[l], c.after[l], p.part, p.wait);
        if (WEIR_LIKELY(even(&c, &p)))
            move_evenly(&c, i, lag);
        else
            move_unevenly(&c, &up, &p, i, lag);
        const uint64_t row = stride * fluid_slot(now, (int32_t)i, port->rows);
        double sum = 0.0;
        for (uint32_t l = 0; l < width; l++) {
            c.lag[l] = out_lag[row + l] = lag[l];
            out_keep[row + l] = c.keep[l];
        }
        for (uint32_t l = 0; l < width; l++)
            sum += fluid_round_sum((double)c.moved[l], t->rounding);
        arrived[i] += sum;
    }
}

static void segment_block(const fluid_tables *t, const fluid_state *s, const fluid_segment *segment,
                          uint32_t n, double *arrived)
{
    if (segment->upstream == FLUID_NONE)
        root_block(t, s, segment, n, arrived);
    else if (t->order == 4 || t->signals || t->paper)
        plain_block(t, s, segment, n, arrived);
    else
        for (uint32_t at = 0; at < segment->n; at += LANES)
            chunk_block(t, s, segment, segment->first + at, segment->n - at < LANES ? segment->n - at : LANES,
                        n, arrived);
}

static void port_block(const fluid_tables *t, const fluid_state *s, uint32_t p, uint32_t n)
{
    const fluid_port *const port = &t->ports[p];
    double arrived[FLUID_KINDS][WI_FLUID_BLOCK];
    memset(arrived, 0, sizeof arrived);
    for (uint32_t i = port->first_segment; i < port->first_segment + port->n_segments; i++)
        segment_block(t, s, &t->segments[i], n, arrived[t->segments[i].kind]);
    fluid_queue_block(t, s, p, n, arrived[0], WI_FLUID_BLOCK);
}

/* All stages of a block, by all threads of a team; each ends with a barrier. */
static void run_block(const fluid_tables *t, const fluid_state *s, uint32_t n)
{
#pragma omp for schedule(dynamic, 256) nowait
    for (uint32_t f = 0; f < t->n_flows; f++)
        fluid_flow_block(t, s, f, n);
#pragma omp for schedule(dynamic, 64)
    for (uint32_t p = 0; p < t->n_ports; p++)
        fluid_front_block(t, s, p, n);
    for (uint32_t level = 0; level < t->n_levels; level++) {
#pragma omp for schedule(static)
        for (uint32_t set = t->level_first[level]; set < t->level_first[level + 1]; set++)
            fluid_set_block(t, s, set, n);
    }
#pragma omp for schedule(dynamic, 8)
    for (uint32_t p = 0; p < t->n_ports; p++)
        port_block(t, s, p, n);
}

void FLUID_FUNCTION(run)(const fluid_tables *t, fluid_state *s, uint32_t steps, int threads)
{
    (void)threads; /* without OpenMP */
#pragma omp parallel num_threads(threads)
    for (uint32_t done = 0; done < steps;) {
        const uint32_t n = steps - done < t->lookahead ? steps - done : t->lookahead;
        run_block(t, s, n);
        done += n;
#pragma omp single
        s->now += n;
    }
}

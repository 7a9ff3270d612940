/*
 * Part of cpu_solver.h: what pulls through a port, all steps of a block at once.
 *
 * Histories are contiguous in time, so a block of steps that pulls from consecutive steps of the port, as
 * nearly all do, is straight loops over arrays. Steps that do not fit (survival differs within them, a lag
 * passes a whole number of steps) are done again one by one, by what carry.h says for any step.
 */
#ifndef WI_FLUID_CPU_CARRY_H
#define WI_FLUID_CPU_CARRY_H

/* n values of a ring from step `rel` on: in place, or in `room` where the ring ends among them. */
static const fluid_real *stretch(fluid_column c, int32_t rel, uint32_t n, fluid_real *room)
{
    const uint32_t slot = fluid_slot(c.now, rel, c.rows), there = c.rows - slot;
    if (WEIR_LIKELY(there >= n))
        return c.at + slot;
    memcpy(room, c.at + slot, there * sizeof *room);
    memcpy(room + there, c.at, (n - there) * sizeof *room);
    return room;
}

static void store(fluid_real *ring, uint32_t now, uint32_t rows, const fluid_real *from, uint32_t n)
{
    const uint32_t there = rows - now < n ? rows - now : n;
    memcpy(ring + now, from, there * sizeof *from);
    if (there < n)
        memcpy(ring, from + there, (n - there) * sizeof *from);
}

/* ---- pulls ---- */

/* Guess that n pulls, to step `target` less `rest` and the steps behind it, end in consecutive steps of the
 * port, the first in step `first`; true when it holds. lag: the port's, at the ends of the steps first - 1,
 * first, .... */
static bool follow(const double *lag, int32_t first, int32_t target, double rest, uint32_t n, double *part)
{
    int wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t j = first + (int32_t)i, to = target + (int32_t)i;
        wrong |= fluid_short_of(lag[i + 1], rest, to, j) | !fluid_short_of(lag[i], rest, to, j - 1);
        part[i] = fluid_part_of(lag[i], lag[i + 1], rest, to, j);
    }
    return !wrong;
}

static const double *own_stretch(const double *ring, uint32_t rows, uint32_t now, int32_t rel, uint32_t n,
                                 double *room)
{
    const uint32_t slot = fluid_slot(now, rel, rows);
    if (slot + n <= rows)
        return ring + slot;
    for (uint32_t i = 0; i < n; i++)
        room[i] = ring[fluid_slot(now, rel + (int32_t)i, rows)];
    return room;
}

/* A port's maps: rings of its lag and of its survival for a kind. */
typedef struct own_maps {
    const double *lag, *keep;
    uint32_t rows, now;
} own_maps;

/* All pulls of a block over a delay, orders 1 and 2; moves the place. Signals are not filled in. */
static void pull_block(const own_maps *own, int64_t first, double delay, uint32_t n, fluid_place *place,
                       const fluid_pulls *out)
{
    double room[WI_FLUID_BLOCK + 1], part[WI_FLUID_BLOCK];
    const fluid_pull p0 =
        fluid_pull_step(own->lag, own->keep, NULL, own->rows, own->now, first, 2, delay, 0, place);
    fluid_pull_keep(out, 0, &p0);
    const int32_t to = p0.to;
    /* The last step's guess must lie in the past, as all that is asked for does. */
    const bool there = to + (int32_t)n <= 0;
    const double *const lag = there ? own_stretch(own->lag, own->rows, own->now, to, n, room) : NULL;
    if (!there || !follow(lag, to + 1, 2 - (int32_t)delay, delay - (double)(int32_t)delay, n - 1, part)) {
        for (uint32_t i = 1; i < n; i++) {
            const fluid_pull p =
                fluid_pull_step(own->lag, own->keep, NULL, own->rows, own->now, first, 2, delay, i, place);
            fluid_pull_keep(out, i, &p);
        }
        return;
    }
    if (n == 1)
        return;
    const double *const keep = own_stretch(own->keep, own->rows, own->now, to, n, room);
    double part0 = place->part;
    for (uint32_t i = 1; i < n; i++) {
        out->from[i] = to + (int32_t)i - 1;
        out->to[i] = to + (int32_t)i;
        out->rest[i] = (fluid_real)(1.0 - part0);
        out->part[i] = (fluid_real)part[i - 1];
        out->wait[i] = (fluid_real)((double)(1 - to) - part[i - 1]);
        out->keep_from[i] = (fluid_real)keep[i - 1];
        out->keep_to[i] = (fluid_real)keep[i];
        part0 = part[i - 1];
    }
    place->step = (int32_t)(first + to + (int32_t)n - 1);
    place->part = part0;
}

static void front_block(const fluid_tables *t, const fluid_state *s, uint32_t port_index, uint32_t n)
{
    const fluid_port *const port = &t->ports[port_index];
    if (t->order == 4 || t->signals || port->front == FLUID_NONE) {
        fluid_front_block(t, s, port_index, n);
        return;
    }
    const own_maps own = {s->own_lag + port->own, s->own_keep + port->own, port->rows,
                          fluid_row_now(s->now, port->rows)};
    const fluid_pulls out = fluid_front_pulls(t, s, port, 0);
    pull_block(&own, s->now, port->delay, n, &s->front[port->front], &out);
}

/* ---- what is carried ---- */

/* REGULAR: each step pulls from one of the port's steps into the next one. */
enum { REGULAR = 1 };

static uint32_t shape_of(const fluid_pulls *p, uint32_t n)
{
    int odd = 0;
    for (uint32_t i = 0; i < n; i++)
        odd |= (p->from[i] + 1 != p->to[i]) | (p->to[i] != p->to[0] + (int32_t)i);
    return odd ? 0 : REGULAR;
}

/* What a pull reads: the prefix upstream, the source's volume, and survival at the port upstream. */
typedef struct fluid_path {
    fluid_column lag, keep, volume;
    const double *own_keep;
} fluid_path;

typedef struct carried {
    fluid_real lag[WI_FLUID_BLOCK + 1]; /* [0]: at the block's start, given */
    fluid_real sent[WI_FLUID_BLOCK], arrived[WI_FLUID_BLOCK], keep[WI_FLUID_BLOCK];
} carried;

/* Lag and survival upstream at both ends of each pull. */
typedef struct ends {
    const fluid_real *before, *after, *keep_from, *keep_to;
    fluid_real room[4][WI_FLUID_BLOCK + 1];
} ends;

static void find_ends(const fluid_path *path, const fluid_pulls *p, uint32_t shape, uint32_t n, ends *e)
{
    if (WEIR_LIKELY(shape == REGULAR)) {
        e->before = stretch(path->lag, p->from[0], n + 1, e->room[0]);
        e->keep_from = stretch(path->keep, p->from[0], n + 1, e->room[1]);
        e->after = e->before + 1;
        e->keep_to = e->keep_from + 1;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        e->room[0][i] = fluid_at(path->lag, p->to[i] - 1);
        e->room[1][i] = fluid_at(path->lag, p->to[i]);
        e->room[2][i] = fluid_at(path->keep, p->from[i]);
        e->room[3][i] = fluid_at(path->keep, p->to[i]);
    }
    e->before = e->room[0];
    e->after = e->room[1];
    e->keep_from = e->room[2];
    e->keep_to = e->room[3];
}

/* Times at the source that the lags at the ends of steps say, and the volumes of the steps that hold them. */
typedef struct sendings {
    int32_t whole[WI_FLUID_BLOCK + 1];
    fluid_real rest[WI_FLUID_BLOCK + 1];
    const fluid_real *first, *second; /* of the step in which each begins, and of the next */
    fluid_real room[2][WI_FLUID_BLOCK + 1];
} sendings;

static inline __attribute__((always_inline)) void find_sendings(const fluid_path *path, uint32_t n,
                                                                const fluid_real *lag, sendings *s)
{
    int32_t moved = 0;
    for (uint32_t i = 0; i <= n; i++) {
        s->whole[i] = (int32_t)lag[i];
        s->rest[i] = lag[i] - (fluid_real)s->whole[i];
    }
    for (uint32_t i = 0; i < n; i++)
        moved |= s->whole[i] ^ s->whole[i + 1];
    if (WEIR_LIKELY(!moved)) {
        s->first = stretch(path->volume, -1 - s->whole[0], n + 1, s->room[0]);
        s->second = s->first + 1;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        s->room[0][i] = fluid_at(path->volume, (int32_t)i - 1 - s->whole[i]);
        s->room[1][i] = fluid_at(path->volume, (int32_t)i - s->whole[i]);
    }
    s->first = s->room[0];
    s->second = s->room[1];
}

/* A step that is not a usual one. */
static void carry_step(const fluid_path *path, const fluid_pulls *p, const ends *e, uint32_t i, carried *c)
{
    const fluid_pull pull = {p->from[i],      p->to[i],      p->rest[i], p->part[i], p->wait[i],
                             p->keep_from[i], p->keep_to[i], 0,          0};
    const fluid_when when0 = fluid_sent_at((int32_t)i - 1, c->lag[i]);
    const fluid_when when1 = fluid_sent_at((int32_t)i, c->lag[i + 1]);
    const fluid_real v[] = {fluid_at(path->volume, when0.step), fluid_at(path->volume, when0.step + 1),
                            fluid_at(path->volume, when0.step + 2)};
    fluid_arrival a;
    if (fluid_arrive_near(pull.from, pull.to, e->before[i], pull.keep_from * e->keep_from[i],
                          pull.keep_to * e->keep_to[i], when0, when1, v, &a))
        a = fluid_arrive(path->lag, path->keep, path->volume, path->own_keep, &pull, when0, when1, 2);
    c->sent[i] = a.sent;
    c->arrived[i] = a.arrived;
    c->keep[i] = a.keep;
}

/* All steps as if they were usual. `odd`: those that are not. */
static inline __attribute__((always_inline)) void move(const fluid_pulls *p, const ends *e, const sendings *s,
                                                       uint32_t n, carried *c, int32_t *odd)
{
    const fluid_real *const before = e->before, *const first = s->first, *const second = s->second;
    const fluid_real *const up0 = e->keep_from, *const up1 = e->keep_to;
    const fluid_real *const own0 = p->keep_from, *const own1 = p->keep_to;
    const int32_t *const from = p->from, *const to = p->to;
    for (uint32_t i = 0; i < n; i++) {
        const fluid_when when0 = {(int32_t)i - 1 - s->whole[i], s->rest[i]};
        const fluid_when when1 = {(int32_t)i - s->whole[i + 1], s->rest[i + 1]};
        fluid_arrival a;
        odd[i] = fluid_arrive_usually(from[i], to[i], before[i], own0[i] * up0[i], own1[i] * up1[i], when0,
                                      when1, first[i], second[i], &a);
        c->sent[i] = a.sent;
        c->arrived[i] = a.arrived;
        c->keep[i] = a.keep;
    }
}

static inline __attribute__((always_inline)) void carry_steps(const fluid_path *path, const fluid_pulls *p,
                                                              uint32_t shape, uint32_t n, carried *c)
{
    int32_t odd[WI_FLUID_BLOCK];
    ends e;
    sendings s;
    find_ends(path, p, shape, n, &e);
    for (uint32_t i = 0; i < n; i++)
        c->lag[i + 1] = fluid_carry_lag(e.before[i], e.after[i], p->part[i], p->wait[i]);
    find_sendings(path, n, c->lag, &s);
    move(p, &e, &s, n, c, odd);
    int32_t some = 0;
    for (uint32_t i = 0; i < n; i++)
        some |= odd[i];
    if (WEIR_LIKELY(!some))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (odd[i])
            carry_step(path, p, &e, i, c);
}

static void carry(const fluid_path *path, const fluid_pulls *p, uint32_t shape, uint32_t n, carried *c)
{
    if (WEIR_LIKELY(n == WI_FLUID_BLOCK)) /* a number of turns that the compiler knows */
        carry_steps(path, p, shape, WI_FLUID_BLOCK, c);
    else
        carry_steps(path, p, shape, n, c);
}

#endif

/*
 * Part of cpu/solver.h: what pulls through a port, all steps of a block at once.
 *
 * Histories are contiguous in time, so a block of steps that pulls from consecutive steps of the port, as
 * nearly all do, is straight loops over arrays. There are two ways through them: the usual one, where the lag
 * stays within one step for the whole block and volumes are two windows of the ring, and the near one, where
 * each step looks its volumes up. Steps that neither fits are done again one by one, by what carry.h says for
 * any step.
 */
#ifndef WI_FLUID_CPU_CARRY_H
#define WI_FLUID_CPU_CARRY_H

/* What a pull reads: the prefix upstream, the source's volume, and survival at the port upstream. whole: the
 * steps of a whole block upstream are there, even if fewer are wanted. */
typedef struct fluid_path {
    fluid_column lag, keep, volume;
    const double *own_keep;
    bool whole;
} fluid_path;

typedef struct carried {
    reals lag; /* at the ends of steps */
    reals sent, arrived, keep;
} carried;

/* Lag and survival upstream at both ends of each pull. */
typedef struct ends {
    const fluid_real *before, *after, *keep_from, *keep_to;
    reals of_pulls[4]; /* where pulls are not regular */
    fluid_real lags[BLOCK + 1], keeps[BLOCK + 1];
} ends;

static void look_up_ends(const fluid_path *path, const block_pulls *p, uint32_t n, ends *e)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        const uint32_t k = i < n ? i : n - 1;
        e->of_pulls[0][i] = fluid_at(path->lag, p->to[k] - 1);
        e->of_pulls[1][i] = fluid_at(path->lag, p->to[k]);
        e->of_pulls[2][i] = fluid_at(path->keep, p->from[k]);
        e->of_pulls[3][i] = fluid_at(path->keep, p->to[k]);
    }
    e->before = e->of_pulls[0];
    e->after = e->of_pulls[1];
    e->keep_from = e->of_pulls[2];
    e->keep_to = e->of_pulls[3];
}

INLINE void find_ends(const fluid_path *path, const block_pulls *p, uint32_t n, ends *e)
{
    if (WEIR_UNLIKELY(!p->regular)) {
        look_up_ends(path, p, n, e);
        return;
    }
    e->before = window(path->lag, p->from[0], n, path->whole, e->lags);
    e->keep_from = window(path->keep, p->from[0], n, path->whole, e->keeps);
    e->after = e->before + 1;
    e->keep_to = e->keep_from + 1;
}

/* A step that neither way fits. */
static void carry_step(const fluid_path *path, const block_pulls *p, const ends *e, uint32_t i,
                       fluid_real lag0, carried *c)
{
    const fluid_pull pull = {p->from[i],      p->to[i],      p->rest[i], p->part[i], p->wait[i],
                             p->keep_from[i], p->keep_to[i], 0,          0};
    const fluid_when when0 = fluid_sent_at((int32_t)i - 1, lag0);
    const fluid_when when1 = fluid_sent_at((int32_t)i, c->lag[i]);
    const fluid_real v[] = {fluid_at(path->volume, when0.step), fluid_at(path->volume, when0.step + 1),
                            fluid_at(path->volume, when0.step + 2)};
    fluid_arrival a;
    if (fluid_arrive_near(pull.from, pull.to, e->before[i], pull.keep_from * e->keep_from[i],
                          pull.keep_to * e->keep_to[i], when0, when1, v, &a))
        a = fluid_arrive(path->lag, path->keep, path->volume, path->own_keep, &pull, when0, when1);
    c->sent[i] = a.sent;
    c->arrived[i] = a.arrived;
    c->keep[i] = a.keep;
}

/* Regular pulls, and lags within step `span`: as if all steps were usual. `odd`: those that are not. */
INLINE void move_usually(const fluid_path *path, const block_pulls *p, const ends *e, const fluid_real *lag0,
                         int32_t span, carried *c, int32_t *odd)
{
    fluid_real room[BLOCK + 1];
    const fluid_real *const v = window(path->volume, -1 - span, BLOCK, true, room);
    const fluid_real *const before = e->before, *const up = e->keep_from;
    const int32_t from = p->from[0];
    ALL_STEPS(i)
    {
        const fluid_when when0 = fluid_sent_at((int32_t)i - 1, lag0[i]);
        const fluid_when when1 = fluid_sent_at((int32_t)i, c->lag[i]);
        const int32_t at = from + (int32_t)i;
        fluid_arrival a;
        odd[i] = fluid_arrive_usually(at, at + 1, before[i], p->keep_from[i] * up[i],
                                      p->keep_to[i] * up[i + 1], when0, when1, v[i], v[i + 1], &a);
        c->sent[i] = a.sent;
        c->arrived[i] = a.arrived;
        c->keep[i] = a.keep;
    }
}

/* Volumes of the step in which each of a block's steps begins at the source, and of the two behind it. */
typedef struct begun {
    reals v[3];
} begun;

/* By how many reals lags may differ in a block so that volumes are picked from as many windows of the ring,
 * which costs less than to look up each. A campus network's differ by up to six. */
enum { WINDOWS = 12 };

/* whole: lags at the steps' starts; most: the largest; n: by how many steps the least is less. */
INLINE void pick_volumes(fluid_column volume, const int32_t *whole, int32_t most, int32_t n, begun *b)
{
    fluid_real room[BLOCK + WINDOWS + 2];
    const uint32_t slot = fluid_slot(volume.now, -1 - most, volume.rows);
    const fluid_real *from = volume.at + slot;
    if (WEIR_UNLIKELY(volume.rows - slot < BLOCK + WINDOWS + 2)) {
        for (int32_t i = 0; i < BLOCK + 2 + n; i++)
            room[i] = fluid_at(volume, i - 1 - most);
        from = room;
    }
    ALL_STEPS(i)
    {
        b->v[0][i] = from[i];
        b->v[1][i] = from[i + 1];
        b->v[2][i] = from[i + 2];
    }
    for (int32_t later = 1; later <= n; later++) {
        const fluid_real *const at = from + later;
        ALL_STEPS(i)
        {
            const bool here = whole[i] == most - later;
            b->v[0][i] = here ? at[i] : b->v[0][i];
            b->v[1][i] = here ? at[i + 1] : b->v[1][i];
            b->v[2][i] = here ? at[i + 2] : b->v[2][i];
        }
    }
}

static void find_volumes(fluid_column volume, const fluid_real *lag0, begun *b)
{
    int32_t whole[BLOCK] IN_LINES, most = 0, least = INT32_MAX;
    ALL_STEPS(i)
    {
        whole[i] = (int32_t)lag0[i];
        most = whole[i] > most ? whole[i] : most;
        least = whole[i] < least ? whole[i] : least;
    }
    if (WEIR_LIKELY(most - least <= WINDOWS)) {
        pick_volumes(volume, whole, most, most - least, b);
        return;
    }
    for (int32_t i = 0; i < BLOCK; i++)
        for (int32_t k = 0; k < 3; k++)
            b->v[k][i] = fluid_at(volume, i - 1 - whole[i] + k);
}

/* Any pulls and lags. */
static void move_near(const fluid_path *path, const block_pulls *p, const ends *e, const fluid_real *lag0,
                      carried *c, int32_t *odd)
{
    const fluid_real *const before = e->before, *const up0 = e->keep_from, *const up1 = e->keep_to;
    begun b;
    find_volumes(path->volume, lag0, &b);
    ALL_STEPS(i)
    {
        const fluid_when when0 = fluid_sent_at((int32_t)i - 1, lag0[i]);
        const fluid_when when1 = fluid_sent_at((int32_t)i, c->lag[i]);
        const fluid_real v[] = {b.v[0][i], b.v[1][i], b.v[2][i]};
        fluid_arrival a;
        odd[i] = fluid_arrive_near(p->from[i], p->to[i], before[i], p->keep_from[i] * up0[i],
                                   p->keep_to[i] * up1[i], when0, when1, v, &a);
        c->sent[i] = a.sent;
        c->arrived[i] = a.arrived;
        c->keep[i] = a.keep;
    }
}

/* n steps; lag: at the block's start. */
INLINE void carry(const fluid_path *path, const block_pulls *p, uint32_t n, fluid_real lag, carried *c)
{
    int32_t odd[BLOCK] IN_LINES, moved[BLOCK] IN_LINES;
    const int32_t span = (int32_t)lag;
    reals lag0;
    ends e;
    find_ends(path, p, n, &e);
    const fluid_real *const before = e.before, *const after = e.after;
    ALL_STEPS(i)
    c->lag[i] = fluid_carry_lag(before[i], after[i], p->part[i], p->wait[i]);
    shift_in(c->lag, lag, lag0);
    ALL_STEPS(i)
    moved[i] = (int32_t)c->lag[i] ^ span;
    if (WEIR_LIKELY(!any(moved) && p->regular))
        move_usually(path, p, &e, lag0, span, c, odd);
    else
        move_near(path, p, &e, lag0, c, odd);
    if (WEIR_LIKELY(!any(odd)))
        return;
    for (uint32_t i = 0; i < n; i++)
        if (odd[i])
            carry_step(path, p, &e, i, lag0[i], c);
}

#endif

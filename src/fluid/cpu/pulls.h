/*
 * Part of cpu/solver.h: all pulls of a block through one port over one delay.
 *
 * Nearly always they end in consecutive steps of the port. That is guessed, all steps are reckoned at once,
 * and where the guess was wrong they are done again one after the other.
 */
#ifndef WI_FLUID_CPU_PULLS_H
#define WI_FLUID_CPU_PULLS_H

/* Pulls of orders 1 and 2 without signals. regular: each goes from one of the port's steps into the next, and
 * the next pull goes on from there; then only from[0] counts of both. */
typedef struct block_pulls {
    reals rest, part, wait, keep_from, keep_to;
    int32_t from[BLOCK] IN_LINES, to[BLOCK] IN_LINES;
    bool regular;
} block_pulls;

/* A port's maps: rings of its lag and of its survival for a kind. */
typedef struct own_maps {
    const double *lag, *keep;
    uint32_t rows, now;
} own_maps;

static bool is_regular(const block_pulls *p)
{
    int32_t odd[BLOCK] IN_LINES;
    ALL_STEPS(i)
    odd[i] = (p->from[i] + 1 != p->to[i]) | (p->to[i] != p->to[0] + (int32_t)i);
    return !any(odd);
}

/* The steps from n on are like the last, a step further each. */
static void pad_pulls(block_pulls *p, uint32_t n)
{
    for (uint32_t i = n; i < BLOCK; i++) {
        p->rest[i] = p->rest[n - 1];
        p->part[i] = p->part[n - 1];
        p->wait[i] = p->wait[n - 1];
        p->keep_from[i] = p->keep_from[n - 1];
        p->keep_to[i] = p->keep_to[n - 1];
        p->from[i] = p->from[n - 1] + (int32_t)(i - n + 1);
        p->to[i] = p->to[n - 1] + (int32_t)(i - n + 1);
    }
}

static void pull_one_by_one(const own_maps *own, int64_t first, double delay, uint32_t n, fluid_place *place,
                            block_pulls *out)
{
    for (uint32_t i = 0; i < n; i++) {
        const fluid_pull p =
            fluid_pull_step(own->lag, own->keep, NULL, own->rows, own->now, first, delay, i, place);
        out->from[i] = p.from;
        out->to[i] = p.to;
        out->rest[i] = p.rest;
        out->part[i] = p.part;
        out->wait[i] = p.wait;
        out->keep_from[i] = p.keep_from;
        out->keep_to[i] = p.keep_to;
    }
    pad_pulls(out, n);
    out->regular = is_regular(out);
}

/* n + 1 values of a port's ring from step `rel` on, in place or in `room`; behind them, any. */
static const double *own_window(const double *ring, uint32_t rows, uint32_t now, int32_t rel, uint32_t n,
                                double *room)
{
    const uint32_t slot = fluid_slot(now, rel, rows);
    if (WEIR_LIKELY(n == BLOCK && slot + BLOCK < rows))
        return ring + slot;
    for (uint32_t i = 0; i <= BLOCK; i++)
        room[i] = ring[fluid_slot(now, rel + (int32_t)(i < n ? i : n), rows)];
    return room;
}

/* Guess that the pulls' ends, the first of them step `target` less `rest`, lie in consecutive steps of the
 * port from step `to` on; true when it holds for n. lag: the port's, at the ends of the steps to - 1, to,
 * .... */
INLINE bool follow(const double *lag, int32_t to, int32_t target, double rest, uint32_t n, double *part)
{
    int32_t wrong[BLOCK] IN_LINES;
    ALL_STEPS(i) /* target and step move on together, and only their difference
                    counts */
    {
        wrong[i] =
            fluid_short_of(lag[i + 1], rest, target, to) | !fluid_short_of(lag[i], rest, target, to - 1);
        part[i] = fluid_part_of(lag[i], lag[i + 1], rest, target, to);
    }
    for (uint32_t i = n; i < BLOCK; i++)
        wrong[i] = 0;
    return !any(wrong);
}

/* All pulls of a block over a delay; moves the place. known: steps of the block that the port has done. */
static void pull_block(const own_maps *own, int64_t first, double delay, uint32_t known, uint32_t n,
                       fluid_place *place, block_pulls *out)
{
    double room[BLOCK + 1], part[BLOCK] IN_LINES, part0[BLOCK] IN_LINES;
    const int32_t from = (int32_t)(place->step - first), to = from + 1;
    const double *const lag = own_window(own->lag, own->rows, own->now, from, n, room);
    if (to + (int32_t)n > (int32_t)known || /* the last step's guess must be known */
        !follow(lag, to, 1 - (int32_t)delay, delay - (double)(int32_t)delay, n, part)) {
        pull_one_by_one(own, first, delay, n, place, out);
        return;
    }
    const double *const keep = own_window(own->keep, own->rows, own->now, from, n, room);
    shift_in(part, place->part, part0);
    ALL_STEPS(i)
    {
        out->rest[i] = (fluid_real)(1.0 - part0[i]);
        out->part[i] = (fluid_real)part[i];
        out->wait[i] = (fluid_real)((double)(1 - to) - part[i]);
    }
    ALL_STEPS(i)
    {
        out->keep_from[i] = (fluid_real)keep[i];
        out->keep_to[i] = (fluid_real)keep[i + 1];
    }
    ALL_STEPS(i)
    {
        out->from[i] = from + (int32_t)i;
        out->to[i] = to + (int32_t)i;
    }
    out->regular = true;
    place->step = (int32_t)(first + from + (int32_t)n);
    place->part = part[n - 1];
}

/* ---- pulls of the ports upstream, which many share: in memory ---- */

static void fetch_pulls(const fluid_pulls *from, uint32_t n, block_pulls *p)
{
    if (n == BLOCK) {
        ALL_STEPS(i)
        {
            p->from[i] = from->from[i];
            p->to[i] = from->to[i];
        }
        ALL_STEPS(i)
        {
            p->rest[i] = from->rest[i];
            p->part[i] = from->part[i];
            p->wait[i] = from->wait[i];
            p->keep_from[i] = from->keep_from[i];
            p->keep_to[i] = from->keep_to[i];
        }
    } else {
        for (uint32_t i = 0; i < n; i++) {
            p->from[i] = from->from[i];
            p->to[i] = from->to[i];
            p->rest[i] = from->rest[i];
            p->part[i] = from->part[i];
            p->wait[i] = from->wait[i];
            p->keep_from[i] = from->keep_from[i];
            p->keep_to[i] = from->keep_to[i];
        }
        pad_pulls(p, n);
    }
    p->regular = is_regular(p);
}

#endif

/*
 * What BRITE's two engines share in growing BA-2 and GLP: a step adds m links, or (BA-2) turns m links, or
 * adds a node with m links, by chance; a graph that is nearly complete gets a node.
 */
#pragma once

#include "topology/brite/flat/flat.h"
#include "topology/brite/flat/tally.h"

typedef enum wi_step { WI_STEP_LINKS, WI_STEP_TURN, WI_STEP_NODE } wi_step;

/* What an engine has forgotten about or found no answer to in so many draws is given up: BRITE would go on
 * for ever. */
enum { WI_EVOLVING_TRIES = 4096 };

typedef struct wi_evolving {
    const wi_flat *flat;
    wi_sketch *sketch;
    weir_stream stream;
    wi_tally weight; /* by which nodes are preferred: the degrees, as the engine believes them to be, less
                        `less` */
    double less;     /* GLP: beta; else 0 */
    double sum;      /* of degrees, as the engine believes */
    uint32_t last;   /* the node that came last */
    uint64_t made;   /* links, as the engine counts them: BA-2's turned ones count twice in C++ */
} wi_evolving;

static inline wi_step wi_evolving_step(wi_evolving *e)
{
    const double p = e->flat->p, q = e->flat->model == WI_FLAT_GLP ? 0 : e->flat->q;
    const int64_t pairs = (int64_t)e->last * ((int64_t)e->last - 1) / 2;
    const int64_t most = pairs - (e->flat->model == WI_FLAT_GLP ? e->flat->m : e->flat->m + 1);
    const double chance = weir_draw_unit(&e->stream);
    if ((int64_t)e->made >= most || chance >= p + q)
        return WI_STEP_NODE;
    return chance < p ? WI_STEP_LINKS : WI_STEP_TURN;
}

/* A node by preference out of all but the last, which gets what the others leave. `from`: the running sum
 * begins there. */
static inline uint32_t wi_evolving_prefer(wi_evolving *e, double from)
{
    const double target = weir_draw_unit(&e->stream) * (e->sum - e->last * e->less) - from;
    const uint32_t u = wi_tally_find(&e->weight, target, e->last);
    return u < e->last ? u : e->last;
}

static inline void wi_evolving_add(wi_evolving *e, uint32_t v, double degree)
{
    wi_tally_set(&e->weight, v, wi_tally_get(&e->weight, v) + degree);
}

/* Routers that are being divided over ASes: bottom_up.c begins and ends it, bottom_up_engines.c has the ways of
 * BRITE's two engines. */
#ifndef WI_TOPOLOGY_BRITE_BOTTOM_UP_H
#define WI_TOPOLOGY_BRITE_BOTTOM_UP_H

#include "topology/brite/brite.h"

typedef struct wi_grouped {
    wi_sketch *sketch;
    uint32_t *first, *neighbour; /* adjacency: of v: neighbour[first[v]] ... in the links' order */
    uint32_t *left, n_left;      /* routers without an AS */
    uint32_t *open, n_open;      /* routers of the present AS that may have unassigned neighbours */
    uint32_t *at;                /* where a router stands in the one list or the other */
    weir_stream stream;
} wi_grouped;

/* Gives routers AS numbers from 1 on, as the model's engine does; 0 stays where it gives none. False when
 * memory is short. */
bool wi_group_as_brite(wi_grouped *g, const wi_bottom_up *model, weir_stream sizes);

#endif

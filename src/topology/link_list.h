/*
 * Links as a file lists them, before they are links of a graph: both directions of a pair become one link
 * where that is asked for, and weights, which may be fractions, are scaled to whole numbers once all of them
 * are known.
 */
#ifndef WI_TOPOLOGY_LINK_LIST_H
#define WI_TOPOLOGY_LINK_LIST_H

#include "topology/reader.h"

typedef struct wi_listed {
    uint32_t a, b;
    uint64_t rate_bps, rate_back_bps; /* 0: not given */
    weir_time delay_ps;               /* negative: not given */
    double weight, weight_back;       /* NaN: not given */
} wi_listed;

wi_listed wi_listed_init(uint32_t a, uint32_t b);

typedef struct wi_link_list {
    wi_listed *item;
    size_t n, capacity;
    size_t *slot; /* open addressing by the unordered pair; index + 1, 0 where free */
    size_t n_slots, n_pairs;
    uint64_t again;     /* entries merged into an earlier one */
    uint64_t conflicts; /* of these, how many said something else in the same direction */
} wi_link_list;

/* A zeroed wi_link_list is an empty one. */
void wi_link_list_free(wi_link_list *list);
/* Add a link; with `merge`, to the first one listed between the same two nodes if there is one. False: out of
 * memory. */
bool wi_link_list_add(wi_link_list *list, wi_listed link, bool merge);
/* Hand all links to the builder, in the order of first listing, and report what was merged and scaled. */
weir_status wi_link_list_finish(weir_diag *diag, const wi_link_list *list, const wi_source *source,
                                const weir_topology_options *options, weir_graph_builder *builder);

/* The largest weight times its scale: what routes can sum up. */
#define WI_WEIGHT_MAX 16777216.0

#endif

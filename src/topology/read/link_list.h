/*
 * Links as a file lists them, before they are links of a graph: both directions of a pair become one link
 * where that is asked for, and weights, which may be fractions, are scaled to whole numbers once all of them
 * are known.
 */
#pragma once

#include "topology/builder.h"
#include "base/file/source.h"

typedef struct wi_listed {
    uint32_t a, b;
    uint64_t rate_bps, rate_back_bps;  /* 0: not given */
    weir_time delay_ps, delay_back_ps; /* negative: not given */
    double weight, weight_back;        /* NaN: not given */
    bool zero_rate, zero_back;         /* the file states a rate of 0 for this direction */
    bool one_way;                      /* a to b only; set by adding */
    uint32_t head, tail, next;         /* queues of the list itself */
} wi_listed;

/* What an entry of a file is. */
typedef enum wi_listing {
    WI_LIST_OWN,     /* a link of its own, both ways */
    WI_LIST_MERGE,   /* the same link as the first entry between the same two nodes, in either direction */
    WI_LIST_DIRECTED /* one direction: one link with the first entry of the other direction that has no
                        partner yet, and a one-way link where there is none */
} wi_listing;

/* A link between two nodes, of which nothing else is known. */
wi_listed wi_listed_init(uint32_t a, uint32_t b);

typedef struct wi_link_list {
    wi_listed *item;
    size_t n, capacity;
    size_t *slot; /* open addressing by the unordered pair; index + 1, 0 where free */
    size_t n_slots, n_pairs;
    wi_names ids;    /* of entries with an id */
    uint32_t *of_id; /* [ids.count]: entry + 1 */
    size_t of_id_capacity;
    uint64_t paired;    /* directed entries that made one link with an earlier one */
    uint64_t again;     /* entries merged into an earlier one */
    uint64_t conflicts; /* of these, how many said something else in the same direction */
} wi_link_list;

/* Free a list; a zeroed wi_link_list is an empty one. */
void wi_link_list_free(wi_link_list *list);
/* Add a link; false: out of memory. A list takes merged or directed entries, beside those of their own, not
 * both. */
bool wi_link_list_add(wi_link_list *list, wi_listed link, wi_listing listing);
/* Add one direction of the link of that id in the file: one link with the entry of the same id and the other
 * direction. A list takes such entries or directed ones, not both. */
bool wi_link_list_add_of(wi_link_list *list, wi_listed link, wi_slice id);
/* Count the links that lead one way. */
uint64_t wi_link_list_one_way(const wi_link_list *list);
/* Hand all links to the builder, in the order of first listing, with weights times `scale` (0: what makes
 * them whole), and report what was merged and scaled. */
void wi_link_list_finish(const wi_link_list *list, wi_source *source, uint32_t scale,
                         weir_graph_builder *builder);

/* The largest weight times its scale. */
#define WI_WEIGHT_MAX 16777216.0

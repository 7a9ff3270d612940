/*
 * The models of BRITE (Medina, Matta, Byers 2000; as ns-3's module of 2012 uses it): their parameters and
 * steps. The parameters' names and numbers are those of BRITE's configuration files.
 *
 * A flat model places nodes and joins them (wi_flat_draw); top-down and bottom-up make a hierarchy of such
 * graphs; wi_brite_finish gives links their rates and delays and nodes their classes, and hands all to a
 * builder. Every step draws from a stream of its own, numbered by the graph it works on and by its purpose,
 * so that a change of one distribution leaves the rest of the topology as it was.
 *
 * BRITE 2.1 is two programs, which differ from each other and, by mistakes, from the models' papers. Which of
 * them is followed is chosen (wi_engine); the table in docs/topologies.md says where they differ and what is
 * not followed.
 */
#pragma once

#include "topology/brite/flat/flat.h"
#include "weir/graph.h"
#include "weir/random.h"

typedef enum wi_spread {
    WI_SPREAD_NONE, /* links keep what they have */
    WI_SPREAD_CONSTANT,
    WI_SPREAD_UNIFORM,
    WI_SPREAD_EXPONENTIAL,
    WI_SPREAD_HEAVY_TAILED
} wi_spread;

/*
 * A distribution of rates, in Mb/s: constant `min`; uniform from `min` to `max` (Java: to `min` + `max`);
 * exponential of mean `min` (Java: 1 / `min`); Pareto of shape 1.2 from `min` (C++: from 1) to `max`.
 */
typedef struct wi_bandwidth {
    wi_spread spread;
    double min, max;
    wi_engine engine;
} wi_bandwidth;

typedef enum wi_edge_conn { /* which router of an AS takes a link to another AS; see top_down.c */
                            WI_CONN_RANDOM = 1,
                            WI_CONN_SMALLEST,         /* the one of the smallest degree */
                            WI_CONN_SMALLEST_NONLEAF, /* of the smallest degree that is no leaf's */
                            WI_CONN_SMALLEST_K        /* of the smallest degree above k */
} wi_edge_conn;

typedef struct wi_top_down {
    wi_engine engine;
    wi_edge_conn edge_conn;
    uint32_t k;
    wi_flat as, router;
} wi_top_down;

typedef enum wi_grouping { WI_GROUP_PICK = 1, WI_GROUP_WALK } wi_grouping;

typedef struct wi_bottom_up {
    wi_engine engine;
    wi_grouping grouping;
    wi_spread assign; /* of routers over ASes */
    uint32_t n_as;
    wi_flat router;
} wi_bottom_up;

typedef enum wi_level { WI_LEVEL_ROUTER = 1, WI_LEVEL_AS, WI_LEVEL_BOTH } wi_level;

/* What wi_brite_finish needs besides the sketch. */
typedef struct wi_finish {
    wi_level level; /* of the nodes: routers of one network, ASes, or routers of many ASes */
    wi_bandwidth intra, inter;
    uint64_t seed;
} wi_finish;

/* Refuse limits that make no distribution. `name` and place are for the message. */
weir_status wi_bandwidth_check(weir_diag *diag, const wi_bandwidth *b, const char *name, const char *file,
                               int line);

/* Draw a hierarchy; AS numbers count from 1. The sketch, empty at first, is the caller's to free in any case. */
weir_status wi_draw_top_down(weir_diag *diag, const wi_top_down *model, uint64_t seed, wi_sketch *sketch);
/* Likewise, from the routers up. */
weir_status wi_draw_bottom_up(weir_diag *diag, const wi_bottom_up *model, uint64_t seed, wi_sketch *sketch);

/* Routers that are being divided over ASes: bottom_up.c begins and ends it, bottom_up_engines.c has BRITE's
 * two ways. */
typedef struct wi_grouped {
    wi_sketch *sketch;
    uint32_t *first, *neighbour; /* adjacency: of v: neighbour[first[v]] ... in the links' order */
    uint32_t *left, n_left;      /* routers without an AS */
    uint32_t *open, n_open;      /* routers of the present AS that may have unassigned neighbours */
    uint32_t *at;                /* where a router stands in the one list or the other */
    wi_owned memory;             /* of all these */
    weir_stream stream;
} wi_grouped;
/* Give routers AS numbers from 1 on, as the model's engine does; 0 stays where it gives none. False when
 * memory is short. */
bool wi_group_as_brite(wi_grouped *g, const wi_bottom_up *model, weir_stream sizes);

/* Give rates, delays (distance over the speed of light, as BRITE has it) and classes; then hand all to the
 * builder. */
weir_status wi_brite_finish(weir_diag *diag, const wi_sketch *sketch, const wi_finish *finish,
                            weir_graph_builder *builder);

#define WI_BRITE_KM_PER_S 299792.458

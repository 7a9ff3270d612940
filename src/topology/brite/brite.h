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
#ifndef WI_TOPOLOGY_BRITE_BRITE_H
#define WI_TOPOLOGY_BRITE_BRITE_H

#include "topology/brite/sketch.h"
#include "weir/graph.h"
#include "weir/random.h"

/* The numbers are those of the generators' words and of weir_brite_engine, plus one. */
typedef enum wi_engine {
    WI_ENGINE_CPP = 1, /* BRITE's C++ engine, and so ns-3's */
    WI_ENGINE_JAVA,    /* its Java engine */
    WI_ENGINE_MODEL    /* neither's mistakes: BA-2 and GLP as their papers have them */
} wi_engine;

typedef enum wi_placement { WI_PLACE_RANDOM = 1, WI_PLACE_HEAVY_TAILED } wi_placement;

typedef enum wi_growth {
    WI_GROW_INCREMENTAL = 1, /* nodes come one after another and join those that are there */
    WI_GROW_ALL,             /* all nodes are there, and each joins m of them */
    WI_GROW_PAIRS            /* each pair by itself with Waxman's probability: his own model of 1988 */
} wi_growth;

typedef enum wi_flat_model {
    WI_FLAT_WAXMAN = 1,
    WI_FLAT_BA,
    WI_FLAT_BA2,
    WI_FLAT_GLP,
    WI_FLAT_GIVEN /* not drawn: a graph read from a file */
} wi_flat_model;

/* One flat graph. */
typedef struct wi_flat {
    wi_flat_model model;
    wi_engine engine;
    bool of_ases; /* nodes are ASes: the engines place and join those a little differently */
    uint32_t n, m, hs, ls;
    wi_placement placement;
    wi_growth growth;        /* Waxman */
    double alpha, beta;      /* Waxman; GLP has a beta of its own kind */
    double p, q;             /* BA-2, GLP */
    bool join;               /* what falls apart is joined up */
    const weir_graph *given; /* WI_FLAT_GIVEN */
    const char *prefix;      /* for messages: "as_" before parameters of a hierarchy's upper level, else "" */
    const char *file;        /* where the parameters stand; null: nowhere */
    int line;
} wi_flat;

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

typedef enum wi_edge_conn { /* which router of an AS takes a link to another AS; top_down.c says how */
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

/* Streams: what a number is drawn for. */
typedef enum wi_purpose {
    WI_FOR_PLACES = 1,
    WI_FOR_LINKS,
    WI_FOR_EDGE_CONN,
    WI_FOR_GROUPING,
    WI_FOR_ASSIGNMENT,
    WI_FOR_BANDWIDTH
} wi_purpose;
/* `graph`: 0 for the only or the upper graph, i + 1 for that of AS i. Runs of a simulation number their
 * streams from 0, so topologies take theirs from the upper end. */
static inline weir_stream wi_brite_stream(uint64_t seed, uint32_t graph, wi_purpose purpose)
{
    return weir_stream_make(seed, graph, UINT32_C(0xb217e000) + (uint32_t)purpose);
}

/* An error about a flat graph's parameters, at their place. */
weir_status wi_flat_fail(weir_diag *diag, const wi_flat *flat, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* Refuses what no graph can have. */
weir_status wi_flat_check(weir_diag *diag, const wi_flat *flat);
/* Refuses limits that make no distribution. `name` and place are for the message. */
weir_status wi_bandwidth_check(weir_diag *diag, const wi_bandwidth *b, const char *name, const char *file,
                               int line);

/* Make a checked flat graph. On failure the sketch is empty. */
weir_status wi_flat_draw(weir_diag *diag, const wi_flat *flat, uint64_t seed, uint32_t graph,
                         wi_sketch *sketch);

/* Its steps. */
weir_status wi_place(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_waxman(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_waxman_pairs(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_ba(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_ba2(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_glp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
/* BA-2 and GLP as BRITE's engines have them. */
weir_status wi_draw_ba2_cpp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_glp_cpp(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
weir_status wi_draw_evolving_java(weir_diag *diag, const wi_flat *flat, weir_stream stream,
                                  wi_sketch *sketch);

/* Join components by one link each, from a random node of the smaller one to a random node outside; says how
 * many in a note. */
weir_status wi_join_up(weir_diag *diag, weir_stream *stream, wi_sketch *sketch);

/* Hierarchies. AS numbers count from 1. On failure the sketch is empty. */
weir_status wi_draw_top_down(weir_diag *diag, const wi_top_down *model, uint64_t seed, wi_sketch *sketch);
weir_status wi_draw_bottom_up(weir_diag *diag, const wi_bottom_up *model, uint64_t seed, wi_sketch *sketch);

/* Rates, delays (distance over the speed of light, as BRITE has it), classes; then all into the builder. */
weir_status wi_brite_finish(weir_diag *diag, const wi_sketch *sketch, const wi_finish *finish,
                            weir_graph_builder *builder);

#define WI_HEAVY_SHAPE 1.2 /* of rates and of ASes' sizes; place.c has those of places */
#define WI_BRITE_KM_PER_S 299792.458

#endif

/*
 * A flat graph of BRITE's models: what is asked for, and the steps that place nodes and join them. brite.h
 * has what is made of flat graphs.
 */
#pragma once

#include "topology/sketch/sketch.h"
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

/* Report an error about a flat graph's parameters, at their place. */
weir_status wi_flat_fail(weir_diag *diag, const wi_flat *flat, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* Refuse what no graph can have. */
weir_status wi_flat_check(weir_diag *diag, const wi_flat *flat);
/* Make a checked flat graph. The sketch is the caller's to free in any case. */
weir_status wi_flat_draw(weir_diag *diag, const wi_flat *flat, uint64_t seed, uint32_t graph,
                         wi_sketch *sketch);

/* A step of it: place the nodes, or join them by one of the models. */
typedef weir_status wi_flat_step(weir_diag *diag, const wi_flat *flat, weir_stream stream, wi_sketch *sketch);
wi_flat_step wi_place, wi_draw_waxman, wi_draw_waxman_pairs, wi_draw_ba, wi_draw_ba2, wi_draw_glp;
/* BA-2 and GLP as BRITE's engines have them. */
wi_flat_step wi_draw_ba2_cpp, wi_draw_glp_cpp, wi_draw_evolving_java;

/* What BRITE's Java engine keeps in a hash table, it goes through by the numbers' places in the table, then
 * as they came: the place of a number in a table that has held up to `most` numbers, and n keys of (place <<
 * 32 | when it came), sorted. */
uint32_t wi_java_place(uint32_t number, uint32_t most);
void wi_java_sort(uint64_t *key, size_t n);

#define WI_HEAVY_SHAPE 1.2 /* of rates and of ASes' sizes; place.c has those of places */

/* What generators share. Each has a file with its table; WI_GENERATORS lists them. */
#pragma once

#include "base/memory.h"
#include "weir/topology.h"

/* A graph under way. */
typedef struct wi_making {
    weir_diag *diag;
    const weir_generator *generator;
    const uint64_t
        *value; /* one entry a parameter: the count, bits per second or picoseconds; the bits of a real
                              (weir_bits_of_double); the place of a word among its words, from 1 */
    uint64_t seed;
    weir_graph_builder *builder;
} wi_making;

/* A generator: what users read about it, and what it does. */
typedef struct wi_generator {
    weir_generator about;
    /* Add nodes and links. */
    weir_status (*make)(const wi_making *m);
    /* Of how many nodes `pairs: all` speaks: hosts, or routers where there are none; 0 where only the graph
     * tells. */
    double (*ends)(const wi_making *m);
} wi_generator;

/* All, sorted by their names. */
#define WI_GENERATORS(X) \
    X(ba2)               \
    X(barabasi_albert)   \
    X(bottom_up)         \
    X(campus)            \
    X(dragonfly)         \
    X(dumbbell)          \
    X(erdos_renyi)       \
    X(fat_tree)          \
    X(glp)               \
    X(grid)              \
    X(leaf_spine)        \
    X(line) X(parking_lot) X(rail) X(random_regular) X(ring) X(star) X(top_down) X(torus) X(waxman)
#define WI_DECLARE_GENERATOR(name) extern const wi_generator wi_generator_##name;
WI_GENERATORS(WI_DECLARE_GENERATOR)

/* Refuse more nodes than a graph can have, before a long loop finds out. */
weir_status wi_check_size(const wi_making *m, double nodes);
/* Add a node with a printed name. */
uint32_t wi_add_named(const wi_making *m, weir_role role, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* Add a link of the rate that parameter `rate` has, and the delay that the one behind it has. */
void wi_connect(const wi_making *m, uint32_t a, uint32_t b, size_t rate);
/* Add hosts h0, h1, ...: they are nodes 0 .. n - 1 when this comes first. */
void wi_add_hosts(const wi_making *m, uint64_t n);
/* Link these n hosts to the nodes behind them, `each` to a node in order, as wi_connect does. */
void wi_connect_hosts(const wi_making *m, uint32_t n, uint32_t each, size_t rate);

/* Parameters that several generators have. */
#define WI_PARAM_RATE "rate", WEIR_RATE, "1Gbps", 0, 0, 0, "rate of the links between routers"
#define WI_PARAM_DELAY "delay", WEIR_TIME, "1ms", 0, 0, 0, "delay of the links between routers"
#define WI_PARAM_ACCESS_RATE "access_rate", WEIR_RATE, "100Mbps", 0, 0, 0, "rate of the hosts' links"
#define WI_PARAM_ACCESS_DELAY "access_delay", WEIR_TIME, "1ms", 0, 0, 0, "delay of the hosts' links"

enum { WI_COUNT_MAX = 1 << 24 };

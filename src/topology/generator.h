/* What generators share. Each has a file with its table; generate.c lists them. */
#ifndef WI_TOPOLOGY_GENERATOR_H
#define WI_TOPOLOGY_GENERATOR_H

#include "weir/topology.h"

extern const weir_generator wi_generator_ba2, wi_generator_barabasi_albert, wi_generator_bottom_up,
    wi_generator_campus, wi_generator_dragonfly, wi_generator_dumbbell, wi_generator_erdos_renyi,
    wi_generator_fat_tree, wi_generator_glp, wi_generator_grid, wi_generator_leaf_spine, wi_generator_line,
    wi_generator_parking_lot, wi_generator_rail, wi_generator_random_regular, wi_generator_ring,
    wi_generator_star, wi_generator_top_down, wi_generator_torus, wi_generator_waxman;

/* Refuses what exceeds the nodes that a graph can have, before a long loop finds out. */
weir_status wi_check_size(weir_diag *diag, const char *model, double nodes);
/* Add a node with a printed name. */
uint32_t wi_add_named(weir_graph_builder *builder, weir_role role, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* Add a link with the same rate both ways. */
void wi_connect(weir_graph_builder *builder, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps);
/* The same, from a to b only. */
void wi_connect_one_way(weir_graph_builder *builder, uint32_t a, uint32_t b, uint64_t rate_bps,
                        uint64_t delay_ps);
/* Add hosts h0, h1, ...: they are nodes 0 .. n - 1 when this comes first. */
void wi_add_hosts(weir_graph_builder *builder, uint64_t n);

/* Parameters that several generators have. */
#define WI_PARAM_RATE                                                            \
    {                                                                            \
        "rate", WEIR_RATE, "1Gbps", 0, 0, 0, "rate of the links between routers" \
    }
#define WI_PARAM_DELAY                                                           \
    {                                                                            \
        "delay", WEIR_TIME, "1ms", 0, 0, 0, "delay of the links between routers" \
    }
#define WI_PARAM_ACCESS_RATE                                                     \
    {                                                                            \
        "access_rate", WEIR_RATE, "100Mbps", 0, 0, 0, "rate of the hosts' links" \
    }
#define WI_PARAM_ACCESS_DELAY                                                  \
    {                                                                          \
        "access_delay", WEIR_TIME, "1ms", 0, 0, 0, "delay of the hosts' links" \
    }

enum { WI_COUNT_MAX = 1 << 24 };

#endif

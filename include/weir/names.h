/** Names, places and distributions that sections of a scenario (weir/scenario.h) have in common. */
#ifndef WEIR_NAMES_H
#define WEIR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"
#include "weir/time.h"

/** A name the user wrote: a node, a class. */
typedef struct weir_name {
    const char *text;
    weir_place place;
} weir_name;

typedef struct weir_names {
    const weir_name *item;
    size_t n;
} weir_names;

typedef struct weir_name_pair {
    weir_name from, to;
} weir_name_pair;

/** One direction of a link, "A->B", or both, "A--B"; or, where an end is no node's name, all links whose ends
 * match the patterns. */
typedef struct weir_link_name {
    const char *from, *to; /**< `to` null: a node, in output.pcap alone */
    bool both;             /**< written "A--B" */
    const char *text;      /**< as written, for messages */
    weir_place place;
} weir_link_name;

typedef struct weir_link_names {
    const weir_link_name *item;
    size_t n;
} weir_link_names;

typedef enum weir_sc_dist {
    WEIR_SC_DIST_NONE = 0,    /**< not given; what that means is said where the distribution is used */
    WEIR_SC_DIST_CONSTANT,    /**< `low` */
    WEIR_SC_DIST_UNIFORM,     /**< from `low` to `high` */
    WEIR_SC_DIST_EXPONENTIAL, /**< `mean` */
    WEIR_SC_DIST_PARETO, /**< `mean` and `shape` > 1: density ~ x^-(shape + 1) from mean (shape - 1) / shape
                            on */
    WEIR_SC_DIST_CDF     /**< piecewise linear, read from `file` */
} weir_sc_dist;

/** A distribution of sizes, in bytes. Fields that a kind does not name are zero. */
typedef struct weir_scenario_dist {
    weir_sc_dist kind;
    double mean, shape;
    double low, high;
    const char *file; /**< absolute path */
    weir_place place;
} weir_scenario_dist;

#endif

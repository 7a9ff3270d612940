/** What the ranks of a job do, and where they are, on any network. */
#ifndef WEIR_JOBS_H
#define WEIR_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "weir/names.h"
#include "weir/time.h"
#include "weir/training.h"

typedef enum weir_sc_place {
    WEIR_SC_PLACE_BLOCKS = 0,
    WEIR_SC_PLACE_ROUND_ROBIN,
    WEIR_SC_PLACE_RANDOM /**< BLOCKS on seats in a random order */
} weir_sc_place;

/** How an all-reduce is done; AUTO: DOUBLING up to `small_bytes`, above it RING; NCCL: RING or TREE. */
typedef enum weir_sc_reduce {
    WEIR_SC_REDUCE_AUTO = 0,
    WEIR_SC_REDUCE_RING,
    WEIR_SC_REDUCE_DOUBLING,
    WEIR_SC_REDUCE_HALVING,
    WEIR_SC_REDUCE_TREE,
    WEIR_SC_REDUCE_HIERARCHICAL,
    WEIR_SC_REDUCE_NCCL
} weir_sc_reduce;

/** An action of each rank, by a program. */
typedef struct weir_sc_action {
    int op;                   /**< its number: the place of its word in the list of docs/scenario.md */
    weir_sc_reduce algorithm; /**< AUTO, RING, DOUBLING or HALVING */
    weir_time time_ps;
    uint32_t bytes, root;
    weir_place place;
} weir_sc_action;

/** What ranks do, and where they are, on any network: what a trace says, or a model, or a program. */
typedef struct weir_scenario_ranks {
    weir_name trace, groups;       /**< absolute paths; null texts: none */
    weir_training model;           /**< its place's file null: none */
    const weir_sc_action *program; /**< [n_program], which each rank does */
    size_t n_program;
    weir_place program_place;
    weir_sc_place placement;
    uint32_t n, iterations; /**< n 0: of a program one a seat, else the trace says; iterations 0: endless */
    uint64_t eager_bytes;
    double flops;        /**< 0: not given */
    uint64_t memory_bps; /**< 0: not given */
} weir_scenario_ranks;

#endif

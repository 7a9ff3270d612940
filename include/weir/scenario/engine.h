/** How a scenario (weir/scenario.h) is run: the engine, and fluid beside packets. */
#ifndef WEIR_SCENARIO_ENGINE_H
#define WEIR_SCENARIO_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/names.h"

typedef enum weir_sc_engine {
    WEIR_SC_ENGINE_AUTO = 0,
    WEIR_SC_ENGINE_SEQUENTIAL,
    WEIR_SC_ENGINE_CONSERVATIVE,
    WEIR_SC_ENGINE_OPTIMISTIC,
    WEIR_SC_ENGINE_GPU,
    WEIR_SC_ENGINE_CHECK
} weir_sc_engine;

typedef struct weir_scenario_engine {
    weir_sc_engine type;
    weir_place type_place;
    uint32_t threads;      /**< 0: as many as the machine has */
    uint32_t lp_size;      /**< GPU engine, entities of an LP; 0: adapts */
    uint32_t device;       /**< GPU engine, ordinal of the CUDA device */
    bool host_driven;      /**< GPU engine, a launch a step instead of one persistent kernel */
    uint64_t memory_bytes; /**< optimistic engine, of each process, for what may be taken back; 0: chosen */
    weir_place memory_place;
    uint64_t gvt_events; /**< optimistic engine, events between two rounds of the GVT; 0: chosen */
    weir_time window_ps; /**< optimistic engine, how far ahead of the GVT; 0: no bound */
    uint64_t stress;     /**< optimistic engine, seed of random delays, for tests; 0: none */
    weir_place place;
} weir_scenario_engine;

/** Steady states skipped (docs/steady.md). */
typedef struct weir_scenario_steady {
    bool skip;
    double error; /**< share of its rate by which a skip may be off for a flow */
    weir_place place;
} weir_scenario_steady;

typedef enum weir_sc_device {
    WEIR_SC_DEVICE_AUTO = 0,
    WEIR_SC_DEVICE_CPU,
    WEIR_SC_DEVICE_CUDA
} weir_sc_device;
typedef enum weir_sc_coupling { WEIR_SC_COUPLING_LOCKSTEP = 0, WEIR_SC_COUPLING_ASYNC } weir_sc_coupling;
typedef enum weir_sc_fluid_tcp {
    WEIR_SC_FLUID_TCP_CALIBRATED = 0,
    WEIR_SC_FLUID_TCP_PAPER
} weir_sc_fluid_tcp;
typedef enum weir_sc_fluid_law {
    WEIR_SC_FLUID_LAW_CONSERVING = 0,
    WEIR_SC_FLUID_LAW_PAPER
} weir_sc_fluid_law;
typedef enum weir_sc_precision { WEIR_SC_PRECISION_SINGLE = 0, WEIR_SC_PRECISION_DOUBLE } weir_sc_precision;

typedef struct weir_scenario_fluid {
    weir_time step_ps; /**< 0: by the smallest link delay on a fluid path and round trips, at most 1 ms */
    weir_sc_device device;
    uint32_t batch;     /**< exchanges a batch; 0: auto */
    uint32_t lookahead; /**< steps between exchanges; 0: auto */
    bool prefetch, fixup, aggregate;
    weir_sc_coupling coupling;
    weir_sc_fluid_tcp tcp;
    weir_sc_fluid_law law;
    uint32_t order; /**< 1 or 2 */
    weir_sc_precision precision;
    weir_place place; /**< file null: no such section */
} weir_scenario_fluid;

#endif

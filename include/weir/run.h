/**
 * Run a scenario from start to end: what `weir run` does, for programs that embed weir.
 */
#ifndef WEIR_RUN_H
#define WEIR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/scenario.h"
#include "weir/status.h"
#include "weir/time.h"

/** Told at stop points, at most a few times a second; in several processes (mpirun), each tells its own. */
typedef struct weir_progress {
    weir_time now_ps, end_ps;
    uint64_t events;
    double wall_s;     /**< since the first event */
    const char *phase; /**< "routes", "simulate", "checkpoint", "write" */
} weir_progress;

typedef struct weir_run_options {
    /** null: "results/NAME", NAME being the scenario's; a relative one is of the current folder, which must not
     * change before the session ends */
    const char *output_dir;
    bool no_output;      /**< write nothing (benchmarks, tests); default false */
    bool force;          /**< replace an output folder that exists; default false */
    bool keep_series;    /**< keep the time series in memory for weir_session_series; default false */
    const char *command; /**< command line, kept in summary.json; may be null */
    void (*progress)(void *user, const weir_progress *progress); /**< may be null */
    void *user;
    const volatile int *stop; /**< set to non-zero to stop at the next consistent point; may be null */
    /* Checkpoints (weir/session.h): any of the following makes the run write them, and one when it is
     * stopped. */
    double checkpoint_every_s;  /**< seconds of the wall's clock between two; 0: none by the clock */
    weir_time checkpoint_at_ps; /**< simulated time of one; 0: none by it */
    /** its file, replaced by the next; null: the output folder's name and ".checkpoint", removed when the
     * results are written, but for one of checkpoint_at_ps */
    const char *checkpoint;
    uint32_t cores; /**< most that `engine: auto` may take; 0: all that the process is allowed */
    bool cpu_only;  /**< `engine: auto` takes no CUDA device; default false */
} weir_run_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_run_options_init(weir_run_options *options);

/** What came of a run; freed with weir_run_result_free. */
typedef struct weir_run_result {
    uint64_t event_digest, state_digest;
    uint64_t events, packet_hops;
    double wall_s;        /**< simulating only */
    weir_time reached_ps; /**< below the duration where the run was stopped early */
    bool partial;         /**< stopped on request; what was gathered is written and marked */
    char *output_dir;     /**< null with no_output */
    char *checkpoint;     /**< stopped, and its state is in this file instead of partial results; else null */
    char *summary_json;   /**< the text of summary.json */
} weir_run_result;
/** Free what a result holds, and make it zeros; a result of zeros may be freed. */
WEIR_API void weir_run_result_free(weir_run_result *result);

/**
 * Check, build, run and write one scenario.
 *
 * Returns: WEIR_OK; WEIR_E_INTERRUPTED after *stop (result is whole, marked partial; where the set-up was
 *          stopped, or a checkpoint was written, summary_json is null and there are no results);
 *          WEIR_E_DEADLOCK where programs wait for each other and can never go on (result is whole and names
 *          the ranks); otherwise what went wrong, with nothing left behind in the file system. `result` is
 *          set on every path and may always be freed.
 */
WEIR_API WEIR_NODISCARD weir_status weir_run(weir_diag *diag, const weir_scenario *scenario,
                                             const weir_run_options *options, weir_run_result *result);

/** An estimate made without running: what `weir check` prints. */
typedef struct weir_estimate {
    uint64_t nodes, links, hosts, ports, entities;
    uint64_t flows;       /**< that the scenario starts: sessions, clients, streams, fluid ones too */
    uint64_t fluid_flows; /**< of these, those that travel as fluid */
    double arrivals;      /**< flows that come by `arrivals`, expected */
    /** over the whole duration, without loss; long-lived flows share their links evenly */
    double packet_hops;
    /** a bound: windows lost and sent again in every round trip, as far as lines allow */
    double packet_hops_most;
    uint64_t memory_bytes; /**< state, routes, pending events */
    /* Of classes that travel as fluid; 0 where there are none. Seconds of a processor, good to a factor of
     * two. */
    double fluid_steps, fluid_s;
    double fluid_as_packet_hops, fluid_as_packets_s; /**< the same flows, if they were packets */
} weir_estimate;
/**
 * What running would take, from the scenario alone: sizes, packet hops, memory. Models of entities alone are
 * not built for it, so that any size is estimated at once. Returns what building returns.
 */
WEIR_API WEIR_NODISCARD weir_status weir_estimate_scenario(weir_diag *diag, const weir_scenario *scenario,
                                                           weir_estimate *estimate);

/**
 * The network that a scenario runs over: its topology, read or generated, with the rates and delays that the
 * source does not give; without the overrides of `topology.links`, and without hosts that stand for routers.
 *
 * Owner:   *out is the caller's, freed by weir_graph_free; null on failure.
 * Returns: WEIR_OK; WEIR_E_ARG for a model of entities that has no topology; what reading or generating
 *          returns.
 */
WEIR_API WEIR_NODISCARD weir_status weir_scenario_graph(weir_diag *diag, const weir_scenario *scenario,
                                                        weir_graph **out);

#endif

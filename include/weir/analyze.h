/**
 * Analyses of a scenario that need the engine's help: how parallel it is, and whether two runs of it are the
 * same. Null options: the defaults.
 */
#ifndef WEIR_ANALYZE_H
#define WEIR_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/run.h"
#include "weir/scenario.h"
#include "weir/status.h"
#include "weir/time.h"

typedef struct weir_parallelism_options {
    const char *output_dir; /**< null: "results/NAME-parallelism" */
    bool no_output;         /**< write nothing; default false */
    bool force;             /**< replace an output folder that exists; default false */
    uint64_t events;        /**< length of the trace; 1 to 2^31; default 1,000,000 */
    /** width of the window; 0, the default: the least lookahead of the model's entities */
    weir_time lookahead_ps;
    const uint32_t *lps; /**< [n_lps] numbers of LPs; null: 1, 2, 4, ... and one LP an entity */
    size_t n_lps;
    uint64_t seed; /**< of the assignment of entities to LPs; default 1 */
    void (*progress)(void *user, const weir_progress *progress); /**< may be null */
    void *user;
    const volatile int *stop; /**< non-zero: give up; may be null */
} weir_parallelism_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_parallelism_options_init(weir_parallelism_options *options);

typedef struct weir_parallelism_row {
    uint32_t lps;
    uint64_t rounds;
    double parallelism; /**< events a round */
    double utilisation; /**< parallelism over LPs */
} weir_parallelism_row;

typedef struct weir_parallelism {
    uint64_t events;
    uint32_t entities;
    weir_time from_ps, to_ps; /**< of the trace */
    weir_time lookahead_ps;
    weir_parallelism_row *rows; /**< [n_rows] */
    size_t n_rows;
    char *output_dir; /**< null with no_output */
} weir_parallelism;
/** Free what a result holds, and make it zeros; a result of zeros may be freed. */
WEIR_API void weir_parallelism_free(weir_parallelism *result);

/**
 * Events that can be handled at once, against the number of LPs.
 *
 * Model:   Andelfinger and Hartenstein 2014, section 3: a sequential run is traced from the end of the
 * warm-up on; in rounds, all events are taken away that lie in the lookahead window [t, t + lookahead) of the
 *          least time left, and whose cause and whose predecessor at the same LP are gone. Entities belong to
 *          LPs at random. Events over rounds bounds the speed-up of a conservative engine from above.
 * Memory:  about 60 bytes an event of the trace.
 * Returns: WEIR_OK; WEIR_E_ARG for options out of range; WEIR_E_INTERRUPTED after *stop, with nothing
 * written; what building and running the scenario return. parallelism.csv, parallelism.svg, scenario.yaml and
 *          summary.json are written whole or not at all. `result` may be freed on every path.
 */
WEIR_API WEIR_NODISCARD weir_status weir_analyze_parallelism(weir_diag *diag, const weir_scenario *scenario,
                                                             const weir_parallelism_options *options,
                                                             weir_parallelism *result);

typedef struct weir_verify_options {
    void (*progress)(void *user, const weir_progress *progress); /**< may be null */
    void *user;
    const volatile int *stop; /**< non-zero: give up; may be null */
} weir_verify_options;

typedef struct weir_verify_result {
    bool same;
    char *text; /**< what was found, for people */
} weir_verify_result;
/** Free what a result holds, and make it zeros; a result of zeros may be freed. */
WEIR_API void weir_verify_result_free(weir_verify_result *result);

/**
 * Run two scenarios of the same entities, for the duration of the first, and say whether they handle the same
 * events; where not, which event is the first to differ: time, entity, type, source, sequence number and
 * payload, as both have it.
 *
 * Meant for one scenario under two engines, or for two resolved scenarios that should be the same.
 * Returns: WEIR_OK, same or not; WEIR_E_ARG where the entities are not the same; WEIR_E_INTERRUPTED after
 * *stop; what building and running return. `result` may be freed on every path.
 */
WEIR_API WEIR_NODISCARD weir_status weir_verify(weir_diag *diag, const weir_scenario *a,
                                                const weir_scenario *b, const weir_verify_options *options,
                                                weir_verify_result *result);

#endif

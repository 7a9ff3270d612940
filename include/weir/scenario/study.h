/** How a scenario (weir/scenario.h) is studied; weir/study.h does it. */
#ifndef WEIR_SCENARIO_STUDY_H
#define WEIR_SCENARIO_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/names.h"

/** One value that a study gives a parameter: YAML in flow style, as after the `=` of --set. */
typedef struct weir_scenario_value {
    const char *text;
    bool plain; /**< a scalar without quotes: `5..10 step 2` is a range then, otherwise a text */
    weir_place place;
} weir_scenario_value;

/** A parameter of a study: what is varied, or (no path) a value that only expressions name. */
typedef struct weir_scenario_vary {
    weir_name path;                    /**< as --set takes it; text null: none */
    weir_name name;                    /**< in tables and expressions; text null: the path */
    const weir_scenario_value *values; /**< [n_values]; 0: `is` */
    size_t n_values;
    weir_name is;   /**< an expression over other parameters; text null: `values` */
    weir_name with; /**< goes in step with the parameter of this name; text null: crossed with all others */
    weir_place place;
} weir_scenario_vary;

/** Who runs the runs of a study. */
typedef enum weir_scenario_executor {
    WEIR_SC_EXECUTOR_CORES,    /**< a run a core; ranks, where there are some */
    WEIR_SC_EXECUTOR_AUTO,     /**< resident where there is a device, else cores */
    WEIR_SC_EXECUTOR_RESIDENT, /**< many runs at once on a CUDA device: all of them there */
    WEIR_SC_EXECUTOR_STAGED    /**< the same, with states and pending events on the host */
} weir_scenario_executor;

/** How a scenario is studied; weir/study.h does it. */
typedef struct weir_scenario_study {
    const weir_scenario_vary *vary; /**< [n_vary] */
    size_t n_vary;
    uint32_t latin_hypercube; /**< parameter sets that are drawn; 0: all combinations of values */
    weir_names constraints;   /**< expressions: parameter sets for which one is false are left out */
    uint32_t replications;    /**< runs of each parameter set, at least 1 */
    weir_names metrics;       /**< none: a few of the model's own */
    weir_names baseline;      /**< NAME=VALUE each: the parameter sets that the others are compared with */
    double confidence;        /**< of intervals, 0 < confidence < 1 */
    const double *quantiles;  /**< [n_quantiles] of each metric over its replications, 0 < q < 1 */
    size_t n_quantiles;
    double until_precision;    /**< half-width of the interval over the mean; 0: not asked for */
    uint32_t independent;      /**< each parameter set has random numbers of its own */
    uint32_t max_replications; /**< with until_precision */
    weir_names plots;          /**< names of one or two parameters each, blanks between; none: chosen */
    uint32_t executor;         /**< weir_scenario_executor */
    uint32_t device;           /**< number of the CUDA device */
    const char *base;          /**< folder that relative file names start from; null: the file's own */
    weir_place place;          /**< file null: no such section */
} weir_scenario_study;

#endif

/**
 * Scenarios: one YAML file that says which network is simulated, with which traffic, how, and what is
 * written.
 *
 * A weir_scenario is the checked content of such a file: every value is in range, in SI-like units (the
 * suffix of its name tells: _ps picoseconds, _bps bits per second, _bytes), and defaults are filled in. What
 * needs the topology (does a node of that name exist, is there a route) or this build (is there a GPU) is not
 * checked here; for that, everything that can turn out wrong later carries its place in the file:
 * `weir_fail_at(diag, WEIR_E_SCENARIO, p.file, p.line, p.column, ...)`. docs/scenario.md lists all keys with
 * their meanings and defaults; it is made from the same table that checks a file.
 *
 * Sections have headers of their own below weir/scenario/, which this one includes.
 *
 * Owner: all strings and arrays belong to the scenario and go with weir_scenario_free. A scenario is
 * read-only to everybody else and may be read by many threads at once.
 */
#ifndef WEIR_SCENARIO_H
#define WEIR_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "weir/scenario/engine.h"
#include "weir/scenario/output.h"
#include "weir/scenario/study.h"
#include "weir/scenario/topology.h"
#include "weir/scenario/traffic.h"
#include "weir/status.h"
#include "weir/time.h"

/** A model that brings its own entities, simulated instead of the packet network; docs/scenario.md has each
 * one's parameters. */
typedef struct weir_scenario_model {
    const char *name;   /**< "phold"; null: the packet network of topology and traffic */
    const void *params; /**< weir's own, read and written by the model's table of keys */
    weir_place place;   /**< file null: no such section */
} weir_scenario_model;

/** A file that the scenario reads, with its digest. */
typedef struct weir_scenario_input {
    const char *of;     /**< the key that names it, "topology.file" */
    const char *file;   /**< absolute path */
    const char *sha256; /**< of its content when the scenario was loaded, 64 hexadecimal digits */
    /** what the scenario's file says it was, where that is another; null: the same, or nothing */
    const char *stated;
    weir_place place; /**< of the statement; file null: none */
} weir_scenario_input;

typedef struct weir_scenario {
    const char *file;      /**< the name used in messages */
    const char *name;      /**< a file name without folders; default: that of the file without its ending */
    weir_time duration_ps; /**< of the run; until all is done: by when it ends in any case */
    bool until_done;
    uint64_t seed;
    uint32_t run;              /**< replication */
    weir_scenario_model model; /**< what is simulated; the network's sections are empty where it is none */
    weir_scenario_topology topology;
    weir_scenario_routing routing;
    const weir_scenario_class *traffic; /**< [n_traffic], at least one for a network */
    size_t n_traffic;
    const weir_scenario_event *events; /**< [n_events] in the order of the file */
    size_t n_events;
    weir_scenario_engine engine;
    weir_scenario_fluid fluid;
    weir_scenario_steady steady;
    weir_scenario_output output;
    weir_scenario_study study;
    const weir_scenario_input *inputs; /**< [n_inputs] */
    size_t n_inputs;
    struct wi_common *shared; /**< what runs of a study have in common; null: this one is alone */
} weir_scenario;

/**
 * Read and check a scenario file.
 *
 * Shapes:  sets: [n_sets] texts "path=value", applied in order before checking: `topology.link.rate=1Gbps`,
 *          `traffic.bulk.tcp.sessions=5`. An item of a list is addressed by its name or by its number from 0;
 *          missing sections on the way are made, and `traffic.+={...}` adds an item. A value is YAML: a
 *          scalar, or a sequence or mapping in brackets.
 * Errors:  all that the file contains are put into `diag`, each with its place, not the first only; *out is
 * then null. WEIR_E_IO for a file that cannot be read, WEIR_E_FORMAT for bad YAML, WEIR_E_SCENARIO for bad
 * content, WEIR_E_NOMEM. Files that the scenario names must exist; their content is read by those who use
 * them. Limits:  16 MiB, 64 levels, 1,000,000 values (aliases count each time they are used).
 */
WEIR_API WEIR_NODISCARD weir_status weir_scenario_load(weir_diag *diag, const char *path,
                                                       const char *const *sets, size_t n_sets,
                                                       weir_scenario **out);

/**
 * The same from memory. `name` stands for the file in messages; relative file names are relative to
 * `base_dir`. With a null base_dir they are kept as they are written and nobody looks whether the files
 * exist.
 */
WEIR_API WEIR_NODISCARD weir_status weir_scenario_parse(weir_diag *diag, const char *name, const char *text,
                                                        size_t length, const char *base_dir,
                                                        const char *const *sets, size_t n_sets,
                                                        weir_scenario **out);

/** Free a scenario; accepts null. */
WEIR_API void weir_scenario_free(weir_scenario *scenario);

/**
 * Write the resolved scenario: every value in force, defaults included, with units and absolute paths.
 * Loading it gives the same scenario, without any --set. WEIR_E_IO when `out` cannot be written.
 */
WEIR_API WEIR_NODISCARD weir_status weir_scenario_write(weir_diag *diag, const weir_scenario *scenario,
                                                        FILE *out);

/**
 * The text of a scenario made of other simulators' files: config.txt, topology.txt, flow.txt and trace.txt of ns-3's RDMA fork, of
 * which a config.txt is enough, as it names the others; or connections (.cm, .tm) and a topology (.topo) of htsim. What a file is is
 * told by its content. The scenario names the files, which it reads as they are. Experimental.
 *
 * Shapes:  path is [n]. With `absolute` paths stand in the text from the root, otherwise as given.
 * Owner:   *text is the caller's (free); null on failure.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT with file, line and column; WEIR_E_ARG for files that do not go together;
 *          WEIR_E_UNSUPPORTED, by name, for a value of a key that has no counterpart.
 */
WEIR_API WEIR_NODISCARD weir_status weir_scenario_import(weir_diag *diag, const char *const *path, size_t n,
                                                         bool absolute, char **text);

/** JSON Schema (draft 2020-12) of scenario files, malloc'ed text for the caller to free; null when memory is
 * short. */
WEIR_API WEIR_NODISCARD char *weir_scenario_json_schema(void);
/** docs/scenario.md, malloc'ed text for the caller to free; null when memory is short. */
WEIR_API WEIR_NODISCARD char *weir_scenario_markdown(void);
/** Every table that runs write, as JSON: a list of {"model", "file", "table" (of series.h5, or a path in summary.json), "columns":
 * [{"name", "type", "units", "meaning", "continues" (the meaning is that of the column before)}]}. Malloc'ed text for the caller to
 * free; null when memory is short. */
WEIR_API WEIR_NODISCARD char *weir_results_json(void);

#endif

/**
 * Where graphs come from: files of several formats, generators, and what can be said about a graph.
 *
 * Readers and generators yield a weir_graph (weir/graph.h) whose missing rates and delays weir_graph_fill
 * sets. What is odd in a file but does not stop it (pairs listed twice, neighbours that are not there) is
 * reported as a note or a warning with its count. The same input gives the same graph, with the same node
 * numbers and port numbers, on every machine. Functions are thread-safe as long as each thread has its own
 * weir_diag.
 */
#ifndef WEIR_TOPOLOGY_H
#define WEIR_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/graph.h"

/* ---- files ---- */

/** What to do when a list of links names an unordered pair of nodes more than once. */
typedef enum weir_duplicates {
    WEIR_DUPLICATES_MERGE, /**< one link a pair; a file that lists both directions gives one link of two edges
                            */
    WEIR_DUPLICATES_KEEP   /**< each line is a link of its own, parallel to the others */
} weir_duplicates;

/** What the third column of an edge list means. */
typedef enum weir_third_column {
    WEIR_THIRD_DEFAULT, /**< as the format says; in plain edge lists the weight, where all can be one */
    WEIR_THIRD_IGNORED,
    WEIR_THIRD_WEIGHT, /**< routing weight of the direction listed, >= 0, fractions allowed (see weight_scale)
                        */
    WEIR_THIRD_LATENCY_MS /**< delay of the link in milliseconds, >= 0 */
} weir_third_column;

/** What the rate of an SNDlib link is for which no capacity is installed. */
typedef enum weir_modules {
    WEIR_MODULES_NONE,  /**< not given: modules are not installed */
    WEIR_MODULES_LEAST, /**< the capacity of its least module */
    WEIR_MODULES_MOST   /**< of its largest */
} weir_modules;

/** Which of BRITE's two programs a configuration of its is made as; docs/topologies.md says where they
 * differ. */
typedef enum weir_brite_engine {
    WEIR_BRITE_ENGINE_CPP,  /**< the one in C++, which ns-3 uses too */
    WEIR_BRITE_ENGINE_JAVA, /**< the one in Java */
    WEIR_BRITE_ENGINE_MODEL /**< neither's mistakes: as the models' papers have it */
} weir_brite_engine;

/** What codes 3 and 4 of a BRITE configuration's distributions mean: its documents disagree. */
typedef enum weir_brite_codes {
    WEIR_BRITE_AS_ENGINE, /**< as the engine takes them: WEIR_BRITE_JAVA for the Java engine, else MANUAL */
    WEIR_BRITE_MANUAL,    /**< 3 exponential, 4 heavy-tailed: BRITE's manual, its C++ engine, and so ns-3 */
    WEIR_BRITE_JAVA       /**< 3 heavy-tailed, 4 exponential: its Java engine and the comments of its files */
} weir_brite_codes;

/** Attributes of GraphML's edges that a reader of weir's would not know by their names. Null: those of
 * docs/topologies.md. */
typedef struct weir_topology_keys {
    const char *rate, *delay, *weight; /**< an edge's; rate and delay are texts with a unit, or numbers of: */
    uint64_t rate_unit_bps;            /**< default 1 */
    weir_time delay_unit_ps;           /**< 0: a number without a unit is an error; default 0 */
    const char *name;                  /**< a node's */
} weir_topology_keys;

typedef struct weir_topology_options {
    const char *format; /**< name of a format; default null: by the file's content, and its name where that
                           shows none; what may be two formats is an error */
    weir_duplicates duplicates;     /**< default merge; undirected GraphML keeps its parallel edges always */
    weir_third_column third_column; /**< default WEIR_THIRD_DEFAULT */
    uint32_t weight_scale; /**< weights are multiplied by this and rounded; default 0: the least of 1, 2, 4,
                              5, 8, 10, 20, 100, ... 10^6 that makes all of them whole, else the largest under
                              which they stay below 2^24 */
    uint64_t max_bytes;    /**< largest content, uncompressed, that is read; default 16 GiB */
    uint64_t seed;         /**< for a BRITE configuration, from which a graph is generated; default 1 */
    weir_brite_engine brite_engine; /**< likewise; default WEIR_BRITE_ENGINE_CPP */
    weir_brite_codes brite_codes;   /**< likewise; default WEIR_BRITE_AS_ENGINE */
    weir_topology_keys keys;        /**< of GraphML */
    weir_modules modules;           /**< of SNDlib; default WEIR_MODULES_NONE */
} weir_topology_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_topology_options_init(weir_topology_options *options);

typedef struct weir_topology_format {
    const char *name; /**< such as "graphml" */
    /** file name endings that choose it, each possibly followed by .gz; separated by blanks */
    const char *suffixes;
    const char *doc; /**< one line */
} weir_topology_format;
/** The formats that can be read, in the order in which suffixes are tried. */
WEIR_API const weir_topology_format *weir_topology_formats(size_t *count);
/**
 * What a file is, as weir_topology_load tells it where options.format is null: *format is a name of
 * weir_topology_formats. Only the first megabyte is looked at.
 *
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_FORMAT where it cannot be told, or its name and its content contradict
 *          each other: the message names the candidates; WEIR_E_NOMEM. *format is null then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_detect(weir_diag *diag, const char *path,
                                                         const char **format);

/**
 * Read a topology from a file, gzip'd or not (told by content, not by name).
 *
 * Formats: graphml (Internet Topology Zoo, networkx), brite and brite-conf (BRITE's topologies and
 * configurations), cch (Rocketfuel maps; routers and their links only), weights and latencies (Rocketfuel
 * .intra), as-rel (CAIDA), sndlib (native; nodes and links), inet, orbis, edges (SNAP and other lists). Their
 * files in src/topology say what is taken.
 *
 * Memory: that of the graph, and of a window of a little more than a megabyte, whatever the file's size. A
 *         line may have 2^20 bytes; a configuration of BRITE as many in all.
 * Options: null for the defaults.
 * Owner:   *out is the caller's, freed by weir_graph_free; null on failure.
 * Returns: WEIR_OK; WEIR_E_IO for a file that cannot be read or is larger than max_bytes; WEIR_E_FORMAT, with
 *          file and line, for content that is not what the format allows (empty, truncated and binary files
 *          included) and for a format that nobody knows; WEIR_E_UNSUPPORTED for a BRITE configuration that
 *          imports a format which is not read; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_load(weir_diag *diag, const char *path,
                                                       const weir_topology_options *options,
                                                       weir_graph **out);

/** The same from memory: `name` stands for the path. `data` is not gzip'd, need not end with NUL, and is not
 * kept. No file is opened: a BRITE configuration that imports one is refused. */
WEIR_API WEIR_NODISCARD weir_status weir_topology_read(weir_diag *diag, const char *name, const char *data,
                                                       size_t size, const weir_topology_options *options,
                                                       weir_graph **out);

/** The formats that can be written: graphml (all that a graph holds), brite, dot, edges, csv. */
WEIR_API const weir_topology_format *weir_topology_write_formats(size_t *count);

/**
 * Write a graph.
 *
 * What a format cannot hold is left out, with one warning that names and counts it: brite has no names, roles
 * and weights; edges and csv have names, weights and directions alone. Read again, a file gives the same
 * nodes, links and ports in the same order; nodes of an edge list are numbered as they first appear.
 *
 * Shapes:  `format` null: by the path's ending, as in reading. A path that ends in .gz is compressed.
 * Order:   the file gets its name when it is whole; one that stands there is replaced.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_ARG for a format that nobody knows, or names that it cannot hold;
 *          WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_write(weir_diag *diag, const weir_graph *graph,
                                                        const char *format, const char *path);

/** Whether `format`, or where it is null the path's ending, names a format that can be written: WEIR_OK or
 * WEIR_E_ARG, as weir_topology_write would say it. */
WEIR_API WEIR_NODISCARD weir_status weir_topology_write_check(weir_diag *diag, const char *format,
                                                              const char *path);

/** As weir_topology_write into memory: *text, the caller's to free, ends with a NUL that *size does not
 * count. */
WEIR_API WEIR_NODISCARD weir_status weir_topology_print(weir_diag *diag, const weir_graph *graph,
                                                        const char *format, char **text, size_t *size);

/* ---- generators ---- */

typedef enum weir_dimension {
    WEIR_COUNT,
    WEIR_RATE,
    WEIR_TIME,
    WEIR_REAL, /**< a number without a unit */
    WEIR_WORD  /**< one of a few words */
} weir_dimension;

typedef struct weir_generator_param {
    const char *name;
    weir_dimension dimension;
    const char *default_text; /**< as a user would write it; of rates also "10 x NAME, at least 100Mbps" */
    uint64_t min, max;        /**< of a count; rates are at least 1 bps, times at least 0 */
    uint64_t multiple_of;     /**< of a count; 0: any */
    const char *doc;          /**< one line */
    const char *also;         /**< another name that is taken for it; null: none */
    double low, high;         /**< of a real: range, ends included */
    const char *words;        /**< of a word: those that are taken, separated by blanks */
} weir_generator_param;

#define WEIR_GENERATOR_PARAMS_MAX 40

typedef struct weir_generator {
    const char *name;
    const char *doc; /**< one line */
    const weir_generator_param *params;
    size_t n_params;   /**< at most WEIR_GENERATOR_PARAMS_MAX */
    const char *names; /**< what its nodes are called, one line */
} weir_generator;

/** All generators, sorted by name. */
WEIR_API const weir_generator *const *weir_generators(size_t *count);
/** The generator of that name, or null. */
WEIR_API const weir_generator *weir_generator_find(const char *name);

/** A parameter as the user wrote it, and where. */
typedef struct weir_generator_arg {
    const char *name;
    const char *value;
    const char *file; /**< null: from no file */
    int line, column; /**< 1-based; 0: none */
} weir_generator_arg;

/**
 * Make a graph by a generator.
 *
 * Every link gets a rate and a delay. Except in the campus, hosts come first: host i is node i. Each
 * generator's file in src/topology says how nodes are named and in which order ports come.
 *
 * Seed:    for generators that draw.
 * Owner:   *out is the caller's, freed by weir_graph_free; null on failure.
 * Returns: WEIR_OK; WEIR_E_SCENARIO for an unknown model or parameter (with the nearest name), a parameter
 * given twice, a value that cannot be parsed or is out of range, values that do not go together, or a graph
 * beyond the limits; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_generate(weir_diag *diag, const char *model,
                                                           const weir_generator_arg *args, size_t n_args,
                                                           uint64_t seed, weir_graph **out);

/**
 * How many nodes a graph by a generator will have that traffic goes between: its hosts, or its routers where
 * it has none. Takes no longer for large graphs than for small ones.
 *
 * Returns: as weir_topology_generate, of a parameter by itself; *ends is 0 where only the graph tells.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_ends(weir_diag *diag, const char *model,
                                                       const weir_generator_arg *args, size_t n_args,
                                                       double *ends);

/* ---- info ---- */

typedef struct weir_topology_stats {
    uint32_t nodes, links, hosts, routers;
    uint32_t degree_min, degree_max;
    double degree_mean;
    uint32_t *nodes_of_degree;              /**< [degree_max + 1]: how many nodes have each degree */
    uint32_t leaves;                        /**< nodes of degree one */
    uint32_t isolated;                      /**< nodes without links */
    uint32_t components, largest_component; /**< how many; nodes of the largest; links count both ways here */
    uint32_t one_way;                       /**< links that lead one way only */
    uint32_t strong_components, largest_strong; /**< within which each node has a way to each other one */
    uint32_t diameter; /**< hops, within components; a lower bound where !diameter_exact */
    bool diameter_exact;
    double mean_path; /**< hops, over ordered pairs that have a path; 0 where there are none */
    /** mean_path is over the paths from so many nodes: all, or a sample spread evenly */
    uint32_t path_sources;
    bool mean_path_exact;
    double clustering;   /**< mean over nodes of the local coefficient; 0 below degree two; parallel links are
                            one */
    double transitivity; /**< three times the triangles over the paths of length two */
    uint32_t self_loops, parallel;
    uint32_t links_without_rate, links_without_delay;
    uint64_t rate_min_bps, rate_max_bps;      /**< over links that have one; 0: none */
    weir_time delay_min_ps, delay_max_ps;     /**< over links that have one; -1: none */
    uint32_t nodes_without_xy, nodes_at_zero; /**< at_zero: x = y = 0 */
} weir_topology_stats;

/** Graphs of up to so many nodes, and so many nodes times edges, get their diameter and mean path exactly;
 * larger ones a lower bound of the diameter (double sweeps from the largest component) and the mean path from
 * a sample of sources. */
#define WEIR_TOPOLOGY_EXACT_NODES 4096u
#define WEIR_TOPOLOGY_EXACT_WORK (UINT64_C(1) << 32)

/**
 * Measure a graph, and warn in `diag` of what a simulation would trip over: no nodes, several components,
 * isolated nodes, self-loops, parallel links, missing rates, delays, coordinates at 0/0, delays so short that
 * they bind every engine.
 *
 * Cost:    O(links^1.5) for the clustering, and 2^32 steps of breadth-first search at most.
 * Same bits for the same graph, always.
 * Owner:   stats->nodes_of_degree is freed by weir_topology_stats_free.
 * Returns: WEIR_OK; WEIR_E_NOMEM, and *stats is all zero then.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_info(weir_diag *diag, const weir_graph *graph,
                                                       weir_topology_stats *stats);
/** Free what statistics hold, and make them zeros. */
WEIR_API void weir_topology_stats_free(weir_topology_stats *stats);

/**
 * Draw a graph, and its degree distribution beside it with both axes logarithmic, as SVG.
 *
 * Nodes stand at their coordinates where all have some and they do not lie over each other; else at those of
 * a force-directed layout, the same ones always. Graphs of more than 20,000 nodes or 100,000 links are not
 * drawn; their degrees are.
 *
 * Order:   the file gets its name when it is whole; one that stands there is replaced.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM.
 */
WEIR_API WEIR_NODISCARD weir_status weir_topology_plot(weir_diag *diag, const weir_graph *graph,
                                                       const char *path);

#endif

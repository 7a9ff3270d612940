/** Which network a scenario (weir/scenario.h) simulates: its graph, its routes, and what happens to them. */
#ifndef WEIR_SCENARIO_TOPOLOGY_H
#define WEIR_SCENARIO_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/routes.h"
#include "weir/scenario/links.h"

/** A parameter of a generator, not yet interpreted. */
typedef struct weir_param {
    weir_name name;
    weir_name value;
} weir_param;

typedef enum weir_sc_format {
    WEIR_SC_FORMAT_AUTO = 0, /**< by the file's name and first bytes */
    WEIR_SC_FORMAT_GRAPHML,
    WEIR_SC_FORMAT_CCH,
    WEIR_SC_FORMAT_EDGES,
    WEIR_SC_FORMAT_BRITE,
    WEIR_SC_FORMAT_BRITE_CONF, /**< generated, with the scenario's seed */
    WEIR_SC_FORMAT_WEIGHTS,
    WEIR_SC_FORMAT_LATENCIES,
    WEIR_SC_FORMAT_AS_REL,
    WEIR_SC_FORMAT_SNDLIB,
    WEIR_SC_FORMAT_INET,
    WEIR_SC_FORMAT_ORBIS,
    WEIR_SC_FORMAT_GML,
    WEIR_SC_FORMAT_REPETITA,
    WEIR_SC_FORMAT_SNDLIB_XML,
    WEIR_SC_FORMAT_CODES,
    WEIR_SC_FORMAT_NS3_RDMA,
    WEIR_SC_FORMAT_HTSIM
} weir_sc_format;

/** In the order of weir_modules. */
typedef enum weir_sc_modules {
    WEIR_SC_MODULES_NONE = 0,
    WEIR_SC_MODULES_LEAST,
    WEIR_SC_MODULES_MOST
} weir_sc_modules;

/** Which of topology.link's values replace what the topology says. */
typedef enum weir_sc_override {
    WEIR_SC_OVERRIDE_NONE = 0,
    WEIR_SC_OVERRIDE_GIVEN, /**< as read: those that the file gives; never in a checked scenario */
    WEIR_SC_OVERRIDE_RATE,
    WEIR_SC_OVERRIDE_DELAY,
    WEIR_SC_OVERRIDE_BOTH
} weir_sc_override;

/** In the order of weir_brite_engine. */
typedef enum weir_sc_brite_engine {
    WEIR_SC_BRITE_CPP = 0,
    WEIR_SC_BRITE_JAVA,
    WEIR_SC_BRITE_MODEL
} weir_sc_brite_engine;

/** In the order of weir_brite_codes. */
typedef enum weir_sc_brite_codes {
    WEIR_SC_BRITE_CODES_ENGINE = 0,
    WEIR_SC_BRITE_CODES_MANUAL,
    WEIR_SC_BRITE_CODES_JAVA
} weir_sc_brite_codes;

typedef struct weir_scenario_topology {
    weir_name file; /**< absolute path; text null: generated */
    weir_sc_format format;
    weir_sc_modules modules; /**< of SNDlib's links without pre-installed capacity */
    struct {
        weir_sc_brite_engine engine;
        weir_sc_brite_codes codes; /**< of a configuration */
        weir_place place;          /**< file null: not given */
    } brite;                       /**< which of BRITE's programs its models are made as */
    struct {
        const char *rate, *delay, *weight, *name; /**< attributes of GraphML; null: by their own names */
        uint64_t rate_unit_bps;
        weir_time delay_unit_ps; /**< 0: not given */
        weir_place place;        /**< file null: not given */
    } keys;
    weir_name model;         /**< generator; text null: from a file */
    const weir_param *param; /**< [n_params] */
    size_t n_params;
    struct {
        uint64_t rate_bps;
        weir_time delay_ps;
        bool delay_from_coordinates; /**< before delay_ps, where the topology has coordinates and no delay */
        weir_sc_override override;
    } link;
    double signal_speed_km_per_s;
    double loss;       /**< chance that a link between routers loses a packet, 0 <= loss < 1 */
    uint32_t overhead; /**< bytes that a link adds to each packet, access links included; at most 255 */
    weir_scenario_queue queue;      /**< ports of routers */
    weir_scenario_queue host_queue; /**< hosts' own interfaces, implicit hosts included */
    struct {
        uint64_t rate_bps;
        weir_time delay_ps;
        weir_scenario_queue queue; /**< of the router's port toward the host; place.file null: as `queue` */
        weir_place place; /**< where it is given with other than the defaults; file null: it is not */
    } access;             /**< links of the implicit hosts that carry traffic attached to a router */
    struct {
        uint64_t bytes; /**< of each router, shared by its ports; 0: not given */
        double alpha;   /**< a port may hold so many times what is free */
        weir_place place;
        struct {
            uint32_t lossless;       /**< priorities, a bit each; 0: all, where `place` is given */
            uint64_t xoff_bytes;     /**< 0: as `alpha` says */
            uint64_t xon_offset;     /**< bytes */
            uint64_t headroom_bytes; /**< of a port and priority; 0: as much as is needed */
            weir_place place;        /**< file null: switches pause nobody */
        } pfc;
    } shared_buffer;
    const weir_scenario_queue_override *queues; /**< [n_queues]; the last that names a port wins */
    size_t n_queues;
    /** [n_links]; the last that names a link wins, field by field */
    const weir_scenario_link_override *links;
    size_t n_links;
    weir_place place;
} weir_scenario_topology;

typedef enum weir_sc_forwarding {
    WEIR_SC_FORWARD_AUTO = 0, /**< table where it fits in memory, source routes where there are few pairs */
    WEIR_SC_FORWARD_TABLE,
    WEIR_SC_FORWARD_SOURCE
} weir_sc_forwarding;

typedef struct weir_scenario_routing {
    weir_metric metric;
    bool ecmp, spray;
    weir_time flowlets_ps; /**< 0: none */
    weir_sc_forwarding forwarding;
    weir_place forwarding_place;
    uint32_t ttl;             /**< 1 to 255 */
    weir_time convergence_ps; /**< from a failure or repair to the routes that follow from it */
    weir_place place;
} weir_scenario_routing;

/** What fails or comes back: links, in both directions, and nodes with all their links. */
typedef struct weir_scenario_outage {
    weir_link_names link; /**< each `both` */
    weir_names node;
    weir_place place; /**< file null: not given */
} weir_scenario_outage;

/** Something that happens to the network at a time; failures before repairs. */
typedef struct weir_scenario_event {
    weir_time at_ps;                   /**< at the duration or later: never happens, and a warning says so */
    weir_scenario_outage fail, repair; /**< at least one */
    weir_place place;
} weir_scenario_event;

#endif

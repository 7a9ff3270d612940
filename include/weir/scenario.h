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
 * Owner: all strings and arrays belong to the scenario and go with weir_scenario_free. A scenario is
 * read-only to everybody else and may be read by many threads at once.
 */
#ifndef WEIR_SCENARIO_H
#define WEIR_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "weir/routes.h"
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

/** A queue discipline with its parameters. At most one of the limits is given. */
typedef struct weir_scenario_queue {
    int type;               /**< its number: the place of its word in the list of docs/scenario.md */
    uint64_t limit_bytes;   /**< 0: not given; with both zero take 100 ms of the line rate, at least 64 kB */
    uint32_t limit_packets; /**< 0: not given */
    uint64_t asked[8];      /**< the discipline's own parameters; weir's own */
    weir_place place;       /**< of the section; file null: not given */
} weir_scenario_queue;

/** A queue for some links; fields that the file leaves out are those of topology.queue. */
typedef struct weir_scenario_queue_override {
    weir_link_names link; /**< at least one */
    weir_scenario_queue queue;
} weir_scenario_queue_override;

/** Losses in bursts, after Gilbert and Elliott. Of mean and enter one is given, of length and exit one; the other is
 * negative, and worked out. */
typedef struct weir_scenario_bursts {
    double mean;      /**< share of packets lost on the long run */
    double enter;     /**< chance that the link turns bad before a packet */
    double length;    /**< mean number of packets that it stays bad for */
    double exit;      /**< chance that it turns good again before a packet */
    double good, bad; /**< chance of losing a packet in either state */
    weir_place place; /**< file null: not given */
} weir_scenario_bursts;

typedef enum weir_sc_jitter {
    WEIR_SC_JITTER_UNIFORM = 0, /**< from 0 to twice the mean */
    WEIR_SC_JITTER_EXPONENTIAL,
    WEIR_SC_JITTER_PARETO /**< of `shape`, from mean (shape - 1) / shape on */
} weir_sc_jitter;

/** What is added to a link's delay, packet by packet. */
typedef struct weir_scenario_jitter {
    weir_time mean_ps;
    weir_sc_jitter distribution;
    double shape;     /**< Pareto */
    bool reorder;     /**< packets may overtake each other */
    weir_place place; /**< file null: not given */
} weir_scenario_jitter;

typedef enum weir_sc_trace_format {
    WEIR_SC_TRACE_AUTO = 0,
    WEIR_SC_TRACE_RATES,
    WEIR_SC_TRACE_MAHIMAHI
} weir_sc_trace_format;

typedef enum weir_sc_trace_end { WEIR_SC_TRACE_REPEAT = 0, WEIR_SC_TRACE_HOLD } weir_sc_trace_end;

/** What a link's rate and delay follow. */
typedef struct weir_scenario_link_trace {
    weir_name file; /**< absolute path */
    weir_sc_trace_format format;
    weir_sc_trace_end end;
    weir_place place; /**< file null: not given */
} weir_scenario_link_trace;

/** Properties of some links, instead of what the topology says. */
typedef struct weir_scenario_link_override {
    weir_link_names link; /**< at least one */
    uint64_t rate_bps;    /**< 0: as it is */
    weir_time delay_ps;   /**< negative: as it is */
    double loss;          /**< negative: topology.loss */
    weir_scenario_bursts bursts;
    double bit_errors; /**< negative: as it is, none */
    weir_place bit_errors_place;
    weir_scenario_jitter jitter;
    double duplication; /**< negative: as it is, none */
    weir_place duplication_place;
    weir_scenario_link_trace trace;
    weir_place place;
} weir_scenario_link_override;

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
    WEIR_SC_FORMAT_REPETITA
} weir_sc_format;

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
    double loss;                    /**< chance that a link between routers loses a packet, 0 <= loss < 1 */
    weir_scenario_queue queue;      /**< ports of routers */
    weir_scenario_queue host_queue; /**< hosts' own interfaces, implicit hosts included */
    struct {
        uint64_t rate_bps;
        weir_time delay_ps;
        weir_scenario_queue queue; /**< of the router's port toward the host; place.file null: as `queue` */
    } access;                      /**< links of the implicit hosts that carry traffic attached to a router */
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
    const weir_scenario_link_override
        *links; /**< [n_links]; the last that names a link wins, field by field */
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

typedef enum weir_sc_arrivals {
    WEIR_SC_ARRIVALS_SESSIONS =
        0,                     /**< not given: `sessions` flows a pair, each once, from the class's start */
    WEIR_SC_ARRIVALS_POISSON,  /**< per_s flows a second over the whole class */
    WEIR_SC_ARRIVALS_PERIODIC, /**< one flow of the class every interval_ps */
    WEIR_SC_ARRIVALS_ALL       /**< `count` flows of the class at its start */
} weir_sc_arrivals;

/** Which partial ACKs restart the timer in a recovery without SACK (RFC 6582, section 4). */
typedef enum weir_sc_partial_ack {
    WEIR_SC_PARTIAL_IMPATIENT = 0,
    WEIR_SC_PARTIAL_STEADY
} weir_sc_partial_ack;

/** How a sender with SACK finds and mends losses. */
typedef enum weir_sc_recovery {
    WEIR_SC_RECOVERY_SACK = 0, /**< RFC 6675 */
    WEIR_SC_RECOVERY_RACK      /**< RFC 8985 (RACK-TLP), 6937 (PRR), 5682 (F-RTO) */
} weir_sc_recovery;

/** What replies of one client and server travel on. */
typedef enum weir_sc_connection {
    WEIR_SC_CONNECTION_NEW = 0, /**< each on a connection of its own */
    WEIR_SC_CONNECTION_KEEP,    /**< one connection, whose window after a pause is what it was */
    WEIR_SC_CONNECTION_RESTART, /**< at most the initial one after a pause of more than the RTO (RFC 5681, section 4.1) */
    WEIR_SC_CONNECTION_VALIDATE /**< the window is validated (RFC 7661) */
} weir_sc_connection;

/** How a player chooses the bitrate of its next segment. */
typedef enum weir_sc_abr { WEIR_SC_ABR_BUFFER = 0, WEIR_SC_ABR_THROUGHPUT } weir_sc_abr;

/** Adaptive video: `from` asks `to` for segments. */
typedef struct weir_scenario_video {
    bool given;
    uint64_t *ladder; /**< [n_ladder] bits a second, each above the one before; at most 32 */
    size_t n_ladder;
    weir_time segment_ps, length_ps;            /**< length 0: without end; else a multiple of segment */
    weir_time buffer_ps, startup_ps, resume_ps; /**< of media */
    weir_sc_abr algorithm;
    weir_time reservoir_ps, cushion_ps; /**< BUFFER */
    double safety;                      /**< THROUGHPUT: share of the mean, at most 1 */
    uint32_t samples;                   /**< THROUGHPUT: segments of which the mean is, at most 20 */
    uint64_t request_bytes;
    weir_place place, ladder_place;
} weir_scenario_video;

typedef struct weir_scenario_tcp {
    int congestion;               /**< its number: the place of its word in the list of docs/scenario.md */
    uint64_t congestion_asked[8]; /**< the control's own parameters; weir's own */
    weir_place congestion_place;
    uint32_t sessions;       /**< parallel connections a pair; 1 to 1e6 */
    weir_scenario_dist size; /**< bytes of a transfer, or of a reply with `request`; NONE: long-lived */
    struct {
        weir_sc_arrivals kind;
        double per_s;
        weir_time interval_ps;
        uint32_t count;
        weir_place place;
    } arrivals; /**< other than SESSIONS only where `size` is given */
    struct {
        bool given;     /**< `from` asks `to` for replies of `size` */
        uint64_t bytes; /**< of the request */
        weir_time
            think_ps; /**< mean of the exponential pause between a reply and the next request; 0: no pause */
        weir_place place;
    } request;
    weir_scenario_video video;
    weir_sc_connection connection; /**< with `request` or `video` */
    weir_place connection_place;
    uint32_t mss_bytes;      /**< payload of a full segment */
    uint32_t initial_window; /**< segments */
    uint64_t window_bytes;   /**< receive window; at least one segment */
    uint32_t delayed_ack;    /**< full segments an ACK: 1 or 2 */
    weir_time delayed_ack_timeout_ps;
    bool sack, ecn, handshake;
    bool pacing;                     /**< of any control; some pace in any case */
    weir_sc_recovery recovery;       /**< with sack */
    weir_sc_partial_ack partial_ack; /**< without sack */
    weir_time rto_min_ps;
    uint32_t max_flows; /**< at once at a sending host, where flows come by `arrivals` */
    weir_place place;
} weir_scenario_tcp;

typedef enum weir_sc_pattern { WEIR_SC_UDP_CBR = 0, WEIR_SC_UDP_POISSON, WEIR_SC_UDP_ONOFF } weir_sc_pattern;

typedef struct weir_scenario_udp {
    uint64_t rate_bps;         /**< long-run mean a pair, headers included; 0: the demand's rate */
    weir_scenario_dist packet; /**< bytes of an IP packet, its 28 bytes of headers included; never NONE */
    weir_sc_pattern pattern;   /**< ONOFF sends at rate (on + off) / on while on, evenly spaced */
    weir_time on_ps, off_ps;   /**< mean durations */
    weir_sc_dist on_off;       /**< EXPONENTIAL or PARETO, of both durations */
    double shape;              /**< of the Pareto durations, > 1 */
    double jitter;             /**< CBR: each gap is drawn evenly from gap (1 ± jitter); 0 to 1 */
    weir_name trace;     /**< absolute path of what is replayed; text null: rate, packet and pattern say */
    weir_time repeat_ps; /**< of the trace: it begins again after so long; 0: once */
    weir_place place;
} weir_scenario_udp;

typedef enum weir_sc_where {
    WEIR_SC_FROM_TO = 0,       /**< every node of `from` to every node of `to`, a node to itself left out */
    WEIR_SC_PAIRS_RANDOM,      /**< n_random ordered pairs of distinct hosts */
    WEIR_SC_PAIRS_ALL,         /**< all ordered pairs of hosts */
    WEIR_SC_PAIRS_PERMUTATION, /**< each host sends to one other and hears from one other */
    WEIR_SC_PAIRS_LIST,        /**< `pairs` */
    WEIR_SC_DEMANDS,           /**< the pairs of a traffic matrix */
    WEIR_SC_COLLECTIVE,        /**< flows that wait for each other, among `collective.hosts` */
    WEIR_SC_GRAVITY,           /**< all pairs of hosts, with demands by `gravity` */
    WEIR_SC_FLOW_LIST          /**< the flows of a file, each with its time and size */
} weir_sc_where;

typedef enum weir_sc_gravity { WEIR_SC_GRAVITY_DEGREE = 0, WEIR_SC_GRAVITY_CAPACITY } weir_sc_gravity;

typedef enum weir_sc_collective {
    WEIR_SC_PARTITION_AGGREGATE = 0, /**< the first host asks all others, which answer with tcp.size bytes */
    WEIR_SC_ALL_TO_ALL,              /**< tcp.size bytes from each to each */
    WEIR_SC_RING_ALL_REDUCE,         /**< of tcp.size bytes, in 2 (n - 1) steps of an n-th */
    WEIR_SC_TREE_ALL_REDUCE          /**< of tcp.size bytes, up a binary tree and down again */
} weir_sc_collective;

typedef enum weir_sc_fidelity { WEIR_SC_PACKET = 0, WEIR_SC_FLUID, WEIR_SC_MIXED } weir_sc_fidelity;
typedef enum weir_sc_share { WEIR_SC_SHARE_EQUAL = 0, WEIR_SC_SHARE_DEMAND } weir_sc_share;

typedef struct weir_scenario_class {
    weir_name name; /**< unique in the scenario */
    bool is_udp;    /**< udp is set; otherwise tcp is */
    weir_scenario_tcp tcp;
    weir_scenario_udp udp;
    weir_sc_where where;
    weir_place where_place;
    weir_names from, to;         /**< FROM_TO */
    uint32_t n_random;           /**< PAIRS_RANDOM */
    const weir_name_pair *pairs; /**< PAIRS_LIST: [n_pairs] */
    size_t n_pairs;
    struct {
        weir_name file; /**< DEMANDS: absolute path of a traffic matrix */
        double scale;   /**< of every demand, > 0 */
        weir_time
            step_ps; /**< > 0: the name is a pattern, whose files hold for so long each; UDP; 0: one file */
        uint32_t max_pairs; /**< only so many, the largest; 0: all */
        weir_sc_share
            share; /**< DEMAND: sessions (their mean is tcp.sessions) and arrivals follow the demands */
    } demands;     /**< max_pairs and share: GRAVITY too */
    struct {
        uint64_t total_bps;
        weir_sc_gravity weight;
        weir_place place;
    } gravity;       /**< GRAVITY */
    weir_name flows; /**< FLOW_LIST: absolute path; times in it count from start_ps */
    struct {
        weir_sc_collective kind;
        weir_names hosts; /**< in the order of the ring or the tree; the first is the aggregator or root */
        uint32_t rounds;  /**< one after the other */
        weir_time compute_ps;   /**< between what a host waits for and what it sends then */
        uint64_t request_bytes; /**< PARTITION_AGGREGATE */
        weir_place place;
    } collective;       /**< COLLECTIVE */
    weir_time start_ps; /**< first start */
    weir_time
        start_last_ps; /**< starts are spread evenly over start_ps to this; equal to start_ps: all at once */
    weir_time stop_ps; /**< > start_last_ps; 0: not given, the class runs to the end */
    uint32_t dscp;     /**< 0 to 63; queues that serve classes differently go by it */
    weir_place start_place;
    weir_sc_fidelity fidelity;
    uint32_t packet_sessions, fluid_sessions; /**< TCP, a pair: add up to tcp.sessions */
    weir_place fidelity_place;
    weir_place place;
} weir_scenario_class;

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
    uint32_t threads;       /**< 0: as many as the machine has */
    weir_time lookahead_ps; /**< 0: as the network allows */
    uint32_t lp_size;       /**< GPU engine, entities of an LP; 0: adapts */
    uint32_t device;        /**< GPU engine, ordinal of the CUDA device */
    bool host_driven;       /**< GPU engine, a launch a step instead of one persistent kernel */
    uint64_t memory_bytes;  /**< optimistic engine, of each process, for what may be taken back; 0: chosen */
    weir_place memory_place;
    uint64_t gvt_events; /**< optimistic engine, events between two rounds of the GVT; 0: chosen */
    weir_time window_ps; /**< optimistic engine, how far ahead of the GVT; 0: no bound */
    uint64_t stress;     /**< optimistic engine, seed of random delays, for tests; 0: none */
    weir_place place;
} weir_scenario_engine;

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
    weir_time step_ps; /**< 0: a tenth of the smallest link delay on a fluid path, at most 1 ms */
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

typedef enum weir_sc_ports { WEIR_SC_PORTS_ALL = 0, WEIR_SC_PORTS_NONE, WEIR_SC_PORTS_LIST } weir_sc_ports;

/** Flows watched packet by packet, as ns-3's FlowMonitor does. */
typedef struct weir_scenario_monitor {
    weir_names classes; /**< each exists, and has packets; none: nothing is watched */
    weir_time delay_bin_ps, jitter_bin_ps, rtt_bin_ps, interruption_bin_ps; /**< widths of bins, > 0 */
    weir_time interruption_ps; /**< a longer pause between two packets that arrive counts as one */
    uint32_t size_bin_bytes;   /**< > 0 */
    weir_place place;          /**< file null: no such section */
} weir_scenario_monitor;

typedef struct weir_scenario_output {
    weir_time warmup_ps;   /**< below the duration */
    weir_time interval_ps; /**< between samples of time series */
    weir_sc_ports ports;   /**< whose series are written */
    weir_link_names port;  /**< LIST */
    weir_names cwnd;       /**< classes whose windows are written; each exists */
    weir_link_names pcap;  /**< interfaces: links, and nodes, whose `to` is null */
    weir_place pcap_place;
    bool histograms;
    weir_scenario_monitor flow_monitor;
    weir_names packets; /**< classes whose packets are traced at every port */
    weir_place packets_place;
    weir_place place;
} weir_scenario_output;

/** A model that brings its own entities, simulated instead of the packet network; docs/scenario.md has each one's
 * parameters. */
typedef struct weir_scenario_model {
    const char *name;   /**< "phold"; null: the packet network of topology and traffic */
    const void *params; /**< weir's own, read and written by the model's table of keys */
    weir_place place;   /**< file null: no such section */
} weir_scenario_model;

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
    weir_names constraints;  /**< expressions: parameter sets for which one is false are left out */
    uint32_t replications;   /**< runs of each parameter set, at least 1 */
    weir_names metrics;      /**< none: a few of the model's own */
    weir_names baseline;     /**< NAME=VALUE each: the parameter sets that the others are compared with */
    double confidence;       /**< of intervals, 0 < confidence < 1 */
    const double *quantiles; /**< [n_quantiles] of each metric over its replications, 0 < q < 1 */
    size_t n_quantiles;
    double until_precision;    /**< half-width of the interval over the mean; 0: not asked for */
    uint32_t max_replications; /**< with until_precision */
    weir_names plots;          /**< names of one or two parameters each, blanks between; none: chosen */
    uint32_t executor;         /**< weir_scenario_executor */
    uint32_t device;           /**< number of the CUDA device */
    const char *base;          /**< folder that relative file names start from; null: the file's own */
    weir_place place;          /**< file null: no such section */
} weir_scenario_study;

/** A file that the scenario reads, with its digest. */
typedef struct weir_scenario_input {
    const char *of;     /**< the key that names it, "topology.file" */
    const char *file;   /**< absolute path */
    const char *sha256; /**< of its content when the scenario was loaded, 64 hexadecimal digits */
    const char *
        stated; /**< what the scenario's file says it was, where that is another; null: the same, or nothing */
    weir_place place; /**< of the statement; file null: none */
} weir_scenario_input;

typedef struct weir_scenario {
    const char *file; /**< the name used in messages */
    const char *name; /**< a file name without folders; default: that of the file without its ending */
    weir_time duration_ps;
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
 * missing sections on the way are made, and `traffic.+={...}` adds an item. A value is YAML: a scalar, or a sequence or mapping in brackets.
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

/** JSON Schema (draft 2020-12) of scenario files, malloc'ed text for the caller to free; null when memory is
 * short. */
WEIR_API WEIR_NODISCARD char *weir_scenario_json_schema(void);
/** docs/scenario.md, malloc'ed text for the caller to free; null when memory is short. */
WEIR_API WEIR_NODISCARD char *weir_scenario_markdown(void);

#endif

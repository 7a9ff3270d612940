/** Who sends what in a scenario (weir/scenario.h): TCP, UDP, video, transfers, collectives. */
#ifndef WEIR_SCENARIO_TRAFFIC_H
#define WEIR_SCENARIO_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/jobs.h"
#include "weir/names.h"

typedef enum weir_sc_arrivals {
    WEIR_SC_ARRIVALS_SESSIONS =
        0,                     /**< not given: `sessions` flows a pair, each once, from the class's start */
    WEIR_SC_ARRIVALS_POISSON,  /**< per_s flows a second over the whole class */
    WEIR_SC_ARRIVALS_LOAD,     /**< as many, at random, as give the links that leave each source this load */
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
    WEIR_SC_RECOVERY_RACK,     /**< RFC 8985 (RACK-TLP), 9937 (PRR), 5682 (F-RTO) */
    WEIR_SC_RECOVERY_GO_BACK,  /**< go-back-N, as NICs of RoCE have it */
    WEIR_SC_RECOVERY_IRN       /**< R. Mittal and others, SIGCOMM 2018 */
} weir_sc_recovery;

/** How marks come back to a sender. */
typedef enum weir_sc_ecn {
    WEIR_SC_ECN_OFF = 0,
    WEIR_SC_ECN_CLASSIC, /**< in ECE: RFC 3168, or each mark as it is (RFC 8257) where a control wants it */
    WEIR_SC_ECN_ACCURATE /**< counted: RFC 9768 */
} weir_sc_ecn;

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
    int congestion; /**< its number: the place of its word in the list of docs/scenario.md */
    weir_place congestion_place;
    uint32_t sessions;       /**< parallel connections a pair; 1 to 1e6 */
    weir_scenario_dist size; /**< bytes of a transfer, or of a reply with `request`; NONE: long-lived */
    struct {
        weir_sc_arrivals kind;
        double per_s;
        double load; /**< of payload, in the mean; over 0 */
        weir_time interval_ps;
        uint32_t count;
        weir_place place;
    } arrivals; /**< other than SESSIONS only where `size` is given */
    struct {
        bool given;     /**< `from` asks `to` for replies of `size` */
        uint64_t bytes; /**< of the request */
        /** mean of the exponential pause between a reply and the next request; 0: no pause */
        weir_time think_ps;
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
    bool sack, handshake;
    weir_sc_ecn ecn;
    bool pacing;                     /**< of any control; some pace in any case */
    weir_sc_recovery recovery;       /**< with sack */
    bool tail_probes;                /**< with RACK: for the loss of the last segments */
    weir_sc_partial_ack partial_ack; /**< without sack */
    weir_time rto_min_ps;            /**< 0: as the control and the recovery have it */
    weir_time rto_initial_ps;
    weir_time rto_low_ps; /**< IRN, instead while few segments are in flight; 0: as the network has it; */
    uint32_t rto_low_segments;  /**< so many at most */
    uint64_t bdp_bytes;         /**< IRN: the most in flight, bytes of payload; 0: what the network holds */
    weir_time nack_interval_ps; /**< GO_BACK: least time between two NACKs of one hole */
    uint64_t max_rate_bps;      /**< of each flow; 0: the line's */
    /** the control's own: a net_NAME_params of src/net/congestion, overlaid */
    uint64_t congestion_params[10];
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
    WEIR_SC_FLOW_LIST,         /**< the flows of a file, each with its time and size */
    WEIR_SC_JOB                /**< messages of the ranks of `job` */
} weir_sc_where;

typedef enum weir_sc_gravity { WEIR_SC_GRAVITY_DEGREE = 0, WEIR_SC_GRAVITY_CAPACITY } weir_sc_gravity;

typedef enum weir_sc_collective {
    WEIR_SC_PARTITION_AGGREGATE = 0, /**< the first host asks all others, which answer with tcp.size bytes */
    WEIR_SC_ALL_TO_ALL,              /**< tcp.size bytes from each to each */
    WEIR_SC_RING_ALL_REDUCE,         /**< of tcp.size bytes, in 2 (n - 1) steps of an n-th */
    WEIR_SC_TREE_ALL_REDUCE          /**< of tcp.size bytes, up a binary tree and down again */
} weir_sc_collective;

/** A job on packets. */
typedef struct weir_scenario_job {
    weir_scenario_ranks ranks;
    weir_names hosts;              /**< none: all hosts */
    uint32_t per_host, per_server; /**< ranks of a host, hosts of a server */
    uint64_t local_bps;            /**< 0: no limit */
    weir_time local_delay_ps;
    weir_sc_reduce allreduce;
    uint64_t small_bytes;
    uint32_t channels;
    uint64_t chunk_bytes; /**< 0: messages are not cut */
    bool actions;         /**< each operation's times are among the results */
    weir_place place;
} weir_scenario_job;

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
        /** > 0: the name is a pattern, whose files hold for so long each; UDP; 0: one file */
        weir_time step_ps;
        uint32_t max_pairs; /**< only so many, the largest; 0: all */
        /** DEMAND: sessions (their mean is tcp.sessions) and arrivals follow the demands */
        weir_sc_share share;
    } demands; /**< max_pairs and share: GRAVITY too */
    struct {
        uint64_t total_bps;
        weir_sc_gravity weight;
        weir_place place;
    } gravity;               /**< GRAVITY */
    weir_name flows;         /**< FLOW_LIST: absolute path; times in it count from start_ps */
    weir_time start_unit_ps; /**< FLOW_LIST of htsim: what a start's number counts */
    struct {
        weir_sc_collective kind;
        weir_names hosts; /**< in the order of the ring or the tree; the first is the aggregator or root */
        uint32_t rounds;  /**< one after the other */
        weir_time compute_ps;   /**< between what a host waits for and what it sends then */
        uint64_t request_bytes; /**< PARTITION_AGGREGATE */
        weir_place place;
    } collective;          /**< COLLECTIVE */
    weir_scenario_job job; /**< JOB */
    weir_time start_ps;    /**< first start */
    /** starts are spread evenly over start_ps to this; equal to start_ps: all at once */
    weir_time start_last_ps;
    weir_time stop_ps; /**< > start_last_ps; 0: not given, the class runs to the end */
    uint32_t dscp;     /**< 0 to 63; queues that serve classes differently go by it */
    weir_place start_place;
    weir_sc_fidelity fidelity;
    uint32_t packet_sessions, fluid_sessions; /**< TCP, a pair: add up to tcp.sessions */
    weir_place fidelity_place;
    weir_place place;
} weir_scenario_class;

#endif

/**
 * Fluid traffic: long-lived flows as differential equations, on the CPU or a GPU.
 *
 * Model:   TCP windows and queues after J. Liu, Y. Liu, Z. Du, T. Li, GPU-Assisted Hybrid Network Traffic
 *          Model, SIGSIM PADS 2014, section 3.1, made conserving; docs/fluid.md has the equations and says
 *          where they differ from the print.
 * Units:   times in picoseconds, sizes in bytes, rates in bits per second, windows in segments. A step is the
 *          fixed step of the solver; step k covers the time from k to k + 1 steps.
 * Repeats: the same plan and options give the same bits on any number of threads and on CPU and GPU.
 * Threads: one thread at a time may use a weir_fluid; the solver itself uses several.
 */
#ifndef WEIR_FLUID_H
#define WEIR_FLUID_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/routes.h"

typedef enum weir_fluid_queue_type {
    WEIR_FLUID_DROPTAIL,
    WEIR_FLUID_RED,
    WEIR_FLUID_THRESHOLD /**< what finds more than min_bytes in the queue is marked, where it can be */
} weir_fluid_queue_type;

/** How RED spreads its drops, as the packet queue does: what share of arrivals a probability p_b drops. */
typedef enum weir_fluid_red_mode {
    WEIR_FLUID_RED_UNIFORM,   /**< gaps uniform on 1 .. 1/p_b: min(1, 2 p_b) */
    WEIR_FLUID_RED_BERNOULLI, /**< each arrival alone: p_b */
    WEIR_FLUID_RED_WAIT       /**< gaps uniform on 1/p_b .. 2/p_b: 2 p_b / (3 - p_b) */
} weir_fluid_red_mode;

typedef struct weir_fluid_queue {
    weir_fluid_queue_type type;
    uint64_t limit_bytes; /**< more than 0, and not above 100 s of the line rate: histories are sized by it */
    double min_bytes, max_bytes, max_p,
        weight; /**< RED (and min_bytes: threshold): thresholds, probability at max, averaging weight */
    uint32_t mean_packet_bytes; /**< RED: how many bytes of arrivals move the average once */
    weir_fluid_red_mode mode;
    bool gentle;
    bool ecn;         /**< flows that can be marked are marked, where RED would drop early */
    bool marks_alone; /**< with ecn: those that cannot are not dropped early either */
} weir_fluid_queue;

/** A rate from a time on, until the next one. */
typedef struct weir_fluid_rate {
    weir_time from_ps;
    uint64_t rate_bps;
} weir_fluid_rate;

/** Seconds of its rate that a queue holds at most: fluid keeps as much history of it. */
#define WEIR_FLUID_QUEUE_MOST_S 100.0

typedef struct weir_fluid_class {
    const char *name; /**< for messages; may be null */
    bool udp;
    bool ecn;           /**< sent with ECN: RED queues with ecn mark instead of dropping */
    uint32_t mss_bytes; /**< TCP: a segment's; UDP: a packet's, for queues that packets share, or 0 */
    /* TCP */
    uint64_t window_limit_bytes;
    double initial_window;   /**< segments; at least 1 */
    double segments_per_ack; /**< b: dW/dt = 1 / (b R) - (decrease W + decrease_more) loss */
    double decrease;       /**< the paper: 1/2, so that W^2 = 2 / (b p); TCP in packets: 0.57 and the next */
    double decrease_more;  /**< segments that a loss costs besides; the paper: 0; TCP in packets: 1.5 */
    double most_losses;    /**< losses a round trip that a session answers at most; 0: all (the paper) */
    double losses_at_once; /**< and so many besides, after it has answered none for long */
    /** share, 0 .. 1, of what is sent that follows acknowledgements instead of W / R; 0: none (the paper).
     * Above 0 a window gives W/b + 1 - 1/b ACKs a round trip, as the last one is for whatever is left */
    double ack_clock;
    /** of an ACK. Above 0 ACKs wait in the queues of other fluid on the way back, and fill them; 0: the
     * way back is propagation alone */
    uint32_t ack_bytes;
    /** control whose windows they are, as in a scenario; null: newreno. Above of `decrease` to `ack_clock`
     * each law takes what it has use for. */
    const char *congestion;
    const void *keys; /**< of that control, as net/congestion/NAME.h has them; null: their defaults */
    bool slow_start;  /**< until its first loss a session sends 1 + 1/b segments for each acknowledged */
    /* UDP, per session */
    uint64_t rate_bps;
    weir_time on_ps,
        off_ps; /**< sends for on_ps, pauses for off_ps, from each flow's start; 0, 0: always on */
    /** [n_schedule] by rising time since the start of the run; null: none */
    const weir_fluid_rate *schedule;
    uint32_t n_schedule;
} weir_fluid_class;

/** Whether fluid has a law of the windows of a congestion control; null: of the default's, newreno. */
WEIR_API bool weir_fluid_has_law(const char *congestion);

/** The narrowest link of a session's path, by what each session has of it. */
typedef struct weir_fluid_narrow {
    double fluid, packets; /**< sessions of TCP that cross it, as fluid and as packets */
    double rate_bps;
    double round_s,
        queue_s; /**< of the path through empty queues; that the link takes to send its full queue */
} weir_fluid_narrow;

/** What a class asks that its law has no answer for (`at` null: it is refused), or why its law is off at a
 * link, in words; null: nothing. */
WEIR_API const char *weir_fluid_law_bounds(const weir_fluid_class *c, const weir_fluid_narrow *at);

/** Sessions of one class from one node to another, with one window trajectory. */
typedef struct weir_fluid_flow {
    uint32_t src, dst; /**< graph nodes */
    uint32_t cls;
    double sessions;             /**< above 0; parts of one where they are shared among paths */
    weir_time start_ps, stop_ps; /**< stop: WEIR_TIME_MAX for none */
    uint64_t size_bytes;         /**< of each session; 0: no end. Lost bytes are sent again */
    double transfers_per_s;      /**< TCP: transfers that come from start_ps to stop_ps, as a density; above 0
                                      `sessions` (1) says nothing, as many are there as bytes are left over mean_bytes */
    double mean_bytes;           /**< of such a transfer; above 0 */
    weir_time beside_ps; /**< of the round trip that passes beside the links of the path; at least 0 */
    uint32_t goes_on; /**< TCP: 1 + the number of an earlier flow, which began before it, whose sessions go on
                               here at start_ps with their windows; 0: none */
    weir_time failed_ps; /**< when that flow's path failed: its sessions begin again with half of the windows
                               that they had then; 0: it did not */
    bool apart;          /**< never reckoned as one with flows that are alike: goes on, or is gone on with */
} weir_fluid_flow;

/** A link that fails or comes back, one direction of it. It loses what is in its queue and on it, until it is
 * back; its queue goes on meanwhile. */
typedef struct weir_fluid_outage {
    weir_time at_ps;
    uint32_t edge;
    bool down;
} weir_fluid_outage;

/** All that is simulated. Everything is borrowed for the call of weir_fluid_new. */
typedef struct weir_fluid_plan {
    const weir_graph *graph;    /**< every link that flows use needs rate and delay */
    const weir_routes *routes;  /**< paths of the flows, unless the next two are given */
    const uint32_t *path_first; /**< [n_flows + 1] or null: flow i takes edges path_edge[path_first[i]] .. */
    const uint32_t *path_edge;
    /** default false. Hosts that are alike (one link, to the same router, of equal rate, delay, loss and
     * drop-tail queue, and to a tenth as many sessions of the same flows) are reckoned as one: their links are one port of
     * so many times the rate and queue, of which weir_fluid_read_port tells each its share; what
     * weir_fluid_exchange and weir_fluid_history tell of it is all links' together. */
    bool join_alike;
    const double *
        packets_of_edge; /**< [n_edges]: sessions of packets beside the fluid, for join_alike; null: none; infinite: of packets that last not, or of
                            UDP, which make their host like no other */
    const weir_fluid_queue *queues;
    uint32_t n_queues;
    const uint32_t *queue_of_edge; /**< [n_edges]: index in queues; null: all edges have queue 0 */
    /** [n_edges]: share of what a link sends that it loses, below 1; null: none */
    const double *loss_of_edge;
    const weir_fluid_class *classes;
    uint32_t n_classes;
    const weir_fluid_flow *flows;
    uint32_t n_flows;
    const weir_fluid_outage *outages; /**< [n_outages] by time; each changes what its link was; null: none */
    uint32_t n_outages;
} weir_fluid_plan;

typedef enum weir_fluid_law {
    WEIR_FLUID_CONSERVING, /**< bytes are conserved */
    WEIR_FLUID_PAPER       /**< equations 2 to 8 as printed, for comparison */
} weir_fluid_law;

/** Who computes. */
typedef struct weir_fluid_backend weir_fluid_backend;
/** The solver on the CPU, which every build has. */
WEIR_API const weir_fluid_backend *weir_fluid_cpu(void);
/** The first CUDA device; null in a build without CUDA. weir_fluid_new tells whether there is a device. */
WEIR_API const weir_fluid_backend *weir_fluid_cuda(void);

typedef struct weir_fluid_options {
    weir_time step_ps; /**< default 500 us; at most the smallest propagation delay that flows use */
    /** Default 0. How long it takes at least from the end of a path to news of it at the source; shorter ways
     * back are taken as this. Blocks of steps are as long then, however short links are: ports behind shorter
     * ones are solved in order. A link shorter than a step is taken as one, and where short links lie round a
     * circle the longest as this; what that adds is taken off the way back, as far as there is one. */
    weir_time least_delay_ps;
    weir_fluid_law law;        /**< default conserving */
    bool double_precision;     /**< default false */
    uint32_t order;            /**< of the integration: 1 or 2; default 2 */
    uint32_t history_steps;    /**< steps that weir_fluid_history can look back; default 0: the lookahead and
                                 one more, so that a read of as many steps tells where they began */
    weir_time measure_from_ps; /**< from when on a queue's mean and maximum are taken; default 0 */
    int threads;               /**< of the CPU solver; default 0: as many as have enough to do */
    /** Default false. In a run over ranks (weir/ranks.h) each solves its part of the network, on the CPU, and
     * all calls but weir_fluid_options_init, weir_fluid_measure, weir_fluid_lookahead, weir_fluid_step,
     * weir_fluid_port and weir_fluid_free are collective: ports and flows are the whole network's on every
     * rank. Bits are those of one process. */
    bool over_ranks;
    uint64_t memory_limit_bytes; /**< default 0: three quarters of the memory of the machine or device */
    const weir_fluid_backend *backend; /**< default null: the CPU */
} weir_fluid_options;
/** Every option at its default; call it before setting any. */
WEIR_API void weir_fluid_options_init(weir_fluid_options *options);

typedef struct weir_fluid weir_fluid;

/**
 * Check the plan and build a solver at time 0.
 *
 * Returns: WEIR_OK; WEIR_E_SCENARIO for what cannot be simulated: an unknown node, no way between two nodes,
 * no sessions, a queue limit of zero, a propagation delay of zero or less than a step, parameters of queues
 * or classes out of range (the message names flow, link, queue or class, and the value); WEIR_E_ARG for
 * options out of range; WEIR_E_NOMEM (bytes needed, bytes there); WEIR_E_DEVICE. A step of more than a tenth
 * of the smallest delay warns. *out is null on failure.
 */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_new(weir_diag *diag, const weir_fluid_plan *plan,
                                                   const weir_fluid_options *options, weir_fluid **out);
/** Free a solver, its device memory too; accepts null. */
WEIR_API void weir_fluid_free(weir_fluid *fluid);

/** What a solver works on. */
typedef struct weir_fluid_size {
    uint64_t flows;    /**< after merging flows of the same path and parameters */
    uint64_t hops;     /**< queues on the paths of these, all flows together: a step of each is a hop-step */
    uint64_t prefixes; /**< distinct (source, path so far): what is computed each step */
    uint64_t ports;    /**< queues that carry fluid */
    uint64_t series; /**< volumes over time that are kept: one a flow, one for each set that shares a path */
    uint64_t bytes;  /**< of memory, histories included */
    double step_bytes; /**< that a step must move: each history value written once and read once */
} weir_fluid_size;
/** What was built: flows, ports, hops, bytes. O(1). */
WEIR_API weir_fluid_size weir_fluid_measure(const weir_fluid *fluid);

/** Steps that can run without anything passed between ports: tau. Packets may be exchanged as often. */
WEIR_API uint32_t weir_fluid_lookahead(const weir_fluid *fluid);
/** Steps done. */
WEIR_API int64_t weir_fluid_step(const weir_fluid *fluid);
/** Advance by any number of steps. WEIR_E_DEVICE when a device fails; WEIR_E_ARG past 2^31 - 2^16 steps. */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_advance(weir_diag *diag, weir_fluid *fluid, uint32_t steps);
/**
 * The same without waiting for a device, which may begin no sooner than at the next call that reads or brings
 * packets. weir_fluid_step counts the steps at once; what goes wrong on the device is told by the next call
 * that waits, as weir_fluid_history does, of no ports too.
 */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_launch(weir_diag *diag, weir_fluid *fluid, uint32_t steps);

/** Port of a graph edge, or UINT32_MAX where no fluid passes. */
WEIR_API uint32_t weir_fluid_port(const weir_fluid *fluid, uint32_t edge);

typedef struct weir_fluid_port_state {
    double queue_bytes, average_bytes; /**< average: RED's */
    double queue_mean_bytes,
        queue_max_bytes;    /**< of all steps from measure_from_ps on; expected packets included */
    double drop;            /**< share of arrivals that RED dropped or marked in the last step */
    double reduction_bytes; /**< projected reduction (paper, eq. 13), summed from the start: what the line
                               could have sent beside the fluid */
    double arrived_bytes, lost_bytes; /**< from the start; lost: by the queue */
    double link_lost_bytes;           /**< from the start; sent, and lost by the link, at random */
    double failed_bytes;              /**< from the start; accepted, and lost with the link as it failed */
    double wire_bytes;                /**< sent, not yet at the far end */
} weir_fluid_port_state;
/** State now. On a device this fetches; ask for all that is wanted between two advances. */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_read_port(weir_diag *diag, weir_fluid *fluid, uint32_t port,
                                                         weir_fluid_port_state *out);
/**
 * The ends of the last n steps at some ports, oldest first: queue in bytes, drop share, projected reduction
 * and packets that were expected and found a place, both summed from the start, and the share of what is not
 * dropped early that packets lose to a full queue: what the fluid loses in the mean while the line sends 24
 * kB. Of UDP alone it is negative; -1 where UDP leaves a quarter of the line, and packets are lost for which
 * there is no place. Arrays [n_ports][n], each may be null. n is at most history_steps (or the lookahead and
 * one) and at most the steps done: WEIR_E_ARG otherwise. From a device nothing but these values is brought;
 * asking for the same ports each time, and exchanging with these, is fastest.
 */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_history(weir_diag *diag, weir_fluid *fluid,
                                                       const uint32_t *ports, uint32_t n_ports, uint32_t n,
                                                       double *queue_bytes, double *drop,
                                                       double *reduction_bytes, double *expected_bytes,
                                                       double *full);
/**
 * Tell of packets in a queue, between two advances: `queued` bytes stand in it from now on, besides what the
 * calls before had it expect (fewer: negative), and `coming` are expected in each step until the next call,
 * past RED's early drop: they take the line and the queue's places beside the fluid. What is above the
 * limit then is fluid's loss: of what stands, the last that came; where that has left, what arrives next.
 */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_add(weir_diag *diag, weir_fluid *fluid, uint32_t port,
                                                   double queued_bytes, double coming_bytes);
/** The same for several ports, arrays [n_ports]; like launch it does not wait for a device. What comes to one
 * port from several sides follows each other, and is added up. */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_exchange(weir_diag *diag, weir_fluid *fluid,
                                                        const uint32_t *ports, uint32_t n_ports,
                                                        const double *queued_bytes,
                                                        const double *coming_bytes);

typedef struct weir_fluid_flow_state {
    double window;                  /**< segments; 0 for UDP */
    double rtt_s;                   /**< of what is acknowledged now */
    double sent_bytes;              /**< of all sessions, from the start */
    double acked_bytes, lost_bytes; /**< as the sender knows; lost: or marked */
    double sessions;                /**< of a flow of transfers, those in progress; of others, all of them */
    double end_s; /**< when the last byte of a flow of finite size was acknowledged; negative: not yet */
} weir_fluid_flow_state;
/** State of flow `flow` of the plan; its share where it was merged with others. */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_read_flow(weir_diag *diag, weir_fluid *fluid, uint32_t flow,
                                                         weir_fluid_flow_state *out);

/** Where all bytes of the fluid are; in_bytes should be the sum of the others, without packets' bytes. */
typedef struct weir_fluid_totals {
    double in_bytes, out_bytes, lost_bytes, queued_bytes, wire_bytes;
} weir_fluid_totals;
/** Totals over all flows and ports, in bytes, for checking that volume is conserved. */
WEIR_API WEIR_NODISCARD weir_status weir_fluid_sum(weir_diag *diag, weir_fluid *fluid,
                                                   weir_fluid_totals *out);
/** Digest of the state of all ports and flows: equal for equal runs on any device. 0 when fetching fails. */
WEIR_API uint64_t weir_fluid_digest(weir_fluid *fluid);

#endif

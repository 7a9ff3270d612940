/** Queues of a scenario's links (weir/scenario.h), their losses, jitter and traces. */
#ifndef WEIR_SCENARIO_LINKS_H
#define WEIR_SCENARIO_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/names.h"
#include "weir/queue.h"

/** A queue of some ports. */
typedef struct weir_scenario_queue {
    weir_queue_params params;
    weir_place place; /**< of the section; file null: not given */
} weir_scenario_queue;

/** A queue for some links; fields that the file leaves out are those of topology.queue. */
typedef struct weir_scenario_queue_override {
    weir_link_names link; /**< at least one */
    weir_scenario_queue queue;
} weir_scenario_queue_override;

/** Losses in bursts, after Gilbert and Elliott. Of mean and enter one is given, of length and exit one; the
 * other is negative, and worked out. */
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
    uint32_t overhead;    /**< bytes; UINT32_MAX: topology.overhead */
    weir_scenario_bursts bursts;
    double bit_errors; /**< negative: as it is, none */
    weir_place bit_errors_place;
    weir_scenario_jitter jitter;
    double duplication; /**< negative: as it is, none */
    weir_place duplication_place;
    weir_scenario_link_trace trace;
    weir_place place;
} weir_scenario_link_override;

#endif

/** What a run of a scenario (weir/scenario.h) writes. */
#ifndef WEIR_SCENARIO_OUTPUT_H
#define WEIR_SCENARIO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/names.h"

typedef enum weir_sc_ports { WEIR_SC_PORTS_ALL = 0, WEIR_SC_PORTS_NONE, WEIR_SC_PORTS_LIST } weir_sc_ports;

/** Flows watched packet by packet, as ns-3's FlowMonitor does. */
typedef struct weir_scenario_monitor {
    weir_names classes; /**< each exists, and has packets; none: nothing is watched */
    weir_time delay_bin_ps, jitter_bin_ps, rtt_bin_ps, interruption_bin_ps; /**< widths of bins, > 0 */
    weir_time interruption_ps; /**< a longer pause between two packets that arrive counts as one */
    uint32_t size_bin_bytes;   /**< > 0 */
    weir_place place;          /**< file null: no such section */
} weir_scenario_monitor;

enum { WEIR_SC_SLOWDOWN_SIZES = 15 };

typedef struct weir_scenario_output {
    weir_time warmup_ps;   /**< below the duration */
    weir_time interval_ps; /**< between samples of time series */
    weir_sc_ports ports;   /**< whose series are written */
    weir_link_names port;  /**< LIST */
    weir_names cwnd;       /**< classes whose windows are written; each exists */
    weir_link_names pcap;  /**< interfaces: links, and nodes, whose `to` is null */
    weir_place pcap_place;
    bool histograms;
    weir_names slowdown_sizes;                    /**< as given; none: 1 kB, 10 kB, ..., 100 MB */
    uint64_t slowdown_to[WEIR_SC_SLOWDOWN_SIZES]; /**< the same in bytes, rising */
    weir_scenario_monitor flow_monitor;
    weir_names packets; /**< classes whose packets are traced at every port */
    weir_place packets_place;
    weir_place place;
} weir_scenario_output;

#endif

/* Writing what a run of the packet network gave: the files of the results folder. */
#pragma once

#include "base/memory.h"
#include "packets/skip/skip.h"
#include "packets/stats/stats.h"
#include "output/csv.h"
#include "network/network.h"
#include "scenario/results/monitor.h"
#include "subject/subject.h"
#include "weir/engine.h"

/*
 * What flows took, in histograms of 256 bins an octave from 0.5 on, so that quantiles are within 0.4 % and nothing grows with the
 * number of flows. Plain data: checkpoints keep it as it is.
 */
enum { WI_SPREAD_SUB = 256 };
typedef struct wi_spread {
    uint64_t n;
    double sum, least, most;
} wi_spread;
/* One more value; bins: [n_bins], the last of which has all that is larger. Of 0 and less, and of NaN, nothing is kept. */
void wi_spread_add(wi_spread *s, uint64_t *bins, size_t n_bins, double value);
/* The middle of the bin in which the value of rank ceil(share n) stands, at least the smallest and at most
 * the largest; of the last bin the largest; NaN of none. */
double wi_spread_quantile(const wi_spread *s, const uint64_t *bins, size_t n_bins, double share);
double wi_spread_mean(const wi_spread *s); /* exact; NaN of none */
double wi_spread_most(const wi_spread *s); /* likewise */

/* Completion times, in ns: all that the clock holds, 2^63 ps. */
enum { WI_COMPLETION_BINS = 55 * WI_SPREAD_SUB };
typedef struct wi_completions {
    wi_spread all;
    uint64_t bins[WI_COMPLETION_BINS];
} wi_completions;

/* Slowdown of flows by their size: completion time over that on an empty network, to 2^32: of 3 us, 3.5 hours. Sizes of flows
 * (`output.slowdown_sizes`), and what is larger. */
enum { WI_SLOWDOWN_SIZES = WEIR_SC_SLOWDOWN_SIZES + 1, WI_SLOWDOWN_BINS = 33 * WI_SPREAD_SUB };
typedef struct wi_slowdown_bucket {
    wi_spread all;
    uint64_t bins[WI_SLOWDOWN_BINS];
} wi_slowdown_bucket;

typedef struct wi_slowdowns {
    wi_slowdown_bucket of_size[WI_SLOWDOWN_SIZES];
} wi_slowdowns;

/* A flow of this size (wi_slowdown_size) took `slowdown` times what it takes alone; NaN, of a flow that has no way any more, is left
 * out. */
void wi_slowdown_add(wi_slowdowns *s, size_t size, double slowdown);
/* The size that holds flows of `bytes`. */
size_t wi_slowdown_size(const weir_scenario_output *output, uint64_t bytes);
/* All sizes together. */
void wi_slowdown_merge(const wi_slowdowns *s, wi_slowdown_bucket *all);
/* Of the flow whose rank is ceil(share n), to the width of a bin; NaN where there is none. */
double wi_slowdown_quantile(const wi_slowdown_bucket *b, double share);

/*
 * Captures: a pcapng file for each interface that output.pcap names, captures.csv with what they are, and addresses.csv
 * with the hosts' addresses in them.
 */
typedef struct wi_captures wi_captures;

/*
 * Find the interfaces, set in what[entities] which links the network is to record (wi_net_capture), and begin the files in
 * `folder`; null: this process writes none. `*out` is null where the scenario asks for none, and is set on every path.
 * WEIR_E_SCENARIO, with the place, for a name that is none, and for more files than a process may open.
 */
WEIR_NODISCARD weir_status wi_captures_begin(weir_diag *diag, const wi_network *network, const char *folder,
                                             uint8_t *what, wi_captures **out);

/* Records of the run in order: of a packet on a link, and of a flow that begins. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_captures_packet(wi_captures *c, const net_packet_record *s, weir_time now_ps);
void wi_captures_flow(wi_captures *c, const net_flow_record *f);
void wi_captures_pause(wi_captures *c, const net_pause_record *s, weir_time now_ps);

/* What has left by `end_ps` is written, and the files are closed. A file that could not be written whole is removed, with a
 * message for each, and WEIR_E_IO comes back: the other results are none the worse. */
WEIR_NODISCARD weir_status wi_captures_finish(wi_captures *c, weir_time end_ps);

/* Save what it has seen and written, or read it back into one that has just begun. */
void wi_captures_archive(wi_captures *c, wi_archiver *archiver);
void wi_captures_free(wi_captures *c);

/* What a receiver saw of the flow that a slot served last. */
typedef struct wi_received {
    net_rx_done done;
    weir_time at_ps;
} wi_received;

/* Completion of the flows of one class, and their times. */
typedef struct wi_class_result {
    uint64_t completed;
    uint64_t planned,
        ended; /* flows that the scenario starts; flows of a size that ended, within the warm-up too */
    /* Of flows that came by themselves, from the start of the run: bytes of those that are complete; these and what is
     * acknowledged of those under way, now and at the end of the warm-up. */
    uint64_t done_bytes, now_bytes, warm_bytes;
    /* Of a class whose slots serve one flow after another: of flows that ended, from the start of the run; and all that the class had
     * sent and got at the end of the warm-up. */
    wi_net_flow_total of_ended, at_warm;
    int64_t counts_at_warm[NET_CLASS_COUNTERS]; /* the class's own counters then */
    weir_time first_ps,
        last_ps; /* of a job's messages that began since the warm-up and ended; last_ps 0: there is none */
    wi_completions *completions; /* null until the first; likewise */
    wi_slowdowns *slowdowns;
    uint64_t unfinished[WI_SLOWDOWN_SIZES]; /* begun since the warm-up, not complete at the last look */
    uint64_t held;        /* flows without a size that their receive windows held, not the network */
    double held_rtt_s;    /* of the last of them */
    uint64_t sent, again; /* packets of flows that the scenario starts: all, and retransmissions */
} wi_class_result;

/* Gathers while the simulation runs, writes at the end. */
typedef struct wi_results_of_run {
    wi_owned memory; /* of what has its size from the start */
    wi_subject_run *run;
    const wi_network *network;
    wi_csv *flows_csv, *segments_csv; /* segments: null where no class is video */
    uint64_t *player_of_rx;           /* [n_rx] of receiving slots of players; likewise */
    uint64_t rows;
    uint32_t *flow_of_slot;   /* [n_tx] planned flow, or NET_NONE */
    wi_received *received;    /* [n_tx]; null where no class has sizes */
    weir_time *completed_ps;  /* [n_flows] planned flows; 0: not complete */
    double *alone_s;          /* [n_flows] of those: on an empty network with the routes of then */
    wi_class_result *classes; /* [n_traffic] */
    wi_net_snapshot warm;     /* totals at the end of the warm-up; ports null: from the start */
    wi_series_table *port_table, *flow_table;
    uint32_t *sampled_ports, n_sampled_ports;        /* entities */
    uint32_t *sampled_words, n_sampled_words;        /* of these ports, where switches share memory */
    uint32_t *sampled_flows, n_sampled_flows;        /* planned flows */
    uint32_t *sampled_tx, *sampled_rx;               /* [n_sampled_flows] their slots */
    uint32_t *sampled_fluid, n_sampled_fluid;        /* fluid flows */
    double *last_fluid;                              /* payload at the sample before */
    double *last_lost, *last_gone, *last_fluid_lost; /* of fluid flows: lost, acknowledged; of ports: lost */
    double *last_bytes, *last_line;                  /* at the sample before: wi_port_sent */
    uint64_t *last_drops, *last_acked;               /* likewise */
    struct wi_now *now;                              /* of status.json; null: nobody watches */
    double *row;
    wi_captures *captures; /* null: none */
    wi_monitor *monitor;   /* null: no flow is watched */
} wi_results_of_run;

/* A counter of a class (NET_COUNT_FLOWS ...) since the end of the warm-up. */
static inline uint64_t wi_results_counter(const wi_results_of_run *r, uint32_t cls, int what)
{
    return (uint64_t)(wi_net_class_counter(r->network->net, r->run->sim, cls, what) -
                      r->classes[cls].counts_at_warm[what]);
}

/* Choose what is kept, and open the files; the network records what they need from then on. */
WEIR_NODISCARD weir_status wi_results_begin(wi_results_of_run *r, const wi_network *network,
                                            wi_subject_run *run);
void wi_results_end(wi_results_of_run *r);

/* Take a record of the simulation. */
WEIR_NODISCARD weir_status wi_results_take(wi_results_of_run *r, const weir_record_head *record);
/* Append one row to every series. */
WEIR_NODISCARD weir_status wi_results_sample(wi_results_of_run *r);
/* Add to `sums` [n_traffic] what each class has sent and got since the start of the run, where its slots serve one flow after another. */
void wi_results_served(const wi_results_of_run *r, wi_net_flow_total *sums);
/* Keep the totals of the warm-up, at its end, after records and snapshot. */
WEIR_NODISCARD weir_status wi_results_warm(wi_results_of_run *r);
/* Gather what is summarised, as of now. */
void wi_results_look(wi_results_of_run *r);
/* Whether all flows of a size are complete, of classes that have an end; and all jobs over, which the state tells. */
wi_doneness wi_results_are_done(const wi_results_of_run *r, bool state);
/* jobs.c: whether all ranks of a class's job have ended; true of other classes. Reads state. */
bool wi_job_is_over(const wi_results_of_run *r, uint32_t cls);
/* Save what is gathered, or read it back. */
void wi_results_archive(wi_results_of_run *r, wi_archiver *archiver);
/* Write all files but series.h5, after a look. */
WEIR_NODISCARD weir_status wi_results_finish(wi_results_of_run *r);

/* Return the entity that sends into each edge, a router's port or a host's own interface; NET_NONE: none. Malloc'ed; null when
 * memory is short. */
uint32_t *wi_entities_of_edges(const wi_network *network);

/* flows.c: flows.csv; and every class's now_bytes and unfinished flows. */
void wi_flows_look(wi_results_of_run *r);
/* A flow of given size is complete at its sender; its receiver's record came before. */
void wi_flows_done(wi_results_of_run *r, const net_tx_done *d);
WEIR_NODISCARD weir_status wi_flows_open(wi_results_of_run *r);
WEIR_NODISCARD weir_status wi_flows_finish(wi_results_of_run *r);
/* rounds.c: the rounds of a class of collective operations, null of others. */
json_t *wi_rounds_summarise(const wi_results_of_run *r, uint32_t cls);
/* jobs.c: the job of a class, null of others. */
json_t *wi_jobs_summarise(const wi_results_of_run *r, uint32_t cls);
/* players.c: segments.csv as segments come, where any class is adaptive video; and the players of a class together, null of
 * others. */
WEIR_NODISCARD weir_status wi_players_open(wi_results_of_run *r);
void wi_players_take(wi_results_of_run *r, const net_segment_done *d, weir_time at_ps);
json_t *wi_players_summarise(const wi_results_of_run *r, uint32_t cls);
/* switches.c: what switches did that pause their neighbours, null where none do; a warning that names a deadlock; and how
 * unevenly ports share flows out, null where none do. */
json_t *wi_pauses_summarise(const wi_results_of_run *r);
/* steady.c: what was skipped. */
json_t *wi_skips_summarise(wi_skipped total);
void wi_pauses_warn(const wi_results_of_run *r);
json_t *wi_imbalance_summarise(const wi_results_of_run *r);
/* series.c: choose ports and flows, add their tables. */
WEIR_NODISCARD weir_status wi_series_begin(wi_results_of_run *r);
/* What a port has sent so far, fluid of the last sample included; and what its queue holds, without what a discipline that decides at
 * departure has waiting. */
typedef struct wi_port_sent {
    double bytes, line_bytes; /* of packets; and with what the line adds to each */
    double queue_bytes;
} wi_port_sent;
wi_port_sent wi_port_sent_by(const wi_results_of_run *r, uint32_t entity, weir_time now);
/* The rate of what was sent in a span, from so many bytes on. Fluid's samples are up to a step older than packets': what is sent may
 * seem to shrink. */
double wi_bps_since(double before, double bytes, weir_time span_ps);
/* now.c: hottest ports and flows in progress, for status.json; what it reads goes to run->watch. */
WEIR_NODISCARD weir_status wi_results_watch(wi_results_of_run *r);
void wi_results_now(wi_results_of_run *r, json_t *status);
/* summary.c: the network's keys of summary.json; lines of them for people. */
void wi_results_summarise(const wi_results_of_run *r, json_t *summary);

/* Tables of a run of the packet network, up to a null; and lines of its summary. */
extern const wi_result_table *const wi_network_tables[];
enum { WI_NETWORK_LINES = 6 };
extern const wi_line wi_network_lines[WI_NETWORK_LINES];
extern const wi_result_table wi_class_table, wi_video_summary, wi_rounds_summary, wi_topology_table,
    wi_failures_table, wi_imbalance_table, wi_pauses_table, wi_skips_table, wi_flows_table, wi_ports_table,
    wi_slowdown_table, wi_rounds_table, wi_job_summary, wi_jobs_table, wi_job_ranks_table,
    wi_job_actions_table, wi_players_table, wi_segments_table, wi_captures_table, wi_addresses_table,
    wi_histograms_table, wi_port_series_table, wi_flow_series_table, wi_packets_table, wi_packet_flows_table;

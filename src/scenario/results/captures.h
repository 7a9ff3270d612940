/*
 * Captures: a pcapng file for each interface that output.pcap names, captures.csv with what they are, and addresses.csv
 * with the hosts' addresses in them.
 */
#ifndef WI_SCENARIO_RESULTS_CAPTURES_H
#define WI_SCENARIO_RESULTS_CAPTURES_H

#include "scenario/network/network.h"
#include "weir/engine.h"

typedef struct wi_captures wi_captures;

/*
 * Find the interfaces, say in what[entities] of which links the network is to tell (wi_net_capture), and begin the files in
 * `folder`; null: this process writes none. `*out` is null where the scenario asks for none, and is set on every path.
 * WEIR_E_SCENARIO, with the place, for a name that is none, and for more files than a process may open.
 */
WEIR_NODISCARD weir_status wi_captures_begin(weir_diag *diag, const wi_network *network, const char *folder,
                                             uint8_t *what, wi_captures **out);

/* Records of the run in order; others than captures' are passed over. WEIR_E_NOMEM. */
WEIR_NODISCARD weir_status wi_captures_take(wi_captures *c, const weir_record_head *records, uint32_t stride,
                                            size_t n);

/* What has left by `end_ps` is written, and the files are closed. A file that could not be written whole is removed, with a
 * message for each, and WEIR_E_IO comes back: the other results are none the worse. */
WEIR_NODISCARD weir_status wi_captures_finish(wi_captures *c, weir_time end_ps);

void wi_captures_free(wi_captures *c);

#endif

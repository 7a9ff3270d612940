/* Triggers of a list of flows as gates: flows that wait for others of the list. */
#ifndef WI_NETWORK_TRIGGERS_H
#define WI_NETWORK_TRIGGERS_H

#include "network/files/flow_file.h"
#include "network/network.h"

/* A listed flow's gates, numbers + 1, as wi_net_flow_plan has them; 0: none. */
typedef struct wi_flow_gates {
    uint32_t after, received, sent;
} wi_flow_gates;

/*
 * Add the gates of all triggers to the network. `node` has the graph's node of each of the list's, or is null where one is not there.
 * A trigger takes no time, as in htsim, but 1 ps for a gate, and 1 ns from host to host.
 *
 * Owner:   *out, [file->n], is the caller's (free).
 * Returns: WEIR_OK; WEIR_E_SCENARIO; WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_network_triggers(weir_diag *diag, wi_network *n, const wi_flow_file *file,
                                               const uint32_t *node, wi_flow_gates **out);

#endif

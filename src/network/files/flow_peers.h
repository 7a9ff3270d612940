/*
 * Lists of flows as other simulators write them; internal to the reader of lists (flow_file.h).
 *
 * htsim's connections (`.cm`, `.tm`; Broadcom/csg-htsim, connection_matrix.cpp): lines `Nodes n`, `Connections n` and
 * `Triggers n`, then `7->15 id 1 start 0 size 2000000`, starts in picoseconds. Node 7 is `h7`, as in weir's generators and in
 * topologies of htsim. A size of 0 is a flow without end: 2^50 bytes. Triggers are lines `trigger id 3 oneshot` (or
 * `multishot`, `barrier count 4`); connections have `trigger 3` in place of a start, and set one off with `send_done_trigger 3` or
 * `recv_done_trigger 3`. Messages of one connection, priorities and failures are refused.
 *
 * Flows of ns-3's RDMA fork (`flow.txt`): their number, then as many lines SOURCE TARGET GROUP PORT BYTES SECONDS. Node 7 is
 * `7`. All flows of a list are of one priority group; ports tell flows apart and have no other effect.
 */
#pragma once

#include "network/files/flow_file.h"

typedef enum wi_flow_form {
    WI_FLOWS_OWN, /* lines of weir's own */
    WI_FLOWS_HTSIM,
    WI_FLOWS_NS3
} wi_flow_form;

/* Which form a list has that is still to be read, by its first line that is no comment. */
wi_flow_form wi_flow_form_of(const wi_source *source);
/* Read a list of a peer's form into an empty one. What goes wrong is in the source's status. */
void wi_flow_peers_read(wi_source *source, wi_flow_form form, wi_flow_file *out);
/* Add a flow, unless the source has failed. */
void wi_flow_file_add(wi_source *source, wi_flow_file *out, const wi_listed_flow *flow);

/*
 * Lists of flows: a text of lines TIME,FROM,TO,BYTES or TIME,FROM,TO,BYTES,CLASS.
 *
 * Fields are separated by commas, blanks around them are passed over, and a field in double quotes holds anything but a line
 * break ("" is one quote; RFC 4180). A line without a comma has blanks between its fields. Times are seconds, or have a unit (1.5ms); sizes are bytes, or have one (10kB). Lines that
 * begin with `#` and empty lines are passed over. A first line of names (`time,from,to,bytes`; `start`, `src`, `dst`, `size`) says in
 * which order fields stand. Any order of times. Lists of htsim
 * and of ns-3's RDMA fork are told by their first line, and read as flow_peers.h says.
 */
#pragma once

#include "base/file/source.h"
#include "topology/names.h"
#include "weir/time.h"

typedef struct wi_listed_flow {
    weir_time at_ps;   /* >= 0 */
    uint64_t bytes;    /* > 0 */
    uint32_t from, to; /* into `node`; different */
    uint32_t cls;      /* into `cls`; WI_NO_NAME: none given */
    /* Numbers + 1 of the triggers that start it, and that its last ACK and its last byte's arrival set off; 0: none. */
    uint32_t after, sent, received;
    /* Where messages that share a connection begin: at multiples of it, which must be whole segments; 0: it has one message. */
    uint64_t part_bytes;
    int line;
} wi_listed_flow;

/* What starts flows when others are done: all at the first that is, the next one at each, or all at the last. */
typedef enum wi_trigger_kind { WI_TRIGGER_ONESHOT, WI_TRIGGER_MULTISHOT, WI_TRIGGER_BARRIER } wi_trigger_kind;

typedef struct wi_flow_trigger {
    uint32_t id;
    wi_trigger_kind kind;
    uint32_t count;    /* of a barrier: how many set it off */
    uint32_t set_offs; /* by flows of the list */
    int line;
} wi_flow_trigger;

typedef struct wi_flow_file {
    char *file;
    wi_names node, cls;
    wi_listed_flow *flow; /* [n], n > 0, in the order of the file */
    size_t n;
    uint64_t most_bytes;
    uint64_t part_bytes;      /* common measure of all flows' */
    bool of_htsim;            /* whose starts are numbers, read as picoseconds */
    uint32_t n_nodes;         /* as htsim's lists state them; 0: not stated */
    wi_flow_trigger *trigger; /* [n_triggers] by id; of htsim's lists */
    size_t n_triggers;
} wi_flow_file;

/*
 * Read a list from a source, which is closed.
 *
 * Owner:   *out is the caller's (wi_flow_file_free), null on failure.
 * Returns: WEIR_OK; WEIR_E_IO; WEIR_E_NOMEM; WEIR_E_FORMAT with the place of what is wrong, up to 20 errors of a list of our own:
 * too few or many fields, a time or size that is none, a flow from a node to itself, a quote without end, no flow at all.
 */
WEIR_NODISCARD weir_status wi_flow_file_read(wi_source source, wi_flow_file **out);
void wi_flow_file_free(wi_flow_file *file);

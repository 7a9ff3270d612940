/*
 * What becomes of each packet of chosen classes at each port (output.packets): packets.h5.
 *
 * Tables as in series.h5: `packets`, an instant for each packet at each port, `flows`, whose rows are the flows that
 * `packets/flow` numbers, and `ports`, whose rows are the ports that `packets/port` numbers.
 */
#ifndef WI_SCENARIO_RESULTS_PACKET_TRACE_H
#define WI_SCENARIO_RESULTS_PACKET_TRACE_H

#include "net/port/capture.h"
#include "scenario/network/network.h"

/* Column `fate`. */
typedef enum wi_fate {
    WI_FATE_SENT,
    WI_FATE_MARKED,    /* sent, with a congestion mark that it got here */
    WI_FATE_FULL,      /* dropped: the queue was full */
    WI_FATE_EARLY,     /* dropped by the discipline before that */
    WI_FATE_LOST,      /* sent, and lost at random on the link */
    WI_FATE_TTL,       /* dropped: it had travelled too far */
    WI_FATE_LINK_DOWN, /* lost with the link, which failed */
    WI_FATE_NO_ROUTE,  /* lost: the router at the link's end has no way for it */
    WI_FATE_RECEIVED   /* come to the host at the link's end */
} wi_fate;

/* A packet at a port. */
typedef struct wi_traced {
    uint32_t flow, port,
        seq; /* flow: number in `flows`; port: entity that sends over the link; seq: from 0 */
    uint32_t bytes;
    bool marked;  /* leaves with a congestion mark, whoever made it */
    bool on_line; /* it was sent: sent_ps is known */
    weir_time came_ps, wait_ps, sent_ps;
    wi_fate fate;
} wi_traced;

/* A row of `flows`. */
typedef struct wi_traced_flow {
    char *name;   /* "CLASS FROM->TO data" */
    uint64_t row; /* of flows.csv; UINT64_MAX: none */
} wi_traced_flow;

typedef struct wi_packet_trace wi_packet_trace;

/* Begin the file. WEIR_E_IO, WEIR_E_NOMEM; *out is null then. */
WEIR_NODISCARD weir_status wi_packet_trace_begin(weir_diag *diag, const wi_network *network,
                                                 const char *folder, wi_packet_trace **out);
WEIR_NODISCARD weir_status wi_packet_trace_put(wi_packet_trace *t, const wi_traced *packet);
/* The tables of flows [n] and ports; closes the file. */
WEIR_NODISCARD weir_status wi_packet_trace_write(wi_packet_trace *t, const wi_traced_flow *flows, uint32_t n);
void wi_packet_trace_free(wi_packet_trace *t);

#endif

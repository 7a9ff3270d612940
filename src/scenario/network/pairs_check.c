/* How many pairs of nodes a class may have, by what its flows take of memory at least. */
#include <stdint.h>

#include "net/host/host.h"
#include "scenario/network/pairs.h"
#include "scenario/subject/subject.h"

/* Of both ends of a packet flow, with a bit a segment at each; what the rest of a run keeps for it comes besides. */
static double least_flow_bytes(const weir_scenario_class *c)
{
    double bytes = sizeof(wi_net_flow_plan) + sizeof(net_tx) + sizeof(net_rx);
    if (!c->is_udp && c->tcp.size.kind == WEIR_SC_DIST_NONE)
        bytes += 2.0 * (double)c->tcp.window_bytes / c->tcp.mss_bytes / 8.0;
    return bytes;
}

/* Of a class whose pairs are `pairs`: flows that are there from the start, and the list of pairs. */
static double least_bytes(const weir_scenario_class *c, uint64_t pairs)
{
    const bool some = c->where == WEIR_SC_DEMANDS || c->where == WEIR_SC_GRAVITY;
    const uint64_t most = some && c->demands.max_pairs ? c->demands.max_pairs : pairs;
    double flows = 0.0;
    if (c->is_udp)
        flows = c->fidelity == WEIR_SC_FLUID || some ? 0.0 : 1.0; /* demands may be zero */
    else if (c->tcp.arrivals.kind == WEIR_SC_ARRIVALS_SESSIONS)
        flows = c->packet_sessions;
    return (double)pairs * sizeof(wi_pair) +
           (double)(most < pairs ? most : pairs) * flows * least_flow_bytes(c);
}

weir_status wi_pairs_check(weir_diag *diag, const weir_scenario_class *c, uint64_t pairs)
{
    const weir_place at = c->where_place;
    if (pairs > WI_PAIRS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, at.file, at.line, at.column,
                            "class '%s' has %llu pairs of nodes; want at most %d", c->name.text,
                            (unsigned long long)pairs, WI_PAIRS_MAX);
    const double bytes = least_bytes(c, pairs);
    return wi_memory_check(diag, "flows", bytes < 1e18 ? (uint64_t)bytes : UINT64_MAX, at);
}

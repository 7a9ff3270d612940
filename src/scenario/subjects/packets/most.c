#include <math.h>

#include "net/congestion/congestion.h"
#include "net/flow/tcp_timer.h"
#include "scenario/subjects/packets/packets.h"

double wi_tcp_sends_most(const net_class *c, double segments, double time_s, double rtt_s)
{
    const double rto_s =
        weir_seconds(c->rto_min_ps ? c->rto_min_ps : net_rto_least(c->flags | net_cc_traits(c->congestion)));
    const double apart = time_s / rto_s;
    const double in_a_row = log2(1.0 + apart) + 1.0;
    const double timeouts =
        fmin(apart, (segments + 1.0) * in_a_row) + log2(1.0 + time_s) + 1.0; /* SYN: 1 s */
    const double probes = c->flags & NET_CLASS_RACK ? fmin(time_s / (2.0 * rtt_s), segments + timeouts) : 0.0;
    const double initial = (double)c->initial_window_bytes / c->mss_bytes + 1.0;
    if (!(c->flags & NET_CLASS_SACK) || c->flags & NET_CLASS_IRN)
        return HUGE_VAL;
    return 3.0 * segments + 2.0 * initial + 3.0 * timeouts + probes;
}

double wi_tcp_segments_most(const net_class *c, uint64_t flows)
{
    const double mean = weir_dist_mean(&c->size) / c->mss_bytes, n = (double)flows;
    switch (c->size.kind) {
    case WEIR_DIST_CONSTANT:
        return ceil(mean);
    case WEIR_DIST_UNIFORM:
        return ceil((c->size.a + c->size.b) / c->mss_bytes);
    case WEIR_DIST_EXPONENTIAL:
        return mean * (1.0 + 10.0 / sqrt(n) + 50.0 / n) + 1.0;
    default:
        return HUGE_VAL;
    }
}

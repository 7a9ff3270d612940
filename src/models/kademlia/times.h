/*
 * Times that are drawn: latency of messages, think time, sessions.
 *
 * Latency, one way: the least latency, which is the lookahead, plus nothing (constant), plus a uniform part
 * from 0 to twice its mean, or plus an exponential one; drawn for each message, or once for each pair of
 * peers (then it follows from the pair, and is the same both ways).
 */
#pragma once

#include "models/kademlia/world.h"
#include "weir/math_pow.h"

WEIR_FN weir_time kad_latency_of_bits(const kad_world *w, uint64_t bits)
{
    double extra = w->latency_extra_ps;
    if (w->latency_shape == KAD_LATENCY_EXPONENTIAL)
        extra *= -weir_log(weir_unit_open_of_bits(bits)); /* at most 37 */
    else if (w->latency_shape == KAD_LATENCY_UNIFORM)
        extra *= 2.0 * weir_unit_of_bits(bits);
    return w->latency_min_ps + (weir_time)(extra + 0.5);
}

/* From peer a to peer b. */
WEIR_FN weir_time kad_latency(const kad_world *w, weir_stream *stream, uint32_t a, uint32_t b)
{
    if (!w->latency_per_pair)
        return kad_latency_of_bits(w, weir_draw(stream));
    const uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return kad_latency_of_bits(w, kad_mix(kad_mix(w->salt + low * KAD_STEP) ^ (high * KAD_STEP)));
}

/* Uniform from 0 to think_ps, at least a picosecond. */
WEIR_FN weir_time kad_think(const kad_world *w, uint64_t bits)
{
    const weir_time t = (weir_time)weir_mulhi64(bits, (uint64_t)w->think_ps + 1);
    return t > 0 ? t : 1;
}

/* Weibull, exponential where the shape is 1; at least a picosecond, at most 2^61 (26 days). */
WEIR_FN weir_time kad_session(const kad_world *w, double scale_ps, uint64_t bits)
{
    double e = -weir_log(weir_unit_open_of_bits(bits));
    if (w->inverse_shape != 1.0)
        e = weir_pow(e, w->inverse_shape);
    const double t = scale_ps * e;
    if (!(t < 0x1p61))
        return (weir_time)1 << 61;
    return t > 1.0 ? (weir_time)t : 1;
}

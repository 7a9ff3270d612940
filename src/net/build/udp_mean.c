/* The mean size of the packets that a UDP class sends: a drawn size is rounded and kept within a packet's
 * bounds, which moves the mean of wide distributions, and Poisson gaps must follow it for the rate to be as
 * asked. */
#include <math.h>

#include "net/build/building.h"

enum { PACKET_MOST = UINT16_MAX };

/* The chance that a sample is at least x. */
static double at_least(const weir_dist *d, double x)
{
    switch (d->kind) {
    case WEIR_DIST_UNIFORM:
        return x <= d->a ? 1.0 : x < d->a + d->b ? (d->a + d->b - x) / d->b : 0.0;
    case WEIR_DIST_EXPONENTIAL:
        return weir_exp(-x / d->a);
    case WEIR_DIST_PARETO: {
        const double above = x <= d->a ? 1.0 : weir_exp(d->d * weir_log(d->a / x));
        return above > 1.0 - d->c ? (above - (1.0 - d->c)) / d->c : 0.0;
    }
    default:
        return d->a >= x ? 1.0 : 0.0;
    }
}

double wi_udp_mean_bytes(const weir_dist *packet)
{
    if (packet->kind != WEIR_DIST_CONSTANT && packet->kind != WEIR_DIST_UNIFORM &&
        packet->kind != WEIR_DIST_EXPONENTIAL && packet->kind != WEIR_DIST_PARETO)
        return weir_dist_mean(packet);
    double mean = NET_PACKET_LEAST;
    for (uint32_t bytes = NET_PACKET_LEAST; bytes < PACKET_MOST; bytes++)
        mean += at_least(packet, bytes + 0.5);
    return mean;
}

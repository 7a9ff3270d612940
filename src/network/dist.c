/* Distributions of sizes: a class has one, of transfers (TCP) or of packets (UDP). */
#include "network/network.h"

weir_status wi_network_dist(weir_diag *diag, const weir_scenario_dist *d, weir_cdf **cdf, weir_dist *out)
{
    weir_status status = WEIR_OK;
    char why[200];
    *out = weir_dist_constant(d->low);
    switch (d->kind) {
    case WEIR_SC_DIST_UNIFORM:
        *out = weir_dist_uniform(d->low, d->high);
        break;
    case WEIR_SC_DIST_EXPONENTIAL:
        *out = weir_dist_exponential(d->mean);
        break;
    case WEIR_SC_DIST_PARETO:
        *out = weir_dist_pareto_mean(d->mean, d->shape);
        break;
    case WEIR_SC_DIST_CDF:
        status = weir_cdf_load(diag, d->file, cdf);
        if (status == WEIR_OK)
            *out = weir_dist_cdf((*cdf)->points, (*cdf)->n, (*cdf)->step, 0);
        return status;
    default:
        break;
    }
    if (!weir_dist_check(out, why, sizeof why))
        status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(d->place), "%s", why);
    return status;
}

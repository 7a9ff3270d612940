/* Star: one router, hub, and hosts. Host i is node i, and port i of the hub leads to it. */
#include "topology/generator.h"

enum { HOSTS, RATE, DELAY, N_PARAMS };

static const weir_generator_param params[N_PARAMS] = {
    [HOSTS] = {"hosts", WEIR_COUNT, "4", 1, WI_COUNT_MAX - 1, 0, "hosts around the hub"},
    [RATE] = {WI_PARAM_ACCESS_RATE},
    [DELAY] = {WI_PARAM_ACCESS_DELAY},
};

static weir_status make(const wi_making *m)
{
    const uint32_t hosts = (uint32_t)m->value[HOSTS];
    wi_add_hosts(m, hosts);
    wi_add_named(m, WEIR_ROUTER, "hub");
    wi_connect_hosts(m, hosts, hosts, RATE);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    return (double)m->value[HOSTS];
}

const wi_generator wi_generator_star = {
    {"star", "hosts around one router", params, N_PARAMS, "hosts h0, h1, ...; router hub"}, make, ends};

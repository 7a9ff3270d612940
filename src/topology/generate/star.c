/* Star: one router, hub, and hosts. Host i is node i, and port i of the hub leads to it. */
#include "topology/generator.h"

enum { HOSTS, RATE, DELAY, N_PARAMS };

static const weir_generator_param params[N_PARAMS] = {
    [HOSTS] = {"hosts", WEIR_COUNT, "4", 1, WI_COUNT_MAX - 1, 0, "hosts around the hub"},
    [RATE] = WI_PARAM_ACCESS_RATE,
    [DELAY] = WI_PARAM_ACCESS_DELAY,
};

static weir_status make(weir_diag *diag, const uint64_t *value, uint64_t seed, weir_graph_builder *builder)
{
    const uint32_t hosts = (uint32_t)value[HOSTS];
    const weir_status st = wi_check_size(diag, "star", 1 + (double)hosts);
    (void)seed;
    if (st != WEIR_OK)
        return st;
    wi_add_hosts(builder, hosts);
    wi_add_named(builder, WEIR_ROUTER, "hub");
    for (uint32_t h = 0; h < hosts; h++)
        wi_connect(builder, h, hosts, value[RATE], value[DELAY]);
    return WEIR_OK;
}

static double ends(const uint64_t *value)
{
    return (double)value[HOSTS];
}

const weir_generator wi_generator_star = {"star", "hosts around one router",       params, N_PARAMS,
                                          make,   "hosts h0, h1, ...; router hub", ends};

/*
 * Dumbbell: hosts on either side of one bottleneck.
 *
 * Hosts l0.. are nodes 0.., hosts r0.. follow, then the routers left and right. Ports of a router: its hosts
 * in order, then the bottleneck.
 */
#include "topology/generator.h"

enum { LEFT, RIGHT, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };

static const weir_generator_param params[N_PARAMS] = {
    [LEFT] = {"left", WEIR_COUNT, "1", 1, WI_COUNT_MAX, 0, "hosts on the left"},
    [RIGHT] = {"right", WEIR_COUNT, "0", 0, WI_COUNT_MAX, 0, "hosts on the right; 0: as many as on the left"},
    [RATE] = {"bottleneck_rate", WEIR_RATE, "10Mbps", 0, 0, 0, "rate of the link between the routers"},
    [DELAY] = {"bottleneck_delay", WEIR_TIME, "20ms", 0, 0, 0, "its delay"},
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "10 x bottleneck_rate, at least 100Mbps", 0, 0, 0,
                     "rate of the hosts' links"},
    [ACCESS_DELAY] = {WI_PARAM_ACCESS_DELAY},
};

static uint32_t right_hosts(const wi_making *m)
{
    return (uint32_t)(m->value[RIGHT] ? m->value[RIGHT] : m->value[LEFT]);
}

static double ends(const wi_making *m)
{
    return (double)m->value[LEFT] + right_hosts(m);
}

static weir_status make(const wi_making *m)
{
    const uint32_t left = (uint32_t)m->value[LEFT], right = right_hosts(m);
    WI_RETURN_IF_FAILED(wi_check_size(m, ends(m) + 2));
    for (uint32_t i = 0; i < left; i++)
        wi_add_named(m, WEIR_HOST, "l%u", i);
    for (uint32_t i = 0; i < right; i++)
        wi_add_named(m, WEIR_HOST, "r%u", i);
    const uint32_t left_router = wi_add_named(m, WEIR_ROUTER, "left");
    const uint32_t right_router = wi_add_named(m, WEIR_ROUTER, "right");
    for (uint32_t i = 0; i < left + right; i++)
        wi_connect(m, i, i < left ? left_router : right_router, ACCESS_RATE);
    wi_connect(m, left_router, right_router, RATE);
    return WEIR_OK;
}

const wi_generator wi_generator_dumbbell = {{"dumbbell", "hosts on either side of one bottleneck", params,
                                             N_PARAMS,
                                             "hosts l0, l1, ... and r0, r1, ...; routers left and right"},
                                            make,
                                            ends};

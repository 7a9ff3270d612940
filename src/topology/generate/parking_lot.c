/*
 * Parking lot: a chain of routers whose every link is a bottleneck that a long path shares with a short one.
 *
 * Routers r0 .. rK for K hops. Host long_src at r0 and long_dst at rK; for hop i from 1 to K host srci at
 * r(i-1) and dsti at ri. Hosts come first: long_src, long_dst, src1, dst1, src2, ... Ports of a router: its
 * hosts in that order, then the link to the router before it, then the one after it.
 */
#include "topology/generator.h"

enum { HOPS, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };

static const weir_generator_param params[N_PARAMS] = {
    [HOPS] = {"hops", WEIR_COUNT, "3", 1, WI_COUNT_MAX / 4, 0,
              "links between routers, each with a short path of its own"},
    [RATE] = {WI_PARAM_RATE},
    [DELAY] = {WI_PARAM_DELAY},
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "10 x rate, at least 10Gbps", 0, 0, 0,
                     "rate of the hosts' links"},
    [ACCESS_DELAY] = {WI_PARAM_ACCESS_DELAY},
};

static weir_status make(const wi_making *m)
{
    const uint32_t hops = (uint32_t)m->value[HOPS], hosts = 2 + 2 * hops;
    WI_RETURN_IF_FAILED(wi_check_size(m, 3.0 * hops + 3));
    wi_add_named(m, WEIR_HOST, "long_src");
    wi_add_named(m, WEIR_HOST, "long_dst");
    for (uint32_t i = 1; i <= hops; i++) {
        wi_add_named(m, WEIR_HOST, "src%u", i);
        wi_add_named(m, WEIR_HOST, "dst%u", i);
    }
    for (uint32_t i = 0; i <= hops; i++)
        wi_add_named(m, WEIR_ROUTER, "r%u", i);
    wi_connect(m, 0, hosts, ACCESS_RATE);
    wi_connect(m, 1, hosts + hops, ACCESS_RATE);
    for (uint32_t i = 1; i <= hops; i++) {
        wi_connect(m, 2 * i, hosts + i - 1, ACCESS_RATE);
        wi_connect(m, 2 * i + 1, hosts + i, ACCESS_RATE);
    }
    for (uint32_t i = 0; i < hops; i++)
        wi_connect(m, hosts + i, hosts + i + 1, RATE);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    return 2 + 2 * (double)m->value[HOPS];
}

const wi_generator wi_generator_parking_lot = {
    {"parking-lot", "a chain of bottlenecks, a long path and short ones", params, N_PARAMS,
     "hosts long_src, long_dst, src1, dst1, src2, ...; routers r0, r1, ..."},
    make,
    ends};

/*
 * k-ary fat-tree: Al-Fares, Loukissas, Vahdat, A Scalable, Commodity Data Center Network Architecture,
 * SIGCOMM 2008.
 *
 * k pods of k/2 edge and k/2 aggregation switches; (k/2)^2 core switches; k/2 hosts an edge switch, k^3/4 in
 * all. Core switch j k/2 + i is joined to aggregation switch j of every pod.
 *
 * Node numbers: hosts h0.. pod by pod, then edge switches ePOD_I, aggregation switches aPOD_I, core switches
 * cI, so that routes can be computed. Ports: edge 0 .. k/2 - 1 to its hosts, then to aggregation switches 0
 * .. k/2 - 1; aggregation 0 .. k/2 - 1 to edge switches, then to its core switches in order; core p to pod p.
 */
#include "topology/generator.h"

enum { K, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };
enum { K_MAX = 400 }; /* 16,200,000 nodes */

static const weir_generator_param params[N_PARAMS] = {
    [K] = {"k", WEIR_COUNT, "4", 2, K_MAX, 2, "ports of a switch; k^3/4 hosts"},
    [RATE] = {"rate", WEIR_RATE, "10Gbps", 0, 0, 0, "rate of the links between switches"},
    [DELAY] = {"delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the links between switches"},
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "1 x rate, at least 10Gbps", 0, 0, 0,
                     "rate of the hosts' links"},
    [ACCESS_DELAY] = {"access_delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the hosts' links"},
};

static void add_switches(const wi_making *m, uint32_t k, char tier)
{
    for (uint32_t pod = 0; pod < k; pod++)
        for (uint32_t i = 0; i < k / 2; i++)
            wi_add_named(m, WEIR_ROUTER, "%c%u_%u", tier, pod, i);
}

static weir_status make(const wi_making *m)
{
    const uint32_t k = (uint32_t)m->value[K], half = k / 2, hosts = k * half * half;
    const uint32_t edge = hosts, aggregation = edge + k * half, core = aggregation + k * half;
    wi_add_hosts(m, hosts);
    add_switches(m, k, 'e');
    add_switches(m, k, 'a');
    for (uint32_t i = 0; i < half * half; i++)
        wi_add_named(m, WEIR_ROUTER, "c%u", i);
    wi_connect_hosts(m, hosts, half, ACCESS_RATE);
    for (uint32_t e = 0; e < k * half; e++)
        for (uint32_t a = 0; a < half; a++)
            wi_connect(m, edge + e, aggregation + e / half * half + a, RATE);
    for (uint32_t a = 0; a < k * half; a++)
        for (uint32_t i = 0; i < half; i++)
            wi_connect(m, aggregation + a, core + a % half * half + i, RATE);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    const double k = (double)m->value[K];
    return k * k * k / 4;
}

const wi_generator wi_generator_fat_tree = {
    {"fat-tree", "k-ary fat-tree of a data centre", params, N_PARAMS,
     "hosts h0, h1, ...; switches e0_0, ... (edge: pod, number), a0_0, ... (aggregation), c0, ... (core)"},
    make,
    ends};

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
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "10Gbps", 0, 0, 0, "rate of the hosts' links"},
    [ACCESS_DELAY] = {"access_delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the hosts' links"},
};

static void add_switches(uint32_t k, char tier, weir_graph_builder *builder)
{
    for (uint32_t pod = 0; pod < k; pod++)
        for (uint32_t i = 0; i < k / 2; i++)
            wi_add_named(builder, WEIR_ROUTER, "%c%u_%u", tier, pod, i);
}

static weir_status make(weir_diag *diag, const uint64_t *value, uint64_t seed, weir_graph_builder *builder)
{
    const uint32_t k = (uint32_t)value[K], half = k / 2;
    const uint32_t hosts = k * half * half;
    const uint32_t edge = hosts, aggregation = edge + k * half, core = aggregation + k * half;
    (void)diag, (void)seed;
    wi_add_hosts(builder, hosts);
    add_switches(k, 'e', builder);
    add_switches(k, 'a', builder);
    for (uint32_t i = 0; i < half * half; i++)
        wi_add_named(builder, WEIR_ROUTER, "c%u", i);

    for (uint32_t h = 0; h < hosts; h++)
        wi_connect(builder, h, edge + h / half, value[ACCESS_RATE], value[ACCESS_DELAY]);
    for (uint32_t e = 0; e < k * half; e++)
        for (uint32_t a = 0; a < half; a++)
            wi_connect(builder, edge + e, aggregation + e / half * half + a, value[RATE], value[DELAY]);
    for (uint32_t a = 0; a < k * half; a++)
        for (uint32_t i = 0; i < half; i++)
            wi_connect(builder, aggregation + a, core + a % half * half + i, value[RATE], value[DELAY]);
    return WEIR_OK;
}

static double ends(const uint64_t *value)
{
    const double k = (double)value[K];
    return k * k * k / 4;
}

const weir_generator wi_generator_fat_tree = {
    "fat-tree",
    "k-ary fat-tree of a data centre",
    params,
    N_PARAMS,
    make,
    "hosts h0, h1, ...; switches e0_0, ... (edge: pod, number), a0_0, ... (aggregation), c0, ... (core)",
    ends};

/*
 * Leaf-spine, and rail-optimised: two tiers of switches, every leaf joined to every spine.
 *
 * A leaf-spine is a folded Clos of two tiers, `hosts` hosts a leaf. Its oversubscription is the rate of a
 * leaf's hosts over that of its links to the spines; given, it sets the rate of these.
 *
 * In a rail-optimised network (NVIDIA, DGX SuperPOD Reference Architecture; W. Wang et al., Rail-only: A
 * Low-Cost High-Performance Network for Training LLMs with Trillion Parameters, HotI 2024, section II) a
 * server has as many network interfaces as accelerators, and interface g of every server of a group is joined
 * to the leaf of rail g, so that what stays within a rail passes one switch. A host here is one interface;
 * the server's own network between its accelerators is left out.
 *
 * Node numbers: hosts, leaves, spines. Ports: a leaf's to its hosts in their order, then to the spines in
 * order, `uplinks` each; spine ports leaf by leaf.
 */
#include <string.h>

#include "topology/generator.h"
#include "weir/bits.h"

enum { LEAVES, SPINES, HOSTS, UPLINKS, OVERSUBSCRIPTION, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };
enum { GROUPS = LEAVES, SERVERS = HOSTS, RAILS = N_PARAMS, N_RAIL_PARAMS };
enum { MOST = 65536 };
#define RATE_TEXT "100Gbps"

#define FABRIC                                                                                             \
    [SPINES] = {"spines", WEIR_COUNT, "2", 1, MOST, 0, "spine switches"},                                  \
    [UPLINKS] = {"uplinks", WEIR_COUNT, "1", 1, 64, 0, "parallel links from a leaf to each spine"},        \
    [OVERSUBSCRIPTION] =                                                                                   \
        {"oversubscription",                                                                               \
         WEIR_REAL,                                                                                        \
         "0",                                                                                              \
         0,                                                                                                \
         0,                                                                                                \
         0,                                                                                                \
         "rate of a leaf's hosts over that of its links to spines, in place of `rate`; 0: as `rate` says", \
         .low = 0.0,                                                                                       \
         .high = 1000.0},                                                                                  \
    [RATE] = {"rate", WEIR_RATE, RATE_TEXT, 0, 0, 0, "rate of the links between switches"},                \
    [DELAY] = {"delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the links between switches"},                 \
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "25Gbps", 0, 0, 0, "rate of the hosts' links"},             \
    [ACCESS_DELAY] = {"access_delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the hosts' links"}

static const weir_generator_param params[N_PARAMS] = {
    [LEAVES] = {"leaves", WEIR_COUNT, "4", 1, MOST, 0, "leaf switches"},
    [HOSTS] = {"hosts", WEIR_COUNT, "8", 1, MOST, 0, "hosts of each leaf"},
    FABRIC,
};

static const weir_generator_param rail_params[N_RAIL_PARAMS] = {
    [GROUPS] = {"groups", WEIR_COUNT, "2", 1, MOST, 0, "groups of servers, each with a leaf a rail"},
    [SERVERS] = {"servers", WEIR_COUNT, "4", 1, MOST, 0, "servers of each group"},
    [RAILS] = {"rails", WEIR_COUNT, "8", 1, 64, 0, "interfaces of a server, each on a rail of its own"},
    FABRIC,
};

/* The values with the rate of the links between switches that oversubscription sets. */
static weir_status set_rate(const wi_making *m, uint64_t *value)
{
    const double over = weir_double_of_bits(m->value[OVERSUBSCRIPTION]);
    memcpy(value, m->value, m->generator->n_params * sizeof *value);
    if (over == 0.0)
        return WEIR_OK;
    if (value[RATE] != UINT64_C(100000000000))
        return weir_fail(m->diag, WEIR_E_SCENARIO,
                         "oversubscription sets the rate of the links between switches; leave out rate");
    const double rate = (double)value[HOSTS] * (double)value[ACCESS_RATE] /
                        ((double)value[SPINES] * (double)value[UPLINKS] * over);
    if (!(rate >= 1.0 && rate < 1e18))
        return weir_fail(m->diag, WEIR_E_SCENARIO, "oversubscription %g makes links of %g bit/s", over, rate);
    value[RATE] = (uint64_t)(rate + 0.5);
    return WEIR_OK;
}

static void add_leaf_spine(const wi_making *m)
{
    const uint32_t leaves = (uint32_t)m->value[LEAVES], hosts = leaves * (uint32_t)m->value[HOSTS];
    wi_add_hosts(m, hosts);
    for (uint32_t l = 0; l < leaves; l++)
        wi_add_named(m, WEIR_ROUTER, "leaf%u", l);
    wi_connect_hosts(m, hosts, (uint32_t)m->value[HOSTS], ACCESS_RATE);
}

static void add_rails(const wi_making *m)
{
    const uint32_t rails = (uint32_t)m->value[RAILS], each = (uint32_t)m->value[SERVERS];
    const uint32_t servers = (uint32_t)m->value[GROUPS] * each, leaves = (uint32_t)m->value[GROUPS] * rails;
    for (uint32_t n = 0; n < servers; n++)
        for (uint32_t g = 0; g < rails; g++)
            wi_add_named(m, WEIR_HOST, "n%ug%u", n, g);
    for (uint32_t l = 0; l < leaves; l++)
        wi_add_named(m, WEIR_ROUTER, "leaf%u_%u", l / rails, l % rails);
    for (uint32_t n = 0; n < servers; n++)
        for (uint32_t g = 0; g < rails; g++)
            wi_connect(m, n * rails + g, servers * rails + n / each * rails + g, ACCESS_RATE);
}

/* Hosts and leaves, then spines. */
static weir_status make(const wi_making *m)
{
    const bool by_rail = m->generator == &wi_generator_rail.about;
    const double leaves = (double)m->value[LEAVES] * (by_rail ? (double)m->value[RAILS] : 1.0);
    uint64_t value[N_RAIL_PARAMS];
    wi_making with = *m;
    WI_RETURN_IF_FAILED(wi_check_size(m, leaves * (1.0 + (double)m->value[HOSTS]) + (double)m->value[SPINES])
                            ?: set_rate(m, value));
    with.value = value;
    (by_rail ? add_rails : add_leaf_spine)(&with);
    const uint32_t n = (uint32_t)leaves, leaf = n * (uint32_t)value[HOSTS];
    for (uint32_t s = 0; s < value[SPINES]; s++)
        wi_add_named(m, WEIR_ROUTER, "spine%u", s);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t s = 0; s < value[SPINES]; s++)
            for (uint32_t k = 0; k < value[UPLINKS]; k++)
                wi_connect(&with, leaf + l, leaf + n + s, RATE);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    const bool by_rail = m->generator == &wi_generator_rail.about;
    return (double)m->value[LEAVES] * (double)m->value[HOSTS] * (by_rail ? (double)m->value[RAILS] : 1.0);
}

const wi_generator wi_generator_leaf_spine = {
    {"leaf-spine", "two tiers of a data centre, with oversubscription", params, N_PARAMS,
     "hosts h0, h1, ...; switches leaf0, leaf1, ..., spine0, spine1, ..."},
    make,
    ends};
const wi_generator wi_generator_rail = {
    {"rail", "rail-optimised network of servers with several accelerators", rail_params, N_RAIL_PARAMS,
     "hosts n0g0, n0g1, ... (server, rail); switches leaf0_0, ... (group, rail), spine0, spine1, ..."},
    make,
    ends};

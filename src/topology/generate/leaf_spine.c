/*
 * Leaf-spine, and rail-optimised: two tiers of switches, every leaf joined to every spine.
 *
 * A leaf-spine is a folded Clos of two tiers, `hosts` hosts a leaf. Its oversubscription is the rate of a leaf's hosts
 * over that of its links to the spines; given, it sets the rate of these.
 *
 * In a rail-optimised network (NVIDIA, DGX SuperPOD Reference Architecture; W. Wang et al., Rail-only: A Low-Cost
 * High-Performance Network for Training LLMs with Trillion Parameters, HotI 2024, section II) a server has as many
 * network interfaces as accelerators, and interface g of every server of a group is joined to the leaf of rail g, so that
 * what stays within a rail passes one switch. A host here is one interface; the server's own network between its
 * accelerators is left out.
 *
 * Node numbers: hosts, leaves, spines. Ports: a leaf's to its hosts in their order, then to the spines in order,
 * `uplinks` each; spine ports leaf by leaf.
 */
#include "topology/generator.h"
#include "weir/bits.h"

enum { LEAVES, SPINES, HOSTS, UPLINKS, OVERSUBSCRIPTION, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };
enum { GROUPS = LEAVES, SERVERS = HOSTS, RAILS = N_PARAMS, N_RAIL_PARAMS };
enum { MOST = 65536 };
#define RATE_TEXT "100Gbps"

#define FABRIC                                                                                            \
    [SPINES] = {"spines", WEIR_COUNT, "2", 1, MOST, 0, "spine switches"},                                 \
    [UPLINKS] = {"uplinks", WEIR_COUNT, "1", 1, 64, 0, "parallel links from a leaf to each spine"},       \
    [OVERSUBSCRIPTION] = {"oversubscription",                                                             \
                          WEIR_REAL,                                                                      \
                          "0",                                                                            \
                          0,                                                                              \
                          0,                                                                              \
                          0,                                                                              \
                          "rate of a leaf's hosts over that of its links to spines, in place of `rate`; " \
                          "0: as `rate` says",                                                            \
                          .low = 0.0,                                                                     \
                          .high = 1000.0},                                                                \
    [RATE] = {"rate", WEIR_RATE, RATE_TEXT, 0, 0, 0, "rate of the links between switches"},               \
    [DELAY] = {"delay", WEIR_TIME, "1us", 0, 0, 0, "delay of the links between switches"},                \
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "25Gbps", 0, 0, 0, "rate of the hosts' links"},            \
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

/* Rate of a link between switches. */
static weir_status fabric_rate(weir_diag *diag, const uint64_t *value, uint64_t *rate_bps)
{
    const double over = weir_double_of_bits(value[OVERSUBSCRIPTION]);
    *rate_bps = value[RATE];
    if (over == 0.0)
        return WEIR_OK;
    if (value[RATE] != UINT64_C(100000000000))
        return weir_fail(diag, WEIR_E_SCENARIO,
                         "oversubscription sets the rate of the links between switches; leave out rate");
    const double rate = (double)value[HOSTS] * (double)value[ACCESS_RATE] /
                        ((double)value[SPINES] * (double)value[UPLINKS] * over);
    if (!(rate >= 1.0 && rate < 1e18))
        return weir_fail(diag, WEIR_E_SCENARIO, "oversubscription %g makes links of %g bit/s", over, rate);
    *rate_bps = (uint64_t)(rate + 0.5);
    return WEIR_OK;
}

/* Leaves from node `leaf` on, spines behind them. */
static void join_tiers(const uint64_t *value, uint64_t rate_bps, uint32_t leaf, uint32_t n_leaves,
                       weir_graph_builder *builder)
{
    for (uint32_t s = 0; s < value[SPINES]; s++)
        wi_add_named(builder, WEIR_ROUTER, "spine%u", s);
    for (uint32_t l = 0; l < n_leaves; l++)
        for (uint32_t s = 0; s < value[SPINES]; s++)
            for (uint32_t k = 0; k < value[UPLINKS]; k++)
                wi_connect(builder, leaf + l, leaf + n_leaves + s, rate_bps, value[DELAY]);
}

static weir_status make(weir_diag *diag, const uint64_t *value, uint64_t seed, weir_graph_builder *builder)
{
    const uint32_t leaves = (uint32_t)value[LEAVES], each = (uint32_t)value[HOSTS];
    uint64_t rate_bps;
    weir_status st = wi_check_size(diag, "leaf-spine", (double)leaves * (1.0 + each) + (double)value[SPINES]);
    (void)seed;
    if (st == WEIR_OK)
        st = fabric_rate(diag, value, &rate_bps);
    if (st != WEIR_OK)
        return st;
    wi_add_hosts(builder, (uint64_t)leaves * each);
    for (uint32_t l = 0; l < leaves; l++)
        wi_add_named(builder, WEIR_ROUTER, "leaf%u", l);
    for (uint32_t h = 0; h < leaves * each; h++)
        wi_connect(builder, h, leaves * each + h / each, value[ACCESS_RATE], value[ACCESS_DELAY]);
    join_tiers(value, rate_bps, leaves * each, leaves, builder);
    return WEIR_OK;
}

static weir_status make_rails(weir_diag *diag, const uint64_t *value, uint64_t seed,
                              weir_graph_builder *builder)
{
    const uint32_t rails = (uint32_t)value[RAILS], each = (uint32_t)value[SERVERS];
    const double nodes = (double)value[GROUPS] * rails * (1.0 + each) + (double)value[SPINES];
    uint64_t rate_bps;
    weir_status st = wi_check_size(diag, "rail", nodes);
    (void)seed;
    if (st == WEIR_OK)
        st = fabric_rate(diag, value, &rate_bps);
    if (st != WEIR_OK)
        return st;
    const uint32_t servers = (uint32_t)value[GROUPS] * each, leaves = (uint32_t)value[GROUPS] * rails;
    for (uint32_t n = 0; n < servers; n++)
        for (uint32_t g = 0; g < rails; g++)
            wi_add_named(builder, WEIR_HOST, "n%ug%u", n, g);
    for (uint32_t l = 0; l < leaves; l++)
        wi_add_named(builder, WEIR_ROUTER, "leaf%u_%u", l / rails, l % rails);
    for (uint32_t n = 0; n < servers; n++)
        for (uint32_t g = 0; g < rails; g++)
            wi_connect(builder, n * rails + g, servers * rails + n / each * rails + g, value[ACCESS_RATE],
                       value[ACCESS_DELAY]);
    join_tiers(value, rate_bps, servers * rails, leaves, builder);
    return WEIR_OK;
}

static double ends(const uint64_t *value)
{
    return (double)value[LEAVES] * (double)value[HOSTS];
}

const weir_generator wi_generator_leaf_spine = {
    "leaf-spine", "two tiers of a data centre, with oversubscription",
    params,       N_PARAMS,
    make,         "hosts h0, h1, ...; switches leaf0, leaf1, ..., spine0, spine1, ...",
    ends};
static double ends_of_rails(const uint64_t *value)
{
    return (double)value[GROUPS] * (double)value[SERVERS] * (double)value[RAILS];
}

const weir_generator wi_generator_rail = {
    "rail",
    "rail-optimised network of servers with several accelerators",
    rail_params,
    N_RAIL_PARAMS,
    make_rails,
    "hosts n0g0, n0g1, ... (server, rail); switches leaf0_0, ... (group, rail), spine0, spine1, ...",
    ends_of_rails};

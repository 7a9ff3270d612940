/*
 * Dragonfly (Kim, Dally, Scott, Abts 2008): groups of a routers, all joined with each other; p hosts and h
 * global links a router; at most a h + 1 groups.
 *
 * The global channels of a group are numbered c = 0 .. a h - 1; channel c belongs to router c / h. With g
 * groups, channel c = k (g - 1) + o - 1 (offset o from 1 to g - 1, k = 0, 1, ... while all offsets have one)
 * leads from group i to group i + o modulo g, where it is channel k (g - 1) + (g - o) - 1. So each pair of
 * groups has the same number of links, the whole part of a h / (g - 1).
 *
 * Names: routers gG_rR; hosts h0, h1, ... come first, p a router in the order of routers. Ports of a router:
 * hosts, the group's other routers in order, global links.
 */
#include "topology/generator.h"

enum { A, P, H, GROUPS, RATE, DELAY, GLOBAL_RATE, GLOBAL_DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };

static const weir_generator_param params[N_PARAMS] = {
    [A] = {"a", WEIR_COUNT, "4", 1, 4096, 0, "routers in a group"},
    [P] = {"p", WEIR_COUNT, "2", 0, 4096, 0, "hosts of each router"},
    [H] = {"h", WEIR_COUNT, "2", 1, 4096, 0, "global links of each router"},
    [GROUPS] = {"groups", WEIR_COUNT, "0", 0, WI_COUNT_MAX, 0, "groups; 0: as many as there can be, a h + 1"},
    [RATE] = {"rate", WEIR_RATE, "100Gbps", 0, 0, 0, "rate of links within a group"},
    [DELAY] = {"delay", WEIR_TIME, "10ns", 0, 0, 0, "their delay"},
    [GLOBAL_RATE] = {"global_rate", WEIR_RATE, "100Gbps", 0, 0, 0, "rate of links between groups"},
    [GLOBAL_DELAY] = {"global_delay", WEIR_TIME, "100ns", 0, 0, 0, "their delay"},
    [ACCESS_RATE] = {"access_rate", WEIR_RATE, "100Gbps", 0, 0, 0, "rate of the hosts' links"},
    [ACCESS_DELAY] = {"access_delay", WEIR_TIME, "10ns", 0, 0, 0, "their delay"},
};

static uint64_t groups_of(const wi_making *m)
{
    return m->value[GROUPS] ? m->value[GROUPS] : m->value[A] * m->value[H] + 1;
}

static void join_group(const wi_making *m, uint32_t first)
{
    for (uint32_t r = 0; r < m->value[A]; r++)
        for (uint32_t s = r + 1; s < m->value[A]; s++)
            wi_connect(m, first + r, first + s, RATE);
}

static void join_groups(const wi_making *m, uint32_t hosts)
{
    const uint64_t a = m->value[A], h = m->value[H], groups = groups_of(m),
                   each = groups > 1 ? a * h / (groups - 1) : 0;
    for (uint64_t k = 0; k < each; k++)
        for (uint64_t i = 0; i < groups; i++)
            for (uint64_t o = 1; o < groups - i; o++) {
                const uint64_t there = k * (groups - 1) + o - 1, back = k * (groups - 1) + groups - o - 1;
                wi_connect(m, (uint32_t)(hosts + i * a + there / h),
                           (uint32_t)(hosts + (i + o) * a + back / h), GLOBAL_RATE);
            }
}

static weir_status make(const wi_making *m)
{
    const uint64_t a = m->value[A], p = m->value[P], most = a * m->value[H] + 1, groups = groups_of(m);
    if (groups > most)
        return weir_fail(
            m->diag, WEIR_E_SCENARIO,
            "groups is %llu; %llu routers of %llu global links each reach at most %llu groups (a h + 1)",
            (unsigned long long)groups, (unsigned long long)a, (unsigned long long)m->value[H],
            (unsigned long long)most);
    WI_RETURN_IF_FAILED(wi_check_size(m, (double)groups * (double)a * (1.0 + (double)p)));
    const uint32_t routers = (uint32_t)(groups * a), hosts = (uint32_t)(routers * p);
    wi_add_hosts(m, hosts);
    for (uint32_t r = 0; r < routers; r++)
        wi_add_named(m, WEIR_ROUTER, "g%u_r%u", (uint32_t)(r / a), (uint32_t)(r % a));
    wi_connect_hosts(m, hosts, (uint32_t)p, ACCESS_RATE);
    for (uint64_t g = 0; g < groups; g++)
        join_group(m, hosts + (uint32_t)(g * a));
    join_groups(m, hosts);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    return (double)groups_of(m) * (double)m->value[A] * (double)(m->value[P] ? m->value[P] : 1);
}

const wi_generator wi_generator_dragonfly = {
    {"dragonfly", "groups of routers, each joined with every other group", params, N_PARAMS,
     "hosts h0, h1, ...; routers g0_r0, g0_r1, ...: group, router"},
    make,
    ends};

/*
 * Line and ring: routers r0, r1, ... in a row, each with the same number of hosts.
 *
 * Hosts come first: those of router i are h(i n), h(i n + 1), ... for n hosts a router. Ports of a router:
 * its hosts in order, then its neighbours (the lower first; at r0 of a ring the upper first). With `one_way`
 * the links of a ring lead from each router to the next alone.
 */
#include "topology/generator.h"

enum {
    ROUTERS,
    HOSTS,
    RATE,
    DELAY,
    ACCESS_RATE,
    ACCESS_DELAY,
    N_LINE_PARAMS,
    ONE_WAY = N_LINE_PARAMS,
    N_PARAMS
};

#define LINE_PARAMS(least, preset)                                                                \
    [ROUTERS] = {"routers", WEIR_COUNT, preset, least, WI_COUNT_MAX, 0, "routers in a row"},      \
    [HOSTS] = {"hosts", WEIR_COUNT, "1", 0, WI_COUNT_MAX, 0, "hosts of each router"},             \
    [RATE] = {WI_PARAM_RATE}, [DELAY] = {WI_PARAM_DELAY}, [ACCESS_RATE] = {WI_PARAM_ACCESS_RATE}, \
    [ACCESS_DELAY] = {WI_PARAM_ACCESS_DELAY}

static const weir_generator_param line_params[N_LINE_PARAMS] = {LINE_PARAMS(1, "2")};
static const weir_generator_param ring_params[N_PARAMS] = {
    LINE_PARAMS(3, "3"),
    [ONE_WAY] = {"one_way", WEIR_WORD, "no", 0, 0, 0,
                 "links of the ring lead from each router to the next only", NULL, 0, 0, "no yes"},
};

static weir_status make(const wi_making *m)
{
    const bool closed = m->generator == &wi_generator_ring.about;
    WI_RETURN_IF_FAILED(wi_check_size(m, (double)m->value[ROUTERS] * (1 + (double)m->value[HOSTS])));
    const uint32_t routers = (uint32_t)m->value[ROUTERS], each = (uint32_t)m->value[HOSTS];
    const uint32_t hosts = routers * each;
    wi_add_hosts(m, hosts);
    for (uint32_t i = 0; i < routers; i++)
        wi_add_named(m, WEIR_ROUTER, "r%u", i);
    wi_connect_hosts(m, hosts, each, ACCESS_RATE);
    for (uint32_t i = 0; i + !closed < routers; i++) {
        weir_link link = weir_link_init(hosts + i, hosts + (i + 1) % routers);
        link.rate_bps = m->value[RATE];
        link.delay_ps = (weir_time)m->value[DELAY];
        link.one_way = closed && m->value[ONE_WAY] == 2;
        weir_graph_add_link(m->builder, link);
    }
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    return (double)m->value[ROUTERS] * (double)(m->value[HOSTS] ? m->value[HOSTS] : 1);
}

#define NAMES "hosts h0, h1, ...; routers r0, r1, ..."
const wi_generator wi_generator_line = {
    {"line", "routers in a row, with hosts", line_params, N_LINE_PARAMS, NAMES}, make, ends};
const wi_generator wi_generator_ring = {
    {"ring", "routers in a ring, with hosts", ring_params, N_PARAMS, NAMES}, make, ends};

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

#define LINE_PARAMS(least, preset)                                                           \
    [ROUTERS] = {"routers", WEIR_COUNT, preset, least, WI_COUNT_MAX, 0, "routers in a row"}, \
    [HOSTS] = {"hosts", WEIR_COUNT, "1", 0, WI_COUNT_MAX, 0, "hosts of each router"},        \
    [RATE] = WI_PARAM_RATE, [DELAY] = WI_PARAM_DELAY, [ACCESS_RATE] = WI_PARAM_ACCESS_RATE,  \
    [ACCESS_DELAY] = WI_PARAM_ACCESS_DELAY

static const weir_generator_param line_params[N_LINE_PARAMS] = {LINE_PARAMS(1, "2")};
static const weir_generator_param ring_params[N_PARAMS] = {
    LINE_PARAMS(3, "3"),
    [ONE_WAY] = {"one_way", WEIR_WORD, "no", 0, 0, 0,
                 "links of the ring lead from each router to the next only", NULL, 0, 0, "no yes"},
};

static weir_status make(weir_diag *diag, const char *model, bool closed, const uint64_t *value,
                        weir_graph_builder *builder)
{
    const weir_status st = wi_check_size(diag, model, (double)value[ROUTERS] * (1 + (double)value[HOSTS]));
    if (st != WEIR_OK)
        return st;
    const uint32_t routers = (uint32_t)value[ROUTERS], per_router = (uint32_t)value[HOSTS];
    const uint32_t hosts = routers * per_router;
    wi_add_hosts(builder, hosts);
    for (uint32_t i = 0; i < routers; i++)
        wi_add_named(builder, WEIR_ROUTER, "r%u", i);
    for (uint32_t h = 0; h < hosts; h++)
        wi_connect(builder, h, hosts + h / per_router, value[ACCESS_RATE], value[ACCESS_DELAY]);
    const bool one_way = closed && value[ONE_WAY] == 2;
    for (uint32_t i = 0; i + !closed < routers; i++)
        (one_way ? wi_connect_one_way : wi_connect)(builder, hosts + i, hosts + (i + 1) % routers,
                                                    value[RATE], value[DELAY]);
    return WEIR_OK;
}

static weir_status make_line(weir_diag *diag, const uint64_t *value, uint64_t seed,
                             weir_graph_builder *builder)
{
    (void)seed;
    return make(diag, "line", false, value, builder);
}

static weir_status make_ring(weir_diag *diag, const uint64_t *value, uint64_t seed,
                             weir_graph_builder *builder)
{
    (void)seed;
    return make(diag, "ring", true, value, builder);
}

static double ends(const uint64_t *value)
{
    return (double)value[ROUTERS] * (double)(value[HOSTS] ? value[HOSTS] : 1);
}

const weir_generator wi_generator_line = {
    "line",    "routers in a row, with hosts",           line_params, N_LINE_PARAMS,
    make_line, "hosts h0, h1, ...; routers r0, r1, ...", ends};
const weir_generator wi_generator_ring = {
    "ring",    "routers in a ring, with hosts",          ring_params, N_PARAMS,
    make_ring, "hosts h0, h1, ...; routers r0, r1, ...", ends};

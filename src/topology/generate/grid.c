/*
 * Grid and torus: routers rX_Y at width x height crossings, each with the same number of hosts.
 *
 * Hosts come first, then routers row by row; those of router (x, y) are h(i n), ... for n hosts a router and
 * i = y width + x. Ports of a router: its hosts in order, then west, north, east, south as far as they exist;
 * in a torus the links that close rows and columns come last.
 */
#include "topology/generator.h"

enum { WIDTH, HEIGHT, HOSTS, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };

#define GRID_PARAMS(least)                                                                      \
    {                                                                                           \
        [WIDTH] = {"width", WEIR_COUNT, "4", least, WI_COUNT_MAX, 0, "routers in a row"},       \
        [HEIGHT] = {"height", WEIR_COUNT, "4", least, WI_COUNT_MAX, 0, "rows"},                 \
        [HOSTS] = {"hosts", WEIR_COUNT, "0", 0, WI_COUNT_MAX, 0, "hosts of each router"},       \
        [RATE] = WI_PARAM_RATE, [DELAY] = WI_PARAM_DELAY, [ACCESS_RATE] = WI_PARAM_ACCESS_RATE, \
        [ACCESS_DELAY] = WI_PARAM_ACCESS_DELAY                                                  \
    }

static const weir_generator_param grid_params[N_PARAMS] = GRID_PARAMS(1);
static const weir_generator_param torus_params[N_PARAMS] = GRID_PARAMS(3);

static void connect_rows(const uint64_t *value, uint32_t first, bool closed, weir_graph_builder *builder)
{
    const uint32_t width = (uint32_t)value[WIDTH], height = (uint32_t)value[HEIGHT];
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t here = first + y * width + x;
            if (x + 1 < width)
                wi_connect(builder, here, here + 1, value[RATE], value[DELAY]);
            if (y + 1 < height)
                wi_connect(builder, here, here + width, value[RATE], value[DELAY]);
        }
    for (uint32_t y = 0; y < height && closed; y++)
        wi_connect(builder, first + y * width + width - 1, first + y * width, value[RATE], value[DELAY]);
    for (uint32_t x = 0; x < width && closed; x++)
        wi_connect(builder, first + (height - 1) * width + x, first + x, value[RATE], value[DELAY]);
}

static weir_status make(weir_diag *diag, const char *model, bool closed, const uint64_t *value,
                        weir_graph_builder *builder)
{
    const double crossings = (double)value[WIDTH] * (double)value[HEIGHT];
    const weir_status st = wi_check_size(diag, model, crossings * (1 + (double)value[HOSTS]));
    if (st != WEIR_OK)
        return st;
    const uint32_t width = (uint32_t)value[WIDTH], height = (uint32_t)value[HEIGHT];
    const uint32_t per_router = (uint32_t)value[HOSTS], hosts = width * height * per_router;
    wi_add_hosts(builder, hosts);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            wi_add_named(builder, WEIR_ROUTER, "r%u_%u", x, y);
    for (uint32_t h = 0; h < hosts; h++)
        wi_connect(builder, h, hosts + h / per_router, value[ACCESS_RATE], value[ACCESS_DELAY]);
    connect_rows(value, hosts, closed, builder);
    return WEIR_OK;
}

static weir_status make_grid(weir_diag *diag, const uint64_t *value, uint64_t seed,
                             weir_graph_builder *builder)
{
    (void)seed;
    return make(diag, "grid", false, value, builder);
}

static weir_status make_torus(weir_diag *diag, const uint64_t *value, uint64_t seed,
                              weir_graph_builder *builder)
{
    (void)seed;
    return make(diag, "torus", true, value, builder);
}

static double ends(const uint64_t *value)
{
    return (double)value[WIDTH] * (double)value[HEIGHT] * (double)(value[HOSTS] ? value[HOSTS] : 1);
}

const weir_generator wi_generator_grid = {
    "grid",      "routers at the crossings of a grid",
    grid_params, N_PARAMS,
    make_grid,   "hosts h0, h1, ...; routers r0_0, r1_0, ...: column, row",
    ends};
const weir_generator wi_generator_torus = {
    "torus",      "a grid closed in both directions",
    torus_params, N_PARAMS,
    make_torus,   "hosts h0, h1, ...; routers r0_0, r1_0, ...: column, row",
    ends};

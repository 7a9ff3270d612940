/*
 * Grid and torus: routers rX_Y at width x height crossings, each with the same number of hosts.
 *
 * Hosts come first, then routers row by row; those of router (x, y) are h(i n), ... for n hosts a router and
 * i = y width + x. Ports of a router: its hosts in order, then west, north, east, south as far as they exist;
 * in a torus the links that close rows and columns come last.
 */
#include "topology/generator.h"

enum { WIDTH, HEIGHT, HOSTS, RATE, DELAY, ACCESS_RATE, ACCESS_DELAY, N_PARAMS };

#define GRID_PARAMS(least)                                                                        \
    [WIDTH] = {"width", WEIR_COUNT, "4", least, WI_COUNT_MAX, 0, "routers in a row"},             \
    [HEIGHT] = {"height", WEIR_COUNT, "4", least, WI_COUNT_MAX, 0, "rows"},                       \
    [HOSTS] = {"hosts", WEIR_COUNT, "0", 0, WI_COUNT_MAX, 0, "hosts of each router"},             \
    [RATE] = {WI_PARAM_RATE}, [DELAY] = {WI_PARAM_DELAY}, [ACCESS_RATE] = {WI_PARAM_ACCESS_RATE}, \
    [ACCESS_DELAY] = {WI_PARAM_ACCESS_DELAY}

static const weir_generator_param grid_params[N_PARAMS] = {GRID_PARAMS(1)};
static const weir_generator_param torus_params[N_PARAMS] = {GRID_PARAMS(3)};

static void connect_rows(const wi_making *m, uint32_t first, bool closed)
{
    const uint32_t width = (uint32_t)m->value[WIDTH], height = (uint32_t)m->value[HEIGHT];
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t here = first + y * width + x;
            if (x + 1 < width)
                wi_connect(m, here, here + 1, RATE);
            if (y + 1 < height)
                wi_connect(m, here, here + width, RATE);
        }
    for (uint32_t y = 0; y < height && closed; y++)
        wi_connect(m, first + y * width + width - 1, first + y * width, RATE);
    for (uint32_t x = 0; x < width && closed; x++)
        wi_connect(m, first + (height - 1) * width + x, first + x, RATE);
}

static weir_status make(const wi_making *m)
{
    const double crossings = (double)m->value[WIDTH] * (double)m->value[HEIGHT];
    WI_RETURN_IF_FAILED(wi_check_size(m, crossings * (1 + (double)m->value[HOSTS])));
    const uint32_t width = (uint32_t)m->value[WIDTH], height = (uint32_t)m->value[HEIGHT];
    const uint32_t each = (uint32_t)m->value[HOSTS], hosts = width * height * each;
    wi_add_hosts(m, hosts);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            wi_add_named(m, WEIR_ROUTER, "r%u_%u", x, y);
    wi_connect_hosts(m, hosts, each, ACCESS_RATE);
    connect_rows(m, hosts, m->generator == &wi_generator_torus.about);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    const uint64_t *const v = m->value;
    return (double)v[WIDTH] * (double)v[HEIGHT] * (double)(v[HOSTS] ? v[HOSTS] : 1);
}

#define NAMES "hosts h0, h1, ...; routers r0_0, r1_0, ...: column, row"
const wi_generator wi_generator_grid = {
    {"grid", "routers at the crossings of a grid", grid_params, N_PARAMS, NAMES}, make, ends};
const wi_generator wi_generator_torus = {
    {"torus", "a grid closed in both directions", torus_params, N_PARAMS, NAMES}, make, ends};

/*
 * The standard campus network, benchmark of parallel network simulators (DARPA NMS), in the form of the
 * hybrid simulation paper: 504 hosts in 12 LANs connected by 18 routers, 4 servers, 4 OSPF areas; campuses in
 * a ring with shortcuts.
 *
 *                 ring and shortcuts
 *                         |
 *                        b0            area 0, backbone: b0 b1 b2 in a triangle, b3 behind b0,
 *                       / |\                             b4 behind b1, and b3-b4
 *        area 2 -- b3 -'  | b2 -- s0   area 1, servers:  s0-s1; server0, server1 at s0; server2, server3 at
 * s1 \     |      |/      |
 *             `-- b4 --- b1      s1    area 2: m0-m1 m0-m2 m1-m3 m2-m3 m2-m4 m3-m5 m5-m6; b3-m0, b4-m1
 *                  |                           LANs 0 to 6 at m2 m3 m4 m5 m6 m6 m6
 *               area 3                 area 3: n0-n1 n1-n2 n2-n3 n3-n1; b4-n0, b4-n1
 *                                              LANs 7 to 11 at n0 n0 n2 n3 n3
 *
 * A LAN is a gateway router and its hosts: the 18 routers are the other ones (5 + 2 + 7 + 4), as in the
 * benchmark, whose campus has 538 nodes. Links within the backbone area, within the server cluster and
 * between the two: 1 Gb/s, 10 ms. Links of hosts to their gateway: 10 Mb/s, 1 ms. All other links of routers,
 * gateways included: 100 Mb/s, 10 ms.
 *
 * Of N campuses, i and i + 1 are joined, and i and i + 2^j where 2^j divides i and 2 <= 2^j <= N/2, all
 * modulo N, no two twice: backbone links between their b0. The paper leaves the shortcuts and the routers
 * that carry them open.
 *
 * Names: c0.lan3.h17, c0.lan3.gw, c0.server2, c0.b0, ... Within a campus hosts come first, LAN by LAN, then
 * servers, gateways, and routers b0-b4 s0-s1 m0-m6 n0-n3. The AS number of all nodes is the campus plus one.
 * Node class: backbone for b0-b4 (border for b0 where there are several campuses), leaf for gateways, server
 * for servers.
 */
#include "topology/generator.h"

enum {
    CAMPUSES,
    LAN_HOSTS,
    BACKBONE_RATE,
    BACKBONE_DELAY,
    ROUTER_RATE,
    ROUTER_DELAY,
    LAN_RATE,
    LAN_DELAY,
    N_PARAMS
};
enum { LANS = 12, SERVERS = 4 };

static const weir_generator_param params[N_PARAMS] = {
    [CAMPUSES] = {"campuses", WEIR_COUNT, "4", 1, WI_COUNT_MAX, 0, "campuses in the ring"},
    [LAN_HOSTS] = {"lan_hosts", WEIR_COUNT, "42", 1, WI_COUNT_MAX, 0,
                   "hosts of each of the 12 LANs of a campus"},
    [BACKBONE_RATE] = {"backbone_rate", WEIR_RATE, "1Gbps", 0, 0, 0,
                       "rate in the backbone, in the server cluster, and between campuses"},
    [BACKBONE_DELAY] = {"backbone_delay", WEIR_TIME, "10ms", 0, 0, 0, "their delay"},
    [ROUTER_RATE] = {"router_rate", WEIR_RATE, "100Mbps", 0, 0, 0, "rate of the other links between routers"},
    [ROUTER_DELAY] = {"router_delay", WEIR_TIME, "10ms", 0, 0, 0, "their delay"},
    [LAN_RATE] = {"lan_rate", WEIR_RATE, "10Mbps", 0, 0, 0, "rate of the links of hosts to their gateway"},
    [LAN_DELAY] = {"lan_delay", WEIR_TIME, "1ms", 0, 0, 0, "their delay"},
};

enum router { B0, B1, B2, B3, B4, S0, S1, M0, M1, M2, M3, M4, M5, M6, N0, N1, N2, N3, ROUTERS };

static const char *const router_name[ROUTERS] = {"b0", "b1", "b2", "b3", "b4", "s0", "s1", "m0", "m1",
                                                 "m2", "m3", "m4", "m5", "m6", "n0", "n1", "n2", "n3"};
static const uint8_t backbone_link[][2] = {{B0, B1}, {B1, B2}, {B2, B0}, {B0, B3},
                                           {B1, B4}, {B3, B4}, {B2, S0}, {S0, S1}};
static const uint8_t router_link[][2] = {{M0, M1}, {M0, M2}, {M1, M3}, {M2, M3}, {M2, M4},
                                         {M3, M5}, {M5, M6}, {N0, N1}, {N1, N2}, {N2, N3},
                                         {N3, N1}, {B3, M0}, {B4, M1}, {B4, N0}, {B4, N1}};
static const uint8_t server_router[SERVERS] = {S0, S0, S1, S1};
static const uint8_t lan_router[LANS] = {M2, M3, M4, M5, M6, M6, M6, N0, N0, N2, N3, N3};

/* Numbers of the first nodes of each kind in a campus. */
typedef struct campus {
    uint32_t hosts, servers, gateways, routers, end;
} campus;

static campus campus_of(const wi_making *m, uint32_t number)
{
    campus c;
    const uint32_t hosts = LANS * (uint32_t)m->value[LAN_HOSTS];
    c.hosts = number * (hosts + SERVERS + LANS + ROUTERS);
    c.servers = c.hosts + hosts;
    c.gateways = c.servers + SERVERS;
    c.routers = c.gateways + LANS;
    c.end = c.routers + ROUTERS;
    return c;
}

static void add_nodes(const wi_making *m, uint32_t number)
{
    const campus c = campus_of(m, number);
    const uint32_t lan_hosts = (uint32_t)m->value[LAN_HOSTS];
    for (uint32_t h = 0; h < LANS * lan_hosts; h++)
        wi_add_named(m, WEIR_HOST, "c%u.lan%u.h%u", number, h / lan_hosts, h % lan_hosts);
    for (uint32_t s = 0; s < SERVERS; s++)
        weir_graph_set_class(m->builder, wi_add_named(m, WEIR_HOST, "c%u.server%u", number, s),
                             WEIR_CLASS_SERVER);
    for (uint32_t l = 0; l < LANS; l++)
        weir_graph_set_class(m->builder, wi_add_named(m, WEIR_ROUTER, "c%u.lan%u.gw", number, l),
                             WEIR_CLASS_LEAF);
    for (uint32_t r = 0; r < ROUTERS; r++) {
        const uint32_t node = wi_add_named(m, WEIR_ROUTER, "c%u.%s", number, router_name[r]);
        if (r <= B4)
            weir_graph_set_class(m->builder, node,
                                 r == B0 && m->value[CAMPUSES] > 1 ? WEIR_CLASS_BORDER : WEIR_CLASS_BACKBONE);
    }
    for (uint32_t v = c.hosts; v < c.end; v++)
        weir_graph_set_as(m->builder, v, number + 1);
}

static void connect_routers(const wi_making *m, uint32_t first, const uint8_t (*link)[2], size_t n,
                            size_t rate)
{
    for (size_t i = 0; i < n; i++)
        wi_connect(m, first + link[i][0], first + link[i][1], rate);
}

static void connect_campus(const wi_making *m, uint32_t number)
{
    const campus c = campus_of(m, number);
    const uint32_t lan_hosts = (uint32_t)m->value[LAN_HOSTS];
    for (uint32_t h = 0; h < LANS * lan_hosts; h++)
        wi_connect(m, c.hosts + h, c.gateways + h / lan_hosts, LAN_RATE);
    for (uint32_t s = 0; s < SERVERS; s++)
        wi_connect(m, c.servers + s, c.routers + server_router[s], BACKBONE_RATE);
    for (uint32_t l = 0; l < LANS; l++)
        wi_connect(m, c.gateways + l, c.routers + lan_router[l], ROUTER_RATE);
    connect_routers(m, c.routers, backbone_link, WI_N_OF(backbone_link), BACKBONE_RATE);
    connect_routers(m, c.routers, router_link, WI_N_OF(router_link), ROUTER_RATE);
}

/* Steps 1, 2, 4, ... up to N/2. A pair comes twice only where the step is half the ring: from both of its
 * ends. */
static void connect_campuses(const wi_making *m)
{
    const uint32_t n = (uint32_t)m->value[CAMPUSES];
    for (uint32_t step = 1; 2 * step <= n; step *= 2)
        for (uint32_t i = 0; i < n && !(2 * step == n && i >= n / 2); i += step)
            wi_connect(m, campus_of(m, i).routers + B0, campus_of(m, (i + step) % n).routers + B0,
                       BACKBONE_RATE);
}

static weir_status make(const wi_making *m)
{
    WI_RETURN_IF_FAILED(wi_check_size(
        m, (double)m->value[CAMPUSES] * (LANS * (double)m->value[LAN_HOSTS] + SERVERS + LANS + ROUTERS)));
    for (uint32_t i = 0; i < m->value[CAMPUSES]; i++)
        add_nodes(m, i);
    for (uint32_t i = 0; i < m->value[CAMPUSES]; i++)
        connect_campus(m, i);
    connect_campuses(m);
    return WEIR_OK;
}

static double ends(const wi_making *m)
{
    return (double)m->value[CAMPUSES] * (LANS * (double)m->value[LAN_HOSTS] + SERVERS);
}

const wi_generator wi_generator_campus = {
    {"campus", "campuses of 504 hosts, 12 LANs, 18 routers and 4 servers in a ring", params, N_PARAMS,
     "hosts c0.lan0.h0, ...; servers c0.server0, ...; gateways c0.lan0.gw, ...; routers c0.b0 to b4, s0 s1, "
     "m0 to m6, n0 to n3"},
    make,
    ends};

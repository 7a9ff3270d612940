/*
 * What is pinned down: what the threads of a CUDA device do, run here thread after thread between barriers,
 * gives the tables that single trees give, to the byte. It is the same source that nvcc compiles; what stays
 * for gpu_routes.cu is launches, memory and the device's own instructions.
 * label: slow
 */
#include "graphs.h"

#include "base/memory.h"
#include "routing/cuda/bits_step.h"
#include "routing/floyd/layout.h"
#include "routing/cuda/ports_kernel.h"
#include "routing/cuda/relax_step.h"

#define KERNEL_NAME host16
#define LANE uint16_t
#define LANE_WORDS 4
#define FAR WI_FAR16
#include "emulate_floyd.h"
#undef KERNEL_NAME
#undef LANE
#undef LANE_WORDS
#undef FAR
#define KERNEL_NAME host32
#define LANE uint32_t
#define LANE_WORDS 8
#define FAR WI_FAR32
#include "emulate_floyd.h"
#include "routing/core.h"

/* A table of all ones, every third row wide. */
static wi_table new_table(uint32_t n)
{
    const uint64_t padded = (n + 63) / 64 * 64;
    wi_table table = {.row = malloc((n + 1) * sizeof *table.row)};
    for (uint32_t c = 0; c < n; ++c) {
        table.row[c] = table.n_bytes << 1 | (c % 3 == 0);
        table.n_bytes += padded << (c % 3 == 0);
    }
    table.bytes = wi_new_block(table.n_bytes);
    memset(table.bytes, 0xff, table.n_bytes);
    return table;
}

static void free_table(wi_table *table)
{
    free(table->row);
    free(table->bytes);
}

static wi_table by_trees(const wi_core *core)
{
    wi_table table = new_table(core->net.n);
    void *const space = wi_trees.space_new(&wi_trees, core);
    for (uint32_t dst = 0; dst < core->net.n; dst += wi_trees.lanes) {
        const uint32_t n_dst = core->net.n - dst < wi_trees.lanes ? core->net.n - dst : wi_trees.lanes;
        assert_int_equal(wi_trees.batch(core, &table, dst, n_dst, space), WI_BATCH_DONE);
    }
    wi_trees.space_free(space);
    return table;
}

/* As ports.cu does; false: a way was too long. */
static bool emulate_ports(const wi_core *core, const wi_table *table, const void *dist, bool wide,
                          size_t stride, const uint32_t *at, uint32_t dst, uint32_t n_dst, uint32_t far)
{
    const wi_route_net *const net = &core->net;
    bool fits = true;
#define AT(i) (size_t)(at ? at[i] : (i)) * stride + (at ? at[dst + k] : k)
#define DIST(i) (wide ? ((const uint32_t *)dist)[AT(i)] : ((const uint16_t *)dist)[AT(i)])
    for (uint32_t i = 0; i < net->n; ++i) {
        for (uint32_t k = 0; k < n_dst; ++k) {
            const uint32_t own = DIST(i);
            for (uint32_t e = net->first[i]; own > 0 && e < net->first[i + 1]; ++e) {
                const uint32_t way = DIST(net->target[e]), role = net->role[net->target[e]];
                if (own >= far && wi_port_cut(way, far, role))
                    fits = false;
                if (own >= far || !wi_port_leads(own, net->cost32[e], way, role))
                    continue;
                wi_port_put(table->bytes, table->row[i], dst + k, net->port[e]);
                break;
            }
        }
    }
    return fits;
#undef AT
#undef DIST
}

static bool emulate_floyd(const wi_core *core, const wi_table *table, bool wide)
{
    uint32_t *const at = malloc((core->net.n + 1) * sizeof *at);
    const wi_floyd_layout layout = wi_floyd_lay_out(&core->net, WI_TILE, at);
    void *const dist = wi_new_block((uint64_t)layout.side * layout.side * 4);
    if (wide)
        host32_run(&core->net, at, dist, layout);
    else
        host16_run(&core->net, at, dist, layout);
    const bool fits =
        emulate_ports(core, table, dist, wide, layout.side, at, 0, core->net.n, wide ? WI_FAR32 : WI_FAR16);
    free(dist);
    free(at);
    return fits;
}

static bool emulate_bits(const wi_core *core, const wi_table *table)
{
    const wi_route_net *const net = &core->net;
    const uint32_t n = net->n, n_columns = (n + 63) / 64 * 64;
    uint32_t *const first = calloc(n + 1, sizeof *first);
    for (uint32_t i = 0; i < n; ++i) {
        first[i + 1] = first[i];
        for (uint32_t most = net->first[i] < net->first[i + 1] ? net->port[net->first[i + 1] - 1] : 0; most;
             most >>= 1)
            ++first[i + 1];
    }
    const size_t block = WI_BITS_WORDS * sizeof(uint32_t);
    const wi_bits bits = {
        malloc(n * block), {malloc(n * block), malloc(n * block)}, malloc(first[n] * block + 1), first};
    for (uint32_t dst = 0; dst < n; dst += WI_BITS_LANES) {
        const uint32_t n_dst = n - dst < WI_BITS_LANES ? n - dst : WI_BITS_LANES;
        bool found = true;
        for (uint32_t k = 0; k < n * WI_BITS_WORDS; ++k)
            wi_bits_start(&bits, k / WI_BITS_WORDS, k % WI_BITS_WORDS, dst, n_dst);
        for (uint32_t level = 1; found; ++level) {
            found = false;
            for (uint32_t k = 0; k < n * WI_BITS_WORDS; ++k)
                found |=
                    wi_bits_visit(&bits, net->first, net->target, net->port, net->role, k / WI_BITS_WORDS,
                                  k % WI_BITS_WORDS, wi_bits_wanted(k % WI_BITS_WORDS, n_dst), level);
        }
        for (uint32_t k = 0; k < n * WI_BITS_WORDS; ++k)
            wi_bits_write(&bits, table->bytes, table->row[k / WI_BITS_WORDS], k / WI_BITS_WORDS,
                          k % WI_BITS_WORDS, dst, n_columns);
    }
    free(bits.seen);
    free(bits.front[0]);
    free(bits.front[1]);
    free(bits.plane);
    free(first);
    return true;
}

/* One node of a round; those of many edges as a team. */
static bool emulate_node(const wi_relax_net *relax, uint32_t i, int32_t round, bool wide)
{
    static wi_quad team[WI_RELAX_TEAM * WI_RELAX_QUADS];
    const bool hub = relax->first[i + 1] - relax->first[i] >= WI_RELAX_HUB;
    bool changed = false;
    for (uint32_t t = 0; hub && t < WI_RELAX_TEAM * WI_RELAX_QUADS; ++t)
        wi_relax_share(relax, i, t / WI_RELAX_QUADS, t % WI_RELAX_QUADS, round, wide, team);
    for (uint32_t quad = 0; quad < WI_RELAX_QUADS; ++quad)
        changed |=
            hub ? wi_relax_join(relax, i, quad, wide, team) : wi_relax_pull(relax, i, quad, round, wide);
    if (changed)
        relax->stamp[i] = round;
    return changed;
}

/* Nodes of a round in an order that changes from round to round, as on a device. */
static void emulate_rounds(const wi_relax_net *relax, uint32_t n, bool wide)
{
    bool changed = true;
    for (int32_t round = 1; changed; ++round) {
        changed = false;
        for (uint32_t k = 0; k < n; ++k)
            changed |= emulate_node(relax, round % 2 ? k : n - 1 - k, round, wide);
    }
}

static bool emulate_relax(const wi_core *core, const wi_table *table, bool wide)
{
    const wi_route_net *const net = &core->net;
    const uint32_t n = net->n, lanes = WI_RELAX_ROW_BYTES / (wide ? 4 : 2);
    const uint32_t far = wide ? WI_FAR32 : UINT16_MAX - core->net.costs.high;
    const wi_relax_net relax = {net->first,
                                net->target,
                                net->cost32,
                                net->role,
                                malloc((n + 1) * sizeof(int32_t)),
                                wi_new_block((uint64_t)n * WI_RELAX_ROW_BYTES)};
    uint16_t *const narrow = (void *)relax.dist;
    uint32_t *const broad = (void *)relax.dist;
    bool fits = true;
    for (uint32_t dst = 0; dst < n; dst += lanes) {
        const uint32_t n_dst = n - dst < lanes ? n - dst : lanes;
        for (uint32_t k = 0; k < n * lanes; ++k)
            wide ? (void)(broad[k] = far) : (void)(narrow[k] = (uint16_t)far);
        for (uint32_t i = 0; i < n; ++i)
            relax.stamp[i] = i - dst < n_dst ? 0 : -1;
        for (uint32_t k = 0; k < n_dst; ++k) {
            wide ? (void)(broad[(dst + k) * lanes + k] = 0) : (void)(narrow[(dst + k) * lanes + k] = 0);
            for (uint32_t e = net->in_first[dst + k];
                 net->role[dst + k] == WEIR_HOST && e < net->in_first[dst + k + 1]; ++e) {
                const uint32_t own = net->in_source[e] * lanes + k, cost = net->in_cost32[e];
                if (wide && cost < broad[own])
                    broad[own] = cost;
                else if (!wide && cost < narrow[own])
                    narrow[own] = (uint16_t)cost;
                relax.stamp[net->in_source[e]] = 0;
            }
        }
        emulate_rounds(&relax, n, wide);
        fits &= emulate_ports(core, table, relax.dist, wide, lanes, NULL, dst, n_dst, far);
    }
    free(relax.stamp);
    free(relax.dist);
    return fits;
}

typedef enum method { FLOYD16, FLOYD32, BITS, RELAX16, RELAX32, N_METHODS } method;
static const char *const method_name[] = {"Floyd-Warshall, 16 bits", "Floyd-Warshall, 32 bits",
                                          "bit-parallel", "relaxation, 16 bits", "relaxation, 32 bits"};

static bool emulate(const wi_core *core, const wi_table *table, method m)
{
    switch (m) {
    case FLOYD16:
    case FLOYD32:
        return emulate_floyd(core, table, m == FLOYD32);
    case BITS:
        return emulate_bits(core, table);
    default:
        return emulate_relax(core, table, m == RELAX32);
    }
}

/* Frees the graph. */
static void check_graph(weir_graph *graph, uint32_t max_weight, const char *what)
{
    const uint32_t n = graph->n_nodes;
    weir_cost *const cost = random_costs(graph, max_weight, 5, n);
    wi_core core;
    assert_int_equal(wi_core_build(NULL, graph, cost, &core), WEIR_OK);
    wi_table want = by_trees(&core);
    for (method m = 0; m < N_METHODS; ++m) {
        if ((m == BITS && max_weight > 1) || ((m == FLOYD16 || m == RELAX16) && max_weight > 300))
            continue;
        wi_table got = new_table(core.net.n);
        assert_true(emulate(&core, &got, m));
        if (memcmp(want.bytes, got.bytes, want.n_bytes) != 0)
            fail_msg("%s differs from trees: %s of %u nodes, weights to %u", method_name[m], what, n,
                     max_weight);
        free_table(&got);
    }
    free_table(&want);
    wi_core_free(&core);
    free(cost);
    weir_graph_free(graph);
}

static void check(graph_kind kind, uint32_t n, uint32_t max_weight)
{
    check_graph(random_graph(kind, n, max_weight, n + kind), max_weight, kind_name[kind]);
}

static void agree_on_small_graphs(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 5, 31, 64, 127, 128, 129, 200};
    for (graph_kind kind = SPARSE; kind < N_GRAPH_KINDS; ++kind) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
            if (sizes[k] > 64 && kind != DENSE && kind != MULTIHOMED)
                continue; /* sizes around a tile, for kinds of which most stays in the core */
            check(kind, sizes[k], 1);
            check(kind, sizes[k], 40);
        }
        check(kind, 100, WI_COST32_MAX / 8);
    }
}

/* Nodes of many edges: each has a third of all others for neighbours. */
static void agree_on_hubs(void **state)
{
    (void)state;
    enum { N = 330 };
    static uint32_t links[N * N][2];
    size_t n_links = 0;
    for (uint32_t i = 0; i < N; ++i)
        for (uint32_t j = 0; j < i; ++j)
            if ((i * 7 + j * 13) % 3 == 0) {
                links[n_links][0] = i;
                links[n_links++][1] = j;
            }
    check_graph(graph_of(N, links, n_links, NULL), 300, "hubs");
}

/* More than one batch of the bit-parallel search. */
static void agree_on_several_batches(void **state)
{
    (void)state;
    check(DENSE, 1100, 1);
    check(MULTIHOMED, 1300, 1);
}

/* Rings whose far side is just within 16 bits, and just past them. */
static void notice_overflow(void **state)
{
    (void)state;
    static const struct {
        method m;
        uint32_t cost;
        bool fits;
    } cases[] = {{FLOYD16, 655, true},   {FLOYD16, 656, false}, {RELAX16, 1284, true},
                 {RELAX16, 1285, false}, {FLOYD32, 1286, true}, {RELAX32, 1286, true}};
    weir_graph *const graph = ring_of(100);
    weir_cost *const cost = random_costs(graph, 1, 0, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        wi_core core;
        for (uint32_t e = 0; e < graph->n_edges; ++e)
            cost[e] = cases[k].cost;
        assert_int_equal(wi_core_build(NULL, graph, cost, &core), WEIR_OK);
        wi_table table = new_table(core.net.n);
        assert_int_equal(emulate(&core, &table, cases[k].m), cases[k].fits);
        free_table(&table);
        wi_core_free(&core);
    }
    free(cost);
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree_on_small_graphs),
        cmocka_unit_test(agree_on_hubs),
        cmocka_unit_test(agree_on_several_batches),
        cmocka_unit_test(notice_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

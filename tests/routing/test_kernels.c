/*
 * What is pinned down: the kernels that are built more than once give the same columns in every build,
 * whatever the machine picks; and a distance that does not fit the lanes is noticed.
 */
#include "graphs.h"

#include "base/cpu_features.h"
#include "base/memory.h"
#include "routing/search/kernels.h"
#include "routing/floyd/floyd.h"
#include "routing/core.h"

typedef wi_batch_end (*kernel)(const wi_core *, const wi_table *, uint32_t, uint32_t, void *);

static wi_batch_end bit_base(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                             void *space)
{
    (void)wi_bit_batch_base(core, table, dst, n_dst, space);
    return WI_BATCH_DONE;
}

static wi_batch_end bit_avx2(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst,
                             void *space)
{
    (void)wi_bit_batch_avx2(core, table, dst, n_dst, space);
    return WI_BATCH_DONE;
}

/* The same as functions of that type. */
#define RELAX(name)                                                                                    \
    static wi_batch_end name(const wi_core *core, const wi_table *table, uint32_t dst, uint32_t n_dst, \
                             void *space)                                                              \
    {                                                                                                  \
        return wi_##name(core, table, dst, n_dst, space);                                              \
    }
RELAX(relax16_base)
RELAX(relax16_avx2)
RELAX(relax32_base)
RELAX(relax32_avx2)

/* A table with every third row wide, filled by one kernel. */
static wi_batch_end fill(const wi_core *core, const wi_algorithm *algorithm, kernel run, wi_table *table)
{
    const uint32_t n = core->net.n;
    const uint64_t padded = (n + 63) / 64 * 64;
    wi_batch_end end = WI_BATCH_DONE;
    table->row = malloc(n * sizeof *table->row);
    for (uint32_t c = 0; c < n; ++c) {
        table->row[c] = table->n_bytes << 1 | (c % 3 == 0);
        table->n_bytes += padded << (c % 3 == 0);
    }
    table->bytes = wi_new_block(table->n_bytes);
    void *const space = algorithm->space_new(algorithm, core);
    assert_non_null(space);
    for (uint32_t dst = 0; dst < n; dst += algorithm->lanes) {
        const uint32_t n_dst = n - dst < algorithm->lanes ? n - dst : algorithm->lanes;
        if (run(core, table, dst, n_dst, space) != WI_BATCH_DONE)
            end = WI_BATCH_OVERFLOW;
    }
    algorithm->space_free(space);
    return end;
}

static void table_free(wi_table *table)
{
    free(table->row);
    free(table->bytes);
}

static void same(const wi_core *core, const wi_algorithm *algorithm, kernel run, const char *name)
{
    wi_table want = {0}, got = {0};
    assert_int_equal(fill(core, &wi_trees, wi_trees.batch, &want), WI_BATCH_DONE);
    assert_int_equal(fill(core, algorithm, run, &got), WI_BATCH_DONE);
    assert_int_equal(want.n_bytes, got.n_bytes);
    if (memcmp(want.bytes, got.bytes, want.n_bytes) != 0)
        fail_msg("%s differs from trees on %u nodes", name, core->net.n);
    table_free(&want);
    table_free(&got);
}

/* Floyd-Warshall on one thread by one build of its kernel. */
static void same_floyd(const wi_core *core, const wi_floyd_kernel *floyd, bool wide, const char *name)
{
    wi_table want = {0}, got = {0};
    wi_floyd f = {.at = malloc((core->net.n + 1) * sizeof *f.at)};
    assert_int_equal(fill(core, &wi_trees, wi_trees.batch, &want), WI_BATCH_DONE);
    got = (wi_table){.row = want.row, .bytes = wi_new_block(want.n_bytes), .n_bytes = want.n_bytes};
    memset(got.bytes, 0xff, got.n_bytes);
    f.layout = wi_floyd_lay_out(&core->net, WI_FLOYD_TILE, f.at);
    const size_t side = f.layout.side, tiles = side / WI_FLOYD_TILE;
    f.dist = wi_new_block(side * side * 4);
    f.port = wi_new_block(side * 4);
    for (size_t k = 0; k < side * side; ++k) {
        const bool self = k % (side + 1) == 0;
        wide ? (void)(((uint32_t *)f.dist)[k] = self ? 0 : WI_FAR32)
             : (void)(((uint16_t *)f.dist)[k] = self ? 0 : WI_FAR16);
    }
    for (uint32_t i = 0; i < core->net.n; ++i)
        floyd->enter(&f, &core->net, i);
    for (uint32_t p = 0; p < f.layout.pivots / WI_FLOYD_TILE; ++p) {
        floyd->diagonal(&f, p);
        for (uint32_t k = 0; k < 2 * tiles; ++k)
            if (k / 2 != p)
                floyd->product(&f, k % 2 ? k / 2 : p, p, k % 2 ? p : k / 2);
        for (uint32_t k = 0; k < tiles * tiles; ++k)
            if (k / tiles != p && k % tiles != p)
                floyd->product(&f, (uint32_t)(k / tiles), p, (uint32_t)(k % tiles));
    }
    for (uint32_t i = 0; i < core->net.n; ++i)
        assert_int_equal(floyd->ports(&f, core, &got, i, 0), WI_BATCH_DONE);
    if (memcmp(want.bytes, got.bytes, want.n_bytes) != 0)
        fail_msg("%s differs from trees on %u nodes", name, core->net.n);
    free(f.at);
    free(f.dist);
    free(f.port);
    free(got.bytes);
    table_free(&want);
}

static void check(graph_kind kind, uint32_t n, uint32_t max_weight)
{
    weir_graph *const graph = random_graph(kind, n, max_weight, n + kind);
    weir_cost *const cost = random_costs(graph, max_weight, 5, n);
    wi_core core;
    assert_int_equal(wi_core_build(NULL, graph, cost, &core), WEIR_OK);
    if (max_weight == 1)
        same(&core, &wi_bit_parallel, bit_base, "bit-parallel, plain");
    same(&core, &wi_batched16, relax16_base, "16 bits, plain");
    same(&core, &wi_batched32, relax32_base, "32 bits, plain");
    if (n < 300) {
        same_floyd(&core, &wi_floyd16_base, false, "Floyd-Warshall, 16 bits, plain");
        same_floyd(&core, &wi_floyd32_base, true, "Floyd-Warshall, 32 bits, plain");
    }
    if (wi_have_avx2()) {
        if (max_weight == 1)
            same(&core, &wi_bit_parallel, bit_avx2, "bit-parallel, AVX2");
        same(&core, &wi_batched16, relax16_avx2, "16 bits, AVX2");
        same(&core, &wi_batched32, relax32_avx2, "32 bits, AVX2");
    }
    wi_core_free(&core);
    free(cost);
    weir_graph_free(graph);
}

static void agree(void **state)
{
    (void)state;
    if (!wi_have_avx2())
        print_message("no AVX2 on this machine: the builds for it are not tested\n");
    for (graph_kind kind = SPARSE; kind < N_GRAPH_KINDS; ++kind) {
        for (uint32_t n = 1; n < 1000; n = 3 * n + 2) {
            check(kind, n, 1);
            check(kind, n, 40);
        }
    }
}

/* A ring of 100 links of cost 1,000: the far side is at 50,000, which fits; 16 bits end at 65,535 less the
 * greatest cost, and at cost 1,400 the far side, at 70,000, is past that. */
static void notice_overflow(void **state)
{
    (void)state;
    weir_graph *const graph = ring_of(100);
    weir_cost *const cost = random_costs(graph, 1, 0, 0);
    const uint32_t each[] = {1000, 1400};
    for (int k = 0; k < 2; ++k) {
        wi_core core;
        wi_table table = {0};
        for (uint32_t e = 0; e < graph->n_edges; ++e)
            cost[e] = each[k];
        assert_int_equal(wi_core_build(NULL, graph, cost, &core), WEIR_OK);
        assert_int_equal(fill(&core, &wi_batched16, relax16_base, &table),
                         k ? WI_BATCH_OVERFLOW : WI_BATCH_DONE);
        table_free(&table);
        wi_core_free(&core);
    }
    free(cost);
    weir_graph_free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agree),
        cmocka_unit_test(notice_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

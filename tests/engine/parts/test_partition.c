/*
 * Partitions: every entity in one, groups whole, shares about equal, few edges cut on a graph that is easy to
 * cut, and the bounds of each recomputed from their definition.
 */
#include "engine/harness.h"

#include "engine/parts/partition.h"

enum { SIDE = 24, GROUPS = SIDE * SIDE, EACH = 3, ENTITIES = GROUPS * EACH, TARGETS = 4 };

/* A grid of groups of three entities; each entity sends to the four neighbours of its group. */
typedef struct grid {
    weir_model model;
    weir_comm_graph comm;
    uint32_t group[ENTITIES], first[ENTITIES + 1], target[ENTITIES * TARGETS];
    weir_time lookahead_ps[ENTITIES];
    weir_sim sim;
} grid;

static uint32_t neighbour(uint32_t g, uint32_t i)
{
    const uint32_t x = g % SIDE, y = g / SIDE;
    static const int dx[TARGETS] = {1, SIDE - 1, 0, 0}, dy[TARGETS] = {0, 0, 1, SIDE - 1};
    return (x + (uint32_t)dx[i]) % SIDE + (y + (uint32_t)dy[i]) % SIDE * SIDE;
}

static grid *grid_new(void)
{
    grid *g = calloc(1, sizeof *g);
    assert_non_null(g);
    for (uint32_t e = 0; e < ENTITIES; e++) {
        g->group[e] = e % GROUPS; /* not side by side */
        g->first[e + 1] = (e + 1) * TARGETS;
        for (uint32_t i = 0; i < TARGETS; i++)
            g->target[e * TARGETS + i] = neighbour(g->group[e], i);
        g->lookahead_ps[e] = 1000000 + e;
    }
    g->model.n_kinds = 1;
    g->comm =
        (weir_comm_graph){.n_groups = GROUPS, .group = g->group, .first = g->first, .target = g->target};
    g->sim.setup = (weir_setup){.model = &g->model, .lookahead_ps = g->lookahead_ps, .comm = &g->comm};
    g->sim.n_entities = g->sim.kind_first[1] = ENTITIES;
    return g;
}

static void check_bounds(const grid *g, const wi_partition *p)
{
    for (uint32_t part = 0; part < p->n_parts; part++) {
        weir_time least_ps = WEIR_TIME_MAX;
        for (uint32_t e = 0; e < ENTITIES; e++) {
            int crosses = 0;
            if (p->part[e] != part)
                continue;
            for (uint32_t i = 0; i < TARGETS; i++)
                crosses |= p->part[neighbour(g->group[e], i)] != part; /* entity g is one of group g */
            assert_int_equal(p->crosses[e], crosses);
            if (crosses && g->lookahead_ps[e] < least_ps)
                least_ps = g->lookahead_ps[e];
        }
        assert_int_equal(p->lookahead_ps[part], least_ps);
    }
}

static void cuts_a_grid(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    grid *g = grid_new();
    for (uint32_t n = 1; n <= 7; n++) {
        wi_owned memory = {0};
        wi_partition p;
        uint32_t share[8] = {0}, cut = 0;
        expect_ok(diag, wi_partition_new(diag, &g->sim, n, &memory, &p));
        expect_ok(diag, wi_partition_make(diag, &g->sim, &p));
        wi_partition_bounds(&g->sim, &p);
        for (uint32_t e = 0; e < ENTITIES; e++) {
            assert_true(p.part[e] < n);
            assert_int_equal(p.part[e], p.part[g->group[e]]);
            share[p.part[e]]++;
            for (uint32_t i = 0; i < TARGETS; i++)
                cut += p.part[g->target[e * TARGETS + i]] != p.part[e];
        }
        for (uint32_t part = 0; part < n; part++)
            assert_in_range(share[part] * n, ENTITIES * 85 / 100, ENTITIES * 115 / 100);
        /* Bands of the torus cut 2 n SIDE of its 2 GROUPS links. A random distribution cuts (1 - 1/n). */
        assert_true(cut <= 2 * EACH * 2 * n * SIDE * 3 / 2);
        check_bounds(g, &p);
        wi_owned_free(&memory);
    }
    free(g);
    weir_diag_free(diag);
}

/* Two groups whose link is short are never parted while there are others to part. */
static void keeps_short_links_inside(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    grid *g = grid_new();
    for (uint32_t e = 0; e < ENTITIES; e++)
        if (g->group[e] % 2 == 0) { /* sends to its right-hand neighbour only, at once */
            for (uint32_t i = 0; i < TARGETS; i++)
                g->target[e * TARGETS + i] = g->group[e] + 1;
            g->lookahead_ps[e] = 1;
        }
    for (uint32_t n = 2; n <= 5; n++) {
        wi_owned memory = {0};
        wi_partition p;
        expect_ok(diag, wi_partition_new(diag, &g->sim, n, &memory, &p));
        expect_ok(diag, wi_partition_make(diag, &g->sim, &p));
        wi_partition_bounds(&g->sim, &p);
        for (uint32_t part = 0; part < n; part++)
            assert_true(p.lookahead_ps[part] >= 1000000);
        wi_owned_free(&memory);
    }
    free(g);
    weir_diag_free(diag);
}

/* Without a graph each kind is shared out evenly. */
static void shares_kinds_evenly(void **state)
{
    (void)state;
    weir_diag *diag = weir_diag_new();
    grid *g = grid_new();
    wi_owned memory = {0};
    wi_partition p;
    uint32_t share[2][4] = {{0}};
    g->sim.setup.comm = NULL;
    g->model.n_kinds = 2;
    g->sim.kind_first[1] = 100;
    g->sim.kind_first[2] = ENTITIES;
    expect_ok(diag, wi_partition_new(diag, &g->sim, 4, &memory, &p));
    expect_ok(diag, wi_partition_make(diag, &g->sim, &p));
    wi_partition_bounds(&g->sim, &p);
    for (uint32_t e = 0; e < ENTITIES; e++) {
        share[e >= 100][p.part[e]]++;
        assert_true(p.crosses[e]);
    }
    for (int part = 0; part < 4; part++) {
        assert_int_equal(share[0][part], 25);
        assert_int_equal(share[1][part], (ENTITIES - 100) / 4);
    }
    wi_owned_free(&memory);
    free(g);
    weir_diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cuts_a_grid),
                                       cmocka_unit_test(keeps_short_links_inside),
                                       cmocka_unit_test(shares_kinds_evenly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

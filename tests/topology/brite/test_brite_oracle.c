/*
 * The oracle of BRITE's engines (brite_oracle.h) makes the outputs of real runs of BRITE 2.1 again, node by
 * node and link by link, so that it may judge; and weir's generators, a few of each kind, lie where the oracle's
 * graphs of other seeds lie. bench_brite compares all kinds over 60 seeds. The outputs are found by WEIR_DATA,
 * by default ../shared/data beside the source.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "topology/brite/brite_cases.h"
#include "skip.h"
#include "topology/generating.h"

/* ---- outputs of real runs ---- */

typedef struct run {
    const char *name;
    or_model model;
    bool as;
    int n, m;
    bool bottom_up;
    int as_n;                             /* top-down: ASes */
    long places, connect, conn, grouping; /* how many numbers the C++ run drew, for its seed file was
                                             written after it */
    bool no_cpp;
} run;

static const run runs[] = {
    {.name = "rtwaxman_100", .n = 100, .m = 2, .places = 200, .connect = 10702},
    {.name = "rtbarabasi_100", .model = OR_BA, .n = 100, .m = 2, .places = 200, .connect = 201},
    {.name = "asbarabasi_60", .model = OR_BA, .as = true, .n = 60, .m = 2, .places = 120, .connect = 121},
    {.name = "rtba2_200", .model = OR_BA2, .n = 200, .m = 2, .places = 400, .connect = 1904},
    {.name = "rtglp_200", .model = OR_GLP, .n = 200, .m = 1, .places = 400, .connect = 1152},
    {.name = "bu_100", .n = 100, .m = 2, .bottom_up = true, .places = 200, .connect = 12910, .grouping = 344},
    {.name = "td_4x15", .n = 15, .m = 2, .as_n = 4, .places = 128, .connect = 9712, .conn = 10},
    {.name = "td_10x100", .model = OR_WAXMAN, .n = 100, .m = 2, .as_n = 10, .no_cpp = true},
};

/* C++ writes three 16-bit words, the least first; Java the digits of one number in three pieces. */
static void read_seeds(or_engine *e, const char *path)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int i = 0; i < OR_PURPOSES; i++) {
        char part[3][24], whole[80];
        assert_int_equal(fscanf(f, "%*s %23s %23s %23s%*[^\n]", part[0], part[1], part[2]), 3);
        uint64_t x = 0;
        for (int k = 0; k < 3; k++)
            x |= strtoull(part[k], NULL, 10) << 16 * k;
        snprintf(whole, sizeof whole, "%s%s%s", part[0], part[1], part[2]);
        if (e->java)
            x = strtoull(whole, NULL, 10) ^ UINT64_C(0x5DEECE66D);
        e->stream[i] = (or_random){x & ((UINT64_C(1) << 48) - 1), e->java};
    }
    fclose(f);
}

/* Back by that many numbers. */
static void wind_back(or_random *r, long steps)
{
    uint64_t inverse = 1;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - UINT64_C(0x5DEECE66D) * inverse;
    for (; steps > 0; steps--)
        r->x = ((r->x - 0xB) * inverse) & ((UINT64_C(1) << 48) - 1);
}

static or_graph *run_again(or_engine *e, const run *r)
{
    /* Java's configuration is read into single precision. */
    const double alpha = e->java ? 0.15f : 0.15, p = e->java ? 0.3f : 0.3, q = e->java ? 0.2f : 0.2;
    or_flat f = {.model = r->model,
                 .as = r->as,
                 .n = r->n,
                 .hs = 1000,
                 .ls = 100,
                 .m = r->m,
                 .alpha = alpha,
                 .beta = q,
                 .p = p,
                 .q = q,
                 .rate = {OR_CONSTANT, 10, 1024}};
    if (r->model == OR_GLP) {
        f.p = e->java ? 0.45f : 0.45;
        f.beta = e->java ? 0.64f : 0.64;
    }
    if (r->bottom_up) {
        const or_bottom_up b = {.walk = true, .assign = OR_CONSTANT, .n_as = 10, .router = f};
        return or_bottom_up_draw(e, &b);
    }
    if (r->as_n == 0)
        return or_flat_draw(e, &f);
    or_top_down t = {.edge_conn = 1, .inter = {OR_CONSTANT, 10, 1024}, .as = f, .router = f};
    t.as.as = true;
    t.as.n = r->as_n;
    t.as.model = r->as_n == 10 ? OR_BA : OR_WAXMAN; /* those of the two configurations */
    return or_top_down_draw(e, &t);
}

static weir_graph *output_of(const char *path)
{
    weir_graph *g = NULL;
    weir_diag *diag = weir_diag_new();
    if (weir_topology_load(diag, path, NULL, &g) != WEIR_OK)
        fail_msg("%s: %s", path, weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
    weir_diag_free(diag);
    return g;
}

/* How often the pair is linked in the output. */
static int links_between(const weir_graph *w, int a, int b)
{
    int n = 0;
    for (uint32_t e = w->first[a]; e < w->first[a + 1]; e++)
        n += w->target[e] == (uint32_t)b;
    return n;
}

static int links_of_oracle(const or_graph *g, int a, int b)
{
    int n = 0;
    for (int i = 0; i < g->n_links; i++)
        n += !g->link[i].gone &&
             ((g->link[i].a == a && g->link[i].b == b) || (g->link[i].a == b && g->link[i].b == a));
    return n;
}

/* AS numbers may be others, but nodes of one AS are of one AS. */
static void same_graph(const run *r, const or_graph *g, const weir_graph *w)
{
    assert_int_equal(g->n, w->n_nodes);
    assert_int_equal(g->live, w->n_edges / 2);
    for (int v = 0; v < g->n; v++) {
        if (g->x[v] != w->x[v] || g->y[v] != w->y[v])
            fail_msg("%s: node %d at %d %d; BRITE has it at %g %g", r->name, v, g->x[v], g->y[v], w->x[v],
                     w->y[v]);
        for (int u = 0; u < v && (r->bottom_up || r->as_n); u++)
            assert_int_equal(g->as[u] == g->as[v], w->as_number[u] == w->as_number[v]);
    }
    for (int i = 0; i < g->n_links; i++) {
        const or_link *l = &g->link[i];
        if (!l->gone && links_of_oracle(g, l->a, l->b) != links_between(w, l->a, l->b))
            fail_msg("%s: %d links of %d and %d; BRITE has %d", r->name, links_of_oracle(g, l->a, l->b), l->a,
                     l->b, links_between(w, l->a, l->b));
    }
}

static void as_brite_ran(void **state)
{
    const char *folder = data_root();
    (void)state;
    (void)data_path("brite/made"); /* skips where it is missing */
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        const run *r = &runs[i / 2];
        or_engine e = {.java = i % 2};
        char path[600];
        if (!e.java && r->no_cpp)
            continue;
        const char *engine = e.java ? "java" : "cpp";
        snprintf(path, sizeof path, "%s/brite/made/%s.%s.seed", folder, r->name, engine);
        read_seeds(&e, path);
        const or_engine after = e;
        if (!e.java) {
            wind_back(&e.stream[OR_PLACES], r->places);
            wind_back(&e.stream[OR_CONNECT], r->connect);
            wind_back(&e.stream[OR_EDGE_CONN], r->conn);
            wind_back(&e.stream[OR_GROUPING], r->grouping);
        }
        snprintf(path, sizeof path, "%s/brite/made/%s.%s.brite%s", folder, r->name, engine,
                 r->as_n == 10 ? ".gz" : "");
        or_graph *g = run_again(&e, r);
        weir_graph *w = output_of(path);
        assert_false(e.stuck);
        same_graph(r, g, w);
        for (int k = 0; k < OR_PURPOSES && !e.java; k++)
            assert_int_equal(e.stream[k].x, after.stream[k].x);
        weir_graph_free(w);
        or_graph_free(g);
        free(e.taken);
    }
}

/* ---- weir ---- */

enum { SEEDS = 60, Z_MOST = 5 };

#define SMALL \
    .hs = 1000, .ls = 100, .m = 2, .alpha = 0.15, .beta = 0.2, .p = 0.3, .q = 0.2, .rate = CMP_RATE_10
static const cmp_case quick[] = {
    {.name = "heavy-tailed places",
     .model = "waxman",
     .text = "N=120 NodePlacement=heavy-tailed BWDist=heavy-tailed",
     .flat = {.n = 120,
              .heavy = true,
              .hs = 1000,
              .ls = 100,
              .m = 2,
              .beta = 0.2,
              .alpha = 1,
              .rate = {OR_HEAVY, 10, 1024}}},
    {.name = "GrowthType 2",
     .model = "waxman",
     .text = "N=120 GrowthType=all parts=keep BWDist=uniform",
     .flat = {.n = 120,
              .all = true,
              .hs = 1000,
              .ls = 100,
              .m = 2,
              .beta = 0.2,
              .alpha = 1,
              .rate = {OR_UNIFORM, 10, 1024}}},
    {.name = "ASes",
     .model = "waxman",
     .text = "N=40 level=as NodePlacement=heavy-tailed BWDist=exponential m=3",
     .flat = {.n = 40,
              .as = true,
              .heavy = true,
              .hs = 1000,
              .ls = 100,
              .m = 3,
              .beta = 0.2,
              .alpha = 1,
              .rate = {OR_EXPONENTIAL, 10, 1024}}},
    {.name = "BA", .model = "barabasi-albert", .text = "N=120", .flat = {.n = 120, .model = OR_BA, SMALL}},
    {.name = "BA-2", .model = "ba-2", .text = "N=120 parts=keep", .flat = {.n = 120, .model = OR_BA2, SMALL}},
    {.name = "GLP",
     .model = "glp",
     .text = "N=120 m=2 p=0.3 beta=0.2",
     .flat = {.n = 120, .model = OR_GLP, SMALL}},
    {.name = "edgeConn 3",
     .kind = CMP_TOP_DOWN,
     .model = "top-down",
     .text = "as_N=6 rt_N=20 edgeConn=smallest-nonleaf",
     .edge_conn = 3,
     .inter = CMP_RATE_10,
     .as = {.n = 6, .as = true, .model = OR_BA, SMALL},
     .flat = {.n = 20, SMALL}},
    {.name = "edgeConn 4",
     .kind = CMP_TOP_DOWN,
     .model = "top-down",
     .text = "as_N=6 rt_N=20 edgeConn=smallest-k k=3",
     .edge_conn = 4,
     .k = 3,
     .inter = CMP_RATE_10,
     .as = {.n = 6, .as = true, .model = OR_BA, SMALL},
     .flat = {.n = 20, SMALL}},
    {.name = "walks",
     .kind = CMP_BOTTOM_UP,
     .model = "bottom-up",
     .text = "rt_N=120 NumAS=7 AssignType=uniform",
     .walk = true,
     .assign = OR_UNIFORM,
     .n_as = 7,
     .flat = {.n = 120, SMALL}},
    {.name = "picks",
     .kind = CMP_BOTTOM_UP,
     .model = "bottom-up",
     .text = "rt_N=120 NumAS=6 Grouping=pick",
     .assign = OR_CONSTANT,
     .n_as = 6,
     .flat = {.n = 120, SMALL}},
};

static void lies_with(const cmp_case *c, bool java)
{
    static double ours[CMP_STATISTICS * SEEDS], theirs[CMP_STATISTICS * SEEDS];
    cmp_sample_oracle(c, java, SEEDS, theirs);
    for (int k = 0; k < SEEDS; k++) {
        char text[200];
        double s[CMP_STATISTICS];
        snprintf(text, sizeof text, "engine=%s %s", java ? "java" : "cpp", c->text);
        weir_graph *w = generated(c->model, text, (uint64_t)k + 1);
        cmp_graph g = cmp_of_weir(c, w);
        cmp_measure(&g, s);
        for (int i = 0; i < CMP_STATISTICS; i++)
            ours[i * SEEDS + k] = s[i];
        cmp_graph_free(&g);
        weir_graph_free(w);
    }
    for (int i = 0; i < CMP_STATISTICS; i++) {
        double *a = ours + i * SEEDS, *b = theirs + i * SEEDS, ma, mb, v;
        cmp_moments(a, SEEDS, &ma, &v);
        cmp_moments(b, SEEDS, &mb, &v);
        const double z = cmp_z(a, b, SEEDS), d = cmp_ks(a, b, SEEDS);
        if (!(fabs(z) < Z_MOST && d < 0.4))
            fail_msg("%s, %s: %s is %g; BRITE's %g: z %g, D %g", c->name, java ? "java" : "cpp", cmp_names[i],
                     ma, mb, z, d);
    }
}

static void weir_as_the_oracle(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * sizeof quick / sizeof *quick; i++)
        lies_with(&quick[i / 2], i % 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_brite_ran),
        cmocka_unit_test(weir_as_the_oracle),
    };
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}

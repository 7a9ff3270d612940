/*
 * The models of BRITE against what their definitions imply: numbers of links, degrees, distances, rates;
 * the same bits from the same seed on any machine; and every impossible parameter.
 * Probabilities are judged by a statistic's distance from its expectation in standard deviations, for seeds
 * that are fixed: a test that passes once passes always. label: slow bits
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "topology/generating.h"

static void sizes(void **state)
{
    static const struct {
        const char *model, *text;
        uint32_t nodes, links;
    } all[] = {
        {"waxman", "N=1000 m=2", 1000, 2000},
        {"waxman", "N=700 m=3 NodePlacement=heavy-tailed", 700, 2100},
        {"waxman", "N=3000 m=1 beta=0.01", 3000, 3000},
        {"waxman", "N=1 m=1", 1, 0},
        {"waxman", "N=2 m=1", 2, 1},
        {"waxman", "N=20000 m=2 beta=0.0005", 20000, 40000},
        {"barabasi-albert", "N=1000 m=2", 1000,
         1997}, /* m (m + 1) / 2 + m (N - m - 1), as measured of BRITE */
        {"barabasi-albert", "nodes=2000 m=3", 2000, 5994},
        {"barabasi-albert", "N=5 m=4", 5, 10},
        {"barabasi-albert", "N=60 m=2 level=as", 60, 117},
        {"top-down", "as_N=10 as_m=2 rt_N=100 rt_m=2", 1000, 2017},
        {"bottom-up", "rt_N=100 rt_m=2 NumAS=10", 100, 200},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = generated(all[i].model, all[i].text, 1);
        if (g->n_nodes != all[i].nodes || g->n_edges != 2 * all[i].links)
            fail_msg("%s %s: %u nodes, %u links", all[i].model, all[i].text, g->n_nodes, g->n_edges / 2);
        assert_int_equal(g->n_parallel + g->n_self_loops, 0);
        if (components_of(g, NULL) != 1)
            fail_msg("%s %s: %u components", all[i].model, all[i].text, components_of(g, NULL));
        for (uint32_t e = 0; e < g->n_edges; e++)
            assert_true(g->rate_bps[e] == 10000000 && g->delay_ps[e] >= WEIR_PS_PER_US);
        weir_graph_free(g);
    }
}

/* All that growth, placement and model can make hold together, simple, with places that are distinct whole
 * points. */
static void structure(void **state)
{
    static const char *const all[][2] = {
        {"waxman", "N=500 m=2 growth=all"},
        {"waxman", "N=2000 m=1 growth=all beta=0.01"},
        {"waxman", "N=900 m=2 HS=30 LS=10 placement=heavy-tailed"},
        {"waxman", "N=500 growth=pairs alpha=0.1"},
        {"waxman", "N=100 growth=pairs alpha=0.05"},
        {"ba-2", "N=2000 m=2 engine=model"},
        {"ba-2", "N=500 m=1 p=0 q=0.8 engine=model"},
        {"ba-2", "N=2000 m=2 engine=java"},
        {"ba-2", "N=500 m=1 p=0 q=0.8 engine=java"},
        {"ba-2", "N=4 m=3 p=0.1 q=0.8 engine=java"},
        {"glp", "N=2000 engine=model"},
        {"glp", "N=2000 m=3 p=0.2 beta=-2 engine=model"},
        {"glp", "N=300 m=1 p=0.9 engine=model"},
        {"glp", "N=2000"},
        {"glp", "N=2000 m=3 p=0.2 beta=-2"},
        {"glp", "N=300 m=1 p=0.9 engine=java"},
        {"waxman", "N=500 m=2 growth=all engine=java"},
        {"waxman", "N=2000 m=2 HS=60 LS=10 placement=heavy-tailed engine=java"},
        {"waxman", "N=900 m=2 HS=30 LS=10 placement=heavy-tailed level=as"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            weir_graph *g = generated(all[i][0], all[i][1], seed);
            assert_int_equal(g->n_parallel + g->n_self_loops, 0);
            if (components_of(g, NULL) != 1)
                fail_msg("%s %s: %u components", all[i][0], all[i][1], components_of(g, NULL));
            for (uint32_t v = 0; v < g->n_nodes; v++) {
                assert_true(g->x[v] == floor(g->x[v]) && g->y[v] == floor(g->y[v]) && g->x[v] >= 0 &&
                            g->y[v] >= 0);
                for (uint32_t u = 0; u < v && g->n_nodes <= 1000; u++)
                    assert_false(g->x[u] == g->x[v] && g->y[u] == g->y[v]);
            }
            weir_graph_free(g);
        }
}

/* Where BRITE's C++ engine would not end: nearly all nodes have node 0 for a neighbour. */
static void ends(void **state)
{
    static const char *const all[] = {"N=500 m=1 p=0 q=0.8", "N=4 m=1 p=0.1 q=0.8", "N=5 m=4 p=0.1 q=0.85",
                                      "N=3000 m=2 p=0.05 q=0.9"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = generated("ba-2", all[i], 1);
        assert_int_equal(components_of(g, NULL), 1);
        weir_graph_free(g);
    }
}

/* ---- degrees ---- */

/* The least degree from which on the tail is fitted: the law 2 m (m + 1) / (k (k + 1) (k + 2)) is a power of
 * exponent 3 only for k far above 1. Estimator of Clauset, Shalizi and Newman (2009), equation 3.7. */
static double tail_exponent(const weir_graph *g, uint32_t least, uint32_t *n)
{
    double sum = 0;
    *n = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        if (degree_of(g, v) >= least) {
            sum += log(degree_of(g, v) / (least - 0.5));
            ++*n;
        }
    return 1 + *n / sum;
}

static void ba_exponent(void **state)
{
    (void)state;
    for (uint32_t m = 2; m <= 4; m++) {
        char text[60];
        uint32_t n;
        snprintf(text, sizeof text, "N=100000 m=%u", m);
        weir_graph *g = generated("barabasi-albert", text, 1);
        const double exponent = tail_exponent(g, 12 * m, &n);
        print_message("m = %u: exponent %.3f over %u nodes\n", m, exponent, n);
        if (!(fabs(exponent - 3) <= 0.15))
            fail_msg("m = %u: exponent %.3f over %u nodes; want 3 +- 0.15", m, exponent, n);
        weir_graph_free(g);
    }
}

/* The whole distribution: P(k) = 2 m (m + 1) / (k (k + 1) (k + 2)), k >= m (Dorogovtsev, Mendes, Samukhin
 * 2000). */
static void ba_degrees(void **state)
{
    enum { N = 100000, M = 2, MOST = 30 };
    uint32_t count[MOST + 1] = {0};
    double chi2 = 0;
    (void)state;
    weir_graph *g = generated("barabasi-albert", "N=100000 m=2", 7);
    for (uint32_t v = 0; v < N; v++)
        if (degree_of(g, v) <= MOST)
            count[degree_of(g, v)]++;
    assert_int_equal(count[0] + count[1], 0);
    for (uint32_t k = M; k <= MOST; k++) {
        const double expected = N * 2.0 * M * (M + 1) / ((double)k * (k + 1) * (k + 2));
        chi2 += (count[k] - expected) * (count[k] - expected) / expected;
    }
    if (!(chi2 <= 29 + 4 * sqrt(2 * 29.0)))
        fail_msg("chi-square %.1f over %d degrees", chi2, MOST - M + 1);
    weir_graph_free(g);
}

/* Expected numbers of links: a new node brings m with a chance of 1 - p - q, and m more come with p; so after
 * n new nodes m n (1 + p / (1 - p - q)) and those of the start. Some drawn ones are double and left out. */
static void evolving_links(void **state)
{
    (void)state;
    weir_graph *g = generated("ba-2", "N=20000 m=2 p=0.3 q=0.2 engine=model", 3);
    assert_true(fabs(g->n_edges / 2.0 / (2 * 20000 * 1.6) - 1) < 0.02);
    weir_graph_free(g);
    g = generated("glp", "N=20000 m=1 p=0.45 beta=0.64 engine=model", 3);
    assert_true(fabs(g->n_edges / 2.0 / (20000 / 0.55) - 1) < 0.03);
    weir_graph_free(g);
}

/* ---- distances ---- */

enum { BINS = 12 };

static double distance(const weir_graph *g, uint32_t u, uint32_t v)
{
    return hypot(g->x[u] - g->x[v], g->y[u] - g->y[v]);
}

static void judge(const char *what, const double *seen, const double *expected, const double *variance)
{
    for (int b = 0; b < BINS; b++)
        if (!(fabs(seen[b] - expected[b]) <= 4.5 * sqrt(variance[b]) + 1))
            fail_msg("%s: %.0f links in distance bin %d, expected %.1f +- %.1f", what, seen[b], b,
                     expected[b], sqrt(variance[b]));
}

/* Each pair by itself: Waxman's probability in every class of distances. */
static void waxman_pairs_law(void **state)
{
    enum { N = 2500 };
    double seen[BINS] = {0}, expected[BINS] = {0}, variance[BINS] = {0};
    const double longest = sqrt(2.0) * 1000, reach = 0.2 * longest;
    (void)state;
    weir_graph *g = generated("waxman", "N=2500 growth=pairs alpha=0.15 beta=0.2", 5);
    for (uint32_t v = 0; v < N; v++)
        for (uint32_t u = 0; u < v; u++) {
            const double d = distance(g, u, v), p = 0.15 * exp(-d / reach);
            const int b = (int)(d / longest * BINS);
            expected[b] += p;
            variance[b] += p * (1 - p);
        }
    for (uint32_t u = 0; u < N; u++)
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
            seen[(int)(distance(g, u, g->target[e]) / longest * BINS)] += 0.5;
    judge("pairs", seen, expected, variance);
    weir_graph_free(g);
}

/* Incremental, m = 1: node v joins u < v with probability exp(-d / (beta L)) over the sum for all earlier
 * nodes. Enough nodes that every way of drawing is used. */
static void waxman_growth_law(void **state)
{
    static const struct {
        const char *text;
        double beta;
    } all[] = {{"N=3000 m=1 beta=0.2", 0.2},
               {"N=3000 m=1 beta=0.03", 0.03},
               {"N=3000 m=1 beta=0.004", 0.004},
               {"N=3000 m=1 beta=0.2 NodePlacement=2", 0.2},
               {"N=3000 m=1 beta=1", 1}};
    const double longest = sqrt(2.0) * 1000;
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double seen[BINS] = {0}, expected[BINS] = {0}, variance[BINS] = {0};
        /* Bins in units of the reach where that is short. */
        const double width = (all[i].beta * 6 < 1 ? all[i].beta * 6 : 1) * longest / BINS;
        weir_graph *g = generated("waxman", all[i].text, 11);
        for (uint32_t v = 1; v < g->n_nodes; v++) {
            double weight[BINS] = {0}, sum = 0;
            for (uint32_t u = 0; u < v; u++) {
                const double d = distance(g, u, v), w = exp(-d / (all[i].beta * longest));
                const int b = (int)(d / width);
                weight[b < BINS ? b : BINS - 1] += w;
                sum += w;
            }
            for (int b = 0; b < BINS; b++) {
                expected[b] += weight[b] / sum;
                variance[b] += weight[b] / sum * (1 - weight[b] / sum);
            }
            for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
                if (g->target[e] < v) {
                    const int b = (int)(distance(g, v, g->target[e]) / width);
                    /* Node 0, the first, joins one of all the others at the end: not of this law. */
                    seen[b < BINS ? b : BINS - 1] +=
                        g->target[e] != 0 || g->link[e] != (uint32_t)g->n_nodes - 1;
                }
        }
        judge(all[i].text, seen, expected, variance);
        weir_graph_free(g);
    }
}

/* ---- rates ---- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The largest difference between the distribution of the links' rates and `cdf`, times sqrt(n): above 1.95
 * with a chance of 1 in 1,000 (Kolmogorov). */
static double ks(const weir_graph *g, bool between, double (*cdf)(double mbps))
{
    uint64_t *rate = malloc(g->n_edges * sizeof *rate);
    size_t n = 0;
    double worst = 0;
    for (uint32_t u = 0; u < g->n_nodes; u++)
        for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++)
            if (g->target[e] > u && within_as(g, u, g->target[e]) != between)
                rate[n++] = g->rate_bps[e];
    assert_true(n >= 50); /* judges nothing otherwise */
    qsort(rate, n, sizeof *rate, ascending);
    for (size_t i = 0; i < n; i++) {
        const double f = cdf((double)rate[i] / 1e6);
        worst = fmax(worst, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    free(rate);
    return worst * sqrt((double)n);
}

static double uniform(double x)
{
    return (x - 10) / (1024 - 10);
}

static double exponential(double x)
{
    return 1 - exp(-x / 10);
}

static double heavy(double x)
{
    return (1 - pow(1 / x, 1.2)) / (1 - pow(1.0 / 1024, 1.2)); /* the C++ engine's begins at 1 */
}

static void rates(void **state)
{
    static const struct {
        const char *word;
        double (*cdf)(double);
    } all[] = {{"uniform", uniform}, {"exponential", exponential}, {"heavy-tailed", heavy}};
    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            char text[200];
            snprintf(text, sizeof text, "as_N=1000 as_m=3 rt_N=5 rt_m=2 BWInter=%s BWIntra=%s", all[i].word,
                     all[j].word);
            weir_graph *g = generated("top-down", text, 2);
            const double inter = ks(g, true, all[i].cdf), intra = ks(g, false, all[j].cdf);
            if (!(inter <= 1.95 && intra <= 1.95))
                fail_msg("%s: KS %.2f between ASes, %.2f within", text, inter, intra);
            weir_graph_free(g);
        }
    weir_graph *g = generated("waxman", "N=5000 BWDist=heavy-tailed", 2);
    assert_true(ks(g, false, heavy) < 1.95);
    weir_graph_free(g);
}

/* ---- seeds ---- */

static void seeds(void **state)
{
    static const struct {
        const char *model, *text;
        uint64_t hash; /* of seed 1: pinned, so that another machine or compiler that differs is found out */
    } all[] = {
        {"waxman", "N=2000", UINT64_C(0xe8e96d40edd84a4a)},
        {"waxman", "N=500 growth=all placement=heavy-tailed BWDist=exponential",
         UINT64_C(0x78aa4fd4dd368162)},
        {"waxman", "N=500 growth=pairs BWDist=uniform", UINT64_C(0xc27d0ed321be19fa)},
        {"barabasi-albert", "N=2000 BWDist=heavy-tailed", UINT64_C(0xdd49acf027e1aa48)},
        {"ba-2", "N=500", UINT64_C(0x75dc091939b4a0d4)},
        {"glp", "N=500", UINT64_C(0x33543784cfabde8b)},
        {"ba-2", "N=500 engine=java", UINT64_C(0xa382848edaae664c)},
        {"ba-2", "N=500 engine=model", UINT64_C(0x7c0dc75c3d7c3434)},
        {"glp", "N=500 engine=java", UINT64_C(0x4cb24e25c9e0f3e6)},
        {"glp", "N=500 engine=model", UINT64_C(0xda46dd8990fb9770)},
        {"top-down", "", UINT64_C(0xd95c2c596c283027)},
        {"bottom-up", "AssignType=exponential", UINT64_C(0x804cefc0cbab5511)},
        {"erdos-renyi", "", UINT64_C(0x3edb55ec165e2867)},
        {"random-regular", "", UINT64_C(0x8d38ca16b53d84ca)},
    };
    (void)state;
    bool good = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t hash[3];
        for (uint64_t k = 0; k < 3; k++) {
            weir_graph *g = generated(all[i].model, all[i].text, k == 2 ? 2 : 1);
            hash[k] = graph_hash(g);
            weir_graph_free(g);
        }
        assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
        if (hash[0] != all[i].hash)
            print_message("%s %s: 0x%016llx\n", all[i].model, all[i].text, (unsigned long long)hash[0]);
        good &= hash[0] == all[i].hash;
    }
    assert_true(good);
}

/* ---- what cannot be ---- */

static void impossible(void **state)
{
    static const char *const all[][3] = {
        {"waxman", "N=5 m=5", "m is 5, but 5 nodes have only 4 others"},
        {"barabasi-albert", "N=10 m=10", "want m < N"},
        {"barabasi-albert", "N=0", "0 is out of range"},
        {"barabasi-albert", "N=10 m=0", "0 is out of range"},
        {"barabasi-albert", "N=16000000 m=10 HS=100000", "160000000 links"},
        {"waxman", "N=10000 HS=99", "9801 places; raise HS"},
        {"waxman", "N=10 LS=2000 placement=heavy-tailed", "LS is 2000"},
        {"waxman", "N=9500 HS=100 LS=30 placement=heavy-tailed", "hold only 8100"},
        {"waxman", "alpha=0", "alpha: 0 is out of range"},
        {"waxman", "alpha=nan", "alpha"},
        {"waxman", "beta=1.5", "beta: 1.5 is out of range"},
        {"waxman", "N=100 growth=pairs alpha=0.0001", "cannot hold 100 nodes together"},
        {"waxman", "N=1000000 growth=pairs alpha=1 beta=1", "a graph holds 67108864 links"},
        {"waxman", "growth=sideways", "incremental all pairs"},
        {"waxman", "nodes=10 N=20", "given twice"},
        {"waxman", "NN=20", "did you mean"},
        {"ba-2", "p=0.6 q=0.4", "no node is ever added"},
        {"glp", "beta=1", "less than 1"},
        {"glp", "p=1", "less than 1"},
        {"glp", "N=1000000 m=2 p=0.99", "about 200000000 links"},
        {"waxman", "BWDist=uniform BWMin=20 BWMax=10", "BWMax is 10"},
        {"waxman", "BWDist=heavy-tailed BWMin=10 BWMax=10", "no tail is left"},
        {"top-down", "as_N=3 as_m=3", "as_m is 3"},
        {"top-down", "rt_N=3 rt_m=3", "rt_m is 3"},
        {"top-down", "as_N=10000 rt_N=10000", "100000000 nodes"},
        {"top-down", "edgeConn=smallest-k k=90", "no router of a degree above 90"},
        {"bottom-up", "NumAS=101", "NumAS is 101"},
        {"erdos-renyi", "nodes=10 links=46", "10 nodes have 45 pairs"},
        {"erdos-renyi", "nodes=1000 p=0.0001", "parts: keep"},
        {"erdos-renyi", "nodes=1000000 p=0.5", "a graph holds at most"},
        {"random-regular", "nodes=7 degree=3", "both odd"},
        {"random-regular", "nodes=4 degree=4", "only 3 others"},
        {"random-regular", "nodes=10 degree=1", "fall into pairs"},
        {"dragonfly", "a=2 h=1 groups=4", "at most 3 groups"},
        {"dragonfly", "a=4096 h=4096", "a graph holds at most"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        weir_graph *g = NULL;
        weir_diag *diag = weir_diag_new();
        const weir_status st = generate_text(diag, all[i][0], all[i][1], 1, &g);
        if (st != WEIR_E_SCENARIO || g || !strstr(weir_diag_get(diag, 0)->text, all[i][2]))
            fail_msg("%s %s: status %d, '%s'", all[i][0], all[i][1], (int)st,
                     weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "");
        weir_diag_free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(structure),
        cmocka_unit_test(ends),
        cmocka_unit_test(ba_exponent),
        cmocka_unit_test(ba_degrees),
        cmocka_unit_test(evolving_links),
        cmocka_unit_test(waxman_pairs_law),
        cmocka_unit_test(waxman_growth_law),
        cmocka_unit_test(rates),
        cmocka_unit_test(seeds),
        cmocka_unit_test(impossible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

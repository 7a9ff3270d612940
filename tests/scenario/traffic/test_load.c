/*
 * Transfers that come by a load. What each source is given is its links' rate times the load over the mean size, whatever the
 * rates, sizes and pairs are, and as a density of fluid the same; what a run then sends is that, within four standard
 * deviations of a compound Poisson process; and where all sources are alike it is the class with the rate written out, to the
 * last bit.
 */
#include <math.h>

#include "scenario/net_run.h"
#include "scenario/run_text.h"

typedef struct size_case {
    const char *text;
    double mean_bytes, cv2; /* squared coefficient of variation */
} size_case;

static const size_case sizes[] = {
    {"125kB", 125e3, 0.0}, {"{exponential: 40kB}", 40e3, 1.0}, {"{uniform: [10kB, 30kB]}", 20e3, 1.0 / 12.0}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* h0 has a line ten times as fast; m hangs on two. */
#define NETWORK                                                                                          \
    "topology: {file: load.txt, format: edges, link: {rate: 1Gbps, delay: 10us}, links: [{link: h0--s, " \
    "rate: "                                                                                             \
    "10Gbps},\n  {link: m--s, rate: 2Gbps}, {link: m--h3, rate: 500Mbps}]}\n"

static double rate_of(const net_run *r, uint32_t node)
{
    const char *name = r->network->graph->name[node];
    return strcmp(name, "h0") == 0   ? 10e9
           : strcmp(name, "m") == 0  ? 2.5e9
           : strcmp(name, "s") == 0  ? 14e9
           : strcmp(name, "h3") == 0 ? 0.5e9
                                     : 1e9;
}

static void sources_have_their_share(void **state)
{
    (void)state;
    static const char *const pairs[] = {"pairs: all", "from: [h0, m], to: [h1, h2]",
                                        "pairs: [[h0, h1], [m, h2], [h3, h0], [h0, h2], [h0, h3]]"};
    static const double loads[] = {0.05, 0.5, 1.0};
    for (size_t p = 0; p < 3; p++)
        for (size_t k = 0; k < SIZES; k++)
            for (size_t l = 0; l < 3; l++) {
                net_run *r = net_run_new(
                    WEIR_1 NETWORK "traffic: [{name: w, %s, tcp: {size: %s, arrivals: {load: %g%%}}}]\n",
                    pairs[p], sizes[k].text, 100.0 * loads[l]);
                const wi_net_plan *a = &r->network->plan;
                assert_true(a->n_arrivals >= 2);
                for (uint32_t i = 0; i < a->n_arrivals; i++) {
                    const double per_s =
                        loads[l] * rate_of(r, a->arrivals[i].src) / (8.0 * sizes[k].mean_bytes);
                    assert_true(fabs(a->arrivals[i].gap_ps * per_s / 1e12 - 1.0) < 1e-9);
                    for (uint32_t j = 0; j < i; j++)
                        assert_true(a->arrivals[i].src != a->arrivals[j].src);
                }
                net_run_end(r);
            }
}

static void fluid_has_the_same(void **state)
{
    (void)state;
    net_run *r =
        net_run_new(WEIR_1 NETWORK
                    "traffic: [{name: w, pairs: [[h0, h1], [m, h2], [h3, h0], [h0, h2]], fidelity: fluid,\n"
                    "  tcp: {size: {exponential: 40kB}, arrivals: {load: 30%%}}}]\n");
    const wi_fluid_list *f = &r->network->fluid_flows;
    assert_int_equal(f->n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const double rate_bps = rate_of(r, f->item[i].src), pairs = rate_bps == 10e9 ? 2.0 : 1.0;
        assert_true(fabs(f->item[i].per_s * pairs * 8.0 * 40e3 / (0.3 * rate_bps) - 1.0) < 1e-9);
    }
    net_run_end(r);
}

/* Bytes of transfers that have begun: N of mean m, so that the sum's variance is N m^2 (1 + cv^2). */
static void runs_send_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIZES; k++)
        for (double load = 0.1; load < 0.7; load += 0.25) {
            net_run *r = net_run_new(
                WEIR_1
                "topology: {generate: {model: star, hosts: 6, access_rate: 1Gbps, access_delay: 5us}}\n"
                "traffic: [{name: w, pairs: all, tcp: {size: %s, arrivals: {load: %g%%}}}]\n",
                sizes[k].text, 100.0 * load);
            net_run_until(r, SEC);
            const double wanted = load * 6 * 1e9 / 8.0, n = wanted / sizes[k].mean_bytes,
                         sd = sqrt((1.0 + sizes[k].cv2) / n), got = (double)r->tx_done_bytes / wanted;
            print_message("  %s, load %.2f: %.4f of the bytes, standard deviation %.4f\n", sizes[k].text,
                          load, got, sd);
            /* What is under way at the end is not done yet: some transfers of each host. */
            assert_true(got < 1.0 + 4.0 * sd && got > 1.0 - 4.0 * sd - 24.0 / n);
            net_run_end(r);
        }
}

static weir_run_result run(const char *arrivals)
{
    static const char text[] =
        "weir: 1\nduration: 200ms\n"
        "topology: {generate: {model: star, hosts: 4, access_rate: 1Gbps, access_delay: 5us}}\n"
        "traffic: [{name: w, pairs: all, tcp: {size: 125kB}}]\n";
    char set[100];
    const char *const sets[] = {set};
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(set, sizeof set, "traffic.w.tcp.arrivals=%s", arrivals);
    expect_ok(diag, run_text(diag, text, NULL, sets, 1, &result));
    weir_diag_free(diag);
    return result;
}

static void it_is_a_rate(void **state)
{
    (void)state;
    weir_run_result load = run("{load: 50%}"), rate = run("{poisson: 2000/s}");
    assert_true(load.events > 1000);
    assert_true(load.event_digest == rate.event_digest && load.state_digest == rate.state_digest);
    weir_run_result_free(&load);
    weir_run_result_free(&rate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sources_have_their_share),
                                       cmocka_unit_test(fluid_has_the_same), cmocka_unit_test(runs_send_it),
                                       cmocka_unit_test(it_is_a_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

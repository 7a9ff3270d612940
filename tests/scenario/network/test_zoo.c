/*
 * label: slow
 *
 * A second of random UDP and TCP pairs on every connected network of the Internet Topology Zoo that is at
 * hand: packets are conserved (weir_run checks it), everybody is reached, no packet loops. The data is found
 * by WEIR_DATA, by default ../shared/data beside the source; where it is not, this test skips and says so.
 */
#include <dirent.h>

#include "diag.h"
#include "scenario/run_text.h"
#include "skip.h"
#include "weir/topology.h"

static bool connected(const char *path)
{
    weir_diag *diag = weir_diag_new();
    weir_graph *graph = NULL;
    weir_topology_stats stats;
    expect_ok(diag, weir_topology_load(diag, path, NULL, &graph));
    expect_ok(diag, weir_topology_info(diag, graph, &stats));
    const bool whole = stats.components == 1;
    weir_topology_stats_free(&stats);
    weir_graph_free(graph);
    weir_diag_free(diag);
    return whole;
}

/* Random pairs on one network; seed 1, paths by delay, or spread over equal numbers of hops. */
static void run_one(const char *path, const char *routing)
{
    char text[8192];
    weir_diag *diag = weir_diag_new();
    weir_run_result result;
    snprintf(text, sizeof text,
             "weir: 1\nduration: 1s\n"
             "topology: {file: '%s', link: {rate: 20Mbps, override: true}, queue: {limit: 50kB}}\n"
             "routing: {%s}\n"
             "traffic:\n"
             "  - {name: bulk, tcp: {window: 64kB}, pairs: {random: 30}, start: {uniform: [0s, 0.2s]}}\n"
             "  - {name: mice, tcp: {size: {pareto: {mean: 20kB, shape: 1.2}}, arrivals: {poisson: 200/s}},\n"
             "     pairs: {random: 30}}\n"
             "  - {name: noise, udp: {rate: 300kbps, pattern: poisson}, pairs: {random: 30}}\n"
             "output: {ports: none}\n",
             path, routing);
    expect_ok(diag, run_text(diag, text, "/", NULL, 0, &result));
    assert_true(result.packet_hops > 10000);
    assert_non_null(result.summary_json);
    weir_run_result_free(&result);
    weir_diag_free(diag);
}

static void every_connected_network(void **state)
{
    int n = 0;
    (void)state;
    DIR *folder = opendir(data_path("topology-zoo"));
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[8192];
        const size_t length = strlen(entry->d_name);
        if (length < 8 || strcmp(entry->d_name + length - 8, ".graphml") != 0)
            continue;
        snprintf(path, sizeof path, "%s/topology-zoo/%s", data_root(), entry->d_name);
        if (!connected(path))
            continue;
        run_one(path, "metric: delay");
        run_one(path, "ecmp: true");
        n++;
    }
    closedir(folder);
    print_message("  %d networks, twice each\n", n);
    assert_true(n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_connected_network)};
    return test_result(cmocka_run_group_tests(tests, NULL, NULL));
}

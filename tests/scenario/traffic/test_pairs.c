/* Random pairs on a map that is not connected: only those that have a way, each as likely as any other. */
#include "scenario/net_run.h"

#include "topology/measure/measure.h"
#include "splitmix.h"

/* Parts of 2, 3 and 4 nodes: 2 + 6 + 12 ordered pairs. */
static void random_pairs_are_connected_and_even(void **state)
{
    (void)state;
    enum { NODES = 9, PAIRS = 20, FLOWS = 20000 };
    uint32_t count[NODES][NODES] = {{0}};
    net_run *r = net_run_new(WEIR_1 "topology: {file: apart.txt}\n"
                                    "traffic: [{name: a, pairs: {random: %d}, udp: {rate: 1bps}}]\n",
                             FLOWS);
    const wi_net_plan *plan = &r->network->plan;
    assert_int_equal(plan->n_flows, FLOWS);
    for (uint32_t i = 0; i < plan->n_flows; i++)
        count[plan->flows[i].src][plan->flows[i].dst]++;
    uint32_t drawn = 0;
    double chi2 = 0.0;
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            if (count[a][b] > 0) {
                const double off = count[a][b] - (double)FLOWS / PAIRS;
                chi2 += off * off / ((double)FLOWS / PAIRS);
                drawn++;
            }
    assert_int_equal(drawn, PAIRS);
    if (chi2 > 48.0) /* 19 degrees of freedom, p = 0.0003 */
        fail_msg("chi-square %.1f over %d pairs", chi2, PAIRS);
    net_run_end(r);
}

/* Against reachability by searching from every node. */
static void parts_are_those_of_a_search(void **state)
{
    (void)state;
    enum { NODES = 30 };
    uint64_t random = 5;
    for (int round = 0; round < 300; round++) {
        uint32_t first[NODES + 1] = {0}, target[NODES * 4], n_parts = 0;
        bool reach[NODES][NODES] = {{false}};
        for (uint32_t v = 0; v < NODES; v++) {
            reach[v][v] = true;
            first[v + 1] = first[v];
            for (uint32_t k = rnd_below(&random, 1 + (uint32_t)round % 4); k > 0; k--) {
                const uint32_t w = rnd_below(&random, NODES);
                target[first[v + 1]++] = w;
                reach[v][w] = true;
            }
        }
        for (uint32_t k = 0; k < NODES; k++)
            for (uint32_t a = 0; a < NODES; a++)
                for (uint32_t b = 0; b < NODES; b++)
                    reach[a][b] |= reach[a][k] && reach[k][b];
        const weir_graph g = {
            .n_nodes = NODES, .n_edges = first[NODES], .first = first, .end = first + 1, .target = target};
        uint32_t *part = wi_connected_parts(&g, &n_parts);
        assert_non_null(part);
        for (uint32_t a = 0; a < NODES; a++)
            for (uint32_t b = 0; b < NODES; b++)
                assert_int_equal(part[a] == part[b], reach[a][b] && reach[b][a]);
        for (uint32_t a = 0; a < NODES; a++)
            assert_true(part[a] < n_parts);
        free(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_pairs_are_connected_and_even),
                                       cmocka_unit_test(parts_are_those_of_a_search)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Jobs of many ranks: by night 100,000, else 3,000. label: slow
 *   memory    what a rank of a ring's all-reduce has besides its host and its messages' slots: at most 1 kB, however many there
 *             are. Its 2 (n - 1) steps, of which there are n, are nowhere.
 *   messages  of n ranks, 2^k and e more, by recursive doubling k 2^k + 2 e, along a tree 2 (n - 1) a half
 *   time      no iteration is shorter than its chain of messages on an empty network
 */
#include "nightly.h"
#include "scenario/net_run.h"
#include "scenario/run_summary.h"

static uint32_t ranks(void)
{
    return nightly() ? 100000 : 3000;
}

/* 500 hosts a leaf. */
static void write_text(char *text, size_t size, uint32_t n, const char *duration, const char *keys)
{
    snprintf(text, size,
             "weir: 1\nduration: %s\ntopology: {generate: {model: leaf-spine, leaves: %u, spines: 2, hosts: "
             "500, access_rate: 10Gbps, access_delay: 1us, rate: 100Gbps, delay: 1us}}\n"
             "traffic: [{name: j, job: {trace: reduce.txt, ranks: %u, actions: false, %s}, tcp: {handshake: "
             "false}}]\n",
             duration, (n + 499) / 500, n, keys);
}

static void a_waiting_rank_takes_a_kilobyte(void **state)
{
    (void)state;
    char text[2000];
    write_text(text, sizeof text, ranks(), "1ms", "allreduce: ring, small: 0B, iterations: 3");
    net_run *r = net_run_new("%s", text);
    const net_world *w = wi_net_world(r->net);
    const wi_placed_job *job = r->network->jobs[0];
    const uint32_t n = NET_ARRAY(w, uint32_t, host_ranks)[w->n_hosts];
    const uint64_t words = r->net->pool_first[NET_POOL_HOST_WORDS][w->n_hosts],
                   ops = NET_ARRAY(w, net_rank, job_ranks)[n].first_op;
    const double state_bytes = 8.0 * (double)words,
                 world_bytes =
                     (double)n * sizeof(net_rank) + (double)ops * sizeof(net_op) +
                     4.0 * (double)(n + job->job->n_edges + job->job->n_together + job->plan.n_lists),
                 job_bytes = (double)ops * sizeof(wi_job_op) +
                             (double)job->job->n_edges * sizeof(wi_job_edge) +
                             4.0 * (double)(job->job->n_together + job->job->n_members + job->plan.n_lists),
                 plan_bytes = (double)n * (sizeof(wi_net_arrivals_plan) + 4 * sizeof(uint32_t));
    assert_int_equal(n, ranks());
    const double each = (state_bytes + world_bytes + job_bytes + plan_bytes) / n;
    print_message("%u ranks: %.0f bytes each, state %.0f, world %.0f, job %.0f, plan %.0f\n", n, each,
                  state_bytes / n, world_bytes / n, job_bytes / n, plan_bytes / n);
    assert_true(each <= 1024.0);
    assert_true(r->net->n_tx <= 8 * n && r->net->n_rx <= 8 * n);
    net_run_end(r);
}

static void run(const char *keys, double want, double least_s)
{
    char text[2000];
    const uint32_t n = ranks();
    write_text(text, sizeof text, n, "1s", keys);
    json_t *s = summary_of(text, NULL, 0, NULL);
    assert_int_equal(class_number(s, 0, "job", "ranks_ended"), n);
    assert_true(class_number(s, 0, "job", "messages") == want);
    assert_true(class_number(s, 0, NULL, "completed") == want);
    assert_true(class_number(s, 0, "job", "iteration_mean_s") > least_s);
    json_decref(s);
}

static void all_of_them_end(void **state)
{
    (void)state;
    const uint32_t n = ranks();
    uint32_t k = 0;
    while (2u << k <= n)
        k++;
    const double message = 2.0 * 1040 * 0.8e-9 + 2e-6; /* within a leaf */
    run("allreduce: doubling, iterations: 3", 3.0 * (k * (double)(1u << k) + 2.0 * (n - (1u << k))),
        k * message);
    run("allreduce: tree, small: 0B, iterations: 2", 2.0 * 2 * 2 * (n - 1.0), k * 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waiting_rank_takes_a_kilobyte),
        cmocka_unit_test(all_of_them_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Kademlia on the sequential engine: events per second against peers and think time, and memory a peer.
 * links: models engine base
 *
 * bench_kademlia [REPEATS [LOG2_PEERS [CSV]]]. The axes are those of figure 5 of Andelfinger and Hartenstein
 * 2014: pauses between lookups uniform on [0, d_max]. Each row: the median of REPEATS (default 3) timed parts
 * of one run, after a warm-up. Before anything is timed, a small network must give its pinned digest, and
 * every row must end 99 % of its lookups at the true closest peer. Sizes are 2^14, 2^17 and 2^20; LOG2_PEERS
 * runs one size alone, and 0 all from 2^14 to 2^20. What is printed goes to the file CSV too, for
 * tools/plot_kademlia_bench.py.
 */
#include "kademlia_csv.h"
#include "models/kademlia/kademlia.h"
#include "../tests/models/usual/kademlia.h"

static weir_sim *start(weir_diag *diag, const kad_params *params, wi_kad **kad)
{
    weir_setup setup;
    weir_sim *sim;
    bench_must(diag, wi_kad_new(diag, params, kad));
    wi_kad_setup(*kad, &setup);
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

/* The digest that tests/models/test_kademlia.c pins too. */
static void check_digest(weir_diag *diag)
{
    kad_params params;
    wi_kad *kad;
    usual_kademlia(&params);
    weir_sim *sim = start(diag, &params, &kad);
    bench_must(diag, weir_sim_run(diag, sim, 20 * WEIR_PS_PER_S, NULL));
    if (weir_sim_event_digest(sim) != UINT64_C(0x4c0af44bc54177a5))
        bench_fail("digest %016llx is not the pinned one", (unsigned long long)weir_sim_event_digest(sim));
    weir_sim_free(sim);
    wi_kad_free(kad);
}

static void check_answers(const weir_sim *sim)
{
    const int64_t *c = weir_sim_counters(sim);
    const int64_t finished = c[kad_kind_counter(KAD_FIND_NODE, KAD_FINISHED)],
                  exact = c[kad_kind_counter(KAD_FIND_NODE, KAD_EXACT)];
    if (finished < 1000 || exact < finished / 100 * 99)
        bench_fail("%lld of %lld lookups ended at the closest peer", (long long)exact, (long long)finished);
}

static void bench(weir_diag *diag, uint32_t log2_peers, weir_time think_ps, int repeats, FILE *csv)
{
    kad_params params;
    wi_kad *kad;
    usual_kademlia(&params);
    params.n_peers = 1u << log2_peers;
    params.think_ps = think_ps;
    const double t_init = bench_wall_s();
    weir_sim *sim = start(diag, &params, &kad);
    const double init_s = bench_wall_s() - t_init;

    /* A lookup is some thirty events, once in think/2 plus 0.6 s for each peer. */
    const double per_s = 30.0 * params.n_peers / (0.5 * weir_seconds(think_ps) + 0.6);
    const weir_time part_ps = (weir_time)(2e6 / per_s * 1e12), warm_ps = WEIR_PS_PER_S + part_ps / 2;
    double rate[BENCH_REPEATS_MAX];
    const double wall_s = bench_parts(diag, sim, warm_ps, part_ps, repeats, rate);
    check_answers(sim);
    weir_sim_memory memory;
    weir_sim_memory_use(sim, &memory);
    const double peers = params.n_peers, times_real = weir_seconds(repeats * part_ps) / wall_s,
                 middle = bench_median(rate, repeats), fel_bytes = (double)memory.pending_peak_bytes / peers,
                 bytes = (double)(memory.state_bytes + wi_kad_world_bytes(kad)) / peers + sizeof(weir_time);
    printf("%9u %7.0f %10.2f %8.2f .. %-6.2f %9.2f %8.1f %8.0f %8.0f %8.1f\n", params.n_peers,
           weir_seconds(think_ps), middle / 1e6, rate[0] / 1e6, rate[repeats - 1] / 1e6, times_real, init_s,
           bytes, fel_bytes, (double)memory.pending_peak / peers);
    kademlia_csv_row(csv, &(kademlia_cell){.peers = params.n_peers,
                                           .think_ps = think_ps,
                                           .variant = "sequential",
                                           .events_per_s = middle,
                                           .times_real_time = times_real,
                                           .bytes_per_peer = bytes + fel_bytes});
    fflush(stdout);
    weir_sim_free(sim);
    wi_kad_free(kad);
}

int main(int argc, char **argv)
{
    static const uint32_t few[] = {14, 17, 20}, all[] = {14, 15, 16, 17, 18, 19, 20};
    static const weir_time thinks_ps[] = {10 * WEIR_PS_PER_S, 60 * WEIR_PS_PER_S, 600 * WEIR_PS_PER_S};
    const int repeats = bench_count(argc, argv, 1, 3, BENCH_REPEATS_MAX);
    const int only = argc > 2 ? atoi(argv[2]) : -1;
    const uint32_t one[] = {(uint32_t)only};
    if (only > 26)
        bench_fail("[REPEATS [LOG2_PEERS [CSV]]]: 1 to 26 or 0, not %s", argv[2]);
    const uint32_t *sizes = only > 0 ? one : only == 0 ? all : few;
    const size_t n = only > 0 ? 1 : only == 0 ? sizeof all / sizeof *all : sizeof few / sizeof *few;
    FILE *csv = kademlia_csv_open(argc > 3 ? argv[3] : NULL);
    weir_diag *diag = weir_diag_new();
    check_digest(diag);
    printf("Kademlia, sequential engine, one core; k 8, alpha 3, latency 10 ms + Exp(50 ms)\n");
    printf("%9s %7s %10s %18s %9s %8s %8s %8s %8s\n", "peers", "d_max s", "Mevents/s", "least .. most",
           "x real", "set-up s", "B/peer", "FEL B", "events");
    for (size_t s = 0; s < n; s++)
        for (size_t t = 0; t < sizeof thinks_ps / sizeof thinks_ps[0]; t++)
            bench(diag, sizes[s], thinks_ps[t], repeats, csv);
    kademlia_csv_close(csv);
    weir_diag_free(diag);
    return 0;
}

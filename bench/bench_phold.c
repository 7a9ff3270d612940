/*
 * PHOLD on the sequential engine: events per second against population and entities. links: models engine
 * base
 *
 * bench_phold [REPEATS]. Each row: the median of REPEATS (default 5) timed parts of one run, after a warm-up
 * of two events per pending event; the digest of a second run of the same length must be the same. Lookahead
 * 1 us, mean 1 us, half of the hops remote.
 */
#include "bench.h"
#include "models/phold/phold.h"
#include "../tests/models/usual/phold.h"

typedef struct bench_row {
    uint32_t entities, events_each;
    double goal; /* events/s; 0: none */
} bench_row;

static weir_sim *start(weir_diag *diag, const wi_uniform *phold)
{
    weir_setup setup;
    weir_sim *sim;
    wi_uniform_setup(phold, &setup);
    setup.seed = 1;
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

static void bench(weir_diag *diag, const bench_row *row, int repeats)
{
    phold_params params;
    wi_uniform *phold;
    usual_phold(&params);
    params.n_entities = row->entities;
    params.events_per_entity = row->events_each;
    bench_must(diag, wi_phold_new(diag, &params, &phold));

    /* An event takes 2 us from its scheduling to its handling on average. */
    const double pending = (double)row->entities * row->events_each;
    const double events_wanted = pending < 1e6 ? 1e6 : pending;
    const weir_time warm_ps = 4 * WEIR_PS_PER_US;
    const weir_time part_ps = (weir_time)(events_wanted / pending * 2.0 * (double)WEIR_PS_PER_US);
    weir_sim *sim = start(diag, phold), *again = start(diag, phold);
    double rate[BENCH_REPEATS_MAX];
    bench_parts(diag, sim, warm_ps, part_ps, repeats, rate);
    bench_must(diag, weir_sim_run(diag, again, weir_sim_now(sim), NULL));
    bench_same(sim, again, "PHOLD");
    weir_sim_memory memory;
    weir_sim_memory_use(sim, &memory);
    printf("%9u x %-3u %10.2f %8.2f .. %-6.2f", row->entities, row->events_each,
           bench_median(rate, repeats) / 1e6, rate[0] / 1e6, rate[repeats - 1] / 1e6);
    if (row->goal > 0)
        printf(" %8.2f", row->goal / 1e6);
    else
        printf(" %8s", "-");
    printf(" %10.1f   %016llx\n", (double)memory.pending_peak_bytes / (double)memory.pending_peak,
           (unsigned long long)weir_sim_event_digest(sim));
    fflush(stdout);
    weir_sim_free(sim);
    weir_sim_free(again);
    wi_uniform_free(phold);
}

int main(int argc, char **argv)
{
    /* Goals: four times ROSS's sequential engine on such a core. */
    static const bench_row rows[] = {
        {1024, 1, 0}, {65536, 1, 4 * 0.45e6}, {65536, 16, 4 * 0.31e6}, {1048576, 8, 0}};
    const int repeats = bench_count(argc, argv, 1, 5, BENCH_REPEATS_MAX);
    weir_diag *diag = weir_diag_new();
    printf("PHOLD, sequential engine, one core; lookahead 1 us, mean 1 us, remote share 0.5\n");
    printf("%15s %10s %18s %8s %10s   %s\n", "entities", "Mevents/s", "least .. most", "goal", "B/event",
           "digest");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench(diag, &rows[i], repeats);
    weir_diag_free(diag);
    return 0;
}

/*
 * PHOLD on the sequential engine: events per second against population and entities. links: models engine
 * base
 *
 * bench_phold [REPEATS]. Each row: the median of REPEATS (default 5) timed parts of one run, after a warm-up
 * of two events per pending event; the digest of a second run of the same length must be the same. Lookahead
 * 1 us, mean 1 us, half of the hops remote.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "models/phold/phold.h"

enum { REPEATS_MAX = 99 };

static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void must(weir_diag *diag, weir_status status)
{
    if (status == WEIR_OK)
        return;
    const weir_message *message = weir_diag_get(diag, 0);
    fprintf(stderr, "bench_phold: %s\n", message ? message->text : weir_status_name(status));
    exit(1);
}

typedef struct bench_row {
    uint32_t entities, events_each;
    double goal; /* events/s; 0: none */
} bench_row;

static weir_sim *start(weir_diag *diag, const wi_phold *phold)
{
    weir_setup setup;
    weir_sim *sim;
    wi_phold_setup(phold, &setup);
    setup.seed = 1;
    must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

static void bench(weir_diag *diag, const bench_row *row, int repeats)
{
    phold_params params;
    wi_phold *phold;
    wi_phold_params_init(&params);
    params.n_entities = row->entities;
    params.events_per_entity = row->events_each;
    must(diag, wi_phold_new(diag, &params, &phold));

    /* An event takes 2 us from its scheduling to its handling on average. */
    const double pending = (double)row->entities * row->events_each;
    const double events_wanted = pending < 1e6 ? 1e6 : pending;
    const weir_time warm_ps = 4 * WEIR_PS_PER_US;
    const weir_time part_ps = (weir_time)(events_wanted / pending * 2.0 * (double)WEIR_PS_PER_US);
    weir_sim *sim = start(diag, phold);
    must(diag, weir_sim_run(diag, sim, warm_ps, NULL));

    double rate[REPEATS_MAX];
    for (int i = 0; i < repeats; i++) {
        const uint64_t before = weir_sim_events(sim);
        const double t0 = clock_s();
        must(diag, weir_sim_run(diag, sim, warm_ps + (i + 1) * part_ps, NULL));
        rate[i] = (double)(weir_sim_events(sim) - before) / (clock_s() - t0);
    }
    weir_sim *again = start(diag, phold);
    must(diag, weir_sim_run(diag, again, weir_sim_now(sim), NULL));
    if (weir_sim_event_digest(again) != weir_sim_event_digest(sim) ||
        weir_sim_state_digest(again) != weir_sim_state_digest(sim)) {
        fprintf(stderr, "bench_phold: two runs of %u x %u differ\n", row->entities, row->events_each);
        exit(1);
    }
    weir_sim_memory memory;
    weir_sim_memory_use(sim, &memory);
    qsort(rate, (size_t)repeats, sizeof rate[0], rising);
    printf("%9u x %-3u %10.2f %8.2f .. %-6.2f", row->entities, row->events_each, rate[repeats / 2] / 1e6,
           rate[0] / 1e6, rate[repeats - 1] / 1e6);
    if (row->goal > 0)
        printf(" %8.2f", row->goal / 1e6);
    else
        printf(" %8s", "-");
    printf(" %10.1f   %016llx\n", (double)memory.pending_peak_bytes / (double)memory.pending_peak,
           (unsigned long long)weir_sim_event_digest(sim));
    fflush(stdout);
    weir_sim_free(sim);
    weir_sim_free(again);
    wi_phold_free(phold);
}

int main(int argc, char **argv)
{
    /* Goals: four times ROSS's sequential engine on such a core. */
    static const bench_row rows[] = {
        {1024, 1, 0}, {65536, 1, 4 * 0.45e6}, {65536, 16, 4 * 0.31e6}, {1048576, 8, 0}};
    int repeats = argc > 1 ? atoi(argv[1]) : 5;
    repeats = repeats < 1 ? 1 : repeats > REPEATS_MAX ? REPEATS_MAX : repeats;
    weir_diag *diag = weir_diag_new();
    printf("PHOLD, sequential engine, one core; lookahead 1 us, mean 1 us, remote share 0.5\n");
    printf("%15s %10s %18s %8s %10s   %s\n", "entities", "Mevents/s", "least .. most", "goal", "B/event",
           "digest");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        bench(diag, &rows[i], repeats);
    weir_diag_free(diag);
    return 0;
}

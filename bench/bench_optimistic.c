/*
 * PHOLD on the optimistic engine beside the sequential and the conservative one: 65,536 entities with 1 and 16
 * events, 10 % and 50 % remote, lookahead = mean / 1000, on two threads, and then, where mpirun is, on two ranks that this
 * program starts (processor time is then rank 0's). links: models engine base
 *
 * bench_optimistic [TURNS [EVENTS]]: best of TURNS parts (default 15) of EVENTS events (default 1,048,576), engines in turn; all
 * digests must agree before a row is printed. `cpu` is events for each second of processor time of the process, which other
 * work on the machine changes less. Ratios are medians, over the parts, of the times for the same part, with quartiles; then
 * the median over those parts alone for which both engines had both cores (nine tenths of twice the wall's time).
 * ROSS: its optimistic rate on two processes of a like machine, 0.65 and 0.45 M events/s.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "models/phold/phold.h"
#include "weir/ranks.h"
#include "../tests/models/usual/phold.h"

enum { ENGINES = 3, TURNS_MAX = 999 };
static const char *const names[ENGINES] = {"sequential", "conservative", "optimistic"};
static const weir_engine engines[ENGINES] = {WEIR_ENGINE_SEQUENTIAL, WEIR_ENGINE_CONSERVATIVE,
                                             WEIR_ENGINE_OPTIMISTIC};

static const struct {
    uint32_t events_each;
    double remote, ross;
} rows[] = {{1, 0.1, 0.65e6}, {1, 0.5, 0.45e6}, {16, 0.1, 0.65e6}, {16, 0.5, 0.45e6}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What an engine took for each part. */
typedef struct spent {
    double wall_s[TURNS_MAX], cpu_s[TURNS_MAX];
} spent;

/* Whether each of this process's threads had a core. */
static int was_quiet(const spent *s, int i)
{
    return s->cpu_s[i] > 0.9 * (weir_ranks() > 1 ? 1 : 2) * s->wall_s[i];
}

/* The times of one engine over those of another, in order; of quiet parts alone, or of all. Returns how many. */
static int ratios(double *out, const spent *above, const spent *below, int n, int quiet)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        if (!quiet || (was_quiet(above, i) && was_quiet(below, i)))
            out[found++] = above->wall_s[i] / below->wall_s[i];
    qsort(out, (size_t)found, sizeof *out, by_size);
    return found;
}

/* Returns the digest of events that all engines have. On ranks the sequential engine is left out. */
static uint64_t row(weir_diag *diag, int n_row, int turns, int events)
{
    const uint32_t events_each = rows[n_row].events_each;
    const int on_ranks = weir_ranks() > 1, first = on_ranks ? 1 : 0;
    phold_params params;
    wi_uniform *phold;
    weir_sim *sims[ENGINES];
    double wall[ENGINES] = {0}, cpu[ENGINES] = {0}, ratio[TURNS_MAX];
    static spent took[ENGINES];
    usual_phold(&params);
    params.n_entities = 65536;
    params.events_per_entity = events_each;
    params.remote_share = rows[n_row].remote;
    params.lookahead_ps = WEIR_PS_PER_US / 1000;
    params.mean_ps = WEIR_PS_PER_US;
    bench_must(diag, wi_phold_new(diag, &params, &phold));
    for (int e = first; e < ENGINES; e++) {
        weir_setup setup;
        wi_uniform_setup(phold, &setup);
        setup.seed = 1;
        setup.engine = engines[e];
        setup.threads = engines[e] == WEIR_ENGINE_SEQUENTIAL ? 0 : on_ranks ? 1 : 2;
        bench_must(diag, weir_sim_new(diag, &setup, &sims[e]));
    }
    const weir_time part_ps = (weir_time)((double)events * 1e6 / 65536 / events_each) + 1;
    for (int turn = 0; turn <= turns; turn++) /* the first is for the caches */
        for (int e = first; e < ENGINES; e++) {
            const uint64_t before = weir_sim_events(sims[e]);
            const double t0 = bench_wall_s(), c0 = cpu_s();
            bench_must(diag, weir_sim_run(diag, sims[e], (turn + 1) * part_ps, NULL));
            const double n = (double)(weir_sim_events(sims[e]) - before);
            if (turn == 0)
                continue;
            took[e].wall_s[turn - 1] = bench_wall_s() - t0;
            took[e].cpu_s[turn - 1] = cpu_s() - c0;
            wall[e] = fmax(wall[e], n / took[e].wall_s[turn - 1]);
            cpu[e] = fmax(cpu[e], n / took[e].cpu_s[turn - 1]);
        }
    for (int e = first; e < ENGINES; e++)
        bench_must(diag, weir_sim_fetch(diag, sims[e]));
    for (int e = first + 1; e < ENGINES; e++)
        bench_same(sims[first], sims[e], names[e]);
    const uint64_t digest = weir_sim_event_digest(sims[first]);
    weir_optimistic_statistics s;
    (void)weir_sim_optimistic(sims[ENGINES - 1], &s);
    const double net = (double)(s.handled - s.rolled_back);
    if (weir_rank() == 0) {
        printf("%6u %7.0f %%", events_each, 100 * rows[n_row].remote);
        for (int e = 0; e < ENGINES; e++)
            printf(" %7.2f %7.2f", e < first ? NAN : wall[e] / 1e6, e < first ? NAN : cpu[e] / 1e6);
        (void)ratios(ratio, &took[1], &took[2], turns, 0);
        printf(" %6.2f (%.2f..%.2f)", ratio[turns / 2], ratio[turns / 4], ratio[3 * turns / 4]);
        const int quiet = ratios(ratio, &took[1], &took[2], turns, 1);
        printf(" %6.2f of %3d %6.1f %8.1f %% %5.1f %%\n", quiet > 0 ? ratio[quiet / 2] : NAN, quiet,
               wall[2] / rows[n_row].ross, 100 * (1 - (double)s.rolled_back / net),
               100 * (double)s.safe / net);
        fflush(stdout);
    }
    for (int e = first; e < ENGINES; e++)
        weir_sim_free(sims[e]);
    wi_uniform_free(phold);
    return digest;
}

/* This program as a rank: TURNS EVENTS and the digests wanted. */
static void as_a_rank(weir_diag *diag, char **argv, int turns, int events)
{
    bench_must(diag, weir_ranks_begin(diag));
    for (int i = 0; i < ROWS; i++)
        if (row(diag, i, turns, events) != strtoull(argv[3 + i], NULL, 16) && weir_rank() == 0)
            bench_fail("ranks: another digest than the sequential engine's");
    weir_ranks_end();
}

static void on_two_ranks(int turns, int events, const uint64_t *digests)
{
    char self[4096] = "", command[4700];
    if (system("command -v mpirun > /dev/null") != 0) {
        printf("two ranks: no mpirun here\n");
        return;
    }
    (void)!readlink("/proc/self/exe", self, sizeof self - 1);
    int n = snprintf(command, sizeof command,
                     "mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 '%s' %d %d", self, turns,
                     events);
    for (int i = 0; i < ROWS; i++)
        n += snprintf(command + n, sizeof command - (size_t)n, " %llx", (unsigned long long)digests[i]);
    printf("two ranks\n");
    fflush(stdout);
    if (system(command) != 0)
        bench_fail("two ranks");
}

int main(int argc, char **argv)
{
    const int turns = bench_count(argc, argv, 1, 15, TURNS_MAX),
              events = bench_count(argc, argv, 2, 1 << 20, 1 << 28);
    weir_diag *diag = weir_diag_new();
    uint64_t digests[ROWS];
    double load = 0;
    if (argc == 3 + ROWS) {
        as_a_rank(diag, argv, turns, events);
        weir_diag_free(diag);
        return 0;
    }
    (void)!getloadavg(&load, 1);
    printf("PHOLD, 65,536 entities, lookahead = mean / 1000, on two threads; M events/s, best of %d; load "
           "%.1f\n",
           turns, load);
    printf("%6s %9s %15s %15s %15s %19s %13s %6s %10s %7s\n", "events", "remote", "sequential cpu",
           "conserv. cpu", "optimistic cpu", "of conservative", "quiet", "ROSS", "efficiency", "safe");
    for (int i = 0; i < ROWS; i++)
        digests[i] = row(diag, i, turns, events);
    on_two_ranks(turns, events, digests);
    weir_diag_free(diag);
    return 0;
}

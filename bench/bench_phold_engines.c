/*
 * PHOLD on every engine of the host: events per second over LPs, events an LP, lookahead and remote share, on
 * one core, on one and two threads, and on one and two MPI ranks. links: models output engine base
 *
 * bench_phold_engines [quick | full [TURNS]]. Around 65,536 LPs of 4 events, lookahead = mean / 10, half of
 * the hops remote, each axis is varied alone: `quick`, the default, at its ends, `full` at all points.
 * Engines run the same simulated time in TURNS parts (default 5), in turn part by part, and the best part of
 * each counts; ranks run by themselves afterwards, started by mpirun. All digests must be equal before a row
 * is printed. The table goes to phold_engines.csv and phold_engines.svg beside the program too.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "models/phold/phold.h"
#include "output/csv.h"
#include "output/plot.h"
#include "weir/ranks.h"
#include "../tests/models/usual/phold.h"

enum {
    SEQUENTIAL,
    THREAD_1,
    THREADS_2,
    RANK_1,
    RANKS_2,
    ENGINES,
    IN_PROCESS = RANK_1,
    POINTS_MAX = 32,
    TURNS_MAX = 99
};
static const char *const engine_names[ENGINES] = {"sequential", "1 thread", "2 threads", "1 rank", "2 ranks"};

typedef struct point {
    uint32_t entities, events_each;
    uint32_t mean_in_lookaheads;
    double remote;
    double rate[ENGINES]; /* events/s; NaN: not run */
} point;

static const point centre = {65536, 4, 10, 0.5, {0}};

enum { BY_LPS, BY_EVENTS, BY_LOOKAHEAD, BY_REMOTE, AXES };
typedef struct axis {
    const char *name;
    double at[8];
    int n;
} axis;
static const axis axes[AXES] = {{"LPs", {256, 4096, 65536, 1048576}, 4},
                                {"events an LP", {1, 4, 16, 64}, 4},
                                {"mean / lookahead", {1, 10, 100, 1000}, 4},
                                {"remote share", {0, 0.1, 0.5, 1}, 4}};

static point point_at(int which, double at)
{
    point p = centre;
    if (which == BY_LPS)
        p.entities = (uint32_t)at;
    else if (which == BY_EVENTS)
        p.events_each = (uint32_t)at;
    else if (which == BY_LOOKAHEAD)
        p.mean_in_lookaheads = (uint32_t)at;
    else
        p.remote = at;
    return p;
}

/* ---- one point ---- */

typedef struct times {
    weir_time warm_ps, part_ps;
} times;

/* Every pending event twice, then parts of a third of a million events. */
static times times_of(const point *p)
{
    const double pending = (double)p->entities * p->events_each, hop_ps = 1e6 * (1.0 + p->mean_in_lookaheads);
    return (times){(weir_time)(2.0 * hop_ps), (weir_time)(333333.0 / pending * hop_ps) + 1};
}

static wi_uniform *model_of(weir_diag *diag, const point *p)
{
    phold_params params;
    wi_uniform *phold;
    usual_phold(&params);
    params.n_entities = p->entities;
    params.events_per_entity = p->events_each;
    params.remote_share = p->remote;
    params.lookahead_ps = WEIR_PS_PER_US;
    params.mean_ps = p->mean_in_lookaheads * WEIR_PS_PER_US;
    bench_must(diag, wi_phold_new(diag, &params, &phold));
    return phold;
}

static weir_sim *start(weir_diag *diag, const wi_uniform *phold, uint32_t threads)
{
    weir_setup setup;
    weir_sim *sim;
    wi_uniform_setup(phold, &setup);
    setup.seed = 1;
    setup.engine = threads ? WEIR_ENGINE_CONSERVATIVE : WEIR_ENGINE_SEQUENTIAL;
    setup.threads = threads;
    bench_must(diag, weir_sim_new(diag, &setup, &sim));
    return sim;
}

static double part(weir_diag *diag, weir_sim *sim, weir_time until_ps)
{
    const uint64_t before = weir_sim_events(sim);
    const double t0 = bench_wall_s();
    bench_must(diag, weir_sim_run(diag, sim, until_ps, NULL));
    return (double)(weir_sim_events(sim) - before) / (bench_wall_s() - t0);
}

/* The engines of this process in turn; returns the digest that all have. */
static uint64_t run_here(weir_diag *diag, point *p, int turns)
{
    const times t = times_of(p);
    wi_uniform *phold = model_of(diag, p);
    weir_sim *sims[IN_PROCESS];
    for (uint32_t e = 0; e < IN_PROCESS; e++) {
        sims[e] = start(diag, phold, e);
        p->rate[e] = 0;
        (void)part(diag, sims[e], t.warm_ps);
    }
    for (int turn = 1; turn <= turns; turn++)
        for (int e = 0; e < IN_PROCESS; e++)
            p->rate[e] = fmax(p->rate[e], part(diag, sims[e], t.warm_ps + turn * t.part_ps));
    for (int e = 1; e < IN_PROCESS; e++)
        bench_same(sims[0], sims[e], engine_names[e]);
    const uint64_t digest = weir_sim_event_digest(sims[0]);
    for (int e = 0; e < IN_PROCESS; e++)
        weir_sim_free(sims[e]);
    wi_uniform_free(phold);
    return digest;
}

/* ---- on ranks: the program starts itself ---- */

/* Arguments: rank LPS EVENTS MEAN REMOTE TURNS. Rank 0 prints the best rate and the digest. */
static int run_as_rank(char **argv)
{
    weir_diag *diag = weir_diag_new();
    point p = {(uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]), atof(argv[5]), {0}};
    const int turns = atoi(argv[6]);
    const times t = times_of(&p);
    double best = 0;
    bench_must(diag, weir_ranks_begin(diag));
    wi_uniform *phold = model_of(diag, &p);
    weir_sim *sim = start(diag, phold, 1);
    (void)part(diag, sim, t.warm_ps);
    for (int turn = 1; turn <= turns; turn++)
        best = fmax(best, part(diag, sim, t.warm_ps + turn * t.part_ps));
    bench_must(diag, weir_sim_fetch(diag, sim));
    if (weir_rank() == 0)
        printf("rank %.17g %llx\n", best, (unsigned long long)weir_sim_event_digest(sim));
    weir_sim_free(sim);
    wi_uniform_free(phold);
    weir_diag_free(diag);
    weir_ranks_end();
    return 0;
}

static void run_on_ranks(point *p, int turns, uint64_t digest)
{
    char self[4096] = "", command[4500], line[256];
    (void)!readlink("/proc/self/exe", self, sizeof self - 1);
    for (int n = 1; n <= 2; n++) {
        double *rate = &p->rate[RANK_1 + n - 1];
        unsigned long long got = 0;
        *rate = NAN;
        snprintf(command, sizeof command,
                 "mpirun --allow-run-as-root --oversubscribe --bind-to none -n %d '%s' rank %u %u %u %.17g "
                 "%d 2>/dev/null",
                 n, self, p->entities, p->events_each, p->mean_in_lookaheads, p->remote, turns);
        FILE *pipe = popen(command, "r");
        while (pipe && fgets(line, sizeof line, pipe))
            if (sscanf(line, "rank %lf %llx", rate, &got) == 2 && got != digest)
                bench_fail("%d ranks: another digest", n);
        if (pipe)
            (void)pclose(pipe);
    }
}

/* ---- the table, the file, the plot ---- */

static void print_point(const point *p)
{
    printf("%9u %7u %9u %7.2f", p->entities, p->events_each, p->mean_in_lookaheads, p->remote);
    for (int e = 0; e < ENGINES; e++)
        if (isnan(p->rate[e]))
            printf(" %10s", "-");
        else
            printf(" %10.2f", p->rate[e] / 1e6);
    printf(" %9.2f\n", p->rate[THREADS_2] / p->rate[SEQUENTIAL]);
    fflush(stdout);
}

static void write_csv(weir_diag *diag, const char *folder, const point *points, int n)
{
    static const wi_result_column columns[] = {
        {"axis", WI_CSV_TEXT},          {"lps", WI_CSV_U64},
        {"events_per_lp", WI_CSV_U64},  {"mean_in_lookaheads", WI_CSV_U64},
        {"remote", WI_CSV_DOUBLE},      {"engine", WI_CSV_TEXT},
        {"events_per_s", WI_CSV_DOUBLE}};
    wi_csv *csv;
    bench_must(diag, wi_csv_open(diag, folder, "phold_engines.csv", columns, 7, &csv));
    for (int i = 0; i < n; i++)
        for (int e = 0; e < ENGINES; e++) {
            if (isnan(points[i].rate[e]))
                continue;
            WI_CSV_PUT(csv, {.TEXT = axes[i / (n / AXES)].name}, {.U64 = points[i].entities},
                       {.U64 = points[i].events_each}, {.U64 = points[i].mean_in_lookaheads},
                       {.DOUBLE = points[i].remote}, {.TEXT = engine_names[e]},
                       {.DOUBLE = points[i].rate[e]});
        }
    bench_must(diag, wi_csv_close(diag, csv));
}

static void write_plot(weir_diag *diag, const char *folder, const point *points, const double *at,
                       int per_axis)
{
    static double y[AXES][ENGINES][POINTS_MAX];
    wi_curve curves[AXES][ENGINES];
    wi_plot plots[AXES];
    for (int a = 0; a < AXES; a++) {
        for (int e = 0; e < ENGINES; e++) {
            for (int i = 0; i < per_axis; i++)
                y[a][e][i] = points[a * per_axis + i].rate[e] / 1e6;
            curves[a][e] = (wi_curve){engine_names[e], at + a * per_axis, y[a][e], (size_t)per_axis};
        }
        plots[a] = (wi_plot){.title = "PHOLD",
                             .x_label = axes[a].name,
                             .y_label = "million events/s",
                             .log_x = a != BY_REMOTE,
                             .curves = curves[a],
                             .n_curves = ENGINES};
    }
    bench_must(diag, wi_plot_put(diag, folder, "phold_engines.svg", plots, AXES));
}

int main(int argc, char **argv)
{
    static point points[POINTS_MAX];
    double at[POINTS_MAX];
    if (argc > 6 && strcmp(argv[1], "rank") == 0)
        return run_as_rank(argv);
    const bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    const int turns = bench_count(argc, argv, 2, 5, TURNS_MAX), per_axis = full ? 4 : 2;
    char folder[4096] = "";
    weir_diag *diag = weir_diag_new();
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    *strrchr(length > 0 ? folder : strcpy(folder, "./"), '/') = '\0';
    double load = 0;
    (void)!getloadavg(&load, 1);
    printf("PHOLD, million events/s, best of %d parts; load %.1f before the start\n", turns, load);
    printf("%9s %7s %9s %7s", "LPs", "events", "mean / L", "remote");
    for (int e = 0; e < ENGINES; e++)
        printf(" %10s", engine_names[e]);
    printf(" %9s\n", "2 threads");
    int n = 0;
    for (int a = 0; a < AXES; a++)
        for (int i = 0; i < per_axis; i++, n++) {
            at[n] = axes[a].at[full ? i : i * (axes[a].n - 1)];
            points[n] = point_at(a, at[n]);
            run_on_ranks(&points[n], turns, run_here(diag, &points[n], turns));
            print_point(&points[n]);
        }
    write_csv(diag, folder, points, n);
    write_plot(diag, folder, points, at, per_axis);
    printf("written: %s/phold_engines.csv and .svg\n", folder);
    weir_diag_free(diag);
    return 0;
}

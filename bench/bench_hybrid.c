/*
 * Packets and fluid together on the campus network of paper 000, figures 8 to 10: wall time over simulated
 * time, what each side waited, and what each optimisation brings.
 *
 * links: scenario fluid output net engine routing topology base
 *
 * bench_hybrid [DEVICE [SECONDS [CAMPUSES ...]]]: cpu (default) or cuda; 1 simulated second of 4 campuses by
 * default, the paper has 4, 8, 16. Or
 *
 * bench_hybrid figures DEVICE SECONDS MINUTES CSV CAMPUSES ...: for figures 8 and 9, each share of packets from
 * 0 to 100 % with the fluid on DEVICE and on this machine's CPU, packets on one thread and on several, all with
 * equal digests; a table for tools/plot_hybrid_bench.py. Cells that would begin after MINUTES are left out.
 *
 * Wall time includes the start, not the set-up. Runs of equal batches must
 * have equal digests before a row is printed, and with cuda the CPU's and those of packets on the device too.
 * "gather": what packets left is gathered, while both sides wait. "more": milliseconds a batch that the fluid
 * takes longer than without packets, for the exchange and for what packets read of ports. "N threads":
 * packets by the conservative engine.
 * "own": processor time of the simulation's thread (async: the fluid's is another) for a packet hop, over
 * that of the same packets without fluid; on one thread. Scenarios come from examples/papers/000/campus.
 * Where cores are shared, OMP_WAIT_POLICY=passive keeps waiting threads of the solver from burning them.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "weir/run.h"

enum { TEXT_MOST = 1 << 24, SETS_MOST = 8, THREADS_MOST = 8 };

typedef struct measured {
    uint64_t events, state, hops, exchanges;
    double wall_s, own_s, fluid_s, packets_waited_s, fluid_waited_s, gathered_s;
} measured;

/* Processor time of the simulation's thread, at its first look at the clock and at its last. */
typedef struct own {
    double first_s, last_s;
} own;

static void look(void *user, const weir_progress *progress)
{
    own *const o = user;
    if (strcmp(progress->phase, "simulate") != 0)
        return;
    o->last_s = bench_clock_s(CLOCK_THREAD_CPUTIME_ID);
    if (o->first_s == 0.0)
        o->first_s = o->last_s;
}

typedef struct bench {
    const char *device;
    double seconds;
    double bare_s; /* the fluid's time for the batches of a run without packets; 0: not known */
    char *text;
} bench;

/* The scenario of the example's script. */
static void load(bench *b, const char *campuses, const char *percent, const char *more)
{
    char command[512];
    snprintf(command, sizeof command, "%s/examples/papers/000/campus %s %s 42 %s", WEIR_SOURCE_DIR, campuses,
             percent, more);
    FILE *f = popen(command, "r");
    const size_t n = f ? fread(b->text, 1, TEXT_MOST - 1, f) : 0;
    if (!f || pclose(f) != 0 || n == 0 || n == TEXT_MOST - 1)
        bench_fail("%s: failed", command);
    b->text[n] = '\0';
}

static measured run(const bench *b, const char *const *sets, size_t n)
{
    char device[32], duration[48];
    const char *all[SETS_MOST] = {device, duration};
    weir_scenario *scenario = NULL;
    weir_run_result result = {0};
    weir_run_options options;
    weir_diag *diag = weir_diag_new();
    snprintf(device, sizeof device, "fluid.device=%s", b->device);
    snprintf(duration, sizeof duration, "duration=%gs", b->seconds);
    for (size_t i = 0; i < n; i++)
        all[i + 2] = sets[i];
    weir_run_options_init(&options);
    options.no_output = true;
    own spent = {0};
    options.progress = look;
    options.user = &spent;
    bench_must(diag, weir_scenario_parse(diag, "campus.yaml", b->text, strlen(b->text), NULL, all, n + 2,
                                         &scenario));
    bench_must(diag, weir_run(diag, scenario, &options, &result));
    json_t *summary = json_loads(result.summary_json, 0, NULL);
    const json_t *f = json_object_get(summary, "fluid");
    const measured m = {.events = result.event_digest,
                        .state = result.state_digest,
                        .hops = result.packet_hops,
                        .exchanges = (uint64_t)json_integer_value(json_object_get(f, "exchanges")),
                        .wall_s = result.wall_s,
                        .own_s = spent.last_s - spent.first_s,
                        .fluid_s = json_number_value(json_object_get(f, "fluid_wall_s")),
                        .packets_waited_s = json_number_value(json_object_get(f, "packets_waited_s")),
                        .fluid_waited_s = json_number_value(json_object_get(f, "fluid_waited_s")),
                        .gathered_s = json_number_value(json_object_get(f, "gathered_s"))};
    json_decref(summary);
    weir_run_result_free(&result);
    weir_scenario_free(scenario);
    weir_diag_free(diag);
    return m;
}

/* alone_s: a packet hop without fluid; 0: nothing to compare with. */
static void put(const bench *b, const char *campuses, const char *percent, const char *what,
                const measured *m, double alone_s)
{
    printf("%8s %8s  %-28s %9.3f %9.3f %9.3f %9.3f %9.4f %10llu %9llu", campuses, percent, what,
           m->wall_s / b->seconds, m->fluid_s / b->seconds, m->packets_waited_s / b->seconds,
           m->fluid_waited_s / b->seconds, m->gathered_s / b->seconds, (unsigned long long)m->hops,
           (unsigned long long)m->exchanges);
    if (b->bare_s > 0.0 && m->exchanges > 0)
        printf(" %8.3f", 1e3 * (m->fluid_s - b->bare_s) / (double)m->exchanges);
    else
        printf(" %8s", "");
    if (alone_s > 0.0 && m->hops > 0 && m->fluid_waited_s > 0.0) /* lockstep: the fluid is in it */
        printf(" %6.2f", m->own_s / (double)m->hops / alone_s);
    printf("\n");
    fflush(stdout);
}

static void same(const measured *a, const measured *b, const char *what)
{
    if (a->events != b->events || a->state != b->state)
        bench_fail("%s: other digests than async with the same batch", what);
}

static int on_device(const bench *b)
{
    return strcmp(b->device, "cpu") != 0;
}

/* Packets on some threads; one thread's run is compared. */
static measured run_threads(const bench *b, const measured *one, uint32_t threads)
{
    char count[48];
    const char *const set[] = {"engine.type=conservative", count};
    snprintf(count, sizeof count, "engine.threads=%u", threads);
    const measured m = run(b, set, 2);
    same(one, &m, count);
    return m;
}

static void put_threads(const bench *b, const char *campuses, const char *percent, const char *what,
                        uint32_t threads, const measured *m)
{
    char name[48];
    snprintf(name, sizeof name, "%s, %u threads", what, threads);
    put(b, campuses, percent, name, m, 0.0);
}

/* The share alone, without fluid: the best of five, as they are short. */
static measured alone(bench *b, const char *campuses, const char *percent, uint32_t threads)
{
    measured one = {0}, many = {0};
    load(b, campuses, percent, "alone");
    for (int again = 0; again < 5; again++) {
        const measured m = run(b, NULL, 0);
        one = again == 0 || m.own_s < one.own_s ? m : one;
    }
    put(b, campuses, percent, "packets alone", &one, 0.0);
    for (int again = 0; again < 5; again++) {
        const measured m = run_threads(b, &one, threads);
        many = again == 0 || m.wall_s < many.wall_s ? m : many;
    }
    put_threads(b, campuses, percent, "packets alone", threads, &many);
    return one;
}

/* Figures 8 and 9: shares of packets. Returns the time of a packet hop without fluid, at the last of them. */
static double shares(bench *b, const char *campuses, uint32_t threads)
{
    static const char *const percents[] = {"0", "0.5", "1"};
    double alone_s = 0.0;
    b->bare_s = 0.0;
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        if (i > 0) {
            const measured m = alone(b, campuses, percents[i], threads);
            alone_s = m.own_s / (double)m.hops;
        }
        load(b, campuses, percents[i], "");
        const measured m = run(b, NULL, 0);
        put(b, campuses, percents[i], "async, batch 3", &m, alone_s);
        if (i == 0) {
            b->bare_s = m.fluid_s;
        } else {
            const measured many = run_threads(b, &m, threads);
            put_threads(b, campuses, percents[i], "async, batch 3", threads, &many);
        }
        if (on_device(b)) {
            const char *const set[] = {"engine.type=gpu"};
            const measured there = run(b, set, 1);
            same(&m, &there, "engine.type=gpu");
            put(b, campuses, percents[i], "packets on the device too", &there, 0.0);
        }
    }
    return alone_s;
}

/* Figure 10, and what else there is to switch; b->text: 1 % packets. */
static void switches(const bench *b, const char *campuses, double alone_s)
{
    static const struct {
        const char *what, *set[3];
        size_t n;
        int equal; /* to the run as it is, in its digests */
    } row[] = {{"as it is: batch 3, lookahead 20", {NULL}, 0, 1},
               {"without prefetching", {"fluid.prefetch=false"}, 1, 1},
               {"without overlap (lockstep)", {"fluid.coupling=lockstep", "fluid.lookahead=20"}, 2, 1},
               {"without fix-up", {"fluid.fixup=false"}, 1, 0},
               {"batch 1", {"fluid.batch=1"}, 1, 0},
               {"batch 2", {"fluid.batch=2"}, 1, 0},
               {"batch 5", {"fluid.batch=5"}, 1, 0},
               {"batch 7", {"fluid.batch=7"}, 1, 0},
               {"batch auto", {"fluid.batch=auto"}, 1, 0},
               {"batch 1, lookahead 1", {"fluid.batch=1", "fluid.lookahead=1"}, 2, 0},
               {"nothing: lockstep, 1 and 1",
                {"fluid.coupling=lockstep", "fluid.batch=1", "fluid.lookahead=1"},
                3,
                0}};
    measured first = {0};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const measured m = run(b, row[i].set, row[i].n);
        if (i == 0)
            first = m;
        if (row[i].equal)
            same(&first, &m, row[i].what);
        put(b, campuses, "1", row[i].what, &m, alone_s);
    }
    if (on_device(b)) {
        const bench host = {.device = "cpu", .seconds = b->seconds, .text = b->text};
        const measured m = run(&host, NULL, 0);
        same(&first, &m, "fluid.device=cpu");
        put(b, campuses, "1", "fluid on the CPU", &m, alone_s);
    }
}

/* ---- figures 8 and 9 ---- */

/* Of the example's script: fluid.lookahead in steps, which the paper calls tau, and fluid.batch. */
enum { STEP_US = 500, LOOKAHEAD = 20, BATCH = 3 };

typedef struct figures_table {
    FILE *csv;
    double until_s;
    int left_out;
} figures_table;

static void put_cell(figures_table *t, const bench *b, const char *campuses, const char *percent,
                     const char *device, uint32_t threads, const measured *m)
{
    fprintf(t->csv, "%s,%s,%s,%u,%d,%d,%d,%.6g,%llu\n", campuses, percent, device, threads, STEP_US,
            LOOKAHEAD, BATCH, m->wall_s / b->seconds, (unsigned long long)m->hops);
    fflush(t->csv);
    printf("%8s %8s  %-6s %7u threads %10.4f\n", campuses, percent, device, threads, m->wall_s / b->seconds);
    fflush(stdout);
}

enum { START_S = 1 };

/* A run without its set-up and first second, which take 16 campuses longer than many seconds after them. */
static measured after_start(const bench *b, uint32_t threads)
{
    char count[48];
    const char *const set[] = {"engine.type=conservative", count};
    const size_t n = threads > 1 ? 2 : 0;
    bench start = *b, whole = *b;
    snprintf(count, sizeof count, "engine.threads=%u", threads);
    start.seconds = START_S;
    whole.seconds = START_S + b->seconds;
    const measured first = run(&start, set, n);
    measured m = run(&whole, set, n);
    m.wall_s -= first.wall_s;
    m.hops -= first.hops;
    return m;
}

/* One share, with the fluid on the device and on the CPU; at 100 % there is no fluid, and one of them. */
static void share_on_both(figures_table *t, bench *b, const char *campuses, const char *percent,
                          uint32_t threads)
{
    const char *const device = b->device, *const sides[] = {device, "cpu"};
    const int n_sides = on_device(b) && strcmp(percent, "100") != 0 ? 2 : 1;
    measured first = {0};
    load(b, campuses, percent, "");
    for (int side = 0; side < n_sides; side++) {
        b->device = n_sides == 1 && strcmp(percent, "100") == 0 ? "cpu" : sides[side];
        const char *const name = strcmp(percent, "100") == 0 ? "none" : b->device;
        const measured one = after_start(b, 1);
        if (side == 0)
            first = one;
        else
            same(&first, &one, "fluid on the CPU");
        put_cell(t, b, campuses, percent, name, 1, &one);
        if (strcmp(percent, "0") == 0)
            continue; /* no packets to share among threads */
        const measured many = after_start(b, threads);
        same(&one, &many, "threads");
        put_cell(t, b, campuses, percent, name, threads, &many);
    }
    b->device = device;
}

static int figures(int argc, char **argv, uint32_t threads)
{
    static const char *const percents[] = {"0", "0.5", "1", "2", "5", "10", "25", "50", "100"};
    if (argc < 7 || !(atof(argv[3]) > 0.0) || !(atof(argv[4]) > 0.0))
        bench_fail("want figures DEVICE SECONDS MINUTES CSV CAMPUSES ...");
    bench b = {.device = argv[2], .seconds = atof(argv[3]), .text = malloc(TEXT_MOST)};
    figures_table t = {.csv = fopen(argv[5], "w"), .until_s = bench_wall_s() + 60.0 * atof(argv[4])};
    if (!b.text || !t.csv)
        bench_fail("%s cannot be written", argv[5]);
    fputs("campuses,packet_percent,fluid_on,threads,step_us,tau_steps,batch,wall_s_per_s,packet_hops\n",
          t.csv);
    printf("# weir %s, %s; steps of %d us, tau = %d steps, B = %d; wall time over simulated time\n",
           WEIR_VERSION, WEIR_BUILD, STEP_US, LOOKAHEAD, BATCH);
    for (size_t p = 0; p < sizeof percents / sizeof *percents; p++)
        for (int i = 6; i < argc; i++) {
            if (bench_wall_s() > t.until_s)
                t.left_out++;
            else
                share_on_both(&t, &b, argv[i], percents[p], threads);
        }
    printf("%d shares of %d left out for time\n", t.left_out,
           (int)(sizeof percents / sizeof *percents) * (argc - 6));
    if (fclose(t.csv) != 0)
        bench_fail("%s could not be written whole", argv[5]);
    free(b.text);
    return 0;
}

static uint32_t threads_of_machine(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > THREADS_MOST ? THREADS_MOST : cores > 1 ? (uint32_t)cores : 2;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "figures") == 0)
        return figures(argc, argv, threads_of_machine());
    static const char *const usual[] = {"4"};
    bench b = {.device = argc > 1 ? argv[1] : "cpu",
               .seconds = argc > 2 ? atof(argv[2]) : 1.0,
               .text = malloc(TEXT_MOST)};
    const char *const *campuses = argc > 3 ? (const char *const *)(argv + 3) : usual;
    const int n = argc > 3 ? argc - 3 : 1;
    if (!b.text || !(b.seconds > 0.0))
        bench_fail("want [DEVICE [SECONDS [CAMPUSES ...]]]");
    printf("# weir %s, %s; %s; columns 4 to 8: seconds a simulated second\n", WEIR_VERSION, WEIR_BUILD,
           b.device);
    printf("%8s %8s  %-28s %9s %9s %9s %9s %9s %10s %9s %8s %6s\n", "campuses", "packets%", "", "wall",
           "fluid", "pkts wait", "fl. wait", "gather", "hops", "exchanges", "more", "own");
    const uint32_t threads = threads_of_machine();
    for (int i = 0; i < n; i++) {
        const double alone_s = shares(&b, campuses[i], threads);
        b.bare_s = 0.0; /* other batches */
        if (i == 0)
            switches(&b, campuses[i], alone_s);
    }
    free(b.text);
    return 0;
}

/*
 * The synthetic benchmarks of Kunz, Schemmel, Gross and Wehrle (PADS 2012) on one GPU, as rows for a plot.
 * links: models engine base
 *
 * bench_gpu_lcg FILE.csv [SECONDS [REPETITIONS] [quick] [drawn] [DESIGN] [figureN or figureN-M] [mostN]]
 *
 * Figures 6 to 9: events/s by simulations, modules, divergence and mapping (Table I: 300 events a simulation, 72 bytes,
 * 20,000 steps an event; of four generators each simulation has one, or each event draws one: drawn). Figures 10 to 12: a fixed number of events without computation; by mapping; by bytes of state.
 * Each so often (default 1; the paper: 30), all once before any a second
 * time, so that time that is short leaves fewer repetitions of all. mostN: no more than N simulations. A DESIGN or figureN alone, of three designs: staged with one thread of the host and as many streams as there are modules (the paper's), staged
 * with a thread a core (its future work), and resident. What does not begin within SECONDS (default 230) is left out, and
 * said. Before a time counts, runs of some batches must have the digests of the same runs alone. tools/plot_study_bench.py
 * draws the figures.
 */
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "models/lcg/lcg.h"
#include "../../tests/models/usual/lcg.h"

enum { OVERHEAD_EVENTS = 1 << 16, STATE_MOST = 26000 };

typedef struct design {
    const char *name;
    weir_batch_executor executor;
    uint32_t threads; /* 0: as many as there are cores */
} design;

static const design designs[] = {{"staged", WEIR_BATCH_STAGED, 1},
                                 {"resident", WEIR_BATCH_RESIDENT, 1},
                                 {"threads", WEIR_BATCH_STAGED, 0}};
static const uint32_t module_counts[] = {1, 2, 5, 10};
static const uint32_t simulation_counts[] = {1, 2, 8, 32, 128, 512, 1024, 2048, 4096, 8192, 16384};
static const char *const mapping_names[] = {"chosen", "none", "sort", "pad"};
enum {
    DESIGNS = sizeof designs / sizeof *designs,
    MODULES = sizeof module_counts / sizeof *module_counts,
    SIMULATIONS = sizeof simulation_counts / sizeof *simulation_counts
};

static weir_diag *diag;
static FILE *csv;
static int quick, drawn, first_figure = 6, last_figure = 12;
static const char *only_design;
static uint32_t most_simulations = UINT32_MAX;
static uint32_t repetitions = 1, repetition;
static double ends_s;
static uint32_t left_out;

typedef struct cell {
    int figure;
    const design *by;
    uint32_t simulations;
    weir_batch_mapping mapping;
    lcg_params params;
} cell;

static void put(const cell *c, uint32_t threads, const timed *t)
{
    fprintf(csv, "%d,%s,%u,%s,%u,%u,%u,%u,%u,%llu,%u,%.6f\n", c->figure, c->by->name, threads,
            mapping_names[c->mapping], c->params.ways, c->simulations, c->params.n_modules,
            c->params.state_bytes, c->params.iterations, (unsigned long long)t->events, repetition,
            t->wall_s);
    fflush(csv);
}

/* One cell of a figure; some are checked, as one run alone takes as long as a core does. */
static void run_cell(const cell *c)
{
    wi_uniform *lcg[LCG_TYPES];
    const uint32_t cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), threads = c->by->threads ? c->by->threads
                                                                              : cores < 64   ? cores
                                                                                             : 64;
    const weir_batch_options options = {.executor = c->by->executor,
                                        .mapping = c->mapping,
                                        .threads = threads,
                                        .streams = c->params.n_modules};
    if (c->figure < first_figure || c->figure > last_figure || c->simulations > most_simulations)
        return;
    if (bench_wall_s() > ends_s || (quick && c->simulations > 128)) {
        left_out++;
        return;
    }
    weir_setup *setups = malloc(c->simulations * sizeof *setups);
    for (uint32_t w = 0; w < c->params.ways; w++) {
        lcg_params of = c->params;
        of.only = drawn || of.ways == 1 ? 0 : 1 + w;
        bench_must(diag, wi_lcg_new(diag, &of, &lcg[w]));
    }
    if (!setups)
        bench_fail("no memory");
    for (uint32_t i = 0; i < c->simulations; i++) {
        wi_uniform_setup(lcg[i % c->params.ways], &setups[i]);
        setups[i].seed = 1 + i;
    }
    const bool checked = c->params.events <= 1024 && c->params.n_modules < 5;
    const timed t =
        run_batch(diag, setups, c->simulations, wi_lcg_end(&c->params), &options, checked && repetition == 0);
    put(c, c->by->executor == WEIR_BATCH_STAGED ? threads : 0, &t);
    free(setups);
    for (uint32_t w = 0; w < c->params.ways; w++)
        wi_uniform_free(lcg[w]);
}

static void divergence(const design *by)
{
    static const struct {
        int figure;
        uint32_t ways;
        weir_batch_mapping mapping;
    } figures[] = {{6, 1, WEIR_BATCH_MAPPING_NONE},
                   {7, 4, WEIR_BATCH_MAPPING_NONE},
                   {8, 4, WEIR_BATCH_MAPPING_SORT},
                   {9, 4, WEIR_BATCH_MAPPING_PAD}};
    for (int f = 0; f < 4; f++)
        for (int s = 0; s < SIMULATIONS; s++)
            for (int m = 0; m < MODULES; m++) {
                cell c = {figures[f].figure, by, simulation_counts[s], figures[f].mapping, {0}};
                usual_lcg(&c.params);
                c.params.ways = figures[f].ways;
                c.params.n_modules = module_counts[m];
                c.params.iterations = quick ? 200 : 20000;
                run_cell(&c);
            }
}

static cell fixed_work(int figure, const design *by, uint32_t simulations, uint32_t modules)
{
    cell c = {figure, by, simulations, WEIR_BATCH_MAPPING_NONE, {0}};
    usual_lcg(&c.params);
    c.params.iterations = 0;
    c.params.n_modules = modules;
    c.params.events = OVERHEAD_EVENTS / simulations;
    return c;
}

static void overhead(const design *by)
{
    for (int s = 0; s < SIMULATIONS; s++)
        for (int m = 0; m < MODULES; m++) {
            const cell c = fixed_work(10, by, simulation_counts[s], module_counts[m]);
            run_cell(&c);
        }
    for (int s = 0; s < SIMULATIONS; s++)
        for (int mapping = WEIR_BATCH_MAPPING_NONE; mapping <= WEIR_BATCH_MAPPING_PAD; mapping++) {
            cell c = fixed_work(11, by, simulation_counts[s], 1);
            c.params.ways = 4;
            c.mapping = (weir_batch_mapping)mapping;
            run_cell(&c);
        }
    for (uint32_t bytes = 72; bytes <= STATE_MOST; bytes = bytes < 2000 ? 2000 : bytes + 4000)
        for (int m = 0; m < MODULES; m++) {
            cell c = fixed_work(12, by, 512, module_counts[m]);
            c.params.state_bytes = bytes;
            run_cell(&c);
        }
}

int main(int argc, char **argv)
{
    char text[256];
    const double begins_s = bench_wall_s();
    ends_s = begins_s + (argc > 2 ? atof(argv[2]) : 230.0);
    for (int i = 3; i < argc; i++) {
        quick |= strcmp(argv[i], "quick") == 0;
        drawn |= strcmp(argv[i], "drawn") == 0;
        repetitions = atoi(argv[i]) > 0 ? (uint32_t)atoi(argv[i]) : repetitions;
        if (sscanf(argv[i], "figure%d-%d", &first_figure, &last_figure) == 1)
            last_figure = first_figure;
        most_simulations = strncmp(argv[i], "most", 4) == 0 ? (uint32_t)atoi(argv[i] + 4) : most_simulations;
        for (int d = 0; d < DESIGNS; d++)
            only_design = strcmp(argv[i], designs[d].name) == 0 ? designs[d].name : only_design;
    }
    csv = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!csv)
        bench_fail("%s cannot be written", argv[1]);
    diag = weir_diag_new();
    weir_gpu_describe(0, text, sizeof text);
    printf("%s\n", text);
    fprintf(csv, "figure,design,threads,mapping,ways,simulations,modules,state_bytes,iterations,events,"
                 "repetition,wall_s\n");
    for (repetition = 0; repetition < repetitions; repetition++) {
        for (int d = 0; d < DESIGNS; d++)
            if (!only_design || strcmp(only_design, designs[d].name) == 0) {
                overhead(&designs[d]);
                divergence(&designs[d]);
            }
        printf("repetition %u: all after %.1f s\n", repetition + 1, bench_wall_s() - begins_s);
        fflush(stdout);
    }
    printf("%u cells left out for time\n", left_out);
    fclose(csv);
    weir_diag_free(diag);
    return 0;
}

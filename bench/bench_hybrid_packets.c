/*
 * How far fluid is from packets: the paper's twelve nodes under each RED mode and ACK policy, all flows as
 * packets (mean over seeds, with the half width of a 95 % interval), and as fluid by the calibrated and by
 * the paper's model. links: scenario fluid output net engine routing topology base
 *
 * bench_hybrid_packets [SEEDS [FOLDER]]: 3 seeds by default, a minute and a half; docs/fluid-measured.md has ten.
 * FOLDER (default: results/fluid-packets) gets fluid-packets.csv and fluid-packets.svg, windows against
 * losses. Every run checks that bytes are conserved.
 */
#include <stdarg.h>
#include <sys/stat.h>

#include "../tests/scenario/fluid/fluid_judge.h"
#include "bench.h"
#include "output/csv.h"
#include "output/plot.h"

enum { CELLS = 12, SEEDS_MOST = 30, POINTS = CELLS * JUDGE_CLASSES };
#define EXAMPLE WEIR_SOURCE_DIR "/examples/papers/000/twelve-nodes.yaml"

typedef struct compared {
    judge_cell cell;
    judged packets[SEEDS_MOST], half;
    judged by[JUDGE_MODELS]; /* packets: the mean */
} compared;

/* Student's t for a 95 % interval of n values. */
static double t95(int n)
{
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
    return n <= 10 ? t[n - 2] : 2.1;
}

/* All that `judged` holds, one after the other. */
static void summarise(compared *c, int seeds)
{
    double *const mean = (double *)&c->by[JUDGE_PACKETS], *const half = (double *)&c->half;
    for (size_t k = 0; k < sizeof(judged) / sizeof(double); k++) {
        double sum = 0.0, squares = 0.0;
        for (int i = 0; i < seeds; i++)
            sum += ((const double *)&c->packets[i])[k];
        mean[k] = sum / seeds;
        for (int i = 0; i < seeds; i++) {
            const double d = ((const double *)&c->packets[i])[k] - mean[k];
            squares += d * d;
        }
        half[k] = seeds > 1 ? t95(seeds) * sqrt(squares / (seeds - 1) / seeds) : (double)NAN;
    }
}

static void run_cell(compared *c, int seeds, const char *folder)
{
    char results[4096];
    weir_diag *diag = weir_diag_new();
    if (snprintf(results, sizeof results, "%s/last-run", folder) >= (int)sizeof results)
        bench_fail("%s: too long", folder);
    for (int i = 0; i < seeds; i++)
        bench_must(diag, judge_run(diag, EXAMPLE, results, &c->cell, JUDGE_PACKETS, i + 1, &c->packets[i]));
    for (int m = JUDGE_CALIBRATED; m < JUDGE_MODELS; m++)
        bench_must(diag, judge_run(diag, EXAMPLE, results, &c->cell, (judge_model)m, 1, &c->by[m]));
    weir_diag_free(diag);
    summarise(c, seeds);
}

/* One quantity: the mean of packets, and by how much fluid is off. */
static void put_row(wi_csv *csv, const compared *c, const char *what, double scale, size_t at)
{
    const double mean = ((const double *)&c->by[JUDGE_PACKETS])[at], half = ((const double *)&c->half)[at];
    printf("%-10s %4d %6d  %-16s %9.4g +- %-8.2g", c->cell.mode, c->cell.segments_per_ack, c->cell.classes,
           what, scale * mean, scale * half);
    WI_CSV_PUT(csv, {.TEXT = c->cell.mode}, {.U64 = (uint64_t)c->cell.segments_per_ack},
               {.U64 = (uint64_t)c->cell.classes}, {.TEXT = what}, {.DOUBLE = scale * mean},
               {.DOUBLE = scale * half});
    for (int m = JUDGE_CALIBRATED; m < JUDGE_MODELS; m++) {
        const double value = ((const double *)&c->by[m])[at];
        printf(" %+10.1f%%", 100.0 * (value / mean - 1.0));
        WI_CSV_PUT(csv, {.DOUBLE = scale * value});
    }
    printf("\n");
}

static void put_cell(wi_csv *csv, const compared *c)
{
    const judged *const j = &c->by[JUDGE_PACKETS];
    const double *const base = (const double *)j;
    char what[64];
    for (int i = 0; i < c->cell.classes - 1; i++) {
        snprintf(what, sizeof what, "queue %s, kB", judge_port[i]);
        put_row(csv, c, what, 1e-3, (size_t)(&j->queue_bytes[i] - base));
    }
    for (int i = 0; i < c->cell.classes; i++) {
        snprintf(what, sizeof what, "flow %d, Mb/s", i);
        put_row(csv, c, what, 1e-6, (size_t)(&j->goodput_bps[i] - base));
    }
    for (int i = 0; i < c->cell.classes; i++) {
        snprintf(what, sizeof what, "flow %d, loss %%", i);
        put_row(csv, c, what, 100.0, (size_t)(&j->loss[i] - base));
    }
    fflush(stdout);
}

/* A point: loss of a class, and its window times the root of segments an ACK. */
typedef struct points {
    double loss[POINTS], window[POINTS];
    size_t n;
} points;

static void add_points(points *p, const judge_cell *cell, const judged *j)
{
    for (int i = 0; i < cell->classes; i++) {
        p->loss[p->n] = 100.0 * j->loss[i];
        p->window[p->n++] = j->window[i] * sqrt((double)cell->segments_per_ack);
    }
}

/* Curves go from point to point: by rising loss. */
static void sort_points(points *p)
{
    for (size_t i = 1; i < p->n; i++) {
        for (size_t k = i; k > 0 && p->loss[k] < p->loss[k - 1]; k--) {
            const double loss = p->loss[k], window = p->window[k];
            p->loss[k] = p->loss[k - 1];
            p->window[k] = p->window[k - 1];
            p->loss[k - 1] = loss;
            p->window[k - 1] = window;
        }
    }
}

static void plot(const compared *all, const char *folder)
{
    static points of[JUDGE_MODELS];
    static const char *const names[JUDGE_PAPER] = {"packets", "calibrated", "the paper's TCP"};
    wi_curve curves[JUDGE_PAPER];
    for (int i = 0; i < CELLS; i++)
        for (int m = 0; m < JUDGE_PAPER;
             m++) /* the paper's TCP knows no delayed ACKs, its law loses track of bytes */
            if (m < JUDGE_PAPER_TCP || all[i].cell.segments_per_ack == 1)
                add_points(&of[m], &all[i].cell, &all[i].by[m]);
    for (int m = 0; m < JUDGE_PAPER; m++) {
        sort_points(&of[m]);
        curves[m] = (wi_curve){.name = names[m], .x = of[m].loss, .y = of[m].window, .n = of[m].n};
    }
    const wi_plot p = {.title = "Windows and losses of all cells",
                       .x_label = "loss, %",
                       .y_label = "window x sqrt(segments an ACK)",
                       .log_x = true,
                       .log_y = true,
                       .curves = curves,
                       .n_curves = JUDGE_PAPER};
    weir_diag *diag = weir_diag_new();
    bench_must(diag, wi_plot_put(diag, folder, "fluid-packets.svg", &p, 1));
    weir_diag_free(diag);
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"uniform", "bernoulli", "wait"};
    static const wi_result_column columns[] = {
        {"red_mode", WI_CSV_TEXT},     {"segments_per_ack", WI_CSV_U64}, {"flows", WI_CSV_U64},
        {"quantity", WI_CSV_TEXT},     {"packets_mean", WI_CSV_DOUBLE},  {"packets_half95", WI_CSV_DOUBLE},
        {"calibrated", WI_CSV_DOUBLE}, {"paper_tcp", WI_CSV_DOUBLE},     {"paper", WI_CSV_DOUBLE}};
    static compared all[CELLS];
    const int seeds = bench_count(argc, argv, 1, 3, SEEDS_MOST);
    const char *folder = argc > 2 ? argv[2] : "results/fluid-packets";
    wi_csv *csv = NULL;
    weir_diag *diag = weir_diag_new();
    if (argc < 3)
        (void)mkdir("results", 0777);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        bench_fail("%s: %s", folder, strerror(errno));
    bench_must(diag, wi_csv_open(diag, folder, "fluid-packets.csv", columns,
                                 sizeof columns / sizeof columns[0], &csv));
    printf("%-10s %4s %6s  %-16s %21s %11s %11s %11s\n", "RED", "ACK", "flows", "", "packets", "calibrated",
           "paper TCP", "paper law");
    for (int i = 0; i < CELLS; i++) {
        all[i].cell = (judge_cell){modes[i / 4], 1 + i / 2 % 2, 3 + i % 2};
        run_cell(&all[i], seeds, folder);
        put_cell(csv, &all[i]);
    }
    bench_must(diag, wi_csv_close(diag, csv));
    plot(all, folder);
    weir_diag_free(diag);
    return 0;
}

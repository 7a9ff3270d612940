/*
 * What benchmarks share: clocks, medians, counts on the command line, ends with a message, parts of a run in
 * turn. Also valid as C++.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "weir/engine.h"

enum { BENCH_REPEATS_MAX = 99 };

static inline double bench_clock_s(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_wall_s(void)
{
    return bench_clock_s(CLOCK_MONOTONIC);
}

/* Processor time of all threads: on a quiet machine and one thread the same as wall-clock time, on a shared
 * one nearer to the truth. */
static inline double bench_cpu_s(void)
{
    return bench_clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

static inline int bench_rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts x[n], n > 0: the least is then x[0], the greatest x[n - 1]. */
static inline double bench_median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof x[0], bench_rising);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static inline double bench_mean(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* Half of the 99 % interval of the mean of x[n]: Student's t, by its expansion about the normal quantile (Abramowitz and Stegun,
 * 26.7.5), exact to 1e-3 from 10 degrees of freedom on. */
static inline double bench_half_width(const double *x, int n)
{
    const double z = 2.5758293, v = n - 1, mean = bench_mean(x, n);
    const double t =
        z + (z * z * z + z) / (4 * v) + (5 * z * z * z * z * z + 16 * z * z * z + 3 * z) / (96 * v * v);
    double squares = 0.0;
    for (int i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? t * sqrt(squares / v / n) : 0.0;
}

/* The count that argument `at` gives, within [1, most]; `otherwise` where there is none. */
static inline int bench_count(int argc, char **argv, int at, int otherwise, int most)
{
    const int n = argc > at ? atoi(argv[at]) : otherwise;
    return n < 1 ? 1 : n > most ? most : n;
}

/* The program's name and a message to stderr, and exit status 1. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void bench_fail(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, fmt, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(1);
}

/* Ends the program where a call has failed: status 77, for "skipped", where the machine lacks what it wants.
 */
static inline void bench_must(weir_diag *diag, weir_status status)
{
    char text[1024] = "";
    if (status == WEIR_OK)
        return;
    const size_t n = diag ? weir_diag_count(diag) : 0;
    if (n)
        weir_message_format(weir_diag_get(diag, n - 1), text, sizeof text);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, n ? text : weir_status_name(status));
    exit(status == WEIR_E_UNSUPPORTED ? 77 : 1);
}

/* Two runs of the same must agree, whatever engines they ran on. */
static inline void bench_same(const weir_sim *a, const weir_sim *b, const char *what)
{
    if (weir_sim_event_digest(a) != weir_sim_event_digest(b) ||
        weir_sim_state_digest(a) != weir_sim_state_digest(b))
        bench_fail("%s: two runs differ", what);
}

/* From warm_ps on, `repeats` parts of part_ps: events per second of wall-clock time of each, rising, into
 * rate. Returns the seconds of all. */
static inline double bench_parts(weir_diag *diag, weir_sim *sim, weir_time warm_ps, weir_time part_ps,
                                 int repeats, double *rate)
{
    double wall_s = 0;
    bench_must(diag, weir_sim_run(diag, sim, warm_ps, NULL));
    for (int i = 0; i < repeats; i++) {
        const uint64_t before = weir_sim_events(sim);
        const double t0 = bench_wall_s();
        bench_must(diag, weir_sim_run(diag, sim, warm_ps + (i + 1) * part_ps, NULL));
        const double took_s = bench_wall_s() - t0;
        rate[i] = (double)(weir_sim_events(sim) - before) / took_s;
        wall_s += took_s;
    }
    qsort(rate, (size_t)repeats, sizeof rate[0], bench_rising);
    return wall_s;
}

#endif

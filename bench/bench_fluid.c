/* links: fluid net engine routing topology base
 *
 * Fluid solver on the CPU: campus networks, all flows fluid, single precision, step 0.5 ms, on one thread and
 * on all. Answers come first: bytes are conserved, and both numbers of threads give the same digest. Copy
 * bandwidth is measured here too, by the same threads. "B/hop-step" counts what the layout must move, each
 * history value written once and read once. Arguments: numbers of campuses, default 4 8 16.
 */
#include <omp.h>
#include <stdio.h>

#include "campus.h"

enum { COPY_BYTES = 1 << 28, WARM_UP = 2000, STEPS = 2000, REPEATS = 3 };

/* The best of some copies of an array that no cache holds, each thread its part. */
static double copy_bandwidth(int threads)
{
    char *const from = malloc(COPY_BYTES), *const to = malloc(COPY_BYTES);
    double best = 0.0;
    if (!from || !to)
        bench_fail("memory for a copy");
    for (int repeat = 0; repeat < 6; repeat++) {
        const double start = bench_wall_s();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < 64; part++) {
            const size_t size = COPY_BYTES / 64, at = size * (size_t)part;
            if (repeat == 0) /* first touch: pages belong to those who use them */
                memset(from + at, part, size);
            memcpy(to + at, from + at, size);
        }
        const double rate = 2.0 * COPY_BYTES / (bench_wall_s() - start);
        best = repeat > 0 && rate > best ? rate : best;
    }
    free(from);
    free(to);
    return best;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"bench_fluid", "4", "8", "16"};
    const int all = omp_get_max_threads();
    if (argc < 2) {
        argc = 4;
        argv = (char **)usual;
    }
    const double copy_one = copy_bandwidth(1), copy_all = copy_bandwidth(all);
    printf("weir %s, %s\n", WEIR_VERSION, WEIR_BUILD);
    for (int i = 1; i < argc; i++) {
        const uint32_t campuses = (uint32_t)strtoul(argv[i], NULL, 10);
        campus_net *const net = campus_new(campuses, 42);
        if (!net)
            return 1;
        weir_fluid_options o;
        weir_fluid_options_init(&o);
        o.threads = 1;
        const fluid_result one = bench_campus(net, &o, WARM_UP, STEPS, REPEATS, 1);
        if (i == 1)
            bench_head("one thread", copy_one);
        bench_row(campuses, &one, copy_one);
        if (all > 1) {
            char who[40];
            snprintf(who, sizeof who, "%d threads", all);
            o.threads = all;
            const fluid_result many = bench_campus(net, &o, WARM_UP, STEPS, REPEATS, 1);
            if (many.digest != one.digest)
                bench_fail("digests of one and of all threads differ");
            if (i == 1)
                bench_head(who, copy_all);
            bench_row(campuses, &many, copy_all);
        }
        campus_free(net);
    }
    return 0;
}

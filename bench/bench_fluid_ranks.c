/* links: fluid net engine routing topology base
 *
 * Fluid over ranks: the paper's campus network, all flows fluid, each rank its part, on one thread each. Answers come
 * first: bytes are conserved, and where DIGEST is given, digests equal it. Memory is a process's at most, that of making the
 * tables included; `before`: the network's alone, before there is fluid.
 *
 *     mpirun -n RANKS bench_fluid_ranks [CAMPUSES [STEPS [DIGEST]]]     default: 16 campuses, 200 steps
 */
#include <stdio.h>
#include <sys/resource.h>

#include "campus.h"
#include "weir/ranks.h"

static double peak_mb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return 1e-3 * (double)use.ru_maxrss;
}

int main(int argc, char **argv)
{
    const uint32_t campuses = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 16;
    const uint32_t steps = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 200;
    weir_diag *const diag = weir_diag_new();
    bench_must(diag, weir_ranks_begin(diag));
    campus_net *const net = campus_new(campuses, 42);
    if (!net)
        return 1;
    const double before_mb = peak_mb();
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    o.threads = 1;
    o.over_ranks = true;
    const double cpu_s = bench_clock_s(CLOCK_PROCESS_CPUTIME_ID);
    const fluid_result r = bench_campus(net, &o, 0, steps, 1, 1);
    printf("rank %u of %u: %u campuses, %llu flows, %.2f GB of histories in all; before %.0f MB, at most "
           "%.0f MB; "
           "%.1f s of processor time, digest %016llx\n",
           weir_rank(), weir_ranks(), campuses, (unsigned long long)r.size.flows, 1e-9 * (double)r.size.bytes,
           before_mb, peak_mb(), bench_clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s,
           (unsigned long long)r.digest);
    if (argc > 3 && r.digest != strtoull(argv[3], NULL, 16))
        bench_fail("another digest than %s", argv[3]);
    campus_free(net);
    weir_diag_free(diag);
    weir_ranks_end();
    return 0;
}

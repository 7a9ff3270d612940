/* Fluid campus networks of a size, run and checked. */
#ifndef BENCH_CAMPUS_H
#define BENCH_CAMPUS_H

#include <math.h>

#include "../tests/fluid/campus.h"
#include "bench.h"

typedef struct fluid_result {
    weir_fluid_size size;
    double wall_s, simulated_s;
    double rate;          /* hop-steps a second: hops of all flows, merged ones once */
    double bytes_per_s;   /* that the layout must move */
    double bytes_per_hop; /* and for each hop-step */
    uint64_t digest;
} fluid_result;

/* Bytes in are bytes out, lost, queued and on the wires. Fetches everything: for networks that the host
 * holds. */
static inline void bench_check_bytes(weir_fluid *f)
{
    weir_fluid_totals t;
    bench_must(NULL, weir_fluid_sum(NULL, f, &t));
    const double error = (t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes) / t.in_bytes - 1.0;
    if (!(t.in_bytes > 0.0 && fabs(error) < 1e-3))
        bench_fail("bytes are not conserved: %g of %g", error, t.in_bytes);
}

/* Warm-up until windows have grown, then the least wall time of `repeats` runs of `steps` steps. */
static inline fluid_result bench_campus(const campus_net *net, const weir_fluid_options *options,
                                        uint32_t warm_up, uint32_t steps, int repeats, int check)
{
    const weir_fluid_plan plan = campus_plan(net);
    weir_diag *const diag = weir_diag_new();
    weir_fluid *f = NULL;
    fluid_result r;
    memset(&r, 0, sizeof r);
    bench_must(diag, weir_fluid_new(diag, &plan, options, &f));
    bench_must(diag, weir_fluid_advance(diag, f, warm_up));
    r.size = weir_fluid_measure(f);
    r.wall_s = 1e300;
    for (int i = 0; i < repeats; i++) {
        const double start = bench_wall_s();
        bench_must(diag, weir_fluid_advance(diag, f, steps));
        const double wall = bench_wall_s() - start;
        r.wall_s = wall < r.wall_s ? wall : r.wall_s;
    }
    r.digest = weir_fluid_digest(f);
    if (check)
        bench_check_bytes(f);
    r.simulated_s = (double)steps * weir_seconds(options->step_ps);
    r.rate = (double)r.size.hops * steps / r.wall_s;
    r.bytes_per_s = r.size.step_bytes * steps / r.wall_s;
    r.bytes_per_hop = r.size.step_bytes / (double)r.size.hops;
    weir_fluid_free(f);
    weir_diag_free(diag);
    return r;
}

static inline void bench_head(const char *who, double copy_bytes_per_s)
{
    printf("# %s; copy bandwidth measured: %.1f GB/s (bytes read and written)\n", who,
           1e-9 * copy_bytes_per_s);
    printf("%9s %9s %10s %10s %8s %9s %11s %9s %7s %8s\n", "campuses", "flows", "hops", "prefixes", "GB",
           "wall/sim", "hop-steps/s", "B/hop-step", "GB/s", "of copy");
}

static inline void bench_row(uint32_t campuses, const fluid_result *r, double copy_bytes_per_s)
{
    printf("%9u %9llu %10llu %10llu %8.2f %9.4f %11.3e %9.2f %7.1f %7.0f%%\n", campuses,
           (unsigned long long)r->size.flows, (unsigned long long)r->size.hops,
           (unsigned long long)r->size.prefixes, 1e-9 * (double)r->size.bytes, r->wall_s / r->simulated_s,
           r->rate, r->bytes_per_hop, 1e-9 * r->bytes_per_s, 100.0 * r->bytes_per_s / copy_bytes_per_s);
    fflush(stdout);
}

#endif

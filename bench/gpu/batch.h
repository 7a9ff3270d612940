/* A batch of runs on a device, timed, and some of them compared with the same alone. */
#ifndef BENCH_BATCH_H
#define BENCH_BATCH_H

#include "../bench.h"
#include "weir/batch.h"

typedef struct timed {
    double make_s, wall_s, kernel_s; /* of putting the runs on the device; of running; kernels alone */
    uint64_t events;
    weir_batch_use use;
} timed;

/* The same run alone must agree with run i. */
static inline void check_run(weir_diag *diag, weir_sim *sim, weir_setup setup, weir_time until_ps)
{
    weir_sim *alone;
    setup.engine = WEIR_ENGINE_SEQUENTIAL;
    bench_must(diag, weir_sim_new(diag, &setup, &alone));
    bench_must(diag, weir_sim_run(diag, alone, until_ps, NULL));
    bench_same(sim, alone, "a run of the batch and the same alone");
    weir_sim_free(alone);
}

static inline timed run_batch(weir_diag *diag, const weir_setup *setups, uint32_t n, weir_time until_ps,
                              const weir_batch_options *options, uint32_t checks)
{
    weir_batch *batch;
    timed t = {0};
    weir_time *until = malloc(n * sizeof *until);
    if (!until)
        bench_fail("no memory");
    for (uint32_t i = 0; i < n; i++)
        until[i] = until_ps;
    const double from_s = bench_wall_s();
    bench_must(diag, weir_batch_new(diag, setups, n, options, &batch));
    const double t0 = bench_wall_s();
    t.make_s = t0 - from_s;
    bench_must(diag, weir_batch_run(diag, batch, until, NULL));
    t.wall_s = bench_wall_s() - t0;
    weir_batch_used(batch, &t.use);
    t.kernel_s = t.use.kernel_s;
    t.events = t.use.events;
    for (uint32_t c = 0; c < checks && c < n; c++) {
        const uint32_t i = (uint32_t)((uint64_t)c * n / checks);
        check_run(diag, weir_batch_sim(batch, i), setups[i], until_ps);
    }
    weir_batch_free(batch);
    free(until);
    return t;
}

#endif

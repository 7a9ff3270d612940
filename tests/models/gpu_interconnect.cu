/*
 * Interconnects on the GPU engine against the sequential engine: every wiring and routing, random sizes and
 * loads. Exit 0: equal; 1: not; 77: no device.
 */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/interconnect/interconnect.h"
#include "models/usual/interconnect.h"
}

int main(void)
{
    static const ic_routing dragonfly[] = {IC_MINIMAL, IC_VALIANT, IC_UGAL, IC_PAR};
    static const ic_pattern patterns[] = {IC_UNIFORM, IC_NEIGHBOUR, IC_PERMUTATION, IC_TORNADO};
    static const char *const names[] = {"dragonfly", "tree", "torus"};
    uint64_t random = 4;
    for (int i = 0; i < (GPU_SHARE > 1 ? 6 : 24); i++) {
        ic_params p;
        ic_job job;
        usual_interconnect(&p);
        ic_job_init(&job);
        p.wiring = (ic_wiring)(i % 3);
        p.burst = 1 + rnd_below(&random, 2) * rnd_below(&random, 16);
        p.seed = rnd(&random);
        if (p.wiring == IC_DRAGONFLY) {
            p.p = 1 + rnd_below(&random, 2);
            p.a = 2 + rnd_below(&random, 3);
            p.h = 1 + rnd_below(&random, 2);
            p.routing = dragonfly[rnd_below(&random, 4)];
        } else if (p.wiring == IC_TREE) {
            p.k = 2 + rnd_below(&random, 2);
            p.levels = 2 + rnd_below(&random, 2);
            p.routing = rnd_below(&random, 2) ? IC_ADAPTIVE : IC_MINIMAL;
        } else {
            p.p = 1;
            p.dimensions = 1 + rnd_below(&random, 3);
            for (uint32_t d = 0; d < p.dimensions; d++)
                p.size[d] = 2 + !d + rnd_below(&random, 2 + !!d);
        }
        job.pattern = patterns[rnd_below(&random, 4)];
        job.load = 0.3 + rnd_below(&random, 8) / 10.0;
        job.message_bytes = 1 + rnd_below(&random, 6000);
        const job_action actions[] = {{JOB_OP_COMPUTE, 0, 0, 0, 0, 0, 0, 300000},
                                      {JOB_OP_ALLREDUCE, (uint8_t)rnd_below(&random, JOB_ALGORITHMS), 0, 0, 0,
                                       0, 1 + rnd_below(&random, 3000), 0},
                                      {JOB_OP_EXCHANGE, 0, 0, 0, 0, 0, 700, 0},
                                      {JOB_OP_ALLTOALL, 0, 0, 0, 0, 0, 100, 0}};
        if (i % 4 == 3) {
            job.pattern = IC_PROGRAMMED;
            job.n_ranks = 3;
            job.grid[0] = 3;
            job.placement = WEIR_SC_PLACE_RANDOM;
            job.actions = actions;
            job.n_actions = 4;
            job.iterations = 0;
            job.eager_bytes = rnd_below(&random, 2000);
        }
        p.jobs = &job;
        p.n_jobs = 1;
        weir_diag *diag = weir_diag_new();
        wi_ic *ic = nullptr;
        weir_setup setup;
        char what[160];
        gpu_must(diag, wi_ic_new(diag, &p, &ic), "interconnect");
        wi_ic_setup(ic, &setup);
        snprintf(what, sizeof what, "%s %d: routing %d, pattern %d, load %.1f, burst %u", names[p.wiring], i,
                 (int)p.routing, (int)job.pattern, job.load, p.burst);
        const weir_time span_ps = (GPU_SHARE > 1 ? 2 : 20) * WEIR_PS_PER_US;
        gpu_compare(what, setup, {span_ps / 3, span_ps}, 3, &random);
        wi_ic_free(ic);
        weir_diag_free(diag);
    }
    return gpu_result();
}

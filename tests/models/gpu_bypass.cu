/*
 * Round an interconnect's network and back on the GPU engine against the sequential engine: both modes, both predictors, random
 * traffic and programs, given periods and by itself; equal digests at stop points before, during and after the periods. Exit 0: equal; 1: not; 77: no device.
 */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/interconnect/bypass.h"
#include "models/usual/director.h"
#include "models/usual/interconnect.h"
}

struct directed {
    wi_ic *ic;
    weir_sim *sim;
    weir_diag *diag;
    wi_ic_bypass bypass;
    wi_director *director;
    weir_status status;
};

static weir_time direct(void *user, weir_time now_ps)
{
    directed *d = static_cast<directed *>(user);
    weir_time next_ps = WEIR_TIME_MAX;
    if (d->status == WEIR_OK)
        d->status = wi_director_call(d->diag, d->director, now_ps, &next_ps);
    return next_ps;
}

static void start(directed *d, const ic_params *p, const wi_director_params *how, weir_engine engine,
                  uint32_t lp_size, bool host_driven)
{
    weir_setup setup;
    *d = directed{};
    d->diag = weir_diag_new();
    gpu_must(d->diag, wi_ic_new(d->diag, p, &d->ic), "interconnect");
    wi_ic_setup(d->ic, &setup);
    const wi_director_model model = wi_ic_bypass_model(&d->bypass);
    gpu_must(d->diag, wi_director_new(d->diag, how, &model, &d->director), "director");
    setup.hook = direct;
    setup.hook_first_ps = wi_director_first(d->director);
    setup.user = d;
    setup.engine = engine;
    setup.lp_size = lp_size;
    setup.gpu_options.host_driven = host_driven;
    gpu_must(d->diag, weir_sim_new(d->diag, &setup, &d->sim), "simulation");
    gpu_must(d->diag, wi_ic_bypass_init(d->diag, &d->bypass, d->ic, d->sim), "bypass");
}

static void end(directed *d)
{
    wi_ic_bypass_free(&d->bypass);
    wi_director_free(d->director);
    weir_sim_free(d->sim);
    wi_ic_free(d->ic);
    weir_diag_free(d->diag);
}

static void run(directed *d, weir_time until_ps)
{
    gpu_must(d->diag, weir_sim_run(d->diag, d->sim, until_ps, nullptr), "run");
    gpu_must(d->diag, d->status, "director");
    gpu_must(d->diag, weir_sim_fetch(d->diag, d->sim), "fetch");
    gpu_must(d->diag, wi_ic_check(d->diag, d->ic, d->sim), "conservation");
}

int main(void)
{
    const weir_time us = WEIR_PS_PER_US;
    static const job_action actions[] = {{JOB_OP_COMPUTE, 0, 0, 0, 0, 0, 0, 500000},
                                         {JOB_OP_ALLREDUCE, JOB_RING, 0, 0, 0, 0, 3000, 0},
                                         {JOB_OP_EXCHANGE, 0, 0, 0, 0, 0, 700, 0}};
    const wi_period periods[] = {{5 * us, 9 * us, 3 * us, {}}, {12 * us, 14 * us, 1 * us, {}}};
    const weir_time stops[] = {4 * us, 7 * us, 11 * us, 13 * us, 17 * us};
    for (int i = 0; i < (GPU_SHARE > 1 ? 8 : 16); i++) {
        ic_job job;
        ic_params p;
        wi_director_params how;
        ic_job_init(&job);
        usual_interconnect(&p);
        usual_director(&how);
        how.mode = i % 2 ? WI_HYBRID : WI_HYBRID_LITE;
        how.periods = periods;
        how.n_periods = 2;
        how.always = i % 4 != 0; /* most are too early for a network that has settled */
        if (i % 8 == 7) {        /* by itself */
            how.periods = nullptr;
            how.batch_ps = us / 2;
            how.batches = 4;
            how.tolerance = 0.6;
            how.longest_ps = 3 * us;
        }
        job.load = 0.4 + 0.15 * (i % 4);
        if (i % 4 >= 2) {
            job.pattern = IC_PROGRAMMED;
            job.n_ranks = 8;
            job.grid[0] = 8;
            job.placement = WEIR_SC_PLACE_RANDOM;
            job.actions = actions;
            job.n_actions = 3;
            job.iterations = 0;
            job.eager_bytes = 500;
        }
        p.p = 2, p.a = 3, p.h = 1;
        p.burst = i % 3 ? 8 : 1;
        p.seed = 40 + (uint64_t)i;
        p.surrogate = true;
        p.predictor = i % 4 < 2 ? WI_PREDICTOR_mean : WI_PREDICTOR_quantile;
        p.jobs = &job;
        p.n_jobs = 1;
        directed want, got;
        start(&want, &p, &how, WEIR_ENGINE_SEQUENTIAL, 0, false);
        start(&got, &p, &how, WEIR_ENGINE_GPU, i % 2 ? 0 : 2, i % 4 == 3);
        for (weir_time stop : stops) {
            run(&want, stop);
            run(&got, stop);
            const gpu_snapshot a = gpu_snapshot_of(want.sim), b = gpu_snapshot_of(got.sim);
            gpu_comparisons++;
            if (a.events == b.events && a.event_digest == b.event_digest &&
                a.state_digest == b.state_digest && a.pending == b.pending)
                continue;
            gpu_failures++;
            printf(
                "DIFFERENT  case %d at %lld ps: events %llu/%llu, event digest %016llx/%016llx, state digest "
                "%016llx/%016llx\n",
                i, (long long)stop, (unsigned long long)b.events, (unsigned long long)a.events,
                (unsigned long long)b.event_digest, (unsigned long long)a.event_digest,
                (unsigned long long)b.state_digest, (unsigned long long)a.state_digest);
            gpu_first_difference(got.sim, want.sim);
            break;
        }
        end(&want);
        end(&got);
    }
    return gpu_result();
}

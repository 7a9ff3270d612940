/* PHOLD on the GPU engine against the sequential engine, over random parameters. Exit 0: equal; 1: not; 77:
 * no device. */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/phold/phold.h"
#include "models/usual/phold.h"
}

static weir_time log_uniform(uint64_t *random, int decades)
{
    weir_time t = 1;
    for (uint32_t i = rnd_below(random, (uint32_t)decades + 1); i > 0; i--)
        t *= 10;
    return t * (1 + (weir_time)rnd_below(random, 9));
}

int main(void)
{
    uint64_t random = 77;
    for (int i = 0; i < 40 / GPU_SHARE; i++) {
        phold_params params;
        usual_phold(&params);
        params.n_entities = 2 + rnd_below(&random, (i % 4 == 0 ? 50000 : 600) / (GPU_SHARE * GPU_SHARE));
        params.events_per_entity = 1 + rnd_below(&random, 12);
        params.remote_share = rnd_below(&random, 5) / 4.0;
        params.lookahead_ps = log_uniform(&random, 4);
        params.mean_ps = rnd_below(&random, 4) ? log_uniform(&random, 4) : 0; /* 0: all times agree */
        weir_diag *diag = weir_diag_new();
        wi_uniform *phold = nullptr;
        weir_setup setup;
        char what[160];
        gpu_must(diag, wi_phold_new(diag, &params, &phold), "phold");
        wi_uniform_setup(phold, &setup);
        setup.seed = rnd(&random);
        snprintf(what, sizeof what, "phold: %u x %u, remote %.2f, lookahead %lld, mean %lld",
                 params.n_entities, params.events_per_entity, params.remote_share,
                 (long long)params.lookahead_ps, (long long)params.mean_ps);
        const weir_time hop = params.lookahead_ps + params.mean_ps;
        gpu_compare(what, setup, {hop / 2 + 1, 3 * hop + 2, 8 * hop + 3}, 5, &random);
        wi_uniform_free(phold);
        weir_diag_free(diag);
    }
    return gpu_result();
}

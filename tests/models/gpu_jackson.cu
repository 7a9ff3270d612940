/* The queueing network on the GPU engine against the sequential engine, over random parameters. Exit 0: equal; 1:
 * not; 77: no device. */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/jackson/jackson.h"
}

int main(void)
{
    uint64_t random = 5;
    for (int i = 0; i < 12 / GPU_SHARE; i++) {
        const jackson_params params = {2 + rnd_below(&random, 3000 / (GPU_SHARE * GPU_SHARE)),
                                       0.1 * (1 + rnd_below(&random, 9)), 0.1 * (1 + rnd_below(&random, 10)),
                                       1000 * (1 + (weir_time)rnd_below(&random, 1000)),
                                       1000 * (1 + (weir_time)rnd_below(&random, 1000))};
        weir_diag *diag = weir_diag_new();
        wi_uniform *jackson = nullptr;
        weir_setup setup;
        char what[160];
        gpu_must(diag, wi_jackson_new(diag, &params, &jackson), "jackson");
        wi_uniform_setup(jackson, &setup);
        setup.seed = rnd(&random);
        snprintf(what, sizeof what, "jackson: %u stations, load %g, leave %g", params.n_stations, params.load,
                 params.leave);
        const weir_time visit = params.service_ps + params.transit_ps;
        gpu_compare(what, setup, {visit + 1, 5 * visit, 20 * visit + 3}, 5, &random);
        wi_uniform_free(jackson);
        weir_diag_free(diag);
    }
    return gpu_result();
}

/* The wireless model on the GPU engine against the sequential engine, over random parameters. Exit 0: equal; 1:
 * not; 77: no device. */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/wireless/params.h"
#include "models/usual/wireless.h"
}

int main(void)
{
    uint64_t random = 78;
    for (int i = 0; i < 24 / GPU_SHARE + 3; i++) {
        wireless_params p;
        usual_wireless(&p);
        p.n_nodes = 2 + rnd_below(&random, 60 / GPU_SHARE);
        p.placement = rnd_below(&random, 3);
        p.range_m = rnd_below(&random, 2) ? 50.0 : 0.0;
        p.packets_per_s = 1 + rnd_below(&random, 40);
        p.poisson = rnd_below(&random, 2);
        p.speed_m_s = rnd_below(&random, 30);
        p.shadowing_db = rnd_below(&random, 6);
        p.rician_k = rnd_below(&random, 3);
        p.n_sinusoids = 4 + rnd_below(&random, 20);
        p.rate_mbps = rnd_below(&random, 2) ? 54 : 12;
        p.replies = rnd_below(&random, 3);
        p.access = (uint32_t)i % 4;
        p.series = rnd_below(&random, 2);
        weir_diag *diag = weir_diag_new();
        wi_wireless *made = nullptr;
        weir_setup setup;
        char what[160];
        gpu_must(diag, wi_wireless_new(diag, &p, &made), "wireless");
        wi_wireless_setup(made, &setup);
        setup.seed = rnd(&random);
        snprintf(what, sizeof what, "wireless: %u nodes, access %u, replies %u, series %u", p.n_nodes,
                 p.access, p.replies, p.series);
        const weir_time some = (weir_time)(1e12 * 4 / p.packets_per_s / p.n_nodes);
        gpu_compare(what, setup, {some / 3, some, 2 * some}, 3, &random);
        wi_wireless_free(made);
        weir_diag_free(diag);
    }
    return gpu_result();
}

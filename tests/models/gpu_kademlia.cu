/*
 * Kademlia on the GPU engine against the sequential engine, over random parameters: values, churn, bootstrap,
 * several lookups at a time. Exit 0: equal; 1: not; 77: no device.
 */
#include "engine/gpu_compare.h"
extern "C" {
#include "models/kademlia/kademlia.h"
#include "models/usual/kademlia.h"
}

int main(void)
{
    uint64_t random = 160;
    for (int i = 0; i < (GPU_SHARE > 1 ? 4 : 16); i++) {
        kad_params p;
        usual_kademlia(&p);
        p.n_peers = 2 + rnd_below(&random, (i % 4 == 0 ? 20000 : 1500) / (GPU_SHARE * GPU_SHARE));
        p.k = 1 + rnd_below(&random, (uint32_t)(i % 2 ? (int)KAD_K_MAX : (int)KAD_GPU_K_USUAL));
        p.alpha =
            1 + rnd_below(&random, (uint32_t)(i % 4 > 1 ? (int)KAD_ALPHA_MAX : (int)KAD_GPU_ALPHA_USUAL));
        p.lookups = 1 + rnd_below(&random, 3);
        p.seed = rnd(&random);
        p.think_ps = (1 + rnd_below(&random, 2000)) * (weir_time)WEIR_PS_PER_MS;
        p.latency_shape = rnd_below(&random, 3);
        p.latency_per_pair = rnd_below(&random, 2);
        if (i % 3 == 1) {
            p.online_ps = (1 + rnd_below(&random, 5)) * (weir_time)WEIR_PS_PER_S;
            p.offline_ps = (1 + rnd_below(&random, 3)) * (weir_time)WEIR_PS_PER_S;
            p.session_shape = 0.5 + rnd_below(&random, 3) / 2.0;
            p.fresh = rnd_below(&random, 2);
        }
        if (i % 3 == 2) {
            p.n_values = 1 + rnd_below(&random, 300);
            p.store_share = 0.2;
            p.find_share = 0.5;
        }
        if (i % 5 == 4)
            p.bootstrap_ps = WEIR_PS_PER_S;
        weir_diag *diag = weir_diag_new();
        wi_kad *kad = nullptr;
        weir_setup setup;
        char what[160];
        gpu_must(diag, wi_kad_new(diag, &p, &kad), "kademlia");
        wi_kad_setup(kad, &setup);
        snprintf(what, sizeof what,
                 "kademlia: %u peers, k %u, alpha %u, lookups %u, churn %d, values %u, bootstrap %d",
                 p.n_peers, p.k, p.alpha, p.lookups, p.online_ps > 0, p.n_values, p.bootstrap_ps > 0);
        gpu_compare(what, setup, {WEIR_PS_PER_S / 3, 4 * (weir_time)WEIR_PS_PER_S}, 2, &random);
        wi_kad_free(kad);
        weir_diag_free(diag);
    }
    return gpu_result();
}

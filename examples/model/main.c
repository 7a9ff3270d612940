/*
 * A model outside weir's source tree, run on every engine that is there: rumour [PEOPLE [gpu]]
 *
 *     cmake -S examples/model -B build/model && cmake --build build/model && build/model/rumour 100000
 *
 * with weir installed (make install). Each line ends with the digest of all events: they are equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rumour.h"

#ifdef RUMOUR_GPU
const struct weir_gpu_program *rumour_gpu(void);
#endif

static const weir_event_type types[RUMOUR_TYPES] = {
    {.name = "heard", .handle = rumour_hear, .payload_bytes = sizeof(uint64_t), .max_events = RUMOUR_TELLS}};
static const weir_kind people = {
    .name = "person", .state_bytes = sizeof(rumour_person), .init = rumour_init, .max_events = 1};
static const weir_model model = {
    .name = "rumour", .types = types, .kinds = &people, .n_types = RUMOUR_TYPES, .n_kinds = 1};

static weir_status run(weir_diag *diag, const weir_setup *setup, const char *engine)
{
    weir_sim *sim = NULL;
    weir_status status = weir_sim_new(diag, setup, &sim);
    if (status == WEIR_OK)
        status = weir_sim_run(diag, sim, 100 * WEIR_PS_PER_S, NULL);
    if (status == WEIR_OK)
        status = weir_sim_fetch(diag, sim);
    uint32_t heard = 0;
    for (uint32_t e = 0; status == WEIR_OK && e < setup->kind_count[0]; e++)
        heard += ((const rumour_person *)weir_sim_state(sim, e))->heard > 0;
    if (status == WEIR_OK)
        printf("%-12s %u of %u heard it, %llu events, digest %016llx\n", engine, heard, setup->kind_count[0],
               (unsigned long long)weir_sim_events(sim), (unsigned long long)weir_sim_event_digest(sim));
    weir_sim_free(sim);
    return status;
}

int main(int argc, char **argv)
{
    const uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    const rumour_world world = {.n_people = n, .least_ps = WEIR_PS_PER_S, .mean_ps = 1e12};
    weir_time *lookahead_ps = malloc((n + 1) * sizeof *lookahead_ps);
    for (uint32_t e = 0; lookahead_ps && e < n; e++)
        lookahead_ps[e] = world.least_ps;
    weir_setup setup = {.model = &model,
                        .world = &world,
                        .world_bytes = sizeof world,
                        .kind_count = {n},
                        .lookahead_ps = lookahead_ps,
                        .seed = 1,
                        .engine = WEIR_ENGINE_SEQUENTIAL};
    weir_diag *diag = weir_diag_new();
    weir_status status = lookahead_ps ? run(diag, &setup, "sequential") : WEIR_E_NOMEM;
    setup.engine = WEIR_ENGINE_CONSERVATIVE;
    setup.threads = 2;
    if (status == WEIR_OK)
        status = run(diag, &setup, "conservative");
#ifdef RUMOUR_GPU
    setup.engine = WEIR_ENGINE_GPU;
    setup.gpu = rumour_gpu();
    if (status == WEIR_OK && argc > 2 && strcmp(argv[2], "gpu") == 0)
        status = run(diag, &setup, "gpu");
#endif
    for (size_t i = 0; i < weir_diag_count(diag); i++)
        fprintf(stderr, "%s\n", weir_diag_get(diag, i)->text);
    weir_diag_free(diag);
    free(lookahead_ps);
    return status != WEIR_OK;
}

/* One packet network as benchmarks of it run it: made of a scenario, moved on by hand, thrown away. */
#ifndef BENCH_SIMULATION_H
#define BENCH_SIMULATION_H

#include "bench.h"
#include "scenario/subjects/packets/packets.h"

typedef struct simulation {
    weir_scenario *scenario;
    wi_network *network;
    weir_sim *sim;
} simulation;

/* Takes over the scenario. What fails ends the program. */
static inline simulation simulation_on(weir_diag *diag, weir_scenario *scenario, weir_engine engine,
                                       uint32_t threads)
{
    simulation s = {.scenario = scenario};
    bench_must(diag, wi_network_build(diag, s.scenario, &s.network));
    weir_setup setup = {.seed = 1, .engine = engine, .threads = threads};
    wi_net_setup(s.network->net, &setup);
    bench_must(diag, weir_sim_new(diag, &setup, &s.sim));
    return s;
}

/* The same on one core. */
static inline simulation simulation_of(weir_diag *diag, weir_scenario *scenario)
{
    return simulation_on(diag, scenario, WEIR_ENGINE_SEQUENTIAL, 1);
}

static inline void simulation_end(simulation *s)
{
    weir_sim_free(s->sim);
    wi_network_free(s->network);
    weir_scenario_free(s->scenario);
}

#endif

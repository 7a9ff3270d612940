/* The queueing network's table and parameters; the model itself is in jackson.h. */
#include "models/jackson/jackson.h"

static const weir_event_type types[JACKSON_TYPES] = {
    [JACKSON_COMES] = {.name = "comes", .handle = jackson_handle, .max_events = 2},
    [JACKSON_JOINS] = {.name = "joins", .handle = jackson_handle, .max_events = 1},
    [JACKSON_SERVED] = {.name = "served", .handle = jackson_handle, .max_events = 2},
};

static const weir_model model = {.name = "jackson", .types = types, .n_types = JACKSON_TYPES};

void wi_jackson_plan(const void *params, wi_uniform_plan *plan)
{
    const jackson_params *p = params;
    /* Of what a station serves the share `leave` goes for good, so that must come from outside: load / service a
     * unit of time is served, and `leave` times that comes. */
    const jackson_world world = {.n_stations = p->n_stations,
                                 .leave_below = (uint64_t)(p->leave * 0x1p32),
                                 .transit_ps = p->transit_ps,
                                 .gap_ps = (double)p->service_ps / (p->load * p->leave),
                                 .service_ps = (double)p->service_ps};
    *plan = (wi_uniform_plan){.model = &model,
                              .kind = {.name = "station",
                                       .state_bytes = sizeof(jackson_station),
                                       .max_events = 1,
                                       .init = jackson_init},
                              .n_entities = p->n_stations,
                              .pending = 4,
                              .lookahead_ps = p->transit_ps,
                              .n_counters = JACKSON_FOUND,
                              .gpu = WI_UNIFORM_GPU(jackson)};
    wi_uniform_world(plan, &world, sizeof world);
}

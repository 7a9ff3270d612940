/* The queueing network's table and parameters; the model itself is in jackson.h. */
#include "models/jackson/jackson.h"

static const weir_event_type types[JACKSON_TYPES] = {
    [JACKSON_COMES] = {.name = "comes", .handle = jackson_handle, .max_events = 2},
    [JACKSON_JOINS] = {.name = "joins", .handle = jackson_handle, .max_events = 1},
    [JACKSON_SERVED] = {.name = "served", .handle = jackson_handle, .max_events = 2},
};

/* Customers are kept: who came or joined was served or is there, who was served left, joined or is on the way. Integrals are
 * those of the time. */
static const char *wrong_state(const weir_saved_view *saved)
{
    const jackson_station *s = (const jackson_station *)(const void *)saved->state[0];
    for (uint32_t i = 0; i < saved->kind_count[0]; i++, s++)
        if (s->came + s->joined != s->served + s->customers || s->left > s->served || s->since_ps < 0 ||
            !(s->busy_ps >= 0.0 && s->busy_ps <= (double)s->since_ps) ||
            !(s->customer_ps >= s->busy_ps && s->customer_ps <= (double)s->since_ps * UINT32_MAX))
            return "a station";
    return NULL;
}

/* Who is served is there, and customers come from outside to where they were drawn. */
static bool event_fits(const weir_saved_view *saved, const weir_event *event)
{
    const jackson_station *s = (const jackson_station *)(const void *)saved->state[0] + event->target;
    return (event->type == JACKSON_JOINS) == (event->source != event->target) &&
           (event->type != JACKSON_SERVED || s->customers > 0);
}

static const weir_model model = {.name = "jackson",
                                 .types = types,
                                 .n_types = JACKSON_TYPES,
                                 .wrong_state = wrong_state,
                                 .event_fits = event_fits};

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

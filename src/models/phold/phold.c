/* PHOLD's table and parameters; the model itself is in phold.h. */
#include "models/phold/phold.h"

/* region table */
static const weir_event_type types[PHOLD_TYPES] = {
    [PHOLD_HOP] = {.name = "hop", .handle = phold_hop, .max_events = 1},
};

static const weir_model phold = {.name = "phold", .types = types, .n_types = PHOLD_TYPES};
/* endregion table */

void wi_phold_plan(const void *params, wi_uniform_plan *plan)
{
    const phold_params *p = params;
    const phold_world world = {.n_entities = p->n_entities,
                               .events_per_entity = p->events_per_entity,
                               .remote_below = (uint64_t)(p->remote_share * 0x1p32),
                               .lookahead_ps = p->lookahead_ps,
                               .mean_ps = (double)p->mean_ps};
    *plan = (wi_uniform_plan){.model = &phold,
                              .kind = {.name = "entity",
                                       .state_bytes = sizeof(phold_entity),
                                       .init = phold_init,
                                       .max_events = (uint16_t)p->events_per_entity},
                              .n_entities = p->n_entities,
                              .pending = p->events_per_entity,
                              .lookahead_ps = p->lookahead_ps,
                              .gpu = WI_UNIFORM_GPU(phold)};
    wi_uniform_world(plan, &world, sizeof world);
}

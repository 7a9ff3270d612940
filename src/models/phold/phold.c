/* PHOLD's table and parameters; the model itself is in phold.h. */
#include "models/phold/phold.h"

/* region table */
static const weir_event_type types[PHOLD_TYPES] = {
    [PHOLD_HOP] = {.name = "hop", .handle = phold_hop, .max_events = 1},
};

/* A checkpoint may hold any states and events of it: a count of what was handled is all that there is. */
static const weir_model phold = {.name = "phold", .types = types, .n_types = PHOLD_TYPES};
/* endregion table */

void wi_phold_params_init(phold_params *params)
{
    *params = (phold_params){.n_entities = 1024,
                             .events_per_entity = 1,
                             .remote_share = 0.5,
                             .lookahead_ps = WEIR_PS_PER_US,
                             .mean_ps = WEIR_PS_PER_US};
}

weir_status wi_phold_new(weir_diag *diag, const phold_params *params, wi_uniform **out)
{
    const phold_world world = {.n_entities = params->n_entities,
                               .events_per_entity = params->events_per_entity,
                               .remote_below = (uint64_t)(params->remote_share * 0x1p32),
                               .lookahead_ps = params->lookahead_ps,
                               .mean_ps = (double)params->mean_ps};
    const wi_uniform_params made = {.model = &phold,
                                    .kind = {.name = "entity",
                                             .state_bytes = sizeof(phold_entity),
                                             .init = phold_init,
                                             .max_events = (uint16_t)params->events_per_entity},
                                    .world = &world,
                                    .world_bytes = sizeof world,
                                    .n_entities = params->n_entities,
                                    .lookahead_ps = params->lookahead_ps,
                                    .gpu = WI_UNIFORM_GPU(phold)};
    return wi_uniform_new(diag, &made, out);
}

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

static weir_status check_params(weir_diag *diag, const phold_params *params)
{
    const weir_time longest_ps = 10 * 86400 * WEIR_PS_PER_S;
    if (params->n_entities < 1 || params->n_entities > INT32_MAX)
        return weir_fail(diag, WEIR_E_ARG, "phold: %u entities; want 1 to 2147483647", params->n_entities);
    if (params->events_per_entity > UINT16_MAX)
        return weir_fail(diag, WEIR_E_ARG, "phold: %u events per entity; want at most 65535",
                         params->events_per_entity);
    if (!(params->remote_share >= 0.0 && params->remote_share <= 1.0))
        return weir_fail(diag, WEIR_E_ARG, "phold: remote share %g; want 0 to 1", params->remote_share);
    if (params->remote_share > 0.0 && params->n_entities == 1)
        return weir_fail(diag, WEIR_E_ARG,
                         "phold: remote share %g with a single entity; want 0, or more "
                         "entities",
                         params->remote_share);
    if (params->lookahead_ps < 1 || params->lookahead_ps > longest_ps)
        return weir_fail(diag, WEIR_E_ARG, "phold: lookahead of %lld ps; want 1 ps to 10 days",
                         (long long)params->lookahead_ps);
    if (params->mean_ps < 0 || params->mean_ps > longest_ps)
        return weir_fail(diag, WEIR_E_ARG, "phold: mean of %lld ps; want 0 to 10 days",
                         (long long)params->mean_ps);
    return WEIR_OK;
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
    const weir_status status = check_params(diag, params);
    *out = NULL;
    return status == WEIR_OK ? wi_uniform_new(diag, &made, out) : status;
}

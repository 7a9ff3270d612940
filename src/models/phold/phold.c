/* PHOLD's table and set-up; the model itself is in phold.h. */
#include "models/phold/phold.h"

#include <stdlib.h>
#include <string.h>

struct wi_phold {
    phold_world world;
    weir_kind kind; /* how many events an init schedules depends on the parameters */
    weir_model model;
    weir_time *lookahead_ps;
};

/* region table */
static const weir_event_type types[PHOLD_TYPES] = {
    [PHOLD_HOP] = {.name = "hop", .handle = phold_hop, .max_events = 1},
};

static const weir_kind entities = {.name = "entity", .state_bytes = sizeof(phold_entity), .init = phold_init};

static const weir_model phold = {.name = "phold", .types = types, .n_kinds = 1, .n_types = PHOLD_TYPES};
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

weir_status wi_phold_new(weir_diag *diag, const phold_params *params, wi_phold **out)
{
    *out = NULL;
    const weir_status status = check_params(diag, params);
    if (status != WEIR_OK)
        return status;
    wi_phold *made = calloc(1, sizeof *made);
    weir_time *lookahead_ps = malloc(params->n_entities * sizeof *lookahead_ps);
    if (!made || !lookahead_ps) {
        free(made);
        free(lookahead_ps);
        return weir_fail(diag, WEIR_E_NOMEM, "phold: no memory for %u entities", params->n_entities);
    }
    for (uint32_t e = 0; e < params->n_entities; e++)
        lookahead_ps[e] = params->lookahead_ps;
    made->lookahead_ps = lookahead_ps;
    made->world = (phold_world){.n_entities = params->n_entities,
                                .events_per_entity = params->events_per_entity,
                                .remote_below = (uint64_t)(params->remote_share * 0x1p32),
                                .lookahead_ps = params->lookahead_ps,
                                .mean_ps = (double)params->mean_ps};
    made->kind = entities;
    made->kind.max_events = (uint16_t)params->events_per_entity;
    made->model = phold;
    made->model.kinds = &made->kind;
    *out = made;
    return WEIR_OK;
}

void wi_phold_free(wi_phold *made)
{
    if (!made)
        return;
    free(made->lookahead_ps);
    free(made);
}

void wi_phold_setup(const wi_phold *made, weir_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->model = &made->model;
    setup->world = &made->world;
    setup->world_bytes = sizeof made->world;
    setup->kind_count[0] = made->world.n_entities;
    setup->lookahead_ps = made->lookahead_ps;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = wi_phold_gpu();
#endif
}

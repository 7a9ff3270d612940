/* Models of entities that are all alike; see the header. */
#include "models/uniform.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct wi_uniform {
    weir_setup setup;
    wi_uniform_plan plan;
    weir_model model;
    weir_time *lookahead_ps;
};

void wi_uniform_world(wi_uniform_plan *plan, const void *world, size_t bytes)
{
    assert(bytes <= sizeof plan->world);
    memcpy(plan->world, world, bytes);
    plan->world_bytes = bytes;
}

weir_status wi_uniform_new(weir_diag *diag, wi_uniform_planner *planner, const void *params, wi_uniform **out)
{
    wi_uniform_plan plan = {0};
    planner(params, &plan);
    wi_uniform *made = *out = calloc(1, sizeof *made);
    if (made)
        made->lookahead_ps = malloc(plan.n_entities * sizeof *made->lookahead_ps);
    if (!made || !made->lookahead_ps) {
        wi_uniform_free(made);
        *out = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for %u entities", plan.model->name,
                         plan.n_entities);
    }
    for (uint32_t e = 0; e < plan.n_entities; e++)
        made->lookahead_ps[e] = plan.lookahead_ps;
    memcpy(&made->plan, &plan, sizeof plan); /* the world is of no type of ours */
    made->model = *plan.model;
    made->model.kinds = &made->plan.kind;
    made->model.n_kinds = 1;
    made->setup = (weir_setup){.model = &made->model,
                               .world = made->plan.world,
                               .world_bytes = plan.world_bytes,
                               .kind_count = {plan.n_entities},
                               .lookahead_ps = made->lookahead_ps,
                               .n_counters = plan.n_counters,
                               .gpu = plan.gpu};
    return WEIR_OK;
}

void wi_uniform_free(wi_uniform *made)
{
    if (!made)
        return;
    free(made->lookahead_ps);
    free(made);
}

void wi_uniform_setup(const wi_uniform *made, weir_setup *setup)
{
    *setup = made->setup;
}

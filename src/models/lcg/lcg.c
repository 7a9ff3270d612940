/* The LCG benchmark's table and parameters; the model itself is in lcg.h. */
#include "models/lcg/lcg.h"

#define LCG_ROW(TYPE, name_, multiplier, increment) \
    [LCG_##TYPE] = {.name = #name_, .handle = lcg_##name_, .max_events = 1},
static const weir_event_type types[LCG_TYPES] = {LCG_GENERATORS(LCG_ROW)};
#undef LCG_ROW

static const weir_model model = {.name = "lcg", .types = types, .n_types = LCG_TYPES};

void wi_lcg_plan(const void *params, wi_uniform_plan *plan)
{
    const lcg_params *p = params;
    const lcg_world world = {.ways = p->ways,
                             .only = p->only,
                             .iterations = p->iterations,
                             .n_modules = p->n_modules,
                             .events = p->events,
                             .state_bytes = p->state_bytes,
                             .period_ps = WEIR_PS_PER_US};
    *plan = (wi_uniform_plan){
        .model = &model,
        .kind = {.name = "module", .state_bytes = p->state_bytes, .init = lcg_init, .max_events = 1},
        .n_entities = p->n_modules,
        .pending = 1,
        .lookahead_ps = WEIR_PS_PER_US,
        .gpu = WI_UNIFORM_GPU(lcg)};
    wi_uniform_world(plan, &world, sizeof world);
}

weir_time wi_lcg_end(const lcg_params *p)
{
    return WEIR_PS_PER_US * (p->events / p->n_modules + 2);
}

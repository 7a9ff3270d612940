/* The LCG benchmark's table and set-up; the model itself is in lcg.h. */
#include "models/lcg/lcg.h"

#include <stdlib.h>
#include <string.h>

struct wi_lcg {
    lcg_world world;
    weir_kind kind; /* its size is a parameter */
    weir_model model;
    weir_time *lookahead_ps;
};

static const weir_event_type types[LCG_TYPES] = {
    [LCG_A] = {.name = "a", .handle = lcg_a, .max_events = 1},
    [LCG_B] = {.name = "b", .handle = lcg_b, .max_events = 1},
    [LCG_C] = {.name = "c", .handle = lcg_c, .max_events = 1},
    [LCG_D] = {.name = "d", .handle = lcg_d, .max_events = 1},
};

void wi_lcg_params_init(lcg_params *params)
{
    *params = (lcg_params){.n_modules = 1, .ways = 1, .events = 300, .iterations = 20000, .state_bytes = 72};
}

static weir_status check_params(weir_diag *diag, const lcg_params *p)
{
    if (p->n_modules < 1 || p->n_modules > 65536)
        return weir_fail(diag, WEIR_E_ARG, "lcg: %u modules; want 1 to 65536", p->n_modules);
    if (p->only > p->ways)
        return weir_fail(diag, WEIR_E_ARG, "lcg: generator %u of %u", p->only, p->ways);
    if (p->ways < 1 || p->ways > LCG_TYPES)
        return weir_fail(diag, WEIR_E_ARG, "lcg: %u generators; want 1 to %d", p->ways, LCG_TYPES);
    if (p->state_bytes < sizeof(lcg_module) || p->state_bytes > 1 << 20 || p->state_bytes % 8)
        return weir_fail(diag, WEIR_E_ARG, "lcg: a state of %u bytes; want a multiple of 8 from %zu to %d",
                         p->state_bytes, sizeof(lcg_module), 1 << 20);
    return WEIR_OK;
}

weir_status wi_lcg_new(weir_diag *diag, const lcg_params *p, wi_lcg **out)
{
    *out = NULL;
    const weir_status status = check_params(diag, p);
    if (status != WEIR_OK)
        return status;
    wi_lcg *made = calloc(1, sizeof *made);
    weir_time *lookahead_ps = malloc(p->n_modules * sizeof *lookahead_ps);
    if (!made || !lookahead_ps) {
        free(made);
        free(lookahead_ps);
        return weir_fail(diag, WEIR_E_NOMEM, "lcg: no memory for %u modules", p->n_modules);
    }
    for (uint32_t m = 0; m < p->n_modules; m++)
        lookahead_ps[m] = WEIR_PS_PER_US;
    made->lookahead_ps = lookahead_ps;
    made->world = (lcg_world){.ways = p->ways,
                              .only = p->only,
                              .iterations = p->iterations,
                              .n_modules = p->n_modules,
                              .events = p->events,
                              .period_ps = WEIR_PS_PER_US};
    made->kind =
        (weir_kind){.name = "module", .state_bytes = p->state_bytes, .init = lcg_init, .max_events = 1};
    made->model =
        (weir_model){.name = "lcg", .kinds = &made->kind, .types = types, .n_kinds = 1, .n_types = LCG_TYPES};
    *out = made;
    return WEIR_OK;
}

void wi_lcg_free(wi_lcg *made)
{
    if (!made)
        return;
    free(made->lookahead_ps);
    free(made);
}

weir_time wi_lcg_end(const wi_lcg *made)
{
    return made->world.period_ps * (made->world.events / made->world.n_modules + 2);
}

void wi_lcg_setup(const wi_lcg *made, weir_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->model = &made->model;
    setup->world = &made->world;
    setup->world_bytes = sizeof made->world;
    setup->kind_count[0] = made->world.n_modules;
    setup->lookahead_ps = made->lookahead_ps;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = wi_lcg_gpu();
#endif
}

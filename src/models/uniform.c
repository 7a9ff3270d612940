/* Models of entities that are all alike; see the header. */
#include "models/uniform.h"

#include <stdlib.h>
#include <string.h>

struct wi_uniform {
    weir_setup setup;
    weir_kind kind;
    weir_model model;
    void *world;
    weir_time *lookahead_ps;
};

weir_status wi_uniform_new(weir_diag *diag, const wi_uniform_params *p, wi_uniform **out)
{
    wi_uniform *made = *out = calloc(1, sizeof *made);
    if (made) {
        made->world = malloc(p->world_bytes);
        made->lookahead_ps = malloc(p->n_entities * sizeof *made->lookahead_ps);
    }
    if (!made || !made->world || !made->lookahead_ps) {
        wi_uniform_free(made);
        *out = NULL;
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for %u entities", p->model->name, p->n_entities);
    }
    memcpy(made->world, p->world, p->world_bytes);
    for (uint32_t e = 0; e < p->n_entities; e++)
        made->lookahead_ps[e] = p->lookahead_ps;
    made->kind = p->kind;
    made->model = *p->model;
    made->model.kinds = &made->kind;
    made->model.n_kinds = 1;
    made->setup = (weir_setup){.model = &made->model,
                               .world = made->world,
                               .world_bytes = p->world_bytes,
                               .kind_count = {p->n_entities},
                               .lookahead_ps = made->lookahead_ps,
                               .n_counters = p->n_counters,
                               .gpu = p->gpu};
    return WEIR_OK;
}

void wi_uniform_free(wi_uniform *made)
{
    if (!made)
        return;
    free(made->world);
    free(made->lookahead_ps);
    free(made);
}

void wi_uniform_setup(const wi_uniform *made, weir_setup *setup)
{
    *setup = made->setup;
}

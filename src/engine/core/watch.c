/* The watch over progress; see watch.h. */
#include <stdlib.h>

#include "engine/core/engine.h"

void wi_watch_free(wi_watch *watch)
{
    free(watch->count);
    *watch = (wi_watch){0};
}

/* The watch begins anew, without counting. */
static void mark(wi_watch *watch, uint64_t events, weir_time now_ps)
{
    free(watch->count);
    watch->count = NULL;
    watch->events = events;
    watch->since_ps = now_ps;
}

/* Bursts that end: an entity may have something to begin with for each of its slots, one after another. */
static uint64_t slots_of(const weir_sim *sim, uint32_t entity)
{
    const weir_model *m = sim->setup.model;
    uint64_t slots = 0;
    for (uint32_t p = 0; p < m->n_pools; p++) {
        const uint32_t kind = m->pools[p].kind, i = entity - sim->kind_first[kind];
        if (entity >= sim->kind_first[kind] && entity < sim->kind_first[kind + 1])
            slots += sim->setup.pool_first[p][i + 1] - sim->setup.pool_first[p][i];
    }
    return slots;
}

bool wi_watch_look(wi_watch *watch, const weir_sim *sim, uint64_t events, weir_time now_ps)
{
    const weir_time end_ps = sim->setup.end_ps;
    const bool slow = now_ps - watch->since_ps < WI_WATCH_SPAN_PS;
    const bool long_way = end_ps == 0 || end_ps - now_ps >= WI_WATCH_LEAST_LEFT_PS;
    mark(watch, events, now_ps);
    if (!slow || !long_way)
        return false;
    watch->count = calloc(sim->n_entities, sizeof *watch->count); /* without memory: no count */
    for (uint32_t i = 0; watch->count && i < sim->n_entities; i++) {
        const uint64_t most = WI_WATCH_INSTANTS + 4 * slots_of(sim, i);
        watch->count[i].most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
    }
    return watch->count != NULL;
}

void wi_watch_move_on(wi_watch *watch, uint64_t events, weir_time now_ps)
{
    watch->patience = 2 * watch->patience + WI_WATCH_PATIENCE;
    mark(watch, events, now_ps);
}

void wi_watch_part_handled(wi_part *part)
{
    wi_watch *watch = &part->watch;
    weir_ctx *ctx = &part->ctx;
    const weir_time passed_ps = ctx->now_ps - watch->since_ps;
    if (passed_ps >= WI_WATCH_SPAN_PS)
        wi_watch_move_on(watch, part->events, part->now_ps);
    else
        wi_watch_handled(&watch->count[ctx->entity], ctx, passed_ps);
}

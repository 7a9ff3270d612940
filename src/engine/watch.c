/* The watch over progress; see watch.h. */
#include <stdlib.h>

#include "engine/internal.h"

enum { SPAN_PS = 1 << 25, NEAR_PS = 8, INSTANTS = 1 << 14 };
static const weir_time least_left_ps = INT64_C(1) << 37;

void wi_watch_free(wi_watch *watch)
{
    free(watch->count);
    *watch = (wi_watch){0};
}

static void mark(wi_part *part)
{
    wi_watch *watch = &part->watch;
    free(watch->count);
    watch->count = NULL;
    watch->events = part->events;
    watch->since_ps = part->now_ps;
}

void wi_watch_look(wi_part *part)
{
    wi_watch *watch = &part->watch;
    const weir_time end_ps = part->sim->setup.end_ps;
    const bool slow = part->now_ps - watch->since_ps < SPAN_PS;
    const bool long_way = end_ps == 0 || end_ps - part->now_ps >= least_left_ps;
    mark(part);
    if (slow && long_way) /* without memory: no count */
        watch->count = calloc(part->sim->n_entities, sizeof *watch->count);
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

static bool schedules_near(const weir_ctx *ctx)
{
    const unsigned char *at = ctx->out;
    for (uint32_t i = 0; i < ctx->out_count; i++, at += ctx->stride)
        if (((const weir_event *)(const void *)at)->time_ps - ctx->now_ps <= NEAR_PS)
            return true;
    return false;
}

void wi_watch_handled(wi_part *part)
{
    weir_ctx *ctx = &part->ctx;
    wi_watch *watch = &part->watch;
    const weir_time passed_ps = ctx->now_ps - watch->since_ps;
    if (passed_ps >= SPAN_PS) {
        watch->patience = 2 * watch->patience + WI_WATCH_PATIENCE;
        mark(part);
        return;
    }
    wi_watch_count *count = &watch->count[ctx->entity];
    if (count->last == (uint32_t)passed_ps + 1 || !schedules_near(ctx))
        return;
    count->last = (uint32_t)passed_ps + 1;
    if (++count->instants % INSTANTS == 0 &&
        count->instants >= INSTANTS + 4 * slots_of(part->sim, ctx->entity))
        weir_fault_keep(ctx, WEIR_FAULT_STUCK, count->instants, passed_ps);
}

/* A part: its memory; see engine.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/parts/part_run.h"

enum {
    RECORDS_BUFFERED = 4096,
    /* What handlers that break the contract may still write to past the last slot, without harm. */
    OUT_SLACK = sizeof(weir_event) + WEIR_PAYLOAD_MAX,
    RECORDS_SLACK = sizeof(weir_record_head) + UINT16_MAX
};

int wi_part_init(wi_part *part, weir_sim *sim, int64_t *counters)
{
    const weir_setup *setup = &sim->setup;
    memset(part, 0, sizeof *part);
    part->sim = sim;
    weir_ctx *ctx = &part->ctx;
    ctx->world = setup->world;
    ctx->n_entities = sim->n_entities;
    ctx->seed = setup->seed;
    ctx->run = setup->run;
    ctx->counters = counters;
    ctx->n_counters = setup->n_counters;
    for (uint32_t p = 0; p < setup->model->n_pools; p++)
        ctx->pool[p] = sim->pool[p];
    ctx->stride = (uint32_t)sizeof(weir_event) + sim->payload_bytes;
    ctx->rec_stride = (uint32_t)sizeof(weir_record_head) + setup->model->record_bytes;
    ctx->out = calloc(1, (size_t)sim->max_events * ctx->stride + OUT_SLACK);
    return ctx->out && wi_records_reserve(part, RECORDS_BUFFERED + sim->max_records) &&
           wi_pending_init(&part->pending, setup->seed, sim->n_entities, sim->payload_bytes, sim->ordered);
}

void wi_part_free(wi_part *part)
{
    wi_pending_free(&part->pending);
    wi_watch_free(&part->watch);
    free(part->ctx.out);
    free(part->ctx.rec);
    memset(part, 0, sizeof *part);
}

wi_part *wi_part_main(const weir_sim *sim, uint32_t entity)
{
    (void)entity;
    return (wi_part *)&sim->main;
}

int wi_records_reserve(wi_part *part, uint32_t more)
{
    weir_ctx *ctx = &part->ctx;
    const size_t wanted = (size_t)ctx->rec_count + more;
    if (wanted <= part->rec_room)
        return 1;
    const size_t room = ctx->rec ? wanted + wanted / 2 : wanted;
    const size_t bytes = room * ctx->rec_stride + RECORDS_SLACK;
    const size_t used = (size_t)ctx->rec_count * ctx->rec_stride;
    /* calloc first: a study has thousands of simulations that never touch most of it */
    unsigned char *rec = room >= UINT32_MAX ? NULL : ctx->rec ? realloc(ctx->rec, bytes) : calloc(1, bytes);
    if (!rec)
        return 0;
    if (ctx->rec)
        memset(rec + used, 0, bytes - used);
    ctx->rec = rec;
    part->rec_room = (uint32_t)room;
    return 1;
}

void wi_part_ask_run(const wi_part *part)
{
    const wi_ask_what asks = wi_part_asks(part);
    for (size_t ahead = 0; ahead < WI_AHEAD_ENTITY; ahead++)
        wi_part_ask_ahead(part, ahead, asks, false);
    for (size_t ahead = 0; ahead < WI_AHEAD_NEAR && asks == WI_ASK_MODEL; ahead++)
        wi_part_ask_ahead(part, ahead, asks, true);
}

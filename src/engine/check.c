/*
 * The check engine: each event is handled, rolled back, compared, and handled again.
 *
 * It finds writes that no weir_touch announced (they survive the rollback), and handlers whose second run
 * differs from the first (they read something that is neither world, own state nor event). The entity's own
 * fixed state and slots are compared byte for byte when they are small, which they nearly always are; bytes
 * of other entities by a sampled hash.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/internal.h"
#include "weir/digest.h"

enum { OWN_MAX = 1 << 20, OTHERS_EVERY = 1009 };

typedef struct piece {
    unsigned char *at;
    size_t bytes;
    const char *what;
} piece;

struct wi_check {
    weir_undo undo;
    unsigned char *own;   /* copy of the entity's own state before handling */
    unsigned char *first; /* outbox and records of the first handling */
    uint64_t handled;
};

weir_status wi_check_new(weir_diag *diag, weir_sim *sim)
{
    struct wi_check *check = calloc(1, sizeof *check);
    if (check) {
        check->own = malloc(OWN_MAX);
        check->first = malloc((size_t)sim->max_events * sim->ctx.stride +
                              (size_t)sim->max_records * sim->ctx.rec_stride + 1);
        sim->check = check;
    }
    if (!check || !check->own || !check->first)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the check engine");
    return WEIR_OK;
}

void wi_check_free(struct wi_check *check)
{
    if (!check)
        return;
    wi_undo_free(&check->undo);
    free(check->own);
    free(check->first);
    free(check);
}

/* The pieces of memory that are the entity's own. */
static size_t own_pieces(const weir_sim *sim, uint32_t entity, uint32_t kind, piece *pieces)
{
    const weir_model *m = sim->setup.model;
    const uint32_t i = entity - sim->kind_first[kind];
    size_t n = 0;
    pieces[n++] = (piece){sim->state[kind] + (size_t)i * m->kinds[kind].state_bytes,
                          m->kinds[kind].state_bytes, m->kinds[kind].name};
    for (uint32_t p = 0; p < m->n_pools; p++) {
        if (m->pools[p].kind != kind || !sim->setup.pool_first[p])
            continue;
        const uint32_t *first = sim->setup.pool_first[p];
        pieces[n++] = (piece){sim->pool[p] + (size_t)first[i] * m->pools[p].slot_bytes,
                              (size_t)(first[i + 1] - first[i]) * m->pools[p].slot_bytes, m->pools[p].name};
    }
    return n;
}

static uint64_t hash_everything(const weir_sim *sim)
{
    return weir_digest_bytes(weir_sim_state_digest(sim), sim->setup.world, sim->setup.world_bytes);
}

static weir_status complain(weir_diag *diag, const weir_sim *sim, const weir_event *event, const char *what,
                            const char *where, size_t offset)
{
    return weir_fail(diag, WEIR_E_MODEL,
                     "check: model '%s', event '%s' at entity %u, %.12f s: %s (%s, byte %zu)",
                     sim->setup.model->name, sim->setup.model->types[event->type].name, event->target,
                     weir_seconds(event->time_ps), what, where, offset);
}

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

weir_status wi_check_event(weir_diag *diag, weir_sim *sim, const weir_event *event)
{
    struct wi_check *check = sim->check;
    weir_ctx *ctx = &sim->ctx;
    const wi_dispatch *d = &sim->dispatch[event->type];
    void *state = d->state + (size_t)(event->target - d->first_entity) * d->state_bytes;
    piece pieces[1 + WEIR_POOLS_MAX];
    const size_t n = own_pieces(sim, event->target, d->kind, pieces);
    size_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += pieces[i].bytes;
    const int whole = total <= OWN_MAX, sampled = check->handled++ % OTHERS_EVERY == 0 || !whole;
    const uint64_t hash = sampled ? hash_everything(sim) : 0;
    for (size_t i = 0, at = 0; whole && i < n; at += pieces[i++].bytes)
        memcpy(check->own + at, pieces[i].at, pieces[i].bytes);

    const weir_entity head = *ctx->self;
    const uint32_t records = ctx->rec_count;
    ctx->undo = &check->undo;
    d->handle(ctx, state, event);
    ctx->undo = NULL;
    if (ctx->fault)
        return WEIR_OK; /* the engine reports it */
    if (check->undo.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the undo log");
    const uint32_t out_count = ctx->out_count, written = ctx->rec_count - records;
    const size_t out_bytes = (size_t)out_count * ctx->stride, rec_bytes = (size_t)written * ctx->rec_stride;
    unsigned char *const rec_at = ctx->rec + (size_t)records * ctx->rec_stride;
    memcpy(check->first, ctx->out, out_bytes);
    memcpy(check->first + out_bytes, rec_at, rec_bytes);
    const weir_entity head_after = *ctx->self;

    wi_undo_rollback(&check->undo);
    *ctx->self = head;
    ctx->rec_count = records;
    ctx->out_count = 0;
    for (size_t i = 0, at = 0; whole && i < n; at += pieces[i++].bytes) {
        const size_t k = first_difference(check->own + at, pieces[i].at, pieces[i].bytes);
        if (k < pieces[i].bytes)
            return complain(diag, sim, event, "changes bytes that it does not touch first", pieces[i].what,
                            k);
    }
    if (sampled && hash_everything(sim) != hash)
        return complain(diag, sim, event, "changes what is not its own", "anywhere", 0);

    d->handle(ctx, state, event);
    if (ctx->out_count != out_count || memcmp(ctx->out, check->first, out_bytes) != 0)
        return complain(diag, sim, event, "schedules other events the second time", "outbox",
                        first_difference(ctx->out, check->first, out_bytes));
    if (ctx->rec_count - records != written || memcmp(rec_at, check->first + out_bytes, rec_bytes) != 0)
        return complain(diag, sim, event, "writes other records the second time", "records", 0);
    if (memcmp(ctx->self, &head_after, sizeof head_after) != 0)
        return complain(diag, sim, event, "draws or schedules otherwise the second time", "head", 0);
    return WEIR_OK;
}

/*
 * The check engine: each event is handled, rolled back, compared, and handled again.
 *
 * It finds
 * - writes that no weir_touch announced: they survive the rollback;
 * - touches of what is not the entity's own;
 * - handlers whose second run differs from the first: they read something that is neither world, own state
 *   nor event, or bytes that they should have written (outbox and records hold other rubbish each time).
 * The entity's own state and slots are compared byte for byte (by hash beyond 1 MiB). Everything else, the
 * world included, is compared by a hash, so often that hashing costs a few microseconds an event: at every
 * event while all of it is below 16 KiB, else at some.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/rollback/own.h"
#include "base/memory.h"
#include "engine/sequential/sequential.h"
#include "weir/digest.h"

enum { OWN_MAX = 1 << 20, HASHED_PER_EVENT = 16384 };

/* What a handling has made, apart from its entity's state. */
typedef struct made {
    unsigned char *out, *rec;
    uint32_t n_out, n_rec;
    weir_entity head;
    uint64_t hash; /* of everything, where the entity's own state is too large to compare */
} made;

typedef struct check_engine {
    wi_owned memory;
    weir_diag *diag; /* of the run under way */
    weir_status status;
    weir_undo undo, first_undo;
    unsigned char *before, *after; /* copies of the entity's own state */
    made first;
    uint64_t handled, next_hash;
    const volatile int *stop; /* of the run under way; */
    bool stopped;             /* hashes were left out for it */
} check_engine;

static check_engine *engine_of(const weir_sim *sim)
{
    return sim->engine;
}

static weir_status start(weir_diag *diag, weir_sim *sim)
{
    check_engine *check = calloc(1, sizeof *check);
    sim->engine = check;
    if (check) {
        check->before = wi_take(&check->memory, OWN_MAX, 1);
        check->after = wi_take(&check->memory, OWN_MAX, 1);
        check->first.out = wi_take(&check->memory, sim->max_events, sim->main.ctx.stride);
        check->first.rec = wi_take(&check->memory, sim->max_records, sim->main.ctx.rec_stride + 1);
    }
    if (!check || check->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the check engine");
    return WEIR_OK;
}

static void end(weir_sim *sim)
{
    check_engine *check = sim->engine;
    if (!check)
        return;
    wi_undo_free(&check->undo);
    wi_undo_free(&check->first_undo);
    wi_owned_free(&check->memory);
    free(check);
}

static size_t first_difference(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t i = 0;
    if (n == 0 || memcmp(a, b, n) == 0)
        return n; /* nearly always; and many times as fast as what follows */
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

static weir_status complain(weir_diag *diag, const weir_sim *sim, const weir_event *event, const char *what,
                            const char *where, size_t offset)
{
    char entity[WI_ENTITY_TEXT];
    wi_entity_text(sim, event->target, entity);
    return weir_fail(diag, WEIR_E_MODEL, "check: model '%s', event '%s' at %s, %.12f s: %s (%s, byte %zu)",
                     sim->setup.model->name, sim->setup.model->types[event->type].name, entity,
                     weir_seconds(event->time_ps), what, where, offset);
}

static weir_status own_compare(weir_diag *diag, const weir_sim *sim, const weir_event *event, const wi_own *o,
                               const unsigned char *copy, const char *what)
{
    for (size_t k = 0; k < o->n; copy += o->pieces[k++].bytes) {
        const size_t at = first_difference(copy, o->pieces[k].at, o->pieces[k].bytes);
        if (at < o->pieces[k].bytes)
            return complain(diag, sim, event, what, o->pieces[k].what, at);
    }
    return WEIR_OK;
}

/* To hash gigabytes takes seconds: a run that is to stop does not wait for more of it, and then finds no difference. */
static uint64_t hash_everything(const weir_sim *sim)
{
    check_engine *const check = engine_of(sim);
    if (check->stop && *check->stop)
        check->stopped = true;
    if (check->stopped)
        return 0;
    return weir_digest_bytes(wi_engine_state_digest(sim), sim->setup.world, sim->setup.world_bytes);
}

static bool hash_differs(const weir_sim *sim, uint64_t from)
{
    const uint64_t hash = hash_everything(sim);
    return hash != from && !engine_of(sim)->stopped;
}

/* Handle the event with an undo log; rubbish where the handler is to write, so that what it forgets differs.
 */
static void handle(weir_sim *sim, const weir_event *event, weir_undo *undo, int rubbish)
{
    weir_ctx *ctx = &sim->main.ctx;
    const wi_dispatch *d = &sim->dispatch[event->type];
    wi_event_room copy;
    memcpy(&copy, event, ctx->stride);
    memset(ctx->out, rubbish, (size_t)d->max_events * ctx->stride);
    memset(ctx->rec + (size_t)ctx->rec_count * ctx->rec_stride, rubbish,
           (size_t)d->max_records * ctx->rec_stride);
    ctx->undo = undo;
    d->handle(ctx, d->state + (size_t)(event->target - d->first_entity) * d->state_bytes, &copy.event);
    ctx->undo = NULL;
}

static weir_status check_touches(weir_diag *diag, const weir_sim *sim, const weir_event *event,
                                 const wi_own *o, const weir_undo *undo)
{
    for (size_t at = undo->used; at > 0;) {
        const void *ptr;
        size_t size;
        at = wi_undo_before(undo, at, &ptr, &size);
        size_t offset;
        const int inside = size == 0 || wi_own_has(o, ptr, size, &offset);
        if (!inside)
            return complain(diag, sim, event, "touches what is not its own", "size of the touch", size);
    }
    return WEIR_OK;
}

/* The events that both handlings scheduled: heads, and the payload that each type states. */
static weir_status compare_events(weir_diag *diag, const weir_sim *sim, const weir_event *event)
{
    const weir_ctx *ctx = &sim->main.ctx;
    const made *first = &engine_of(sim)->first;
    if (ctx->out_count != first->n_out)
        return complain(diag, sim, event, "schedules another number of events the second time", "outbox", 0);
    for (uint32_t i = 0; i < first->n_out; i++) {
        const unsigned char *a = first->out + (size_t)i * ctx->stride;
        const unsigned char *b = ctx->out + (size_t)i * ctx->stride;
        const uint16_t type = ((const weir_event *)(const void *)a)->type;
        if (type >= sim->setup.model->n_types)
            continue; /* a fault, which the engine reports */
        const size_t bytes = sizeof(weir_event) + sim->dispatch[type].payload_bytes;
        const size_t at = first_difference(a, b, bytes);
        if (at >= sizeof(weir_event) && at < bytes)
            return complain(diag, sim, event,
                            "does not write the whole payload of an event, or another one the second time",
                            sim->setup.model->types[type].name, at - sizeof(weir_event));
        if (at < bytes)
            return complain(diag, sim, event, "schedules another event the second time",
                            sim->setup.model->types[type].name, at);
    }
    return WEIR_OK;
}

static weir_status compare_records(weir_diag *diag, const weir_sim *sim, const weir_event *event)
{
    const weir_ctx *ctx = &sim->main.ctx;
    const made *first = &engine_of(sim)->first;
    const unsigned char *rec = ctx->rec + (size_t)sim->main.rec_before * ctx->rec_stride;
    if (ctx->rec_count - sim->main.rec_before != first->n_rec)
        return complain(diag, sim, event, "writes another number of records the second time", "records", 0);
    for (uint32_t i = 0; i < first->n_rec; i++) {
        const unsigned char *a = first->rec + (size_t)i * ctx->rec_stride;
        const size_t bytes = sizeof(weir_record_head) + ((const weir_record_head *)(const void *)a)->bytes;
        const size_t at = first_difference(a, rec + (size_t)i * ctx->rec_stride, bytes);
        if (at < bytes)
            return complain(diag, sim, event, "does not write a whole record, or another one the second time",
                            "record", at);
    }
    return WEIR_OK;
}

/* Keep what the first handling made, then undo it. */
static void keep_and_undo(weir_sim *sim, const weir_entity *head, const wi_own *o, int whole)
{
    check_engine *check = engine_of(sim);
    weir_ctx *ctx = &sim->main.ctx;
    made *first = &check->first;
    first->n_out = ctx->out_count;
    first->n_rec = ctx->rec_count - sim->main.rec_before;
    first->head = *ctx->self;
    memcpy(first->out, ctx->out, (size_t)first->n_out * ctx->stride);
    memcpy(first->rec, ctx->rec + (size_t)sim->main.rec_before * ctx->rec_stride,
           (size_t)first->n_rec * ctx->rec_stride);
    if (whole)
        wi_own_copy(check->after, o);
    else
        first->hash = hash_everything(sim);
    wi_undo_rollback(&check->first_undo);
    *ctx->self = *head;
    ctx->rec_count = sim->main.rec_before;
    ctx->out_count = 0;
}

/* Compare the second handling, just done, with the first. */
static weir_status compare_handlings(weir_diag *diag, const weir_sim *sim, const weir_event *event,
                                     const wi_own *o, int whole, size_t first_log)
{
    const check_engine *check = engine_of(sim);
    weir_status status = compare_events(diag, sim, event) ?: compare_records(diag, sim, event);
    if (status == WEIR_OK && whole)
        status = own_compare(diag, sim, event, o, check->after, "leaves another state the second time");
    if (status == WEIR_OK && !whole && hash_differs(sim, check->first.hash))
        status = complain(diag, sim, event, "leaves another state the second time", "state", 0);
    if (status == WEIR_OK && memcmp(sim->main.ctx.self, &check->first.head, sizeof check->first.head) != 0)
        status = complain(diag, sim, event, "draws otherwise the second time", "head", 0);
    /* The rolled back log is still in its buffer. */
    if (status == WEIR_OK &&
        (check->undo.used != first_log ||
         (first_log > 0 && memcmp(check->undo.bytes, check->first_undo.bytes, first_log) != 0)))
        status = complain(diag, sim, event, "touches or counts otherwise the second time", "undo log", 0);
    return status;
}

static int hash_is_due(check_engine *check, const weir_sim *sim)
{
    if (check->handled++ < check->next_hash)
        return 0;
    check->next_hash = check->handled + (wi_state_bytes(sim) + sim->setup.world_bytes) / HASHED_PER_EVENT;
    return 1;
}

/* Handle `event` twice with a rollback between; WEIR_E_MODEL with a message when the two or the rollback
 * differ. */
static weir_status check_event(weir_diag *diag, weir_sim *sim, const weir_event *event)
{
    check_engine *check = engine_of(sim);
    const wi_own o = wi_own_of(sim, event->target, sim->dispatch[event->type].kind);
    const int whole = o.bytes <= OWN_MAX, hashed = hash_is_due(check, sim) || !whole;
    const uint64_t hash = hashed ? hash_everything(sim) : 0;
    const weir_entity head = *sim->main.ctx.self;
    if (whole)
        wi_own_copy(check->before, &o);

    handle(sim, event, &check->first_undo, 0xa5);
    if (sim->main.ctx.fault)
        return WEIR_OK; /* the engine reports it */
    if (check->first_undo.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the undo log");
    const size_t first_log = check->first_undo.used;
    weir_status status = check_touches(diag, sim, event, &o, &check->first_undo);
    keep_and_undo(sim, &head, &o, whole);
    if (status == WEIR_OK && whole)
        status =
            own_compare(diag, sim, event, &o, check->before, "changes bytes that it does not touch first");
    if (status == WEIR_OK && hashed && hash_differs(sim, hash))
        status = complain(diag, sim, event, "changes what is not its own", "anywhere", 0);
    if (status != WEIR_OK)
        return status;

    wi_undo_clear(&check->undo);
    handle(sim, event, &check->undo, 0x5a);
    if (sim->main.ctx.fault)
        return complain(diag, sim, event, "breaks the contract only the second time", "fault",
                        sim->main.ctx.fault);
    if (check->undo.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the undo log");
    return compare_handlings(diag, sim, event, &o, whole, first_log);
}

static int check_handling(wi_part *part, const weir_event *event)
{
    check_engine *check = engine_of(part->sim);
    check->status = check_event(check->diag, part->sim, event);
    return check->status == WEIR_OK;
}

static weir_status run_until(weir_diag *diag, weir_sim *sim, weir_time limit_ps, const volatile int *stop)
{
    static const wi_part_mode mode = {check_handling, NULL};
    check_engine *check = engine_of(sim);
    check->diag = diag;
    check->stop = stop;
    check->stopped = false;
    check->status = WEIR_OK;
    const weir_status status = wi_sequential_run(diag, sim, &mode, limit_ps, stop);
    return check->status != WEIR_OK ? check->status : status;
}

const wi_engine_ops wi_engine_check = {
    .name = "check", .start = start, .run_until = run_until, .free = end, .part_of = wi_part_main};

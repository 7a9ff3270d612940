/*
 * Suspension: pending events leave the pending sets at a stop point and come back later, as if the time between
 * had not been. And events that are posted at a stop point.
 *
 * Frozen events keep source, sequence number and tie, so that their order among each other stays what it was.
 * Times that a model keeps in its state are the model's to read against a clock that stands still meanwhile.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/core/engine.h"

enum { ROOM = sizeof(wi_event_room) };

typedef struct sorting {
    const weir_sim *sim;
    int (*freeze)(void *user, const weir_event *event);
    void *user;
    unsigned char *at; /* events of ROOM bytes each */
    size_t n, room;
    int failed;
} sorting;

static wi_part *part_of(const weir_sim *sim, uint32_t entity)
{
    return sim->ops->part_of(sim, entity);
}

/* Over MPI ranks all do the same, and each keeps the events of its own entities. */
static bool has(const weir_sim *sim, uint32_t entity)
{
    return !sim->ops->has || sim->ops->has(sim, entity);
}

/* Heads are up to date on all ranks, and there are pending sets to put events into; `entity` is any. */
static weir_status prepare(weir_diag *diag, weir_sim *sim, uint32_t entity)
{
    const weir_status status = weir_sim_fetch(diag, sim);
    if (status != WEIR_OK)
        return status;
    if (!sim->ops->part_of || (has(sim, entity) && !part_of(sim, entity)))
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "the %s engine does not suspend events", sim->ops->name);
    return WEIR_OK;
}

static weir_status no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory to suspend pending events");
}

static void take(void *user, const weir_event *event)
{
    sorting *s = user;
    if (s->freeze && !s->freeze(s->user, event))
        return;
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        unsigned char *more = realloc(s->at, room * ROOM);
        if (!more) {
            s->failed = 1;
            return;
        }
        s->at = more;
        s->room = room;
    }
    memset(s->at + s->n * ROOM, 0, ROOM);
    memcpy(s->at + s->n++ * ROOM, event, sizeof *event + s->sim->payload_bytes);
}

static int put(const weir_sim *sim, const weir_event *event)
{
    if (!has(sim, event->target))
        return 1;
    wi_pending *pending = &part_of(sim, event->target)->pending;
    if (!wi_pending_has_room(pending, 1) && !wi_pending_reserve(pending, 1))
        return 0;
    wi_pending_add(pending, event, sim->dispatch[event->type].ordered);
    return 1;
}

static int keep_rest(void *user, const weir_event *event)
{
    const sorting *s = user;
    return !s->freeze(s->user, event);
}

/* Empty a part's pending set, and put back the events at `at` that are its own. */
static int refill(weir_sim *sim, wi_part *part, const sorting *rest)
{
    const uint64_t peak = part->pending.peak;
    wi_pending_free(&part->pending);
    part->cancels = 0; /* pairs that cancel each other are not among the rest */
    if (!wi_pending_init(&part->pending, sim->setup.seed, sim->n_entities, sim->payload_bytes, sim->ordered))
        return 0;
    for (size_t i = 0; i < rest->n; i++) {
        const weir_event *event = (const weir_event *)(const void *)(rest->at + i * ROOM);
        if (has(sim, event->target) && part_of(sim, event->target) == part && !put(sim, event))
            return 0;
    }
    if (part->pending.peak < peak)
        part->pending.peak = peak;
    return 1;
}

weir_status weir_sim_suspend(weir_diag *diag, weir_sim *sim,
                             int (*freeze)(void *user, const weir_event *event), void *user)
{
    weir_status status = prepare(diag, sim, 0);
    if (status != WEIR_OK)
        return status;
    if (sim->frozen.at)
        return weir_fail(diag, WEIR_E_ARG, "events are suspended already, since %.12f s",
                         weir_seconds(sim->frozen.since_ps));
    sorting gone = {.sim = sim, .freeze = freeze, .user = user}, rest = gone;
    rest.freeze = keep_rest;
    rest.user = &gone;
    status = weir_sim_pending(diag, sim, take, &gone);
    if (status == WEIR_OK)
        status = weir_sim_pending(diag, sim, take, &rest);
    int whole = !gone.failed && !rest.failed;
    wi_part *done = NULL;
    for (uint32_t e = 0; e < sim->n_entities && whole && status == WEIR_OK; e++) {
        if (!has(sim, e))
            continue;
        wi_part *part = part_of(sim, e);
        if (part == done || part->frozen_at == sim->n_suspended + 1)
            continue;
        part->frozen_at = sim->n_suspended + 1;
        whole = refill(sim, part, &rest);
        done = part;
    }
    free(rest.at);
    sim->n_suspended++;
    sim->frozen.at = gone.at ? gone.at : malloc(1); /* none is a suspension too */
    sim->frozen.n = gone.n;
    sim->frozen.since_ps = sim->now_ps;
    if (status == WEIR_OK && (!whole || !sim->frozen.at))
        status = no_memory(diag);
    if (status != WEIR_OK)
        sim->failed = status;
    return status;
}

weir_status weir_sim_resume(weir_diag *diag, weir_sim *sim, void (*change)(void *user, weir_event *event),
                            void *user)
{
    if (!sim->frozen.at)
        return weir_fail(diag, WEIR_E_ARG, "no events are suspended");
    const weir_time shift_ps = sim->now_ps - sim->frozen.since_ps;
    int whole = 1;
    for (size_t i = 0; i < sim->frozen.n && whole; i++) {
        weir_event *event = (weir_event *)(void *)(sim->frozen.at + i * ROOM);
        event->time_ps += shift_ps;
        if (change)
            change(user, event);
        whole = put(sim, event);
    }
    free(sim->frozen.at);
    sim->frozen.at = NULL;
    sim->frozen.n = 0;
    if (whole)
        return WEIR_OK;
    sim->failed = WEIR_E_NOMEM;
    return no_memory(diag);
}

void weir_sim_suspended(const weir_sim *sim, void (*visit)(void *user, const weir_event *event), void *user)
{
    for (size_t i = 0; i < sim->frozen.n; i++)
        visit(user, (const weir_event *)(const void *)(sim->frozen.at + i * ROOM));
}

weir_status weir_sim_post(weir_diag *diag, weir_sim *sim, uint32_t source, uint32_t target, uint16_t type,
                          weir_time time_ps, const void *payload)
{
    const wi_dispatch *d = type < sim->setup.model->n_types ? &sim->dispatch[type] : NULL;
    if (!d || source >= sim->n_entities || target - d->first_entity >= d->n_of_kind || time_ps < sim->now_ps)
        return weir_fail(diag, WEIR_E_ARG,
                         "an event of type %u from entity %u to %u at %.12f s cannot be posted at %.12f s",
                         type, source, target, weir_seconds(time_ps), weir_seconds(sim->now_ps));
    const weir_status status = prepare(diag, sim, target);
    if (status != WEIR_OK)
        return status;
    wi_event_room room = {0};
    const uint32_t seq = sim->heads[source].seq++;
    room.event = (weir_event){.time_ps = time_ps,
                              .tie = weir_tie(sim->setup.seed, source, seq),
                              .source = source,
                              .seq = seq,
                              .target = target,
                              .type = type};
    if (d->payload_bytes)
        memcpy(&room.event + 1, payload, d->payload_bytes);
    return put(sim, &room.event) ? WEIR_OK : no_memory(diag);
}

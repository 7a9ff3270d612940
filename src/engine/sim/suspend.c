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

/* Pending events, sorted into those to suspend and the rest. */
typedef struct sorting {
    int (*freeze)(void *user, const weir_event *event);
    void *user;
    wi_events frozen, rest;
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
    WI_RETURN_IF_FAILED(weir_sim_fetch(diag, sim));
    if (!sim->ops->part_of || (has(sim, entity) && !part_of(sim, entity)))
        return weir_fail(diag, WEIR_E_UNSUPPORTED, "the %s engine does not suspend events", sim->ops->name);
    return WEIR_OK;
}

weir_status weir_sim_hold(weir_diag *diag, weir_sim *sim)
{
    return prepare(diag, sim, 0);
}

static weir_status no_memory(weir_diag *diag)
{
    return weir_fail(diag, WEIR_E_NOMEM, "no memory to suspend pending events");
}

static void sort_out(void *user, const weir_event *event)
{
    sorting *s = user;
    wi_events_add(s->freeze(s->user, event) ? &s->frozen : &s->rest, event);
}

static int put(const weir_sim *sim, const weir_event *event)
{
    if (!has(sim, event->target))
        return 1;
    return wi_pending_insert(&part_of(sim, event->target)->pending, event,
                             sim->dispatch[event->type].ordered);
}

int wi_part_refill(weir_sim *sim, wi_part *part, const wi_events *rest)
{
    const uint64_t peak = part->pending.peak;
    wi_pending_free(&part->pending);
    part->anti_messages = 0; /* pairs that cancel each other are not among the rest */
    if (!wi_pending_init(&part->pending, sim->setup.seed, sim->n_entities, sim->payload_bytes, sim->ordered))
        return 0;
    for (size_t i = 0; i < rest->n; i++) {
        const weir_event *event = wi_events_at(rest, i);
        if (has(sim, event->target) && part_of(sim, event->target) == part && !put(sim, event))
            return 0;
    }
    if (part->pending.peak < peak)
        part->pending.peak = peak;
    return 1;
}

/* Where a suspension of that number is, or would be. */
static uint32_t place_of(const weir_sim *sim, uint32_t number)
{
    uint32_t i = 0;
    while (i < sim->n_frozen && sim->frozen[i].number < number)
        i++;
    return i;
}

static wi_suspension *suspension(const weir_sim *sim, uint32_t number)
{
    const uint32_t i = place_of(sim, number);
    return i < sim->n_frozen && sim->frozen[i].number == number ? &sim->frozen[i] : NULL;
}

wi_suspension *wi_suspension_add(weir_sim *sim, uint32_t number, weir_time since_ps)
{
    if (sim->n_frozen == sim->frozen_room) {
        const uint32_t room = 2 * sim->frozen_room + 1;
        wi_suspension *more = realloc(sim->frozen, room * sizeof *more);
        if (!more)
            return NULL;
        sim->frozen = more;
        sim->frozen_room = room;
    }
    wi_suspension *at = sim->frozen + place_of(sim, number);
    memmove(at + 1, at, (size_t)(sim->frozen + sim->n_frozen - at) * sizeof *at);
    sim->n_frozen++;
    *at = (wi_suspension){
        .events.stride = sizeof(weir_event) + sim->payload_bytes, .since_ps = since_ps, .number = number};
    return at;
}

weir_status weir_sim_suspend(weir_diag *diag, weir_sim *sim, uint32_t number,
                             int (*freeze)(void *user, const weir_event *event), void *user)
{
    WI_RETURN_IF_FAILED(prepare(diag, sim, 0));
    const wi_suspension *before = suspension(sim, number);
    if (before)
        return weir_fail(diag, WEIR_E_ARG, "suspension %u is under way already, since %.12f s", number,
                         weir_seconds(before->since_ps));
    const size_t stride = sizeof(weir_event) + sim->payload_bytes;
    sorting all = {.freeze = freeze, .user = user, .frozen.stride = stride, .rest.stride = stride};
    wi_suspension *made = wi_suspension_add(sim, number, sim->now_ps);
    weir_status status = weir_sim_pending(diag, sim, sort_out, &all);
    int whole = made && !all.frozen.failed && !all.rest.failed;
    wi_part *done = NULL;
    for (uint32_t e = 0; e < sim->n_entities && whole && status == WEIR_OK; e++) {
        if (!has(sim, e))
            continue;
        wi_part *part = part_of(sim, e);
        if (part == done || part->frozen_at == sim->n_suspended + 1)
            continue;
        part->frozen_at = sim->n_suspended + 1;
        whole = wi_part_refill(sim, part, &all.rest);
        done = part;
    }
    free(all.rest.at);
    sim->n_suspended++;
    if (made)
        made->events = all.frozen;
    else
        free(all.frozen.at);
    if (status == WEIR_OK && !whole)
        status = no_memory(diag);
    if (status != WEIR_OK)
        sim->failed = status;
    return status;
}

weir_status weir_sim_resume(weir_diag *diag, weir_sim *sim, uint32_t number,
                            void (*change)(void *user, weir_event *event), void *user)
{
    wi_suspension *of = suspension(sim, number);
    if (!of)
        return weir_fail(diag, WEIR_E_ARG, "there is no suspension %u", number);
    const weir_time shift_ps = sim->now_ps - of->since_ps;
    int whole = 1;
    for (size_t i = 0; i < of->events.n && whole; i++) {
        weir_event *event = wi_events_at(&of->events, i);
        event->time_ps += shift_ps;
        if (change)
            change(user, event);
        whole = put(sim, event);
    }
    free(of->events.at);
    memmove(of, of + 1, (size_t)(sim->frozen + --sim->n_frozen - of) * sizeof *of);
    if (whole)
        return WEIR_OK;
    sim->failed = WEIR_E_NOMEM;
    return no_memory(diag);
}

void weir_sim_suspended(const weir_sim *sim, void (*visit)(void *user, const weir_event *event), void *user)
{
    for (uint32_t k = 0; k < sim->n_frozen; k++)
        for (size_t i = 0; i < sim->frozen[k].events.n; i++)
            visit(user, wi_events_at(&sim->frozen[k].events, i));
}

weir_status weir_sim_post(weir_diag *diag, weir_sim *sim, uint32_t source, uint32_t target, uint16_t type,
                          weir_time time_ps, const void *payload)
{
    const wi_dispatch *d = type < sim->setup.model->n_types ? &sim->dispatch[type] : NULL;
    if (!d || source >= sim->n_entities || target - d->first_entity >= d->n_of_kind || time_ps < sim->now_ps)
        return weir_fail(diag, WEIR_E_ARG,
                         "an event of type %u from entity %u to %u at %.12f s cannot be posted at %.12f s",
                         type, source, target, weir_seconds(time_ps), weir_seconds(sim->now_ps));
    WI_RETURN_IF_FAILED(prepare(diag, sim, target));
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

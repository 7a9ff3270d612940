/* Rollback: undo one entity's events, the newest first, and send anti-messages for what they sent. */
#include "engine/core/event_key.h"
#include "engine/optimistic/optimistic.h"

static void send_anti_messages(wi_pe *pe, const wi_done *done)
{
    const wi_sent *sent = wi_done_sent(&pe->history, done);
    wi_event_room room;
    memset(&room, 0, pe->engine->stride);
    weir_event *e = &room.event;
    e->source = done->event.target;
    e->instance = (uint16_t)(done->instance | WI_INSTANCE_ANTI);
    for (uint32_t i = 0; i < done->n_sent; i++) {
        e->time_ps = sent[i].time_ps;
        e->seq = done->head.seq + i;
        e->tie = weir_tie(pe->part.ctx.seed, e->source, e->seq);
        e->target = sent[i].target;
        e->type = sent[i].type;
        wi_pe_send(pe, e);
    }
    pe->counts.cancelled += done->n_sent;
}

static void undo_event(wi_pe *pe, wi_track *track, wi_done *done)
{
    const weir_event *event = &done->event;
    wi_done_undo(&pe->history, done);
    wi_head_restore(&pe->part.sim->heads[event->target], &done->head);
    wi_track_set(track, done->before, done->before_ps);
    done->undone = 1;
    send_anti_messages(pe, done);
    wi_pe_add(pe, event);
}

uint32_t wi_pe_rollback(wi_pe *pe, uint32_t entity, const weir_event *event)
{
    wi_track *track = &pe->engine->track[entity];
    uint32_t n = 0;
    while (track->last_ps > event->time_ps ||
           (track->last_ps == event->time_ps && !wi_event_before(&wi_track_last(track)->event, event))) {
        undo_event(pe, track, wi_track_last(track));
        n++;
    }
    if (n > 0)
        track->instance = (track->instance + 1u) % WI_INSTANCE_SAFE;
    pe->counts.rolled_back += n;
    return n;
}

typedef struct rolling_back {
    wi_pe *pe;
    weir_time from_ps;
} rolling_back;

static void roll_back_to(void *user, wi_done *done)
{
    const rolling_back *b = user;
    const weir_event from = {.time_ps = b->from_ps - 1, .tie = UINT32_MAX, .source = UINT32_MAX};
    if (done->event.time_ps >= b->from_ps)
        (void)wi_pe_rollback(b->pe, done->event.target, &from);
}

void wi_pe_rollback_all(wi_pe *pe, weir_time from_ps)
{
    rolling_back b = {pe, from_ps};
    wi_history_visit(&pe->history, roll_back_to, &b);
}

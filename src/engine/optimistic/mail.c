/* Events from one PE to another: blocks that are filled, put into mailboxes, emptied, and returned. */
#include "engine/optimistic/optimistic.h"

#include <stdlib.h>

void wi_pe_add(wi_pe *pe, const weir_event *event)
{
    const int is_anti = event->instance >= WI_INSTANCE_ANTI;
    pe->part.anti_messages += (uint32_t)is_anti;
    if (!wi_pending_insert(&pe->part.pending, event, pe->part.sim->dispatch[event->type].ordered && !is_anti))
        pe->flags |= WI_WARP_MEMORY;
}

static size_t block_bytes(const wi_optimistic *engine)
{
    return sizeof(wi_mail) + (size_t)engine->mail_events * engine->stride;
}

static void reuse_returned(wi_pe *pe)
{
    wi_mail *next;
    for (wi_mail *m = wi_mailbox_drain(&pe->returned); m; m = next) {
        next = m->next;
        m->next = pe->spare;
        pe->spare = m;
        pe->mail_bytes -= block_bytes(pe->engine);
    }
}

static wi_mail *new_block(wi_pe *pe, uint32_t to)
{
    if (!pe->spare)
        reuse_returned(pe);
    wi_mail *m = pe->spare;
    if (m)
        pe->spare = m->next;
    else
        m = malloc(block_bytes(pe->engine));
    if (!m)
        return NULL;
    *m = (wi_mail){.to = to, .from = pe->number, .eot_ps = -1};
    pe->mail_bytes += block_bytes(pe->engine);
    const size_t bytes = pe->history.bytes + pe->mail_bytes;
    pe->counts.peak_bytes = bytes > pe->counts.peak_bytes ? bytes : pe->counts.peak_bytes;
    return m;
}

static void send_block(wi_pe *pe, uint32_t to)
{
    wi_optimistic *const engine = pe->engine;
    wi_mail *m = pe->out[to];
    const uint32_t colour = pe->round & 1, rank = to / engine->parts.n_threads;
    m->colour = colour;
    pe->sent[colour]++;
    pe->out[to] = NULL;
    wi_mailbox_put(
        rank == engine->parts.rank ? &engine->pe[to % engine->parts.n_threads].in : &engine->outbound, m);
}

/* The event word by word: see wi_fresh_word. */
static void copy_event(weir_event *to, const weir_event *from, uint16_t instance, uint32_t stride)
{
    to->time_ps = from->time_ps;
    to->tie = wi_fresh_word(&from->tie);
    to->source = wi_fresh_word(&from->source);
    to->seq = wi_fresh_word(&from->seq);
    to->target = wi_fresh_word(&from->target);
    to->type = from->type;
    to->instance = instance;
    to->link = 0;
    wi_copy(to + 1, from + 1, stride - sizeof *to);
}

/* An answer to it comes a lookahead later or more. */
static void note_sent(wi_pe *pe, weir_time at_ps)
{
    const weir_time answer_ps = wi_time_later(at_ps, pe->engine->lookahead_ps);
    pe->sent_ps = at_ps < pe->sent_ps ? at_ps : pe->sent_ps;
    pe->since_ps = at_ps < pe->since_ps ? at_ps : pe->since_ps;
    pe->unsent_ps = at_ps < pe->unsent_ps ? at_ps : pe->unsent_ps;
    pe->safe_ps = answer_ps < pe->safe_ps ? answer_ps : pe->safe_ps;
}

void wi_pe_post(wi_pe *pe, uint32_t to, const weir_event *event, uint16_t instance)
{
    wi_optimistic *const engine = pe->engine;
    wi_mail *m = pe->out[to];
    if (!m)
        m = pe->out[to] = new_block(pe, to);
    if (!m) {
        pe->flags |= WI_WARP_MEMORY;
        return;
    }
    copy_event((weir_event *)(void *)(wi_mail_at(m) + m->used), event, instance, engine->stride);
    m->used += engine->stride;
    pe->counts.sent++;
    pe->unsent = 1;
    note_sent(pe, event->time_ps);
    if (m->used == engine->mail_events * engine->stride)
        send_block(pe, to);
}

void wi_pe_send(wi_pe *pe, const weir_event *event)
{
    const uint32_t to = wi_pe_of(pe, event->target);
    if (to == pe->number)
        wi_pe_add(pe, event);
    else
        wi_pe_post(pe, to, event, event->instance);
}

void wi_pe_flush(wi_pe *pe)
{
    if (!pe->unsent)
        return;
    for (uint32_t to = 0; to < pe->engine->parts.n_parts; to++)
        if (pe->out[to])
            send_block(pe, to);
    pe->unsent = 0;
    pe->unsent_ps = WEIR_TIME_MAX;
}

int wi_pe_drain(wi_pe *pe)
{
    wi_optimistic *const engine = pe->engine;
    wi_mail *next;
    if (!wi_mailbox_is_empty(&pe->returned))
        reuse_returned(pe);
    if (wi_mailbox_is_empty(&pe->in) && !pe->late)
        return 0;
    wi_mail *came = wi_mailbox_drain(&pe->in);
    if (WEIR_UNLIKELY(pe->stress != 0))
        came = wi_stress_mail(pe, came);
    for (wi_mail *m = came; m; m = next) {
        next = m->next;
        pe->received[m->colour]++;
        for (uint32_t at = 0; at < m->used; at += engine->stride)
            wi_pe_add(pe, (const weir_event *)(const void *)(wi_mail_at(m) + at));
        if (m->from / engine->parts.n_threads == engine->parts.rank)
            wi_mailbox_put(&engine->pe[m->from % engine->parts.n_threads].returned, m);
        else
            free(m);
    }
    return 1;
}

static void free_list(wi_mail *m)
{
    while (m) {
        wi_mail *next = m->next;
        free(m);
        m = next;
    }
}

void wi_pe_mail_free(wi_pe *pe)
{
    for (uint32_t to = 0; pe->out && to < pe->engine->parts.n_parts; to++)
        free(pe->out[to]);
    free(pe->out);
    free_list(pe->spare);
    free_list(pe->late);
    free_list(wi_mailbox_drain(&pe->in));
    free_list(wi_mailbox_drain(&pe->returned));
}

/*
 * Blocks of events between ranks, and their reports for the GVT. Thread 0 alone calls MPI: other threads put their blocks
 * into its mailbox, in whose order they are sent, and find what came in their own.
 */
#include "engine/optimistic/optimistic.h"

#include <stdlib.h>

/* A message under way. */
typedef struct wi_sending {
    struct wi_sending *next;
    void *request;
    wi_mail *mail;
} wi_sending;

/* A block that has left goes back to its PE; one without events is a null message, which thread 0 made. */
static void finish(wi_optimistic *engine, wi_mail *mail)
{
    if (mail->used == 0)
        free(mail);
    else
        wi_mailbox_put(&engine->pe[mail->from % engine->parts.n_threads].returned, mail);
}

static void finish_sends(wi_optimistic *engine)
{
    for (wi_sending **at = &engine->sending; *at;) {
        wi_sending *s = *at;
        if (!engine->parts.ranks->done(s->request)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        finish(engine, s->mail);
        free(s);
    }
}

static void post(wi_optimistic *engine, wi_mail *m)
{
    wi_sending *s = malloc(sizeof *s);
    void *request = engine->parts.ranks->post(m, sizeof *m + m->used, m->to / engine->parts.n_threads);
    engine->mail_out++;
    if (!s) { /* wait for it instead */
        while (!engine->parts.ranks->done(request))
            ;
        finish(engine, m);
        return;
    }
    *s = (wi_sending){engine->sending, request, m};
    engine->sending = s;
}

/* The least EOT of this rank: to be read before its mail is taken. */
static weir_time eot_of_rank(const wi_optimistic *engine)
{
    weir_time least_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < engine->parts.n_threads; i++) {
        const weir_time eot_ps = atomic_load_explicit(&engine->pe[i].eot_ps, memory_order_acquire);
        least_ps = eot_ps < least_ps ? eot_ps : least_ps;
    }
    return least_ps;
}

/* The last block to each rank carries the EOT. A rank that gets no block gets a null message, half a lookahead after the last
 * one. */
static void add_eot(wi_optimistic *engine, weir_time eot_ps)
{
    const wi_parts *const parts = &engine->parts;
    for (uint32_t r = 0; r < parts->ranks->n_ranks; r++) {
        wi_mail *m = engine->last_to[r];
        engine->last_to[r] = NULL;
        if (r == parts->rank || eot_ps <= engine->eot_to[r])
            continue;
        if (!m && (engine->pe[0].idle > 0 || eot_ps - engine->eot_to[r] < engine->lookahead_ps / 2))
            continue;
        engine->eot_to[r] = eot_ps;
        if (m) {
            m->eot_ps = eot_ps;
        } else if ((m = malloc(sizeof *m)) != NULL) {
            *m = (wi_mail){
                .to = r * parts->n_threads, .from = parts->rank * parts->n_threads, .eot_ps = eot_ps};
            post(engine, m);
        }
    }
}

static void send_mail(wi_optimistic *engine)
{
    const weir_time eot_ps = eot_of_rank(engine);
    wi_mail *const all = wi_mailbox_drain(&engine->outbound), *next;
    for (wi_mail *m = all; m; m = m->next)
        engine->last_to[m->to / engine->parts.n_threads] = m;
    add_eot(engine, eot_ps);
    for (wi_mail *m = all; m; m = next) {
        next = m->next;
        post(engine, m);
    }
}

/* Messages of a rank come in their order: what it sent before the EOT is in the mailboxes. */
static void note_eot(wi_optimistic *engine, const wi_mail *head)
{
    const wi_parts *const parts = &engine->parts;
    weir_time *const by = engine->eot_from;
    const uint32_t from = head->from / parts->n_threads;
    weir_time least_ps = WEIR_TIME_MAX;
    by[from] = head->eot_ps > by[from] ? head->eot_ps : by[from];
    for (uint32_t r = 0; r < parts->ranks->n_ranks; r++)
        if (r != parts->rank)
            least_ps = by[r] < least_ps ? by[r] : least_ps;
    atomic_store_explicit(&engine->remote_eot_ps, least_ps, memory_order_release);
}

void wi_remote_begin(wi_optimistic *engine, weir_time now_ps)
{
    const weir_time first_ps = wi_time_later(now_ps, engine->lookahead_ps);
    atomic_store(&engine->remote_eot_ps, engine->parts.ranks ? first_ps : WEIR_TIME_MAX);
    for (uint32_t r = 0; engine->parts.ranks && r < engine->parts.ranks->n_ranks; r++)
        engine->eot_to[r] = engine->eot_from[r] = first_ps;
}

static void receive_mail(wi_optimistic *engine)
{
    for (size_t bytes; (bytes = engine->parts.ranks->waiting()) > 0;) {
        wi_mail *m = malloc(bytes);
        if (!m) {
            engine->pe[0].flags |= WI_WARP_MEMORY;
            return;
        }
        engine->parts.ranks->receive(m, bytes);
        engine->mail_in++;
        const wi_mail head = *m;
        if (m->used == 0)
            free(m);
        else
            wi_mailbox_put(&engine->pe[m->to % engine->parts.n_threads].in, m);
        note_eot(engine, &head);
    }
}

void wi_remote_progress(wi_optimistic *engine)
{
    wi_pe *const first = &engine->pe[0];
    finish_sends(engine);
    if (!wi_stress_skips(first))
        send_mail(engine);
    if (!wi_stress_skips(first))
        receive_mail(engine);
}

void wi_remote_settle(wi_optimistic *engine)
{
    for (int64_t left = 1; left != 0;) {
        wi_remote_progress(engine);
        left = (int64_t)(engine->mail_out - engine->mail_in);
        engine->parts.ranks->sum(&left, 1);
    }
    while (engine->sending)
        finish_sends(engine);
}

void wi_remote_share_report(wi_optimistic *engine)
{
    engine->sharing = engine->parts.ranks->share(&engine->report, engine->reports, sizeof engine->report);
}

int wi_remote_has_reports(wi_optimistic *engine)
{
    return engine->parts.ranks->done(engine->sharing);
}

void wi_remote_free(wi_optimistic *engine)
{
    wi_mail *next;
    for (wi_mail *m = wi_mailbox_drain(&engine->outbound); m; m = next) {
        next = m->next;
        free(m);
    }
}

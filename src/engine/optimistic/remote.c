/*
 * Blocks of events between ranks, and what ranks tell each other for the GVT. Thread 0 alone speaks MPI: other
 * threads leave their blocks in its mailbox, in whose order they are sent, and find what came in their own.
 */
#include "engine/optimistic/optimistic.h"

#include <stdlib.h>

/* A message under way. */
typedef struct wi_sending {
    struct wi_sending *next;
    void *request;
    wi_mail *mail;
} wi_sending;

/* A block that has left is its PE's again; one without events was a promise, and nobody's. */
static void finish(wi_optimistic *engine, wi_mail *mail)
{
    if (mail->used == 0)
        free(mail);
    else
        wi_mailbox_put(&engine->pe[mail->from % engine->crew.n_threads].returned, mail);
}

/* Blocks whose message has left are their PE's again. */
static int finish_sends(wi_optimistic *engine)
{
    int some = 0;
    for (wi_sending **at = &engine->sending; *at;) {
        wi_sending *s = *at;
        if (!engine->crew.ranks->done(s->request)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        finish(engine, s->mail);
        free(s);
        some = 1;
    }
    return some;
}

static void post(wi_optimistic *engine, wi_mail *m)
{
    wi_sending *s = malloc(sizeof *s);
    void *request = engine->crew.ranks->post(m, sizeof *m + m->used, m->to / engine->crew.n_threads);
    engine->mail_out++;
    if (!s) { /* wait for it instead */
        while (!engine->crew.ranks->done(request))
            ;
        finish(engine, m);
        return;
    }
    *s = (wi_sending){engine->sending, request, m};
    engine->sending = s;
}

/* What no thread of this rank will send anything before: to be asked before its mail is taken. */
static weir_time promise_of_rank(const wi_optimistic *engine)
{
    weir_time least_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < engine->crew.n_threads; i++) {
        const weir_time one_ps = atomic_load_explicit(&engine->pe[i].promised_ps, memory_order_acquire);
        least_ps = one_ps < least_ps ? one_ps : least_ps;
    }
    return least_ps;
}

/* The last block to each rank carries the promise; a rank that gets none gets it by itself, half a lookahead after the
 * last one. */
static void add_promise(wi_optimistic *engine, weir_time promise_ps)
{
    const wi_crew *const crew = &engine->crew;
    for (uint32_t r = 0; r < crew->ranks->n_ranks; r++) {
        wi_mail *m = engine->last_to[r];
        engine->last_to[r] = NULL;
        if (r == crew->rank || promise_ps <= engine->promised_to[r])
            continue;
        if (!m && (engine->pe[0].idle > 0 || promise_ps - engine->promised_to[r] < engine->lookahead_ps / 2))
            continue;
        engine->promised_to[r] = promise_ps;
        if (m) {
            m->promise_ps = promise_ps;
        } else if ((m = malloc(sizeof *m)) != NULL) {
            *m = (wi_mail){
                .to = r * crew->n_threads, .from = crew->rank * crew->n_threads, .promise_ps = promise_ps};
            post(engine, m);
        }
    }
}

static int send_mail(wi_optimistic *engine)
{
    const weir_time promise_ps = promise_of_rank(engine);
    wi_mail *const all = wi_mailbox_take(&engine->outbound), *next;
    for (wi_mail *m = all; m; m = m->next)
        engine->last_to[m->to / engine->crew.n_threads] = m;
    add_promise(engine, promise_ps);
    for (wi_mail *m = all; m; m = next) {
        next = m->next;
        post(engine, m);
    }
    return all != NULL;
}

/* Messages of a rank come in their order: what it sent before the promise is in the mailboxes. */
static void note_promise(wi_optimistic *engine, const wi_mail *head)
{
    const wi_crew *const crew = &engine->crew;
    weir_time *const by = engine->promised_by;
    const uint32_t from = head->from / crew->n_threads;
    weir_time least_ps = WEIR_TIME_MAX;
    by[from] = head->promise_ps > by[from] ? head->promise_ps : by[from];
    for (uint32_t r = 0; r < crew->ranks->n_ranks; r++)
        if (r != crew->rank)
            least_ps = by[r] < least_ps ? by[r] : least_ps;
    atomic_store_explicit(&engine->abroad_ps, least_ps, memory_order_release);
}

void wi_remote_begin(wi_optimistic *engine, weir_time now_ps)
{
    const weir_time first_ps = wi_time_later(now_ps, engine->lookahead_ps);
    atomic_store(&engine->abroad_ps, engine->crew.ranks ? first_ps : WEIR_TIME_MAX);
    for (uint32_t r = 0; engine->crew.ranks && r < engine->crew.ranks->n_ranks; r++)
        engine->promised_to[r] = engine->promised_by[r] = first_ps;
}

static int receive_mail(wi_optimistic *engine)
{
    int some = 0;
    for (size_t bytes; (bytes = engine->crew.ranks->waiting()) > 0; some = 1) {
        wi_mail *m = malloc(bytes);
        if (!m) {
            engine->pe[0].flags |= WI_WARP_MEMORY;
            return some;
        }
        engine->crew.ranks->receive(m, bytes);
        engine->mail_in++;
        const wi_mail head = *m;
        if (m->used == 0)
            free(m);
        else
            wi_mailbox_put(&engine->pe[m->to % engine->crew.n_threads].in, m);
        note_promise(engine, &head);
    }
    return some;
}

int wi_remote_progress(wi_optimistic *engine)
{
    wi_pe *const first = &engine->pe[0];
    int some = finish_sends(engine);
    if (!wi_stress_skips(first))
        some |= send_mail(engine);
    return wi_stress_skips(first) ? some : receive_mail(engine) | some;
}

void wi_remote_settle(wi_optimistic *engine)
{
    for (int64_t left = 1; left != 0;) {
        (void)wi_remote_progress(engine);
        left = (int64_t)(engine->mail_out - engine->mail_in);
        engine->crew.ranks->sum(&left, 1);
    }
    while (engine->sending)
        (void)finish_sends(engine);
}

void wi_remote_tell(wi_optimistic *engine)
{
    engine->pending_reduce = engine->crew.ranks->share(&engine->tell, engine->tells, sizeof engine->tell);
}

int wi_remote_told(wi_optimistic *engine)
{
    return engine->crew.ranks->done(engine->pending_reduce);
}

void wi_remote_free(wi_optimistic *engine)
{
    wi_mail *next;
    for (wi_mail *m = wi_mailbox_take(&engine->outbound); m; m = next) {
        next = m->next;
        free(m);
    }
}

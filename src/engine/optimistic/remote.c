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

static void give_back(wi_optimistic *engine, wi_mail *mail)
{
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
        give_back(engine, s->mail);
        free(s);
        some = 1;
    }
    return some;
}

static int send_mail(wi_optimistic *engine)
{
    wi_mail *next;
    int some = 0;
    for (wi_mail *m = wi_mailbox_take(&engine->outbound); m; m = next, some = 1) {
        next = m->next;
        wi_sending *s = malloc(sizeof *s);
        void *request = engine->crew.ranks->post(m, sizeof *m + m->used, m->to / engine->crew.n_threads);
        if (!s) { /* wait for it instead */
            while (!engine->crew.ranks->done(request))
                ;
            give_back(engine, m);
        } else {
            *s = (wi_sending){engine->sending, request, m};
            engine->sending = s;
        }
        engine->mail_out++;
    }
    return some;
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
        wi_mailbox_put(&engine->pe[m->to % engine->crew.n_threads].in, m);
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

/* The fluid's side of the coupling: take in what packets left, advance tau steps at a time, and put what
 * became of each port where packets look. */
#include "fluid/coupling/offload.h"

#include "base/clock.h"
#include "fluid/state/internal.h"

/* To a step, with samples on the way. */
static weir_status advance_to(wi_offload *w, int64_t step)
{
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && weir_fluid_step(w->fluid) < step) {
        const int64_t now = weir_fluid_step(w->fluid), due = w->options->next_sample(w->options->user, now);
        const int64_t next = due < step ? due : step;
        st = weir_fluid_launch(w->diag, w->fluid, (uint32_t)(next - now));
        if (st == WEIR_OK && next == due)
            st = w->options->sample(w->options->user, w->diag, w->fluid);
    }
    return st;
}

static void publish(wi_offload *w, int64_t done, weir_status status)
{
    pthread_mutex_lock(&w->lock);
    w->done = done;
    w->status = status;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

/* From step `at` of a batch to another, and the rows of these steps and of `first` before them. */
static weir_status run_piece(wi_offload *w, int64_t at, int64_t to, uint32_t first)
{
    wi_shared *const s = w->shared;
    if (w->options->delay)
        w->options->delay();
    const weir_status st = advance_to(w, to);
    return st == WEIR_OK
               ? s->ops->put(s, w->diag, w->fluid, (uint32_t)(to - at) + first, at - w->begin + 1 - first)
               : st;
}

/* The first steps bring along the row that the batch begins with, which the exchange has changed: so a device
 * is waited for once. It is given each piece while the one before, which is handed on then, is under way. The
 * next batch may be set up as soon as this one's last steps are published: nothing of w is read then. */
static void run_batch(wi_offload *w)
{
    const double began_s = wi_clock_s();
    const int64_t begin = w->begin, end = w->end;
    wi_shared *const s = w->shared;
    const bool ahead = s->ops->settle != NULL;
    weir_status st = WEIR_OK;
    uint32_t first = 0; /* rows besides the steps' */
    if (begin > 0 && s->n > 0) {
        first = 1;
        st = s->ops->exchange(s, w->diag, w->fluid);
    }
    for (int64_t at = begin, to; at < end && st == WEIR_OK; at = to, first = 0) {
        to = end - at < (int64_t)w->piece ? end : at + w->piece;
        st = run_piece(w, at, to, first);
        if (st == WEIR_OK && ahead)
            st = s->ops->settle(s, w->diag, 1);
        const int64_t done = ahead ? at : to;
        if (st == WEIR_OK && done > begin && done < end)
            publish(w, done, st);
    }
    if (st == WEIR_OK && ahead)
        st = s->ops->settle(s, w->diag, 0);
    w->busy_s += wi_clock_s() - began_s;
    publish(w, st == WEIR_OK ? end : begin, st);
}

/* Wait for the next batch; false when there will be none. */
static bool wait_for_batch(wi_offload *w)
{
    const double began_s = wi_clock_s();
    pthread_mutex_lock(&w->lock);
    while (!w->started && !w->quit)
        pthread_cond_wait(&w->changed, &w->lock);
    const bool quit = w->quit;
    w->started = false;
    pthread_mutex_unlock(&w->lock);
    w->idle_s += wi_clock_s() - began_s;
    return !quit;
}

static void *run_thread(void *arg)
{
    wi_offload *w = arg;
    while (wait_for_batch(w))
        run_batch(w);
    return NULL;
}

void wi_offload_start(wi_offload *w, int64_t begin, int64_t end)
{
    pthread_mutex_lock(&w->lock);
    w->begin = begin;
    w->end = end;
    w->started = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    if (!w->has_thread) {
        run_batch(w);
        w->started = false;
    }
}

int64_t wi_offload_wait(wi_offload *w, int64_t least)
{
    const double began_s = wi_clock_s();
    pthread_mutex_lock(&w->lock);
    while (w->done < least && w->status == WEIR_OK)
        pthread_cond_wait(&w->changed, &w->lock);
    const int64_t done = w->status == WEIR_OK ? w->done : -1;
    pthread_mutex_unlock(&w->lock);
    w->packets_waited_s += wi_clock_s() - began_s;
    return done;
}

weir_status wi_offload_explain(wi_offload *w, weir_diag *diag)
{
    for (size_t i = 0; i < weir_diag_count(w->diag); i++)
        weir_fail(diag, w->status, "%s", weir_diag_get(w->diag, i)->text);
    return w->status;
}

weir_status wi_offload_open(weir_diag *diag, wi_offload *w, const wi_coupling_options *options)
{
    /* tau = 20 would be blocks of 16 and of 4 steps by turns, and a short one takes nearly as long. */
    const uint32_t block = w->fluid->tables.lookahead, tau = options->lookahead;
    w->piece = tau > block ? tau / block * block : tau;
    w->options = options;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->is_open = true;
    w->diag = weir_diag_new();
    if (!w->diag)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for messages");
    if (options->async) {
        w->has_thread = pthread_create(&w->thread, NULL, run_thread, w) == 0;
        if (!w->has_thread)
            return weir_fail(diag, WEIR_E_NOMEM, "no thread for the fluid; coupling: lockstep needs none");
    }
    return WEIR_OK;
}

void wi_offload_close(wi_offload *w)
{
    if (!w->is_open)
        return;
    if (w->has_thread) {
        pthread_mutex_lock(&w->lock);
        w->quit = true;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
        pthread_join(w->thread, NULL);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    weir_diag_free(w->diag);
}

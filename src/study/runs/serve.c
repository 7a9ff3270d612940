/* Runs on cores, in the process that workers.c started: a thread for each run at once. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/memory.h"
#include "ranks/ranks.h"
#include "study/folder/row_text.h"
#include "study/runs/station.h"

/* ---- what all stations do ---- */

/* At most WI_ASK_MAX runs; 0 when there will be none. Waits. */
static uint32_t receive(const wi_station *station, wi_job *jobs)
{
    const ssize_t bytes = recv(station->fd, jobs, WI_ASK_MAX * sizeof *jobs, 0);
    return bytes < (ssize_t)sizeof *jobs || jobs[0].point == WI_NO_RUN ? 0 : (uint32_t)bytes / sizeof *jobs;
}

uint32_t wi_station_ask(const wi_station *station, uint32_t n, wi_job *jobs)
{
    const wi_job question = {WI_NO_RUN, n};
    if (send(station->fd, &question, sizeof question, MSG_NOSIGNAL) < 0)
        return 0;
    return receive(station, jobs);
}

void wi_station_done(const wi_station *station, wi_job job, wi_row *row)
{
    WI_FREED char *text = row ? wi_row_text(station->s, job, row, true) : NULL;
    struct iovec parts[2] = {{&job, sizeof job}, {text, text ? strlen(text) : 0}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (parts[1].iov_len > WI_STATION_BYTES - sizeof job - 1 ||
        sendmsg(station->fd, &message, MSG_NOSIGNAL) < 0) {
        parts[1].iov_len = 0;
        (void)!sendmsg(station->fd, &message, MSG_NOSIGNAL);
    }
    wi_row_free(row);
}

/* The slot of the thread, for the handler of its fault. */
static _Thread_local wi_slot *slot_of_thread;

wi_slot *wi_slot_begin(const wi_station *station, uint32_t slot, wi_job job)
{
    slot_of_thread = &station->board->slot[slot];
    slot_of_thread->job = job;
    slot_of_thread->stop = station->board->stop;
    slot_of_thread->since_s = wi_clock_s();
    slot_of_thread->busy = 1;
    return slot_of_thread;
}

void wi_slot_end(wi_slot *slot)
{
    slot->busy = 0;
    slot_of_thread = NULL;
}

void wi_station_note_fault(int number)
{
    if (slot_of_thread)
        slot_of_thread->signal = number;
    signal(number, SIG_DFL);
    raise(number);
}

wi_row *wi_late_row(const wi_station *station)
{
    wi_row *row = wi_row_new(station->s);
    if (!row)
        return NULL;
    row->status = WEIR_E_INTERRUPTED;
    row->died = true;
    row->wall_s = station->limit_s;
    if (asprintf(&row->error, "took longer than the %g s of --run-timeout; --retry tries it again",
                 station->limit_s) < 0)
        row->error = NULL;
    return row;
}

/* ---- threads ---- */

typedef struct thread {
    const wi_station *station;
    wi_quota *quota;
    pthread_mutex_t *lock;
    uint32_t slot;
} thread;

/* Whether a run was stopped for its own time, and not for that of the run before it in the slot. */
static bool is_late(const thread *w, const wi_slot *at)
{
    return at->stop == WI_OVERTIME && wi_clock_s() - at->since_s >= w->station->limit_s;
}

static wi_row *run_job(const thread *w, wi_slot *at, wi_job job)
{
    wi_row *row;
    do {
        at->since_s = (double)INFINITY;
        at->stop = w->station->board->stop;
        row = wi_run_job(w->station->s, job, w->quota, &at->stop, &at->since_s);
    } while (!row && at->stop == WI_OVERTIME && !is_late(w, at));
    return row || at->stop != WI_OVERTIME ? row : wi_late_row(w->station);
}

static void *serve_thread(void *user)
{
    const thread *w = user;
    wi_board *const b = w->station->board;
    wi_job jobs[WI_ASK_MAX];
    for (uint32_t n; (n = receive(w->station, jobs)) > 0;)
        for (uint32_t i = 0; i < n; i++) {
            wi_slot *at = wi_slot_begin(w->station, w->slot, jobs[i]);
            wi_row *row = b->stop ? NULL : run_job(w, at, jobs[i]);
            pthread_mutex_lock(w->lock);
            b->use = wi_common_used(w->station->s->shared);
            b->memory = wi_quota_look(w->quota);
            pthread_mutex_unlock(w->lock);
            wi_slot_end(at);
            wi_station_done(w->station, jobs[i], row);
        }
    return NULL;
}

static void serve(const wi_station *station)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const weir_study *const s = station->s;
    const uint32_t processes = s->ranks ? s->ranks->on_this_machine : 1;
    wi_quota *const quota = station->jobs > 1 || processes > 1
                                ? wi_quota_new(wi_quota_memory(processes), s->shared)
                                : NULL; /* of one run at once */
    WI_FREED thread *w = calloc(station->jobs, sizeof *w);
    WI_FREED pthread_t *handle = calloc(station->jobs, sizeof *handle);
    uint32_t n = 0;
    for (; w && handle && n < station->jobs; n++) {
        w[n] = (thread){station, quota, &lock, n};
        if (pthread_create(&handle[n], NULL, serve_thread, &w[n]) != 0)
            break;
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(handle[i], NULL);
    if (n == 0) /* without a thread: this one, all of it */
        serve_thread(&(thread){station, quota, &lock, 0});
    wi_quota_free(quota);
}

const wi_station_kind wi_station_cores = {.serve = serve};

/* Runs in a process of their own; see workers.h. */
#include "study/runs/workers.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "study/folder/apart.h"
#include "study/folder/row_text.h"
#include "study/runs/held.h"

enum {
    AHEAD_MAX = 64,   /* runs that wait in the socket, so that no thread does */
    LOOK_MS = 50,     /* how soon a stop, and a run beyond its time, is seen */
    BARREN_DEATHS = 3 /* of processes that began no run, one after another: no more are started */
};
enum { SOCKET_BYTES = 1 << 22 };

struct wi_workers {
    const wi_station_kind *kind;
    wi_station station; /* as its process has it; fd: that process's own end, while it begins */
    const volatile int *stop;
    const weir_study_options *options;
    uint32_t slots, room;
    wi_runs has;
    uint32_t asked; /* runs that the process waits for */
    bool fed;       /* since it asked: what there is was given */
    uint32_t barren;
    size_t board_bytes;
    pid_t pid;
    pthread_t thread; /* instead of a process */
    int fd;           /* -1: no process */
    bool announced;   /* the first wave */
    uint32_t to_cores;
    char why_cores[WI_WHY], ended[WI_WHY + 100];
    char *text; /* [WI_STATION_BYTES + 1]: a message that has come */
};

/* ---- the process ---- */

static void serve_in_thread(wi_workers *w)
{
    w->kind->serve(&w->station);
    shutdown(w->station.fd, SHUT_RDWR);
    close(w->station.fd);
}

static void *run_thread(void *user)
{
    serve_in_thread(user);
    return NULL;
}

/* Runs on a new thread: OpenMP believes that the thread of the fork still has a team of workers. */
static void run_process(void *user)
{
    wi_workers *const w = user;
    pthread_t thread;
    close(w->fd); /* so that the process sees when its runs are over */
    if (pthread_create(&thread, NULL, run_thread, w) == 0)
        pthread_join(thread, NULL);
    else
        serve_in_thread(w);
}

/* Where CUDA is open in this process, it cannot be in another. */
static bool in_thread(const wi_station_kind *kind, const weir_study *s)
{
    return !WI_APART || (kind->asks && s->device_here);
}

static bool begin(wi_workers *w)
{
    int ends[2];
    const int bytes = SOCKET_BYTES;
    wi_board *const board = w->station.board;
    memset(board->slot, 0, w->slots * sizeof *board->slot);
    board->status = WEIR_OK;
    board->fault[0] = '\0';
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    for (int i = 0; i < 2; i++) /* as much of it as the system allows */
        (void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    w->fd = ends[0];
    w->station.fd = ends[1];
    w->pid = 0;
    if (in_thread(w->kind, w->station.s)) {
        if (pthread_create(&w->thread, NULL, run_thread, w) == 0)
            return true;
    } else if ((w->pid = wi_apart_fork(w->station.s, run_process, w, wi_station_note_fault)) > 0) {
        close(ends[1]);
        return true;
    }
    close(ends[0]);
    close(ends[1]);
    w->fd = -1;
    return false;
}

wi_workers *wi_workers_new(const weir_study *s, const wi_station_kind *kind, uint32_t jobs,
                           const weir_study_options *o)
{
    wi_workers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    const uint32_t ahead = s->ranks ? 0 : jobs < AHEAD_MAX ? jobs : AHEAD_MAX;
    *w = (wi_workers){
        .kind = kind, .station = {.s = s, .jobs = jobs}, .options = o, .stop = o->stop, .fd = -1};
    const bool limited = o->run_timeout_s > 0.0 && !in_thread(kind, s);
    w->station.limit_s = limited ? o->run_timeout_s : (double)INFINITY;
    w->slots = kind->slots ? kind->slots : jobs;
    w->room = kind->slots ? kind->slots : jobs + ahead;
    w->text = malloc(WI_STATION_BYTES + 1);
    w->board_bytes = sizeof *w->station.board + w->slots * sizeof *w->station.board->slot;
    void *const board = mmap(NULL, w->board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    w->station.board = board == MAP_FAILED ? NULL : board;
    if (wi_runs_new(&w->has, w->room + WI_ASK_MAX) && w->text && w->station.board && begin(w))
        return w;
    wi_workers_free(w);
    return NULL;
}

/* Adds what the process shared, and left to the cores, to the sums, before another begins to count. */
static void count_use(wi_workers *w)
{
    wi_board *const board = w->station.board;
    wi_common_use *const sum = w->station.s->in_common, *const use = &board->use;
    if (w->to_cores == 0)
        memcpy(w->why_cores, board->why_cores, sizeof w->why_cores);
    w->to_cores += board->to_cores;
    board->to_cores = 0;
    if (sum && w->pid > 0) { /* a thread has counted in this process */
        sum->made += use->made;
        sum->found += use->found;
        sum->most = use->most > sum->most ? use->most : sum->most;
    }
    *use = (wi_common_use){0};
}

/* Returns what waitpid says of it. */
static int end_process(wi_workers *w, bool kill_it)
{
    int how = 0;
    close(w->fd);
    w->fd = -1;
    if (w->pid > 0) {
        if (kill_it)
            kill(w->pid, SIGKILL);
        waitpid(w->pid, &how, 0);
    } else {
        pthread_join(w->thread, NULL);
    }
    count_use(w);
    return how;
}

/* Announces how many runs the first wave has, when it begins. */
static void announce(wi_workers *w)
{
    const weir_study *const s = w->station.s;
    const uint32_t n = w->station.board ? w->station.board->wave : 0;
    char text[400];
    uint64_t left = 0;
    if (w->announced || n == 0 || !w->options->say)
        return;
    w->announced = true;
    for (uint32_t i = 0; i < s->n_points; i++)
        left += s->points[i].want > s->points[i].done ? s->points[i].want - s->points[i].done : 0;
    if (w->options->shards > 1)
        left /= w->options->shards;
    if (left > n)
        snprintf(text, sizeof text, "%.120s: %llu runs, about %llu waves of %u", s->device_name,
                 (unsigned long long)left, (unsigned long long)((left + n - 1) / n), n);
    else
        snprintf(text, sizeof text, "%.120s: %u runs at once", s->device_name, n);
    w->options->say(w->options->user, text);
}

void wi_workers_free(wi_workers *w)
{
    if (!w)
        return;
    const wi_station *const station = &w->station;
    announce(w);
    if (w->fd >= 0)
        (void)end_process(w, w->has.live > 0);
    if (station->board && station->board->memory.waited)
        weir_warn(station->s->diag,
                  "memory: runs take up to %.3g GB each, so no more than %u were at once, not the %u that "
                  "there are cores for",
                  1e-9 * station->board->memory.largest, station->board->memory.most, station->jobs);
    if (w->to_cores > 0)
        weir_warn(station->s->diag, "%u runs went to the cores: %s", w->to_cores, w->why_cores);
    if (station->board)
        munmap(station->board, w->board_bytes);
    free(w->has.run);
    free(w->text);
    free(w);
}

/* ---- runs that it has ---- */

uint32_t wi_workers_wants(const wi_workers *w)
{
    const uint32_t most = w->kind->asks && w->fd >= 0 ? w->asked + w->has.live - w->has.unsent : w->room,
                   has = w->has.live;
    return most > has ? most - has : 0;
}

uint32_t wi_workers_has(const wi_workers *w)
{
    return w->has.live;
}

const char *wi_workers_ended(const wi_workers *w)
{
    return w->ended[0] ? w->ended : NULL;
}

void wi_workers_give(wi_workers *w, const wi_job *jobs, uint32_t n)
{
    wi_runs_add(&w->has, jobs, n);
    w->fed = true;
}

/* ---- sending ---- */

static bool send_runs(wi_workers *w, wi_held *const *runs, uint32_t n)
{
    wi_job jobs[WI_ASK_MAX];
    for (uint32_t i = 0; i < n; i++)
        jobs[i] = runs[i]->job;
    const size_t bytes = n * sizeof *jobs;
    if (send(w->fd, jobs, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)bytes)
        return false;
    for (uint32_t i = 0; i < n; i++)
        runs[i]->sent = true;
    w->has.unsent -= n;
    return true;
}

/* Answers the process that has asked. Leaves the answer for later where there is nothing to run or to wait
 * for. */
static void answer(wi_workers *w)
{
    static const wi_job none = {WI_NO_RUN, 0};
    wi_held *runs[WI_ASK_MAX];
    const uint32_t most = w->asked < WI_ASK_MAX ? w->asked : WI_ASK_MAX;
    const uint32_t n = w->station.board->stop ? 0 : wi_runs_choose(&w->has, most, runs);
    if (n == 0 && w->has.live == w->has.unsent && !w->station.board->stop)
        return;
    if (n > 0 ? send_runs(w, runs, n)
              : send(w->fd, &none, sizeof none, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof none)
        w->asked = 0;
}

static void send_what_may_go(wi_workers *w)
{
    wi_held *one;
    if (w->kind->asks) {
        if (w->asked > 0 && (w->fed || w->station.board->stop))
            answer(w);
        return;
    }
    while (!w->station.board->stop && wi_runs_choose(&w->has, 1, &one) == 1 && send_runs(w, &one, 1))
        continue;
}

/* ---- stops, time limits, deaths ---- */

/* Passes a stop on, and stops runs beyond their time. What does not stop within a moment more is killed; so is, at once,
 * what shares a device: it stops together. */
static void keep_time(wi_workers *w)
{
    const double now_s = wi_clock_s(), limit_s = w->station.limit_s,
                 grace_s = w->kind->asks ? 0.0 : 1.0 + 0.1 * limit_s;
    const bool stop = w->stop && *w->stop;
    bool too_late = false;
    if (stop)
        w->station.board->stop = WI_STOPPED;
    for (uint32_t i = 0; (stop || isfinite(limit_s)) && i < w->slots; i++) {
        wi_slot *at = &w->station.board->slot[i];
        if (stop)
            at->stop = WI_STOPPED;
        if (stop || !at->busy || !(now_s - at->since_s > limit_s))
            continue;
        at->stop = WI_OVERTIME;
        wi_held *h = now_s - at->since_s > limit_s + grace_s ? wi_runs_find(&w->has, at->job) : NULL;
        if (h)
            h->late = too_late = true;
    }
    if (too_late && w->pid > 0)
        kill(w->pid, SIGKILL);
}

/* Makes the row of a run that its process died of. */
static wi_row *dead_row(const wi_workers *w, int how)
{
    const wi_board *const board = w->station.board;
    const char *const again = w->kind->asks ? "again" : "twice";
    const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    wi_row *row = wi_row_new(w->station.s);
    int n;
    if (!row)
        return NULL;
    row->status = board->status != WEIR_OK ? board->status : WEIR_E_CHECK;
    row->died = true;
    if (board->status != WEIR_OK)
        n = asprintf(&row->error, "%s, when no other run was there; --retry tries it again", board->fault);
    else if (number)
        n = asprintf(
            &row->error,
            "its process died %s, of signal %d (%s) when it had one to itself%s; --retry tries it again",
            again, number, strsignal(number),
            number == SIGKILL ? "; the system kills so what takes too much memory" : "");
    else
        n = asprintf(&row->error,
                     "its process ended %s, with code %d when it had one to itself; --retry tries it again",
                     again, WEXITSTATUS(how));
    if (n < 0)
        row->error = NULL;
    return row;
}

/* Finds the runs that the process died of most likely: how many, and the first of them. */
static uint32_t accuse(wi_workers *w, wi_blame *worst, wi_held **first)
{
    *worst = WI_NOT_THIS;
    for (uint32_t i = 0; i < w->slots; i++) {
        const wi_slot *at = &w->station.board->slot[i];
        wi_held *h = at->busy ? wi_runs_find(&w->has, at->job) : NULL;
        if (!h)
            continue;
        h->blame = h->late ? WI_LATE : at->signal ? WI_FAULT : WI_UNDER_WAY;
        *worst = h->blame > *worst ? h->blame : *worst;
    }
    return *worst == WI_NOT_THIS ? 0 : wi_runs_accused(&w->has, *worst, first);
}

/* Whether another process may be started for the runs that are left. */
static bool may_begin(wi_workers *w, bool barren)
{
    const wi_board *const board = w->station.board;
    w->barren = barren ? w->barren + 1 : 0;
    if (board->stop)
        return false;
    if (board->status != WEIR_OK && (barren || w->pid <= 0))
        snprintf(w->ended, sizeof w->ended, "%s", board->fault);
    else if (w->barren >= BARREN_DEATHS)
        snprintf(w->ended, sizeof w->ended, "a process for runs died %u times before it began with one",
                 w->barren);
    else if (begin(w))
        return true;
    else
        snprintf(w->ended, sizeof w->ended, "no process can be had for the runs");
    return false;
}

/* Starts another process in place of one that has ended. True: hands out a run that the process surely died
 * of. */
static bool replace_process(wi_workers *w, wi_job *job, wi_row **row)
{
    wi_held *first = NULL;
    wi_blame worst;
    const int how = end_process(w, true); /* it may have closed its end, and live */
    const uint32_t n = accuse(w, &worst, &first);
    const bool surely =
        n > 0 && ((worst == WI_LATE && (!w->kind->asks || n == 1)) || (n == 1 && first->alone));
    if (surely) {
        *job = first->job;
        *row = worst == WI_LATE ? wi_late_row(&w->station) : dead_row(w, how);
        wi_runs_remove(&w->has, first);
    } else if (n > 0) {
        wi_runs_make_groups(&w->has, worst, n, w->kind->asks ? 2 : n);
    }
    wi_runs_unsend(&w->has);
    w->asked = 0;
    (void)may_begin(w, n == 0);
    return surely;
}

/* Gives up runs that no process has, when stopped or without a process. */
static bool give_up(wi_workers *w, wi_job *job, wi_row **row)
{
    wi_held *h = wi_runs_any(&w->has, w->fd >= 0);
    if (!h)
        return false;
    *job = h->job;
    *row = NULL;
    wi_runs_remove(&w->has, h);
    return true;
}

/* ---- taking ---- */

/* Waits for a message, and for a moment at most, so that stops are seen; false: none has come. */
static bool message_comes(const wi_workers *w, double left_ms)
{
    struct pollfd look = {.fd = w->fd, .events = POLLIN};
    return poll(&look, 1, left_ms < 0.0 ? 0 : left_ms < LOOK_MS ? (int)ceil(left_ms) : LOOK_MS) > 0;
}

/* A message that has come. Returns whether it is a run that is over. */
static bool read_message(wi_workers *w, size_t bytes, wi_job *job, wi_row **row)
{
    memcpy(job, w->text, sizeof *job);
    if (job->point == WI_NO_RUN) {
        w->asked = job->replication;
        w->fed = false;
        return false;
    }
    wi_held *h = wi_runs_find(&w->has, *job);
    if (!h)
        return false;
    *row =
        bytes > sizeof *job ? wi_row_of_text(w->station.s, w->text + sizeof *job, bytes - sizeof *job) : NULL;
    wi_runs_remove(&w->has, h);
    w->barren = 0;
    return true;
}

bool wi_workers_take(wi_workers *w, int wait_ms, wi_job *job, wi_row **row)
{
    const double until_s = wi_clock_s() + 1e-3 * wait_ms;
    for (;;) {
        keep_time(w);
        if ((w->station.board->stop || w->fd < 0) && give_up(w, job, row))
            return true;
        if (w->fd >= 0)
            send_what_may_go(w);
        const double left_ms = 1e3 * (until_s - wi_clock_s());
        if (!message_comes(w, left_ms)) {
            if (left_ms <= 0.0)
                return false;
            continue;
        }
        const ssize_t bytes = recv(w->fd, w->text, WI_STATION_BYTES, MSG_DONTWAIT);
        announce(w);
        if (bytes < (ssize_t)sizeof *job ? replace_process(w, job, row)
                                         : read_message(w, (size_t)bytes, job, row))
            return true;
        if (w->asked > 0 && !w->fed)
            return false;
    }
}

/* Runs in a process of their own; see workers.h. */
#include "study/runs/workers.h"

#include <errno.h>
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
#include "base/common/common.h"
#include "engine/ranks/ranks.h"
#include "study/runs/quota.h"
#include "study/folder/apart.h"
#include "study/folder/row_text.h"
#include "study/runs/work.h"

enum {
    AHEAD_MAX = 64, /* runs that wait in the socket, so that no thread does */
    LOOK_MS = 50,   /* how soon a stop, and a run beyond its time, is seen */
    ROW_BYTES = 1 << 17,
    SOCKET_BYTES = 1 << 22
};
enum { GIVEN_MAX = 256 };                /* beyond what is wanted: a rank may have asked twice */
enum { RUNS_ON = 0, STOPPED, OVERTIME }; /* why a run is to stop */

/* What both processes see of a thread. */
typedef struct slot {
    volatile int busy, stop, signal; /* signal: its run died of it */
    volatile double since_s;         /* when the run began; infinite while it waits for memory */
    wi_job job;
} slot;

typedef struct board {
    volatile int stop;
    bool waited; /* for memory */
    uint32_t most;
    double largest;
    wi_common_use use;
    slot slot[];
} board;

/* A run that the workers has. */
typedef struct held {
    wi_job job;
    bool sent, suspect, late;
} held;

struct wi_workers {
    const weir_study *s;
    const volatile int *stop;
    double limit_s; /* of a run; infinite: none */
    uint32_t jobs, room, n;
    held *has; /* [n] */
    board *board;
    size_t board_bytes;
    pid_t pid;
    int fd;     /* -1: no process */
    int far_fd; /* the process's own end, while it begins */
    char *text; /* [ROW_BYTES]: a row that has come */
};

/* ---- the process that runs ---- */

/* The slot of the thread, for the handler of its fault. */
static _Thread_local slot *mine;

static void on_fault(int number)
{
    if (mine)
        mine->signal = number;
    signal(number, SIG_DFL);
    raise(number);
}

typedef struct thread {
    const wi_workers *workers;
    wi_quota *quota;
    pthread_mutex_t *lock;
    slot *slot;
} thread;

/* Stopped, as it seems, for its time: was it this run's, and not that of the one before? */
static bool is_late(const thread *w)
{
    return w->slot->stop == OVERTIME && wi_clock_s() - w->slot->since_s >= w->workers->limit_s;
}

static wi_row *late_row(const wi_workers *c)
{
    wi_row *row = wi_row_new(c->s);
    if (!row)
        return NULL;
    row->status = WEIR_E_INTERRUPTED;
    row->died = true;
    row->wall_s = c->limit_s;
    if (asprintf(&row->error, "took longer than the %g s of --run-timeout; --retry tries it again",
                 c->limit_s) < 0)
        row->error = NULL;
    return row;
}

static wi_row *run_job(const thread *w, wi_job job)
{
    slot *const at = w->slot;
    wi_row *row;
    do {
        at->since_s = (double)INFINITY;
        at->stop = w->workers->board->stop;
        row = wi_run_job(w->workers->s, job, w->quota, &at->stop, &at->since_s);
    } while (!row && at->stop == OVERTIME && !is_late(w));
    return row || at->stop != OVERTIME ? row : late_row(w->workers);
}

/* A row, or without one the run's numbers alone. */
static void send_row(const thread *w, wi_job job, const wi_row *row)
{
    char *text = row ? wi_row_text(w->workers->s, job, row, true) : NULL;
    struct iovec parts[2] = {{&job, sizeof job}, {text, text ? strlen(text) : 0}};
    const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (parts[1].iov_len > ROW_BYTES - sizeof job - 1 ||
        sendmsg(w->workers->fd, &message, MSG_NOSIGNAL) < 0) {
        parts[1].iov_len = 0;
        (void)!sendmsg(w->workers->fd, &message, MSG_NOSIGNAL);
    }
    free(text);
}

static void *serve(void *user)
{
    const thread *w = user;
    board *const b = w->workers->board;
    mine = w->slot;
    while (recv(w->workers->fd, &mine->job, sizeof mine->job, 0) == sizeof mine->job) {
        const wi_job job = mine->job;
        mine->busy = 1;
        wi_row *row = b->stop ? NULL : run_job(w, job);
        pthread_mutex_lock(w->lock);
        b->use = wi_common_used(w->workers->s->shared);
        b->waited = wi_quota_waited(w->quota, &b->most, &b->largest);
        pthread_mutex_unlock(w->lock);
        mine->busy = 0;
        send_row(w, job, row);
        wi_row_free(row);
    }
    return NULL;
}

/* For so many at once in this process; null: none is needed, or memory is short. */
static wi_quota *quota_of(const weir_study *s, uint32_t jobs)
{
    const uint32_t processes = s->ranks ? s->ranks->on_this_machine : 1;
    wi_quota *quota = jobs > 1 || processes > 1 ? wi_quota_new(wi_quota_memory(processes)) : NULL;
    wi_quota_beside(quota, s->shared);
    return quota;
}

static void run_all(void *user)
{
    wi_workers *const c = user;
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    wi_quota *const quota = quota_of(c->s, c->jobs);
    thread *w = calloc(c->jobs, sizeof *w);
    pthread_t *handle = calloc(c->jobs, sizeof *handle);
    uint32_t n = 0;
    close(c->fd); /* so that it is told when this process's runs are over */
    c->fd = c->far_fd;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], on_fault);
    for (; w && handle && n < c->jobs; n++) {
        w[n] = (thread){c, quota, &lock, &c->board->slot[n]};
        if (pthread_create(&handle[n], NULL, serve, &w[n]) != 0)
            break;
    }
    for (uint32_t i = 0; i < n; i++)
        pthread_join(handle[i], NULL);
    if (n == 0) /* without a thread: this one, all of it */
        serve(&(thread){c, quota, &lock, &c->board->slot[0]});
    wi_quota_free(quota);
}

/* ---- the process that has them run ---- */

static bool begin(wi_workers *c)
{
    int ends[2];
    const int bytes = SOCKET_BYTES;
    memset(c->board->slot, 0, c->jobs * sizeof *c->board->slot);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    for (int i = 0; i < 2; i++) /* as much of it as the system allows */
        (void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    c->fd = ends[0];
    c->far_fd = ends[1];
    c->pid = wi_apart_fork(c->s, run_all, c);
    close(ends[1]);
    if (c->pid > 0)
        return true;
    close(ends[0]);
    c->fd = -1;
    return false;
}

wi_workers *wi_workers_new(const weir_study *s, uint32_t jobs, const weir_study_options *o)
{
    wi_workers *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    const uint32_t ahead = s->ranks ? 0 : jobs < AHEAD_MAX ? jobs : AHEAD_MAX;
    *c = (wi_workers){.s = s, .stop = o->stop, .jobs = jobs, .room = jobs + ahead, .fd = -1};
    c->limit_s = o->run_timeout_s > 0.0 ? o->run_timeout_s : (double)INFINITY;
    c->has = malloc((c->room + GIVEN_MAX) * sizeof *c->has);
    c->text = malloc(ROW_BYTES);
    c->board_bytes = sizeof *c->board + jobs * sizeof *c->board->slot;
    c->board = mmap(NULL, c->board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c->board == MAP_FAILED)
        c->board = NULL;
    if (c->has && c->text && c->board && begin(c))
        return c;
    wi_workers_free(c);
    return NULL;
}

/* What its process had in common, before another begins to count. */
static void count_common(const wi_workers *c)
{
    wi_common_use *const sum = c->s->in_common, *const use = &c->board->use;
    if (!sum)
        return;
    sum->made += use->made;
    sum->found += use->found;
    sum->most = use->most > sum->most ? use->most : sum->most;
    *use = (wi_common_use){0};
}

void wi_workers_free(wi_workers *c)
{
    if (!c)
        return;
    if (c->fd >= 0) {
        if (c->n > 0)
            kill(c->pid, SIGKILL);
        close(c->fd);
        waitpid(c->pid, NULL, 0);
        count_common(c);
        if (c->board->waited)
            weir_warn(
                c->s->diag,
                "memory: runs take up to %.3g GB each, so no more than %u were at once, not the %u that "
                "there are cores for",
                1e-9 * c->board->largest, c->board->most, c->jobs);
    }
    if (c->board)
        munmap(c->board, c->board_bytes);
    free(c->has);
    free(c->text);
    free(c);
}

uint32_t wi_workers_wants(const wi_workers *c)
{
    return c->room > c->n ? c->room - c->n : 0;
}

uint32_t wi_workers_has(const wi_workers *c)
{
    return c->n;
}

void wi_workers_give(wi_workers *c, const wi_job *jobs, uint32_t n)
{
    for (uint32_t i = 0; i < n && c->n < c->room + GIVEN_MAX; i++)
        c->has[c->n++] = (held){.job = jobs[i]};
}

static held *find(wi_workers *c, wi_job job)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->has[i].job.point == job.point && c->has[i].job.replication == job.replication)
            return &c->has[i];
    return NULL;
}

/* In the order in which they came: longest first. */
static void let_go(wi_workers *c, const held *h)
{
    const size_t at = (size_t)(h - c->has);
    memmove(&c->has[at], &c->has[at + 1], (--c->n - at) * sizeof *c->has);
}

/* All that it has; but a suspect only when no other is under way, and then no other. */
static void send_jobs(wi_workers *c)
{
    uint32_t out = 0, suspects = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        out += c->has[i].sent;
        suspects += c->has[i].suspect;
    }
    for (uint32_t i = 0; i < c->n && (suspects == 0 || out == 0); i++) {
        held *h = &c->has[i];
        if (h->sent || (suspects > 0 && !h->suspect))
            continue;
        if (send(c->fd, &h->job, sizeof h->job, MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof h->job)
            return;
        h->sent = true;
        out++;
    }
}

/* Pass a stop on, and stop runs beyond their time; what does not stop within a moment more is killed. */
static void keep_time(wi_workers *c)
{
    const double now_s = wi_clock_s(), grace_s = 1.0 + 0.1 * c->limit_s;
    const bool stop = c->stop && *c->stop;
    if (stop)
        c->board->stop = STOPPED;
    for (uint32_t i = 0; i < c->jobs; i++) {
        slot *at = &c->board->slot[i];
        if (stop)
            at->stop = STOPPED;
        if (stop || !at->busy || !(now_s - at->since_s > c->limit_s))
            continue;
        at->stop = OVERTIME;
        held *h = now_s - at->since_s > c->limit_s + grace_s ? find(c, at->job) : NULL;
        if (h) {
            h->late = true;
            kill(c->pid, SIGKILL);
        }
    }
}

/* What it died of, for the row of the run that it died of. */
static wi_row *dead_row(const wi_workers *c, int how)
{
    wi_row *row = wi_row_new(c->s);
    if (!row)
        return NULL;
    row->status = WEIR_E_CHECK;
    row->died = true;
    const int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    const char *const why = number == SIGKILL ? "; the system kills so what takes too much memory" : "";
    const int n =
        number
            ? asprintf(
                  &row->error,
                  "its process died twice, of signal %d (%s) when it had one to itself%s; --retry tries it "
                  "again",
                  number, strsignal(number), why)
            : asprintf(
                  &row->error,
                  "its process ended twice, with code %d when it had one to itself; --retry tries it again",
                  WEXITSTATUS(how));
    if (n < 0)
        row->error = NULL;
    return row;
}

/* Marks the runs that it may have died of. Those that it died of surely have a row: the first of them is handed out. */
static bool bury(wi_workers *c, wi_job *job, wi_row **row)
{
    int how = 0;
    bool known = false, over = false;
    close(c->fd);
    c->fd = -1;
    kill(c->pid, SIGKILL); /* where it has closed its end, and lives */
    waitpid(c->pid, &how, 0);
    count_common(c);
    for (uint32_t i = 0; i < c->n; i++)
        known |= c->has[i].late;
    for (uint32_t i = 0; i < c->jobs; i++)
        known |= c->board->slot[i].signal != 0;
    for (uint32_t i = 0; i < c->jobs; i++) {
        const slot *at = &c->board->slot[i];
        held *h = at->busy && (!known || at->signal) ? find(c, at->job) : NULL;
        if (h && h->suspect && !over) {
            *job = h->job;
            *row = dead_row(c, how);
            let_go(c, h);
            over = true;
        } else if (h) {
            h->suspect = true;
        }
    }
    for (uint32_t i = c->n; i-- > 0;) {
        c->has[i].sent = false;
        if (!c->has[i].late || over)
            continue;
        *job = c->has[i].job;
        *row = late_row(c);
        let_go(c, &c->has[i]);
        over = true;
    }
    return over;
}

/* Stopped, or no process can be had: what nobody runs is given up. */
static bool give_up(wi_workers *c, wi_job *job, wi_row **row)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->fd < 0 || !c->has[i].sent) {
            *job = c->has[i].job;
            *row = NULL;
            let_go(c, &c->has[i]);
            return true;
        }
    return false;
}

bool wi_workers_take(wi_workers *c, int wait_ms, wi_job *job, wi_row **row)
{
    const double until_s = wi_clock_s() + 1e-3 * wait_ms;
    for (;;) {
        keep_time(c);
        if ((c->board->stop || c->fd < 0) && give_up(c, job, row))
            return true;
        if (!c->board->stop && c->fd >= 0)
            send_jobs(c);
        const double left_ms = 1e3 * (until_s - wi_clock_s());
        struct pollfd look = {.fd = c->fd, .events = POLLIN};
        const int ready = poll(&look, 1,
                               left_ms < 0.0       ? 0
                               : left_ms < LOOK_MS ? (int)ceil(left_ms)
                                                   : LOOK_MS);
        if (ready <= 0 && left_ms <= 0.0)
            return false;
        if (ready <= 0)
            continue;
        const ssize_t bytes = recv(c->fd, c->text, ROW_BYTES, MSG_DONTWAIT);
        if (bytes < (ssize_t)sizeof *job) {
            const bool over = bury(c, job, row);
            if (!begin(c))
                c->board->stop = STOPPED;
            if (over)
                return true;
            continue;
        }
        memcpy(job, c->text, sizeof *job);
        held *h = find(c, *job);
        if (!h)
            continue;
        *row = bytes > (ssize_t)sizeof *job
                   ? wi_row_of_text(c->s, c->text + sizeof *job, (size_t)bytes - sizeof *job)
                   : NULL;
        let_go(c, h);
        return true;
    }
}

/*
 * The executor of several machines: rank 0 has the work, and gives it out as ranks get free; every rank runs one run a
 * core. Messages are few and small: a rank asks for as many runs as it has idle threads, gets them or the word that
 * there are none, and sends a row when a run is over.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/cores.h"
#include "engine/ranks/ranks.h"
#include "study/runs/quota.h"
#include "study/runs/work.h"

/* What a message is; jobs or a row follow. */
typedef enum word { ASK = 1, GIVE, END, ROW } word;

enum { JOBS_MAX = 256, ERROR_MAX = 2000, WAIT_NS = 500000 };

typedef struct message {
    uint32_t word, n; /* n: runs asked for or given; of a row, metrics */
    union {
        wi_job jobs[JOBS_MAX];
        struct {
            wi_job job;
            int32_t status;
            uint64_t events, event_digest, state_digest;
            double wall_s;
            char error[ERROR_MAX];
        } row;
    } u;
} message;

/* A rank's runs on their way between its main thread, which alone speaks to the others, and its workers. */
typedef struct desk {
    const weir_study *s;
    const volatile int *stop;
    pthread_mutex_t lock;
    pthread_cond_t more;
    wi_job waiting[JOBS_MAX];
    uint32_t n_waiting, idle;
    struct done {
        wi_job job;
        wi_row *row;
        struct done *next;
    } * done; /* rows to be sent */
    wi_quota *quota;
    int ended;
} desk;

static void pause_a_moment(void)
{
    const struct timespec t = {.tv_nsec = WAIT_NS};
    nanosleep(&t, NULL);
}

/* ---- a rank that is served ---- */

static void *serve(void *user)
{
    desk *d = user;
    pthread_mutex_lock(&d->lock);
    for (;;) {
        d->idle++;
        while (d->n_waiting == 0 && !d->ended)
            pthread_cond_wait(&d->more, &d->lock);
        d->idle--;
        if (d->n_waiting == 0)
            break;
        const wi_job job = d->waiting[--d->n_waiting];
        pthread_mutex_unlock(&d->lock);
        struct done *done = malloc(sizeof *done);
        wi_row *row = done ? wi_run_job(d->s, job, d->quota, d->stop) : NULL;
        pthread_mutex_lock(&d->lock);
        if (!done) /* without memory for this, the run stays missing */
            continue;
        *done = (struct done){job, row, d->done};
        d->done = done;
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* A row that is null (given up) is sent too: rank 0 waits for what it gave. */
static void send_row(const wi_ranks *ranks, const weir_study *s, wi_job job, wi_row *row, char *box)
{
    message m = {.word = ROW, .n = row ? s->n_metrics : UINT32_MAX};
    m.u.row.job = job;
    if (row) {
        m.u.row.status = (int32_t)row->status;
        m.u.row.events = row->events;
        m.u.row.event_digest = row->event_digest;
        m.u.row.state_digest = row->state_digest;
        m.u.row.wall_s = row->wall_s;
        snprintf(m.u.row.error, sizeof m.u.row.error, "%s", row->error ? row->error : "");
    }
    memcpy(box, &m, sizeof m);
    const size_t bytes = row ? s->n_metrics * sizeof *row->metric : 0;
    if (row)
        memcpy(box + sizeof m, row->metric, bytes);
    ranks->send(box, sizeof m + bytes, 0);
    wi_row_free(row);
}

static void be_served(const weir_study *s, const wi_ranks *ranks, uint32_t threads, const volatile int *stop,
                      char *box)
{
    desk d = {.s = s, .stop = stop, .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
    d.quota = wi_study_quota(s, threads);
    pthread_t *thread = malloc(threads * sizeof *thread);
    uint32_t started = 0, asked = 0, from;
    while (thread && started < threads && pthread_create(&thread[started], NULL, serve, &d) == 0)
        started++;
    for (int ended = started == 0; !ended || d.done;) {
        pthread_mutex_lock(&d.lock);
        struct done *done = d.done;
        if (done)
            d.done = done->next;
        const uint32_t want = d.idle > d.n_waiting + asked ? d.idle - d.n_waiting - asked : 0;
        const int all_idle = d.idle == started && d.n_waiting == 0;
        pthread_mutex_unlock(&d.lock);
        if (done) {
            send_row(ranks, s, done->job, done->row, box);
            free(done);
            continue;
        }
        message *m = (message *)box;
        if (want > 0 && !d.ended) {
            *m = (message){.word = ASK, .n = want < JOBS_MAX ? want : JOBS_MAX};
            asked += m->n;
            ranks->send(m, sizeof *m, 0);
        }
        if (ranks->take(box, &from) > 0) {
            pthread_mutex_lock(&d.lock);
            for (uint32_t i = 0; m->word == GIVE && i < m->n; i++)
                d.waiting[d.n_waiting++] = m->u.jobs[i];
            d.ended |= m->word == END;
            pthread_cond_broadcast(&d.more);
            pthread_mutex_unlock(&d.lock);
            asked = 0;
        } else {
            pause_a_moment();
        }
        ended = d.ended && (all_idle || d.idle == 0) && !d.done && d.n_waiting == 0;
        if (ended) { /* workers that were busy when the word came have put down their rows */
            for (uint32_t i = 0; i < started; i++)
                pthread_join(thread[i], NULL);
            started = 0;
        }
    }
    if (started == 0 && !d.ended) { /* no thread could be started: the others do it all */
        message *m = (message *)box;
        *m = (message){.word = ASK, .n = 0};
        ranks->send(m, sizeof *m, 0);
        while (ranks->take(box, &from) == 0 || m->word != END)
            pause_a_moment();
    }
    free(thread);
    wi_quota_free(d.quota);
}

/* ---- rank 0 ---- */

typedef struct helper {
    const weir_study *s;
    const weir_study_options *options;
    wi_work *work;
    int over;
} helper;

static void *own_runs(void *user)
{
    helper *h = user;
    wi_executor_cores.run(h->s, h->options, h->work);
    __atomic_store_n(&h->over, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void take_row(const weir_study *s, wi_work *work, const message *m, const char *box)
{
    wi_row *row = m->n == UINT32_MAX ? NULL : wi_row_new(s);
    if (row) {
        row->status = (weir_status)m->u.row.status;
        row->events = m->u.row.events;
        row->event_digest = m->u.row.event_digest;
        row->state_digest = m->u.row.state_digest;
        row->wall_s = m->u.row.wall_s;
        row->error = row->status == WEIR_OK ? NULL : strdup(m->u.row.error);
        memcpy(row->metric, box + sizeof *m, s->n_metrics * sizeof *row->metric);
    }
    wi_work_done(work, m->u.row.job, row);
}

static void serve_others(const weir_study *s, const weir_study_options *options, const wi_ranks *ranks,
                         wi_work *work, char *box)
{
    helper h = {s, options, work, 0};
    pthread_t thread;
    const bool helped = pthread_create(&thread, NULL, own_runs, &h) == 0;
    uint32_t *waits = calloc(ranks->n_ranks, sizeof *waits), left = ranks->n_ranks - 1, from;
    uint8_t *told = calloc(ranks->n_ranks, 1);
    if (!waits || !told)
        wi_work_fail(work, WEIR_E_NOMEM, "no memory for ranks");
    for (uint32_t busy = 0; waits && told && (left > 0 || busy > 0);) {
        const message *m = (const message *)box;
        const bool came = ranks->take(box, &from) > 0;
        if (came && m->word == ROW) {
            take_row(s, work, m, box);
            busy--;
        } else if (came && m->word == ASK) {
            waits[from] += m->n;
            if (m->n == 0)
                waits[from] = UINT32_MAX; /* it has no threads */
        }
        for (uint32_t r = 1; r < ranks->n_ranks; r++) {
            if (waits[r] == 0 || told[r])
                continue;
            const uint32_t want = waits[r] == UINT32_MAX ? 0 : waits[r];
            message gift = {.word = GIVE};
            bool more = false;
            gift.n = (uint32_t)wi_work_poll(work, want < JOBS_MAX ? want : JOBS_MAX, gift.u.jobs, &more);
            if (gift.n == 0 && more && want > 0)
                continue; /* until-precision may ask for some yet */
            gift.word = gift.n ? GIVE : END;
            told[r] = gift.n == 0;
            left -= gift.n == 0;
            busy += gift.n;
            waits[r] = 0;
            ranks->send(&gift, sizeof gift, r);
        }
        if (!came)
            pause_a_moment();
    }
    free(waits);
    free(told);
    if (helped)
        pthread_join(thread, NULL);
    else
        own_runs(&h);
}

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    const wi_ranks *ranks = s->ranks;
    char *box = malloc(WI_MESSAGE_MAX);
    weir_study_options mine = *options;
    const uint32_t share = wi_cores_allowed() > ranks->on_this_machine ? ranks->on_this_machine : 1;
    if (mine.jobs == 0)
        mine.jobs = wi_jobs_at_once(s, options) / share ? wi_jobs_at_once(s, options) / share : 1;
    if (box && ranks->rank == 0)
        serve_others(s, &mine, ranks, work, box);
    else if (box)
        be_served(s, ranks, mine.jobs, options->stop, box);
    free(box);
}

const wi_executor wi_executor_ranks = {.name = "ranks", .run = run};

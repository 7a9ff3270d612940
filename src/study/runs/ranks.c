/*
 * The executor of several machines: rank 0 has the work, and gives it out as ranks get free; every rank runs one run a
 * core. Messages are few and small: a rank asks for as many runs as it has idle threads, gets them or the word that
 * there are none, and sends a row when a run is over.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cores.h"
#include "engine/ranks/ranks.h"
#include "engine/ranks/watch.h"
#include "study/runs/message.h"
#include "study/runs/quota.h"

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

/* What went wrong; of a run that succeeded, its first warning. */
static void put_text(const weir_study *s, const wi_row *row, message *m)
{
    snprintf(m->u.row.text, sizeof m->u.row.text, "%s", row->error ? row->error : "");
    for (size_t i = 0; row->status == WEIR_OK && row->said && i < weir_diag_count(row->said); i++) {
        const weir_message *said = weir_diag_get(row->said, i);
        if (said->severity != WEIR_WARNING)
            continue;
        const bool here = said->file && strcmp(said->file, s->file) == 0;
        snprintf(m->u.row.text, sizeof m->u.row.text, "%s", said->text);
        m->u.row.line = here ? said->line : 0;
        m->u.row.column = here ? said->column : 0;
        return;
    }
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
        put_text(s, row, &m);
    }
    memcpy(box, &m, sizeof m);
    const size_t bytes = row ? s->n_metrics * sizeof *row->metric : 0;
    if (row)
        memcpy(box + sizeof m, row->metric, bytes);
    ranks->send(box, sizeof m + bytes, 0);
    wi_row_free(row);
}

/* Ranks of this machine that are gone: rank 0 cannot see them from another. */
static void tell_of_lost(const wi_ranks *ranks)
{
    for (uint32_t r = wi_ranks_watch_lost(); r != UINT32_MAX; r = wi_ranks_watch_lost()) {
        const message m = {.word = LOST, .n = r};
        ranks->send(&m, sizeof m, 0);
    }
}

/* Returns how many ranks were lost. */
static uint32_t be_served(const weir_study *s, const wi_ranks *ranks, uint32_t threads,
                          const volatile int *stop, char *box)
{
    desk d = {.s = s, .stop = stop, .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER};
    d.quota = wi_study_quota(s, threads);
    pthread_t *thread = malloc(threads * sizeof *thread);
    uint32_t started = 0, asked = 0, lost = 0, from;
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
            lost = m->word == END ? m->n : lost;
            pthread_cond_broadcast(&d.more);
            pthread_mutex_unlock(&d.lock);
            asked = 0;
        } else {
            tell_of_lost(ranks);
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
        lost = m->n;
    }
    free(thread);
    wi_quota_free(d.quota);
    return lost;
}

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    const wi_ranks *ranks = s->ranks;
    char *box = malloc(WI_MESSAGE_MAX);
    weir_study_options mine = *options;
    const uint32_t share = wi_cores_allowed() > ranks->on_this_machine ? ranks->on_this_machine : 1;
    if (mine.jobs == 0)
        mine.jobs = wi_jobs_at_once(s, options) / share ? wi_jobs_at_once(s, options) / share : 1;
    uint32_t lost = 0;
    wi_ranks_watch_forgive(1);
    if (box && ranks->rank == 0)
        lost = wi_office_run(s, &mine, ranks, work, box);
    else if (box)
        lost = be_served(s, ranks, mine.jobs, options->stop, box);
    wi_ranks_watch_forgive(0);
    if (lost > 0) {
        wi_ranks_watch_end();
        wi_ranks_break(lost);
    }
    free(box);
}

const wi_executor wi_executor_ranks = {.name = "ranks", .run = run};

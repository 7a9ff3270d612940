/* Rank 0 of a study over MPI ranks keeps which rank has which runs. When another rank dies, its runs go to
 * the others, once; a run that two ranks have died with fails. So ranks wait while another still has runs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ranks/watch.h"
#include "study/runs/message.h"
#include "study/folder/row_text.h"

typedef struct helper {
    const weir_study *s;
    const weir_study_options *options;
    wi_work *work;
} helper;

static void *own_runs(void *user)
{
    helper *h = user;
    wi_run_on_cores(h->s, h->options, h->work);
    return NULL;
}

/* What rank 0 knows of the others. */
typedef struct office {
    const weir_study *s;
    const wi_ranks *ranks;
    wi_work *work;
    uint32_t *waits;       /* [ranks]: runs asked for; UINT32_MAX: it has no threads */
    uint8_t *ended, *gone; /* [ranks]: that know that it is over; that died */
    struct held {
        wi_job job;
        uint32_t rank;
    } * out; /* [n_out]: given, and not over */
    size_t n_out, room;
    wi_job *again; /* [n_again]: given back by a rank that died */
    size_t n_again;
    uint32_t left, n_gone; /* that do not know it yet; that died */
    wi_owned memory;       /* of waits, ended and gone */
} office;

static bool office_open(office *o)
{
    const size_t n = o->ranks->n_ranks;
    o->left = o->ranks->n_ranks - 1;
    o->waits = wi_take(&o->memory, n, sizeof *o->waits);
    o->ended = wi_take(&o->memory, n, 1);
    o->gone = wi_take(&o->memory, n, 1);
    return !o->memory.failed;
}

static void office_close(office *o)
{
    wi_owned_free(&o->memory);
    free(o->out);
    free(o->again);
}

/* False: that rank has no such run. */
static bool remove_held(office *o, wi_job job, uint32_t rank)
{
    for (size_t i = 0; i < o->n_out; i++) {
        const struct held *h = &o->out[i];
        if (h->rank != rank || h->job.point != job.point || h->job.replication != job.replication)
            continue;
        o->out[i] = o->out[--o->n_out];
        return true;
    }
    return false;
}

static void receive_row(office *o, const message *m, const char *box, size_t bytes, uint32_t from)
{
    const wi_job job = m->jobs[0];
    if (remove_held(o, job, from))
        wi_work_done(o->work, job,
                     bytes > sizeof *m ? wi_row_of_text(o->s, box + sizeof *m, bytes - sizeof *m) : NULL);
}

/* Gives a run of a rank that died to others, once: ranks may die of that very run. */
static void return_run(office *o, wi_job job)
{
    bool twice = false;
    for (size_t i = 0; i < o->n_again; i++)
        twice |= o->again[i].point == job.point && o->again[i].replication == job.replication;
    if (!twice && wi_grow_one(&o->again, o->n_again, sizeof *o->again)) {
        o->again[o->n_again++] = job;
        wi_work_back(o->work, job);
        return;
    }
    wi_row *row = wi_row_new(o->s);
    if (row) {
        row->status = WEIR_E_MODEL;
        row->error = strdup("two ranks that had it died one after the other: killed, or out of memory?");
    }
    wi_work_done(o->work, job, row);
}

static void lose(office *o, uint32_t rank)
{
    if (rank == 0 || rank >= o->ranks->n_ranks || o->gone[rank])
        return;
    o->gone[rank] = 1;
    o->n_gone++;
    o->left -= !o->ended[rank];
    o->ended[rank] = 1;
    for (size_t i = o->n_out; i-- > 0;)
        if (o->out[i].rank == rank) {
            const wi_job job = o->out[i].job;
            o->out[i] = o->out[--o->n_out];
            return_run(o, job);
        }
}

/* Sends runs to a rank that asks, or END, or nothing yet. */
static void answer(office *o, uint32_t rank)
{
    const uint32_t asked = o->waits[rank] == UINT32_MAX ? 0 : o->waits[rank];
    uint32_t want = asked < JOBS_MAX ? asked : JOBS_MAX;
    message gift = {.word = GIVE};
    bool more = false;
    if (!wi_grow(&o->out, &o->room, o->n_out + want, sizeof *o->out)) {
        wi_work_fail(o->work, WEIR_E_NOMEM, "no memory for the runs of ranks");
        want = 0;
    }
    gift.n = (uint32_t)wi_work_take(o->work, want, gift.jobs, &more);
    /* until-precision may still add runs, and runs of other ranks may come back */
    if (gift.n == 0 && (more || o->n_out > 0))
        return;
    for (uint32_t i = 0; i < gift.n; i++)
        o->out[o->n_out++] = (struct held){gift.jobs[i], rank};
    if (gift.n == 0) {
        gift.word = END;
        gift.n = o->n_gone;
        o->ended[rank] = 1;
        o->left--;
    }
    o->waits[rank] = 0;
    o->ranks->send(&gift, sizeof gift, rank);
}

static void serve_loop(office *o, char *box)
{
    const message *m = (const message *)box;
    uint32_t from;
    while (o->left > 0) {
        const size_t came = o->ranks->take(box, &from);
        if (came && m->word == ROW)
            receive_row(o, m, box, came, from);
        else if (came && m->word == LOST)
            lose(o, m->n);
        else if (came && m->word == ASK)
            o->waits[from] = m->n == 0 ? UINT32_MAX : o->waits[from] + m->n;
        else if (!came) /* what the dead have sent is taken by then */
            lose(o, wi_ranks_watch_lost());
        for (uint32_t r = 1; r < o->ranks->n_ranks; r++)
            if (o->waits[r] > 0 && !o->ended[r])
                answer(o, r);
        if (!came)
            pause_a_moment();
    }
}

uint32_t wi_office_run(const weir_study *s, const weir_study_options *options, const wi_ranks *ranks,
                       wi_work *work, char *box)
{
    helper h = {s, options, work};
    office o = {.s = s, .ranks = ranks, .work = work};
    pthread_t thread;
    const bool helped = pthread_create(&thread, NULL, own_runs, &h) == 0;
    if (office_open(&o))
        serve_loop(&o, box);
    else
        wi_work_fail(work, WEIR_E_NOMEM, "no memory for ranks");
    if (helped)
        pthread_join(thread, NULL);
    if (!helped || wi_work_waits(work)) /* the last of the others died, and left some */
        own_runs(&h);
    if (o.n_gone > 0)
        weir_warn(s->diag,
                  "%u rank%s died before the study was over: killed, or out of memory? The others have done "
                  "without",
                  o.n_gone, o.n_gone == 1 ? "" : "s");
    office_close(&o);
    return o.n_gone;
}

/* The executor of several machines: rank 0 has the work, and gives it out as ranks get free; every rank runs
 * one run a core. Messages are few and small: a rank asks for as many runs as its workers want, gets them or
 * END, and sends a row when a run is over. */
#include <stdlib.h>
#include <string.h>

#include "ranks/cores.h"
#include "base/memory.h"
#include "ranks/ranks.h"
#include "ranks/watch.h"
#include "study/runs/workers.h"
#include "study/runs/message.h"
#include "study/folder/row_text.h"

/* A row that is null (given up) is sent too: rank 0 waits for what it gave. */
static void send_row(const wi_ranks *ranks, const weir_study *s, wi_job job, wi_row *row, char *box)
{
    const message m = {.word = ROW, .jobs = {job}};
    WI_FREED char *text = row ? wi_row_text(s, job, row, true) : NULL;
    const size_t all = text ? strlen(text) : 0, bytes = all <= WI_MESSAGE_MAX - sizeof m ? all : 0;
    memcpy(box, &m, sizeof m);
    if (bytes > 0)
        memcpy(box + sizeof m, text, bytes);
    ranks->send(box, sizeof m + bytes, 0);
    wi_row_free(row);
}

/* Reports ranks of this machine that are gone: rank 0 cannot see them from another machine. */
static void report_lost(const wi_ranks *ranks)
{
    for (uint32_t r = wi_ranks_watch_lost(); r != UINT32_MAX; r = wi_ranks_watch_lost()) {
        const message m = {.word = LOST, .n = r};
        ranks->send(&m, sizeof m, 0);
    }
}

/* Asks for as many runs as the workers want, until END comes. Returns how many ranks were lost. */
static uint32_t be_served(const weir_study *s, const wi_ranks *ranks, const weir_study_options *options,
                          char *box)
{
    wi_workers *workers = wi_workers_new(s, &wi_station_cores, options->jobs, options);
    message *const m = (message *)box;
    uint32_t asked = 0, lost = 0, from;
    bool ended = false, asked_none = false;
    while (!ended || (workers && wi_workers_has(workers) > 0)) {
        wi_job job;
        wi_row *row;
        const uint32_t has = workers ? wi_workers_wants(workers) : 0, want = has > asked ? has - asked : 0;
        if (!ended &&
            (want > 0 || (!workers && !asked_none))) { /* without a workers: 0, and the others do it all */
            *m = (message){.word = ASK, .n = want < JOBS_MAX ? want : JOBS_MAX};
            asked += m->n;
            ranks->send(m, sizeof *m, 0);
            asked_none = true;
        }
        if (ranks->take(box, &from) > 0) {
            if (m->word == GIVE)
                wi_workers_give(workers, m->jobs, m->n);
            ended |= m->word == END;
            lost = m->word == END ? m->n : lost;
            asked = 0;
        } else {
            report_lost(ranks);
            if (!workers || wi_workers_has(workers) == 0)
                pause_a_moment();
        }
        for (int ms = 1; workers && wi_workers_has(workers) > 0 && wi_workers_take(workers, ms, &job, &row);
             ms = 0)
            send_row(ranks, s, job, row, box);
    }
    wi_workers_free(workers);
    return lost;
}

void wi_run_on_ranks(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    const wi_ranks *ranks = s->ranks;
    WI_FREED char *box = malloc(WI_MESSAGE_MAX);
    weir_study_options own = *options;
    const uint32_t share = wi_cores_allowed() > ranks->on_this_machine ? ranks->on_this_machine : 1;
    if (own.jobs == 0)
        own.jobs = wi_jobs_at_once(s, options) / share ? wi_jobs_at_once(s, options) / share : 1;
    uint32_t lost = 0;
    wi_ranks_watch_forgive(1);
    if (box && ranks->rank == 0)
        lost = wi_office_run(s, &own, ranks, work, box);
    else if (box)
        lost = be_served(s, ranks, &own, box);
    wi_ranks_watch_forgive(0);
    if (lost > 0) {
        wi_ranks_watch_end();
        wi_ranks_break(lost);
    }
}

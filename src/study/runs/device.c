/*
 * Runs on a CUDA device, in the process that workers.c started: many at once (weir/batch.h), in waves of as many as it holds.
 *
 * A wave: sessions are built on all cores; their simulations are made as one batch and moved on together, each session
 * looking where it wants to; then they are finished, on all cores. What a batch cannot take (no device code, a hook, a
 * run too large for the device) the cores run, and a warning says how many and why. Rows are those of a run alone. Where the
 * device fails, the process ends: what was under way is in the slots of its board, for workers.c to make again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/each.h"
#include "scenario/session/session.h"
#include "study/runs/run.h"
#include "study/runs/station.h"
#include "study/runs/work.h"

enum {
    CHUNK = WI_ASK_MAX, /* runs that are prepared before a look at how full the wave is */
    SIZES = 64
};
static const double full = 0.9; /* of the device, as reckoned */

typedef struct member {
    wi_run run;
    weir_setup setup;
    double share; /* of the device */
    bool fits;    /* may be batched */
} member;

/* Runs of one size take the same share. */
typedef struct run_size {
    uint64_t world_bytes, entities;
    double share;
} run_size;

typedef struct device {
    const weir_study *s;
    const wi_station *station;
    member *members; /* [n]: prepared; while one is under way, it has the slot of its number */
    uint32_t n;
    size_t room;
    double share; /* of all members */
    run_size sizes[SIZES];
    uint32_t n_sizes;
} device;

/* ---- preparing ---- */

static weir_status open_session(const weir_study *s, wi_run *run, const volatile int *stop, weir_setup *setup)
{
    weir_run_options options;
    wi_run_options(s, run, stop, &options);
    return wi_session_build(run->diag, run->scenario, &options, true, &run->session)
               ?: wi_session_prepare(run->session, setup);
}

static void prepare(void *user, uint32_t i)
{
    device *d = user;
    member *m = &d->members[i];
    const wi_job job = m->run.job;
    wi_slot *const slot = wi_slot_begin(d->station, i, job);
    wi_run_begin(d->s, job, &m->run);
    if (m->run.status == WEIR_OK)
        m->run.status = open_session(d->s, &m->run, &d->station->board->stop, &m->setup);
    wi_slot_end(slot);
}

static const char *cannot(const weir_setup *setup)
{
    if (!setup->gpu)
        return "the model has no device code in this build";
    if (setup->hook || setup->observer)
        return "what changes on the way (failures, fluid, surrogates) is for a run alone";
    return NULL;
}

static uint64_t entities_of(const weir_setup *setup)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < setup->model->n_kinds; k++)
        n += setup->kind_count[k];
    return n;
}

/* The run's share of the device; above 1: it does not fit. Null: why. */
static double share_of(device *d, const weir_setup *setup, char *why, size_t why_size)
{
    const run_size of = {.world_bytes = setup->world_bytes, .entities = entities_of(setup)};
    for (uint32_t i = 0; i < d->n_sizes; i++)
        if (d->sizes[i].world_bytes == of.world_bytes && d->sizes[i].entities == of.entities)
            return d->sizes[i].share;
    weir_diag *own = weir_diag_new();
    uint32_t at_once = 0;
    const weir_status status = weir_batch_fit(own, setup, &d->s->batch, &at_once);
    const double share = status == WEIR_OK && at_once > 0 ? 1.0 / at_once : 2.0;
    if (share > 1.0)
        snprintf(why, why_size, "%s",
                 own && weir_diag_count(own) ? weir_diag_get(own, 0)->text : "a run does not fit the device");
    weir_diag_free(own);
    run_size *to = &d->sizes[d->n_sizes < SIZES ? d->n_sizes++ : SIZES - 1];
    *to = of;
    to->share = share;
    return share;
}

static void run_on_core(void *user, uint32_t i)
{
    device *d = user;
    member *m = &d->members[i];
    const wi_job job = m->run.job;
    wi_slot *const slot = wi_slot_begin(d->station, i, job);
    wi_run_drop(d->s, &m->run); /* begun for the device */
    wi_row *row = wi_run_job(d->s, job, NULL, &d->station->board->stop, NULL);
    wi_slot_end(slot);
    wi_station_done(d->station, job, row);
}

static void end_run(void *user, uint32_t i)
{
    device *d = user;
    member *m = &d->members[i];
    const wi_job job = m->run.job;
    wi_slot *const slot = wi_slot_begin(d->station, i, job);
    wi_row *row = wi_run_end(d->s, &m->run, &d->station->board->stop);
    wi_slot_end(slot);
    wi_station_done(d->station, job, row);
}

/* Members [0, n) are over. */
static void drop(device *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        d->share -= d->members[i].share;
    memmove(d->members, d->members + n, (d->n - n) * sizeof *d->members);
    d->n -= n;
}

static void to_the_cores(device *d, uint32_t from, uint32_t end, const char *why)
{
    wi_board *const board = d->station->board;
    if (board->to_cores == 0)
        snprintf(board->why_cores, sizeof board->why_cores, "%s", why);
    board->to_cores += end - from;
    wi_each(d->station->jobs, from, end, run_on_core, d);
}

/* Ends members from `from` on that failed, runs those that the device cannot take on the cores, and keeps the
 * others. */
static void sort_out(device *d, uint32_t from)
{
    WI_FREED member *others = malloc((d->n - from + 1) * sizeof *others);
    uint32_t n_others = 0, kept = from;
    char why[300] = "";
    for (uint32_t i = from; i < d->n; i++) {
        member m = d->members[i];
        const char *no = m.run.status == WEIR_OK ? cannot(&m.setup) : NULL;
        m.share = m.run.status != WEIR_OK || no ? 0.0 : share_of(d, &m.setup, why, sizeof why);
        m.fits = m.run.status == WEIR_OK && !no && m.share <= 1.0;
        if (no)
            snprintf(why, sizeof why, "%s", no);
        if (m.fits || !others) {
            d->share += m.share;
            d->members[kept++] = m;
        } else {
            others[n_others++] = m;
        }
    }
    /* Behind the others: end those that failed, and run the rest on the cores. */
    uint32_t failed = kept;
    for (uint32_t i = 0; i < n_others; i++)
        if (others[i].run.status != WEIR_OK)
            d->members[failed++] = others[i];
    uint32_t at = failed;
    for (uint32_t i = 0; i < n_others; i++)
        if (others[i].run.status == WEIR_OK)
            d->members[at++] = others[i];
    wi_each(d->station->jobs, kept, failed, end_run, d);
    if (at > failed)
        to_the_cores(d, failed, at, why);
    d->n = kept;
}

static bool make_room(device *d, uint32_t more)
{
    return wi_grow(&d->members, &d->room, (size_t)d->n + more, sizeof *d->members);
}

/* Take runs until the device is full or there are no more. */
static void fill(device *d)
{
    wi_job jobs[CHUNK];
    while (d->n < WI_WAVE_MAX && d->share < full && make_room(d, CHUNK)) {
        const uint32_t n = wi_station_ask(d->station, CHUNK, jobs);
        if (n == 0)
            return;
        const uint32_t from = d->n;
        for (uint32_t i = 0; i < n; i++)
            d->members[d->n++] = (member){.run.job = jobs[i]};
        wi_each(d->station->jobs, from, d->n, prepare, d);
        sort_out(d, from);
    }
}

/* ---- a wave ---- */

static bool alike(const weir_setup *a, const weir_setup *b)
{
    const weir_model *m = a->model, *o = b->model;
    return a->gpu == b->gpu && m->n_types == o->n_types && m->n_kinds == o->n_kinds &&
           m->n_pools == o->n_pools && m->record_bytes == o->record_bytes;
}

/* Members of the next wave come first: as many as fit, of those that are like the first. */
static uint32_t choose(device *d)
{
    double share = 0.0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        member *m = &d->members[i];
        if (n > 0 && (share + m->share > full || n == WI_WAVE_MAX || !alike(&m->setup, &d->members[0].setup)))
            continue;
        share += m->share;
        const member swap = *m;
        *m = d->members[n];
        d->members[n++] = swap;
    }
    return n;
}

/* Members [from, end) are under way together, or not any more. */
static void mark(const device *d, uint32_t from, uint32_t end, bool under_way)
{
    wi_slot *const slot = d->station->board->slot;
    const double now_s = wi_clock_s();
    for (uint32_t i = from; i < end; i++) {
        if (under_way)
            slot[i] = (wi_slot){.since_s = now_s, .job = d->members[i].run.job};
        slot[i].busy = under_way;
    }
}

static void keep_error(member *m, weir_status status, const char *message)
{
    m->run.status = status;
    m->run.error = strdup(message);
    for (char *c = m->run.error; c && *c; c++)
        *c = (unsigned char)*c < 0x20 ? ' ' : *c;
}

/* All sessions to their ends. */
static weir_status advance(device *d, weir_diag *diag, weir_batch *batch, uint32_t n, weir_time *until_ps)
{
    for (;;) {
        bool more = false;
        for (uint32_t i = 0; i < n; i++) {
            const member *m = &d->members[i];
            const weir_sim *sim = weir_batch_sim(batch, i);
            until_ps[i] = weir_sim_now(sim);
            if (m->run.status != WEIR_OK || weir_sim_now(sim) >= weir_session_end(m->run.session))
                continue;
            until_ps[i] = wi_session_stop_ps(m->run.session);
            more = true;
        }
        if (!more)
            return WEIR_OK;
        WI_RETURN_IF_FAILED(weir_batch_run(diag, batch, until_ps, &d->station->board->stop));
        for (uint32_t i = 0; i < n; i++) {
            member *m = &d->members[i];
            const char *message;
            const weir_status of = weir_batch_status(batch, i, &message);
            if (m->run.status != WEIR_OK)
                continue;
            if (of != WEIR_OK)
                keep_error(m, of, message);
            else
                m->run.status = wi_session_look(m->run.session);
        }
    }
}

static weir_status adopt(device *d, weir_batch *batch, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        d->members[i].run.status = wi_session_adopt(d->members[i].run.session, weir_batch_sim(batch, i));
    return WEIR_OK;
}

/* Fetches the states of all runs at once; then threads may read them. */
static void fetch(device *d, weir_diag *diag, weir_batch *batch, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (d->members[i].run.status == WEIR_OK) {
            (void)!weir_sim_fetch(diag, weir_batch_sim(batch, i)); /* each run says it again */
            return;
        }
}

static weir_status make_batch(device *d, weir_diag *diag, uint32_t n, weir_batch **out)
{
    WI_FREED weir_setup *setups = malloc(n * sizeof *setups);
    *out = NULL;
    if (!setups)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u runs", n);
    for (uint32_t i = 0; i < n; i++)
        setups[i] = d->members[i].setup;
    return weir_batch_new(diag, setups, n, &d->s->batch, out);
}

static const char *last_text(const weir_diag *diag, const char *otherwise)
{
    const size_t n = diag ? weir_diag_count(diag) : 0;
    return n ? weir_diag_get(diag, n - 1)->text : otherwise;
}

/* Makes a batch of the first *n members, or of as many as there is memory for. A single one that cannot be
 * made goes to the cores, unless the device failed. */
static weir_status begin_wave(device *d, weir_diag *diag, uint32_t *n, weir_batch **batch)
{
    weir_status status = make_batch(d, diag, *n, batch);
    while (status != WEIR_OK && status != WEIR_E_DEVICE && *n > 1) {
        mark(d, (*n + 1) / 2, *n, false);
        *n = (*n + 1) / 2; /* one run, or all together, take too much: a wave of one shows which */
        status = make_batch(d, diag, *n, batch);
    }
    if (status == WEIR_OK)
        return adopt(d, *batch, *n);
    if (status == WEIR_E_DEVICE)
        return status;
    to_the_cores(d, 0, *n, last_text(diag, "no memory"));
    drop(d, *n);
    return WEIR_OK;
}

static void end_wave(device *d, weir_status status, double from_s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        member *m = &d->members[i];
        m->run.wall_s = (wi_clock_s() - from_s) / n;
        if (status != WEIR_OK && m->run.status == WEIR_OK)
            m->run.status = WEIR_E_INTERRUPTED;
    }
    mark(d, 0, n, false);
    wi_each(d->station->jobs, 0, n, end_run, d);
    d->station->board->use = wi_common_used(d->s->shared);
    drop(d, n);
}

/* Drops the first n members; `given_up`: tells workers.c that they are not to be run again. */
static void abandon(device *d, uint32_t n, bool given_up)
{
    for (uint32_t i = 0; i < n; i++) {
        const wi_job job = d->members[i].run.job;
        wi_run_drop(d->s, &d->members[i].run);
        if (given_up)
            wi_station_done(d->station, job, NULL);
    }
    drop(d, n);
}

/* Runs the first n members. WEIR_E_INTERRUPTED: stopped; other errors are the device's, and the members stay
 * in their slots. */
static weir_status run_wave(device *d, uint32_t n)
{
    weir_diag *diag = weir_diag_new();
    weir_batch *batch = NULL;
    WI_FREED weir_time *until_ps = malloc(n * sizeof *until_ps);
    wi_board *const board = d->station->board;
    const double from_s = wi_clock_s();
    board->wave = board->wave ? board->wave : n;
    mark(d, 0, n, true);
    weir_status status = diag && until_ps ? begin_wave(d, diag, &n, &batch) : WEIR_E_NOMEM;
    if (batch && status == WEIR_OK)
        status = advance(d, diag, batch, n, until_ps);
    if (batch && status == WEIR_OK)
        fetch(d, diag, batch, n);
    if (batch && (status == WEIR_OK || status == WEIR_E_INTERRUPTED)) {
        end_wave(d, status, from_s, n);
    } else if (status != WEIR_OK) {
        snprintf(board->fault, sizeof board->fault, "%s", last_text(diag, "no memory for a wave of runs"));
        board->status = status;
        abandon(d, n, false);
    }
    weir_batch_free(batch);
    weir_diag_free(diag);
    return status;
}

static void serve(const wi_station *station)
{
    device d = {.s = station->s, .station = station};
    char text[240];
    weir_status status = WEIR_OK;
    if (!weir_gpu_describe(d.s->batch.device, text, sizeof text)) {
        snprintf(station->board->fault, sizeof station->board->fault, "CUDA device %d: %s", d.s->batch.device,
                 text);
        station->board->status = WEIR_E_DEVICE;
        return;
    }
    for (fill(&d); status == WEIR_OK && d.n > 0;) {
        status = run_wave(&d, choose(&d));
        if (status == WEIR_OK)
            fill(&d);
    }
    abandon(&d, d.n, status == WEIR_E_INTERRUPTED);
    free(d.members);
}

/* Slots for one wave, and for the runs that are prepared when it is nearly full. */
const wi_station_kind wi_station_device = {.serve = serve, .slots = WI_WAVE_MAX + CHUNK, .asks = true};

uint32_t wi_device_holds(const weir_study *s, uint32_t point, char *why, size_t size)
{
    device d = {.s = s};
    wi_run run;
    weir_setup setup;
    double share = 2.0;
    wi_run_begin(s, (wi_job){point, 0}, &run);
    if (run.status == WEIR_OK)
        run.status = open_session(s, &run, NULL, &setup);
    const char *no = run.status == WEIR_OK ? cannot(&setup) : "the run cannot be opened";
    if (no)
        snprintf(why, size, "%s", no);
    else
        share = share_of(&d, &setup, why, size);
    wi_run_drop(s, &run);
    return share <= 1.0 ? (uint32_t)(1.0 / share) : 0;
}

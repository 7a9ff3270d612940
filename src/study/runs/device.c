/*
 * The executor of one CUDA device: many runs at once (weir/batch.h), in waves of as many as it holds.
 *
 * A wave: sessions are built on all cores; their simulations are made as one batch and moved on together, each session
 * looking where it wants to; then they are finished, on all cores. What a batch cannot take (no device code, a hook, a
 * run too large for the device) the cores run, and a warning says how many and why. Rows are those of a run alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/each.h"
#include "scenario/session/session.h"
#include "study/runs/run.h"
#include "study/runs/work.h"

enum {
    CHUNK = 256, /* runs that are prepared before a look at how full the wave is */
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
    const weir_study_options *options;
    wi_work *work;
    member *members; /* [n]: prepared */
    uint32_t n, room, jobs;
    double share; /* of all members */
    run_size sizes[SIZES];
    uint32_t n_sizes;
    uint32_t wave, others; /* waves begun; runs that the cores took */
    char why[300];         /* the first of these */
    bool said;
} device;

/* ---- preparing ---- */

static weir_status open_session(const weir_study *s, wi_run *run, const volatile int *stop, weir_setup *setup)
{
    weir_run_options options;
    wi_run_options(s, run, stop, &options);
    weir_status status = wi_session_build(run->diag, run->scenario, &options, true, &run->session);
    return status == WEIR_OK ? wi_session_prepare(run->session, setup) : status;
}

static void prepare(void *user, uint32_t i)
{
    device *d = user;
    member *m = &d->members[i];
    const wi_job job = m->run.job;
    wi_run_begin(d->s, job, &m->run);
    if (m->run.status == WEIR_OK)
        m->run.status = open_session(d->s, &m->run, d->options->stop, &m->setup);
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
    weir_session_close(m->run.session); /* begun for the device */
    m->run.session = NULL;
    m->run.status = WEIR_E_INTERRUPTED;
    wi_row_free(wi_run_end(d->s, &m->run, NULL));
    wi_work_done(d->work, job, wi_run_job(d->s, job, NULL, d->options->stop, NULL));
}

static void end_run(void *user, uint32_t i)
{
    device *d = user;
    member *m = &d->members[i];
    const wi_job job = m->run.job;
    wi_work_done(d->work, job, wi_run_end(d->s, &m->run, d->options->stop));
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
    if (d->others == 0)
        snprintf(d->why, sizeof d->why, "%s", why);
    d->others += end - from;
    wi_each(d->jobs, from, end, run_on_core, d);
}

/* Of the members from `from` on: those that failed and those for the cores go, the others stay. */
static void sort_out(device *d, uint32_t from)
{
    member *others = malloc((d->n - from + 1) * sizeof *others);
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
    wi_each(d->jobs, kept, failed, end_run, d);
    if (at > failed)
        to_the_cores(d, failed, at, why);
    d->n = kept;
    free(others);
}

static bool make_room(device *d, uint32_t more)
{
    if (d->n + more > d->room) {
        member *grown = realloc(d->members, (d->n + more) * sizeof *grown);
        if (!grown)
            return false;
        d->members = grown;
        d->room = d->n + more;
    }
    return true;
}

/* Take runs until the device is full or there are no more. */
static void fill(device *d)
{
    wi_job jobs[CHUNK];
    while (d->n < WI_WAVE_MAX && d->share < full && make_room(d, CHUNK)) {
        bool more;
        const size_t n =
            d->n ? wi_work_poll(d->work, CHUNK, jobs, &more) : wi_work_take(d->work, CHUNK, jobs);
        if (n == 0)
            return;
        const uint32_t from = d->n;
        for (size_t i = 0; i < n; i++)
            d->members[d->n++] = (member){.run.job = jobs[i]};
        wi_each(d->jobs, from, d->n, prepare, d);
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

static void say(device *d, uint32_t n)
{
    char text[400], name[200];
    uint64_t left = 0;
    if (d->said || !d->options->say)
        return;
    d->said = true;
    for (uint32_t i = 0; i < d->s->n_points; i++)
        left += d->s->points[i].want > d->s->points[i].done ? d->s->points[i].want - d->s->points[i].done : 0;
    if (d->options->shards > 1)
        left /= d->options->shards;
    weir_gpu_describe(d->s->batch.device, name, sizeof name);
    if (left > n)
        snprintf(text, sizeof text, "%.120s: %llu runs, about %llu waves of %u", name,
                 (unsigned long long)left, (unsigned long long)((left + n - 1) / n), n);
    else
        snprintf(text, sizeof text, "%.120s: %u runs at once", name, n);
    d->options->say(d->options->user, text);
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
        const weir_status status = weir_batch_run(diag, batch, until_ps, d->options->stop);
        if (status != WEIR_OK)
            return status;
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

/* The states of all runs come at once; after it threads may read them. */
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
    weir_setup *setups = malloc(n * sizeof *setups);
    *out = NULL;
    if (!setups)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u runs", n);
    for (uint32_t i = 0; i < n; i++)
        setups[i] = d->members[i].setup;
    const weir_status status = weir_batch_new(diag, setups, n, &d->s->batch, out);
    free(setups);
    return status;
}

/* The first n members. False: there is nothing to go on with. */
static bool run_wave(device *d, uint32_t n)
{
    weir_diag *diag = weir_diag_new();
    weir_batch *batch = NULL;
    weir_time *until_ps = malloc(n * sizeof *until_ps);
    const double from_s = wi_clock_s();
    weir_status status = diag && until_ps ? make_batch(d, diag, n, &batch) : WEIR_E_NOMEM;
    while (status != WEIR_OK && status != WEIR_E_DEVICE && n > 1 && until_ps) {
        n = (n + 1) / 2; /* one of them, or all together, are too much: the fault shows in a wave of one */
        status = make_batch(d, diag, n, &batch);
    }
    if (status == WEIR_OK)
        status = adopt(d, batch, n);
    else if (status != WEIR_E_DEVICE) {
        const size_t said = diag ? weir_diag_count(diag) : 0;
        to_the_cores(d, 0, n, said ? weir_diag_get(diag, said - 1)->text : "no memory");
        drop(d, n);
    }
    if (batch) {
        status = advance(d, diag, batch, n, until_ps);
        if (status == WEIR_OK)
            fetch(d, diag, batch, n);
        for (uint32_t i = 0; i < n; i++) {
            member *m = &d->members[i];
            m->run.wall_s = (wi_clock_s() - from_s) / n;
            if (status != WEIR_OK && m->run.status == WEIR_OK)
                m->run.status = WEIR_E_INTERRUPTED;
        }
        wi_each(d->jobs, 0, n, end_run, d);
        drop(d, n);
    }
    weir_batch_free(batch);
    if (status == WEIR_E_DEVICE || (batch && status != WEIR_OK && status != WEIR_E_INTERRUPTED)) {
        const size_t said = weir_diag_count(diag);
        wi_work_fail(d->work, status, said ? weir_diag_get(diag, said - 1)->text : "the device failed");
    }
    weir_diag_free(diag);
    free(until_ps);
    return status != WEIR_E_DEVICE && status != WEIR_E_INTERRUPTED;
}

static void give_up(device *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        d->members[i].run.status = WEIR_E_INTERRUPTED;
    wi_each(d->jobs, 0, d->n, end_run, d);
    drop(d, d->n);
}

static void run(const weir_study *s, const weir_study_options *options, wi_work *work)
{
    device d = {.s = s, .options = options, .work = work, .jobs = wi_jobs_at_once(s, options)};
    bool going = true;
    for (fill(&d); going && d.n > 0; fill(&d)) {
        const uint32_t n = choose(&d);
        say(&d, n);
        going = run_wave(&d, n);
    }
    give_up(&d);
    if (d.others > 0)
        weir_warn(s->diag, "%u runs went to the cores: %s", d.others, d.why);
    free(d.members);
}

const wi_executor wi_executor_device = {.name = "device", .run = run};

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
    run.status = WEIR_E_INTERRUPTED;
    wi_row_free(wi_run_end(s, &run, NULL));
    return share <= 1.0 ? (uint32_t)(1.0 / share) : 0;
}

/* Interconnects as a scenario's subject. */
#include "scenario/subjects/interconnect/interconnect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/core/lists.h"
#include "output/csv.h"

typedef struct ic_subject {
    wi_lists lists; /* first, as wi_lists_put has it */
    weir_diag *diag;
    const ic_asked *asked;
    wi_ic_job_files *files; /* [n_jobs] */
    wi_ic *ic;
    wi_ic_bypass bypass;
    wi_director *director;
    bool resumed; /* a checkpoint's surrogate is in the world already */
    wi_ic_results results;
} ic_subject;

/* The parameters but for the jobs; a dragonfly whose section is not given has the defaults of its keys. */
static ic_params params_of(const weir_scenario *scenario, const ic_asked *a)
{
    ic_params p = a->params;
    p.seed = scenario->seed;
    p.run = scenario->run;
    p.where = a->where;
    p.surrogate = wi_ic_has_surrogate(a);
    if (p.wiring != IC_TORUS && !a->dragonfly_place.file) {
        p.p = 2;
        p.a = 4;
        p.h = 2;
        p.groups = 0;
    }
    return p;
}

/* A buffer that is full before the credits of its first chunk are back holds the channel up, however fast that is.
 * They go back when all of its burst has left, or all of a batch; a terminal's when there is room for a packet. */
static void warn_of_short_buffers(weir_diag *diag, const ic_asked *a, const ic_world *w)
{
    static const char *const names[IC_CLASSES] = {"terminal", "local", "global"};
    for (uint32_t i = 0; i < IC_CLASSES; i++) {
        const ic_class *const c = &w->class_[i];
        const double burst = i == IC_TERMINAL ? w->packet_chunks : fmin(w->burst, w->packet_chunks);
        const double way_ps = (double)(c->arrive_ps + c->credit_ps), chunk_ps = (double)c->chunk_ps,
                     together = fmax(c->batch, burst),
                     share = c->buffer * chunk_ps / (way_ps + together * chunk_ps),
                     batch = fmax(a->params.batch ? a->params.batch : 16, burst); /* of a large buffer */
        if (c->vcs > 0 && share < 1.0)
            weir_warn_at(
                diag, WEIR_AT(a->where[IC_AT_TERMINAL + i]),
                "interconnect: a virtual channel carries at most %.3g %% of the %s rate: its buffer is "
                "full before credits come back; one of %.0f bytes would not be",
                100.0 * share, names[i], (ceil(way_ps / chunk_ps) + batch) * a->params.chunk_bytes);
    }
}

/* A chunk takes whole picoseconds. */
static void warn_of_short_chunks(weir_diag *diag, const ic_asked *a, const ic_world *w)
{
    static const char *const names[IC_CLASSES] = {"terminal", "local", "global"};
    const uint64_t rates[IC_CLASSES] = {a->params.terminal.rate_bps, a->params.local.rate_bps,
                                        a->params.global.rate_bps};
    for (uint32_t i = 0; i < IC_CLASSES; i++) {
        const ic_class *const c = &w->class_[i];
        const double exact_ps = 8e12 * a->params.chunk_bytes / (double)rates[i];
        if (c->vcs > 0 && fabs((double)c->chunk_ps / exact_ps - 1.0) > 1e-3)
            weir_warn_at(
                diag, WEIR_AT(a->where[IC_AT_TERMINAL + i]),
                "interconnect: a chunk of %u bytes at the %s rate takes %.4g ps, in whole ps %lld; want a "
                "larger chunk",
                a->params.chunk_bytes, names[i], exact_ps, (long long)c->chunk_ps);
    }
}

static void warn_if_late(weir_diag *diag, const weir_scenario *scenario, const ic_job *job)
{
    size_t late = 0;
    for (size_t i = 0; i < job->n_plan; i++)
        late += job->plan[i].time_ps >= scenario->duration_ps;
    if (job->start_ps >= scenario->duration_ps)
        weir_warn_at(diag, WEIR_AT(job->place), "job '%s' starts when the run is over, so it sends nothing",
                     job->name);
    else if (late > 0)
        weir_warn_at(diag, WEIR_AT(job->place),
                     "job '%s': %zu of %zu messages of %s are due when the run is over", job->name, late,
                     job->n_plan, job->plan_file);
}

static weir_status make(weir_diag *diag, const weir_scenario *scenario, ic_subject *s)
{
    const ic_asked *a = s->asked;
    ic_params p = params_of(scenario, a);
    ic_job *jobs = calloc(a->n_jobs + 1, sizeof *jobs);
    wi_ic_job_files *files = calloc(a->n_jobs + 1, sizeof *files);
    weir_status status = WEIR_OK;
    s->results.files = s->files = files;
    if (!jobs || !files)
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory for interconnect");
    for (size_t i = 0; i < a->n_jobs && status == WEIR_OK; i++)
        if ((status = wi_ic_job_of(diag, &a->jobs[i], &jobs[i], &files[i])) == WEIR_OK)
            warn_if_late(diag, scenario, &jobs[i]);
    p.jobs = jobs;
    p.n_jobs = (uint32_t)a->n_jobs;
    if (status == WEIR_OK)
        status = wi_ic_new(diag, &p, &s->ic);
    if (status == WEIR_OK) {
        warn_of_short_buffers(diag, a, wi_ic_world(s->ic));
        warn_of_short_chunks(diag, a, wi_ic_world(s->ic));
    }
    for (size_t i = 0; files && i < a->n_jobs; i++)
        wi_ic_job_built(&files[i]);
    free(jobs);
    return status == WEIR_E_ARG ? WEIR_E_SCENARIO : status;
}

/* When a job next begins or ends by its keys, after a time. */
static weir_time next_change(const void *asked, weir_time after_ps)
{
    const ic_asked *a = asked;
    weir_time next_ps = WEIR_TIME_MAX;
    for (size_t i = 0; i < a->n_jobs; i++) {
        const weir_time at[] = {a->jobs[i].job.start_ps, a->jobs[i].job.stop_ps};
        for (size_t k = 0; k < 2; k++)
            next_ps = at[k] > after_ps && at[k] < next_ps ? at[k] : next_ps;
    }
    return next_ps;
}

static weir_status make_director(weir_diag *diag, ic_subject *s)
{
    const ic_asked *a = s->asked;
    wi_director_params how = a->director;
    how.mode = (wi_surrogate_mode)a->mode;
    how.periods = how.n_periods ? how.periods : NULL;
    how.next_change = next_change;
    how.traffic = a;
    if (how.longest_ps < 0)
        how.longest_ps = WEIR_TIME_MAX;
    const wi_director_model model = wi_ic_bypass_model(&s->bypass);
    wi_director_free(s->director);
    const weir_status status = wi_director_new(diag, &how, &model, &s->director);
    s->results.director = s->director;
    return status == WEIR_E_ARG ? WEIR_E_SCENARIO : status;
}

static weir_status check_periods(weir_diag *diag, const weir_scenario *scenario, const ic_asked *a)
{
    const wi_period *const periods = a->director.periods;
    for (size_t i = 0; i < a->director.n_periods; i++)
        if (periods[i].until_ps > scenario->duration_ps)
            return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(periods[i].place),
                                "surrogate period %zu lasts until %.9f s, beyond the end of the run", i + 1,
                                weir_seconds(periods[i].until_ps));
    return WEIR_OK;
}

/* Metrics and tables tell jobs by their names. */
static weir_status check_names(weir_diag *diag, const ic_asked *a)
{
    for (size_t i = 1; i < a->n_jobs; i++)
        for (size_t k = 0; k < i; k++) {
            const ic_job *const job = &a->jobs[i].job, *const first = &a->jobs[k].job;
            if (strcmp(job->name, first->name) == 0)
                return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(job->place),
                                    "a second job of the name '%s'; the first is in line %d", job->name,
                                    first->place.line);
        }
    return WEIR_OK;
}

static weir_status build(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario, void *made)
{
    (void)self;
    ic_subject *s = made;
    s->diag = diag;
    s->asked = s->results.asked = wi_model_params(scenario);
    weir_status status = check_names(diag, s->asked) ?: check_periods(diag, scenario, s->asked);
    status = status ?: make(diag, scenario, s);
    s->results.ic = s->ic;
    if (status == WEIR_OK && wi_ic_has_surrogate(s->asked))
        status = make_director(diag, s);
    return status;
}

static void release(void *made)
{
    ic_subject *s = made;
    wi_ic_results_end(&s->results);
    for (size_t i = 0; s->files && i < s->asked->n_jobs; i++)
        wi_ic_job_free(&s->files[i]);
    free(s->files);
    wi_ic_bypass_free(&s->bypass);
    wi_director_free(s->director);
    wi_ic_free(s->ic);
}

static weir_time direct(void *user, weir_time now_ps)
{
    ic_subject *s = user;
    weir_time next_ps = WEIR_TIME_MAX;
    const weir_status status = wi_director_call(s->diag, s->director, now_ps, &next_ps);
    return status == WEIR_OK ? next_ps : now_ps; /* which ends the run */
}

static uint64_t digest_director(void *user)
{
    return wi_director_digest(((const ic_subject *)user)->director);
}

static void set_up(void *made, weir_setup *setup)
{
    ic_subject *s = made;
    wi_ic_setup(s->ic, setup);
    setup->user = s;
    s->lists = (wi_lists){0};
    if (s->director) {
        wi_add_hook(&s->lists, direct, s, wi_director_first(s->director), true);
        wi_add_outside(&s->lists, digest_director, s);
    }
    wi_lists_put(&s->lists, setup);
}

static weir_status estimate(const wi_subject *self, weir_diag *diag, const weir_scenario *scenario,
                            const void *made, weir_estimate *out)
{
    (void)self;
    const ic_subject *s = made;
    const ic_world *w = wi_ic_world(s->ic);
    weir_setup setup;
    (void)diag, (void)scenario;
    wi_ic_setup(s->ic, &setup);
    const uint64_t runs = setup.pool_first[IC_POOL_RUNS][w->n_routers];
    const uint64_t programs = setup.pool_first[IC_POOL_RANKS][w->n_terminals] * sizeof(ic_rank) +
                              setup.pool_first[IC_POOL_REQUESTS][w->n_terminals] * sizeof(ic_request) +
                              setup.pool_first[IC_POOL_INBOX][w->n_terminals] * sizeof(ic_inbox);
    out->entities = (uint64_t)w->n_terminals + w->n_routers;
    out->memory_bytes = setup.world_bytes + w->n_terminals * sizeof(ic_terminal) +
                        (uint64_t)w->n_routers * w->at.bytes + runs * sizeof(ic_run) + programs +
                        (setup.n_counters + (w->row ? ic_pair_classes(w) * w->pair : 0)) * sizeof(int64_t) +
                        out->entities * (sizeof(weir_entity) + 2 * sizeof(weir_time));
    return WEIR_OK;
}

static weir_status save(void *made, wi_subject_run *run, wi_archiver *k, bool attached)
{
    ic_subject *s = made;
    const wi_ic_results *r = &s->results;
    (void)run;
    if (!attached) {
        wi_archive(k, r->warm, r->n_counters * sizeof *r->warm);
        wi_archive(k, r->last, r->n_counters * sizeof *r->last);
    }
    if (s->director && attached) {
        wi_director_archive(s->director, k);
        wi_ic_bypass_archive(&s->bypass, k);
    } else if (s->director) {
        wi_ic_bypass_archive_world(s->ic, k);
        s->resumed = s->resumed || wi_archiver_reads(k);
    }
    return wi_archiver_status(k);
}

/* A simulation begins without a stretch of the surrogate, unless a checkpoint was read. */
static weir_status start(ic_subject *s, const wi_subject_run *run)
{
    if (!s->director)
        return WEIR_OK;
    ic_world *w = wi_ic_world_at_stop(s->ic);
    if (!s->resumed) {
        w->surrogate = 0;
        w->until_ps = w->still_ps = 0;
    }
    s->resumed = false;
    w->warm_ps = run->scenario->output.warmup_ps;
    w->end_ps = run->scenario->duration_ps;
    wi_ic_bypass_free(&s->bypass);
    return wi_ic_bypass_init(run->diag, &s->bypass, s->ic, (weir_sim *)(uintptr_t)run->sim)
               ?: make_director(run->diag, s);
}

/* Chunks over links, which are what a packet's hop is elsewhere. */
static uint64_t packet_hops(const ic_subject *s, const weir_sim *sim)
{
    const ic_world *w = wi_ic_world(s->ic);
    uint64_t hops = 0;
    for (uint32_t r = 0; r < w->n_routers; r++)
        hops += ((const ic_router *)weir_sim_state(sim, w->n_terminals + r))->hops;
    return hops;
}

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    ic_subject *s = made;
    switch (moment) {
    case WI_AT_OPEN:
        return wi_ic_results_open(&s->results, run);
    case WI_AT_START:
        return start(s, run);
    case WI_AT_SAMPLE:
        return wi_ic_results_sample(&s->results, run);
    case WI_AT_WARM:
        wi_ic_results_warm(&s->results, run);
        return WEIR_OK;
    default:
        wi_ic_results_look(&s->results, run);
        run->packet_hops = packet_hops(s, run->sim);
        return WEIR_OK;
    }
}

static weir_status check(void *made, const wi_subject_run *run)
{
    ic_subject *s = made;
    wi_ic_results *r = &s->results;
    weir_status status = wi_ic_check(run->diag, s->ic, run->sim);
    if (status == WEIR_OK && s->director)
        status = wi_director_end(run->diag, s->director, weir_sim_now(run->sim));
    free(r->stuck);
    r->stuck = NULL;
    return status ?: wi_ic_find_stuck(run->diag, s->ic, run->sim, &r->stuck, &r->n_stuck);
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    wi_ic_results *r = &((ic_subject *)made)->results;
    if (purpose == WI_FOR_SUMMARY)
        wi_ic_results_summarise(r, run, into);
    if (purpose != WI_FOR_FILES)
        return WEIR_OK;
    const weir_status status =
        run->to.folder ? wi_csv_write(run->diag, run->to.folder, wi_ic_tables, r) : WEIR_OK;
    run->late = wi_ic_programs_deadlock(r, run->diag);
    return status;
}

static const wi_line lines[] = {
    {"  network       {terminals} terminals, {routers} routers, {packets} packets"},
    {"  throughput    {throughput_Bps}, {throughput_share:%} of what terminals can take"},
    {"  latency       {latency.mean_s} mean, {latency.p50_s} p50, {latency.p99_s} p99"},
    {"  paths         {hops_mean:.2} routers a packet, {non_minimal_share:%} not minimal"},
    {.list = "jobs",
     .needs = "program",
     .text = "  {name:-13} {program.ranks_ended} of {ranks} ranks ended, {program.iteration_mean_s} an "
             "iteration, "
             "{program.message_latency.mean_s} a message"},
    {.list = "jobs",
     .needs = "program.deadlock",
     .text = "  {name:-13} {program.ranks_deadlocked} ranks in a deadlock"},
    {.needs = "surrogate",
     .text = "  surrogate     {surrogate.time_s} round the network, {surrogate.packets_predicted} packets, "
             "{surrogate.switches} switches"},
};
static const char *const usual[] = {"interconnect.latency.mean_s", "interconnect.latency.p99_s",
                                    "interconnect.throughput_Bps", NULL};

const wi_subject wi_subject_interconnect = WI_SUBJECT(
    NULL, ic_subject, WI_READS_SOME,
    WI_SECTION(
        "interconnect", wi_ic_keys, ic_asked,
        .doc = "A dragonfly, fat-tree or torus of routers with virtual channels and credits, and jobs on its "
               "terminals. See [interconnects.md](interconnects.md).",
        .place_offset = offsetof(ic_asked, place), .hides = wi_ic_hides, .check = wi_ic_check_keys),
    .sample = sample, .save = save, .series = &wi_ic_series, .results = wi_ic_tables, .usual = usual,
    WI_LINES(lines));

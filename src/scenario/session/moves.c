/* Where a run goes on, found while it runs; see moves.h. */
#include "scenario/session/moves.h"

#include <string.h>

#include "base/clock.h"
#include "output/json.h"
#include "ranks/cores.h"
#include "scenario/session/session.h"
#include "weir/ranks.h"

/* A measurement, a trial's shortest and its longest time, and what comes before it, in seconds of the wall's clock. */
static const double measure_s = 0.1, trial_least_s = 0.02, warm_s = 0.005;
/* Rates by which a place wins, is given up before its time is over, and has drifted. */
static const double wins = 1.1, hopeless = 0.5, drifts = 2.0;
/* All trials together take at most this share of the time, but for one of each place. */
static const double share = 0.03;

/* ---- places ---- */

static void add_place(wi_moves *m, weir_engine engine, uint32_t threads, int device)
{
    m->place[m->n++] = (wi_run_place){.to = {engine, threads, device}};
}

void wi_moves_begin(weir_session *s)
{
    enum { MANY = 8, PART = 4 };
    wi_moves *const m = &s->moves;
    const uint32_t asked = s->scenario->engine.threads,
                   allowed = s->options.cores ? s->options.cores : wi_cores_allowed();
    const uint32_t cores = asked && asked < allowed ? asked : allowed;
    const uint32_t most = wi_sim_most_threads(s->sim), n = cores < most ? cores : most;
    *m = (wi_moves){.decided_s = s->wall_s, .since_ps = weir_sim_now(s->sim)};
    m->may =
        s->scenario->engine.type == WEIR_SC_ENGINE_AUTO && weir_ranks() == 1 && !wi_session_is_observed(s);
    m->looked_for_device = asked > 0;
    m->since_s = s->wall_s;
    m->since_events = weir_sim_events(s->sim);
    add_place(m, WEIR_ENGINE_SEQUENTIAL, 1, 0);
    if (n > 1)
        add_place(m, WEIR_ENGINE_CONSERVATIVE, n, 0);
    if (n >= MANY)
        add_place(m, WEIR_ENGINE_CONSERVATIVE, n / PART, 0);
}

/* Whether the scenario could have asked for a device. */
static bool fits_device(const weir_session *s)
{
    weir_scenario asked = *s->scenario, *read = NULL;
    WI_FREED char *text = NULL;
    size_t size = 0;
    weir_diag *const quiet = weir_diag_new();
    FILE *const out = open_memstream(&text, &size);
    asked.engine.type = WEIR_SC_ENGINE_GPU;
    weir_status status = out && quiet ? weir_scenario_write(quiet, &asked, out) : WEIR_E_NOMEM;
    if (out && fclose(out) != 0)
        status = WEIR_E_NOMEM;
    status = status ?: weir_scenario_parse(quiet, "scenario", text, size, ".", NULL, 0, &read);
    status = status ?: wi_engine_check_choice(quiet, read);
    weir_scenario_free(read);
    weir_diag_free(quiet);
    return status == WEIR_OK;
}

/* A device is looked for once, and late: that alone takes longer than small runs do. */
static void look_for_device(weir_session *s)
{
    wi_moves *const m = &s->moves;
    char text[200];
    m->looked_for_device = true;
    if (!s->options.cpu_only && wi_sim_fits_device(s->sim) && fits_device(s) &&
        weir_gpu_describe((int)s->scenario->engine.device, text, sizeof text))
        add_place(m, WEIR_ENGINE_GPU, 0, (int)s->scenario->engine.device);
}

/* ---- what is left, and what a trial takes ---- */

/* Seconds that the rest of the run takes where it is. A run that ends when all is done goes on as long as it did, at a guess. */
static double left_s(const weir_session *s)
{
    const wi_moves *const m = &s->moves;
    const weir_time now_ps = weir_sim_now(s->sim), done_ps = now_ps - m->since_ps;
    const double took_s = s->wall_s - m->since_s;
    if (done_ps <= 0)
        return 0.0;
    const double by_time_s = (double)(s->scenario->duration_ps - now_ps) / (double)done_ps * took_s;
    return s->scenario->until_done && s->wall_s < by_time_s ? s->wall_s : by_time_s;
}

/* Seconds that moving there and back, and being slow there, may cost; pending events go with entities. */
static double cost_s(const weir_session *s, const wi_run_place *p)
{
    const double device_s = 0.5, threads_s = 0.03, entity_s = 1.5e-6;
    return (p->to.engine == WEIR_ENGINE_GPU ? device_s : threads_s) + entity_s * weir_sim_entities(s->sim);
}

/* Whether what is left would pay for a trial: three times over, where the place is as fast as one may hope. */
static bool pays(const weir_session *s, const wi_run_place *p)
{
    const double hope = p->to.engine == WEIR_ENGINE_SEQUENTIAL ? 0.2 : p->to.threads == 2 ? 0.4 : 0.6;
    return left_s(s) * hope > 3.0 * cost_s(s, p);
}

/* ---- moving ---- */

static void measure_anew(weir_session *s)
{
    wi_moves *const m = &s->moves;
    m->since_s = s->wall_s;
    m->since_ps = weir_sim_now(s->sim);
    m->since_events = weir_sim_events(s->sim);
}

/* A place that cannot be is none any more; the run goes on with one core then. If memory ran short in between, the next
 * weir_sim_run says that it cannot. */
static void move_to(weir_session *s, unsigned place)
{
    wi_moves *const m = &s->moves;
    weir_diag *const quiet = weir_diag_new();
    const double from_s = wi_clock_s();
    const weir_status status = wi_sim_move(quiet, s->sim, &m->place[place].to);
    weir_diag_free(quiet);
    s->wall_s += wi_clock_s() - from_s;
    m->at = place;
    if (status != WEIR_OK) {
        m->at = 0;
        m->place[place] = m->place[--m->n];
        m->home = m->home == place ? 0 : m->home == m->n ? place : m->home;
    }
}

static void try_place(weir_session *s, unsigned place)
{
    wi_moves *const m = &s->moves;
    m->home = m->at;
    m->warm = false;
    m->trial_s = s->wall_s;
    move_to(s, place);
    measure_anew(s);
}

/* The trial is over: stay, or go back. */
static void decide(weir_session *s, double rate)
{
    wi_moves *const m = &s->moves;
    wi_run_place *const here = &m->place[m->at], *const home = &m->place[m->home];
    const uint64_t handled = weir_sim_events(s->sim) - m->since_events;
    here->rate = rate;
    m->settled = 0.0;
    if (rate > wins * home->rate) {
        if (m->n_kept < WI_MOVES_KEPT)
            m->kept[m->n_kept++] = (wi_moved){m->since_ps, s->wall_s, *home, *here};
        m->home = m->at;
    } else {
        const double home_rate = home->rate;
        move_to(s, m->home);
        m->lost_s += s->wall_s - m->trial_s - (double)handled / home_rate;
    }
    m->decided_s = s->wall_s;
    measure_anew(s);
}

/* The next place to try: one that was not, cores before a device unless entities are so many that they hide its latencies; else
 * the others in turn when the trials so far have become cheap. */
static int next_place(weir_session *s)
{
    enum { DEVICE_FIRST = 65536 };
    wi_moves *const m = &s->moves;
    const double device_from_s = 2.0;
    const bool many = weir_sim_entities(s->sim) >= DEVICE_FIRST;
    if (!m->looked_for_device && left_s(s) > device_from_s)
        look_for_device(s);
    for (unsigned i = 0; i < m->n; i++) {
        const unsigned place = many ? (m->n - 1 + i) % m->n : i; /* a device is the last */
        if (place != m->at && m->place[place].rate <= 0.0 && pays(s, &m->place[place]))
            return (int)place;
    }
    if (s->wall_s < m->decided_s + 1.0 || m->lost_s > share * s->wall_s)
        return -1;
    for (unsigned i = 1; i < m->n; i++) {
        const unsigned place = (m->at + i) % m->n;
        if (pays(s, &m->place[place]))
            return (int)place;
    }
    return -1;
}

/* What was measured where the run is at home; drifted, it forgets what it measured elsewhere. */
static void keep_rate(wi_moves *m, double rate)
{
    const bool drifted = m->settled > 0.0 && (rate > drifts * m->settled || rate * drifts < m->settled);
    for (unsigned i = 0; i < m->n && drifted; i++)
        m->place[i].rate = 0.0;
    if (m->settled <= 0.0 || drifted)
        m->settled = rate;
    m->place[m->at].rate = rate;
}

/* True: a trial begins. */
static bool look_at_home(weir_session *s, double rate)
{
    keep_rate(&s->moves, rate);
    const int place = next_place(s);
    if (place >= 0)
        try_place(s, (unsigned)place);
    else
        measure_anew(s);
    return place >= 0;
}

static void look_at_trial(weir_session *s, double rate, double took_s)
{
    wi_moves *const m = &s->moves;
    /* A device also chooses its LP size meanwhile. */
    const double longer = m->place[m->at].to.engine == WEIR_ENGINE_GPU ? 4.0 : 1.0;
    if (!m->warm && took_s >= longer * warm_s) {
        m->warm = true;
        measure_anew(s);
        return;
    }
    const bool lost = took_s >= trial_least_s && rate < hopeless * m->place[m->home].rate;
    if (lost || took_s >= longer * measure_s)
        decide(s, rate);
}

bool wi_moves_look(weir_session *s)
{
    wi_moves *const m = &s->moves;
    const double took_s = s->wall_s - m->since_s;
    const double rate = took_s > 0.0 ? (double)(weir_sim_events(s->sim) - m->since_events) / took_s : 0.0;
    if (!m->may || (m->n == 1 && m->looked_for_device))
        return false;
    if (m->at == m->home)
        return took_s >= measure_s && look_at_home(s, rate);
    look_at_trial(s, rate, took_s);
    return false;
}

weir_status wi_moves_go(weir_session *s, const char *engine, uint32_t threads)
{
    weir_engine to = WEIR_ENGINE_SEQUENTIAL;
    while (to <= WEIR_ENGINE_OPTIMISTIC && strcmp(engine, wi_engine_name(to)) != 0)
        to++;
    /* What fluid on a thread of its own writes meanwhile, engine check would take for a handler's. */
    if (to > WEIR_ENGINE_OPTIMISTIC || to == WEIR_ENGINE_CHECK)
        return weir_fail(s->diag, WEIR_E_ARG, "no engine '%s' to move to", engine);
    if (to == WEIR_ENGINE_GPU && !(wi_sim_fits_device(s->sim) && fits_device(s)))
        return weir_fail(s->diag, WEIR_E_UNSUPPORTED,
                         "this scenario does not move to a device (docs/engines.md)");
    s->moves.may = false;
    return wi_sim_move(s->diag, s->sim, &(wi_move){to, threads, (int)s->scenario->engine.device});
}

/* ---- results ---- */

static json_t *place(const wi_run_place *p)
{
    json_t *const o = json_object();
    json_object_set_new(o, "engine", json_string(wi_engine_name(p->to.engine)));
    json_object_set_new(o, "threads", json_integer(p->to.threads));
    json_object_set_new(o, "events_per_s", wi_json_real(p->rate));
    return o;
}

json_t *wi_moves_made(const weir_session *s)
{
    const wi_moves *const m = &s->moves;
    json_t *const list = m->n_kept > 0 ? json_array() : NULL;
    for (unsigned i = 0; i < m->n_kept; i++) {
        json_t *const o = json_object();
        json_object_set_new(o, "time_s", wi_json_real(weir_seconds(m->kept[i].at_ps)));
        json_object_set_new(o, "wall_s", wi_json_real(m->kept[i].wall_s));
        json_object_set_new(o, "from", place(&m->kept[i].from));
        json_object_set_new(o, "to", place(&m->kept[i].to));
        json_array_append_new(list, o);
    }
    return list;
}

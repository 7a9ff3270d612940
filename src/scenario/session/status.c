/* status.json: written while a run is under way, and read by who watches it. */
#include "scenario/session/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "output/json.h"
#include "output/results/orphans.h"
#include "scenario/session/session.h"
#include "weir/ranks.h"

static const double first_after_s = 0.5, every_s = 1.0, share = 0.01, patience_s = 2.0;

/* ---- writing ---- */

static json_t *make(weir_session *s, double now_s)
{
    const double wall_s = now_s - s->began_s, since_s = now_s - s->told_s;
    const uint64_t events = weir_sim_events(s->sim);
    struct timespec date;
    clock_gettime(CLOCK_REALTIME, &date);
    json_t *o = json_object();
    json_object_set_new(o, "format", json_string("weir status 1"));
    json_object_set_new(o, "name", json_string(s->scenario->name));
    json_object_set_new(o, "engine", json_string(weir_sim_engine(s->sim, NULL)));
    json_object_set_new(o, "date_s", wi_json_real((double)date.tv_sec + 1e-9 * (double)date.tv_nsec));
    json_object_set_new(o, "time_s", wi_json_real(weir_seconds(weir_sim_now(s->sim))));
    json_object_set_new(o, "end_s", wi_json_real(weir_seconds(s->scenario->duration_ps)));
    json_object_set_new(o, "wall_s", wi_json_real(wall_s));
    json_object_set_new(o, "events", wi_json_count(events));
    json_object_set_new(o, "events_per_s", wi_json_real((double)(events - s->told_events) / since_s));
    json_object_set_new(o, "speed", wi_json_real(weir_seconds(weir_sim_now(s->sim) - s->told_ps) / since_s));
    return o;
}

/* Beside its name, and renamed; not brought to the disk, where nobody needs it. */
static void put(const char *folder, const json_t *status)
{
    char beside[4200], name[4200], *text = wi_json_text(status);
    snprintf(beside, sizeof beside, "%s/." WI_STATUS_NAME, folder);
    snprintf(name, sizeof name, "%s/" WI_STATUS_NAME, folder);
    FILE *out = text ? fopen(beside, "w") : NULL;
    if (out) {
        const bool good = fputs(text, out) >= 0;
        if (fclose(out) != 0 || !good || rename(beside, name) != 0)
            (void)unlink(beside);
    }
    free(text);
}

/* Add what the status reads to `want`, in place of entries of the same kinds. */
static void add_watch(const weir_sim_want *watch, weir_sim_want *want)
{
    want->entity = watch->entity;
    want->n_entities = watch->n_entities;
    for (int i = 0; i < WEIR_POOLS_MAX; i++)
        if (watch->slot[i]) {
            want->slot[i] = watch->slot[i];
            want->n_slots[i] = watch->n_slots[i];
        }
}

void wi_status_want(weir_session *s, weir_sim_want *want)
{
    s->fetched = s->folder && s->tell_s > 0.0 && wi_clock_s() >= s->tell_s && s->run.watch;
    if (s->fetched)
        add_watch(s->run.watch, want);
}

/* State lies on a device, or here. */
static bool fetch(weir_session *s)
{
    weir_sim_want want = {.counters = true};
    if (s->run.watch)
        add_watch(s->run.watch, &want);
    return (s->run.watch ? weir_sim_fetch_some(NULL, s->sim, &want) : weir_sim_fetch(NULL, s->sim)) ==
           WEIR_OK;
}

static bool add_figures(weir_session *s, json_t *status)
{
    if (s->run.watched_at_samples && weir_sim_now(s->sim) != s->run.last_ps)
        return false;
    return s->subject->result(s->made, &s->run, WI_FOR_WATCHERS, status) == WEIR_OK;
}

/* Add the subject's figures. Return false where a later stop point suits them better. */
static bool add_subject(weir_session *s, json_t *status, double now_s)
{
    if (!s->run.watched)
        return true;
    if (weir_ranks() == 1)
        return fetch(s) && add_figures(s, status);
    /* Only at samples do all ranks stop at one time; where none comes, time and rate must do. */
    if (s->fetched)
        return add_figures(s, status);
    json_object_set_new(
        status, "not_told",
        json_string("ports and flows: several ranks tell of them at samples (output.interval)"));
    return now_s - s->tell_s > patience_s;
}

void wi_status_tell(weir_session *s)
{
    const double now_s = wi_clock_s();
    if (!s->folder || now_s < s->tell_s)
        return;
    if (s->tell_s == 0.0) { /* the first stop point */
        s->told_s = now_s;
        s->told_ps = weir_sim_now(s->sim);
        s->told_events = weir_sim_events(s->sim);
        s->tell_s = now_s + first_after_s;
        return;
    }
    json_t *status = make(s, now_s);
    if (!add_subject(s, status, now_s)) {
        json_decref(status);
        return;
    }
    put(wi_results_folder(s->folder), status);
    json_decref(status);
    s->told_s = wi_clock_s();
    s->told_ps = weir_sim_now(s->sim);
    s->told_events = weir_sim_events(s->sim);
    const double took_s = s->told_s - now_s;
    s->tell_s = s->told_s + (took_s / share > every_s ? took_s / share : every_s);
}

void wi_status_end(const weir_session *s)
{
    char name[4200];
    if (!s->folder)
        return;
    snprintf(name, sizeof name, "%s/" WI_STATUS_NAME, wi_results_folder(s->folder));
    (void)unlink(name);
}

/* ---- reading ---- */

static json_t *load(const char *folder, const char *name)
{
    WI_FREED char *path = NULL;
    json_t *out = NULL;
    if (asprintf(&path, "%s/%s", folder, name) >= 0)
        out = json_load_file(path, 0, NULL);
    return out;
}

static bool has_checkpoint(const char *path)
{
    struct stat about;
    WI_FREED char *name = NULL;
    return asprintf(&name, "%s.checkpoint", path) >= 0 && stat(name, &about) == 0;
}

wi_watched wi_status_read(const char *given, json_t **status)
{
    size_t n = strlen(given);
    while (n > 1 && given[n - 1] == '/')
        n--;
    WI_FREED char *path = strndup(given, n);
    bool dead = false;
    WI_FREED char *folder = path ? wi_orphans_find(path, &dead) : NULL;
    wi_watched what = WI_WATCHED_NOTHING;
    *status = NULL;
    if (folder) {
        *status = load(folder, WI_STATUS_NAME);
        what = *status ? WI_WATCHED_RUN : WI_WATCHED_SETUP;
    } else if (path) {
        *status = load(path, "summary.json");
        what = *status                        ? WI_WATCHED_DONE
               : dead || has_checkpoint(path) ? WI_WATCHED_LEFT
                                              : WI_WATCHED_NOTHING;
    }
    return what;
}

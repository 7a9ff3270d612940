/*
 * Checkpoints of a session: what a run is (version, scenario, layout of its state), where its simulation stands
 * (engine/sim/checkpoint.h), and what its subject has gathered (save), in one file of sections.
 *
 * Engine, threads, ranks and device are no part of what is compared: results do not depend on them. Over MPI ranks all
 * take part, and rank 0, which has the results, writes the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "engine/sim/checkpoint.h"
#include "ranks/ranks.h"
#include "scenario/session/fork.h"
#include "scenario/session/session.h"
#include "weir/ranks.h"

/* Section "about". */
typedef struct about {
    char version[32];
    char scenario[WI_SHA256_TEXT + 7]; /* of the compared text */
    uint64_t layout;
    weir_time now_ps, sample_ps;
    double wall_s;
    uint64_t has_output, has_series;
    char sections[WI_SHA256_TEXT + 7]; /* all others (wi_saver_digest) */
} about;

bool wi_checkpoint_wanted(const weir_run_options *o)
{
    return o->checkpoint_every_s > 0.0 || o->checkpoint_at_ps > 0 || o->checkpoint;
}

static char *path_of(const weir_session *s)
{
    char *path = NULL;
    if (s->options.checkpoint)
        return strdup(s->options.checkpoint);
    const bool given = s->options.output_dir != NULL;
    const char *const name = given ? s->options.output_dir : s->scenario->name;
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    return asprintf(&path, "%s%.*s.checkpoint", given ? "" : "results/", (int)length, name) < 0 ? NULL : path;
}

/* ---- scenarios ---- */

/* A resolved scenario as text, malloc'ed; null when memory is short. `compared`: without what results do not depend
 * on. */
static char *text_of(weir_diag *diag, const weir_scenario *scenario, bool compared)
{
    weir_scenario copy = *scenario;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (compared) {
        copy.engine = (weir_scenario_engine){.place = scenario->engine.place};
        copy.fluid.device = WEIR_SC_DEVICE_AUTO;
    }
    weir_status status = out ? weir_scenario_write(diag, &copy, out) : WEIR_E_NOMEM;
    if (out && fclose(out) != 0)
        status = WEIR_E_NOMEM;
    if (status == WEIR_OK)
        return text;
    free(text);
    (void)weir_fail(diag, WEIR_E_NOMEM, "no memory for a scenario as text");
    return NULL;
}

/* A section's text, ended by a zero; malloc'ed, null with a message. */
static char *section_text(weir_diag *diag, const wi_saved *from, const char *name)
{
    wi_saved_part part;
    char *text = NULL;
    if (!wi_saved_find(from, name, &part)) {
        (void)weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0, "there is no section '%s'", name);
        return NULL;
    }
    const size_t n = part.left;
    text = malloc(n + 1);
    if (!text) {
        (void)weir_fail(diag, WEIR_E_NOMEM, "no memory for a scenario as text");
        return NULL;
    }
    wi_saved_read(&part, text, n);
    text[n] = '\0';
    return text;
}

/* One run wrote all sections, at a time that samples lie behind. */
static weir_status check_about(weir_diag *diag, const wi_saved *from, const about *a)
{
    char sections[WI_SHA256_TEXT];
    wi_saved_digest(from, "about", sections);
    if (strncmp(sections, a->sections, sizeof sections) != 0)
        return weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0,
                            "damaged: its sections are not those that were written together");
    if (a->now_ps < 0 || a->sample_ps <= a->now_ps || !(a->wall_s >= 0.0) || a->has_output > 1 ||
        a->has_series > 1)
        return weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0,
                            "damaged: times that cannot be, in section 'about'");
    return WEIR_OK;
}

static weir_status read_about(weir_diag *diag, const wi_saved *from, about *a)
{
    wi_saved_part part;
    if (!wi_saved_find(from, "about", &part))
        return weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0, "this is no checkpoint of a run");
    const size_t bytes = part.left;
    wi_saved_read(&part, a->version, sizeof a->version);
    a->version[sizeof a->version - 1] = '\0';
    if (strcmp(a->version, WEIR_VERSION) != 0)
        return weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0,
                            "a checkpoint of weir %s; this is weir " WEIR_VERSION ", whose states are others",
                            a->version);
    if (bytes != sizeof *a)
        return weir_fail_at(diag, WEIR_E_FORMAT, wi_saved_path(from), 0, 0,
                            "a checkpoint of another build of weir " WEIR_VERSION
                            ": its head has %zu bytes, not %zu",
                            bytes, sizeof *a);
    (void)wi_saved_find(from, "about", &part);
    wi_saved_read(&part, a, sizeof *a);
    return wi_saved_done(diag, from, &part) ?: check_about(diag, from, a);
}

/* ---- writing ---- */

/* Save what is gathered outside of all entities, or read it back. */
static weir_status archive(weir_session *s, wi_archiver *k)
{
    const wi_subject *const subject = s->subject;
    wi_archive_section(k, "results");
    wi_archive(k, &s->run.warm_ps, sizeof s->run.warm_ps);
    wi_archive(k, &s->run.last_ps, sizeof s->run.last_ps);
    if (subject->kept_size)
        wi_archive(k, (char *)s->made + subject->kept, subject->kept_size);
    const weir_status status = subject->save ? subject->save(s->made, &s->run, k, false) : WEIR_OK;
    if (status == WEIR_OK)
        wi_series_archive(s->run.series, k);
    return status ?: wi_archiver_status(k);
}

static weir_status archive_attached(weir_session *s, wi_archiver *k)
{
    return s->subject->save ? s->subject->save(s->made, &s->run, k, true) : WEIR_OK;
}

static weir_status check_can_save(const weir_session *s)
{
    const bool gathers = s->folder || s->recorder;
    if (s->finished || s->broken != WEIR_OK)
        return weir_fail(s->diag, WEIR_E_ARG, "a session that has %s cannot be saved",
                         s->finished ? "finished" : "broken off");
    if (gathers && !s->saves)
        return weir_fail(s->diag, WEIR_E_ARG,
                         "a session is saved whose options ask for checkpoints: what it has written so far "
                         "is kept for them");
    if (!s->subject->save && !s->subject->kept_size)
        return weir_fail(s->diag, WEIR_E_UNSUPPORTED,
                         "this model says nothing of what checkpoints keep of its results");
    return WEIR_OK;
}

static weir_status put_about(weir_session *s, wi_saver *to)
{
    about a = {.version = WEIR_VERSION,
               .layout = s->layout,
               .now_ps = weir_sim_now(s->sim),
               .sample_ps = s->sample_ps,
               .wall_s = s->wall_s,
               .has_output = s->folder != NULL,
               .has_series = s->folder || s->recorder};
    WI_FREED char *whole = text_of(s->diag, s->scenario, false),
                  *compared = text_of(s->diag, s->scenario, true);
    if (whole && compared) {
        wi_sha256(compared, strlen(compared), a.scenario);
        wi_saver_section(to, "scenario");
        wi_saver_put(to, whole, strlen(whole));
        wi_saver_section(to, "compared");
        wi_saver_put(to, compared, strlen(compared));
        wi_saver_digest(to, "about", a.sections);
        wi_saver_section(to, "about");
        wi_saver_put(to, &a, sizeof a);
    }
    const bool good = whole && compared;
    return good ? WEIR_OK : WEIR_E_NOMEM;
}

/* `to` is null on ranks that only take part, as all may have some of what is attached. */
static weir_status put_all(weir_session *s, wi_saver *to)
{
    wi_archiver archiver = {.diag = s->diag, .to = to};
    weir_status status = wi_sim_save(s->diag, s->sim, to);
    if (status == WEIR_OK && to)
        status = archive(s, &archiver);
    status = weir_ranks_agree(s->diag, status) ?: archive_attached(s, &archiver);
    return status == WEIR_OK && to ? put_about(s, to) : status;
}

weir_status wi_checkpoint_write(weir_session *s, const char *path)
{
    wi_saver *to = NULL;
    weir_status status = check_can_save(s);
    if (status == WEIR_OK && weir_rank() == 0)
        status = wi_saver_open(s->diag, path, &to);
    status = weir_ranks_agree(s->diag, status) ?: put_all(s, to);
    if (status != WEIR_OK)
        wi_saver_drop(to);
    else if (to)
        status = wi_saver_commit(s->diag, to);
    s->saved_s = wi_clock_s();
    return weir_ranks_agree(s->diag, status);
}

weir_status wi_checkpoint_try(weir_session *s)
{
    wi_saver *to;
    WI_RETURN_IF_FAILED(check_can_save(s));
    s->checkpoint = path_of(s);
    if (!s->checkpoint)
        return weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the name of the checkpoint");
    if (weir_rank() > 0)
        return WEIR_OK;
    WI_RETURN_IF_FAILED(wi_saver_open(s->diag, s->checkpoint, &to));
    wi_saver_drop(to);
    return WEIR_OK;
}

bool wi_checkpoint_is_due(const weir_session *s)
{
    const wi_ranks *const ranks = wi_ranks_of_run();
    const bool at = !s->between && weir_sim_now(s->sim) == s->options.checkpoint_at_ps;
    const double every_s = s->options.checkpoint_every_s;
    if (!s->saves)
        return false;
    uint8_t late = every_s > 0.0 && wi_clock_s() - s->saved_s >= every_s;
    if (ranks && every_s > 0.0) /* clocks differ: rank 0's counts */
        ranks->broadcast(&late, sizeof late, 0);
    return at || s->between || late;
}

/* ---- reading ---- */

weir_status wi_checkpoint_take(weir_session *s)
{
    about a;
    weir_status status = read_about(s->diag, s->from, &a);
    if (status != WEIR_OK)
        return status;
    if (s->forked.is && s->layout != a.layout)
        return weir_fail_at(
            s->diag, WEIR_E_ARG, wi_saved_path(s->from), 0, 0,
            "a fork cannot change all of this: %s: it needs other room for the states of "
            "flows than the run has (windows, recovery, the control's own state; transfers of a list "
            "and failures that come within one duration and not the other)",
            s->forked.flows);
    if (s->layout != a.layout)
        return weir_fail_at(s->diag, WEIR_E_FORMAT, wi_saved_path(s->from), 0, 0,
                            "the model's states have another layout in this build (%016llx, not %016llx): "
                            "this checkpoint is of another build of weir",
                            (unsigned long long)s->layout, (unsigned long long)a.layout);
    if ((s->folder && !a.has_output) || (s->recorder && !a.has_series))
        return weir_fail_at(
            s->diag, WEIR_E_ARG, wi_saved_path(s->from), 0, 0,
            "it was written by a run without %s, and what that has not gathered cannot be had now",
            s->folder ? "output" : "time series");
    wi_archiver archiver = {.diag = s->diag, .from = s->from};
    status = archive(s, &archiver);
    s->sample_ps = a.sample_ps;
    s->wall_s = a.wall_s;
    return status;
}

/* Of the scenario that was saved. */
static weir_status check_fork(weir_diag *diag, wi_fork *fork, const wi_saved *from)
{
    weir_scenario *was = NULL;
    WI_FREED char *text = section_text(diag, from, "scenario");
    weir_diag *quiet = weir_diag_new(); /* the run that wrote it has shown its warnings */
    weir_status status = text ? WEIR_OK : WEIR_E_FORMAT;
    status = status ?: weir_scenario_parse(quiet, fork->path, text, strlen(text), ".", NULL, 0, &was);
    if (text && status != WEIR_OK)
        status = weir_fail_at(diag, status, fork->path, 0, 0, "its scenario cannot be read");
    fork->was = was;
    status = status ?: wi_fork_check(diag, fork);
    weir_scenario_free(was);
    weir_diag_free(quiet);
    return status;
}

weir_status wi_checkpoint_fits(weir_diag *diag, const weir_scenario *scenario, const wi_saved *from,
                               wi_forked *forked)
{
    about a;
    WI_RETURN_IF_FAILED(read_about(diag, from, &a));
    char *now = text_of(diag, scenario, true), *saved = section_text(diag, from, "compared");
    weir_status status = !now ? WEIR_E_NOMEM : !saved ? WEIR_E_FORMAT : WEIR_OK;
    *forked = (wi_forked){.is = status == WEIR_OK && strcmp(now, saved) != 0};
    if (forked->is) {
        wi_fork fork = {.path = wi_saved_path(from),
                        .is = scenario,
                        .old_text = saved,
                        .new_text = now,
                        .now_ps = a.now_ps,
                        .keys = forked};
        status = check_fork(diag, &fork, from);
    }
    free(now);
    free(saved);
    return status;
}

weir_status wi_checkpoint_same(weir_diag *diag, const wi_saved *from)
{
    about a;
    char text[300];
    WI_RETURN_IF_FAILED(weir_ranks_agree(diag, read_about(diag, from, &a)));
    snprintf(text, sizeof text, "of %.12g s, written after %.17g s, %s, layout %016llx",
             weir_seconds(a.now_ps), a.wall_s, a.scenario, (unsigned long long)a.layout);
    return weir_ranks_same(diag, "checkpoint", text);
}

weir_status wi_checkpoint_text(weir_diag *diag, const wi_saved *from, char **text)
{
    about a;
    *text = NULL;
    WI_RETURN_IF_FAILED(read_about(diag, from, &a));
    *text = section_text(diag, from, "scenario");
    return *text ? WEIR_OK : WEIR_E_FORMAT;
}

weir_status wi_checkpoint_take_attached(weir_session *s)
{
    about a;
    WI_RETURN_IF_FAILED(read_about(s->diag, s->from, &a));
    if (weir_sim_now(s->sim) != a.now_ps || a.now_ps > s->scenario->duration_ps)
        return weir_fail_at(
            s->diag, WEIR_E_FORMAT, wi_saved_path(s->from), 0, 0,
            "damaged: sections 'about' and 'engine' are of different times, or of one behind the run's end");
    wi_archiver archiver = {.diag = s->diag, .from = s->from};
    return archive_attached(s, &archiver);
}

/* Comparing two simulations, and narrowing down where they part. */
#include "engine/analysis/verify.h"

#include <stdlib.h>
#include <string.h>

#include "engine/core/event_key.h"

/* Stop points of the first look, and of each closer one. */
enum { FIRST_STOPS = 256, STOPS = 64 };

typedef struct verifying {
    weir_diag *diag;
    const wi_verify_side *sides;
    wi_verify_watch watch;
    weir_sim *sim[2];
    int deep; /* compare states too */
    wi_verify_report *report;
} verifying;

static void drop(verifying *v)
{
    for (int i = 0; i < 2; i++) {
        weir_sim_free(v->sim[i]);
        v->sim[i] = NULL;
    }
}

/* Sizes that must agree for a comparison to mean anything. */
static weir_status check_alike(const verifying *v)
{
    const weir_sim *a = v->sim[0], *b = v->sim[1];
    int alike = a->setup.model->n_kinds == b->setup.model->n_kinds && a->payload_bytes == b->payload_bytes;
    for (uint32_t k = 0; alike && k < a->setup.model->n_kinds; k++)
        alike = a->setup.kind_count[k] == b->setup.kind_count[k] &&
                a->setup.model->kinds[k].state_bytes == b->setup.model->kinds[k].state_bytes;
    if (alike)
        return WEIR_OK;
    return weir_fail(v->diag, WEIR_E_ARG,
                     "the two runs have other entities (%u of model '%s', %u of model '%s'); only runs of "
                     "one scenario can be compared event by event",
                     a->n_entities, a->setup.model->name, b->n_entities, b->setup.model->name);
}

static weir_status make(verifying *v)
{
    drop(v);
    for (int i = 0; i < 2; i++) {
        WI_RETURN_IF_FAILED(v->sides[i].make(v->diag, v->sides[i].user, &v->sim[i]));
    }
    return check_alike(v);
}

static weir_status run_to(verifying *v, weir_time until_ps)
{
    for (int i = 0; i < 2; i++) {
        weir_status status =
            weir_sim_run(v->diag, v->sim[i], until_ps, v->watch.stop) ?: weir_sim_fetch(v->diag, v->sim[i]);
        if (status != WEIR_OK)
            return status;
    }
    if (v->watch.progress)
        v->watch.progress(v->watch.user, until_ps);
    return WEIR_OK;
}

static bool entity_differs(const verifying *v, const weir_entity *a, const weir_entity *b, uint32_t e,
                           uint32_t state_bytes)
{
    if (a[e].digest != b[e].digest || a[e].seq != b[e].seq || a[e].draws != b[e].draws ||
        a[e].records != b[e].records)
        return true;
    return v->deep && state_bytes > 0 &&
           memcmp(weir_sim_state(v->sim[0], e), weir_sim_state(v->sim[1], e), state_bytes) != 0;
}

/* Whether the two differ now; the report then has the entity. */
static bool differ(const verifying *v)
{
    const weir_sim *sim = v->sim[0];
    const weir_entity *a = weir_sim_heads(sim), *b = weir_sim_heads(v->sim[1]);
    wi_verify_report *r = v->report;
    r->n_differing = 0;
    for (uint32_t k = 0; k < sim->setup.model->n_kinds; k++)
        for (uint32_t e = sim->kind_first[k]; e < sim->kind_first[k + 1]; e++) {
            if (!entity_differs(v, a, b, e, sim->setup.model->kinds[k].state_bytes))
                continue;
            if (r->n_differing++ == 0) {
                r->entity = e;
                r->events_differ = a[e].digest != b[e].digest;
                wi_entity_text(sim, e, r->entity_text);
            }
        }
    return r->n_differing > 0;
}

/* From simulations that agree at *low_ps, step on to the first of `stops` even steps to *high_ps at which
 * they differ, and move both bounds there. *found: they do. */
static weir_status step(verifying *v, weir_time *low_ps, weir_time *high_ps, weir_time stops, int *found)
{
    const weir_time end_ps = *high_ps, span_ps = end_ps - *low_ps;
    const weir_time step_ps = span_ps / stops + (span_ps % stops != 0);
    *found = 0;
    while (*low_ps < end_ps && !*found) {
        const weir_time next_ps = end_ps - *low_ps < step_ps ? end_ps : *low_ps + step_ps;
        WI_RETURN_IF_FAILED(run_to(v, next_ps));
        *found = differ(v);
        *(*found ? high_ps : low_ps) = next_ps;
    }
    return WEIR_OK;
}

static void keep_digests(const verifying *v)
{
    for (int i = 0; i < 2; i++) {
        v->report->event_digest[i] = weir_sim_event_digest(v->sim[i]);
        v->report->state_digest[i] = weir_sim_state_digest(v->sim[i]);
        v->report->events[i] = weir_sim_events(v->sim[i]);
    }
}

typedef struct collecting {
    wi_verify_report *report;
    int side;
    const weir_model *model;
} collecting;

static void collect(void *user, const weir_event *event)
{
    const collecting *c = user;
    wi_verify_report *r = c->report;
    if (event->target != r->entity || event->time_ps != r->at_ps || r->n[c->side] == WI_VERIFY_EVENTS)
        return;
    wi_verify_event *kept = &r->event[c->side][r->n[c->side]++];
    *kept = (wi_verify_event){.head = *event};
    memcpy(kept->payload, event + 1, c->model->types[event->type].payload_bytes);
}

/* What the entity is to handle at the instant before which both stand. */
static weir_status read_pending(const verifying *v)
{
    for (int i = 0; i < 2; i++) {
        collecting c = {.report = v->report, .side = i, .model = v->sim[i]->setup.model};
        v->report->n[i] = 0;
        WI_RETURN_IF_FAILED(weir_sim_pending(v->diag, v->sim[i], collect, &c));
        qsort(v->report->event[i], v->report->n[i], sizeof v->report->event[i][0], wi_event_compare);
    }
    return WEIR_OK;
}

/* They agree at low_ps and differ at high_ps. */
static weir_status narrow(verifying *v, weir_time low_ps, weir_time high_ps)
{
    weir_status status = WEIR_OK;
    while (status == WEIR_OK && high_ps - low_ps > 1) {
        int found;
        status = make(v) ?: run_to(v, low_ps) ?: step(v, &low_ps, &high_ps, STOPS, &found);
        if (status == WEIR_OK && !found)
            status = weir_fail(v->diag, WEIR_E_MODEL,
                               "the two runs differed between %.12f s and %.12f s, and the next time they "
                               "did not: one of them does not repeat itself",
                               weir_seconds(low_ps), weir_seconds(high_ps));
    }
    WI_RETURN_IF_FAILED(status ?: make(v) ?: run_to(v, low_ps));
    v->report->at_ps = low_ps; /* the last instant before high_ps */
    return read_pending(v);
}

/* Once through, to the end, for the digests; and where the two part on the way. */
static weir_status look(verifying *v, weir_time until_ps)
{
    weir_time low_ps = 0, high_ps = until_ps;
    int found = 0;
    weir_status status = make(v) ?: step(v, &low_ps, &high_ps, FIRST_STOPS, &found);
    if (status != WEIR_OK)
        return status;
    if (found || !v->deep) {
        const wi_verify_report there = *v->report;
        status = run_to(v, until_ps);
        *v->report = there;
        keep_digests(v);
    }
    if (status != WEIR_OK || !found)
        return status;
    v->report->differ = 1;
    return narrow(v, low_ps, high_ps);
}

weir_status wi_verify(weir_diag *diag, const wi_verify_side sides[2], weir_time until_ps,
                      wi_verify_watch watch, wi_verify_report *report)
{
    verifying v = {.diag = diag, .sides = sides, .watch = watch, .report = report};
    *report = (wi_verify_report){0};
    weir_status status = look(&v, until_ps);
    /* The same events, and something else in the end: look at the states as well. */
    if (status == WEIR_OK && !report->differ &&
        (report->state_digest[0] != report->state_digest[1] ||
         report->event_digest[0] != report->event_digest[1])) {
        const wi_verify_report whole = *report;
        v.deep = 1;
        status = look(&v, until_ps);
        if (status == WEIR_OK && !report->differ) {
            *report =
                whole; /* neither entities nor heads: a pool, a counter, a record, what is outside or the seed */
            report->differ = 1;
            report->at_ps = until_ps;
        }
    }
    drop(&v);
    return status;
}

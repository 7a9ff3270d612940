/* weir_verify: two scenarios side by side, and a report of where they part. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "engine/analysis/verify.h"
#include "scenario/session/session.h"
#include "weir/analyze.h"

typedef struct reporting {
    const weir_verify_options *options;
    weir_time end_ps;
    double began_s;
} reporting;

void weir_verify_result_free(weir_verify_result *result)
{
    free(result->text);
    *result = (weir_verify_result){0};
}

static weir_status make(weir_diag *diag, void *user, weir_sim **out)
{
    (void)diag; /* the session's */
    return wi_session_make_sim(user, out);
}

static void report_progress(void *user, weir_time now_ps)
{
    const reporting *t = user;
    if (!t->options->progress)
        return;
    const weir_progress progress = {
        .now_ps = now_ps, .end_ps = t->end_ps, .wall_s = wi_clock_s() - t->began_s, .phase = "verify"};
    t->options->progress(t->options->user, &progress);
}

static void print_event(FILE *out, const weir_model *m, const wi_verify_event *e)
{
    const weir_event *h = &e->head;
    fprintf(out, "    %-12s from %" PRIu32 ", sequence %" PRIu32 ", tie %08" PRIx32 ", payload",
            m->types[h->type].name, h->source, h->seq, h->tie);
    const uint32_t words = m->types[h->type].payload_bytes / 8;
    for (uint32_t i = 0; i < words; i++)
        fprintf(out, " %016" PRIx64, e->payload[i]);
    fputs(words ? "\n" : " empty\n", out);
}

static void print_side(FILE *out, const char *name, const weir_model *m, const wi_verify_report *r, int i)
{
    fprintf(out, "  %s: %s there at that time:\n", name, r->n[i] ? "handles" : "handles nothing");
    for (uint32_t e = 0; e < r->n[i]; e++)
        print_event(out, m, &r->event[i][e]);
}

/* malloc'ed; null when memory is short. */
static char *report_text(weir_session *const sides[2], const wi_verify_report *r)
{
    char *text = NULL, name[2][80];
    size_t size = 0;
    weir_setup setup;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    sides[0]->subject->setup(sides[0]->made, &setup);
    for (int i = 0; i < 2; i++) {
        snprintf(name[i], sizeof name[i], "%c, seed %" PRIu64 ", engine %s", 'A' + i,
                 sides[i]->scenario->seed, wi_engine_name(wi_engine_of(sides[i]->scenario)));
        fprintf(out, "%s: %" PRIu64 " events, digests %016" PRIx64 " events, %016" PRIx64 " state\n", name[i],
                r->events[i], r->event_digest[i], r->state_digest[i]);
    }
    if (!r->differ)
        fputs("the same events, and the same state at the end\n", out);
    else if (r->n_differing == 0)
        fputs("the same events and entities, but other pools, counters, records, fluid or seeds\n", out);
    else
        fprintf(out, "they part at %.12f s: %s %s, and %" PRIu32 " more differ right after\n",
                weir_seconds(r->at_ps), r->entity_text,
                r->events_differ ? "handles other events"
                                 : "handles the same events but comes to another state",
                r->n_differing - 1);
    for (int i = 0; i < 2 && r->n_differing > 0; i++)
        print_side(out, name[i], setup.model, r, i);
    const int good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

weir_status weir_verify(weir_diag *diag, const weir_scenario *a, const weir_scenario *b,
                        const weir_verify_options *options, weir_verify_result *result)
{
    static const weir_verify_options usual = {0};
    const weir_scenario *const scenarios[2] = {a, b};
    weir_session *session[2] = {NULL, NULL};
    wi_verify_side sides[2];
    reporting reports = {
        .options = options ? options : &usual, .end_ps = a->duration_ps, .began_s = wi_clock_s()};
    weir_run_options quiet;
    wi_verify_report report;
    weir_status status = WEIR_OK;
    *result = (weir_verify_result){0};
    weir_run_options_init(&quiet);
    for (int i = 0; i < 2 && status == WEIR_OK; i++) {
        status = wi_session_build(diag, scenarios[i], &quiet, false, &session[i]);
        sides[i] = (wi_verify_side){make, session[i]};
    }
    status = status
                 ?: wi_verify(diag, sides, a->duration_ps,
                              (wi_verify_watch){report_progress, &reports, reports.options->stop}, &report);
    if (status == WEIR_OK) {
        result->same = !report.differ;
        result->text = report_text(session, &report);
        if (!result->text)
            status = weir_fail(diag, WEIR_E_NOMEM, "no memory for a report");
    }
    weir_session_close(session[0]);
    weir_session_close(session[1]);
    return status;
}

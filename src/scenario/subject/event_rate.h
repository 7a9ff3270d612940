/*
 * What subjects share whose time series is the rate of their events: PHOLD and the LCG benchmark. Their structs begin with a
 * wi_event_rate, and their tables (subject.h) take these functions.
 */
#ifndef WI_SCENARIO_SUBJECT_EVENT_RATE_H
#define WI_SCENARIO_SUBJECT_EVENT_RATE_H

#include "output/series.h"
#include "scenario/subject/subject.h"

typedef struct wi_event_rate {
    weir_diag *diag;
    const weir_sim *sim;
    wi_series *series;
    wi_series_table *table;
    uint64_t last_events, warm_events; /* at the last sample; at the end of the warm-up */
    weir_time last_ps, warm_ps;
} wi_event_rate;

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    static const wi_series_column columns[] = {{"events_per_s", "1/s"}};
    static const char *const rows[] = {"all"};
    wi_event_rate *r = made;
    r->diag = diag;
    const weir_status status = wi_series_open(diag, to, "series.h5", &r->series);
    if (status != WEIR_OK || !r->series)
        return status;
    return wi_series_table_add(diag, r->series, "events", columns, 1, rows, 1, &r->table);
}

static weir_status keep(void *made, wi_archiver *k)
{
    wi_event_rate *r = made;
    wi_archive_section(k, "results");
    wi_archive(k, &r->last_events, sizeof r->last_events);
    wi_archive(k, &r->warm_events, sizeof r->warm_events);
    wi_archive(k, &r->last_ps, sizeof r->last_ps);
    wi_archive(k, &r->warm_ps, sizeof r->warm_ps);
    wi_series_archive(r->series, k);
    return wi_archiver_status(k);
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    (void)diag;
    ((wi_event_rate *)made)->sim = sim;
    return WEIR_OK;
}

/* The number of events is the engine's. */
static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    (void)made, (void)warm, (void)out;
    return true;
}

static weir_status warm(void *made)
{
    wi_event_rate *r = made;
    r->warm_events = weir_sim_events(r->sim);
    r->warm_ps = weir_sim_now(r->sim);
    return WEIR_OK;
}

static weir_status sample(void *made)
{
    wi_event_rate *r = made;
    const uint64_t events = weir_sim_events(r->sim);
    const weir_time now_ps = weir_sim_now(r->sim);
    const double rate = (double)(events - r->last_events) / weir_seconds(now_ps - r->last_ps);
    r->last_events = events;
    r->last_ps = now_ps;
    return r->table ? wi_series_append(r->diag, r->table, now_ps, &rate) : WEIR_OK;
}

static weir_status finish(void *made)
{
    wi_event_rate *r = made;
    const weir_status status = wi_series_close(r->diag, r->series);
    r->series = NULL;
    return status;
}

/* Since the end of the warm-up. */
static double events_per_s(const wi_event_rate *r)
{
    return (double)(weir_sim_events(r->sim) - r->warm_events) /
           weir_seconds(weir_sim_now(r->sim) - r->warm_ps);
}

#endif

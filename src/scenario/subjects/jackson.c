/* The queueing network as a scenario's subject: means with their intervals, beside theory. */
#include "scenario/subject/subject.h"

#include <string.h>

#include "models/jackson/jackson.h"
#include "scenario/subject/theory.h"

typedef struct jackson_asked {
    jackson_params params;
    weir_place place;
} jackson_asked;

static const wi_key keys[] = {
    WI_KEY("stations", count, jackson_asked, params.n_stations, .fallback = "100", .low = "2",
           .high = "2147483647", .also = "queues servers nodes", .doc = "stations, all alike"),
    WI_KEY("load", share, jackson_asked, params.load, .fallback = "50%", .above = "0", .below = "1",
           .also = "utilisation rho", .doc = "share of the time that a station serves"),
    WI_KEY("leave", share, jackson_asked, params.leave, .fallback = "25%", .above = "0",
           .doc = "chance that a served customer leaves the network; else it goes to another station"),
    WI_KEY("service", time, jackson_asked, params.service_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .doc = "mean of the exponential service time"),
    WI_KEY("transit", time, jackson_asked, params.transit_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .also = "delay lookahead", .doc = "time on the way between two stations; the engines' lookahead"),
};

enum { FIGURES = 3 }; /* load, customers at a station, seconds of a visit */

static const wi_result_column series_columns[] = {
    WI_SAMPLE("load", "1",
              "share of the time in which a station serves, mean over stations and the interval"),
    WI_SAMPLE("customers", "1", "at a station, likewise"),
    WI_SAMPLE("sojourn_s", "s", "a visit at a station, likewise"),
};
static const wi_result_table series = WI_RESULT(SERIES, "stations", series_columns);

typedef struct jackson_row {
    uint64_t stations;
    double visits;
    wi_beside_theory beside;
} jackson_row;

static const wi_result_column columns[] = {
    WI_COLUMN(U64, jackson_row, stations, "", "stations"),
    WI_COLUMN(DOUBLE, jackson_row, visits, "", "visits of customers that ended"),
    WI_BESIDE_THEORY(jackson_row, 0, "load", "1", "share of the time in which a station serves"),
    WI_BESIDE_THEORY(jackson_row, 1, "customers", "1", "customers at a station"),
    WI_BESIDE_THEORY(jackson_row, 2, "sojourn_s", "s", "a customer's visit at a station"),
};
static const wi_result_table summary = WI_RESULT(SUMMARY, "jackson", columns);

/* Over all stations, from the start. */
typedef struct jackson_totals {
    double busy_ps, customer_ps, visits;
    weir_time at_ps;
} jackson_totals;

typedef struct jackson_subject {
    const jackson_params *asked;
    wi_uniform *jackson;
    struct {
        jackson_totals warm, last; /* at the end of the warm-up, and at the sample before */
        wi_batches batches;        /* of the figures, from sample to sample after the warm-up */
    } got;
} jackson_subject;

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, const void *made,
                            weir_estimate *out)
{
    enum { EVENTS = 4 };
    (void)diag, (void)made;
    return wi_estimate_entities(out, ((const jackson_asked *)wi_model_params(scenario))->params.n_stations,
                                sizeof(jackson_station), EVENTS);
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void *made)
{
    jackson_subject *s = made;
    s->asked = &((const jackson_asked *)wi_model_params(scenario))->params;
    return wi_jackson_new(diag, s->asked, &s->jackson);
}

static void release(void *made)
{
    wi_uniform_free(((jackson_subject *)made)->jackson);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_uniform_setup(((jackson_subject *)made)->jackson, setup);
}

static jackson_totals totals_now(const jackson_subject *s, const weir_sim *sim)
{
    jackson_totals t = {.at_ps = weir_sim_now(sim)};
    for (uint32_t i = 0; i < s->asked->n_stations; i++) {
        jackson_station now = *(const jackson_station *)weir_sim_state(sim, i);
        jackson_integrate(&now, t.at_ps);
        t.busy_ps += now.busy_ps;
        t.customer_ps += now.customer_ps;
        t.visits += (double)now.served;
    }
    return t;
}

static void figures(const jackson_subject *s, const jackson_totals *from, const jackson_totals *to,
                    double out[FIGURES])
{
    const double span_ps = (double)(to->at_ps - from->at_ps) * s->asked->n_stations;
    out[0] = (to->busy_ps - from->busy_ps) / span_ps;
    out[1] = (to->customer_ps - from->customer_ps) / span_ps;
    out[2] = 1e-12 * (to->customer_ps - from->customer_ps) / (to->visits - from->visits);
}

static weir_status sample(void *made, wi_subject_run *run, wi_moment moment)
{
    jackson_subject *s = made;
    double figure[FIGURES];
    if (moment != WI_AT_WARM && moment != WI_AT_SAMPLE)
        return WEIR_OK;
    const jackson_totals now = totals_now(s, run->sim), last = s->got.last;
    s->got.last = now;
    if (moment == WI_AT_WARM) {
        memset(&s->got, 0, sizeof s->got);
        s->got.warm = s->got.last = now;
    }
    if (moment == WI_AT_WARM || now.at_ps == last.at_ps)
        return WEIR_OK;
    figures(s, &last, &now, figure);
    wi_batches_add(&s->got.batches, figure, FIGURES);
    return wi_subject_append(run, figure);
}

/* Customers are kept: who came or joined was served or is there, who was served left, joined or is on the way. */
static weir_status check(void *made, const wi_subject_run *run)
{
    const jackson_subject *s = made;
    for (uint32_t i = 0; i < s->asked->n_stations; i++) {
        const jackson_station *q = weir_sim_state(run->sim, i);
        if (q->came + q->joined != q->served + q->customers || q->left > q->served)
            return weir_fail(run->diag, WEIR_E_MODEL,
                             "jackson: station %u has lost a customer; this is a fault of weir", i);
    }
    return WEIR_OK;
}

static weir_status result(void *made, wi_subject_run *run, wi_purpose purpose, json_t *into)
{
    const jackson_subject *s = made;
    if (purpose != WI_FOR_SUMMARY)
        return WEIR_OK;
    const jackson_totals now = totals_now(s, run->sim);
    const double load = s->asked->load;
    jackson_row row = {
        .stations = s->asked->n_stations,
        .visits = now.visits - s->got.warm.visits,
        .beside.theory = {load, load / (1.0 - load), weir_seconds(s->asked->service_ps) / (1.0 - load)}};
    figures(s, &s->got.warm, &now, row.beside.mean);
    for (int k = 0; k < FIGURES; k++)
        row.beside.ci95[k] = wi_batches_ci95(&s->got.batches, k);
    wi_result_put(into, &summary, &row, 0);
    return WEIR_OK;
}

static const wi_line lines[] = {
    {"  load          {load.mean:4g} +- {load.ci95:2g}, theory {load.theory:4g}"},
    {"  customers     {customers.mean:4g} +- {customers.ci95:2g}, theory {customers.theory:4g} at a station"},
    {"  sojourn_s     {sojourn_s.mean:4g} +- {sojourn_s.ci95:2g}, theory {sojourn_s.theory:4g} a visit"},
};
static const char *const usual[] = {"jackson.load.mean", "jackson.customers.mean", "jackson.sojourn_s.mean",
                                    NULL};
static const wi_result_table *const results[] = {&summary, &series, NULL};

const wi_subject wi_subject_jackson = WI_SUBJECT(
    "stations", jackson_subject, WI_READS_ALL,
    WI_SECTION(
        "jackson", keys, jackson_asked,
        .doc =
            "An open queueing network of M/M/1 stations, held against theory. See [jackson.md](jackson.md).",
        .place_offset = offsetof(jackson_asked, place)),
    .sample = sample, WI_KEPT(jackson_subject, got), .series = &series, .results = results, .always = true,
    .usual = usual, WI_LINES(lines));

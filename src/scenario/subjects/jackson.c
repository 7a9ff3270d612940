/* The queueing network as a scenario's subject: means with their intervals, beside theory. */
#include "models/jackson/jackson.h"
#include "subject/uniform.h"

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

#define FIGURES(X)                                                 \
    X("load", "1", "share of the time in which a station serves"), \
        X("customers", "1", "customers at a station"),             \
        X("sojourn_s", "s", "a customer's visit at a station")
static const wi_result_column series_columns[] = {FIGURES(WI_THEORY_SAMPLE)};
static const wi_result_column columns[] = {WI_THEORY_ENTITIES("stations", "stations"),
                                           WI_THEORY_COUNTED("visits", "visits of customers that ended"),
                                           FIGURES(WI_THEORY_FIGURE)};
static const wi_result_table series = WI_RESULT(SERIES, "stations", series_columns),
                             summary = WI_RESULT(SUMMARY, "jackson", columns);

typedef struct jackson_subject {
    wi_theory_subject theory; /* first */
    const jackson_params *asked;
} jackson_subject;

enum { VISITS, BUSY, CUSTOMERS, TOTALS };

static void totals(const void *made, const weir_sim *sim, double *sum)
{
    const jackson_subject *s = made;
    for (uint32_t i = 0; i < s->asked->n_stations; i++) {
        jackson_station now = *(const jackson_station *)weir_sim_state(sim, i);
        jackson_integrate(&now, weir_sim_now(sim));
        sum[BUSY] += now.busy_ps;
        sum[CUSTOMERS] += now.customer_ps;
        sum[VISITS] += (double)now.served;
    }
}

static void figures(const void *made, const double *gained, double span_ps, double *out)
{
    const double all_ps = span_ps * ((const jackson_subject *)made)->asked->n_stations;
    out[0] = gained[BUSY] / all_ps;
    out[1] = gained[CUSTOMERS] / all_ps;
    out[2] = 1e-12 * gained[CUSTOMERS] / gained[VISITS];
}

static void predict(const void *made, double *out)
{
    const jackson_params *p = ((const jackson_subject *)made)->asked;
    out[0] = p->load;
    out[1] = p->load / (1.0 - p->load);
    out[2] = weir_seconds(p->service_ps) / (1.0 - p->load);
}

static const wi_theory theory = {&summary, TOTALS, 3, totals, figures, predict};

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
    s->theory.theory = &theory;
    s->theory.n_entities = s->asked->n_stations;
    return wi_jackson_new(diag, s->asked, &s->theory.subject.model);
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

static const wi_line lines[] = {FIGURES(WI_THEORY_LINE)};
static const char *const usual[] = {"jackson.load.mean", "jackson.customers.mean", "jackson.sojourn_s.mean",
                                    NULL};
static const wi_result_table *const results[] = {&summary, &series, NULL};

const wi_subject wi_subject_jackson = WI_UNIFORM_SUBJECT(
    "stations", jackson_subject,
    WI_SECTION(
        "jackson", keys, jackson_asked,
        .doc =
            "An open queueing network of M/M/1 stations, held against theory. See [jackson.md](jackson.md).",
        .place_offset = offsetof(jackson_asked, place)),
    WI_SAMPLES_THEORY, .series = &series, .results = results, .usual = usual, WI_LINES(lines));

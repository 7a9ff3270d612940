/* The queueing network as a scenario's subject: means with their intervals, beside theory. */
#include "scenario/subject/subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/jackson/jackson.h"
#include "output/json.h"
#include "output/series.h"

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

/* Over all stations, from the start. */
typedef struct jackson_totals {
    double busy_ps, customer_ps, visits;
    weir_time at_ps;
} jackson_totals;

typedef struct jackson_subject {
    weir_diag *diag;
    const jackson_params *asked;
    wi_uniform *jackson;
    const weir_sim *sim;
    jackson_totals warm, last; /* at the end of the warm-up, and at the sample before */
    /* of the figures from sample to sample after the warm-up, for the intervals */
    double sum[FIGURES], squares[FIGURES], batches;
    wi_series *series;
    wi_series_table *table;
} jackson_subject;

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    enum { EVENTS = 4, EVENT_BYTES = 64 };
    const jackson_asked *asked = wi_model_params(scenario);
    (void)diag;
    out->entities = asked->params.n_stations;
    out->memory_bytes = out->entities * (sizeof(jackson_station) + sizeof(weir_entity) +
                                         2 * sizeof(weir_time) + EVENTS * EVENT_BYTES);
    return WEIR_OK;
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    const jackson_asked *asked = wi_model_params(scenario);
    jackson_subject *s = *made = calloc(1, sizeof *s);
    weir_estimate size = {0};
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for jackson");
    s->diag = diag;
    s->asked = &asked->params;
    weir_status status = estimate(diag, scenario, &size);
    if (status == WEIR_OK)
        status = wi_memory_check(diag, "stations", size.memory_bytes, asked->place);
    return status == WEIR_OK ? wi_jackson_new(diag, s->asked, &s->jackson) : status;
}

static void release(void *made)
{
    jackson_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->series);
    wi_uniform_free(s->jackson);
    free(s);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_uniform_setup(((jackson_subject *)made)->jackson, setup);
}

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    static const wi_series_column columns[FIGURES] = {{"load", "1"}, {"customers", "1"}, {"sojourn_s", "s"}};
    static const char *const rows[] = {"all"};
    jackson_subject *s = made;
    s->diag = diag;
    const weir_status status = wi_series_open(diag, to, "series.h5", &s->series);
    return status == WEIR_OK && s->series
               ? wi_series_table_add(diag, s->series, "stations", columns, FIGURES, rows, 1, &s->table)
               : status;
}

static weir_status keep(void *made, wi_archiver *k)
{
    jackson_subject *s = made;
    wi_archive_section(k, "results");
    wi_archive(k, &s->warm, sizeof s->warm);
    wi_archive(k, &s->last, sizeof s->last);
    wi_archive(k, s->sum, sizeof s->sum);
    wi_archive(k, s->squares, sizeof s->squares);
    wi_archive(k, &s->batches, sizeof s->batches);
    wi_series_archive(s->series, k);
    return wi_archiver_status(k);
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    (void)diag;
    ((jackson_subject *)made)->sim = sim;
    return WEIR_OK;
}

static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    (void)made, (void)warm, (void)out;
    return false; /* every station's state */
}

static jackson_totals totals_now(const jackson_subject *s)
{
    jackson_totals t = {.at_ps = weir_sim_now(s->sim)};
    for (uint32_t i = 0; i < s->asked->n_stations; i++) {
        jackson_station now = *(const jackson_station *)weir_sim_state(s->sim, i);
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

static weir_status warm(void *made)
{
    jackson_subject *s = made;
    s->warm = s->last = totals_now(s);
    memset(s->sum, 0, sizeof s->sum);
    memset(s->squares, 0, sizeof s->squares);
    s->batches = 0.0;
    return WEIR_OK;
}

static weir_status sample(void *made)
{
    jackson_subject *s = made;
    const jackson_totals now = totals_now(s);
    double figure[FIGURES];
    if (now.at_ps == s->last.at_ps) /* the warm-up's end */
        return WEIR_OK;
    figures(s, &s->last, &now, figure);
    for (int k = 0; k < FIGURES; k++) {
        s->sum[k] += figure[k];
        s->squares[k] += figure[k] * figure[k];
    }
    s->batches++;
    s->last = now;
    return s->table ? wi_series_append(s->diag, s->table, now.at_ps, figure) : WEIR_OK;
}

/* Customers are kept: who came or joined was served or is there, who was served left, joined or is on the way. */
static weir_status check(weir_diag *diag, void *made)
{
    const jackson_subject *s = made;
    for (uint32_t i = 0; i < s->asked->n_stations; i++) {
        const jackson_station *q = weir_sim_state(s->sim, i);
        if (q->came + q->joined != q->served + q->customers || q->left > q->served)
            return weir_fail(diag, WEIR_E_MODEL,
                             "jackson: station %u has lost a customer; this is a fault of weir", i);
    }
    return WEIR_OK;
}

static weir_status finish(void *made)
{
    jackson_subject *s = made;
    const weir_status status = wi_series_close(s->diag, s->series);
    s->series = NULL;
    return status;
}

/* A mean, half of its 95 % interval by the samples, which must be far longer than a customer's stay, and theory. */
static json_t *beside(const jackson_subject *s, int k, double value, double theory)
{
    const double n = s->batches, mean = s->sum[k] / n;
    const double variance = (s->squares[k] - n * mean * mean) / (n - 1.0);
    return json_pack("{s:o, s:o, s:o}", "mean", wi_json_real(value), "ci95",
                     wi_json_real(1.96 * sqrt((variance > 0.0 ? variance : 0.0) / n)), "theory",
                     wi_json_real(theory));
}

static void summarise(const void *made, json_t *summary)
{
    const jackson_subject *s = made;
    const jackson_totals now = totals_now(s);
    const double load = s->asked->load;
    double figure[FIGURES];
    json_t *o = json_object();
    figures(s, &s->warm, &now, figure);
    json_object_set_new(o, "stations", wi_json_count(s->asked->n_stations));
    json_object_set_new(o, "visits", wi_json_real(now.visits - s->warm.visits));
    json_object_set_new(o, "load", beside(s, 0, figure[0], load));
    json_object_set_new(o, "customers", beside(s, 1, figure[1], load / (1.0 - load)));
    json_object_set_new(o, "sojourn_s",
                        beside(s, 2, figure[2], weir_seconds(s->asked->service_ps) / (1.0 - load)));
    json_object_set_new(summary, "jackson", o);
}

static void tell_one(FILE *out, const json_t *o, const char *key, const char *what)
{
    const json_t *figure = json_object_get(o, key);
    fprintf(out, "  %-13s %.4g +- %.2g, theory %.4g%s\n", key, wi_number_of(figure, "mean"),
            wi_number_of(figure, "ci95"), wi_number_of(figure, "theory"), what);
}

static void tell(FILE *out, const json_t *summary)
{
    const json_t *o = json_object_get(summary, "jackson");
    tell_one(out, o, "load", "");
    tell_one(out, o, "customers", " at a station");
    tell_one(out, o, "sojourn_s", " a visit");
}

static const char *const usual[] = {"jackson.load.mean", "jackson.customers.mean", "jackson.sojourn_s.mean",
                                    NULL};

const wi_subject wi_subject_jackson =
    WI_SUBJECT(.section = WI_SECTION("jackson", keys, jackson_asked,
                                     .doc = "An open queueing network of M/M/1 stations, held against "
                                            "theory. See [jackson.md](jackson.md).",
                                     .place_offset = offsetof(jackson_asked, place)),
               .estimate_unbuilt = estimate, .keep = keep, .tell = tell, .usual = usual);

/* M/G/k queues as a scenario's subject: loads and waits with their intervals, beside theory. */
#include "models/mgk/mgk.h"
#include "subject/uniform.h"

typedef struct mgk_asked {
    mgk_params params;
    weir_place place;
} mgk_asked;

static const wi_key keys[] = {
    WI_KEY("queues", count, mgk_asked, params.n_queues, .fallback = "100", .low = "1", .high = "2147483647",
           .also = "stations n", .doc = "queues, all alike; the more, the smaller the intervals"),
    WI_KEY("servers", count, mgk_asked, params.servers, .fallback = "1", .low = "1", .high = "1000000",
           .also = "k c", .doc = "servers of a queue"),
    WI_KEY("load", share, mgk_asked, params.load, .fallback = "50%", .above = "0", .below = "1",
           .also = "utilisation rho", .doc = "share of the time that a server serves"),
    WI_KEY("service", time, mgk_asked, params.service_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .doc = "mean service time"),
    WI_KEY("variability", number, mgk_asked, params.variability, .fallback = "1", .word = "constant",
           .word_value = 0, .low = "0.02", .high = "1000", .also = "scv cv2 c2",
           .doc = "variance of service times over their squared mean: 1 exponential; constant: 0"),
};

#define FIGURES(X)                                                           \
    X("load", "1", "share of the time in which a server serves"),            \
        X("waiting", "1", "customers in the line of a queue"),               \
        X("delayed", "1", "share of customers that found all servers busy"), \
        X("wait_s", "s", "a customer's wait in the line")
static const wi_result_column series_columns[] = {FIGURES(WI_THEORY_SAMPLE)};
static const wi_result_column columns[] = {WI_THEORY_ENTITIES("queues", "queues"),
                                           WI_THEORY_COUNTED("customers", "customers that came"),
                                           FIGURES(WI_THEORY_FIGURE)};
static const wi_result_table series = WI_RESULT(SERIES, "queues", series_columns),
                             summary = WI_RESULT(SUMMARY, "mgk", columns);

typedef struct mgk_subject {
    wi_theory_subject theory; /* first */
    const mgk_params *asked;
} mgk_subject;

enum { CAME, BUSY, WAITING, DELAYED, TOTALS };

static void totals(const void *made, const weir_sim *sim, double *sum)
{
    for (uint32_t i = 0; i < ((const mgk_subject *)made)->asked->n_queues; i++) {
        mgk_queue now = *(const mgk_queue *)weir_sim_state(sim, i);
        mgk_integrate(&now, weir_sim_now(sim));
        sum[CAME] += (double)now.came;
        sum[BUSY] += now.busy_ps;
        sum[WAITING] += now.waiting_ps;
        sum[DELAYED] += (double)now.delayed;
    }
}

/* A wait is the time in line of all over their number (Little). */
static void figures(const void *made, const double *gained, double span_ps, double *out)
{
    const mgk_params *p = ((const mgk_subject *)made)->asked;
    out[0] = gained[BUSY] / (span_ps * p->n_queues * p->servers);
    out[1] = gained[WAITING] / (span_ps * p->n_queues);
    out[2] = gained[DELAYED] / gained[CAME];
    out[3] = 1e-12 * gained[WAITING] / gained[CAME];
}

static void predict(const void *made, double *out)
{
    const mgk_params *p = ((const mgk_subject *)made)->asked;
    const mgk_theory t = wi_mgk_theory(p);
    out[0] = p->load;
    out[1] = t.wait_s * p->load * p->servers / weir_seconds(p->service_ps);
    out[2] = t.delayed;
    out[3] = t.wait_s;
}

static const wi_theory theory = {&summary, TOTALS, 4, totals, figures, predict};

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, const void *made,
                            weir_estimate *out)
{
    const mgk_params *p = &((const mgk_asked *)wi_model_params(scenario))->params;
    (void)diag, (void)made;
    return wi_estimate_entities(out, p->n_queues, sizeof(mgk_queue), 1 + p->servers);
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void *made)
{
    mgk_subject *s = made;
    s->asked = &((const mgk_asked *)wi_model_params(scenario))->params;
    s->theory.theory = &theory;
    s->theory.n_entities = s->asked->n_queues;
    return wi_mgk_new(diag, s->asked, &s->theory.subject.model);
}

/* Who came was served, is served or waits; nobody waits for a free server. */
static weir_status check(void *made, const wi_subject_run *run)
{
    const mgk_params *p = ((const mgk_subject *)made)->asked;
    for (uint32_t i = 0; i < p->n_queues; i++) {
        const mgk_queue *q = weir_sim_state(run->sim, i);
        if (q->came != q->served + q->busy + q->waiting || (q->waiting > 0 && q->busy < p->servers))
            return weir_fail(run->diag, WEIR_E_MODEL,
                             "mgk: queue %u has lost a customer; this is a fault of weir", i);
    }
    return WEIR_OK;
}

static const wi_line lines[] = {FIGURES(WI_THEORY_LINE)};
static const char *const usual[] = {"mgk.load.mean", "mgk.delayed.mean", "mgk.wait_s.mean", NULL};
static const wi_result_table *const results[] = {&summary, &series, NULL};

const wi_subject wi_subject_mgk = WI_UNIFORM_SUBJECT(
    "queues", mgk_subject,
    WI_SECTION("mgk", keys, mgk_asked, .doc = "M/G/k queues, held against theory. See [mgk.md](mgk.md).",
               .place_offset = offsetof(mgk_asked, place)),
    WI_SAMPLES_THEORY, .series = &series, .results = results, .usual = usual, WI_LINES(lines));

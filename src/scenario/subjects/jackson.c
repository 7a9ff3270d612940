/* The queueing network as a scenario's subject: means with their intervals, beside theory. */
#include <math.h>

#include "models/jackson/jackson.h"
#include "subject/uniform.h"

static const wi_key keys[] = {
    WI_KEY("stations", count, jackson_params, n_stations, .fallback = "100", .low = "2", .high = "2147483647",
           .also = "queues servers nodes", .doc = "stations, all alike"),
    WI_KEY("load", share, jackson_params, load, .fallback = "50%", .above = "0", .below = "1",
           .also = "utilisation rho", .doc = "share of the time that a station serves"),
    WI_KEY("leave", share, jackson_params, leave, .fallback = "25%", .above = "0",
           .doc = "chance that a served customer leaves the network; else it goes to another station"),
    WI_KEY("service", time, jackson_params, service_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .doc = "mean of the exponential service time"),
    WI_KEY("transit", time, jackson_params, transit_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .also = "delay lookahead", .doc = "time on the way between two stations; the engines' lookahead"),
};

#define FIGURES(X)                                                 \
    X("load", "1", "share of the time in which a station serves"), \
        X("customers", "1", "customers at a station"),             \
        X("sojourn_s", "s", "a customer's visit at a station")
enum { VISITS, BUSY, CUSTOMERS, TOTALS };

static void add(const void *state, weir_time now_ps, double *sum)
{
    jackson_station now = *(const jackson_station *)state;
    jackson_integrate(&now, now_ps);
    sum[BUSY] += now.busy_ps;
    sum[CUSTOMERS] += now.customer_ps;
    sum[VISITS] += (double)now.served;
}

/* Where nobody has been served there is no sojourn: that of those who stay would be infinite. */
static void figures(const void *params, const double *gained, double span_ps, double *out)
{
    const double all_ps = span_ps * ((const jackson_params *)params)->n_stations;
    out[0] = gained[BUSY] / all_ps;
    out[1] = gained[CUSTOMERS] / all_ps;
    out[2] = gained[VISITS] > 0.0 ? 1e-12 * gained[CUSTOMERS] / gained[VISITS] : (double)NAN;
}

static void predict(const void *params, double *out)
{
    const jackson_params *p = params;
    out[0] = p->load;
    out[1] = p->load / (1.0 - p->load);
    out[2] = weir_seconds(p->service_ps) / (1.0 - p->load);
}

/* A line fills by diffusion. A customer visits 1 / leave stations, so that many customers come from lines that fill
 * themselves, and the last ones after so many sojourns and ways. */
static double fill_s(const void *params)
{
    const jackson_params *p = params;
    const double idle = 1.0 - p->load, service_s = weir_seconds(p->service_ps), more = 1.0 / p->leave - 1.0;
    return service_s / (idle * idle) * (1.0 + 0.5 * more) +
           (service_s / idle + weir_seconds(p->transit_ps)) * more;
}

/* Customers are kept: who came or joined was served or is there, who was served left, joined or is on the way. Integrals are
 * those of the time. */
static bool is_sound(const void *params, const void *state)
{
    const jackson_station *s = state;
    (void)params;
    return s->came + s->joined == s->served + s->customers && s->left <= s->served && s->since_ps >= 0 &&
           s->busy_ps >= 0.0 && s->busy_ps <= (double)s->since_ps && s->customer_ps >= s->busy_ps &&
           s->customer_ps <= (double)s->since_ps * UINT32_MAX;
}

static const char *const usual[] = {"jackson.load.mean", "jackson.customers.mean", "jackson.sojourn_s.mean",
                                    NULL};
WI_THEORY_SUBJECT(
    jackson, "stations", "visits", "visits of customers that ended", FIGURES,
    "An open queueing network of M/M/1 stations, held against theory. See [jackson.md](jackson.md).");

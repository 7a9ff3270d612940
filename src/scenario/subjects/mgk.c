/* M/G/k queues as a scenario's subject: loads and waits with their intervals, beside theory. */
#include <math.h>

#include "models/mgk/mgk.h"
#include "subject/uniform.h"

static const wi_key keys[] = {
    WI_KEY("queues", count, mgk_params, n_queues, .fallback = "100", .low = "1", .high = "2147483647",
           .also = "stations n", .doc = "queues, all alike; the more, the smaller the intervals"),
    WI_KEY("servers", count, mgk_params, servers, .fallback = "1", .low = "1", .high = "1000000",
           .also = "k c", .doc = "servers of a queue"),
    WI_KEY("load", share, mgk_params, load, .fallback = "50%", .above = "0", .below = "1",
           .also = "utilisation rho", .doc = "share of the time that a server serves"),
    WI_KEY("service", time, mgk_params, service_ps, .fallback = "1ms", .above = "0s", .high = "1d",
           .doc = "mean service time"),
    WI_KEY("variability", number, mgk_params, variability, .fallback = "1", .word = "constant",
           .word_value = 0, .low = "0.02", .high = "1000", .also = "scv cv2 c2",
           .doc = "variance of service times over their squared mean: 1 exponential; constant: 0"),
};

#define FIGURES(X)                                                           \
    X("load", "1", "share of the time in which a server serves"),            \
        X("waiting", "1", "customers in the line of a queue"),               \
        X("delayed", "1", "share of customers that found all servers busy"), \
        X("wait_s", "s", "a customer's wait in the line")
enum { CAME, BUSY, WAITING, DELAYED, TOTALS };

static void add(const void *state, weir_time now_ps, double *sum)
{
    mgk_queue now = *(const mgk_queue *)state;
    mgk_integrate(&now, now_ps);
    sum[CAME] += (double)now.came;
    sum[BUSY] += now.busy_ps;
    sum[WAITING] += now.waiting_ps;
    sum[DELAYED] += (double)now.delayed;
}

/* A wait is the time in line of all over their number (Little); where nobody came, that of those who wait on would be infinite. */
static void figures(const void *params, const double *gained, double span_ps, double *out)
{
    const mgk_params *p = params;
    out[0] = gained[BUSY] / (span_ps * p->n_queues * p->servers);
    out[1] = gained[WAITING] / (span_ps * p->n_queues);
    const double came = gained[CAME] > 0.0 ? gained[CAME] : (double)NAN;
    out[2] = gained[DELAYED] / came;
    out[3] = 1e-12 * gained[WAITING] / came;
}

static void predict(const void *params, double *out)
{
    const mgk_params *p = params;
    const mgk_theory t = wi_mgk_theory(p);
    out[0] = p->load;
    out[1] = t.wait_s * p->load * p->servers / weir_seconds(p->service_ps);
    out[2] = t.delayed;
    out[3] = t.wait_s;
}

/* Servers fill in some service times, and then the line by diffusion. */
static double fill_s(const void *params)
{
    const mgk_params *p = params;
    const double idle = 1.0 - p->load;
    return weir_seconds(p->service_ps) * (3.0 + 0.5 * (1.0 + p->variability) / (p->servers * idle * idle));
}

/* Customers are kept, nobody waits for a server that is free, and integrals are those of its time. */
static bool is_sound(const void *params, const void *state)
{
    const mgk_queue *q = state;
    return q->came == q->served + q->busy + q->waiting && q->delayed <= q->came && q->since_ps >= 0 &&
           (q->waiting == 0 || q->busy >= ((const mgk_params *)params)->servers) && q->busy_ps >= 0.0 &&
           q->waiting_ps >= 0.0;
}

static const char *const usual[] = {"mgk.load.mean", "mgk.delayed.mean", "mgk.wait_s.mean", NULL};
WI_THEORY_SUBJECT(mgk, "queues", "customers", "customers that came", FIGURES,
                  "M/G/k queues, held against theory. See [mgk.md](mgk.md).");

/* Totals, quantiles, occupancy and conservation of a Kademlia run. */
#include "models/kademlia/stats.h"

#include <math.h>
#include <string.h>

static int64_t of_kind(const int64_t *counters, uint32_t kind, uint32_t what)
{
    return counters[kad_kind_counter(kind, what)];
}

kad_totals wi_kad_totals(const int64_t *counters)
{
    kad_totals t = {0};
    for (uint32_t kind = 0; kind < KAD_JOIN; kind++) {
        t.started += of_kind(counters, kind, KAD_STARTED);
        t.finished += of_kind(counters, kind, KAD_FINISHED);
        t.aborted += of_kind(counters, kind, KAD_ABORTED);
        t.succeeded += of_kind(counters, kind, KAD_SUCCEEDED);
        t.exact += of_kind(counters, kind, KAD_EXACT);
        t.found += of_kind(counters, kind, KAD_FOUND);
    }
    t.judged = t.finished - t.found;
    t.sought = of_kind(counters, KAD_FIND_VALUE, KAD_FINISHED);
    return t;
}

static int64_t sum_of(const int64_t *bin, uint32_t bins)
{
    uint64_t sum = 0; /* of a forged checkpoint it may wrap */
    for (uint32_t i = 0; i < bins; i++)
        sum += (uint64_t)bin[i];
    return (int64_t)sum;
}

double wi_kad_mean(const int64_t *bin, uint32_t bins)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < bins; i++)
        sum += (double)bin[i] * i;
    return sum / (double)sum_of(bin, bins); /* 0/0 is the NaN that is wanted */
}

double wi_kad_quantile(const int64_t *bin, uint32_t bins, double q)
{
    const int64_t n = sum_of(bin, bins);
    uint64_t below = 0;
    for (uint32_t i = 0; i < bins; i++) {
        below += (uint64_t)bin[i];
        if (n > 0 && (double)below >= q * (double)n)
            return i;
    }
    return (double)NAN;
}

double wi_kad_latency_quantile_s(const int64_t *counters, double q)
{
    const double bin = wi_kad_quantile(counters + KAD_LATENCY, KAD_LATENCY_BINS, q);
    if (isnan(bin))
        return bin;
    const weir_time low_ps = kad_latency_bin_low((uint32_t)bin),
                    high_ps = kad_latency_bin_low((uint32_t)bin + 1);
    return 0.5 * (weir_seconds(low_ps) + weir_seconds(high_ps));
}

void wi_kad_occupancy(const wi_kad *kad, const weir_sim *sim, kad_occupancy *out)
{
    const kad_world *w = wi_kad_world(kad);
    memset(out, 0, w->n_buckets * sizeof *out);
    for (uint32_t e = 0; e < w->n_peers; e++) {
        void *peer = weir_sim_state(sim, e);
        for (uint32_t b = 0; b < w->n_buckets; b++) {
            const uint32_t *slot = kad_bucket(w, peer, b);
            uint32_t n = 0;
            while (n < w->k && slot[n] != KAD_NONE)
                n++;
            out[b].mean += n;
            out[b].full += n == w->k;
        }
    }
    for (uint32_t b = 0; b < w->n_buckets; b++) {
        const double share = ldexp(1.0, -(int)(b + 1 < w->n_buckets ? b + 1 : b));
        out[b].mean /= w->n_peers;
        out[b].full /= w->n_peers;
        out[b].range = share * (w->n_peers - 1.0);
    }
}

/* Requests and lookups that are under way. */
typedef struct kad_open {
    int64_t requests, lookups;
} kad_open;

static kad_open under_way(const wi_kad *kad, const weir_sim *sim)
{
    const kad_world *w = wi_kad_world(kad);
    kad_open open = {0};
    for (uint32_t e = 0; e < w->n_peers; e++)
        for (uint32_t i = 0; i < w->lookups; i++) {
            const kad_lookup *l = kad_lookup_at(w, weir_sim_state(sim, e), i);
            open.requests += l->n_flight;
            open.lookups += l->active;
        }
    return open;
}

weir_status wi_kad_check(weir_diag *diag, const wi_kad *kad, const weir_sim *sim)
{
    const int64_t *c = weir_sim_counters(sim);
    const kad_open open = under_way(kad, sim);
    const int64_t ended = c[KAD_COUNT_RESPONSES] + c[KAD_COUNT_TIMEOUTS] + c[KAD_COUNT_ABANDONED];
    int64_t started = 0, over = 0;
    for (uint32_t kind = 0; kind < KAD_LOOKUP_KINDS; kind++) {
        started += of_kind(c, kind, KAD_STARTED);
        over += of_kind(c, kind, KAD_FINISHED) + of_kind(c, kind, KAD_ABORTED);
    }
    if (c[KAD_COUNT_REQUESTS] != ended + open.requests)
        return weir_fail(
            diag, WEIR_E_MODEL,
            "kademlia: %lld requests were sent, but %lld ended and %lld are open; this is a fault of weir",
            (long long)c[KAD_COUNT_REQUESTS], (long long)ended, (long long)open.requests);
    if (started != over + open.lookups)
        return weir_fail(
            diag, WEIR_E_MODEL,
            "kademlia: %lld lookups began, but %lld ended and %lld are open; this is a fault of weir",
            (long long)started, (long long)over, (long long)open.lookups);
    return WEIR_OK;
}

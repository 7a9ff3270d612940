/* The director; see its header. */
#include "surrogate/director.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "weir/digest.h"

enum { BATCHES_MAX = 64, SHIFT_TIMES = 2, QUARTERS = 4 };

typedef struct batch {
    double latency_s, occupancy;
    double sent_per_s, delivered_per_s; /* packets */
    double growth;                      /* of the backlog */
} batch;

enum { PATIENCE_MOST = 64 };

enum { GIVEN, NOT_SETTLED, STATIONARY, PLANNED, CHANGED, LONGEST, REASONS };
static const char *const reasons[REASONS] = {[GIVEN] = "given",
                                             [NOT_SETTLED] = "not settled",
                                             [STATIONARY] = "stationary",
                                             [PLANNED] = "a job begins or ends",
                                             [CHANGED] = "traffic changed",
                                             [LONGEST] = "longest"};

struct wi_director {
    wi_director_params params;
    wi_director_model model;
    wi_period *periods;
    size_t period; /* the next, or the one under way */
    bool tracking, round;
    /* given: quarters of the tracked period that are over, and what was seen before them and at their ends */
    int quarters;
    wi_director_view seen[QUARTERS + 1];
    weir_time round_from_ps, round_ps;
    /* automatic */
    batch batch[BATCHES_MAX]; /* the last ones, the oldest first */
    uint32_t n_batches;
    wi_director_view last;
    weir_time last_ps;
    batch tracked;     /* means of the tracked ones */
    uint32_t changed;  /* batches after each other that were not like them */
    uint32_t patience; /* how often after each other halves must be alike before a switch */
    uint32_t calm;     /* that were */
    wi_decision *log;
    size_t n_log;
};

#define FAIL_IN(diag, at, ...) weir_fail_at(diag, WEIR_E_ARG, WEIR_AT(at), __VA_ARGS__)

static weir_status check_periods(weir_diag *diag, const wi_director_params *p)
{
    weir_time free_ps = 0;
    for (size_t i = 0; i < p->n_periods; i++) {
        const wi_period *q = &p->periods[i];
        if (q->from_ps >= q->until_ps)
            return FAIL_IN(diag, q->place, "surrogate: period %zu is empty: it lasts from %.9f to %.9f s",
                           i + 1, weir_seconds(q->from_ps), weir_seconds(q->until_ps));
        if (q->from_ps < free_ps)
            return FAIL_IN(diag, q->place,
                           "surrogate: period %zu begins at %.9f s, before the one before it ends", i + 1,
                           weir_seconds(q->from_ps));
        if (q->track_ps <= 0 || q->from_ps - q->track_ps < free_ps)
            return FAIL_IN(diag, q->place,
                           "surrogate: period %zu tracks %.9f s of latencies before it; want more than none, "
                           "and no more than lie before it in detail, %.9f s",
                           i + 1, weir_seconds(q->track_ps), weir_seconds(q->from_ps - free_ps));
        free_ps = q->until_ps;
    }
    return WEIR_OK;
}

static weir_status check_params(weir_diag *diag, const wi_director_params *p)
{
    if (p->periods)
        return p->n_periods
                   ? check_periods(diag, p)
                   : FAIL_IN(diag, p->place, "surrogate: an empty list of periods; want one, or automatic");
    if (p->longest_ps < p->batch_ps)
        return FAIL_IN(diag, p->place, "surrogate: batches of %.9f s; want no more than `longest`",
                       weir_seconds(p->batch_ps));
    if (p->batches % 2)
        return FAIL_IN(diag, p->place, "surrogate: %u batches; want an even number from 4 to 64", p->batches);
    return WEIR_OK;
}

weir_status wi_director_new(weir_diag *diag, const wi_director_params *params, const wi_director_model *model,
                            wi_director **out)
{
    *out = NULL;
    WI_RETURN_IF_FAILED(check_params(diag, params));
    wi_director *d = calloc(1, sizeof *d);
    wi_period *periods = calloc(params->n_periods + 1, sizeof *periods);
    if (!d || !periods) {
        free(d);
        free(periods);
        return weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory");
    }
    if (params->periods)
        memcpy(periods, params->periods, params->n_periods * sizeof *periods);
    d->params = *params;
    d->params.periods = params->periods ? periods : NULL;
    d->periods = periods;
    d->model = *model;
    d->patience = 1;
    *out = d;
    return WEIR_OK;
}

void wi_director_free(wi_director *d)
{
    if (!d)
        return;
    free(d->periods);
    free(d->log);
    free(d);
}

weir_time wi_director_first(const wi_director *d)
{
    if (!d->params.periods)
        return d->params.batch_ps;
    return d->periods[0].from_ps - d->periods[0].track_ps;
}

static weir_status note(weir_diag *diag, wi_director *d, wi_decision decision)
{
    if (!wi_grow_one(&d->log, d->n_log, sizeof *d->log))
        return weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory for its log");
    d->log[d->n_log++] = decision;
    return WEIR_OK;
}

static weir_status go_round(weir_diag *diag, wi_director *d, wi_decision why, weir_time next_ps)
{
    d->round = true;
    d->tracking = false;
    d->round_from_ps = why.at_ps;
    why.round = true;
    return d->model.go_round(diag, d->model.user, d->params.mode, next_ps) ?: note(diag, d, why);
}

static weir_status come_back(weir_diag *diag, wi_director *d, wi_decision why)
{
    d->round = false;
    d->round_ps += why.at_ps - d->round_from_ps;
    why.round = false;
    return d->model.come_back(diag, d->model.user, d->params.mode) ?: note(diag, d, why);
}

static wi_decision unasked(weir_time at_ps, const char *reason)
{
    return (wi_decision){.at_ps = at_ps,
                         .reason = reason,
                         .latency_old_s = NAN,
                         .latency_new_s = NAN,
                         .occupancy_old = NAN,
                         .occupancy_new = NAN,
                         .packets_per_s = NAN,
                         .delivered_per_s = NAN,
                         .backlog_growth = NAN,
                         .shift = NAN};
}

/* Note the backlog at a quarter's end, which is a stop point; *next_ps is when the next one ends. */
static weir_status see_quarter(weir_diag *diag, wi_director *d, weir_time *next_ps)
{
    const wi_period *p = &d->periods[d->period];
    *next_ps = p->from_ps - p->track_ps / QUARTERS * (QUARTERS - 1 - d->quarters);
    return d->model.look(diag, d->model.user, &d->seen[d->quarters]);
}

/* Begin the tracking of the next period. */
static weir_status track_given(weir_diag *diag, wi_director *d, weir_time *next_ps)
{
    d->tracking = true;
    d->quarters = 0;
    return d->model.track(diag, d->model.user) ?: see_quarter(diag, d, next_ps);
}

/* The period is over, or left out; at once the next one's tracking may begin. */
static weir_status end_given(weir_diag *diag, wi_director *d, weir_time now_ps, weir_time *next_ps)
{
    const wi_period *p = &d->periods[++d->period];
    d->tracking = false;
    *next_ps = d->period < d->params.n_periods ? p->from_ps - p->track_ps : WEIR_TIME_MAX;
    return *next_ps == now_ps ? track_given(diag, d, next_ps) : WEIR_OK;
}

/* The mean of what each quarter had, and its standard error. */
static double mean_of_quarters(const double *had, double *error)
{
    double mean = 0.0, squares = 0.0;
    for (int i = 0; i < QUARTERS; i++)
        mean += had[i] / QUARTERS;
    for (int i = 0; i < QUARTERS; i++)
        squares += (had[i] - mean) * (had[i] - mean);
    *error = sqrt(squares / (QUARTERS - 1) / QUARTERS);
    return mean;
}

/* The standard error of the wait and latency that a packet has in the mean in a period of backlogs that grow, relative to
 * these; 0 where they do not grow. */
static double growth_error(const wi_director *d, const wi_period *p, wi_decision *why)
{
    const double quarter_s = weir_seconds(p->track_ps) / QUARTERS,
                 half_s = 0.5 * weir_seconds(p->until_ps - p->from_ps);
    const wi_director_view *const last = &d->seen[QUARTERS];
    double growth[QUARTERS], error;
    for (int i = 0; i < QUARTERS; i++)
        growth[i] = (d->seen[i + 1].backlog_s - d->seen[i].backlog_s) / quarter_s;
    const double mean = mean_of_quarters(growth, &error);
    const int64_t packets = last->packets - d->seen[0].packets;
    why->backlog_growth = mean;
    why->latency_new_s =
        packets ? 1e-12 * (double)(last->latency_ps - d->seen[0].latency_ps) / (double)packets : NAN;
    return packets && mean > 2.0 * error
               ? error * half_s / (last->backlog_s + mean * half_s + why->latency_new_s)
               : 0.0;
}

static weir_time next_change(const wi_director *d, weir_time after_ps)
{
    return d->params.next_change ? d->params.next_change(d->params.traffic, after_ps) : WEIR_TIME_MAX;
}

/* When traffic begins or ends by plan in the period or its tracking; as late as its end: it does not. */
static weir_time planned_change(const wi_director *d)
{
    const wi_period *p = &d->periods[d->period];
    return next_change(d, p->from_ps - p->track_ps);
}

/* Whether no traffic does; else a warning. */
static bool is_planned_alike(weir_diag *diag, const wi_director *d)
{
    const wi_period *p = &d->periods[d->period];
    const weir_time change_ps = planned_change(d);
    if (change_ps < p->until_ps && !d->params.always)
        weir_warn_at(
            diag, WEIR_AT(p->place),
            "surrogate: the network stays in full detail in period %zu: a job begins or ends at %g s; "
            "have no such time in it or while it is tracked, or set `when: always`",
            d->period + 1, weir_seconds(change_ps));
    return change_ps >= p->until_ps;
}

/* Whether what was tracked predicts the period; else a warning. */
static weir_status is_settled(weir_diag *diag, wi_director *d, wi_decision *why, bool *settled)
{
    const wi_period *p = &d->periods[d->period];
    const double tolerance = d->params.tolerance, error = growth_error(d, p, why);
    wi_drift drift;
    const weir_status status = d->model.drift(diag, d->model.user, &drift);
    why->shift = drift.halves;
    const bool drifts = drift.halves > SHIFT_TIMES * tolerance && drift.halves > drift.quarters;
    *settled = !drifts && error <= tolerance;
    if (status == WEIR_OK && !*settled && !d->params.always)
        weir_warn_at(diag, WEIR_AT(p->place),
                     "surrogate: the network stays in full detail in period %zu: %s by %.0f %%; track longer "
                     "or later, or set `when: always`",
                     d->period + 1,
                     drifts ? "between the halves of what was tracked latencies of single sources differ"
                            : "the growth of backlogs that was tracked leaves wait and latency uncertain",
                     100.0 * (drifts ? drift.halves : error));
    return status;
}

static void note_rates(wi_decision *why, const wi_director_view *from, const wi_director_view *to,
                       weir_time span_ps)
{
    why->packets_per_s = (double)(to->sent - from->sent) / weir_seconds(span_ps);
    why->delivered_per_s = (double)(to->packets - from->packets) / weir_seconds(span_ps);
}

/* The period begins, or is left out. */
static weir_status decide_given(weir_diag *diag, wi_director *d, weir_time now_ps, weir_time *next_ps)
{
    wi_decision why = unasked(now_ps, reasons[GIVEN]);
    bool settled = true;
    weir_status status = WEIR_OK;
    if (++d->quarters == QUARTERS) { /* else the tracked period is less than four picoseconds */
        status = see_quarter(diag, d, next_ps) ?: is_settled(diag, d, &why, &settled);
        note_rates(&why, &d->seen[0], &d->seen[QUARTERS], d->periods[d->period].track_ps);
    }
    if (status != WEIR_OK)
        return status;
    settled = settled && is_planned_alike(diag, d);
    if (settled || d->params.always) {
        *next_ps = d->periods[d->period].until_ps;
        return go_round(diag, d, why, *next_ps);
    }
    why.reason = reasons[NOT_SETTLED];
    return note(diag, d, why) ?: end_given(diag, d, now_ps, next_ps);
}

/* The period is over: a warning where the surrogate delivered another rate than what was tracked, by more than `tolerance` and
 * what quarters differ by. Their error is known from four of them alone, hence the many standard errors. */
static weir_status review_given(weir_diag *diag, wi_director *d, wi_decision *why)
{
    enum { ERRORS = 6 };
    const wi_period *p = &d->periods[d->period];
    const double quarter_s = weir_seconds(p->track_ps) / QUARTERS,
                 round_s = weir_seconds(p->until_ps - p->from_ps);
    double rate[QUARTERS], error;
    wi_director_view now;
    WI_RETURN_IF_FAILED(d->model.look(diag, d->model.user, &now));
    note_rates(why, &d->seen[QUARTERS], &now, p->until_ps - p->from_ps);
    for (int i = 0; i < QUARTERS; i++)
        rate[i] = (double)(d->seen[i + 1].packets - d->seen[i].packets) / quarter_s;
    const double tracked = mean_of_quarters(rate, &error), differs = fabs(why->delivered_per_s - tracked);
    error = fmax(error, sqrt(tracked / (QUARTERS * quarter_s))); /* that of a count */
    if (d->quarters < QUARTERS || planned_change(d) < p->until_ps ||
        differs <= d->params.tolerance * tracked ||
        differs <= ERRORS * error * sqrt(1.0 + 4.0 * quarter_s / round_s))
        return WEIR_OK;
    weir_warn_at(
        diag, WEIR_AT(p->place),
        "surrogate: in period %zu %.3g packets a second were delivered, and %.3g while it was tracked: what "
        "was tracked does not tell what the network would have done; compare with full detail",
        d->period + 1, why->delivered_per_s, tracked);
    return WEIR_OK;
}

weir_status wi_director_end(weir_diag *diag, wi_director *d, weir_time now_ps)
{
    wi_decision why = unasked(now_ps, reasons[GIVEN]);
    return d->round && d->params.periods && now_ps == d->periods[d->period].until_ps
               ? review_given(diag, d, &why)
               : WEIR_OK;
}

static weir_status call_given(weir_diag *diag, wi_director *d, weir_time now_ps, weir_time *next_ps)
{
    if (d->round) {
        wi_decision why = unasked(now_ps, reasons[GIVEN]);
        return review_given(diag, d, &why) ?: come_back(diag, d, why) ?: end_given(diag, d, now_ps, next_ps);
    }
    if (!d->tracking)
        return track_given(diag, d, next_ps);
    if (now_ps == d->periods[d->period].from_ps)
        return decide_given(diag, d, now_ps, next_ps);
    d->quarters++;
    return d->model.mark(diag, d->model.user) ?: see_quarter(diag, d, next_ps);
}

/* What happened since the last call, as a batch. */
static weir_status add_batch(weir_diag *diag, wi_director *d, weir_time now_ps)
{
    wi_director_view now;
    WI_RETURN_IF_FAILED(d->model.look(diag, d->model.user, &now));
    const int64_t packets = now.packets - d->last.packets;
    const double span_s = weir_seconds(now_ps - d->last_ps);
    if (d->n_batches == d->params.batches) {
        memmove(d->batch, d->batch + 1, (d->params.batches - 1) * sizeof *d->batch);
        d->n_batches--;
    }
    d->batch[d->n_batches++] = (batch){
        .sent_per_s = (double)(now.sent - d->last.sent) / span_s,
        .delivered_per_s = (double)packets / span_s,
        .growth = (now.backlog_s - d->last.backlog_s) / span_s,
        .latency_s = packets ? 1e-12 * (double)(now.latency_ps - d->last.latency_ps) / (double)packets : NAN,
        .occupancy = (double)now.occupancy};
    d->last = now;
    d->last_ps = now_ps;
    return WEIR_OK;
}

static int alike(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * 0.5 * (a + b); /* false for NaN */
}

static batch mean_of(const batch *b, uint32_t n)
{
    batch mean = {0};
    for (uint32_t i = 0; i < n; i++) {
        mean.latency_s += b[i].latency_s / n;
        mean.occupancy += b[i].occupancy / n;
        mean.sent_per_s += b[i].sent_per_s / n;
        mean.delivered_per_s += b[i].delivered_per_s / n;
        mean.growth += b[i].growth / n;
    }
    return mean;
}

/* Whether as much is sent and delivered. */
static int moves_alike(const batch *a, const batch *b, double tolerance)
{
    return alike(a->sent_per_s, b->sent_per_s, tolerance) &&
           alike(a->delivered_per_s, b->delivered_per_s, tolerance) &&
           fabs(a->growth - b->growth) <= tolerance;
}

/* The means of both halves, into `why`; whether they are alike. */
static int is_stationary(wi_director *d, wi_decision *why)
{
    const uint32_t half = d->params.batches / 2;
    const double tolerance = d->params.tolerance;
    const batch old = mean_of(d->batch, half);
    d->tracked = mean_of(d->batch + half, half);
    why->latency_old_s = old.latency_s;
    why->latency_new_s = d->tracked.latency_s;
    why->occupancy_old = old.occupancy;
    why->occupancy_new = d->tracked.occupancy;
    if (!alike(old.latency_s, d->tracked.latency_s, tolerance) ||
        !alike(old.occupancy, d->tracked.occupancy, tolerance) || !moves_alike(&old, &d->tracked, tolerance))
        return 0;
    why->shift = d->model.shift(d->model.user);
    return why->shift <= SHIFT_TIMES * tolerance;
}

/* Round the network: whether to go on with it, or why not. */
static const char *reason_to_return(wi_director *d, weir_time now_ps)
{
    const wi_director_params *p = &d->params;
    const batch *last = &d->batch[d->n_batches - 1];
    d->changed = moves_alike(last, &d->tracked, p->change) ? 0 : d->changed + 1;
    if (next_change(d, now_ps - 1) == now_ps) {
        d->patience = 1;
        return reasons[PLANNED];
    }
    const weir_time round_ps = now_ps - d->round_from_ps,
                    watched_ps = d->patience * (p->batches / 2) * p->batch_ps;
    if (d->changed >= 2) {
        d->patience = round_ps > watched_ps             ? 1
                      : 2 * d->patience > PATIENCE_MOST ? PATIENCE_MOST
                                                        : 2 * d->patience;
        return reasons[CHANGED];
    }
    if (round_ps < p->longest_ps)
        return NULL;
    d->patience = 1;
    return reasons[LONGEST];
}

static weir_status call_automatic(weir_diag *diag, wi_director *d, weir_time now_ps, weir_time *next_ps)
{
    const wi_director_params *p = &d->params;
    const uint32_t half = p->batches / 2;
    WI_RETURN_IF_FAILED(add_batch(diag, d, now_ps));
    *next_ps = now_ps + p->batch_ps;
    wi_decision why = unasked(now_ps, reasons[STATIONARY]);
    why.packets_per_s = d->batch[d->n_batches - 1].sent_per_s;
    why.delivered_per_s = d->batch[d->n_batches - 1].delivered_per_s;
    why.backlog_growth = d->batch[d->n_batches - 1].growth;
    const weir_time change_ps = next_change(d, now_ps);
    if (d->round) {
        why.reason = reason_to_return(d, now_ps);
        if (!why.reason) {
            *next_ps = *next_ps < change_ps ? *next_ps : change_ps;
            return d->model.plan(diag, d->model.user, *next_ps);
        }
        d->n_batches = 0;
        d->tracking = false;
        return come_back(diag, d, why);
    }
    if (!d->tracking) { /* the first batch after a switch belongs to both worlds: it is not kept */
        d->tracking = true;
        d->n_batches = d->calm = 0;
        return d->model.track(diag, d->model.user);
    }
    if (d->n_batches % half)
        return WEIR_OK;
    if (d->n_batches == p->batches) {
        d->calm = is_stationary(d, &why) ? d->calm + 1 : 0;
        if (d->calm >= d->patience && change_ps > *next_ps) {
            d->changed = 0;
            return go_round(diag, d, why, *next_ps);
        }
        memmove(d->batch, d->batch + half, half * sizeof *d->batch);
        d->n_batches = half;
    }
    return d->model.track(diag, d->model.user); /* the newer half counts for the predictor */
}

weir_status wi_director_call(weir_diag *diag, wi_director *d, weir_time now_ps, weir_time *next_ps)
{
    return d->params.periods ? call_given(diag, d, now_ps, next_ps)
                             : call_automatic(diag, d, now_ps, next_ps);
}

const wi_decision *wi_director_log(const wi_director *d, size_t *n)
{
    *n = d->n_log;
    return d->log;
}

weir_time wi_director_round_ps(const wi_director *d, weir_time now_ps)
{
    return d->round_ps + (d->round ? now_ps - d->round_from_ps : 0);
}

uint64_t wi_director_digest(const wi_director *d)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < d->n_log; i++)
        digest = weir_digest_word(digest, (uint64_t)d->log[i].at_ps * 2 + d->log[i].round);
    return weir_digest_word(digest, (uint64_t)d->round_from_ps);
}

/* ---- checkpoints ---- */

static void archive_decision(wi_archiver *k, wi_decision *d)
{
    uint64_t reason = 0;
    while (reason + 1 < REASONS && reasons[reason] != d->reason)
        reason++;
    wi_archive(k, &reason, sizeof reason);
    wi_archive(k, &d->at_ps, sizeof d->at_ps);
    wi_archive_flag(k, &d->round);
    double *const figures[] = {&d->latency_old_s, &d->latency_new_s,   &d->occupancy_old,  &d->occupancy_new,
                               &d->packets_per_s, &d->delivered_per_s, &d->backlog_growth, &d->shift};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        wi_archive(k, figures[i], sizeof *figures[i]);
    d->reason = reasons[reason < REASONS ? reason : 0];
}

static void archive_log(wi_director *d, wi_archiver *k)
{
    const uint64_t n = wi_archive_count(k, d->n_log, sizeof(uint64_t));
    for (uint64_t i = 0; i < n && k->status == WEIR_OK; i++) {
        wi_decision one = {0};
        if (!wi_archiver_reads(k))
            one = d->log[i];
        archive_decision(k, &one);
        if (wi_archiver_reads(k))
            wi_archiver_fail(k, note(k->diag, d, one));
    }
}

void wi_director_archive(wi_director *d, wi_archiver *k)
{
    uint64_t period = d->period, quarters = (uint64_t)d->quarters;
    wi_archive_section(k, "director");
    wi_archive(k, &period, sizeof period);
    wi_archive(k, &quarters, sizeof quarters);
    wi_archive_flag(k, &d->tracking);
    wi_archive_flag(k, &d->round);
    wi_archive(k, d->seen, sizeof d->seen);
    wi_archive(k, &d->round_from_ps, sizeof d->round_from_ps);
    wi_archive(k, &d->round_ps, sizeof d->round_ps);
    wi_archive(k, d->batch, sizeof d->batch);
    wi_archive(k, &d->last, sizeof d->last);
    wi_archive(k, &d->last_ps, sizeof d->last_ps);
    wi_archive(k, &d->tracked, sizeof d->tracked);
    uint32_t *const counts[] = {&d->n_batches, &d->changed, &d->patience, &d->calm};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        wi_archive(k, counts[i], sizeof *counts[i]);
    archive_log(d, k);
    const bool given = d->params.periods != NULL, past = period == d->params.n_periods;
    if (period > d->params.n_periods || quarters > QUARTERS || d->n_batches > d->params.batches ||
        d->patience < 1 || d->patience > PATIENCE_MOST || (given && past && (d->round || d->tracking)))
        wi_archiver_fail(
            k, weir_fail(k->diag, WEIR_E_FORMAT, "damaged: counts that cannot be, in section 'director'"));
    else {
        d->period = period;
        d->quarters = (int)quarters;
    }
}

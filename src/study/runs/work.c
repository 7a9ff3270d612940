/* The queue of runs. */
#include "study/runs/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/order.h"
#include "ranks/cores.h"

struct wi_work {
    weir_study *s;
    weir_study_options options;
    pthread_mutex_t lock;
    wi_job *queue; /* [n], of which the first `head` are given out */
    size_t head, n;
    size_t n_first; /* one run of each point: what follows is sorted when these are given out */
    bool sorted;
    size_t in_flight, over, failed, reused;
    double began_s, shown_s, busy_s; /* busy_s: sum of the runs' times, of this call */
    size_t timed;
    weir_status status;
};

static bool is_of_shard(const weir_study_options *o, bool by_point, wi_job job, size_t index)
{
    return o->shards < 2 || (by_point ? job.point : index) % o->shards == o->shard - 1;
}

static bool push(wi_work *w, wi_job job)
{
    if (!wi_grow_one(&w->queue, w->n, sizeof *w->queue))
        return false;
    w->queue[w->n++] = job;
    return true;
}

static bool has_row(const wi_point *p, uint32_t replication)
{
    return replication < p->rooms && p->row[replication];
}

/* Queues replication by replication, so that each point is run once before any is run twice. */
static bool fill(wi_work *w)
{
    weir_study *s = w->s;
    uint32_t most = 0;
    const bool by_point = s->scenario->study.until_precision > 0.0;
    for (uint32_t i = 0; i < s->n_points; i++)
        most = s->points[i].want > most ? s->points[i].want : most;
    for (uint32_t r = 0; r < most; r++) {
        for (uint32_t i = 0; i < s->n_points; i++) {
            const wi_job job = {i, r};
            if (r >= s->points[i].want || !is_of_shard(&w->options, by_point, job, (size_t)i * most + r))
                continue;
            if (has_row(&s->points[i], r)) {
                w->over++;
                w->reused++;
                w->failed += s->points[i].row[r]->status != WEIR_OK;
            } else if (!push(w, job)) {
                return false;
            }
        }
        if (r == 0)
            w->n_first = w->n;
    }
    return true;
}

/* ---- longest first ---- */

static double cost_of(const wi_work *w, const wi_point *p)
{
    if (p->done > 0)
        return p->wall_s / p->done;
    if (!isnan(p->cost_s))
        return p->cost_s;
    return w->timed ? w->busy_s / (double)w->timed : 0.0;
}

typedef struct weighed {
    double cost;
    wi_job job;
} weighed;

WI_ORDER_BY(longest_first, weighed,
            WI_ORDER(y->cost, x->cost) ?: WI_ORDER(x->job.point, y->job.point)
                ?: WI_ORDER(x->job.replication, y->job.replication))

static void sort_rest(wi_work *w)
{
    const size_t n = w->n - w->head;
    weighed *rest = malloc((n + 1) * sizeof *rest);
    w->sorted = true;
    for (size_t i = 0; rest && i < n; i++)
        rest[i] = (weighed){cost_of(w, &w->s->points[w->queue[w->head + i].point]), w->queue[w->head + i]};
    if (rest)
        qsort(rest, n, sizeof *rest, longest_first);
    for (size_t i = 0; rest && i < n; i++)
        w->queue[w->head + i] = rest[i].job;
    free(rest); /* without memory the order stays as it is */
}

/* ---- until the intervals are narrow enough ---- */

static uint32_t needed(const weir_study *s, const wi_point *p, uint32_t metric)
{
    wi_summary sum;
    uint32_t n, failed;
    const uint32_t want = p->want;
    WI_FREED double *values = wi_point_values(p, metric, &n, &failed);
    if (!values)
        return want;
    wi_summarise(values, n, s->scenario->study.confidence, &sum);
    if (sum.n == 0) /* no run has a value: more runs would not help */
        return want;
    if (sum.n < 2)
        return want + 1;
    const double half = (sum.high - sum.low) / 2.0,
                 allowed = s->scenario->study.until_precision * fabs(sum.mean);
    if (half <= allowed)
        return want;
    const double more = allowed > 0.0 ? ceil(want * (half / allowed) * (half / allowed)) : 2.0 * want;
    return (uint32_t)fmin(fmax(more, want + 1.0), 2.0 * want + 1.0); /* the spread is known roughly as yet */
}

/* Decides when all replications asked for are there, by their values alone, so that the order of running does
 * not matter. */
static void ask_more(wi_work *w, uint32_t index)
{
    weir_study *s = w->s;
    wi_point *p = &s->points[index];
    const uint32_t most = s->scenario->study.max_replications;
    for (;;) {
        uint32_t want = p->want;
        if (p->done < p->want)
            return;
        for (uint32_t m = 0; m < s->n_metrics; m++) {
            const uint32_t n = needed(s, p, m);
            want = n > want ? n : want;
        }
        want = want > most && most > p->want ? most : want > most ? p->want : want;
        if (want == p->want)
            return;
        for (uint32_t r = p->want; r < want; r++) {
            if (has_row(p, r)) {
                w->over++;
                w->reused++;
            } else if (!push(w, (wi_job){index, r})) {
                w->status = WEIR_E_NOMEM;
            }
        }
        wi_point_ask(p, want);
    }
}

/* ---- giving and taking ---- */

weir_status wi_work_new(weir_study *s, const weir_study_options *options, wi_work **out)
{
    wi_work *w = calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return wi_study_no_memory(s->diag);
    w->s = s;
    w->options = *options;
    w->began_s = w->shown_s = wi_clock_s();
    pthread_mutex_init(&w->lock, NULL);
    if (!fill(w))
        return wi_study_no_memory(s->diag);
    const bool precise = s->scenario->study.until_precision > 0.0;
    for (uint32_t i = 0; precise && i < s->n_points; i++)
        if (is_of_shard(options, true, (wi_job){i, 0}, 0))
            ask_more(w, i);
    return WEIR_OK;
}

void wi_work_free(wi_work *w)
{
    if (!w)
        return;
    pthread_mutex_destroy(&w->lock);
    free(w->queue);
    free(w);
}

static bool over(const wi_work *w)
{
    return w->status != WEIR_OK || (w->options.stop && *w->options.stop);
}

static size_t give(wi_work *w, size_t most, wi_job *out)
{
    size_t n = 0;
    for (; n < most && w->head < w->n && !over(w); n++) {
        if (!w->sorted && w->head >= w->n_first && w->timed > 0)
            sort_rest(w);
        out[n] = w->queue[w->head++];
    }
    w->in_flight += n;
    return n;
}

size_t wi_work_take(wi_work *w, size_t most, wi_job *out, bool *more)
{
    pthread_mutex_lock(&w->lock);
    const size_t n = give(w, most, out);
    *more = n > 0 || (w->in_flight > 0 && !over(w) && w->s->scenario->study.until_precision > 0.0);
    pthread_mutex_unlock(&w->lock);
    return n;
}

static double left_s(const wi_work *w)
{
    double work_s = 0.0;
    if (w->timed == 0)
        return (double)NAN;
    for (size_t i = w->head; i < w->n; i++)
        work_s += cost_of(w, &w->s->points[w->queue[i].point]);
    work_s += 0.5 * (double)w->in_flight * w->busy_s / (double)w->timed;
    /* Runs at once, as it turned out. */
    const double at_once = fmax(1.0, w->busy_s / fmax(1e-9, wi_clock_s() - w->began_s));
    return work_s / at_once;
}

static void show_progress(wi_work *w)
{
    const double now_s = wi_clock_s();
    if (!w->options.progress || (now_s - w->shown_s < 0.2 && (w->n - w->head) + w->in_flight > 0))
        return;
    w->shown_s = now_s;
    const weir_study_progress p = {.done = w->over,
                                   .total = w->over + w->in_flight + (w->n - w->head),
                                   .failed = w->failed,
                                   .wall_s = now_s - w->began_s,
                                   .left_s = left_s(w)};
    w->options.progress(w->options.user, &p);
}

/* Passes warnings of runs on, of which most have the same. */
static void pass_on_warnings(weir_diag *to, wi_row *row)
{
    enum { MOST = 30 };
    const size_t n = row->messages ? weir_diag_count(row->messages) : 0;
    for (size_t i = 0; i < n && weir_diag_count(to) < MOST; i++) {
        const weir_message *m = weir_diag_get(row->messages, i);
        if (m->severity == WEIR_WARNING)
            weir_warn_at(to, m->file, m->line, m->column, "%s", m->text);
    }
    weir_diag_free(row->messages);
    row->messages = NULL;
}

void wi_work_done(wi_work *w, wi_job job, wi_row *row)
{
    weir_study *s = w->s;
    pthread_mutex_lock(&w->lock);
    w->in_flight--;
    if (row && w->status == WEIR_OK) {
        w->over++;
        w->failed += row->status != WEIR_OK;
        w->busy_s += row->wall_s;
        w->timed++;
        pass_on_warnings(s->diag, row);
        w->status = wi_folder_add(s->folder, s, s->diag, job, row);
        if (!wi_point_put(&s->points[job.point], job.replication, row)) {
            wi_row_free(row);
            w->status = wi_study_no_memory(s->diag);
        }
        if (w->status == WEIR_OK && s->scenario->study.until_precision > 0.0)
            ask_more(w, job.point);
        show_progress(w);
    } else if (row) {
        wi_row_free(row);
    } else if (!(w->options.stop && *w->options.stop) && w->status == WEIR_OK) {
        w->status = wi_study_no_memory(s->diag);
    }
    pthread_mutex_unlock(&w->lock);
}

void wi_work_back(wi_work *w, wi_job job)
{
    pthread_mutex_lock(&w->lock);
    w->in_flight--;
    if (!push(w, job) && w->status == WEIR_OK)
        w->status = wi_study_no_memory(w->s->diag);
    pthread_mutex_unlock(&w->lock);
}

bool wi_work_waits(wi_work *w)
{
    pthread_mutex_lock(&w->lock);
    const bool some = w->head < w->n && !over(w);
    pthread_mutex_unlock(&w->lock);
    return some;
}

void wi_work_fail(wi_work *w, weir_status status, const char *text)
{
    pthread_mutex_lock(&w->lock);
    if (w->status == WEIR_OK)
        w->status = weir_fail(w->s->diag, status, "%s", text);
    pthread_mutex_unlock(&w->lock);
}

/* ---- the end ---- */

/* Warns with the message of the first run that failed, in the order of the plan. */
static void warn_of_failure(const wi_work *w)
{
    const weir_study *s = w->s;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t r = 0; r < s->points[i].want; r++) {
            const wi_row *row = wi_point_row(&s->points[i], r);
            if (!row || row->status == WEIR_OK)
                continue;
            weir_warn(s->diag, "point %u, replication %u failed: %s", i, r, row->error ? row->error : "?");
            return;
        }
}

/* Warns of points whose intervals are wider than asked for after max-replications. */
static void warn_of_wide(const wi_work *w)
{
    const weir_study *s = w->s;
    uint32_t wide = 0, metric = 0;
    for (uint32_t i = 0; i < s->n_points; i++)
        for (uint32_t m = 0; m < s->n_metrics; m++)
            if (needed(s, &s->points[i], m) > s->points[i].want) {
                metric = wide ? metric : m;
                wide++;
                break;
            }
    if (wide)
        weir_warn(s->diag,
                  "until-precision: %u of %u parameter sets have wider intervals than asked for after "
                  "max-replications, %u; the first of them of '%s'",
                  wide, s->n_points, s->scenario->study.max_replications, s->metrics[metric].name);
}

weir_status wi_work_end(wi_work *w, weir_study_result *result)
{
    result->points = w->s->n_points;
    result->runs = w->over;
    result->failed = w->failed;
    result->reused = w->reused;
    result->wall_s = wi_clock_s() - w->began_s;
    result->missing = 0;
    for (uint32_t i = 0; i < w->s->n_points; i++)
        result->missing +=
            w->s->points[i].want > w->s->points[i].done ? w->s->points[i].want - w->s->points[i].done : 0;
    if (w->status != WEIR_OK)
        return w->status;
    if (w->failed > 0)
        warn_of_failure(w);
    if (w->s->scenario->study.until_precision > 0.0 && result->missing == 0)
        warn_of_wide(w);
    return w->options.stop && *w->options.stop && result->missing > 0 ? WEIR_E_INTERRUPTED : WEIR_OK;
}

uint32_t wi_jobs_at_once(const weir_study *s, const weir_study_options *options)
{
    const uint32_t threads = s->scenario->engine.threads > 1 ? s->scenario->engine.threads : 1;
    const uint32_t fit = wi_cores_allowed() / threads;
    return options->jobs ? options->jobs : fit ? fit : 1;
}

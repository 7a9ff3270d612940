/* Iterations of a job: which repeat themselves; see the header. */
#include "packets/skip/iterations.h"

#include <math.h>

#include "weir/digest.h"

/* Looks for a quiet instant, an iteration; periods alike before one is repeated, where they are the same and where not; and then at most so many
 * times as many are. */
enum { POLLS = 16, SOON = 1024, LEAST_SAME = 2, LEAST_ALIKE = 4, MOST_TIMES = 4 };
/* Of a period: what is the same but for rounding. Of what ranks are apart: by how much it may seem to grow. */
static const double same = 1e-6, growing = 1.25;

/* ---- which job ---- */

typedef struct jobs_now {
    uint32_t job, first_rank; /* of those under way one; NET_NONE: there is none */
    bool several, apart;      /* jobs are under way; of that job, some rank is in another iteration */
    weir_time next_ps;        /* when a job begins that has not */
} jobs_now;

static bool see_rank(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what)
{
    jobs_now *now = what;
    const net_rank *rank = rank_at(s, number);
    const net_job *job = job_at(s, rank->job);
    (void)p;
    if (iteration_of(s, rank) >= job->iterations)
        return true;
    if (!(*began(s, rank, 0) & NET_GATE_OPEN)) {
        now->next_ps = job->start_ps < now->next_ps ? job->start_ps : now->next_ps;
        return true;
    }
    if (now->job == NET_NONE) {
        now->job = rank->job;
        now->first_rank = number;
    }
    now->several |= now->job != rank->job;
    now->apart |=
        now->job == rank->job && iteration_of(s, rank) != iteration_of(s, rank_at(s, now->first_rank));
    return true;
}

/* ---- quiet instants ---- */

/* What is pending at an instant. */
typedef struct pending {
    const wi_skipper *s;
    const wi_skip_part *p;
    weir_time outer_ps; /* when something comes from outside */
    uint64_t others;    /* events of other parts */
    bool busy;          /* something of the network is under way */
} pending;

static void note(void *user, const weir_event *event)
{
    pending *n = user;
    if (n->s->part_of[event->target] != n->p->number) {
        n->others++;
        return;
    }
    if (wi_net_is_inner(n->s->net, event))
        n->busy |= event->type != NET_EV_TX_TIMER && event->type != NET_EV_RX_TIMER;
    else if (event->time_ps < n->outer_ps && !wi_skip_again_is_own(n->s, n->p, event))
        n->outer_ps = event->time_ps;
}

/* Slots are between two messages; and what those of other classes had last, as a digest. */
static bool slots_are_idle(const wi_skipper *s, const wi_skip_part *p, uint64_t *others)
{
    const net_world *w = wi_net_world(s->net);
    const uint32_t *first = NET_ARRAY(w, uint32_t, tx_first);
    *others = 0;
    for (uint32_t h = 0; h < p->n_hosts; h++)
        for (uint32_t flow = first[p->entities[h]]; flow < first[p->entities[h] + 1]; flow++) {
            const net_tx *tx = weir_sim_slot(s->sim, NET_POOL_TX, flow);
            if (tx->state != NET_TX_FREE && tx->state != NET_TX_DONE && tx->state != NET_TX_UDP)
                return false;
            if (NET_ARRAY(w, uint16_t, tx_class)[flow] != p->again.cls)
                *others = weir_digest_word(*others, (uint64_t)tx->first << 32 ^ tx->packets ^ tx->state);
        }
    return true;
}

/* ---- whether iterations are alike ---- */

typedef struct alike {
    uint32_t iteration;               /* the last that is over, compared with the one before */
    weir_time from_ps, to_ps;         /* when the first rank began them */
    weir_time off_ps;                 /* the most */
    weir_time earliest_ps, latest_ps; /* ranks began the iteration that is under way */
} alike;

static void compare(alike *a, uint64_t before, uint64_t after)
{
    const weir_time off_ps = (time_of(after) - a->to_ps) - (time_of(before) - a->from_ps),
                    by_ps = off_ps < 0 ? -off_ps : off_ps;
    a->off_ps = by_ps > a->off_ps ? by_ps : a->off_ps;
}

static bool compare_rank(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what)
{
    alike *a = what;
    const net_rank *rank = rank_at(s, number);
    if (!takes_part(p, rank))
        return true;
    const weir_time now_ps = time_of(*began(s, rank, a->iteration + 1));
    a->earliest_ps = now_ps < a->earliest_ps ? now_ps : a->earliest_ps;
    a->latest_ps = now_ps > a->latest_ps ? now_ps : a->latest_ps;
    for (uint32_t i = 0; i < rank->n_ops; i++)
        compare(a, *ended(s, rank, a->iteration - 1, i), *ended(s, rank, a->iteration, i));
    p->again.spent += rank->n_ops / 8;
    return true;
}

/* The period that ends with the iteration under way. */
static wi_skip_period read_period(const wi_skipper *s, wi_skip_part *p, const net_rank *first)
{
    const uint32_t under_way = iteration_of(s, first);
    const weir_time ends_ps = time_of(*began(s, first, under_way));
    alike a = {.iteration = under_way - 1,
               .from_ps = time_of(*began(s, first, under_way - 2)),
               .to_ps = time_of(*began(s, first, under_way - 1)),
               .earliest_ps = WEIR_TIME_MAX};
    (void)each_rank(s, p, compare_rank, &a);
    return (wi_skip_period){
        .took_ps = ends_ps - a.to_ps, .off_ps = a.off_ps, .skew_ps = a.latest_ps - a.earliest_ps};
}

/* How many periods, the last ones, are the same. */
static uint32_t count_same(const wi_skip_again *a)
{
    uint32_t n = 0;
    for (; n < a->n; n++) {
        const wi_skip_period *p = &a->period[a->n - 1 - n], *last = &a->period[a->n - 1];
        const double within_ps = same * (double)last->took_ps;
        if ((double)p->off_ps > within_ps || fabs((double)(p->took_ps - last->took_ps)) > within_ps)
            break;
    }
    return n;
}

/* How long an iteration takes that is repeated: of those that are the same, or else alike, the mean. */
static double mean_period_ps(const wi_skip_again *a)
{
    const uint32_t n_same = count_same(a), n = n_same >= LEAST_SAME ? n_same : a->n;
    double sum = 0.0;
    for (uint32_t i = a->n - n; i < a->n; i++)
        sum += (double)a->period[i].took_ps;
    return sum / n;
}

/* A further period: one more that is like those before, or the first of others. */
static void take_period(wi_skip_again *a, wi_skip_period period, bool is_alike, double error)
{
    const double within_ps = error * 0.5 * (double)period.took_ps;
    bool more = is_alike && (double)period.off_ps <= within_ps;
    for (uint32_t i = 0; i < a->n && more; i++)
        more = fabs((double)(a->period[i].took_ps - period.took_ps)) <= within_ps;
    if (!more)
        a->n = 0;
    if (a->n == WI_SKIP_PERIODS)
        memmove(a->period, a->period + 1, --a->n * sizeof *a->period);
    a->period[a->n++] = period;
}

/* What a later half of periods has more than the earlier one, of two things of each. */
static bool grows(const wi_skip_again *a)
{
    double skew[2] = {0.0, 0.0}, off[2] = {0.0, 0.0};
    const uint32_t half = a->n / 2;
    for (uint32_t i = 0; i < half; i++) {
        skew[0] += (double)a->period[i].skew_ps;
        skew[1] += (double)a->period[a->n - 1 - i].skew_ps;
        off[0] += (double)a->period[i].off_ps;
        off[1] += (double)a->period[a->n - 1 - i].off_ps;
    }
    return skew[1] > growing * skew[0] || off[1] > growing * off[0];
}

/*
 * How many iterations may be skipped for what periods allow. Should they drift on as they may have so far, the last would be off by `error`, and
 * all together by half of it. Where they differ, ranks must not drift apart either: that shows late, in periods that are much longer.
 */
static double most_times(const wi_skip_again *a, double error)
{
    double least_ps = HUGE_VAL, most_ps = 0.0;
    for (uint32_t i = 0; i < a->n; i++) {
        least_ps = fmin(least_ps, (double)a->period[i].took_ps);
        most_ps = fmax(most_ps, (double)a->period[i].took_ps);
    }
    if (count_same(a) >= LEAST_SAME)
        return error / same;
    if (a->n < LEAST_ALIKE || grows(a))
        return 0.0;
    return fmin(error * mean_period_ps(a) * (a->n - 1.0) / fmax(most_ps - least_ps, 1.0), MOST_TIMES * a->n);
}

/* ---- looking ---- */

static void forget(wi_skip_again *a)
{
    a->quiet_ps = 0;
    a->n = 0;
    a->n_bytes = 0;
}

/* The instant is quiet: the next period begins. */
static void begin_period(wi_skipper *s, wi_skip_part *p, weir_time now_ps, uint32_t iteration)
{
    wi_skip_again *a = &p->again;
    wi_skip_take_counts(s, p, false);
    a->quiet_ps = now_ps;
    a->iteration = iteration;
    a->step = s->net->next_step;
    a->n_bytes = 0;
}

static weir_time period_at(const wi_skipper *s, const net_rank *first, uint32_t iteration)
{
    return time_of(*began(s, first, iteration)) - time_of(*began(s, first, iteration - 1));
}

/* When the last operation of an iteration ended. */
typedef struct last_end {
    uint32_t iteration;
    weir_time at_ps;
} last_end;

static bool see_end(const wi_skipper *s, wi_skip_part *p, uint32_t number, void *what)
{
    last_end *last = what;
    const net_rank *rank = rank_at(s, number);
    for (uint32_t i = 0; i < rank->n_ops && takes_part(p, rank); i++) {
        const weir_time at_ps = time_of(*ended(s, rank, last->iteration, i));
        last->at_ps = at_ps > last->at_ps ? at_ps : last->at_ps;
    }
    p->again.spent += rank->n_ops / 8;
    return true;
}

/* Where a quiet instant may be: soon after an iteration's last operation, else later and later. While nothing is known of iterations
 * as well. */
static weir_time next_poll(const wi_skipper *s, wi_skip_part *p, const net_rank *first, weir_time now_ps)
{
    const uint32_t iteration = iteration_of(s, first);
    if (iteration == 0)
        return now_ps + (now_ps - job_at(s, first->job)->start_ps) / 4 + WI_NET_SPAN_UNIT_PS;
    last_end last = {.iteration = iteration - 1};
    (void)each_rank(s, p, see_end, &last);
    const weir_time period_ps = period_at(s, first, iteration), soon_ps = period_ps / SOON,
                    most_ps = period_ps / POLLS, again_ps = last.at_ps + period_ps + soon_ps;
    weir_time after_ps = now_ps - last.at_ps;
    after_ps = after_ps < soon_ps ? soon_ps : after_ps > most_ps ? most_ps : after_ps;
    if (now_ps < again_ps && again_ps < now_ps + after_ps)
        after_ps = again_ps - now_ps;
    return now_ps + after_ps + WI_NET_SPAN_UNIT_PS;
}

/* The job to watch. False: none is, and `p->again.next_ps` says when to look again. */
static bool find_job(const wi_skipper *s, wi_skip_part *p, weir_time now_ps, jobs_now *now)
{
    wi_skip_again *a = &p->again;
    *now = (jobs_now){.job = NET_NONE, .next_ps = WEIR_TIME_MAX};
    (void)each_rank(s, p, see_rank, now);
    if (now->job == NET_NONE) {
        a->next_ps = now->next_ps > now_ps ? now->next_ps : now_ps + WI_NET_SPAN_UNIT_PS;
        return false;
    }
    const net_rank *first = rank_at(s, now->first_rank);
    const uint32_t left = job_at(s, now->job)->iterations - iteration_of(s, first);
    if (a->job != now->job)
        forget(a);
    a->job = now->job;
    a->cls = (NET_ARRAY(wi_net_world(s->net), net_generator, generators) + first->generator)->cls;
    a->next_ps = next_poll(s, p, first, now_ps);
    if (left < 2 && !now->several) { /* in its last; the others begin later */
        a->next_ps = now->next_ps > now_ps ? now->next_ps : a->next_ps;
        return false;
    }
    return !now->several && iteration_of(s, first) > 0;
}

/* A quiet instant: how many iterations may be skipped. */
static double take_instant(wi_skipper *s, wi_skip_part *p, const net_rank *first, uint64_t others)
{
    wi_skip_again *a = &p->again;
    const int64_t flows = wi_net_class_counter(s->net, s->sim, a->cls, NET_COUNT_FLOWS) -
                          wi_skip_quiet_class(s, p)[NET_COUNT_FLOWS];
    const bool follows = a->quiet_ps && iteration_of(s, first) == a->iteration + 1 && others == a->others &&
                         a->step == s->net->next_step,
               is_alike = flows == a->flows;
    a->flows = flows;
    a->others = others;
    if (follows)
        take_period(a, read_period(s, p, first), is_alike, s->params.error);
    else
        a->n = 0;
    return most_times(a, s->params.error);
}

bool wi_skip_again_look(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps, weir_time fixed_ps,
                        weir_time *until_ps)
{
    wi_skip_again *a = &p->again;
    pending n = {.s = s, .p = p, .outer_ps = fixed_ps};
    jobs_now now;
    uint64_t others;
    *until_ps = 0;
    if (a->failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for what an iteration has recorded") == WEIR_OK;
    if (weir_sim_fetch(diag, s->sim) != WEIR_OK)
        return false;
    if (!find_job(s, p, now_ps, &now))
        return true;
    if (weir_sim_pending(diag, s->sim, note, &n) != WEIR_OK)
        return false;
    const net_rank *first = rank_at(s, now.first_rank);
    if (now_ps < s->params.warm_ps || now.apart || n.busy || !slots_are_idle(s, p, &others)) {
        forget(a);
        return true;
    }
    const weir_time period_ps = period_at(s, first, iteration_of(s, first));
    const double left = (double)(job_at(s, a->job)->iterations - 1 - iteration_of(s, first));
    double times = take_instant(s, p, first, others);
    const double mean_ps = times >= 1.0 ? mean_period_ps(a) : 1.0,
                 room = (double)(n.outer_ps - now_ps - 1) / mean_ps - 1.0;
    times = times < left ? times : left;
    times = times < room ? times : room;
    a->next_ps = now_ps + period_ps;
    if (times < 1.0) {
        begin_period(s, p, now_ps, iteration_of(s, first));
        return true;
    }
    if (count_same(a) < LEAST_SAME && s->total.guessed++ == 0)
        weir_warn(
            diag,
            "steady.skip: iterations of a job were alike, not the same, before others were repeated from "
            "memory; should ranks drift apart in these, they take longer than is told (docs/steady.md)");
    a->times = (uint32_t)times;
    a->done = 0;
    wi_skip_take_counts(s, p, true);
    *until_ps = now_ps + (weir_time)(a->times * mean_ps / WI_NET_SPAN_UNIT_PS + 0.5) * WI_NET_SPAN_UNIT_PS;
    return true;
}

void wi_skip_again_wake(wi_skipper *s, wi_skip_part *p, weir_time now_ps)
{
    wi_skip_again *a = &p->again;
    a->next_ps = now_ps + (weir_time)mean_period_ps(a);
    begin_period(s, p, now_ps, a->iteration + 1 + a->times);
    a->times = a->done = 0;
}

/* Round the network and back; see the header. */
#include "models/interconnect/bypass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"

/* What a source's packets took from the beginning of the run on. */
typedef struct ic_source_seen {
    int64_t packets, sum_ps;
} ic_source_seen;

enum { SEEN_MOST = 6 }; /* two trackings, three marks, and now */

weir_status wi_ic_bypass_init(weir_diag *diag, wi_ic_bypass *b, wi_ic *ic, weir_sim *sim)
{
    const ic_world *w = wi_ic_world(ic);
    *b = (wi_ic_bypass){.ic = ic, .sim = sim};
    b->tracked = calloc((size_t)(ic_pair_classes(w) * w->pair), sizeof *b->tracked);
    b->seen = calloc((size_t)SEEN_MOST * w->n_terminals, sizeof *b->seen);
    return b->tracked && b->seen
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory to track %u terminals", w->n_terminals);
}

void wi_ic_bypass_free(wi_ic_bypass *b)
{
    free(b->tracked);
    free(b->seen);
    b->tracked = NULL;
    b->seen = NULL;
}

/* How long the oldest message of a terminal has waited. */
static weir_time age_of(const wi_ic_bypass *b, uint32_t terminal)
{
    const ic_terminal *t = weir_sim_state(b->sim, terminal);
    const weir_time age_ps = weir_sim_now(b->sim) - (t->left ? t->made_ps : t->due_ps);
    return age_ps > 0 ? age_ps : 0;
}

static weir_status look(weir_diag *diag, void *user, wi_director_view *out)
{
    const wi_ic_bypass *b = user;
    const ic_world *w = wi_ic_world(b->ic);
    memset(out, 0, sizeof *out);
    const weir_status status = weir_sim_fetch(diag, b->sim);
    if (status != WEIR_OK)
        return status;
    const int64_t *c = weir_sim_counters(b->sim);
    for (uint32_t j = 0; j <= w->n_jobs; j++, c += IC_COUNTERS) {
        out->packets += c[IC_COUNT_PACKETS];
        out->latency_ps += (int64_t)wi_ic_sum_ps(c[IC_COUNT_LATENCY], c[IC_CARRY + IC_COUNT_LATENCY]);
        out->sent += c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED];
    }
    for (uint32_t t = 0; t < w->n_terminals; t++)
        out->backlog_s += weir_seconds(age_of(b, t)) / w->n_terminals;
    for (uint32_t r = 0; r < w->n_routers; r++)
        out->occupancy += ((const ic_router *)weir_sim_state(b->sim, w->n_terminals + r))->waiting;
    return WEIR_OK;
}

static const int64_t *pair_counters(const wi_ic_bypass *b)
{
    return weir_sim_counters(b->sim) + ic_pair_counters(wi_ic_world(b->ic), 0);
}

/* Add to `to` what a pair saw of a class of packets since tracking began; false: nothing. */
static bool add_seen(const wi_ic_bypass *b, uint64_t pair_class, wi_seen *to)
{
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *now = pair_counters(b) + pair_class * w->pair, *before = b->tracked + pair_class * w->pair;
    if (now[IC_PAIR_SENT] == before[IC_PAIR_SENT] && now[IC_PAIR_PACKETS] == before[IC_PAIR_PACKETS] &&
        now[IC_PAIR_STALLED] == before[IC_PAIR_STALLED])
        return false;
    to->sent += now[IC_PAIR_SENT] - before[IC_PAIR_SENT];
    to->stalled_ps += now[IC_PAIR_STALLED] - before[IC_PAIR_STALLED];
    to->packets += now[IC_PAIR_PACKETS] - before[IC_PAIR_PACKETS];
    to->sum_ps += now[IC_PAIR_LATENCY] - before[IC_PAIR_LATENCY];
    to->units += now[IC_PAIR_CHUNKS] - before[IC_PAIR_CHUNKS];
    for (uint32_t i = 0; w->pair == IC_PAIR_FULL && i < WI_SEEN_BINS; i++)
        to->bin[i] += now[IC_PAIR_SEEN + i] - before[IC_PAIR_SEEN + i];
    return true;
}

/* What the packets of each source took until now, into row `at` of what was seen, which is the last one then. */
static void see_sources(wi_ic_bypass *b, uint32_t at)
{
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *now = pair_counters(b);
    ic_source_seen *to = b->seen + (size_t)at * w->n_terminals;
    b->n_seen = at + 1;
    memset(to, 0, w->n_terminals * sizeof *to);
    for (uint32_t source = 0; source < w->n_terminals; source++, to++)
        for (uint64_t i = 0; i < (uint64_t)w->n_terminals * w->classes; i++, now += w->pair) {
            to->packets += now[IC_PAIR_PACKETS];
            to->sum_ps += now[IC_PAIR_LATENCY];
        }
}

/* Mean latency of a source's packets between two rows of what was seen. */
static double mean_between(const wi_ic_bypass *b, uint32_t source, uint32_t from, uint32_t until)
{
    const uint32_t n = wi_ic_world(b->ic)->n_terminals;
    const ic_source_seen *old = b->seen + (size_t)from * n + source,
                         *new_ = b->seen + (size_t)until * n + source;
    return new_->packets > old->packets
               ? (double)(new_->sum_ps - old->sum_ps) / (double)(new_->packets - old->packets)
               : 0.0;
}

/* How much the means of single sources between the rows from, middle and until differ, summed over all; or over those that
 * have packets in both. */
static double differ(const wi_ic_bypass *b, uint32_t from, uint32_t middle, uint32_t until, bool both)
{
    double sum = 0.0;
    for (uint32_t t = 0; t < wi_ic_world(b->ic)->n_terminals; t++) {
        const double was = mean_between(b, t, from, middle), is = mean_between(b, t, middle, until);
        sum += both && (was == 0.0 || is == 0.0) ? 0.0 : fabs(is - was);
    }
    return sum;
}

/* Packets that wait for room now will count all of it when they go. What lies before the tracking began is left out
 * (sign 1, at its beginning), what has passed of it at the end is counted (-1): a terminal that has been kept from sending
 * all the time is no terminal without a stall. */
static void shift_stalls(wi_ic_bypass *b, int sign)
{
    const ic_world *w = wi_ic_world(b->ic);
    const weir_time now_ps = weir_sim_now(b->sim);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const ic_terminal *terminal = weir_sim_state(b->sim, t);
        const uint32_t size = ic_packet_size(w, terminal);
        if (size == 0 || ic_ready_ps(terminal) >= now_ps)
            continue;
        const uint64_t at = ic_pair_class(w, t, terminal->target, ic_next_class(w, terminal));
        b->tracked[at * w->pair + IC_PAIR_STALLED] += sign * (now_ps - ic_ready_ps(terminal));
    }
}

static weir_status track(weir_diag *diag, void *user)
{
    wi_ic_bypass *b = user;
    const ic_world *w = wi_ic_world(b->ic);
    const weir_status status = weir_sim_fetch(diag, b->sim);
    if (status != WEIR_OK)
        return status;
    memcpy(b->seen, b->seen + w->n_terminals, w->n_terminals * sizeof *b->seen);
    see_sources(b, 1);
    memcpy(b->tracked, pair_counters(b), (size_t)(ic_pair_classes(w) * w->pair) * sizeof *b->tracked);
    shift_stalls(b, 1);
    return WEIR_OK;
}

static weir_status mark(weir_diag *diag, void *user)
{
    wi_ic_bypass *b = user;
    const weir_status status = weir_sim_fetch(diag, b->sim);
    if (status == WEIR_OK)
        see_sources(b, b->n_seen < SEEN_MOST ? b->n_seen : SEEN_MOST - 1);
    return status;
}

static double shift(void *user)
{
    wi_ic_bypass *b = user;
    double sum = 0.0;
    see_sources(b, 2);
    for (uint32_t t = 0; t < wi_ic_world(b->ic)->n_terminals; t++)
        sum += 0.5 * (mean_between(b, t, 0, 1) + mean_between(b, t, 1, 2));
    return sum > 0.0 ? differ(b, 0, 1, 2, false) / sum : 0.0;
}

static weir_status drift(weir_diag *diag, void *user, wi_drift *out)
{
    wi_ic_bypass *b = user;
    const weir_status status = mark(diag, user);
    double sum = 0.0;
    for (uint32_t t = 0; t < wi_ic_world(b->ic)->n_terminals && status == WEIR_OK; t++)
        sum += mean_between(b, t, 1, 5) + (double)age_of(b, t);
    *out = (wi_drift){0};
    if (sum > 0.0)
        *out = (wi_drift){
            .halves = differ(b, 1, 3, 5, true) / sum,
            .quarters =
                (differ(b, 1, 2, 3, true) + differ(b, 2, 3, 4, true) + differ(b, 3, 4, 5, true)) / 3.0 / sum};
    return status;
}

/* The row of a pair and class: what was seen of them, else what their source saw to all, else what all did, else what
 * was seen of any size. */
static void fit_row(const ic_world *w, const wi_seen *const seen[4], int64_t *row)
{
    int sent = 0, came = 0;
    while (seen[sent]->sent == 0 && seen[sent]->stalled_ps == 0)
        sent++;
    while (seen[came]->packets == 0)
        came++;
    const wi_seen *all = seen[3];
    const weir_time chunk_ps = w->class_[IC_TERMINAL].chunk_ps;
    const int64_t own_ps = seen[came]->units * chunk_ps / seen[came]->packets;
    /* A network that fills takes more than it delivers, which is what counts later. A tenth at most: packets of a short
     * tracked period may just be under way. */
    const double filling = (double)(all->sent - all->packets) / (double)all->packets,
                 more = filling < 0.0   ? 0.0
                        : filling > 0.1 ? 0.1
                                        : filling;
    wi_seen both = *seen[came];
    both.sent = seen[sent]->sent;
    both.stalled_ps = seen[sent]->stalled_ps;
    both.stalled_ps += (int64_t)(more * (double)(both.stalled_ps + both.sent * own_ps));
    wi_predictor_fit((wi_predictor)w->predictor, &both, chunk_ps, row);
}

/* What rows are made of: what was seen of all, of each class, and of a source's classes; and the rows that pairs of that
 * source share which saw nothing, most of them in programs: [classes * row]. */
typedef struct fitting {
    wi_seen all, *of_class, *of_source;
    int64_t *usual;
} fitting;

/* The rows of a source. */
static void fit_source(const wi_ic_bypass *b, ic_world *w, uint32_t source, const fitting *f)
{
    const wi_seen nothing = {0}, *all = &f->all, *of_class = f->of_class;
    wi_seen *of_source = f->of_source;
    int64_t *usual = f->usual;
    const uint64_t first = ic_pair_class(w, source, 0, 0), n = (uint64_t)w->n_terminals * w->classes;
    int64_t *row = (int64_t *)(void *)((unsigned char *)w + w->rows_at) + first * w->row;
    memset(of_source, 0, w->classes * sizeof *of_source);
    for (uint64_t i = 0; i < n; i++)
        add_seen(b, first + i, &of_source[i % w->classes]);
    for (uint32_t c = 0; c < w->classes; c++)
        fit_row(w, (const wi_seen *const[]){&nothing, &of_source[c], &of_class[c], all},
                usual + (size_t)c * w->row);
    for (uint64_t i = 0; i < n; i++, row += w->row) {
        const uint64_t c = i % w->classes;
        wi_seen own;
        memset(&own, 0, w->pair == IC_PAIR_FULL ? sizeof own : offsetof(wi_seen, bin));
        if (add_seen(b, first + i, &own))
            fit_row(w, (const wi_seen *const[]){&own, &of_source[c], &of_class[c], all}, row);
        else
            memcpy(row, usual + c * w->row, w->row * sizeof *row);
    }
}

static weir_status fit(weir_diag *diag, wi_ic_bypass *b, ic_world *w)
{
    wi_seen *sums = calloc(2 * (size_t)w->classes, sizeof *sums);
    fitting f = {.of_class = sums,
                 .of_source = sums ? sums + w->classes : NULL,
                 .usual = calloc((size_t)w->classes * w->row, sizeof *f.usual)};
    weir_status status = sums && f.usual ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory");
    shift_stalls(b, -1);
    for (uint64_t i = 0; i < ic_pair_classes(w) && status == WEIR_OK; i++)
        if (add_seen(b, i, &f.all))
            add_seen(b, i, &sums[i % w->classes]);
    if (status == WEIR_OK && (f.all.packets == 0 || f.all.sent == 0))
        status = weir_fail(diag, WEIR_E_ARG,
                           "surrogate: no packet was %s while latencies were tracked, until %.9f s; "
                           "want a longer or later tracked period",
                           f.all.packets ? "sent" : "delivered", weir_seconds(weir_sim_now(b->sim)));
    for (uint32_t source = 0; source < w->n_terminals && status == WEIR_OK; source++)
        fit_source(b, w, source, &f);
    free(f.usual);
    free(sums);
    return status;
}

/* Packets whose tail is in the network. */
typedef struct stranded {
    ic_burst *at;
    size_t n;
    int failed;
} stranded;

static void strand(stranded *s, const ic_burst *b)
{
    if (!(b->mark & IC_TAIL) || wi_is_zombie(b->mark) || s->failed)
        return;
    s->failed = !wi_grow_one(&s->at, s->n, sizeof *s->at);
    if (!s->failed)
        s->at[s->n++] = *b;
}

static void strand_event(void *user, const weir_event *event)
{
    if (event->type == IC_ARRIVE)
        strand(user, WEIR_PAYLOAD(ic_burst, event));
}

/* A run in a buffer: its packet is stranded, and becomes a zombie. */
static void haunt_run(void *user, ic_run *run)
{
    strand(user, &run->burst);
    run->burst.mark = wi_zombie_mark(run->burst.mark);
}

WI_ORDER_BY(by_name, ic_burst, WI_ORDER(x->source, y->source) ?: WI_ORDER(x->packet, y->packet))

/* Deliver a stranded packet round the network (zombie.h); the way that it began is its zombie's. */
static weir_status rescue(weir_diag *diag, wi_ic_bypass *b, const ic_burst *packet)
{
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *row = ic_predictor_row(w, packet->source, packet->target, packet->class_);
    const weir_time latency_ps = ic_predict(w, row, packet->source, packet->packet, packet->size, 0);
    const uint64_t bits = ic_packet_bits(packet->source, packet->packet, IC_SALT_LATE);
    ic_burst around = *packet;
    around.hops = 0;
    b->rescued++;
    return weir_sim_post(diag, b->sim, packet->source, packet->target, IC_DELIVER,
                         wi_zombie_delivery_ps(packet->born_ps, latency_ps, weir_sim_now(b->sim), bits),
                         &around);
}

static int belongs_to_network(void *user, const weir_event *event)
{
    (void)user;
    return event->type == IC_ARRIVE || event->type == IC_CREDIT || event->type == IC_WAKE ||
           event->type == IC_REFILL;
}

static void haunt_event(void *user, weir_event *event)
{
    (void)user;
    ic_burst *burst = (ic_burst *)(void *)(event + 1);
    if (event->type == IC_ARRIVE)
        burst->mark = wi_zombie_mark(burst->mark);
}

/* Everything in the network becomes a zombie and is delivered round it; its events wait. */
static weir_status suspend(weir_diag *diag, wi_ic_bypass *b)
{
    stranded s = {0};
    weir_status status = weir_sim_pending(diag, b->sim, strand_event, &s);
    wi_ic_visit_runs(b->ic, b->sim, haunt_run, &s);
    if (s.failed && status == WEIR_OK)
        status = weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory for the packets in the network");
    if (status == WEIR_OK)
        status = weir_sim_suspend(diag, b->sim, 0, belongs_to_network, NULL);
    if (s.n)
        qsort(s.at, s.n, sizeof *s.at, by_name);
    for (size_t i = 0; i < s.n && status == WEIR_OK; i++)
        status = rescue(diag, b, &s.at[i]);
    free(s.at);
    b->since_ps = weir_sim_now(b->sim);
    return status;
}

/* Terminals that wait for room would wait for ever: all look again. */
static weir_status wake_terminals(weir_diag *diag, const wi_ic_bypass *b)
{
    const weir_time now_ps = weir_sim_now(b->sim);
    weir_status status = WEIR_OK;
    for (uint32_t t = 0; t < wi_ic_world(b->ic)->n_terminals && status == WEIR_OK; t++) {
        ((ic_terminal *)weir_sim_state(b->sim, t))->wake_ps = now_ps;
        status = weir_sim_post(diag, b->sim, t, t, IC_NEXT, now_ps, NULL);
    }
    return status;
}

static weir_status plan(weir_diag *diag, void *user, weir_time next_ps)
{
    const wi_ic_bypass *b = user;
    wi_ic_world_at_stop(b->ic)->until_ps = next_ps;
    (void)diag;
    return WEIR_OK;
}

static weir_status go_round(weir_diag *diag, void *user, wi_surrogate_mode mode, weir_time next_ps)
{
    wi_ic_bypass *b = user;
    ic_world *w = wi_ic_world_at_stop(b->ic);
    weir_status status = weir_sim_fetch(diag, b->sim) ?: fit(diag, b, w);
    if (status == WEIR_OK && mode == WI_HYBRID)
        status = suspend(diag, b);
    w->surrogate = 1;
    w->until_ps = next_ps;
    return status ?: wake_terminals(diag, b);
}

static weir_status come_back(weir_diag *diag, void *user, wi_surrogate_mode mode)
{
    wi_ic_bypass *b = user;
    ic_world *w = wi_ic_world_at_stop(b->ic);
    w->surrogate = 0;
    if (mode != WI_HYBRID)
        return WEIR_OK;
    w->still_ps += weir_sim_now(b->sim) - b->since_ps;
    return weir_sim_resume(diag, b->sim, 0, haunt_event, NULL);
}

wi_director_model wi_ic_bypass_model(wi_ic_bypass *b)
{
    return (wi_director_model){.user = b,
                               .look = look,
                               .track = track,
                               .shift = shift,
                               .mark = mark,
                               .drift = drift,
                               .go_round = go_round,
                               .plan = plan,
                               .come_back = come_back};
}

void wi_ic_bypass_archive(wi_ic_bypass *b, wi_archiver *k)
{
    const ic_world *w = wi_ic_world(b->ic);
    uint32_t n_seen = b->n_seen;
    wi_archive_section(k, "tracked");
    wi_archive(k, b->tracked, (size_t)(ic_pair_classes(w) * w->pair) * sizeof *b->tracked);
    wi_archive(k, b->seen, (size_t)SEEN_MOST * w->n_terminals * sizeof *b->seen);
    wi_archive(k, &n_seen, sizeof n_seen);
    wi_archive(k, &b->since_ps, sizeof b->since_ps);
    wi_archive(k, &b->rescued, sizeof b->rescued);
    if (n_seen > SEEN_MOST)
        wi_archiver_fail(k,
                         weir_fail(k->diag, WEIR_E_FORMAT, "damaged: too many marks, in section 'tracked'"));
    else
        b->n_seen = n_seen;
}

void wi_ic_bypass_archive_world(wi_ic *ic, wi_archiver *k)
{
    ic_world *w = wi_ic_world_at_stop(ic);
    wi_archive_section(k, "predictor");
    wi_archive(k, &w->surrogate, sizeof w->surrogate);
    wi_archive(k, &w->until_ps, sizeof w->until_ps);
    wi_archive(k, &w->still_ps, sizeof w->still_ps);
    w->surrogate = w->surrogate != 0;
    int64_t *const row = (int64_t *)(void *)((unsigned char *)w + w->rows_at);
    const uint64_t n = ic_pair_classes(w) * w->row;
    wi_archive(k, row, (size_t)n * sizeof *row);
    bool sound = w->still_ps >= 0;
    for (uint64_t i = 0; i < n; i++)
        sound = sound && row[i] >= 0 && row[i] < WEIR_TIME_MAX / 4;
    if (!sound)
        wi_archiver_fail(
            k, weir_fail(k->diag, WEIR_E_FORMAT, "damaged: times that cannot be, in section 'predictor'"));
}

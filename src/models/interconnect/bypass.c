/* Round the network and back; see the header. */
#include "models/interconnect/bypass.h"

#include <stdlib.h>
#include <string.h>

weir_status wi_ic_bypass_init(weir_diag *diag, wi_ic_bypass *b, wi_ic *ic, weir_sim *sim)
{
    const ic_world *w = wi_ic_world(ic);
    *b = (wi_ic_bypass){.ic = ic, .sim = sim};
    b->tracked = calloc((size_t)(ic_pair_classes(w) * w->pair), sizeof *b->tracked);
    b->before = calloc(w->n_terminals, sizeof *b->before);
    b->since = calloc(w->n_terminals, sizeof *b->since);
    return b->tracked && b->before && b->since
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory to track %u terminals", w->n_terminals);
}

void wi_ic_bypass_free(wi_ic_bypass *b)
{
    free(b->tracked);
    free(b->before);
    free(b->since);
    b->tracked = NULL;
    b->before = b->since = NULL;
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
        out->latency_ps += c[IC_COUNT_LATENCY];
        out->sent += c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED];
    }
    const weir_time now_ps = weir_sim_now(b->sim);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const ic_terminal *terminal = weir_sim_state(b->sim, t);
        const weir_time oldest_ps = terminal->left ? terminal->made_ps : terminal->due_ps;
        if (oldest_ps < now_ps)
            out->backlog_s += weir_seconds(now_ps - oldest_ps) / w->n_terminals;
    }
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

/* What the packets of each source took since tracking began. */
static void sum_sources(const wi_ic_bypass *b, wi_seen *of_source)
{
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *now = pair_counters(b), *before = b->tracked;
    for (uint32_t source = 0; source < w->n_terminals; source++) {
        wi_seen *to = &of_source[source];
        to->packets = to->sum_ps = 0;
        for (uint64_t i = 0; i < (uint64_t)w->n_terminals * w->classes;
             i++, now += w->pair, before += w->pair) {
            to->packets += now[IC_PAIR_PACKETS] - before[IC_PAIR_PACKETS];
            to->sum_ps += now[IC_PAIR_LATENCY] - before[IC_PAIR_LATENCY];
        }
    }
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
    sum_sources(b, b->before);
    memcpy(b->tracked, pair_counters(b), (size_t)(ic_pair_classes(w) * w->pair) * sizeof *b->tracked);
    shift_stalls(b, 1);
    return WEIR_OK;
}

static double shift(void *user)
{
    const wi_ic_bypass *b = user;
    const ic_world *w = wi_ic_world(b->ic);
    double sum = 0.0, differ = 0.0;
    sum_sources(b, b->since);
    for (uint32_t t = 0; t < w->n_terminals; t++) {
        const wi_seen *old = &b->before[t], *new_ = &b->since[t];
        if (!old->packets && !new_->packets)
            continue;
        const double was = old->packets ? (double)old->sum_ps / (double)old->packets : 0.0,
                     is = new_->packets ? (double)new_->sum_ps / (double)new_->packets : 0.0;
        sum += 0.5 * (was + is);
        differ += is > was ? is - was : was - is;
    }
    return sum > 0.0 ? differ / sum : 0.0;
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

/* The rows of a source. Pairs that saw nothing, most of them in programs, share `usual`: [classes * row]. */
static void fit_source(const wi_ic_bypass *b, ic_world *w, uint32_t source, const wi_seen *of_class,
                       const wi_seen *all, wi_seen *of_source, int64_t *usual)
{
    const wi_seen nothing = {0};
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
    wi_seen all = {0}, *sums = calloc(2 * (size_t)w->classes, sizeof *sums);
    int64_t *usual = calloc((size_t)w->classes * w->row, sizeof *usual);
    weir_status status = sums && usual ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory");
    shift_stalls(b, -1);
    for (uint64_t i = 0; i < ic_pair_classes(w) && status == WEIR_OK; i++)
        if (add_seen(b, i, &all))
            add_seen(b, i, &sums[i % w->classes]);
    if (status == WEIR_OK && (all.packets == 0 || all.sent == 0))
        status = weir_fail(diag, WEIR_E_ARG,
                           "surrogate: no packet was %s while latencies were tracked, until %.9f s; "
                           "want a longer or later tracked period",
                           all.packets ? "sent" : "delivered", weir_seconds(weir_sim_now(b->sim)));
    for (uint32_t source = 0; source < w->n_terminals && status == WEIR_OK; source++)
        fit_source(b, w, source, sums, &all, sums + w->classes, usual);
    free(usual);
    free(sums);
    return status;
}

/* Packets whose tail is in the network. */
typedef struct stranded {
    ic_burst *at;
    size_t n, room;
    int failed;
} stranded;

static void strand(stranded *s, const ic_burst *b)
{
    if (!(b->mark & IC_TAIL) || (b->mark & IC_ZOMBIE) || s->failed)
        return;
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        ic_burst *more = realloc(s->at, room * sizeof *more);
        s->failed = !more;
        if (!more)
            return;
        s->at = more;
        s->room = room;
    }
    s->at[s->n++] = *b;
}

static void strand_event(void *user, const weir_event *event)
{
    if (event->type == IC_ARRIVE)
        strand(user, WEIR_PAYLOAD(ic_burst, event));
}

/* Runs in all buffers: their packets are stranded, and they become zombies. */
static void haunt_routers(const wi_ic_bypass *b, stranded *s)
{
    const ic_world *w = wi_ic_world(b->ic);
    for (uint32_t id = 0; id < w->n_routers; id++) {
        weir_ctx ctx;
        memset(&ctx, 0, sizeof ctx);
        ctx.world = (const unsigned char *)w;
        ctx.entity = w->n_terminals + id;
        ctx.pool[IC_POOL_RUNS] = weir_sim_slot(b->sim, IC_POOL_RUNS, 0);
        const ic_here r = ic_router_of(&ctx, weir_sim_state(b->sim, ctx.entity));
        for (uint32_t q = 0; q < w->ports * w->vcs; q++)
            for (uint32_t port = 0; port < w->ports; port++)
                for (uint32_t slot = ic_queue_at(&r, q, port)->head; slot; slot = ic_run_at(&r, slot)->link) {
                    ic_run *run = ic_run_at(&r, slot);
                    strand(s, &run->burst);
                    run->burst.mark |= IC_ZOMBIE;
                }
    }
}

static int by_name(const void *a, const void *b)
{
    const ic_burst *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->packet > y->packet) - (x->packet < y->packet);
}

/* Deliver a stranded packet when the predictor says that it would have come. One for which that is over is later than
 * its like: it comes within the time that its like take, not with all others at once. */
static weir_status rescue(weir_diag *diag, wi_ic_bypass *b, const ic_burst *packet)
{
    const ic_world *w = wi_ic_world(b->ic);
    const weir_time now_ps = weir_sim_now(b->sim),
                    latency_ps =
                        ic_predict(w, ic_predictor_row(w, packet->source, packet->target, packet->class_),
                                   packet->source, packet->packet, packet->size, 0);
    const uint64_t bits = ic_packet_bits(packet->source, packet->packet, IC_SALT_LATE);
    weir_time at_ps = packet->born_ps + latency_ps;
    if (at_ps < now_ps)
        at_ps = now_ps + (weir_time)((double)latency_ps * weir_unit_of_bits(bits));
    b->rescued++;
    return weir_sim_post(diag, b->sim, packet->source, packet->target, IC_DELIVER, at_ps, packet);
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
    if (event->type == IC_ARRIVE)
        ((ic_burst *)(void *)(event + 1))->mark |= IC_ZOMBIE;
}

/* Everything in the network becomes a zombie and is delivered round it; its events wait. */
static weir_status suspend(weir_diag *diag, wi_ic_bypass *b)
{
    stranded s = {0};
    weir_status status = weir_sim_pending(diag, b->sim, strand_event, &s);
    haunt_routers(b, &s);
    if (s.failed && status == WEIR_OK)
        status = weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory for the packets in the network");
    if (status == WEIR_OK)
        status = weir_sim_suspend(diag, b->sim, belongs_to_network, NULL);
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
    weir_status status = weir_sim_fetch(diag, b->sim);
    if (status == WEIR_OK)
        status = fit(diag, b, w);
    if (status == WEIR_OK && mode == WI_HYBRID)
        status = suspend(diag, b);
    w->surrogate = 1;
    w->until_ps = next_ps;
    return status == WEIR_OK ? wake_terminals(diag, b) : status;
}

static weir_status come_back(weir_diag *diag, void *user, wi_surrogate_mode mode)
{
    wi_ic_bypass *b = user;
    ic_world *w = wi_ic_world_at_stop(b->ic);
    w->surrogate = 0;
    if (mode != WI_HYBRID)
        return WEIR_OK;
    w->still_ps += weir_sim_now(b->sim) - b->since_ps;
    return weir_sim_resume(diag, b->sim, haunt_event, NULL);
}

wi_director_model wi_ic_bypass_model(wi_ic_bypass *b)
{
    return (wi_director_model){.user = b,
                               .look = look,
                               .track = track,
                               .shift = shift,
                               .go_round = go_round,
                               .plan = plan,
                               .come_back = come_back};
}

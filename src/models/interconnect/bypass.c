/* Round the network and back; see the header. */
#include "models/interconnect/bypass.h"

#include <stdlib.h>
#include <string.h>

weir_status wi_ic_bypass_init(weir_diag *diag, wi_ic_bypass *b, wi_ic *ic, weir_sim *sim)
{
    const ic_world *w = wi_ic_world(ic);
    *b = (wi_ic_bypass){.ic = ic, .sim = sim};
    b->tracked = calloc((size_t)w->n_terminals * w->n_terminals * w->pair, sizeof *b->tracked);
    return b->tracked
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "surrogate: no memory to track %u terminals", w->n_terminals);
}

void wi_ic_bypass_free(wi_ic_bypass *b)
{
    free(b->tracked);
    b->tracked = NULL;
}

static void look(void *user, wi_director_view *out)
{
    const wi_ic_bypass *b = user;
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *c = weir_sim_counters(b->sim);
    memset(out, 0, sizeof *out);
    for (uint32_t j = 0; j <= w->n_jobs; j++, c += IC_COUNTERS) {
        out->packets += c[IC_COUNT_PACKETS];
        out->latency_ps += c[IC_COUNT_LATENCY];
        out->sent += c[IC_COUNT_INJECTED] + c[IC_COUNT_PREDICTED];
    }
    for (uint32_t r = 0; r < w->n_routers; r++)
        out->occupancy += ((const ic_router *)weir_sim_state(b->sim, w->n_terminals + r))->waiting;
}

static const int64_t *pair_counters(const wi_ic_bypass *b)
{
    return weir_sim_counters(b->sim) + ic_pair_counters(wi_ic_world(b->ic), 0, 0);
}

static weir_status track(weir_diag *diag, void *user)
{
    wi_ic_bypass *b = user;
    const ic_world *w = wi_ic_world(b->ic);
    const weir_status status = weir_sim_fetch(diag, b->sim);
    if (status == WEIR_OK)
        memcpy(b->tracked, pair_counters(b),
               (size_t)w->n_terminals * w->n_terminals * w->pair * sizeof *b->tracked);
    return status;
}

/* Add to `seen` what a pair saw since tracking began. */
static void add_seen(const wi_ic_bypass *b, uint64_t pair, wi_seen *seen)
{
    const ic_world *w = wi_ic_world(b->ic);
    const int64_t *now = pair_counters(b) + pair * w->pair, *before = b->tracked + pair * w->pair;
    seen->packets += now[IC_PAIR_PACKETS] - before[IC_PAIR_PACKETS];
    seen->sum_ps += now[IC_PAIR_LATENCY] - before[IC_PAIR_LATENCY];
    for (uint32_t i = 0; w->pair == IC_PAIR_FULL && i < WI_SEEN_BINS; i++)
        seen->bin[i] += now[IC_PAIR_PLAIN + i] - before[IC_PAIR_PLAIN + i];
}

/* A pair that saw no packet takes what its source saw to all, and a source that saw none what all did. */
static weir_status fit(weir_diag *diag, const wi_ic_bypass *b, ic_world *w)
{
    int64_t *rows = (int64_t *)(void *)((unsigned char *)w + w->rows_at);
    wi_seen all = {0};
    for (uint64_t pair = 0; pair < (uint64_t)w->n_terminals * w->n_terminals; pair++)
        add_seen(b, pair, &all);
    if (all.packets == 0)
        return weir_fail(diag, WEIR_E_ARG,
                         "surrogate: no packet was delivered while latencies were tracked, until %.9f s; "
                         "want a longer or later tracked period",
                         weir_seconds(weir_sim_now(b->sim)));
    for (uint32_t source = 0; source < w->n_terminals; source++) {
        wi_seen of_source = {0};
        const uint64_t first = (uint64_t)source * w->n_terminals;
        for (uint32_t target = 0; target < w->n_terminals; target++)
            add_seen(b, first + target, &of_source);
        for (uint32_t target = 0; target < w->n_terminals; target++) {
            wi_seen seen = {0};
            add_seen(b, first + target, &seen);
            wi_predictor_fit((wi_predictor)w->predictor,
                             seen.packets        ? &seen
                             : of_source.packets ? &of_source
                                                 : &all,
                             rows + (first + target) * w->row);
        }
    }
    return WEIR_OK;
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

/* Deliver a stranded packet when the predictor says that it would have come, at once where that is over. */
static weir_status rescue(weir_diag *diag, wi_ic_bypass *b, const ic_burst *packet)
{
    const ic_world *w = wi_ic_world(b->ic);
    const weir_time now_ps = weir_sim_now(b->sim);
    const int64_t *row = IC_TABLE(w, int64_t, w->rows_at) +
                         ((uint64_t)packet->source * w->n_terminals + packet->target) * w->row;
    const weir_time at_ps =
        packet->born_ps + wi_predict((wi_predictor)w->predictor, row,
                                     ic_packet_bits(packet->source, packet->packet, IC_SALT_LATENCY));
    b->rescued++;
    return weir_sim_post(diag, b->sim, packet->source, packet->target, IC_DELIVER,
                         at_ps > now_ps ? at_ps : now_ps, packet);
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
    return (wi_director_model){
        .user = b, .look = look, .track = track, .go_round = go_round, .plan = plan, .come_back = come_back};
}

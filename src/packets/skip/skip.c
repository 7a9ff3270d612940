/* When to look, whether and how far to skip, and skipping; see the header. */
#include "packets/skip/skipper.h"

#include <stdlib.h>

#include "base/memory.h"

/* A half is so many of the longest round trips at first. A look costs about as much as so many events, at which all threads stop, and as
 * these parts of one for each slot, port, counter and pending event that it reads. All looks together may cost a twentieth of what events do, and of
 * those that were skipped, four to a packet at least, beside those that come free. */
enum {
    ROUND_TRIPS = 4,
    STOP = 100,
    OF_SLOTS = 8,
    OF_PORTS = 8,
    OF_COUNTERS = 64,
    SHARE = 20,
    SKIPPED = 4,
    OF_PENDING = 16,
    FREE_LOOKS = 64,
    ALL_FREE_LOOKS = 512 /* of all parts */
};
/* Looks for iterations have a share of their own. They come in rows, and rest once a row is paid for ahead. */
enum { SHARE_AGAIN = 60, AHEAD = 32 };
/* A span is worth repeating so often; where the flows, not what comes next, allow less, a longer one is watched. */
enum { LEAST_TIMES = 2, GOOD_TIMES = 16 };
/* The first half is longer by such a part of a round trip. What a window sends in bursts, one a round trip, counts the same in halves of
 * whole round trips, whatever its rate; so it does not. */
static const double longer_by = 0.38;
static const weir_time longest_half_ps = 10 * WEIR_PS_PER_S;

weir_status wi_skipper_new(weir_diag *diag, wi_net *net, const wi_skip_params *params, wi_skipper **out)
{
    wi_skipper *s = *out = calloc(1, sizeof *s);
    const size_t n = (size_t)net->n_hosts + net->n_ports;
    if (s) {
        *s = (wi_skipper){.net = net, .params = *params};
        s->ports = calloc(n, sizeof *s->ports);
        s->counters = calloc(net->n_counters + 1, sizeof *s->counters);
        s->n_quiet_ports = wi_net_world(net)->jobs ? n : 0;
        s->n_quiet_counters = wi_net_world(net)->jobs ? net->n_counters : 0;
        s->quiet_ports = calloc(s->n_quiet_ports + 1, sizeof *s->quiet_ports);
        s->quiet_counters = calloc(s->n_quiet_counters + 1, sizeof *s->quiet_counters);
        s->load_ps = malloc(n * sizeof *s->load_ps);
    }
    if (!s || !s->ports || !s->counters || !s->quiet_ports || !s->quiet_counters || !s->load_ps)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to watch for steady states");
    WI_RETURN_IF_FAILED(wi_skip_make_parts(diag, s, net));
    for (uint32_t i = 0; i < s->n_parts; i++) {
        s->parts[i].next_ps = wi_skipper_first();
        s->parts[i].half_ps = s->parts[i].wait_ps = WI_NET_SPAN_UNIT_PS;
        s->parts[i].again.next_ps = wi_net_world(net)->jobs ? wi_skipper_first() : WEIR_TIME_MAX;
    }
    return WEIR_OK;
}

void wi_skipper_free(wi_skipper *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n_parts; i++) {
        free(s->parts[i].flows);
        free(s->parts[i].again.records);
    }
    free(s->parts);
    free(s->part_of);
    free(s->entities);
    free(s->ranges);
    free(s->ports);
    free(s->counters);
    free(s->quiet_ports);
    free(s->quiet_counters);
    free(s->load_ps);
    free(s);
}

void wi_skipper_attach(wi_skipper *s, weir_sim *sim,
                       weir_status (*take)(void *user, const weir_record_head *record), void *user)
{
    s->sim = sim;
    s->take = take;
    s->user = user;
}

weir_time wi_skipper_first(void)
{
    return WI_NET_SPAN_UNIT_PS;
}

wi_skipped wi_skipper_total(const wi_skipper *s)
{
    return s->total;
}

static weir_time whole_units(weir_time span_ps)
{
    return span_ps / WI_NET_SPAN_UNIT_PS * WI_NET_SPAN_UNIT_PS;
}

/* ---- what comes ---- */

/* The next thing that comes to a part from outside, and its next event of all. */
typedef struct coming {
    const wi_skipper *s;
    uint32_t part;
    weir_time outer_ps, any_ps;
    uint64_t others; /* events of other parts */
} coming;

static void note(void *user, const weir_event *event)
{
    coming *c = user;
    if (c->s->part_of[event->target] != c->part) {
        c->others++;
        return;
    }
    if (event->time_ps < c->any_ps)
        c->any_ps = event->time_ps;
    if (event->time_ps < c->outer_ps && !wi_net_is_inner(c->s->net, event))
        c->outer_ps = event->time_ps;
}

/* What comes to a part, from what the scenario has fixed on. */
static weir_status look_ahead(weir_diag *diag, const wi_skipper *s, wi_skip_part *p, weir_time fixed_ps,
                              coming *next)
{
    *next = (coming){.s = s, .part = p->number, .outer_ps = fixed_ps, .any_ps = WEIR_TIME_MAX};
    const weir_status status = weir_sim_pending(diag, s->sim, note, next);
    p->spent += next->others / OF_PENDING;
    return status;
}

static void least(weir_time *at_ps, weir_time other_ps)
{
    *at_ps = other_ps < *at_ps ? other_ps : *at_ps;
}

/* What the scenario has fixed: the end of the warm-up, stops of classes, links that fail, the end. */
static weir_time next_fixed(const wi_skipper *s, weir_time now_ps)
{
    const wi_skip_params *p = &s->params;
    weir_time at_ps = p->end_ps;
    if (p->warm_ps > now_ps)
        least(&at_ps, p->warm_ps);
    for (uint32_t c = 0; c < s->net->n_classes; c++) {
        const weir_time stop_ps = net_class_at(wi_net_world(s->net), c)->stop_ps;
        if (stop_ps > now_ps)
            least(&at_ps, stop_ps);
    }
    for (uint32_t i = 0; i < s->net->n_steps; i++)
        if (s->net->steps[i].at_ps > now_ps)
            least(&at_ps, s->net->steps[i].at_ps);
    return at_ps;
}

/* Where the run ends when all flows of a size have, there is one. */
static bool goes_on(const wi_skipper *s, const wi_skip_part *p)
{
    bool sized = !s->params.until_done;
    for (size_t k = 0; k < p->n_flows && !sized; k++)
        sized = p->flows[k].sent[0].state != NET_TX_UDP && !(p->flows[k].sent[0].flags & NET_TX_UNBOUNDED);
    return sized;
}

/* ---- looks ---- */

static weir_time fail(weir_diag *diag, weir_status status)
{
    if (status == WEIR_E_NOMEM)
        (void)weir_fail(diag, WEIR_E_NOMEM, "no memory to watch for steady states");
    return 0;
}

static uint64_t slots_of(const wi_skipper *s, const wi_skip_part *p)
{
    const uint32_t *first = NET_ARRAY(wi_net_world(s->net), uint32_t, tx_first);
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->n_hosts; i++)
        n += first[p->entities[i] + 1] - first[p->entities[i]];
    return n;
}

/* What a look costs; `all`: at ports and counters too. */
static uint64_t price(wi_skipper *s, const wi_skip_part *p, bool all)
{
    uint64_t n = 0;
    for (uint32_t r = 0; r < p->n_counters && all; r++)
        n += p->counters[r].end - p->counters[r].first;
    s->total.looks++;
    return slots_of(s, p) / OF_SLOTS + STOP + (all ? p->n_entities / OF_PORTS + n / OF_COUNTERS : 0);
}

/* Parts share in what there is to spend, one event of so many, and each has what it has saved itself; and so many looks ahead. */
static bool can_pay(const wi_skipper *s, const wi_skip_part *p, uint64_t spent, uint32_t one_of,
                    uint32_t ahead)
{
    const uint64_t look = (slots_of(s, p) + p->n_entities) / OF_SLOTS + STOP,
                   shared = ALL_FREE_LOOKS / s->n_parts,
                   free_looks = shared < FREE_LOOKS ? shared : FREE_LOOKS;
    return spent <= (weir_sim_events(s->sim) / s->n_parts + SKIPPED * p->packets) / one_of +
                        (free_looks + ahead) * look;
}

/* There is nothing to see yet: twice as long as it took so far. */
static weir_time later(wi_skip_part *p, weir_time now_ps)
{
    p->wait_ps *= 2;
    return now_ps + (p->wait_ps > p->half_ps ? p->wait_ps : p->half_ps);
}

/* A span begins now. Returns when to look again. */
static weir_time begin(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps)
{
    bool failed = false;
    p->n_looks = 0;
    if (!can_pay(s, p, p->spent, SHARE, 0))
        return later(p, now_ps);
    if (weir_sim_fetch(diag, s->sim) != WEIR_OK)
        return 0;
    p->spent += price(s, p, false);
    const bool stands = wi_skip_see(s, p, 0, &failed);
    if (failed)
        return fail(diag, WEIR_E_NOMEM);
    const weir_time rtt_ps = wi_skip_longest_rtt(p), for_udp_ps = wi_skip_least_half(s, p);
    weir_time least_ps = ROUND_TRIPS * rtt_ps > for_udp_ps ? ROUND_TRIPS * rtt_ps : for_udp_ps;
    least(&least_ps, longest_half_ps);
    if (p->half_ps < least_ps)
        p->half_ps = whole_units(least_ps) + WI_NET_SPAN_UNIT_PS;
    if (!stands)
        return later(p, now_ps);
    p->wait_ps = WI_NET_SPAN_UNIT_PS;
    if (p->n_flows == 0) {
        coming next;
        const weir_status status = look_ahead(diag, s, p, WEIR_TIME_MAX, &next);
        p->half_ps = WI_NET_SPAN_UNIT_PS;
        return status != WEIR_OK                          ? 0
               : next.any_ps < WEIR_TIME_MAX - p->half_ps ? next.any_ps + p->half_ps
                                                          : WEIR_TIME_MAX;
    }
    p->spent += price(s, p, true);
    const int64_t *counters = weir_sim_counters(s->sim);
    for (uint32_t i = 0; i < p->n_entities; i++)
        s->ports[p->entities[i]] = *wi_net_port(s->net, s->sim, p->entities[i]);
    for (uint32_t r = 0; r < p->n_counters; r++)
        memcpy(s->counters + p->counters[r].first, counters + p->counters[r].first,
               (p->counters[r].end - p->counters[r].first) * sizeof *counters);
    p->step = s->net->next_step;
    p->n_looks = 1;
    return now_ps + p->half_ps + whole_units((weir_time)(longer_by * (double)rtt_ps));
}

/* When the next stretch of a skip ends: a sample sees what is counted by then. */
static weir_time next_stretch(const wi_skipper *s, const wi_skip_part *p)
{
    const weir_time every_ps = s->params.interval_ps;
    weir_time at_ps = p->until_ps;
    if (every_ps > 0) {
        const weir_time sample_ps = p->done_ps / every_ps * every_ps + every_ps;
        const weir_time before_ps = p->since_ps + whole_units(sample_ps - p->since_ps);
        least(&at_ps, before_ps > p->done_ps ? before_ps : p->done_ps + WI_NET_SPAN_UNIT_PS);
    }
    return at_ps;
}

typedef struct of_part {
    const wi_skipper *s;
    const wi_skip_part *p;
} of_part;

static int freeze(void *user, const weir_event *event)
{
    const of_part *of = user;
    return of->s->part_of[event->target] == of->p->number &&
           (of->p->again.times ? wi_skip_again_is_own(of->s, of->p, event)
                               : wi_net_is_inner(of->s->net, event));
}

/* A part is not simulated until a time. Returns when to look again. */
static weir_time skip(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps, weir_time until_ps)
{
    of_part of = {s, p};
    if (weir_sim_suspend(diag, s->sim, p->number, freeze, &of) != WEIR_OK)
        return 0;
    p->since_ps = p->done_ps = now_ps;
    p->until_ps = until_ps;
    p->n_looks = 0;
    if (s->n_skipping++ == 0)
        s->total_until_ps = now_ps;
    s->total.skips++;
    return next_stretch(s, p);
}

/* To suspend a part all pending events are sorted: it must save more than that takes. */
static bool is_worth(const wi_skip_part *p, double times, const coming *next)
{
    double packets = 0.0;
    for (size_t k = 0; k < p->n_flows; k++)
        packets += p->flows[k].packets;
    return SKIPPED * packets * times >= (double)next->others;
}

/* The span is over: skip, or watch another. */
static weir_time judge(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps)
{
    const weir_time span_ps = p->at_ps[2] - p->at_ps[0];
    coming next = {.outer_ps = next_fixed(s, now_ps)};
    bool failed = false;
    p->spent += price(s, p, true);
    const double by_flows = wi_skip_counts_stand(s, p) ? wi_skip_most_times(s, p, &failed) : 0.0;
    if (failed)
        return fail(diag, WEIR_E_NOMEM);
    if (by_flows >= LEAST_TIMES && look_ahead(diag, s, p, next.outer_ps, &next) != WEIR_OK)
        return 0;
    const weir_time room_ps = next.outer_ps - now_ps - 1;
    const double by_events = (double)room_ps / (double)span_ps,
                 times = by_flows < by_events ? by_flows : by_events;
    if (by_flows < GOOD_TIMES && by_flows < by_events && p->half_ps < longest_half_ps)
        p->half_ps *= 2;
    if (times < LEAST_TIMES || !is_worth(p, times, &next))
        return begin(diag, s, p, now_ps);
    const weir_time for_ps =
        whole_units(by_flows < by_events ? (weir_time)(by_flows * (double)span_ps) : room_ps);
    wi_skip_take_growth(s, p);
    p->drifting_ps += p->still ? 0 : for_ps;
    return skip(diag, s, p, now_ps, now_ps + for_ps);
}

static void move(void *user, weir_event *event)
{
    const of_part *of = user;
    wi_net_move_payload(of->s->net, event, of->p->until_ps - of->p->since_ps);
    if (of->p->again.times)
        wi_skip_again_move(of->s, of->p, event);
}

/* A stretch of the skip is over, or all of it: the part wakes. */
static weir_time go_on(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time now_ps)
{
    of_part of = {s, p};
    if (weir_sim_hold(diag, s->sim) != WEIR_OK)
        return 0;
    weir_status status = WEIR_OK;
    if (p->again.times)
        status = wi_skip_again_apply(s, p, now_ps);
    else
        wi_skip_apply(s, p, now_ps);
    if (status != WEIR_OK)
        return 0;
    if (now_ps < p->until_ps)
        return next_stretch(s, p);
    status = weir_sim_resume(diag, s->sim, p->number, move, &of);
    p->until_ps = 0;
    s->n_skipping--;
    if (p->again.times)
        wi_skip_again_wake(s, p, now_ps);
    return status == WEIR_OK ? begin(diag, s, p, now_ps) : 0;
}

static weir_time look(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time at_ps)
{
    bool failed = false;
    if (p->n_looks == 0 && !p->until_ps)
        return begin(diag, s, p, at_ps);
    if (p->until_ps)
        return go_on(diag, s, p, at_ps);
    if (weir_sim_fetch(diag, s->sim) != WEIR_OK)
        return 0;
    p->spent += price(s, p, false);
    const bool same = wi_skip_see(s, p, p->n_looks, &failed) && p->step == s->net->next_step && goes_on(s, p);
    if (!same) {
        p->drifting_ps = 0;
        p->half_ps = WI_NET_SPAN_UNIT_PS;
        return begin(diag, s, p, at_ps);
    }
    if (++p->n_looks < WI_SKIP_LOOKS)
        return at_ps + p->half_ps;
    return judge(diag, s, p, at_ps);
}

/* Whether iterations of the part's job repeat themselves; if so they are skipped. False: it failed. */
static bool look_again(weir_diag *diag, wi_skipper *s, wi_skip_part *p, weir_time at_ps)
{
    weir_time until_ps = 0;
    p->again.rests = !can_pay(s, p, p->again.spent, SHARE_AGAIN, p->again.rests ? 0 : AHEAD);
    if (p->again.rests) {
        p->again.next_ps = at_ps + at_ps / 64 + WI_NET_SPAN_UNIT_PS;
        return true;
    }
    p->again.spent += price(s, p, true);
    if (!wi_skip_again_look(diag, s, p, at_ps, next_fixed(s, at_ps), &until_ps))
        return false;
    if (until_ps)
        p->next_ps = skip(diag, s, p, at_ps, until_ps);
    return p->next_ps != 0;
}

weir_time wi_skipper_look(weir_diag *diag, wi_skipper *s, weir_time at_ps)
{
    weir_time next_ps = WEIR_TIME_MAX;
    for (uint32_t i = 0; i < s->n_parts; i++) {
        wi_skip_part *p = &s->parts[i];
        if (p->next_ps <= at_ps && (p->next_ps = look(diag, s, p, at_ps)) == 0)
            return 0;
        if (!p->until_ps && p->again.next_ps <= at_ps && !look_again(diag, s, p, at_ps))
            return 0;
        least(&next_ps, p->next_ps);
        if (!p->until_ps)
            least(&next_ps, p->again.next_ps);
    }
    return next_ps;
}

/* ---- checkpoints ---- */

/* Whether a run could have left what was read: whatever is used as an index or a divisor is looked at. */
static bool fits(const wi_skipper *s, const wi_skip_part *p)
{
    const net_world *w = wi_net_world(s->net);
    bool good = p->n_looks < WI_SKIP_LOOKS && p->half_ps > 0 && p->half_ps <= 2 * longest_half_ps &&
                p->wait_ps > 0 && p->until_ps >= 0 &&
                (!p->until_ps || p->again.times || p->at_ps[2] > p->at_ps[0]) && p->since_ps <= p->done_ps &&
                (!p->until_ps || p->done_ps < p->until_ps) && p->next_ps > 0;
    for (size_t k = 0; k < p->n_flows && good; k++) {
        const wi_skip_flow *f = &p->flows[k];
        good = f->tx < w->n_tx && f->rx < w->n_rx && f->packets >= 0.0 && f->packets < 1e18 &&
               f->acks >= 0.0 && f->acks < 1e18;
        for (int i = 0; i < WI_SKIP_LOOKS && good; i++)
            good = f->sent[i].dst < w->n_hosts;
    }
    return good;
}

static void archive_part(const wi_skipper *s, wi_skip_part *p, wi_archiver *k)
{
    uint64_t n = p->n_flows;
    wi_archive(k, &p->next_ps, sizeof p->next_ps);
    wi_archive(k, p->at_ps, sizeof p->at_ps);
    wi_archive(k, p->others, sizeof p->others);
    wi_archive(k, &p->n_looks, sizeof p->n_looks);
    wi_archive(k, &p->step, sizeof p->step);
    wi_archive(k, &p->half_ps, sizeof p->half_ps);
    wi_archive(k, &p->wait_ps, sizeof p->wait_ps);
    wi_archive(k, &p->drifting_ps, sizeof p->drifting_ps);
    wi_archive(k, &p->spent, sizeof p->spent);
    wi_archive(k, &p->packets, sizeof p->packets);
    wi_archive(k, &p->since_ps, sizeof p->since_ps);
    wi_archive(k, &p->done_ps, sizeof p->done_ps);
    wi_archive(k, &p->until_ps, sizeof p->until_ps);
    wi_archive(k, &n, sizeof n);
    if (n > wi_net_world(s->net)->n_tx || !wi_grow(&p->flows, &p->room, n, sizeof *p->flows)) {
        wi_archiver_fail(k, n > wi_net_world(s->net)->n_tx ? WEIR_E_FORMAT : WEIR_E_NOMEM);
        return;
    }
    p->n_flows = n;
    wi_archive(k, p->flows, n * sizeof *p->flows);
    wi_skip_again_archive(p, k);
    if (wi_archiver_reads(k) && !fits(s, p))
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_FORMAT,
                                      "damaged: what was watched cannot be, in section 'skipper'"));
}

void wi_skipper_archive(wi_skipper *s, wi_archiver *k)
{
    wi_archive_section(k, "skipper");
    wi_archive(k, &s->total, sizeof s->total);
    wi_archive(k, &s->total_until_ps, sizeof s->total_until_ps);
    wi_archive(k, s->ports, ((size_t)s->net->n_hosts + s->net->n_ports) * sizeof *s->ports);
    wi_archive(k, s->counters, s->net->n_counters * sizeof *s->counters);
    wi_archive(k, s->quiet_ports, s->n_quiet_ports * sizeof *s->quiet_ports);
    wi_archive(k, s->quiet_counters, s->n_quiet_counters * sizeof *s->quiet_counters);
    s->n_skipping = 0;
    for (uint32_t i = 0; i < s->n_parts; i++) {
        archive_part(s, &s->parts[i], k);
        s->n_skipping += s->parts[i].until_ps > 0;
    }
}

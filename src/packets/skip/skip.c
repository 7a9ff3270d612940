/* When to look, whether and how far to skip, and skipping; see the header. */
#include "packets/skip/skipper.h"

#include <stdlib.h>

#include "base/memory.h"

/* A half is so many of the longest round trips at first. A look costs about as much as so many events, at which all threads stop, and as
 * these parts of one for each slot, port and counter that it reads. All looks together may cost a twentieth of what events do, and of
 * those that were skipped, four to a packet at least, beside those that come free. */
enum {
    ROUND_TRIPS = 4,
    STOP = 100,
    OF_SLOTS = 8,
    OF_PORTS = 8,
    OF_COUNTERS = 64,
    SHARE = 20,
    SKIPPED = 4,
    FREE_LOOKS = 64
};
/* A span is worth repeating so often; where the flows, not what comes next, allow less, a longer one is watched. */
enum { LEAST_TIMES = 2, GOOD_TIMES = 16 };
/* The first half is longer by such a part of a round trip. What a window sends in bursts, one a round trip, counts the same in halves of
 * whole round trips, whatever its rate; so it does not. */
static const double longer_by = 0.38;
static const weir_time longest_half_ps = 10 * WEIR_PS_PER_S;

weir_status wi_skipper_new(weir_diag *diag, const wi_net *net, const wi_skip_params *params, wi_skipper **out)
{
    wi_skipper *s = *out = calloc(1, sizeof *s);
    const size_t n = (size_t)net->n_hosts + net->n_ports;
    if (s) {
        *s = (wi_skipper){
            .net = net, .params = *params, .half_ps = WI_NET_SPAN_UNIT_PS, .wait_ps = WI_NET_SPAN_UNIT_PS};
        s->ports = malloc(n * sizeof *s->ports);
        s->counters = malloc((net->n_counters + 1) * sizeof *s->counters);
        s->load_ps = malloc(n * sizeof *s->load_ps);
    }
    return s && s->ports && s->counters && s->load_ps
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "no memory to watch for steady states");
}

void wi_skipper_free(wi_skipper *s)
{
    if (!s)
        return;
    free(s->flows);
    free(s->ports);
    free(s->counters);
    free(s->load_ps);
    free(s);
}

void wi_skipper_attach(wi_skipper *s, weir_sim *sim)
{
    s->sim = sim;
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

/* The next thing that comes from outside, and the next event of all. */
typedef struct coming {
    const wi_net *net;
    weir_time outer_ps, any_ps;
} coming;

static void note(void *user, const weir_event *event)
{
    coming *c = user;
    if (event->time_ps < c->any_ps)
        c->any_ps = event->time_ps;
    if (event->time_ps < c->outer_ps && !wi_net_is_inner(c->net, event))
        c->outer_ps = event->time_ps;
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
static bool goes_on(const wi_skipper *s)
{
    bool sized = !s->params.until_done;
    for (size_t k = 0; k < s->n_flows && !sized; k++)
        sized = s->flows[k].sent[0].state != NET_TX_UDP && !(s->flows[k].sent[0].flags & NET_TX_UNBOUNDED);
    return sized;
}

/* ---- looks ---- */

static weir_time fail(weir_diag *diag, weir_status status)
{
    if (status == WEIR_E_NOMEM)
        (void)weir_fail(diag, WEIR_E_NOMEM, "no memory to watch for steady states");
    return 0;
}

static void pay(wi_skipper *s, bool all)
{
    const net_world *w = wi_net_world(s->net);
    s->spent += w->n_tx / OF_SLOTS + STOP;
    if (all)
        s->spent += (s->net->n_hosts + s->net->n_ports) / OF_PORTS + s->net->n_counters / OF_COUNTERS;
    s->total.looks++;
}

static bool can_pay(const wi_skipper *s)
{
    const uint64_t look = (wi_net_world(s->net)->n_tx + s->net->n_hosts + s->net->n_ports) / OF_SLOTS + STOP;
    return s->spent <= (weir_sim_events(s->sim) + SKIPPED * s->total.packets) / SHARE + FREE_LOOKS * look;
}

/* There is nothing to see yet: twice as long as it took so far. */
static weir_time later(wi_skipper *s, weir_time now_ps)
{
    s->wait_ps *= 2;
    return now_ps + (s->wait_ps > s->half_ps ? s->wait_ps : s->half_ps);
}

/* A span begins now. Returns when to look again. */
static weir_time begin(weir_diag *diag, wi_skipper *s, weir_time now_ps)
{
    bool failed = false;
    s->n_looks = 0;
    if (!can_pay(s))
        return later(s, now_ps);
    if (weir_sim_fetch(diag, s->sim) != WEIR_OK)
        return 0;
    pay(s, false);
    const bool stands = wi_skip_see(s, 0, &failed);
    if (failed)
        return fail(diag, WEIR_E_NOMEM);
    const weir_time rtt_ps = wi_skip_longest_rtt(s),
                    round_trips_ps = whole_units(ROUND_TRIPS * rtt_ps) + WI_NET_SPAN_UNIT_PS;
    if (s->half_ps < round_trips_ps)
        s->half_ps = round_trips_ps;
    if (!stands)
        return later(s, now_ps);
    s->wait_ps = WI_NET_SPAN_UNIT_PS;
    if (s->n_flows == 0) {
        coming next = {.net = s->net, .outer_ps = WEIR_TIME_MAX, .any_ps = WEIR_TIME_MAX};
        const weir_status status = weir_sim_pending(diag, s->sim, note, &next);
        s->half_ps = WI_NET_SPAN_UNIT_PS;
        return status != WEIR_OK                          ? 0
               : next.any_ps < WEIR_TIME_MAX - s->half_ps ? next.any_ps + s->half_ps
                                                          : WEIR_TIME_MAX;
    }
    pay(s, true);
    for (uint32_t e = 0; e < s->net->n_hosts + s->net->n_ports; e++)
        s->ports[e] = *wi_net_port(s->net, s->sim, e);
    memcpy(s->counters, weir_sim_counters(s->sim), s->net->n_counters * sizeof *s->counters);
    s->step = s->net->next_step;
    s->n_looks = 1;
    return now_ps + s->half_ps + whole_units((weir_time)(longer_by * (double)rtt_ps));
}

static int freeze(void *user, const weir_event *event)
{
    return wi_net_is_inner(user, event);
}

/* When the next part of a skip ends: a sample sees what is counted by then. */
static weir_time next_part(const wi_skipper *s)
{
    const weir_time every_ps = s->params.interval_ps;
    weir_time at_ps = s->until_ps;
    if (every_ps > 0) {
        const weir_time sample_ps = s->done_ps / every_ps * every_ps + every_ps;
        const weir_time before_ps = s->since_ps + whole_units(sample_ps - s->since_ps);
        least(&at_ps, before_ps > s->done_ps ? before_ps : s->done_ps + WI_NET_SPAN_UNIT_PS);
    }
    return at_ps;
}

/* The network stands still until a time. Returns when to look again. */
static weir_time skip(weir_diag *diag, wi_skipper *s, weir_time now_ps, weir_time until_ps)
{
    if (weir_sim_suspend(diag, s->sim, freeze, (void *)(uintptr_t)s->net) != WEIR_OK)
        return 0;
    wi_skip_take_growth(s);
    s->since_ps = s->done_ps = now_ps;
    s->until_ps = until_ps;
    s->drifting_ps += s->still ? 0 : until_ps - now_ps;
    s->total.skips++;
    s->n_looks = 0;
    return next_part(s);
}

/* The span is over: skip, or watch another. */
static weir_time judge(weir_diag *diag, wi_skipper *s, weir_time now_ps)
{
    const weir_time span_ps = s->at_ps[2] - s->at_ps[0];
    coming next = {.net = s->net, .outer_ps = next_fixed(s, now_ps), .any_ps = WEIR_TIME_MAX};
    bool failed = false;
    pay(s, true);
    const double by_flows = wi_skip_counts_stand(s) ? wi_skip_most_times(s, &failed) : 0.0;
    if (failed)
        return fail(diag, WEIR_E_NOMEM);
    if (by_flows >= LEAST_TIMES && weir_sim_pending(diag, s->sim, note, &next) != WEIR_OK)
        return 0;
    const weir_time room_ps = next.outer_ps - now_ps - 1;
    const double by_events = (double)room_ps / (double)span_ps,
                 times = by_flows < by_events ? by_flows : by_events;
    if (by_flows < GOOD_TIMES && by_flows < by_events && s->half_ps < longest_half_ps)
        s->half_ps *= 2;
    if (times < LEAST_TIMES)
        return begin(diag, s, now_ps);
    return skip(diag, s, now_ps,
                now_ps +
                    whole_units(by_flows < by_events ? (weir_time)(by_flows * (double)span_ps) : room_ps));
}

static void move(void *user, weir_event *event)
{
    const wi_skipper *s = user;
    wi_net_move_payload(s->net, event, s->until_ps - s->since_ps);
}

/* A part of the skip is over, or all of it: the network wakes. */
static weir_time go_on(weir_diag *diag, wi_skipper *s, weir_time now_ps)
{
    wi_skip_apply(s, now_ps);
    if (now_ps < s->until_ps)
        return next_part(s);
    const weir_status status = weir_sim_resume(diag, s->sim, move, s);
    s->until_ps = 0;
    return status == WEIR_OK ? begin(diag, s, now_ps) : 0;
}

weir_time wi_skipper_look(weir_diag *diag, wi_skipper *s, weir_time at_ps)
{
    bool failed = false;
    if (s->n_looks == 0 && !s->until_ps)
        return begin(diag, s, at_ps);
    if (weir_sim_fetch(diag, s->sim) != WEIR_OK)
        return 0;
    if (s->until_ps)
        return go_on(diag, s, at_ps);
    pay(s, false);
    const bool same = wi_skip_see(s, s->n_looks, &failed) && s->step == s->net->next_step && goes_on(s);
    if (!same) {
        s->drifting_ps = 0;
        s->half_ps = WI_NET_SPAN_UNIT_PS;
        return begin(diag, s, at_ps);
    }
    if (++s->n_looks < WI_SKIP_LOOKS)
        return at_ps + s->half_ps;
    return judge(diag, s, at_ps);
}

/* ---- checkpoints ---- */

/* Whether a run could have left what was read: whatever is used as an index or a divisor is looked at. */
static bool fits(const wi_skipper *s)
{
    const net_world *w = wi_net_world(s->net);
    bool good = s->n_looks < WI_SKIP_LOOKS && s->half_ps > 0 && s->half_ps <= 2 * longest_half_ps &&
                s->wait_ps > 0 && s->until_ps >= 0 && (!s->until_ps || s->at_ps[2] > s->at_ps[0]) &&
                s->since_ps <= s->done_ps && (!s->until_ps || s->done_ps < s->until_ps);
    for (size_t k = 0; k < s->n_flows && good; k++) {
        const wi_skip_flow *f = &s->flows[k];
        good = f->tx < w->n_tx && f->rx < w->n_rx && f->packets >= 0.0 && f->packets < 1e18 &&
               f->acks >= 0.0 && f->acks < 1e18;
        for (int i = 0; i < WI_SKIP_LOOKS && good; i++)
            good = f->sent[i].dst < w->n_hosts;
    }
    return good;
}

void wi_skipper_archive(wi_skipper *s, wi_archiver *k)
{
    uint64_t n = s->n_flows;
    wi_archive_section(k, "skipper");
    wi_archive(k, s->at_ps, sizeof s->at_ps);
    wi_archive(k, &s->n_looks, sizeof s->n_looks);
    wi_archive(k, &s->step, sizeof s->step);
    wi_archive(k, &s->half_ps, sizeof s->half_ps);
    wi_archive(k, &s->wait_ps, sizeof s->wait_ps);
    wi_archive(k, &s->drifting_ps, sizeof s->drifting_ps);
    wi_archive(k, &s->spent, sizeof s->spent);
    wi_archive(k, &s->since_ps, sizeof s->since_ps);
    wi_archive(k, &s->done_ps, sizeof s->done_ps);
    wi_archive(k, &s->until_ps, sizeof s->until_ps);
    wi_archive(k, &s->total, sizeof s->total);
    wi_archive(k, s->ports, ((size_t)s->net->n_hosts + s->net->n_ports) * sizeof *s->ports);
    wi_archive(k, s->counters, s->net->n_counters * sizeof *s->counters);
    wi_archive(k, &n, sizeof n);
    if (n > wi_net_world(s->net)->n_tx || !wi_grow(&s->flows, &s->room, n, sizeof *s->flows)) {
        wi_archiver_fail(k, n > wi_net_world(s->net)->n_tx ? WEIR_E_FORMAT : WEIR_E_NOMEM);
        return;
    }
    s->n_flows = n;
    wi_archive(k, s->flows, n * sizeof *s->flows);
    if (wi_archiver_reads(k) && !fits(s))
        wi_archiver_fail(k, weir_fail(k->diag, WEIR_E_FORMAT,
                                      "damaged: what was watched cannot be, in section 'skipper'"));
}

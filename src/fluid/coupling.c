/* The time hook's side of the coupling: batches, exchanges, and how long they are. */
#include "fluid/coupling.h"

#include <stdlib.h>
#include <string.h>

#include "fluid/offload.h"
#include "net/stats.h"

/* batch: auto. A longer batch is cheaper, and lets the fluid assume queues that packets have changed since:
 * what it missed is kept under a hundredth of a queue's limit. The paper's figure 7 still agrees at 20. */
enum { BATCH_FIRST = 4, BATCH_MOST = 20 };
static const double difference_wanted = 0.01;

/* Meetings between asking for memory and reading it. */
enum { ASK_AHEAD = 8 };

/* Over which the rate of packets at a port is averaged: some round trips. */
static const double pressure_span_ps = 0.2e12;

struct wi_coupling {
    wi_offload work; /* what the fluid's thread knows */
    const weir_sim *sim;
    wi_coupling_options options;
    int64_t run_end; /* step */
    uint32_t number, batch;
    uint64_t *arrivals; /* [n]: packets at each meeting up to the last exchange */
    wi_coupling_report report;
};

static weir_status check_batch(weir_diag *diag, const wi_coupling_options *o, weir_time step_ps)
{
    const double batch_s = weir_seconds(step_ps) * o->lookahead * o->batch, run_s = weir_seconds(o->end_ps);
    if (o->lookahead == 0)
        return weir_fail(diag, WEIR_E_ARG, "a coupling without steps between exchanges");
    if (o->batch > 0 && batch_s > run_s)
        return weir_fail(
            diag, WEIR_E_SCENARIO,
            "a batch of %u exchanges, %u steps each, is %g s long and the run %g s; want a batch "
            "within the run",
            o->batch, o->lookahead, batch_s, run_s);
    return WEIR_OK;
}

static weir_status couple(weir_diag *diag, wi_coupling *c, wi_net *net, weir_time step_ps,
                          const wi_meeting *meetings, uint32_t n)
{
    const uint32_t most = c->options.lookahead * (c->options.batch ? c->options.batch : (uint32_t)BATCH_MOST);
    uint32_t *entities = malloc(((size_t)n + 1) * sizeof *entities);
    c->arrivals = calloc((size_t)n + 1, sizeof *c->arrivals);
    if (!entities || !c->arrivals) {
        free(entities);
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to couple %u ports", n);
    }
    for (uint32_t i = 0; i < n; i++)
        entities[i] = meetings[i].entity;
    weir_status st = wi_net_couple(diag, net, entities, n, most, step_ps, c->options.fixup);
    free(entities);
    if (st == WEIR_OK)
        st = wi_offload_open(diag, &c->work, &c->options);
    return st;
}

weir_status wi_coupling_new(weir_diag *diag, wi_net *net, weir_fluid *fluid, weir_time step_ps,
                            const wi_meeting *meetings, uint32_t n_meetings,
                            const wi_coupling_options *options, wi_coupling **out)
{
    *out = NULL;
    weir_status st = check_batch(diag, options, step_ps);
    wi_coupling *c = st == WEIR_OK ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        weir_fluid_free(fluid);
        return st != WEIR_OK ? st : weir_fail(diag, WEIR_E_NOMEM, "no memory for a coupling");
    }
    c->work.fluid = fluid;
    c->work.net = net;
    c->work.meetings = meetings;
    c->work.n = n_meetings;
    c->work.step_ps = step_ps;
    c->options = *options;
    c->batch = options->batch ? options->batch : (uint32_t)BATCH_FIRST;
    c->run_end = (options->end_ps + step_ps - 1) / step_ps;
    st = couple(diag, c, net, step_ps, meetings, n_meetings);
    if (st == WEIR_OK)
        *out = c;
    else
        wi_coupling_free(c);
    return st;
}

void wi_coupling_free(wi_coupling *c)
{
    if (!c)
        return;
    wi_offload_close(&c->work);
    weir_fluid_free(c->work.fluid);
    free(c->arrivals);
    free(c);
}

void wi_coupling_attach(wi_coupling *c, const weir_sim *sim)
{
    c->sim = sim;
}

void wi_coupling_restart(wi_coupling *c, weir_fluid *fluid)
{
    wi_offload *const w = &c->work;
    (void)wi_offload_wait(w, w->end);
    weir_fluid_free(w->fluid);
    w->fluid = fluid;
    w->begin = w->end = w->done = 0;
    w->status = WEIR_OK;
    c->number = 0;
    c->batch = c->options.batch ? c->options.batch : (uint32_t)BATCH_FIRST;
    memset(c->arrivals, 0, w->n * sizeof *c->arrivals);
    memset(w->pressure, 0, w->n * sizeof *w->pressure);
    for (uint32_t i = 0; i < w->n; i++) /* the first batch begins with what it finds there */
        *wi_net_background(w->net, i) = (net_background){0};
}

void wi_coupling_set_delay(wi_coupling *c, void (*delay)(void))
{
    c->options.delay = delay;
}

static double bytes_per_ps(const wi_offload *w, uint32_t i)
{
    return (double)wi_net_link(w->net, w->meetings[i].entity)->rate_bps / 8e12;
}

static net_background background_at(const wi_offload *w, uint32_t i, weir_time at_ps)
{
    return net_background_at(wi_net_world(w->net), wi_net_background(w->net, i), at_ps);
}

double wi_coupling_queue_bytes(const wi_coupling *c, uint32_t i)
{
    const net_port *port = wi_net_port(c->work.net, c->sim, c->work.meetings[i].entity);
    const net_background now = background_at(&c->work, i, weir_sim_now(c->sim));
    return (now.queue_ps + net_standing_ps(wi_net_world(c->work.net), port, &now)) *
           bytes_per_ps(&c->work, i);
}

/* The rate at which packets come by, accepted or not, in the mean of some round trips. */
static void gather_pressure(wi_offload *w, uint32_t i, const net_port *port, double packets)
{
    const net_queue *q = NET_ARRAY(wi_net_world(w->net), net_queue, queues) +
                         wi_net_link(w->net, w->meetings[i].entity)->queue;
    const double bytes =
        port->packets > 0 ? (double)port->bytes / (double)port->packets : q->mean_packet_bytes;
    const double batch_ps = (double)(w->end - w->begin) * (double)w->step_ps;
    const double rate = packets * bytes / bytes_per_ps(w, i) / batch_ps;
    w->pressure[i] += (rate - w->pressure[i]) * (batch_ps / (batch_ps + pressure_span_ps));
}

/* Ask for what an exchange reads of meeting i: the solver has been at work, and the caches are its own. */
static void ask(const wi_coupling *c, uint32_t i)
{
    const wi_offload *const w = &c->work;
    const unsigned char *port = (const void *)wi_net_port(w->net, c->sim, w->meetings[i].entity);
    __builtin_prefetch(port);
    __builtin_prefetch(port + 64);
    __builtin_prefetch(port + sizeof(net_port) - 1);
    __builtin_prefetch(wi_net_link(w->net, w->meetings[i].entity));
    __builtin_prefetch(wi_net_background(w->net, i) + (w->end - w->begin) - 1);
    __builtin_prefetch(wi_net_background(w->net, i) + (w->end - w->begin));
}

/* Time to send what is left of the packets at meeting i; its row is read only where there were some. */
static double standing_ps(const wi_offload *w, uint32_t i, const net_port *port, weir_time at_ps)
{
    const net_world *world = wi_net_world(w->net);
    if (port->batch != world->background_batch)
        return 0.0;
    const net_background now = background_at(w, i, at_ps);
    return net_standing_ps(world, port, &now);
}

/* What packets did to meeting i since the last exchange, for the fluid's queue and its average. */
static void gather(wi_coupling *c, uint32_t i, weir_time at_ps)
{
    wi_offload *const w = &c->work;
    const net_port *port = wi_net_port(w->net, c->sim, w->meetings[i].entity);
    const net_world *world = wi_net_world(w->net);
    const net_queue *q =
        NET_ARRAY(world, net_queue, queues) + wi_net_link(w->net, w->meetings[i].entity)->queue;
    const uint64_t arrivals = port->packets + port->dropped[NET_DROP_LIMIT - NET_DROP_LIMIT] +
                              port->dropped[NET_DROP_EARLY - NET_DROP_LIMIT];
    w->queued[i] = standing_ps(w, i, port, at_ps) * q->bytes_per_ps;
    gather_pressure(w, i, port, (double)(arrivals - c->arrivals[i]));
    /* RED's average moves once a packet, of whatever size: so many mean packets. At a drop-tail queue they
     * only compete for places: as many as in the mean, or each burst would cost fluid more than it takes. */
    const double batch_ps = (double)(w->end - w->begin) * (double)w->step_ps;
    w->arrived[i] = q->type == NET_QUEUE_RED ? (double)(arrivals - c->arrivals[i]) * q->mean_packet_bytes
                                             : w->pressure[i] * bytes_per_ps(w, i) * batch_ps;
    c->arrivals[i] = arrivals;
    const uint64_t limit = net_limit_bytes(q);
    const double share = limit < UINT64_MAX ? w->queued[i] / (double)limit : 0.0;
    w->difference = share > w->difference ? share : w->difference;
}

/* Shrink or grow the next batch by what the fluid did not know in the last one: packets that it missed grow
 * in number with the batch, so the next is shorter in proportion, at once; longer it gets step by step. */
static void adapt(wi_coupling *c)
{
    if (c->work.difference > difference_wanted && c->batch > 1) {
        c->report.exceeded++;
        if (c->options.batch == 0)
            c->batch = (uint32_t)(c->batch * (difference_wanted / c->work.difference));
        c->batch = c->batch > 1 ? c->batch : 1;
    } else if (c->options.batch == 0 && c->batch < BATCH_MOST &&
               2.0 * c->work.difference < difference_wanted) {
        c->batch++;
    }
}

/* The end of a batch, or the run's start: exchange, and set the fluid to work on the next. */
static void begin_batch(wi_coupling *c, int64_t step, weir_time at_ps)
{
    wi_offload *const w = &c->work;
    w->difference = 0.0;
    for (uint32_t i = 0; i < w->n && i < ASK_AHEAD && step > 0; i++)
        ask(c, i);
    for (uint32_t i = 0; i < w->n && step > 0; i++) {
        if (i + ASK_AHEAD < w->n)
            ask(c, i + ASK_AHEAD);
        gather(c, i, at_ps);
    }
    if (step > 0)
        adapt(c);
    if (w->difference > c->report.largest_difference)
        c->report.largest_difference = w->difference;
    const int64_t end = step + (int64_t)c->batch * c->options.lookahead;
    wi_net_background_begin(w->net, ++c->number, at_ps);
    wi_offload_start(w, step, end < c->run_end ? end : c->run_end);
}

weir_time wi_coupling_hook(wi_coupling *c, weir_diag *diag, weir_time at_ps)
{
    wi_offload *const w = &c->work;
    const int64_t step = at_ps / w->step_ps;
    if (step >= c->run_end)
        return WEIR_TIME_MAX;
    if (step == w->end)
        begin_batch(c, step, at_ps);
    const int64_t least = step + c->options.lookahead < w->end ? step + c->options.lookahead : w->end;
    const int64_t done = wi_offload_wait(w, least);
    if (done < 0) {
        wi_offload_explain(w, diag);
        return at_ps;
    }
    c->report.handings++;
    return (c->options.prefetch ? done : least) * w->step_ps;
}

weir_status wi_coupling_check(weir_diag *diag, wi_coupling *c)
{
    weir_fluid_totals t;
    if (wi_offload_wait(&c->work, c->work.end) < 0)
        return wi_offload_explain(&c->work, diag);
    const weir_status st = weir_fluid_sum(diag, c->work.fluid, &t);
    if (st != WEIR_OK)
        return st;
    const double found = t.out_bytes + t.lost_bytes + t.queued_bytes + t.wire_bytes;
    const double missing = t.in_bytes - found, tolerance = c->options.tolerance * t.in_bytes + 1.0;
    if (c->options.tolerance == 0.0 || (missing < tolerance && -missing < tolerance))
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_CHECK,
                     "conservation of fluid: %.6g bytes went in; %.6g came out, %.6g were lost, %.6g are in "
                     "queues, %.6g on the wires",
                     t.in_bytes, t.out_bytes, t.lost_bytes, t.queued_bytes, t.wire_bytes);
}

wi_coupling_report wi_coupling_measure(wi_coupling *c)
{
    wi_coupling_report r = c->report;
    (void)wi_offload_wait(&c->work, c->work.end); /* the thread rests: its times are safe to read */
    r.exchanges = c->number;
    r.batch = c->batch;
    r.fluid_s = c->work.busy_s;
    r.packets_waited_s = c->work.packets_waited_s;
    r.fluid_waited_s = c->work.idle_s;
    return r;
}

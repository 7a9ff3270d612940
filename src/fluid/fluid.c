/* The public calls: a solver's life, and what can be read from it and put into it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ports' maps are in double whatever the solver's precision. */
typedef double fluid_real;
#include "fluid/ghosts/ghosts.h"
#include "fluid/keep.h"
#include "fluid/law/acks.h"
#include "fluid/law/changes.h"
#include "fluid/state/internal.h"
#include "weir/digest.h"
#include "weir/ranks.h"

void weir_fluid_options_init(weir_fluid_options *options)
{
    memset(options, 0, sizeof *options);
    options->step_ps = 500 * WEIR_PS_PER_US;
    options->law = WEIR_FLUID_CONSERVING;
    options->order = 2;
}

/* Before anything is built: a device that is not there has no memory to be measured against. */
static weir_status check_device(weir_diag *diag, const weir_fluid *f)
{
    if (f->backend == weir_fluid_cpu() || f->backend->memory() > 0)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_DEVICE, "the fluid finds no %s; want one, or the CPU", f->backend->name);
}

static weir_status check_memory(weir_diag *diag, const weir_fluid *f, const weir_fluid_options *o)
{
    const uint64_t needed = wi_fluid_state_bytes(&f->tables, f->real);
    const uint64_t there = o->memory_limit_bytes ? o->memory_limit_bytes : f->backend->memory();
    if (there == 0 || needed <= there)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_NOMEM,
                     "the fluid needs %.3g GB and %.3g GB are there (%s): want fewer flows, smaller queues%s",
                     1e-9 * (double)needed, 1e-9 * (double)there, f->backend->name,
                     f->backend == weir_fluid_cpu() ? ", or a longer step" : ", a longer step, or the CPU");
}

/* Only this rank's part of what has been built. */
static weir_status take_part(weir_diag *diag, const weir_fluid_plan *plan, weir_fluid *f)
{
    fluid_tables here = {0};
    const weir_fluid_size whole = weir_fluid_measure(f);
    const weir_status st = wi_fluid_part_over_ranks(diag, plan, f, &here);
    fluid_tables *const unwanted = st == WEIR_OK && f->ghosts ? &f->tables : &here;
    if (unwanted == &here) {
        wi_fluid_tables_free(&here);
        return st;
    }
    f->ghosts->size = whole;
    wi_fluid_tables_free(&f->tables);
    f->tables = here;
    return WEIR_OK;
}

/* The tables, and what of the whole network is known by number. */
static weir_status build(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                         weir_fluid *f)
{
    WI_RETURN_IF_FAILED(wi_fluid_build(diag, plan, o, f));
    f->n_ports = f->tables.n_ports;
    f->n_flows = f->tables.n_flows;
    f->brings_acks = f->tables.n_backs > 0 || f->tables.n_transfers > 0;
    return o->over_ranks && f->backend == weir_fluid_cpu() ? take_part(diag, plan, f) : WEIR_OK;
}

weir_status weir_fluid_new(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *options,
                           weir_fluid **out)
{
    weir_fluid_options o;
    weir_fluid_options_init(&o);
    if (options)
        o = *options;
    *out = NULL;
    WI_RETURN_IF_FAILED(wi_fluid_check(diag, plan, &o));
    weir_fluid *const f = wi_fluid_array(diag, 1, sizeof *f, "solver");
    if (!f)
        return WEIR_E_NOMEM;
    f->backend = o.backend ? o.backend : weir_fluid_cpu();
    f->real = o.double_precision ? &wi_fluid_double : &wi_fluid_single;
    weir_status st = check_device(diag, f) ?: build(diag, plan, &o, f) ?: check_memory(diag, f, &o);
    st = st ?: wi_fluid_state_new(diag, &f->tables, f->real, &f->state);
    f->state.ghosts = f->ghosts;
    st = st ?: f->backend->open(diag, &o, &f->tables, &f->state, &f->solver);
    if (o.over_ranks) /* one whose memory is short stops all */
        st = weir_ranks_agree(diag, st);
    if (st == WEIR_OK)
        *out = f;
    else
        weir_fluid_free(f);
    return st;
}

void weir_fluid_free(weir_fluid *f)
{
    if (!f)
        return;
    if (f->solver)
        f->backend->close(f->solver);
    wi_fluid_state_free(&f->state);
    wi_fluid_tables_free(&f->tables);
    wi_fluid_ghosts_free(f->ghosts);
    free(f->merged);
    free(f->plan_share);
    free(f->port_of_edge);
    free(f);
}

weir_fluid_size weir_fluid_measure(const weir_fluid *f)
{
    const fluid_tables *const t = &f->tables;
    if (f->ghosts)
        return f->ghosts->size;
    const double real = (double)f->real->bytes, rows = t->signals ? 3 : 2;
    weir_fluid_size r = {.flows = t->n_flows,
                         .hops = t->hops,
                         .prefixes = t->n_prefixes,
                         .ports = t->n_ports,
                         .series = t->n_series};
    r.bytes = wi_fluid_state_bytes(t, f->real);
    /* Rows of a prefix: written once, read once. Volumes: written once, read by each prefix and flow. Per
     * block: a prefix's parent and series, a flow's parameters and state. */
    const double per_block =
        8.0 * t->n_prefixes + (sizeof(fluid_flow) + 2 * (4 * 8 + 16 + 2 * real)) * t->n_flows;
    r.step_bytes = (double)t->n_prefixes * real * (2 * rows + 1) + real * ((double)t->n_series + t->n_flows) +
                   per_block / t->lookahead;
    return r;
}

uint32_t weir_fluid_lookahead(const weir_fluid *f)
{
    return f->lookahead;
}

int64_t weir_fluid_step(const weir_fluid *f)
{
    return f->state.now;
}

/* Changes that are due now, those of a kind together. */
static weir_status make_changes(weir_diag *diag, weir_fluid *f)
{
    const fluid_tables *const t = &f->tables;
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && f->next_change < t->n_changes &&
           t->changes[f->next_change].step <= f->state.now) {
        const uint32_t first = f->next_change, what = t->changes[first].what;
        const int64_t step = t->changes[first].step;
        uint32_t n = 1;
        while (first + n < t->n_changes && t->changes[first + n].step == step &&
               t->changes[first + n].what == what)
            n++;
        f->next_change += n;
        if (f->ghosts && what == FLUID_PORT_DOWN)
            for (uint32_t i = first; i < first + n; i++)
                wi_ghosts_rewrite(f, t->changes[i].number);
        st = f->backend->change(diag, f->solver, first, n);
    }
    return st;
}

/* Steps until ACKs are next brought to their ports, which is done now if it is time. */
static weir_status bring_acks(weir_diag *diag, weir_fluid *f, int64_t *left)
{
    const int64_t since = f->state.now % FLUID_ACK_STEPS;
    if (!f->brings_acks)
        return WEIR_OK;
    *left = *left < FLUID_ACK_STEPS - since ? *left : FLUID_ACK_STEPS - since;
    if (since == 0 && f->ghosts)
        wi_ghosts_swap(f->ghosts, &f->tables, &f->state, 0);
    return since == 0 ? f->backend->acks(diag, f->solver) : WEIR_OK;
}

/* From change to change. */
static weir_status launch_steps(weir_diag *diag, weir_fluid *f, uint32_t steps)
{
    const fluid_tables *const t = &f->tables;
    weir_status st = WEIR_OK;
    while (steps > 0 && st == WEIR_OK) {
        st = make_changes(diag, f);
        int64_t left = f->next_change < t->n_changes ? t->changes[f->next_change].step - f->state.now : steps;
        st = st ?: bring_acks(diag, f, &left);
        const uint32_t n = left < steps ? (uint32_t)left : steps;
        st = st ?: f->backend->advance(diag, f->solver, n);
        steps -= n;
    }
    return st;
}

weir_status weir_fluid_launch(weir_diag *diag, weir_fluid *f, uint32_t steps)
{
    if ((int64_t)steps > INT32_MAX - 65536 - f->state.now)
        return weir_fail(diag, WEIR_E_ARG,
                         "%u steps after %lld are more than the fluid counts; want a longer step", steps,
                         (long long)f->state.now);
    return launch_steps(diag, f, steps);
}

weir_status weir_fluid_advance(weir_diag *diag, weir_fluid *f, uint32_t steps)
{
    const weir_status st = weir_fluid_launch(diag, f, steps);
    return st == WEIR_OK ? f->backend->wait(diag, f->solver) : st;
}

uint32_t weir_fluid_port(const weir_fluid *f, uint32_t edge)
{
    return edge < f->n_edges ? f->port_of_edge[edge] : UINT32_MAX;
}

static weir_status check_port(weir_diag *diag, const weir_fluid *f, uint32_t port)
{
    if (port < f->n_ports)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_ARG, "fluid port %u of %u", port, f->n_ports);
}

/* The first step of a port's history at whose end phi has reached now, less a delay, or the last of those that fall short
 * if none has: phi never falls, so it is halved to, which a sample of thousands of ports needs. */
static int32_t step_before(const fluid_port *port, const double *lag, uint32_t now, double delay)
{
    const int32_t target = -(int32_t)delay;
    const double rest = delay - (double)(int32_t)delay;
    int32_t from = 3 - (int32_t)port->rows, to = -1;
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (fluid_short_of(lag[fluid_slot(now, middle, port->rows)], rest, target, middle))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Bytes accepted by a port up to the entry of what reaches the end of a delay now, less what failures took. */
static double accepted_at(const weir_fluid *f, uint32_t p, double delay)
{
    const fluid_port *const port = &f->tables.ports[p];
    const double *const lag = f->state.own_lag + port->own, *const accepted =
                                                                f->state.own_accepted + port->own;
    const uint32_t now = (uint32_t)(f->state.now % port->rows);
    int32_t step = step_before(port, lag, now, delay);
    double part = 1.0;
    fluid_seek(lag, port->rows, now, 0, delay, &step, &part);
    const double from = accepted[fluid_slot(now, step - 1, port->rows)];
    return fluid_spared_by_failures(&f->state, p,
                                    from + part * (accepted[fluid_slot(now, step, port->rows)] - from));
}

static double wire_bytes(const weir_fluid *f, uint32_t p)
{
    return accepted_at(f, p, 0.0) - accepted_at(f, p, f->tables.ports[p].delay);
}

/* Counted when it would have arrived. */
static double link_lost_bytes(const weir_fluid *f, uint32_t p)
{
    const fluid_port *const port = &f->tables.ports[p];
    return port->spared < 1.0 ? (1.0 - port->spared) * accepted_at(f, p, port->delay) : 0.0;
}

/* The fluid's share of a queue that packets stand in too: what entered behind that which leaves now. */
static double queued_fluid(const weir_fluid *f, uint32_t p)
{
    return fluid_spared_by_failures(&f->state, p, f->state.accepted[p]) - accepted_at(f, p, 0.0);
}

/* Of a port that is solved here. */
static weir_fluid_port_state port_state(const weir_fluid *f, uint32_t port)
{
    const fluid_port *const p = &f->tables.ports[port];
    const fluid_state *const s = &f->state;
    const double share = 1.0 / p->alike;
    const int64_t measured = s->now - p->measured_from;
    return (weir_fluid_port_state){
        .queue_bytes = share * fluid_stands(p, s->queue[port]),
        .queue_mean_bytes = measured > 0 ? share * s->queue_sum[port] / (double)measured : 0.0,
        .queue_max_bytes = share * s->queue_most[port],
        .average_bytes = share * s->average[port],
        .drop = fluid_drop_of(s->own_drop[p->own + fluid_slot((uint32_t)(s->now % p->rows), -1, p->rows)]),
        .reduction_bytes = share * s->reduction[port],
        .arrived_bytes = share * s->arrived[port],
        .lost_bytes = share * s->dropped[port],
        .link_lost_bytes = share * link_lost_bytes(f, port),
        .failed_bytes = share * fluid_taken_by_failures(s, port),
        .wire_bytes = share * wire_bytes(f, port)};
}

weir_status wi_fluid_read_ports(weir_diag *diag, weir_fluid *f, uint32_t first, uint32_t n,
                                weir_fluid_port_state *out)
{
    memset(out, 0, n * sizeof *out);
    const weir_status st = f->backend->fetch(diag, f->solver, WI_FLUID_SMALL);
    for (uint32_t i = 0; i < n && st == WEIR_OK; i++) {
        const uint32_t here = wi_ghosts_own_port(f, first + i);
        if (here != FLUID_NONE)
            out[i] = port_state(f, here);
    }
    wi_ghosts_join(f, out, n * sizeof *out / 8);
    return st;
}

weir_status weir_fluid_read_port(weir_diag *diag, weir_fluid *f, uint32_t port, weir_fluid_port_state *out)
{
    memset(out, 0, sizeof *out);
    const weir_status st = check_port(diag, f, port);
    return st == WEIR_OK ? wi_fluid_read_ports(diag, f, port, 1, out) : st;
}

weir_status weir_fluid_history(weir_diag *diag, weir_fluid *f, const uint32_t *ports, uint32_t n_ports,
                               uint32_t n, double *queue_bytes, double *drop, double *reduction_bytes,
                               double *expected_bytes, double *full)
{
    if (n > f->history || n > f->state.now)
        return weir_fail(diag, WEIR_E_ARG, "history of %u steps; %u are kept, %lld are done", n, f->history,
                         (long long)f->state.now);
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < n_ports && st == WEIR_OK; i++)
        st = check_port(diag, f, ports[i]);
    double *const of[] = {queue_bytes, drop, reduction_bytes, expected_bytes, full};
    if (st == WEIR_OK && f->ghosts)
        return wi_ghosts_history(diag, f, ports, n_ports, n, of);
    return st ?: f->backend->history(diag, f->solver, ports, n_ports, n, of);
}

static weir_status check_packets(weir_diag *diag, const weir_fluid *f, uint32_t port, double queued_bytes,
                                 double coming_bytes)
{
    if (!isfinite(queued_bytes) || !(coming_bytes >= 0.0))
        return weir_fail(diag, WEIR_E_ARG,
                         "%g bytes queued, %g coming in each step; want numbers, and at least 0 coming",
                         queued_bytes, coming_bytes);
    return check_port(diag, f, port);
}

weir_status weir_fluid_exchange(weir_diag *diag, weir_fluid *f, const uint32_t *ports, uint32_t n_ports,
                                const double *queued_bytes, const double *coming_bytes)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < n_ports && st == WEIR_OK; i++)
        st = check_packets(diag, f, ports[i], queued_bytes[i], coming_bytes[i]);
    for (uint32_t i = 0; i < n_ports && st == WEIR_OK; i++)
        f->has_packets |= queued_bytes[i] != 0.0 || coming_bytes[i] > 0.0;
    if (st == WEIR_OK && f->ghosts)
        return wi_ghosts_exchange(diag, f, ports, n_ports, queued_bytes, coming_bytes);
    return st == WEIR_OK ? f->backend->exchange(diag, f->solver, ports, n_ports, queued_bytes, coming_bytes)
                         : st;
}

weir_status weir_fluid_add(weir_diag *diag, weir_fluid *f, uint32_t port, double queued_bytes,
                           double coming_bytes)
{
    return weir_fluid_exchange(diag, f, &port, 1, &queued_bytes, &coming_bytes);
}

/* Of a flow that is solved here, a share of it. */
static weir_fluid_flow_state flow_state(const weir_fluid *f, uint32_t i, double share)
{
    const fluid_tables *const t = &f->tables;
    const fluid_state *const s = &f->state;
    const bool is_udp = t->classes[t->flows[i].cls].flags & FLUID_UDP;
    return (weir_fluid_flow_state){.window = is_udp ? 0.0 : f->real->at(s->window, i),
                                   .rtt_s = t->step_s * f->real->at(s->rtt, i) +
                                            t->step_s * f->real->at(s->back, i),
                                   .sessions = share * s->sessions[i],
                                   .sent_bytes = share * s->sent[i],
                                   .acked_bytes = share * s->acked[i],
                                   .lost_bytes = share * s->lost[i],
                                   .end_s = s->ended[i] < 0.0 ? -1.0 : s->ended[i] * t->step_s};
}

weir_status wi_fluid_read_flows(weir_diag *diag, weir_fluid *f, uint32_t first, uint32_t n,
                                weir_fluid_flow_state *out)
{
    memset(out, 0, n * sizeof *out);
    const weir_status st = f->backend->fetch(diag, f->solver, WI_FLUID_SMALL);
    for (uint32_t i = 0; i < n && st == WEIR_OK; i++) {
        const uint32_t here = wi_ghosts_own_flow(f, f->merged[first + i]);
        if (here != FLUID_NONE)
            out[i] = flow_state(f, here, f->plan_share[first + i]);
    }
    wi_ghosts_join(f, out, n * sizeof *out / 8);
    return st;
}

weir_status weir_fluid_read_flow(weir_diag *diag, weir_fluid *f, uint32_t flow, weir_fluid_flow_state *out)
{
    memset(out, 0, sizeof *out);
    if (flow >= f->n_plan_flows)
        return weir_fail(diag, WEIR_E_ARG, "fluid flow %u of %u", flow, f->n_plan_flows);
    return wi_fluid_read_flows(diag, f, flow, 1, out);
}

weir_status weir_fluid_sum(weir_diag *diag, weir_fluid *f, weir_fluid_totals *out)
{
    memset(out, 0, sizeof *out);
    WI_RETURN_IF_FAILED(f->backend->fetch(diag, f->solver, WI_FLUID_ALL));
    for (uint32_t i = 0; i < f->tables.n_flows - f->tables.n_ghost_flows; i++) {
        out->in_bytes += f->state.sent[i];
        out->out_bytes += f->real->delivered(&f->tables, &f->state, i);
    }
    for (uint32_t p = 0; p < f->tables.n_ports - f->tables.n_ghost_ports; p++) {
        out->lost_bytes +=
            f->state.dropped[p] + link_lost_bytes(f, p) + fluid_taken_by_failures(&f->state, p);
        out->queued_bytes += f->has_packets || f->tables.n_changes > 0 || f->brings_acks ? queued_fluid(f, p)
                                                                                         : f->state.queue[p];
        out->wire_bytes += wire_bytes(f, p);
    }
    return wi_ghosts_add(diag, f, &out->in_bytes, sizeof *out / sizeof out->in_bytes);
}

/* What a digest has of a port or flow. */
enum { DIGEST_WORDS = 6, DIGEST_AT_ONCE = 1024 };

static void port_words(const weir_fluid *f, uint32_t p, double *word)
{
    const fluid_state *const s = &f->state;
    const double of[DIGEST_WORDS] = {s->queue[p],   s->average[p], s->reduction[p],
                                     s->arrived[p], s->dropped[p], s->accepted[p]};
    memcpy(word, of, sizeof of);
}

static void flow_words(const weir_fluid *f, uint32_t i, double *word)
{
    const double of[] = {f->state.sent[i], f->state.acked[i], f->state.lost[i],
                         f->real->at(f->state.window, i), f->real->at(f->state.rtt, i)};
    memcpy(word, of, sizeof of);
}

/* n things, of each so many words: whatever rank solves it. */
static uint64_t fold(uint64_t chain, const weir_fluid *f, bool ports, uint32_t n, uint32_t words)
{
    double word[DIGEST_WORDS * DIGEST_AT_ONCE];
    for (uint32_t first = 0; first < n; first += DIGEST_AT_ONCE) {
        const uint32_t some = n - first < DIGEST_AT_ONCE ? n - first : DIGEST_AT_ONCE;
        memset(word, 0, sizeof word);
        for (uint32_t i = 0; i < some; i++) {
            const uint32_t here = ports ? wi_ghosts_own_port(f, first + i) : wi_ghosts_own_flow(f, first + i);
            if (here != FLUID_NONE)
                (ports ? port_words : flow_words)(f, here, word + (size_t)i * words);
        }
        wi_ghosts_join(f, word, (size_t)some * words);
        for (uint32_t i = 0; i < some * words; i++)
            chain = weir_digest_word(chain, weir_bits_of_double(word[i]));
    }
    return chain;
}

uint64_t weir_fluid_digest(weir_fluid *f)
{
    if (f->backend->fetch(NULL, f->solver, WI_FLUID_SMALL) != WEIR_OK)
        return 0;
    const uint64_t chain = weir_digest_word(WEIR_DIGEST_START, (uint64_t)f->state.now);
    return fold(fold(chain, f, true, f->n_ports, DIGEST_WORDS), f, false, f->n_flows, DIGEST_WORDS - 1);
}

/* From a plan to tables: ports in use, flows, prefixes, series, and how much history each of them needs. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "fluid/state/internal.h"
#include "weir/math.h"

static double steps_of(const weir_fluid_options *o, weir_time t_ps)
{
    return (double)t_ps / (double)o->step_ps;
}

static double bytes_per_step(const weir_fluid_options *o, uint64_t rate_bps)
{
    return (double)rate_bps * 0.125 * weir_seconds(o->step_ps);
}

/* Numbers ports by wave, and by edge. */
static weir_status number_ports(weir_diag *diag, const wi_fluid_links *links, weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    uint32_t last = 0;
    for (uint32_t e = 0; e < fluid->n_edges; e++)
        last = fluid->port_of_edge[e] && links->wave[e] > last ? links->wave[e] : last;
    t->n_waves = last > 0 ? last + 1 : 0;
    t->wave_first = wi_fluid_array(diag, (uint64_t)t->n_waves + 1, sizeof *t->wave_first, "ports");
    uint32_t *const number = wi_fluid_array(diag, fluid->n_edges, sizeof *number, "links");
    if (!t->wave_first || !number) {
        free(number);
        return WEIR_E_NOMEM;
    }
    for (uint32_t wave = 0; wave <= last; wave++) {
        t->wave_first[wave] = t->n_ports;
        for (uint32_t e = 0; e < fluid->n_edges; e++)
            if (links->wave[e] == wave)
                number[e] = fluid->port_of_edge[e] ? t->n_ports++ : FLUID_NONE;
    }
    t->wave_first[t->n_waves] = t->n_waves ? t->n_ports : 0;
    free(fluid->port_of_edge);
    fluid->port_of_edge = number;
    return WEIR_OK;
}

static weir_status build_ports(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                               const wi_fluid_paths *paths, const wi_fluid_links *links, weir_fluid *fluid)
{
    const weir_graph *const g = plan->graph;
    fluid_tables *const t = &fluid->tables;
    fluid->n_edges = g->n_edges;
    fluid->port_of_edge = wi_fluid_array(diag, g->n_edges, sizeof *fluid->port_of_edge, "links");
    if (!fluid->port_of_edge)
        return WEIR_E_NOMEM;
    for (uint64_t h = 0; h < paths->first[plan->n_flows]; h++)
        fluid->port_of_edge[paths->edge[h]] = 1;
    wi_fluid_mark_backs(plan, paths, links->edge_for, fluid->port_of_edge);
    if (number_ports(diag, links, fluid) != WEIR_OK)
        return WEIR_E_NOMEM;
    t->ports = wi_fluid_array(diag, t->n_ports, sizeof *t->ports, "ports");
    if (!t->ports)
        return WEIR_E_NOMEM;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const uint32_t number = fluid->port_of_edge[e] = fluid->port_of_edge[links->edge_for[e]];
        if (number == FLUID_NONE || links->edge_for[e] != e)
            continue;
        fluid_port *const port = &t->ports[number];
        port->queue = plan->queue_of_edge ? plan->queue_of_edge[e] : 0;
        port->alike = links->n_alike[e];
        port->rate = port->alike * bytes_per_step(o, g->rate_bps[e]);
        port->limit = port->alike * (double)plan->queues[port->queue].limit_bytes;
        port->delay = steps_of(o, links->delay_ps[e]);
        port->at_once = links->delay_ps[e] < o->least_delay_ps;
        port->spared = plan->loss_of_edge ? 1.0 - plan->loss_of_edge[e] : 1.0;
        port->front = FLUID_NONE;
        port->measured_from = (int64_t)ceil(steps_of(o, o->measure_from_ps));
        port->edge = e;
    }
    return WEIR_OK;
}

static weir_status build_queues(weir_diag *diag, const weir_fluid_plan *plan, fluid_tables *t)
{
    static const uint8_t mode[] = {[WEIR_FLUID_RED_UNIFORM] = NET_RED_UNIFORM,
                                   [WEIR_FLUID_RED_BERNOULLI] = NET_RED_BERNOULLI,
                                   [WEIR_FLUID_RED_WAIT] = NET_RED_WAIT};
    static const uint32_t law[] = {[WEIR_FLUID_DROPTAIL] = NET_QUEUE_DROPTAIL,
                                   [WEIR_FLUID_RED] = NET_QUEUE_RED,
                                   [WEIR_FLUID_THRESHOLD] = NET_QUEUE_THRESHOLD};
    t->n_queues = plan->n_queues;
    t->queues = wi_fluid_array(diag, t->n_queues, sizeof *t->queues, "queues");
    if (!t->queues)
        return WEIR_E_NOMEM;
    for (uint32_t i = 0; i < t->n_queues; i++) {
        const weir_fluid_queue *const from = &plan->queues[i];
        fluid_queue *const q = &t->queues[i];
        q->type = law[from->type]; /* check.c knows no others */
        if (from->type == WEIR_FLUID_THRESHOLD)
            q->red.min = from->min_bytes;
        if (from->type != WEIR_FLUID_RED)
            continue;
        q->red.min = from->min_bytes;
        q->red.max = from->max_bytes;
        q->red.max_p = from->max_p;
        q->red.weight = from->weight;
        q->red.mean_packet_bytes = from->mean_packet_bytes;
        q->red.gentle = from->gentle;
        q->red.mode = mode[from->mode];
        q->red.ecn = from->marks_alone ? NET_RED_MARKS_ALONE : from->ecn ? NET_RED_MARKS : NET_RED_DROPS;
        q->log_keep = weir_log(fmax(1.0 - from->weight, DBL_MIN)); /* of a weight of 1 nothing is kept */
        q->per_packet = 1.0 / from->mean_packet_bytes;
    }
    return WEIR_OK;
}

static weir_status build_classes(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                                 fluid_tables *t)
{
    t->n_classes = plan->n_classes;
    for (uint32_t i = 0; i < plan->n_classes; i++)
        t->n_rates += plan->classes[i].udp ? plan->classes[i].n_schedule : 0;
    t->classes = wi_fluid_array(diag, t->n_classes, sizeof *t->classes, "classes");
    t->rate_from = wi_fluid_array(diag, t->n_rates, sizeof *t->rate_from, "rates");
    t->rate_value = wi_fluid_array(diag, t->n_rates, sizeof *t->rate_value, "rates");
    if (!t->classes || !t->rate_from || !t->rate_value)
        return WEIR_E_NOMEM;
    uint32_t at = 0;
    t->n_kinds = 1;
    for (uint32_t i = 0; i < t->n_classes; i++) {
        const weir_fluid_class *const from = &plan->classes[i];
        fluid_class *const c = &t->classes[i];
        c->kind = from->ecn ? FLUID_MARKABLE : FLUID_PLAIN;
        if (from->ecn)
            t->n_kinds = FLUID_KINDS;
        if (!from->udp) {
            c->mss = from->mss_bytes;
            c->inv_ack = 1.0 / from->segments_per_ack;
            c->decrease = from->decrease;
            c->more = from->decrease_more;
            c->most_losses = from->most_losses > 0.0 ? from->most_losses : 1e30;
            c->losses_at_once = from->losses_at_once;
            c->clock = from->ack_clock;
            c->more_acks = from->ack_clock > 0.0 ? 1.0 - c->inv_ack : 0.0;
            c->acks = (double)from->ack_bytes / (from->segments_per_ack * from->mss_bytes);
            c->window_limit = (double)from->window_limit_bytes / from->mss_bytes;
            c->initial_window =
                from->initial_window < c->window_limit ? from->initial_window : c->window_limit;
            c->flags = from->slow_start ? FLUID_SLOW_START : 0;
            c->kept = 0.5;
            const uint32_t words = wi_fluid_law_build(from, weir_seconds(o->step_ps), c);
            t->n_words = words > t->n_words ? words : t->n_words;
            continue;
        }
        c->flags = FLUID_UDP;
        c->rate = bytes_per_step(o, from->rate_bps);
        c->on = steps_of(o, from->on_ps);
        c->period = from->off_ps > 0 ? c->on + steps_of(o, from->off_ps) : 0.0;
        c->first_rate = at;
        c->n_rates = from->n_schedule;
        for (uint32_t k = 0; k < from->n_schedule; k++, at++) {
            t->rate_from[at] = steps_of(o, from->schedule[k].from_ps);
            t->rate_value[at] = bytes_per_step(o, from->schedule[k].rate_bps);
            c->rate = k == 0 || t->rate_value[at] > c->rate ? t->rate_value[at] : c->rate;
        }
    }
    t->signals = t->paper || t->n_kinds > 1;
    return WEIR_OK;
}

/* The way of a flow through empty queues: `added` is how much longer its links are to the solver, taken off the way back as
 * far as there is one; no news of it comes sooner than least_delay_ps. */
static void measure_way(const weir_fluid_plan *plan, const weir_fluid_options *o, const uint32_t *edges,
                        uint64_t n, const wi_fluid_links *links, weir_time beside_ps, fluid_flow *f)
{
    double back = steps_of(o, beside_ps), added = 0.0, last = 0.0;
    for (uint64_t h = 0; h < n; h++) {
        const double delay = steps_of(o, plan->graph->delay_ps[edges[h]]);
        back += steps_of(o, plan->graph->delay_ps[plan->graph->reverse[edges[h]]]);
        last = steps_of(o, links->delay_ps[edges[h]]);
        f->base += delay;
        added += last - delay;
    }
    f->base += added < back ? back : added;
    back = added < back ? back - added : 0.0;
    const double least = steps_of(o, o->least_delay_ps), delay = last + back;
    f->delay = delay > least ? delay : least;
    f->base += f->delay - delay;
}

static void pass_class(const weir_fluid_class *c, fluid_port *port)
{
    if (!c->udp)
        port->even = -1.0;
    else if (port->even >= 0.0)
        port->even = fmax(port->even, fmin(port->alike * c->mss_bytes, 0.5 * port->limit));
}

/* Flows of the tables from the first plan flow of each merged set; path_of: that flow. */
static weir_status build_flows(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *o,
                               const wi_fluid_paths *paths, const wi_fluid_links *links,
                               const uint32_t *order, uint32_t *path_of, weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    t->flows = wi_fluid_array(diag, t->n_flows, sizeof *t->flows, "flows");
    if (!t->flows)
        return WEIR_E_NOMEM;
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        const uint32_t number = order[i];
        const weir_fluid_flow *const from = &plan->flows[number];
        fluid_flow *const f = &t->flows[fluid->merged[number]];
        if (f->sessions == 0.0)
            path_of[fluid->merged[number]] = number;
        f->sessions += from->sessions;
        f->cls = from->cls;
        f->start = steps_of(o, from->start_ps);
        f->stop = from->stop_ps == WEIR_TIME_MAX ? weir_inf() : steps_of(o, from->stop_ps);
        if (!plan->classes[from->cls].udp) { /* windows move in whole steps */
            f->start = floor(f->start + 0.5);
            f->stop = floor(f->stop + 0.5);
        }
        f->size = (double)from->size_bytes * f->sessions;
        if (from->transfers_per_s > 0.0) { /* what is left is sent after the last has come */
            f->offered += from->transfers_per_s * from->mean_bytes * weir_seconds(o->step_ps);
            f->mean = from->mean_bytes;
            f->ends = f->stop;
            f->stop = weir_inf();
            t->n_transfers++;
        }
    }
    for (uint32_t i = 0; i < plan->n_flows; i++) {
        fluid_flow *const f = &t->flows[fluid->merged[i]];
        f->goes_on = plan->flows[i].goes_on > 0;
        if (f->goes_on) { /* one step at least behind the flow that it goes on with, so that changes have an order */
            const fluid_flow *const from = &t->flows[fluid->merged[plan->flows[i].goes_on - 1]];
            f->start = f->start > from->start ? f->start : from->start + 1.0;
        }
    }
    for (uint32_t i = 0; i < plan->n_flows; i++)
        fluid->plan_share[i] = plan->flows[i].sessions / t->flows[fluid->merged[i]].sessions;
    for (uint32_t k = 0; k < t->n_flows; k++) {
        const uint64_t begin = paths->first[path_of[k]], end = paths->first[path_of[k] + 1];
        fluid_flow *const f = &t->flows[k];
        measure_way(plan, o, paths->edge + begin, end - begin, links, plan->flows[path_of[k]].beside_ps, f);
        for (uint64_t h = begin; h < end; h++)
            pass_class(&plan->classes[f->cls], &t->ports[fluid->port_of_edge[paths->edge[h]]]);
        if (t->classes[f->cls].flags & FLUID_SLOW_START && !f->goes_on) /* data follow a handshake */
            f->start = floor(f->start + f->base + 0.5);
        f->port = fluid->port_of_edge[paths->edge[end - 1]];
        t->hops += end - begin;
    }
    return WEIR_OK;
}

/* Steps that can run without exchange: the smallest delay after which something is read. */
static void find_lookahead(const fluid_tables *t, weir_fluid *fluid)
{
    double least = 1e6;
    for (uint32_t p = 0; p < t->n_ports; p++)
        if (t->ports[p].front != FLUID_NONE && !t->ports[p].at_once && t->ports[p].delay < least)
            least = t->ports[p].delay;
    for (uint32_t f = 0; f < t->n_flows; f++)
        least = t->flows[f].delay < least ? t->flows[f].delay : least;
    fluid->lookahead = (uint32_t)least;
}

static double longest_wait(const fluid_port *port)
{
    return port->limit / port->rate;
}

static uint32_t most_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Rows of ports and of volumes, from the largest lags that can be. reach: [n_prefixes] on entering. */
static weir_status size_histories(weir_diag *diag, fluid_tables *t, const wi_fluid_tree *tree,
                                  const uint32_t *position)
{
    WI_FREED float *const reach = wi_fluid_array(diag, tree->n, sizeof *reach, "prefixes");
    WI_FREED double *const back = wi_fluid_array(diag, t->n_ports, sizeof *back, "ports");
    t->base = wi_fluid_array(diag, tree->n, sizeof *t->base, "prefixes");
    t->rings = wi_fluid_array(diag, t->n_series, sizeof *t->rings, "volumes");
    const bool whole = reach && back && t->base && t->rings;
    for (uint32_t s = 0; s < t->n_series && whole; s++)
        t->rings[s].rows = wi_fluid_rows(t, 0.0);     /* all that a set needs which only other sets read */
    for (uint32_t p = 0; p < tree->n && whole; p++) { /* parents are older */
        const uint32_t at = position[p], parent = tree->parent[p];
        if (parent != FLUID_NONE) {
            const fluid_port *const up = &t->ports[tree->port[parent]];
            t->base[at] = t->base[position[parent]] + (float)up->delay;
            reach[at] = reach[position[parent]] + (float)(up->delay + longest_wait(up));
        }
        uint32_t *const rows = &t->rings[tree->series[p]].rows;
        *rows = most_of(*rows, wi_fluid_rows(t, reach[at] * 1.0001));
    }
    for (uint32_t p = 0; p < t->n_ports && whole; p++)
        back[p] = t->ports[p].delay;
    for (uint32_t f = 0; f < t->n_flows && whole; f++) {
        const fluid_flow *const flow = &t->flows[f];
        const fluid_port *const port = &t->ports[flow->port];
        const double wait = longest_wait(port) + flow->delay;
        const double steps = (reach[port->first + flow->prefix] + wait) * 1.0001;
        t->rings[f].rows = most_of(t->rings[f].rows, wi_fluid_rows(t, steps));
        back[flow->port] = flow->delay > back[flow->port] ? flow->delay : back[flow->port];
    }
    for (uint32_t s = 0; s < t->n_series && whole; s++) {
        t->rings[s].at = t->n_volumes;
        t->n_volumes += t->rings[s].rows;
    }
    for (uint32_t p = 0; p < tree->n && whole; p++) {
        t->prefixes[position[p]].volume_at = t->rings[tree->series[p]].at;
        t->prefixes[position[p]].volume_rows = t->rings[tree->series[p]].rows;
        t->prefixes[position[p]].series = tree->series[p];
    }
    for (uint32_t p = 0; p < t->n_ports && whole; p++) {
        fluid_port *const port = &t->ports[p];
        const uint32_t kept =
            (t->history + FLUID_LINE) / FLUID_LINE * FLUID_LINE; /* a step more than can be read */
        port->rows = most_of(wi_fluid_rows(t, back[p] + longest_wait(port)), kept);
        port->at = t->n_cells;
        port->own = t->n_own;
        t->n_cells += (uint64_t)port->rows * port->n_prefixes;
        t->n_own += port->rows;
    }
    return whole ? WEIR_OK : WEIR_E_NOMEM;
}

/* A unit for sums of a step's arrivals, so small that 2^51 of them are more than can ever arrive anywhere. */
static double rounding(const fluid_tables *t)
{
    double most = 0.0;
    for (uint32_t p = 0; p < t->n_ports; p++)
        most += t->ports[p].rate;
    for (uint32_t f = 0; f < t->n_flows; f++) {
        const fluid_class *const c = &t->classes[t->flows[f].cls];
        most += t->flows[f].sessions *
                (c->flags & FLUID_UDP ? c->rate : c->mss * c->window_limit / t->flows[f].base);
    }
    int exponent = 0;
    (void)frexp(4.0 * most, &exponent);
    return ldexp(1.5, exponent + 1); /* 1.5 * 2^52 * 2^(exponent - 51) */
}

static weir_status build_tree(weir_diag *diag, const weir_fluid_options *o, const wi_fluid_paths *paths,
                              const uint32_t *path_of, weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    wi_fluid_tree tree;
    WI_RETURN_IF_FAILED(wi_fluid_plant(diag, fluid, paths, path_of, &tree));
    WI_FREED uint32_t *const position = wi_fluid_array(diag, tree.n, sizeof *position, "prefixes");
    weir_status st = position ? wi_fluid_sort(diag, t, &tree, position) : WEIR_E_NOMEM;
    st = st ?: wi_fluid_gather(diag, t, &tree);
    if (st == WEIR_OK) {
        for (uint32_t f = 0; f < t->n_flows; f++)
            t->flows[f].prefix = position[tree.leaf[f]] - t->ports[t->flows[f].port].first;
        find_lookahead(t, fluid);
        t->lookahead = fluid->lookahead < WI_FLUID_BLOCK ? fluid->lookahead : WI_FLUID_BLOCK;
        t->history = fluid->history = o->history_steps ? o->history_steps : fluid->lookahead + 1;
        st = size_histories(diag, t, &tree, position);
        t->rounding = rounding(t);
    }
    wi_fluid_tree_free(&tree);
    return st;
}

weir_status wi_fluid_build(weir_diag *diag, const weir_fluid_plan *plan, const weir_fluid_options *options,
                           weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    wi_fluid_paths paths = {NULL, NULL};
    WI_FREED uint32_t *const order = wi_fluid_array(diag, plan->n_flows, sizeof *order, "flows");
    WI_FREED uint32_t *const path_of = wi_fluid_array(diag, plan->n_flows, sizeof *path_of, "flows");
    wi_fluid_links links = {0};
    fluid->merged = wi_fluid_array(diag, plan->n_flows, sizeof *fluid->merged, "flows");
    fluid->plan_share = wi_fluid_array(diag, plan->n_flows, sizeof *fluid->plan_share, "flows");
    fluid->n_plan_flows = plan->n_flows;
    t->paper = options->law == WEIR_FLUID_PAPER;
    t->order = options->order;
    t->step_s = weir_seconds(options->step_ps);
    weir_status st = order && path_of && fluid->merged && fluid->plan_share ? WEIR_OK : WEIR_E_NOMEM;
    st = st ?: wi_fluid_paths_find(diag, plan, options, &paths);
    st = st ?: wi_fluid_join_alike(diag, plan, &paths, &links);
    st = st ?: wi_fluid_order_links(diag, plan, options, &paths, &links);
    st = st ?: wi_fluid_merge(diag, plan, &paths, order, fluid->merged, &t->n_flows);
    st = st ?: build_ports(diag, plan, options, &paths, &links, fluid);
    st = st ?: build_queues(diag, plan, t) ?: build_classes(diag, plan, options, t);
    st = st ?: build_flows(diag, plan, options, &paths, &links, order, path_of, fluid);
    st = st ?: wi_fluid_build_backs(diag, plan, &paths, path_of, fluid);
    st = st ?: wi_fluid_build_changes(diag, plan, options, fluid);
    st = st ?: build_tree(diag, options, &paths, path_of, fluid);
    wi_fluid_paths_free(&paths);
    wi_owned_free(&links.memory);
    return st;
}

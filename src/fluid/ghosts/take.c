/* A rank's tables, taken from those of the whole network. */
#include <stdlib.h>
#include <string.h>

#include "fluid/ghosts/ghosts.h"
#include "fluid/state/arrays.h"

/* ---- numbers ---- */

/* Of n things those that `rank` has, in their order, from `next` on. Returns the next number. */
static uint32_t number_own(uint32_t *here, const uint16_t *rank_of, uint32_t n, uint32_t rank, uint32_t next)
{
    for (uint32_t i = 0; i < n; i++)
        if (rank_of[i] == rank)
            here[i] = next++;
    return next;
}

/* Ghosts behind them, marked as such by the caller. */
static uint32_t number_ghosts(uint32_t *here, const uint8_t *is_ghost, uint32_t n, uint32_t next)
{
    for (uint32_t i = 0; i < n; i++)
        if (is_ghost[i] && here[i] == FLUID_NONE)
            here[i] = next++;
    return next;
}

/* Which things of the network come here from elsewhere. */
typedef struct marks {
    uint8_t *port, *prefix, *series; /* series: flows first */
} marks;

static void mark(const wi_ghost_needs *needs, marks *m)
{
    uint8_t *const of[] = {m->port, m->prefix, m->series, m->series, m->series};
    for (size_t i = 0; i < needs->n; i++)
        if (!(needs->need[i] >> 40 & 1))
            of[needs->need[i] >> 32 & 0xff][(uint32_t)needs->need[i]] = 1;
}

/* Sets that are summed at once, then late ones, then those that come; n_early, n_late: of the first two. */
static void number_sets(const wi_ghost_owners *o, const uint8_t *is_ghost, wi_fluid_ghosts *g,
                        fluid_tables *t)
{
    const uint32_t first = g->whole.n_flows, n = g->whole.n_series;
    uint32_t next = t->n_flows;
    for (uint8_t late = 0; late < 2; late++)
        for (uint32_t s = first; s < n; s++)
            if (o->series[s] == g->ranks->rank && o->late[s] == late)
                g->series[s] = next++;
    t->n_series = number_ghosts(g->series + first, is_ghost + first, n - first, next);
}

/* Prefixes stand by port: all of a rank's own ports, some of ghosts. */
static void number_prefixes(const fluid_tables *w, const uint8_t *is_ghost, wi_fluid_ghosts *g,
                            fluid_tables *t)
{
    const uint32_t own = t->n_ports - t->n_ghost_ports;
    for (int ghosts = 0; ghosts < 2; ghosts++)
        for (uint32_t p = 0; p < w->n_ports; p++) {
            const uint32_t here = g->port[p], first = w->ports[p].first;
            if (here == FLUID_NONE || (here >= own) != ghosts)
                continue;
            for (uint32_t i = first; i < first + w->ports[p].n_prefixes; i++)
                if (here < own || is_ghost[i])
                    g->prefix[i] = t->n_prefixes++;
        }
}

static void number_all(const wi_ghost_owners *o, const wi_ghost_needs *needs, marks *m, wi_fluid_ghosts *g,
                       const fluid_tables *w, fluid_tables *t)
{
    const uint32_t rank = g->ranks->rank;
    mark(needs, m);
    t->n_ports = number_own(g->port, o->port, w->n_ports, rank, 0);
    t->n_ghost_ports = number_ghosts(g->port, m->port, w->n_ports, t->n_ports) - t->n_ports;
    t->n_ports += t->n_ghost_ports;
    number_prefixes(w, m->prefix, g, t);
    t->n_flows = number_own(g->flow, o->series, w->n_flows, rank, 0);
    t->n_ghost_flows = number_ghosts(g->flow, m->series, w->n_flows, t->n_flows) - t->n_flows;
    t->n_flows += t->n_ghost_flows;
    memcpy(g->series, g->flow, w->n_flows * sizeof *g->series);
    number_sets(o, m->series, g, t);
}

static uint32_t *nothing(wi_owned *memory, size_t n)
{
    uint32_t *const a = wi_take(memory, n, sizeof *a);
    return a ? memset(a, 0xff, n * sizeof *a) : NULL;
}

weir_status wi_ghosts_number(weir_diag *diag, const fluid_tables *w, const wi_ghost_owners *o,
                             const wi_ghost_needs *needs, wi_fluid_ghosts *g, fluid_tables *t)
{
    WI_ENDED(wi_owned_free) wi_owned aside = {0};
    marks m = {wi_take(&aside, w->n_ports, 1), wi_take(&aside, w->n_prefixes, 1),
               wi_take(&aside, w->n_series, 1)};
    g->port = nothing(&g->memory, w->n_ports);
    g->prefix = nothing(&g->memory, w->n_prefixes);
    g->flow = nothing(&g->memory, w->n_flows);
    g->series = nothing(&g->memory, w->n_series);
    if (aside.failed || g->memory.failed)
        return wi_fluid_no_memory(diag, (uint64_t)w->n_prefixes * sizeof *g->prefix, "ghosts");
    number_all(o, needs, &m, g, w, t);
    return WEIR_OK;
}

/* ---- rings ---- */

static void take_rings(const fluid_tables *w, const wi_ghost_owners *o, const wi_fluid_ghosts *g,
                       fluid_tables *t)
{
    for (uint32_t s = 0; s < w->n_series; s++)
        if (g->series[s] != FLUID_NONE)
            t->rings[g->series[s]].rows =
                s < w->n_flows && o->series[s] == g->ranks->rank ? w->rings[s].rows : wi_fluid_rows(t, 0.0);
    for (uint32_t p = 0; p < w->n_prefixes; p++) {
        if (o->port[wi_ghosts_port_of(w, p)] != g->ranks->rank)
            continue;
        uint32_t *const rows = &t->rings[g->series[o->series_of[p]]].rows;
        *rows = o->rows_of[p] > *rows ? o->rows_of[p] : *rows;
    }
    for (uint32_t s = 0; s < t->n_series; s++) {
        t->rings[s].at = t->n_volumes;
        t->n_volumes += t->rings[s].rows;
    }
}

/* ---- ports and prefixes ---- */

/* The front of a port that others pull from. Its own rank keeps one even if all of those are elsewhere. */
static void give_front(fluid_tables *t, uint32_t port)
{
    if (t->ports[port].front == FLUID_NONE)
        t->ports[port].front = t->n_fronts++;
}

static void take_port(const fluid_tables *w, const wi_fluid_ghosts *g, uint32_t p, fluid_tables *t)
{
    const uint32_t own = t->n_ports - t->n_ghost_ports, here = g->port[p];
    fluid_port *const port = &t->ports[here];
    const fluid_port *const from = &w->ports[p];
    *port = *from;
    port->front = FLUID_NONE;
    port->first_segment = t->n_segments;
    port->n_segments = here < own ? from->n_segments : 0;
    port->first = port->n_prefixes = 0;
    t->n_segments += port->n_segments;
    if (here < own && from->front != FLUID_NONE)
        give_front(t, here);
}

static void take_prefixes_of(const fluid_tables *w, const wi_ghost_owners *o, const wi_fluid_ghosts *g,
                             uint32_t p, fluid_tables *t)
{
    fluid_port *const port = &t->ports[g->port[p]];
    for (uint32_t i = w->ports[p].first; i < w->ports[p].first + w->ports[p].n_prefixes; i++) {
        const uint32_t here = g->prefix[i];
        if (here == FLUID_NONE)
            continue;
        port->first = port->n_prefixes++ == 0 ? here : port->first;
        t->base[here] = w->base[i];
        t->prefixes[here] = (fluid_prefix){.volume_rows = FLUID_LINE, .parent = FLUID_NONE};
        if (port->n_segments == 0)
            continue;
        const fluid_ring *const ring = &t->rings[g->series[o->series_of[i]]];
        t->prefixes[here].volume_at = ring->at;
        t->prefixes[here].volume_rows = ring->rows;
    }
    port->at = t->n_cells;
    port->own = t->n_own;
    t->n_cells += (uint64_t)port->rows * port->n_prefixes;
    t->n_own += port->rows;
}

/* Segments of own ports, and what their prefixes have before them. */
static void take_segments_of(const fluid_tables *w, const wi_fluid_ghosts *g, uint32_t p, fluid_tables *t)
{
    const uint32_t here = g->port[p];
    for (uint32_t i = 0; i < t->ports[here].n_segments; i++) {
        const fluid_segment *const from = &w->segments[w->ports[p].first_segment + i];
        fluid_segment *const to = &t->segments[t->ports[here].first_segment + i];
        *to = (fluid_segment){here, FLUID_NONE, from->kind, g->prefix[from->first], from->n};
        if (from->upstream != FLUID_NONE) {
            to->upstream = g->port[from->upstream];
            give_front(t, to->upstream);
        }
        for (uint32_t k = 0; k < from->n; k++) {
            const uint32_t parent = wi_ghosts_parent(w, from->first + k);
            t->prefixes[to->first + k].segment = t->ports[here].first_segment + i;
            if (parent != FLUID_NONE)
                t->prefixes[to->first + k].parent = g->prefix[parent] - t->ports[to->upstream].first;
        }
    }
}

/* In the order of their numbers here: own ports, then ghosts. */
static void take_ports(const fluid_tables *w, const wi_ghost_owners *o, const wi_fluid_ghosts *g,
                       const uint32_t *order, fluid_tables *t)
{
    for (uint32_t i = 0; i < t->n_ports; i++) {
        take_port(w, g, order[i], t);
        take_prefixes_of(w, o, g, order[i], t);
    }
    for (uint32_t i = 0; i < t->n_ports; i++)
        take_segments_of(w, g, order[i], t);
}

/* ---- flows and sets ---- */

static void take_flows(const fluid_tables *w, const wi_fluid_ghosts *g, fluid_tables *t)
{
    const uint32_t own = t->n_flows - t->n_ghost_flows;
    for (uint32_t f = 0; f < w->n_flows; f++) {
        const uint32_t here = g->flow[f];
        if (here == FLUID_NONE)
            continue;
        const uint32_t leaf = w->ports[w->flows[f].port].first + w->flows[f].prefix;
        fluid_flow *const flow = &t->flows[here];
        *flow = w->flows[f];
        flow->port = flow->prefix = 0;
        if (here >= own)
            continue;
        flow->port = g->port[w->flows[f].port];
        flow->prefix = g->prefix[leaf] - t->ports[flow->port].first;
    }
}

/* Sets by level as the network has them, those that are summed at once first. */
static void take_sets(const fluid_tables *w, const wi_ghost_owners *o, const wi_fluid_ghosts *g,
                      fluid_tables *t)
{
    uint32_t n = 0;
    for (uint32_t phase = 0, late; phase < 2 * w->n_levels; phase++) {
        const uint32_t level = phase % w->n_levels;
        late = phase / w->n_levels;
        t->level_first[phase] = n;
        for (uint32_t set = w->level_first[level]; set < w->level_first[level + 1]; set++) {
            const uint32_t s = w->n_flows + set;
            if (o->series[s] != g->ranks->rank || o->late[s] != late)
                continue;
            for (uint32_t m = w->member_first[set]; m < w->member_first[set + 1]; m++)
                t->member[t->n_members++] = g->series[w->member[m]];
            t->member_first[++n] = t->n_members;
        }
    }
    t->level_first[2 * w->n_levels] = n;
    for (uint32_t set = n; set < t->n_series - t->n_flows; set++)
        t->member_first[set + 1] = t->n_members;
}

/* Changes elsewhere stay in the list, so that all ranks stop at the same steps. */
static void take_changes(const fluid_tables *w, const wi_fluid_ghosts *g, fluid_tables *t)
{
    const uint32_t ports = t->n_ports - t->n_ghost_ports, flows = t->n_flows - t->n_ghost_flows;
    for (uint32_t i = 0; i < w->n_changes; i++) {
        fluid_change *const c = &t->changes[i];
        const bool of_flow = w->changes[i].what >= FLUID_FLOW_TAKES;
        *c = w->changes[i];
        c->number = of_flow ? g->flow[c->number] : g->port[c->number];
        if (c->number == FLUID_NONE || c->number >= (of_flow ? flows : ports))
            c->number = FLUID_NONE;
        else
            c->from = of_flow ? g->flow[c->from] : 0;
    }
}

/* Lists of numbers, one for each thing. */
typedef struct lists {
    uint32_t *first, *item;
} lists;

/* Lists of the own ones of n things that have the numbers `own`, of things that have the numbers `listed`; counts alone where
 * to.item is null. */
static uint32_t take_lists(const lists *from, uint32_t n, const uint32_t *own, uint32_t n_own,
                           const uint32_t *listed, const lists *to)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (own[i] >= n_own)
            continue;
        for (uint32_t k = from->first[i]; k < from->first[i + 1]; k++, used++)
            if (to)
                to->item[used] = listed[from->item[k]];
        if (to)
            to->first[own[i] + 1] = used;
    }
    return used;
}

static void take_acks(const fluid_tables *w, const wi_fluid_ghosts *g, bool count, fluid_tables *t)
{
    const lists back = {w->back_first, w->back_port}, ack = {w->ack_first, w->ack_flow};
    const lists back_here = {t->back_first, t->back_port}, ack_here = {t->ack_first, t->ack_flow};
    const uint32_t flows = t->n_flows - t->n_ghost_flows, ports = t->n_ports - t->n_ghost_ports;
    const uint32_t n_back = take_lists(&back, w->n_flows, g->flow, flows, g->port, count ? NULL : &back_here);
    const uint32_t n_ack = take_lists(&ack, w->n_ports, g->port, ports, g->flow, count ? NULL : &ack_here);
    t->n_backs = n_back > n_ack ? n_back : n_ack;
    for (uint32_t f = flows; f < t->n_flows && !count; f++)
        t->back_first[f + 1] = n_back;
    for (uint32_t p = ports; p < t->n_ports && !count; p++)
        t->ack_first[p + 1] = n_ack;
}

/* ---- all of it ---- */

/* Room for the tables, from the counts. Members of sets: no more than the network has. */
static bool make_room(weir_diag *diag, fluid_tables *t)
{
    bool whole = true;
#define X(field, type, n)                                                 \
    t->field = wi_fluid_array(diag, (n), sizeof(type), "part of a rank"); \
    whole = whole && t->field;
    FLUID_TABLES(X)
#undef X
    return whole;
}

static void copy_common(const fluid_tables *w, fluid_tables *t)
{
    memcpy(t->queues, w->queues, w->n_queues * sizeof *w->queues);
    memcpy(t->classes, w->classes, w->n_classes * sizeof *w->classes);
    memcpy(t->rate_from, w->rate_from, w->n_rates * sizeof *w->rate_from);
    memcpy(t->rate_value, w->rate_value, w->n_rates * sizeof *w->rate_value);
}

static uint32_t count_members(const fluid_tables *w, const wi_ghost_owners *o, uint32_t rank)
{
    uint32_t n = 0;
    for (uint32_t set = 0; set < w->n_series - w->n_flows; set++)
        if (o->series[w->n_flows + set] == rank)
            n += w->member_first[set + 1] - w->member_first[set];
    return n;
}

static uint32_t count_segments(const fluid_tables *w, const wi_ghost_owners *o, uint32_t rank)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < w->n_ports; p++)
        n += o->port[p] == rank ? w->ports[p].n_segments : 0;
    return n;
}

weir_status wi_ghosts_take(weir_diag *diag, const fluid_tables *w, const wi_ghost_owners *o,
                           const wi_fluid_ghosts *g, fluid_tables *t)
{
    WI_FREED uint32_t *const order = wi_fluid_array(diag, t->n_ports, sizeof *order, "ghosts");
    t->n_members = count_members(w, o, g->ranks->rank);
    t->n_segments = count_segments(w, o, g->ranks->rank);
    t->n_levels = 2 * w->n_levels;
    t->n_early = w->n_levels;
    take_acks(w, g, true, t);
    const bool whole = make_room(diag, t) && order;
    if (whole) {
        t->n_members = t->n_segments = 0;
        copy_common(w, t);
        take_rings(w, o, g, t);
        for (uint32_t p = 0; p < w->n_ports; p++)
            if (g->port[p] != FLUID_NONE)
                order[g->port[p]] = p;
        take_ports(w, o, g, order, t);
        take_flows(w, g, t);
        take_sets(w, o, g, t);
        take_changes(w, g, t);
        take_acks(w, g, false, t);
    }
    return whole ? WEIR_OK : WEIR_E_NOMEM;
}

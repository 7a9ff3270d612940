/*
 * The order of ports whose links are short. A block of steps is as long as news takes from the end of a path to its source,
 * `least_delay_ps`, not as long as the shortest link: a port behind a link that is shorter is solved after the port before
 * it, and pulls from the block at work. Ports of a wave pull from those of earlier waves. Where links are short all round a
 * circle of ports, the longest of them is taken as long as a block.
 */
#include <stdlib.h>

#include "fluid/state/internal.h"

typedef struct ordering {
    const weir_graph *g;
    wi_fluid_links *links;
    uint64_t *arc_first; /* [n_edges + 1] */
    uint8_t *arc;        /* of an edge, which of those that leave its target have fluid that comes from it */
    uint8_t *is_short, *is_done;
    uint32_t *comes, *queue; /* [n_edges] ports before it that are not done; those to do next */
    uint32_t *seen;          /* [n_edges] in which search for a circle; 0: none */
    uint32_t n_queue, n_done, n_edges;
} ordering;

static bool allocate(wi_owned *memory, ordering *o)
{
    o->arc_first = wi_take(memory, (size_t)o->n_edges + 1, sizeof *o->arc_first);
    o->is_short = wi_take(memory, o->n_edges, 1);
    o->is_done = wi_take(memory, o->n_edges, 1);
    o->comes = wi_take(memory, o->n_edges, sizeof *o->comes);
    o->queue = wi_take(memory, o->n_edges, sizeof *o->queue);
    o->seen = wi_take(memory, o->n_edges, sizeof *o->seen);
    for (uint32_t e = 0; e < o->n_edges && !memory->failed; e++)
        o->arc_first[e + 1] =
            o->arc_first[e] + o->g->first[o->g->target[e] + 1] - o->g->first[o->g->target[e]];
    o->arc = memory->failed ? NULL : wi_take(memory, o->arc_first[o->n_edges], 1);
    return o->arc != NULL;
}

/* Whether fluid goes from one short link to another. */
static uint8_t *arc_of(const ordering *o, uint32_t from, uint32_t to)
{
    return &o->arc[o->arc_first[from] + (to - o->g->first[o->g->target[from]])];
}

static void find_arcs(ordering *o, const wi_fluid_paths *paths, uint32_t n_flows)
{
    for (uint32_t f = 0; f < n_flows; f++)
        for (uint64_t h = paths->first[f]; h + 1 < paths->first[f + 1]; h++) {
            const uint32_t from = paths->edge[h], to = paths->edge[h + 1];
            if (!o->is_short[from] || *arc_of(o, from, to))
                continue;
            *arc_of(o, from, to) = 1;
            o->comes[to]++;
        }
}

/* Those behind a port need not wait for it any more; where they do so in a block, they are of a later wave. */
static void let_go(ordering *o, uint32_t from, bool later)
{
    const uint32_t node = o->g->target[from];
    for (uint32_t to = o->g->first[node]; to < o->g->first[node + 1]; to++) {
        if (!*arc_of(o, from, to))
            continue;
        *arc_of(o, from, to) = 0;
        if (later && o->links->wave[to] <= o->links->wave[from])
            o->links->wave[to] = o->links->wave[from] + 1;
        if (--o->comes[to] == 0 && !o->is_done[to])
            o->queue[o->n_queue++] = to;
    }
}

static uint32_t before(const ordering *o, uint32_t edge)
{
    const uint32_t node = o->g->target[o->g->reverse[edge]];
    for (uint32_t out = o->g->first[node]; out < o->g->first[node + 1]; out++)
        if (*arc_of(o, o->g->reverse[out], edge))
            return o->g->reverse[out];
    return FLUID_NONE;
}

/* The longest link of a circle that leads to an edge which waits. */
static uint32_t longest_of_circle(const ordering *o, uint32_t edge, uint32_t search)
{
    const weir_time *const delay_ps = o->links->delay_ps;
    for (; o->seen[edge] != search; edge = before(o, edge)) /* until it lies on a circle */
        o->seen[edge] = search;
    uint32_t longest = edge;
    for (uint32_t e = before(o, edge); e != edge; e = before(o, e))
        if (delay_ps[e] > delay_ps[longest] || (delay_ps[e] == delay_ps[longest] && e < longest))
            longest = e;
    return longest;
}

static void order(ordering *o, weir_time least_delay_ps)
{
    for (uint32_t e = 0; e < o->n_edges; e++)
        if (o->comes[e] == 0)
            o->queue[o->n_queue++] = e;
    for (uint32_t waits = 0, search = 1;; search++) {
        for (; o->n_done < o->n_queue; o->n_done++) {
            o->is_done[o->queue[o->n_done]] = 1;
            let_go(o, o->queue[o->n_done], true);
        }
        while (waits < o->n_edges && o->is_done[waits])
            waits++;
        if (waits == o->n_edges)
            return;
        const uint32_t longest = longest_of_circle(o, waits, search);
        o->links->delay_ps[longest] = least_delay_ps;
        let_go(o, longest, false);
    }
}

weir_status wi_fluid_order_links(weir_diag *diag, const weir_fluid_plan *plan,
                                 const weir_fluid_options *options, const wi_fluid_paths *paths,
                                 wi_fluid_links *links)
{
    const weir_graph *const g = plan->graph;
    ordering o = {.g = g, .links = links, .n_edges = g->n_edges};
    links->delay_ps = wi_take(&links->memory, g->n_edges, sizeof *links->delay_ps);
    links->wave = wi_take(&links->memory, g->n_edges, sizeof *links->wave);
    if (links->memory.failed)
        return wi_fluid_no_memory(diag, (uint64_t)g->n_edges * sizeof *links->delay_ps, "links");
    const weir_time least_ps = options->least_delay_ps > 0 ? options->step_ps : 0;
    for (uint32_t e = 0; e < g->n_edges; e++)
        links->delay_ps[e] = g->delay_ps[e] > least_ps ? g->delay_ps[e] : least_ps;
    if (options->least_delay_ps == 0)
        return WEIR_OK;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    if (!allocate(&memory, &o))
        return wi_fluid_no_memory(diag, (uint64_t)g->n_edges * sizeof *o.arc_first, "links");
    for (uint32_t e = 0; e < g->n_edges; e++)
        o.is_short[e] = links->delay_ps[e] < options->least_delay_ps;
    find_arcs(&o, paths, plan->n_flows);
    order(&o, options->least_delay_ps);
    return WEIR_OK;
}

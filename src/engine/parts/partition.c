/* Groups, what joins them, and blocks; see partition.h. */
#include "engine/parts/partition.h"

#include <stdlib.h>
#include <string.h>
#ifdef WEIR_HAVE_METIS
#include <metis.h>
#endif

/* What is distributed: clusters of groups, with the edges between them in both directions. */
typedef struct clusters {
    wi_owned memory;
    uint32_t n;
    uint32_t *of; /* [groups] */
    uint32_t *weight;
    uint64_t *first;
    uint32_t *target, *edge_weight;
} clusters;

uint32_t wi_partition_most(const weir_sim *sim)
{
    const weir_comm_graph *comm = sim->setup.comm;
    const uint32_t most = comm ? comm->n_groups : sim->n_entities;
    return most > 0 ? most : 1; /* of nobody */
}

weir_status wi_partition_new(weir_diag *diag, const weir_sim *sim, uint32_t n_parts, wi_owned *memory,
                             wi_partition *out)
{
    *out = (wi_partition){.n_parts = n_parts, .n_entities = sim->n_entities};
    out->part = wi_take(memory, sim->n_entities, sizeof *out->part);
    out->crosses = wi_take(memory, sim->n_entities, 1);
    out->lookahead_ps = wi_take(memory, n_parts, sizeof *out->lookahead_ps);
    out->least = wi_take(memory, n_parts, sizeof *out->least);
    return memory->failed ? weir_fail(diag, WEIR_E_NOMEM, "no memory for %u partitions", n_parts) : WEIR_OK;
}

void wi_partition_bounds(const weir_sim *sim, wi_partition *p)
{
    const weir_comm_graph *comm = sim->setup.comm;
    uint32_t *group_part = NULL; /* of each group, by one of its entities */
    for (uint32_t i = 0; i < p->n_parts; i++)
        p->lookahead_ps[i] = WEIR_TIME_MAX;
    if (comm)
        group_part = malloc(((size_t)comm->n_groups + 1) * sizeof *group_part);
    for (uint32_t e = 0; group_part && e < p->n_entities; e++)
        group_part[comm->group[e]] = p->part[e];
    for (uint32_t e = 0; e < p->n_entities; e++) {
        const uint32_t part = p->part[e];
        p->crosses[e] = p->n_parts > 1;
        if (group_part) { /* without memory for it every entity counts as one at the border */
            p->crosses[e] = 0;
            for (uint32_t i = comm->first[e]; i < comm->first[e + 1]; i++)
                p->crosses[e] |= group_part[comm->target[i]] != part;
        }
        if (p->crosses[e] && sim->setup.lookahead_ps[e] < p->lookahead_ps[part]) {
            p->lookahead_ps[part] = sim->setup.lookahead_ps[e];
            p->least[part] = e;
        }
    }
    free(group_part);
}

/* ---- without a graph: an equal share of each kind for every part ---- */

static void blocks_of_kinds(const weir_sim *sim, wi_partition *p)
{
    for (uint32_t k = 0; k < sim->setup.model->n_kinds; k++) {
        const uint32_t from = sim->kind_first[k], n = sim->kind_first[k + 1] - from;
        for (uint32_t i = 0; i < n; i++)
            p->part[from + i] = (uint16_t)((uint64_t)i * p->n_parts / n);
    }
}

/* ---- with one ---- */

static uint32_t weight_of(const weir_comm_graph *comm, uint32_t e)
{
    const uint32_t weight = comm->weight ? comm->weight[e] : 1;
    return weight ? weight : 1;
}

static uint32_t root_of(uint32_t *parent, uint32_t g)
{
    while (parent[g] != g)
        g = parent[g] = parent[parent[g]];
    return g;
}

/* Number the clusters that arise when groups joined by lookaheads below `apart_ps` are one; returns the
 * weight of the heaviest. `parent` is room for [groups]. */
static uint64_t join(const weir_sim *sim, weir_time apart_ps, uint32_t *parent, clusters *c)
{
    const weir_comm_graph *comm = sim->setup.comm;
    uint64_t heaviest = 0;
    for (uint32_t g = 0; g < comm->n_groups; g++)
        parent[g] = g;
    for (uint32_t e = 0; e < sim->n_entities; e++)
        for (uint32_t i = comm->first[e]; i < comm->first[e + 1] && sim->setup.lookahead_ps[e] < apart_ps;
             i++)
            parent[root_of(parent, comm->group[e])] = root_of(parent, comm->target[i]);
    c->n = 0;
    for (uint32_t g = 0; g < comm->n_groups; g++)
        if (root_of(parent, g) == g)
            c->of[g] = c->n++;
    for (uint32_t g = 0; g < comm->n_groups; g++)
        c->of[g] = c->of[root_of(parent, g)];
    memset(c->weight, 0, c->n * sizeof *c->weight);
    for (uint32_t e = 0; e < sim->n_entities; e++) {
        uint32_t *weight = &c->weight[c->of[comm->group[e]]];
        const uint32_t more = weight_of(comm, e);
        *weight = *weight > INT32_MAX - (more & INT32_MAX) ? INT32_MAX : *weight + more;
        heaviest = *weight > heaviest ? *weight : heaviest;
    }
    return heaviest;
}

/* The longest lookahead that can be kept inside clusters none of which is too heavy to share out. */
static void find_clusters(const weir_sim *sim, uint32_t n_parts, uint32_t *parent, clusters *c)
{
    const weir_comm_graph *comm = sim->setup.comm;
    uint64_t total = 0;
    for (uint32_t e = 0; e < sim->n_entities; e++)
        total += weight_of(comm, e);
    for (weir_time apart_ps = 10 * WEIR_PS_PER_MS; apart_ps >= 1000; apart_ps /= 10)
        if (join(sim, apart_ps, parent, c) <= total / n_parts + total / (10 * (uint64_t)n_parts) &&
            c->n >= n_parts)
            return;
    (void)join(sim, 0, parent, c);
}

/* Add up parallel edges; `seen` is room for [clusters]. */
static void merge_parallel(clusters *c, uint64_t *seen)
{
    uint64_t to = 0;
    memset(seen, 0xff, c->n * sizeof *seen);
    for (uint32_t v = 0; v < c->n; v++) {
        const uint64_t from = c->first[v], end = c->first[v + 1], start = to;
        c->first[v] = start;
        for (uint64_t i = from; i < end; i++) {
            const uint64_t at = seen[c->target[i]];
            if (at != UINT64_MAX && at >= start && at < to && c->target[at] == c->target[i]) {
                c->edge_weight[at] += c->edge_weight[i];
                continue;
            }
            seen[c->target[i]] = to;
            c->target[to] = c->target[i];
            c->edge_weight[to++] = c->edge_weight[i];
        }
    }
    c->first[c->n] = to;
}

/* The edges between clusters, each in both directions. False when memory is short. */
static int find_edges(const weir_sim *sim, clusters *c)
{
    const weir_comm_graph *comm = sim->setup.comm;
    const size_t most = 2 * (size_t)comm->first[sim->n_entities] + 1;
    c->first = wi_take(&c->memory, (size_t)c->n + 2, sizeof *c->first);
    c->target = wi_take(&c->memory, most, sizeof *c->target);
    c->edge_weight = wi_take(&c->memory, most, sizeof *c->edge_weight);
    uint64_t *room = wi_take(&c->memory, (size_t)c->n + 1, sizeof *room);
    if (c->memory.failed)
        return 0;
    /* Twice over the same edges: count, then fill in. */
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t e = 0; e < sim->n_entities; e++)
            for (uint32_t i = comm->first[e]; i < comm->first[e + 1]; i++) {
                const uint32_t a = c->of[comm->group[e]], b = c->of[comm->target[i]];
                const uint32_t weight = weight_of(comm, e) / (comm->first[e + 1] - comm->first[e]) + 1;
                if (a == b)
                    continue;
                if (!fill) {
                    c->first[a + 1]++;
                    c->first[b + 1]++;
                    continue;
                }
                c->target[room[a]] = b;
                c->edge_weight[room[a]++] = weight;
                c->target[room[b]] = a;
                c->edge_weight[room[b]++] = weight;
            }
        for (uint32_t v = 0; v < c->n && !fill; v++)
            c->first[v + 1] += c->first[v];
        for (uint32_t v = 0; v < c->n && !fill; v++)
            room[v] = c->first[v];
    }
    merge_parallel(c, room);
    return 1;
}

/* Clusters in their order, as many as make an equal share of the weight. */
static void blocks_of_clusters(const clusters *c, uint32_t n_parts, uint16_t *part)
{
    uint64_t total = 0, before = 0;
    for (uint32_t v = 0; v < c->n; v++)
        total += c->weight[v];
    for (uint32_t v = 0; v < c->n; v++) {
        const uint64_t middle = before + c->weight[v] / 2;
        part[v] = (uint16_t)(middle * n_parts / total);
        before += c->weight[v];
    }
}

#ifdef WEIR_HAVE_METIS
static idx_t *copy_of(wi_owned *memory, const uint32_t *from, size_t n)
{
    idx_t *to = wi_take(memory, n + 1, sizeof *to);
    for (size_t i = 0; to && i < n; i++)
        to[i] = (idx_t)from[i];
    return to;
}

/* Split the graph of clusters into n_parts by METIS; false where it fails. */
static bool split(const clusters *c, uint32_t n_parts, uint16_t *part)
{
    const uint32_t n = c->n;
    const uint64_t edges = c->first[n];
    if (n < n_parts || edges > INT32_MAX || n > INT32_MAX)
        return false;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    idx_t *xadj = wi_take(&memory, (size_t)n + 1, sizeof *xadj),
          *found = wi_take(&memory, (size_t)n + 1, sizeof *found);
    idx_t *adjncy = copy_of(&memory, c->target, edges), *adjwgt = copy_of(&memory, c->edge_weight, edges),
          *vwgt = copy_of(&memory, c->weight, n);
    idx_t options[METIS_NOPTIONS], n_vertices = (idx_t)n, constraints = 1, parts = (idx_t)n_parts, cut = 0;
    bool done = false;
    if (!memory.failed) {
        for (uint32_t v = 0; v <= n; v++)
            xadj[v] = (idx_t)c->first[v];
        METIS_SetDefaultOptions(options);
        options[METIS_OPTION_SEED] = 1;
        /* Recursive bisection balances better than k-way while parts are few. */
        done = (n_parts <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
                   &n_vertices, &constraints, xadj, adjncy, vwgt, NULL, adjwgt, &parts, NULL, NULL, options,
                   &cut, found) == METIS_OK;
    }
    for (uint32_t v = 0; v < n && done; v++)
        part[v] = (uint16_t)found[v];
    return done;
}
#else
static bool split(const clusters *c, uint32_t n_parts, uint16_t *part)
{
    (void)c, (void)n_parts, (void)part;
    return false;
}
#endif

weir_status wi_partition_make(weir_diag *diag, const weir_sim *sim, wi_partition *p)
{
    const weir_comm_graph *comm = sim->setup.comm;
    if (p->n_parts == 1)
        return WEIR_OK;
    if (!comm) {
        blocks_of_kinds(sim, p);
        return WEIR_OK;
    }
    const size_t n = (size_t)comm->n_groups + 1;
    clusters c = {0};
    c.of = wi_take(&c.memory, n, sizeof *c.of);
    c.weight = wi_take(&c.memory, n, sizeof *c.weight);
    uint32_t *parent = wi_take(&c.memory, n, sizeof *parent);
    uint16_t *part = wi_take(&c.memory, n, sizeof *part);
    int whole = !c.memory.failed;
    if (whole) {
        find_clusters(sim, p->n_parts, parent, &c);
        whole = find_edges(sim, &c);
    }
    if (whole) {
        if (!split(&c, p->n_parts, part))
            blocks_of_clusters(&c, p->n_parts, part);
        for (uint32_t e = 0; e < sim->n_entities; e++)
            p->part[e] = part[c.of[comm->group[e]]];
    }
    wi_owned_free(&c.memory);
    return whole ? WEIR_OK
                 : weir_fail(diag, WEIR_E_NOMEM, "no memory to distribute %u entities", p->n_entities);
}

/*
 * htsim's topologies (`.topo`; Broadcom/csg-htsim and ultraethernet/uet-htsim, sim/datacenter/topologies): lines
 * `key value`, in any case of letters; Nodes, Tiers and Podsize, then for each tier from the hosts up `Tier n` and
 * what it has. A tier's links are those below its switches; a bundle of it is so many parallel links.
 *
 * Hosts are h0, h1, ..., switches tor0, agg0, core0, ... A packet waits for a switch's latency as it comes in:
 * it is part of the delay of the links that lead to the switch.
 */
#include <stdio.h>

#include "topology/read/reader.h"

enum { TIERS = 3, N_KEYS = 7 };
enum key { SPEED, DOWN, UP, BUNDLE, OVER, LINK_NS, SWITCH_NS };

static const struct {
    const char *name;
    uint32_t least, most, otherwise;
} keys[N_KEYS] = {
    [SPEED] = {"Downlink_speed_Gbps", 1, 1000000, 0},
    [DOWN] = {"Radix_Down", 1, WI_NODES_MAX, 0},
    [UP] = {"Radix_Up", 1, WI_NODES_MAX, 0},
    [BUNDLE] = {"Bundle", 1, WI_NODES_MAX, 1},
    [OVER] = {"Oversubscribed", 1, WI_NODES_MAX, 1},
    [LINK_NS] = {"Downlink_Latency_ns", 0, 2000000000, 0},
    [SWITCH_NS] = {"Switch_Latency_ns", 0, 2000000000, 0},
};

typedef struct tier {
    int line; /* 0: the file has none */
    uint32_t value[N_KEYS];
    bool given[N_KEYS];
} tier;

typedef struct plan {
    wi_reading *r;
    uint32_t nodes, tiers, podsize;
    tier tier[TIERS];
    uint32_t pods, tors, aggs, cores;          /* in all */
    uint32_t first_tor, first_agg, first_core; /* numbers of nodes */
} plan;

/* A line's value. */
static uint32_t whole(plan *p, const wi_slice *f, uint32_t least, uint32_t most)
{
    char key[WI_SHOWN];
    return wi_whole_field(p->r->source, f[1], wi_shown(f[0], key), least, most);
}

/* Of the first lines, before any tier; false: it is none of them. */
static bool read_head(plan *p, const wi_slice *f)
{
    static const char *const names[] = {"Nodes", "Tiers", "Podsize"};
    uint32_t *const into[] = {&p->nodes, &p->tiers, &p->podsize};
    for (int i = 0; i < 3; i++) {
        if (!wi_slice_is(f[0], names[i]))
            continue;
        if (*into[i])
            wi_fail_slice(p->r->source, f[0], "%s is given twice", names[i]);
        *into[i] = i == 1 ? whole(p, f, 2, TIERS) : whole(p, f, 1, WI_NODES_MAX);
        return true;
    }
    return false;
}

static tier *read_tier(plan *p, const wi_slice *f)
{
    const uint32_t number = whole(p, f, 0, TIERS - 1);
    tier *t = wi_good(p->r) ? &p->tier[number] : NULL;
    if (t && t->line)
        wi_fail_slice(p->r->source, f[1], "tier %u is given twice, first at line %d", number, t->line);
    for (int i = 0; t && i < N_KEYS; i++)
        t->value[i] = keys[i].otherwise;
    if (t)
        t->line = p->r->source->line;
    return t;
}

static void read_key(plan *p, tier *t, const wi_slice *f)
{
    char shown[WI_SHOWN];
    if (wi_slice_is(f[0], "Queue_Up") || wi_slice_is(f[0], "Queue_Down")) {
        wi_fail_slice(p->r->source, f[0], "%s is not taken from a file; say it by topology.queue",
                      wi_shown(f[0], shown));
        return;
    }
    for (int i = 0; i < N_KEYS; i++) {
        if (!wi_slice_is(f[0], keys[i].name))
            continue;
        if (!t)
            wi_fail_slice(p->r->source, f[0], "%s before any tier", keys[i].name);
        else if (t->given[i])
            wi_fail_slice(p->r->source, f[0], "%s is given twice in this tier", keys[i].name);
        else
            t->value[i] = whole(p, f, keys[i].least, keys[i].most);
        if (t)
            t->given[i] = true;
        return;
    }
    wi_fail_slice(p->r->source, f[0], "no key '%s' in a topology of htsim", wi_shown(f[0], shown));
}

static void read_lines(plan *p)
{
    tier *t = NULL;
    wi_slice line, f[2];
    while (wi_next_line(p->r->source, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        const size_t n = wi_split(line, f, 2);
        if (n != 2)
            wi_fail(p->r->source, "%zu fields; want 2: a key and its value", n);
        else if (wi_slice_is(f[0], "Tier"))
            t = read_tier(p, f);
        else if (t || !read_head(p, f))
            read_key(p, t, f);
    }
}

/* ---- what the numbers must be to each other ---- */

static void want(plan *p, bool holds, int at_tier, const char *why)
{
    if (!holds)
        wi_fail_at(p->r->source, p->tier[at_tier].line, 0, "tier %d: %s", at_tier, why);
}

static uint64_t get(const plan *p, uint32_t number, enum key key)
{
    return p->tier[number].value[key];
}

static void check_tiers(plan *p)
{
    wi_source *const s = p->r->source;
    if (!p->nodes || !p->tiers || !p->podsize)
        wi_fail_at(s, 0, 0, "%s is missing", !p->nodes ? "Nodes" : !p->tiers ? "Tiers" : "Podsize");
    for (uint32_t i = 0; wi_good(p->r) && i < TIERS; i++) {
        const tier *t = &p->tier[i];
        const bool top = i + 1 == p->tiers;
        if ((i < p->tiers) != (t->line > 0)) {
            wi_fail_at(s, t->line, 0, "%u tiers are stated, and tier %u is %s", p->tiers, i,
                       t->line ? "given" : "missing");
        } else if (i < p->tiers) {
            want(p, t->given[DOWN], (int)i, "Radix_Down is missing");
            want(p, top || t->given[UP], (int)i, "Radix_Up is missing");
            want(p, !top || !t->given[UP], (int)i, "Radix_Up, and no tier is above");
            want(p, !top || t->value[OVER] == 1, (int)i, "Oversubscribed, and no tier is above");
            want(p, t->given[LINK_NS] || t->value[SWITCH_NS] == 0, (int)i,
                 "Switch_Latency_ns without Downlink_Latency_ns");
        }
    }
}

/* Up a tier: whole bundles, and as much oversubscribed as is stated. */
static void check_up(plan *p, uint32_t i)
{
    const uint64_t below = get(p, i, DOWN) * (get(p, i, SPEED) ? get(p, i, SPEED) : 1),
                   above = get(p, i, UP) * (get(p, i + 1, SPEED) ? get(p, i + 1, SPEED) : 1);
    want(p, p->tier[i].given[SPEED] == p->tier[i + 1].given[SPEED], (int)i + 1,
         "Downlink_speed_Gbps is given for some tiers only");
    want(p, get(p, i, UP) % get(p, i + 1, BUNDLE) == 0, (int)i + 1,
         "Radix_Up of the tier below is no multiple of Bundle");
    want(p, below == get(p, i, OVER) * above, (int)i,
         "Oversubscribed is not what radices and speeds give (Radix_Down and speed over Radix_Up and speed "
         "above)");
}

static void count_switches(plan *p)
{
    const uint64_t tors_a_pod = p->podsize / get(p, 0, DOWN), aggs_a_pod = get(p, 0, UP) / get(p, 1, BUNDLE);
    want(p, get(p, 0, BUNDLE) == 1, 0, "hosts have one link: want Bundle 1");
    if (wi_good(p->r) && p->nodes % p->podsize)
        wi_fail_at(p->r->source, 0, 0, "Nodes is no multiple of Podsize");
    want(p, p->podsize % get(p, 0, DOWN) == 0, 0, "Podsize is no multiple of Radix_Down");
    want(p, p->tiers == 3 || p->podsize == p->nodes, 0,
         "two tiers are one pod: want Podsize as many as Nodes");
    want(p, get(p, 1, DOWN) == tors_a_pod * get(p, 1, BUNDLE), 1,
         "Radix_Down is not a bundle to each switch of tier 0 in a pod");
    if (!wi_good(p->r))
        return;
    p->pods = p->nodes / p->podsize;
    p->tors = (uint32_t)tors_a_pod * p->pods;
    const uint64_t aggs = aggs_a_pod * p->pods,
                   cores = p->tiers == 3 ? aggs_a_pod * (get(p, 1, UP) / get(p, 2, BUNDLE)) : 0;
    want(p, p->tiers == 2 || get(p, 2, DOWN) == get(p, 2, BUNDLE) * p->pods, 2,
         "Radix_Down is not a bundle to each pod");
    const uint64_t links = p->nodes + p->tors * get(p, 0, UP) + (p->tiers == 3 ? aggs * get(p, 1, UP) : 0);
    if (wi_good(p->r) && (p->nodes + p->tors + aggs + cores > WI_NODES_MAX || links > WI_LINKS_MAX))
        wi_fail_at(p->r->source, 0, 0, "more than %d nodes or %d links", WI_NODES_MAX, WI_LINKS_MAX);
    p->aggs = (uint32_t)aggs;
    p->cores = (uint32_t)cores;
}

/* ---- the graph ---- */

static uint32_t add_nodes(plan *p, const char *prefix, uint32_t n, weir_role role)
{
    char name[32];
    const uint32_t first = p->r->builder->names.count;
    for (uint32_t i = 0; wi_good(p->r) && i < n; i++) {
        snprintf(name, sizeof name, "%s%u", prefix, i);
        wi_added(p->r, weir_graph_add_node(p->r->builder, name, role));
    }
    return first;
}

/* A bundle of a tier's links, from a switch of it down to what is below. */
static void join(plan *p, uint32_t number, uint32_t above, uint32_t below)
{
    const weir_time ns = 1000, link_ps = (weir_time)get(p, number, LINK_NS) * ns;
    wi_listed link = wi_listed_init(below, above);
    link.rate_bps = link.rate_back_bps = get(p, number, SPEED) * UINT64_C(1000000000);
    if (p->tier[number].given[LINK_NS]) {
        link.delay_ps = link_ps + (weir_time)get(p, number, SWITCH_NS) * ns;
        link.delay_back_ps = link_ps + (number ? (weir_time)get(p, number - 1, SWITCH_NS) * ns : 0);
    }
    for (uint64_t b = 0; wi_good(p->r) && b < get(p, number, BUNDLE); b++)
        wi_list(p->r, link, WI_LIST_OWN);
}

static void join_all(plan *p)
{
    const uint32_t down = (uint32_t)get(p, 0, DOWN), tors_a_pod = p->tors / p->pods,
                   aggs_a_pod = p->aggs / p->pods;
    for (uint32_t h = 0; h < p->nodes; h++)
        join(p, 0, p->first_tor + h / down, h);
    for (uint32_t t = 0; t < p->tors; t++)
        for (uint32_t a = 0; a < aggs_a_pod; a++)
            join(p, 1, p->first_agg + t / tors_a_pod * aggs_a_pod + a, p->first_tor + t);
    const uint32_t cores_an_agg = p->cores / aggs_a_pod;
    for (uint32_t a = 0; a < p->aggs; a++)
        for (uint32_t c = 0; c < cores_an_agg; c++)
            join(p, 2, p->first_core + a % aggs_a_pod + aggs_a_pod * c, p->first_agg + a);
}

void wi_read_htsim(wi_reading *r)
{
    plan p = {.r = r};
    wi_source_text(r->source);
    read_lines(&p);
    check_tiers(&p);
    for (uint32_t i = 0; wi_good(r) && i + 1 < p.tiers; i++)
        check_up(&p, i);
    if (wi_good(r))
        count_switches(&p);
    if (!wi_good(r))
        return;
    add_nodes(&p, "h", p.nodes, WEIR_HOST);
    p.first_tor = add_nodes(&p, "tor", p.tors, WEIR_ROUTER);
    p.first_agg = add_nodes(&p, "agg", p.aggs, WEIR_ROUTER);
    p.first_core = add_nodes(&p, "core", p.cores, WEIR_ROUTER);
    if (wi_good(r))
        join_all(&p);
}

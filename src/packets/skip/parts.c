/* Which hosts and ports a flow of any time could join; see skipper.h. */
#include "packets/skip/skipper.h"

#include <stdlib.h>

#include "base/memory.h"

/* More parts than that share one: each has looks of its own, at which all threads stop. */
enum { PARTS_MOST = 64 };
/* Changes of links and routes after each of which all ways are gone through; of more the network is one part. */
enum { STEPS_MOST = 64 };
/* Routers times destinations, whose ways are gone through: 256 MB of numbers. Networks with more are one part. */
static const uint64_t most_places = UINT64_C(1) << 26;

typedef struct joining {
    const wi_net *net;
    const net_world *w;
    uint32_t *up;        /* [entities] towards the set's least */
    uint8_t *takes_part; /* [hosts] */
    /* [columns][routers] an entity from which packets to a column's hosts come to a router, plus one; 0: none do. Null: ways are
     * not asked for yet */
    uint32_t *from;
    uint32_t *router_of; /* [columns] */
    uint32_t *stack;     /* [routers] */
} joining;

static uint32_t find(const joining *j, uint32_t e)
{
    while (j->up[e] != e)
        e = j->up[e] = j->up[j->up[e]];
    return e;
}

static void join(const joining *j, uint32_t a, uint32_t b)
{
    if (a < j->net->n_hosts)
        j->takes_part[a] = 1;
    if (b < j->net->n_hosts)
        j->takes_part[b] = 1;
    a = find(j, a);
    b = find(j, b);
    j->up[a < b ? b : a] = a < b ? a : b;
}

/* ---- ways ---- */

/* Joins all that packets to a column's hosts come to from some routers on, n of them in the stack. */
static void follow(const joining *j, uint32_t column, uint32_t n)
{
    uint32_t *const from = j->from + (size_t)column * j->w->n_routers;
    while (n > 0) {
        const uint32_t router = j->stack[--n], first = NET_ARRAY(j->w, uint32_t, router_port)[router];
        const uint16_t *ports;
        uint16_t own;
        const uint32_t n_ports = wi_net_ports_to(j->w, router, column, &ports, &own);
        for (uint32_t i = 0; i < n_ports; i++) {
            const uint32_t port = first + ports[i], next = net_port_link(j->w, port)->peer;
            join(j, from[router] - 1, port);
            if (net_port_link(j->w, port)->peer_is_host || next == j->router_of[column])
                continue;
            if (from[next])
                join(j, from[next] - 1, port);
            else {
                from[next] = port + 1;
                j->stack[n++] = next;
            }
        }
    }
}

static void join_way(const joining *j, uint32_t src, uint32_t dst)
{
    const net_link *nic = wi_net_link(j->net, src);
    const net_dest *dest = NET_ARRAY(j->w, net_dest, dests) + dst;
    if (nic->peer_is_host || dest->router == NET_NONE)
        return;
    join(j, dst, dest->port);
    if (nic->peer == dest->router)
        return;
    uint32_t *const from = &j->from[(size_t)dest->column * j->w->n_routers + nic->peer];
    if (*from) {
        join(j, *from - 1, src);
        return;
    }
    *from = src + 1;
    j->router_of[dest->column] = dest->router;
    j->stack[0] = nic->peer;
    follow(j, dest->column, 1);
}

/* ---- who sends to whom ---- */

/* A flow between two hosts, with ACKs or requests the other way. */
static void meet(const joining *j, uint32_t src, uint32_t dst)
{
    join(j, src, dst);
    if (j->from) {
        join_way(j, src, dst);
        join_way(j, dst, src);
    }
}

static void meet_starts(const joining *j, uint32_t host, const net_start *starts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        meet(j, host, starts[i].dst);
}

static void meet_of_host(const joining *j, uint32_t host)
{
    const net_host_params *p = NET_ARRAY(j->w, net_host_params, hosts) + host;
    meet_starts(j, host, NET_ARRAY(j->w, net_start, starts) + p->first_start, p->n_starts);
    for (uint32_t i = 0; i < p->n_generators; i++) {
        const net_generator *g = NET_ARRAY(j->w, net_generator, generators) + p->first_generator + i;
        for (uint32_t k = 0; k < g->n_dst; k++)
            meet(j, host, NET_ARRAY(j->w, uint32_t, dsts)[g->first_dst + k]);
    }
    if (!j->w->gates)
        return;
    const uint32_t *bounds = NET_ARRAY(j->w, uint32_t, gate_first) + host;
    for (uint32_t i = bounds[0]; i < bounds[1]; i++) {
        const net_gate *g = NET_ARRAY(j->w, net_gate, gates) + i;
        meet_starts(j, host, NET_ARRAY(j->w, net_start, gate_starts) + g->first_start, g->n_starts);
        if (g->to != NET_NONE)
            join(j, host, (NET_ARRAY(j->w, net_gate, gates) + g->to)->host);
    }
}

/* What one rank of a job does, another waits for. */
static void join_jobs(const joining *j)
{
    if (!j->w->jobs)
        return;
    const uint32_t n = NET_ARRAY(j->w, uint32_t, host_ranks)[j->net->n_hosts];
    const net_rank *ranks = NET_ARRAY(j->w, net_rank, job_ranks);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t first =
            NET_ARRAY(j->w, uint32_t, job_lists)[(NET_ARRAY(j->w, net_job, jobs) + ranks[i].job)->first_rank];
        join(j, ranks[i].host, ranks[first].host);
    }
}

static bool has_bins(const joining *j, uint32_t cls)
{
    return net_class_at(j->w, cls)->first_delay_bin != NET_NONE;
}

/* Flows of a class whose delays one histogram counts: what it grows by in a span is all of theirs. */
static bool join_classes(const joining *j)
{
    WI_FREED uint32_t *first = malloc((j->net->n_classes + 1) * sizeof *first);
    for (uint32_t c = 0; first && c < j->net->n_classes; c++)
        first[c] = NET_NONE;
    for (uint32_t slot = 0; first && slot < j->w->n_tx; slot++) {
        const uint32_t host = NET_ARRAY(j->w, uint32_t, tx_host)[slot],
                       c = NET_ARRAY(j->w, uint16_t, tx_class)[slot];
        if (has_bins(j, c) && first[c] == NET_NONE)
            first[c] = host;
        if (has_bins(j, c))
            join(j, host, first[c]);
    }
    return first != NULL;
}

static void meet_all(const joining *j)
{
    for (uint32_t h = 0; h < j->net->n_hosts; h++)
        meet_of_host(j, h);
}

/* The same by the routes of all times, and the world as it is when `now` steps are in force: those of a run that goes on from a
 * checkpoint. What is on its way as routes change goes on by the new ones, so
 * that these are followed from wherever packets have come to. */
static void follow_changes(const joining *j, wi_net *net, uint32_t now)
{
    for (uint32_t i = 0; i < net->n_steps; i++) {
        (void)wi_net_change(net, net->steps[i].at_ps);
        for (uint32_t column = 0; column < j->w->n_columns; column++)
            for (uint32_t router = 0; router < j->w->n_routers; router++)
                if (j->from[(size_t)column * j->w->n_routers + router]) {
                    j->stack[0] = router;
                    follow(j, column, 1);
                }
    }
    if (net->n_steps > 0)
        (void)wi_net_change(net, 0);
    if (now > 0)
        (void)wi_net_change(net, net->steps[now - 1].at_ps);
}

static void join_memories(const joining *j)
{
    for (uint32_t i = 0; j->w->port_router && i < j->net->n_ports; i++) {
        const uint32_t router = NET_ARRAY(j->w, uint32_t, port_router)[i];
        join(j, j->net->n_hosts + i, NET_ARRAY(j->w, uint32_t, router_port)[router]);
    }
}

/* Sets with hosts that take part: the least of each is one. */
static uint32_t count_sets(const joining *j)
{
    uint32_t n = 0;
    for (uint32_t h = 0; h < j->net->n_hosts; h++)
        n += j->takes_part[h] && find(j, h) == h;
    return n;
}

/* Sets of hosts that have to do with each other; then, if there are several, of all on their ways. */
static bool join_all(joining *j, wi_net *net)
{
    const uint64_t places = (uint64_t)j->w->n_columns * j->w->n_routers;
    meet_all(j);
    join_jobs(j);
    if (!join_classes(j))
        return false;
    if (count_sets(j) < 2 || places > most_places)
        return true;
    j->from = calloc(places + 1, sizeof *j->from);
    j->router_of = malloc((j->w->n_columns + 1) * sizeof *j->router_of);
    j->stack = malloc((j->w->n_routers + 1) * sizeof *j->stack);
    if (!j->from || !j->router_of || !j->stack)
        return false;
    join_memories(j);
    const uint32_t now = net->next_step;
    if (net->n_steps > 0) /* as it was built */
        (void)wi_net_change(net, 0);
    meet_all(j);
    follow_changes(j, net, now);
    return true;
}

/* Numbers of sets, in the order of their first hosts. */
static uint32_t number_sets(const joining *j, uint32_t *part_of)
{
    const uint32_t n_entities = j->net->n_hosts + j->net->n_ports;
    uint32_t n = 0;
    for (uint32_t e = 0; e < n_entities; e++)
        part_of[e] = NET_NONE;
    for (uint32_t h = 0; h < j->net->n_hosts; h++)
        if (j->takes_part[h] && find(j, h) == h)
            part_of[h] = n++ % PARTS_MOST;
    for (uint32_t e = 0; e < n_entities; e++)
        part_of[e] = part_of[find(j, e)];
    return n < PARTS_MOST ? n : PARTS_MOST;
}

/* Numbers the parts of all entities; returns how many there are, 0 when memory is short. */
static uint32_t find_parts(wi_net *net, uint32_t *part_of)
{
    const net_world *w = wi_net_world(net);
    const uint32_t n_entities = net->n_hosts + net->n_ports;
    const bool one = w->paths || w->pfc_lines || net->n_steps > STEPS_MOST;
    joining j = {.net = net, .w = w};
    uint32_t n = 0;
    j.up = malloc((n_entities + 1) * sizeof *j.up);
    j.takes_part = calloc(net->n_hosts + 1, 1);
    for (uint32_t e = 0; j.up && e < n_entities; e++)
        j.up[e] = e;
    const bool good = j.up && j.takes_part && (one || join_all(&j, net));
    if (good && j.from)
        n = number_sets(&j, part_of);
    for (uint32_t e = 0; n < 2 && e < n_entities; e++)
        part_of[e] = 0;
    free(j.up);
    free(j.takes_part);
    free(j.from);
    free(j.router_of);
    free(j.stack);
    return !good ? 0 : n < 2 ? 1 : n;
}

/* ---- what a part has ---- */

/* The part that all hosts of a class are of; NET_NONE: of several. */
static void part_of_class(const wi_skipper *s, uint32_t *of)
{
    const net_world *w = wi_net_world(s->net);
    enum { NOBODY = UINT32_MAX - 1 };
    for (uint32_t c = 0; c < s->net->n_classes; c++)
        of[c] = NOBODY;
    for (uint32_t slot = 0; slot < w->n_tx; slot++) {
        uint32_t *at = &of[NET_ARRAY(w, uint16_t, tx_class)[slot]];
        const uint32_t part = s->part_of[NET_ARRAY(w, uint32_t, tx_host)[slot]];
        *at = *at == (uint32_t)NOBODY || *at == part ? part : NET_NONE;
    }
}

static void add_range(wi_skip_part *p, uint64_t first, uint64_t end)
{
    wi_skip_range *at = p->counters;
    if (p->n_counters > 0 && at[p->n_counters - 1].end == first)
        at[p->n_counters - 1].end = end;
    else if (end > first)
        at[p->n_counters++] = (wi_skip_range){first, end};
}

/* Counters of a part's slots, and of the classes that it has alone. Of one part alone: all. */
static void add_counters(const wi_skipper *s, wi_skip_part *p, const uint32_t *class_part)
{
    const net_world *w = wi_net_world(s->net);
    const uint32_t *first = NET_ARRAY(w, uint32_t, tx_first);
    if (s->n_parts == 1) {
        add_range(p, 0, s->net->n_counters);
        return;
    }
    for (uint32_t i = 0; i < p->n_hosts; i++)
        add_range(p, (uint64_t)first[p->entities[i]] * NET_FLOW_COUNTERS,
                  (uint64_t)first[p->entities[i] + 1] * NET_FLOW_COUNTERS);
    for (uint32_t i = 0; w->c_trimmed && i < p->n_hosts; i++)
        add_range(p, w->c_trimmed + first[p->entities[i]], w->c_trimmed + first[p->entities[i] + 1]);
    for (uint32_t i = 0; w->c_lost && i < p->n_entities; i++)
        add_range(p, w->c_lost + (uint64_t)p->entities[i] * NET_LOST_COUNTERS,
                  w->c_lost + ((uint64_t)p->entities[i] + 1) * NET_LOST_COUNTERS);
    for (uint32_t c = 0; c < s->net->n_classes; c++) {
        const uint64_t of_class = w->c_class + (uint64_t)c * NET_CLASS_COUNTERS,
                       bins = net_class_at(w, c)->first_delay_bin;
        if (class_part[c] != p->number)
            continue;
        add_range(p, of_class, of_class + NET_CLASS_COUNTERS);
        if (bins != NET_NONE)
            add_range(p, bins, bins + NET_DELAY_BINS);
    }
}

static void add_entities(const wi_skipper *s, wi_skip_part *p, uint32_t *at)
{
    p->entities = at;
    for (uint32_t e = 0; e < s->net->n_hosts + s->net->n_ports; e++)
        if (s->part_of[e] == p->number) {
            at[p->n_entities++] = e;
            p->n_hosts += e < s->net->n_hosts;
        }
}

weir_status wi_skip_make_parts(weir_diag *diag, wi_skipper *s, wi_net *net)
{
    const size_t n = (size_t)s->net->n_hosts + s->net->n_ports, n_classes = s->net->n_classes;
    uint32_t n_entities = 0;
    size_t n_ranges = 0;
    WI_FREED uint32_t *class_part = malloc((n_classes + 1) * sizeof *class_part);
    s->part_of = malloc(n * sizeof *s->part_of);
    s->entities = malloc(n * sizeof *s->entities);
    if (class_part && s->part_of && s->entities)
        s->n_parts = find_parts(net, s->part_of);
    s->parts = calloc(s->n_parts + 1, sizeof *s->parts);
    /* twice for each host, once for each entity, twice for each class, of whatever part */
    s->ranges = malloc((2 * (s->net->n_hosts + n_classes) + n + 1) * sizeof *s->ranges);
    if (s->n_parts == 0 || !s->parts || !s->ranges) {
        s->n_parts = s->parts ? s->n_parts : 0;
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to watch for steady states");
    }
    part_of_class(s, class_part);
    for (uint32_t i = 0; i < s->n_parts; i++) {
        wi_skip_part *p = &s->parts[i];
        p->number = i;
        p->counters = s->ranges + n_ranges;
        add_entities(s, p, s->entities + n_entities);
        add_counters(s, p, class_part);
        n_entities += p->n_entities;
        n_ranges += p->n_counters;
    }
    return WEIR_OK;
}

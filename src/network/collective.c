/*
 * Collective operations among a list of hosts, as flows that wait for each other (net/transport/gate.h).
 *
 * Partition-aggregate: the first host asks all others at once; each answers when the request has arrived; a round is over,
 * and the next begins, with the last answer. All-to-all: each host sends to all others at once,
 * and begins the next round when it has heard all of this one.
 *
 * All-reduce of S bytes among n hosts. In a ring (P. Patarasuk, X. Yuan, Bandwidth Optimal All-reduce Algorithms for
 * Clusters of Workstations, JPDC 69(2), 2009) each host sends an n-th of the vector to the next, n - 1 times to reduce and
 * n - 1 times to gather, each time when it has heard from the one before. Along a binary tree in the order of the list
 * (host i under (i - 1) / 2) each host sends S bytes to the one above when it has heard from both below it, the first then
 * sends S bytes to those below it, and so on down.
 */
#include <stdlib.h>

#include "network/network.h"
#include "base/memory.h"

typedef struct collective {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    weir_stream *random;
    const uint32_t *host; /* [hosts] nodes */
    uint32_t hosts;
    uint64_t size;
    weir_status status;
} collective;

/* A gate at a host of the list: its number + 1, as plans of flows have it. */
static uint32_t add_gate(collective *a, uint32_t host, uint32_t needs)
{
    wi_network *n = a->n;
    if (!wi_grow_one(&n->plan.gates, n->plan.n_gates, sizeof *n->plan.gates)) {
        a->status =
            weir_fail(a->diag, WEIR_E_NOMEM, "no memory for the rounds of class '%s'", a->c->name.text);
        return 0;
    }
    n->plan.gates[n->plan.n_gates++] = (wi_net_gate_plan){a->host[host], needs, a->c->collective.compute_ps};
    return n->plan.n_gates;
}

/* A flow of a round, from one host of the class to another; it waits for gate `after` and feeds gate `feeds`; 0: none. */
typedef struct message {
    uint32_t round, from, to;
    uint64_t bytes;
    uint32_t after, feeds;
} message;

static void add(collective *a, const message *m)
{
    const uint64_t span = (uint64_t)(a->c->start_last_ps - a->c->start_ps);
    weir_time start_ps = a->c->start_ps;
    if (a->status != WEIR_OK)
        return;
    if (!m->after && span)
        start_ps += (weir_time)weir_draw_below(a->random, span + 1);
    const wi_net_flow_plan flow = {.src = a->host[m->from],
                                   .dst = a->host[m->to],
                                   .cls = (uint16_t)a->cls,
                                   .start_ps = start_ps,
                                   .size_bytes = m->bytes,
                                   .after = m->after,
                                   .feeds = m->feeds,
                                   .round = m->round};
    a->status = wi_network_add_flow(a->diag, a->n, &flow);
}

static void partition_aggregate(collective *a)
{
    uint32_t after = 0;
    for (uint32_t round = 0; round < a->c->collective.rounds && a->status == WEIR_OK; round++) {
        const bool last = round + 1 == a->c->collective.rounds;
        const uint32_t next = last ? 0 : add_gate(a, 0, a->hosts - 1);
        for (uint32_t k = 1; k < a->hosts && a->status == WEIR_OK; k++) {
            const uint32_t asked = add_gate(a, k, 1);
            add(a, &(message){round, 0, k, a->c->collective.request_bytes, after, asked});
            add(a, &(message){round, k, 0, a->size, asked, next});
        }
        after = next;
    }
}

/* Gates of a round lie behind each other, a host each. */
static uint32_t add_gates(collective *a, uint32_t needs)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < a->hosts && a->status == WEIR_OK; k++) {
        const uint32_t gate = add_gate(a, k, needs);
        first = first ? first : gate;
    }
    return first;
}

static void all_to_all(collective *a)
{
    uint32_t after = 0;
    for (uint32_t round = 0; round < a->c->collective.rounds && a->status == WEIR_OK; round++) {
        const bool last = round + 1 == a->c->collective.rounds;
        const uint32_t next = last ? 0 : add_gates(a, a->hosts - 1);
        for (uint32_t step = 1; step < a->hosts; step++)
            for (uint32_t k = 0; k < a->hosts && a->status == WEIR_OK; k++) {
                const uint32_t to = (k + step) % a->hosts;
                add(a, &(message){round, k, to, a->size, after ? after + k : 0, next ? next + to : 0});
            }
        after = next;
    }
}

/* Part number k of the vector: the first ones are longer where it does not divide; at least a byte. */
static uint64_t part(const collective *a, uint32_t k)
{
    const uint64_t bytes = a->size / a->hosts + (k < a->size % a->hosts);
    return bytes ? bytes : 1;
}

static void ring(collective *a)
{
    const uint32_t steps = 2 * (a->hosts - 1), rounds = a->c->collective.rounds;
    uint32_t after = 0;
    for (uint32_t round = 0; round < rounds; round++)
        for (uint32_t step = 0; step < steps && a->status == WEIR_OK; step++) {
            const bool last = round + 1 == rounds && step + 1 == steps;
            const uint32_t next = last ? 0 : add_gates(a, 1);
            for (uint32_t k = 0; k < a->hosts; k++) {
                const uint32_t to = (k + 1) % a->hosts,
                               piece = (k + 2 * a->hosts - step % a->hosts) % a->hosts;
                add(a, &(message){round, k, to, part(a, piece), after ? after + k : 0, next ? next + to : 0});
            }
            after = next;
        }
}

/* Hosts below one of the tree: 0, 1 or 2. */
static uint32_t below(const collective *a, uint32_t host)
{
    const uint32_t first = 2 * host + 1;
    return first >= a->hosts ? 0 : first + 1 < a->hosts ? 2 : 1;
}

/* A host's gates: `up[host]` opens when those below it have been heard, for a leaf when the round before is over. */
static void tree_round(collective *a, uint32_t round, uint32_t *up, bool last)
{
    for (uint32_t k = 0; k < a->hosts && a->status == WEIR_OK; k++)
        if (below(a, k))
            up[k] = add_gate(a, k, below(a, k));
    for (uint32_t k = a->hosts - 1; k > 0; k--)
        add(a, &(message){round, k, (k - 1) / 2, a->size, up[k], up[(k - 1) / 2]});
    WI_FREED uint32_t *down = calloc(a->hosts, sizeof *down);
    if (!down) {
        a->status = weir_fail(a->diag, WEIR_E_NOMEM, "no memory for a tree of %u hosts", a->hosts);
        return;
    }
    for (uint32_t k = 1; k < a->hosts && a->status == WEIR_OK; k++)
        if (below(a, k) || !last)
            down[k] = add_gate(a, k, 1);
    for (uint32_t k = 1; k < a->hosts; k++)
        add(a, &(message){round, (k - 1) / 2, k, a->size, k > 2 ? down[(k - 1) / 2] : up[0], down[k]});
    for (uint32_t k = 1; k < a->hosts; k++)
        up[k] = below(a, k) ? 0 : down[k];
}

static void tree(collective *a)
{
    const uint32_t rounds = a->c->collective.rounds;
    WI_FREED uint32_t *up = calloc(a->hosts, sizeof *up);
    if (!up)
        a->status = weir_fail(a->diag, WEIR_E_NOMEM, "no memory for a tree of %u hosts", a->hosts);
    for (uint32_t round = 0; round < rounds && a->status == WEIR_OK; round++)
        tree_round(a, round, up, round + 1 == rounds);
}

/* What is to come, before it takes memory. */
static weir_status check_flows(const collective *a)
{
    const weir_place at = a->c->collective.place;
    if (a->hosts < 2)
        return weir_fail_at(a->diag, WEIR_E_SCENARIO, WEIR_AT(at),
                            "class '%s': a collective operation of one host; want at least two",
                            a->c->name.text);
    const double n = a->hosts, each = a->c->collective.kind == WEIR_SC_PARTITION_AGGREGATE ? 2.0 * (n - 1.0)
                                      : a->c->collective.kind == WEIR_SC_ALL_TO_ALL        ? n * (n - 1.0)
                                      : a->c->collective.kind == WEIR_SC_RING_ALL_REDUCE ? 2.0 * n * (n - 1.0)
                                                                                         : 2.0 * (n - 1.0);
    if (each * a->c->collective.rounds <= WI_FLOWS_MAX)
        return WEIR_OK;
    return weir_fail_at(a->diag, WEIR_E_SCENARIO, WEIR_AT(at),
                        "class '%s': %u rounds of %.0f flows; want at most %d flows", a->c->name.text,
                        a->c->collective.rounds, each, WI_FLOWS_MAX);
}

weir_status wi_network_collective(weir_diag *diag, wi_network *n, uint32_t cls, weir_stream *random)
{
    static void (*const make[])(collective *) = {[WEIR_SC_PARTITION_AGGREGATE] = partition_aggregate,
                                                 [WEIR_SC_ALL_TO_ALL] = all_to_all,
                                                 [WEIR_SC_RING_ALL_REDUCE] = ring,
                                                 [WEIR_SC_TREE_ALL_REDUCE] = tree};
    const weir_scenario_class *c = &n->scenario->traffic[cls];
    WI_ENDED(wi_number_list_free) wi_number_list hosts = {0};
    collective a = {
        .diag = diag, .n = n, .c = c, .cls = cls, .random = random, .size = (uint64_t)c->tcp.size.low};
    a.status = wi_network_once(diag, n, c, c->collective.place, &c->collective.hosts, &hosts);
    a.host = hosts.item;
    a.hosts = hosts.n;
    if (a.status == WEIR_OK)
        a.status = check_flows(&a);
    if (a.status == WEIR_OK)
        make[c->collective.kind](&a);
    /* The class's own size is that of its largest flow: what a run takes is reckoned by it. */
    net_class *p = &n->plan.classes[cls].params;
    uint64_t most = a.size;
    if (c->collective.kind == WEIR_SC_RING_ALL_REDUCE && a.hosts)
        most = part(&a, 0);
    if (c->collective.kind == WEIR_SC_PARTITION_AGGREGATE && c->collective.request_bytes > most)
        most = c->collective.request_bytes;
    p->size = weir_dist_constant((double)most);
    return a.status;
}

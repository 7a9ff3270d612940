/*
 * A class's job in place: its operations as gates of the hosts (net/transport/gate.h), its messages as flows.
 *
 * A computation is a gate whose pause it is. A send is a gate that starts its flow; a larger one ends with another, which the
 * last ACK opens. A receive is a gate that its message feeds. A collective is a gate a step: each starts what the step
 * sends, and the next one needs what the step receives, or that its message is acknowledged where it receives nothing. What
 * ranks of one server send to each other is a gate too: its pause is the message's time at the local rate, on a processor of
 * the sender's, and the local delay later it reaches the receiver's gate.
 *
 * A gate takes a picosecond to open, so that a chain of n operations is n ps late.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "jobs/read/readers.h"
#include "scenario/network/network.h"
#include "scenario/subject/subject.h"

/* One gate that feeds another. */
typedef struct feed {
    uint32_t from, to;
} feed;

/* A step of a collective's member that sends or receives. */
typedef struct step_end {
    uint32_t source, target, order; /* ranks; number of the step */
    bool receives;
    uint32_t gate;       /* that starts the message; that it feeds */
    uint32_t sent_feeds; /* of what is sent: the gate that its last ACK feeds, or WI_JOB_NONE */
    uint64_t bytes;
} step_end;

typedef struct placing {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    wi_job *job;
    wi_placed_job *placed;
    wi_owned memory;
    uint32_t *needs;       /* [ops] gates that it waits for */
    uint8_t *roots;        /* [ops] it waits for its rank's iteration to begin alone */
    uint8_t *starts_other; /* [ops] something waits for its start alone */
    uint8_t *ends_other;   /* [ops] something waits for its end */
    uint32_t *start;       /* [ops] of this iteration: the gate that opens as it starts */
    uint32_t *end;         /* [ops] and as it ends */
    uint32_t *server;      /* [ranks] number of it */
    uint32_t *port;        /* [ranks] gate that stands for its local link; WI_JOB_NONE: none yet */
    uint32_t *processor;   /* [ranks][n_processors] likewise */
    uint32_t n_processors;
    feed *feeds;
    uint32_t n_feeds, first_gate;
    step_end *steps; /* of the collective at hand */
    uint32_t n_steps;
    uint64_t most_bytes;
    weir_status status;
} placing;

static void fail_memory(placing *p)
{
    if (p->status == WEIR_OK)
        p->status = weir_fail(p->diag, WEIR_E_NOMEM, "no memory for the job of class '%s'", p->c->name.text);
}

static uint32_t add_gate(placing *p, uint32_t rank, uint32_t needs, weir_time pause_ps, uint32_t processor)
{
    wi_network *n = p->n;
    if (p->status == WEIR_OK && !wi_grow_one(&n->gates, n->n_gates, sizeof *n->gates))
        fail_memory(p);
    if (p->status != WEIR_OK)
        return 0;
    n->gates[n->n_gates] = (wi_net_gate_plan){.node = p->placed->rank_node[rank],
                                              .needs = needs,
                                              .pause_ps = pause_ps,
                                              .processor = processor == WI_JOB_NONE ? 0 : processor + 1};
    return n->n_gates++;
}

/* A gate that nothing opens: its word says until when a processor is busy. */
static uint32_t processor_of(placing *p, uint32_t *at, uint32_t rank)
{
    if (*at == WI_JOB_NONE)
        *at = add_gate(p, rank, UINT32_MAX, 0, WI_JOB_NONE);
    return *at;
}

static void add_feed(placing *p, uint32_t from, uint32_t to)
{
    if (p->status == WEIR_OK && !wi_grow_one(&p->feeds, p->n_feeds, sizeof *p->feeds))
        fail_memory(p);
    if (p->status == WEIR_OK)
        p->feeds[p->n_feeds++] = (feed){from, to};
}

/* What a gate sends inside a server comes to another. */
static void reach(placing *p, uint32_t from, uint32_t to)
{
    if (p->status != WEIR_OK)
        return;
    p->n->gates[from].to = to + 1;
    p->n->gates[from].reach_ps = p->c->job.local_delay_ps;
}

static bool is_local(const placing *p, uint32_t a, uint32_t b)
{
    return p->server[a] == p->server[b];
}

/* How long a message to a rank of the same server keeps its sender's port busy. */
static weir_time local_ps(const placing *p, uint64_t bytes)
{
    const double ps = p->c->job.local_bps ? 8e12 * (double)bytes / (double)p->c->job.local_bps : 0.0;
    return (weir_time)(ps < 9e17 ? ps + 0.5 : 9e17);
}

/* A message between ranks of two hosts; sent_feeds: WI_JOB_NONE, nothing waits for its last ACK. */
static void add_flow(placing *p, uint32_t from, uint32_t to, uint64_t bytes, uint32_t after, uint32_t feeds,
                     uint32_t sent_feeds)
{
    const wi_net_flow_plan flow = {.src = p->placed->rank_node[from],
                                   .dst = p->placed->rank_node[to],
                                   .cls = (uint16_t)p->cls,
                                   .start_ps = p->c->start_ps,
                                   .size_bytes = bytes ? bytes : 1,
                                   .after = after + 1,
                                   .feeds = feeds + 1,
                                   .sent_feeds = sent_feeds == WI_JOB_NONE ? 0 : sent_feeds + 1};
    if (p->status == WEIR_OK)
        p->status = wi_network_add_flow(p->diag, p->n, &flow);
    p->most_bytes = flow.size_bytes > p->most_bytes ? flow.size_bytes : p->most_bytes;
}

/* ---- operations that are no collectives ---- */

static void add_compute(placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    uint32_t *const at = &p->processor[(size_t)o->rank * p->n_processors + o->processor];
    const uint32_t processor = o->time_ps > 0 ? processor_of(p, at, o->rank) : WI_JOB_NONE;
    if (p->starts_other[i]) {
        p->start[i] = add_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
        p->end[i] = add_gate(p, o->rank, 1, o->time_ps, processor);
        add_feed(p, p->start[i], p->end[i]);
    } else {
        p->start[i] = p->end[i] = add_gate(p, o->rank, p->needs[i], o->time_ps, processor);
    }
}

static void add_send(placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    p->start[i] = p->end[i] = add_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
    if (is_local(p, o->rank, o->peer)) {
        p->end[i] =
            add_gate(p, o->rank, 1, local_ps(p, o->bytes), processor_of(p, &p->port[o->rank], o->rank));
        add_feed(p, p->start[i], p->end[i]);
    } else if (o->bytes > p->c->job.eager_bytes) {
        p->end[i] = add_gate(p, o->rank, 1, 0, WI_JOB_NONE);
    }
}

static void add_receive(placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    if (p->starts_other[i]) {
        p->start[i] = add_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
        p->end[i] = add_gate(p, o->rank, 2, 0, WI_JOB_NONE);
        add_feed(p, p->start[i], p->end[i]);
    } else {
        p->start[i] = p->end[i] = add_gate(p, o->rank, p->needs[i] + 1, 0, WI_JOB_NONE);
    }
}

/* Once both ends have their gates. */
static void add_message(placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    const uint32_t to = p->end[o->match];
    if (is_local(p, o->rank, o->peer))
        reach(p, p->end[i], to);
    else
        add_flow(p, o->rank, o->peer, o->bytes, p->start[i], to,
                 p->end[i] == p->start[i] ? WI_JOB_NONE : p->end[i]);
}

/* ---- collectives ---- */

static uint8_t algorithm_of(const placing *p, uint64_t bytes)
{
    switch (p->c->job.allreduce) {
    case WEIR_SC_REDUCE_RING:
        return IC_RING;
    case WEIR_SC_REDUCE_DOUBLING:
        return IC_DOUBLING;
    case WEIR_SC_REDUCE_HALVING:
        return IC_RABENSEIFNER;
    default:
        return bytes <= p->c->job.small_bytes ? IC_DOUBLING : IC_RING;
    }
}

static void add_step_end(placing *p, const step_end *s)
{
    if (p->status == WEIR_OK && !wi_grow_one(&p->steps, p->n_steps, sizeof *p->steps))
        fail_memory(p);
    if (p->status == WEIR_OK)
        p->steps[p->n_steps++] = *s;
}

/* One member's chain of gates, and what its steps send and receive. */
static void add_member(placing *p, uint32_t i, const uint32_t *ranks, uint32_t size)
{
    const wi_job_op *const o = &p->job->op[i];
    ic_collective c = {.op = o->collective,
                       .algorithm = algorithm_of(p, o->bytes),
                       .p = size,
                       .root = o->peer,
                       .bytes = o->bytes};
    ic_step s;
    while (ranks[c.rank] != o->rank)
        c.rank++;
    uint32_t at = p->start[i] = add_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
    for (uint32_t step = 0; p->status == WEIR_OK && ic_collective_step(&c, step, &s); step++) {
        const bool receives = s.from != IC_NOBODY, sends = s.to != IC_NOBODY;
        const bool local = sends && is_local(p, o->rank, ranks[s.to]);
        const bool waits = sends && !receives && (local || s.to_bytes > p->c->job.eager_bytes);
        uint32_t from = at;
        const uint32_t next = add_gate(p, o->rank, 1u + receives + waits, 0, WI_JOB_NONE);
        add_feed(p, at, next);
        if (local) {
            from =
                add_gate(p, o->rank, 1, local_ps(p, s.to_bytes), processor_of(p, &p->port[o->rank], o->rank));
            add_feed(p, at, from);
        }
        if (local && waits)
            add_feed(p, from, next);
        if (sends)
            add_step_end(p, &(step_end){o->rank, ranks[s.to], step, false, from,
                                        waits && !local ? next : WI_JOB_NONE, s.to_bytes});
        if (receives)
            add_step_end(p, &(step_end){ranks[s.from], o->rank, step, true, next, WI_JOB_NONE, s.from_bytes});
        at = next;
    }
    p->end[i] = at;
}

static int by_pair(const void *a, const void *b)
{
    const step_end *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    if (x->receives != y->receives)
        return x->receives ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Of one source and target the n-th step that sends goes to the n-th that receives. */
static void match_steps(placing *p, const step_end *end, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2 && p->status == WEIR_OK; i++) {
        const step_end *const s = &end[i], *const r = &end[n / 2 + i];
        if (is_local(p, s->source, s->target))
            reach(p, s->gate, r->gate);
        else
            add_flow(p, s->source, s->target, s->bytes, s->gate, r->gate, s->sent_feeds);
    }
}

static void add_collective(placing *p, uint32_t first)
{
    const wi_job *const job = p->job;
    const uint32_t group = job->op[job->together[first]].group;
    const uint32_t *const ranks = job->member + job->group_first[group];
    const uint32_t size =
        (group + 1 < job->n_groups ? job->group_first[group + 1] : job->n_members) - job->group_first[group];
    p->n_steps = 0;
    for (uint32_t k = 0; k < size; k++)
        add_member(p, job->together[first + k], ranks, size);
    if (p->n_steps)
        qsort(p->steps, p->n_steps, sizeof *p->steps, by_pair);
    for (uint32_t i = 0, next; i < p->n_steps && p->status == WEIR_OK; i = next) {
        for (next = i + 1; next < p->n_steps && p->steps[next].source == p->steps[i].source &&
                           p->steps[next].target == p->steps[i].target;)
            next++;
        match_steps(p, p->steps + i, next - i);
    }
}

/* ---- iterations ---- */

/* All operations once. `begin`: of each rank, the gate that opens as its iteration begins. */
static void add_iteration(placing *p, const uint32_t *begin)
{
    const wi_job *const job = p->job;
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK; i++) {
        if (job->op[i].kind == WI_JOB_COMPUTE)
            add_compute(p, i);
        else if (job->op[i].kind == WI_JOB_SEND)
            add_send(p, i);
        else if (job->op[i].kind == WI_JOB_RECV)
            add_receive(p, i);
    }
    for (uint32_t i = 0; i < job->n_together && p->status == WEIR_OK; i++)
        if (job->op[job->together[i]].match == i)
            add_collective(p, i);
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK; i++) {
        if (job->op[i].kind == WI_JOB_SEND)
            add_message(p, i);
        if (p->roots[i])
            add_feed(p, begin[job->op[i].rank], p->start[i]);
    }
    for (uint32_t i = 0; i < job->n_edges; i++) {
        const wi_job_edge *const e = &job->edge[i];
        add_feed(p, (e->at_start ? p->start : p->end)[e->before], p->start[e->after]);
    }
}

/* `begin`: behind that of the iteration before. What each rank's next iteration waits for: its operations that nothing waits for. The first begins with the class; gates begin
 * their pauses at -1 ps. */
static void add_begins(placing *p, uint32_t *begin, bool first)
{
    const wi_job *const job = p->job;
    for (uint32_t r = 0; r < job->n_ranks; r++)
        begin[r] = add_gate(p, r, 0, p->c->start_ps + 1, WI_JOB_NONE);
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK && !first; i++)
        if (!p->ends_other[i]) {
            p->n->gates[begin[job->op[i].rank]].needs++;
            add_feed(p, p->end[i], begin[job->op[i].rank]);
        }
    for (uint32_t r = 0; r < job->n_ranks && p->status == WEIR_OK && !first; r++) {
        wi_net_gate_plan *const g = &p->n->gates[begin[r]];
        g->pause_ps = 0;
        if (g->needs == 0) { /* a rank without operations */
            g->needs = 1;
            add_feed(p, (begin - job->n_ranks)[r], begin[r]);
        }
    }
}

/* Edges that each operation waits for; one that waits for none waits for its iteration to begin. */
static bool count_edges(placing *p)
{
    const wi_job *const job = p->job;
    p->needs = wi_take(&p->memory, job->n_ops, sizeof *p->needs);
    p->roots = wi_take(&p->memory, job->n_ops, sizeof *p->roots);
    p->starts_other = wi_take(&p->memory, job->n_ops, sizeof *p->starts_other);
    p->ends_other = wi_take(&p->memory, job->n_ops, sizeof *p->ends_other);
    p->start = wi_take(&p->memory, job->n_ops, sizeof *p->start);
    p->end = wi_take(&p->memory, job->n_ops, sizeof *p->end);
    p->n_processors = 1;
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (job->op[i].kind == WI_JOB_COMPUTE && job->op[i].processor >= p->n_processors)
            p->n_processors = job->op[i].processor + 1u;
    p->port = wi_take(&p->memory, job->n_ranks, sizeof *p->port);
    p->processor = wi_take(&p->memory, (size_t)job->n_ranks * p->n_processors, sizeof *p->processor);
    if (p->memory.failed)
        return false;
    memset(p->port, 0xff, job->n_ranks * sizeof *p->port);
    memset(p->processor, 0xff, (size_t)job->n_ranks * p->n_processors * sizeof *p->processor);
    for (uint32_t i = 0; i < job->n_edges; i++) {
        p->needs[job->edge[i].after]++;
        (job->edge[i].at_start ? p->starts_other : p->ends_other)[job->edge[i].before] = 1;
    }
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (p->needs[i] == 0)
            p->needs[i] = p->roots[i] = 1;
    return true;
}

/* ---- places ---- */

static int by_node(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Of the hosts that the class names, or of all. */
static weir_status find_hosts(placing *p, wi_number_list *hosts)
{
    const weir_scenario_job *const j = &p->c->job;
    weir_status status = WEIR_OK;
    if (j->hosts.n == 0)
        return wi_network_hosts(p->diag, p->n, hosts);
    for (size_t i = 0; i < j->hosts.n && status == WEIR_OK; i++)
        status = wi_network_ends(p->diag, p->n, &j->hosts.item[i], hosts);
    WI_FREED uint32_t *sorted = malloc(((size_t)hosts->n + 1) * sizeof *sorted);
    if (status != WEIR_OK || !sorted)
        return status ?: weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %u hosts", hosts->n);
    if (hosts->n) {
        memcpy(sorted, hosts->item, hosts->n * sizeof *sorted);
        qsort(sorted, hosts->n, sizeof *sorted, by_node);
    }
    for (uint32_t i = 1; i < hosts->n; i++)
        if (sorted[i - 1] == sorted[i])
            return weir_fail_at(p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
                                "class '%s': '%s' is named twice among the hosts", p->c->name.text,
                                p->n->graph->name[sorted[i]]);
    return WEIR_OK;
}

static weir_status place_ranks(placing *p, weir_stream *random)
{
    const weir_scenario_job *const j = &p->c->job;
    const uint32_t ranks = p->job->n_ranks;
    WI_ENDED(wi_number_list_free) wi_number_list hosts = {0};
    const weir_status status = find_hosts(p, &hosts);
    if (status != WEIR_OK)
        return status;
    if ((uint64_t)hosts.n * j->per_host < ranks)
        return weir_fail_at(
            p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
            "class '%s': %u ranks on %u hosts with %u ranks each; want more hosts, or ranks_per_host: %u",
            p->c->name.text, ranks, hosts.n, j->per_host, hosts.n ? (ranks + hosts.n - 1) / hosts.n : 1);
    if (hosts.n % j->per_server)
        return weir_fail_at(p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
                            "class '%s': %u hosts in servers of %u; want a multiple", p->c->name.text,
                            hosts.n, j->per_server);
    p->placed->rank_node = malloc((size_t)ranks * sizeof *p->placed->rank_node);
    p->server = wi_take(&p->memory, ranks, sizeof *p->server);
    if (!p->placed->rank_node || !p->server)
        return weir_fail(p->diag, WEIR_E_NOMEM, "no memory for %u ranks", ranks);
    /* Hosts of a server stay together. */
    const uint32_t each = j->per_server, servers = hosts.n / each;
    for (uint32_t k = servers; j->placement == WEIR_SC_PLACE_RANDOM && k > 1; k--) {
        const uint32_t at = (uint32_t)weir_draw_below(random, k);
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t other = hosts.item[at * each + i];
            hosts.item[at * each + i] = hosts.item[(k - 1) * each + i];
            hosts.item[(k - 1) * each + i] = other;
        }
    }
    for (uint32_t r = 0; r < ranks; r++) {
        const uint32_t at = j->placement == WEIR_SC_PLACE_ROUND_ROBIN ? r % hosts.n : r / j->per_host;
        p->placed->rank_node[r] = hosts.item[at];
        p->server[r] = at / each;
    }
    return WEIR_OK;
}

/* ---- all of it ---- */

/* Feeds of each gate side by side, in the network's list. */
static void write_feeds(placing *p)
{
    wi_network *const n = p->n;
    const uint32_t gates = n->n_gates - p->first_gate;
    uint32_t at = n->n_gate_feeds;
    if (p->status != WEIR_OK)
        return;
    uint32_t *const all = realloc(n->gate_feeds, ((size_t)at + p->n_feeds + 1) * sizeof *all);
    if (!all) {
        fail_memory(p);
        return;
    }
    n->gate_feeds = all;
    n->n_gate_feeds += p->n_feeds;
    for (uint32_t i = 0; i < p->n_feeds; i++)
        n->gates[p->feeds[i].from].n_feeds++;
    for (uint32_t i = 0; i < gates; i++) {
        wi_net_gate_plan *const g = &n->gates[p->first_gate + i];
        g->first_feed = at;
        at += g->n_feeds;
        g->n_feeds = 0;
    }
    for (uint32_t i = 0; i < p->n_feeds; i++) {
        wi_net_gate_plan *const g = &n->gates[p->feeds[i].from];
        all[g->first_feed + g->n_feeds++] = p->feeds[i].to;
    }
}

static void make_gates(placing *p)
{
    const size_t ops = p->job->n_ops, ranks = p->job->n_ranks, times = p->c->job.iterations;
    wi_placed_job *const placed = p->placed;
    placed->end = malloc(times * ops * sizeof *placed->end);
    placed->begin = malloc(times * ranks * sizeof *placed->begin);
    if (!placed->end || !placed->begin || !count_edges(p)) {
        fail_memory(p);
        return;
    }
    p->first_gate = p->n->n_gates;
    for (size_t k = 0; k < times && p->status == WEIR_OK; k++) {
        add_begins(p, placed->begin + k * ranks, k == 0);
        add_iteration(p, placed->begin + k * ranks);
        memcpy(placed->end + k * ops, p->end, ops * sizeof *p->end);
    }
    write_feeds(p);
}

/* What the gates of all operations surely take, before any is made. */
static weir_status check_memory(const placing *p)
{
    const double each = sizeof(wi_net_gate_plan) + sizeof(net_gate) + sizeof(uint64_t) + 2 * sizeof(uint32_t);
    const double bytes = each * (double)p->job->n_ops * p->c->job.iterations;
    return wi_memory_check(p->diag, "the operations of a job", (uint64_t)bytes, p->c->job.place);
}

weir_status wi_network_job(weir_diag *diag, wi_network *n, uint32_t cls, weir_stream *random)
{
    const weir_scenario_class *const c = &n->scenario->traffic[cls];
    const wi_job_options options = {.flops = c->job.flops,
                                    .memory_Bps = (double)c->job.memory_bps / 8.0,
                                    .ranks = c->job.ranks,
                                    .groups = c->job.groups.text};
    wi_placed_job *const placed = n->jobs[cls] = calloc(1, sizeof *placed);
    wi_job *const job = placed ? placed->job = calloc(1, sizeof *job) : NULL;
    if (!job)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the job of class '%s'", c->name.text);
    placing p = {.diag = diag, .n = n, .c = c, .cls = cls, .job = job, .placed = placed};
    p.status = wi_job_read(diag, c->job.trace.text, &options, job);
    if (p.status == WEIR_OK)
        p.status = place_ranks(&p, random);
    if (p.status == WEIR_OK)
        p.status = check_memory(&p);
    if (p.status == WEIR_OK)
        make_gates(&p);
    /* What a run takes is reckoned by the class's largest flow. */
    n->classes[cls].params.size = weir_dist_constant((double)(p.most_bytes ? p.most_bytes : 1));
    free(p.feeds);
    free(p.steps);
    wi_owned_free(&p.memory);
    return p.status;
}

void wi_placed_job_free(wi_placed_job *placed)
{
    if (!placed)
        return;
    if (placed->job)
        wi_job_free(placed->job);
    free(placed->job);
    free(placed->rank_node);
    free(placed->end);
    free(placed->begin);
    free(placed);
}

/* A class's job: where its ranks are, and its iterations; what its operations become is in job_gates.c. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/readers.h"
#include "jobs/training.h"
#include "network/job_gates.h"
#include "subject/subject.h"

/* ---- iterations ---- */

/* All operations once. `begin`: of each rank, the gate that opens as its iteration begins. */
static void add_iteration(wi_placing *p, const uint32_t *begin)
{
    const wi_job *const job = p->job;
    wi_placing_operations(p);
    wi_placing_collectives(p);
    wi_placing_messages(p);
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK; i++)
        if (p->roots[i])
            wi_placing_feed(p, begin[job->op[i].rank], p->start[i]);
    for (uint32_t i = 0; i < job->n_edges; i++) {
        const wi_job_edge *const e = &job->edge[i];
        wi_placing_feed(p, (e->at_start ? p->start : p->end)[e->before], p->start[e->after]);
    }
}

/* `begin`: behind that of the iteration before. What each rank's next iteration waits for: its operations that nothing waits for. The first begins with the class; gates begin
 * their pauses at -1 ps. */
static void add_begins(wi_placing *p, uint32_t *begin, bool first)
{
    const wi_job *const job = p->job;
    for (uint32_t r = 0; r < job->n_ranks; r++)
        begin[r] = wi_placing_gate(p, r, 0, p->c->start_ps + 1, WI_JOB_NONE);
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK && !first; i++)
        if (!p->ends_other[i]) {
            p->n->gates[begin[job->op[i].rank]].needs++;
            wi_placing_feed(p, p->end[i], begin[job->op[i].rank]);
        }
    for (uint32_t r = 0; r < job->n_ranks && p->status == WEIR_OK && !first; r++) {
        wi_net_gate_plan *const g = &p->n->gates[begin[r]];
        g->pause_ps = 0;
        if (g->needs == 0) { /* a rank without operations */
            g->needs = 1;
            wi_placing_feed(p, (begin - job->n_ranks)[r], begin[r]);
        }
    }
}

/* Edges that each operation waits for; one that waits for none waits for its iteration to begin. */
static bool count_edges(wi_placing *p)
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

/* Of the hosts that the class names, or of all. */
static weir_status find_hosts(wi_placing *p, wi_number_list *hosts)
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
        qsort(sorted, hosts->n, sizeof *sorted, wi_order_u32);
    }
    for (uint32_t i = 1; i < hosts->n; i++)
        if (sorted[i - 1] == sorted[i])
            return weir_fail_at(p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
                                "class '%s': '%s' is named twice among the hosts", p->c->name.text,
                                p->n->graph->name[sorted[i]]);
    return WEIR_OK;
}

static weir_status place_ranks(wi_placing *p, weir_stream *random)
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
static void write_feeds(wi_placing *p)
{
    wi_network *const n = p->n;
    const uint32_t gates = n->n_gates - p->first_gate;
    uint32_t at = n->n_gate_feeds;
    if (p->status != WEIR_OK)
        return;
    uint32_t *const all = realloc(n->gate_feeds, ((size_t)at + p->n_feeds + 1) * sizeof *all);
    if (!all) {
        wi_placing_no_memory(p);
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

static void make_gates(wi_placing *p)
{
    const size_t ops = p->job->n_ops, ranks = p->job->n_ranks, times = p->c->job.iterations;
    wi_placed_job *const placed = p->placed;
    placed->end = malloc(times * ops * sizeof *placed->end);
    placed->begin = malloc(times * ranks * sizeof *placed->begin);
    if (!placed->end || !placed->begin || !count_edges(p)) {
        wi_placing_no_memory(p);
        return;
    }
    p->first_gate = p->n->n_gates;
    for (size_t k = 0; k < times && p->status == WEIR_OK; k++) {
        add_begins(p, placed->begin + k * ranks, k == 0);
        add_iteration(p, placed->begin + k * ranks);
        memcpy(placed->end + k * ops, p->end, ops * sizeof *p->end);
    }
    wi_placing_connections(p);
    write_feeds(p);
}

/* What the gates of all operations surely take, before any is made. */
static weir_status check_memory(const wi_placing *p)
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
    wi_placing p = {.diag = diag, .n = n, .c = c, .cls = cls, .job = job, .placed = placed};
    p.status = c->job.trace.text ? wi_job_read(diag, c->job.trace.text, &options, job)
                                 : wi_job_train(diag, &c->job.model, c->job.flops, job);
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
    free(p.ends);
    free(p.queued);
    free(p.messages);
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

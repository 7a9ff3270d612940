/*
 * Programs of jobs (net/packet/program.h): ranks host by host, their operations, and where these have their words. A host's words
 * of programs lie before its pulls and gates.
 */
#include <string.h>

#include "net/transport/program.h"
#include "packets/build/building.h"

/* A job on its way: where its parts lie among those of all. */
typedef struct adding {
    wi_building *b;
    const wi_net_job_plan *plan;
    uint32_t number;
    uint32_t *rank;       /* [ranks of the job] numbers among all */
    uint32_t *op;         /* [operations of the job] numbers among all */
    uint32_t collectives; /* its first */
    uint32_t list;        /* its lists: ranks, those that wait, members, servers */
} adding;

static uint32_t list_length(const wi_net_job_plan *p)
{
    return p->job->n_ranks + p->job->n_edges + p->job->n_together + p->n_lists;
}

static bool take(wi_building *b)
{
    wi_programs *const all = &b->programs;
    for (uint32_t i = 0; i < b->plan->n_jobs; i++) {
        const wi_net_job_plan *const p = &b->plan->jobs[i];
        all->n_ranks += p->job->n_ranks;
        all->n_ops += p->job->n_ops;
        all->n_collectives += p->n_collectives;
        all->n_lists += list_length(p);
    }
    all->jobs = wi_build_temp(b, b->plan->n_jobs, sizeof *all->jobs);
    all->ranks = wi_build_temp(b, (uint64_t)all->n_ranks + 1, sizeof *all->ranks);
    all->ops = wi_build_temp(b, (uint64_t)all->n_ops + 1, sizeof *all->ops);
    all->collectives = wi_build_temp(b, (uint64_t)all->n_collectives + 1, sizeof *all->collectives);
    all->lists = wi_build_temp(b, (uint64_t)all->n_lists + 1, sizeof *all->lists);
    all->arrivals = wi_build_temp(b, all->n_ranks, sizeof *all->arrivals);
    all->host_rank = wi_build_temp(b, (uint64_t)b->net->n_hosts + 1, sizeof *all->host_rank);
    all->words = wi_build_temp(b, b->net->n_hosts, sizeof *all->words);
    all->inlets = wi_build_temp(b, b->net->n_hosts, sizeof *all->inlets);
    b->net->job_op = wi_build_keep(b, all->n_ops, sizeof *b->net->job_op);
    b->net->job_rank = wi_build_keep(b, all->n_ranks, sizeof *b->net->job_rank);
    return b->status == WEIR_OK;
}

/* Numbers of ranks, host by host. */
static void number_ranks(wi_building *b)
{
    wi_programs *const all = &b->programs;
    uint32_t *const next = wi_build_temp(b, (uint64_t)b->net->n_hosts + 1, sizeof *next);
    if (!next)
        return;
    for (uint32_t i = 0; i < b->plan->n_jobs; i++)
        for (uint32_t r = 0; r < b->plan->jobs[i].job->n_ranks; r++)
            all->host_rank[b->node_host[b->plan->jobs[i].rank_node[r]] + 1]++;
    for (uint32_t h = 0; h < b->net->n_hosts; h++)
        all->host_rank[h + 1] += all->host_rank[h];
    memcpy(next, all->host_rank, b->net->n_hosts * sizeof *next);
    for (uint32_t i = 0, at = 0; i < b->plan->n_jobs; i++) {
        const wi_net_job_plan *const p = &b->plan->jobs[i];
        for (uint32_t r = 0; r < p->job->n_ranks; r++) {
            const uint32_t host = b->node_host[p->rank_node[r]], number = next[host]++;
            b->net->job_rank[at++] = number;
            all->arrivals[number] = p->first_arrivals + r;
            all->ranks[number] = (net_rank){.host = host, .job = i, .server = p->rank_server[r]};
        }
    }
}

/* Numbers of operations, rank by rank. */
static void number_ops(adding *jobs, wi_building *b)
{
    wi_programs *const all = &b->programs;
    for (uint32_t i = 0; i < b->plan->n_jobs; i++)
        for (uint32_t k = 0; k < jobs[i].plan->job->n_ops; k++)
            jobs[i].op[k] = all->ranks[jobs[i].rank[jobs[i].plan->job->op[k].rank]].n_ops++;
    for (uint32_t r = 0; r < all->n_ranks; r++)
        all->ranks[r + 1].first_op = all->ranks[r].first_op + all->ranks[r].n_ops;
    for (uint32_t i = 0; i < b->plan->n_jobs; i++)
        for (uint32_t k = 0; k < jobs[i].plan->job->n_ops; k++)
            jobs[i].op[k] += all->ranks[jobs[i].rank[jobs[i].plan->job->op[k].rank]].first_op;
}

/* Steps of a collective's member, in the longest of its chains. */
static uint32_t steps_of(const net_collective *c, const uint32_t *lists, uint32_t member)
{
    uint32_t most = 1;
    for (uint32_t k = 0; k < net_collective_chains(c); k += c->in_strands ? c->pieces : 1) {
        job_step s;
        uint32_t n = 0;
        while (net_collective_step(c, lists, k, member, n, &s))
            n++;
        most = n > most ? n : most;
        if (net_steps_are_alike(c))
            break;
    }
    return most;
}

static void fill_collectives(const adding *a)
{
    wi_programs *const all = &a->b->programs;
    const wi_job *const job = a->plan->job;
    const uint32_t together = a->list + job->n_ranks + job->n_edges, lists = together + job->n_together;
    memcpy(all->lists + a->list, a->rank, job->n_ranks * sizeof *a->rank);
    if (a->plan->n_lists)
        memcpy(all->lists + lists, a->plan->lists, a->plan->n_lists * sizeof *a->plan->lists);
    for (uint32_t i = 0; i < job->n_together; i++)
        all->lists[together + i] = a->op[job->together[i]];
    for (uint32_t i = 0; i < a->plan->n_collectives; i++) {
        net_collective *const c = &all->collectives[a->collectives + i];
        *c = a->plan->collectives[i];
        c->first_order += lists;
        c->first_place += lists;
        c->first_server += lists;
        for (uint32_t k = 0; k < c->p; k++) {
            net_op *const op = &all->ops[all->lists[together + c->first_op + k]];
            op->peer = a->collectives + i;
            op->member = k;
            op->flags = net_collective_is_ring(c) ? NET_OP_WINDOW : 0;
            op->width = op->flags ? (uint32_t)NET_CHAIN_WINDOW : steps_of(c, all->lists, k);
        }
        c->first_op += together;
    }
}

static void fill_ops(const adding *a)
{
    static const uint8_t kinds[] = {[WI_JOB_COMPUTE] = NET_OP_COMPUTE,
                                    [WI_JOB_SEND] = NET_OP_SEND,
                                    [WI_JOB_RECV] = NET_OP_RECV,
                                    [WI_JOB_COLLECTIVE] = NET_OP_COLLECTIVE};
    for (uint32_t i = 0; i < a->plan->job->n_ops; i++) {
        const wi_job_op *const o = &a->plan->job->op[i];
        net_op *const op = &a->b->programs.ops[a->op[i]];
        op->kind = kinds[o->kind];
        op->rank = a->rank[o->rank];
        op->processor = o->processor;
        op->amount = o->kind == WI_JOB_COMPUTE ? (uint64_t)o->time_ps : o->bytes;
        if (o->kind == WI_JOB_SEND)
            op->peer = a->op[o->match];
        if (o->kind == WI_JOB_RECV) {
            op->flags = NET_OP_WINDOW;
            op->width = NET_CHAIN_WINDOW;
        }
    }
}

/* Which operations wait for which, by their numbers within the rank. */
static void link_ops(const adding *a)
{
    wi_programs *const all = &a->b->programs;
    const wi_job *const job = a->plan->job;
    uint32_t at = a->list + job->n_ranks;
    for (uint32_t i = 0; i < job->n_edges; i++) {
        net_op *const before = &all->ops[a->op[job->edge[i].before]];
        all->ops[a->op[job->edge[i].after]].needs++;
        (*(job->edge[i].at_start ? &before->n_starts : &before->n_ends))++;
    }
    uint32_t *const next = wi_build_temp(a->b, 2 * (uint64_t)job->n_ops, sizeof *next);
    for (uint32_t i = 0; next && i < job->n_ops; i++) {
        net_op *const op = &all->ops[a->op[i]];
        op->first_after = next[2 * i] = at;
        next[2 * i + 1] = at + op->n_starts;
        at += op->n_starts + op->n_ends;
    }
    for (uint32_t i = 0; next && i < job->n_edges; i++) {
        const wi_job_edge *const e = &job->edge[i];
        const uint32_t after = a->op[e->after];
        all->lists[next[2 * (size_t)e->before + !e->at_start]++] =
            after - all->ranks[all->ops[after].rank].first_op;
    }
}

/* Where ranks and operations have their words, from the first of their host's, and operations their inlets. */
static void lay_out(wi_building *b)
{
    wi_programs *const all = &b->programs;
    for (uint32_t r = 0; r < all->n_ranks; r++) {
        net_rank *const rank = &all->ranks[r];
        const wi_net_job_plan *const p = &b->plan->jobs[rank->job];
        uint64_t *const word = &all->words[rank->host];
        rank->word = (uint32_t)*word;
        rank->slot_word = rank->word + NET_RANK_WORDS + p->processors;
        rank->end_word = rank->slot_word + b->plan->arrivals[all->arrivals[r]].slots *
                                               (p->lasts ? (uint32_t)NET_SLOT_WORDS : 1u);
        *word = (uint64_t)rank->end_word + (uint64_t)p->iterations * (1u + rank->n_ops);
        for (uint32_t i = 0; i < rank->n_ops; i++) {
            net_op *const op = &all->ops[rank->first_op + i];
            const bool chained = op->kind == NET_OP_COLLECTIVE;
            const net_collective *const c = chained ? &all->collectives[op->peer] : NULL;
            const uint32_t chains = chained ? net_collective_chains(c) : op->kind == NET_OP_RECV,
                           lines = chained ? net_piece_lines(c) : 0;
            op->word = (uint32_t)*word;
            op->inlet = (uint32_t)all->inlets[rank->host];
            *word += NET_OP_WORDS + (uint64_t)chains * net_chain_words(op->flags, op->width) +
                     (lines ? 2u * (uint64_t)c->parts * lines : 0);
            all->inlets[rank->host] += (uint64_t)chains * op->width;
        }
    }
}

weir_status wi_build_programs(wi_building *b)
{
    wi_programs *const all = &b->programs;
    if (b->plan->n_jobs == 0)
        return WEIR_OK;
    adding *const jobs = wi_build_temp(b, b->plan->n_jobs, sizeof *jobs);
    if (!take(b) || !jobs)
        return b->status;
    number_ranks(b);
    for (uint32_t i = 0, rank = 0, op = 0, collectives = 0, list = 0; i < b->plan->n_jobs; i++) {
        const wi_net_job_plan *const p = &b->plan->jobs[i];
        jobs[i] = (adding){b, p, i, b->net->job_rank + rank, b->net->job_op + op, collectives, list};
        all->jobs[i] = (net_job){.iterations = p->iterations,
                                 .first_rank = list,
                                 .lasts = p->lasts,
                                 .start_ps = p->start_ps,
                                 .local_delay_ps = p->local_delay_ps > 0 ? p->local_delay_ps : 1,
                                 .local_bps = p->local_bps,
                                 .eager_bytes = p->eager_bytes};
        rank += p->job->n_ranks;
        op += p->job->n_ops;
        collectives += p->n_collectives;
        list += list_length(p);
    }
    number_ops(jobs, b);
    for (uint32_t i = 0; i < b->plan->n_jobs && b->status == WEIR_OK; i++) {
        fill_ops(&jobs[i]);
        fill_collectives(&jobs[i]);
        link_ops(&jobs[i]);
    }
    if (b->status == WEIR_OK)
        lay_out(b);
    for (uint32_t h = 0; h < b->net->n_hosts && b->status == WEIR_OK; h++)
        if (all->words[h] > UINT32_MAX || all->inlets[h] >= NET_HINT_KNOWN ||
            (b->plan->flowlets_ps && all->inlets[h] > NET_HINT_SLOTS))
            return weir_fail(
                b->diag, WEIR_E_SCENARIO,
                "a host's ranks may get %llu messages at once; flowlets go with %d, else 2147483647",
                (unsigned long long)all->inlets[h], NET_HINT_SLOTS);
    return b->status;
}

weir_status wi_build_program_world(wi_building *b)
{
    wi_programs *const all = &b->programs;
    const uint32_t *const end = b->net->pool_first[NET_POOL_HOST_WORDS] + 1;
    if (b->plan->n_jobs == 0)
        return WEIR_OK;
    net_generator *const generators = wi_image_at(&b->image, b->head.generators);
    for (uint32_t r = 0; r < all->n_ranks; r++) {
        net_rank *const rank = &all->ranks[r];
        const uint32_t base = end[rank->host] - (uint32_t)wi_build_last_words(b, rank->host);
        rank->word += base;
        rank->slot_word += base;
        rank->end_word += base;
        rank->generator = b->arrivals_index[all->arrivals[r]];
        generators[rank->generator].rank = r;
        for (uint32_t i = 0; i < rank->n_ops; i++)
            all->ops[rank->first_op + i].word += base;
    }
    uint32_t *const inlets = wi_build_place(b, b->net->n_hosts, sizeof *inlets, &b->head.host_inlets);
    for (uint32_t h = 0; inlets && h < b->net->n_hosts; h++)
        inlets[h] = (uint32_t)all->inlets[h];
    uint32_t *const of_ops = wi_build_place(b, (uint64_t)all->n_ops + 1, sizeof *of_ops, &b->head.op_inlets);
    for (uint32_t i = 0; of_ops && i < all->n_ops; i++)
        of_ops[i] = all->ops[i].inlet;
    b->head.jobs = wi_build_array(b, all->jobs, b->plan->n_jobs, sizeof *all->jobs);
    b->head.job_ranks = wi_build_array(b, all->ranks, (uint64_t)all->n_ranks + 1, sizeof *all->ranks);
    b->head.job_ops = wi_build_array(b, all->ops, (uint64_t)all->n_ops + 1, sizeof *all->ops);
    b->head.job_collectives =
        wi_build_array(b, all->collectives, (uint64_t)all->n_collectives + 1, sizeof *all->collectives);
    b->head.job_lists = wi_build_array(b, all->lists, (uint64_t)all->n_lists + 1, sizeof *all->lists);
    b->head.host_ranks =
        wi_build_array(b, all->host_rank, (uint64_t)b->net->n_hosts + 1, sizeof *all->host_rank);
    return b->status;
}

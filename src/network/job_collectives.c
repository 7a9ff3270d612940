/* Collectives of a job: which algorithm each takes, and where its members are. */
#include <string.h>

#include "base/memory.h"
#include "jobs/ranks.h"
#include "jobs/strands.h"
#include "network/placing.h"

/* ---- which algorithm ---- */

static bool is_parts(const wi_job_op *o)
{
    return o->collective != JOB_OP_ALLREDUCE && o->collective != JOB_OP_REDUCE_SCATTER;
}

static bool is_small(const wi_placing *p, const wi_job_op *o, uint32_t size)
{
    return o->bytes * (is_parts(o) ? size : 1) <= p->c->job.small_bytes;
}

/* What is small goes by doubling. */
static uint8_t algorithm_of(const wi_placing *p, const wi_job_op *o, uint32_t size)
{
    const weir_sc_reduce how = p->c->job.allreduce;
    if (o->collective != JOB_OP_ALLREDUCE || how == WEIR_SC_REDUCE_AUTO)
        return is_small(p, o, size) ? JOB_DOUBLING : JOB_RING;
    return how <= WEIR_SC_REDUCE_HALVING ? wi_job_algorithm(how) : JOB_RING;
}

/* Bytes a second that a host sends over its links. */
static double host_Bps(const wi_placing *p, uint32_t node)
{
    const weir_graph *const g = p->n->graph;
    double sum = 0.0;
    for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++)
        sum += weir_edge_exists(g, e) ? (double)g->rate_bps[e] / 8.0 : 0.0;
    return sum;
}

static wi_way way_of(const wi_placing *p, const wi_job_op *o, const wi_strands *s)
{
    if (p->c->job.allreduce == WEIR_SC_REDUCE_HIERARCHICAL)
        return WI_WAY_RAILS;
    if (o->collective != JOB_OP_ALLREDUCE)
        return WI_WAY_RING;
    switch (p->c->job.allreduce) {
    case WEIR_SC_REDUCE_TREE:
        return WI_WAY_TREE;
    case WEIR_SC_REDUCE_NCCL:
        return wi_nccl_takes_tree(s->p, s->servers, o->bytes,
                                  p->c->job.per_server * host_Bps(p, p->placed->plan.rank_node[o->rank]),
                                  (double)p->c->job.local_bps / 8.0)
                   ? WI_WAY_TREE
                   : WI_WAY_RING;
    default:
        return WI_WAY_RING;
    }
}

/* ---- members by server ---- */

static bool keep_list(wi_placing *p, const uint32_t *list, uint32_t n)
{
    wi_placed_job *const to = p->placed;
    for (uint32_t i = 0; i < n; i++) {
        if (!wi_grow_one(&to->plan.lists, to->plan.n_lists, sizeof *to->plan.lists))
            return false;
        to->plan.lists[to->plan.n_lists++] = list[i];
    }
    return true;
}

/* A group's members, their places, and its servers, in the job's lists: made once. */
static void place_group(wi_placing *p, uint32_t group)
{
    const uint32_t size = wi_job_group_size(p->job, group), *const ranks =
                                                                p->job->member + p->job->group_first[group];
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    wi_strands s = {.p = size};
    if (p->group_lists[group] != UINT32_MAX)
        return;
    uint32_t *const server = wi_take(&memory, size, sizeof *server);
    for (uint32_t i = 0; server && i < size; i++)
        server[i] = p->placed->plan.rank_server[ranks[i]];
    p->group_lists[group] = p->placed->plan.n_lists;
    if (!server || !wi_strands_place(&s, server, &memory) || !keep_list(p, s.order, size) ||
        !keep_list(p, s.place, size) || !keep_list(p, s.first, s.servers + 1))
        wi_placing_no_memory(p);
    p->servers[group] = s.servers;
    p->each[group] = s.each;
}

/* Whether a collective goes in strands, and in which. */
static bool cut(wi_placing *p, const wi_job_op *o, net_collective *c)
{
    const weir_scenario_job *const j = &p->c->job;
    const bool rings = o->collective == JOB_OP_ALLREDUCE || o->collective == JOB_OP_ALLGATHER ||
                       o->collective == JOB_OP_REDUCE_SCATTER;
    if (!rings || c->p < 2 || c->algorithm != JOB_RING)
        return false;
    place_group(p, o->group);
    if (p->status != WEIR_OK)
        return false;
    wi_strands s = {.op = o->collective,
                    .p = c->p,
                    .channels = j->channels,
                    .bytes = o->bytes,
                    .chunk_bytes = j->chunk_bytes,
                    .servers = p->servers[o->group],
                    .each = p->each[o->group]};
    s.way = (uint8_t)way_of(p, o, &s);
    if (!wi_strands_cut(&s)) {
        p->status = weir_fail_at(
            p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
            "class '%s': a collective of %llu bytes in messages of %llu is too many; want a larger chunk",
            p->c->name.text, (unsigned long long)o->bytes, (unsigned long long)j->chunk_bytes);
        return false;
    }
    c->way = s.way;
    c->channels = s.channels;
    c->servers = s.servers;
    c->each = s.each;
    c->parts = s.parts;
    c->pieces = s.pieces;
    c->first_order = p->group_lists[o->group];
    c->first_place = c->first_order + c->p;
    c->first_server = c->first_place + c->p;
    return s.way != WI_WAY_RING || s.parts * s.pieces > 1;
}

static void add_collective(wi_placing *p, uint32_t first)
{
    const wi_job_op *const o = &p->job->op[p->job->together[first]];
    const uint32_t size = wi_job_group_size(p->job, o->group);
    net_collective c = {.op = o->collective,
                        .algorithm = algorithm_of(p, o, size),
                        .p = size,
                        .root = o->peer,
                        .bytes = o->bytes,
                        .first_op = first};
    const job_collective one = {o->collective, c.algorithm, 0, size, o->peer, o->bytes};
    if (o->collective != JOB_OP_ALLREDUCE &&
        !job_doubles(&one, o->collective == JOB_OP_REDUCE_SCATTER ? o->bytes : o->bytes * size))
        c.algorithm = JOB_RING;
    c.in_strands = cut(p, o, &c);
    wi_placed_job *const to = p->placed;
    if (p->status == WEIR_OK &&
        !wi_grow_one(&to->plan.collectives, to->plan.n_collectives, sizeof *to->plan.collectives))
        wi_placing_no_memory(p);
    if (p->status == WEIR_OK)
        to->plan.collectives[to->plan.n_collectives++] = c;
}

void wi_placing_collectives(wi_placing *p)
{
    const wi_job *const job = p->job;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    p->group_lists = wi_take(&memory, job->n_groups, sizeof *p->group_lists);
    p->servers = wi_take(&memory, job->n_groups, sizeof *p->servers);
    p->each = wi_take(&memory, job->n_groups, sizeof *p->each);
    if (memory.failed) {
        wi_placing_no_memory(p);
        return;
    }
    memset(p->group_lists, 0xff, job->n_groups * sizeof *p->group_lists);
    for (uint32_t i = 0; i < job->n_together && p->status == WEIR_OK; i++)
        if (job->op[job->together[i]].match == i)
            add_collective(p, i);
}

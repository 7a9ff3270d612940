/*
 * Collectives of a job as gates and flows.
 *
 * A step of a member is a gate: it starts what the step sends, and the next one needs what the step receives, or that its message is
 * acknowledged where it receives nothing. A collective of several strands (jobs/strands.h) has a chain of gates for each, and
 * one more that ends it. Of strands with pieces, those on one connection follow each other: each once the one before is
 * acknowledged, the first step's pieces first.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/groups.h"
#include "jobs/strands.h"
#include "jobs/ends.h"
#include "network/job_gates.h"

/* A step of a collective's member that sends or receives. */
typedef struct step_end {
    uint32_t gate;       /* that starts the message; that it feeds */
    uint32_t sent_feeds; /* of what is sent: the gate that its last ACK feeds, or WI_JOB_NONE */
    uint64_t bytes;
} step_end;

/* What waits for others on its connection. */
typedef struct wi_queued_piece {
    uint32_t from, to, part, step, piece;
    uint32_t go, acked; /* gates */
} queued_piece;

/* One of a collective's members, and its operation. */
typedef struct member {
    job_collective c;
    const wi_strands *strands; /* null: one chain, as job_collective_step has it */
    const uint32_t *ranks;
    uint32_t rank, end;
} member;

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
    const bool small = is_small(p, o, size);
    if (o->collective != JOB_OP_ALLREDUCE)
        return small ? JOB_DOUBLING : JOB_RING;
    switch (p->c->job.allreduce) {
    case WEIR_SC_REDUCE_DOUBLING:
        return JOB_DOUBLING;
    case WEIR_SC_REDUCE_HALVING:
        return JOB_RABENSEIFNER;
    case WEIR_SC_REDUCE_AUTO:
        return small ? JOB_DOUBLING : JOB_RING;
    default:
        return JOB_RING;
    }
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
    if (o->collective != JOB_OP_ALLREDUCE)
        return WI_WAY_RING;
    switch (p->c->job.allreduce) {
    case WEIR_SC_REDUCE_TREE:
        return WI_WAY_TREE;
    case WEIR_SC_REDUCE_HIERARCHICAL:
        return WI_WAY_RAILS;
    case WEIR_SC_REDUCE_NCCL:
        return wi_nccl_takes_tree(s->p, s->servers, o->bytes,
                                  p->c->job.per_server * host_Bps(p, p->placed->rank_node[o->rank]),
                                  (double)p->c->job.local_bps / 8.0)
                   ? WI_WAY_TREE
                   : WI_WAY_RING;
    default:
        return WI_WAY_RING;
    }
}

/* Whether a collective goes in strands, and in which. */
static bool make_strands(wi_placing *p, const wi_job_op *o, const uint32_t *ranks, uint32_t size,
                         wi_strands *s, wi_owned *memory)
{
    const weir_scenario_job *const j = &p->c->job;
    const bool rings = o->collective == JOB_OP_ALLREDUCE || o->collective == JOB_OP_ALLGATHER ||
                       o->collective == JOB_OP_REDUCE_SCATTER;
    if (!rings || size < 2 || algorithm_of(p, o, size) != JOB_RING)
        return false;
    *s = (wi_strands){.op = o->collective,
                      .p = size,
                      .channels = j->channels,
                      .bytes = o->bytes,
                      .chunk_bytes = j->chunk_bytes};
    uint32_t *const server = wi_take(memory, size, sizeof *server);
    for (uint32_t i = 0; server && i < size; i++)
        server[i] = p->server[ranks[i]];
    if (!server || !wi_strands_place(s, server, memory)) {
        wi_placing_no_memory(p);
        return false;
    }
    s->way = (uint8_t)way_of(p, o, s);
    if (!wi_strands_cut(s)) {
        p->status =
            weir_fail_at(p->diag, WEIR_E_SCENARIO, WEIR_AT(j->place),
                         "class '%s': a collective of %llu bytes in messages of %llu is too many; "
                         "want a larger chunk",
                         p->c->name.text, (unsigned long long)o->bytes, (unsigned long long)j->chunk_bytes);
        return false;
    }
    return s->way != WI_WAY_RING || s->parts * s->pieces > 1;
}

/* ---- steps ---- */

/* Of one source, target and strand, the n-th step that sends goes to the n-th that receives: `end` says which it is. */
static void add_step_end(wi_placing *p, wi_message_end end, step_end step)
{
    if (p->status == WEIR_OK && !(wi_grow_one(&p->steps, p->n_steps, sizeof *p->steps) &&
                                  wi_grow_one(&p->ends, p->n_steps, sizeof *p->ends)))
        wi_placing_no_memory(p);
    if (p->status != WEIR_OK)
        return;
    end.at = p->n_steps;
    p->ends[p->n_steps] = end;
    p->steps[p->n_steps++] = step;
}

/* `to` needs one thing more. */
static void feed_also(wi_placing *p, uint32_t from, uint32_t to)
{
    wi_placing_feed(p, from, to);
    if (p->status == WEIR_OK)
        p->n->gates[to].needs++;
}

/* A piece that goes when the one before it on its connection is acknowledged: returns the gate that starts it, and which its last ACK
 * feeds. */
static uint32_t queue_piece(wi_placing *p, const member *m, uint32_t to, uint32_t strand, uint32_t step,
                            uint32_t at, uint32_t *acked)
{
    const uint32_t go = wi_placing_gate(p, m->rank, 1, 0, WI_JOB_NONE);
    *acked = wi_placing_gate(p, m->rank, 1, 0, WI_JOB_NONE);
    wi_placing_feed(p, at, go);
    if (p->status == WEIR_OK && !wi_grow_one(&p->queued, p->n_queued, sizeof *p->queued))
        wi_placing_no_memory(p);
    if (p->status == WEIR_OK)
        p->queued[p->n_queued++] = (queued_piece){
            m->rank, to, strand / m->strands->pieces, step, strand % m->strands->pieces, go, *acked};
    return go;
}

/* What a member sends in a step, from the gate `at` on. `next`: the gate behind. */
static void add_sent(wi_placing *p, const member *m, const job_step *s, uint32_t strand, uint32_t step,
                     uint32_t at, uint32_t next)
{
    const uint32_t to = m->ranks[s->to];
    const bool local = wi_placing_is_local(p, m->rank, to);
    const bool waits = s->from == JOB_NOBODY && (local || s->to_bytes > p->c->job.eager_bytes);
    const uint32_t behind = m->strands ? m->end : next; /* that waits for it */
    uint32_t from = at, acked = waits ? behind : WI_JOB_NONE;
    if (local)
        wi_placing_feed(p, at, from = wi_placing_port_gate(p, m->rank, s->to_bytes));
    else if (m->strands && m->strands->pieces > 1)
        from = queue_piece(p, m, to, strand, step, at, &acked);
    if (waits && from != at)
        feed_also(p, local ? from : acked, behind);
    else if (waits && p->status == WEIR_OK)
        p->n->gates[behind].needs++;
    add_step_end(p, (wi_message_end){m->rank, to, strand, false},
                 (step_end){from, local ? WI_JOB_NONE : acked, s->to_bytes});
}

/* A chain of gates from `at` on, and what its steps send and receive. Returns the last gate. */
static uint32_t add_chain(wi_placing *p, const member *m, uint32_t strand, uint32_t at)
{
    job_step s;
    for (uint32_t step = 0;
         p->status == WEIR_OK && (m->strands ? wi_strands_step(m->strands, strand, m->c.rank, step, &s)
                                             : job_collective_step(&m->c, step, &s));
         step++) {
        const bool receives = s.from != JOB_NOBODY;
        const uint32_t next = wi_placing_gate(p, m->rank, 1u + receives, 0, WI_JOB_NONE);
        wi_placing_feed(p, at, next);
        if (s.to != JOB_NOBODY)
            add_sent(p, m, &s, strand, step, at, next);
        if (receives)
            add_step_end(p, (wi_message_end){m->ranks[s.from], m->rank, strand, true},
                         (step_end){next, WI_JOB_NONE, s.from_bytes});
        at = next;
    }
    return at;
}

static void add_member(wi_placing *p, uint32_t i, const uint32_t *ranks, uint32_t size,
                       const wi_strands *strands)
{
    const wi_job_op *const o = &p->job->op[i];
    member m = {.c = {.op = o->collective,
                      .algorithm = algorithm_of(p, o, size),
                      .p = size,
                      .root = o->peer,
                      .bytes = o->bytes},
                .strands = strands,
                .ranks = ranks,
                .rank = o->rank};
    while (ranks[m.c.rank] != o->rank)
        m.c.rank++;
    const uint32_t at = p->start[i] = wi_placing_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
    if (!strands) {
        p->end[i] = add_chain(p, &m, 0, at);
        return;
    }
    p->end[i] = m.end = wi_placing_gate(p, o->rank, 0, 0, WI_JOB_NONE);
    for (uint32_t k = 0; k < strands->parts * strands->pieces && p->status == WEIR_OK; k++)
        feed_also(p, add_chain(p, &m, k, at), m.end);
}

/* ---- messages ---- */

/* A step that sends, and the one that receives that. */
static weir_status match_steps(void *user, const wi_message_end *sent, const wi_message_end *received)
{
    wi_placing *const p = user;
    const step_end *const s = &p->steps[sent->at], *const r = &p->steps[received->at];
    if (wi_placing_is_local(p, sent->source, sent->target))
        wi_placing_reach(p, s->gate, r->gate);
    else
        wi_placing_flow(p, sent->source, sent->target, p->pieces ? sent->tag / p->pieces : 0, s->bytes,
                        s->gate, r->gate, s->sent_feeds);
    return p->status;
}

static int by_connection(const void *a, const void *b)
{
    const queued_piece *x = a, *y = b;
    return WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to) ?: WI_ORDER(x->part, y->part) ?:
           WI_ORDER(x->step, y->step) ?: WI_ORDER(x->piece, y->piece);
}

static void order_pieces(wi_placing *p)
{
    if (p->n_queued)
        qsort(p->queued, p->n_queued, sizeof *p->queued, by_connection);
    for (uint32_t i = 1; i < p->n_queued; i++) {
        const queued_piece *const x = &p->queued[i - 1], *const y = &p->queued[i];
        if (x->from == y->from && x->to == y->to && x->part == y->part)
            feed_also(p, x->acked, y->go);
    }
}

static void add_collective(wi_placing *p, uint32_t first)
{
    const wi_job *const job = p->job;
    const wi_job_op *const o = &job->op[job->together[first]];
    const uint32_t *const ranks = job->member + job->group_first[o->group];
    const uint32_t size = wi_job_group_size(job, o->group);
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    wi_strands strands;
    const bool cut = make_strands(p, o, ranks, size, &strands, &memory);
    p->n_steps = p->n_queued = 0;
    p->pieces = cut ? strands.pieces : 0;
    for (uint32_t k = 0; k < size && p->status == WEIR_OK; k++)
        add_member(p, job->together[first + k], ranks, size, cut ? &strands : NULL);
    if (p->status == WEIR_OK)
        order_pieces(p);
    if (p->status == WEIR_OK)
        p->status = wi_message_ends_pair(p->ends, p->n_steps, match_steps, p);
}

void wi_placing_collectives(wi_placing *p)
{
    const wi_job *const job = p->job;
    for (uint32_t i = 0; i < job->n_together && p->status == WEIR_OK; i++)
        if (job->op[job->together[i]].match == i)
            add_collective(p, i);
}

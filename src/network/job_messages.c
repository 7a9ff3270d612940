/*
 * What a job's ranks send: to whom, how much, and how many messages at once. Ranks make messages while they run
 * (net/transport/program.h); here only pairs are listed, and slots counted.
 *
 * A rank has a slot for each of its sends. Eager ones end as they start, so of these it has one for each of some iterations, where they
 * are few; all ranks have as many. For collectives it has as many as go at once: one a step up to a limit, of a tree's pieces one a
 * neighbour. All collectives of a rank share those of the largest, or AT_ONCE.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/ranks.h"
#include "network/placing.h"

enum {
    AT_ONCE = 64,
    STEPS_AT_ONCE = 8,       /* of a chain whose steps wait for messages */
    ROOT_STEPS_AT_ONCE = 256 /* of one that only sends */
};

/* A rank as its operations are gone through. */
typedef struct rank_needs {
    wi_number_list to, near;  /* nodes; of the same server */
    uint64_t sends, receives; /* slots of these */
    double messages, segments;
    uint64_t out, most_out, in, most_in; /* of collectives: in all, and the largest */
} rank_needs;

/* One of a collective's members. */
typedef struct member {
    wi_placing *p;
    const net_collective *c;
    const uint32_t *ranks;
    uint32_t number;
    rank_needs *needs;
    uint64_t out, in;
} member;

static bool is_local(const wi_placing *p, uint32_t a, uint32_t b)
{
    return p->placed->plan.rank_server[a] == p->placed->plan.rank_server[b];
}

static void keep(wi_placing *p, wi_number_list *list, uint32_t number)
{
    if (!wi_grow_one(&list->item, list->n, sizeof *list->item))
        wi_placing_no_memory(p);
    else
        list->item[list->n++] = number;
}

/* `times` messages of so many bytes. */
static void add_messages(wi_placing *p, rank_needs *needs, uint32_t from, uint32_t to, uint64_t bytes,
                         uint64_t times)
{
    const uint32_t *const node = p->placed->plan.rank_node;
    const uint64_t each = bytes ? bytes : 1;
    if (is_local(p, from, to)) {
        if (node[from] != node[to])
            keep(p, &needs->near, node[to]);
        return;
    }
    keep(p, &needs->to, node[to]);
    const uint64_t segments = (each + p->c->tcp.mss_bytes - 1) / p->c->tcp.mss_bytes;
    needs->messages += (double)times;
    needs->segments += (double)times * (double)segments;
    p->placed->messages += times;
    p->placed->bytes += times * each;
    p->most_bytes = each > p->most_bytes ? each : p->most_bytes;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The steps of a chain, of a ring the first for all of them. */
static void add_chain(member *m, uint32_t k)
{
    const net_collective *const c = m->c;
    const bool ring = net_collective_is_ring(c), roots = c->op == JOB_OP_BCAST || c->op == JOB_OP_SCATTER;
    const uint32_t rank = m->ranks[m->number];
    uint64_t out = 0, in = 0;
    job_step s;
    for (uint32_t step = 0; m->p->status == WEIR_OK && (step == 0 || !ring) &&
                            net_collective_step(c, m->p->placed->plan.lists, k, m->number, step, &s);
         step++) {
        const uint64_t times = ring ? net_ring_steps(c) : 1;
        if (s.to != JOB_NOBODY) {
            add_messages(m->p, m->needs, rank, m->ranks[s.to], s.to_bytes, times);
            out += is_local(m->p, rank, m->ranks[s.to]) ? 0 : times;
        }
        if (s.from != JOB_NOBODY)
            in += is_local(m->p, rank, m->ranks[s.from]) ? 0 : times;
    }
    if (net_piece_lines(c)) { /* pieces follow each other: counted with the first */
        m->out += k % c->pieces ? 0 : least(out, net_piece_lines(c));
        m->in += k % c->pieces ? 0 : least(in, net_piece_lines(c));
        return;
    }
    /* Where steps inside a server lie between, a ring sends again long before the other end has answered. */
    const uint32_t usual = ring && c->servers && c->servers < c->p ? NET_CHAIN_OUT : STEPS_AT_ONCE;
    m->out += least(out, roots ? ROOT_STEPS_AT_ONCE : usual);
    m->in += least(in, c->op == JOB_OP_GATHER ? UINT32_MAX : usual);
}

static void add_member(wi_placing *p, const wi_job_op *o, const net_collective *c, uint32_t number,
                       rank_needs *needs)
{
    member m = {p, c, p->job->member + p->job->group_first[o->group], number, needs, 0, 0};
    for (uint32_t k = 0; k < net_collective_chains(c) && p->status == WEIR_OK; k++)
        add_chain(&m, k);
    needs->out += m.out;
    needs->in += m.in;
    needs->most_out = m.out > needs->most_out ? m.out : needs->most_out;
    needs->most_in = m.in > needs->most_in ? m.in : needs->most_in;
}

/* Each number once, in order. */
static void settle(wi_number_list *list)
{
    uint32_t n = 0;
    if (list->n)
        qsort(list->item, list->n, sizeof *list->item, wi_order_u32);
    for (uint32_t i = 0; i < list->n; i++)
        if (i == 0 || list->item[i] != list->item[n - 1])
            list->item[n++] = list->item[i];
    list->n = n;
}

static void add_near(wi_placing *p, uint32_t rank, const wi_number_list *near)
{
    wi_placed_job *const to = p->placed;
    for (uint32_t i = 0; i < near->n && p->status == WEIR_OK; i++) {
        if (wi_grow_one(&to->plan.near, to->plan.n_near, sizeof *to->plan.near))
            to->plan.near[to->plan.n_near++] = (wi_net_near){to->plan.rank_node[rank], near->item[i]};
        else
            wi_placing_no_memory(p);
    }
}

/* A rank's slots, and each node that it sends to once. */
static void add_arrivals(wi_placing *p, uint32_t rank, rank_needs *needs)
{
    wi_net_plan *const plan = &p->n->plan;
    wi_number_list *const to = &needs->to;
    settle(to);
    settle(&needs->near);
    add_near(p, rank, &needs->near);
    uint64_t out = least(needs->out, needs->most_out > AT_ONCE ? needs->most_out : AT_ONCE);
    const uint64_t in = least(needs->in, needs->most_in > AT_ONCE ? needs->most_in : AT_ONCE);
    if (p->c->tcp.connection != WEIR_SC_CONNECTION_NEW && needs->out) /* each keeps its slot */
        out += (uint64_t)to->n * p->c->job.channels;
    if (needs->sends + out > INT32_MAX || needs->receives + in > INT32_MAX ||
        !wi_grow_one(&plan->arrivals, plan->n_arrivals, sizeof *plan->arrivals)) {
        wi_placing_no_memory(p);
        return;
    }
    plan->arrivals[plan->n_arrivals++] =
        (wi_net_arrivals_plan){.src = p->placed->plan.rank_node[rank],
                               .cls = (uint16_t)p->cls,
                               .start_ps = p->c->start_ps,
                               .dst = to->item,
                               .n_dst = to->n,
                               .slots = (uint32_t)(needs->sends + out),
                               .rx_slots = (uint32_t)(needs->receives + in),
                               .messages = needs->messages * (double)p->c->job.ranks.iterations,
                               .segments = needs->segments * (double)p->c->job.ranks.iterations};
    *to = (wi_number_list){0};
}

/* Slots of a send or a receive between servers: an eager message is sent in an iteration before those of so many others are
 * acknowledged. */
static uint64_t slots_of(const wi_placing *p, const wi_job_op *o, uint64_t ahead)
{
    const wi_job_op *const send = o->kind == WI_JOB_SEND ? o : &p->job->op[o->match];
    if (is_local(p, o->rank, o->peer))
        return 0;
    return send->bytes <= wi_job_eager(&p->c->job.ranks) ? ahead : 1;
}

/* Iterations in which eager messages may be under way: of all ranks alike, so that receivers have room, and with AT_ONCE slots a rank
 * at most. */
static uint64_t iterations_ahead(const wi_placing *p, const uint32_t *first, const uint32_t *list)
{
    uint64_t most = 1;
    for (uint32_t r = 0; r < p->job->n_ranks; r++) {
        uint64_t n[2] = {0, 0};
        for (uint32_t i = first[r]; i < first[r + 1]; i++) {
            const wi_job_op *const o = &p->job->op[list[i]];
            if (o->kind == WI_JOB_SEND || o->kind == WI_JOB_RECV)
                n[o->kind == WI_JOB_SEND] += slots_of(p, o, 2) == 2;
        }
        most = n[0] > most ? n[0] : most;
        most = n[1] > most ? n[1] : most;
    }
    return most > AT_ONCE ? 1 : least(p->c->job.ranks.iterations, AT_ONCE / most);
}

static void add_op(wi_placing *p, uint32_t i, const uint32_t *collective, const uint32_t *number,
                   uint64_t ahead, rank_needs *needs)
{
    const wi_job_op *const o = &p->job->op[i];
    if (o->kind == WI_JOB_SEND) {
        needs->sends += slots_of(p, o, ahead);
        add_messages(p, needs, o->rank, o->peer, o->bytes, 1);
    } else if (o->kind == WI_JOB_RECV) {
        needs->receives += slots_of(p, o, ahead);
    } else if (o->kind == WI_JOB_COLLECTIVE) {
        add_member(p, o, &p->placed->plan.collectives[collective[i]], number[i], needs);
    }
}

void wi_placing_messages(wi_placing *p)
{
    const wi_job *const job = p->job;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    uint32_t *const first = wi_take(&memory, (size_t)job->n_ranks + 2, sizeof *first),
                    *const list = wi_take(&memory, job->n_ops, sizeof *list),
                    *const collective = wi_take(&memory, job->n_ops, sizeof *collective),
                    *const number = wi_take(&memory, job->n_ops, sizeof *number);
    if (memory.failed) {
        wi_placing_no_memory(p);
        return;
    }
    for (uint32_t k = 0; k < p->placed->plan.n_collectives; k++)
        for (uint32_t i = 0; i < p->placed->plan.collectives[k].p; i++) {
            const uint32_t op = job->together[p->placed->plan.collectives[k].first_op + i];
            collective[op] = k;
            number[op] = i;
        }
    wi_order_by(&job->op->rank, sizeof *job->op, job->n_ops, job->n_ranks, first, list);
    p->placed->plan.first_arrivals = p->n->plan.n_arrivals;
    const uint64_t ahead = iterations_ahead(p, first, list);
    for (uint32_t r = 0; r < job->n_ranks && p->status == WEIR_OK; r++) {
        rank_needs needs = {0};
        for (uint32_t i = first[r]; i < first[r + 1] && p->status == WEIR_OK; i++)
            add_op(p, list[i], collective, number, ahead, &needs);
        if (p->status == WEIR_OK)
            add_arrivals(p, r, &needs);
        free(needs.to.item);
        free(needs.near.item);
    }
}

/*
 * A class's job in place: its operations as gates of the hosts (net/transport/gate.h), its messages as flows.
 *
 * A computation is a gate whose pause it is. A send is a gate that starts its flow; a larger one ends with another, which the
 * last ACK opens. A receive is a gate that its message feeds; collectives are in job_collectives.c. What
 * ranks of one server send to each other is a gate too: its pause is the message's time at the local rate, on a processor of
 * the sender's, and the local delay later it reaches the receiver's gate.
 *
 * A gate takes a picosecond to open, so that a chain of n operations is n ps late.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "network/job_gates.h"

/* A flow of a job whose connections last. */
typedef struct wi_message_of {
    uint32_t from, to, channel, flow;
} message_of;

void wi_placing_no_memory(wi_placing *p)
{
    if (p->status == WEIR_OK)
        p->status = weir_fail(p->diag, WEIR_E_NOMEM, "no memory for the job of class '%s'", p->c->name.text);
}

uint32_t wi_placing_gate(wi_placing *p, uint32_t rank, uint32_t needs, weir_time pause_ps, uint32_t processor)
{
    wi_network *n = p->n;
    if (p->status == WEIR_OK && !wi_grow_one(&n->gates, n->n_gates, sizeof *n->gates))
        wi_placing_no_memory(p);
    if (p->status != WEIR_OK)
        return 0;
    n->gates[n->n_gates] = (wi_net_gate_plan){.node = p->placed->rank_node[rank],
                                              .needs = needs,
                                              .pause_ps = pause_ps,
                                              .processor = processor == WI_JOB_NONE ? 0 : processor + 1};
    return n->n_gates++;
}

/* A gate that nothing opens: its word says until when a processor is busy. */
static uint32_t processor_of(wi_placing *p, uint32_t *at, uint32_t rank)
{
    if (*at == WI_JOB_NONE)
        *at = wi_placing_gate(p, rank, UINT32_MAX, 0, WI_JOB_NONE);
    return *at;
}

void wi_placing_feed(wi_placing *p, uint32_t from, uint32_t to)
{
    if (p->status == WEIR_OK && !wi_grow_one(&p->feeds, p->n_feeds, sizeof *p->feeds))
        wi_placing_no_memory(p);
    if (p->status == WEIR_OK)
        p->feeds[p->n_feeds++] = (wi_gate_feed){from, to};
}

/* What a gate sends inside a server comes to another. */
void wi_placing_reach(wi_placing *p, uint32_t from, uint32_t to)
{
    if (p->status != WEIR_OK)
        return;
    p->n->gates[from].to = to + 1;
    p->n->gates[from].reach_ps = p->c->job.local_delay_ps;
}

bool wi_placing_is_local(const wi_placing *p, uint32_t a, uint32_t b)
{
    return p->server[a] == p->server[b];
}

/* How long a message to a rank of the same server keeps its sender's port busy. */
static weir_time local_ps(const wi_placing *p, uint64_t bytes)
{
    const double ps = p->c->job.local_bps ? 8e12 * (double)bytes / (double)p->c->job.local_bps : 0.0;
    return (weir_time)(ps < 9e17 ? ps + 0.5 : 9e17);
}

uint32_t wi_placing_port_gate(wi_placing *p, uint32_t rank, uint64_t bytes)
{
    const uint32_t port = processor_of(p, &p->port[rank], rank);
    return wi_placing_gate(p, rank, 1, local_ps(p, bytes), port);
}

/* A message between ranks of two hosts; sent_feeds: WI_JOB_NONE, nothing waits for its last ACK. */
void wi_placing_flow(wi_placing *p, uint32_t from, uint32_t to, uint32_t channel, uint64_t bytes,
                     uint32_t after, uint32_t feeds, uint32_t sent_feeds)
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
    if (p->status == WEIR_OK && p->c->tcp.connection != WEIR_SC_CONNECTION_NEW) {
        if (wi_grow_one(&p->messages, p->n_messages, sizeof *p->messages))
            p->messages[p->n_messages++] = (message_of){from, to, channel, p->n->flows.n - 1};
        else
            wi_placing_no_memory(p);
    }
    p->most_bytes = flow.size_bytes > p->most_bytes ? flow.size_bytes : p->most_bytes;
}

static int by_connection(const void *a, const void *b)
{
    const message_of *x = a, *y = b;
    return WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to) ?: WI_ORDER(x->channel, y->channel) ?:
           WI_ORDER(x->flow, y->flow);
}

void wi_placing_connections(wi_placing *p)
{
    uint32_t gate = 0;
    if (p->n_messages)
        qsort(p->messages, p->n_messages, sizeof *p->messages, by_connection);
    for (uint32_t i = 0; i < p->n_messages && p->status == WEIR_OK; i++) {
        const message_of *const m = &p->messages[i];
        if (i == 0 || m[-1].from != m->from || m[-1].to != m->to || m[-1].channel != m->channel)
            gate = wi_placing_gate(p, m->from, UINT32_MAX, 0, WI_JOB_NONE);
        p->n->flows.item[m->flow].connection = gate + 1;
    }
}

/* ---- operations that are no collectives ---- */

static void add_compute(wi_placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    uint32_t *const at = &p->processor[(size_t)o->rank * p->n_processors + o->processor];
    const uint32_t processor = o->time_ps > 0 ? processor_of(p, at, o->rank) : WI_JOB_NONE;
    if (p->starts_other[i]) {
        p->start[i] = wi_placing_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
        p->end[i] = wi_placing_gate(p, o->rank, 1, o->time_ps, processor);
        wi_placing_feed(p, p->start[i], p->end[i]);
    } else {
        p->start[i] = p->end[i] = wi_placing_gate(p, o->rank, p->needs[i], o->time_ps, processor);
    }
}

static void add_send(wi_placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    p->start[i] = p->end[i] = wi_placing_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
    if (wi_placing_is_local(p, o->rank, o->peer)) {
        p->end[i] = wi_placing_port_gate(p, o->rank, o->bytes);
        wi_placing_feed(p, p->start[i], p->end[i]);
    } else if (o->bytes > p->c->job.eager_bytes) {
        p->end[i] = wi_placing_gate(p, o->rank, 1, 0, WI_JOB_NONE);
    }
}

static void add_receive(wi_placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    if (p->starts_other[i]) {
        p->start[i] = wi_placing_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
        p->end[i] = wi_placing_gate(p, o->rank, 2, 0, WI_JOB_NONE);
        wi_placing_feed(p, p->start[i], p->end[i]);
    } else {
        p->start[i] = p->end[i] = wi_placing_gate(p, o->rank, p->needs[i] + 1, 0, WI_JOB_NONE);
    }
}

/* Once both ends have their gates. */
static void add_message(wi_placing *p, uint32_t i)
{
    const wi_job_op *const o = &p->job->op[i];
    const uint32_t to = p->end[o->match];
    if (wi_placing_is_local(p, o->rank, o->peer))
        wi_placing_reach(p, p->end[i], to);
    else
        wi_placing_flow(p, o->rank, o->peer, 0, o->bytes, p->start[i], to,
                        p->end[i] == p->start[i] ? WI_JOB_NONE : p->end[i]);
}

void wi_placing_operations(wi_placing *p)
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
}

void wi_placing_messages(wi_placing *p)
{
    const wi_job *const job = p->job;
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK; i++)
        if (job->op[i].kind == WI_JOB_SEND)
            add_message(p, i);
}

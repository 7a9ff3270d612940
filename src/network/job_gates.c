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
#include "base/memory.h"
#include "models/interconnect/jobs/ends.h"
#include "network/job_gates.h"

/* A step of a collective's member that sends or receives. */
typedef struct step_end {
    uint32_t gate;       /* that starts the message; that it feeds */
    uint32_t sent_feeds; /* of what is sent: the gate that its last ACK feeds, or WI_JOB_NONE */
    uint64_t bytes;
} step_end;

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
static void reach(wi_placing *p, uint32_t from, uint32_t to)
{
    if (p->status != WEIR_OK)
        return;
    p->n->gates[from].to = to + 1;
    p->n->gates[from].reach_ps = p->c->job.local_delay_ps;
}

static bool is_local(const wi_placing *p, uint32_t a, uint32_t b)
{
    return p->server[a] == p->server[b];
}

/* How long a message to a rank of the same server keeps its sender's port busy. */
static weir_time local_ps(const wi_placing *p, uint64_t bytes)
{
    const double ps = p->c->job.local_bps ? 8e12 * (double)bytes / (double)p->c->job.local_bps : 0.0;
    return (weir_time)(ps < 9e17 ? ps + 0.5 : 9e17);
}

/* A message between ranks of two hosts; sent_feeds: WI_JOB_NONE, nothing waits for its last ACK. */
static void add_flow(wi_placing *p, uint32_t from, uint32_t to, uint64_t bytes, uint32_t after,
                     uint32_t feeds, uint32_t sent_feeds)
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
    if (is_local(p, o->rank, o->peer)) {
        p->end[i] = wi_placing_gate(p, o->rank, 1, local_ps(p, o->bytes),
                                    processor_of(p, &p->port[o->rank], o->rank));
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
    if (is_local(p, o->rank, o->peer))
        reach(p, p->end[i], to);
    else
        add_flow(p, o->rank, o->peer, o->bytes, p->start[i], to,
                 p->end[i] == p->start[i] ? WI_JOB_NONE : p->end[i]);
}

/* ---- collectives ---- */

/* What is small goes by doubling. */
static uint8_t algorithm_of(const wi_placing *p, const wi_job_op *o, uint32_t size)
{
    const bool parts = o->collective != IC_OP_ALLREDUCE && o->collective != IC_OP_REDUCE_SCATTER;
    const bool small = o->bytes * (parts ? size : 1) <= p->c->job.small_bytes;
    if (o->collective != IC_OP_ALLREDUCE)
        return small ? IC_DOUBLING : IC_RING;
    switch (p->c->job.allreduce) {
    case WEIR_SC_REDUCE_RING:
        return IC_RING;
    case WEIR_SC_REDUCE_DOUBLING:
        return IC_DOUBLING;
    case WEIR_SC_REDUCE_HALVING:
        return IC_RABENSEIFNER;
    default:
        return small ? IC_DOUBLING : IC_RING;
    }
}

/* Of one source and target, the n-th step that sends goes to the n-th that receives: `end` says which it is. */
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

/* One member's chain of gates, and what its steps send and receive. */
static void add_member(wi_placing *p, uint32_t i, const uint32_t *ranks, uint32_t size)
{
    const wi_job_op *const o = &p->job->op[i];
    ic_collective c = {.op = o->collective,
                       .algorithm = algorithm_of(p, o, size),
                       .p = size,
                       .root = o->peer,
                       .bytes = o->bytes};
    ic_step s;
    while (ranks[c.rank] != o->rank)
        c.rank++;
    uint32_t at = p->start[i] = wi_placing_gate(p, o->rank, p->needs[i], 0, WI_JOB_NONE);
    for (uint32_t step = 0; p->status == WEIR_OK && ic_collective_step(&c, step, &s); step++) {
        const bool receives = s.from != IC_NOBODY, sends = s.to != IC_NOBODY;
        const bool local = sends && is_local(p, o->rank, ranks[s.to]);
        const bool waits = sends && !receives && (local || s.to_bytes > p->c->job.eager_bytes);
        uint32_t from = at;
        const uint32_t next = wi_placing_gate(p, o->rank, 1u + receives + waits, 0, WI_JOB_NONE);
        wi_placing_feed(p, at, next);
        if (local) {
            from = wi_placing_gate(p, o->rank, 1, local_ps(p, s.to_bytes),
                                   processor_of(p, &p->port[o->rank], o->rank));
            wi_placing_feed(p, at, from);
        }
        if (local && waits)
            wi_placing_feed(p, from, next);
        if (sends)
            add_step_end(p, (wi_message_end){o->rank, ranks[s.to], 0, false},
                         (step_end){from, waits && !local ? next : WI_JOB_NONE, s.to_bytes});
        if (receives)
            add_step_end(p, (wi_message_end){ranks[s.from], o->rank, 0, true},
                         (step_end){next, WI_JOB_NONE, s.from_bytes});
        at = next;
    }
    p->end[i] = at;
}

/* A step that sends, and the one that receives that. */
static weir_status match_steps(void *user, const wi_message_end *sent, const wi_message_end *received)
{
    wi_placing *const p = user;
    const step_end *const s = &p->steps[sent->at], *const r = &p->steps[received->at];
    if (is_local(p, sent->source, sent->target))
        reach(p, s->gate, r->gate);
    else
        add_flow(p, sent->source, sent->target, s->bytes, s->gate, r->gate, s->sent_feeds);
    return p->status;
}

static void add_collective(wi_placing *p, uint32_t first)
{
    const wi_job *const job = p->job;
    const uint32_t group = job->op[job->together[first]].group;
    const uint32_t *const ranks = job->member + job->group_first[group];
    const uint32_t size =
        (group + 1 < job->n_groups ? job->group_first[group + 1] : job->n_members) - job->group_first[group];
    p->n_steps = 0;
    for (uint32_t k = 0; k < size; k++)
        add_member(p, job->together[first + k], ranks, size);
    if (p->status == WEIR_OK)
        p->status = wi_message_ends_pair(p->ends, p->n_steps, match_steps, p);
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
    for (uint32_t i = 0; i < job->n_together && p->status == WEIR_OK; i++)
        if (job->op[job->together[i]].match == i)
            add_collective(p, i);
    for (uint32_t i = 0; i < job->n_ops && p->status == WEIR_OK; i++)
        if (job->op[i].kind == WI_JOB_SEND)
            add_message(p, i);
}

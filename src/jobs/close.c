/* Closing a job: messages with their receives, collectives with one another, whether it can end, sums. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/any.h"
#include "jobs/job.h"

/* ---- messages ---- */

/* A send or a receive. */
typedef struct message_end {
    uint32_t source, target, tag;
    bool receives;
    uint32_t op;
} message_end;

static int by_message(const void *a, const void *b)
{
    const message_end *x = a, *y = b;
    return WI_ORDER(x->source, y->source) ?: WI_ORDER(x->target, y->target) ?: WI_ORDER(x->tag, y->tag)
        ?: WI_ORDER(x->receives, y->receives) ?: WI_ORDER(x->op, y->op);
}

/* A send and its receive; one of them is null where the other has none. */
static weir_status match(weir_diag *diag, wi_job *job, const message_end *sent, const message_end *received)
{
    if (!received)
        return wi_job_wrong(diag, job, sent->op, "rank %u receives no such message with tag %u", sent->target,
                            sent->tag);
    if (!sent)
        return wi_job_wrong(diag, job, received->op, "rank %u sends no such message with tag %u",
                            received->source, received->tag);
    wi_job_op *const s = &job->op[sent->op], *const r = &job->op[received->op];
    if (r->bytes != 0 && r->bytes < s->bytes)
        return wi_job_wrong(diag, job, received->op, "%llu bytes for a message of %llu",
                            (unsigned long long)r->bytes, (unsigned long long)s->bytes);
    r->bytes = s->bytes;
    if (job->programs.n_actions)
        job->programs.actions[received->op].bytes = s->bytes;
    s->match = received->op;
    r->match = sent->op;
    return WEIR_OK;
}

/* Bytes of an operation, and 40 days of a rank's computations: what a run reckons with them stays within 64 bits. */
#define BYTES_MAX (UINT64_C(1) << 50)
#define COMPUTE_MAX_S (40.0 * 86400.0)

static weir_status check_ops(weir_diag *diag, const wi_job *job)
{
    WI_FREED double *compute_s = calloc((size_t)job->n_ranks + 1, sizeof *compute_s);
    if (!compute_s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u ranks", job->n_ranks);
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        if (o->bytes > BYTES_MAX)
            return wi_job_wrong(diag, job, i, "%llu bytes; want at most 1 PiB", (unsigned long long)o->bytes);
        if (o->kind == WI_JOB_COMPUTE && (compute_s[o->rank] += weir_seconds(o->time_ps)) > COMPUTE_MAX_S)
            return wi_job_wrong(diag, job, i, "the rank computes for more than 40 days");
        if ((o->kind == WI_JOB_SEND || (o->kind == WI_JOB_RECV && o->peer != JOB_ANY)) &&
            o->peer >= job->n_ranks)
            return wi_job_wrong(diag, job, i, "there is no rank %u; want 0 to %u", o->peer, job->n_ranks - 1);
    }
    return WEIR_OK;
}

/* Of one source, target and tag the n-th send with the n-th receive. */
static weir_status match_messages(weir_diag *diag, wi_job *job)
{
    WI_FREED message_end *end = malloc(((size_t)job->n_ops + 1) * sizeof *end);
    uint32_t n = 0;
    weir_status status = WEIR_OK;
    if (!end)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to match %u operations", job->n_ops);
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        const bool receives = o->kind == WI_JOB_RECV;
        if (o->kind != WI_JOB_SEND && !receives)
            continue;
        end[n++] =
            (message_end){receives ? o->peer : o->rank, receives ? o->rank : o->peer, o->tag, receives, i};
    }
    qsort(end, n, sizeof *end, by_message);
    for (uint32_t i = 0, next; i < n; i = next) {
        uint32_t sent = 0;
        for (next = i; next < n && end[next].source == end[i].source && end[next].target == end[i].target &&
                       end[next].tag == end[i].tag;
             next++)
            sent += !end[next].receives;
        const uint32_t received = next - i - sent;
        for (uint32_t k = 0; status == WEIR_OK && (k < sent || k < received); k++)
            status =
                match(diag, job, k < sent ? &end[i + k] : NULL, k < received ? &end[i + sent + k] : NULL);
    }
    return status;
}

/* ---- collectives ---- */

typedef struct collective_end {
    uint32_t group, number, member, op;
} collective_end;

static int by_instance(const void *a, const void *b)
{
    const collective_end *x = a, *y = b;
    return WI_ORDER(x->group, y->group) ?: WI_ORDER(x->number, y->number) ?: WI_ORDER(x->member, y->member);
}

/* All members do the same: as many as the group has, one each. */
static weir_status check_instance(weir_diag *diag, const wi_job *job, const collective_end *end, uint32_t n)
{
    const uint32_t size = wi_job_group_size(job, end->group);
    const wi_job_op *const first = &job->op[end->op];
    for (uint32_t k = 0; k < size; k++)
        if (k >= n || end[k].member != k)
            return wi_job_wrong(diag, job, end->op, "rank %u of its group never does it",
                                job->member[job->group_first[end->group] + k]);
    for (uint32_t k = 1; k < n; k++) {
        const wi_job_op *const o = &job->op[end[k].op];
        if (o->collective != first->collective || o->bytes != first->bytes || o->peer != first->peer)
            return wi_job_wrong(diag, job, end[k].op,
                                "rank %u does a %s of %llu bytes with root %u here, this one has %llu and %u",
                                first->rank, wi_job_kind_name(first), (unsigned long long)first->bytes,
                                first->peer, (unsigned long long)o->bytes, o->peer);
    }
    return first->peer < size ? WEIR_OK
                              : wi_job_wrong(diag, job, end->op, "root %u of %u members", first->peer, size);
}

/* Number of the rank in its group; the group's size where it is none of it. */
static uint32_t member_of(const wi_job *job, const wi_job_op *o)
{
    const uint32_t *const member = job->member + job->group_first[o->group],
                          n = wi_job_group_size(job, o->group);
    uint32_t k = o->rank < n && member[o->rank] == o->rank ? o->rank : 0; /* of the group of all: at once */
    while (k < n && member[k] != o->rank)
        k++;
    return k;
}

static weir_status match_collectives(weir_diag *diag, wi_job *job)
{
    WI_FREED collective_end *end = malloc(((size_t)job->n_ops + 1) * sizeof *end);
    WI_FREED uint32_t *number = calloc((size_t)job->n_members + 1, sizeof *number);
    job->together = malloc(((size_t)job->n_ops + 1) * sizeof *job->together);
    uint32_t n = 0;
    weir_status status = WEIR_OK;
    if (!end || !number || !job->together)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to match %u operations", job->n_ops);
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        if (o->kind != WI_JOB_COLLECTIVE)
            continue;
        const uint32_t member = member_of(job, o);
        if (member == wi_job_group_size(job, o->group))
            return wi_job_wrong(diag, job, i, "the rank is none of its group");
        end[n++] = (collective_end){o->group, number[job->group_first[o->group] + member]++, member, i};
    }
    if (n)
        qsort(end, n, sizeof *end, by_instance);
    for (uint32_t i = 0, next; i < n && status == WEIR_OK; i = next) {
        for (next = i; next < n && end[next].group == end[i].group && end[next].number == end[i].number;
             next++) {
            job->together[next] = end[next].op;
            job->op[end[next].op].match = i;
        }
        status = check_instance(diag, job, end + i, next - i);
    }
    job->n_together = n;
    return status;
}

/* ---- can it end? ---- */

enum { WAITING, STARTED, ENDED };

/* The job on a network that takes no time. Edges are sorted by what comes before: [first[i], first[i + 1]) of `next` are the
 * numbers of those behind operation i. */
typedef struct walk {
    const wi_job *job;
    uint32_t *first, *next;
    uint32_t *needs;    /* [n_ops] edges not followed yet */
    uint32_t *entered;  /* [n_ops] at the first of an instance: members that have come, */
    weir_time *latest;  /* and when the last of these did */
    weir_time *at_ps;   /* [n_ops] when what it has waited for was there; once it has ended: when that was */
    uint8_t *state;     /* [n_ops] */
    bool *came;         /* [n_ops] of a receive: its message, */
    weir_time *came_ps; /* and when: before it has started that is not its own time */
    uint32_t *queue;    /* twice an operation, and 1 where it has ended, in order */
    uint64_t n, at;
    uint32_t ended;
    wi_any *any; /* instead of the queue, `match` and `came`: what comes first is to be found; null: not */
} walk;

static void put(walk *w, uint32_t op, bool ended)
{
    if (w->any)
        wi_any_put(w->any, 2 * (uint64_t)op + ended, w->at_ps[op]);
    else
        w->queue[w->n++] = 2 * op + ended;
}

static bool next(walk *w, uint64_t *entry)
{
    if (w->any)
        return wi_any_next(w->any, entry);
    if (w->at == w->n)
        return false;
    *entry = w->queue[w->at++];
    return true;
}

static void wait_until(walk *w, uint32_t op, weir_time at_ps)
{
    w->at_ps[op] = at_ps > w->at_ps[op] ? at_ps : w->at_ps[op];
}

/* A member has come to its collective. Of these some end with the root, some with the last member, and the rest wait for
 * nobody. */
static void enter(walk *w, uint32_t op)
{
    const wi_job_op *const o = &w->job->op[op];
    const uint32_t size = wi_job_group_size(w->job, o->group), *const member = w->job->together + o->match;
    const uint32_t root = member[o->peer];
    const bool from_root = o->collective == JOB_OP_BCAST || o->collective == JOB_OP_SCATTER;
    const bool to_root = o->collective == JOB_OP_REDUCE || o->collective == JOB_OP_GATHER;
    const bool all_here = ++w->entered[o->match] == size;
    weir_time *const latest = &w->latest[o->match];
    if (to_root)
        wait_until(w, root, w->at_ps[op]);
    else if (!from_root || op == root)
        *latest = w->at_ps[op] > *latest ? w->at_ps[op] : *latest;
    for (uint32_t k = 0; k < size && !to_root && (from_root ? op == root : all_here); k++)
        wait_until(w, member[k], *latest);
    if (from_root && op != root) {
        if (w->state[root] != WAITING)
            put(w, op, true);
    } else if (to_root && op != root) {
        put(w, op, true);
        if (all_here)
            put(w, root, true);
    } else if (from_root || all_here) {
        for (uint32_t k = 0; k < size; k++)
            if (w->state[member[k]] == STARTED && (!to_root || member[k] == root))
                put(w, member[k], true);
    }
}

static void follow(walk *w, uint32_t op, bool at_start)
{
    for (uint32_t i = w->first[op]; i < w->first[op + 1]; i++) {
        const wi_job_edge *const e = &w->job->edge[w->next[i]];
        if (e->at_start != at_start)
            continue;
        wait_until(w, e->after, w->at_ps[op]);
        if (--w->needs[e->after] == 0)
            put(w, e->after, false);
    }
}

static void start(walk *w, uint32_t op)
{
    const wi_job_op *const o = &w->job->op[op];
    w->state[op] = STARTED;
    follow(w, op, true);
    if (o->kind == WI_JOB_COLLECTIVE) {
        enter(w, op);
        return;
    }
    w->at_ps[op] += o->kind == WI_JOB_COMPUTE ? o->time_ps : 0;
    if (w->came[op])
        wait_until(w, op, w->came_ps[op]);
    if (o->kind != WI_JOB_RECV || (w->any ? wi_any_receive(w->any, op) != WI_JOB_NONE : w->came[op]))
        put(w, op, true);
}

static void end(walk *w, uint32_t op)
{
    const wi_job_op *const o = &w->job->op[op];
    w->state[op] = ENDED;
    w->ended++;
    follow(w, op, false);
    if (o->kind != WI_JOB_SEND)
        return;
    const uint32_t receive = w->any ? wi_any_send(w->any, op) : o->match;
    if (receive == WI_JOB_NONE)
        return;
    w->came[receive] = true;
    w->came_ps[receive] = w->at_ps[op];
    if (w->state[receive] == STARTED) {
        wait_until(w, receive, w->at_ps[op]);
        put(w, receive, true);
    }
}

static bool make_walk(walk *w, wi_owned *memory)
{
    const wi_job *const job = w->job;
    const size_t n = job->n_ops;
    w->first = wi_take(memory, n + 2, sizeof *w->first);
    w->next = wi_take(memory, job->n_edges, sizeof *w->next);
    w->needs = wi_take(memory, n, sizeof *w->needs);
    w->entered = wi_take(memory, n, sizeof *w->entered);
    w->latest = wi_take(memory, n, sizeof *w->latest);
    w->at_ps = wi_take(memory, n, sizeof *w->at_ps);
    w->state = wi_take(memory, n, sizeof *w->state);
    w->came = wi_take(memory, n, sizeof *w->came);
    w->came_ps = wi_take(memory, n, sizeof *w->came_ps);
    w->queue = wi_take(memory, 2 * n, sizeof *w->queue);
    if (memory->failed)
        return false;
    for (uint32_t i = 0; i < job->n_edges; i++)
        w->needs[job->edge[i].after]++;
    wi_order_by(job->edge ? &job->edge->before : NULL, sizeof *job->edge, job->n_edges, job->n_ops, w->first,
                w->next);
    return true;
}

/* Whom the first operation waits for that never ends. */
static weir_status name_deadlock(weir_diag *diag, const walk *w)
{
    const wi_job *const job = w->job;
    uint32_t op = 0;
    while (w->state[op] == ENDED)
        op++;
    for (uint32_t i = 0; i < job->n_edges && w->state[op] == WAITING; i++) {
        const wi_job_op *const before = &job->op[job->edge[i].before];
        if (job->edge[i].after == op && w->state[job->edge[i].before] != ENDED)
            return wi_job_wrong(
                diag, job, op, "a deadlock: it waits for %s %llu (%s) of rank %u, which never ends",
                job->what, (unsigned long long)before->where, wi_job_kind_name(before), before->rank);
    }
    if (job->op[op].kind == WI_JOB_RECV)
        return wi_job_wrong(diag, job, op, "a deadlock: rank %u never comes to %s %llu, which sends to it",
                            job->op[op].peer, job->what,
                            (unsigned long long)job->op[job->op[op].match].where);
    uint32_t k = job->op[op].match;
    while (w->state[job->together[k]] != WAITING)
        k++;
    return wi_job_wrong(diag, job, op, "a deadlock: rank %u never comes to it",
                        job->op[job->together[k]].rank);
}

/* Whom a message never comes to, of those that have not come to theirs. */
static weir_status name_unmet(weir_diag *diag, const walk *w)
{
    const wi_job *const job = w->job;
    uint32_t op = 0;
    while (op < job->n_ops && (w->state[op] == ENDED || job->op[op].kind != WI_JOB_RECV))
        op++;
    return op == job->n_ops ? WEIR_OK
           : w->state[op] == STARTED
               ? wi_job_wrong(diag, job, op, "no message comes for it before it goes on")
               : wi_job_wrong(diag, job, op, "a deadlock: the rank never comes to it");
}

/* Through the job: with `any` to settle it, then to see whether the job can end. */
static weir_status walk_through(weir_diag *diag, wi_job *job, wi_any *any)
{
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    walk w = {.job = job, .any = any};
    if (!make_walk(&w, &memory))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to order %u operations", job->n_ops);
    for (uint32_t i = 0; i < job->n_ops; i++)
        if (w.needs[i] == 0)
            put(&w, i, false);
    for (uint64_t entry; next(&w, &entry);)
        (entry % 2 ? end : start)(&w, (uint32_t)(entry / 2));
    if (any)
        return name_unmet(diag, &w);
    for (uint32_t i = 0; i < job->n_ops; i++)
        job->sums.critical_ps = w.at_ps[i] > job->sums.critical_ps ? w.at_ps[i] : job->sums.critical_ps;
    return w.ended < job->n_ops ? name_deadlock(diag, &w) : WEIR_OK;
}

static void sum_up(wi_job *job)
{
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        job->sums.ops[o->kind]++;
        job->sums.bytes[o->kind] += o->bytes;
        job->sums.compute_ps += o->kind == WI_JOB_COMPUTE ? (double)o->time_ps : 0.0;
    }
}

weir_status wi_job_close(weir_diag *diag, wi_job *job)
{
    if (job->n_ops == 0)
        return weir_fail(diag, WEIR_E_FORMAT, "%s: a job without operations", job->file ? job->file : "job");
    WI_RETURN_IF_FAILED(check_ops(diag, job));
    if (job->alike) { /* nobody waits for another, and a rank's computations follow each other */
        sum_up(job);
        job->sums.critical_ps = (weir_time)job->sums.compute_ps;
        return WEIR_OK;
    }
    WI_ENDED(wi_any_free) wi_any *any = NULL;
    weir_status status = match_collectives(diag, job) ?: wi_any_new(diag, job, &any)
                               ?: (any ? walk_through(diag, job, any) : WEIR_OK)
                               ?: match_messages(diag, job);
    if (status != WEIR_OK)
        return status;
    status = walk_through(job->may_deadlock ? NULL : diag, job, NULL);
    if (status == WEIR_E_FORMAT && job->may_deadlock) {
        job->sums.critical_ps = -1;
        status = WEIR_OK;
    }
    sum_up(job);
    return status;
}

/* Receives from any rank or of any tag; see any.h. */
#include "jobs/any.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* What has been, and has not met the other one: a list in order. */
typedef struct waiting {
    uint32_t first, last; /* WI_JOB_NONE: none */
} waiting;

typedef struct due {
    weir_time at_ps;
    uint64_t entry;
} due;

struct wi_any {
    wi_job *job;
    waiting *sent, *posted; /* [n_ranks] of the rank that receives */
    uint32_t *next;         /* [n_ops] in its list */
    due *heap;              /* the least is heap[0] */
    size_t n;
    wi_owned memory;
};

static bool is_any(const wi_job_op *o)
{
    return o->kind == WI_JOB_RECV && (o->peer == JOB_ANY || o->tag == JOB_ANY);
}

/* ---- who is nobody ---- */

/* A message, or a receive, at a rank. */
typedef struct end {
    uint32_t rank, tag, op;
    int8_t messages; /* 1: a message; -1: a receive of one; 0: of one from any rank or nobody */
} end;

WI_ORDER_BY(by_rank_and_tag, end, WI_ORDER(x->rank, y->rank) ?: WI_ORDER(x->tag, y->tag)
                       ?: WI_ORDER(x->op, y->op))

/* A receive from nobody does nothing, and nobody waits for it. */
static void leave_out(wi_job *job, uint32_t op)
{
    wi_job_programs *const p = &job->programs;
    job->op[op].kind = WI_JOB_COMPUTE;
    if (op >= p->n_actions)
        return;
    const bool request = p->actions[op].op == JOB_OP_IRECV;
    const uint32_t slot = p->actions[op].slot;
    p->actions[op] = (job_action){.op = JOB_OP_COMPUTE};
    for (size_t i = op + 1; request && i < p->n_actions && job->op[i].rank == job->op[op].rank; i++)
        if (p->actions[i].op == JOB_OP_WAITALL)
            return;
        else if (p->actions[i].op == JOB_OP_WAIT && p->actions[i].slot == slot) {
            p->actions[i] = (job_action){.op = JOB_OP_COMPUTE};
            return;
        }
}

static weir_status tell_nobody(weir_diag *diag, wi_job *job)
{
    WI_FREED end *list = malloc(((size_t)job->n_ops + 1) * sizeof *list);
    uint32_t n = 0;
    weir_status status = WEIR_OK;
    if (!list)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to match %u operations", job->n_ops);
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        if (o->kind == WI_JOB_SEND)
            list[n++] = (end){o->peer, o->tag, i, 1};
        else if (o->kind == WI_JOB_RECV && o->tag != JOB_ANY)
            list[n++] = (end){o->rank, o->tag, i, o->peer == JOB_ANY ? 0 : -1};
    }
    if (n)
        qsort(list, n, sizeof *list, by_rank_and_tag);
    for (uint32_t i = 0, next; i < n && status == WEIR_OK; i = next) {
        int64_t messages = 0, receives = 0;
        uint32_t first = WI_JOB_NONE;
        for (next = i; next < n && list[next].rank == list[i].rank && list[next].tag == list[i].tag; next++) {
            messages += list[next].messages;
            receives += list[next].messages == 0;
            first = list[next].messages == 0 && first == WI_JOB_NONE ? list[next].op : first;
        }
        for (uint32_t k = i; k < next && messages <= 0; k++)
            if (list[k].messages == 0)
                leave_out(job, list[k].op);
        if (messages > 0 && messages < receives)
            status = wi_job_wrong(
                diag, job, first,
                "%lld receives are from any rank, or from nobody, and %lld messages are for them: which is "
                "which, statuses in the trace would tell",
                (long long)receives, (long long)messages);
    }
    return status;
}

/* ---- meeting ---- */

static bool fits(const wi_job_op *receive, const wi_job_op *send)
{
    return (receive->peer == JOB_ANY || receive->peer == send->rank) &&
           (receive->tag == JOB_ANY ? send->tag < JOB_KEY_INNER : receive->tag == send->tag);
}

/* The first one of a list that fits, taken out; where there is none, `op` comes behind the others of `own`. */
static uint32_t meet(wi_any *any, waiting *list, waiting *own, uint32_t op, bool receives)
{
    const wi_job *const job = any->job;
    uint32_t before = WI_JOB_NONE, at = list->first;
    while (at != WI_JOB_NONE &&
           !(receives ? fits(&job->op[op], &job->op[at]) : fits(&job->op[at], &job->op[op]))) {
        before = at;
        at = any->next[at];
    }
    if (at == WI_JOB_NONE) {
        any->next[op] = WI_JOB_NONE;
        *(own->first == WI_JOB_NONE ? &own->first : &any->next[own->last]) = op;
        own->last = op;
        return at;
    }
    *(before == WI_JOB_NONE ? &list->first : &any->next[before]) = any->next[at];
    list->last = list->last == at ? before : list->last;
    return at;
}

static void settle(wi_job *job, uint32_t receive, uint32_t send)
{
    wi_job_op *const r = &job->op[receive], *const s = &job->op[send];
    r->peer = s->rank;
    r->tag = s->tag;
    if (receive < job->programs.n_actions) {
        job->programs.actions[receive].peer = s->rank;
        job->programs.actions[receive].key = s->tag;
    }
}

uint32_t wi_any_send(wi_any *any, uint32_t op)
{
    const uint32_t to = any->job->op[op].peer;
    const uint32_t receive = meet(any, &any->posted[to], &any->sent[to], op, false);
    if (receive != WI_JOB_NONE)
        settle(any->job, receive, op);
    return receive;
}

uint32_t wi_any_receive(wi_any *any, uint32_t op)
{
    const uint32_t at = any->job->op[op].rank;
    const uint32_t send = meet(any, &any->sent[at], &any->posted[at], op, true);
    if (send != WI_JOB_NONE)
        settle(any->job, op, send);
    return send;
}

/* ---- time ---- */

static bool before(const due *a, const due *b)
{
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->entry < b->entry;
}

void wi_any_put(wi_any *any, uint64_t entry, weir_time at_ps)
{
    const due d = {at_ps, entry};
    size_t i = any->n++;
    for (; i > 0 && before(&d, &any->heap[(i - 1) / 2]); i = (i - 1) / 2)
        any->heap[i] = any->heap[(i - 1) / 2];
    any->heap[i] = d;
}

bool wi_any_next(wi_any *any, uint64_t *entry)
{
    if (any->n == 0)
        return false;
    *entry = any->heap[0].entry;
    const due d = any->heap[--any->n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < any->n; i = child) {
        child += child + 1 < any->n && before(&any->heap[child + 1], &any->heap[child]);
        if (!before(&any->heap[child], &d))
            break;
        any->heap[i] = any->heap[child];
    }
    any->heap[i] = d;
    return true;
}

/* ---- all of it ---- */

weir_status wi_any_new(weir_diag *diag, wi_job *job, wi_any **out)
{
    bool some = false;
    weir_status status = WEIR_OK;
    *out = NULL;
    for (uint32_t i = 0; i < job->n_ops && !some; i++)
        some = is_any(&job->op[i]);
    if (some && job->any_or_nobody)
        status = tell_nobody(diag, job);
    if (!some || status != WEIR_OK)
        return status;
    wi_any *const any = *out = calloc(1, sizeof *any);
    if (any) {
        any->job = job;
        any->sent = wi_take(&any->memory, job->n_ranks, sizeof *any->sent);
        any->posted = wi_take(&any->memory, job->n_ranks, sizeof *any->posted);
        any->next = wi_take(&any->memory, job->n_ops, sizeof *any->next);
        any->heap = wi_take(&any->memory, 2 * (size_t)job->n_ops, sizeof *any->heap);
    }
    if (!any || any->memory.failed)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory to match %u operations", job->n_ops);
    for (uint32_t r = 0; r < job->n_ranks; r++)
        any->sent[r] = any->posted[r] = (waiting){WI_JOB_NONE, WI_JOB_NONE};
    return WEIR_OK;
}

void wi_any_free(wi_any **any)
{
    if (!*any)
        return;
    wi_owned_free(&(*any)->memory);
    free(*any);
    *any = NULL;
}

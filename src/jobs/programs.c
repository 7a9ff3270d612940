/* Programs, and operations that wait for each other; see job.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/job.h"

bool wi_job_put(wi_job_programs *to, const job_action *action, wi_job_place place)
{
    if (!wi_grow_one(&to->actions, to->n_actions, sizeof *to->actions) ||
        !wi_grow_one(&to->place, to->n_actions, sizeof *to->place))
        return false;
    to->place[to->n_actions] = place;
    to->actions[to->n_actions++] = *action;
    return true;
}

/* ---- operations of programs ---- */

/* A rank's actions as operations. */
typedef struct chain {
    wi_job *job;
    uint32_t last;  /* WI_JOB_NONE: none yet */
    bool at_start;  /* what follows waits for its start alone: a request */
    uint32_t *open; /* [n_slots] operations of requests that are not waited for; WI_JOB_NONE: none */
    uint32_t n_slots;
} chain;

/* The next action waits for the one before, and for `request` unless that is WI_JOB_NONE. */
static bool add(chain *c, const wi_job_op *op, bool goes_on)
{
    const uint32_t at = wi_job_add(c->job, op);
    const bool good =
        at != WI_JOB_NONE && (c->last == WI_JOB_NONE || wi_job_after(c->job, at, c->last, c->at_start));
    c->last = at;
    c->at_start = goes_on;
    return good;
}

static bool wait_for(chain *c, uint32_t slot)
{
    const uint32_t op = c->open[slot];
    c->open[slot] = WI_JOB_NONE;
    return op == WI_JOB_NONE || wi_job_after(c->job, c->last, op, false);
}

static bool take(chain *c, const job_action *a, uint32_t rank, uint64_t line)
{
    wi_job_op op = {.kind = WI_JOB_COMPUTE,
                    .rank = rank,
                    .peer = a->peer,
                    .tag = a->key,
                    .bytes = a->bytes,
                    .where = line};
    const bool request = a->op == JOB_OP_ISEND || a->op == JOB_OP_IRECV;
    if (a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND)
        op.kind = WI_JOB_SEND;
    else if (a->op == JOB_OP_RECV || a->op == JOB_OP_IRECV)
        op.kind = WI_JOB_RECV;
    else if (a->op >= JOB_OP_BARRIER) {
        op.kind = WI_JOB_COLLECTIVE;
        op.collective = a->op;
        op.group = a->slot;
    } else if (a->op == JOB_OP_COMPUTE)
        op.time_ps = a->time_ps;
    if (!add(c, &op, request))
        return false;
    if (request)
        c->open[a->slot] = c->last;
    bool good = true;
    for (uint32_t i = 0; a->op == JOB_OP_WAITALL && good && i < c->n_slots; i++)
        good = wait_for(c, i);
    return good && (a->op != JOB_OP_WAIT || wait_for(c, a->slot));
}

/* How many slots some actions have. */
static uint32_t slots_of(const job_action *actions, size_t n)
{
    uint32_t slots = 0;
    for (size_t i = 0; i < n; i++)
        if (actions[i].op < JOB_OP_BARRIER && actions[i].slot >= slots)
            slots = actions[i].slot + 1;
    return slots;
}

bool wi_job_group_of_all(wi_job *job)
{
    WI_FREED uint32_t *all = malloc(((size_t)job->n_ranks + 1) * sizeof *all);
    for (uint32_t r = 0; all && r < job->n_ranks; r++)
        all[r] = r;
    return all && wi_job_group(job, all, job->n_ranks) != WI_JOB_NONE;
}

bool wi_job_of_programs(wi_job *job)
{
    const wi_job_programs *const p = &job->programs;
    const uint32_t slots = slots_of(p->actions, p->n_actions);
    WI_FREED uint32_t *open = malloc(((size_t)slots + 1) * sizeof *open);
    bool good = open && (job->n_groups || wi_job_group_of_all(job));
    for (uint32_t r = 0; good && r < job->n_ranks; r++) {
        chain c = {job, WI_JOB_NONE, false, open, slots};
        for (uint32_t i = 0; i < slots; i++)
            open[i] = WI_JOB_NONE;
        for (size_t i = p->first[r]; good && i < p->first[r + 1]; i++)
            good = take(&c, &p->actions[i], r, p->place[i].line);
    }
    return good;
}

/* ---- programs of operations ---- */

/*
 * A rank whose operations become a program. Its time goes on in stages: each begins where all that an operation waits for has
 * ended. An operation is in its place where it would not have begun earlier: it waits for what began with the stage, or for all
 * that the stage waited for.
 */
typedef struct sequence {
    weir_diag *diag;
    wi_job *job;
    wi_job_programs to;
    uint32_t *first, *edge;  /* [first[i], first[i + 1]): edges to operation i */
    uint32_t *begun, *ended; /* [n_ops] in which stage of its rank, at the latest; 0: not yet */
    uint32_t *slot;          /* [n_ops] of a message */
    uint32_t *order;         /* [n_ops] rank by rank */
    uint32_t stage,
        awaited;    /* awaited: how many ended for the stage to begin; WI_JOB_NONE: none that can be named */
    uint32_t slots; /* of the rank, so far */
    wi_owned memory;
} sequence;

static weir_status put_at(weir_diag *diag, wi_job_programs *to, wi_job_place place, job_action action)
{
    return wi_job_put(to, &action, place)
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %zu actions", to->n_actions);
}

static weir_status put(sequence *s, uint64_t line, job_action action)
{
    return put_at(s->diag, &s->to, (wi_job_place){0, (uint32_t)line}, action);
}

/* All ranks in their order? */
static bool is_of_all(const wi_job *job, uint32_t group)
{
    const uint32_t *const member = job->member + job->group_first[group];
    bool all = wi_job_group_size(job, group) == job->n_ranks;
    for (uint32_t i = 0; all && i < job->n_ranks; i++)
        all = member[i] == i;
    return all;
}

/* What the operation waits for and has not ended is waited for. */
static weir_status wait_before(sequence *s, uint32_t op)
{
    uint32_t waits = 0, known = 0, ends = 0;
    bool at_once = s->awaited == 0, starts = false;
    for (uint32_t i = s->first[op]; i < s->first[op + 1]; i++) {
        const wi_job_edge *const e = &s->job->edge[s->edge[i]];
        if (!s->begun[e->before])
            return wi_job_fail(s->diag, WEIR_E_UNSUPPORTED, s->job, op, "it waits for one that comes later");
        const bool ended = s->ended[e->before] != 0;
        at_once |= s->begun[e->before] == s->stage;
        starts |= e->at_start;
        ends += !e->at_start;
        waits += !e->at_start && !ended;
        known += !e->at_start && s->ended[e->before] == s->stage;
    }
    if (!at_once && known != s->awaited)
        return wi_job_fail(s->diag, WEIR_E_UNSUPPORTED, s->job, op,
                           "it goes on beside others; here a rank computes, and takes part in a collective, "
                           "one after the other");
    weir_status status = WEIR_OK;
    for (uint32_t i = s->first[op]; waits && i < s->first[op + 1] && status == WEIR_OK; i++) {
        const wi_job_edge *const e = &s->job->edge[s->edge[i]];
        if (e->at_start)
            continue;
        if (!s->ended[e->before])
            status =
                put(s, s->job->op[op].where, (job_action){.op = JOB_OP_WAIT, .slot = s->slot[e->before]});
        s->ended[e->before] = s->stage + 1;
    }
    s->stage += waits > 0;
    s->awaited = waits == 0 ? s->awaited : starts ? WI_JOB_NONE : ends;
    return status;
}

static weir_status put_op(sequence *s, uint32_t op)
{
    static const uint8_t ops[] = {
        [WI_JOB_COMPUTE] = JOB_OP_COMPUTE, [WI_JOB_SEND] = JOB_OP_ISEND, [WI_JOB_RECV] = JOB_OP_IRECV};
    const wi_job_op *const o = &s->job->op[op];
    const bool message = o->kind == WI_JOB_SEND || o->kind == WI_JOB_RECV;
    weir_status status = wait_before(s, op);
    if (status != WEIR_OK)
        return status;
    s->begun[op] = s->stage;
    if (message)
        s->slot[op] = s->slots++;
    status = put(s, o->where,
                 (job_action){.op = o->kind == WI_JOB_COLLECTIVE ? o->collective : ops[o->kind],
                              .algorithm = JOB_AUTO,
                              .peer = o->peer,
                              .key = o->tag,
                              .slot = message ? s->slot[op] : o->group,
                              .bytes = o->bytes,
                              .time_ps = o->time_ps});
    if (!message) {
        s->ended[op] = ++s->stage;
        s->awaited = 1;
    }
    return status;
}

/* Edges by what waits, and operations by rank. */
static bool sort_all(sequence *s)
{
    const wi_job *const job = s->job;
    const size_t n = job->n_ops;
    s->first = wi_take(&s->memory, n + 2, sizeof *s->first);
    s->edge = wi_take(&s->memory, job->n_edges, sizeof *s->edge);
    s->begun = wi_take(&s->memory, n, sizeof *s->begun);
    s->ended = wi_take(&s->memory, n, sizeof *s->ended);
    s->slot = wi_take(&s->memory, n, sizeof *s->slot);
    s->order = wi_take(&s->memory, n, sizeof *s->order);
    uint32_t *const rank = wi_take(&s->memory, (size_t)job->n_ranks + 2, sizeof *rank);
    s->to.first = calloc((size_t)job->n_ranks + 1, sizeof *s->to.first);
    if (s->memory.failed || !s->to.first)
        return false;
    wi_order_by(job->edge ? &job->edge->after : NULL, sizeof *job->edge, job->n_edges, job->n_ops, s->first,
                s->edge);
    wi_order_by(&job->op->rank, sizeof *job->op, job->n_ops, job->n_ranks, rank, s->order);
    return true;
}

/* A collective of some ranks as its steps, in the slots from one on. */
static weir_status put_steps(weir_diag *diag, wi_job *job, wi_job_programs *to, uint32_t rank,
                             wi_job_place place, const job_action *a, uint32_t slot)
{
    const uint32_t *const member = job->member + job->group_first[a->slot];
    job_collective c = {.op = a->op,
                        .algorithm = a->algorithm,
                        .p = wi_job_group_size(job, a->slot),
                        .root = a->peer,
                        .bytes = a->bytes};
    job_step s;
    weir_status status = WEIR_OK;
    while (c.rank < c.p && member[c.rank] != rank)
        c.rank++;
    for (uint32_t step = 0; status == WEIR_OK && job_collective_step(&c, step, &s); step++) {
        job_action message = {.key = INT32_MAX - a->slot, .slot = slot};
        if (s.from != JOB_NOBODY) {
            message.op = JOB_OP_IRECV;
            message.peer = member[s.from];
            message.bytes = s.from_bytes;
            status = put_at(diag, to, place, message);
        }
        if (s.to != JOB_NOBODY && status == WEIR_OK) {
            message.op = JOB_OP_SEND;
            message.peer = member[s.to];
            message.bytes = s.to_bytes;
            status = put_at(diag, to, place, message);
        }
        if (s.from != JOB_NOBODY && status == WEIR_OK)
            status = put_at(diag, to, place, (job_action){.op = JOB_OP_WAIT, .slot = slot});
    }
    return status;
}

/* Here all ranks of a job do a collective: one of some is done by messages. */
static weir_status replace_collectives(weir_diag *diag, wi_job *job)
{
    wi_job_programs *const p = &job->programs, to = {0};
    WI_FREED bool *of_all = calloc((size_t)job->n_groups + 1, sizeof *of_all);
    bool any = false;
    weir_status status = of_all ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for groups");
    for (uint32_t g = 0; of_all && g < job->n_groups; g++) {
        of_all[g] = is_of_all(job, g);
        any |= !of_all[g];
    }
    if (!any || status != WEIR_OK)
        return status;
    for (uint32_t r = 0; r < job->n_ranks && status == WEIR_OK; r++) {
        const size_t first = p->first[r], end = p->first[r + 1];
        const uint32_t slot = slots_of(p->actions + first, end - first);
        p->first[r] = to.n_actions;
        for (size_t i = first; i < end && status == WEIR_OK; i++) {
            const job_action *const a = &p->actions[i];
            status = a->op < JOB_OP_BARRIER || of_all[a->slot]
                         ? put_at(diag, &to, p->place[i], *a)
                         : put_steps(diag, job, &to, r, p->place[i], a, slot);
        }
    }
    free(p->actions);
    free(p->place);
    p->actions = to.actions;
    p->place = to.place;
    p->first[job->n_ranks] = p->n_actions = to.n_actions;
    return status;
}

weir_status wi_job_to_programs(weir_diag *diag, wi_job *job)
{
    sequence s = {.diag = diag, .job = job};
    weir_status status = WEIR_OK;
    if (job->programs.n_actions)
        return replace_collectives(diag, job);
    if (!sort_all(&s))
        status = weir_fail(diag, WEIR_E_NOMEM, "no memory to order %u operations", job->n_ops);
    for (uint32_t r = 0, i = 0; r < job->n_ranks && status == WEIR_OK; r++) {
        s.stage = 1;
        s.awaited = s.slots = 0;
        for (; i < job->n_ops && job->op[s.order[i]].rank == r && status == WEIR_OK; i++)
            status = put_op(&s, s.order[i]);
        status = status ?: put(&s, 0, (job_action){.op = JOB_OP_WAITALL});
        s.to.first[r + 1] = s.to.n_actions;
    }
    wi_owned_free(&s.memory);
    if (status != WEIR_OK) {
        wi_job_programs_free(&s.to);
        return status;
    }
    job->programs = s.to;
    return replace_collectives(diag, job);
}

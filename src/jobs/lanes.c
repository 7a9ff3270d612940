/*
 * Operations of a job as programs of its ranks: actions one after the other, in lanes that go on beside each other; see
 * wi_job_to_programs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/job.h"

/*
 * One of the things that a rank does beside each other. Its time goes on in stages: each begins where all that it waited for has
 * ended. An operation is in its place where it would not have begun earlier: it waits for what began with the stage, or for all
 * that the stage waited for.
 */
typedef struct lane {
    wi_job_programs to; /* actions and places alone */
    uint32_t stage;
    uint32_t *awaited; /* [n_awaited] operations that ended for the stage to begin */
    uint32_t n_awaited;
    bool by_start; /* it waited for a start too */
    uint8_t kind;  /* of its last operation that takes time */
    uint32_t slot; /* of what its collectives receive; WI_JOB_NONE: none yet */
} lane;

/* What an operation waits for. */
typedef struct need {
    uint32_t op;
    bool at_start;
} need;

/* Collectives of a group whose messages are told apart: one waits for the end of the one so many before. */
enum { KEYS = 256, LANES_MAX = UINT16_MAX };

/* Ranks whose operations become programs; numbers of operations are the job's. */
typedef struct sequence {
    weir_diag *diag;
    wi_job *job;
    uint8_t allreduce;
    bool
        beside; /* ranks may have several lanes; else WEIR_E_UNSUPPORTED, without a word, says that one needs them */
    wi_job_programs to;
    uint32_t *first, *edge; /* [first[i], first[i + 1]): edges to operation i */
    uint32_t *rank, *order; /* [rank[r], rank[r + 1]): operations of rank r in `order` */
    uint32_t *place;        /* [n_ops] number of it in its rank */
    uint32_t *lane_of;      /* from 1; 0: not yet */
    uint32_t *begun;        /* in which stage of its lane */
    uint32_t *known;        /* a lane, from 1, that goes on behind its end */
    uint32_t *from, *until; /* its actions in its lane, first and last */
    uint32_t *slot, *tag;   /* of a message */
    uint32_t *number,
        *twin; /* of a collective: in its group, from 0; the one of the same keys before; WI_JOB_NONE: none */
    uint32_t *mark, marked; /* what the operation at hand waits for the end of */
    need *needs;            /* [n_needs] of the operation at hand */
    size_t n_needs;
    lane *lanes; /* [n_lanes] of the rank at hand */
    size_t n_lanes;
    uint32_t slots; /* of the rank, so far */
    /* beside: [n_ops] how much has no place yet of what it waits for; the one that it is a twin of; edges by what they wait for */
    uint32_t *left, *heir, *first_after, *edge_after;
    uint32_t n_all_lanes;
    wi_owned memory;
} sequence;

static weir_status put(weir_diag *diag, wi_job_programs *to, wi_job_place place, job_action action)
{
    return wi_job_put(to, &action, place)
               ? WEIR_OK
               : weir_fail(diag, WEIR_E_NOMEM, "no memory for more than %zu actions", to->n_actions);
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

/* A collective as its steps, of messages with a key, which are received in a slot. */
static weir_status put_steps(weir_diag *diag, const wi_job *job, wi_job_programs *to, uint32_t rank,
                             wi_job_place place, const job_action *a, uint32_t key, uint32_t slot)
{
    const uint32_t *const member = job->member + job->group_first[a->slot];
    job_collective c = {.op = a->op,
                        .algorithm = a->algorithm,
                        .p = wi_job_group_size(job, a->slot),
                        .root = a->peer,
                        .bytes = a->bytes};
    job_step s;
    const size_t before = to->n_actions;
    weir_status status = WEIR_OK;
    while (c.rank < c.p && member[c.rank] != rank)
        c.rank++;
    for (uint32_t step = 0; status == WEIR_OK && job_collective_step(&c, step, &s); step++) {
        job_action message = {.key = key, .slot = slot};
        if (s.from != JOB_NOBODY) {
            message.op = JOB_OP_IRECV;
            message.peer = member[s.from];
            message.bytes = s.from_bytes;
            status = put(diag, to, place, message);
        }
        if (s.to != JOB_NOBODY && status == WEIR_OK) {
            message.op = JOB_OP_SEND;
            message.peer = member[s.to];
            message.bytes = s.to_bytes;
            status = put(diag, to, place, message);
        }
        if (s.from != JOB_NOBODY && status == WEIR_OK)
            status = put(diag, to, place, (job_action){.op = JOB_OP_WAIT, .slot = slot});
    }
    if (status == WEIR_OK && to->n_actions == before)
        status = put(diag, to, place, (job_action){.op = JOB_OP_COMPUTE});
    if (status == WEIR_OK)
        to->actions[to->n_actions - 1].ends = a->ends;
    return status;
}

/* ---- what waits for what ---- */

static bool need_one(sequence *s, uint32_t op, bool at_start)
{
    if (!wi_grow_one(&s->needs, s->n_needs, sizeof *s->needs))
        return false;
    s->needs[s->n_needs++] = (need){op, at_start};
    if (!at_start)
        s->mark[op] = s->marked;
    return true;
}

/* What an operation waits for, as the one at hand. */
static weir_status look_at(sequence *s, uint32_t op)
{
    bool good = true;
    s->n_needs = 0;
    s->marked++;
    for (uint32_t i = s->first[op]; good && i < s->first[op + 1]; i++)
        good = need_one(s, s->job->edge[s->edge[i]].before, s->job->edge[s->edge[i]].at_start);
    if (good && s->beside && s->twin[op] != WI_JOB_NONE)
        good = need_one(s, s->twin[op], false);
    for (size_t i = 0; good && i < s->n_needs; i++)
        if (!s->lane_of[s->needs[i].op])
            return WEIR_E_UNSUPPORTED; /* in one lane it would come too early */
    return good ? WEIR_OK : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the order of operations");
}

/* Would the operation at hand not begin earlier than a lane comes to it? */
static bool fits(const sequence *s, uint32_t number)
{
    const lane *const l = &s->lanes[number];
    bool all = !l->by_start, at_once = l->stage == 0;
    for (size_t i = 0; i < s->n_needs && !at_once; i++)
        at_once = s->lane_of[s->needs[i].op] == number + 1 && s->begun[s->needs[i].op] == l->stage;
    for (uint32_t i = 0; i < l->n_awaited && all && !at_once; i++)
        all = s->mark[l->awaited[i]] == s->marked;
    return at_once || all;
}

/* A lane's next stage begins, with the end of what is awaited. */
static bool begin_stage(lane *l, uint32_t op, bool first)
{
    if (first) {
        l->stage++;
        l->n_awaited = 0;
        l->by_start = false;
    }
    if (!wi_grow_one(&l->awaited, l->n_awaited, sizeof *l->awaited))
        return false;
    l->awaited[l->n_awaited++] = op;
    return true;
}

/* The lane waits for the end of an operation, or, of another lane's, its start. */
static weir_status wait_for_one(sequence *s, uint32_t number, need n, wi_job_place place)
{
    const uint8_t kind = s->job->op[n.op].kind;
    const bool message = kind == WI_JOB_SEND || kind == WI_JOB_RECV, other = s->lane_of[n.op] != number + 1;
    const uint32_t at = n.at_start ? s->from[n.op] - 1 : s->until[n.op];
    lane *const l = &s->lanes[number];
    weir_status status = WEIR_OK;
    if (other)
        status = put(s->diag, &l->to, place,
                     (job_action){.op = JOB_OP_WAIT, .lane = (uint16_t)s->lane_of[n.op], .slot = at});
    if (message && !n.at_start && status == WEIR_OK)
        status = put(s->diag, &l->to, place, (job_action){.op = JOB_OP_WAIT, .slot = s->slot[n.op]});
    return status;
}

/* What the operation at hand waits for and the lane does not know to have ended is waited for. */
static weir_status wait_before(sequence *s, uint32_t number, wi_job_place place)
{
    bool waits = false, starts = false, first = true;
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < s->n_needs && status == WEIR_OK; i++) {
        const need n = s->needs[i];
        starts |= n.at_start;
        if (n.at_start ? s->lane_of[n.op] == number + 1 || s->from[n.op] == 0 : s->known[n.op] == number + 1)
            continue;
        waits = true;
        status = wait_for_one(s, number, n, place);
        if (!n.at_start)
            s->known[n.op] = number + 1;
    }
    lane *const l = &s->lanes[number];
    bool good = true;
    for (size_t i = 0; i < s->n_needs && waits && good; i++)
        if (!s->needs[i].at_start) {
            good = begin_stage(l, s->needs[i].op, first);
            first = false;
        }
    if (waits && first) { /* for starts alone */
        l->stage++;
        l->n_awaited = 0;
    }
    l->by_start = waits ? starts : l->by_start;
    return good ? status : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the order of operations");
}

/* ---- an operation in its lane ---- */

static weir_status put_collective(sequence *s, lane *l, uint32_t op, job_action a)
{
    const wi_job_op *const o = &s->job->op[op];
    const wi_job_place place = {0, (uint32_t)o->where};
    if (!s->beside && is_of_all(s->job, o->group))
        return put(s->diag, &l->to, place, a);
    if (l->slot == WI_JOB_NONE)
        l->slot = s->slots++;
    const uint32_t key = s->beside ? o->group * KEYS + s->number[op] % KEYS : o->group;
    return put_steps(s->diag, s->job, &l->to, o->rank, place, &a, INT32_MAX - key, l->slot);
}

static weir_status put_op(sequence *s, uint32_t number, uint32_t op)
{
    static const uint8_t ops[] = {
        [WI_JOB_COMPUTE] = JOB_OP_COMPUTE, [WI_JOB_SEND] = JOB_OP_ISEND, [WI_JOB_RECV] = JOB_OP_IRECV};
    const wi_job_op *const o = &s->job->op[op];
    const bool collective = o->kind == WI_JOB_COLLECTIVE,
               takes_time = collective || o->kind == WI_JOB_COMPUTE;
    const wi_job_place place = {0, (uint32_t)o->where};
    lane *const l = &s->lanes[number];
    weir_status status = wait_before(s, number, place);
    job_action a = {.op = collective ? o->collective : ops[o->kind],
                    .algorithm = o->collective == JOB_OP_ALLREDUCE ? s->allreduce : (uint8_t)JOB_AUTO,
                    .peer = o->peer,
                    .key = s->tag[op],
                    .ends = s->place[op] + 1,
                    .bytes = o->bytes,
                    .time_ps = o->time_ps};
    a.slot = collective ? o->group : takes_time ? o->processor : (s->slot[op] = s->slots++);
    s->lane_of[op] = number + 1;
    s->begun[op] = l->stage;
    s->from[op] = (uint32_t)l->to.n_actions;
    if (status == WEIR_OK)
        status = collective ? put_collective(s, l, op, a) : put(s->diag, &l->to, place, a);
    s->until[op] = (uint32_t)l->to.n_actions - 1;
    if (!takes_time || status != WEIR_OK)
        return status;
    s->known[op] = number + 1;
    l->kind = o->kind;
    return begin_stage(l, op, true)
               ? WEIR_OK
               : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the order of operations");
}

/* A lane more; WI_JOB_NONE: there may be no more, or memory is short. */
static uint32_t add_lane(sequence *s)
{
    if (s->n_lanes == LANES_MAX || !wi_grow_one(&s->lanes, s->n_lanes, sizeof *s->lanes))
        return WI_JOB_NONE;
    s->lanes[s->n_lanes] = (lane){.kind = WI_JOB_KINDS, .slot = WI_JOB_NONE};
    return (uint32_t)s->n_lanes++;
}

/*
 * The lane of the operation at hand: that of something it waits for, rather one whose last was of its kind, so that computations
 * follow computations; the first one where nothing has begun; a new one.
 */
static uint32_t choose_lane(sequence *s, uint8_t kind)
{
    uint32_t best = WI_JOB_NONE;
    for (size_t i = 0; i < s->n_needs; i++) {
        const uint32_t number = s->lane_of[s->needs[i].op] - 1;
        if ((best == WI_JOB_NONE || s->lanes[number].kind == kind) && fits(s, number))
            best = number;
        if (best != WI_JOB_NONE && s->lanes[best].kind == kind)
            return best;
    }
    if (best == WI_JOB_NONE && s->n_lanes && fits(s, 0))
        best = 0;
    return best == WI_JOB_NONE ? add_lane(s) : best;
}

static weir_status take(sequence *s, uint32_t op)
{
    weir_status status = look_at(s, op);
    if (status != WEIR_OK)
        return status;
    const uint32_t number = s->beside         ? choose_lane(s, s->job->op[op].kind)
                            : s->n_lanes == 0 ? add_lane(s)
                            : fits(s, 0)      ? 0
                                              : WI_JOB_NONE;
    if (number == WI_JOB_NONE && s->beside)
        status = wi_job_fail(s->diag, WEIR_E_UNSUPPORTED, s->job, op,
                             "its rank does more than %d things at once", LANES_MAX);
    return number == WI_JOB_NONE ? status ?: WEIR_E_UNSUPPORTED : put_op(s, number, op);
}

/* ---- ranks ---- */

/* Operations that wait for nothing more, the next one first: messages, which take no time of the rank, then in their order. */
typedef struct ready {
    uint64_t *key; /* [n] a heap */
    uint32_t n;
} ready;

static void add_ready(ready *r, const wi_job *job, uint32_t op)
{
    const uint8_t kind = job->op[op].kind;
    const uint64_t key = (uint64_t)(kind != WI_JOB_SEND && kind != WI_JOB_RECV) << 32 | op;
    uint32_t at = r->n++;
    for (; at && r->key[(at - 1) / 2] > key; at = (at - 1) / 2)
        r->key[at] = r->key[(at - 1) / 2];
    r->key[at] = key;
}

static uint32_t next_ready(ready *r)
{
    const uint32_t op = (uint32_t)r->key[0];
    const uint64_t last = r->key[--r->n];
    uint32_t at = 0;
    for (uint32_t child = 1; child < r->n; child = 2 * at + 1) {
        child += child + 1 < r->n && r->key[child + 1] < r->key[child];
        if (r->key[child] >= last)
            break;
        r->key[at] = r->key[child];
        at = child;
    }
    r->key[at] = last;
    return op;
}

/* A rank's operations, each when all that it waits for has its place. */
static weir_status take_beside(sequence *s, uint32_t rank)
{
    const wi_job *const job = s->job;
    const uint32_t *const ops = s->order + s->rank[rank], n = s->rank[rank + 1] - s->rank[rank];
    ready r = {.key = malloc(((size_t)n + 1) * sizeof *r.key)};
    WI_FREED uint64_t *const key = r.key;
    uint32_t done = 0;
    weir_status status =
        key ? WEIR_OK : weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the order of operations");
    for (uint32_t i = 0; key && i < n; i++)
        if (s->left[ops[i]] == 0)
            add_ready(&r, job, ops[i]);
    for (; status == WEIR_OK && r.n; done++) {
        const uint32_t op = next_ready(&r);
        status = take(s, op);
        for (uint32_t i = s->first_after[op]; i < s->first_after[op + 1]; i++) {
            const uint32_t after = job->edge[s->edge_after[i]].after;
            if (--s->left[after] == 0)
                add_ready(&r, job, after);
        }
        if (s->heir[op] != WI_JOB_NONE && --s->left[s->heir[op]] == 0)
            add_ready(&r, job, s->heir[op]);
    }
    for (uint32_t i = 0; status == WEIR_OK && done < n && i < n; i++)
        if (!s->lane_of[ops[i]])
            return wi_job_fail(s->diag, WEIR_E_UNSUPPORTED, job, ops[i],
                               "it waits for one that is so much later in its group that their messages "
                               "are not told apart");
    return status;
}

/* A rank's lanes end, each with all that it began, and are put behind those of the ranks before. */
static weir_status end_rank(sequence *s, uint32_t rank)
{
    weir_status status = WEIR_OK;
    if (s->n_lanes == 0 && add_lane(s) == WI_JOB_NONE)
        status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the program of rank %u", rank);
    for (size_t k = 0; k < s->n_lanes; k++) {
        lane *const l = &s->lanes[k];
        status = status ?: put(s->diag, &l->to, (wi_job_place){0}, (job_action){.op = JOB_OP_WAITALL});
        for (size_t i = 0; i < l->to.n_actions && status == WEIR_OK; i++)
            status = put(s->diag, &s->to, l->to.place[i], l->to.actions[i]);
        if (status == WEIR_OK && s->beside &&
            !wi_grow_one(&s->to.lane, s->n_all_lanes + 1, sizeof *s->to.lane))
            status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory for the program of rank %u", rank);
        if (status == WEIR_OK && s->beside)
            s->to.lane[++s->n_all_lanes] = s->to.n_actions;
        wi_job_programs_free(&l->to);
        free(l->awaited);
    }
    s->n_lanes = 0;
    s->slots = 0;
    s->to.first[rank + 1] = s->to.n_actions;
    if (s->beside)
        s->to.lanes[rank + 1] = s->n_all_lanes;
    return status;
}

/* Which collectives have the keys of which, how much each operation waits for, and what waits for it. */
static bool sort_for_lanes(sequence *s)
{
    const wi_job *const job = s->job;
    const size_t n = job->n_ops;
    WI_ENDED(wi_owned_free) wi_owned memory = {0};
    uint32_t *const count = wi_take(&memory, job->n_groups, sizeof *count), *const recent = wi_take(
                                                                                &memory,
                                                                                (size_t)job->n_groups * KEYS,
                                                                                sizeof *recent);
    s->left = wi_take(&s->memory, n, sizeof *s->left);
    s->heir = wi_take(&s->memory, n, sizeof *s->heir);
    s->first_after = wi_take(&s->memory, n + 2, sizeof *s->first_after);
    s->edge_after = wi_take(&s->memory, job->n_edges, sizeof *s->edge_after);
    s->to.lanes = calloc((size_t)job->n_ranks + 1, sizeof *s->to.lanes);
    if (memory.failed || s->memory.failed || !s->to.lanes || !wi_grow_one(&s->to.lane, 0, sizeof *s->to.lane))
        return false;
    s->to.lane[0] = 0;
    wi_order_by(job->edge ? &job->edge->before : NULL, sizeof *job->edge, job->n_edges, job->n_ops,
                s->first_after, s->edge_after);
    for (uint32_t i = 0; i < job->n_edges; i++)
        s->left[job->edge[i].after]++;
    for (uint32_t i = 0; i < job->n_ops; i++)
        s->twin[i] = s->heir[i] = WI_JOB_NONE;
    for (uint32_t r = 0; r < job->n_ranks; r++) {
        memset(count, 0, job->n_groups * sizeof *count);
        for (uint32_t i = s->rank[r]; i < s->rank[r + 1]; i++) {
            const uint32_t op = s->order[i], group = job->op[op].group;
            if (job->op[op].kind != WI_JOB_COLLECTIVE)
                continue;
            uint32_t *const last = &recent[(size_t)group * KEYS + count[group] % KEYS];
            if (count[group] >= KEYS) {
                s->twin[op] = *last;
                s->heir[*last] = op;
                s->left[op]++;
            }
            s->number[op] = count[group]++;
            *last = op;
        }
    }
    return true;
}

/* A send, for the order of those that one rank sends to another with a tag. */
typedef struct sent {
    uint32_t from, to, tag, op;
} sent;

WI_ORDER_BY(by_ends_and_tag, sent,
            WI_ORDER(x->from, y->from) ?: WI_ORDER(x->to, y->to) ?: WI_ORDER(x->tag, y->tag) ?: WI_ORDER(x->op, y->op))

/*
 * What messages are known by. Lanes may come to two of one tag in another order than at the other end, where the n-th takes the
 * n-th: so where there are two, all between two ranks are numbered.
 */
static bool name_messages(sequence *s)
{
    const wi_job *const job = s->job;
    WI_FREED sent *list = malloc(((size_t)job->n_ops + 1) * sizeof *list);
    uint32_t n = 0;
    bool twice = false;
    for (uint32_t i = 0; list && i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        s->tag[i] = o->tag;
        if (o->kind == WI_JOB_SEND && o->match != WI_JOB_NONE)
            list[n++] = (sent){o->rank, o->peer, o->tag, i};
    }
    if (n)
        qsort(list, n, sizeof *list, by_ends_and_tag);
    for (uint32_t i = 1; i < n; i++)
        twice |= list[i].from == list[i - 1].from && list[i].to == list[i - 1].to &&
                 list[i].tag == list[i - 1].tag;
    for (uint32_t i = 0, number = 0; i < n && twice && s->beside; i++) {
        const bool same = i > 0 && list[i].from == list[i - 1].from && list[i].to == list[i - 1].to;
        number = same ? number + 1 : 0;
        s->tag[list[i].op] = s->tag[job->op[list[i].op].match] = number;
    }
    return list != NULL;
}

/* Edges by what waits, and operations by rank. */
static bool sort_all(sequence *s)
{
    const wi_job *const job = s->job;
    const size_t n = job->n_ops;
    s->first = wi_take(&s->memory, n + 2, sizeof *s->first);
    s->edge = wi_take(&s->memory, job->n_edges, sizeof *s->edge);
    s->rank = wi_take(&s->memory, (size_t)job->n_ranks + 2, sizeof *s->rank);
    uint32_t **const lists[] = {&s->order, &s->place, &s->lane_of, &s->begun,  &s->known, &s->from,
                                &s->until, &s->slot,  &s->tag,     &s->number, &s->twin,  &s->mark};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = wi_take(&s->memory, n, sizeof **lists[i]);
    s->to.first = calloc((size_t)job->n_ranks + 1, sizeof *s->to.first);
    if (s->memory.failed || !s->to.first)
        return false;
    wi_order_by(job->edge ? &job->edge->after : NULL, sizeof *job->edge, job->n_edges, job->n_ops, s->first,
                s->edge);
    wi_order_by(&job->op->rank, sizeof *job->op, job->n_ops, job->n_ranks, s->rank, s->order);
    for (uint32_t r = 0; r < job->n_ranks; r++)
        for (uint32_t i = s->rank[r]; i < s->rank[r + 1]; i++)
            s->place[s->order[i]] = i - s->rank[r];
    return name_messages(s) && (!s->beside || sort_for_lanes(s));
}

/* The programs of a job of operations, in several lanes or in one each. */
static weir_status make_programs(sequence *s)
{
    const wi_job *const job = s->job;
    weir_status status = WEIR_OK;
    if (s->beside && job->n_groups >= (uint32_t)JOB_KEY_INNER / KEYS)
        status = weir_fail(s->diag, WEIR_E_UNSUPPORTED,
                           "%u groups of ranks that do several things at once; want at most %u",
                           job->n_groups, (uint32_t)JOB_KEY_INNER / KEYS - 1);
    else if (!sort_all(s))
        status = weir_fail(s->diag, WEIR_E_NOMEM, "no memory to order %u operations", job->n_ops);
    for (uint32_t r = 0; r < job->n_ranks && status == WEIR_OK; r++) {
        if (s->beside)
            status = take_beside(s, r);
        for (uint32_t i = s->rank[r]; !s->beside && i < s->rank[r + 1] && status == WEIR_OK; i++)
            status = take(s, s->order[i]);
        const weir_status ended = end_rank(s, r);
        status = status ?: ended;
    }
    wi_owned_free(&s->memory);
    free(s->needs);
    free(s->lanes);
    if (status != WEIR_OK)
        wi_job_programs_free(&s->to);
    return status;
}

/* Programs of a trace: each action is an operation. Here all ranks of a job do a collective: one of some is done by messages. */
static weir_status replace_collectives(weir_diag *diag, wi_job *job, uint8_t allreduce)
{
    wi_job_programs *const p = &job->programs, to = {0};
    WI_FREED bool *of_all = calloc((size_t)job->n_groups + 1, sizeof *of_all);
    weir_status status = of_all ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for groups");
    for (uint32_t g = 0; of_all && g < job->n_groups; g++)
        of_all[g] = is_of_all(job, g);
    for (uint32_t r = 0; r < job->n_ranks && status == WEIR_OK; r++) {
        const size_t first = p->first[r], end = p->first[r + 1];
        const uint32_t slot = wi_job_slots(p->actions + first, end - first);
        p->first[r] = to.n_actions;
        for (size_t i = first; i < end && status == WEIR_OK; i++) {
            job_action a = p->actions[i];
            a.ends = (uint32_t)(i - first) + 1;
            if (a.op == JOB_OP_ALLREDUCE)
                a.algorithm = allreduce;
            status = a.op < JOB_OP_BARRIER || of_all[a.slot]
                         ? put(diag, &to, p->place[i], a)
                         : put_steps(diag, job, &to, r, p->place[i], &a, INT32_MAX - a.slot, slot);
        }
    }
    free(p->actions);
    free(p->place);
    p->actions = to.actions;
    p->place = to.place;
    p->first[job->n_ranks] = p->n_actions = to.n_actions;
    return status;
}

weir_status wi_job_to_programs(weir_diag *diag, wi_job *job, uint8_t allreduce)
{
    if (job->programs.n_actions)
        return replace_collectives(diag, job, allreduce);
    sequence s = {.diag = diag, .job = job, .allreduce = allreduce};
    weir_status status = make_programs(&s);
    if (status == WEIR_E_UNSUPPORTED) {
        s = (sequence){.diag = diag, .job = job, .allreduce = allreduce, .beside = true};
        status = make_programs(&s);
    }
    if (status == WEIR_OK)
        job->programs = s.to;
    return status;
}

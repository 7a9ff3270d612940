/* DUMPI's traces: whose communicators go together, and the job's programs. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/dumpi.h"
#include "jobs/uneven.h"

/* A communicator of the job. Its number is its context: messages of two do not meet. */
typedef struct comm {
    uint32_t group; /* the job's */
    uint32_t here;  /* members that have come to the call at which all meet */
    size_t grid;    /* where the sizes of its grid are */
    uint32_t dims;  /* 0: it has none */
} comm;

/* Two are there from the start; SELF is each rank's, which is its only member. */
typedef struct settling {
    wi_dumpi *d;
    comm *comm;
    uint32_t n_comms;
    uint32_t *list; /* members of groups */
    size_t n_list, list_room;
    size_t *at;      /* [n_ranks] object at hand */
    uint32_t *ready; /* [n_ranks] ranks that can go on; each is there once at most */
    uint32_t n_ready;
    uint32_t *mark; /* [n_ranks] */
    uint32_t marks;
    uint64_t *key; /* [n_keys] contexts and tags, in order */
    size_t n_keys;
    wi_owned memory;
} settling;

static weir_status no_memory(const settling *s)
{
    return weir_fail(s->d->diag, WEIR_E_NOMEM, "%s: no memory for its communicators", s->d->job->file);
}

#define WRONG(s, rank, call, text, ...)                                                                     \
    weir_fail((s)->d->diag, WEIR_E_FORMAT, "%s: rank %u, call %u: " text, (s)->d->job->programs.file[rank], \
              rank, call, __VA_ARGS__)

static dumpi_object *object_of(const settling *s, uint32_t rank, uint32_t object)
{
    return &s->d->object[s->d->rank[rank].first_object + object];
}

/* Ranks of a communicator, or of a group, as one of them sees it. */
static const uint32_t *members_of(const settling *s, const dumpi_object *o, const uint32_t *self, uint32_t *n)
{
    const wi_job *const job = s->d->job;
    *n = o->listed ? o->n : o->comm == DUMPI_SELF ? 1 : wi_job_group_size(job, s->comm[o->comm].group);
    if (o->listed)
        return o->n ? s->list + o->first : NULL;
    return o->comm == DUMPI_SELF ? self : job->member + job->group_first[s->comm[o->comm].group];
}

/* A member's number; n: it is none. */
static uint32_t number_of(const uint32_t *member, uint32_t n, uint32_t rank)
{
    uint32_t k = rank < n && member[rank] == rank ? rank : 0;
    while (k < n && member[k] != rank)
        k++;
    return k;
}

/* ---- groups, which a rank makes alone ---- */

static bool push(settling *s, dumpi_object *o, uint32_t rank)
{
    if (!wi_grow(&s->list, &s->list_room, s->n_list + 1, sizeof *s->list) || s->n_list >= UINT32_MAX)
        return false;
    s->list[s->n_list++] = rank;
    o->n++;
    return true;
}

/* Those of a group that are marked, or are not. */
static bool push_marked(settling *s, dumpi_object *o, const dumpi_object *of, const uint32_t *self,
                        bool marked)
{
    uint32_t n;
    bool good = true;
    (void)members_of(s, of, self, &n);
    for (uint32_t i = 0; i < n && good; i++) { /* the list moves as it grows */
        const uint32_t rank = members_of(s, of, self, &n)[i];
        if ((s->mark[rank] == s->marks) == marked)
            good = push(s, o, rank);
    }
    return good;
}

/* By numbers in a group, one by one or in steps: those that are named, in that order, or the others. */
static weir_status pick(settling *s, uint32_t rank, dumpi_object *o, const dumpi_object *of)
{
    const bool range = o->what == DUMPI_GROUP_RANGE_INCL || o->what == DUMPI_GROUP_RANGE_EXCL;
    const bool excluded = o->what == DUMPI_GROUP_EXCL || o->what == DUMPI_GROUP_RANGE_EXCL;
    const uint32_t *const number = s->d->number + o->number;
    uint32_t n;
    bool good = true;
    (void)members_of(s, of, &rank, &n);
    for (uint32_t i = 0; i < o->numbers && good; i += range ? 3 : 1) {
        const int64_t last = (int32_t)(range ? number[i + 1] : number[i]),
                      step = range ? (int32_t)number[i + 2] : 1;
        int64_t k = (int32_t)number[i];
        if (step == 0)
            return WRONG(s, rank, o->call, "a range of a group with steps of %d", 0);
        for (; good && (step > 0 ? k <= last : k >= last); k += step) {
            if (k < 0 || k >= n)
                return WRONG(s, rank, o->call, "member %lld of a group of %u", (long long)k, n);
            const uint32_t member = members_of(s, of, &rank, &n)[k];
            s->mark[member] = s->marks;
            good = excluded || push(s, o, member);
        }
    }
    return good && (!excluded || push_marked(s, o, of, &rank, false)) ? WEIR_OK : no_memory(s);
}

static weir_status make_group(settling *s, uint32_t rank, dumpi_object *o)
{
    const dumpi_object *const a = object_of(s, rank, o->a), *const b = object_of(s, rank, o->b);
    const bool joins = o->what == DUMPI_GROUP_UNION;
    uint32_t n;
    if (o->what == DUMPI_COMM_GROUP) {
        o->comm = a->comm;
        return WEIR_OK;
    }
    o->listed = true;
    o->first = (uint32_t)s->n_list;
    s->marks++;
    if (o->what >= DUMPI_GROUP_INCL)
        return pick(s, rank, o, a);
    bool good = !joins || push_marked(s, o, a, &rank, false);
    const uint32_t *const member = members_of(s, joins ? a : b, &rank, &n);
    for (uint32_t i = 0; i < n && good; i++)
        s->mark[member[i]] = s->marks;
    good = good && push_marked(s, o, joins ? b : a, &rank, o->what == DUMPI_GROUP_INTERSECTION);
    return good ? WEIR_OK : no_memory(s);
}

/* ---- communicators, at which all members of another meet ---- */

/* Which of the new ones a member is in, and where. */
typedef struct part {
    uint32_t colour;
    int32_t key;
    uint32_t number, rank; /* number: in the old one */
} part;

WI_ORDER_BY(by_colour, part, WI_ORDER(x->colour, y->colour) ?: WI_ORDER(x->key, y->key)
                       ?: WI_ORDER(x->number, y->number))

/* In a grid a member's colour is its place along the dimensions that are left out, its key that along the others. */
static void place_in_grid(const settling *s, const dumpi_object *o, const comm *of, part *p)
{
    const uint32_t *const sizes = s->d->number + of->grid, *const kept = s->d->number + o->number;
    uint32_t rest = p->number, weight[2] = {1, 1};
    p->colour = 0;
    p->key = 0;
    for (uint32_t d = of->dims; d-- > 0; rest /= sizes[d]) {
        const uint32_t at = rest % sizes[d];
        if (kept[d])
            p->key += (int32_t)(at * weight[1]);
        else
            p->colour += at * weight[0];
        weight[kept[d] != 0] *= sizes[d];
    }
}

static weir_status find_part(settling *s, uint32_t rank, uint32_t number, const dumpi_object *o, uint32_t old,
                             part *p)
{
    uint32_t n, size;
    const uint32_t *members = NULL;
    *p = (part){0, (int32_t)number, number, rank};
    if (o->what == DUMPI_COMM_SPLIT) {
        p->colour = (uint32_t)o->x;
        p->key = o->y;
    } else if (o->what == DUMPI_COMM_CREATE) {
        members = members_of(s, object_of(s, rank, o->b), &rank, &n);
        p->key = (int32_t)number_of(members, n, rank);
        if ((uint32_t)p->key == n)
            return WRONG(s, rank, o->call, "a communicator of a group of %u that the rank is not in", n);
        p->colour = members[0];
    } else if (o->what == DUMPI_CART_SUB) {
        if (o->numbers != s->comm[old].dims)
            return WRONG(s, rank, o->call, "%u dimensions of a grid of %u", o->numbers, s->comm[old].dims);
        place_in_grid(s, o, &s->comm[old], p);
    } else if (o->what == DUMPI_CART_CREATE) {
        uint64_t cells = 1;
        size = wi_job_group_size(s->d->job, s->comm[old].group);
        for (uint32_t d = 0; d < o->numbers && cells > 0 && cells <= size; d++)
            cells *= s->d->number[o->number + d];
        if (number >= cells || cells > size)
            return WRONG(s, rank, o->call, "a grid of %llu for %u ranks", (unsigned long long)cells, size);
    }
    return WEIR_OK;
}

/* A communicator of n members that follow each other; the old one's group where they are the same. */
static weir_status add_comm(settling *s, const part *p, uint32_t n, uint32_t old)
{
    wi_job *const job = s->d->job;
    const uint32_t group = s->comm[old].group, *const member = job->member + job->group_first[group];
    const dumpi_object *const o = &s->d->object[s->at[p->rank]];
    bool same = n == wi_job_group_size(job, group);
    comm made = {.group = group};
    WI_FREED uint32_t *ranks = malloc((size_t)n * sizeof *ranks);
    for (uint32_t i = 0; i < n && ranks; i++) {
        ranks[i] = p[i].rank;
        same = same && member[i] == p[i].rank;
    }
    if (!ranks || !wi_grow_one(&s->comm, s->n_comms, sizeof *s->comm))
        return no_memory(s);
    if (!same && (made.group = wi_job_group(job, ranks, n)) == WI_JOB_NONE)
        return no_memory(s);
    if (o->what == DUMPI_CART_CREATE) {
        made.grid = o->number;
        made.dims = o->numbers;
    } else if (o->what == DUMPI_COMM_DUP) {
        made.grid = s->comm[old].grid;
        made.dims = s->comm[old].dims;
    } else if (o->what == DUMPI_CART_SUB) {
        made.grid = s->d->n_numbers;
        for (uint32_t d = 0; d < s->comm[old].dims; d++)
            if (s->d->number[o->number + d]) {
                if (!wi_grow(&s->d->number, &s->d->number_room, s->d->n_numbers + 1, sizeof *s->d->number))
                    return no_memory(s);
                s->d->number[s->d->n_numbers++] = s->d->number[s->comm[old].grid + d];
                made.dims++;
            }
    }
    s->comm[s->n_comms++] = made;
    return WEIR_OK;
}

/* All members of a communicator are at the call that makes new ones of it. */
static weir_status divide(settling *s, uint32_t old)
{
    const wi_job *const job = s->d->job;
    const uint32_t n = wi_job_group_size(job, s->comm[old].group),
                   first = job->group_first[s->comm[old].group];
    WI_FREED part *parts = malloc((size_t)n * sizeof *parts);
    uint32_t taken = 0;
    weir_status status = parts ? WEIR_OK : no_memory(s);
    const dumpi_object *const one = &s->d->object[s->at[job->member[first]]];
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++) {
        const uint32_t rank = job->member[first + i];
        const dumpi_object *const o = &s->d->object[s->at[rank]];
        if (o->what != one->what)
            return WRONG(s, rank, o->call, "rank %u makes another kind of communicator in its call %u",
                         job->member[first], one->call);
        if (!o->none)
            status = find_part(s, rank, i, o, old, &parts[taken++]);
    }
    if (taken && status == WEIR_OK)
        qsort(parts, taken, sizeof *parts, by_colour);
    for (uint32_t i = 0, next; i < taken && status == WEIR_OK; i = next) {
        for (next = i; next < taken && parts[next].colour == parts[i].colour; next++)
            s->d->object[s->at[parts[next].rank]].comm = s->n_comms;
        status = add_comm(s, &parts[i], next - i, old);
    }
    s->comm[old].here = 0;
    for (uint32_t i = 0; i < n && status == WEIR_OK; i++) {
        const uint32_t rank = job->member[first + i];
        s->at[rank]++;
        s->ready[s->n_ready++] = rank;
    }
    return status;
}

/* What the trace says of a communicator, and what it is. */
static weir_status check_comm(const settling *s, uint32_t rank, const dumpi_object *o)
{
    uint32_t n;
    const uint32_t *const member = members_of(s, object_of(s, rank, o->a), &rank, &n);
    const uint32_t is = o->what == DUMPI_COMM_SIZE ? n : number_of(member, n, rank);
    return (uint32_t)o->x == is
               ? WEIR_OK
               : WRONG(s, rank, o->call, "it says %d of a communicator, and by the trace it is %u", o->x, is);
}

/* Through a rank's objects, until others are to come. */
static weir_status go_on(settling *s, uint32_t rank)
{
    weir_status status = WEIR_OK;
    while (s->at[rank] < s->d->rank[rank + 1].first_object && status == WEIR_OK) {
        dumpi_object *const o = &s->d->object[s->at[rank]];
        if (o->what >= DUMPI_COMM_DUP && o->what <= DUMPI_CART_SUB) {
            const uint32_t old = object_of(s, rank, o->a)->comm;
            if (old != DUMPI_SELF)
                return ++s->comm[old].here < wi_job_group_size(s->d->job, s->comm[old].group)
                           ? WEIR_OK
                           : divide(s, old);
            o->comm = DUMPI_SELF;
        } else if (o->what >= DUMPI_COMM_GROUP && o->what != DUMPI_NEVER) {
            status = make_group(s, rank, o);
        } else if (o->what != DUMPI_NEVER) {
            status = check_comm(s, rank, o);
        }
        s->at[rank]++;
    }
    return status;
}

static weir_status name_missing(const settling *s)
{
    const wi_job *const job = s->d->job;
    for (uint32_t r = 0; r < job->n_ranks; r++) {
        if (s->at[r] == s->d->rank[r + 1].first_object)
            continue;
        const dumpi_object *const o = &s->d->object[s->at[r]];
        uint32_t n, k = 0;
        const uint32_t *const member = members_of(s, object_of(s, r, o->a), &r, &n);
        while (k < n && s->at[member[k]] < s->d->rank[member[k] + 1].first_object &&
               object_of(s, member[k], s->d->object[s->at[member[k]]].a)->comm == object_of(s, r, o->a)->comm)
            k++;
        return WRONG(s, r, o->call, "it makes a communicator with others, and rank %u never comes to it",
                     k < n ? member[k] : r);
    }
    return WEIR_OK;
}

/* ---- programs ---- */

static bool is_message(const job_action *a)
{
    return a->op >= JOB_OP_SEND && a->op <= JOB_OP_IRECV;
}

/* Tags of the world's that are small stay as they are. */
static bool has_key(uint32_t context, uint32_t tag)
{
    return tag != JOB_ANY && (context != DUMPI_WORLD || tag >= JOB_KEY_INNER);
}

static weir_status find_keys(settling *s)
{
    const wi_dumpi *const d = s->d;
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        n = 0;
        for (uint32_t r = 0; r < d->job->n_ranks; r++)
            for (size_t i = d->rank[r].first_action; i < d->rank[r + 1].first_action; i++) {
                const job_action *const a = &d->action[i].action;
                const uint32_t context = object_of(s, r, d->action[i].comm)->comm;
                if (!is_message(a) || !has_key(context, a->key))
                    continue;
                if (pass)
                    s->key[n] = (uint64_t)context << 32 | a->key;
                n++;
            }
        if (!pass && !(s->key = wi_take(&s->memory, n, sizeof *s->key)))
            return no_memory(s);
    }
    if (n)
        qsort(s->key, n, sizeof *s->key, wi_order_u64);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || s->key[i] != s->key[s->n_keys - 1])
            s->key[s->n_keys++] = s->key[i];
    return s->n_keys + s->n_comms < JOB_KEY_INNER / 2 ? WEIR_OK : no_memory(s);
}

/* An action of a rank on its way into the program. */
typedef struct putting {
    settling *s;
    uint32_t rank, context, n;
    const uint32_t *member;
    const dumpi_action *from;
} putting;

static bool put(void *to, const job_action *action)
{
    const putting *const p = to;
    job_action a = *action;
    if (is_message(&a))
        a.peer = p->member[a.peer];
    return wi_job_put(&p->s->d->job->programs, &a, (wi_job_place){p->rank, p->from->call});
}

static weir_status put_uneven(putting *p)
{
    const wi_dumpi *const d = p->s->d;
    const job_action *const a = &p->from->action;
    const uint32_t *const number = d->number + a->time_ps, p_to = number[0], p_from = number[1];
    const uint32_t me = number_of(p->member, p->n, p->rank);
    const bool all =
        a->op == JOB_OP_ALLTOALLV || a->op == JOB_OP_ALLGATHERV || (me == a->peer && a->op != JOB_OP_SCAN);
    const wi_uneven u = {.op = a->op,
                         .rank = me,
                         .p = p->n,
                         .root = a->peer,
                         .to = p_to ? number + 2 : NULL,
                         .from = p_from ? number + 2 + p_to : NULL,
                         .key = JOB_KEY_INNER + p->context,
                         .slot = d->rank[p->rank].slots,
                         .alone = a->slot != 0};
    if (a->peer >= p->n)
        return WRONG(p->s, p->rank, p->from->call, "root %u of %u members", a->peer, p->n);
    if (all && ((p_to && p_to != p->n) || (p_from && p_from != p->n) ||
                (a->op == JOB_OP_ALLTOALLV && (!p_to || !p_from)) || (!p_to && !p_from)))
        return WRONG(p->s, p->rank, p->from->call, "%u and %u counts for %u members", p_to, p_from, p->n);
    return wi_uneven_put(&u, put, p) ? WEIR_OK : no_memory(p->s);
}

/* Ranks, keys and groups of the job in the place of the rank's own; what a rank sends itself is left out. */
static weir_status put_action(putting *p, bool *left_out)
{
    const wi_dumpi *const d = p->s->d;
    const settling *const s = p->s;
    const dumpi_object *const o = object_of(s, p->rank, p->from->comm);
    job_action a = p->from->action;
    p->context = o->comm;
    p->member = members_of(s, o, &p->rank, &p->n);
    if (a.op == JOB_OP_WAIT ? left_out[a.slot] : a.op == JOB_OP_COMPUTE && a.time_ps == 0)
        return WEIR_OK;
    if (a.op >= JOB_OP_BARRIER && p->n == 1)
        return WEIR_OK;
    if (a.op >= JOB_OPS)
        return put_uneven(p);
    if (a.op >= JOB_OP_BARRIER)
        a.slot = s->comm[o->comm].group;
    if (is_message(&a)) {
        if (a.peer != JOB_ANY && a.peer >= p->n)
            return WRONG(s, p->rank, p->from->call, "rank %u of a communicator of %u", a.peer, p->n);
        a.peer = a.peer == JOB_ANY ? a.peer : p->member[a.peer];
        if (a.key == JOB_ANY && o->comm != DUMPI_WORLD)
            return WRONG(
                s, p->rank, p->from->call,
                "it receives any tag of a communicator that is not the world's, and there is no status%s",
                "");
        if (has_key(o->comm, a.key)) {
            const uint64_t key = (uint64_t)o->comm << 32 | a.key;
            a.key = JOB_KEY_INNER + s->n_comms + (uint32_t)WI_FIRST(i, s->n_keys, s->key[i] >= key);
        }
        if (a.op == JOB_OP_ISEND || a.op == JOB_OP_IRECV)
            left_out[a.slot] = a.peer == p->rank;
        if (a.peer == p->rank)
            return WEIR_OK;
    }
    return wi_job_put(&d->job->programs, &a, (wi_job_place){p->rank, p->from->call}) ? WEIR_OK : no_memory(s);
}

static weir_status put_rank(settling *s, uint32_t rank)
{
    const wi_dumpi *const d = s->d;
    wi_job_programs *const to = &d->job->programs;
    WI_FREED bool *left_out = calloc((size_t)d->rank[rank].slots + 1, sizeof *left_out);
    putting p = {.s = s, .rank = rank};
    weir_status status = left_out ? WEIR_OK : no_memory(s);
    for (size_t i = d->rank[rank].first_action; i < d->rank[rank + 1].first_action && status == WEIR_OK;
         i++) {
        p.from = &d->action[i];
        status = put_action(&p, left_out);
    }
    if (status == WEIR_OK && to->n_actions == to->first[rank] &&
        !wi_job_put(to, &(job_action){.op = JOB_OP_COMPUTE}, (wi_job_place){rank, 0}))
        status = no_memory(s);
    to->first[rank + 1] = to->n_actions;
    return status;
}

static weir_status settle(settling *s)
{
    wi_job *const job = s->d->job;
    s->at = wi_take(&s->memory, job->n_ranks, sizeof *s->at);
    s->ready = wi_take(&s->memory, job->n_ranks, sizeof *s->ready);
    s->mark = wi_take(&s->memory, job->n_ranks, sizeof *s->mark);
    job->programs.first = calloc((size_t)job->n_ranks + 1, sizeof *job->programs.first);
    for (uint32_t i = 0; i < 2; i++)
        if (!wi_grow_one(&s->comm, s->n_comms, sizeof *s->comm))
            return no_memory(s);
        else
            s->comm[s->n_comms++] = (comm){0};
    if (s->memory.failed || !job->programs.first || !wi_job_group_of_all(job))
        return no_memory(s);
    weir_status status = WEIR_OK;
    for (uint32_t r = 0; r < job->n_ranks && status == WEIR_OK; r++) {
        s->at[r] = s->d->rank[r].first_object;
        s->ready[s->n_ready++] = r;
    }
    while (s->n_ready && status == WEIR_OK)
        status = go_on(s, s->ready[--s->n_ready]);
    status = status ?: name_missing(s) ?: find_keys(s);
    for (uint32_t r = 0; r < job->n_ranks && status == WEIR_OK; r++)
        status = put_rank(s, r);
    return status ?: wi_job_of_programs(job) ? status : no_memory(s);
}

weir_status wi_dumpi_settle(wi_dumpi *d)
{
    settling s = {.d = d};
    const weir_status status = settle(&s);
    free(s.comm);
    free(s.list);
    wi_owned_free(&s.memory);
    return status;
}

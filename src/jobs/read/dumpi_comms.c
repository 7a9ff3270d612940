/* Whose communicators go together in DUMPI's traces; see dumpi_comms.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/read/dumpi_comms.h"

dumpi_ranks wi_dumpi_members(const dumpi_settling *s, const uint32_t *self, uint32_t object)
{
    const wi_job *const job = s->d->reading.job;
    const dumpi_object *const o = &s->d->object[s->d->rank[*self].first_object + object];
    if (o->listed)
        return (dumpi_ranks){o->n ? s->list + o->first : NULL, o->n, o->comm};
    if (o->comm == DUMPI_SELF)
        return (dumpi_ranks){self, 1, o->comm};
    const uint32_t group = s->comm[o->comm].group;
    return (dumpi_ranks){job->member + job->group_first[group], wi_job_group_size(job, group), o->comm};
}

uint32_t wi_dumpi_number(dumpi_ranks of, uint32_t rank)
{
    uint32_t k = rank < of.n && of.at[rank] == rank ? rank : 0;
    while (k < of.n && of.at[k] != rank)
        k++;
    return k;
}

/* ---- groups, which a rank makes alone ---- */

static void push(dumpi_settling *s, dumpi_object *o, uint32_t rank)
{
    if (!wi_reading_has(&s->d->reading, s->n_list < UINT32_MAX &&
                                            wi_grow(&s->list, &s->list_room, s->n_list + 1, sizeof *s->list)))
        return;
    s->list[s->n_list++] = rank;
    o->n++;
}

/* Those of a group that are marked, or are not. */
static void push_marked(dumpi_settling *s, dumpi_object *o, uint32_t of, uint32_t self, bool marked)
{
    const uint32_t n = wi_dumpi_members(s, &self, of).n;
    for (uint32_t i = 0; i < n; i++) { /* the list moves as it grows */
        const uint32_t rank = wi_dumpi_members(s, &self, of).at[i];
        if ((s->mark[rank] == s->marks) == marked)
            push(s, o, rank);
    }
}

/* By numbers in a group, one by one or in steps: those that are named, in that order, or the others. */
static weir_status pick(dumpi_settling *s, uint32_t rank, dumpi_object *o)
{
    const bool range = o->what == DUMPI_GROUP_RANGE_INCL || o->what == DUMPI_GROUP_RANGE_EXCL;
    const bool excluded = o->what == DUMPI_GROUP_EXCL || o->what == DUMPI_GROUP_RANGE_EXCL;
    const uint32_t *const number = s->d->number + o->number, n = wi_dumpi_members(s, &rank, o->a).n;
    for (uint32_t i = 0; i < o->numbers; i += range ? 3 : 1) {
        const int64_t last = (int32_t)(range ? number[i + 1] : number[i]),
                      step = range ? (int32_t)number[i + 2] : 1;
        if (step == 0)
            return WRONG_CALL(s, rank, o->call, "a range of a group with steps of %d", 0);
        for (int64_t k = (int32_t)number[i]; step > 0 ? k <= last : k >= last; k += step) {
            if (k < 0 || k >= n)
                return WRONG_CALL(s, rank, o->call, "member %lld of a group of %u", (long long)k, n);
            const uint32_t member = wi_dumpi_members(s, &rank, o->a).at[k];
            s->mark[member] = s->marks;
            if (!excluded)
                push(s, o, member);
        }
    }
    if (excluded)
        push_marked(s, o, o->a, rank, false);
    return s->d->reading.status;
}

static weir_status make_group(dumpi_settling *s, uint32_t rank, dumpi_object *o)
{
    const bool joins = o->what == DUMPI_GROUP_UNION;
    if (o->what == DUMPI_COMM_GROUP) {
        o->comm = wi_dumpi_members(s, &rank, o->a).comm;
        return WEIR_OK;
    }
    o->listed = true;
    o->first = (uint32_t)s->n_list;
    s->marks++;
    if (o->what >= DUMPI_GROUP_INCL)
        return pick(s, rank, o);
    if (joins)
        push_marked(s, o, o->a, rank, false);
    const dumpi_ranks marked = wi_dumpi_members(s, &rank, joins ? o->a : o->b);
    for (uint32_t i = 0; i < marked.n; i++)
        s->mark[marked.at[i]] = s->marks;
    push_marked(s, o, joins ? o->b : o->a, rank, o->what == DUMPI_GROUP_INTERSECTION);
    return s->d->reading.status;
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
static void place_in_grid(const dumpi_settling *s, const dumpi_object *o, const dumpi_comm *of, part *p)
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

static weir_status find_part(dumpi_settling *s, uint32_t rank, uint32_t number, const dumpi_object *o,
                             uint32_t old, part *p)
{
    *p = (part){0, (int32_t)number, number, rank};
    if (o->what == DUMPI_COMM_SPLIT) {
        p->colour = (uint32_t)o->x;
        p->key = o->y;
    } else if (o->what == DUMPI_COMM_CREATE) {
        const dumpi_ranks members = wi_dumpi_members(s, &rank, o->b);
        p->key = (int32_t)wi_dumpi_number(members, rank);
        if ((uint32_t)p->key == members.n)
            return WRONG_CALL(s, rank, o->call, "a communicator of a group of %u that the rank is not in",
                              members.n);
        p->colour = members.at[0];
    } else if (o->what == DUMPI_CART_SUB) {
        if (o->numbers != s->comm[old].dims)
            return WRONG_CALL(s, rank, o->call, "%u dimensions of a grid of %u", o->numbers,
                              s->comm[old].dims);
        place_in_grid(s, o, &s->comm[old], p);
    } else if (o->what == DUMPI_CART_CREATE) {
        const uint32_t size = wi_job_group_size(s->d->reading.job, s->comm[old].group);
        uint64_t cells = 1;
        for (uint32_t d = 0; d < o->numbers && cells > 0 && cells <= size; d++)
            cells *= s->d->number[o->number + d];
        if (number >= cells || cells > size)
            return WRONG_CALL(s, rank, o->call, "a grid of %llu for %u ranks", (unsigned long long)cells,
                              size);
    }
    return WEIR_OK;
}

/* Sizes of a grid's dimensions that are kept. */
static void make_grid(dumpi_settling *s, dumpi_comm *made, const dumpi_object *o, const dumpi_comm *of)
{
    made->grid = s->d->n_numbers;
    for (uint32_t d = 0; d < of->dims; d++)
        if (s->d->number[o->number + d]) {
            wi_dumpi_push(s->d, s->d->number[of->grid + d]);
            made->dims++;
        }
}

/* A communicator of n members that follow each other; the old one's group where they are the same. */
static void add_comm(dumpi_settling *s, const part *p, uint32_t n, uint32_t old)
{
    wi_job *const job = s->d->reading.job;
    const dumpi_comm of = s->comm[old];
    const uint32_t *const member = job->member + job->group_first[of.group];
    const dumpi_object *const o = &s->d->object[s->at[p->rank]];
    WI_FREED uint32_t *ranks = malloc((size_t)n * sizeof *ranks);
    for (uint32_t i = 0; i < n && ranks; i++)
        ranks[i] = p[i].rank;
    const bool same =
        ranks && n == wi_job_group_size(job, of.group) && memcmp(ranks, member, n * sizeof *ranks) == 0;
    dumpi_comm made = {.group = of.group};
    if (ranks && !same)
        made.group = wi_job_group(job, ranks, n);
    (void)wi_reading_has(&s->d->reading, ranks && made.group != WI_JOB_NONE);
    if (o->what == DUMPI_CART_CREATE) {
        made.grid = o->number;
        made.dims = o->numbers;
    } else if (o->what == DUMPI_COMM_DUP) {
        made.grid = of.grid;
        made.dims = of.dims;
    } else if (o->what == DUMPI_CART_SUB) {
        make_grid(s, &made, o, &of);
    }
    WI_READING_PUT(&s->d->reading, s->comm, s->n_comms, made);
}

/* All members of a communicator are at the call that makes new ones of it. */
static weir_status divide(dumpi_settling *s, uint32_t old)
{
    const wi_job *const job = s->d->reading.job;
    const uint32_t n = wi_job_group_size(job, s->comm[old].group),
                   first = job->group_first[s->comm[old].group];
    WI_FREED part *parts = malloc((size_t)n * sizeof *parts);
    uint32_t taken = 0;
    (void)wi_reading_has(&s->d->reading, parts);
    const dumpi_object *const one = &s->d->object[s->at[job->member[first]]];
    for (uint32_t i = 0; i < n && s->d->reading.status == WEIR_OK; i++) {
        const uint32_t rank = job->member[first + i];
        const dumpi_object *const o = &s->d->object[s->at[rank]];
        if (o->what != one->what)
            return WRONG_CALL(s, rank, o->call, "rank %u makes another kind of communicator in its call %u",
                              job->member[first], one->call);
        if (!o->none)
            (void)find_part(s, rank, i, o, old, &parts[taken++]);
    }
    if (s->d->reading.status != WEIR_OK)
        return s->d->reading.status;
    if (taken)
        qsort(parts, taken, sizeof *parts, by_colour);
    for (uint32_t i = 0, next; i < taken; i = next) {
        for (next = i; next < taken && parts[next].colour == parts[i].colour; next++)
            s->d->object[s->at[parts[next].rank]].comm = s->n_comms;
        add_comm(s, &parts[i], next - i, old);
    }
    s->comm[old].here = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t rank = job->member[first + i];
        s->at[rank]++;
        s->ready[s->n_ready++] = rank;
    }
    return s->d->reading.status;
}

/* What the trace says of a communicator, and what it is. */
static weir_status check_comm(dumpi_settling *s, uint32_t rank, const dumpi_object *o)
{
    const dumpi_ranks members = wi_dumpi_members(s, &rank, o->a);
    const uint32_t is = o->what == DUMPI_COMM_SIZE ? members.n : wi_dumpi_number(members, rank);
    return (uint32_t)o->x == is
               ? WEIR_OK
               : WRONG_CALL(s, rank, o->call, "it says %d of a communicator, and by the trace it is %u", o->x,
                            is);
}

/* A rank's object at hand; null: it is through. */
static dumpi_object *at_hand(const dumpi_settling *s, uint32_t rank)
{
    return s->at[rank] < s->d->rank[rank + 1].first_object ? &s->d->object[s->at[rank]] : NULL;
}

/* Through a rank's objects, until others are to come. */
static weir_status go_on(dumpi_settling *s, uint32_t rank)
{
    for (dumpi_object *o; (o = at_hand(s, rank)); s->at[rank]++) {
        if (o->what >= DUMPI_COMM_DUP && o->what <= DUMPI_CART_SUB) {
            const dumpi_ranks old = wi_dumpi_members(s, &rank, o->a);
            if (old.comm != DUMPI_SELF)
                return ++s->comm[old.comm].here < old.n ? WEIR_OK : divide(s, old.comm);
            o->comm = DUMPI_SELF;
        } else if (o->what != DUMPI_NEVER) {
            WI_RETURN_IF_FAILED(o->what >= DUMPI_COMM_GROUP ? make_group(s, rank, o)
                                                            : check_comm(s, rank, o));
        }
    }
    return WEIR_OK;
}

static weir_status name_missing(dumpi_settling *s)
{
    for (uint32_t r = 0; r < s->d->reading.job->n_ranks; r++) {
        const dumpi_object *const o = at_hand(s, r), *its;
        if (!o)
            continue;
        const dumpi_ranks old = wi_dumpi_members(s, &r, o->a);
        uint32_t k = 0;
        while (k < old.n && (its = at_hand(s, old.at[k])) &&
               wi_dumpi_members(s, &old.at[k], its->a).comm == old.comm)
            k++;
        return WRONG_CALL(s, r, o->call, "it makes a communicator with others, and rank %u never comes to it",
                          k < old.n ? old.at[k] : r);
    }
    return WEIR_OK;
}

weir_status wi_dumpi_find_comms(dumpi_settling *s)
{
    wi_reading *const reading = &s->d->reading;
    const uint32_t n = reading->job->n_ranks;
    s->at = wi_take(&s->memory, n, sizeof *s->at);
    s->ready = wi_take(&s->memory, n, sizeof *s->ready);
    s->mark = wi_take(&s->memory, n, sizeof *s->mark);
    WI_READING_PUT(reading, s->comm, s->n_comms, (dumpi_comm){0});
    WI_READING_PUT(reading, s->comm, s->n_comms, (dumpi_comm){0});
    if (!wi_reading_has(reading, !s->memory.failed && wi_job_group_of_all(reading->job)))
        return reading->status;
    for (; s->n_ready < n; s->n_ready++) {
        s->at[s->n_ready] = s->d->rank[s->n_ready].first_object;
        s->ready[s->n_ready] = s->n_ready;
    }
    while (s->n_ready && reading->status == WEIR_OK)
        reading->status = go_on(s, s->ready[--s->n_ready]);
    return reading->status ?: name_missing(s);
}

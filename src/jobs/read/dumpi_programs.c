/* The programs of a job of DUMPI's traces, once it is known whose communicators go together; see dumpi_comms.h. */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "jobs/read/dumpi_comms.h"
#include "jobs/uneven.h"

/* An action of a rank on its way into the program. */
typedef struct putting {
    dumpi_settling *s;
    const uint64_t *key; /* [n_keys] contexts and tags, in order */
    size_t n_keys;
    uint32_t rank;
    dumpi_ranks members; /* of its communicator */
    const dumpi_action *from;
    wi_job_place place;
    bool *left_out; /* requests, by their slots */
} putting;

static bool is_message(const job_action *a)
{
    return a->op >= JOB_OP_SEND && a->op <= JOB_OP_IRECV;
}

/* Tags of the world's that are small stay as they are. */
static bool has_key(uint32_t context, uint32_t tag)
{
    return tag != JOB_ANY && (context != DUMPI_WORLD || tag >= JOB_KEY_INNER);
}

static uint64_t key_of(uint32_t context, uint32_t tag)
{
    return (uint64_t)context << 32 | tag;
}

/* All contexts and tags, in order, each once. */
static uint64_t *find_keys(const dumpi_settling *s, size_t *n_keys)
{
    wi_dumpi *const d = s->d;
    uint64_t *key = NULL;
    size_t n = 0, kept = 0;
    for (uint32_t r = 0; r < d->reading.job->n_ranks; r++)
        for (size_t i = d->rank[r].first_action; i < d->rank[r + 1].first_action; i++) {
            const job_action *const a = &d->action[i].action;
            const uint32_t context = wi_dumpi_members(s, &r, d->action[i].comm).comm;
            if (is_message(a) && has_key(context, a->key))
                WI_READING_PUT(&d->reading, key, n, key_of(context, a->key));
        }
    if (n)
        qsort(key, n, sizeof *key, wi_order_u64);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || key[i] != key[kept - 1])
            key[kept++] = key[i];
    (void)wi_reading_has(&d->reading, kept + s->n_comms < JOB_KEY_INNER / 2);
    *n_keys = kept;
    return key;
}

static weir_status put_uneven(const putting *p)
{
    const wi_dumpi *const d = p->s->d;
    const job_action *const a = &p->from->action;
    const uint32_t *const number = d->number + a->time_ps, to = number[0], from = number[1], n = p->members.n;
    const uint32_t me = wi_dumpi_number(p->members, p->rank);
    const bool to_all = a->op == JOB_OP_ALLTOALLV,
               all = to_all || a->op == JOB_OP_ALLGATHERV || (me == a->peer && a->op != JOB_OP_SCAN);
    const wi_uneven u = {.op = a->op,
                         .rank = me,
                         .p = n,
                         .root = a->peer,
                         .member = p->members.at,
                         .to = to ? number + 2 : NULL,
                         .from = from ? number + 2 + to : NULL,
                         .key = JOB_KEY_INNER + p->members.comm,
                         .slot = d->rank[p->rank].slots,
                         .alone = a->slot != 0};
    if (a->peer >= n)
        return WRONG_CALL(p->s, p->rank, p->from->call, "root %u of %u members", a->peer, n);
    if (all && ((to && to != n) || (from && from != n) || (to_all && (!to || !from)) || (!to && !from)))
        return WRONG_CALL(p->s, p->rank, p->from->call, "%u and %u counts for %u members", to, from, n);
    (void)wi_reading_has(&p->s->d->reading, wi_uneven_put(&u, &d->reading.job->programs, p->place));
    return d->reading.status;
}

/* A message's rank and key of the job in the place of the rank's own; what a rank sends itself is left out. */
static weir_status put_message(const putting *p, job_action a)
{
    const dumpi_settling *const s = p->s;
    if (a.peer != JOB_ANY && a.peer >= p->members.n)
        return WRONG_CALL(s, p->rank, p->from->call, "rank %u of a communicator of %u", a.peer, p->members.n);
    a.peer = a.peer == JOB_ANY ? a.peer : p->members.at[a.peer];
    if (a.key == JOB_ANY && p->members.comm != DUMPI_WORLD)
        return WRONG_CALL(
            s, p->rank, p->from->call,
            "it receives any tag of a communicator that is not the world's, and there is no status%s", "");
    if (has_key(p->members.comm, a.key)) {
        const uint64_t key = key_of(p->members.comm, a.key);
        a.key = JOB_KEY_INNER + s->n_comms + (uint32_t)WI_FIRST(i, p->n_keys, p->key[i] >= key);
    }
    if (a.op == JOB_OP_ISEND || a.op == JOB_OP_IRECV)
        p->left_out[a.slot] = a.peer == p->rank;
    return a.peer == p->rank ? WEIR_OK : wi_reading_act(&s->d->reading, &a, p->place);
}

static weir_status put_action(putting *p)
{
    job_action a = p->from->action;
    p->members = wi_dumpi_members(p->s, &p->rank, p->from->comm);
    if (is_message(&a))
        return put_message(p, a);
    if (a.op == JOB_OP_WAIT      ? p->left_out[a.slot]
        : a.op == JOB_OP_COMPUTE ? a.time_ps == 0
                                 : a.op >= JOB_OP_BARRIER && p->members.n == 1)
        return WEIR_OK;
    if (a.op >= JOB_OPS)
        return put_uneven(p);
    if (a.op >= JOB_OP_BARRIER)
        a.slot = p->s->comm[p->members.comm].group;
    return wi_reading_act(&p->s->d->reading, &a, p->place);
}

static void put_rank(putting *p)
{
    const wi_dumpi *const d = p->s->d;
    wi_reading *const reading = &p->s->d->reading;
    wi_job_programs *const to = &reading->job->programs;
    const size_t end = d->rank[p->rank + 1].first_action;
    WI_FREED bool *left_out = p->left_out = calloc((size_t)d->rank[p->rank].slots + 1, sizeof *left_out);
    (void)wi_reading_has(reading, left_out);
    for (size_t i = d->rank[p->rank].first_action; i < end && reading->status == WEIR_OK; i++) {
        p->from = &d->action[i];
        p->place = (wi_job_place){p->rank, p->from->call};
        reading->status = put_action(p);
    }
    if (to->n_actions == to->first[p->rank])
        (void)wi_reading_act(reading, &(job_action){.op = JOB_OP_COMPUTE}, (wi_job_place){p->rank, 0});
    to->first[p->rank + 1] = to->n_actions;
}

static void put_programs(dumpi_settling *s)
{
    wi_reading *const reading = &s->d->reading;
    wi_job *const job = reading->job;
    putting p = {.s = s};
    WI_FREED uint64_t *const key = find_keys(s, &p.n_keys);
    p.key = key;
    job->programs.first = calloc((size_t)job->n_ranks + 1, sizeof *job->programs.first);
    (void)wi_reading_has(reading, job->programs.first);
    for (; p.rank < job->n_ranks && reading->status == WEIR_OK; p.rank++)
        put_rank(&p);
    (void)wi_reading_has(reading, reading->status != WEIR_OK || wi_job_of_programs(job));
}

void wi_dumpi_settle(wi_dumpi *d)
{
    dumpi_settling s = {.d = d};
    d->reading.file = d->reading.job->file;
    d->reading.parts = "communicators";
    if (wi_dumpi_find_comms(&s) == WEIR_OK)
        put_programs(&s);
    free(s.comm);
    free(s.list);
    wi_owned_free(&s.memory);
}

/* Programs into the world: who runs which actions, and room for what may be under way at once. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "models/interconnect/world/build.h"
#include "models/interconnect/jobs/program.h"

enum { SLOTS_MAX = 1 << 20, CHUNKS_MAX = 1 << 30 };

/* What a rank's actions come to. */
typedef struct needs {
    uint32_t slots; /* of requests that outlive their action */
    uint32_t processors;
    uint32_t ops;      /* whose ends are noted */
    uint64_t received; /* point-to-point messages */
    uint64_t sources;  /* at most so many pairs of source and key */
    bool takes_time;
} needs;

/* At most so many ranks send to one of n in such a collective. */
static uint32_t sources_of(const job_action *a, uint32_t n)
{
    uint32_t most = 34; /* a power of two up to 2^32 has so many partners, folding included */
    switch (a->op) {
    case JOB_OP_ALLTOALL:
    case JOB_OP_GATHER:
        most = n - 1;
        break;
    case JOB_OP_EXCHANGE:
        most = 6;
        break;
    default:
        break;
    }
    return most < n - 1 ? most : n - 1;
}

/* The actions of one rank of a job. */
typedef struct rank_actions {
    weir_diag *diag;
    const ic_job *job;
    uint32_t chunk_bytes, n_ranks, rank;
    const job_action *at; /* [n] */
    size_t n;
    const size_t *lane; /* [n_lanes + 1] actions of the job; null: one has all */
    uint32_t n_lanes;
} rank_actions;

static bool is_received(const job_action *a)
{
    return a->op == JOB_OP_RECV || a->op == JOB_OP_IRECV;
}

static weir_status check_action(const rank_actions *r, size_t number, const job_action *a)
{
    const bool to_one = a->op == JOB_OP_SEND || a->op == JOB_OP_ISEND || is_received(a);
    number++;
    if (a->op >= JOB_OPS || a->algorithm >= JOB_ALGORITHMS)
        return IC_REFUSE_JOB(r->diag, r->job, ": action %zu is none that there is", number);
    if (a->peer >= r->n_ranks)
        return IC_REFUSE_JOB(r->diag, r->job, ": action %zu names rank %u; it has ranks 0 to %u", number,
                             a->peer, r->n_ranks - 1);
    if (to_one && a->peer == r->rank)
        return IC_REFUSE_JOB(r->diag, r->job, ": rank %u sends to itself in action %zu", r->rank, number);
    if (a->bytes / r->chunk_bytes >= CHUNKS_MAX)
        return IC_REFUSE_JOB(r->diag, r->job, ": action %zu sends %llu bytes; want at most %d chunks", number,
                             (unsigned long long)a->bytes, CHUNKS_MAX);
    if (a->time_ps < 0 || a->time_ps > WEIR_TIME_MAX / 4)
        return IC_REFUSE_JOB(r->diag, r->job, ": action %zu computes for %lld ps", number,
                             (long long)a->time_ps);
    if (a->slot >= SLOTS_MAX && !a->lane)
        return IC_REFUSE_JOB(r->diag, r->job, ": more than %d requests under way at rank %u", SLOTS_MAX,
                             r->rank);
    if (a->lane > r->n_lanes || (a->lane && a->op != JOB_OP_WAIT))
        return IC_REFUSE_JOB(r->diag, r->job, ": action %zu waits for lane %u; rank %u has %u", number,
                             a->lane, r->rank, r->n_lanes);
    return WEIR_OK;
}

static weir_status see_actions(const rank_actions *r, needs *out)
{
    uint64_t seen = 0; /* kinds of collectives, by op and algorithm */
    for (size_t i = 0; i < r->n; i++) {
        const job_action *a = &r->at[i];
        const weir_status status = check_action(r, i, a);
        if (status != WEIR_OK)
            return status;
        const bool collective = a->op >= JOB_OP_BARRIER;
        const uint64_t bit =
            collective ? UINT64_C(1) << ((a->op - JOB_OP_BARRIER) * JOB_ALGORITHMS + a->algorithm) : 0;
        if (collective && !(seen & bit))
            out->sources += sources_of(a, r->n_ranks);
        seen |= bit;
        out->received += is_received(a);
        if (a->op == JOB_OP_COMPUTE && a->slot >= out->processors)
            out->processors = a->slot + 1;
        out->ops = a->ends > out->ops ? a->ends : out->ops;
        if ((a->op == JOB_OP_ISEND || a->op == JOB_OP_IRECV) && a->slot >= out->slots)
            out->slots = a->slot + 1;
        out->takes_time |= a->op != JOB_OP_COMPUTE || a->time_ps > 0;
    }
    return WEIR_OK;
}

/* How many pairs of source and tag a rank receives from. UINT64_MAX: no memory. */
static uint64_t pairs_of(const rank_actions *r, uint64_t received)
{
    uint64_t n = 0, pairs = 0;
    WI_FREED uint64_t *list = malloc((size_t)(received + 1) * sizeof *list);
    if (!list)
        return UINT64_MAX;
    for (size_t i = 0; i < r->n; i++)
        if (is_received(&r->at[i]))
            list[n++] = (uint64_t)r->at[i].peer << 32 | r->at[i].key;
    qsort(list, (size_t)n, sizeof *list, wi_order_u64);
    for (uint64_t i = 0; i < n; i++)
        pairs += i == 0 || list[i] != list[i - 1];
    return pairs;
}

/* Where terminals have their slices, a number for each behind the first; all are added up in the end. */
typedef struct slices {
    uint32_t *ranks, *requests, *inbox, *lanes, *times;
} slices;

/* The sizes of a rank's, and how many requests of its own each of its lanes has. */
static weir_status size_rank(const rank_actions *r, ic_program *program, const slices *to, uint32_t at)
{
    needs need = {0};
    const weir_status status = see_actions(r, &need);
    if (status != WEIR_OK)
        return status;
    if (r->job->iterations == 0 && !need.takes_time)
        return IC_REFUSE_JOB(r->diag, r->job, ": a program without end in which nothing takes time");
    const uint64_t pairs = need.sources + pairs_of(r, need.received);
    if (pairs > UINT32_MAX / 4)
        return weir_fail(r->diag, WEIR_E_NOMEM, "interconnect: no memory for the messages of rank %u",
                         r->rank);
    uint32_t room = 4; /* a third of it stays free: an entry is found in few steps */
    while (room < pairs + pairs / 2 + 1)
        room *= 2;
    program->n_lanes = r->n_lanes;
    program->own = r->n_lanes > 1 ? IC_OWN_BESIDE : IC_OWN_ALONE;
    program->n_ops = r->job->times ? need.ops : 0;
    const uint64_t times = r->job->times ? (uint64_t)r->job->iterations * (need.ops + UINT64_C(1)) : 0;
    if (times > INT32_MAX)
        return IC_REFUSE_JOB(r->diag, r->job,
                             ": %u operations of rank %u in %u iterations are too many to note when each "
                             "ends; want no times of actions",
                             need.ops, r->rank, r->job->iterations);
    to->ranks[at] = 1;
    to->inbox[at] = room;
    to->requests[at] = program->n_lanes * program->own + need.slots;
    to->lanes[at] = need.processors > r->n_lanes ? need.processors : r->n_lanes;
    to->times[at] = (uint32_t)times;
    return WEIR_OK;
}

/* Into the tables of one job: `at` and `lane` are where its actions and lanes are in the world's. */
static weir_status store_job(weir_diag *diag, ic_making *m, uint32_t number, uint32_t at, uint32_t lane)
{
    const ic_world *w = &m->head;
    const ic_job *job = &m->params->jobs[number];
    const ic_job_world *to = (const ic_job_world *)ic_at_offset(m, w->jobs_at) + number;
    const uint32_t *terminal = (const uint32_t *)ic_at_offset(m, w->rank_terminal_at) + to->first;
    const slices slice = {ic_at_offset(m, w->rank_first_at), ic_at_offset(m, w->request_first_at),
                          ic_at_offset(m, w->inbox_first_at), ic_at_offset(m, w->lane_first_at),
                          ic_at_offset(m, w->times_first_at)};
    ic_program *programs = ic_at_offset(m, w->programs_at);
    ic_lane_actions *lanes = ic_at_offset(m, w->lanes_at);
    memcpy((job_action *)ic_at_offset(m, w->actions_at) + at, job->actions,
           job->n_actions * sizeof *job->actions);
    weir_status status = WEIR_OK;
    for (uint32_t r = 0; r < to->n_ranks && status == WEIR_OK; r++) {
        const size_t first = job->first_action ? job->first_action[r] : 0,
                     end = job->first_action ? job->first_action[r + 1] : job->n_actions;
        const uint32_t t = terminal[r];
        if (end > job->n_actions || end <= first)
            return IC_REFUSE_JOB(diag, job, ": rank %u has no action", r);
        rank_actions of = {.diag = diag,
                           .job = job,
                           .chunk_bytes = w->chunk_bytes,
                           .n_ranks = to->n_ranks,
                           .rank = r,
                           .at = job->actions + first,
                           .n = end - first,
                           .n_lanes = 1};
        const size_t alone[] = {first, end};
        of.lane = alone;
        if (job->lane) {
            of.lane = job->lane + job->lanes[r];
            of.n_lanes = job->lanes[r + 1] - job->lanes[r];
        }
        programs[t].first_lane = lane;
        for (uint32_t i = 0; i < of.n_lanes; i++, lane++)
            lanes[lane] =
                (ic_lane_actions){at + (uint32_t)of.lane[i], (uint32_t)(of.lane[i + 1] - of.lane[i])};
        /* All ranks do the same: what one needs the others do, but who receives from whom may differ. */
        status = size_rank(&of, &programs[t], &slice, t + 1);
    }
    return status;
}

/* Lanes of all ranks of a job. */
static uint64_t lanes_of(const ic_making *m, uint32_t number)
{
    const ic_job *job = &m->params->jobs[number];
    const uint32_t n = ((const ic_job_world *)ic_at_offset(m, m->head.jobs_at) + number)->n_ranks;
    return job->lane ? job->lanes[n] : n;
}

static weir_status sum_up(weir_diag *diag, ic_making *m)
{
    const uint64_t tables[] = {m->head.rank_first_at, m->head.request_first_at, m->head.inbox_first_at,
                               m->head.lane_first_at, m->head.times_first_at};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        uint32_t *first = ic_at_offset(m, tables[i]);
        uint64_t sum = 0;
        for (uint32_t t = 0; t < m->head.n_terminals; t++) {
            sum += first[t + 1];
            if (sum > INT32_MAX)
                return weir_fail(diag, WEIR_E_ARG,
                                 "interconnect: programs of %u terminals with too many messages under way",
                                 m->head.n_terminals);
            first[t + 1] = (uint32_t)sum;
        }
    }
    return WEIR_OK;
}

weir_status wi_ic_store_programs(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t n = w->n_terminals;
    uint64_t actions = 0, lanes = 0;
    bool any = false;
    for (uint32_t j = 0; j < w->n_jobs; j++)
        if (m->params->jobs[j].pattern == IC_PROGRAMMED) {
            const ic_job *job = &m->params->jobs[j];
            if (job->n_actions == 0)
                return IC_REFUSE_JOB(diag, job, " has a program without actions");
            actions += job->n_actions;
            lanes += lanes_of(m, j);
            any = true;
        }
    if (actions > INT32_MAX || lanes > INT32_MAX)
        return weir_fail(diag, WEIR_E_ARG, "interconnect: programs of %llu actions; want at most 2147483647",
                         (unsigned long long)actions);
    /* Without programs there are slices all the same, empty ones. */
    if (!ic_table(m, n + 1, sizeof(uint32_t), &w->rank_first_at) ||
        !ic_table(m, n + 1, sizeof(uint32_t), &w->request_first_at) ||
        !ic_table(m, n + 1, sizeof(uint32_t), &w->inbox_first_at) ||
        !ic_table(m, n + 1, sizeof(uint32_t), &w->lane_first_at) ||
        !ic_table(m, n + 1, sizeof(uint32_t), &w->times_first_at) ||
        !ic_table(m, lanes, sizeof(ic_lane_actions), &w->lanes_at) ||
        !ic_table(m, any ? n : 0, sizeof(ic_program), &w->programs_at) ||
        !ic_table(m, actions, sizeof(job_action), &w->actions_at))
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for programs of %llu actions",
                         (unsigned long long)actions);
    uint32_t at = 0, lane = 0;
    for (uint32_t j = 0; j < w->n_jobs; j++) {
        const ic_job *job = &m->params->jobs[j];
        if (job->pattern != IC_PROGRAMMED)
            continue;
        const weir_status status = store_job(diag, m, j, at, lane);
        if (status != WEIR_OK)
            return status;
        lane += (uint32_t)lanes_of(m, j);
        at += (uint32_t)job->n_actions;
    }
    w->program_counters = any ? (uint64_t)(w->n_jobs + 1) * IC_COUNTERS + ic_pair_classes(w) * w->pair : 0;
    return sum_up(diag, m);
}

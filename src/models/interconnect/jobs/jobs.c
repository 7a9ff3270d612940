/* Jobs: which terminal runs which rank, and what the rank's source reads. */
#include "models/interconnect/jobs/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "jobs/ranks.h"
#include "models/interconnect/world/build.h"

void ic_job_init(ic_job *job)
{
    *job = (ic_job){.message_bytes = 1024,
                    .load = 1.0,
                    .shift = 1,
                    .stop_ps = WEIR_TIME_MAX,
                    .iterations = 1,
                    .eager_bytes = 16384};
}

/* A job that gets its ranks. */
typedef struct placing {
    weir_diag *diag;
    ic_making *m;
    const ic_job *job;
    uint32_t number;
    uint32_t n;         /* ranks */
    uint32_t *terminal; /* [n] */
    uint32_t *targets;  /* [terminals]: how many of these a terminal's source reads, for all jobs */
    uint32_t (*target)[6];
    uint32_t *planned; /* [terminals]: likewise messages */
} placing;

/* A stream of its own for what is drawn once, while the world is made: no entity has this number. */
static weir_stream drawing(const ic_params *params, uint32_t salt)
{
    return weir_stream_make(params->seed, IC_NONE - salt, params->run);
}

static uint32_t root_of(uint32_t n)
{
    uint32_t root = 1;
    while ((uint64_t)root * root < n)
        root++;
    return root;
}

static weir_status check_job(const placing *p)
{
    const ic_job *job = p->job;
    const uint64_t cells =
        (uint64_t)job->grid[0] * (job->grid[1] ? job->grid[1] : 1) * (job->grid[2] ? job->grid[2] : 1);
    const bool draws = job->pattern < IC_PING_PONG,
               has_grid = job->grid[0] && (job->pattern == IC_PROGRAMMED || job->pattern == IC_TORNADO);
    const uint32_t n = p->n, root = root_of(n);
    if (n == 0)
        return IC_REFUSE_JOB(p->diag, job, " has no rank: other jobs have all terminals");
    if (n < 2 && job->pattern != IC_PLANNED && job->pattern != IC_PROGRAMMED)
        return IC_REFUSE_JOB(p->diag, job, " has %u ranks; want at least 2", n);
    if (job->message_bytes < 1 || job->message_bytes > 1u << 30)
        return IC_REFUSE_JOB(p->diag, job, " sends messages of %u bytes; want 1 to 1 GiB",
                             job->message_bytes);
    if (draws && !(job->load > 0.0 && job->load <= 100.0))
        return IC_REFUSE_JOB(p->diag, job, " has a load of %g; want above 0, to 100", job->load);
    if (job->start_ps < 0 || job->stop_ps < job->start_ps)
        return IC_REFUSE_JOB(p->diag, job, " ends before it begins");
    if ((job->pattern == IC_STENCIL || has_grid) && cells != n)
        return IC_REFUSE_JOB(p->diag, job, " has a grid of %llu cells and %u ranks; want as many",
                             (unsigned long long)cells, n);
    if (job->pattern == IC_TRANSPOSE && root * root != n)
        return IC_REFUSE_JOB(p->diag, job, " transposes %u ranks; want a square number", n);
    if (job->pattern == IC_PING_PONG && n % 2)
        return IC_REFUSE_JOB(p->diag, job, " pairs %u ranks; want an even number", n);
    return WEIR_OK;
}

/* Terminals into `order`, as the job's placement hands them out: those that it names, or all that are free. Returns how many. */
static uint32_t list_seats(const placing *p, const uint32_t *terminal_job, uint32_t *order)
{
    const ic_world *w = &p->m->head;
    const ic_job *job = p->job;
    const uint32_t each = w->wiring == IC_TREE ? w->k : w->p; /* terminals of a router */
    uint32_t n = 0;
    if (job->n_terminals)
        memcpy(order, job->terminals, (n = job->n_terminals) * sizeof *order);
    for (uint32_t i = 0; i < w->n_terminals && !job->n_terminals; i++) {
        const uint32_t t = wi_job_seat(job->placement, i, w->n_terminals / each, each);
        if (terminal_job[t] == IC_NONE)
            order[n++] = t;
    }
    if (job->placement == WEIR_SC_PLACE_RANDOM) {
        weir_stream stream = drawing(p->m->params, 1 + p->number);
        wi_job_shuffle(&stream, order, n, 1);
    }
    return n;
}

/* Give ranks their terminals. */
static weir_status place(placing *p)
{
    const ic_world *w = &p->m->head;
    const ic_job *job = p->job;
    uint32_t *terminal_job = ic_at_offset(p->m, w->terminal_job_at),
             *terminal_rank = ic_at_offset(p->m, w->terminal_rank_at);
    WI_FREED uint32_t *order = malloc(((size_t)w->n_terminals + job->n_terminals) * sizeof *order);
    if (!order)
        return weir_fail(p->diag, WEIR_E_NOMEM, "interconnect: no memory to place %u terminals",
                         w->n_terminals);
    const uint32_t n = list_seats(p, terminal_job, order);
    p->n = job->n_ranks ? job->n_ranks : n;
    if (p->n > n)
        return IC_REFUSE_JOB(p->diag, job, " has %u ranks, but only %u terminals%s", p->n, n,
                             job->n_terminals ? "" : " are free");
    for (uint32_t r = 0; r < p->n; r++) {
        const uint32_t t = order[r];
        if (t >= w->n_terminals || terminal_job[t] != IC_NONE)
            return IC_REFUSE_JOB(p->diag, job, " wants terminal %u, which %s", t,
                                 t >= w->n_terminals            ? "there is not"
                                 : terminal_job[t] == p->number ? "it has already"
                                                                : "another job has");
        p->terminal[r] = t;
        terminal_job[t] = p->number;
        terminal_rank[t] = r;
    }
    return WEIR_OK;
}

/* A permutation in which nobody stays: one cycle through a shuffled list. */
static uint32_t *draw_permutation(const placing *p)
{
    const uint32_t n = p->n;
    uint32_t *list = malloc(2 * (size_t)n * sizeof *list);
    if (!list)
        return NULL;
    weir_stream stream = drawing(p->m->params, 0x10000 + p->number);
    for (uint32_t i = 0; i < n; i++)
        list[n + i] = i;
    wi_job_shuffle(&stream, list + n, n, 1);
    for (uint32_t i = 0; i < n; i++)
        list[list[n + i]] = list[n + (i + 1) % n];
    return list;
}

/* Almost half-way round each ring of a grid, the first dimension the fastest. */
static uint32_t half_way(const uint32_t *size, uint32_t dimensions, uint32_t at)
{
    uint32_t weight = 1, to = 0;
    for (uint32_t d = 0; d < dimensions && size[d]; d++) {
        to += (at % size[d] + (size[d] - 1) / 2) % size[d] * weight;
        at /= size[d];
        weight *= size[d];
    }
    return to;
}

/* Tornado (Dally, Towles 2004, section 3.2): each coordinate shifts by ceil(k/2) - 1. Coordinates are those of the
 * job's grid, of a torus that the job fills, or else the ranks are one ring. */
static uint32_t tornado(const placing *p, uint32_t rank)
{
    const ic_world *w = &p->m->head;
    if (p->job->grid[0])
        return half_way(p->job->grid, 3, rank);
    if (w->wiring == IC_TORUS && p->n == w->n_terminals)
        return rank % w->p + w->p * half_way(w->size, w->dimensions, rank / w->p);
    return half_way(&p->n, 1, rank);
}

/* The one target of a rank, but of a stencil. */
static uint32_t target_of(const placing *p, const uint32_t *permutation, uint32_t rank)
{
    const uint32_t n = p->n;
    switch (p->job->pattern) {
    case IC_NEIGHBOUR:
        return (rank + 1) % n;
    case IC_TRANSPOSE:
        return rank % root_of(n) * root_of(n) + rank / root_of(n);
    case IC_COMPLEMENT:
        return n - 1 - rank;
    case IC_PERMUTATION:
        return permutation[rank];
    case IC_TORNADO:
        return tornado(p, rank);
    default: /* IC_PING_PONG */
        return rank ^ 1;
    }
}

/* Up to six targets of each rank, itself left out: who has none, as the diagonal of a transpose, sends nothing. */
static weir_status list_targets(const placing *p)
{
    const bool permutes = p->job->pattern == IC_PERMUTATION, stencil = p->job->pattern == IC_STENCIL;
    WI_FREED uint32_t *permutation = permutes ? draw_permutation(p) : NULL;
    if (permutes && !permutation)
        return weir_fail(p->diag, WEIR_E_NOMEM, "interconnect: no memory for a permutation of %u ranks",
                         p->n);
    bool any = false;
    for (uint32_t r = 0; r < p->n; r++) {
        const uint32_t t = p->terminal[r];
        for (uint32_t i = 0; i < (stencil ? 6 : 1); i++) {
            const uint32_t other =
                stencil ? job_grid_neighbour(p->job->grid, r, i) : target_of(p, permutation, r);
            if (other != r)
                p->target[t][p->targets[t]++] = p->terminal[other];
        }
        any |= p->targets[t] > 0;
    }
    if (!any)
        return IC_REFUSE_JOB(p->diag, p->job, " has %u ranks, each of which would send to itself", p->n);
    return WEIR_OK;
}

/* A message of a plan: its line, where it has one, else its job. */
static weir_status bad_plan(const placing *p, const ic_plan_entry *e, const char *what)
{
    if (p->job->plan_file && e->line)
        return weir_fail_at(p->diag, WEIR_E_ARG, p->job->plan_file, (int)e->line, 1, "%s", what);
    if (e->line)
        return IC_REFUSE_JOB(p->diag, p->job, ": line %u: %s", e->line, what);
    return IC_REFUSE_JOB(p->diag, p->job, ": %s", what);
}

static weir_status count_planned(const placing *p)
{
    char what[96];
    for (size_t i = 0; i < p->job->n_plan; i++) {
        const ic_plan_entry *e = &p->job->plan[i];
        if (e->source >= p->n || e->target >= p->n) {
            snprintf(what, sizeof what, "rank %u; it has ranks 0 to %u",
                     e->source >= p->n ? e->source : e->target, p->n - 1);
            return bad_plan(p, e, what);
        }
        if (e->source == e->target)
            return bad_plan(p, e, "a rank sends to itself");
        if (e->time_ps < 0 || e->bytes < 1 || e->bytes > 1u << 30)
            return bad_plan(p, e, "want a time from 0 on and 1 byte to 1 GiB");
        p->planned[p->terminal[e->source]]++;
    }
    return WEIR_OK;
}

static ic_source source_of(const ic_job *job)
{
    switch (job->pattern) {
    case IC_UNIFORM:
    case IC_GROUP_SHIFT:
        return IC_RANDOM;
    case IC_PING_PONG:
        return IC_PING;
    case IC_PLANNED:
        return IC_SCHEDULE;
    case IC_PROGRAMMED:
        return IC_PROGRAM;
    default:
        return IC_CYCLE;
    }
}

/* Ranks of a range, and how far the target's lies off. */
static weir_status set_range(const placing *p, ic_job_world *to)
{
    const ic_world *w = &p->m->head;
    to->range_size = p->n;
    to->range_shift = 0;
    if (p->job->pattern != IC_GROUP_SHIFT)
        return WEIR_OK;
    const uint32_t usual = w->wiring == IC_DRAGONFLY ? w->a * w->p
                           : w->wiring == IC_TREE    ? w->n_terminals / w->k
                                                     : w->p * w->size[0];
    const uint32_t size = p->job->range ? p->job->range : usual, ranges = p->n / size;
    if (p->n % size || ranges < 2 || p->job->shift % ranges == 0)
        return IC_REFUSE_JOB(
            p->diag, p->job,
            " has %u ranks in ranges of %u and shifts by %u of them; want whole ranges, two or more, and "
            "another one to send to",
            p->n, size, p->job->shift);
    to->range_size = size;
    to->range_shift = p->job->shift % ranges;
    return WEIR_OK;
}

/* Place a job whose ranks' terminals begin at `first`. */
static weir_status place_one(placing *p, uint32_t first)
{
    const ic_job *job = p->job;
    ic_job_world *to = (ic_job_world *)ic_at_offset(p->m, p->m->head.jobs_at) + p->number;
    const uint32_t chunks = ic_chunks_of(&p->m->head, job->message_bytes);
    p->terminal = (uint32_t *)ic_at_offset(p->m, p->m->head.rank_terminal_at) + first;
    weir_status status = place(p) ?: check_job(p) ?: set_range(p, to);
    if (status != WEIR_OK)
        return status;
    *to = (ic_job_world){.source = source_of(job),
                         .periodic = job->periodic,
                         .first = first,
                         .n_ranks = p->n,
                         .message_chunks = chunks,
                         .eager_bytes = job->eager_bytes,
                         .iterations = job->iterations,
                         .grid = {job->grid[0], job->grid[1], job->grid[2]},
                         .range_size = to->range_size,
                         .range_shift = to->range_shift,
                         .start_ps = job->start_ps,
                         .stop_ps = job->stop_ps,
                         .gap_ps =
                             (double)chunks * (double)p->m->head.class_[IC_TERMINAL].chunk_ps / job->load};
    return to->source == IC_CYCLE || to->source == IC_PING ? list_targets(p)
           : to->source == IC_SCHEDULE                     ? count_planned(p)
                                                           : WEIR_OK;
}

WI_ORDER_BY(by_time, ic_planned, WI_ORDER(x->time_ps, y->time_ps) ?: WI_ORDER(x->target, y->target) ?: WI_ORDER(x->chunks, y->chunks))

/* Messages of plans, by terminal and time; `left` counts down what is to come of each terminal. */
static void fill_planned(ic_making *m, uint32_t *left)
{
    uint32_t *first = ic_at_offset(m, m->head.planned_first_at);
    const uint32_t *rank_terminal = ic_at_offset(m, m->head.rank_terminal_at);
    ic_planned *planned = ic_at_offset(m, m->head.planned_at);
    const ic_job_world *jobs = ic_at_offset(m, m->head.jobs_at);
    for (uint32_t t = 0; t < m->head.n_terminals; t++)
        first[t + 1] = first[t] + left[t];
    for (uint32_t j = 0; j < m->head.n_jobs; j++)
        for (size_t i = 0; jobs[j].source == IC_SCHEDULE && i < m->params->jobs[j].n_plan; i++) {
            const ic_plan_entry *e = &m->params->jobs[j].plan[i];
            const uint32_t t = rank_terminal[jobs[j].first + e->source];
            planned[first[t] + --left[t]] = (ic_planned){.time_ps = e->time_ps,
                                                         .target = rank_terminal[jobs[j].first + e->target],
                                                         .chunks = ic_chunks_of(&m->head, e->bytes)};
        }
    for (uint32_t t = 0; t < m->head.n_terminals; t++)
        qsort(planned + first[t], first[t + 1] - first[t], sizeof *planned, by_time);
}

/* The gathered lists as tables of the world. */
static weir_status store(const placing *p)
{
    ic_making *m = p->m;
    const uint32_t n = m->head.n_terminals;
    uint64_t all = 0, planned = 0;
    for (uint32_t t = 0; t < n; t++) {
        all += p->targets[t];
        planned += p->planned[t];
    }
    if (planned > INT32_MAX || !ic_table(m, n + 1, sizeof(uint32_t), &m->head.list_first_at) ||
        !ic_table(m, all, sizeof(uint32_t), &m->head.list_at) ||
        !ic_table(m, n + 1, sizeof(uint32_t), &m->head.planned_first_at) ||
        !ic_table(m, planned, sizeof(ic_planned), &m->head.planned_at))
        return weir_fail(p->diag, WEIR_E_NOMEM, "interconnect: no memory for the messages of %u terminals",
                         n);
    uint32_t *first = ic_at_offset(m, m->head.list_first_at), *list = ic_at_offset(m, m->head.list_at);
    for (uint32_t t = 0; t < n; t++) {
        first[t + 1] = first[t] + p->targets[t];
        memcpy(list + first[t], p->target[t], p->targets[t] * sizeof *list);
    }
    fill_planned(m, p->planned);
    return WEIR_OK;
}

weir_status wi_ic_place_jobs(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t n = w->n_terminals;
    w->n_jobs = m->params->n_jobs;
    placing p = {.diag = diag,
                 .m = m,
                 .targets = calloc(n, sizeof *p.targets),
                 .target = calloc(n, sizeof *p.target),
                 .planned = calloc(n, sizeof *p.planned)};
    weir_status status = WEIR_OK;
    if (!p.targets || !p.target || !p.planned || !ic_table(m, w->n_jobs, sizeof(ic_job_world), &w->jobs_at) ||
        !ic_table(m, n, sizeof(uint32_t), &w->terminal_job_at) ||
        !ic_table(m, n, sizeof(uint32_t), &w->terminal_rank_at) ||
        !ic_table(m, n, sizeof(uint32_t), &w->rank_terminal_at))
        status = weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for the jobs of %u terminals", n);
    else
        memset(ic_at_offset(m, w->terminal_job_at), 0xff, n * sizeof(uint32_t));
    for (uint32_t first = 0; p.number < w->n_jobs && status == WEIR_OK; p.number++, first += p.n) {
        p.job = &m->params->jobs[p.number];
        status = place_one(&p, first);
    }
    if (status == WEIR_OK)
        status = store(&p);
    free(p.targets);
    free(p.target);
    free(p.planned);
    return status;
}

/* Jobs: which terminal runs which rank, and what the rank's source reads. */
#include "models/interconnect/jobs/collective.h"
#include "models/interconnect/world/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/random.h"

/* A stream of its own for what is drawn once, while the world is made: no entity has this number. */
static weir_stream drawing(const ic_params *params, uint32_t salt)
{
    return weir_stream_make(params->seed, IC_NONE - salt, params->run);
}

static uint32_t below(weir_stream *stream, uint32_t n)
{
    return (uint32_t)weir_mulhi64(weir_draw(stream), n);
}

static void shuffle(weir_stream *stream, uint32_t *list, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t j = below(stream, i), kept = list[i - 1];
        list[i - 1] = list[j];
        list[j] = kept;
    }
}

/* What stands for a job in messages. */
static const char *called(const ic_job *job, uint32_t number, char *text, size_t size)
{
    if (job->name)
        snprintf(text, size, "job '%s'", job->name);
    else
        snprintf(text, size, "job %u", number);
    return text;
}

#define FAIL_JOB(diag, job, ...) \
    weir_fail_at(diag, WEIR_E_ARG, (job)->place.file, (job)->place.line, (job)->place.column, __VA_ARGS__)

static weir_status check_job(weir_diag *diag, const ic_job *job, const char *name, uint32_t n)
{
    const uint64_t cells =
        (uint64_t)job->grid[0] * (job->grid[1] ? job->grid[1] : 1) * (job->grid[2] ? job->grid[2] : 1);
    const bool draws = job->pattern < IC_PING_PONG;
    uint32_t root = 1;
    while ((uint64_t)root * root < n)
        root++;
    if (n < 2 && job->pattern != IC_PLANNED && job->pattern != IC_PROGRAMMED)
        return FAIL_JOB(diag, job, "interconnect: %s has %u ranks; want at least 2", name, n);
    if (job->message_bytes < 1 || job->message_bytes > 1u << 30)
        return FAIL_JOB(diag, job, "interconnect: %s sends messages of %u bytes; want 1 to 1 GiB", name,
                        job->message_bytes);
    if (draws && !(job->load > 0.0 && job->load <= 100.0))
        return FAIL_JOB(diag, job, "interconnect: %s has a load of %g; want above 0, to 100", name,
                        job->load);
    if (job->start_ps < 0 || job->stop_ps < job->start_ps)
        return FAIL_JOB(diag, job, "interconnect: %s ends before it begins", name);
    if ((job->pattern == IC_STENCIL ||
         ((job->pattern == IC_PROGRAMMED || job->pattern == IC_TORNADO) && job->grid[0])) &&
        cells != n)
        return FAIL_JOB(diag, job, "interconnect: %s has a grid of %llu cells and %u ranks; want as many",
                        name, (unsigned long long)cells, n);
    if (job->pattern == IC_TRANSPOSE && root * root != n)
        return FAIL_JOB(diag, job, "interconnect: %s transposes %u ranks; want a square number", name, n);
    if (job->pattern == IC_PING_PONG && n % 2)
        return FAIL_JOB(diag, job, "interconnect: %s pairs %u ranks; want an even number", name, n);
    return WEIR_OK;
}

/* Give ranks their terminals: `order` holds those that are free, in the order in which they are handed out. */
static weir_status place(weir_diag *diag, ic_making *m, const ic_job *job, const char *name, uint32_t number,
                         uint32_t *rank_terminal, uint32_t *n_ranks)
{
    const ic_world *w = &m->head;
    uint32_t *terminal_job = wi_ic_at(m, w->terminal_job_at),
             *terminal_rank = wi_ic_at(m, w->terminal_rank_at);
    uint32_t free_ = 0;
    uint32_t *order = malloc((size_t)w->n_terminals * sizeof *order);
    if (!order)
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory to place %s", name);
    if (job->terminals) {
        for (; free_ < job->n_ranks; free_++) {
            const uint32_t t = job->terminals[free_];
            if (t >= w->n_terminals || terminal_job[t] != IC_NONE) {
                free(order);
                return FAIL_JOB(diag, job, "interconnect: %s wants terminal %u, which %s", name, t,
                                t >= w->n_terminals ? "there is not" : "another job has");
            }
            order[free_] = t;
            terminal_job[t] = number;
        }
    } else {
        /* Round robin: the first terminal of each router, then the second of each. */
        const uint32_t p = w->wiring == IC_TREE ? w->k : w->p, routers = w->n_terminals / p;
        for (uint32_t i = 0; i < w->n_terminals; i++) {
            const uint32_t t = job->placement == IC_ROUND_ROBIN ? i % routers * p + i / routers : i;
            if (terminal_job[t] == IC_NONE)
                order[free_++] = t;
        }
        if (job->placement == IC_SCATTERED) {
            weir_stream stream = drawing(m->params, 1 + number);
            shuffle(&stream, order, free_);
        }
    }
    *n_ranks = job->n_ranks ? job->n_ranks : free_;
    if (*n_ranks > free_) {
        const uint32_t had = free_;
        free(order);
        return FAIL_JOB(diag, job, "interconnect: %s has %u ranks, but only %u terminals are free", name,
                        *n_ranks, had);
    }
    for (uint32_t r = 0; r < *n_ranks; r++) {
        rank_terminal[r] = order[r];
        terminal_job[order[r]] = number;
        terminal_rank[order[r]] = r;
    }
    free(order);
    return WEIR_OK;
}

static uint32_t root_of(uint32_t n)
{
    uint32_t root = 1;
    while ((uint64_t)root * root < n)
        root++;
    return root;
}

/* A permutation in which nobody stays: one cycle through a shuffled list. */
static uint32_t *draw_permutation(const ic_params *params, uint32_t number, uint32_t n)
{
    uint32_t *list = malloc(2 * (size_t)n * sizeof *list);
    if (!list)
        return NULL;
    weir_stream stream = drawing(params, 0x10000 + number);
    for (uint32_t i = 0; i < n; i++)
        list[n + i] = i;
    shuffle(&stream, list + n, n);
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

/* Tornado (Dally, Towles 2004, section 3.2): each coordinate shifts by ceil(k/2) - 1. Coordinates are those of the job's grid, of a
 * torus that the job fills, or else the ranks are one ring. */
static uint32_t tornado(const ic_world *w, const ic_job *job, uint32_t rank, uint32_t n)
{
    if (job->grid[0])
        return half_way(job->grid, 3, rank);
    if (w->wiring == IC_TORUS && n == w->n_terminals)
        return rank % w->p + w->p * half_way(w->size, w->dimensions, rank / w->p);
    return half_way(&n, 1, rank);
}

/* Up to six targets of a rank, itself left out. Returns their number. */
static uint32_t targets_of(const ic_world *w, const ic_job *job, const uint32_t *permutation, uint32_t rank,
                           uint32_t n, uint32_t out[6])
{
    uint32_t found = 0, root;
    switch (job->pattern) {
    case IC_NEIGHBOUR:
        out[found++] = (rank + 1) % n;
        break;
    case IC_STENCIL:
        for (uint32_t i = 0; i < 6; i++) {
            const uint32_t other = ic_grid_neighbour(job->grid, rank, i);
            if (other != rank)
                out[found++] = other;
        }
        break;
    case IC_TRANSPOSE:
        root = root_of(n);
        out[found++] = rank % root * root + rank / root;
        break;
    case IC_COMPLEMENT:
        out[found++] = n - 1 - rank;
        break;
    case IC_PERMUTATION:
        out[found++] = permutation[rank];
        break;
    case IC_TORNADO:
        out[found++] = tornado(w, job, rank, n);
        break;
    default: /* IC_PING_PONG */
        out[found++] = rank ^ 1;
        break;
    }
    return found == 1 && out[0] == rank ? 0 : found;
}

/* What terminals read, gathered by terminal. */
typedef struct lists {
    uint32_t *n;       /* [terminals] */
    uint32_t (*of)[6]; /* [terminals] */
    uint32_t *n_planned;
} lists;

static weir_status list_targets(weir_diag *diag, ic_making *m, const ic_job *job, const char *name,
                                uint32_t number, const uint32_t *rank_terminal, uint32_t n, lists *l)
{
    uint32_t *permutation = job->pattern == IC_PERMUTATION ? draw_permutation(m->params, number, n) : NULL;
    if (job->pattern == IC_PERMUTATION && !permutation)
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for %s", name);
    for (uint32_t r = 0; r < n; r++) {
        const uint32_t t = rank_terminal[r];
        l->n[t] = targets_of(&m->head, job, permutation, r, n, l->of[t]);
        for (uint32_t i = 0; i < l->n[t]; i++)
            l->of[t][i] = rank_terminal[l->of[t][i]];
    }
    free(permutation);
    return WEIR_OK;
}

/* A message of a plan: its line, where it has one, else its job. */
static weir_status bad_plan(weir_diag *diag, const ic_job *job, const char *name, const ic_plan_entry *e,
                            const char *what)
{
    if (job->plan_file && e->line)
        return weir_fail_at(diag, WEIR_E_ARG, job->plan_file, (int)e->line, 1, "%s", what);
    if (e->line)
        return FAIL_JOB(diag, job, "interconnect: %s: line %u: %s", name, e->line, what);
    return FAIL_JOB(diag, job, "interconnect: %s: %s", name, what);
}

static weir_status count_planned(weir_diag *diag, const ic_job *job, const char *name,
                                 const uint32_t *rank_terminal, uint32_t n, lists *l)
{
    char what[96];
    for (size_t i = 0; i < job->n_plan; i++) {
        const ic_plan_entry *e = &job->plan[i];
        if (e->source >= n || e->target >= n) {
            snprintf(what, sizeof what, "rank %u; it has ranks 0 to %u",
                     e->source >= n ? e->source : e->target, n - 1);
            return bad_plan(diag, job, name, e, what);
        }
        if (e->source == e->target)
            return bad_plan(diag, job, name, e, "a rank sends to itself");
        if (e->time_ps < 0 || e->bytes < 1 || e->bytes > 1u << 30)
            return bad_plan(diag, job, name, e, "want a time from 0 on and 1 byte to 1 GiB");
        l->n_planned[rank_terminal[e->source]]++;
    }
    return WEIR_OK;
}

static uint32_t chunks_of(const ic_making *m, uint64_t bytes)
{
    return (uint32_t)((bytes + m->head.chunk_bytes - 1) / m->head.chunk_bytes);
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
static weir_status set_range(weir_diag *diag, const ic_making *m, const ic_job *job, const char *name,
                             uint32_t n, ic_job_world *to)
{
    to->range_size = n;
    to->range_shift = 0;
    if (job->pattern != IC_GROUP_SHIFT)
        return WEIR_OK;
    const ic_world *w = &m->head;
    const uint32_t usual = w->wiring == IC_DRAGONFLY ? w->a * w->p
                           : w->wiring == IC_TREE    ? w->n_terminals / w->k
                                                     : w->p * w->size[0];
    to->range_size = job->range ? job->range : usual;
    if (n % to->range_size || n / to->range_size < 2 || job->shift % (n / to->range_size) == 0)
        return FAIL_JOB(
            diag, job,
            "interconnect: %s has %u ranks in ranges of %u and shifts by %u of them; want whole ranges, two "
            "or more, and another one to send to",
            name, n, to->range_size, job->shift);
    to->range_shift = job->shift % (n / to->range_size);
    return WEIR_OK;
}

static weir_status place_one(weir_diag *diag, ic_making *m, uint32_t number, uint32_t *first, lists *l)
{
    const ic_job *job = &m->params->jobs[number];
    ic_job_world *to = (ic_job_world *)wi_ic_at(m, m->head.jobs_at) + number;
    uint32_t *rank_terminal = (uint32_t *)wi_ic_at(m, m->head.rank_terminal_at) + *first;
    char name[96];
    uint32_t n = 0;
    called(job, number, name, sizeof name);
    weir_status status = place(diag, m, job, name, number, rank_terminal, &n);
    if (status == WEIR_OK)
        status = check_job(diag, job, name, n);
    if (status == WEIR_OK)
        status = set_range(diag, m, job, name, n, to);
    if (status != WEIR_OK)
        return status;
    to->source = source_of(job);
    to->periodic = job->periodic;
    to->first = *first;
    to->n_ranks = n;
    to->message_chunks = chunks_of(m, job->message_bytes);
    to->eager_bytes = job->eager_bytes;
    to->iterations = job->iterations;
    for (int d = 0; d < 3; d++)
        to->grid[d] = job->grid[d];
    to->start_ps = job->start_ps;
    to->stop_ps = job->stop_ps;
    to->gap_ps = (double)to->message_chunks * (double)m->head.class_[IC_TERMINAL].chunk_ps / job->load;
    *first += n;
    if (to->source == IC_CYCLE || to->source == IC_PING)
        status = list_targets(diag, m, job, name, number, rank_terminal, n, l);
    else if (to->source == IC_SCHEDULE)
        status = count_planned(diag, job, name, rank_terminal, n, l);
    return status;
}

static int by_time(const void *a, const void *b)
{
    const ic_planned *x = a, *y = b;
    if (x->time_ps != y->time_ps)
        return x->time_ps < y->time_ps ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return (x->chunks > y->chunks) - (x->chunks < y->chunks);
}

static void fill_planned(ic_making *m, const lists *l)
{
    uint32_t *first = wi_ic_at(m, m->head.planned_first_at);
    const uint32_t *rank_terminal = wi_ic_at(m, m->head.rank_terminal_at);
    ic_planned *planned = wi_ic_at(m, m->head.planned_at);
    const ic_job_world *jobs = wi_ic_at(m, m->head.jobs_at);
    for (uint32_t t = 0; t < m->head.n_terminals; t++)
        first[t + 1] = first[t] + l->n_planned[t];
    for (uint32_t j = 0; j < m->head.n_jobs; j++)
        for (size_t i = 0; jobs[j].source == IC_SCHEDULE && i < m->params->jobs[j].n_plan; i++) {
            const ic_plan_entry *e = &m->params->jobs[j].plan[i];
            const uint32_t t = rank_terminal[jobs[j].first + e->source];
            planned[first[t] + --l->n_planned[t]] =
                (ic_planned){.time_ps = e->time_ps,
                             .target = rank_terminal[jobs[j].first + e->target],
                             .chunks = chunks_of(m, e->bytes)};
        }
    for (uint32_t t = 0; t < m->head.n_terminals; t++)
        qsort(planned + first[t], first[t + 1] - first[t], sizeof *planned, by_time);
}

/* The gathered lists as tables of the world. */
static weir_status store(weir_diag *diag, ic_making *m, const lists *l)
{
    const uint32_t n = m->head.n_terminals;
    uint64_t all = 0, planned = 0;
    for (uint32_t t = 0; t < n; t++) {
        all += l->n[t];
        planned += l->n_planned[t];
    }
    if (planned > INT32_MAX || !wi_ic_table(m, n + 1, sizeof(uint32_t), &m->head.list_first_at) ||
        !wi_ic_table(m, all, sizeof(uint32_t), &m->head.list_at) ||
        !wi_ic_table(m, n + 1, sizeof(uint32_t), &m->head.planned_first_at) ||
        !wi_ic_table(m, planned, sizeof(ic_planned), &m->head.planned_at))
        return weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for the messages of %u terminals", n);
    uint32_t *first = wi_ic_at(m, m->head.list_first_at), *list = wi_ic_at(m, m->head.list_at);
    for (uint32_t t = 0; t < n; t++) {
        first[t + 1] = first[t] + l->n[t];
        memcpy(list + first[t], l->of[t], l->n[t] * sizeof *list);
    }
    fill_planned(m, l);
    return WEIR_OK;
}

weir_status wi_ic_place_jobs(weir_diag *diag, ic_making *m)
{
    ic_world *w = &m->head;
    const uint32_t n = w->n_terminals;
    w->n_jobs = m->params->n_jobs;
    lists l = {calloc(n, sizeof *l.n), calloc(n, sizeof *l.of), calloc(n, sizeof *l.n_planned)};
    weir_status status = WEIR_OK;
    if (!l.n || !l.of || !l.n_planned || !wi_ic_table(m, w->n_jobs, sizeof(ic_job_world), &w->jobs_at) ||
        !wi_ic_table(m, n, sizeof(uint32_t), &w->terminal_job_at) ||
        !wi_ic_table(m, n, sizeof(uint32_t), &w->terminal_rank_at) ||
        !wi_ic_table(m, n, sizeof(uint32_t), &w->rank_terminal_at))
        status = weir_fail(diag, WEIR_E_NOMEM, "interconnect: no memory for the jobs of %u terminals", n);
    if (status == WEIR_OK)
        memset(wi_ic_at(m, w->terminal_job_at), 0xff, n * sizeof(uint32_t));
    uint32_t first = 0;
    for (uint32_t j = 0; j < w->n_jobs && status == WEIR_OK; j++)
        status = place_one(diag, m, j, &first, &l);
    if (status == WEIR_OK)
        status = store(diag, m, &l);
    free(l.n);
    free(l.of);
    free(l.n_planned);
    return status;
}

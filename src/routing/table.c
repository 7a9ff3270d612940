/* All-pairs tables: what they need, who computes them, how they are asked. */
#include "routing/internal.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define BYTE_DEGREE 255u /* ports 0 to 254 and "none" fit a byte */
/* Beyond so many levels from the middle, relaxation is faster than a search that visits every node at every
 * level: on square grids, one core, the two meet near 60 levels, and at 200 relaxation is 2.5 times as fast.
 */
#define DEEP_LEVELS 64u
#define HUGE_PAGE ((size_t)2 << 20)

struct weir_routes {
    weir_route_view view;
    wi_core core; /* its places and kids back the view; its net is freed once the table is made */
    wi_table table;
    char how[200];
};

/* One computation: shared by its threads. */
typedef struct job {
    const wi_algorithm *algorithm;
    const wi_core *core;
    const wi_table *table;
    const weir_routes_options *options;
    atomic_uint done;     /* destinations */
    atomic_bool overflow; /* some batch did not fit */
    atomic_bool starved;  /* some thread got no work space */
    atomic_bool stopped;
} job;

void weir_routes_options_init(weir_routes_options *options)
{
    *options = (weir_routes_options){.metric = WEIR_METRIC_HOPS, .algorithm = WEIR_ROUTE_AUTO};
}

void *wi_alloc_lanes(uint64_t bytes)
{
    const size_t align = bytes >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
    void *p = NULL;
    if (bytes > SIZE_MAX - HUGE_PAGE || posix_memalign(&p, align, bytes ? bytes : 64) != 0)
        return NULL;
    if (align == HUGE_PAGE)
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint: fewer page faults and TLB misses */
    return p;
}

bool wi_have_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static int pick_threads(const weir_routes_options *options, uint64_t n_batches)
{
#ifdef _OPENMP
    uint64_t n = options->threads > 0 ? (uint64_t)options->threads : (uint64_t)omp_get_max_threads();
    n = n < n_batches ? n : n_batches;
    return n > 0 ? (int)n : 1;
#else
    (void)options;
    (void)n_batches;
    return 1;
#endif
}

static uint32_t batches(const wi_algorithm *algorithm, uint32_t n)
{
    return n / algorithm->lanes + (n % algorithm->lanes != 0);
}

/* One batch; `first` is true on the calling thread, the only one that may report. */
static void run_batch(job *j, uint32_t batch, void *space, bool first)
{
    const uint32_t lanes = j->algorithm->lanes, n = j->core->net.n, dst = batch * lanes;
    const uint32_t n_dst = n - dst < lanes ? n - dst : lanes;
    if (j->options->stop && *j->options->stop)
        j->stopped = true;
    if (j->stopped || j->overflow || j->starved)
        return;
    if (j->algorithm->batch(j->core, j->table, dst, n_dst, space) == WI_BATCH_OVERFLOW)
        j->overflow = true;
    const uint32_t done = atomic_fetch_add(&j->done, n_dst) + n_dst;
    if (first && j->options->progress)
        j->options->progress(j->options->user, done, n);
}

static void run_thread(job *j, bool first, int n_batches)
{
    void *space = j->algorithm->space_new(j->core);
    if (!space)
        j->starved = true;
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
    for (int b = 0; b < n_batches; ++b)
        run_batch(j, (uint32_t)b, space, first);
    j->algorithm->space_free(space);
}

static void run_job(job *j, int threads)
{
    const int n_batches = (int)batches(j->algorithm, j->core->net.n);
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    run_thread(j, omp_get_thread_num() == 0, n_batches);
#else
    (void)threads;
    run_thread(j, true, n_batches);
#endif
}

/* Row offsets, from the greatest port number that the row may hold. */
static bool lay_out(const weir_graph *graph, const wi_core *core, wi_table *table)
{
    const uint32_t n = core->net.n;
    const uint64_t padded = (n + (uint64_t)WI_ROW_PAD - 1) / WI_ROW_PAD * WI_ROW_PAD;
    table->row = malloc(((size_t)n + 1) * sizeof *table->row);
    if (!table->row)
        return false;
    for (uint32_t i = 0; i < graph->n_nodes; ++i)
        if (core->place[i].up == WEIR_NO_PORT)
            table->row[core->place[i].core] = graph->first[i + 1] - graph->first[i] > BYTE_DEGREE;
    uint64_t at = 0;
    for (uint32_t c = 0; c < n; ++c) {
        const uint64_t wide = table->row[c];
        table->row[c] = at << 1 | wide;
        at += padded << wide;
    }
    table->n_bytes = at;
    return true;
}

static bool equal_costs(const wi_core *core)
{
    return core->costs.low >= core->costs.high;
}

static bool deep(const wi_core *core)
{
    return core->reach / core->costs.low > DEEP_LEVELS;
}

static const wi_algorithm *choose(const wi_core *core, weir_route_algorithm asked)
{
    const wi_algorithm *const batched = wi_batched16.refuses(core) ? &wi_batched32 : &wi_batched16;
    switch (asked) {
    case WEIR_ROUTE_TREES:
        return &wi_trees;
    case WEIR_ROUTE_BIT_PARALLEL:
        return &wi_bit_parallel;
    case WEIR_ROUTE_BATCHED:
        return batched;
    case WEIR_ROUTE_AUTO:
        return equal_costs(core) && !deep(core) ? &wi_bit_parallel : batched;
    }
    return NULL;
}

static const char *reason(const wi_core *core, weir_route_algorithm asked)
{
    if (asked != WEIR_ROUTE_AUTO)
        return "as asked";
    if (!equal_costs(core))
        return "costs differ";
    return deep(core) ? "all costs equal, long paths" : "all costs equal";
}

static uint64_t memory_limit(const weir_routes_options *options)
{
    if (options->memory_limit_bytes)
        return options->memory_limit_bytes;
    return (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * 3 * (uint64_t)sysconf(_SC_PAGESIZE);
}

static weir_status check_memory(weir_diag *diag, const weir_routes *routes, const wi_algorithm *algorithm,
                                const weir_routes_options *options, int threads)
{
    const uint64_t need = routes->table.n_bytes + (uint64_t)threads * algorithm->space_bytes(&routes->core);
    const uint64_t limit = memory_limit(options);
    if (need <= limit)
        return WEIR_OK;
    return weir_fail(
        diag, WEIR_E_NOMEM,
        "the routing table of %" PRIu32 " nodes (%" PRIu32 " without hanging trees) needs %" PRIu64
        " bytes, %" PRIu64 " of them for %d threads to work in; the limit is %" PRIu64
        "; raise it, or route on demand: one tree per destination (weir_route_tree) needs %" PRIu64,
        routes->view.n_nodes, routes->core.net.n, need, need - routes->table.n_bytes, threads, limit,
        (uint64_t)routes->view.n_nodes * sizeof(uint16_t));
}

static weir_status fill(weir_diag *diag, weir_routes *routes, const wi_algorithm **algorithm,
                        const weir_routes_options *options, int threads)
{
    for (;;) {
        job j = {.algorithm = *algorithm, .core = &routes->core, .table = &routes->table, .options = options};
        run_job(&j, threads);
        if (j.stopped)
            return weir_fail(diag, WEIR_E_INTERRUPTED, "stopped while computing routes");
        if (j.starved)
            return weir_fail(diag, WEIR_E_NOMEM, "no memory for the work space of %d threads, %zu bytes each",
                             threads, (*algorithm)->space_bytes(&routes->core));
        if (!j.overflow)
            return WEIR_OK;
        if (*algorithm != &wi_batched16)
            return weir_fail(diag, WEIR_E_ARG,
                             "a shortest path costs %" PRIu32
                             " or more, past what distances hold; scale the costs down",
                             WEIR_PATH_LIMIT);
        *algorithm = &wi_batched32; /* the guess of the longest path was short */
    }
}

static void say_how(weir_routes *routes, const wi_algorithm *algorithm, weir_route_algorithm asked,
                    int threads)
{
    snprintf(routes->how, sizeof routes->how,
             "%s (%s), %d thread%s; %" PRIu32 " of %" PRIu32 " nodes left after pruning, %.1f MB",
             algorithm->name, reason(&routes->core, asked), threads, threads == 1 ? "" : "s",
             routes->core.net.n, routes->view.n_nodes, (double)weir_routes_bytes(routes) * 1e-6);
}

static weir_status compute(weir_diag *diag, const weir_graph *graph, const uint32_t *cost,
                           const weir_routes_options *options, weir_routes *routes)
{
    const weir_status status = wi_core_build(diag, graph, cost, &routes->core);
    if (status != WEIR_OK)
        return status;
    const wi_core *const core = &routes->core;
    routes->view.n_nodes = graph->n_nodes;
    const wi_algorithm *algorithm = choose(core, options->algorithm);
    if (!algorithm)
        return weir_fail(diag, WEIR_E_ARG, "algorithm %d is none; want a weir_route_algorithm",
                         (int)options->algorithm);
    if (algorithm->refuses(core))
        return weir_fail(diag, WEIR_E_ARG, "%s cannot compute these routes: %s", algorithm->name,
                         algorithm->refuses(core));
    if (!lay_out(graph, core, &routes->table))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %" PRIu32 " table rows", core->net.n);
    const int threads = pick_threads(options, batches(algorithm, core->net.n));
    const weir_status fits = check_memory(diag, routes, algorithm, options, threads);
    if (fits != WEIR_OK)
        return fits;
    routes->table.bytes = wi_alloc_lanes(routes->table.n_bytes);
    if (!routes->table.bytes)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a routing table of %" PRIu64 " bytes",
                         routes->table.n_bytes);
    const weir_status filled = fill(diag, routes, &algorithm, options, threads);
    if (filled != WEIR_OK)
        return filled;
    routes->view = (weir_route_view){.n_nodes = graph->n_nodes,
                                     .n_core = core->net.n,
                                     .node = core->place,
                                     .row = routes->table.row,
                                     .table = routes->table.bytes,
                                     .kid_enter = core->kid_enter,
                                     .kid_port = core->kid_port,
                                     .n_bytes = routes->table.n_bytes};
    say_how(routes, algorithm, options->algorithm, threads);
    return WEIR_OK;
}

weir_status weir_routes_compute(weir_diag *diag, const weir_graph *graph, const weir_routes_options *options,
                                weir_routes **out)
{
    uint32_t *own = NULL;
    *out = NULL;
    if (!options->cost) {
        const weir_status status = weir_route_costs(diag, graph, options->metric, &own);
        if (status != WEIR_OK)
            return status;
    }
    weir_routes *routes = calloc(1, sizeof *routes);
    weir_status status = WEIR_E_NOMEM;
    if (routes)
        status = compute(diag, graph, options->cost ? options->cost : own, options, routes);
    else
        (void)weir_fail(diag, status, "no memory for a routing table");
    free(own);
    if (status != WEIR_OK) {
        weir_routes_free(routes);
        return status;
    }
    wi_core_free_net(&routes->core);
    *out = routes;
    return WEIR_OK;
}

void weir_routes_free(weir_routes *routes)
{
    if (!routes)
        return;
    wi_core_free(&routes->core);
    free(routes->table.row);
    free(routes->table.bytes);
    free(routes);
}

weir_route_view weir_routes_view(const weir_routes *routes)
{
    return routes->view;
}

uint16_t weir_routes_port(const weir_routes *routes, uint32_t from, uint32_t to)
{
    return weir_route_view_port(&routes->view, from, to);
}

const char *weir_routes_how(const weir_routes *routes)
{
    return routes->how;
}

uint64_t weir_routes_bytes(const weir_routes *routes)
{
    const weir_route_view *const v = &routes->view;
    return v->n_bytes + v->n_core * sizeof *v->row + v->n_nodes * sizeof *v->node +
           (v->n_nodes - v->n_core) * (sizeof *v->kid_enter + sizeof *v->kid_port);
}

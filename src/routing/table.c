/* All-pairs tables: what they need, who computes them, how they are asked. */
#include "routing/algorithm/algorithm.h"
#include "routing/core.h"
#include "routing/choose.h"
#include "routing/search/tree.h"
#include "routing/shared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>

#include "base/memory.h"
#endif

#define BYTE_DEGREE 255u /* ports 0 to 254 and "none" fit a byte */

void weir_routes_options_init(weir_routes_options *options)
{
    *options = (weir_routes_options){.metric = WEIR_METRIC_HOPS, .algorithm = WEIR_ROUTE_AUTO};
}

/* No more than there are batches; an algorithm of the whole shares its work out itself. */
static int pick_threads(const weir_routes_options *options, const wi_algorithm *algorithm, uint32_t n)
{
#ifdef _OPENMP
    const uint64_t parts = algorithm->whole ? n : n / algorithm->lanes + (n % algorithm->lanes != 0);
    uint64_t threads = options->threads > 0 ? (uint64_t)options->threads : (uint64_t)omp_get_max_threads();
    threads = threads < parts ? threads : parts;
    return threads > 0 ? (int)threads : 1;
#else
    (void)options, (void)algorithm, (void)n;
    return 1;
#endif
}

static uint64_t padded(uint32_t n_core)
{
    return ((uint64_t)n_core + WI_SPARES_MIN + WI_ROW_PAD - 1) / WI_ROW_PAD * WI_ROW_PAD;
}

/* Row offsets, from the greatest port number that the row may hold. Spare rows are one and the same. */
static bool lay_out(const weir_graph *graph, const wi_core *core, wi_table *table)
{
    const uint32_t n = core->net.n;
    const uint64_t columns = padded(n);
    table->n_spare = columns - n < 64 ? (uint32_t)(columns - n) : 64;
    table->row = malloc(((size_t)n + table->n_spare) * sizeof *table->row);
    if (!table->row)
        return false;
    for (uint32_t i = 0; i < graph->n_nodes; ++i)
        if (core->place[i].up == WEIR_NO_PORT)
            table->row[core->place[i].core] = graph->first[i + 1] - graph->first[i] > BYTE_DEGREE;
    uint64_t at = 0;
    for (uint32_t c = 0; c < n; ++c) {
        const uint64_t wide = table->row[c];
        table->row[c] = at << 1 | wide;
        at += columns << wide;
    }
    for (uint32_t k = 0; k < table->n_spare; ++k)
        table->row[n + k] = at << 1;
    table->n_bytes = at + columns;
    return true;
}

/* "None" wherever no algorithm has written: behind the core's columns, and in the spare row. */
static void blank_spares(const wi_table *table, uint32_t n)
{
    const uint64_t columns = padded(n);
    for (uint32_t c = 0; c < n; ++c)
        memset(wi_table_at(table, c, n), 0xff, (columns - n) << (table->row[c] & 1));
    memset(wi_table_at(table, n, 0), 0xff, columns);
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
    const uint64_t spaces = algorithm->whole ? 1 : (uint64_t)threads;
    const uint64_t need =
        routes->table.n_bytes +
        spaces * (algorithm->space_bytes ? algorithm->space_bytes(algorithm, &routes->core) : 0);
    const uint64_t limit = memory_limit(options);
    if (need <= limit)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_NOMEM,
                     "the routing table of %" PRIu32 " nodes (%" PRIu32
                     " without hanging trees) needs %" PRIu64 " bytes, %" PRIu64
                     " of them for %d threads to work in; the limit is %" PRIu64
                     "; raise it, or route on demand (weir routes --pairs, weir_route_tree): one tree per "
                     "destination needs %" PRIu64,
                     routes->view.n_nodes, routes->core.net.n, need, need - routes->table.n_bytes, threads,
                     limit, (uint64_t)routes->view.n_nodes * sizeof(uint16_t));
}

static weir_status fill(wi_fill *f)
{
    for (;;) {
        wi_batch_end end = WI_BATCH_DONE;
        const double begun = wi_clock_s();
        const weir_status status =
            f->algorithm->whole ? f->algorithm->whole(f, &end) : wi_fill_batches(f, &end);
        if (!f->algorithm->whole)
            f->times->distance_s = wi_clock_s() - begun;
        if (status != WEIR_OK || end == WI_BATCH_DONE)
            return status;
        const wi_algorithm *const wider = f->algorithm->wider;
        if (!wider)
            return wi_too_long(f->diag, NULL);
        if (f->options->device == WEIR_ROUTE_ON_CUDA && !wider->device_bytes)
            return weir_fail(f->diag, WEIR_E_ARG,
                             "a shortest path costs %" PRIu32
                             " or more, past what a device's distances hold; route on the CPU (--device cpu)",
                             WI_PATH32_LIMIT);
        f->algorithm = wider; /* the guess of the longest path was short */
    }
}

static void say_how(weir_routes *routes, const wi_fill *f, const char *reason)
{
    snprintf(routes->how, sizeof routes->how,
             "%s (%s), %d thread%s; %" PRIu32 " of %" PRIu32 " nodes left after pruning, %.1f MB",
             f->algorithm->name, reason, f->threads, f->threads == 1 ? "" : "s", routes->core.net.n,
             routes->view.n_nodes, (double)weir_routes_bytes(routes) * 1e-6);
}

static weir_status compute(weir_diag *diag, const weir_graph *graph, const weir_cost *cost,
                           const weir_routes_options *options, weir_routes *routes)
{
    const double begun = wi_clock_s();
    WI_RETURN_IF_FAILED(wi_core_build(diag, graph, cost, &routes->core));
    const wi_core *const core = &routes->core;
    routes->view.n_nodes = graph->n_nodes;
    if (!lay_out(graph, core, &routes->table))
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %" PRIu32 " table rows", core->net.n);
    const char *reason = NULL;
    const wi_algorithm *const algorithm = wi_choose(core, &routes->table, options, &reason);
    if (!algorithm)
        return weir_fail(diag, options->device == WEIR_ROUTE_ON_CUDA ? WEIR_E_UNSUPPORTED : WEIR_E_ARG,
                         "no algorithm to compute routes: %s", reason);
    if (wi_refuses(algorithm, core))
        return weir_fail(diag, WEIR_E_ARG, "%s cannot compute these routes: %s", algorithm->name,
                         wi_refuses(algorithm, core));
    const int threads = pick_threads(options, algorithm, core->net.n);
    WI_RETURN_IF_FAILED(check_memory(diag, routes, algorithm, options, threads));
    routes->table.bytes = wi_new_block(routes->table.n_bytes);
    if (!routes->table.bytes)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a routing table of %" PRIu64 " bytes",
                         routes->table.n_bytes);
    wi_fill f = {diag, algorithm, core, &routes->table, options, threads, &routes->times};
    routes->times.prepare_s += wi_clock_s() - begun;
    WI_RETURN_IF_FAILED(fill(&f));
    blank_spares(&routes->table, core->net.n);
    routes->view = (weir_route_view){.n_nodes = graph->n_nodes,
                                     .n_core = core->net.n,
                                     .n_rows = core->net.n + routes->table.n_spare,
                                     .node = core->place,
                                     .row = routes->table.row,
                                     .table = routes->table.bytes,
                                     .kid_enter = core->kid_enter,
                                     .kid_port = core->kid_port,
                                     .n_bytes = routes->table.n_bytes};
    say_how(routes, &f, reason);
    return WEIR_OK;
}

weir_status weir_routes_compute(weir_diag *diag, const weir_graph *graph, const weir_routes_options *options,
                                weir_routes **out)
{
    weir_cost *own = NULL;
    weir_routes_options usual;
    weir_routes_options_init(&usual);
    options = options ? options : &usual;
    *out = NULL;
    if (!options->cost) {
        WI_RETURN_IF_FAILED(weir_route_costs(diag, graph, options->metric, &own));
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

static void *copy_of(const void *data, size_t bytes)
{
    void *copy = malloc(bytes + 1);
    if (copy)
        memcpy(copy, data, bytes);
    return copy;
}

weir_routes *wi_routes_clone(const weir_routes *of)
{
    weir_routes *r = malloc(sizeof *r);
    if (!r)
        return NULL;
    const weir_route_view *const v = &of->view;
    const size_t kids = v->n_nodes - v->n_core;
    *r = *of;
    r->core.place = copy_of(v->node, v->n_nodes * sizeof *v->node);
    r->core.kid_enter = copy_of(v->kid_enter, kids * sizeof *v->kid_enter);
    r->core.kid_port = copy_of(v->kid_port, kids * sizeof *v->kid_port);
    r->table.row = copy_of(v->row, v->n_rows * sizeof *v->row);
    r->table.bytes = wi_new_block(v->n_bytes);
    r->view.node = r->core.place;
    r->view.row = r->table.row;
    r->view.table = r->table.bytes;
    r->view.kid_enter = r->core.kid_enter;
    r->view.kid_port = r->core.kid_port;
    if (!r->core.place || !r->core.kid_enter || !r->core.kid_port || !r->table.row || !r->table.bytes) {
        weir_routes_free(r);
        return NULL;
    }
    memcpy(r->table.bytes, v->table, v->n_bytes);
    return r;
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

weir_routes_times weir_routes_times_of(const weir_routes *routes)
{
    return routes->times;
}

uint64_t weir_routes_bytes(const weir_routes *routes)
{
    const weir_route_view *const v = &routes->view;
    return v->n_bytes + v->n_rows * sizeof *v->row + v->n_nodes * sizeof *v->node +
           (v->n_nodes - v->n_core) * (sizeof *v->kid_enter + sizeof *v->kid_port);
}

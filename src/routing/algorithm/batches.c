/* Filling a table by batches of destinations, on threads; memory of lanes and the clock, for all
 * algorithms. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "routing/algorithm/algorithm.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* One computation: shared by its threads. */
typedef struct job {
    const wi_fill *fill;
    atomic_uint done;     /* destinations */
    atomic_bool overflow; /* some batch did not fit */
    atomic_bool starved;  /* some thread got no work space */
    atomic_bool stopped;
} job;

bool wi_fill_stopped(const wi_fill *fill, uint32_t done)
{
    const weir_routes_options *const options = fill->options;
    if (options->progress && done > 0)
        options->progress(options->user, done, fill->core->net.n);
    return options->stop && *options->stop;
}

/* One batch; `first` is true on the calling thread, the only one that may report. */
static void run_batch(job *j, uint32_t batch, void *space, bool first)
{
    const wi_fill *const fill = j->fill;
    const uint32_t lanes = fill->algorithm->lanes, n = fill->core->net.n, dst = batch * lanes;
    const uint32_t n_dst = n - dst < lanes ? n - dst : lanes;
    if (fill->options->stop && *fill->options->stop)
        j->stopped = true;
    if (j->stopped || j->overflow || j->starved)
        return;
    if (fill->algorithm->batch(fill->core, fill->table, dst, n_dst, space) == WI_BATCH_OVERFLOW)
        j->overflow = true;
    const uint32_t done = atomic_fetch_add(&j->done, n_dst) + n_dst;
    if (first)
        (void)wi_fill_stopped(fill, done);
}

static void run_thread(job *j, bool first, int n_batches)
{
    const wi_algorithm *const algorithm = j->fill->algorithm;
    void *space = algorithm->space_new(algorithm, j->fill->core);
    if (!space)
        j->starved = true;
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
    for (int b = 0; b < n_batches; ++b)
        run_batch(j, (uint32_t)b, space, first);
    algorithm->space_free(space);
}

weir_status wi_fill_batches(const wi_fill *fill, wi_batch_end *end)
{
    const uint32_t lanes = fill->algorithm->lanes, n = fill->core->net.n;
    const int n_batches = (int)(n / lanes + (n % lanes != 0));
    job j = {.fill = fill};
#ifdef _OPENMP
#pragma omp parallel num_threads(fill->threads)
    run_thread(&j, omp_get_thread_num() == 0, n_batches);
#else
    run_thread(&j, true, n_batches);
#endif
    *end = j.overflow ? WI_BATCH_OVERFLOW : WI_BATCH_DONE;
    if (j.stopped)
        return weir_fail(fill->diag, WEIR_E_INTERRUPTED, "stopped while computing routes");
    if (j.starved)
        return weir_fail(fill->diag, WEIR_E_NOMEM,
                         "no memory for the work space of %d threads, %" PRIu64 " bytes each", fill->threads,
                         fill->algorithm->space_bytes(fill->algorithm, fill->core));
    return WEIR_OK;
}

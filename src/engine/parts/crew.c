/* Threads, parts, and who has which entities; see crew.h. */
#include "engine/parts/crew.h"

#include <stdlib.h>
#include <unistd.h>

#include "weir/ranks.h"

static uint32_t threads_wanted(const weir_setup *setup, const wi_ranks *ranks, uint32_t most)
{
    if (setup->threads)
        return setup->threads;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t sharing = ranks ? ranks->on_this_machine : 1;
    const uint32_t n_ranks = ranks ? ranks->n_ranks : 1;
    uint32_t threads = cores > 0 ? (uint32_t)cores / sharing : 1;
    threads = threads * n_ranks > most ? most / n_ranks : threads;
    return threads ? threads : 1;
}

/* No more threads than the model has parts for; ranks cannot be fewer than were started. */
static weir_status check_counts(weir_diag *diag, const weir_sim *sim, uint32_t n_ranks, uint32_t *threads)
{
    const uint32_t most = wi_partition_most(sim), asked = *threads;
    if ((uint64_t)asked * n_ranks > UINT16_MAX)
        return weir_fail(diag, WEIR_E_ARG, "%u ranks of %u threads; the most is %d threads in all", n_ranks,
                         asked, UINT16_MAX);
    if (n_ranks > 1 && n_ranks > most)
        return weir_fail(diag, WEIR_E_ARG,
                         "%u ranks for a model that falls into %u part%s at most (%u entities); start fewer",
                         n_ranks, most, most == 1 ? "" : "s", sim->n_entities);
    if ((uint64_t)asked * n_ranks <= most || asked == 1)
        return WEIR_OK;
    *threads = most / n_ranks;
    weir_warn(diag, "%u threads are asked for%s, and the model falls into %u part%s at most: %u run%s", asked,
              n_ranks > 1 ? " on each rank" : "", most, most == 1 ? "" : "s", *threads,
              *threads == 1 ? "s" : "");
    return WEIR_OK;
}

weir_status wi_crew_count(weir_diag *diag, weir_sim *sim, wi_crew *crew)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    const uint32_t n_ranks = ranks ? ranks->n_ranks : 1;
    uint32_t threads = threads_wanted(&sim->setup, ranks, wi_partition_most(sim));
    if (ranks) /* machines may differ */
        threads = (uint32_t)ranks->least(threads);
    const weir_status status = check_counts(diag, sim, n_ranks, &threads);
    if (status != WEIR_OK)
        return status;
    crew->sim = sim;
    crew->ranks = ranks;
    crew->rank = ranks ? ranks->rank : 0;
    crew->n_threads = threads;
    crew->n_parts = threads * n_ranks;
    return WEIR_OK;
}

/* Rank 0 decides, since METIS need not give the same on every machine. */
static weir_status share_out(weir_diag *diag, wi_crew *crew)
{
    wi_partition *p = &crew->partition;
    weir_status status = wi_partition_new(diag, crew->sim, crew->n_parts, p);
    if (status == WEIR_OK && crew->rank == 0)
        status = wi_partition_make(diag, crew->sim, p);
    status = weir_ranks_agree(diag, status);
    if (status != WEIR_OK)
        return status;
    if (crew->ranks)
        crew->ranks->broadcast(p->part, p->n_entities * sizeof *p->part, 0);
    wi_partition_bounds(crew->sim, p);
    return WEIR_OK;
}

weir_status wi_crew_share(weir_diag *diag, wi_crew *crew)
{
    crew->part = calloc(crew->n_threads, sizeof *crew->part);
    crew->counters = calloc(crew->n_threads, sizeof *crew->counters);
    const int whole = crew->part && crew->counters;
    const weir_status status = weir_ranks_agree(
        diag, whole ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", crew->n_threads));
    return status == WEIR_OK ? share_out(diag, crew) : status;
}

weir_status wi_crew_taken_over(weir_diag *diag, const wi_crew *crew, int whole)
{
    weir_sim *const sim = crew->sim;
    if (!whole)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u partitions", crew->n_threads);
    wi_pending_free(&sim->main.pending);
    if (crew->rank > 0)
        sim->main.ctx.rec_count = 0; /* what init recorded is handed out by rank 0 */
    return WEIR_OK;
}

weir_status wi_crew_thread(weir_diag *diag, const wi_crew *crew, uint32_t i, pthread_t *thread,
                           void *(*main)(void *), void *arg)
{
    if (pthread_create(thread, NULL, main, arg) != 0)
        return weir_fail(diag, WEIR_E_NOMEM, "thread %u of %u cannot be started", i, crew->n_threads);
    return WEIR_OK;
}

void wi_crew_free(wi_crew *crew)
{
    free(crew->part);
    free(crew->counters);
    wi_partition_free(&crew->partition);
}

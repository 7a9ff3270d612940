/* Threads, parts, and who has which entities; see parts.h. */
#include "engine/parts/parts.h"

#include <unistd.h>

#include "pending/pages.h"
#include "ranks/cores.h"
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

weir_status wi_parts_count(weir_diag *diag, weir_sim *sim, wi_parts *parts)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    const uint32_t n_ranks = ranks ? ranks->n_ranks : 1;
    uint32_t threads = threads_wanted(&sim->setup, ranks, wi_partition_most(sim));
    if (ranks) /* machines may differ */
        threads = (uint32_t)ranks->least(threads);
    WI_RETURN_IF_FAILED(check_counts(diag, sim, n_ranks, &threads));
    parts->sim = sim;
    parts->ranks = ranks;
    parts->rank = ranks ? ranks->rank : 0;
    parts->n_threads = threads;
    parts->n_parts = threads * n_ranks;
    parts->crowded = threads * (ranks ? ranks->on_this_machine : 1) > wi_cores_allowed();
    parts->spin_ns = parts->crowded ? WI_SPIN_CROWDED_NS : WI_SPIN_NS;
    wi_gate_init(&parts->start, 0);
    wi_gate_init(&parts->rested, 0);
    return WEIR_OK;
}

/* Rank 0 decides, since METIS need not give the same on every machine. */
static weir_status share_out(weir_diag *diag, wi_parts *parts)
{
    wi_partition *p = &parts->partition;
    weir_status status = wi_partition_new(diag, parts->sim, parts->n_parts, &parts->arrays, p);
    if (status == WEIR_OK && parts->rank == 0)
        status = wi_partition_make(diag, parts->sim, p);
    WI_RETURN_IF_FAILED(weir_ranks_agree(diag, status));
    if (parts->ranks)
        parts->ranks->broadcast(p->part, p->n_entities * sizeof *p->part, 0);
    wi_partition_bounds(parts->sim, p);
    return WEIR_OK;
}

weir_status wi_parts_share(weir_diag *diag, wi_parts *parts)
{
    parts->part = wi_take(&parts->arrays, parts->n_threads, sizeof *parts->part);
    parts->counters = wi_take(&parts->arrays, parts->n_threads, sizeof *parts->counters);
    parts->threads = wi_take(&parts->arrays, parts->n_threads, sizeof *parts->threads);
    return weir_ranks_agree(diag,
                            !parts->arrays.failed
                                ? WEIR_OK
                                : weir_fail(diag, WEIR_E_NOMEM, "no memory for %u threads", parts->n_threads))
               ?: share_out(diag, parts);
}

bool wi_parts_init_part(wi_parts *parts, uint32_t thread, wi_part *part)
{
    parts->part[thread] = part;
    parts->counters[thread] = wi_pages_new(parts->sim->setup.n_counters * sizeof(int64_t));
    return parts->counters[thread] && wi_part_init(part, parts->sim, parts->counters[thread]);
}

typedef struct giving {
    wi_parts *parts;
    bool whole;
} giving;

static void give_event(void *user, const weir_event *event)
{
    giving *g = user;
    uint32_t thread;
    if (wi_parts_has(g->parts, event->target, &thread))
        g->whole &= wi_pending_insert(&g->parts->part[thread]->pending, event,
                                      g->parts->sim->dispatch[event->type].ordered);
}

weir_status wi_parts_distribute(weir_diag *diag, wi_parts *parts, bool whole)
{
    weir_sim *const sim = parts->sim;
    giving g = {parts, whole};
    if (whole)
        wi_pending_visit(&sim->main.pending, give_event, &g);
    if (!g.whole)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u partitions", parts->n_threads);
    wi_pending_free(&sim->main.pending);
    if (parts->rank > 0)
        sim->main.ctx.rec_count = 0; /* what init recorded is handed out by rank 0 */
    return WEIR_OK;
}

static void *thread_main(void *arg)
{
    const wi_thread *t = arg;
    wi_parts *parts = t->parts;
    for (uint32_t run = 1;; run++) {
        (void)wi_gate_wait(&parts->start, run, parts->spin_ns);
        if (parts->quit)
            return NULL;
        parts->drive(parts, t->number);
        wi_gate_step(&parts->rested);
    }
}

weir_status wi_parts_start(weir_diag *diag, wi_parts *parts, void (*drive)(wi_parts *parts, uint32_t thread))
{
    parts->drive = drive;
    for (uint32_t i = 1; i < parts->n_threads; i++) {
        wi_thread *t = &parts->threads[i];
        *t = (wi_thread){.parts = parts, .number = i};
        t->started = pthread_create(&t->handle, NULL, thread_main, t) == 0;
        if (!t->started)
            return weir_fail(diag, WEIR_E_NOMEM, "thread %u of %u cannot be started", i, parts->n_threads);
    }
    return WEIR_OK;
}

void wi_parts_run(wi_parts *parts)
{
    wi_gate_set(&parts->start, ++parts->runs);
    parts->drive(parts, 0);
}

void wi_parts_await_rest(wi_parts *parts)
{
    (void)wi_gate_wait(&parts->rested, parts->runs * (parts->n_threads - 1), parts->spin_ns);
}

bool wi_parts_run_alone(const wi_parts *parts)
{
    enum { FEW_EVENTS = 2000 }; /* that a thread handles while several wake, wait and fall asleep again */
    return parts->sim->setup.hook && !parts->ranks && parts->lately < FEW_EVENTS;
}

void wi_parts_free(wi_parts *parts)
{
    if (!parts->sim) /* nothing was begun */
        return;
    parts->quit = true;
    wi_gate_set(&parts->start, ++parts->runs);
    for (uint32_t i = 0; parts->threads && i < parts->n_threads; i++)
        if (parts->threads[i].started)
            pthread_join(parts->threads[i].handle, NULL);
    for (uint32_t i = 0; parts->part && parts->counters && i < parts->n_threads; i++) {
        if (parts->part[i])
            wi_part_free(parts->part[i]);
        wi_pages_free(parts->counters[i], parts->sim->setup.n_counters * sizeof(int64_t));
    }
    wi_gate_free(&parts->start);
    wi_gate_free(&parts->rested);
    wi_owned_free(&parts->arrays);
}

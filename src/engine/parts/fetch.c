/* Reading what the threads and ranks of an engine have. */
#include <stdlib.h>
#include <string.h>

#include "engine/parts/crew.h"

/* ---- counters: each thread counts for itself ---- */

void wi_crew_counters(wi_crew *crew)
{
    weir_sim *sim = crew->sim;
    const uint64_t n = sim->setup.n_counters;
    int64_t *sum = crew->counters[0];
    for (uint32_t t = 1; t < crew->n_threads; t++) {
        int64_t *own = crew->counters[t];
        for (uint64_t i = 0; i < n; i++)
            if (own[i] != 0) {
                sum[i] += own[i];
                own[i] = 0;
            }
    }
    if (crew->ranks)
        crew->ranks->sum(sum, n);
    for (uint64_t i = 0; i < n; i++)
        if (sum[i] != 0) {
            sim->counters[i] += sum[i];
            sum[i] = 0;
        }
}

/* ---- states: each rank has its own entities' ---- */

/* Slots in use of each entity's slices, [pool][entity of the kind], as the rank says that has it; null: of pools that
 * tell of none. Memory that is short: false, everywhere. */
typedef int64_t *in_use[WEIR_POOLS_MAX];

static int tell_use(const wi_crew *crew, in_use use)
{
    const weir_sim *sim = crew->sim;
    const weir_model *m = sim->setup.model;
    unsigned char *first;
    for (uint32_t p = 0; p < m->n_pools; p++) {
        const uint32_t k = m->pools[p].kind, n = sim->setup.kind_count[k];
        use[p] = m->pools[p].used ? calloc((size_t)n + 1, sizeof *use[p]) : NULL;
        if (m->pools[p].used && crew->ranks->least(use[p] != NULL) == 0)
            return 0;
        for (uint32_t i = 0; use[p] && i < n; i++)
            if (crew->partition.part[sim->kind_first[k] + i] / crew->n_threads == crew->ranks->rank)
                use[p][i] = wi_slots_used(sim, p, i, &first);
        if (use[p])
            crew->ranks->sum(use[p], n);
    }
    return 1;
}

/* Call `fn` for each piece of memory that belongs to entities of a rank, in the same order everywhere. */
static void pieces_of(const wi_crew *crew, in_use use, uint32_t rank, wi_piece_fn fn, void *user)
{
    const weir_sim *sim = crew->sim;
    const weir_model *m = sim->setup.model;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        for (uint32_t e = sim->kind_first[k]; e < sim->kind_first[k + 1]; e++) {
            if (crew->partition.part[e] / crew->n_threads != rank)
                continue;
            const uint32_t i = e - sim->kind_first[k];
            fn(user, &sim->heads[e], sizeof *sim->heads);
            fn(user, sim->state[k] + (size_t)i * m->kinds[k].state_bytes, m->kinds[k].state_bytes);
            for (uint32_t p = 0; p < m->n_pools; p++) {
                const uint32_t *first = sim->setup.pool_first[p];
                const size_t slot = m->pools[p].slot_bytes;
                if (m->pools[p].kind == k && first)
                    fn(user, sim->pool[p] + first[i] * slot,
                       (use[p] ? (size_t)use[p][i] : first[i + 1] - first[i]) * slot);
            }
        }
}

void wi_piece_size(void *user, void *at, size_t bytes)
{
    (void)at;
    *(size_t *)user += bytes;
}

void wi_piece_pack(void *user, void *at, size_t bytes)
{
    unsigned char **to = user;
    memcpy(*to, at, bytes);
    *to += bytes;
}

void wi_piece_unpack(void *user, void *at, size_t bytes)
{
    const unsigned char **from = user;
    memcpy(at, *from, bytes);
    *from += bytes;
}

/* One rank after another, so that there is never more than one rank's share twice. */
static int fetch_states(const wi_crew *crew)
{
    in_use use = {NULL};
    int whole = tell_use(crew, use);
    for (uint32_t r = 0; r < crew->ranks->n_ranks && whole; r++) {
        size_t bytes = 0;
        pieces_of(crew, use, r, wi_piece_size, &bytes);
        unsigned char *room = malloc(bytes + 1), *to = room;
        const unsigned char *from = room;
        whole = crew->ranks->least(room != NULL) > 0; /* all, or none */
        if (whole && r == crew->ranks->rank)
            pieces_of(crew, use, r, wi_piece_pack, &to);
        if (whole)
            crew->ranks->broadcast(room, bytes, r);
        if (whole && r != crew->ranks->rank)
            pieces_of(crew, use, r, wi_piece_unpack, &from);
        free(room);
    }
    for (uint32_t p = 0; p < WEIR_POOLS_MAX; p++)
        free(use[p]);
    return whole;
}

/* ---- pending events and memory ---- */

static void local_memory(const wi_crew *crew, weir_sim_memory *out)
{
    for (uint32_t t = 0; t < crew->n_threads; t++) {
        wi_part_memory(crew->part[t], out);
        out->pending_events -= 2 * crew->part[t]->cancels;
        /* Streams are in memory only where an event has used them. */
    }
}

static void sum_memory(wi_crew *crew)
{
    weir_sim_memory m = {0};
    local_memory(crew, &m);
    int64_t words[4] = {(int64_t)m.pending_events, (int64_t)m.pending_peak, (int64_t)m.pending_peak_bytes,
                        (int64_t)m.stream_bytes};
    crew->ranks->sum(words, 4);
    crew->memory = (weir_sim_memory){.pending_events = (uint64_t)words[0],
                                     .pending_peak = (uint64_t)words[1],
                                     .pending_peak_bytes = (uint64_t)words[2],
                                     .stream_bytes = (uint64_t)words[3]};
}

weir_status wi_crew_fetch(weir_diag *diag, weir_sim *sim)
{
    wi_crew *crew = sim->engine;
    wi_crew_counters(crew);
    if (!crew->ranks)
        return WEIR_OK;
    uint64_t of_records[2] = {sim->record_chain, sim->n_records};
    crew->ranks->broadcast(of_records, sizeof of_records, 0);
    sim->record_chain = of_records[0];
    sim->n_records = of_records[1];
    sum_memory(crew);
    return fetch_states(crew) ? WEIR_OK
                              : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather the states of %u ranks",
                                          crew->ranks->n_ranks);
}

static void pack_event(void *user, const weir_event *event)
{
    wi_batch *batch = user;
    const size_t bytes = sizeof(wi_event_room);
    unsigned char *at = wi_batch_more(batch, bytes);
    if (!at)
        return;
    memcpy(at, event, bytes);
    batch->used += bytes;
}

static bool visit_own(const wi_crew *crew, void (*visit)(void *user, const weir_event *event), void *user)
{
    for (uint32_t t = 0; t < crew->n_threads; t++)
        if (crew->part[t]->cancels == 0)
            wi_pending_visit(&crew->part[t]->pending, visit, user);
        else if (!wi_pending_visit_net(&crew->part[t]->pending, visit, user))
            return false;
    return true;
}

weir_status wi_crew_visit(weir_diag *diag, const weir_sim *sim,
                          void (*visit)(void *user, const weir_event *event), void *user)
{
    const wi_crew *crew = sim->engine;
    if (crew->n_parts == 1) {
        wi_pending_visit(&sim->main.pending, visit, user);
        return WEIR_OK;
    }
    if (!crew->ranks)
        return visit_own(crew, visit, user)
                   ? WEIR_OK
                   : weir_fail(diag, WEIR_E_NOMEM, "no memory to look at the pending events");
    wi_batch mine = {0}, all = {0};
    size_t *bytes_of = malloc(crew->ranks->n_ranks * sizeof *bytes_of);
    const bool packed = visit_own(crew, pack_event, &mine);
    const bool gathered = crew->ranks->gather(mine.at, mine.used, &all, bytes_of) && packed;
    if (gathered)
        for (const unsigned char *at = all.at; at < all.at + all.used; at += sizeof(wi_event_room))
            visit(user, (const weir_event *)(const void *)at);
    free(mine.at);
    free(all.at);
    free(bytes_of);
    return gathered ? WEIR_OK
                    : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather the pending events of all ranks");
}

wi_part *wi_crew_part_of(const weir_sim *sim, uint32_t entity)
{
    const wi_crew *crew = sim->engine;
    return crew->n_parts == 1 ? wi_part_main(sim, entity)
                              : crew->part[crew->partition.part[entity] % crew->n_threads];
}

bool wi_crew_owns(const weir_sim *sim, uint32_t entity)
{
    const wi_crew *crew = sim->engine;
    uint32_t thread;
    return crew->n_parts == 1 || wi_crew_has(crew, entity, &thread);
}

void wi_crew_memory(const weir_sim *sim, weir_sim_memory *out)
{
    const wi_crew *crew = sim->engine;
    if (crew->n_parts == 1) {
        wi_part_memory(&sim->main, out);
    } else if (!crew->ranks) {
        local_memory(crew, out);
    } else {
        const uint64_t state_bytes = out->state_bytes;
        *out = crew->memory;
        out->state_bytes = state_bytes;
    }
}

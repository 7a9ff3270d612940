/* Reading what the threads and ranks of an engine have: all states, or what a sample reads. */
#include <stdlib.h>
#include <string.h>

#include "engine/parts/parts.h"
#include "base/owner.h"
#include "base/memory.h"

/* ---- counters: each thread counts for itself ---- */

static void add_up_counters(wi_parts *parts)
{
    weir_sim *sim = parts->sim;
    const uint64_t n = sim->setup.n_counters;
    int64_t *sum = parts->counters[0];
    for (uint32_t t = 1; t < parts->n_threads; t++) {
        int64_t *own = parts->counters[t];
        for (uint64_t i = 0; i < n; i++)
            if (own[i] != 0) {
                sum[i] += own[i];
                own[i] = 0;
            }
    }
    if (parts->ranks)
        parts->ranks->sum(sum, n);
    for (uint64_t i = 0; i < n; i++)
        if (sum[i] != 0) {
            sim->counters[i] += sum[i];
            sum[i] = 0;
        }
}

/* ---- pieces of memory, which belong to the entities of a rank ---- */

/* Called for each piece: its size into a size_t, or copied to where an unsigned char * points or from there, which moves
 * on. */
typedef void (*piece_fn)(void *user, void *at, size_t bytes);

static void add_size(void *user, void *at, size_t bytes)
{
    (void)at;
    *(size_t *)user += bytes;
}

static void pack(void *user, void *at, size_t bytes)
{
    unsigned char **to = user;
    memcpy(*to, at, bytes);
    *to += bytes;
}

static void unpack(void *user, void *at, size_t bytes)
{
    unsigned char **from = user;
    memcpy(at, *from, bytes);
    *from += bytes;
}

/* What is fetched. `visit` calls fn for each piece that is a rank's own, in the same order everywhere. */
typedef struct fetching {
    void (*visit)(const wi_parts *parts, const struct fetching *what, uint32_t rank, piece_fn fn, void *user);
    bool to_all;                     /* ranks; else to rank 0 */
    int64_t *in_use[WEIR_POOLS_MAX]; /* all: slots in use of each entity of the kind; null: all of them */
    /* Some: entities, then slots of each pool. */
    uint32_t n_entities, n_slots[WEIR_POOLS_MAX], counters, n_words;
    uint32_t *words;
} fetching;

/* One rank's pieces to the others. False, everywhere, when memory is short on some rank. */
static bool bring(const wi_parts *parts, const fetching *what, uint32_t rank)
{
    const wi_ranks *ranks = parts->ranks;
    const bool takes_part = what->to_all || ranks->rank == 0 || ranks->rank == rank;
    size_t bytes = 0;
    what->visit(parts, what, rank, add_size, &bytes);
    if (bytes == 0 || (!what->to_all && rank == 0))
        return true;
    unsigned char *room = takes_part ? malloc(bytes) : NULL, *at = room;
    const bool whole = ranks->least(room || !takes_part) > 0;
    if (whole && ranks->rank == rank)
        what->visit(parts, what, rank, pack, &at);
    if (whole)
        (what->to_all ? ranks->broadcast : ranks->to_first)(room, bytes, rank);
    if (whole && takes_part && ranks->rank != rank)
        what->visit(parts, what, rank, unpack, &at);
    free(room);
    return whole;
}

/* One rank after another, so that there is never more than one rank's share twice. */
static bool bring_all(const wi_parts *parts, const fetching *what)
{
    bool whole = true;
    for (uint32_t r = 0; r < parts->ranks->n_ranks && whole; r++)
        whole = bring(parts, what, r);
    return whole;
}

/* ---- all states ---- */

static void visit_all(const wi_parts *parts, const fetching *what, uint32_t rank, piece_fn fn, void *user)
{
    const weir_sim *sim = parts->sim;
    const weir_model *m = sim->setup.model;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        for (uint32_t e = sim->kind_first[k]; e < sim->kind_first[k + 1]; e++) {
            if (wi_parts_rank_of(parts, e) != rank)
                continue;
            const uint32_t i = e - sim->kind_first[k];
            fn(user, &sim->heads[e], sizeof *sim->heads);
            fn(user, sim->state[k] + (size_t)i * m->kinds[k].state_bytes, m->kinds[k].state_bytes);
            for (uint32_t p = 0; p < m->n_pools; p++) {
                const uint32_t *first = sim->setup.pool_first[p];
                const size_t slot = m->pools[p].slot_bytes;
                if (m->pools[p].kind == k && first)
                    fn(user, sim->pool[p] + first[i] * slot,
                       (what->in_use[p] ? (size_t)what->in_use[p][i] : first[i + 1] - first[i]) * slot);
            }
        }
}

/* Each rank knows how many slots its entities use; all get all. False, everywhere, when memory is short. */
static bool share_use(const wi_parts *parts, fetching *what)
{
    const weir_sim *sim = parts->sim;
    const weir_model *m = sim->setup.model;
    unsigned char *first;
    for (uint32_t p = 0; p < m->n_pools; p++) {
        const uint32_t k = m->pools[p].kind, n = sim->setup.kind_count[k];
        if (!m->pools[p].used)
            continue;
        int64_t *use = what->in_use[p] = calloc((size_t)n + 1, sizeof *use);
        if (parts->ranks->least(use != NULL) == 0)
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (wi_parts_rank_of(parts, sim->kind_first[k] + i) == parts->rank)
                use[i] = wi_slots_used(sim, p, i, &first);
        parts->ranks->sum(use, n);
    }
    return true;
}

static bool fetch_states(const wi_parts *parts)
{
    fetching all = {.visit = visit_all, .to_all = true};
    const bool whole = share_use(parts, &all) && bring_all(parts, &all);
    for (uint32_t p = 0; p < WEIR_POOLS_MAX; p++)
        free(all.in_use[p]);
    return whole;
}

/* ---- some, for rank 0: what a sample of a time series reads ---- */

/* Rank 0's wish goes to every rank. False, everywhere, when memory is short. */
static bool share_want(const wi_ranks *ranks, const weir_sim_want *want, fetching *w)
{
    *w = (fetching){.n_entities = want->n_entities, .counters = want->counters};
    memcpy(w->n_slots, want->n_slots, sizeof w->n_slots);
    uint64_t n = w->n_entities;
    for (uint32_t p = 0; p < WEIR_POOLS_MAX; p++)
        n += w->n_slots[p];
    w->n_words = n < UINT32_MAX / sizeof *w->words ? (uint32_t)n : UINT32_MAX;
    ranks->broadcast(&w->n_entities, offsetof(fetching, words) - offsetof(fetching, n_entities), 0);
    w->words = w->n_words == UINT32_MAX ? NULL : malloc((w->n_words + 1) * sizeof *w->words);
    if (ranks->least(w->words != NULL) == 0)
        return false;
    unsigned char *to = (unsigned char *)w->words;
    if (ranks->rank == 0 && want->n_entities)
        pack(&to, (void *)(uintptr_t)want->entity, want->n_entities * sizeof *w->words);
    for (uint32_t p = 0; p < WEIR_POOLS_MAX && ranks->rank == 0; p++)
        if (want->n_slots[p])
            pack(&to, (void *)(uintptr_t)want->slot[p], want->n_slots[p] * sizeof *w->words);
    ranks->broadcast(w->words, w->n_words * sizeof *w->words, 0);
    return true;
}

/* The entity that owns a slot. */
static uint32_t owner_of(const weir_sim *sim, uint32_t pool, uint32_t slot)
{
    const uint32_t kind = sim->setup.model->pools[pool].kind;
    const uint32_t n = sim->kind_first[kind + 1] - sim->kind_first[kind];
    return sim->kind_first[kind] + wi_owner_of(sim->setup.pool_first[pool], n, slot);
}

static void visit_some(const wi_parts *parts, const fetching *w, uint32_t rank, piece_fn fn, void *user)
{
    weir_sim *sim = parts->sim;
    const weir_model *m = sim->setup.model;
    const uint32_t *word = w->words;
    for (uint32_t i = 0; i < w->n_entities; i++, word++) {
        uint32_t k = 0;
        while (*word >= sim->kind_first[k + 1])
            k++;
        if (wi_parts_rank_of(parts, *word) == rank)
            fn(user, sim->state[k] + (size_t)(*word - sim->kind_first[k]) * m->kinds[k].state_bytes,
               m->kinds[k].state_bytes);
    }
    for (uint32_t p = 0; p < m->n_pools; p++)
        for (uint32_t i = 0; i < w->n_slots[p]; i++, word++)
            if (wi_parts_rank_of(parts, owner_of(sim, p, *word)) == rank)
                fn(user, sim->pool[p] + (size_t)*word * m->pools[p].slot_bytes, m->pools[p].slot_bytes);
}

weir_status wi_parts_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want)
{
    wi_parts *parts = sim->engine;
    fetching w;
    if (!parts->ranks) {
        if (want->counters && parts->n_parts > 1)
            add_up_counters(parts);
        return WEIR_OK;
    }
    bool whole = share_want(parts->ranks, want, &w);
    w.visit = visit_some;
    if (whole && w.counters)
        add_up_counters(parts);
    whole = whole && bring_all(parts, &w);
    free(w.words);
    return whole ? WEIR_OK
                 : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather %u states from %u ranks", w.n_words,
                             parts->ranks->n_ranks);
}

/* ---- pending events and memory ---- */

static void local_memory(const wi_parts *parts, weir_sim_memory *out)
{
    for (uint32_t t = 0; t < parts->n_threads; t++) {
        wi_part_memory(parts->part[t], out);
        out->pending_events -= 2 * parts->part[t]->anti_messages;
        /* Streams are in memory only where an event has used them. */
    }
}

static void sum_memory(wi_parts *parts)
{
    weir_sim_memory m = {0};
    local_memory(parts, &m);
    int64_t words[4] = {(int64_t)m.pending_events, (int64_t)m.pending_peak, (int64_t)m.pending_peak_bytes,
                        (int64_t)m.stream_bytes};
    parts->ranks->sum(words, 4);
    parts->memory = (weir_sim_memory){.pending_events = (uint64_t)words[0],
                                      .pending_peak = (uint64_t)words[1],
                                      .pending_peak_bytes = (uint64_t)words[2],
                                      .stream_bytes = (uint64_t)words[3]};
}

weir_status wi_parts_fetch(weir_diag *diag, weir_sim *sim)
{
    wi_parts *parts = sim->engine;
    add_up_counters(parts);
    if (!parts->ranks)
        return WEIR_OK;
    uint64_t of_records[2] = {sim->record_chain, sim->n_records};
    parts->ranks->broadcast(of_records, sizeof of_records, 0);
    sim->record_chain = of_records[0];
    sim->n_records = of_records[1];
    sum_memory(parts);
    return fetch_states(parts) ? WEIR_OK
                               : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather the states of %u ranks",
                                           parts->ranks->n_ranks);
}

static bool visit_own(const wi_parts *parts, void (*visit)(void *user, const weir_event *event), void *user)
{
    for (uint32_t t = 0; t < parts->n_threads; t++)
        if (parts->part[t]->anti_messages == 0)
            wi_pending_visit(&parts->part[t]->pending, visit, user);
        else if (!wi_pending_visit_net(&parts->part[t]->pending, visit, user))
            return false;
    return true;
}

weir_status wi_parts_visit(weir_diag *diag, const weir_sim *sim,
                           void (*visit)(void *user, const weir_event *event), void *user)
{
    const wi_parts *parts = sim->engine;
    if (parts->n_parts == 1) {
        wi_pending_visit(&sim->main.pending, visit, user);
        return WEIR_OK;
    }
    if (!parts->ranks)
        return visit_own(parts, visit, user)
                   ? WEIR_OK
                   : weir_fail(diag, WEIR_E_NOMEM, "no memory to look at the pending events");
    wi_events mine = {.stride = sizeof(weir_event) + sim->payload_bytes};
    wi_batch all = {0};
    WI_FREED size_t *bytes_of = malloc(parts->ranks->n_ranks * sizeof *bytes_of);
    const bool packed = visit_own(parts, wi_events_add, &mine) && !mine.failed;
    const bool gathered = parts->ranks->gather(mine.at, mine.n * mine.stride, &all, bytes_of) && packed;
    if (gathered)
        for (const unsigned char *at = all.at; at < all.at + all.used; at += mine.stride)
            visit(user, (const weir_event *)(const void *)at);
    free(mine.at);
    free(all.at);
    return gathered ? WEIR_OK
                    : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather the pending events of all ranks");
}

wi_part *wi_parts_part_of(const weir_sim *sim, uint32_t entity)
{
    const wi_parts *parts = sim->engine;
    return parts->n_parts == 1 ? wi_part_main(sim, entity)
                               : parts->part[parts->partition.part[entity] % parts->n_threads];
}

bool wi_parts_owns(const weir_sim *sim, uint32_t entity)
{
    const wi_parts *parts = sim->engine;
    uint32_t thread;
    return parts->n_parts == 1 || wi_parts_has(parts, entity, &thread);
}

void wi_parts_memory(const weir_sim *sim, weir_sim_memory *out)
{
    const wi_parts *parts = sim->engine;
    if (parts->n_parts == 1) {
        wi_part_memory(&sim->main, out);
    } else if (!parts->ranks) {
        local_memory(parts, out);
    } else {
        const uint64_t state_bytes = out->state_bytes;
        *out = parts->memory;
        out->state_bytes = state_bytes;
    }
}

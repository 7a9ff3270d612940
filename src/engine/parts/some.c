/*
 * A few things of the ranks, for rank 0: what a sample of a time series reads. Rank 0 says what it wants;
 * each rank sends what is its own of that, in the order of the list, which tells rank 0 where it belongs.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/parts/crew.h"
#include "base/owner.h"

/* Rank 0's list, on every rank: words[0 .. n_words). */
typedef struct wish {
    uint32_t n_entities, n_slots[WEIR_POOLS_MAX], counters, n_words;
    uint32_t *words; /* entities, then slots of each pool */
} wish;

static uint32_t words_of(wish *w)
{
    uint64_t n = w->n_entities;
    for (uint32_t p = 0; p < WEIR_POOLS_MAX; p++)
        n += w->n_slots[p];
    return n < UINT32_MAX / sizeof *w->words ? (uint32_t)n : UINT32_MAX;
}

static void write_words(const weir_sim_want *want, uint32_t *to)
{
    if (want->n_entities)
        memcpy(to, want->entity, want->n_entities * sizeof *to);
    to += want->n_entities;
    for (uint32_t p = 0; p < WEIR_POOLS_MAX; p++) {
        if (want->n_slots[p])
            memcpy(to, want->slot[p], want->n_slots[p] * sizeof *to);
        to += want->n_slots[p];
    }
}

/* False when memory is short on some rank. */
static int tell_wish(const wi_ranks *ranks, const weir_sim_want *want, wish *w)
{
    *w = (wish){.n_entities = want->n_entities, .counters = want->counters};
    memcpy(w->n_slots, want->n_slots, sizeof w->n_slots);
    w->n_words = words_of(w);
    ranks->broadcast(w, offsetof(wish, words), 0);
    w->words = w->n_words == UINT32_MAX ? NULL : malloc((w->n_words + 1) * sizeof *w->words);
    if (ranks->least(w->words != NULL) == 0)
        return 0;
    if (ranks->rank == 0)
        write_words(want, w->words);
    ranks->broadcast(w->words, w->n_words * sizeof *w->words, 0);
    return 1;
}

/* The entity that owns a slot. */
static uint32_t owner_of(const weir_sim *sim, uint32_t pool, uint32_t slot)
{
    const uint32_t kind = sim->setup.model->pools[pool].kind;
    const uint32_t n = sim->kind_first[kind + 1] - sim->kind_first[kind];
    return sim->kind_first[kind] + wi_owner_of(sim->setup.pool_first[pool], n, slot);
}

/* Call `fn` for each wanted piece of memory that is a rank's own. */
static void pieces_of(const wi_crew *crew, const wish *w, uint32_t rank, wi_piece_fn fn, void *user)
{
    weir_sim *sim = crew->sim;
    const weir_model *m = sim->setup.model;
    const uint32_t *word = w->words;
    for (uint32_t i = 0; i < w->n_entities; i++, word++) {
        uint32_t k = 0;
        while (*word >= sim->kind_first[k + 1])
            k++;
        if (crew->partition.part[*word] / crew->n_threads == rank)
            fn(user, sim->state[k] + (size_t)(*word - sim->kind_first[k]) * m->kinds[k].state_bytes,
               m->kinds[k].state_bytes);
    }
    for (uint32_t p = 0; p < m->n_pools; p++)
        for (uint32_t i = 0; i < w->n_slots[p]; i++, word++)
            if (crew->partition.part[owner_of(sim, p, *word)] / crew->n_threads == rank)
                fn(user, sim->pool[p] + (size_t)*word * m->pools[p].slot_bytes, m->pools[p].slot_bytes);
}

/* One rank after another. Memory that is short anywhere ends it everywhere. */
static int send_pieces(const wi_crew *crew, const wish *w)
{
    const wi_ranks *ranks = crew->ranks;
    for (uint32_t r = 1; r < ranks->n_ranks; r++) {
        size_t bytes = 0;
        pieces_of(crew, w, r, wi_piece_size, &bytes);
        if (bytes == 0)
            continue;
        const int takes_part = ranks->rank == 0 || ranks->rank == r;
        unsigned char *room = takes_part ? malloc(bytes) : NULL, *to = room;
        const unsigned char *from = room;
        const int whole = ranks->least(room || !takes_part) > 0;
        if (whole && ranks->rank == r)
            pieces_of(crew, w, r, wi_piece_pack, &to);
        if (whole)
            ranks->to_first(room, bytes, r);
        if (whole && ranks->rank == 0)
            pieces_of(crew, w, r, wi_piece_unpack, &from);
        free(room);
        if (!whole)
            return 0;
    }
    return 1;
}

weir_status wi_crew_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want)
{
    wi_crew *crew = sim->engine;
    wish w;
    if (!crew->ranks) {
        if (want->counters && crew->n_parts > 1)
            wi_crew_counters(crew);
        return WEIR_OK;
    }
    int whole = tell_wish(crew->ranks, want, &w);
    if (whole && w.counters)
        wi_crew_counters(crew);
    whole = whole && send_pieces(crew, &w);
    free(w.words);
    return whole ? WEIR_OK
                 : weir_fail(diag, WEIR_E_NOMEM, "no memory to gather %u states from %u ranks", w.n_words,
                             crew->ranks->n_ranks);
}

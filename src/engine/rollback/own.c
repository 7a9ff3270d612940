/* See own.h. */
#include "engine/rollback/own.h"

#include <string.h>

/* Slots that one handling may begin to use. */
enum { MORE = 512 };

wi_own wi_own_of(const weir_sim *sim, uint32_t entity, uint32_t kind)
{
    const weir_model *m = sim->setup.model;
    const uint32_t i = entity - sim->kind_first[kind];
    wi_own o = {.n = 1};
    o.pieces[0] = (wi_own_piece){sim->state[kind] + (size_t)i * m->kinds[kind].state_bytes,
                                 m->kinds[kind].state_bytes, m->kinds[kind].name};
    for (uint32_t p = 0; p < m->n_pools; p++) {
        if (m->pools[p].kind != kind || !sim->setup.pool_first[p])
            continue;
        const uint32_t n = sim->setup.pool_first[p][i + 1] - sim->setup.pool_first[p][i];
        unsigned char *first;
        const uint64_t used = (uint64_t)wi_slots_used(sim, p, i, &first) + MORE;
        o.pieces[o.n++] =
            (wi_own_piece){first, (size_t)(used < n ? used : n) * m->pools[p].slot_bytes, m->pools[p].name};
    }
    for (size_t k = 0; k < o.n; k++)
        o.bytes += o.pieces[k].bytes;
    return o;
}

void wi_own_copy(unsigned char *to, const wi_own *own)
{
    for (size_t k = 0; k < own->n; to += own->pieces[k++].bytes)
        if (own->pieces[k].bytes)
            memcpy(to, own->pieces[k].at, own->pieces[k].bytes);
}

bool wi_own_has(const wi_own *own, const void *at, size_t bytes, size_t *offset)
{
    *offset = 0;
    for (size_t k = 0; k < own->n; *offset += own->pieces[k++].bytes) {
        const uintptr_t from = (uintptr_t)own->pieces[k].at, p = (uintptr_t)at;
        if (p >= from && p - from <= own->pieces[k].bytes && bytes <= own->pieces[k].bytes - (p - from)) {
            *offset += p - from;
            return true;
        }
    }
    return false;
}

const wi_own_piece *wi_own_piece_at(const wi_own *own, size_t *offset)
{
    size_t k = 0;
    while (k + 1 < own->n && *offset >= own->pieces[k].bytes)
        *offset -= own->pieces[k++].bytes;
    return &own->pieces[k];
}

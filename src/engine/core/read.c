/* Reading a simulation between runs: state, digests, pending events, memory. */
#include "engine/core/engine.h"
#include "weir/digest.h"
#include "weir/ranks.h"

weir_status weir_sim_fetch(weir_diag *diag, weir_sim *sim)
{
    if (!sim->stale)
        return WEIR_OK;
    if (sim->failed != WEIR_OK)
        return weir_fail(diag, sim->failed, "the simulation broke off at %.12f s: its state is lost",
                         weir_seconds(sim->now_ps));
    const weir_status status = sim->ops->fetch(diag, sim);
    sim->stale = status != WEIR_OK;
    if (status != WEIR_OK)
        sim->failed = status;
    return status;
}

weir_status weir_sim_fetch_some(weir_diag *diag, weir_sim *sim, const weir_sim_want *want)
{
    if (!sim->stale || sim->failed != WEIR_OK || !sim->ops->fetch_some)
        return weir_sim_fetch(diag, sim);
    const weir_status status = sim->ops->fetch_some(diag, sim, want);
    sim->partly = 1;
    if (status != WEIR_OK)
        sim->failed = status;
    return status;
}

/* Readers have no way to fail: a fetch that fails leaves the old values and a simulation that cannot go on.
 */
static void all_up_to_date(const weir_sim *sim)
{
    if (sim->stale && sim->failed == WEIR_OK)
        (void)!weir_sim_fetch(NULL, (weir_sim *)sim);
}

static void up_to_date(const weir_sim *sim)
{
    if (!sim->partly)
        all_up_to_date(sim);
}

weir_time weir_sim_now(const weir_sim *sim)
{
    return sim->now_ps;
}

uint64_t weir_sim_events(const weir_sim *sim)
{
    return sim->events_before + sim->events;
}

uint32_t weir_sim_entities(const weir_sim *sim)
{
    return sim->n_entities;
}

/* Where it lies, up to date or not. */
static void *state_of(const weir_sim *sim, uint32_t entity)
{
    const weir_model *m = sim->setup.model;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        if (entity < sim->kind_first[k + 1])
            return sim->state[k] + (size_t)(entity - sim->kind_first[k]) * m->kinds[k].state_bytes;
    return NULL;
}

void *weir_sim_state(const weir_sim *sim, uint32_t entity)
{
    up_to_date(sim);
    return state_of(sim, entity);
}

void *weir_sim_own_state(const weir_sim *sim, uint32_t entity)
{
    if (weir_ranks() == 1 || !sim->ops->has)
        return weir_sim_state(sim, entity);
    return sim->ops->has(sim, entity) ? state_of(sim, entity) : NULL;
}

void *weir_sim_slot(const weir_sim *sim, int pool, uint32_t slot)
{
    up_to_date(sim);
    return sim->pool[pool] + (size_t)slot * sim->setup.model->pools[pool].slot_bytes;
}

const int64_t *weir_sim_counters(const weir_sim *sim)
{
    up_to_date(sim);
    return sim->counters;
}

const weir_entity *weir_sim_heads(const weir_sim *sim)
{
    all_up_to_date(sim);
    return sim->heads;
}

weir_status weir_sim_pending(weir_diag *diag, const weir_sim *sim,
                             void (*visit)(void *user, const weir_event *event), void *user)
{
    if (sim->ops->visit_pending)
        return sim->ops->visit_pending(diag, sim, visit, user);
    wi_pending_visit(&sim->main.pending, visit, user);
    return WEIR_OK;
}

uint64_t weir_sim_event_digest(const weir_sim *sim)
{
    uint64_t digest = sim->setup.seed;
    all_up_to_date(sim);
    for (uint32_t e = 0; e < sim->n_entities; e++)
        digest = weir_digest_word(digest, sim->heads[e].digest);
    return digest;
}

uint64_t weir_sim_state_digest(const weir_sim *sim)
{
    const uint64_t digest = wi_engine_state_digest(sim);
    return sim->setup.outside ? weir_digest_word(digest, sim->setup.outside(sim->setup.user)) : digest;
}

uint32_t wi_slots_used(const weir_sim *sim, uint32_t p, uint32_t i, unsigned char **first)
{
    const weir_pool *const pool = &sim->setup.model->pools[p];
    const uint32_t *const bounds = sim->setup.pool_first[p];
    const uint32_t n = bounds ? bounds[i + 1] - bounds[i] : 0;
    *first = n ? sim->pool[p] + (size_t)bounds[i] * pool->slot_bytes : NULL;
    return pool->used && n ? pool->used(sim->setup.world, *first, n) : n;
}

static uint64_t digest_pool(const weir_sim *sim, uint32_t p, uint64_t digest)
{
    const weir_pool *const pool = &sim->setup.model->pools[p];
    unsigned char *first;
    if (!pool->used)
        return weir_digest_bytes(digest, sim->pool[p], (size_t)sim->pool_slots[p] * pool->slot_bytes);
    for (uint32_t i = 0; i < sim->setup.kind_count[pool->kind]; i++) {
        const size_t bytes = (size_t)wi_slots_used(sim, p, i, &first) * pool->slot_bytes;
        digest = weir_digest_bytes(digest, first, bytes);
    }
    return digest;
}

uint64_t wi_engine_state_digest(const weir_sim *sim)
{
    const weir_model *m = sim->setup.model;
    all_up_to_date(sim);
    uint64_t digest = sim->record_chain;
    for (uint32_t k = 0; k < m->n_kinds; k++)
        digest = weir_digest_bytes(digest, sim->state[k],
                                   (size_t)sim->setup.kind_count[k] * m->kinds[k].state_bytes);
    for (uint32_t p = 0; p < m->n_pools; p++)
        digest = digest_pool(sim, p, digest);
    digest = weir_digest_bytes(digest, sim->counters, sim->setup.n_counters * sizeof *sim->counters);
    for (uint32_t e = 0; e < sim->n_entities; e++) {
        digest = weir_digest_word(digest, sim->heads[e].draws);
        digest = weir_digest_word(digest, ((uint64_t)sim->heads[e].seq << 32) |
                                              (sim->heads[e].records & (WEIR_QUIET_STEP - 1u)));
    }
    return digest;
}

void wi_part_memory(const wi_part *part, weir_sim_memory *out)
{
    const wi_pending *pending = &part->pending;
    out->pending_events += pending->count;
    out->pending_peak += pending->peak;
    out->pending_peak_bytes += wi_pending_event_bytes(pending);
    out->stream_bytes += pending->streams ? (uint64_t)part->sim->n_entities * sizeof(wi_stream) : 0;
}

uint64_t wi_state_bytes(const weir_sim *sim)
{
    const weir_model *const m = sim->setup.model;
    uint64_t bytes = sim->state_bytes;
    unsigned char *first;
    for (uint32_t p = 0; p < m->n_pools; p++)
        if (m->pools[p].used) {
            uint64_t used = 0;
            for (uint32_t i = 0; i < sim->setup.kind_count[m->pools[p].kind]; i++)
                used += wi_slots_used(sim, p, i, &first);
            bytes -= (sim->pool_slots[p] - used) * m->pools[p].slot_bytes;
        }
    return bytes;
}

void weir_sim_memory_use(const weir_sim *sim, weir_sim_memory *out)
{
    *out = (weir_sim_memory){.state_bytes = wi_state_bytes(sim)};
    if (sim->ops->memory_use)
        sim->ops->memory_use(sim, out);
    else
        wi_part_memory(&sim->main, out);
    if (out->pending_peak < sim->peak_before)
        out->pending_peak = sim->peak_before;
    if (out->pending_peak_bytes < sim->peak_bytes_before)
        out->pending_peak_bytes = sim->peak_bytes_before;
}

bool weir_sim_optimistic(const weir_sim *sim, weir_optimistic_statistics *out)
{
    *out = (weir_optimistic_statistics){0};
    return sim->ops->optimistic && sim->ops->optimistic(sim, out);
}

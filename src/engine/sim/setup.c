/* What a model and a set-up must keep, checked before anything is allocated. */
#include "engine/core/engine.h"

static weir_status check_types(weir_diag *diag, const weir_model *m)
{
    for (uint32_t t = 0; t < m->n_types; t++) {
        const weir_event_type *type = &m->types[t];
        if (!type->handle || type->kind >= m->n_kinds || type->payload_bytes % 8 ||
            type->payload_bytes > WEIR_PAYLOAD_MAX)
            return weir_fail(diag, WEIR_E_ARG,
                             "model '%s', event '%s': no handler, no such kind, or payload of %u bytes; want "
                             "a multiple of 8, at most %d",
                             m->name, type->name, type->payload_bytes, (int)WEIR_PAYLOAD_MAX);
    }
    return WEIR_OK;
}

static weir_status check_model(weir_diag *diag, const weir_model *m)
{
    if (!m || m->n_kinds == 0 || m->n_kinds > WEIR_KINDS_MAX || m->n_pools > WEIR_POOLS_MAX ||
        m->n_types == 0 || m->record_bytes > WEIR_RECORD_MAX || m->record_bytes % 8)
        return weir_fail(diag, WEIR_E_ARG,
                         "model '%s': kinds, pools, event types or record size out of range",
                         m ? m->name : "(null)");
    for (uint32_t k = 0; k < m->n_kinds; k++)
        if (m->kinds[k].state_bytes % 8)
            return weir_fail(diag, WEIR_E_ARG,
                             "model '%s', kind '%s': state of %u bytes; want a multiple of 8", m->name,
                             m->kinds[k].name, m->kinds[k].state_bytes);
    for (uint32_t p = 0; p < m->n_pools; p++)
        if (m->pools[p].slot_bytes % 8 || m->pools[p].kind >= m->n_kinds)
            return weir_fail(diag, WEIR_E_ARG,
                             "model '%s', pool '%s': slots of %u bytes of kind %u; want a multiple of 8 and "
                             "a kind below %u",
                             m->name, m->pools[p].name, m->pools[p].slot_bytes, m->pools[p].kind, m->n_kinds);
    return check_types(diag, m);
}

static weir_status check_pool(weir_diag *diag, const weir_setup *setup, uint32_t p)
{
    const weir_pool *pool = &setup->model->pools[p];
    const uint32_t *first = setup->pool_first[p];
    const uint32_t n = setup->kind_count[pool->kind];
    if (!first)
        return WEIR_OK;
    for (uint32_t i = 0; i < n; i++)
        if (first[i] > first[i + 1])
            return weir_fail(diag, WEIR_E_ARG,
                             "pool '%s': the slice of entity %u of its kind ends before it begins (%u, %u)",
                             pool->name, i, first[i], first[i + 1]);
    return WEIR_OK;
}

weir_status wi_setup_check(weir_diag *diag, const weir_setup *setup)
{
    weir_status status = check_model(diag, setup->model);
    uint64_t n = 0;
    if (status != WEIR_OK)
        return status;
    for (uint32_t k = 0; k < setup->model->n_kinds; k++)
        n += setup->kind_count[k];
    if (n > INT32_MAX)
        return weir_fail(diag, WEIR_E_ARG, "%llu entities; the most is 2147483647", (unsigned long long)n);
    if (n > 0 && !setup->lookahead_ps)
        return weir_fail(diag, WEIR_E_ARG, "no lookahead given for %llu entities", (unsigned long long)n);
    for (uint32_t e = 0; e < n; e++)
        if (setup->lookahead_ps[e] < 1)
            return weir_fail(diag, WEIR_E_ARG, "entity %u has a lookahead of %lld ps; want at least 1", e,
                             (long long)setup->lookahead_ps[e]);
    if (setup->hook && setup->hook_first_ps < 0)
        return weir_fail(diag, WEIR_E_ARG, "the time hook's first horizon is %lld ps; want at least 0",
                         (long long)setup->hook_first_ps);
    if (setup->observer && setup->engine != WEIR_ENGINE_SEQUENTIAL)
        return weir_fail(diag, WEIR_E_ARG, "an observer looks on at the sequential engine only");
    for (uint32_t p = 0; p < setup->model->n_pools && status == WEIR_OK; p++)
        status = check_pool(diag, setup, p);
    return status;
}

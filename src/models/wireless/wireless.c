/* The wireless model's table, parameters and set-up; the model itself is in wireless.h. */
#include "models/wireless/wireless.h"

#include <stdlib.h>
#include <string.h>

#include "models/wireless/params.h"

struct wi_wireless {
    wireless_world *world;
    size_t world_bytes;
    weir_model model;
    weir_kind kinds[WIRELESS_MODULES];
    weir_pool pools[WIRELESS_POOLS];
    weir_time *lookahead_ps;
};

#define EVENT(TYPE, name_, handler, module, events, records)      \
    [WIRELESS_##TYPE] = {.name = name_,                           \
                         .handle = handler,                       \
                         .kind = WIRELESS_##module,               \
                         .payload_bytes = sizeof(wireless_frame), \
                         .max_events = events,                    \
                         .max_records = records},
static const weir_event_type types[WIRELESS_TYPES] = {WIRELESS_EVENTS(EVENT)};
#undef EVENT

static const weir_kind kinds[WIRELESS_MODULES] = {
    [WIRELESS_APP] = {"application", sizeof(wireless_app), wireless_app_init, 1, 0},
    [WIRELESS_MAC] = {"mac", sizeof(wireless_mac), NULL, 0, 0},
    [WIRELESS_PHY] = {"phy", sizeof(wireless_phy), wireless_phy_init, 0, 0},
};

static const char *const record_names[WIRELESS_RECORDS] = {"reception"};

/* Between modules of a node frames take stack_ps. Between PHYs a frame's end comes an air time later; its
 * beginning, which matters where frames collide, only the propagation, less the picoseconds that a long list
 * of receivers takes. */
static weir_status fill_lookaheads(weir_diag *diag, wi_wireless *made)
{
    const wireless_world *w = made->world;
    const uint32_t n = w->n_nodes;
    weir_time phy_ps = w->stack_ps < w->air_ps[WIRELESS_ACK] ? w->stack_ps : w->air_ps[WIRELESS_ACK];
    for (uint32_t l = 0; l < w->n_links && w->access != WIRELESS_IDEAL; l++)
        if (wireless_links(w)[l].delay_ps < phy_ps)
            phy_ps = wireless_links(w)[l].delay_ps;
    phy_ps -= n / WIRELESS_FAN < phy_ps ? n / WIRELESS_FAN : 0;
    made->lookahead_ps = malloc(WIRELESS_MODULES * (size_t)n * sizeof *made->lookahead_ps);
    if (!made->lookahead_ps)
        return weir_fail(diag, WEIR_E_NOMEM, "wireless: no memory for %u nodes", n);
    for (uint32_t i = 0; i < WIRELESS_MODULES * n; i++)
        made->lookahead_ps[i] = i < WIRELESS_PHY * n && w->access != WIRELESS_IDEAL ? w->stack_ps : phy_ps;
    return WEIR_OK;
}

weir_status wi_wireless_new(weir_diag *diag, const wireless_params *params, wi_wireless **out)
{
    *out = NULL;
    wi_wireless *made = calloc(1, sizeof *made);
    if (!made)
        return weir_fail(diag, WEIR_E_NOMEM, "wireless: no memory");
    weir_status status =
        wi_wireless_build(diag, params, &made->world, &made->world_bytes) ?: fill_lookaheads(diag, made);
    if (status != WEIR_OK) {
        wi_wireless_free(made);
        return status;
    }
    memcpy(made->kinds, kinds, sizeof kinds);
    made->pools[WIRELESS_POOL_FADING] =
        (weir_pool){"fading", WIRELESS_PHY, wireless_slot_bytes(params->n_sinusoids)};
    made->pools[WIRELESS_POOL_TALLY] = (weir_pool){"tally", WIRELESS_MAC, sizeof(wireless_tally)};
    made->model = (weir_model){.name = "wireless",
                               .kinds = made->kinds,
                               .pools = made->pools,
                               .types = types,
                               .record_names = record_names,
                               .n_kinds = WIRELESS_MODULES,
                               .n_pools = WIRELESS_POOLS,
                               .n_types = WIRELESS_TYPES,
                               .n_records = WIRELESS_RECORDS,
                               .record_bytes = sizeof(wireless_reception)};
    *out = made;
    return WEIR_OK;
}

void wi_wireless_free(wi_wireless *made)
{
    if (!made)
        return;
    free(made->world);
    free(made->lookahead_ps);
    free(made);
}

const wireless_world *wi_wireless_world(const wi_wireless *made)
{
    return made->world;
}

void wi_wireless_setup(const wi_wireless *made, weir_setup *setup)
{
    const uint32_t *first = wireless_first(made->world);
    memset(setup, 0, sizeof *setup);
    setup->model = &made->model;
    setup->world = made->world;
    setup->world_bytes = made->world_bytes;
    for (int k = 0; k < WIRELESS_MODULES; k++)
        setup->kind_count[k] = made->world->n_nodes;
    setup->pool_first[WIRELESS_POOL_FADING] = first;
    setup->pool_first[WIRELESS_POOL_TALLY] = first;
    setup->lookahead_ps = made->lookahead_ps;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = wi_wireless_gpu();
#endif
}

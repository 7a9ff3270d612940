/* The queueing network's table and set-up; the model itself is in jackson.h. */
#include "models/jackson/jackson.h"

#include <stdlib.h>
#include <string.h>

static const weir_event_type types[JACKSON_TYPES] = {
    [JACKSON_COMES] = {.name = "comes", .handle = jackson_handle, .max_events = 2},
    [JACKSON_JOINS] = {.name = "joins", .handle = jackson_handle, .max_events = 1},
    [JACKSON_SERVED] = {.name = "served", .handle = jackson_handle, .max_events = 2},
};
static const weir_kind kind = {
    .name = "station", .state_bytes = sizeof(jackson_station), .max_events = 1, .init = jackson_init};
static const weir_model model = {
    .name = "jackson", .kinds = &kind, .types = types, .n_kinds = 1, .n_types = JACKSON_TYPES};

weir_status wi_jackson_new(weir_diag *diag, const jackson_params *p, wi_jackson **out)
{
    *out = NULL;
    if (p->n_stations < 2 || !(p->load > 0.0 && p->load < 1.0) || !(p->leave > 0.0 && p->leave <= 1.0) ||
        p->service_ps < 1 || p->transit_ps < 1)
        return weir_fail(
            diag, WEIR_E_ARG,
            "jackson: want 2 stations or more, a load between 0 and 1, a chance of leaving above 0, "
            "and times of at least 1 ps");
    wi_jackson *made = calloc(1, sizeof *made);
    weir_time *lookahead_ps = malloc(p->n_stations * sizeof *lookahead_ps);
    if (!made || !lookahead_ps) {
        free(made);
        free(lookahead_ps);
        return weir_fail(diag, WEIR_E_NOMEM, "jackson: no memory for %u stations", p->n_stations);
    }
    for (uint32_t e = 0; e < p->n_stations; e++)
        lookahead_ps[e] = p->transit_ps;
    made->lookahead_ps = lookahead_ps;
    /* Of what a station serves the share `leave` goes for good, so that must come from outside: load / service a
     * unit of time is served, and `leave` times that comes. */
    made->world = (jackson_world){.n_stations = p->n_stations,
                                  .leave_below = (uint64_t)(p->leave * 0x1p32),
                                  .transit_ps = p->transit_ps,
                                  .gap_ps = (double)p->service_ps / (p->load * p->leave),
                                  .service_ps = (double)p->service_ps};
    *out = made;
    return WEIR_OK;
}

void wi_jackson_free(wi_jackson *made)
{
    if (!made)
        return;
    free(made->lookahead_ps);
    free(made);
}

void wi_jackson_setup(const wi_jackson *made, weir_setup *setup)
{
    memset(setup, 0, sizeof *setup);
    setup->model = &model;
    setup->world = &made->world;
    setup->world_bytes = sizeof made->world;
    setup->kind_count[0] = made->world.n_stations;
    setup->lookahead_ps = made->lookahead_ps;
    setup->n_counters = JACKSON_FOUND;
#ifdef WEIR_HAVE_CUDA
    setup->gpu = wi_jackson_gpu();
#endif
}

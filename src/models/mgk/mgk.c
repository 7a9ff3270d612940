/* The table and parameters of M/G/k queues, and what theory says of them; the model itself is in mgk.h. */
#include "models/mgk/mgk.h"

#include <math.h>

static const weir_event_type types[MGK_TYPES] = {
    [MGK_COMES] = {.name = "comes", .handle = mgk_handle, .max_events = 2},
    [MGK_SERVED] = {.name = "served", .handle = mgk_handle, .max_events = 1},
};

static const weir_model model = {.name = "mgk", .types = types, .n_types = MGK_TYPES};

/* Stages or branches that have the mean and the variability that are asked for. */
static void fit(mgk_world *w, double mean_ps, double c2)
{
    const double m = ceil(1.0 / c2);
    if (c2 == 0.0) {
        w->stages = MGK_STAGES_MAX + 1;
        w->stage_ps[0] = mean_ps;
    } else if (c2 <= 1.0) {
        w->stages = (uint32_t)m;
        w->fewer = (m * c2 - sqrt(m * (1.0 + c2) - m * m * c2)) / (1.0 + c2);
        w->stage_ps[0] = mean_ps / (m - w->fewer);
    } else {
        w->fewer = 0.5 * (1.0 + sqrt((c2 - 1.0) / (c2 + 1.0)));
        w->stage_ps[0] = mean_ps / (2.0 * w->fewer);
        w->stage_ps[1] = mean_ps / (2.0 * (1.0 - w->fewer));
    }
}

void wi_mgk_plan(const void *params, wi_uniform_plan *plan)
{
    const mgk_params *p = params;
    mgk_world world = {.servers = p->servers, .gap_ps = (double)p->service_ps / (p->load * p->servers)};
    fit(&world, (double)p->service_ps, p->variability);
    *plan = (wi_uniform_plan){
        .model = &model,
        .kind = {.name = "queue", .state_bytes = sizeof(mgk_queue), .max_events = 1, .init = mgk_init},
        .n_entities = p->n_queues,
        .pending = 1 + p->servers,
        .lookahead_ps = WEIR_PS_PER_S}; /* no queue sends to another */
    wi_uniform_world(plan, &world, sizeof world);
}

mgk_theory wi_mgk_theory(const mgk_params *p)
{
    const double k = p->servers, offered = k * p->load;
    double blocked = 1.0; /* Erlang's B by its recursion in the number of servers */
    for (uint32_t i = 1; i <= p->servers; i++)
        blocked = offered * blocked / (i + offered * blocked);
    const double delayed = blocked / (1.0 - p->load * (1.0 - blocked));
    return (mgk_theory){delayed, 0.5 * (1.0 + p->variability) * delayed * weir_seconds(p->service_ps) /
                                     (k * (1.0 - p->load))};
}

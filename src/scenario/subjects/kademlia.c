/* Kademlia as a scenario's subject. */
#include "scenario/subjects/subject.h"

#include <stdlib.h>

#include "scenario/subjects/kademlia_results.h"

typedef struct kademlia_subject {
    wi_kad *kad;
    wi_kad_results results;
} kademlia_subject;

static kad_params params_of(const weir_scenario *scenario)
{
    const weir_scenario_kademlia *s = &scenario->model.kademlia;
    static const uint32_t shapes[] = {[WEIR_SC_LATENCY_CONSTANT] = KAD_LATENCY_CONSTANT,
                                      [WEIR_SC_LATENCY_UNIFORM] = KAD_LATENCY_UNIFORM,
                                      [WEIR_SC_LATENCY_EXPONENTIAL] = KAD_LATENCY_EXPONENTIAL};
    const int churn = s->churn.place.file != NULL;
    return (kad_params){.n_peers = s->peers,
                        .k = s->k,
                        .alpha = s->alpha,
                        .lookups = s->lookups,
                        .retries = s->retries,
                        .seed = scenario->seed,
                        .run = scenario->run,
                        .think_ps = s->think_ps,
                        .timeout_ps = s->timeout_ps,
                        .latency_min_ps = s->latency.min_ps,
                        .latency_mean_ps = s->latency.mean_ps,
                        .latency_shape = shapes[s->latency.shape],
                        .latency_per_pair = s->latency.per_pair,
                        .bootstrap_ps = s->bootstrap_ps,
                        .online_ps = churn ? s->churn.online_ps : 0,
                        .offline_ps = churn ? s->churn.offline_ps : 0,
                        .session_shape = churn ? s->churn.shape : 1.0,
                        .fresh = churn && s->churn.fresh,
                        .n_values = s->values.keys,
                        .value_slots = s->values.slots,
                        .store_share = s->values.store,
                        .find_share = s->values.find,
                        .preload = s->values.preload};
}

static weir_status estimate(weir_diag *diag, const weir_scenario *scenario, weir_estimate *out)
{
    const kad_params p = params_of(scenario);
    uint64_t world_bytes;
    uint32_t state_bytes;
    const weir_status status = wi_kad_sizes(diag, &p, &world_bytes, &state_bytes);
    if (status != WEIR_OK)
        return status;
    /* A peer has a planned lookup or a timer and up to alpha messages, and where peers come and go one more. */
    const uint64_t event_bytes = sizeof(weir_event) + kad_response_bytes(p.k) + 16;
    const uint64_t events = p.lookups * (1 + p.alpha) + (p.online_ps > 0);
    out->entities = p.n_peers;
    out->memory_bytes = world_bytes + p.n_peers * (state_bytes + sizeof(weir_entity) + 2 * sizeof(weir_time) +
                                                   events * event_bytes);
    return WEIR_OK;
}

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    kademlia_subject *s = calloc(1, sizeof *s);
    const kad_params params = params_of(scenario);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for kademlia");
    weir_estimate size = {0};
    weir_status status = estimate(diag, scenario, &size);
    if (status == WEIR_OK)
        status = wi_memory_check(diag, "peers", size.memory_bytes, scenario->model.kademlia.place);
    if (status == WEIR_OK)
        status = wi_kad_new(diag, &params, &s->kad);
    s->results.kad = s->kad;
    return status;
}

static void release(void *made)
{
    kademlia_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->results.series);
    wi_kad_free(s->kad);
    free(s);
}

static void set_up(void *made, weir_setup *setup)
{
    wi_kad_setup(((kademlia_subject *)made)->kad, setup);
}

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    return wi_kad_results_begin(diag, &((kademlia_subject *)made)->results, to);
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    (void)diag;
    ((kademlia_subject *)made)->results.sim = sim;
    return WEIR_OK;
}

static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    (void)made, (void)warm;
    out->counters = true;
    return true;
}

static weir_status warm(void *made)
{
    wi_kad_results_warm(&((kademlia_subject *)made)->results);
    return WEIR_OK;
}

static weir_status sample(void *made)
{
    return wi_kad_results_sample(&((kademlia_subject *)made)->results);
}

static weir_status check(weir_diag *diag, void *made)
{
    const kademlia_subject *s = made;
    return wi_kad_check(diag, s->kad, s->results.sim);
}

static void look(void *made)
{
    wi_kad_results_look(&((kademlia_subject *)made)->results);
}

static weir_status finish(void *made)
{
    return wi_kad_results_finish(&((kademlia_subject *)made)->results);
}

static void summarise(const void *made, json_t *summary)
{
    wi_kad_results_summarise(&((const kademlia_subject *)made)->results, summary);
}

const wi_subject wi_subject_kademlia =
    WI_SUBJECT(.name = "kademlia", .estimate_unbuilt = estimate, .look = look);

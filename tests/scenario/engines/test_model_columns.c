/*
 * What summary.json says of models, against a trace of their events: the same simulation, without its results, with handlers that
 * note each event before and after they handle it. Nothing is read of the counters and sums that results are made from. Equal
 * digests show that it is the same simulation.
 */
#include "models/jackson/jackson.h"
#include "models/kademlia/kademlia.h"
#include "models/wireless/wireless.h"
#include "models/wireless/params.h"
#include "scenario/run_summary.h"
#include "models/usual/kademlia.h"
#include "models/usual/wireless.h"

enum { TYPES_MAX = 16 };

/* Sees each event twice: before its handler, and after. */
typedef void (*observer)(const weir_ctx *ctx, void *state, const weir_event *event, bool after);

static const weir_event_type *original;
static observer observe;

static void handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    observe(ctx, state, event, false);
    original[event->type].handle(ctx, state, event);
    observe(ctx, state, event, true);
}

/* Begin a simulation whose handlers are observed. */
static weir_sim *observed(weir_diag *diag, weir_setup *setup, observer who)
{
    static weir_model model;
    static weir_event_type types[TYPES_MAX];
    weir_sim *sim;
    model = *setup->model;
    original = setup->model->types;
    observe = who;
    assert_true(model.n_types <= TYPES_MAX);
    for (int i = 0; i < model.n_types; i++) {
        types[i] = original[i];
        types[i].handle = handle;
    }
    model.types = types;
    setup->model = &model;
    expect_ok(diag, weir_sim_new(diag, setup, &sim));
    return sim;
}

/* A number of a summary, by its path. */
static double figure(const json_t *summary, const char *path)
{
    char text[200], *rest = NULL;
    snprintf(text, sizeof text, "%s", path);
    for (char *key = strtok_r(text, "/", &rest); key; key = strtok_r(NULL, "/", &rest))
        summary = json_object_get(summary, key);
    if (!json_is_number(summary))
        fail_msg("no number %s", path);
    return json_number_value(summary);
}

static void expect_figure(const json_t *summary, const char *path, double want, double relative)
{
    const double got = figure(summary, path);
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%s is %.15g, want %.15g", path, got, want);
}

/* ---- Jackson ---- */

enum { STATIONS = 10, WARM_S = 1, END_S = 4 };

static struct {
    uint32_t customers[STATIONS];
    weir_time since_ps[STATIONS];
    double area_ps, busy_ps, visits;
} queues;

/* Integrate up to a time, from the end of the warm-up on. */
static void pass(uint32_t station, weir_time now_ps)
{
    const weir_time from_ps =
        queues.since_ps[station] > WARM_S * WEIR_PS_PER_S ? queues.since_ps[station] : WARM_S * WEIR_PS_PER_S;
    if (now_ps > from_ps) {
        queues.area_ps += (double)queues.customers[station] * (double)(now_ps - from_ps);
        queues.busy_ps += queues.customers[station] ? (double)(now_ps - from_ps) : 0.0;
    }
    queues.since_ps[station] = now_ps;
}

static void see_jackson(const weir_ctx *ctx, void *state, const weir_event *event, bool after)
{
    (void)state;
    if (after)
        return;
    pass(event->target, ctx->now_ps);
    queues.customers[event->target] += event->type == JACKSON_SERVED ? UINT32_MAX : 1;
    queues.visits += event->type == JACKSON_SERVED && ctx->now_ps >= WARM_S * WEIR_PS_PER_S;
}

static void stations_of_a_queueing_network(void **state)
{
    const jackson_params params = {STATIONS, 0.6, 0.25, WEIR_PS_PER_MS, WEIR_PS_PER_MS};
    weir_diag *diag = *state;
    weir_run_result result;
    weir_setup setup;
    wi_uniform *made;
    json_t *summary =
        summary_of("weir: 1\nduration: 4s\nseed: 3\nmodel: {jackson: {stations: 10, load: 60%}}\n"
                   "output: {warmup: 1s}\n",
                   NULL, 0, &result);
    expect_ok(diag, wi_jackson_new(diag, &params, &made));
    wi_uniform_setup(made, &setup);
    setup.seed = 3;
    memset(&queues, 0, sizeof queues);
    weir_sim *sim = observed(diag, &setup, see_jackson);
    expect_ok(diag, weir_sim_run(diag, sim, END_S * WEIR_PS_PER_S, NULL));
    assert_int_equal(weir_sim_event_digest(sim), result.event_digest);
    for (uint32_t i = 0; i < STATIONS; i++)
        pass(i, END_S * WEIR_PS_PER_S);
    const double all_ps = (double)STATIONS * (END_S - WARM_S) * WEIR_PS_PER_S;
    assert_true(queues.visits > 10000);
    expect_figure(summary, "jackson/visits", queues.visits, 0.0);
    expect_figure(summary, "jackson/load/mean", queues.busy_ps / all_ps, 1e-9);
    expect_figure(summary, "jackson/customers/mean", queues.area_ps / all_ps, 1e-9);
    expect_figure(summary, "jackson/sojourn_s/mean", 1e-12 * queues.area_ps / queues.visits, 1e-9);
    weir_sim_free(sim);
    wi_uniform_free(made);
    json_decref(summary);
}

/* ---- wireless ---- */

static struct {
    double packets, received, delay_s, most_s, answers[2], heard, spoilt, spoilt_answers, to_phy, starts,
        intact;
} air;

/* What an event that was handled, or is pending and was scheduled by a handler that has counted it, stands for. */
static void count_frame(const weir_event *event, bool pending)
{
    const wireless_frame *f = WEIR_PAYLOAD(wireless_frame, event);
    const bool answer = f->kind != WIRELESS_DATA;
    switch (event->type) {
    case WIRELESS_MAC_REPLY: /* a frame was looked at */
        air.answers[f->kind == WIRELESS_NACK]++;
        break;
    case WIRELESS_APP_RECEIVE:
        air.intact++;
        break;
    case WIRELESS_MAC_RECEIVE:
        air.spoilt += f->spoilt;
        air.spoilt_answers += !pending && answer && f->spoilt && f->to == (int32_t)(event->target - 6);
        break;
    case WIRELESS_PHY_SEND:
        air.starts += f->start_ps < 0;
        break;
    default:
        break;
    }
}

static void see_pending(void *user, const weir_event *event)
{
    (void)user;
    count_frame(event, true);
}

static void see_wireless(const weir_ctx *ctx, void *state, const weir_event *event, bool after)
{
    const wireless_frame *f = WEIR_PAYLOAD(wireless_frame, event);
    (void)state;
    if (after)
        return;
    count_frame(event, false);
    air.packets += event->type == WIRELESS_APP_SEND;
    air.to_phy += event->type == WIRELESS_MAC_SEND || event->type == WIRELESS_MAC_REPLY;
    air.heard += event->type == WIRELESS_MAC_RECEIVE && f->kind != WIRELESS_DATA &&
                 f->to == (int32_t)(event->target - 6);
    if (event->type == WIRELESS_APP_RECEIVE) {
        const double delay_s = weir_seconds(ctx->now_ps - f->made_ps);
        air.received++;
        air.delay_s += delay_s;
        air.most_s = delay_s > air.most_s ? delay_s : air.most_s;
    }
}

static void frames_of_a_mesh(void **state)
{
    weir_diag *diag = *state;
    weir_run_result result;
    wireless_params params;
    weir_setup setup;
    wi_wireless *made;
    json_t *s = summary_of(
        "weir: 1\nduration: 1s\nseed: 7\nmodel: {wireless: {nodes: 6, packets_per_s: 80, size_m: 90, "
        "access: csma}}\n",
        NULL, 0, &result);
    usual_wireless(&params);
    params.n_nodes = 6;
    params.packets_per_s = 80;
    params.size_m = 90;
    params.access = WIRELESS_CSMA;
    const double spread_ns = 50.0; /* as the scenario's key has it, to the bit */
    params.delay_spread_s = spread_ns * 1e-9;
    expect_ok(diag, wi_wireless_new(diag, &params, &made));
    wi_wireless_setup(made, &setup);
    setup.seed = 7;
    memset(&air, 0, sizeof air);
    weir_sim *sim = observed(diag, &setup, see_wireless);
    expect_ok(diag, weir_sim_run(diag, sim, WEIR_PS_PER_S, NULL));
    assert_int_equal(weir_sim_event_digest(sim), result.event_digest);
    expect_ok(diag, weir_sim_pending(diag, sim, see_pending, NULL));
    assert_true(air.received > 500 && air.spoilt > 50 && air.starts > air.to_phy && air.answers[1] > 50);
    expect_figure(s, "wireless/packets", air.packets, 0.0);
    expect_figure(s, "wireless/received", air.received, 0.0);
    expect_figure(s, "wireless/delivery_ratio", air.intact / (air.answers[0] + air.answers[1]), 1e-12);
    expect_figure(s, "wireless/throughput_bps", 8.0 * params.packet_bytes * air.received, 1e-12);
    expect_figure(s, "wireless/delay_mean_s", air.delay_s / air.received, 1e-9);
    expect_figure(s, "wireless/delay_max_s", air.most_s, 1e-12);
    expect_figure(s, "wireless/acks_sent", air.answers[0], 0.0);
    expect_figure(s, "wireless/nacks_sent", air.answers[1], 0.0);
    expect_figure(s, "wireless/spoilt", air.spoilt, 0.0);
    expect_figure(s, "wireless/waited", air.starts - air.to_phy, 0.0);
    assert_true(figure(s, "wireless/acks_received") + figure(s, "wireless/nacks_received") +
                    figure(s, "wireless/answers_lost") ==
                air.heard);
    assert_true(figure(s, "wireless/answers_lost") >= air.spoilt_answers);
    weir_sim_free(sim);
    wi_wireless_free(made);
    json_decref(s);
}

/* ---- Kademlia ---- */

enum { PEERS = 150, LATENCIES = 100000 };

static const kad_world *world;

static struct {
    bool online[PEERS];
    double started, finished, aborted, judged, success, exact, found, sought, hops, asked, took_s;
    double joins, refreshes, requests, responses, met_offline, stores;
    double latency[LATENCIES];
    kad_lookup before[KAD_LOOKUPS_MAX];
} net;

/* Who of all peers is closer to the key than the closest that answered, and did any of them not fail? */
static void judge(kad_lookup *l, uint32_t self)
{
    const kad_candidate *c = kad_candidates(world, l);
    uint64_t reached = kad_id(world->salt, self) ^ l->key;
    uint32_t hops = 0;
    bool exact = true, success = true;
    for (uint32_t i = 0; i < l->n_list; i++) {
        const uint64_t d = kad_id(world->salt, c[i].contact) ^ l->key;
        if (c[i].state == KAD_ANSWERED && d < reached) {
            reached = d;
            hops = c[i].depth;
        }
    }
    for (uint32_t peer = 0; peer < PEERS; peer++) {
        bool failed = false;
        if ((kad_id(world->salt, peer) ^ l->key) >= reached)
            continue;
        for (uint32_t i = 0; i < l->n_list; i++)
            failed |= c[i].contact == peer && c[i].state == KAD_FAILED;
        exact = false;
        success &= failed;
    }
    net.judged++;
    net.exact += exact;
    net.success += success;
    net.hops += hops;
}

/* A lookup has ended; of those that users ask for the outcome counts. */
static void end_lookup(const weir_ctx *ctx, kad_lookup *l, const weir_event *event, bool found)
{
    const bool aborted = event->type == KAD_CHURN;
    net.joins += l->kind == KAD_JOIN && !aborted;
    net.refreshes += l->kind == KAD_REFRESH && !aborted;
    if (l->kind >= KAD_JOIN)
        return;
    net.aborted += aborted;
    if (aborted)
        return;
    const double took_s = weir_seconds(ctx->now_ps - l->started_ps);
    net.latency[(size_t)net.finished++] = took_s;
    net.took_s += took_s;
    net.asked += l->requests;
    net.sought += l->kind == KAD_FIND_VALUE;
    net.found += found;
    if (!found)
        judge(l, ctx->entity);
}

static void see_lookups(const weir_ctx *ctx, void *state, const weir_event *event)
{
    for (uint32_t i = 0; i < world->lookups; i++) {
        kad_lookup *l = kad_lookup_at(world, state, i);
        const kad_lookup *old = &net.before[i];
        const bool began = event->type == KAD_START && WEIR_PAYLOAD(kad_tag, event)->tag == old->tag &&
                           old->tag % KAD_LOOKUPS_MAX == i;
        net.started += began && l->kind < KAD_JOIN;
        if (l->tag != old->tag && (old->active || began))
            end_lookup(ctx, l, event,
                       event->type == KAD_RESPONSE && WEIR_PAYLOAD(kad_response, event)->found != 0);
    }
}

static void see_kademlia(const weir_ctx *ctx, void *state, const weir_event *event, bool after)
{
    if (after) {
        see_lookups(ctx, state, event);
        return;
    }
    for (uint32_t i = 0; i < world->lookups; i++)
        net.before[i] = *kad_lookup_at(world, state, i);
    net.requests += event->type == KAD_REQUEST;
    net.responses += event->type == KAD_RESPONSE;
    net.stores += event->type == KAD_KEEP;
    net.met_offline += event->type == KAD_REQUEST && !net.online[ctx->entity];
    if (event->type == KAD_CHURN)
        net.online[ctx->entity] = !net.online[ctx->entity];
}

static void see_message(void *user, const weir_event *event)
{
    (void)user;
    net.requests += event->type == KAD_REQUEST;
    net.stores += event->type == KAD_KEEP;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void lookups_of_kademlia(void **state)
{
    weir_diag *diag = *state;
    weir_run_result result;
    kad_params params;
    weir_setup setup;
    wi_kad *made;
    json_t *s = summary_of(
        "weir: 1\nduration: 60s\nseed: 9\nmodel:\n  kademlia: {peers: 150, k: 4, think: 3s, lookups: 2, "
        "churn: {online: 40s, offline: 20s}, values: {keys: 30, find: 40%, store: 20%}}\n",
        NULL, 0, &result);
    usual_kademlia(&params);
    params.n_peers = PEERS;
    params.k = 4;
    params.lookups = 2;
    params.think_ps = 3 * WEIR_PS_PER_S;
    params.online_ps = 40 * WEIR_PS_PER_S;
    params.offline_ps = 20 * WEIR_PS_PER_S;
    params.n_values = 30;
    params.find_share = 0.4;
    params.store_share = 0.2;
    params.seed = 9;
    expect_ok(diag, wi_kad_new(diag, &params, &made));
    wi_kad_setup(made, &setup);
    world = wi_kad_world(made);
    memset(&net, 0, sizeof net);
    weir_sim *sim = observed(diag, &setup, see_kademlia);
    for (uint32_t i = 0; i < PEERS; i++)
        net.online[i] = ((const kad_peer *)weir_sim_state(sim, i))->online;
    expect_ok(diag, weir_sim_run(diag, sim, 60 * WEIR_PS_PER_S, NULL));
    assert_int_equal(weir_sim_event_digest(sim), result.event_digest);
    expect_ok(diag, weir_sim_pending(diag, sim, see_message, NULL));
    double online = 0, contacts = 0;
    for (uint32_t i = 0; i < PEERS; i++) {
        void *peer = weir_sim_state(sim, i);
        online += net.online[i];
        for (uint32_t k = 0; k < world->n_buckets * world->k; k++)
            contacts += kad_bucket(world, peer, 0)[k] != KAD_NONE;
    }
    qsort(net.latency, (size_t)net.finished, sizeof *net.latency, by_value);
    assert_true(net.finished > 1000 && net.aborted > 10 && net.found > 100 && net.success < net.judged);
    expect_figure(s, "kademlia/online_peers", online, 0.0);
    expect_figure(s, "kademlia/lookups/started", net.started, 0.0);
    expect_figure(s, "kademlia/lookups/finished", net.finished, 0.0);
    expect_figure(s, "kademlia/lookups/aborted", net.aborted, 0.0);
    expect_figure(s, "kademlia/lookups/per_s", net.finished / 60.0, 1e-12);
    expect_figure(s, "kademlia/lookups/success", net.success / net.judged, 1e-12);
    expect_figure(s, "kademlia/lookups/closest_of_all", net.exact / net.judged, 1e-12);
    expect_figure(s, "kademlia/lookups/values_found", net.found / net.sought, 1e-12);
    expect_figure(s, "kademlia/lookups/joins", net.joins, 0.0);
    expect_figure(s, "kademlia/lookups/refreshes", net.refreshes, 0.0);
    expect_figure(s, "kademlia/hops/mean", net.hops / net.judged, 1e-12);
    expect_figure(s, "kademlia/requests/mean", net.asked / net.finished, 1e-12);
    expect_figure(s, "kademlia/latency/mean_s", net.took_s / net.finished,
                  1e-5); /* counted in us, rounded down */
    expect_figure(s, "kademlia/latency/p50_s", net.latency[(size_t)ceil(0.5 * net.finished) - 1], 0.01);
    expect_figure(s, "kademlia/latency/p99_s", net.latency[(size_t)ceil(0.99 * net.finished) - 1], 0.01);
    expect_figure(s, "kademlia/messages/requests", net.requests, 0.0);
    expect_figure(s, "kademlia/messages/responses", net.responses - figure(s, "kademlia/messages/late"), 0.0);
    expect_figure(s, "kademlia/messages/met_offline_peers", net.met_offline, 0.0);
    expect_figure(s, "kademlia/messages/stores", net.stores, 0.0);
    expect_figure(s, "kademlia/messages/per_lookup",
                  (net.requests + net.responses + net.stores) / net.finished, 1e-12);
    expect_figure(s, "kademlia/tables/contacts_mean", contacts / PEERS, 1e-12);
    weir_sim_free(sim);
    wi_kad_free(made);
    json_decref(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stations_of_a_queueing_network),
                                       cmocka_unit_test(frames_of_a_mesh),
                                       cmocka_unit_test(lookups_of_kademlia)};
    return cmocka_run_group_tests(tests, diag_set_up, diag_tear_down);
}

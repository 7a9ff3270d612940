/* The packet network as a model: kinds, pools and event types from the one list in packet.h. */
#include "net/model/model.h"

#include <string.h>

#include "net/host/host.h"
#include "net/model/ask.h"

static const weir_kind kinds[NET_KINDS] = {
    [NET_KIND_HOST] = {.name = "host",
                       .state_bytes = sizeof(net_host),
                       .init = net_host_init,
                       .max_events = 1},
    [NET_KIND_PORT] = {.name = "port", .state_bytes = sizeof(net_port)},
};

static const weir_pool pools[NET_POOLS] = {
    [NET_POOL_TX] = {"sender", NET_KIND_HOST, sizeof(net_tx)},
    [NET_POOL_RX] = {"receiver", NET_KIND_HOST, sizeof(net_rx)},
    [NET_POOL_GENERATOR] = {"generator", NET_KIND_HOST, sizeof(net_generator_state)},
    [NET_POOL_SESSION] = {"session", NET_KIND_HOST, sizeof(net_session)},
    [NET_POOL_HOST_WORDS] = {"host words", NET_KIND_HOST, sizeof(weir_time)},
    [NET_POOL_PORT_WORDS] = {"port words", NET_KIND_PORT, sizeof(weir_time)},
    [NET_POOL_WINDOW] = {"window", NET_KIND_HOST, sizeof(uint64_t)},
};

static const weir_event_type types[NET_EVENT_TYPES] = {
#define X(event_name, of_kind, handler, payload, events, records, event_flags) \
    [NET_EV_##event_name] = {.name = #event_name,                              \
                             .handle = handler,                                \
                             .kind = of_kind,                                  \
                             .payload_bytes = sizeof(payload),                 \
                             .max_events = events,                             \
                             .max_records = records,                           \
                             .flags = event_flags},
    NET_EVENTS(X)
#undef X
};

static const char *const record_names[NET_RECORDS] = {"flow done", "flow received", "segment",
                                                      "packet",    "flow",          "round trip"};
static const char *const fault_names[] = {"an ACK came to a host that does not send this flow",
                                          "a segment came from beyond its receiver's window"};

void wi_net_model_init(wi_net_model *model, uint32_t most_beginnings_a_host)
{
    for (int k = 0; k < NET_KINDS; k++)
        model->kinds[k] = kinds[k];
    model->kinds[NET_KIND_HOST].max_events = (uint16_t)(1 + most_beginnings_a_host);
    memcpy(model->pools, pools, sizeof pools);
    memcpy(model->types, types, sizeof types);
    model->model = (weir_model){.name = "net",
                                .kinds = model->kinds,
                                .pools = model->pools,
                                .types = model->types,
                                .record_names = record_names,
                                .fault_names = fault_names,
                                .n_kinds = NET_KINDS,
                                .n_pools = NET_POOLS,
                                .n_types = NET_EVENT_TYPES,
                                .n_records = NET_RECORDS,
                                .n_quiet_records = NET_QUIET_RECORDS,
                                .n_faults = 2,
                                .record_bytes = sizeof(net_tx_done),
                                .ask = net_ask};
}

void wi_net_model_copies(wi_net_model *model, bool hosts)
{
    for (int i = 0; i < NET_EVENT_TYPES; i++)
        if (hosts || types[i].kind == NET_KIND_PORT)
            model->types[i].max_events = (uint16_t)(2 * types[i].max_events);
}

void wi_net_model_captures(wi_net_model *model, uint32_t most_drops)
{
    for (int i = 0; i < NET_EVENT_TYPES; i++) {
        const uint32_t most = types[i].max_records + 2u * types[i].max_events + 3u + most_drops;
        model->types[i].max_records = (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
    }
}

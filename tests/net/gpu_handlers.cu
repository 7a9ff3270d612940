/*
 * The packet network's handlers give the same bytes on the host and on the device.
 *
 * A small network with every feature (RED in three modes, ECN, SACK and none, requests, arrivals, on/off and Poisson
 * sources, random loss, equal-cost paths, rings) runs on the sequential engine, which logs each event. One device thread
 * handles the same events in the same order on its own copy of the initial state. Then all state, counters and entity heads
 * are compared byte for byte. Exit 0: equal; 1: not; 77: no device.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "net/host.h"

extern "C" {
#include "net/build.h"
#include "weir/engine.h"
}

enum { STRIDE = sizeof(weir_event) + sizeof(net_packet), OUT_MAX = 64, REC_MAX = 8 };

static std::vector<unsigned char> logged;

template <weir_handler handler> static void log_and_handle(weir_ctx *ctx, void *state, const weir_event *event)
{
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(event);
    logged.insert(logged.end(), bytes, bytes + STRIDE);
    handler(ctx, state, event);
}

/* What a device thread needs to stand in for the engine. */
struct device_sim {
    const unsigned char *world, *events;
    uint64_t n_events;
    unsigned char *state[NET_KINDS], *pool[NET_POOLS];
    weir_entity *heads;
    int64_t *counters;
    uint64_t n_counters, seed;
    uint32_t n_entities, run, n_hosts;
    uint32_t *fault;
};

__global__ static void replay(device_sim s, unsigned char *out, unsigned char *rec)
{
    const uint16_t payload[] = {
#define X(name, kind, handler, type, events, records, flags) sizeof(type),
        NET_EVENTS(X)
#undef X
    };
    weir_ctx ctx;
    memset(&ctx, 0, sizeof ctx);
    ctx.world = s.world;
    ctx.n_entities = s.n_entities;
    ctx.out = out;
    ctx.stride = STRIDE;
    ctx.seed = s.seed;
    ctx.run = s.run;
    ctx.rec = rec;
    ctx.rec_stride = sizeof(weir_record_head) + sizeof(net_tx_done);
    ctx.counters = s.counters;
    ctx.n_counters = s.n_counters;
    for (int p = 0; p < NET_POOLS; p++)
        ctx.pool[p] = s.pool[p];
    for (uint64_t i = 0; i < s.n_events && *s.fault == 0; i++) {
        const weir_event *event = reinterpret_cast<const weir_event *>(s.events + i * STRIDE);
        ctx.now_ps = event->time_ps;
        ctx.entity = event->target;
        ctx.self = &s.heads[event->target];
        ctx.out_count = 0;
        ctx.out_capacity = OUT_MAX;
        ctx.rec_count = 0;
        ctx.rec_capacity = REC_MAX;
        ctx.self->chain = weir_event_fold(ctx.self->chain, event, payload[event->type]);
        unsigned char *state = event->target < s.n_hosts
                                   ? s.state[NET_KIND_HOST] + (size_t)event->target * sizeof(net_host)
                                   : s.state[NET_KIND_PORT] + (size_t)(event->target - s.n_hosts) * sizeof(net_port);
        net_handle(&ctx, state, event);
        *s.fault = ctx.fault;
    }
}

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "gpu_handlers: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

template <typename T> static T *to_device(const void *bytes, size_t size)
{
    void *d_bytes = nullptr;
    check(cudaMalloc(&d_bytes, size ? size : 1), "cudaMalloc");
    if (size)
        check(cudaMemcpy(d_bytes, bytes, size, cudaMemcpyHostToDevice), "cudaMemcpy");
    return static_cast<T *>(d_bytes);
}

/* Number of bytes that differ, with the place of the first. */
static int compare(const char *what, const void *host, const void *d_bytes, size_t size)
{
    std::vector<unsigned char> copy(size);
    if (size)
        check(cudaMemcpy(copy.data(), d_bytes, size, cudaMemcpyDeviceToHost), "cudaMemcpy");
    const unsigned char *bytes = static_cast<const unsigned char *>(host);
    for (size_t i = 0; i < size; i++)
        if (copy[i] != bytes[i]) {
            printf("%s differs at byte %zu of %zu: host %u, device %u\n", what, i, size, bytes[i], copy[i]);
            return 1;
        }
    printf("%s: %zu bytes equal\n", what, size);
    return 0;
}

static wi_net_class_plan tcp_class(uint32_t flags, const char *name)
{
    wi_net_class_plan c;
    memset(&c, 0, sizeof c);
    c.name = name;
    c.histogram = true;
    c.params.flags = flags;
    c.params.mss_bytes = 1000;
    c.params.initial_window_bytes = 4000;
    c.params.window_bytes = 200000;
    c.params.delayed_ack = 2;
    c.params.delayed_ack_ps = 40 * WEIR_PS_PER_MS;
    c.params.rto_min_ps = 200 * WEIR_PS_PER_MS;
    c.params.think_ps = 10 * WEIR_PS_PER_MS;
    c.params.request_bytes = 100;
    c.params.size = weir_dist_pareto_mean(30000.0, 1.5);
    return c;
}

static wi_net_class_plan udp_class(uint16_t pattern, const char *name)
{
    wi_net_class_plan c;
    memset(&c, 0, sizeof c);
    c.name = name;
    c.histogram = true;
    c.params.flags = NET_CLASS_UDP;
    c.params.udp_pattern = pattern;
    c.params.packet = weir_dist_exponential(600.0);
    c.params.udp_mean_bytes = 600.0;
    c.params.jitter = 0.3;
    c.params.on = weir_dist_exponential(2e11);
    c.params.off = weir_dist_pareto_mean(1e11, 1.6);
    return c;
}

static wi_net_queue_plan queue(uint32_t type, uint32_t mode, bool in_packets)
{
    wi_net_queue_plan q;
    memset(&q, 0, sizeof q);
    q.type = type;
    q.limit_bytes = in_packets ? 0 : 100000;
    q.limit_packets = in_packets ? 80 : 0;
    q.min_bytes = 10000;
    q.max_bytes = 40000;
    q.max_p = 0.1;
    q.weight = 0.01;
    q.mean_packet_bytes = 700;
    q.mode = mode;
    q.gentle = mode != NET_RED_WAIT;
    q.ecn = true;
    q.in_packets = in_packets;
    return q;
}

/* Six routers in a ring with two chords, all links alike, so that there are equal-cost paths. */
static weir_graph *make_graph(void)
{
    weir_graph_builder *b = weir_graph_builder_new();
    for (int i = 0; i < 6; i++)
        weir_graph_add_node(b, nullptr, WEIR_ROUTER);
    const int links[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}, {0, 3}, {1, 4}};
    for (const auto &l : links) {
        weir_link link = weir_link_init((uint32_t)l[0], (uint32_t)l[1]);
        link.rate_bps = 7000000; /* does not divide a picosecond per byte */
        link.delay_ps = 3 * WEIR_PS_PER_MS;
        weir_graph_add_link(b, link);
    }
    weir_graph *graph = nullptr;
    if (weir_graph_build(nullptr, b, &graph) != WEIR_OK)
        exit(1);
    weir_graph_builder_free(b);
    return graph;
}

static wi_net *make_net(weir_diag *diag, const weir_graph *graph, std::vector<uint16_t> &edge_queue,
                        std::vector<double> &edge_loss)
{
    static wi_net_class_plan classes[] = {
        tcp_class(NET_CLASS_SACK | NET_CLASS_ECN | NET_CLASS_HANDSHAKE, "sack"),
        tcp_class(0, "plain"),
        tcp_class(NET_CLASS_SACK | NET_CLASS_SIZED | NET_CLASS_DYNAMIC | NET_CLASS_HANDSHAKE, "arrivals"),
        tcp_class(NET_CLASS_SACK | NET_CLASS_SIZED | NET_CLASS_REQUEST, "requests"),
        udp_class(NET_UDP_CBR, "cbr"),
        udp_class(NET_UDP_POISSON, "poisson"),
        udp_class(NET_UDP_ONOFF, "onoff"),
    };
    static const wi_net_queue_plan queues[] = {
        queue(NET_QUEUE_RED, NET_RED_UNIFORM, false), queue(NET_QUEUE_RED, NET_RED_BERNOULLI, false),
        queue(NET_QUEUE_RED, NET_RED_WAIT, true), queue(NET_QUEUE_DROPTAIL, 0, true), queue(NET_QUEUE_DROPTAIL, 0, false)};
    static std::vector<wi_net_flow_plan> flows;
    for (uint32_t i = 0; i < 42; i++) {
        const uint16_t cls[] = {0, 1, 3, 4, 5, 6, 0};
        wi_net_flow_plan f;
        f.src = i % 6;
        f.dst = (i % 6 + 1 + i / 6 % 5) % 6;
        f.cls = cls[i % 7];
        f.start_ps = (weir_time)i * WEIR_PS_PER_MS;
        f.rate_bps = 300000;
        flows.push_back(f);
    }
    static const uint32_t dsts[] = {1, 2, 3, 4, 5};
    wi_net_arrivals_plan arrivals;
    memset(&arrivals, 0, sizeof arrivals);
    arrivals.cls = 2;
    arrivals.gap_ps = 5e10;
    arrivals.dst = dsts;
    arrivals.n_dst = 5;
    arrivals.slots = 20;
    edge_queue.resize(graph->n_edges);
    edge_loss.resize(graph->n_edges);
    for (uint32_t e = 0; e < graph->n_edges; e++) {
        edge_queue[e] = (uint16_t)(e % 5);
        edge_loss[e] = e % 4 == 0 ? 0.002 : 0.0;
    }
    wi_net_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.graph = graph;
    plan.edge_queue = edge_queue.data();
    plan.edge_loss = edge_loss.data();
    plan.queues = queues;
    plan.n_queues = 5;
    plan.host_queue = 4;
    plan.access_queue = 4;
    plan.access_rate_bps = 100000000;
    plan.access_delay_ps = 10 * WEIR_PS_PER_US;
    plan.ecmp = true;
    plan.ttl = 64;
    plan.classes = classes;
    plan.n_classes = 7;
    plan.flows = flows.data();
    plan.n_flows = (uint32_t)flows.size();
    plan.arrivals = &arrivals;
    plan.n_arrivals = 1;
    wi_net *net = nullptr;
    if (wi_net_build(diag, &plan, &net) != WEIR_OK)
        return nullptr;
    return net;
}

int main(void)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("gpu_handlers: skipped, no device\n");
        return 77;
    }
    weir_diag *diag = weir_diag_new();
    weir_graph *graph = make_graph();
    std::vector<uint16_t> edge_queue;
    std::vector<double> edge_loss;
    wi_net *net = make_net(diag, graph, edge_queue, edge_loss);
    weir_setup setup;
    memset(&setup, 0, sizeof setup);
    weir_sim *sim = nullptr;
    static const weir_handler logging[] = {
#define X(name, kind, handler, payload, events, records, flags) log_and_handle<handler>,
        NET_EVENTS(X)
#undef X
    };
    std::vector<weir_event_type> types;
    if (net) {
        types.assign(net->model.model.types, net->model.model.types + NET_EVENT_TYPES);
        for (int t = 0; t < NET_EVENT_TYPES; t++)
            types[t].handle = logging[t];
        net->model.model.types = types.data();
        wi_net_setup(net, &setup);
        setup.seed = 7;
        setup.run = 3;
    }
    if (!net || weir_sim_new(diag, &setup, &sim) != WEIR_OK) {
        for (size_t i = 0; i < weir_diag_count(diag); i++)
            fprintf(stderr, "%s\n", weir_diag_get(diag, i)->text);
        return 1;
    }
    const uint32_t n = net->n_hosts + net->n_ports;
    const size_t state_bytes[NET_KINDS] = {net->n_hosts * sizeof(net_host), net->n_ports * sizeof(net_port)};
    const void *state[NET_KINDS] = {weir_sim_state(sim, 0), weir_sim_state(sim, net->n_hosts)};
    device_sim d;
    memset(&d, 0, sizeof d);
    d.world = to_device<unsigned char>(net->world, setup.world_bytes);
    for (int k = 0; k < NET_KINDS; k++)
        d.state[k] = to_device<unsigned char>(state[k], state_bytes[k]);
    size_t pool_bytes[NET_POOLS];
    for (int p = 0; p < NET_POOLS; p++) {
        const weir_pool *pool = &net->model.model.pools[p];
        pool_bytes[p] = (size_t)net->pool_first[p][setup.kind_count[pool->kind]] * pool->slot_bytes;
        d.pool[p] = to_device<unsigned char>(weir_sim_slot(sim, p, 0), pool_bytes[p]);
    }
    const weir_entity *heads = weir_sim_heads(sim);
    d.heads = to_device<weir_entity>(heads, n * sizeof *heads);
    d.counters = to_device<int64_t>(weir_sim_counters(sim), setup.n_counters * sizeof(int64_t));
    d.n_counters = setup.n_counters;
    d.seed = setup.seed;
    d.run = setup.run;
    d.n_entities = n;
    d.n_hosts = net->n_hosts;
    const uint32_t zero = 0;
    d.fault = to_device<uint32_t>(&zero, sizeof zero);

    if (weir_sim_run(diag, sim, 5 * WEIR_PS_PER_S, nullptr) != WEIR_OK) {
        fprintf(stderr, "%s\n", weir_diag_count(diag) ? weir_diag_get(diag, 0)->text : "run failed");
        return 1;
    }
    d.n_events = logged.size() / STRIDE;
    d.events = to_device<unsigned char>(logged.data(), logged.size());
    std::vector<unsigned char> room((OUT_MAX + 1) * STRIDE + (REC_MAX + 1) * 256);
    unsigned char *d_room = to_device<unsigned char>(room.data(), room.size());
    replay<<<1, 1>>>(d, d_room, d_room + (OUT_MAX + 1) * STRIDE);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "replay");
    uint32_t fault = 0;
    check(cudaMemcpy(&fault, d.fault, sizeof fault, cudaMemcpyDeviceToHost), "cudaMemcpy");
    printf("%llu events, device fault word %u\n", (unsigned long long)d.n_events, fault);
    int differing = fault != 0;
    for (int k = 0; k < NET_KINDS; k++)
        differing += compare(net->model.kinds[k].name, state[k], d.state[k], state_bytes[k]);
    for (int p = 0; p < NET_POOLS; p++)
        differing += compare(net->model.model.pools[p].name, weir_sim_slot(sim, p, 0), d.pool[p], pool_bytes[p]);
    differing += compare("entity heads", heads, d.heads, n * sizeof *heads);
    differing += compare("counters", weir_sim_counters(sim), d.counters, setup.n_counters * sizeof(int64_t));
    printf(differing ? "0 passed, 1 failed\n" : "1 passed, 0 failed\n");
    weir_sim_free(sim);
    wi_net_free(net);
    weir_graph_free(graph);
    weir_diag_free(diag);
    return differing != 0;
}

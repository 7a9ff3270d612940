/*
 * The GPU engine on a device, with a model that uses the whole contract: digests equal the sequential
 * engine's at every stop point, in all variants, LP sizes and with all rooms scarce; faults, stops and bad
 * set-ups have their messages. Exit 0: as wanted; 1: not; 77: no device.
 */
#include <cstring>
#include <string>

#include "weir/gpu_model.h"
#include "gpu_compare.h"
#include "toy_model.h"

namespace
{

struct toy_device {
    static constexpr uint32_t payload = sizeof(toy_letter), max_out = 5, max_rec = 2, record = 16,
                              threads = 64, blocks_per_sm = 2;
    static constexpr bool grouped = true;
    static constexpr uint32_t hot = 6, hottest = 16;
    static constexpr bool bursts = false;
    static __device__ __forceinline__ uint32_t ask_ahead(const void *, const wi_gpu_event *event)
    {
        return event->seq;
    }
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *state, const weir_event *event)
    {
        toy_handle(ctx, state, event);
    }
};

} // namespace

WEIR_GPU_PROGRAM(wi_toy_gpu, "toy", toy_device)

struct device_toy {
    toy_world world;
    weir_kind kinds[2];
    weir_pool pool;
    weir_event_type types[TOY_TYPES];
    weir_model model;
    weir_time lookahead_ps[TOY_ENTITIES];
    weir_setup setup;
};

static weir_event_type event_type(const char *name, weir_handler handle, uint16_t kind, uint16_t payload,
                                  uint16_t events, uint16_t records, uint32_t flags)
{
    weir_event_type type = {};
    type.name = name;
    type.handle = handle;
    type.kind = kind;
    type.payload_bytes = payload;
    type.max_events = events;
    type.max_records = records;
    type.flags = flags;
    return type;
}

static void make(device_toy *t)
{
    static const char *const records[2] = {"begin", "burst"}, *const faults[1] = {"an event out of order"};
    memset(t, 0, sizeof *t);
    t->kinds[0].name = "node";
    t->kinds[0].state_bytes = sizeof(toy_node);
    t->kinds[0].init = toy_init;
    t->kinds[0].max_events = t->kinds[0].max_records = 1;
    t->kinds[1].name = "depot";
    t->kinds[1].state_bytes = sizeof(toy_depot);
    t->pool.name = "slots";
    t->pool.slot_bytes = sizeof(toy_slot);
    t->types[TOY_TICK] = event_type("tick", toy_tick, 0, 0, 5, 2, 0);
    t->types[TOY_LETTER] = event_type("letter", toy_letter_arrives, 0, sizeof(toy_letter), 1, 0, 0);
    t->types[TOY_PACKET] = event_type("packet", toy_packet, 0, 8, 1, 0, WEIR_EVENT_ORDERED);
    t->types[TOY_PARCEL] = event_type("parcel", toy_parcel, 1, 0, 0, 0, WEIR_EVENT_ORDERED);
    for (uint32_t i = 0; i <= TOY_NODES; i++)
        t->world.first_slot[i] = i * TOY_SLOTS;
    for (weir_time &l : t->lookahead_ps)
        l = TOY_GRID_PS;
    t->model.name = "toy";
    t->model.kinds = t->kinds;
    t->model.pools = &t->pool;
    t->model.types = t->types;
    t->model.record_names = records;
    t->model.fault_names = faults;
    t->model.n_kinds = 2;
    t->model.n_pools = 1;
    t->model.n_types = TOY_TYPES;
    t->model.n_records = 2;
    t->model.n_faults = 1;
    t->model.record_bytes = 16;
    t->setup.model = &t->model;
    t->setup.world = &t->world;
    t->setup.world_bytes = sizeof t->world;
    t->setup.kind_count[0] = TOY_NODES;
    t->setup.kind_count[1] = TOY_DEPOTS;
    t->setup.pool_first[0] = t->world.first_slot;
    t->setup.n_counters = 3;
    t->setup.lookahead_ps = t->lookahead_ps;
    t->setup.gpu = wi_toy_gpu();
}

static void digests(uint64_t *random)
{
    for (int i = 0; i < (GPU_SHARE > 1 ? 2 : 12); i++) {
        device_toy t;
        char what[64];
        make(&t);
        t.setup.seed = rnd(random);
        t.setup.run = rnd_below(random, 3);
        const bool unequal = i % 2;
        for (weir_time &l : t.lookahead_ps)
            l = unequal ? 1 + rnd_below(random, TOY_GRID_PS) : TOY_GRID_PS;
        std::vector<weir_time> stops;
        weir_time at = 0;
        for (int s = 0; s < 5; s++)
            stops.push_back(at += 1 + rnd_below(random, 60 * TOY_GRID_PS));
        snprintf(what, sizeof what, "toy %d, %s lookaheads", i, unequal ? "unequal" : "equal");
        gpu_compare(what, t.setup, stops, 8, random);
    }
}

static void expect(const char *what, bool holds, const char *text)
{
    gpu_comparisons++;
    gpu_failures += !holds;
    if (!holds)
        printf("DIFFERENT  %s: %s\n", what, text);
}

/* The message of a broken contract is the sequential engine's. */
static void faults(void)
{
    std::string messages[3];
    for (int engine = 0; engine < 3; engine++) {
        device_toy t;
        weir_diag *diag = weir_diag_new();
        weir_sim *sim = nullptr;
        make(&t);
        t.setup.seed = 5;
        for (weir_time &l : t.lookahead_ps)
            l = 2 * TOY_GRID_PS; /* bursts keep one grid step only: soon below the lookahead */
        t.setup.engine = engine == 0 ? WEIR_ENGINE_SEQUENTIAL : WEIR_ENGINE_GPU;
        t.setup.gpu_options.host_driven = engine == 2;
        gpu_must(diag, weir_sim_new(diag, &t.setup, &sim), "faults");
        expect("a fault", weir_sim_run(diag, sim, 1000 * TOY_GRID_PS, nullptr) == WEIR_E_MODEL,
               "is reported");
        messages[engine] = gpu_message(diag);
        expect("a fault", weir_sim_run(diag, sim, 2000 * TOY_GRID_PS, nullptr) == WEIR_E_MODEL, "is lasting");
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
    expect("a fault, persistent kernel", messages[0] == messages[1],
           (messages[0] + " / " + messages[1]).c_str());
    expect("a fault, host-driven", messages[0] == messages[2], (messages[0] + " / " + messages[2]).c_str());
}

/* Entities that go on picosecond by picosecond, for ever inside one window: the watch stops the run
 * and names one. */
WEIR_FN void creep_on(weir_ctx *ctx)
{
    weir_schedule(ctx, ctx->entity, 0, ctx->entity == 2 ? 3 : 1000000);
}

struct creep_device {
    static constexpr uint32_t payload = 0, max_out = 1, max_rec = 0, record = 0, threads = 32,
                              blocks_per_sm = 1;
    static constexpr bool grouped = false, bursts = false;
    static constexpr uint32_t hot = 0, hottest = 0;
    static __device__ __forceinline__ void handle(weir_ctx *ctx, void *, const weir_event *)
    {
        creep_on(ctx);
    }
};
WEIR_GPU_PROGRAM(wi_creep_gpu, "creep", creep_device)

static void creep_init(weir_ctx *ctx, void *)
{
    weir_schedule(ctx, ctx->entity, 0, 1000);
}

static void creep_handle(weir_ctx *ctx, void *, const weir_event *)
{
    creep_on(ctx);
}

static void standstill(void)
{
    const weir_time apart_ps[5] = {WEIR_PS_PER_MS, WEIR_PS_PER_MS, WEIR_PS_PER_MS, WEIR_PS_PER_MS,
                                   WEIR_PS_PER_MS};
    weir_kind kind = {};
    kind.name = "creeper";
    kind.init = creep_init;
    kind.max_events = 1;
    weir_event_type type = event_type("go", creep_handle, 0, 0, 1, 0, 0);
    weir_model model = {};
    model.name = "creep";
    model.kinds = &kind;
    model.types = &type;
    model.n_kinds = model.n_types = 1;
    for (int k = 0; k < 3; k++) {
        weir_diag *diag = weir_diag_new();
        weir_sim *sim = nullptr;
        weir_setup setup = {};
        setup.model = &model;
        setup.kind_count[0] = 5;
        setup.lookahead_ps = apart_ps;
        setup.gpu = wi_creep_gpu();
        setup.engine = WEIR_ENGINE_GPU;
        setup.gpu_options.host_driven = k == 1;
        setup.gpu_options.watch_events = 1 << 15;
        setup.end_ps = WEIR_PS_PER_S;
        gpu_must(diag, weir_sim_new(diag, &setup, &sim), "a standstill");
        if (k == 2)
            setup.end_ps = 200 * WEIR_PS_PER_NS; /* 66,334 events of entity 2 */
        const weir_status status = weir_sim_run(diag, sim, setup.end_ps, nullptr);
        if (k == 2) {
            expect("events picoseconds apart", status == WEIR_OK, weir_status_name(status));
            expect("events picoseconds apart", weir_sim_events(sim) == 66338, "are all handled");
        } else {
            expect("a standstill", status == WEIR_E_MODEL, weir_status_name(status));
            expect("a standstill", strstr(gpu_message(diag), "entity 2, in 'go' at 0.0000"),
                   gpu_message(diag));
            expect("a standstill", strstr(gpu_message(diag), "makes no progress: at 16384 instants within"),
                   gpu_message(diag));
        }
        weir_sim_free(sim);
        weir_diag_free(diag);
    }
}

/* A run that is stopped stands at a consistent point, and goes on from there. */
static void stops(void)
{
    device_toy t;
    weir_diag *diag = weir_diag_new();
    weir_sim *sim = nullptr, *reference = nullptr;
    const volatile int stop = 1;
    make(&t);
    t.setup.seed = 6;
    gpu_must(diag, weir_sim_new(diag, &t.setup, &reference), "stops");
    t.setup.engine = WEIR_ENGINE_GPU;
    t.setup.lp_size = 4;
    gpu_must(diag, weir_sim_new(diag, &t.setup, &sim), "stops");
    const weir_time end = 100000 * (weir_time)TOY_GRID_PS;
    weir_status status = weir_sim_run(diag, sim, end, &stop);
    expect("a stop", status == WEIR_E_INTERRUPTED, weir_status_name(status));
    gpu_must(diag, weir_sim_run(diag, sim, weir_sim_now(sim) + 40 * TOY_GRID_PS, nullptr), "stops");
    gpu_must(diag, weir_sim_run(diag, reference, weir_sim_now(sim), nullptr), "stops");
    expect("a stop", weir_sim_state_digest(sim) == weir_sim_state_digest(reference), "loses nothing");
    weir_sim_free(sim);
    weir_sim_free(reference);
    weir_diag_free(diag);
}

static void refuse(const char *what, const weir_setup *setup, weir_status wanted, const char *text)
{
    weir_diag *diag = weir_diag_new();
    weir_sim *sim = nullptr;
    const weir_status status = weir_sim_new(diag, setup, &sim);
    expect(what, status == wanted && strstr(gpu_message(diag), text), gpu_message(diag));
    weir_sim_free(sim);
    weir_diag_free(diag);
}

static void refusals(void)
{
    device_toy t;
    make(&t);
    t.setup.engine = WEIR_ENGINE_GPU;
    weir_setup setup = t.setup;
    setup.lp_size = 3;
    refuse("an LP size of 3", &setup, WEIR_E_ARG, "power of two");
    setup = t.setup;
    setup.gpu_options.device = 99;
    refuse("device 99", &setup, WEIR_E_UNSUPPORTED, "CUDA device 99 cannot be used");
    setup = t.setup;
    setup.gpu = nullptr;
    refuse("no device code", &setup, WEIR_E_UNSUPPORTED, "model 'toy' has no device code");
    setup = t.setup;
    setup.gpu_options.outbox_events = 1u << 31; /* more than any device has */
    refuse("a device that is too small", &setup, WEIR_E_NOMEM, "needs about");
    t.types[TOY_LETTER].max_events = 6;
    refuse("device code of another model", &t.setup, WEIR_E_MODEL, "device code 'toy' holds");
}

int main(void)
{
    uint64_t random = 2026;
    digests(&random);
    faults();
    stops();
    standstill();
    refusals();
    return gpu_result();
}

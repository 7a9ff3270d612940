/* The toy of toy_model.h: its tables and its set-up. */
#ifndef TESTS_ENGINE_TOY_H
#define TESTS_ENGINE_TOY_H

#include <string.h>

#include "toy_model.h"
#include "weir/engine.h"

/* A toy and its set-up; `ordered` off clears the hint. */
typedef struct toy {
    toy_world world;
    weir_event_type types[TOY_TYPES];
    weir_model model;
    weir_time lookahead_ps[TOY_ENTITIES];
    weir_setup setup;
} toy;

static inline void toy_make(toy *t, int ordered)
{
    static const weir_kind kinds[2] = {{.name = "node",
                                        .state_bytes = sizeof(toy_node),
                                        .init = toy_init,
                                        .max_events = 1,
                                        .max_records = 1},
                                       {.name = "depot", .state_bytes = sizeof(toy_depot)}};
    static const weir_pool pools[1] = {{.name = "slots", .kind = 0, .slot_bytes = sizeof(toy_slot)}};
    static const char *const records[2] = {"begin", "burst"};
    static const char *const faults[1] = {"an event out of order"};
    memset(t, 0, sizeof *t);
    const uint32_t flags = ordered ? WEIR_EVENT_ORDERED : 0;
    t->types[TOY_TICK] =
        (weir_event_type){.name = "tick", .handle = toy_tick, .max_events = 5, .max_records = 2};
    t->types[TOY_LETTER] = (weir_event_type){
        .name = "letter", .handle = toy_letter_arrives, .payload_bytes = sizeof(toy_letter), .max_events = 1};
    t->types[TOY_PACKET] = (weir_event_type){
        .name = "packet", .handle = toy_packet, .payload_bytes = 8, .max_events = 1, .flags = flags};
    t->types[TOY_PARCEL] =
        (weir_event_type){.name = "parcel", .handle = toy_parcel, .kind = 1, .flags = flags};
    for (uint32_t i = 0; i <= TOY_NODES; i++)
        t->world.first_slot[i] = i * TOY_SLOTS;
    for (uint32_t e = 0; e < TOY_ENTITIES; e++)
        t->lookahead_ps[e] = TOY_GRID_PS;
    t->model = (weir_model){.name = "toy",
                            .kinds = kinds,
                            .pools = pools,
                            .types = t->types,
                            .record_names = records,
                            .fault_names = faults,
                            .n_kinds = 2,
                            .n_pools = 1,
                            .n_types = TOY_TYPES,
                            .n_records = 2,
                            .n_faults = 1,
                            .record_bytes = 16};
    t->setup = (weir_setup){.model = &t->model,
                            .world = &t->world,
                            .world_bytes = sizeof t->world,
                            .kind_count = {TOY_NODES, TOY_DEPOTS},
                            .pool_first = {t->world.first_slot},
                            .n_counters = 3,
                            .lookahead_ps = t->lookahead_ps,
                            .seed = 1};
}

#endif

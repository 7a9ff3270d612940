/*
 * Queue disciplines as a scenario has them. Each has a wi_queue_NAME in a file of this folder, where its keys stand
 * with their defaults; its law is net/queue/NAME.h, whose list is the list here.
 */
#pragma once

#include "net/queue/queues.h"
#include "schema/schema.h"
#include "weir/scenario.h"
#include "weir/fluid.h"

typedef struct wi_queue_kind {
    wi_section section;     /* of its keys, which fill its net_NAME_params in weir_queue_params.own */
    uint32_t limit_packets; /* where the scenario gives no limit; 0: what the line sends in 100 ms */
    /* What must hold besides the ranges of the keys; null: nothing. node: null where defaults are read. */
    void (*check)(wi_reader *r, const wi_node *node, const weir_queue_params *queue);
    /* The fluid's law of it: type and parameters, limits apart. Null: fluid cannot pass, and is refused. */
    void (*fluid)(const net_queue *queue, weir_fluid_queue *out);
} wi_queue_kind;

/* Of hosts' interfaces alone: flows take turns (net/transport/turn.h). Of types the one behind all disciplines. */
enum { WI_QUEUE_ROUND_ROBIN = NET_QUEUE_TYPES, WI_QUEUE_TYPES };

/* Complains of a backlog from which on packets are marked (0: none is) that the queue's limit in bytes never lets come. */
void wi_check_mark(wi_reader *r, const wi_node *node, const weir_queue_params *queue, const char *key,
                   uint64_t mark_bytes);

extern const wi_words wi_queue_words, wi_host_queue_words; /* of the key `type` */
extern const wi_variants wi_queue_variants; /* of a section whose struct is a weir_scenario_queue */
/* type: enum net_queue_type, or WI_QUEUE_ROUND_ROBIN. */
const wi_queue_kind *wi_queue_kind_of(uint32_t type);

#define X(number, name, doc) extern const wi_queue_kind wi_queue_##name;
NET_QUEUES(X)
#undef X

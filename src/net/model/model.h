/* The packet network's weir_model. */
#pragma once

#include "net/packet/packet.h"
#include "weir/model.h"

/* The table that engines read. Its host kind is the instance's own, since a host with many generators begins
 * with many events. Must not move once initialised. */
typedef struct wi_net_model {
    weir_model model;
    weir_kind kinds[NET_KINDS];
    weir_pool pools[NET_POOLS];
    weir_event_type types[NET_EVENT_TYPES]; /* with captures, whose records come besides */
} wi_net_model;

/* Device code: model.cu, only in builds with CUDA. */
WEIR_EXTERN const struct weir_gpu_program *wi_net_gpu(void);
/* The same for runs with captures. */
WEIR_EXTERN const struct weir_gpu_program *wi_net_gpu_watched(void);

/* Fill in the table, for hosts with so many generators at most. */
void wi_net_model_init(wi_net_model *model, uint32_t most_beginnings_a_host);
/* Let handlers send each packet twice: links duplicate those of ports, and of hosts too if `hosts`. */
void wi_net_model_copies(wi_net_model *model, bool hosts);
/* Let handlers record what they send and receive, a flow's beginning, a round trip, and so many packets that a discipline drops
 * at once. */
void wi_net_model_captures(wi_net_model *model, uint32_t most_drops);

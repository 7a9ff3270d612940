/* The packet network's weir_model. */
#ifndef WI_NET_MODEL_MODEL_H
#define WI_NET_MODEL_MODEL_H

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

void wi_net_model_init(wi_net_model *model, uint32_t most_generators_a_host);
/* Links of ports duplicate packets, or of hosts too: every packet that a handler sends may go twice. */
void wi_net_model_copies(wi_net_model *model, bool hosts);
/* Every handler may tell of what it sends, of what it was sent, of a flow's beginning and of a round trip; and of so many
 * packets that a discipline drops at once. */
void wi_net_model_captures(wi_net_model *model, uint32_t most_drops);

#endif

/* What a checkpoint says of a network: could a run have left it? */
#ifndef WI_NET_MODEL_SAVED_H
#define WI_NET_MODEL_SAVED_H

#include "weir/model.h"

/* Slots, endpoints, generators and sessions of all hosts; queues of all ports. As weir_model.wrong_state has it. */
const char *wi_net_wrong_state(const weir_saved_view *saved);
/* The same of what waits at ports: rings, and the lists of stores. saved_queues.c */
const char *wi_net_wrong_queues(const weir_saved_view *saved);
/* As weir_model.event_fits has it. */
bool wi_net_event_fits(const weir_saved_view *saved, const weir_event *event);

#endif

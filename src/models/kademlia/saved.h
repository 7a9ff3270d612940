/* What a checkpoint says of peers; as weir_model has them. */
#ifndef WI_MODELS_KADEMLIA_SAVED_H
#define WI_MODELS_KADEMLIA_SAVED_H

#include "weir/model.h"

const char *wi_kad_wrong_state(const weir_saved_view *saved);
bool wi_kad_event_fits(const weir_saved_view *saved, const weir_event *event);

#endif

/* Handlers of plain networks (plain.h). */
#define NET_PLAIN
#include "net/host/host.h"
#include "net/model/model.h"

const weir_handler wi_net_plain_handlers[NET_EVENT_TYPES] = {
#define X(name, kind, handler, payload, events, records, flags) [NET_EV_##name] = handler,
    NET_PLAIN_EVENTS(X)
#undef X
};

/* Sends and receives of a trace, and which go together: of one source, target and tag the n-th send with the n-th receive. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/status.h"

typedef struct wi_message_end {
    uint32_t source, target, tag;
    bool receives;
    size_t at; /* number of the operation; in the order of its rank's */
} wi_message_end;

/* Takes a send and its receive; one of them is null where the other has none. */
typedef weir_status (*wi_message_pair)(void *user, const wi_message_end *sent,
                                       const wi_message_end *received);

/* Sorts the ends, and pairs them until `pair` returns what is not WEIR_OK, which is returned. */
WEIR_NODISCARD weir_status wi_message_ends_pair(wi_message_end *end, size_t n, wi_message_pair pair,
                                                void *user);

/** A queue as it is asked for: one struct, which keys fill and handlers of ports read. */
#ifndef WEIR_QUEUE_H
#define WEIR_QUEUE_H

#include <stdint.h>

/** A discipline with its limit, of which at most one is given, and its parameters. No byte is padding. */
typedef struct weir_queue_params {
    uint32_t type;          /**< its number: the place of its word in the list of docs/scenario.md */
    uint32_t limit_packets; /**< 0: not given */
    uint64_t limit_bytes;   /**< 0: not given; with both zero take 100 ms of the line rate, at least 64 kB */
    uint64_t own[8];        /**< the discipline's own: a net_NAME_params of src/net/queue, overlaid */
} weir_queue_params;

#endif

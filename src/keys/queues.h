/* Queue disciplines as a scenario has them; each one's file (net/port/queue_NAME.h) brings its own. */
#ifndef WI_KEYS_QUEUES_H
#define WI_KEYS_QUEUES_H

#include "net/packet/queue.h"
#include "schema/schema.h"
#include "weir/scenario.h"
#include "weir/fluid.h"

typedef struct wi_queue_kind {
    wi_section
        section; /* its name, its keys, and the size of the struct in weir_scenario_queue.asked they fill */
    /* What must hold besides the ranges of the keys; null: nothing. node: null where defaults are read. */
    void (*check)(wi_reader *r, const wi_node *node, const weir_scenario_queue *queue);
    /* The fluid's law of it: type and parameters, limits apart. Null: fluid cannot pass, and is refused. */
    void (*fluid)(const net_queue *queue, weir_fluid_queue *out);
} wi_queue_kind;

extern const wi_words wi_queue_words;       /* of the key `type` */
extern const wi_variants wi_queue_variants; /* of a section whose struct is a weir_scenario_queue */
/* type: a value of wi_queue_words, enum net_queue_type. */
const wi_queue_kind *wi_queue_kind_of(int type);

#endif

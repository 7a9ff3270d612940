/* Classes whose congestion control lives by something that no queue of the network does. */
#include "net/build/building.h"
#include "net/queue/queues.h"
#include "net/congestion/congestion.h"

static const char *const control_names[] = {
#define X(number, name, doc) #name,
    NET_CONGESTIONS(X)
#undef X
};

static bool any_marks(const wi_building *b)
{
    for (uint32_t i = 0; i < b->n_queues; i++)
        if (b->queues[i].ecn || b->queues[i].params.type == NET_QUEUE_THRESHOLD)
            return true;
    return false;
}

static bool any_trims(const wi_building *b)
{
    for (uint32_t i = 0; i < b->n_queues; i++)
        if (b->queues[i].params.type == NET_QUEUE_TRIM)
            return true;
    return false;
}

void wi_build_warn_unfit(const wi_building *b)
{
    const bool marks = any_marks(b), trims = any_trims(b);
    for (uint32_t i = 0; i < b->plan->n_classes; i++) {
        const wi_net_class_plan *c = &b->plan->classes[i];
        const uint32_t traits = c->params.flags & NET_CLASS_UDP ? 0 : net_cc_traits(c->params.congestion);
        const char *const name = control_names[traits ? c->params.congestion : 0];
        if ((traits & NET_CLASS_ECHO) && !marks)
            weir_warn_at(b->diag, c->file, c->line, c->column,
                         "class '%s': congestion '%s' goes by marks, and no queue here marks, so that it "
                         "goes by losses alone; "
                         "want a queue that does, such as topology: {queue: {type: threshold, mark: 30kB}}",
                         c->name, name);
        if ((c->params.flags & NET_CLASS_ECN) && !(traits & NET_CLASS_ECHO) && !marks)
            weir_warn_at(b->diag, c->file, c->line, c->column,
                         "class '%s': ecn has no effect, as no queue here marks; want one that does, such as "
                         "topology: {queue: {type: red, ecn: true}}",
                         c->name);
        if ((traits & NET_CLASS_NDP) && !trims)
            weir_warn_at(b->diag, c->file, c->line, c->column,
                         "class '%s': congestion '%s' is told of what does not fit by trimmed packets, and "
                         "no queue here trims, "
                         "so that it waits for timeouts; want topology: {queue: {type: trim}}",
                         c->name, name);
    }
}

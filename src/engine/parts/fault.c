/* The earliest fault in the order of events, which is the one that the sequential engine would come to. */
#include <stdio.h>

#include "engine/core/event_key.h"
#include "engine/parts/parts.h"

/* A fault of a rank: the event whose handler broke the contract, if `any`. */
typedef struct fault_event {
    weir_event event;
    uint32_t any;
} fault_event;

static bool is_before(const fault_event *a, const fault_event *b)
{
    return a->any != b->any ? a->any > b->any : wi_event_before(&a->event, &b->event);
}

static fault_event fault_of(const wi_part *part)
{
    return (fault_event){part->during, part->ctx.fault != WEIR_FAULT_NONE};
}

/* The rank whose fault is the earliest. */
static uint32_t rank_of_earliest(const wi_ranks *ranks, fault_event mine)
{
    uint32_t earliest = 0;
    fault_event least = {0};
    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        fault_event its = mine;
        ranks->broadcast(&its, sizeof its, r);
        if (r == 0 || is_before(&its, &least)) {
            least = its;
            earliest = r;
        }
    }
    return earliest;
}

weir_status wi_parts_fault(weir_diag *diag, wi_parts *parts)
{
    const wi_part *first = parts->part[0];
    for (uint32_t i = 1; i < parts->n_threads; i++) {
        const fault_event a = fault_of(parts->part[i]), b = fault_of(first);
        if (is_before(&a, &b))
            first = parts->part[i];
    }
    const char *during = parts->sim->setup.model->types[first->during.type].name;
    if (!parts->ranks)
        return wi_fault_message(diag, first, during);
    const uint32_t root = rank_of_earliest(parts->ranks, fault_of(first));
    char text[1024] = "";
    if (parts->ranks->rank == root) {
        weir_diag *own = weir_diag_new();
        (void)!wi_fault_message(own, first, during);
        if (own && weir_diag_count(own) > 0)
            snprintf(text, sizeof text, "%s", weir_diag_get(own, 0)->text);
        weir_diag_free(own);
    }
    parts->ranks->broadcast(text, sizeof text, root);
    return weir_fail(diag, WEIR_E_MODEL, "%s", text);
}

/* The earliest fault in the order of events, which is the one that the sequential engine would come to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/parts/crew.h"

typedef struct where {
    weir_time time_ps;
    uint32_t tie, source, seq, any;
} where;

static bool is_before(const where *a, const where *b)
{
    if (a->any != b->any)
        return a->any > b->any;
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    if (a->tie != b->tie)
        return a->tie < b->tie;
    if (a->source != b->source)
        return a->source < b->source;
    return weir_seq_before(a->seq, b->seq);
}

static where place_of(const wi_part *part)
{
    const weir_event *e = &part->during;
    return (where){e->time_ps, e->tie, e->source, e->seq, part->ctx.fault != WEIR_FAULT_NONE};
}

/* Every rank tells where its fault is; returns the rank of the earliest. */
static uint32_t rank_of_earliest(const wi_ranks *ranks, where mine)
{
    uint32_t earliest = 0;
    where least = {0};
    for (uint32_t r = 0; r < ranks->n_ranks; r++) {
        where its = mine;
        ranks->broadcast(&its, sizeof its, r);
        if (r == 0 || is_before(&its, &least)) {
            least = its;
            earliest = r;
        }
    }
    return earliest;
}

weir_status wi_crew_fault(weir_diag *diag, wi_crew *crew)
{
    const wi_part *first = crew->part[0];
    for (uint32_t i = 1; i < crew->n_threads; i++) {
        const where a = place_of(crew->part[i]), b = place_of(first);
        if (is_before(&a, &b))
            first = crew->part[i];
    }
    const char *during = crew->sim->setup.model->types[first->during.type].name;
    if (!crew->ranks)
        return wi_fault_message(diag, first, during);
    const uint32_t root = rank_of_earliest(crew->ranks, place_of(first));
    char text[1024] = "";
    if (crew->ranks->rank == root) {
        weir_diag *own = weir_diag_new();
        (void)!wi_fault_message(own, first, during);
        if (own && weir_diag_count(own) > 0)
            snprintf(text, sizeof text, "%s", weir_diag_get(own, 0)->text);
        weir_diag_free(own);
    }
    crew->ranks->broadcast(text, sizeof text, root);
    return weir_fail(diag, WEIR_E_MODEL, "%s", text);
}

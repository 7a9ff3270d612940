/* Rings of pulls at hosts, where a class pulls: behind a host's other words, before its gates. */
#include <stdlib.h>

#include "net/build/building.h"
#include "net/congestion/congestion.h"
#include "net/transport/pull.h"

static bool somebody_pulls(const wi_net_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_classes; i++)
        if (!(plan->classes[i].params.flags & NET_CLASS_UDP) &&
            (net_cc_traits(plan->classes[i].params.congestion) & NET_CLASS_NDP))
            return true;
    return false;
}

uint64_t wi_build_pull_words(const wi_building *b, uint32_t host)
{
    const uint32_t *first = b->net->pool_first[NET_POOL_RX];
    return somebody_pulls(b->plan) ? (uint64_t)NET_PULLS_WORDS + (first[host + 1] - first[host] + 1u) / 2u
                                   : 0;
}

weir_status wi_build_pulls(wi_building *b)
{
    const uint32_t n = b->net->n_hosts, *end = b->net->pool_first[NET_POOL_HOST_WORDS] + 1;
    weir_status status = WEIR_OK;
    if (!somebody_pulls(b->plan))
        return WEIR_OK;
    uint32_t *first = malloc(((size_t)n + 1) * sizeof *first);
    if (!first)
        return weir_fail(b->diag, WEIR_E_NOMEM, "no memory for the pulls of %u hosts", n);
    for (uint32_t h = 0; h < n; h++) {
        const uint32_t gates = b->gate_first ? b->gate_first[h + 1] - b->gate_first[h] : 0;
        first[h] = end[h] - gates - (uint32_t)wi_build_pull_words(b, h);
    }
    b->head.pulls = wi_build_array(b, first, n, sizeof *first, &status);
    free(first);
    return status;
}

/* Trees on demand: port arrays of the destinations asked for last. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "routing/search/tree.h"

#define NONE UINT32_MAX

/* A tree kept; the list runs from the one asked for last to the one to go next. */
typedef struct slot {
    uint32_t dst, newer, older;
} slot;

struct weir_route_cache {
    const weir_graph *graph;
    const weir_cost *cost;
    weir_route_space *space;
    uint32_t *where; /* [n_nodes]: the slot of a destination's tree */
    slot *slots;     /* [room] */
    uint16_t *port;  /* [room][n_nodes] */
    uint32_t room, used, newest, oldest;
    uint64_t computed;
};

void weir_route_cache_free(weir_route_cache *cache)
{
    if (!cache)
        return;
    weir_route_space_free(cache->space);
    free(cache->where);
    free(cache->slots);
    free(cache->port);
    free(cache);
}

void weir_route_cache_forget(weir_route_cache *cache)
{
    memset(cache->where, 0xff, ((size_t)cache->graph->n_nodes + 1) * sizeof *cache->where);
    cache->used = 0;
    cache->newest = cache->oldest = NONE;
}

weir_status weir_route_cache_new(weir_diag *diag, const weir_graph *graph, const weir_cost *cost,
                                 uint64_t max_bytes, weir_route_cache **out)
{
    const uint64_t n = (uint64_t)graph->n_nodes + 1;
    const uint64_t fit = max_bytes / (n * sizeof(uint16_t) + sizeof(slot));
    *out = NULL;
    WI_RETURN_IF_FAILED(wi_check_ports(diag, graph));
    weir_route_cache *cache = calloc(1, sizeof *cache);
    if (cache) {
        cache->graph = graph;
        cache->cost = cost;
        cache->room = fit < graph->n_nodes ? (uint32_t)fit : graph->n_nodes;
        cache->room += cache->room == 0;
        cache->space = weir_route_space_new(graph);
        cache->where = malloc(n * sizeof *cache->where);
        cache->slots = malloc(cache->room * sizeof *cache->slots);
        cache->port = malloc(cache->room * n * sizeof *cache->port);
    }
    if (!cache || !cache->space || !cache->where || !cache->slots || !cache->port) {
        weir_route_cache_free(cache);
        return weir_fail(diag, WEIR_E_NOMEM,
                         "no memory for trees of %" PRIu32 " nodes, %" PRIu64 " bytes each", graph->n_nodes,
                         n * sizeof(uint16_t));
    }
    weir_route_cache_forget(cache);
    *out = cache;
    return WEIR_OK;
}

static void unlink_slot(weir_route_cache *c, uint32_t s)
{
    const slot *const at = &c->slots[s];
    *(at->newer == NONE ? &c->newest : &c->slots[at->newer].older) = at->older;
    *(at->older == NONE ? &c->oldest : &c->slots[at->older].newer) = at->newer;
}

static void link_newest(weir_route_cache *c, uint32_t s)
{
    c->slots[s].newer = NONE;
    c->slots[s].older = c->newest;
    *(c->newest == NONE ? &c->oldest : &c->slots[c->newest].newer) = s;
    c->newest = s;
}

/* An empty slot, or the one not asked for the longest. */
static uint32_t claim_slot(weir_route_cache *c)
{
    if (c->used < c->room)
        return c->used++;
    const uint32_t s = c->oldest;
    unlink_slot(c, s);
    if (c->slots[s].dst != NONE)
        c->where[c->slots[s].dst] = NONE;
    return s;
}

weir_status weir_route_cache_ports(weir_diag *diag, weir_route_cache *c, uint32_t dst, const uint16_t **port)
{
    const size_t n = (size_t)c->graph->n_nodes + 1;
    weir_status status = WEIR_OK;
    *port = NULL;
    uint32_t s = dst < c->graph->n_nodes ? c->where[dst] : NONE;
    if (s != NONE) {
        unlink_slot(c, s);
    } else {
        s = claim_slot(c);
        status = weir_route_tree(diag, c->graph, c->cost, dst, c->space, NULL, c->port + s * n);
        c->slots[s].dst = status == WEIR_OK ? dst : NONE;
        if (status == WEIR_OK)
            c->where[dst] = s;
        c->computed += status == WEIR_OK;
    }
    link_newest(c, s);
    if (status == WEIR_OK)
        *port = c->port + s * n;
    return status;
}

uint64_t weir_route_cache_computed(const weir_route_cache *cache)
{
    return cache->computed;
}

uint32_t weir_route_cache_room(const weir_route_cache *cache)
{
    return cache->room;
}

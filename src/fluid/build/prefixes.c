/* The tree of prefixes: what flows of one source have in common, port by port; and its order in the tables.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "fluid/state/internal.h"

/* A hash table from (parent, port, kind) to a prefix: open addressing, at most half full. */
typedef struct index {
    uint32_t *slot;
    uint64_t mask;
} index_t;

static uint64_t mix(uint32_t parent, uint32_t port, uint32_t kind)
{
    uint64_t h = ((uint64_t)parent << 32) ^ ((uint64_t)port << 1) ^ kind;
    h = (h ^ (h >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ (h >> 32);
}

/* Where a prefix stands or would stand. */
static uint32_t *look(const index_t *x, const wi_fluid_tree *tree, uint32_t parent, uint32_t port,
                      uint32_t kind)
{
    uint64_t at = mix(parent, port, kind) & x->mask;
    for (;; at = (at + 1) & x->mask) {
        const uint32_t p = x->slot[at];
        if (p == FLUID_NONE || (tree->parent[p] == parent && tree->port[p] == port && tree->kind[p] == kind))
            return &x->slot[at];
    }
}

static weir_status grow(weir_diag *diag, wi_fluid_tree *tree, index_t *x, uint64_t room)
{
    uint32_t *const parent = realloc(tree->parent, room * sizeof *parent);
    tree->parent = parent ? parent : tree->parent;
    uint32_t *const port = realloc(tree->port, room * sizeof *port);
    tree->port = port ? port : tree->port;
    uint8_t *const kind = realloc(tree->kind, room * sizeof *kind);
    tree->kind = kind ? kind : tree->kind;
    uint32_t *const slot = realloc(x->slot, 2 * room * sizeof *slot);
    x->slot = slot ? slot : x->slot;
    if (!parent || !port || !kind || !slot)
        return wi_fluid_no_memory(diag, room * 17, "path prefixes");
    x->mask = 2 * room - 1;
    memset(slot, 0xff, 2 * room * sizeof *slot);
    for (uint32_t p = 0; p < tree->n; p++)
        *look(x, tree, parent[p], port[p], kind[p]) = p;
    return WEIR_OK;
}

void wi_fluid_tree_free(wi_fluid_tree *tree)
{
    free(tree->parent);
    free(tree->port);
    free(tree->kind);
    free(tree->leaf);
    free(tree->series);
    memset(tree, 0, sizeof *tree);
}

weir_status wi_fluid_plant(weir_diag *diag, const weir_fluid *fluid, const wi_fluid_paths *paths,
                           const uint32_t *path_of, wi_fluid_tree *tree)
{
    const fluid_tables *const t = &fluid->tables;
    index_t x = {NULL, 0};
    uint64_t room = 1024;
    memset(tree, 0, sizeof *tree);
    tree->leaf = wi_fluid_array(diag, t->n_flows, sizeof *tree->leaf, "flows");
    weir_status st = tree->leaf ? grow(diag, tree, &x, room) : WEIR_E_NOMEM;
    for (uint32_t f = 0; f < t->n_flows && st == WEIR_OK; f++) {
        const uint32_t kind = t->classes[t->flows[f].cls].kind;
        uint32_t parent = FLUID_NONE;
        for (uint64_t h = paths->first[path_of[f]]; h < paths->first[path_of[f] + 1] && st == WEIR_OK; h++) {
            const uint32_t port = fluid->port_of_edge[paths->edge[h]];
            if (tree->n == room)
                st = grow(diag, tree, &x, room *= 2);
            if (st != WEIR_OK)
                break;
            uint32_t *const slot = look(&x, tree, parent, port, kind);
            if (*slot == FLUID_NONE) {
                tree->parent[tree->n] = parent;
                tree->port[tree->n] = port;
                tree->kind[tree->n] = (uint8_t)kind;
                *slot = tree->n++;
            }
            parent = *slot;
        }
        tree->leaf[f] = parent;
    }
    free(x.slot);
    if (st != WEIR_OK)
        wi_fluid_tree_free(tree);
    return st;
}

/* A prefix's place among those of its port: by kind, upstream port (sources first), then age. */
typedef struct place {
    uint64_t segment;
    uint32_t age;
} place;

WI_ORDER_BY(compare, place, WI_ORDER(x->segment, y->segment) ?: WI_ORDER(x->age, y->age))

static place place_of(const wi_fluid_tree *tree, uint32_t p)
{
    const uint64_t upstream = tree->parent[p] == FLUID_NONE ? 0 : (uint64_t)tree->port[tree->parent[p]] + 1;
    const place r = {((uint64_t)tree->kind[p] << 33) | upstream, p};
    return r;
}

/* Segments of the sorted places of one port; counts only where segment is null. */
static uint32_t cut(const place *sorted, uint32_t n, uint32_t port, uint32_t first, fluid_segment *segment)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || sorted[i].segment != sorted[i - 1].segment) {
            if (segment) {
                const uint32_t up = (uint32_t)(sorted[i].segment & UINT64_C(0x1ffffffff));
                const fluid_segment s = {port, up == 0 ? FLUID_NONE : up - 1,
                                         (uint32_t)(sorted[i].segment >> 33), first + i, 0};
                segment[count] = s;
            }
            count++;
        }
        if (segment)
            segment[count - 1].n++;
    }
    return count;
}

/* Prefixes by port: counts into the ports, places sorted within each. */
static void sort_places(fluid_tables *t, const wi_fluid_tree *tree, place *sorted, uint32_t *fill)
{
    for (uint32_t p = 0; p < tree->n; p++)
        t->ports[tree->port[p]].n_prefixes++;
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->n_ports; i++) {
        t->ports[i].first = fill[i] = at;
        at += t->ports[i].n_prefixes;
    }
    for (uint32_t p = 0; p < tree->n; p++)
        sorted[fill[tree->port[p]]++] = place_of(tree, p);
    t->n_segments = 0;
    for (uint32_t i = 0; i < t->n_ports; i++) {
        fluid_port *const port = &t->ports[i];
        qsort(sorted + port->first, port->n_prefixes, sizeof *sorted, compare);
        port->first_segment = t->n_segments;
        port->n_segments = cut(sorted + port->first, port->n_prefixes, i, port->first, NULL);
        t->n_segments += port->n_segments;
    }
}

weir_status wi_fluid_sort(weir_diag *diag, fluid_tables *t, const wi_fluid_tree *tree, uint32_t *position)
{
    WI_FREED place *const sorted = wi_fluid_array(diag, tree->n, sizeof *sorted, "prefixes");
    WI_FREED uint32_t *const fill = wi_fluid_array(diag, t->n_ports, sizeof *fill, "ports");
    weir_status st = sorted && fill ? WEIR_OK : WEIR_E_NOMEM;
    t->n_prefixes = tree->n;
    if (st == WEIR_OK) {
        sort_places(t, tree, sorted, fill);
        t->segments = wi_fluid_array(diag, t->n_segments, sizeof *t->segments, "segments");
        t->prefixes = wi_fluid_array(diag, tree->n, sizeof *t->prefixes, "prefixes");
        st = t->segments && t->prefixes ? WEIR_OK : WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < t->n_ports && st == WEIR_OK; i++) {
        const fluid_port *const port = &t->ports[i];
        cut(sorted + port->first, port->n_prefixes, i, port->first, t->segments + port->first_segment);
    }
    for (uint32_t i = 0; i < t->n_segments && st == WEIR_OK; i++)
        for (uint32_t p = 0; p < t->segments[i].n; p++)
            t->prefixes[t->segments[i].first + p].segment = i;
    for (uint32_t i = 0; i < tree->n && st == WEIR_OK; i++)
        position[sorted[i].age] = i;
    for (uint32_t p = 0; p < tree->n && st == WEIR_OK; p++) {
        const uint32_t parent = tree->parent[p];
        if (parent == FLUID_NONE) {
            t->prefixes[position[p]].parent = FLUID_NONE;
            continue;
        }
        fluid_port *const up = &t->ports[tree->port[parent]];
        t->prefixes[position[p]].parent = position[parent] - up->first;
        if (up->front == FLUID_NONE)
            up->front = t->n_fronts++;
    }
    return st;
}

/* Sketches of graphs, sets of pairs, sets that merge, and separate parts joined up. */
#include "topology/sketch/sketch.h"

#include <stdlib.h>

#include "base/memory.h"

weir_status wi_sketch_init(weir_diag *diag, wi_sketch *sketch, uint32_t n)
{
    const size_t room = (size_t)n + 1;
    *sketch = (wi_sketch){.n = n};
    sketch->x = wi_take(&sketch->memory, room, sizeof *sketch->x);
    sketch->y = wi_take(&sketch->memory, room, sizeof *sketch->y);
    sketch->as_number = wi_take(&sketch->memory, room, sizeof *sketch->as_number);
    return sketch->memory.failed ? weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u nodes", n) : WEIR_OK;
}

void wi_sketch_free(wi_sketch *sketch)
{
    wi_owned_free(&sketch->memory);
    free(sketch->link);
    *sketch = (wi_sketch){0};
}

void wi_sketch_join(wi_sketch *sketch, uint32_t a, uint32_t b)
{
    if (wi_grow(&sketch->link, &sketch->capacity, sketch->n_links + 1, sizeof *sketch->link))
        sketch->link[sketch->n_links++] = (wi_sketch_link){a, b, 0};
    else
        sketch->no_memory = true;
}

weir_status wi_sketch_check(weir_diag *diag, const wi_sketch *sketch)
{
    return sketch->no_memory
               ? weir_fail(diag, WEIR_E_NOMEM, "out of memory for more than %zu links", sketch->n_links)
               : WEIR_OK;
}

uint32_t *wi_sketch_degrees(const wi_sketch *sketch)
{
    uint32_t *degree = calloc((size_t)sketch->n + 1, sizeof *degree);
    for (size_t i = 0; degree && i < sketch->n_links; i++) {
        degree[sketch->link[i].a]++;
        degree[sketch->link[i].b]++;
    }
    return degree;
}

/* ---- pairs ---- */

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return ((uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)) + 1;
}

static size_t home_of(uint64_t key, size_t n_slots)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (n_slots - 1);
}

static size_t find(const wi_pair_set *set, uint64_t key)
{
    size_t i = home_of(key, set->n_slots);
    while (set->slot[i] != 0 && set->slot[i] != key)
        i = (i + 1) & (set->n_slots - 1);
    return i;
}

void wi_pair_set_free(wi_pair_set *set)
{
    free(set->slot);
    *set = (wi_pair_set){0};
}

bool wi_pair_set_has(const wi_pair_set *set, uint32_t a, uint32_t b)
{
    return set->n > 0 && set->slot[find(set, key_of(a, b))] != 0;
}

static bool grow(wi_pair_set *set)
{
    wi_pair_set larger = {.n = set->n, .n_slots = set->n_slots ? 2 * set->n_slots : 1024};
    larger.slot = calloc(larger.n_slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (size_t i = 0; i < set->n_slots; i++)
        if (set->slot[i] != 0)
            larger.slot[find(&larger, set->slot[i])] = set->slot[i];
    free(set->slot);
    *set = larger;
    return true;
}

bool wi_pair_set_add(wi_pair_set *set, uint32_t a, uint32_t b)
{
    if (2 * (set->n + 1) > set->n_slots && !grow(set))
        return false;
    const uint64_t key = key_of(a, b);
    set->slot[find(set, key)] = key;
    set->n++;
    return true;
}

/* What follows without a gap moves up where it may, so that no mark of the removed pair is needed. */
void wi_pair_set_remove(wi_pair_set *set, uint32_t a, uint32_t b)
{
    const size_t mask = set->n_slots - 1;
    size_t hole = find(set, key_of(a, b));
    for (size_t i = (hole + 1) & mask; set->slot[i] != 0; i = (i + 1) & mask) {
        const size_t home = home_of(set->slot[i], set->n_slots);
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* it would come before its home */
        set->slot[hole] = set->slot[i];
        hole = i;
    }
    set->slot[hole] = 0;
    set->n--;
}

/* ---- sets that merge ---- */

uint32_t wi_set_root(uint32_t *root, uint32_t i)
{
    while (root[i] != i) {
        root[i] = root[root[i]];
        i = root[i];
    }
    return i;
}

bool wi_set_merge(uint32_t *root, uint32_t a, uint32_t b)
{
    const uint32_t ra = wi_set_root(root, a), rb = wi_set_root(root, b);
    if (ra == rb)
        return false;
    root[ra < rb ? rb : ra] = ra < rb ? ra : rb;
    return true;
}

uint32_t *wi_sketch_components(const wi_sketch *sketch, uint32_t *count)
{
    uint32_t *root = malloc(((size_t)sketch->n + 1) * sizeof *root);
    *count = sketch->n;
    if (!root)
        return NULL;
    for (uint32_t v = 0; v < sketch->n; v++)
        root[v] = v;
    for (size_t i = 0; i < sketch->n_links; i++)
        *count -= wi_set_merge(root, sketch->link[i].a, sketch->link[i].b);
    return root;
}

/* ---- parts ---- */

/* Nodes sorted by component: those of root r are node[first[r]] .. node[first[r + 1] - 1]. */
typedef struct parts {
    uint32_t *root, *first, *node;
    wi_owned memory; /* of first and node */
} parts;

static bool sort_parts(parts *p, uint32_t n)
{
    p->first = wi_take(&p->memory, (size_t)n + 2, sizeof *p->first);
    p->node = wi_take(&p->memory, n, sizeof *p->node);
    if (p->memory.failed)
        return false;
    for (uint32_t v = 0; v < n; v++)
        p->first[wi_set_root(p->root, v) + 2]++;
    for (uint32_t r = 0; r < n; r++)
        p->first[r + 2] += p->first[r + 1];
    for (uint32_t v = 0; v < n; v++)
        p->node[p->first[wi_set_root(p->root, v) + 1]++] = v;
    return true;
}

weir_status wi_join_up(weir_diag *diag, weir_stream *stream, wi_sketch *sketch)
{
    uint32_t count = 0;
    parts p = {.root = wi_sketch_components(sketch, &count)};
    const uint32_t n = sketch->n;
    bool good = p.root != NULL;
    if (good && count > 1 && (good = sort_parts(&p, n))) {
        /* Each part, from the second on, to a node of the parts before it: one set grows to hold all. */
        uint32_t done = p.first[1];
        for (uint32_t r = 1; r < n; r++) {
            const uint32_t size = p.first[r + 1] - p.first[r];
            if (size == 0)
                continue;
            const uint32_t inside = p.node[p.first[r] + (uint32_t)weir_draw_below(stream, size)];
            wi_sketch_join(sketch, inside, p.node[weir_draw_below(stream, done)]);
            done += size;
        }
        weir_note(diag, "%u links were added to join %u separate parts of the graph", count - 1, count);
    }
    free(p.root);
    wi_owned_free(&p.memory);
    return good ? wi_sketch_check(diag, sketch)
                : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u nodes", n);
}

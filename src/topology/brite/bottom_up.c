/*
 * Bottom-up hierarchy: a flat graph of routers, divided over ASes. Links between routers of different ASes
 * are then the links between ASes.
 *
 * As the model: each AS gets a share of the routers in proportion to a draw of `AssignType` (constant;
 * uniform from 1 to 2 N / NumAS; exponential or heavy-tailed above 1, of mean or least value N / NumAS), and
 * at least one. Grouping by random pick takes any router that is left; by random walk, an AS grows from a
 * random router to unassigned neighbours of those it has, so that each AS is connected. Where a walk can go
 * no further, the AS stays smaller; in the end routers that are left go to the AS of a neighbour.
 * bottom_up_engines.c has BRITE's engines.
 */
#include <stdlib.h>

#include "topology/brite/brite.h"
#include "base/memory.h"
#include "weir/dist.h"

static bool make_adjacency(wi_grouped *g)
{
    const wi_sketch *s = g->sketch;
    g->first = wi_take(&g->memory, (size_t)s->n + 2, sizeof *g->first);
    g->neighbour = wi_take(&g->memory, 2 * s->n_links, sizeof *g->neighbour);
    if (g->memory.failed)
        return false;
    for (size_t i = 0; i < s->n_links; i++) {
        g->first[s->link[i].a + 2]++;
        g->first[s->link[i].b + 2]++;
    }
    for (uint32_t v = 0; v < s->n; v++)
        g->first[v + 2] += g->first[v + 1];
    for (size_t i = 0; i < s->n_links; i++) {
        g->neighbour[g->first[s->link[i].a + 1]++] = s->link[i].b;
        g->neighbour[g->first[s->link[i].b + 1]++] = s->link[i].a;
    }
    return true;
}

static void assign(wi_grouped *g, uint32_t v, uint32_t as)
{
    const uint32_t last = g->left[--g->n_left];
    g->sketch->as_number[v] = as;
    g->left[g->at[v]] = last;
    g->at[last] = g->at[v];
    g->at[v] = g->n_open;
    g->open[g->n_open++] = v;
}

static void close_router(wi_grouped *g, uint32_t v)
{
    const uint32_t last = g->open[--g->n_open];
    g->open[g->at[v]] = last;
    g->at[last] = g->at[v];
}

/* One of the unassigned neighbours of v, each as likely; UINT32_MAX: none. */
static uint32_t free_neighbour(wi_grouped *g, uint32_t v)
{
    uint32_t found = 0, pick = UINT32_MAX;
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
        if (g->sketch->as_number[g->neighbour[e]] == 0 && weir_draw_below(&g->stream, ++found) == 0)
            pick = g->neighbour[e];
    return pick;
}

/* Walks on to a neighbour; from a dead end, starts again at a random router of the AS that is none. */
static void walk(wi_grouped *g, uint32_t start, uint32_t as, uint32_t size)
{
    uint32_t here = start;
    g->n_open = 0;
    assign(g, start, as);
    for (uint32_t have = 1; have < size;) {
        const uint32_t next = free_neighbour(g, here);
        if (next != UINT32_MAX) {
            assign(g, next, as);
            here = next;
            have++;
            continue;
        }
        close_router(g, here);
        if (g->n_open == 0)
            return;
        here = g->open[weir_draw_below(&g->stream, g->n_open)];
    }
}

/* Routers that no walk reached, round after round outwards from the ASes. */
static void adopt_left(wi_grouped *g)
{
    wi_sketch *s = g->sketch;
    uint32_t *queue = g->open, begin = 0, end = 0;
    for (uint32_t v = 0; v < s->n; v++)
        if (s->as_number[v] != 0)
            queue[end++] = v;
    while (begin < end) {
        const uint32_t v = queue[begin++];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (s->as_number[g->neighbour[e]] == 0) {
                s->as_number[g->neighbour[e]] = s->as_number[v];
                queue[end++] = g->neighbour[e];
            }
    }
    for (uint32_t v = 0; v < s->n; v++) /* parts that no AS began in */
        s->as_number[v] += s->as_number[v] == 0;
}

static double draw_share(const wi_bottom_up *model, weir_stream *stream)
{
    const double mean = (double)model->router.n / model->n_as;
    weir_dist dist = weir_dist_constant(1);
    if (model->assign == WI_SPREAD_UNIFORM)
        dist = weir_dist_uniform(1, 2 * mean);
    else if (model->assign == WI_SPREAD_EXPONENTIAL)
        dist = weir_dist_exponential(mean);
    else if (model->assign == WI_SPREAD_HEAVY_TAILED)
        dist = weir_dist_pareto_bounded(mean, WI_HEAVY_SHAPE, 1.0 + model->router.n * mean);
    return weir_dist_sample(&dist, NULL, stream);
}

/* Sizes that sum to N, each at least 1: cumulated shares rounded down, over what is left beyond one each. */
static uint32_t *draw_sizes(const wi_bottom_up *model, uint64_t seed, wi_owned *memory)
{
    weir_stream stream = wi_brite_stream(seed, 0, WI_FOR_ASSIGNMENT);
    double *const share = wi_take(memory, model->n_as, sizeof *share);
    uint32_t *const size = wi_take(memory, model->n_as, sizeof *size);
    const double spare = model->router.n - model->n_as;
    double sum = 0, so_far = 0;
    uint32_t given = 0;
    if (memory->failed)
        return NULL;
    for (uint32_t i = 0; i < model->n_as; i++)
        sum += share[i] = draw_share(model, &stream);
    for (uint32_t i = 0; i < model->n_as; i++) {
        so_far += share[i];
        const uint32_t until = i + 1 == model->n_as ? (uint32_t)spare : (uint32_t)(spare * (so_far / sum));
        size[i] = 1 + until - given;
        given = until;
    }
    return size;
}

static void group_routers(wi_grouped *g, const wi_bottom_up *model, const uint32_t *size)
{
    for (uint32_t v = 0; v < g->sketch->n; v++)
        g->left[v] = g->at[v] = v;
    g->n_left = g->sketch->n;
    for (uint32_t i = 0; i < model->n_as && g->n_left > 0; i++) {
        if (model->grouping == WI_GROUP_WALK) {
            walk(g, g->left[weir_draw_below(&g->stream, g->n_left)], i + 1, size[i]);
            continue;
        }
        g->n_open = 0;
        for (uint32_t k = 0; k < size[i]; k++)
            assign(g, g->left[weir_draw_below(&g->stream, g->n_left)], i + 1);
    }
}

weir_status wi_draw_bottom_up(weir_diag *diag, const wi_bottom_up *model, uint64_t seed, wi_sketch *sketch)
{
    if (model->n_as < 1 || model->n_as > model->router.n)
        return wi_flat_fail(diag, &model->router, "NumAS is %u; want 1 to the number of routers, %u",
                            model->n_as, model->router.n);
    WI_RETURN_IF_FAILED(wi_flat_draw(diag, &model->router, seed, 0, sketch));
    wi_grouped g = {.sketch = sketch, .stream = wi_brite_stream(seed, 0, WI_FOR_GROUPING)};
    const size_t room = (size_t)sketch->n + 1;
    const bool as_model = model->engine == WI_ENGINE_MODEL;
    const uint32_t *const size = as_model ? draw_sizes(model, seed, &g.memory) : NULL;
    g.left = wi_take(&g.memory, room, sizeof *g.left);
    g.at = wi_take(&g.memory, room, sizeof *g.at);
    g.open = wi_take(&g.memory, room, sizeof *g.open);
    bool good = make_adjacency(&g);
    if (good && as_model)
        group_routers(&g, model, size);
    else if (good)
        good = wi_group_as_brite(&g, model, wi_brite_stream(seed, 0, WI_FOR_ASSIGNMENT));
    if (good)
        adopt_left(&g);
    wi_owned_free(&g.memory);
    return good ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "out of memory for %u routers", sketch->n);
}

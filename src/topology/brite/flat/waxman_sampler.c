/* Drawing of near nodes; see waxman_sampler.h. */
#include "topology/brite/flat/waxman_sampler.h"

#include <math.h>
#include <stdlib.h>

#include "weir/math.h"

enum { WIDE_ACROSS = 32, SHORT_ACROSS = 1024, SHORT_RADIUS = 24, NODES_A_CELL = 32 };
enum { FEW_NODES = 64, TRIES = 512, FAR = 45 };

/* ---- alias tables ---- */

static bool alias_make(wi_alias *a, uint32_t n, const double *weight, double *keep, uint32_t *work)
{
    double sum = 0;
    uint32_t small = 0, large = n; /* stacks that grow towards each other */
    a->other = malloc(n * sizeof *a->other);
    a->keep = malloc(n * sizeof *a->keep);
    if (!a->other || !a->keep)
        return false;
    for (uint32_t i = 0; i < n; i++)
        sum += weight[i];
    for (uint32_t i = 0; i < n; i++) {
        keep[i] = weight[i] / sum * n;
        a->other[i] = i;
        work[keep[i] < 1 ? small++ : --large] = i;
    }
    while (small > 0 && large < n) {
        const uint32_t lack = work[--small], rich = work[large];
        a->other[lack] = rich;
        keep[rich] -= 1 - keep[lack];
        if (keep[rich] < 1) {
            large++;
            work[small++] = rich;
        }
    }
    /* What is left over differs from 1 by rounding alone. */
    while (small > 0)
        keep[work[--small]] = 1;
    while (large < n)
        keep[work[large++]] = 1;
    for (uint32_t i = 0; i < n; i++)
        a->keep[i] = (float)keep[i];
    return true;
}

static uint32_t alias_draw(const wi_alias *a, uint32_t n, uint64_t bits)
{
    const uint32_t i = (uint32_t)weir_mulhi64(bits, n);
    /* The lower half of bits * n says where in slot i the draw lies. */
    return weir_unit_of_bits(bits * n) < (double)a->keep[i] ? i : a->other[i];
}

static void alias_free(wi_alias *a)
{
    free(a->other);
    free(a->keep);
    *a = (wi_alias){0};
}

/* ---- grid ---- */

static uint32_t cells_of(const wi_sampler *s)
{
    return (uint32_t)(s->across * s->across);
}

static int32_t along(const wi_sampler *s, double at)
{
    const int32_t i = (int32_t)(at / s->side);
    return i < 0 ? 0 : i >= s->across ? s->across - 1 : i;
}

static uint32_t cell_of(const wi_sampler *s, uint32_t v)
{
    return (uint32_t)(along(s, s->sketch->y[v]) * s->across + along(s, s->sketch->x[v]));
}

static void sort_into_cells(wi_sampler *s)
{
    const uint32_t n = s->sketch->n, cells = cells_of(s);
    for (uint32_t v = 0; v < n; v++)
        s->first[cell_of(s, v) + 1]++;
    for (uint32_t c = 0; c < cells; c++)
        s->first[c + 1] += s->first[c];
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t c = cell_of(s, v);
        s->slot[s->first[c] + s->present[c]++] = (wi_slot){s->sketch->x[v], s->sketch->y[v], v};
    }
    for (uint32_t c = 0; c < cells; c++)
        s->present[c] = 0;
}

static double gap(int32_t cells)
{
    return cells > 1 ? cells - 1 : cells < -1 ? -cells - 1 : 0;
}

static int32_t offset_of(const wi_sampler *s, int32_t dx, int32_t dy)
{
    return (dy + s->radius) * (2 * s->radius + 1) + dx + s->radius;
}

static void measure_offsets(wi_sampler *s)
{
    for (int32_t dy = -s->radius; dy <= s->radius; dy++)
        for (int32_t dx = -s->radius; dx <= s->radius; dx++)
            s->least[offset_of(s, dx, dy)] = s->side * sqrt(gap(dx) * gap(dx) + gap(dy) * gap(dy)) / s->reach;
}

static int32_t clamp(double wanted, double most)
{
    return wanted < 1 ? 1 : wanted > most ? (int32_t)most : (int32_t)wanted;
}

static void choose_grid(wi_sampler *s, double plane)
{
    const double n = s->sketch->n;
    const int32_t across = clamp(sqrt(n / NODES_A_CELL), WIDE_ACROSS);
    s->wide = 2 * s->reach >= plane / across;
    s->across = s->wide ? across : clamp(fmin(plane / (2 * s->reach), sqrt(4 * n)), SHORT_ACROSS);
    s->side = plane / s->across;
    s->radius = s->wide || s->across < SHORT_RADIUS ? s->across - 1 : SHORT_RADIUS;
}

bool wi_sampler_init(wi_sampler *s, const wi_sketch *sketch, double plane, double reach)
{
    *s = (wi_sampler){.sketch = sketch, .reach = reach};
    choose_grid(s, plane);
    const size_t cells = cells_of(s), offsets = (size_t)(2 * s->radius + 1) * (size_t)(2 * s->radius + 1);
    const size_t largest = s->wide ? cells : offsets;
    s->first = wi_take(&s->memory, cells + 1, sizeof *s->first);
    s->present = wi_take(&s->memory, cells, sizeof *s->present);
    s->room = wi_take(&s->memory, cells, sizeof *s->room);
    s->slot = wi_take(&s->memory, sketch->n, sizeof *s->slot);
    s->least = wi_take(&s->memory, offsets, sizeof *s->least);
    s->table = wi_take(&s->memory, s->wide ? cells : 1, sizeof *s->table);
    s->weight = wi_take(&s->memory, 2 * largest, sizeof *s->weight);
    s->work = wi_take(&s->memory, largest, sizeof *s->work);
    if (s->memory.failed)
        return false;
    sort_into_cells(s);
    measure_offsets(s);
    for (size_t i = 0; i < offsets && !s->wide; i++)
        s->weight[i] = weir_exp(-s->least[i]);
    return s->wide || alias_make(s->table, (uint32_t)offsets, s->weight, s->weight + offsets, s->work);
}

void wi_sampler_free(wi_sampler *s)
{
    for (uint32_t c = 0; s->table && c < (s->wide ? cells_of(s) : 1); c++)
        alias_free(&s->table[c]);
    wi_owned_free(&s->memory);
}

/* Tables are to hold until there are `until` nodes. */
static void make_room(wi_sampler *s, uint32_t until)
{
    for (uint32_t v = s->until; v < until; v++)
        s->room[cell_of(s, v)]++;
    s->until = until;
    for (uint32_t c = 0; s->wide && c < cells_of(s); c++)
        alias_free(&s->table[c]);
}

void wi_sampler_appear(wi_sampler *s, uint32_t v)
{
    const uint32_t c = cell_of(s, v), n = s->sketch->n;
    s->present[c]++;
    s->most = s->most > s->present[c] ? s->most : s->present[c];
    if (++s->n_present > s->until)
        make_room(s, s->n_present < n / 2 ? 2 * s->n_present : n);
}

void wi_sampler_appear_all(wi_sampler *s)
{
    make_room(s, s->sketch->n);
    for (uint32_t v = 0; v < s->sketch->n; v++)
        wi_sampler_appear(s, v);
}

/* ---- drawing ---- */

static bool make_table(wi_sampler *s, uint32_t cell)
{
    const int32_t x = (int32_t)cell % s->across, y = (int32_t)cell / s->across;
    const uint32_t cells = cells_of(s);
    for (uint32_t c = 0; c < cells; c++) {
        const int32_t offset = offset_of(s, (int32_t)c % s->across - x, (int32_t)c / s->across - y);
        s->weight[c] = s->room[c] * weir_exp(-s->least[offset]);
    }
    if (alias_make(&s->table[cell], cells, s->weight, s->weight + cells, s->work))
        return true;
    alias_free(&s->table[cell]);
    return false;
}

static double distance(const wi_slot *slot, const wi_sketch *sketch, uint32_t v)
{
    const double dx = slot->x - sketch->x[v], dy = slot->y - sketch->y[v];
    return sqrt(dx * dx + dy * dy);
}

/* One try: the node, or UINT32_MAX. Two random words decide: their lower halves are used after the upper. */
static uint32_t try_once(const wi_sampler *s, uint32_t v, uint32_t home, weir_stream *stream)
{
    const int32_t wide = 2 * s->radius + 1, hx = (int32_t)home % s->across, hy = (int32_t)home / s->across;
    uint64_t a, b;
    uint32_t cell, room;
    int32_t offset;
    weir_draw_pair(stream, &a, &b);
    if (s->wide) {
        cell = alias_draw(&s->table[home], cells_of(s), a);
        offset = offset_of(s, (int32_t)cell % s->across - hx, (int32_t)cell / s->across - hy);
        room = s->room[cell];
    } else {
        offset = (int32_t)alias_draw(s->table, (uint32_t)(wide * wide), a);
        const int32_t x = hx + offset % wide - s->radius, y = hy + offset / wide - s->radius;
        if (x < 0 || y < 0 || x >= s->across || y >= s->across)
            return UINT32_MAX;
        cell = (uint32_t)(y * s->across + x);
        room = s->most;
    }
    const uint32_t place = (uint32_t)weir_mulhi64(b, room);
    if (place >= s->present[cell])
        return UINT32_MAX;
    const wi_slot *slot = &s->slot[s->first[cell] + place];
    const double rest = weir_exp(s->least[offset] - distance(slot, s->sketch, v) / s->reach);
    return weir_unit_of_bits(b * room) < rest ? slot->node : UINT32_MAX;
}

/* A candidate kept with its weight over the sum of weights so far: at the end, each with its due chance. */
typedef struct search {
    uint32_t v, node;
    double nearest, sum; /* weights are relative to the nearest so far */
    wi_may_take *may_take;
    const void *arg;
    weir_stream *stream;
} search;

static void weigh_cell(const wi_sampler *s, int32_t x, int32_t y, search *p)
{
    if (x < 0 || y < 0 || x >= s->across || y >= s->across)
        return;
    const int32_t c = y * s->across + x;
    for (uint32_t i = 0; i < s->present[c]; i++) {
        const wi_slot *slot = &s->slot[s->first[c] + i];
        if (!p->may_take(p->arg, p->v, slot->node))
            continue;
        const double far = distance(slot, s->sketch, p->v);
        double weight = 1;
        if (far < p->nearest) {
            p->sum *= p->sum > 0 ? weir_exp((far - p->nearest) / s->reach) : 0;
            p->nearest = far;
        } else {
            weight = weir_exp((p->nearest - far) / s->reach);
        }
        p->sum += weight;
        if (weir_draw_unit(p->stream) * p->sum < weight)
            p->node = slot->node;
    }
}

static uint32_t search_rings(const wi_sampler *s, uint32_t home, search *p)
{
    const int32_t x = (int32_t)home % s->across, y = (int32_t)home / s->across;
    weigh_cell(s, x, y, p);
    for (int32_t r = 1; r < s->across; r++) {
        if ((r - 1) * s->side > p->nearest + FAR * s->reach)
            break;
        for (int32_t k = -r; k <= r; k++) {
            weigh_cell(s, x + k, y - r, p);
            weigh_cell(s, x + k, y + r, p);
        }
        for (int32_t k = 1 - r; k < r; k++) {
            weigh_cell(s, x - r, y + k, p);
            weigh_cell(s, x + r, y + k, p);
        }
    }
    return p->node;
}

uint32_t wi_sampler_draw(wi_sampler *s, uint32_t v, wi_may_take *may_take, const void *arg,
                         weir_stream *stream)
{
    const uint32_t home = cell_of(s, v);
    uint32_t tries = s->n_present > FEW_NODES && s->reach * 16 > s->side ? TRIES : 0;
    if (s->wide && tries > 0 && !s->table[home].keep && !make_table(s, home))
        tries = 0; /* short of memory: the search needs none */
    else if (s->wide && tries > 0)
        tries += s->n_present / 16; /* all nodes may have to be searched */
    for (; tries > 0; tries--) {
        const uint32_t u = try_once(s, v, home, stream);
        if (u != UINT32_MAX && may_take(arg, v, u))
            return u;
    }
    search p = {v, UINT32_MAX, weir_inf(), 0, may_take, arg, stream};
    return search_rings(s, home, &p);
}

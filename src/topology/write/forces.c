/* The force-directed layout. */
#include "topology/write/layout.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "weir/random.h"

enum { DEPTH_MAX = 40, STEPS_MIN = 60, STEPS_MAX = 400, WORK = 1500000 };
static const double OPENING =
    0.9; /* a square that looks smaller than this (side over distance) counts as one body */
static const double MIDDLE = 0.02; /* pull towards the middle, as a part of a link's */

/* ---- quadtree ---- */

typedef struct square {
    double x, y, mass; /* of what it holds: sums while it is filled, then the centre */
    uint32_t child[4]; /* 0: none */
    uint32_t body;     /* 1 + the only node that it holds; 0: several, or none */
} square;

typedef struct tree {
    square *item;
    uint32_t n;
    size_t capacity;
    double left, bottom, side;
} tree;

static bool reserve(tree *t)
{
    return wi_grow(&t->item, &t->capacity, t->n + (size_t)DEPTH_MAX + 3, sizeof *t->item);
}

static uint32_t child_of(tree *t, uint32_t s, wi_point p, wi_point *corner, double half)
{
    const int right = p.x >= corner->x + half, upper = p.y >= corner->y + half;
    uint32_t *child = &t->item[s].child[2 * upper + right];
    corner->x += right ? half : 0;
    corner->y += upper ? half : 0;
    if (*child == 0) {
        *child = t->n;
        t->item[t->n++] = (square){0};
    }
    return *child;
}

static void count(square *s, wi_point p)
{
    s->x += p.x;
    s->y += p.y;
    s->mass++;
}

static bool insert(tree *t, const wi_point *place, uint32_t v)
{
    wi_point corner = {t->left, t->bottom};
    double side = t->side;
    uint32_t s = 0;
    if (!reserve(t))
        return false;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        square *here = &t->item[s];
        const double before = here->mass;
        const uint32_t body = here->body;
        count(here, place[v]);
        if (before == 0) {
            here->body = v + 1;
            return true;
        }
        here->body = 0;
        side /= 2;
        if (body) { /* its only node moves down */
            wi_point other = corner;
            square *child = &t->item[child_of(t, s, place[body - 1], &other, side)];
            count(child, place[body - 1]);
            child->body = body;
        }
        s = child_of(t, s, place[v], &corner, side);
    }
    count(&t->item[s], place[v]); /* places that are all but the same */
    return true;
}

static bool plant(tree *t, const wi_point *place, uint32_t n)
{
    double right = place[0].x, top = place[0].y;
    t->left = right;
    t->bottom = top;
    for (uint32_t v = 1; v < n; v++) {
        t->left = fmin(t->left, place[v].x);
        t->bottom = fmin(t->bottom, place[v].y);
        right = fmax(right, place[v].x);
        top = fmax(top, place[v].y);
    }
    t->side = fmax(fmax(right - t->left, top - t->bottom), 1e-9) * 1.0001;
    t->n = 0;
    if (!reserve(t))
        return false;
    t->item[t->n++] = (square){0};
    for (uint32_t v = 0; v < n; v++)
        if (!insert(t, place, v))
            return false;
    for (uint32_t s = 0; s < t->n; s++)
        if (t->item[s].mass > 0) {
            t->item[s].x /= t->item[s].mass;
            t->item[s].y /= t->item[s].mass;
        }
    return true;
}

/* Sum of 1 / distance, away from each body; link length is the unit. */
static void repel(const tree *t, uint32_t v, wi_point p, wi_point *force)
{
    struct {
        uint32_t square;
        double side;
    } stack[3 * DEPTH_MAX + 4];
    int n = 0;
    stack[n].square = 0;
    stack[n++].side = t->side;
    while (n > 0) {
        const square *s = &t->item[stack[--n].square];
        const double side = stack[n].side, dx = p.x - s->x, dy = p.y - s->y, d2 = dx * dx + dy * dy;
        if (s->body == v + 1)
            continue;
        const bool leaf = s->body != 0 || (s->child[0] | s->child[1] | s->child[2] | s->child[3]) == 0;
        if (leaf || side * side < OPENING * OPENING * d2) {
            const double strength = s->mass / fmax(d2, 1e-4);
            force->x += dx * strength;
            force->y += dy * strength;
            continue;
        }
        for (int c = 0; c < 4; c++)
            if (s->child[c]) {
                stack[n].square = s->child[c];
                stack[n++].side = side / 2;
            }
    }
}

/* ---- steps ---- */

static void attract(const weir_graph *g, const wi_point *place, wi_point *force)
{
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            const wi_point q = place[g->target[e]];
            const double dx = q.x - place[v].x, dy = q.y - place[v].y, d = sqrt(dx * dx + dy * dy);
            force[v].x += dx * d;
            force[v].y += dy * d;
        }
}

/* No node goes farther than `longest` in a step. */
static void move(wi_point *place, const wi_point *force, uint32_t n, double longest)
{
    for (uint32_t v = 0; v < n; v++) {
        const double length = sqrt(force[v].x * force[v].x + force[v].y * force[v].y);
        const double scale = length > longest ? longest / length : 1;
        place[v].x += force[v].x * scale;
        place[v].y += force[v].y * scale;
    }
}

bool wi_layout_forces(const weir_graph *graph, wi_point *place)
{
    const uint32_t n = graph->n_nodes;
    const double extent = sqrt((double)n);
    const uint32_t wanted = WORK / (n + 1);
    const uint32_t steps = wanted < STEPS_MIN ? STEPS_MIN : wanted > STEPS_MAX ? STEPS_MAX : wanted;
    weir_stream stream = weir_stream_make(1, 0, 0xb217e200u);
    WI_FREED wi_point *force = malloc(((size_t)n + 1) * sizeof *force);
    tree t = {0};
    bool good = force != NULL;
    for (uint32_t v = 0; v < n; v++) {
        place[v].x = extent * weir_draw_unit(&stream);
        place[v].y = extent * weir_draw_unit(&stream);
    }
    for (uint32_t step = 0; good && n > 1 && step < steps; step++) {
        const double left = 1 - (double)step / steps;
        good = plant(&t, place, n);
        for (uint32_t v = 0; good && v < n; v++) {
            force[v].x = MIDDLE * (extent / 2 - place[v].x);
            force[v].y = MIDDLE * (extent / 2 - place[v].y);
            repel(&t, v, place[v], &force[v]);
        }
        if (good) {
            attract(graph, place, force);
            move(place, force, n, 0.02 + extent / 8 * left * left);
        }
    }
    free(t.item);
    return good;
}

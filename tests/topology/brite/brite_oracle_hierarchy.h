/* The oracle's hierarchies; brite_oracle.h begins it. */
#ifndef TESTS_TOPOLOGY_BRITE_ORACLE_HIERARCHY_H
#define TESTS_TOPOLOGY_BRITE_ORACLE_HIERARCHY_H

#include "brite_oracle_flat.h"

/* ---- top-down ---- */

typedef struct or_top_down {
    int edge_conn, k;
    or_rate inter; /* of Java; C++ draws the AS graph's own */
    or_flat as, router;
} or_top_down;

/*
 * The router of a part that takes a link, as its index in the part. C++ counts no links between ASes, so that
 * one router takes all of its AS; "leaf" is the least degree of all routers of all ASes. Java counts them;
 * begins with the first node, whatever its degree; and a threshold is a degree that will do: the AS graph's m
 * for "non-leaf".
 */
static inline int or_border(or_engine *e, const or_top_down *t, or_graph **part, int n_parts, int i)
{
    or_graph *g = part[i];
    int *node = or_node_order(g), best = -1, least = INT32_MAX, found;
    if (t->edge_conn == 1) {
        found = node[or_along(&e->stream[OR_EDGE_CONN], g->n)];
        free(node);
        return found;
    }
    if (e->java) {
        const int k = t->edge_conn == 2 ? 0 : t->edge_conn == 3 ? t->as.m : t->k;
        best = node[0];
        for (int j = 1; j < g->n; j++)
            if (g->degree[node[j]] < g->degree[best] && g->degree[node[j]] >= k)
                best = node[j];
        free(node);
        return best;
    }
    for (int p = 0; p < n_parts; p++)
        for (int v = 0; v < part[p]->n; v++)
            least = part[p]->degree[v] < least ? part[p]->degree[v] : least;
    const int above = t->edge_conn == 2 ? -1 : t->edge_conn == 3 ? least : t->k;
    for (int v = 0; v < g->n; v++)
        if (g->degree[v] > above && (best < 0 || g->degree[v] < g->degree[best]))
            best = v;
    free(node);
    return best; /* -1: C++ takes what happens to lie in memory */
}

/* Null where the engine ends without an answer: C++ wants both graphs connected, and a router of a degree
 * above k. */
static inline or_graph *or_top_down_draw(or_engine *e, const or_top_down *t)
{
    or_graph *top = or_flat_draw(e, &t->as);
    or_graph **part = or_need(calloc((size_t)top->n, sizeof *part));
    const int n = t->router.n;
    bool good = true;
    const int id = e->ids;
    for (int i = 0; i < top->n; i++)
        part[i] = or_flat_draw(e, &t->router);
    or_graph *g = or_graph_new(e, top->n * n);
    g->id = id;
    for (int i = 0; i < top->n; i++) {
        for (int v = 0; v < n; v++) {
            g->x[i * n + v] = part[i]->x[v];
            g->y[i * n + v] = part[i]->y[v];
            g->as[i * n + v] = i;
        }
        for (int j = 0; j < part[i]->n_links; j++) {
            const or_link *l = &part[i]->link[j];
            if (l->gone)
                continue;
            or_list_link(g, i * n + l->a, i * n + l->b);
            g->link[g->n_links - 1].rate = l->rate;
        }
    }
    int *order = or_link_order(top);
    for (int j = 0; j < top->live && good; j++) {
        const or_link *l = &top->link[order[j]];
        const int a = or_border(e, t, part, top->n, l->a), b = or_border(e, t, part, top->n, l->b);
        good = a >= 0 && b >= 0;
        if (!good)
            break;
        or_list_link(g, l->a * n + a, l->b * n + b);
        part[l->a]->degree[a] += e->java;
        part[l->b]->degree[b] += e->java;
        g->link[g->n_links - 1].rate = e->java ? or_rate_draw(e, &t->inter, true) : l->rate;
    }
    for (int i = 0; i < top->n; i++)
        or_graph_free(part[i]);
    free(part);
    free(order);
    or_graph_free(top);
    if (!good) {
        or_graph_free(g);
        return NULL;
    }
    return g;
}

/* ---- bottom-up ---- */

typedef struct or_bottom_up {
    bool walk; /* else picks */
    or_spread assign;
    int n_as;
    or_flat router;
} or_bottom_up;

/* How many routers the next AS is to have. Java divides whole numbers for the exponential's mean: one AS takes
 * all. */
static inline int or_as_size(or_engine *e, const or_bottom_up *b, int n, int grouped)
{
    or_random *r = &e->stream[OR_ASSIGNMENT];
    double size = n / b->n_as;
    if (b->assign == OR_HEAVY)
        size = or_pareto(r, 1, n, 1.2);
    else if (b->assign == OR_UNIFORM)
        size = e->java ? or_unit(r) * 2.0 * n / b->n_as : 1 + or_unit(r) * (n - 1);
    else if (b->assign == OR_EXPONENTIAL)
        size = e->java ? (b->n_as < n ? n : -log(or_unit(r))) : -log(or_unit(r)) * n / b->n_as;
    const int whole = (int)size;
    return e->java && whole + grouped >= n ? n - grouped : whole;
}

/* C++: routers are drawn until `size` were without an AS, as many ASes as it takes. Java: from a list of those
 * that are left, NumAS times; what is left then has no AS. */
static inline void or_pick(or_engine *e, const or_bottom_up *b, or_graph *g)
{
    or_random *r = &e->stream[OR_GROUPING];
    int *left = or_node_order(g), n_left = g->n, grouped = 0;
    for (int as = 0; e->java ? as < b->n_as : grouped < g->n; as++) {
        const int size = or_as_size(e, b, g->n, grouped);
        for (int j = 0; j < size && grouped < g->n;) {
            const int at = or_along(r, e->java ? n_left : g->n), v = left[at];
            if (g->as[v] >= 0)
                continue;
            g->as[v] = as;
            grouped++;
            j++;
            if (e->java)
                memmove(left + at, left + at + 1, (size_t)(--n_left - at) * sizeof *left);
        }
    }
    free(left);
}

typedef enum or_colour { OR_WHITE, OR_GREY, OR_BLACK } or_colour;

/* The neighbour of number k, the newest being 1. C++ draws k from 0 on, and for 0 reads beyond its list: the
 * list's length, in the runs of which we have outputs. */
static inline void or_walk_cpp(or_engine *e, or_graph *g, or_colour *colour, int u, int size, int as,
                               int *count)
{
    const int near = g->near[u].n;
    if (colour[u] == OR_WHITE) {
        colour[u] = OR_GREY;
        g->as[u] = as;
        ++*count;
    }
    while (*count < size) {
        int open = 0, v;
        for (int i = 0; i < near; i++)
            open += colour[g->near[u].item[i]] == OR_WHITE;
        if (open == 0) {
            colour[u] = OR_BLACK;
            return;
        }
        do {
            const int k = or_along(&e->stream[OR_GROUPING], near + 1);
            v = k == 0 ? near : g->near[u].item[near - k];
        } while (colour[v] != OR_WHITE);
        or_walk_cpp(e, g, colour, v, size, as, count);
    }
}

static inline void or_group_cpp(or_engine *e, const or_bottom_up *b, or_graph *g)
{
    or_colour *colour = or_need(calloc((size_t)g->n, sizeof *colour));
    for (int as = 0, grouped = 0; grouped < g->n;) {
        const int size = or_as_size(e, b, g->n, grouped);
        int start = 0, count = 0;
        while (colour[start] == OR_BLACK)
            start++;
        or_walk_cpp(e, g, colour, start, size, as, &count);
        grouped += count;
        as += count > 0;
    }
    free(colour);
}

/* A depth-first search from a random node, cut into ASes. */
static inline void or_group_java(or_engine *e, const or_bottom_up *b, or_graph *g)
{
    int *stack = or_need(malloc((size_t)g->n * sizeof *stack)), *node = or_node_order(g), n = 0;
    bool *seen = or_need(calloc((size_t)g->n, sizeof *seen));
    stack[n++] = node[or_along(&e->stream[OR_GROUPING], g->n)];
    seen[stack[0]] = true;
    for (int as = 0, grouped = 0; grouped < g->n && n > 0; as++) {
        const int size = or_as_size(e, b, g->n, grouped);
        for (int visited = 0; visited < size;) {
            int v = stack[n - 1];
            while (g->as[v] >= 0 && n > 0)
                v = stack[--n];
            g->as[v] = as;
            visited++;
            grouped++;
            const or_list *near = &g->near[v];
            uint32_t *key = or_need(malloc((size_t)(near->n + 1) * sizeof *key));
            for (int i = 0; i < near->n; i++)
                key[i] = (uint32_t)(g->id + near->item[i]);
            int *order = or_hash_order(key, near->n, (int)or_table_size(16, near->most));
            for (int i = 0; i < near->n; i++) {
                const int u = near->item[order[i]];
                if (!seen[u])
                    stack[n++] = u;
                seen[u] = true;
            }
            free(key);
            free(order);
            if (n == 0 || grouped >= g->n)
                break;
        }
    }
    free(stack);
    free(node);
    free(seen);
}

static inline or_graph *or_bottom_up_draw(or_engine *e, const or_bottom_up *b)
{
    or_graph *g = or_flat_draw(e, &b->router);
    if (!b->walk)
        or_pick(e, b, g);
    else if (e->java)
        or_group_java(e, b, g);
    else
        or_group_cpp(e, b, g);
    return g;
}

#endif

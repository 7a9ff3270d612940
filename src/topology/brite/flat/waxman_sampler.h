/*
 * Draws a node out of those that are there with a chance in proportion to exp(-d / reach), d its distance
 * from a given node, in a time that hardly depends on how many there are.
 *
 * The plane is a grid of cells. First a cell is drawn, by a bound on what its nodes weigh; then a place in
 * it, which may be empty; then the node that stands there is taken with its own weight over the bound. What
 * is refused begins anew, so each node is taken with its due chance, to the 24 bits of the tables' entries.
 * Two bounds:
 *
 * - The reach spans cells (up to 32 x 32 of them): for each cell to draw from, a table of all cells, each
 * with exp(-least distance / reach) times the nodes that it will hold when there are twice as many as now.
 * Tables are made anew then. This holds its speed where nodes crowd in a few cells.
 * - The reach is shorter: cells of twice its length, drawn by their offset from a table that serves all
 *   cells, up to 24 cells off, times the most nodes of any cell.
 *
 * Where that misses for too long (no node is near), rings of cells around the node are searched instead: the
 * nearest candidates, and what lies up to 45 reaches beyond the nearest one; what is farther has a share
 * below 1e-12 and is left out.
 */
#pragma once

#include "base/memory.h"

#include "topology/sketch/sketch.h"
#include "weir/random.h"

/* Draws an index with the weights it was made of, in one step (alias method of Walker, tables as Vose). */
typedef struct wi_alias {
    uint32_t *other;
    float *keep;
} wi_alias;

/* A node and its place, together: to look at one costs one line of cache. */
typedef struct wi_slot {
    double x, y;
    uint32_t node;
} wi_slot;

typedef struct wi_sampler {
    wi_owned memory; /* of all but the tables */
    const wi_sketch *sketch;
    double reach;
    double side; /* of a cell */
    int32_t across;
    bool wide;         /* the reach spans cells */
    uint32_t *first;   /* [cells + 1] */
    wi_slot *slot;     /* [n]: by cell, nodes rising */
    uint32_t *present; /* [cells]: how many of the cell's nodes are there already */
    uint32_t n_present;
    uint32_t *room; /* wide: [cells]: how many will be there when n_present is `until` */
    uint32_t until;
    uint32_t most;   /* short: the most that one cell has */
    int32_t radius;  /* offsets go from -radius to radius in both directions */
    double *least;   /* [(2 radius + 1)^2]: least distance over reach, of an offset */
    wi_alias *table; /* wide: [cells], made when needed; short: one, of offsets */
    double *weight;  /* to make tables */
    uint32_t *work;
} wi_sampler;

/* Whether node u may be drawn for node v. */
typedef bool wi_may_take(const void *arg, uint32_t v, uint32_t u);

/* `side` of the plane; nodes appear in rising order. False when memory is short; free in any case. */
bool wi_sampler_init(wi_sampler *s, const wi_sketch *sketch, double plane, double reach);
/* Free a sampler. */
void wi_sampler_free(wi_sampler *s);
/* The next node is there. */
void wi_sampler_appear(wi_sampler *s, uint32_t v);
/* All nodes are there from the start. */
void wi_sampler_appear_all(wi_sampler *s);
/* A node for v out of those that are there and that it may take; UINT32_MAX when there is none. */
uint32_t wi_sampler_draw(wi_sampler *s, uint32_t v, wi_may_take *may_take, const void *arg,
                         weir_stream *stream);

/* Which rank has which series of the whole tables, and how long rings must be for those that read them. */
#include <stdlib.h>

#include "fluid/ghosts/ghosts.h"

enum { LONGEST = 1 << 16 }; /* hops of a path, build/paths.c */

/* The longest that fluid takes to a prefix and the rank where it begins, from those of the prefix before. */
static void follow(const fluid_tables *t, wi_ghost_owners *o, uint32_t p, double *reach)
{
    const uint32_t parent = wi_ghosts_parent(t, p), own = wi_ghosts_port_of(t, p);
    reach[p] = 0.0;
    o->prefix_home[p] = o->port[own];
    if (parent == FLUID_NONE)
        return;
    const fluid_port *const up = &t->ports[wi_ghosts_port_of(t, parent)];
    reach[p] = (float)reach[parent] + (float)(up->delay + up->limit / up->rate);
    o->prefix_home[p] = o->prefix_home[parent];
}

static weir_status follow_all(weir_diag *diag, const fluid_tables *t, wi_ghost_owners *o, double *reach)
{
    WI_FREED uint32_t *const behind = wi_fluid_array(diag, LONGEST, sizeof *behind, "a path");
    for (uint32_t p = 0; p < t->n_prefixes && behind; p++)
        reach[p] = -1.0;
    for (uint32_t p = 0; p < t->n_prefixes && behind; p++) {
        uint32_t n = 0;
        for (uint32_t q = p; q != FLUID_NONE && reach[q] < 0.0; q = wi_ghosts_parent(t, q))
            behind[n++] = q;
        while (n > 0)
            follow(t, o, behind[--n], reach);
    }
    return behind ? WEIR_OK : WEIR_E_NOMEM;
}

static uint32_t leaf_of(const fluid_tables *t, uint32_t flow)
{
    return t->ports[t->flows[flow].port].first + t->flows[flow].prefix;
}

/* A set is summed where all its members are, as soon as these are known; else where they begin, once they have come. */
static void own_sets(const fluid_tables *t, wi_ghost_owners *o, uint16_t *home)
{
    for (uint32_t f = 0; f < t->n_flows; f++) {
        o->series[f] = o->port[t->flows[f].port];
        home[f] = o->prefix_home[leaf_of(t, f)];
    }
    for (uint32_t set = 0; set < t->n_series - t->n_flows; set++) {
        const uint32_t first = t->member_first[set], s = t->n_flows + set;
        bool late = false;
        for (uint32_t m = first; m < t->member_first[set + 1]; m++)
            late |= o->late[t->member[m]] || o->series[t->member[m]] != o->series[t->member[first]];
        home[s] = home[t->member[first]];
        o->late[s] = late;
        o->series[s] = late ? home[s] : o->series[t->member[first]];
    }
}

/* The first rank whose ring of a series has all rows. */
static void hold(const fluid_tables *t, wi_ghost_owners *o, uint32_t series, uint32_t rank, uint32_t rows)
{
    if (rows == t->rings[series].rows && rank < o->holder[series])
        o->holder[series] = (uint16_t)rank;
}

static void find_rows(const fluid_tables *t, wi_ghost_owners *o, const double *reach)
{
    for (uint32_t s = 0; s < t->n_series; s++) {
        o->holder[s] = UINT16_MAX;
        hold(t, o, s, o->series[s], s < t->n_flows ? t->rings[s].rows : wi_fluid_rows(t, 0.0));
    }
    for (uint32_t p = 0; p < t->n_prefixes; p++) {
        o->series_of[p] = t->prefixes[p].series;
        o->rows_of[p] = wi_fluid_rows(t, reach[p] * 1.0001);
        hold(t, o, o->series_of[p], o->port[wi_ghosts_port_of(t, p)], o->rows_of[p]);
    }
}

weir_status wi_ghosts_own(weir_diag *diag, const fluid_tables *t, wi_ghost_owners *o, wi_fluid_ghosts *g)
{
    double *const reach = wi_take(&o->memory, t->n_prefixes, sizeof *reach);
    uint16_t *const home = wi_take(&o->memory, t->n_series, sizeof *home);
    o->prefix_home = wi_take(&o->memory, t->n_prefixes, sizeof *o->prefix_home);
    o->series = wi_take(&o->memory, t->n_series, sizeof *o->series);
    o->late = wi_take(&o->memory, t->n_series, sizeof *o->late);
    o->series_of = wi_take(&o->memory, t->n_prefixes, sizeof *o->series_of);
    o->rows_of = wi_take(&o->memory, t->n_prefixes, sizeof *o->rows_of);
    o->holder = g->holder = wi_take(&g->memory, t->n_series, sizeof *g->holder);
    if (o->memory.failed || g->memory.failed)
        return wi_fluid_no_memory(diag, (uint64_t)t->n_prefixes * sizeof *reach, "ghosts");
    WI_RETURN_IF_FAILED(follow_all(diag, t, o, reach));
    own_sets(t, o, home);
    find_rows(t, o, reach);
    return WEIR_OK;
}

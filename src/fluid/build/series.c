/*
 * Volumes over time that must be kept: one for each flow, and one for each set of flows that shares a prefix.
 *
 * A prefix through which one series passes uses that; where several meet, their sum is a series of its own. A
 * set of many is summed by way of smaller ones, so that no thread adds more than MEMBERS.
 */
#include <stdlib.h>
#include <string.h>

#include "fluid/state/internal.h"

enum { MEMBERS = 32 };

typedef struct gathering {
    fluid_tables *t;
    uint32_t *of;    /* [n tree]: series that passes a prefix */
    uint32_t *first; /* [n tree + 1]: of what arrives at each prefix from its children and ending flows */
    uint32_t *comes; /* series */
    uint32_t *set_first, *set_member, *set_level; /* sets by age */
    uint32_t n_sets, n_members;
    size_t room[3]; /* of set_first, set_level, set_member */
} gathering;

static weir_status room_for_set(weir_diag *diag, gathering *g, uint32_t members)
{
    return wi_grow(&g->set_first, &g->room[0], (size_t)g->n_sets + 2, sizeof *g->set_first) &&
                   wi_grow(&g->set_level, &g->room[1], (size_t)g->n_sets + 1, sizeof *g->set_level) &&
                   wi_grow(&g->set_member, &g->room[2], (size_t)g->n_members + members, sizeof *g->set_member)
               ? WEIR_OK
               : wi_fluid_no_memory(diag, 8 * (uint64_t)g->n_members, "sets of flows");
}

static uint32_t level_of(const gathering *g, uint32_t series)
{
    return series < g->t->n_flows ? 0 : g->set_level[series - g->t->n_flows];
}

/* A set of at most MEMBERS series; returns its number as a series, or FLUID_NONE. */
static uint32_t add_set(weir_diag *diag, gathering *g, const uint32_t *member, uint32_t n)
{
    if (room_for_set(diag, g, n) != WEIR_OK)
        return FLUID_NONE;
    uint32_t level = 0;
    g->set_first[g->n_sets] = g->n_members;
    for (uint32_t i = 0; i < n; i++) {
        g->set_member[g->n_members++] = member[i];
        level = level_of(g, member[i]) > level ? level_of(g, member[i]) : level;
    }
    g->set_level[g->n_sets] = level + 1;
    g->set_first[g->n_sets + 1] = g->n_members;
    return g->t->n_flows + g->n_sets++;
}

/* One series for all of `member`, in place: groups of MEMBERS until one is left. */
static uint32_t unite(weir_diag *diag, gathering *g, uint32_t *member, uint32_t n)
{
    while (n > 1) {
        uint32_t groups = 0;
        for (uint32_t i = 0; i < n; i += MEMBERS) {
            const uint32_t m = n - i < MEMBERS ? n - i : MEMBERS;
            member[groups] = m == 1 ? member[i] : add_set(diag, g, member + i, m);
            if (member[groups++] == FLUID_NONE)
                return FLUID_NONE;
        }
        n = groups;
    }
    return member[0];
}

/* Children are younger than parents, so going back in age meets each prefix after all that passes it. */
static weir_status unite_all(weir_diag *diag, gathering *g, const wi_fluid_tree *tree, uint32_t *fill)
{
    const uint32_t n_flows = g->t->n_flows;
    for (uint32_t f = 0; f < n_flows; f++)
        g->first[tree->leaf[f] + 1]++;
    for (uint32_t p = 0; p < tree->n; p++)
        if (tree->parent[p] != FLUID_NONE)
            g->first[tree->parent[p] + 1]++;
    for (uint32_t p = 0; p < tree->n; p++)
        g->first[p + 1] += g->first[p];
    memcpy(fill, g->first, tree->n * sizeof *fill);
    for (uint32_t f = 0; f < n_flows; f++)
        g->comes[fill[tree->leaf[f]]++] = f;
    for (uint32_t p = tree->n; p-- > 0;) {
        g->of[p] = unite(diag, g, g->comes + g->first[p], g->first[p + 1] - g->first[p]);
        if (g->of[p] == FLUID_NONE)
            return WEIR_E_NOMEM;
        if (tree->parent[p] != FLUID_NONE)
            g->comes[fill[tree->parent[p]]++] = g->of[p];
    }
    return WEIR_OK;
}

/* Sets into the tables by level, the lowest first; rank: new number of each. */
static weir_status arrange(weir_diag *diag, gathering *g, uint32_t *rank)
{
    fluid_tables *const t = g->t;
    for (uint32_t i = 0; i < g->n_sets; i++)
        t->n_levels = g->set_level[i] > t->n_levels ? g->set_level[i] : t->n_levels;
    t->n_series = t->n_flows + g->n_sets;
    t->n_members = g->n_members;
    t->level_first = wi_fluid_array(diag, (uint64_t)t->n_levels + 2, sizeof *t->level_first, "sets");
    t->member_first = wi_fluid_array(diag, (uint64_t)g->n_sets + 1, sizeof *t->member_first, "sets");
    t->member = wi_fluid_array(diag, g->n_members, sizeof *t->member, "sets");
    if (!t->level_first || !t->member_first || !t->member)
        return WEIR_E_NOMEM;
    /* level_first[l] counts what is below level l + 1: levels begin at 1. */
    for (uint32_t i = 0; i < g->n_sets; i++)
        t->level_first[g->set_level[i]]++;
    for (uint32_t l = 0; l < t->n_levels; l++)
        t->level_first[l + 1] += t->level_first[l];
    for (uint32_t i = 0; i < g->n_sets; i++)
        rank[i] = t->level_first[g->set_level[i] - 1]++;
    for (uint32_t l = t->n_levels; l > 0; l--)
        t->level_first[l] = t->level_first[l - 1];
    t->level_first[0] = 0;
    for (uint32_t i = 0; i < g->n_sets; i++)
        t->member_first[rank[i] + 1] = g->set_first[i + 1] - g->set_first[i];
    for (uint32_t i = 0; i < g->n_sets; i++)
        t->member_first[i + 1] += t->member_first[i];
    for (uint32_t i = 0; i < g->n_sets; i++)
        for (uint32_t m = g->set_first[i], at = t->member_first[rank[i]]; m < g->set_first[i + 1];
             m++, at++) {
            const uint32_t s = g->set_member[m];
            t->member[at] = s < t->n_flows ? s : t->n_flows + rank[s - t->n_flows];
        }
    return WEIR_OK;
}

weir_status wi_fluid_gather(weir_diag *diag, fluid_tables *t, wi_fluid_tree *tree)
{
    gathering g = {.t = t};
    WI_FREED uint32_t *const fill = wi_fluid_array(diag, tree->n, sizeof *fill, "prefixes");
    WI_FREED uint32_t *rank = NULL;
    g.of = wi_fluid_array(diag, tree->n, sizeof *g.of, "prefixes");
    g.first = wi_fluid_array(diag, (uint64_t)tree->n + 1, sizeof *g.first, "prefixes");
    g.comes = wi_fluid_array(diag, (uint64_t)tree->n + t->n_flows, sizeof *g.comes, "prefixes");
    tree->series = wi_fluid_array(diag, tree->n, sizeof *tree->series, "prefixes");
    weir_status st = fill && g.of && g.first && g.comes && tree->series ? WEIR_OK : WEIR_E_NOMEM;
    st = st ?: unite_all(diag, &g, tree, fill);
    if (st == WEIR_OK) {
        rank = wi_fluid_array(diag, g.n_sets, sizeof *rank, "sets");
        st = rank ? arrange(diag, &g, rank) : WEIR_E_NOMEM;
    }
    for (uint32_t p = 0; p < tree->n && st == WEIR_OK; p++)
        tree->series[p] = g.of[p] < t->n_flows ? g.of[p] : t->n_flows + rank[g.of[p] - t->n_flows];
    free(g.of);
    free(g.first);
    free(g.comes);
    free(g.set_first);
    free(g.set_member);
    free(g.set_level);
    return st;
}

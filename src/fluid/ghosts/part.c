/* From the whole tables to a rank's part of them. */
#include <stdlib.h>

#include "fluid/ghosts/ghosts.h"

/* Counts of the network that a part has too; what it counts itself begins at nought. */
static fluid_tables common_counts(const fluid_tables *w)
{
    return (fluid_tables){.n_queues = w->n_queues,
                          .n_classes = w->n_classes,
                          .n_kinds = w->n_kinds,
                          .signals = w->signals,
                          .paper = w->paper,
                          .order = w->order,
                          .lookahead = w->lookahead,
                          .history = w->history,
                          .n_rates = w->n_rates,
                          .n_changes = w->n_changes,
                          .n_transfers = w->n_transfers,
                          .n_words = w->n_words,
                          .step_s = w->step_s,
                          .rounding = w->rounding,
                          .hops = w->hops};
}

/* What is kept of the whole tables. */
static void keep_whole(fluid_tables *w, wi_fluid_ghosts *g)
{
    g->whole.ports = w->ports;
    g->whole.rings = w->rings;
    w->ports = NULL;
    w->rings = NULL;
}

static weir_status part(weir_diag *diag, weir_fluid *f, wi_ghost_owners *o, fluid_tables *here)
{
    wi_fluid_ghosts *const g = f->ghosts;
    fluid_tables *const w = &f->tables;
    wi_ghost_needs needs = {.rank = g->ranks->rank};
    weir_status st = wi_ghosts_own(diag, w, o, g) ?: wi_ghosts_need(diag, w, o, &needs);
    st = st ?: wi_ghosts_number(diag, w, o, &needs, g, here);
    st = st ?: wi_ghosts_take(diag, w, o, g, here) ?: wi_ghosts_list(diag, &needs, w, here, g);
    free(needs.need);
    return st;
}

/* A lag that is rounded reaches into the block at work where that is as long as the lookahead. */
static uint32_t block_of(const weir_fluid *f)
{
    return f->lookahead - 1 < f->tables.lookahead ? f->lookahead - 1 : f->tables.lookahead;
}

static wi_fluid_ghosts *new_ghosts(weir_diag *diag, const weir_fluid *f, const wi_ranks *ranks)
{
    wi_fluid_ghosts *const g = wi_fluid_array(diag, 1, sizeof *g, "ghosts");
    if (!g)
        return NULL;
    g->ranks = ranks;
    g->whole = f->tables;
    g->real = f->real->bytes;
    /* Arrays of the whole tables are theirs. */
    g->whole.ports = NULL;
    g->whole.rings = NULL;
    return g;
}

weir_status wi_fluid_part_over_ranks(weir_diag *diag, const weir_fluid_plan *plan, weir_fluid *f,
                                     fluid_tables *here)
{
    const wi_ranks *const ranks = wi_ranks_of_run();
    wi_ghost_owners o = {0};
    const char *why = f->lookahead < 2        ? "its step is as long as its shortest propagation delay"
                      : f->tables.n_waves > 0 ? "its links are short, and are solved one behind the other"
                                              : NULL;
    if (!ranks)
        return WEIR_OK;
    o.port = wi_take(&o.memory, f->tables.n_ports, sizeof *o.port);
    weir_status st =
        o.port ? WEIR_OK : wi_fluid_no_memory(diag, f->tables.n_ports * sizeof *o.port, "ghosts");
    if (st == WEIR_OK && !why)
        st = wi_ghosts_split(diag, plan, &f->tables, ranks, o.port, &why);
    if (why)
        weir_note(diag, "fluid: every rank solves the whole of it: %s", why);
    if (st == WEIR_OK && !why) {
        *here = common_counts(&f->tables);
        f->ghosts = new_ghosts(diag, f, ranks);
        st = f->ghosts ? part(diag, f, &o, here) : WEIR_E_NOMEM;
    }
    if (st == WEIR_OK && !why) {
        here->lookahead = block_of(f);
        keep_whole(&f->tables, f->ghosts);
    }
    wi_owned_free(&o.memory);
    return st;
}

void wi_fluid_ghosts_free(wi_fluid_ghosts *g)
{
    if (!g)
        return;
    wi_owned_free(&g->memory);
    free(g->whole.ports);
    free(g->whole.rings);
    free(g->views);
    free(g);
}

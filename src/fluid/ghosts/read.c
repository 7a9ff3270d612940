/* What is read of a fluid over ranks, and what packets bring: each rank answers for its part. */
#include <stdlib.h>
#include <string.h>

#include "fluid/ghosts/ghosts.h"

uint32_t wi_ghosts_own_port(const weir_fluid *f, uint32_t port)
{
    const uint32_t here = f->ghosts ? f->ghosts->port[port] : port;
    return here < f->tables.n_ports - f->tables.n_ghost_ports ? here : FLUID_NONE;
}

uint32_t wi_ghosts_own_flow(const weir_fluid *f, uint32_t flow)
{
    const uint32_t here = f->ghosts ? f->ghosts->flow[flow] : flow;
    return here < f->tables.n_flows - f->tables.n_ghost_flows ? here : FLUID_NONE;
}

void wi_ghosts_join(const weir_fluid *f, void *words, size_t n)
{
    if (f->ghosts)
        f->ghosts->ranks->sum(words, n);
}

weir_status wi_ghosts_add(weir_diag *diag, const weir_fluid *f, double *numbers, uint32_t n)
{
    if (!f->ghosts)
        return WEIR_OK;
    const wi_ranks *const ranks = f->ghosts->ranks;
    double *const all = wi_fluid_array(diag, (uint64_t)ranks->n_ranks * n, sizeof *all, "sums");
    if (!all)
        return WEIR_E_NOMEM;
    memcpy(all + (size_t)ranks->rank * n, numbers, n * sizeof *all);
    wi_ghosts_join(f, all, (size_t)ranks->n_ranks * n);
    for (uint32_t i = 0; i < n; i++) {
        numbers[i] = 0.0;
        for (uint32_t r = 0; r < ranks->n_ranks; r++)
            numbers[i] += all[(size_t)r * n + i];
    }
    free(all);
    return WEIR_OK;
}

void wi_ghosts_rewrite(weir_fluid *f, uint32_t here)
{
    if (here != FLUID_NONE)
        f->ghosts->rewritten[here] = 1;
}

weir_status wi_ghosts_exchange(weir_diag *diag, weir_fluid *f, const uint32_t *ports, uint32_t n_ports,
                               const double *queued_bytes, const double *coming_bytes)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0, end; i < n_ports && st == WEIR_OK; i = end) {
        const uint32_t here = wi_ghosts_own_port(f, ports[i]);
        double queued = 0.0, coming = 0.0;
        for (end = i; end < n_ports && ports[end] == ports[i]; end++) { /* in the order of fluid_take_left */
            queued += queued_bytes[end];
            coming += coming_bytes[end];
        }
        if (here == FLUID_NONE)
            continue;
        const double accepted = f->state.accepted[here];
        st = f->backend->exchange(diag, f->solver, &here, 1, &queued, &coming);
        /* The last step's lag has changed; and where packets have taken the places of fluid that stood there, more. */
        if (f->ghosts->sent_to == f->state.now || f->state.accepted[here] != accepted)
            wi_ghosts_rewrite(f, here);
    }
    return st;
}

/* Room for so many numbers of all views, one behind the other: they are joined at once. */
static double *room_for_views(weir_diag *diag, wi_fluid_ghosts *g, size_t n)
{
    if (g->view_room < n) {
        free(g->views);
        g->views = wi_fluid_array(diag, n, sizeof *g->views, "what packets see of it");
        g->view_room = g->views ? n : 0;
    }
    return g->views;
}

weir_status wi_ghosts_history(weir_diag *diag, weir_fluid *f, const uint32_t *ports, uint32_t n_ports,
                              uint32_t n, double *const of[WI_FLUID_VIEWS])
{
    const size_t each = (size_t)n_ports * n;
    double *const views = room_for_views(diag, f->ghosts, WI_FLUID_VIEWS * each + 1);
    weir_status st = views ? WEIR_OK : WEIR_E_NOMEM;
    if (views)
        memset(views, 0, WI_FLUID_VIEWS * each * sizeof *views);
    for (uint32_t i = 0; i < n_ports && st == WEIR_OK; i++) {
        const uint32_t here = wi_ghosts_own_port(f, ports[i]);
        double *const at = views + (size_t)i * n;
        if (here != FLUID_NONE)
            st = f->backend->history(
                diag, f->solver, &here, 1, n,
                (double *const[]){at, at + each, at + 2 * each, at + 3 * each, at + 4 * each});
    }
    if (st == WEIR_OK)
        wi_ghosts_join(f, views, WI_FLUID_VIEWS * each);
    for (int k = 0; k < WI_FLUID_VIEWS && st == WEIR_OK; k++)
        if (of[k])
            memcpy(of[k], views + (size_t)k * each, each * sizeof *views);
    return st;
}

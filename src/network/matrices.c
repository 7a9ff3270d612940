
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "network/pairs.h"
#include "schema/pattern.h"

/* What a pair sends in one step. */
typedef struct cell {
    uint32_t src, dst, step, reserved;
    uint64_t rate_bps;
} cell;

typedef struct matrices {
    weir_diag *diag;
    wi_network *n;
    const weir_scenario_class *c;
    uint32_t cls;
    cell *cell;
    size_t n_cells;
    weir_status status;
} matrices;

/* A pair: its cells, in order of time. */
typedef struct pair_cells {
    size_t first, n;
    double sum_bps;
} pair_cells;

static weir_status no_memory(matrices *m)
{
    return m->status =
               weir_fail(m->diag, WEIR_E_NOMEM, "no memory for the matrices of class '%s'", m->c->name.text);
}

static void add_cell(matrices *m, const wi_pair *p, uint32_t step)
{
    if (!wi_grow_one(&m->cell, m->n_cells, sizeof *m->cell)) {
        (void)no_memory(m);
        return;
    }
    m->cell[m->n_cells++] = (cell){p->src, p->dst, step, 0, p->demand_bps};
}

WI_ORDER_BY(by_pair_and_step, cell,
            WI_ORDER(x->src, y->src) ?: WI_ORDER(x->dst, y->dst) ?: WI_ORDER(x->step, y->step))

/* Demands of one pair in one step add up. */
static void join_cells(matrices *m)
{
    size_t kept = 0;
    if (m->n_cells > 0)
        qsort(m->cell, m->n_cells, sizeof *m->cell, by_pair_and_step);
    for (size_t i = 0; i < m->n_cells; i++) {
        if (kept > 0 && by_pair_and_step(&m->cell[kept - 1], &m->cell[i]) == 0)
            m->cell[kept - 1].rate_bps += m->cell[i].rate_bps;
        else
            m->cell[kept++] = m->cell[i];
    }
    m->n_cells = kept;
}

static void add_rate(matrices *m, wi_net_flow_plan *flow, weir_time at_ps, uint64_t rate_bps)
{
    wi_net_plan *const plan = &m->n->plan;
    if (!wi_grow_one(&plan->rates, plan->n_rates, sizeof *plan->rates)) {
        (void)no_memory(m);
        return;
    }
    plan->rates[plan->n_rates++] = (wi_net_rate_plan){at_ps, rate_bps};
    flow->n_rates++;
}

/* Add the flow of a pair, with one change of rate for each step whose rate differs from the step before. */
static void add_flow(matrices *m, const pair_cells *p, size_t n_steps)
{
    const cell *cells = m->cell + p->first;
    wi_net_flow_plan flow = {.src = cells[0].src,
                             .dst = cells[0].dst,
                             .cls = (uint16_t)m->cls,
                             .start_ps = m->c->start_ps,
                             .first_rate = m->n->plan.n_rates};
    uint64_t before = 0;
    for (size_t step = 0, k = 0; step < n_steps && m->status == WEIR_OK; step++) {
        const weir_time at_ps = m->c->start_ps + (weir_time)step * m->c->demands.step_ps;
        const bool sends = k < p->n && cells[k].step == step;
        const uint64_t rate_bps = sends ? cells[k++].rate_bps : 0;
        if (step == 0)
            flow.rate_bps = rate_bps;
        else if (rate_bps != before)
            add_rate(m, &flow, at_ps, rate_bps);
        before = rate_bps;
    }
    if (m->status == WEIR_OK)
        m->status = wi_network_add_flow(m->diag, m->n, &flow);
}

WI_ORDER_BY(larger_first, pair_cells, WI_ORDER(y->sum_bps, x->sum_bps) ?: WI_ORDER(x->first, y->first))

static void add_flows(matrices *m, size_t n_steps)
{
    WI_FREED pair_cells *pairs = calloc(m->n_cells + 1, sizeof *pairs);
    size_t n = 0;
    if (!pairs) {
        (void)no_memory(m);
        return;
    }
    for (size_t i = 0; i < m->n_cells; i++) {
        const cell *c = &m->cell[i];
        if (i == 0 || c->src != c[-1].src || c->dst != c[-1].dst)
            pairs[n++].first = i;
        pairs[n - 1].n++;
        pairs[n - 1].sum_bps += (double)c->rate_bps;
    }
    const uint32_t most = m->c->demands.max_pairs;
    if (most && n > most) {
        qsort(pairs, n, sizeof *pairs, larger_first);
        n = most;
    }
    for (size_t i = 0; i < n && m->status == WEIR_OK; i++)
        add_flow(m, &pairs[i], n_steps);
}

/* Matrices that begin while the run goes on. */
static size_t steps_of(const matrices *m, size_t n_files)
{
    const weir_time left_ps = m->n->scenario->duration_ps - m->c->start_ps;
    const uint64_t steps = left_ps > 0 ? (uint64_t)((left_ps - 1) / m->c->demands.step_ps) + 1 : 0;
    if (steps >= n_files)
        return n_files;
    weir_warn_at(m->diag, WEIR_AT(m->c->where_place),
                 "class '%s': the run is over after %llu of %zu matrices; the others are not read",
                 m->c->name.text, (unsigned long long)steps, n_files);
    return steps;
}

static void read_matrices(matrices *m, const wi_files *files, size_t n)
{
    for (size_t i = 0; i < n && m->status == WEIR_OK; i++) {
        wi_pair_list pairs = {0};
        m->status = wi_network_demands(m->diag, m->n, m->c, files->path[i], &pairs);
        for (size_t k = 0; k < pairs.n && m->status == WEIR_OK; k++)
            if (pairs.item[k].demand_bps > 0)
                add_cell(m, &pairs.item[k], (uint32_t)i);
        free(pairs.item);
    }
}

weir_status wi_network_matrices(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario_class *c = &n->scenario->traffic[cls];
    const weir_place at = c->where_place;
    matrices m = {.diag = diag, .n = n, .c = c, .cls = cls};
    wi_files files;
    m.status = wi_files_find(diag, c->demands.file.text, &files);
    if (m.status == WEIR_OK && files.n == 0)
        m.status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(at), "class '%s': no file is called like %s",
                                c->name.text, c->demands.file.text);
    const size_t steps = m.status == WEIR_OK ? steps_of(&m, files.n) : 0;
    read_matrices(&m, &files, steps);
    wi_files_free(&files);
    join_cells(&m);
    if (m.status == WEIR_OK && m.n_cells == 0)
        m.status = weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(at),
                                "class '%s' has no demand of a bit per second in any matrix", c->name.text);
    if (m.status == WEIR_OK)
        add_flows(&m, steps);
    free(m.cell);
    return m.status;
}

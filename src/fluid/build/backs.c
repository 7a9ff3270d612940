/* Ways back: the ports that a flow's ACKs pass, and at each port the flows whose ACKs pass it. */
#include "fluid/state/internal.h"

/* ACKs alone may fill a link that is so many times slower than the one that their segments came by. */
enum { MUCH_SLOWER = 8, LONGEST_WAIT_S = 100 };

static bool has_acks(const weir_fluid_plan *plan, uint32_t flow)
{
    const weir_fluid_class *const c = &plan->classes[plan->flows[flow].cls];
    return !c->udp && c->ack_bytes > 0;
}

void wi_fluid_mark_backs(const weir_fluid_plan *plan, const wi_fluid_paths *paths, const uint32_t *edge_for,
                         uint32_t *port_of_edge)
{
    const weir_graph *const g = plan->graph;
    for (uint32_t f = 0; f < plan->n_flows; f++)
        for (uint64_t h = paths->first[f]; has_acks(plan, f) && h < paths->first[f + 1]; h++) {
            const uint32_t e = paths->edge[h], back = edge_for[g->reverse[e]];
            if (g->rate_bps[back] == 0 || g->rate_bps[back] > g->rate_bps[e] / MUCH_SLOWER)
                continue;
            const weir_fluid_queue *const q =
                &plan->queues[plan->queue_of_edge ? plan->queue_of_edge[back] : 0];
            if (8.0 * (double)q->limit_bytes <= LONGEST_WAIT_S * (double)g->rate_bps[back])
                port_of_edge[back] = 1;
        }
}

/* Ports on the way back of a flow of the tables, the last one first, into `to` if that is not null; how many. */
static uint32_t list_backs(const weir_fluid_plan *plan, const wi_fluid_paths *paths, uint32_t plan_flow,
                           const weir_fluid *fluid, uint32_t *to)
{
    uint32_t n = 0;
    for (uint64_t h = paths->first[plan_flow]; has_acks(plan, plan_flow) && h < paths->first[plan_flow + 1];
         h++) {
        const uint32_t port = fluid->port_of_edge[plan->graph->reverse[paths->edge[h]]];
        if (port == FLUID_NONE)
            continue;
        if (to)
            to[n] = port;
        n++;
    }
    return n;
}

/* The lists by port, from those by flow. */
static void turn_round(fluid_tables *t)
{
    for (uint32_t i = 0; i < t->n_backs; i++)
        t->ack_first[t->back_port[i] + 1]++;
    for (uint32_t p = 0; p < t->n_ports; p++)
        t->ack_first[p + 1] += t->ack_first[p];
    for (uint32_t f = t->n_flows; f-- > 0;)
        for (uint32_t i = t->back_first[f]; i < t->back_first[f + 1]; i++)
            t->ack_flow[--t->ack_first[t->back_port[i] + 1]] = f;
    /* Filled from their ends: each entry is now where its own port begins, one place too far on. */
    for (uint32_t p = 0; p < t->n_ports; p++)
        t->ack_first[p] = t->ack_first[p + 1];
    t->ack_first[t->n_ports] = t->n_backs;
}

weir_status wi_fluid_build_backs(weir_diag *diag, const weir_fluid_plan *plan, const wi_fluid_paths *paths,
                                 const uint32_t *path_of, weir_fluid *fluid)
{
    fluid_tables *const t = &fluid->tables;
    uint64_t n = 0;
    for (uint32_t f = 0; f < t->n_flows; f++)
        n += list_backs(plan, paths, path_of[f], fluid, NULL);
    if (n > UINT32_MAX)
        return weir_fail(diag, WEIR_E_NOMEM, "%.3g ports on the ways of the fluid's ACKs are too many",
                         (double)n);
    t->n_backs = (uint32_t)n;
    t->back_first = wi_fluid_array(diag, (uint64_t)t->n_flows + 1, sizeof *t->back_first, "ways back");
    t->back_port = wi_fluid_array(diag, n, sizeof *t->back_port, "ways back");
    t->ack_first = wi_fluid_array(diag, (uint64_t)t->n_ports + 1, sizeof *t->ack_first, "ways back");
    t->ack_flow = wi_fluid_array(diag, n, sizeof *t->ack_flow, "ways back");
    if (!t->back_first || !t->back_port || !t->ack_first || !t->ack_flow)
        return WEIR_E_NOMEM;
    for (uint32_t f = 0; f < t->n_flows; f++)
        t->back_first[f + 1] =
            t->back_first[f] + list_backs(plan, paths, path_of[f], fluid, t->back_port + t->back_first[f]);
    turn_round(t);
    return WEIR_OK;
}

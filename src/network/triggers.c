/*
 * Triggers as gates (net/transport/gate.h), each at the host whose flows it starts or whose flow sets it off.
 *
 *   oneshot, barrier:  a hub at the host of the first flow that is started, which needs as many as set it off; what is done at another
 *                      host reaches it from a gate there; flows of other hosts are started by a gate there that it reaches
 *   multishot:         the i-th flow has a gate of its own that needs i, and each of those that set it off feeds all of them
 */
#include "network/triggers.h"

#include <stdlib.h>

#include "base/order.h"
#include "base/memory.h"

#define REACH_PS WEIR_PS_PER_NS
enum { MULTISHOT_MOST = 1 << 20 };

/* A flow that a trigger starts, or that sets it off, at a host. */
typedef struct part {
    uint32_t trigger, node, flow;
    bool sent; /* at its last ACK; else at the arrival of its last byte */
} part;

typedef struct parts {
    part *item;
    size_t n;
} parts;

typedef struct triggers {
    weir_diag *diag;
    wi_network *n;
    const wi_flow_file *file;
    parts starts, set_offs; /* by trigger; starts by node and then by place in the list, set-offs by place */
    wi_flow_gates *gates;
    weir_status status;
} triggers;

static void no_memory(triggers *t)
{
    t->status = weir_fail(t->diag, WEIR_E_NOMEM, "no memory for triggers of %s", t->file->file);
}

static void put(triggers *t, parts *to, part one)
{
    if (t->status == WEIR_OK && !wi_grow_one(&to->item, to->n, sizeof *to->item))
        no_memory(t);
    if (t->status == WEIR_OK)
        to->item[to->n++] = one;
}

WI_ORDER_BY(by_trigger, part,
            WI_ORDER(x->trigger, y->trigger) ?: WI_ORDER(x->flow, y->flow) ?: WI_ORDER(x->sent, y->sent))

WI_ORDER_BY(by_node, part, WI_ORDER(x->node, y->node) ?: WI_ORDER(x->flow, y->flow))

/* A gate's number + 1. */
static uint32_t add_gate(triggers *t, uint32_t node, uint32_t needs, uint32_t to)
{
    wi_network *n = t->n;
    if (t->status == WEIR_OK && !wi_grow_one(&n->plan.gates, n->plan.n_gates, sizeof *n->plan.gates))
        no_memory(t);
    if (t->status != WEIR_OK)
        return 0;
    n->plan.gates[n->plan.n_gates++] =
        (wi_net_gate_plan){.node = node, .needs = needs, .to = to, .reach_ps = to ? REACH_PS : 0};
    return n->plan.n_gates;
}

/* A gate feeds another of its host; all that one feeds follow each other. */
static void feed(triggers *t, uint32_t from, uint32_t gate)
{
    wi_network *n = t->n;
    if (t->status == WEIR_OK &&
        !wi_grow_one(&n->plan.gate_feeds, n->plan.n_gate_feeds, sizeof *n->plan.gate_feeds))
        no_memory(t);
    if (t->status != WEIR_OK)
        return;
    wi_net_gate_plan *g = &n->plan.gates[from - 1];
    g->first_feed = g->n_feeds ? g->first_feed : n->plan.n_gate_feeds;
    g->n_feeds++;
    n->plan.gate_feeds[n->plan.n_gate_feeds++] = gate - 1;
}

/* What sets a trigger off feeds a gate of its own host. */
static void set_off(triggers *t, const part *by, uint32_t gate)
{
    *(by->sent ? &t->gates[by->flow].sent : &t->gates[by->flow].received) = gate;
}

static void fires_at_once(triggers *t, part *starts, size_t n, const part *by, size_t n_by)
{
    const uint32_t home = starts[0].node;
    const uint32_t hub = add_gate(t, home, (uint32_t)n_by, 0);
    qsort(starts, n, sizeof *starts, by_node);
    for (size_t i = 0, gate = 0; i < n && t->status == WEIR_OK; i++) {
        if (starts[i].node == home) {
            t->gates[starts[i].flow].after = hub;
            continue;
        }
        if (i == 0 || starts[i].node != starts[i - 1].node) {
            gate = add_gate(t, starts[i].node, 1, 0);
            feed(t, hub, add_gate(t, home, 1, (uint32_t)gate));
        }
        t->gates[starts[i].flow].after = (uint32_t)gate;
    }
    for (size_t i = 0; i < n_by && t->status == WEIR_OK; i++)
        set_off(t, &by[i], by[i].node == home ? hub : add_gate(t, by[i].node, 1, hub));
}

static void fires_in_turn(triggers *t, const wi_flow_trigger *trigger, const part *starts, size_t n,
                          const part *by, size_t n_by)
{
    if (n * n_by > MULTISHOT_MOST) {
        t->status = weir_fail_at(t->diag, WEIR_E_SCENARIO, t->file->file, trigger->line, 0,
                                 "trigger %u: %zu connections start one of %zu each, which is too many",
                                 trigger->id, n_by, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        t->gates[starts[i].flow].after = add_gate(t, starts[i].node, (uint32_t)i + 1u, 0);
    for (size_t k = 0; k < n_by && t->status == WEIR_OK; k++) {
        const uint32_t one = add_gate(t, by[k].node, 1, 0);
        set_off(t, &by[k], one);
        for (size_t i = 0; i < n && t->status == WEIR_OK; i++) {
            const uint32_t gate = t->gates[starts[i].flow].after;
            feed(t, one, starts[i].node == by[k].node ? gate : add_gate(t, by[k].node, 1, gate));
        }
    }
}

/* The parts of one trigger, from `at` on. */
static size_t run_of(const parts *of, size_t at, uint32_t trigger)
{
    size_t n = 0;
    while (at + n < of->n && of->item[at + n].trigger == trigger)
        n++;
    return n;
}

static void add_all(triggers *t)
{
    for (size_t i = 0, start = 0, by = 0; i < t->file->n_triggers && t->status == WEIR_OK; i++) {
        const size_t n = run_of(&t->starts, start, (uint32_t)i), n_by = run_of(&t->set_offs, by, (uint32_t)i);
        if (n > 0 && n_by > 0 && t->file->trigger[i].kind == WI_TRIGGER_MULTISHOT)
            fires_in_turn(t, &t->file->trigger[i], t->starts.item + start, n, t->set_offs.item + by, n_by);
        else if (n > 0)
            fires_at_once(t, t->starts.item + start, n, t->set_offs.item + by, n_by);
        start += n;
        by += n_by;
    }
}

weir_status wi_network_triggers(weir_diag *diag, wi_network *n, const wi_flow_file *file,
                                const uint32_t *node, wi_flow_gates **out)
{
    triggers t = {.diag = diag, .n = n, .file = file, .status = node ? WEIR_OK : WEIR_E_SCENARIO};
    t.gates = *out = calloc(file->n, sizeof *t.gates);
    if (!t.gates)
        no_memory(&t);
    for (size_t i = 0; i < file->n && t.status == WEIR_OK; i++) {
        const wi_listed_flow *f = &file->flow[i];
        const uint32_t flow = (uint32_t)i;
        if (f->after)
            put(&t, &t.starts, (part){f->after - 1, node[f->from], flow, false});
        if (f->sent)
            put(&t, &t.set_offs, (part){f->sent - 1, node[f->from], flow, true});
        if (f->received)
            put(&t, &t.set_offs, (part){f->received - 1, node[f->to], flow, false});
    }
    if (t.starts.n > 0)
        qsort(t.starts.item, t.starts.n, sizeof *t.starts.item, by_trigger);
    if (t.set_offs.n > 0)
        qsort(t.set_offs.item, t.set_offs.n, sizeof *t.set_offs.item, by_trigger);
    if (t.status == WEIR_OK)
        add_all(&t);
    free(t.starts.item);
    free(t.set_offs.item);
    return t.status;
}

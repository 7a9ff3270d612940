/* The flows of a class that a list in a file gives. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/triggers.h"
#include "network/network.h"

typedef struct listed {
    weir_diag *diag;
    wi_network *n;
    uint32_t cls;
    const wi_flow_file *file;
    uint32_t *node; /* [file->node.count] of the graph; UINT32_MAX: not looked up yet */
    weir_status status;
} listed;

static uint32_t node_of(listed *l, uint32_t name, int line)
{
    const weir_place place = {l->file->file, line, 0};
    if (l->node[name] == UINT32_MAX)
        l->node[name] = wi_network_node(l->diag, l->n, wi_names_text(&l->file->node, name), place);
    if (l->node[name] == UINT32_MAX)
        l->status = WEIR_E_SCENARIO;
    return l->node[name];
}

/* All of the list's nodes, looked up. */
static const uint32_t *nodes_of(listed *l)
{
    for (size_t i = 0; i < l->file->n; i++) {
        (void)node_of(l, l->file->flow[i].from, l->file->flow[i].line);
        (void)node_of(l, l->file->flow[i].to, l->file->flow[i].line);
    }
    return l->status == WEIR_OK ? l->node : NULL;
}

/* htsim ends where its list is of other nodes than its topology: flows may be of others than they are meant for. */
static void compare_nodes(const listed *l)
{
    const weir_graph *const g = l->n->graph;
    uint32_t hosts = 0;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        hosts += g->role[v] == WEIR_HOST;
    if (l->file->n_nodes > 0 && hosts > 0 && l->file->n_nodes != hosts)
        weir_warn_at(l->diag, l->file->file, 1, 0,
                     "%u nodes are stated, and the topology has %u hosts: htsim ends here. Is it the list's?",
                     l->file->n_nodes, hosts);
}

/* A class that a line names is one of the scenario's. */
static void check_classes(listed *l)
{
    const weir_scenario *s = l->n->scenario;
    for (uint32_t i = 0; i < l->file->cls.count; i++) {
        const char *name = wi_names_text(&l->file->cls, i);
        int line = 0;
        bool known = false;
        for (size_t k = 0; k < s->n_traffic && !known; k++)
            known = strcmp(s->traffic[k].name.text, name) == 0;
        for (size_t k = 0; k < l->file->n && !line; k++)
            line = l->file->flow[k].cls == i ? l->file->flow[k].line : 0;
        if (!known)
            l->status = weir_fail_at(l->diag, WEIR_E_SCENARIO, l->file->file, line, 0,
                                     "no class '%s' in the scenario's traffic", name);
    }
}

/* When a flow of the list starts; what time cannot hold is after any end. */
static weir_time start_of(const weir_scenario_class *c, const wi_listed_flow *f)
{
    const weir_time most = WEIR_TIME_MAX / 2 / c->start_unit_ps;
    return c->start_ps + (f->at_ps < most ? f->at_ps * c->start_unit_ps : WEIR_TIME_MAX / 2);
}

static void add_flows(listed *l, const wi_flow_gates *gates)
{
    const weir_scenario_class *c = &l->n->scenario->traffic[l->cls];
    const uint32_t own = wi_names_find(&l->file->cls, c->name.text, strlen(c->name.text));
    size_t n = 0, late = 0;
    for (size_t i = 0; i < l->file->n && l->status == WEIR_OK; i++) {
        const wi_listed_flow *f = &l->file->flow[i];
        if (f->cls != WI_NO_NAME && f->cls != own)
            continue;
        const wi_net_flow_plan flow = {.src = node_of(l, f->from, f->line),
                                       .dst = node_of(l, f->to, f->line),
                                       .cls = (uint16_t)l->cls,
                                       .start_ps = start_of(c, f),
                                       .size_bytes = f->bytes,
                                       .after = gates ? gates[i].after : 0,
                                       .feeds = gates ? gates[i].received : 0,
                                       .sent_feeds = gates ? gates[i].sent : 0};
        if (l->status == WEIR_OK && f->part_bytes % c->tcp.mss_bytes != 0)
            l->status = weir_fail_at(
                l->diag, WEIR_E_SCENARIO, l->file->file, f->line, 0,
                "'msg' is refused: messages of this connection end within segments; want sizes that are "
                "multiples of tcp.mss, %u bytes",
                c->tcp.mss_bytes);
        n++;
        if (flow.start_ps >= l->n->scenario->duration_ps)
            late++;
        else if (l->status == WEIR_OK)
            l->status = wi_network_add_flow(l->diag, l->n, &flow);
    }
    const weir_place at = c->where_place;
    if (l->status == WEIR_OK && n == 0)
        l->status = weir_fail_at(l->diag, WEIR_E_SCENARIO, WEIR_AT(at), "class '%s' has no flow in %s",
                                 c->name.text, l->file->file);
    else if (l->status == WEIR_OK && late > 0)
        weir_warn_at(l->diag, WEIR_AT(at),
                     "class '%s': %zu of %zu flows of %s begin when the run is over, and are left out",
                     c->name.text, late, n, l->file->file);
}

weir_status wi_network_listed(weir_diag *diag, wi_network *n, uint32_t cls)
{
    const weir_scenario_class *c = &n->scenario->traffic[cls];
    wi_flow_file *file = NULL;
    WI_RETURN_IF_FAILED(wi_flow_file_read(wi_source_file(diag, c->flows.text), &file));
    listed l = {.diag = diag, .n = n, .cls = cls, .file = file, .status = WEIR_OK};
    l.node = malloc(((size_t)file->node.count + 1) * sizeof *l.node);
    if (!l.node)
        l.status = weir_fail(diag, WEIR_E_NOMEM, "no memory for the flows of class '%s'", c->name.text);
    for (uint32_t i = 0; l.node && i < file->node.count; i++)
        l.node[i] = UINT32_MAX;
    if (l.status == WEIR_OK && c->start_unit_ps != 1 && !file->of_htsim)
        l.status = weir_fail_at(
            diag, WEIR_E_SCENARIO, WEIR_AT(c->where_place),
            "class '%s': start_unit is for htsim's connections; the times in %s have units of their own",
            c->name.text, file->file);
    if (l.status == WEIR_OK) {
        compare_nodes(&l);
        check_classes(&l);
    }
    WI_FREED wi_flow_gates *gates = NULL;
    if (l.status == WEIR_OK && file->n_triggers > 0)
        l.status = wi_network_triggers(diag, n, file, nodes_of(&l), &gates);
    if (l.status == WEIR_OK)
        add_flows(&l, gates);
    /* Each flow brings its own size; the largest bounds what is kept of windows. */
    n->plan.classes[cls].params.size = weir_dist_constant((double)file->most_bytes);
    free(l.node);
    wi_flow_file_free(file);
    return l.status;
}

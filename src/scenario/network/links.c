/* The graph of a scenario: loaded or generated, filled in, and each link's own rate, delay, loss and queue.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "net/port/queues.h"
#include "scenario/network/network.h"
#include "weir/run.h"
#include "weir/topology.h"
#include "weir/units.h"

static weir_status load_graph(weir_diag *diag, wi_network *n)
{
    static const char *const formats[] = {
        [WEIR_SC_FORMAT_GRAPHML] = "graphml",       [WEIR_SC_FORMAT_CCH] = "cch",
        [WEIR_SC_FORMAT_EDGES] = "edges",           [WEIR_SC_FORMAT_BRITE] = "brite",
        [WEIR_SC_FORMAT_BRITE_CONF] = "brite-conf", [WEIR_SC_FORMAT_WEIGHTS] = "weights",
        [WEIR_SC_FORMAT_LATENCIES] = "latencies",   [WEIR_SC_FORMAT_AS_REL] = "as-rel",
        [WEIR_SC_FORMAT_SNDLIB] = "sndlib",         [WEIR_SC_FORMAT_INET] = "inet",
        [WEIR_SC_FORMAT_ORBIS] = "orbis",           [WEIR_SC_FORMAT_GML] = "gml",
        [WEIR_SC_FORMAT_REPETITA] = "repetita"};
    const weir_scenario_topology *t = &n->scenario->topology;
    weir_topology_options options;
    weir_topology_options_init(&options);
    options.format = formats[t->format];
    options.seed = n->scenario->seed;
    options.brite_engine = (weir_brite_engine)t->brite.engine;
    options.brite_codes = (weir_brite_codes)t->brite.codes;
    if (t->keys.place.file)
        options.keys = (weir_topology_keys){.rate = t->keys.rate,
                                            .delay = t->keys.delay,
                                            .weight = t->keys.weight,
                                            .rate_unit_bps = t->keys.rate_unit_bps,
                                            .delay_unit_ps = t->keys.delay_unit_ps,
                                            .name = t->keys.name};
    return weir_topology_load(diag, t->file.text, &options, &n->graph);
}

static weir_status unknown_model(weir_diag *diag, const weir_name *model)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    size_t n = 0;
    const weir_generator *const *all = weir_generators(&n);
    n = n < NAMES_MAX ? n : NAMES_MAX;
    for (size_t i = 0; i < n; i++)
        names[i] = all[i]->name;
    const char *near = wi_nearest(model->text, names, n);
    return weir_fail_at(diag, WEIR_E_SCENARIO, model->place.file, model->place.line, model->place.column,
                        "no topology model '%s' (%s '%s'?)", model->text,
                        near ? "did you mean" : "what about", near ? near : names[0]);
}

/* The parameter `engine` of BRITE's models, from topology.brite; refused where it is given twice, or the model
 * has none. */
static weir_status add_engine(weir_diag *diag, const weir_scenario_topology *t, weir_generator_arg *args,
                              size_t *n_args)
{
    static const char *const words[] = {"cpp", "java", "model"};
    const weir_place place = t->brite.place;
    const weir_generator *g = weir_generator_find(t->model.text);
    bool has = false;
    if (!place.file)
        return WEIR_OK;
    for (size_t i = 0; i < g->n_params; i++)
        has |= strcmp(g->params[i].name, "engine") == 0;
    for (size_t i = 0; i < *n_args; i++)
        if (strcmp(args[i].name, "engine") == 0)
            return weir_fail_at(diag, WEIR_E_SCENARIO, place.file, place.line, place.column,
                                "the engine is given here and as a parameter of %s; keep one", g->name);
    if (!has)
        return weir_fail_at(diag, WEIR_E_SCENARIO, place.file, place.line, place.column,
                            "brite is for models of BRITE, and '%s' is none", g->name);
    args[(*n_args)++] =
        (weir_generator_arg){"engine", words[t->brite.engine], place.file, place.line, place.column};
    return WEIR_OK;
}

static weir_status generate_graph(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    if (!weir_generator_find(t->model.text))
        return unknown_model(diag, &t->model);
    weir_generator_arg *args = calloc(t->n_params + 2, sizeof *args);
    if (!args)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a topology");
    for (size_t i = 0; i < t->n_params; i++) {
        const weir_place place = t->param[i].value.place;
        args[i] = (weir_generator_arg){t->param[i].name.text, t->param[i].value.text, place.file, place.line,
                                       place.column};
    }
    size_t n_args = t->n_params;
    weir_status status = add_engine(diag, t, args, &n_args);
    if (status == WEIR_OK)
        status = weir_topology_generate(diag, t->model.text, args, n_args, n->scenario->seed, &n->graph);
    free(args);
    return status;
}

/* What links were given that the file leaves out, unless the scenario gives it another than the default. */
static void say_assumed(weir_diag *diag, const wi_network *n, const weir_link_defaults *used)
{
    char text[WEIR_UNITS_TEXT];
    weir_link_defaults usual;
    weir_link_defaults_init(&usual);
    const uint32_t links = n->graph->n_edges / 2;
    if (n->filled.rates_filled > 0 && used->rate_bps == usual.rate_bps && !used->override_rate)
        weir_warn(diag, "%u of %u links have no rate in the topology and take topology.link.rate, %s",
                  n->filled.rates_filled, links, weir_format_rate(used->rate_bps, text));
    if (n->filled.delays_filled > 0 && used->delay_ps == usual.delay_ps && !used->override_delay)
        weir_warn(diag,
                  "%u of %u links have no delay in the topology, nor coordinates of both ends, and take "
                  "topology.link.delay, %s",
                  n->filled.delays_filled, links, weir_format_time(used->delay_ps, text));
}

/* And what the scenario gives them in vain, as each has its own. */
static void say_unused(weir_diag *diag, const wi_network *n, const weir_link_defaults *used)
{
    char text[WEIR_UNITS_TEXT];
    weir_link_defaults usual;
    weir_link_defaults_init(&usual);
    if (n->filled.rates_filled == 0 && used->rate_bps != usual.rate_bps && !used->override_rate)
        weir_warn(diag,
                  "no link takes topology.link.rate, %s, as all have a rate of their own; with "
                  "topology.link.override "
                  "they would",
                  weir_format_rate(used->rate_bps, text));
    if (n->filled.delays_filled == 0 && used->delay_ps != usual.delay_ps && !used->override_delay)
        weir_warn(
            diag,
            "no link takes topology.link.delay, %s, as all have a delay or coordinates of their own; with "
            "topology.link.override they would",
            weir_format_time(used->delay_ps, text));
}

static weir_status fill_graph(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    weir_link_defaults defaults;
    weir_link_defaults_init(&defaults);
    defaults.rate_bps = t->link.rate_bps;
    defaults.delay_ps = t->link.delay_ps;
    defaults.km_per_s = t->signal_speed_km_per_s;
    defaults.delay_from_xy = t->link.delay_from_coordinates;
    defaults.override_rate =
        t->link.override == WEIR_SC_OVERRIDE_RATE || t->link.override == WEIR_SC_OVERRIDE_BOTH;
    defaults.override_delay =
        t->link.override == WEIR_SC_OVERRIDE_DELAY || t->link.override == WEIR_SC_OVERRIDE_BOTH;
    const weir_status status = weir_graph_fill(diag, n->graph, &defaults, &n->filled);
    if (status == WEIR_OK) {
        say_assumed(diag, n, &defaults);
        say_unused(diag, n, &defaults);
    }
    return status;
}

static wi_net_queue_plan queue_plan(const weir_scenario_queue *q)
{
    wi_net_queue_plan plan = {
        .type = (uint32_t)q->type, .limit_bytes = q->limit_bytes, .limit_packets = q->limit_packets};
    memcpy(plan.asked, q->asked, sizeof plan.asked);
    return plan;
}

/* The edges of one override's links, one link name after another; `act` is called for each. */
typedef void (*edge_action)(wi_network *n, uint32_t edge, const void *arg);

static void for_edges(weir_diag *diag, wi_network *n, const weir_link_names *links, edge_action act,
                      const void *arg)
{
    wi_number_list edges = {0};
    for (size_t i = 0; i < links->n; i++)
        if (wi_network_edges(diag, n, &links->item[i], &edges) != WEIR_OK)
            break;
    for (uint32_t k = 0; k < edges.n; k++)
        act(n, edges.item[k], arg);
    wi_number_list_free(&edges);
}

static void override_link(wi_network *n, uint32_t edge, const weir_scenario_link_override *o)
{
    weir_graph_set_edge(n->graph, edge, o->rate_bps, o->delay_ps);
    if (o->loss >= 0.0)
        n->edge_loss[edge] = o->loss;
}

static weir_status override_links(weir_diag *diag, wi_network *n, const weir_scenario_link_override *o)
{
    wi_number_list edges = {0};
    weir_status status = WEIR_OK;
    for (size_t i = 0; i < o->link.n && status == WEIR_OK; i++)
        status = wi_network_edges(diag, n, &o->link.item[i], &edges);
    for (uint32_t k = 0; k < edges.n; k++)
        override_link(n, edges.item[k], o);
    if (status == WEIR_OK)
        status = wi_network_impair(diag, n, o, &edges);
    wi_number_list_free(&edges);
    return status;
}

static void override_queue(wi_network *n, uint32_t edge, const void *arg)
{
    n->edge_queue[edge] = *(const uint32_t *)arg;
}

static void set_losses(wi_network *n)
{
    const weir_graph *g = n->graph;
    for (uint32_t v = 0; v < g->n_nodes; v++)
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
            if (g->role[v] == WEIR_ROUTER && g->role[g->target[e]] == WEIR_ROUTER)
                n->edge_loss[e] = n->scenario->topology.loss;
}

static weir_status set_queues(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    enum { ROUTERS, HOSTS, ACCESS, OVERRIDES };
    n->queues = calloc(t->n_queues + OVERRIDES, sizeof *n->queues);
    if (!n->queues)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for queues");
    n->queues[ROUTERS] = queue_plan(&t->queue);
    n->queues[HOSTS] = queue_plan(&t->host_queue);
    if (t->shared_buffer.pfc.place.file && n->queues[HOSTS].type == NET_QUEUE_DROPTAIL) {
        n->queues[HOSTS].type = NET_QUEUE_PRIORITY; /* which obeys pauses, and marks nothing unless told to */
        memset(n->queues[HOSTS].asked, 0, sizeof n->queues[HOSTS].asked);
    }
    n->queues[ACCESS] = queue_plan(t->access.queue.place.file ? &t->access.queue : &t->queue);
    n->n_queues = OVERRIDES;
    for (size_t i = 0; i < t->n_queues; i++) {
        const uint32_t number = n->n_queues++;
        n->queues[number] = queue_plan(&t->queues[i].queue);
        for_edges(diag, n, &t->queues[i].link, override_queue, &number);
    }
    return WEIR_OK;
}

weir_status wi_network_links(weir_diag *diag, wi_network *n)
{
    const weir_scenario_topology *t = &n->scenario->topology;
    const size_t errors = weir_diag_errors(diag);
    weir_status status = t->file.text ? load_graph(diag, n) : generate_graph(diag, n);
    if (status == WEIR_OK)
        status = fill_graph(diag, n);
    if (status != WEIR_OK)
        return status;
    n->edge_queue = calloc((size_t)n->graph->n_edges + 1, sizeof *n->edge_queue);
    n->edge_loss = calloc((size_t)n->graph->n_edges + 1, sizeof *n->edge_loss);
    if (!n->edge_queue || !n->edge_loss)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for %u links", n->graph->n_edges);
    set_losses(n);
    status = set_queues(diag, n);
    for (size_t i = 0; i < t->n_links; i++) {
        const weir_status one = override_links(diag, n, &t->links[i]);
        status = status == WEIR_OK ? one : status;
    }
    if (status == WEIR_OK)
        wi_network_follow_traces(n);
    if (status == WEIR_OK && weir_diag_errors(diag) > errors)
        status = WEIR_E_SCENARIO;
    return status;
}

weir_status weir_scenario_graph(weir_diag *diag, const weir_scenario *scenario, weir_graph **out)
{
    wi_network n = {.scenario = scenario};
    const weir_scenario_topology *t = &scenario->topology;
    *out = NULL;
    if (!t->file.text && !t->model.text)
        return weir_fail(diag, WEIR_E_ARG, "this scenario has no topology: its model makes its own entities");
    weir_status status = t->file.text ? load_graph(diag, &n) : generate_graph(diag, &n);
    if (status == WEIR_OK)
        status = fill_graph(diag, &n);
    if (status == WEIR_OK)
        *out = n.graph;
    else
        weir_graph_free(n.graph);
    return status;
}

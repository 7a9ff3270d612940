/*
 * The graph of a scenario: loaded or generated. Runs of a study that name the same one have its nodes and links in common,
 * made once, and each has rates and delays of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/memory.h"
#include "base/common/common.h"
#include "network/pairs.h"
#include "topology/builder.h"
#include "weir/topology.h"

static weir_status load_graph(weir_diag *diag, const weir_scenario *scenario, weir_graph **out)
{
    static const char *const formats[] = {[WEIR_SC_FORMAT_GRAPHML] = "graphml",
                                          [WEIR_SC_FORMAT_CCH] = "cch",
                                          [WEIR_SC_FORMAT_EDGES] = "edges",
                                          [WEIR_SC_FORMAT_BRITE] = "brite",
                                          [WEIR_SC_FORMAT_BRITE_CONF] = "brite-conf",
                                          [WEIR_SC_FORMAT_WEIGHTS] = "weights",
                                          [WEIR_SC_FORMAT_LATENCIES] = "latencies",
                                          [WEIR_SC_FORMAT_AS_REL] = "as-rel",
                                          [WEIR_SC_FORMAT_SNDLIB] = "sndlib",
                                          [WEIR_SC_FORMAT_INET] = "inet",
                                          [WEIR_SC_FORMAT_ORBIS] = "orbis",
                                          [WEIR_SC_FORMAT_GML] = "gml",
                                          [WEIR_SC_FORMAT_REPETITA] = "repetita",
                                          [WEIR_SC_FORMAT_SNDLIB_XML] = "sndlib-xml",
                                          [WEIR_SC_FORMAT_CODES] = "codes",
                                          [WEIR_SC_FORMAT_NS3_RDMA] = "ns3-rdma",
                                          [WEIR_SC_FORMAT_HTSIM] = "htsim"};
    const weir_scenario_topology *t = &scenario->topology;
    weir_topology_options options;
    weir_topology_options_init(&options);
    options.format = formats[t->format];
    options.seed = scenario->seed;
    options.brite_engine = (weir_brite_engine)t->brite.engine;
    options.brite_codes = (weir_brite_codes)t->brite.codes;
    options.modules = (weir_modules)t->modules;
    if (t->keys.place.file)
        options.keys = (weir_topology_keys){.rate = t->keys.rate,
                                            .delay = t->keys.delay,
                                            .weight = t->keys.weight,
                                            .rate_unit_bps = t->keys.rate_unit_bps,
                                            .delay_unit_ps = t->keys.delay_unit_ps,
                                            .name = t->keys.name};
    return weir_topology_load(diag, t->file.text, &options, out);
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
    return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(model->place), "no topology model '%s'%s", model->text,
                        WI_HINT(model->text, names, n));
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
            return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(place),
                                "the engine is given here and as a parameter of %s; keep one", g->name);
    if (!has)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(place),
                            "brite is for models of BRITE, and '%s' is none", g->name);
    args[(*n_args)++] =
        (weir_generator_arg){"engine", words[t->brite.engine], place.file, place.line, place.column};
    return WEIR_OK;
}

/* Pairs of all nodes are refused before a large graph is made for nothing. */
static weir_status check_all_pairs(weir_diag *diag, const weir_scenario *scenario,
                                   const weir_generator_arg *args, size_t n_args)
{
    double ends = 0.0;
    weir_status status = weir_topology_ends(diag, scenario->topology.model.text, args, n_args, &ends);
    for (size_t i = 0; i < scenario->n_traffic && status == WEIR_OK && ends <= UINT32_MAX; i++)
        if (scenario->traffic[i].where == WEIR_SC_PAIRS_ALL || scenario->traffic[i].where == WEIR_SC_GRAVITY)
            status = wi_pairs_check(diag, &scenario->traffic[i], (uint64_t)(ends * (ends - 1.0)));
    return status;
}

static weir_status generate_graph(weir_diag *diag, const weir_scenario *scenario, weir_graph **out)
{
    const weir_scenario_topology *t = &scenario->topology;
    if (!weir_generator_find(t->model.text))
        return unknown_model(diag, &t->model);
    WI_FREED weir_generator_arg *args = calloc(t->n_params + 2, sizeof *args);
    if (!args)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for a topology");
    for (size_t i = 0; i < t->n_params; i++) {
        const weir_place place = t->param[i].value.place;
        args[i] = (weir_generator_arg){t->param[i].name.text, t->param[i].value.text, place.file, place.line,
                                       place.column};
    }
    size_t n_args = t->n_params;
    return add_engine(diag, t, args, &n_args)
            ?: check_all_pairs(diag, scenario, args, n_args)
            ?: weir_topology_generate(diag, t->model.text, args, n_args, scenario->seed, out);
}

static weir_status make_graph(weir_diag *diag, const weir_scenario *scenario, weir_graph **out)
{
    return scenario->topology.file.text ? load_graph(diag, scenario, out)
                                        : generate_graph(diag, scenario, out);
}

/* ---- in common ---- */

static weir_status make_shared(weir_diag *diag, void *user, void **made, uint64_t *bytes)
{
    weir_graph *graph = NULL;
    const weir_status status = make_graph(diag, user, &graph);
    if (status == WEIR_OK)
        *bytes = wi_graph_bytes(graph);
    *made = graph;
    return status;
}

static void free_shared(void *made)
{
    weir_graph_free(made);
}

static const wi_common_kind graphs = {make_shared, free_shared};

static void fold_text(wi_common_key *key, const char *text)
{
    wi_common_key_fold(key, text, text ? strlen(text) : 0);
}

/* Return the SHA-256 of the file that key `of` names; null without such a file, or where it cannot be read (loading it
 * reports that). */
static const char *content_of(const weir_scenario *s, const char *of)
{
    for (size_t i = 0; i < s->n_inputs; i++)
        if (strcmp(s->inputs[i].of, of) == 0)
            return s->inputs[i].sha256;
    return NULL;
}

/* Make the key under which runs share a graph: everything that load_graph and generate_graph read. */
static wi_common_key key_of(const weir_scenario *s)
{
    const weir_scenario_topology *t = &s->topology;
    const uint64_t numbers[] = {s->seed,
                                (uint64_t)t->format,
                                (uint64_t)t->brite.engine,
                                (uint64_t)t->brite.codes,
                                (uint64_t)t->modules,
                                t->brite.place.file != NULL,
                                t->keys.place.file != NULL,
                                t->keys.rate_unit_bps,
                                (uint64_t)t->keys.delay_unit_ps,
                                t->n_params};
    wi_common_key key = {"graph"};
    wi_common_key_fold(&key, numbers, sizeof numbers);
    fold_text(&key, t->file.text);
    fold_text(&key, content_of(s, "topology.file"));
    fold_text(&key, content_of(s, "topology.file.intra"));
    fold_text(&key, t->keys.rate);
    fold_text(&key, t->keys.delay);
    fold_text(&key, t->keys.weight);
    fold_text(&key, t->keys.name);
    fold_text(&key, t->model.text);
    for (size_t i = 0; i < t->n_params; i++) {
        fold_text(&key, t->param[i].name.text);
        fold_text(&key, t->param[i].value.text);
    }
    return key;
}

static weir_status take_shared(weir_diag *diag, wi_network *n)
{
    const weir_scenario *s = n->scenario;
    n->plan.graph_key = key_of(s);
    WI_RETURN_IF_FAILED(wi_common_acquire(s->shared, diag, &graphs, &n->plan.graph_key,
                                          (weir_scenario *)(uintptr_t)s, &n->shared_graph));
    n->graph = wi_graph_view(wi_common_made(n->shared_graph));
    return n->graph ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory for the links of a topology");
}

weir_status wi_network_graph(weir_diag *diag, wi_network *n)
{
    return n->scenario->shared ? take_shared(diag, n) : make_graph(diag, n->scenario, &n->graph);
}

void wi_network_free_graph(wi_network *n)
{
    weir_graph_free(n->graph);
    wi_common_release(n->shared_graph);
}

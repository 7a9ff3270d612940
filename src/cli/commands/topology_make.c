/* weir topology models, names, generate and convert. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal/cli.h"
#include "base/memory.h"
#include "cli/commands/graphs.h"
#include "weir/topology.h"
#include "weir/units.h"

/* ---- --set ---- */

/* --set NAME=VALUE as parameters of a generator. Texts are cut in place. `seed` is the seed. */
static weir_status take_sets(weir_diag *diag, const cli_args *args, weir_generator_arg *arg, size_t *n,
                             uint64_t *seed)
{
    char why[160];
    *n = 0;
    for (size_t i = 0; i < args->n_sets; i++) {
        char *const value = strchr(args->sets[i], '=') + 1;
        value[-1] = '\0';
        if (strcmp(args->sets[i], "seed") != 0)
            arg[(*n)++] = (weir_generator_arg){.name = args->sets[i], .value = value};
        else if (!weir_parse_count(value, seed, why, sizeof why))
            return weir_fail(diag, WEIR_E_ARG, "--seed: %s", why);
    }
    return WEIR_OK;
}

/* ---- what there is to generate ---- */

static const char *dimension_word(const weir_generator_param *p)
{
    static const char *const words[] = {"count", "rate", "time", "number", ""};
    return p->dimension == WEIR_WORD ? p->words : words[p->dimension];
}

static json_t *models_json(void)
{
    size_t n;
    json_t *list = json_array();
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "model", all[i]->name, "doc", all[i]->doc));
    return list;
}

static json_t *params_json(const weir_generator *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->n_params; i++) {
        const weir_generator_param *p = &g->params[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", p->name, "kind",
                                              dimension_word(p), "default", p->default_text, "doc", p->doc,
                                              "also", p->also));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "model", g->name, "doc", g->doc, "names", g->names, "parameters",
                     list);
}

static void list_models(void)
{
    size_t n;
    const weir_generator *const *all = weir_generators(&n);
    for (size_t i = 0; i < n; i++)
        printf("%-16s %s\n", all[i]->name, all[i]->doc);
}

static void list_params(const weir_generator *g)
{
    printf("%s: %s\n\nnames: %s\n\n", g->name, g->doc, g->names);
    for (size_t i = 0; i < g->n_params; i++) {
        const weir_generator_param *p = &g->params[i];
        printf("  %-18s %-14s %s%s%s\n", p->name, p->default_text, p->doc, p->also ? "; also called " : "",
               p->also ? p->also : "");
        printf("  %-18s %-14s (%s)\n", "", "", dimension_word(p));
    }
}

/* ---- generate ---- */

/* One word out of three; its number, or -1 with a message. */
static int one_of(weir_diag *diag, const weir_generator_arg *arg, const char *const words[3])
{
    for (int i = 0; i < 3; i++)
        if (strcmp(arg->value, words[i]) == 0)
            return i;
    weir_fail(diag, WEIR_E_ARG, "%s wants %s, %s or %s, not '%s'", arg->name, words[0], words[1], words[2],
              arg->value);
    return -1;
}

/* A BRITE configuration takes three settings: the seed, the engine and what its codes mean. */
static weir_status from_conf(weir_diag *diag, const char *path, const weir_generator_arg *arg, size_t n,
                             uint64_t seed, weir_graph **graph)
{
    static const char *const engines[3] = {"cpp", "java", "model"};
    static const char *const codes[3] = {"engine", "manual", "java"};
    weir_topology_options options;
    weir_topology_options_init(&options);
    options.seed = seed;
    options.format = "brite-conf";
    for (size_t i = 0; i < n; i++) {
        const bool engine = strcmp(arg[i].name, "engine") == 0;
        if (!engine && strcmp(arg[i].name, "codes") != 0)
            return weir_fail(diag, WEIR_E_ARG,
                             "a BRITE configuration has its parameters itself; --set knows only engine and "
                             "codes, not '%s'",
                             arg[i].name);
        const int word = one_of(diag, &arg[i], engine ? engines : codes);
        if (word < 0)
            return WEIR_E_ARG;
        if (engine)
            options.brite_engine = (weir_brite_engine)word;
        else
            options.brite_codes = (weir_brite_codes)word;
    }
    return weir_topology_load(diag, path, &options, graph);
}

/* What is not the name of a generator and looks like a file is a configuration. */
static bool is_conf(const char *model)
{
    const size_t n = strlen(model);
    return !weir_generator_find(model) &&
           (strchr(model, '/') || (n > 5 && strcmp(model + n - 5, ".conf") == 0));
}

/* A file that is there, of any format, where no generator has its name. */
static bool is_file(const char *model)
{
    struct stat about;
    return !weir_generator_find(model) && stat(model, &about) == 0;
}

static weir_status generate(weir_diag *diag, const cli_args *args, weir_graph **graph)
{
    const char *model = args->operands[0];
    uint64_t seed = 1;
    size_t n = 0;
    WI_FREED weir_generator_arg *arg = calloc(args->n_sets + 1, sizeof *arg);
    if (!arg)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for the command line");
    weir_status st = take_sets(diag, args, arg, &n, &seed);
    if (st == WEIR_OK)
        st = is_conf(model) ? from_conf(diag, model, arg, n, seed, graph)
                            : weir_topology_generate(diag, model, arg, n, seed, graph);
    return st;
}

/* ---- writing ---- */

static weir_status print_to_stdout(weir_diag *diag, const weir_graph *graph, const char *format)
{
    char *text;
    size_t size;
    const weir_status st = weir_topology_print(diag, graph, format, &text, &size);
    if (st == WEIR_OK)
        fwrite(text, 1, size, stdout);
    free(text);
    return st;
}

static weir_status may_write(weir_diag *diag, const char *path, bool force)
{
    struct stat about;
    if (force || stat(path, &about) != 0)
        return WEIR_OK;
    return weir_fail(diag, WEIR_E_IO, "%s is there already; --force replaces it", path);
}

/* Before anything is made or read: where it goes, and in which format. */
static weir_status check_targets(weir_diag *diag, const cli_args *args)
{
    const bool to_file = args->output && strcmp(args->output, "-") != 0;
    if (args->output && !to_file && !args->format)
        return weir_fail(diag, WEIR_E_ARG, "-o -: say which format by --format");
    if (args->output && !to_file && args->json)
        return weir_fail(diag, WEIR_E_ARG, "-o - and --json both take standard output; want one of them");
    weir_status st = WEIR_OK;
    if (args->output)
        st = weir_topology_write_check(diag, args->format, args->output);
    if (st == WEIR_OK && to_file)
        st = may_write(diag, args->output, args->force);
    return st == WEIR_OK && args->plot ? may_write(diag, args->plot, args->force) : st;
}

static weir_status write_all(weir_diag *diag, const weir_graph *graph, const cli_args *args)
{
    weir_status st = WEIR_OK;
    if (args->output && strcmp(args->output, "-") == 0)
        st = print_to_stdout(diag, graph, args->format);
    else if (args->output)
        st = weir_topology_write(diag, graph, args->format, args->output);
    if (st == WEIR_OK && args->plot)
        st = weir_topology_plot(diag, graph, args->plot);
    if (st == WEIR_OK && args->json)
        st = cli_print_json(diag, json_pack("{s:s?, s:s?, s:I, s:I}", "topology", args->output, "plot",
                                            args->plot, "nodes", (json_int_t)graph->n_nodes, "links",
                                            (json_int_t)(graph->n_edges / 2)));
    return st;
}

/* Where nothing is written, the graph is measured. */
static weir_status finish(weir_diag *diag, const weir_graph *graph, const cli_args *args)
{
    return args->output || args->plot ? write_all(diag, graph, args)
                                      : cli_print_topology(diag, graph, NULL, args);
}

CLI_COMMAND(topology_models)
{
    weir_graph *none = NULL;
    const weir_generator *g = args->n_operands ? weir_generator_find(args->operands[0]) : NULL;
    if (args->json && (g || args->n_operands == 0))
        return cli_print_json(diag, g ? params_json(g) : models_json());
    if (g)
        list_params(g);
    else if (args->n_operands == 0)
        list_models();
    else /* says so, with the nearest name */
        return weir_topology_generate(diag, args->operands[0], NULL, 0, 1, &none);
    return WEIR_OK;
}

/* ---- names ---- */

static weir_status print_names(weir_diag *diag, const weir_graph *g, const cli_args *args)
{
    static const char *const roles[] = {"router", "host"};
    json_t *nodes = args->json ? json_array() : NULL;
    for (uint32_t v = 0; v < g->n_nodes; v++) {
        const uint32_t links = g->first[v + 1] - g->first[v];
        if (nodes)
            json_array_append_new(nodes, json_pack("{s:s, s:s, s:I}", "name", g->name[v], "role",
                                                   roles[g->role[v]], "links", (json_int_t)links));
        else
            printf("%s\t%s\t%u\n", g->name[v], roles[g->role[v]], links);
    }
    return nodes ? cli_print_json(diag, nodes) : WEIR_OK;
}

CLI_COMMAND(topology_names)
{
    weir_graph *graph = NULL;
    weir_status st = args->n_sets == 0 && is_file(args->operands[0]) ? cli_load_topology(diag, args, &graph)
                                                                     : generate(diag, args, &graph);
    if (st == WEIR_OK)
        st = args->links ? cli_print_links(diag, graph, args) : print_names(diag, graph, args);
    weir_graph_free(graph);
    return st;
}

CLI_COMMAND(topology_generate)
{
    weir_graph *graph = NULL;
    weir_status st = check_targets(diag, args) ?: generate(diag, args, &graph) ?: finish(diag, graph, args);
    weir_graph_free(graph);
    return st;
}

CLI_COMMAND(topology_convert)
{
    weir_graph *graph = NULL;
    weir_status st = args->output
                         ? check_targets(diag, args)
                         : weir_fail(diag, WEIR_E_ARG, "convert wants -o FILE: where the graph goes");
    st = st ?: cli_load_topology(diag, args, &graph) ?: write_all(diag, graph, args);
    /* What reading and writing leave out is what one wants to know of a conversion: notes, too. */
    cli_print_messages(diag, args->verbosity == 0 ? 1 : args->verbosity);
    weir_graph_free(graph);
    return st;
}

/*
 * What a BRITE configuration means: models by their numbers, and a graph made of them.
 *
 * 1 router Waxman, 2 router BA, 3 AS Waxman, 4 AS BA, 5 top-down (with an AS and a router model after it),
 * 6 bottom-up (with a router model after it), 7 and 8 a router or AS graph from a file, 9 and 10 BA-2, 11 and
 * 12 GLP (its beta may be called BETA, as the C++ engine wants it).
 *
 * Codes 3 and 4 of BWDist and AssignType are swapped between BRITE's manual and C++ engine (3 exponential,
 * 4 heavy-tailed) and its Java engine and shipped comments; weir_topology_options says which to take, and a
 * note says which was taken. Limits of -1 mean that links get no rate.
 *
 * A file to import is named relative to the configuration, in its folder or below; links, absolute names and
 * ".." that lead out of it are refused, for a configuration is often somebody else's. Formats 1 (BRITE) and
 * 6 (Inet) are read.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/formats/brite_conf.h"

typedef struct imported {
    weir_graph *graph[2]; /* of the first and the second flat model */
} imported;

static wi_engine engine_of(const wi_conf *conf)
{
    return (wi_engine)((int)WI_ENGINE_CPP + (int)conf->options->brite_engine);
}

/* ---- bandwidths ---- */

static weir_status spread_of(const wi_conf *conf, wi_conf_block *block, const char *name, wi_spread *out)
{
    uint32_t code = 0;
    const weir_status st = wi_conf_count(conf, block, name, 1, 4, &code);
    const weir_brite_codes codes = conf->options->brite_codes;
    const bool java =
        codes == WEIR_BRITE_JAVA || (codes == WEIR_BRITE_AS_ENGINE && engine_of(conf) == WI_ENGINE_JAVA);
    *out = (wi_spread)((uint32_t)WI_SPREAD_CONSTANT + code - 1);
    if (st != WEIR_OK || code < 3)
        return st;
    *out = (code == 3) == java ? WI_SPREAD_HEAVY_TAILED : WI_SPREAD_EXPONENTIAL;
    weir_note(conf->diag, "%s:%d: %s = %u is taken as %s, as BRITE's %s has it", conf->source->name,
              wi_conf_find(block, name)->line, name, (unsigned)code,
              *out == WI_SPREAD_EXPONENTIAL ? "exponential" : "heavy-tailed",
              java ? "Java engine" : "manual and C++ engine");
    return WEIR_OK;
}

/* `name` is BW (then the distribution is BWDist), BWInter or BWIntra. */
static weir_status bandwidth_of(const wi_conf *conf, wi_conf_block *block, const char *name,
                                wi_bandwidth *out)
{
    char min[24], max[24];
    const char *dist = strcmp(name, "BW") == 0 ? "BWDist" : name;
    out->engine = engine_of(conf);
    snprintf(min, sizeof min, "%sMin", name);
    snprintf(max, sizeof max, "%sMax", name);
    weir_status st = spread_of(conf, block, dist, &out->spread);
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, min, -1, 1e9, &out->min);
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, max, -1, 1e9, &out->max);
    if (st == WEIR_OK && out->min < 0)
        out->spread = WI_SPREAD_NONE;
    return st == WEIR_OK ? wi_bandwidth_check(conf->diag, out, name, conf->source->name, block->line) : st;
}

/* ---- flat models ---- */

static weir_status import_path(const wi_conf *conf, const wi_conf_key *key, char *out, size_t size)
{
    char folder[PATH_MAX], target[PATH_MAX], shown[WI_SHOWN];
    const char *slash = strrchr(conf->source->name, '/');
    const int length = slash ? (int)(slash - conf->source->name) + 1 : 0;
    wi_shown(key->value, shown);
    if (!conf->source->is_file)
        return wi_fail_slice(conf->diag, conf->source, key->line, key->value,
                             "File '%s': a configuration that is no file itself cannot import one", shown);
    if (key->value.text[0] == '/' || memchr(key->value.text, '\0', key->value.length))
        return wi_fail_slice(conf->diag, conf->source, key->line, key->value,
                             "File '%s': want a name relative to the configuration", shown);
    if ((size_t)snprintf(out, size, "%.*s%.*s", length, conf->source->name, (int)key->value.length,
                         key->value.text) >= size)
        return wi_fail_slice(conf->diag, conf->source, key->line, key->value, "File: the name is too long");
    snprintf(target, sizeof target, "%.*s", length ? length : 1, length ? conf->source->name : ".");
    char *real_folder = realpath(target, folder), *real_target = realpath(out, target);
    if (!real_folder || !real_target)
        return wi_fail_slice(conf->diag, conf->source, key->line, key->value,
                             "File '%s' is not there, in the configuration's folder", shown);
    const size_t n = strlen(folder);
    if (strncmp(target, folder, n) != 0 || (target[n] != '/' && n > 1))
        return wi_fail_slice(conf->diag, conf->source, key->line, key->value,
                             "File '%s' lies outside the configuration's folder", shown);
    return WEIR_OK;
}

/*
 * BRITE's import model takes six formats, by code. Offered here are the two that weir has readers for; a
 * configuration that names another one is refused by that format's name, before its file is looked for.
 */
static const struct import_format {
    const char *name;
    wi_reader *reader; /* null: not offered */
} import_formats[] = {
    {"BRITE", wi_read_brite},        {"GT-ITM", NULL},      {"NLANR", NULL}, {"Skitter", NULL},
    {"GT-ITM's transit-stub", NULL}, {"Inet", wi_read_inet}};
enum { IMPORT_FORMATS = sizeof import_formats / sizeof *import_formats };

static weir_status import(const wi_conf *conf, wi_conf_block *block, wi_flat *flat, weir_graph **graph)
{
    char path[PATH_MAX];
    uint32_t code = 0;
    weir_status st = wi_conf_count(conf, block, "Format", 1, IMPORT_FORMATS, &code);
    if (st != WEIR_OK)
        return st;
    const struct import_format *const format = &import_formats[code - 1];
    if (!format->reader)
        return weir_fail_at(
            conf->diag, WEIR_E_UNSUPPORTED, conf->source->name, wi_conf_find(block, "Format")->line, 0,
            "Format = %u imports %s files, which weir does not offer; it imports BRITE's (1) and "
            "Inet's (6): convert the file to one of them",
            (unsigned)code, format->name);
    const wi_conf_key *key = wi_conf_find(block, "File");
    if (!key)
        return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, block->line, 0,
                            "the model that begins here has no File");
    st = import_path(conf, key, path, sizeof path);
    if (st != WEIR_OK)
        return st;
    wi_source source;
    st = wi_source_open(conf->diag, path, conf->options->max_bytes, &source);
    if (st == WEIR_OK)
        st = wi_read_with(conf->diag, format->reader, &source, conf->options, graph);
    wi_source_close(&source);
    if (st != WEIR_OK)
        return st;
    flat->given = *graph;
    flat->n = (*graph)->n_nodes;
    if (flat->n == 0 || (uint64_t)flat->hs * flat->hs < flat->n)
        return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, block->line, 0,
                            "the imported graph has %u nodes; want 1 to HS x HS", flat->n);
    return WEIR_OK;
}

static weir_status read_waxman(const wi_conf *conf, wi_conf_block *block, wi_flat *flat)
{
    uint32_t growth = 0;
    weir_status st = wi_conf_count(conf, block, "GrowthType", 1, 2, &growth);
    flat->growth = (wi_growth)growth;
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, "alpha", 1e-12, 1, &flat->alpha);
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, "beta", 1e-6, 1, &flat->beta);
    return st;
}

static weir_status read_extras(const wi_conf *conf, wi_conf_block *block, wi_flat *flat)
{
    weir_status st = WEIR_OK;
    if (flat->model == WI_FLAT_WAXMAN)
        st = read_waxman(conf, block, flat);
    else if (flat->model != WI_FLAT_BA)
        st = wi_conf_number(conf, block, "p", 0, 1, &flat->p);
    if (st == WEIR_OK && flat->model == WI_FLAT_BA2)
        st = wi_conf_number(conf, block, "q", 0, 1, &flat->q);
    if (st == WEIR_OK && flat->model == WI_FLAT_GLP)
        st =
            wi_conf_number(conf, block, wi_conf_find(block, "BETA") ? "BETA" : "beta", -1000, 1, &flat->beta);
    return st;
}

/* One flat model: `level` says which is wanted, 0 either; the one that it is comes back. */
static weir_status read_flat(const wi_conf *conf, wi_conf_block *block, wi_level *level, wi_flat *flat,
                             weir_graph **graph)
{
    static const struct {
        wi_flat_model model;
        wi_level level;
    } kinds[] = {[1] = {WI_FLAT_WAXMAN, WI_LEVEL_ROUTER}, [2] = {WI_FLAT_BA, WI_LEVEL_ROUTER},
                 [3] = {WI_FLAT_WAXMAN, WI_LEVEL_AS},     [4] = {WI_FLAT_BA, WI_LEVEL_AS},
                 [7] = {WI_FLAT_GIVEN, WI_LEVEL_ROUTER},  [8] = {WI_FLAT_GIVEN, WI_LEVEL_AS},
                 [9] = {WI_FLAT_BA2, WI_LEVEL_ROUTER},    [10] = {WI_FLAT_BA2, WI_LEVEL_AS},
                 [11] = {WI_FLAT_GLP, WI_LEVEL_ROUTER},   [12] = {WI_FLAT_GLP, WI_LEVEL_AS}};
    uint32_t name = 0, placement = WI_PLACE_RANDOM;
    weir_status st = wi_conf_count(conf, block, "Name", 1, 12, &name);
    if (st != WEIR_OK)
        return st;
    if (kinds[name].model == 0 || (*level != 0 && kinds[name].level != *level))
        return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, wi_conf_find(block, "Name")->line,
                            0, "Name = %u stands where %s model is wanted", (unsigned)name,
                            *level == WI_LEVEL_AS ? "an AS" : "a router");
    *level = kinds[name].level;
    *flat = (wi_flat){.model = kinds[name].model,
                      .engine = engine_of(conf),
                      .of_ases = kinds[name].level == WI_LEVEL_AS,
                      .join = true,
                      .prefix = "",
                      .file = conf->source->name,
                      .line = block->line};
    st = wi_conf_count(conf, block, "HS", 1, WI_NODES_MAX, &flat->hs);
    if (st == WEIR_OK)
        st = wi_conf_count(conf, block, "LS", 1, WI_NODES_MAX, &flat->ls);
    if (st == WEIR_OK && flat->model == WI_FLAT_GIVEN)
        return import(conf, block, flat, graph);
    if (st == WEIR_OK)
        st = wi_conf_count(conf, block, "N", 1, WI_NODES_MAX, &flat->n);
    if (st == WEIR_OK)
        st = wi_conf_count(conf, block, "m", 1, WI_NODES_MAX, &flat->m);
    if (st == WEIR_OK)
        st = wi_conf_count(conf, block, "NodePlacement", 1, 2, &placement);
    flat->placement = (wi_placement)placement;
    if (st == WEIR_OK)
        st = read_extras(conf, block, flat);
    return st == WEIR_OK ? wi_flat_check(conf->diag, flat) : st;
}

/* ---- whole configurations ---- */

static weir_status make_flat(wi_conf *conf, imported *given, wi_finish *finish, wi_sketch *sketch)
{
    wi_flat flat;
    finish->level = (wi_level)0;
    weir_status st = read_flat(conf, &conf->model[0], &finish->level, &flat, &given->graph[0]);
    if (st == WEIR_OK)
        st = bandwidth_of(conf, &conf->model[0], "BW", &finish->intra);
    if (st == WEIR_OK)
        st = wi_flat_draw(conf->diag, &flat, finish->seed, 0, sketch);
    for (uint32_t v = 0; st == WEIR_OK && v < sketch->n && finish->level == WI_LEVEL_AS; v++)
        sketch->as_number[v] = v + 1;
    return st;
}

static weir_status make_top_down(wi_conf *conf, imported *given, wi_finish *finish, wi_sketch *sketch)
{
    wi_conf_block *block = &conf->model[0];
    wi_top_down model = {.engine = engine_of(conf)};
    wi_level as = WI_LEVEL_AS, router = WI_LEVEL_ROUTER;
    uint32_t conn = 0;
    double k = 0;
    wi_bandwidth unused;
    weir_status st = wi_conf_count(conf, block, "edgeConn", 1, 4, &conn);
    model.edge_conn = (wi_edge_conn)conn;
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, "k", conn == WI_CONN_SMALLEST_K ? 0 : -1, WI_NODES_MAX, &k);
    model.k = k > 0 ? (uint32_t)k : 0;
    if (st == WEIR_OK)
        st = bandwidth_of(conf, block, "BWInter", &finish->inter);
    if (st == WEIR_OK)
        st = bandwidth_of(conf, block, "BWIntra", &finish->intra);
    if (st == WEIR_OK)
        st = read_flat(conf, &conf->model[1], &as, &model.as, &given->graph[0]);
    if (st == WEIR_OK)
        st = read_flat(conf, &conf->model[2], &router, &model.router, &given->graph[1]);
    for (size_t i = 1; i <= 2 && st == WEIR_OK; i++) /* rates are those of the hierarchy */
        st = bandwidth_of(conf, &conf->model[i], "BW", &unused);
    finish->level = WI_LEVEL_BOTH;
    return st == WEIR_OK ? wi_draw_top_down(conf->diag, &model, finish->seed, sketch) : st;
}

static weir_status make_bottom_up(wi_conf *conf, imported *given, wi_finish *finish, wi_sketch *sketch)
{
    wi_conf_block *block = &conf->model[0];
    wi_bottom_up model = {.engine = engine_of(conf)};
    wi_level router = WI_LEVEL_ROUTER;
    uint32_t grouping = 0;
    double n_as = 0;
    weir_status st = wi_conf_count(conf, block, "Grouping", 1, 2, &grouping);
    model.grouping = (wi_grouping)grouping;
    if (st == WEIR_OK)
        st = spread_of(conf, block, "AssignType", &model.assign);
    if (st == WEIR_OK)
        st = wi_conf_number(conf, block, "NumAS", model.assign == WI_SPREAD_CONSTANT ? 1 : -1, WI_NODES_MAX,
                            &n_as);
    if (st == WEIR_OK)
        st = bandwidth_of(conf, block, "BWInter", &finish->inter);
    if (st == WEIR_OK)
        st = read_flat(conf, &conf->model[1], &router, &model.router, &given->graph[0]);
    if (st == WEIR_OK)
        st = bandwidth_of(conf, &conf->model[1], "BW", &finish->intra);
    if (st != WEIR_OK)
        return st;
    model.n_as = n_as >= 1 ? (uint32_t)n_as : (uint32_t)sqrt(model.router.n);
    if (n_as < 1)
        weir_warn_at(conf->diag, conf->source->name, block->line, 0,
                     "NumAS is not given; the square root of the number of routers, %u, is taken",
                     model.n_as);
    finish->level = WI_LEVEL_BOTH;
    return wi_draw_bottom_up(conf->diag, &model, finish->seed, sketch);
}

static weir_status make(wi_conf *conf, imported *given, wi_finish *finish, wi_sketch *sketch)
{
    enum { TOP_DOWN = 5, BOTTOM_UP = 6 };
    uint32_t name = 0;
    const weir_status st = wi_conf_count(conf, &conf->model[0], "Name", 1, 12, &name);
    const size_t wanted = name == TOP_DOWN ? 3 : name == BOTTOM_UP ? 2 : 1;
    if (st != WEIR_OK)
        return st;
    if (conf->n_models != wanted)
        return weir_fail_at(conf->diag, WEIR_E_FORMAT, conf->source->name, conf->model[0].line, 0,
                            "%zu models; Name = %u wants %zu", conf->n_models, (unsigned)name, wanted);
    return name == TOP_DOWN    ? make_top_down(conf, given, finish, sketch)
           : name == BOTTOM_UP ? make_bottom_up(conf, given, finish, sketch)
                               : make_flat(conf, given, finish, sketch);
}

weir_status wi_read_brite_conf(weir_diag *diag, wi_source *source, const weir_topology_options *options,
                               weir_graph_builder *builder)
{
    wi_conf *conf = calloc(1, sizeof *conf);
    imported given = {{NULL, NULL}};
    wi_sketch sketch = {0};
    wi_finish finish = {.seed = options->seed};
    if (!conf)
        return weir_fail(diag, WEIR_E_NOMEM, "out of memory for a configuration");
    *conf = (wi_conf){.diag = diag, .source = source, .options = options};
    weir_status st = wi_conf_parse(conf);
    if (st == WEIR_OK)
        st = make(conf, &given, &finish, &sketch);
    if (st == WEIR_OK)
        wi_conf_warn_unused(conf);
    if (st == WEIR_OK)
        st = wi_brite_finish(diag, &sketch, &finish, builder);
    wi_sketch_free(&sketch);
    weir_graph_free(given.graph[0]);
    weir_graph_free(given.graph[1]);
    free(conf);
    return st;
}

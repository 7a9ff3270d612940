/*
 * BRITE's configurations, and the graph made of one.
 *
 * The text: the word BriteConfig; blocks BeginModel ... EndModel of lines "key = value"; one block
 * BeginOutput ... EndOutput, which says in which formats BRITE writes and is not used here. # begins a
 * comment. Keys may come in any order, as BRITE's Java engine has it. The models, by their numbers:
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

#include "base/nearest.h"
#include "topology/brite/brite.h"
#include "topology/read/reader.h"

enum { KEYS = 24, MODELS = 3 };

typedef struct conf_key {
    wi_slice name, value;
    int line;
    bool used;
} conf_key;

/* BeginModel ... EndModel */
typedef struct block {
    conf_key key[KEYS];
    size_t n;
    int line;
} block;

typedef struct conf {
    wi_reading *r;
    wi_source *source; /* held: slices stay good */
    block model[MODELS];
    size_t n_models;
    weir_graph *given[2]; /* imported: of the first and the second flat model */
} conf;

/* ---- the text ---- */

/* The next line that holds something, without its comment. */
static bool next(wi_source *source, wi_slice *line)
{
    while (wi_next_line(source, line)) {
        const char *comment = memchr(line->text, '#', line->length);
        *line = wi_trimmed(line->text, comment ? comment : line->text + line->length);
        if (line->length > 0)
            return true;
    }
    return false;
}

static conf_key *find(block *b, wi_slice name)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->key[i].name.length == name.length && memcmp(b->key[i].name.text, name.text, name.length) == 0)
            return &b->key[i];
    return NULL;
}

static void read_key(wi_source *source, block *b, wi_slice line)
{
    char shown[WI_SHOWN];
    const char *const equals = memchr(line.text, '=', line.length);
    if (!equals) {
        wi_fail_slice(source, line, "'%s'; want key = value, or EndModel", wi_shown(line, shown));
        return;
    }
    const conf_key key = {wi_trimmed(line.text, equals), wi_trimmed(equals + 1, line.text + line.length),
                          source->line, false};
    if (key.name.length == 0 || key.value.length == 0)
        wi_fail_slice(source, line, "'%s': the %s is empty", wi_shown(line, shown),
                      key.name.length == 0 ? "key" : "value");
    else if (find(b, key.name))
        wi_fail_slice(source, line, "%s is given twice in this model", wi_shown(key.name, shown));
    else if (b->n == KEYS)
        wi_fail_slice(source, line, "more than %d keys in a model", KEYS);
    else
        b->key[b->n++] = key;
}

/* The lines of a block up to `end`; a null block takes none of them. */
static void read_block(wi_source *source, block *b, const char *end)
{
    wi_slice line;
    const int begin = source->line;
    while (next(source, &line)) {
        if (wi_slice_is(line, end))
            return;
        if (b)
            read_key(source, b, line);
    }
    wi_fail_at(source, begin, 0, "the file breaks off: no %s for the block that begins here", end);
}

static void parse(conf *c)
{
    wi_source *const source = c->source;
    wi_slice line;
    char shown[WI_SHOWN];
    wi_source_hold(source);
    wi_source_text(source);
    if (!next(source, &line) || !wi_slice_is(line, "BriteConfig"))
        wi_fail(source, "no BRITE configuration: the first word is not BriteConfig");
    while (next(source, &line)) {
        if (wi_slice_is(line, "BeginOutput")) {
            read_block(source, NULL, "EndOutput");
        } else if (!wi_slice_is(line, "BeginModel")) {
            wi_fail_slice(source, line, "'%s'; want BeginModel or BeginOutput", wi_shown(line, shown));
        } else if (c->n_models == MODELS) {
            wi_fail_slice(source, line, "more than %d models", MODELS);
        } else {
            block *b = &c->model[c->n_models++];
            b->line = source->line;
            read_block(source, b, "EndModel");
        }
    }
    if (c->n_models == 0)
        wi_fail(source, "no BeginModel: no model at all");
}

static void warn_unused(const conf *c)
{
    char shown[WI_SHOWN];
    for (size_t m = 0; m < c->n_models; m++)
        for (size_t i = 0; i < c->model[m].n; i++)
            if (!c->model[m].key[i].used)
                weir_warn_at(c->source->diag, c->source->name, c->model[m].key[i].line, 0,
                             "%s means nothing in this model", wi_shown(c->model[m].key[i].name, shown));
}

/* ---- values: of keys that must be there; errors are at the key's line from here on ---- */

static conf_key *key_of(conf *c, block *b, const char *name)
{
    conf_key *const key = find(b, wi_slice_of(name));
    char text[KEYS][WI_SHOWN];
    const char *known[KEYS];
    if (key) {
        key->used = true;
        c->source->line = key->line;
        return key;
    }
    for (size_t i = 0; i < b->n; i++)
        known[i] = wi_shown(b->key[i].name, text[i]);
    const char *near = wi_nearest(name, known, b->n);
    wi_fail_at(c->source, b->line, 0, "the model that begins here has no %s%s%s%s", name,
               near ? " (is '" : "", near ? near : "", near ? "' meant for it?)" : "");
    return NULL;
}

static double number(conf *c, block *b, const char *name, double low, double high)
{
    const conf_key *key = key_of(c, b, name);
    return key ? wi_number_field(c->source, key->value, name, low, high) : low;
}

static uint32_t count(conf *c, block *b, const char *name, uint32_t low, uint32_t high)
{
    char shown[WI_SHOWN];
    const double value = number(c, b, name, low, high);
    const conf_key *key = find(b, wi_slice_of(name));
    if (value != floor(value))
        wi_fail_slice(c->source, key->value, "%s is '%s'; want a whole number", name,
                      wi_shown(key->value, shown));
    return (uint32_t)value;
}

static wi_engine engine_of(const conf *c)
{
    return (wi_engine)((int)WI_ENGINE_CPP + (int)c->r->options->brite_engine);
}

static wi_spread spread_of(conf *c, block *b, const char *name)
{
    const uint32_t code = count(c, b, name, 1, 4);
    const weir_brite_codes codes = c->r->options->brite_codes;
    const bool java =
        codes == WEIR_BRITE_JAVA || (codes == WEIR_BRITE_AS_ENGINE && engine_of(c) == WI_ENGINE_JAVA);
    if (code < 3 || c->source->status != WEIR_OK)
        return (wi_spread)((uint32_t)WI_SPREAD_CONSTANT + code - 1);
    const wi_spread spread = (code == 3) == java ? WI_SPREAD_HEAVY_TAILED : WI_SPREAD_EXPONENTIAL;
    weir_note(c->source->diag, "%s:%d: %s = %u is taken as %s, as BRITE's %s has it", c->source->name,
              c->source->line, name, (unsigned)code,
              spread == WI_SPREAD_EXPONENTIAL ? "exponential" : "heavy-tailed",
              java ? "Java engine" : "manual and C++ engine");
    return spread;
}

/* `name` is BW (then the distribution is BWDist), BWInter or BWIntra. */
static wi_bandwidth bandwidth_of(conf *c, block *b, const char *name)
{
    char min[24], max[24];
    snprintf(min, sizeof min, "%sMin", name);
    snprintf(max, sizeof max, "%sMax", name);
    wi_bandwidth w = {.engine = engine_of(c)};
    w.spread = spread_of(c, b, strcmp(name, "BW") == 0 ? "BWDist" : name);
    w.min = number(c, b, min, -1, 1e9);
    w.max = number(c, b, max, -1, 1e9);
    if (w.min < 0)
        w.spread = WI_SPREAD_NONE;
    if (c->source->status == WEIR_OK)
        c->source->status = wi_bandwidth_check(c->source->diag, &w, name, c->source->name, b->line);
    return w;
}

/* ---- flat models ---- */

static bool import_path(conf *c, const conf_key *key, char *out, size_t size)
{
    char folder[PATH_MAX], target[PATH_MAX], shown[WI_SHOWN];
    wi_source *const source = c->source;
    const char *slash = strrchr(source->name, '/');
    const int length = slash ? (int)(slash - source->name) + 1 : 0;
    wi_shown(key->value, shown);
    if (!source->is_file)
        wi_fail_slice(source, key->value,
                      "File '%s': a configuration that is no file itself cannot import one", shown);
    else if (key->value.text[0] == '/' || memchr(key->value.text, '\0', key->value.length))
        wi_fail_slice(source, key->value, "File '%s': want a name relative to the configuration", shown);
    else if ((size_t)snprintf(out, size, "%.*s%.*s", length, source->name, (int)key->value.length,
                              key->value.text) >= size)
        wi_fail_slice(source, key->value, "File: the name is too long");
    if (source->status != WEIR_OK)
        return false;
    snprintf(target, sizeof target, "%.*s", length ? length : 1, length ? source->name : ".");
    char *real_folder = realpath(target, folder), *real_target = realpath(out, target);
    const size_t n = real_folder ? strlen(folder) : 0;
    if (!real_folder || !real_target)
        wi_fail_slice(source, key->value, "File '%s' is not there, in the configuration's folder", shown);
    else if (strncmp(target, folder, n) != 0 || (target[n] != '/' && n > 1))
        wi_fail_slice(source, key->value, "File '%s' lies outside the configuration's folder", shown);
    return source->status == WEIR_OK;
}

/*
 * BRITE's import model takes six formats, by code. Offered here are the two that weir has readers for; a
 * configuration that names another one is refused by that format's name, before its file is looked for.
 */
static const struct import_format {
    const char *name;
    wi_format_reader *reader; /* null: not offered */
} import_formats[] = {
    {"BRITE", wi_read_brite},        {"GT-ITM", NULL},      {"NLANR", NULL}, {"Skitter", NULL},
    {"GT-ITM's transit-stub", NULL}, {"Inet", wi_read_inet}};
enum { IMPORT_FORMATS = sizeof import_formats / sizeof *import_formats };

static void import(conf *c, block *b, wi_flat *flat, weir_graph **graph)
{
    char path[PATH_MAX];
    const uint32_t code = count(c, b, "Format", 1, IMPORT_FORMATS);
    if (c->source->status != WEIR_OK)
        return;
    const struct import_format *const format = &import_formats[code - 1];
    if (!format->reader) {
        c->source->status =
            weir_fail_at(c->source->diag, WEIR_E_UNSUPPORTED, c->source->name, c->source->line, 0,
                         "Format = %u imports %s files, which weir does not offer; it imports BRITE's (1) "
                         "and Inet's (6): convert the file to one of them",
                         (unsigned)code, format->name);
        return;
    }
    const conf_key *key = key_of(c, b, "File");
    if (!key || !import_path(c, key, path, sizeof path))
        return;
    wi_source source;
    if (wi_source_open(c->source->diag, path, c->r->options->max_bytes, &source) == WEIR_OK)
        wi_read_with(format->reader, &source, c->r->options, graph);
    c->source->status = source.status;
    wi_source_close(&source);
    if (!*graph)
        return;
    flat->given = *graph;
    flat->n = (*graph)->n_nodes;
    if (flat->n == 0 || (uint64_t)flat->hs * flat->hs < flat->n)
        wi_fail_at(c->source, b->line, 0, "the imported graph has %u nodes; want 1 to HS x HS", flat->n);
}

/* The parameters that only some models have. */
static void read_extras(conf *c, block *b, wi_flat *flat)
{
    if (flat->model == WI_FLAT_WAXMAN) {
        flat->growth = (wi_growth)count(c, b, "GrowthType", 1, 2);
        flat->alpha = number(c, b, "alpha", 1e-12, 1);
        flat->beta = number(c, b, "beta", 1e-6, 1);
    } else if (flat->model != WI_FLAT_BA) {
        flat->p = number(c, b, "p", 0, 1);
    }
    if (flat->model == WI_FLAT_BA2)
        flat->q = number(c, b, "q", 0, 1);
    if (flat->model == WI_FLAT_GLP)
        flat->beta = number(c, b, find(b, wi_slice_of("BETA")) ? "BETA" : "beta", -1000, 1);
}

/* One flat model: `level` is the one wanted, 0 for either, and becomes the one that it is. */
static wi_flat read_flat(conf *c, block *b, wi_level *level, weir_graph **graph)
{
    static const struct {
        wi_flat_model model;
        wi_level level;
    } kinds[] = {[1] = {WI_FLAT_WAXMAN, WI_LEVEL_ROUTER}, [2] = {WI_FLAT_BA, WI_LEVEL_ROUTER},
                 [3] = {WI_FLAT_WAXMAN, WI_LEVEL_AS},     [4] = {WI_FLAT_BA, WI_LEVEL_AS},
                 [7] = {WI_FLAT_GIVEN, WI_LEVEL_ROUTER},  [8] = {WI_FLAT_GIVEN, WI_LEVEL_AS},
                 [9] = {WI_FLAT_BA2, WI_LEVEL_ROUTER},    [10] = {WI_FLAT_BA2, WI_LEVEL_AS},
                 [11] = {WI_FLAT_GLP, WI_LEVEL_ROUTER},   [12] = {WI_FLAT_GLP, WI_LEVEL_AS}};
    const uint32_t name = count(c, b, "Name", 1, 12);
    if (kinds[name].model == 0 || (*level != 0 && kinds[name].level != *level))
        wi_fail(c->source, "Name = %u stands where %s model is wanted", (unsigned)name,
                *level == WI_LEVEL_AS ? "an AS" : "a router");
    *level = kinds[name].level;
    wi_flat flat = {.model = kinds[name].model,
                    .engine = engine_of(c),
                    .of_ases = *level == WI_LEVEL_AS,
                    .join = true,
                    .prefix = "",
                    .file = c->source->name,
                    .line = b->line};
    flat.hs = count(c, b, "HS", 1, WI_NODES_MAX);
    flat.ls = count(c, b, "LS", 1, WI_NODES_MAX);
    if (flat.model == WI_FLAT_GIVEN) {
        import(c, b, &flat, graph);
        return flat;
    }
    flat.n = count(c, b, "N", 1, WI_NODES_MAX);
    flat.m = count(c, b, "m", 1, WI_NODES_MAX);
    flat.placement = (wi_placement)count(c, b, "NodePlacement", 1, 2);
    read_extras(c, b, &flat);
    if (c->source->status == WEIR_OK)
        c->source->status = wi_flat_check(c->source->diag, &flat);
    return flat;
}

/* ---- whole configurations ---- */

static void make_flat(conf *c, wi_finish *finish, wi_sketch *sketch)
{
    const wi_flat flat = read_flat(c, &c->model[0], &finish->level, &c->given[0]);
    finish->intra = bandwidth_of(c, &c->model[0], "BW");
    if (c->source->status == WEIR_OK)
        c->source->status = wi_flat_draw(c->source->diag, &flat, finish->seed, 0, sketch);
    for (uint32_t v = 0; v < sketch->n && finish->level == WI_LEVEL_AS; v++)
        sketch->as_number[v] = v + 1;
}

static void make_top_down(conf *c, wi_finish *finish, wi_sketch *sketch)
{
    block *b = &c->model[0];
    wi_top_down model = {.engine = engine_of(c)};
    wi_level as = WI_LEVEL_AS, router = WI_LEVEL_ROUTER;
    model.edge_conn = (wi_edge_conn)count(c, b, "edgeConn", 1, 4);
    const double k = number(c, b, "k", model.edge_conn == WI_CONN_SMALLEST_K ? 0 : -1, WI_NODES_MAX);
    model.k = k > 0 ? (uint32_t)k : 0;
    finish->inter = bandwidth_of(c, b, "BWInter");
    finish->intra = bandwidth_of(c, b, "BWIntra");
    model.as = read_flat(c, &c->model[1], &as, &c->given[0]);
    model.router = read_flat(c, &c->model[2], &router, &c->given[1]);
    for (size_t i = 1; i <= 2; i++) /* rates are those of the hierarchy */
        (void)bandwidth_of(c, &c->model[i], "BW");
    finish->level = WI_LEVEL_BOTH;
    if (c->source->status == WEIR_OK)
        c->source->status = wi_draw_top_down(c->source->diag, &model, finish->seed, sketch);
}

static void make_bottom_up(conf *c, wi_finish *finish, wi_sketch *sketch)
{
    block *b = &c->model[0];
    wi_bottom_up model = {.engine = engine_of(c)};
    wi_level router = WI_LEVEL_ROUTER;
    model.grouping = (wi_grouping)count(c, b, "Grouping", 1, 2);
    model.assign = spread_of(c, b, "AssignType");
    const double n_as = number(c, b, "NumAS", model.assign == WI_SPREAD_CONSTANT ? 1 : -1, WI_NODES_MAX);
    finish->inter = bandwidth_of(c, b, "BWInter");
    model.router = read_flat(c, &c->model[1], &router, &c->given[0]);
    finish->intra = bandwidth_of(c, &c->model[1], "BW");
    if (c->source->status != WEIR_OK)
        return;
    model.n_as = n_as >= 1 ? (uint32_t)n_as : (uint32_t)sqrt(model.router.n);
    if (n_as < 1)
        weir_warn_at(c->source->diag, c->source->name, b->line, 0,
                     "NumAS is not given; the square root of the number of routers, %u, is taken",
                     model.n_as);
    finish->level = WI_LEVEL_BOTH;
    c->source->status = wi_draw_bottom_up(c->source->diag, &model, finish->seed, sketch);
}

static void make(conf *c, wi_finish *finish, wi_sketch *sketch)
{
    enum { TOP_DOWN = 5, BOTTOM_UP = 6 };
    const uint32_t name = count(c, &c->model[0], "Name", 1, 12);
    const size_t wanted = name == TOP_DOWN ? 3 : name == BOTTOM_UP ? 2 : 1;
    if (c->n_models != wanted)
        wi_fail_at(c->source, c->model[0].line, 0, "%zu models; Name = %u wants %zu", c->n_models,
                   (unsigned)name, wanted);
    if (c->source->status == WEIR_OK)
        (name == TOP_DOWN    ? make_top_down
         : name == BOTTOM_UP ? make_bottom_up
                             : make_flat)(c, finish, sketch);
}

void wi_read_brite_conf(wi_reading *r)
{
    conf *c = calloc(1, sizeof *c);
    wi_sketch sketch = {0};
    wi_finish finish = {.seed = r->options->seed};
    if (!c) {
        wi_no_memory(r->source, "a configuration");
        return;
    }
    c->r = r;
    c->source = r->source;
    parse(c);
    if (wi_good(r))
        make(c, &finish, &sketch);
    if (wi_good(r)) {
        warn_unused(c);
        r->source->status = wi_brite_finish(r->source->diag, &sketch, &finish, r->builder);
    }
    wi_sketch_free(&sketch);
    weir_graph_free(c->given[0]);
    weir_graph_free(c->given[1]);
    free(c);
}

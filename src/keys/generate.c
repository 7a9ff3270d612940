/* Key `topology.generate`: {model: NAME, ...}, whose parameters are text until the generator reads them. */
#include "keys/keys.h"
#include "weir/topology.h"

#include <string.h>

static bool generator_value(wi_reader *r, const wi_node *child, weir_name *out)
{
    if (child->type != WI_SCALAR || wi_node_is_null(child)) {
        wi_complain(r, child->place, "generate: %s must be a single value, not %s", child->key,
                    child->type == WI_SCALAR ? "empty" : wi_node_what(child));
        return false;
    }
    *out = (weir_name){child->text, child->place};
    return true;
}

static void read_generate(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    weir_scenario_topology *topology = at;
    const wi_node *model = wi_node_child(node, "model");
    (void)key;
    if (node->type != WI_MAPPING || !model) {
        wi_complain(r, node->place,
                    "generate must name its model and parameters, as in {model: star, hosts: 8}");
        return;
    }
    weir_param *param = wi_reader_take(r, node->n, sizeof *param);
    if (!param || !generator_value(r, model, &topology->model))
        return;
    size_t n = 0;
    for (const wi_node *child = node->first; child; child = child->next) {
        if (child == model || !generator_value(r, child, &param[n].value))
            continue;
        param[n++].name = (weir_name){child->key, child->key_place};
    }
    topology->param = param;
    topology->n_params = n;
}

static bool generate_given(const wi_key *key, const void *at)
{
    (void)key;
    return ((const weir_scenario_topology *)at)->model.text != NULL;
}

static void write_generate(wi_writer *w, const wi_key *key, const void *at)
{
    const weir_scenario_topology *topology = at;
    (void)key;
    fputs("{model: ", w->out);
    wi_write_text(w, topology->model.text);
    for (size_t i = 0; i < topology->n_params; i++) {
        fputs(", ", w->out);
        wi_write_text(w, topology->param[i].name.text);
        fputs(": ", w->out);
        wi_write_text(w, topology->param[i].value.text);
    }
    fputc('}', w->out);
}

static json_t *json_param(const weir_generator_param *p, json_t *defs)
{
    static const wi_kind *const kinds[] = {[WEIR_COUNT] = &wi_kind_count64,
                                           [WEIR_RATE] = &wi_kind_rate,
                                           [WEIR_TIME] = &wi_kind_time,
                                           [WEIR_REAL] = &wi_kind_number};
    char low[WI_SCALAR_TEXT], high[WI_SCALAR_TEXT];
    json_t *words = json_array();
    for (const char *at = p->dimension == WEIR_WORD ? p->words : ""; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        json_array_append_new(words, json_stringn(at, length));
        at += length;
    }
    if (p->dimension == WEIR_WORD)
        return json_pack("{s:o, s:s}", "enum", words, "description", p->doc);
    json_decref(words);
    wi_key key = {.name = p->name, .kind = kinds[p->dimension], .doc = p->doc, .low = low, .high = high};
    kinds[WEIR_COUNT]->format((long double)p->min, low);
    kinds[WEIR_COUNT]->format((long double)p->max, high);
    if (p->dimension == WEIR_REAL) {
        kinds[WEIR_REAL]->format(p->low, low);
        kinds[WEIR_REAL]->format(p->high, high);
    } else if (p->dimension != WEIR_COUNT) {
        key.low = key.high = NULL;
        key.above = p->dimension == WEIR_RATE ? "0bps" : NULL;
    }
    return wi_json_value(&key, defs);
}

/* A model and its parameters, and no others. */
static json_t *json_model(const weir_generator *g, json_t *defs)
{
    json_t *properties = json_object();
    json_object_set_new(properties, "model", json_pack("{s:s}", "const", g->name));
    for (size_t i = 0; i < g->n_params; i++) {
        json_object_set_new(properties, g->params[i].name, json_param(&g->params[i], defs));
        if (g->params[i].also)
            json_object_set_new(properties, g->params[i].also, json_param(&g->params[i], defs));
    }
    return json_pack("{s:{s:[s], s:{s:{s:s}}}, s:{s:o, s:b}}", "if", "required", "model", "properties",
                     "model", "const", g->name, "then", "properties", properties, "additionalProperties", 0);
}

static json_t *json_generate(const wi_key *key, json_t *defs)
{
    (void)key;
    size_t n;
    const weir_generator *const *all = weir_generators(&n);
    json_t *models = json_array(), *each = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(models, json_string(all[i]->name));
        json_array_append_new(each, json_model(all[i], defs));
    }
    return json_pack("{s:s, s:[s], s:{s:{s:o}}, s:o}", "type", "object", "required", "model", "properties",
                     "model", "enum", models, "allOf", each);
}

const wi_kind wi_kind_generate = {.what = "{model: NAME, ...}",
                                  .example = "{model: star, hosts: 8}",
                                  .read = read_generate,
                                  .write = write_generate,
                                  .given = generate_given,
                                  .json = json_generate};

/* Key `model`: one of the registered models, with its own keys (subjects/list.h). */
#include "scenario/document/document.h"

#include <string.h>

typedef weir_scenario_model model_t;

/* `at` is the model: only now is known which struct the keys fill. */
static void read_params(wi_reader *r, const wi_key *key, const wi_node *node, void *at)
{
    model_t *m = at;
    void *params = wi_reader_take(r, 1, key->section->size);
    if (!params)
        return;
    wi_read_section(r, key->section, node, params, NULL);
    m->name = key->name;
    m->params = params;
    m->place = node->place;
}

static bool params_given(const wi_key *key, const void *at)
{
    const model_t *m = at;
    return m->name && strcmp(m->name, key->name) == 0;
}

static void write_params(wi_writer *w, const wi_key *key, const void *at)
{
    wi_write_section(w, key->section, ((const model_t *)at)->params);
}

static json_t *json_params(const wi_key *key, json_t *defs)
{
    return wi_json_section(key->section, defs);
}

static const wi_kind kind_params = {.what = "section",
                                    .block = true,
                                    .read = read_params,
                                    .write = write_params,
                                    .given = params_given,
                                    .json = json_params};

#define MODEL_KEY(model, of_doc, of_also)    \
    {.name = #model,                         \
     .kind = &kind_params,                   \
     .section = &wi_subject_##model.section, \
     .unset = "another model",               \
     .also = (of_also),                      \
     .doc = (of_doc)},
static const wi_key model_keys[] = {WI_SUBJECTS(MODEL_KEY)};
#undef MODEL_KEY

const wi_section wi_section_model = {
    .name = "model",
    .doc = "A model that brings its own entities, instead of a packet network (`topology`, `routing`, "
           "`traffic` and `fluid` are\nthen left out).",
    .keys = model_keys,
    .n_keys = sizeof model_keys / sizeof model_keys[0],
    .one = true,
    .place_offset = offsetof(model_t, place),
};

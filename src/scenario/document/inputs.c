/* Inputs: a resolved scenario reproduces its run only while the files that it names are what they were. */

#include <string.h>

#include "scenario/document/document.h"
#include "base/sha256.h"
#include "schema/pattern.h"
#include "topology/formats/formats.h"

typedef weir_scenario_input input_t;

static const wi_key input_keys[] = {
    WI_KEY("of", text, input_t, of, .required = true,
           .doc = "key that names the file, such as topology.file"),
    WI_KEY("sha256", text, input_t, sha256, .required = true, .also = "digest",
           .doc = "SHA-256 of the file, 64 hexadecimal digits"),
};

static void check_input(wi_reader *r, const wi_node *node, void *at)
{
    const input_t *input = at;
    if (strlen(input->sha256) != 64 || strspn(input->sha256, "0123456789abcdef") != 64)
        wi_complain(r, wi_place_of(node, "sha256"), "sha256: want 64 hexadecimal digits, lower case");
}

const wi_section wi_section_input =
    WI_SECTION("item of inputs", input_keys, input_t,
               .doc = "Digests of the files that a run read, as its results state them. Where a file is "
                      "another now, a warning says so. Nobody needs to write this section.",
               .place_offset = offsetof(input_t, place), .check = check_input,
               .rules = "[{'properties': {'sha256': {'type': 'string', 'pattern': '^[0-9a-f]{64}$'}}}]");

/* The files that a scenario names, visited twice: counted, then taken. */
typedef struct files {
    wi_reader *r;
    input_t *list; /* null: they are counted */
    size_t n;
    const input_t *stated; /* [n_stated] what the scenario says of them */
    size_t n_stated;
} files;

static void compare(const files *f, input_t *input)
{
    for (size_t i = 0; i < f->n_stated; i++) {
        if (strcmp(f->stated[i].of, input->of) != 0 || strcmp(f->stated[i].sha256, input->sha256) == 0)
            continue;
        weir_warn_at(f->r->diag, WEIR_AT(f->stated[i].place),
                     "%s, %s, has changed: the run that this scenario comes from read another content",
                     input->of, input->file);
        input->stated = f->stated[i].sha256;
    }
}

/* Take a file, null: none, that key `of` names. */
static void take(files *f, const char *file, const char *of)
{
    char text[WI_SHA256_TEXT];
    if (!file)
        return;
    if (!f->list) {
        f->n++;
        return;
    }
    if (wi_sha256_file(file, text) != 0) /* who reads it says what is wrong with it */
        return;
    input_t *input = &f->list[f->n];
    *input = (input_t){.of = of, .file = file, .sha256 = wi_text_copy(f->r->arena, text, strlen(text))};
    f->r->no_memory |= !of || !input->sha256;
    if (!of || !input->sha256)
        return;
    f->n++;
    compare(f, input);
}

/* Matrices that follow each other; none where they cannot be read: the reader reports that. */
static void take_matrices(files *f, const weir_scenario_class *c)
{
    wi_files many = {0};
    weir_diag *quiet = c->where == WEIR_SC_DEMANDS && c->demands.step_ps ? weir_diag_new() : NULL;
    if (quiet && wi_files_find(quiet, c->demands.file.text, &many) != WEIR_OK)
        wi_files_free(&many);
    weir_diag_free(quiet);
    for (size_t k = 0; k < many.n; k++)
        take(f, wi_text_copy(f->r->arena, many.path[k], strlen(many.path[k])),
             wi_text_format(f->r->arena, "traffic.%s.demands[%zu]", c->name.text, k));
    wi_files_free(&many);
}

static void take_class(files *f, const weir_scenario_class *c)
{
    const struct {
        const char *key, *file;
    } own[] = {{"demands", c->where == WEIR_SC_DEMANDS && !c->demands.step_ps ? c->demands.file.text : NULL},
               {"udp.trace", c->is_udp ? c->udp.trace.text : NULL},
               {"flows", c->where == WEIR_SC_FLOW_LIST ? c->flows.text : NULL},
               {"job.trace", c->where == WEIR_SC_JOB ? c->job.ranks.trace.text : NULL},
               {"job.groups", c->where == WEIR_SC_JOB ? c->job.ranks.groups.text : NULL},
               {"tcp.size.cdf", c->is_udp ? NULL : c->tcp.size.file},
               {"udp.packet.cdf", c->is_udp ? c->udp.packet.file : NULL}};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        take(f, own[k].file, wi_text_format(f->r->arena, "traffic.%s.%s", c->name.text, own[k].key));
    take_matrices(f, c);
}

static void take_topology(files *f, const weir_scenario_topology *t)
{
    char path[4096];
    take(f, t->file.text, "topology.file");
    if (t->format == WEIR_SC_FORMAT_CODES && t->file.text &&
        wi_codes_partner(t->file.text, path, sizeof path))
        take(f, wi_text_copy(f->r->arena, path, strlen(path)), "topology.file.intra");
    for (size_t i = 0; i < t->n_links; i++)
        take(f, t->links[i].trace.file.text,
             wi_text_format(f->r->arena, "topology.links[%zu].trace.file", i));
}

/* Files that the items of a model's lists name, such as jobs[0].trace. */
static void take_list(files *f, const wi_key *list, const char *model)
{
    const char *const items = *(const char *const *)(const void *)(model + list->offset);
    const size_t n = *(const size_t *)(const void *)(model + list->count_offset);
    wi_key_at k;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; wi_section_key(list->section, j, &k); j++)
            if (k.key->kind == &wi_kind_path)
                take(f,
                     *(const char *const *)(const void *)(items + i * list->section->size + k.base +
                                                          k.key->offset),
                     wi_text_format(f->r->arena, "%s[%zu].%s", list->name, i, k.key->name));
}

static void take_all(files *f, const weir_scenario *s)
{
    const wi_subject *subject = wi_subject_of(s);
    take_topology(f, &s->topology);
    for (size_t i = 0; i < s->n_traffic; i++)
        take_class(f, &s->traffic[i]);
    for (size_t i = 0; subject && wi_model_params(s) && i < subject->section.n_keys; i++)
        if (subject->section.keys[i].kind == &wi_kind_list)
            take_list(f, &subject->section.keys[i], wi_model_params(s));
}

void wi_inputs_take(wi_reader *r, weir_scenario *s)
{
    files f = {.r = r, .stated = s->inputs, .n_stated = s->n_inputs};
    if (!r->base_dir)
        return;
    take_all(&f, s);
    f.list = wi_reader_take(r, f.n + 1, sizeof *f.list);
    f.n = 0;
    if (f.list)
        take_all(&f, s);
    s->inputs = f.list;
    s->n_inputs = f.n;
}

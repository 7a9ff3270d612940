/* Inputs: a resolved scenario reproduces its run only while the files that it names are what they were. */

#include <string.h>

#include "scenario/document/document.h"
#include "base/sha256.h"
#include "schema/file_pattern.h"
#include "topology/formats/codes.h"

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

static void compare(wi_reader *r, const input_t *input, const input_t *stated, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(stated[i].of, input->of) != 0 || strcmp(stated[i].sha256, input->sha256) == 0)
            continue;
        const weir_place p = stated[i].place;
        weir_warn_at(r->diag, p.file, p.line, p.column,
                     "%s, %s, has changed: the run that this scenario comes from read another content",
                     input->of, input->file);
        ((input_t *)input)->stated = stated[i].sha256;
    }
}

static void take(wi_reader *r, weir_scenario *s, input_t *list, const input_t *stated, size_t n_stated,
                 const char *of, const char *file)
{
    char text[WI_SHA256_TEXT];
    if (!file || wi_sha256_file(file, text) != 0) /* who reads it says what is wrong with it */
        return;
    input_t *input = &list[s->n_inputs];
    *input = (input_t){.of = of, .file = file, .sha256 = wi_text_copy(r->arena, text, strlen(text))};
    if (!of || !input->sha256) {
        r->no_memory = true;
        return;
    }
    s->n_inputs++;
    compare(r, input, stated, n_stated);
}

/* Matrices that follow each other: their number; and, unless out is null, their names, none where they cannot be read, which
 * is said by who reads them. */
static size_t matrices_of(const weir_scenario_class *c, wi_files *out)
{
    wi_files files = {0};
    weir_diag *quiet = c->where == WEIR_SC_DEMANDS && c->demands.step_ps ? weir_diag_new() : NULL;
    if (quiet && wi_files_find(quiet, c->demands.file.text, &files) != WEIR_OK)
        wi_files_free(&files);
    weir_diag_free(quiet);
    const size_t n = files.n;
    if (out)
        *out = files;
    else
        wi_files_free(&files);
    return n;
}

/* The second file of CODES' link files; null: of other formats. */
static const char *partner_of(wi_reader *r, const weir_scenario_topology *t)
{
    char path[4096];
    const bool two = t->format == WEIR_SC_FORMAT_CODES && t->file.text;
    return two && wi_codes_partner(t->file.text, path, sizeof path)
               ? wi_text_copy(r->arena, path, strlen(path))
               : NULL;
}

void wi_inputs_take(wi_reader *r, weir_scenario *s)
{
    const input_t *stated = s->inputs;
    const size_t n_stated = s->n_inputs;
    if (!r->base_dir)
        return;
    const wi_subject *subject = wi_subject_of(s);
    const char *of, *file;
    size_t more = 0, item;
    while (subject && subject->input && subject->input(wi_model_params(s), more, &of, &item, &file))
        more++;
    size_t matrices = 0;
    for (size_t i = 0; i < s->n_traffic; i++)
        matrices += matrices_of(&s->traffic[i], NULL);
    input_t *list =
        wi_reader_take(r, 2 + 5 * s->n_traffic + matrices + s->topology.n_links + more, sizeof *list);
    s->inputs = list;
    s->n_inputs = 0;
    if (!list)
        return;
    take(r, s, list, stated, n_stated, "topology.file", s->topology.file.text);
    take(r, s, list, stated, n_stated, "topology.file.intra", partner_of(r, &s->topology));
    for (size_t i = 0; i < s->topology.n_links; i++)
        take(r, s, list, stated, n_stated, wi_text_format(r->arena, "topology.links[%zu].trace.file", i),
             s->topology.links[i].trace.file.text);
    for (size_t i = 0; i < s->n_traffic; i++) {
        const weir_scenario_class *c = &s->traffic[i];
        const struct {
            const char *key, *file;
        } files[] = {
            {"demands", c->where == WEIR_SC_DEMANDS && !c->demands.step_ps ? c->demands.file.text : NULL},
            {"udp.trace", c->is_udp ? c->udp.trace.text : NULL},
            {"flows", c->where == WEIR_SC_FLOW_LIST ? c->flows.text : NULL},
            {"tcp.size.cdf", c->is_udp ? NULL : c->tcp.size.file},
            {"udp.packet.cdf", c->is_udp ? c->udp.packet.file : NULL}};
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            if (files[k].file)
                take(r, s, list, stated, n_stated,
                     wi_text_format(r->arena, "traffic.%s.%s", c->name.text, files[k].key), files[k].file);
        wi_files many;
        matrices_of(c, &many);
        for (size_t k = 0; k < many.n; k++)
            take(r, s, list, stated, n_stated,
                 wi_text_format(r->arena, "traffic.%s.demands[%zu]", c->name.text, k),
                 wi_text_copy(r->arena, many.path[k], strlen(many.path[k])));
        wi_files_free(&many);
    }
    for (size_t i = 0; i < more; i++) {
        subject->input(wi_model_params(s), i, &of, &item, &file);
        if (file)
            take(r, s, list, stated, n_stated, wi_text_format(r->arena, "%s[%zu].%s", "jobs", item, of),
                 file);
    }
}

/* Loading a scenario: bytes, tree, --set, tables, checks. */
#include "weir/scenario.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "schema/tree.h"
#include "scenario/document/document.h"
#include "schema/yaml.h"

/* What weir_scenario_free gets is the first member. */
typedef struct owned_scenario {
    weir_scenario scenario;
    weir_arena *arena;
} owned_scenario;

static owned_scenario *owned_new(weir_diag *diag, const char *name)
{
    owned_scenario *s = calloc(1, sizeof *s);
    if (s)
        s->arena = weir_arena_new(1 << 16);
    if (s && s->arena)
        s->scenario.file = wi_text_copy(s->arena, name, strlen(name));
    if (s && s->scenario.file)
        return s;
    (void)weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory for a scenario", name);
    weir_scenario_free(s ? &s->scenario : NULL);
    return NULL;
}

void weir_scenario_free(weir_scenario *scenario)
{
    owned_scenario *s = (owned_scenario *)scenario;
    if (!s)
        return;
    weir_arena_free(s->arena);
    free(s);
}

/* The file's name without folders and ending, as far as it can name a folder. */
static void default_name(owned_scenario *s)
{
    const char *slash = strrchr(s->scenario.file, '/');
    const char *base = slash ? slash + 1 : s->scenario.file;
    const char *dot = strrchr(base, '.');
    const size_t length = dot ? (size_t)(dot - base) : strlen(base);
    s->scenario.name = length ? wi_text_copy(s->arena, base, length) : "scenario";
    for (char *c = (char *)s->scenario.name; length && c && *c; c++)
        *c = (unsigned char)*c < 0x20 || *c == 0x7f || (*c == '.' && c == s->scenario.name) ? '_' : *c;
}

/* The tree with all --set applied. With WEIR_E_FORMAT and a tree, duplicate keys are reported and the rest
 * can be checked. */
static weir_status make_tree(const wi_reader *r, const wi_yaml_text *of, const wi_edits *edits,
                             wi_node **root)
{
    weir_status st = wi_yaml_parse(r->diag, r->arena, of, NULL, root);
    if (!*root)
        return st;
    if ((*root)->type != WI_MAPPING) {
        st = weir_fail_at(r->diag, WEIR_E_FORMAT, of->name, (*root)->place.line, (*root)->place.column,
                          "a scenario is a section of keys (weir: 1, duration: 10s, ...), not %s",
                          wi_node_what(*root));
        *root = NULL;
        return st;
    }
    for (size_t i = 0; i < edits->n_sets; i++) {
        const weir_status set = wi_yaml_set(r->diag, r->arena, *root, edits->sets[i]);
        st = st == WEIR_OK ? set : st;
    }
    return st;
}

/* A study's own copy of a scenario lies in another folder than what it names. */
static void take_base(wi_reader *r, const wi_node *root)
{
    const wi_node *base = wi_node_child(wi_node_child(root, "study"), "base");
    if (!base || base->type != WI_SCALAR || !r->base_dir || strcmp(base->text, ".") == 0)
        return;
    const char *folder =
        base->text[0] == '/' ? base->text : wi_text_format(r->arena, "%s/%s", r->base_dir, base->text);
    if (folder)
        r->base_dir = folder;
    else
        r->no_memory = true;
}

static weir_status fill(wi_reader *r, owned_scenario *s, const wi_yaml_text *of, const wi_edits *edits)
{
    wi_node *root = NULL;
    default_name(s);
    /* The tree stays in the scenario's arena: texts and places point into it. */
    weir_status st = make_tree(r, &(wi_yaml_text){r->file, of->text, of->length}, edits, &root);
    if (root)
        wi_node_drop(root, edits->without);
    if (root)
        take_base(r, root);
    if (root)
        wi_read_section(r, &wi_schema, root, &s->scenario, NULL);
    if (r->no_memory || !s->scenario.name)
        return weir_fail(r->diag, WEIR_E_NOMEM, "%s: out of memory for a scenario of this size", r->file);
    if (root && r->errors == 0)
        wi_inputs_take(r, &s->scenario);
    if (r->no_memory)
        return weir_fail(r->diag, WEIR_E_NOMEM, "%s: out of memory for a scenario of this size", r->file);
    if (st == WEIR_OK && r->errors)
        st = r->refused == r->errors ? WEIR_E_UNSUPPORTED : WEIR_E_SCENARIO;
    return st;
}

weir_status weir_scenario_parse(weir_diag *diag, const char *name, const char *text, size_t length,
                                const char *base_dir, const char *const *sets, size_t n_sets,
                                weir_scenario **out)
{
    return wi_scenario_parse_edited(diag, &(wi_yaml_text){name, text, length}, base_dir,
                                    &(wi_edits){.sets = sets, .n_sets = n_sets}, out);
}

weir_status wi_scenario_parse_edited(weir_diag *diag, const wi_yaml_text *of, const char *base_dir,
                                     const wi_edits *edits, weir_scenario **out)
{
    *out = NULL;
    if (!of->name || (!of->text && of->length) || (!edits->sets && edits->n_sets))
        return weir_fail(diag, WEIR_E_ARG, "weir_scenario_parse: name, text or sets is null");
    char *absolute = base_dir ? realpath(base_dir, NULL) : NULL;
    if (base_dir && !absolute)
        return weir_fail(diag, WEIR_E_IO, "%s: folder '%s': %s", of->name, base_dir, strerror(errno));
    weir_status st = WEIR_E_NOMEM;
    owned_scenario *s = owned_new(diag, of->name);
    if (s) {
        wi_reader r = {.diag = diag, .arena = s->arena, .file = s->scenario.file, .base_dir = absolute};
        st = fill(&r, s, of, edits);
    }
    free(absolute);
    if (st == WEIR_OK)
        *out = &s->scenario;
    else
        weir_scenario_free(s ? &s->scenario : NULL);
    return st;
}

weir_status weir_scenario_load(weir_diag *diag, const char *path, const char *const *sets, size_t n_sets,
                               weir_scenario **out)
{
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    if (!path)
        return weir_fail(diag, WEIR_E_ARG, "weir_scenario_load: path is null");
    weir_status st = wi_file_read(diag, path, WI_YAML_BYTES_MAX, &text, &length);
    if (st != WEIR_OK)
        return st;
    if (strcmp(path, "-") == 0)
        path = "stdin"; /* for messages, and the name of the results; files are relative to where weir runs */
    const char *slash = strrchr(path, '/');
    WI_FREED char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (folder)
        st = weir_scenario_parse(diag, path, text, length, folder, sets, n_sets, out);
    else
        st = weir_fail(diag, WEIR_E_NOMEM, "%s: out of memory", path);
    free(text);
    return st;
}

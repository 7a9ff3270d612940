/* Tables of keys as a page. */
#include "schema/schema.h"

#include <string.h>

enum { SEEN_MAX = 64, PATH_SIZE = 80 };

typedef struct page {
    FILE *out;
    const wi_section *seen[SEEN_MAX]; /* sections, and under which path they are documented */
    char path_of[SEEN_MAX][PATH_SIZE];
    size_t n_seen;
} page;

/* A cell of a table: | must be escaped. */
static void cell(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void range(FILE *out, const wi_key *key)
{
    if (key->low && key->high)
        fprintf(out, ", %s to %s", key->low, key->high);
    else if (key->above && key->high)
        fprintf(out, ", more than %s, at most %s", key->above, key->high);
    else if (key->above && key->below)
        fprintf(out, ", more than %s, less than %s", key->above, key->below);
    else if (key->above)
        fprintf(out, ", more than %s", key->above);
    else if (key->low)
        fprintf(out, ", at least %s", key->low);
    else if (key->below)
        fprintf(out, ", less than %s", key->below);
    else if (key->high)
        fprintf(out, ", at most %s", key->high);
}

static void value_cell(FILE *out, const wi_key *key)
{
    if (key->words) {
        for (size_t i = 0; i < key->words->n; i++)
            fprintf(out, "%s`%s`", i ? ", " : "", key->words->item[i].word);
    } else if (key->tagged) {
        cell(out, key->tagged->wants);
    } else {
        cell(out, key->kind->what);
        range(out, key);
        if (key->word)
            fprintf(out, ", or `%s`", key->word);
    }
}

static void default_cell(FILE *out, const wi_key *key)
{
    if (key->required && key->unless)
        fprintf(out, "*required*, unless there is a `%s`", key->unless);
    else if (key->required)
        fputs("*required*", out);
    else if (key->fallback)
        fprintf(out, "`%s`", key->fallback);
    else if (key->unset)
        cell(out, key->unset);
}

static void words_in_doc(FILE *out, const wi_key *key)
{
    bool first = true;
    for (size_t i = 0; key->words && i < key->words->n; i++) {
        const wi_word *word = &key->words->item[i];
        const char *const lack = word->needs_cuda ? "needs a build with CUDA" : NULL;
        if (!word->doc && !lack)
            continue;
        fprintf(out, "%s`%s`: ", first ? ". " : "; ", word->word);
        cell(out, word->doc ? word->doc : "");
        if (lack)
            fprintf(out, word->doc ? " (%s)" : "%s", lack);
        first = false;
    }
}

static const char *seen_as(const page *p, const wi_section *section)
{
    for (size_t i = 0; i < p->n_seen; i++) {
        if (p->seen[i] == section)
            return p->path_of[i];
    }
    return "";
}

static void key_row(page *p, const wi_key *key)
{
    fprintf(p->out, "| `%s` | ", key->name);
    value_cell(p->out, key);
    fputs(" | ", p->out);
    default_cell(p->out, key);
    fputs(" | ", p->out);
    cell(p->out, key->doc);
    words_in_doc(p->out, key);
    if (key->section)
        fprintf(p->out, "; its keys: `%s`", seen_as(p, key->section));
    fputs(" |\n", p->out);
}

static void remember(page *p, const wi_section *section, const char *path)
{
    if (p->n_seen == SEEN_MAX)
        return;
    p->seen[p->n_seen] = section;
    snprintf(p->path_of[p->n_seen++], PATH_SIZE, "%s", path);
}

/* The next key from *i on, of a section at `path`, whose value is a section of its own, and where that is; null: none. */
static const wi_section *next_below(const wi_section *section, const char *path, size_t *i,
                                    char out[PATH_SIZE])
{
    wi_key_at k;
    for (; wi_section_key(section, *i, &k); ++*i)
        if (!k.of && !(k.mixin && section->inherits) && k.key->section) {
            snprintf(out, PATH_SIZE, "%s%s%s", path, *path ? "." : "", k.key->name);
            ++*i;
            return k.key->section;
        }
    return NULL;
}

/* What a key's words bring with them, once for all sections that have the same. */
static void write_variants(page *p, const wi_variants *variants, const char *path)
{
    const wi_section *const first = variants->item[0];
    if (*seen_as(p, first)) {
        fprintf(p->out, "\nKeys that go with a `%s`: as those of `%s`.\n", variants->key, seen_as(p, first));
        return;
    }
    remember(p, first, path);
    for (size_t v = 0; v < variants->n; v++) {
        const wi_section *const variant = variants->item[v];
        for (size_t i = 0; i < variant->n_keys; i++) {
            if (i == 0)
                fprintf(
                    p->out,
                    "\nWith `%s: %s`:\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n",
                    variants->key, variant->name);
            key_row(p, &variant->keys[i]);
        }
    }
}

/* Keys that several sections have, with the first of them. */
static void write_mixin(page *p, const wi_section *mixin, const char *path)
{
    const bool seen = *seen_as(p, mixin) != 0;
    if (seen)
        fprintf(p->out, "\nBesides, as in `%s`: ", seen_as(p, mixin));
    else
        remember(p, mixin, path);
    for (size_t i = 0; i < mixin->n_keys; i++)
        if (seen)
            fprintf(p->out, "`%s`%s", mixin->keys[i].name, i + 1 < mixin->n_keys ? ", " : ".\n");
        else
            key_row(p, &mixin->keys[i]);
}

static void write_one(page *p, const wi_section *section, const char *path)
{
    const wi_section *below;
    char deeper[PATH_SIZE];
    if (*path)
        fprintf(p->out, "\n## `%s`\n", path);
    else
        fputs("\n## Top\n", p->out);
    if (section->doc)
        fprintf(p->out, "\n%s\n", section->doc);
    for (size_t i = 0; (below = next_below(section, path, &i, deeper));)
        if (!*seen_as(p, below)) /* that several keys share is documented under the first of them */
            remember(p, below, deeper);
    fputs("\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n", p->out);
    for (size_t i = 0; i < section->n_keys; i++)
        key_row(p, &section->keys[i]);
    if (section->mixin && !section->inherits)
        write_mixin(p, section->mixin, path);
    if (section->variants)
        write_variants(p, section->variants, path);
}

static void write_tree(page *p, const wi_section *section, const char *path)
{
    const wi_section *below;
    char deeper[PATH_SIZE];
    write_one(p, section, path);
    for (size_t i = 0; (below = next_below(section, path, &i, deeper));)
        if (strcmp(seen_as(p, below), deeper) == 0)
            write_tree(p, below, deeper);
}

/* Rows of what does not go together, of each section below. */
static void write_clashes(page *p, const wi_section *section, const char *path)
{
    const wi_section *below;
    char deeper[PATH_SIZE];
    wi_markdown_together(p->out, section);
    for (size_t i = 0; (below = next_below(section, path, &i, deeper));)
        if (strcmp(seen_as(p, below), deeper) == 0)
            write_clashes(p, below, deeper);
}

void wi_markdown_sections(FILE *out, const wi_section *top)
{
    page p = {.out = out};
    write_tree(&p, top, "");
    fputs("\n## What does not go together\n\n"
          "Refused in the line of the second column. `traffic[]{...}` is a class of which that holds; a key "
          "of a class stands alone.\n\n"
          "| with | not | since |\n| --- | --- | --- |\n",
          p.out);
    write_clashes(&p, top, "");
}

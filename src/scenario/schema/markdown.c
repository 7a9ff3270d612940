/* docs/scenario.md, from the same tables. */
#include "scenario/schema/schema.h"

#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# Scenario files\n"
    "\n"
    "<!-- Made from the tables in src/scenario/schema*.c; WEIR_UPDATE_DOCS=1 with the test scenario.docs "
    "writes it. -->\n"
    "\n"
    "A scenario is one YAML file. It says which network is simulated, with which traffic, and what is "
    "written. This one\n"
    "sends long TCP transfers across a topology file, with short ones and a constant stream beside them:\n"
    "\n"
    "```yaml\n"
    "weir: 1\n"
    "name: coast-to-coast\n"
    "duration: 30s\n"
    "seed: 7\n"
    "topology:\n"
    "  file: backbone.graphml          # or generate: {model: dumbbell, left: 8}\n"
    "  link: {rate: 1Gbps, delay: 2ms} # for links about which the file says nothing\n"
    "  queue: {type: red, limit: 2MB, min: 200kB, max: 1MB}\n"
    "  links:\n"
    "    - {link: Denver->Chicago, rate: 400Mbps, loss: 0.01%}\n"
    "routing: {metric: delay}\n"
    "traffic:\n"
    "  - name: bulk\n"
    "    tcp: {sessions: 4, ecn: true}\n"
    "    from: Seattle\n"
    "    to: [Atlanta, New York]\n"
    "  - name: short\n"
    "    tcp:\n"
    "      size: {pareto: {mean: 50kB, shape: 1.2}}\n"
    "      arrivals: {poisson: 100/s}\n"
    "    pairs: {random: 40}\n"
    "    start: {uniform: [0s, 1s]}\n"
    "  - name: voice\n"
    "    udp: {rate: 64kbps, packet: 200B}\n"
    "    pairs: [[Denver, Houston], [Houston, Denver]]\n"
    "output:\n"
    "  warmup: 5s\n"
    "  ports: [Denver->Chicago]\n"
    "  cwnd: bulk\n"
    "```\n"
    "\n"
    "`weir run FILE` runs it. `weir check FILE` only checks it, lists everything that is wrong with it, and "
    "prints the\n"
    "resolved scenario: all values in force with the defaults below filled in. The same text lies in the "
    "results folder;\n"
    "it reproduces the run, with the files that it names.\n"
    "\n"
    "- **Units are written.** Time: `ps ns us ms s min h d`. Rates: `bps kbps Mbps Gbps Tbps`, in bytes `Bps "
    "kBps MBps ...`.\n"
    "  Sizes: `B kB MB GB TB` and `KiB MiB GiB TiB`. Shares: `30%` or `0.3`. Event rates: `200/s`, `3/ms`. "
    "`b` is a bit and\n"
    "  `B` a byte. Where a unit is needed, a bare number is an error.\n"
    "- **Unknown keys are errors**, with the nearest known key; so are keys given twice.\n"
    "- **File names** are relative to the scenario file.\n"
    "- **Names of nodes** are those of the topology file or of its generator; `weir topology names` lists "
    "them.\n"
    "- **Names of links**: `A->B` is the direction from A to B, with its queue at A; `A--B` is both "
    "directions.\n"
    "- **Patterns**: wherever nodes or links are named, `*` stands for any characters, `?` for one, and "
    "brackets "
    "for numbers\n"
    "  or characters: `h[0-15]`, `node[01-20,30]` (two digits each), `r[a-d]`, `r[!0-9]*`. `core*--*` is "
    "every link "
    "with an end\n"
    "  whose name begins with core, `r*->h*` every port of routers toward hosts, and `*` alone every link. A "
    "pattern "
    "that finds\n"
    "  nothing is an error; a node of exactly that name goes first. `from` and `to` are lists of names, in "
    "which a "
    "pattern adds\n"
    "  what is not there yet; a failure by a pattern leaves alone what has failed already.\n"
    "- **Change a value without editing**: `--set topology.link.rate=100Mbps`, `--set "
    "traffic.bulk.tcp.sessions=8`. An item of\n"
    "  a list is addressed by its name or its number from 0; a value may be a list or a section in "
    "brackets:\n"
    "  `--set 'traffic.bulk.to=[Atlanta, Houston]'`.\n"
    "- **YAML**: anchors and aliases work; tags, merge keys and several documents in a file do not.\n"
    "- **What a version or a build lacks** (an engine, fluid traffic, captures, a device) is refused by "
    "name, with the place\n"
    "  in the file that asks for it; it is never left out in silence.\n"
    "- `weir check --schema` prints a JSON Schema for editors.\n"
    "\n"
    "Sections of the file follow, with all their keys. Where a key has no default, the column says what its\n"
    "absence means.\n";

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
    else if (key->above)
        fprintf(out, ", more than %s", key->above);
    else if (key->low)
        fprintf(out, ", at least %s", key->low);
    else if (key->below)
        fprintf(out, ", less than %s", key->below);
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

static void join(char out[PATH_SIZE], const char *path, const char *name)
{
    snprintf(out, PATH_SIZE, "%s%s%s", path, *path ? "." : "", name);
}

/* A section that several keys share is documented under the first of them. */
static void reserve(page *p, const wi_section *section, const char *path)
{
    for (size_t i = 0; i < section->n_keys; i++) {
        const wi_key *key = &section->keys[i];
        if (!key->section || *seen_as(p, key->section) || p->n_seen == SEEN_MAX)
            continue;
        p->seen[p->n_seen] = key->section;
        join(p->path_of[p->n_seen++], path, key->name);
    }
}

static void write_one(page *p, const wi_section *section, const char *path)
{
    if (*path)
        fprintf(p->out, "\n## `%s`\n", path);
    else
        fputs("\n## Top\n", p->out);
    if (section->doc)
        fprintf(p->out, "\n%s\n", section->doc);
    reserve(p, section, path);
    fputs("\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n", p->out);
    for (size_t i = 0; i < section->n_keys; i++)
        key_row(p, &section->keys[i]);
    for (size_t v = 0; section->variants && v < section->variants->n; v++) {
        const wi_section *const variant = section->variants->item[v];
        for (size_t i = 0; i < variant->n_keys; i++) {
            if (i == 0)
                fprintf(
                    p->out,
                    "\nWith `%s: %s`:\n\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n",
                    section->variants->key, variant->name);
            key_row(p, &variant->keys[i]);
        }
    }
}

static void write_tree(page *p, const wi_section *section, const char *path)
{
    write_one(p, section, path);
    for (size_t i = 0; i < section->n_keys; i++) {
        const wi_key *key = &section->keys[i];
        char deeper[PATH_SIZE];
        join(deeper, path, key->name);
        if (key->section && strcmp(seen_as(p, key->section), deeper) == 0)
            write_tree(p, key->section, deeper);
    }
}

char *weir_scenario_markdown(void)
{
    char *text = NULL;
    size_t size = 0;
    page p = {.out = open_memstream(&text, &size)};
    if (!p.out)
        return NULL;
    fputs(introduction, p.out);
    write_tree(&p, &wi_schema, "");
    const bool good = !ferror(p.out);
    if (fclose(p.out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

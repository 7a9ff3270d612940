/* YAML trees as text again. */
#include "schema/tree.h"

#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"

/* Plain scalars stay plain: what `5..10 step 2` or `~` mean depends on it. Folded lines become one. */
static void scalar(wi_writer *w, const wi_node *node, bool flow)
{
    const bool keep = node->plain && !strpbrk(node->text, flow ? "\n,[]{}" : "\n");
    if (keep && node->text[0])
        fputs(node->text, w->out);
    else if (keep)
        fputc('~', w->out);
    else
        wi_write_text(w, node->text);
}

static void flow(wi_writer *w, const wi_node *node)
{
    if (node->type == WI_SCALAR) {
        scalar(w, node, true);
        return;
    }
    fputc(node->type == WI_SEQUENCE ? '[' : '{', w->out);
    for (const wi_node *child = node->first; child; child = child->next) {
        if (child != node->first)
            fputs(", ", w->out);
        if (node->type == WI_MAPPING) {
            wi_write_text(w, child->key);
            fputs(": ", w->out);
        }
        flow(w, child);
    }
    fputc(node->type == WI_SEQUENCE ? ']' : '}', w->out);
}

const char *wi_node_flow(weir_arena *arena, const wi_node *node)
{
    char *text = NULL;
    const char *kept = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    wi_writer w = {.out = out};
    flow(&w, node);
    if (fclose(out) == 0)
        kept = wi_text_copy(arena, text, size);
    free(text);
    return kept;
}

/* Children of a section or list on lines of their own; scalars, and lists of scalars, behind their key. */
static bool is_flat(const wi_node *node)
{
    if (node->type == WI_SCALAR || !node->first)
        return true;
    for (const wi_node *child = node->first; child; child = child->next)
        if (node->type == WI_MAPPING || child->type != WI_SCALAR)
            return false;
    return true;
}

static void block(wi_writer *w, const wi_node *node, int depth, bool first_here)
{
    for (const wi_node *child = node->first; child; child = child->next) {
        if (child != node->first || !first_here)
            fprintf(w->out, "%*s", 2 * depth, "");
        if (node->type == WI_SEQUENCE) {
            fputs("- ", w->out);
        } else {
            wi_write_text(w, child->key);
            fputs(is_flat(child) ? ": " : ":\n", w->out);
        }
        if (is_flat(child) && child->type == WI_SCALAR)
            scalar(w, child, false);
        else if (is_flat(child))
            flow(w, child);
        else
            block(w, child, depth + 1, node->type == WI_SEQUENCE);
        if (is_flat(child))
            fputc('\n', w->out);
    }
}

/* A tree in block style, without its comments. Reading it gives the same tree. */
static void write_node(FILE *out, const wi_node *node)
{
    wi_writer w = {.out = out};
    block(&w, node, 0, false);
}

void wi_node_drop(wi_node *root, const char *key)
{
    wi_node *before = NULL;
    for (wi_node *child = root->first; child; before = child, child = child->next) {
        if (!key || strcmp(child->key, key) != 0)
            continue;
        if (before)
            before->next = child->next;
        else
            root->first = child->next;
        if (root->last == child)
            root->last = before;
        root->n--;
        return;
    }
}

weir_status wi_scenario_apply(weir_diag *diag, const wi_yaml_text *of, const wi_edits *edits, char **out)
{
    wi_node *root = NULL;
    size_t size = 0;
    weir_arena *arena = weir_arena_new(1 << 14);
    *out = NULL;
    if (!arena)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a scenario", of->name);
    weir_status status = wi_yaml_parse(diag, arena, of, NULL, &root);
    for (size_t i = 0; status == WEIR_OK && i < edits->n_sets; i++)
        status = wi_yaml_set(diag, arena, root, edits->sets[i]);
    FILE *file = status == WEIR_OK ? open_memstream(out, &size) : NULL;
    if (file) {
        wi_node_drop(root, edits->without);
        write_node(file, root);
    }
    if (status == WEIR_OK && (!file || fclose(file) != 0))
        status = weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a scenario", of->name);
    weir_arena_free(arena);
    return status;
}

/* ---- differences ---- */

typedef struct differing {
    weir_arena *arena;
    char *out;
    size_t size;
    bool no_memory;
} differing;

static void note(differing *d, const char *path)
{
    const size_t used = strlen(d->out);
    if (used < d->size)
        snprintf(d->out + used, d->size - used, "%s%s", used ? ", " : "", path);
}

static const wi_node *partner(const wi_node *other, const wi_node *child, size_t at)
{
    if (child->key)
        return wi_node_child(other, child->key);
    const wi_node *name = wi_node_child(child, "name"), *hit = other->first;
    if (name && name->type == WI_SCALAR) {
        for (; hit; hit = hit->next) {
            const wi_node *its = wi_node_child(hit, "name");
            if (its && its->type == WI_SCALAR && strcmp(its->text, name->text) == 0)
                return hit;
        }
        return NULL;
    }
    while (hit && at-- > 0)
        hit = hit->next;
    return hit;
}

static void differ(differing *d, const wi_node *a, const wi_node *b, const char *path);

static void children(differing *d, const wi_node *a, const wi_node *b, const char *path, bool only_missing)
{
    size_t at = 0;
    for (const wi_node *child = a->first; child; child = child->next, at++) {
        const wi_node *name = wi_node_child(child, "name"), *other = partner(b, child, at);
        const char *below =
            child->key ? wi_text_format(d->arena, "%s%s%s", path, path[0] ? "." : "", child->key)
            : name && name->type == WI_SCALAR ? wi_text_format(d->arena, "%s.%s", path, name->text)
                                              : wi_text_format(d->arena, "%s.%zu", path, at);
        if (!below) {
            d->no_memory = true;
            return;
        }
        if (strcmp(below, "study") == 0 || strcmp(below, "engine") == 0)
            continue;
        if (!other)
            note(d, below);
        else if (!only_missing)
            differ(d, child, other, below);
    }
}

static void differ(differing *d, const wi_node *a, const wi_node *b, const char *path)
{
    if (a->type != b->type) {
        note(d, path);
    } else if (a->type == WI_SCALAR) {
        if (strcmp(a->text, b->text) != 0)
            note(d, path);
    } else {
        children(d, a, b, path, false);
        children(d, b, a, path, true);
    }
}

weir_status wi_scenario_differences(weir_diag *diag, const wi_yaml_text *a, const wi_yaml_text *b, char *out,
                                    size_t size)
{
    wi_node *x = NULL, *y = NULL;
    differing d = {.arena = weir_arena_new(1 << 14), .out = out, .size = size};
    out[0] = '\0';
    if (!d.arena)
        return weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a scenario", a->name);
    weir_status status =
        wi_yaml_parse(diag, d.arena, a, NULL, &x) ?: wi_yaml_parse(diag, d.arena, b, NULL, &y);
    if (status == WEIR_OK)
        differ(&d, x, y, "");
    if (status == WEIR_OK && d.no_memory)
        status = weir_fail(diag, WEIR_E_NOMEM, "%s: no memory for a scenario", a->name);
    weir_arena_free(d.arena);
    return status;
}

/* What all readers of values share: memory, places, complaints, and the keys of a section in order. */
#include "schema/schema.h"

#include <stdarg.h>
#include <string.h>

#include "base/nearest.h"

static void tell(wi_reader *r, weir_status status, weir_place place, const char *fmt, va_list args)
{
    char text[1000];
    vsnprintf(text, sizeof text, fmt, args);
    r->errors++;
    r->refused += status == WEIR_E_UNSUPPORTED;
    weir_fail_at(r->diag, status, place.file ? place.file : r->file, place.line, place.column, "%s", text);
}

void wi_complain(wi_reader *r, weir_place place, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell(r, WEIR_E_SCENARIO, place, fmt, args);
    va_end(args);
}

void wi_refuse(wi_reader *r, weir_place place, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell(r, WEIR_E_UNSUPPORTED, place, fmt, args);
    va_end(args);
}

void *wi_reader_take(wi_reader *r, size_t n, size_t item_size)
{
    void *at = weir_arena_alloc(r->arena, n, item_size);
    if (!at)
        r->no_memory = true;
    return at;
}

const char *wi_article(const char *noun)
{
    return strchr("aeio", noun[0]) ? "an" : "a"; /* "a unit" */
}

weir_place wi_place_of(const wi_node *mapping, const char *key)
{
    const wi_node *child = wi_node_child(mapping, key);
    if (child)
        return child->place;
    return mapping ? mapping->place : (weir_place){0};
}

bool wi_want_scalar(wi_reader *r, const wi_key *key, const wi_node *node)
{
    char such[80] = "";
    if (key->kind->example)
        snprintf(such, sizeof such, " such as %s", key->kind->example);
    if (node->type != WI_SCALAR)
        wi_complain(r, node->place, "%s must be %s %s%s, not %s", key->name, wi_article(key->kind->what),
                    key->kind->what, such, wi_node_what(node));
    else if (wi_node_is_null(node))
        wi_complain(r, node->place, "%s has no value; want %s %s%s", key->name, wi_article(key->kind->what),
                    key->kind->what, such);
    else
        return true;
    return false;
}

void wi_unknown_word(wi_reader *r, const wi_key *key, const wi_node *node, const char *wants,
                     const char *const *known, size_t n)
{
    const char *near = node->type == WI_SCALAR ? wi_nearest(node->text, known, n) : NULL;
    if (near)
        wi_complain(r, node->place, "%s: unknown word '%s' (did you mean '%s'?); want %s", key->name,
                    node->text, near, wants);
    else if (node->type == WI_SCALAR && node->text[0])
        wi_complain(r, node->place, "%s: '%s' will not do; want %s", key->name, node->text, wants);
    else
        wi_complain(r, node->place, "%s cannot be %s; want %s", key->name,
                    node->type == WI_SCALAR ? "empty" : wi_node_what(node), wants);
}

bool wi_section_key(const wi_section *section, size_t i, wi_key_at *out)
{
    const wi_section *const hosts[2] = {section, section->mixin};
    for (int h = 0; h < 2 && hosts[h]; h++) {
        const wi_section *const host = hosts[h];
        const size_t base = h ? section->mixin_offset : 0, n = host->variants ? host->variants->n : 0;
        if (i < host->n_keys) {
            *out = (wi_key_at){.key = &host->keys[i], .section = host, .base = base, .mixin = h > 0};
            return true;
        }
        i -= host->n_keys;
        for (size_t v = 0; v < n; v++) {
            const wi_section *const variant = host->variants->item[v];
            if (i < variant->n_keys) {
                *out = (wi_key_at){
                    &variant->keys[i], variant, base + host->variants->offset, host, base, v, h > 0};
                return true;
            }
            i -= variant->n_keys;
        }
    }
    return false;
}

int wi_variant_of(const wi_variants *variants, const void *at)
{
    int number;
    memcpy(&number, (const char *)at + variants->number_offset, sizeof number);
    return number;
}

bool wi_key_picked(const wi_key_at *k, const void *at)
{
    return !k->of || wi_variant_of(k->of->variants, (const char *)at + k->of_base) == (int)k->variant;
}

bool wi_word_refused(const wi_word *word)
{
#ifdef WEIR_HAVE_CUDA
    (void)word;
    return false;
#else
    return word->needs_cuda;
#endif
}

void wi_refuse_word(wi_reader *r, const wi_key *key, const wi_word *word, weir_place place)
{
    wi_refuse(r, place,
              "%s: %s is not available in this build, which has no CUDA for a GPU; leave it out, or build "
              "weir with CUDA",
              key->name, word->word);
}

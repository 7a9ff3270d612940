/* Which keys of a section mean something, of values in force. */
#include "schema/condition.h"

#include <stdlib.h>
#include <string.h>

/* A value in force, as a file would say it; malloc'ed, null when memory is short. */
static char *text_in_force(const wi_key *key, const char *owner)
{
    char *text = NULL;
    size_t size = 0;
    wi_writer w = {.out = open_memstream(&text, &size), .flow = true};
    if (!w.out)
        return NULL;
    key->kind->write(&w, key, owner + key->offset);
    fclose(w.out);
    return text;
}

static bool term_in_force(const wi_section *section, const void *at, const wi_term *t)
{
    char name[WI_NAME_MAX];
    bool is = false;
    for (const char *path = t->path; !is && wi_next_name(&path, t->path + t->path_size, '|', name);) {
        wi_key_at k;
        for (size_t i = 0; wi_section_key(section, i, &k); i++) {
            if (strcmp(k.key->name, name) != 0 || !wi_key_picked(&k, at))
                continue;
            char *const text = t->words ? text_in_force(k.key, (const char *)at + k.base) : NULL;
            is = t->words ? wi_is_one_of(k.key, text, t)
                          : wi_key_given(k.section, k.key, (const char *)at + k.base);
            free(text);
            break;
        }
    }
    return is != t->negated;
}

bool wi_with_holds(const wi_section *section, const wi_key *key, const void *at)
{
    wi_term t;
    for (const char *path = key->with, *end = path ? path + strlen(path) : path;
         path && wi_next_term(&path, end, &t);)
        if (!term_in_force(section, at, &t))
            return false;
    return true;
}

/* A section that says where it stands, and does not: it was not given. */
static bool is_absent(const wi_key *key, const void *owner)
{
    const char *const at = (const char *)owner + key->offset;
    const size_t in = key->section ? key->section->place_offset : 0;
    if (!key->kind->is_section || key->always || key->required || (!key->place_offset && !in))
        return false;
    return !((const weir_place *)(key->place_offset ? (const char *)owner + key->place_offset : at + in))
                ->file;
}

bool wi_key_given(const wi_section *section, const wi_key *key, const void *owner)
{
    const void *at = (const char *)owner + key->offset;
    if ((section->hides && section->hides(key, owner)) || is_absent(key, owner) ||
        !wi_with_holds(section, key, owner))
        return false;
    if (key->kind->storage != WI_NOT_SCALAR)
        return key->required || key->fallback ||
               wi_scalar_load(key->kind->storage, at) != (long double)key->absent;
    return !key->kind->given || key->kind->given(key, at);
}

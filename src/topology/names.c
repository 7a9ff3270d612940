/* Names in one pool of text and one open-addressing table. */
#include "topology/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* FNV-1a, then a mix that spreads its weak low bits. */
static uint64_t hash(const char *text, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    h ^= h >> 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    return h ^ (h >> 29);
}

void wi_names_free(wi_names *names)
{
    free(names->pool);
    free(names->offset);
    free(names->slot);
    *names = (wi_names){0};
}

const char *wi_names_text(const wi_names *names, uint32_t number)
{
    return names->pool + names->offset[number];
}

static bool equal(const wi_names *names, uint32_t number, const char *text, size_t length)
{
    const char *have = wi_names_text(names, number);
    const size_t end = number + 1 < names->count ? names->offset[number + 1] : names->pool_size;
    return end - names->offset[number] == length + 1 && memcmp(have, text, length) == 0;
}

/* The slot that holds the name, or the free one where it belongs. Needs n_slots > 0. */
static size_t locate(const wi_names *names, const char *text, size_t length)
{
    const size_t mask = names->n_slots - 1;
    size_t s = (size_t)hash(text, length) & mask;
    while (names->slot[s] != 0 && !equal(names, names->slot[s] - 1, text, length))
        s = (s + 1) & mask;
    return s;
}

uint32_t wi_names_find(const wi_names *names, const char *text, size_t length)
{
    if (names->n_slots == 0)
        return WI_NO_NAME;
    const uint32_t found = names->slot[locate(names, text, length)];
    return found ? found - 1 : WI_NO_NAME;
}

/* Names are distinct, so the table refills without a comparison of texts. */
static bool grow_slots(wi_names *names, size_t n_slots)
{
    uint32_t *slot = calloc(n_slots, sizeof *slot);
    if (!slot)
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        const char *text = wi_names_text(names, i);
        size_t s = (size_t)hash(text, strlen(text)) & (n_slots - 1);
        while (slot[s] != 0)
            s = (s + 1) & (n_slots - 1);
        slot[s] = i + 1;
    }
    free(names->slot);
    names->slot = slot;
    names->n_slots = n_slots;
    return true;
}

static bool reserve(wi_names *names, size_t length)
{
    if (names->count == UINT32_MAX - 1 ||
        !wi_grow(&names->offset, &names->capacity, names->count + (size_t)1, sizeof *names->offset) ||
        !wi_grow(&names->pool, &names->pool_capacity, names->pool_size + length + 1, 1))
        return false;
    return names->n_slots >= 2 * ((size_t)names->count + 1) ||
           grow_slots(names, names->n_slots ? 2 * names->n_slots : 128);
}

uint32_t wi_names_add(wi_names *names, const char *text, size_t length)
{
    if (!reserve(names, length))
        return WI_NO_NAME;
    const size_t s = locate(names, text, length);
    names->offset[names->count] = names->pool_size;
    memcpy(names->pool + names->pool_size, text, length);
    names->pool[names->pool_size + length] = '\0';
    names->pool_size += length + 1;
    names->slot[s] = ++names->count;
    return names->count - 1;
}

uint32_t wi_names_intern(wi_names *names, const char *text, size_t length)
{
    const uint32_t found = wi_names_find(names, text, length);
    return found != WI_NO_NAME ? found : wi_names_add(names, text, length);
}

bool wi_names_copy(const wi_names *names, wi_names *copy)
{
    *copy = (wi_names){0};
    if (names->count == 0)
        return true;
    copy->pool = malloc(names->pool_size);
    copy->offset = malloc(names->count * sizeof *copy->offset);
    copy->slot = malloc(names->n_slots * sizeof *copy->slot);
    if (!copy->pool || !copy->offset || !copy->slot) {
        wi_names_free(copy);
        return false;
    }
    memcpy(copy->pool, names->pool, names->pool_size);
    memcpy(copy->offset, names->offset, names->count * sizeof *copy->offset);
    memcpy(copy->slot, names->slot, names->n_slots * sizeof *copy->slot);
    copy->pool_size = copy->pool_capacity = names->pool_size;
    copy->count = copy->capacity = names->count;
    copy->n_slots = names->n_slots;
    return true;
}

/* Arrays that grow as items are put behind those that are there. */
#ifndef WI_BASE_GROW_H
#define WI_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `wanted` items of `size` bytes in the array that `array` points to, of which there is `*room`. False when
 * memory is short: the array is as it was. */
static inline bool wi_grow(void *array, size_t *room, size_t wanted, size_t size)
{
    void *items;
    if (wanted <= *room)
        return true;
    const size_t twice = *room ? 2 * *room : 64, more = twice > wanted ? twice : wanted;
    memcpy(&items, array, sizeof items);
    items = more <= SIZE_MAX / size ? realloc(items, more * size) : NULL;
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *room = more;
    return true;
}

/* The same; new items are zero. */
static inline bool wi_grow_zeroed(void *array, size_t *room, size_t wanted, size_t size)
{
    char *items;
    const size_t before = *room;
    if (!wi_grow(array, room, wanted, size))
        return false;
    memcpy(&items, array, sizeof items);
    memset(items + before * size, 0, (*room - before) * size);
    return true;
}

#endif

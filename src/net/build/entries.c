/* Entries of a forwarding table, and the log of those that change. */
#include <stdlib.h>

#include "net/build/forwarding.h"

/* Remember that an entry changes; false when memory is short. */
static bool log_change(wi_net_forwarding *f, uint64_t at, uint32_t before, uint32_t after)
{
    if (f->n_changed == f->changed_capacity) {
        const uint64_t capacity = 2 * f->changed_capacity + 256;
        wi_net_entry_change *changed = realloc(f->changed, capacity * sizeof *changed);
        if (!changed)
            return false;
        f->changed = changed;
        f->changed_capacity = capacity;
    }
    f->changed[f->n_changed++] = (wi_net_entry_change){at, (uint16_t)before, (uint16_t)after};
    return true;
}

void wi_net_forwarding_put(wi_net_forwarding *f, uint32_t router, uint32_t column, uint32_t entry)
{
    const size_t at = (size_t)router * f->n_columns + column;
    if (entry == WEIR_NO_PORT && f->entry_bytes == 1)
        entry = UINT8_MAX;
    const uint32_t before = f->logging ? wi_net_forwarding_raw(f, at) : entry;
    if (before != entry && !log_change(f, at, before, entry))
        f->no_memory = true;
    if (f->entry_bytes == 1)
        f->table[at] = (uint8_t)entry;
    else
        ((uint16_t *)(void *)f->table)[at] = (uint16_t)entry;
}

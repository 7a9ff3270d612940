/* One walk that saves or reads back; see keeper.h. */
#include "base/keeper.h"

#include <string.h>

void wi_keeper_fail(wi_keeper *k, weir_status status)
{
    if (k->status == WEIR_OK)
        k->status = status;
}

static void end_section(wi_keeper *k)
{
    if (wi_keeper_reads(k) && k->part.name && k->status == WEIR_OK)
        k->status = wi_saved_done(k->diag, k->from, &k->part);
    k->part = (wi_saved_part){0};
}

void wi_keep_section(wi_keeper *k, const char *name)
{
    end_section(k);
    if (!wi_keeper_reads(k))
        wi_saver_section(k->to, name);
    else if (!wi_saved_find(k->from, name, &k->part) && k->status == WEIR_OK)
        k->status = weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                 "there is no section '%s'", name);
}

void wi_keep(wi_keeper *k, void *at, size_t bytes)
{
    if (bytes == 0)
        return;
    if (!wi_keeper_reads(k))
        wi_saver_put(k->to, at, bytes);
    else if (k->status == WEIR_OK)
        wi_saved_take(&k->part, at, bytes);
    else
        memset(at, 0, bytes);
}

size_t wi_keep_size(wi_keeper *k, size_t n)
{
    uint64_t stated = n;
    wi_keep(k, &stated, sizeof stated);
    if (stated == n)
        return n;
    if (k->status == WEIR_OK)
        k->status = weir_fail_at(k->diag, WEIR_E_FORMAT, wi_saved_path(k->from), 0, 0,
                                 "section '%s' holds %llu of what this run has %zu of", k->part.name,
                                 (unsigned long long)stated, n);
    return 0;
}

weir_status wi_keeper_status(wi_keeper *k)
{
    end_section(k);
    return k->status;
}

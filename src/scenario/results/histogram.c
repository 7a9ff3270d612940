/* Bins in the order of their index; the one that was counted last is looked at first, as neighbours in time are alike. */
#include "scenario/results/monitor.h"
#include "base/memory.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

bool wi_histogram_add(wi_histogram *h, uint64_t index)
{
    size_t at = h->last;
    if (at >= h->n || h->bin[at].index != index)
        at = WI_FIRST(i, h->n, h->bin[i].index >= index);
    if (at == h->n || h->bin[at].index != index) {
        if (!wi_grow_one(&h->bin, h->n, sizeof *h->bin))
            return false;
        memmove(h->bin + at + 1, h->bin + at, (h->n - at) * sizeof *h->bin);
        h->bin[at] = (wi_bin){.index = index};
        h->n++;
    }
    h->bin[at].count++;
    h->last = at;
    return true;
}

void wi_histogram_archive(wi_histogram *h, wi_archiver *k)
{
    wi_archive_array(k, &h->bin, &h->n, sizeof *h->bin);
    h->last = 0; /* where the next is looked for first */
}

void wi_histogram_free(wi_histogram *h)
{
    free(h->bin);
    *h = (wi_histogram){0};
}

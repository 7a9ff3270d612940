/* Bins in the order of their index; the one that was counted last is looked at first, as neighbours in time are alike. */
#include "scenario/results/monitor.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Number of bins below `index`. */
static size_t bins_below(const wi_histogram *h, uint64_t index)
{
    size_t low = 0, high = h->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (h->bin[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool wi_histogram_add(wi_histogram *h, uint64_t index)
{
    size_t at = h->last;
    if (at >= h->n || h->bin[at].index != index)
        at = bins_below(h, index);
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

void wi_histogram_free(wi_histogram *h)
{
    free(h->bin);
    *h = (wi_histogram){0};
}

/* A binary tree of sums and of largest running sums; see tally.h. */
#include "topology/brite/flat/tally.h"

#include <stdlib.h>

bool wi_tally_init(wi_tally *t, uint32_t n)
{
    t->leaves = 1;
    while (t->leaves < n)
        t->leaves *= 2;
    t->sum = calloc(2 * (size_t)t->leaves, sizeof *t->sum);
    t->peak = calloc(2 * (size_t)t->leaves, sizeof *t->peak);
    return t->sum && t->peak;
}

void wi_tally_free(wi_tally *t)
{
    free(t->sum);
    free(t->peak);
    *t = (wi_tally){0};
}

void wi_tally_set(wi_tally *t, uint32_t i, double weight)
{
    uint32_t at = t->leaves + i;
    t->sum[at] = t->peak[at] = weight;
    while (at > 1) {
        at /= 2;
        const double left = t->sum[2 * at], right = left + t->peak[2 * at + 1];
        t->sum[at] = left + t->sum[2 * at + 1];
        t->peak[at] = right > t->peak[2 * at] ? right : t->peak[2 * at];
    }
}

double wi_tally_until(const wi_tally *t, uint32_t i)
{
    double sum = t->sum[t->leaves + i];
    for (uint32_t at = t->leaves + i; at > 1; at /= 2)
        if (at % 2)
            sum += t->sum[at - 1];
    return sum;
}

uint32_t wi_tally_find(const wi_tally *t, double target, uint32_t none)
{
    uint32_t at = 1;
    if (!(t->peak[1] > target))
        return none;
    while (at < t->leaves) {
        at *= 2;
        if (!(t->peak[at] > target))
            target -= t->sum[at++];
    }
    return at - t->leaves;
}

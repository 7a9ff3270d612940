/*
 * REPETITA's demands (S. Gay, P. Schaus, S. Vissicchio, REPETITA: Repeatable Experiments for Performance Evaluation of
 * Traffic-Engineering Algorithms, arXiv:1710.08665, 2017): "DEMANDS n", a line of column names, then n lines
 * "label source target bandwidth", nodes by their number in the topology from 0, bandwidth in kb/s.
 */
#include <math.h>
#include <stdio.h>

#include "base/file/slice.h"
#include "base/memory.h"
#include "network/files/demands.h"

enum { WORDS = 4, ERRORS_MAX = 20, NODES_MAX = 999999999 };

bool wi_demands_add(wi_demands *d, const wi_demand *demand)
{
    d->n_zero += demand->rate_bps == 0;
    if (demand->rate_bps == 0)
        return true;
    if (!wi_grow_one(&d->demand, d->n, sizeof *d->demand))
        return false;
    d->total_bps += demand->rate_bps;
    d->demand[d->n++] = *demand;
    return true;
}

/* Words of the next line that has any; 0 at the end. */
static size_t next_line(wi_source *s, wi_slice *word)
{
    wi_slice line;
    size_t n = 0;
    while (n == 0 && wi_next_line(s, &line))
        n = wi_split(line, word, WORDS);
    return n;
}

/* A node is a number; a name of each that is spoken of, so that a message can say it. */
static uint32_t node(wi_source *s, wi_demands *d, wi_slice word, const char *what)
{
    char shown[WI_SHOWN];
    uint32_t number = 0;
    if (!wi_slice_u32(word, &number) || number > NODES_MAX)
        wi_fail_slice(s, word, "%s: want a node's number, not %s", what, wi_shown(word, shown));
    snprintf(shown, sizeof shown, "%u", number);
    const uint32_t i = wi_names_intern(&d->node, shown, strlen(shown));
    if (i == WI_NO_NAME)
        wi_no_memory(s, "nodes");
    return i;
}

static void read_demand(wi_source *s, wi_demands *d, const wi_slice *word)
{
    char shown[WI_SHOWN];
    double kbps = 0.0;
    const int before = s->errors;
    wi_demand demand = {.source = node(s, d, word[1], "source"), .line = s->line};
    demand.target = node(s, d, word[2], "target");
    if (!wi_slice_number(word[3], &kbps) || !(kbps >= 0.0))
        wi_fail_slice(s, word[3], "bandwidth: want a number of 0 or more, not %s", wi_shown(word[3], shown));
    else if (!(kbps * 1e3 < WI_DEMAND_MAX) || d->total_bps > UINT64_MAX - (uint64_t)WI_DEMAND_MAX)
        wi_fail(s, "this demand, or the sum of all up to it, is beyond 1e18 bit/s");
    else if (s->errors == before && demand.source == demand.target)
        wi_fail(s, "a demand of a node with itself: %s", wi_shown(word[1], shown));
    if (s->errors > before)
        return;
    demand.rate_bps = (uint64_t)llround(kbps * 1e3);
    if (!wi_demands_add(d, &demand))
        wi_no_memory(s, "demands");
}

static void read_all(wi_source *s, wi_demands *d)
{
    wi_slice word[WORDS];
    uint32_t announced = 0, seen = 0;
    if (next_line(s, word) != 2 || !wi_slice_is(word[0], "DEMANDS") || !wi_slice_u32(word[1], &announced))
        wi_fail(s, "want 'DEMANDS' and their number");
    else if (next_line(s, word) == 0 || !wi_slice_is(word[0], "label"))
        wi_fail(s, "want a line 'label src dest bw'");
    if (s->errors)
        return;
    for (size_t n; (n = next_line(s, word)) > 0; seen++)
        if (n == WORDS)
            read_demand(s, d, word);
        else
            wi_fail(s, "want LABEL SOURCE TARGET BANDWIDTH");
    if (s->errors)
        return;
    if (seen != announced)
        wi_fail(s, "the number of demands is not the one in the first line: is the file cut off?");
    else if (d->n == 0)
        wi_fail(s, "the file holds no demand above zero");
}

bool wi_demands_are_repetita(const char *text, size_t length)
{
    return length > 8 && memcmp(text, "DEMANDS", 7) == 0 && wi_is_blank(text[7]);
}

weir_status wi_demands_read_repetita(weir_diag *diag, const char *name, const char *text, size_t length,
                                     wi_demands *out)
{
    wi_source source = wi_source_memory(diag, name, text, length);
    source.tolerates = ERRORS_MAX - 1;
    out->by_number = out->unit_given = true;
    wi_source_text(&source);
    read_all(&source, out);
    return wi_source_close(&source);
}

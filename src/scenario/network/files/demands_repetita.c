/*
 * REPETITA's demands (S. Gay, P. Schaus, S. Vissicchio, REPETITA: Repeatable Experiments for Performance Evaluation of
 * Traffic-Engineering Algorithms, arXiv:1710.08665, 2017): "DEMANDS n", a line of column names, then n lines
 * "label source target bandwidth", nodes by their number in the topology from 0, bandwidth in kb/s.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scenario/network/files/demands.h"
#include "weir/units.h"

enum { WORD_MAX = 200, WORDS = 5, ERRORS_MAX = 20 };
static const double rate_max = 1e18;

typedef struct reader {
    weir_diag *diag;
    const char *name;
    int line, errors;
    const char *at, *end;
    char word[WORDS][WORD_MAX];
    wi_demands *out;
    bool no_memory;
} reader;

static void complain(reader *r, const char *what, const char *value)
{
    if (r->errors++ < ERRORS_MAX)
        (void)weir_fail_at(r->diag, WEIR_E_FORMAT, r->name, r->line, 0, "%s%s", what, value);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Words of the next line that has any; 0 at the end. One too many is counted; too long a word is cut, and so no number. */
static int next_line(reader *r)
{
    int n = 0;
    while (n == 0 && r->at < r->end) {
        r->line++;
        for (; r->at < r->end && *r->at != '\n';) {
            size_t length = 0;
            if (is_blank(*r->at)) {
                r->at++;
                continue;
            }
            char *const word = r->word[n < WORDS ? n : WORDS - 1];
            for (; r->at < r->end && *r->at != '\n' && !is_blank(*r->at); r->at++)
                if (length + 1 < WORD_MAX)
                    word[length++] = *r->at ? *r->at : '?';
            word[length] = '\0';
            n += n < WORDS;
        }
        r->at += r->at < r->end;
    }
    return n;
}

static bool whole(const char *text, uint32_t *out)
{
    if (!*text || strlen(text) > 9 || strspn(text, "0123456789") != strlen(text))
        return false;
    *out = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

/* Nodes are numbers; a name of each that is spoken of, so that a message can say it. */
static uint32_t node(reader *r, uint32_t number)
{
    char text[20];
    const int n = snprintf(text, sizeof text, "%u", number);
    const uint32_t i = wi_names_intern(&r->out->node, text, (size_t)n);
    r->no_memory |= i == WI_NO_NAME;
    return i;
}

static void keep(reader *r, uint32_t source, uint32_t target, double bps)
{
    wi_demands *d = r->out;
    const wi_demand demand = {node(r, source), node(r, target), (uint64_t)llround(bps), r->line};
    if (demand.rate_bps == 0) {
        d->n_zero++;
        return;
    }
    r->no_memory = r->no_memory || !wi_grow_one(&d->demand, d->n, sizeof *d->demand);
    if (r->no_memory)
        return;
    d->demand[d->n++] = demand;
    d->total_bps += demand.rate_bps;
}

static void read_demand(reader *r, int words)
{
    uint32_t source, target;
    double kbps = 0.0;
    char why[200];
    if (words != 4)
        complain(r, "want LABEL SOURCE TARGET BANDWIDTH", "");
    else if (!whole(r->word[1], &source))
        complain(r, "source: want a node's number, not ", r->word[1]);
    else if (!whole(r->word[2], &target))
        complain(r, "target: want a node's number, not ", r->word[2]);
    else if (!weir_parse_number(r->word[3], &kbps, why, sizeof why))
        complain(r, "bandwidth: ", why);
    else if (!(kbps >= 0.0))
        complain(r, "want a bandwidth of 0 or more, not ", r->word[3]);
    else if (!(kbps * 1e3 < rate_max) || r->out->total_bps > UINT64_MAX - (uint64_t)rate_max)
        complain(r, "this demand, or the sum of all up to it, is beyond 1e18 bit/s", "");
    else if (source == target)
        complain(r, "a demand of a node with itself: ", r->word[1]);
    else
        keep(r, source, target, kbps * 1e3);
}

static void read_all(reader *r)
{
    uint32_t announced = 0, seen = 0;
    if (next_line(r) != 2 || strcmp(r->word[0], "DEMANDS") != 0 || !whole(r->word[1], &announced)) {
        complain(r, "want 'DEMANDS' and their number", "");
        return;
    }
    if (next_line(r) == 0 || strcmp(r->word[0], "label") != 0) {
        complain(r, "want a line 'label src dest bw'", "");
        return;
    }
    for (int words; (words = next_line(r)) > 0 && !r->no_memory && r->errors < ERRORS_MAX; seen++)
        read_demand(r, words);
    if (r->errors || r->no_memory)
        return;
    if (seen != announced)
        complain(r, "the number of demands is not the one in the first line: is the file cut off?", "");
    else if (r->out->n == 0)
        complain(r, "the file holds no demand above zero", "");
}

bool wi_demands_are_repetita(const char *text, size_t length)
{
    return length > 8 && memcmp(text, "DEMANDS", 7) == 0 && is_blank(text[7]);
}

bool wi_demands_read_repetita(weir_diag *diag, const char *name, const char *text, size_t length,
                              wi_demands *out, bool *no_memory)
{
    WI_FREED reader *r = calloc(1, sizeof *r);
    *no_memory = !r;
    if (!r)
        return false;
    *r = (reader){.diag = diag, .name = name, .at = text, .end = text + length, .out = out};
    out->by_number = out->unit_given = true;
    read_all(r);
    *no_memory = r->no_memory;
    return !r->errors && !r->no_memory;
}

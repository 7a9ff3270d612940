#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63, EDIT = 8, CASE = 1 };

static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' || c == ' ' ? '_' : c;
}

static int substitution(char a, char b)
{
    if (a == b)
        return 0;
    return folded(a) == folded(b) ? CASE : EDIT;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int distance(const char *a, size_t na, const char *b, size_t nb)
{
    int rows[3][WORD_MAX + 1]; /* of a's prefixes ending two back, one back, here */
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= nb; j++)
        last[j] = (int)j * EDIT;
    for (size_t i = 1; i <= na; i++) {
        row[0] = (int)i * EDIT;
        for (size_t j = 1; j <= nb; j++) {
            int d = last[j - 1] + substitution(a[i - 1], b[j - 1]);
            d = least(d, least(last[j], row[j - 1]) + EDIT);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1]))
                d = least(d, before[j - 2] + EDIT + substitution(a[i - 1], b[j - 2]) +
                                 substitution(a[i - 2], b[j - 1]));
            row[j] = d;
        }
        int *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[nb];
}

const char *wi_nearest(const char *word, const char *const *known, size_t n)
{
    const size_t length = strlen(word);
    if (length == 0 || length > WORD_MAX)
        return NULL;
    const int edits = length < 6 ? 1 : (int)length / 3;
    const char *nearest = NULL;
    int best = edits * EDIT + EDIT; /* room for a few changes of case besides */
    for (size_t i = 0; i < n; i++) {
        const size_t other = known[i] ? strlen(known[i]) : 0;
        if (other == 0 || other > WORD_MAX)
            continue;
        const int d = distance(word, length, known[i], other);
        const bool all_differ = d >= EDIT * (int)(length < other ? other : length);
        if (d < best && !all_differ) {
            best = d;
            nearest = known[i];
        }
    }
    return nearest;
}

const char *wi_hint(char out[WI_HINT_BYTES], const char *word, const char *const *known, size_t n)
{
    const char *const near = wi_nearest(word, known, n);
    size_t at = 0;
    if (near)
        snprintf(out, WI_HINT_BYTES, " (did you mean '%s'?)", near);
    for (size_t i = 0; !near && i < n && at < WI_HINT_BYTES; i++)
        at += (size_t)snprintf(out + at, WI_HINT_BYTES - at, "%s%s", i ? ", " : "; known are ", known[i]);
    if (at >= WI_HINT_BYTES)
        memcpy(out + WI_HINT_BYTES - 4, "...", 4);
    return out;
}

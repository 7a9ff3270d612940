/* Which rank this is of how many, and what ranks agree on: an outcome, the same text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/ranks.h"
#include "base/memory.h"
#include "weir/ranks.h"

uint32_t weir_rank(void)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    if (ranks)
        return ranks->rank;
    if (wi_ranks_are_alone())
        return 0;
    /* Not joined: the launcher's word, so that a refusal to start is printed once. */
    const char *text = wi_ranks_started() > 1 ? getenv("OMPI_COMM_WORLD_RANK") : NULL;
    if (!text && wi_ranks_started() > 1)
        text = getenv("PMI_RANK");
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

uint32_t weir_ranks(void)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    return ranks ? ranks->n_ranks : 1;
}

/* Rank 0 prints: send it the first error of the others. */
static void share_message(weir_diag *diag, const wi_ranks *ranks)
{
    char text[1024] = "";
    for (size_t i = 0; i < weir_diag_count(diag) && !text[0]; i++)
        if (weir_diag_get(diag, i)->severity == WEIR_ERROR && weir_diag_get(diag, i)->file)
            weir_message_format(weir_diag_get(diag, i), text, sizeof text);
        else if (weir_diag_get(diag, i)->severity == WEIR_ERROR)
            snprintf(text, sizeof text, "%s", weir_diag_get(diag, i)->text);
    const int64_t silent = (int64_t)ranks->n_ranks;
    const int64_t speaker = ranks->least(text[0] ? (int64_t)ranks->rank : silent);
    if (speaker == 0 || speaker == silent)
        return;
    ranks->broadcast(text, sizeof text, (uint32_t)speaker);
    if (ranks->rank == 0)
        (void)!weir_fail(diag, WEIR_E_UNSUPPORTED, "rank %d: %s", (int)speaker, text);
}

weir_status weir_ranks_agree(weir_diag *diag, weir_status status)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    if (!ranks)
        return status;
    status = (weir_status)-ranks->least(-(int64_t)status);
    if (status != WEIR_OK && status != WEIR_E_INTERRUPTED)
        share_message(diag, ranks);
    return status;
}

/* The lines in which two texts differ, the first few: "'mine' (rank 0: 'its')". */
static void differences(const char *mine, const char *its, char *out, size_t size)
{
    enum { FEW = 3, LINE = 80 };
    size_t at = 0;
    out[0] = 0;
    for (int n = 0; n < FEW && (*mine || *its) && at < size;) {
        const size_t a = strcspn(mine, "\n"), b = strcspn(its, "\n");
        const size_t skip_a = strspn(mine, " "), skip_b = strspn(its, " ");
        if (a != b || memcmp(mine, its, a) != 0)
            at += (size_t)snprintf(out + at, size - at, "%s'%.*s' (rank 0: '%.*s')", n++ ? ", " : "",
                                   (int)(a - skip_a < LINE ? a - skip_a : LINE), mine + skip_a,
                                   (int)(b - skip_b < LINE ? b - skip_b : LINE), its + skip_b);
        mine += mine[a] ? a + 1 : a;
        its += its[b] ? b + 1 : b;
    }
}

weir_status weir_ranks_same(weir_diag *diag, const char *what, const char *text)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    if (!ranks)
        return WEIR_OK;
    uint64_t size = strlen(text) + 1;
    ranks->broadcast(&size, sizeof size, 0);
    WI_FREED char *first = malloc(size);
    weir_status status = first ? WEIR_OK : weir_fail(diag, WEIR_E_NOMEM, "no memory to compare ranks");
    status = weir_ranks_agree(diag, status);
    if (status == WEIR_OK) {
        if (ranks->rank == 0)
            memcpy(first, text, size);
        ranks->broadcast(first, size, 0);
        char lines[600];
        differences(text, first, lines, sizeof lines);
        if (lines[0])
            status = weir_fail(diag, WEIR_E_SCENARIO,
                               "another %s than rank 0's: %s; start all ranks with the same", what, lines);
        status = weir_ranks_agree(diag, status);
    }
    return status;
}

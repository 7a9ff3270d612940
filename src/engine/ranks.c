/* What is the same with and without MPI, and the build without it. */
#include "weir/ranks.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/ranks.h"

uint32_t wi_ranks_started(void)
{
    /* Open MPI's name, and the one of launchers that speak PMI. */
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        const long n = text ? strtol(text, NULL, 10) : 0;
        if (n > 1)
            return (uint32_t)n;
    }
    return 1;
}

uint32_t weir_rank(void)
{
    const wi_ranks *ranks = wi_ranks_of_run();
    if (ranks)
        return ranks->rank;
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

/* Rank 0 prints: what another one has to say must reach it. */
static void share_message(weir_diag *diag, const wi_ranks *ranks)
{
    char text[1024] = "";
    for (size_t i = 0; i < weir_diag_count(diag) && !text[0]; i++)
        if (weir_diag_get(diag, i)->severity == WEIR_ERROR)
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

#ifndef WEIR_HAVE_MPI
weir_status weir_ranks_begin(weir_diag *diag)
{
    if (wi_ranks_started() > 1)
        return weir_fail(
            diag, WEIR_E_UNSUPPORTED,
            "started as %u processes, and this build has no MPI: build weir where MPI is installed "
            "(libopenmpi-dev), or start it once, with threads",
            wi_ranks_started());
    return WEIR_OK;
}

void weir_ranks_end(void)
{
}

const wi_ranks *wi_ranks_of_run(void)
{
    return NULL;
}
#endif

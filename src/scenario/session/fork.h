/*
 * What a run that goes on from a checkpoint may have otherwise than the run that wrote it: what could have made no
 * difference before the checkpoint's time. So a fork's results are those of its own scenario run from the start.
 */
#pragma once

#include <stdbool.h>

#include "engine/sim/checkpoint.h"
#include "weir/scenario.h"

/* What a fork has otherwise. */
typedef struct wi_forked {
    bool is;         /* anything at all */
    char flows[600]; /* keys that may ask for other room, with both values, for messages */
} wi_forked;

typedef struct wi_fork {
    const char *path;                /* of the checkpoint, for messages */
    const weir_scenario *was;        /* that it was written with */
    const weir_scenario *is;         /* that goes on now */
    const char *old_text, *new_text; /* both as resolved texts, without what results do not depend on */
    weir_time now_ps;                /* of the checkpoint */
    wi_forked *keys;                 /* filled by wi_fork_check */
} wi_fork;

/*
 * Compare the two, key by key.
 *
 * Returns: WEIR_OK; WEIR_E_ARG where a key differs that may not, with its path, both values and the reason;
 * WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_fork_check(weir_diag *diag, const wi_fork *fork);

/* What engines share whose events one part takes: sequential, observed and check. */
#pragma once

#include "engine/parts/part_run.h"

/* What the end of a part's loop means for the simulation: its clock and count of events, records handed out,
 * messages. After WI_PART_RECORDS and WEIR_OK the loop goes on. */
weir_status wi_sequential_ended(weir_diag *diag, weir_sim *sim, wi_part *part, wi_part_end end,
                                weir_time limit_ps);

/* run_until of such an engine. Inlined, so that each has a loop made for its `mode`; WEIR_E_MODEL without a
 * message where mode->handle has refused. */
static inline __attribute__((always_inline)) weir_status wi_sequential_run(weir_diag *diag, weir_sim *sim,
                                                                           const wi_part_mode *mode,
                                                                           weir_time limit_ps,
                                                                           const volatile int *stop)
{
    wi_part_end end;
    weir_status status;
    if (stop && *stop)
        return WEIR_E_INTERRUPTED;
    do {
        end = wi_part_run(&sim->main, mode, limit_ps, stop);
        status = wi_sequential_ended(diag, sim, &sim->main, end, limit_ps);
    } while (end == WI_PART_RECORDS && status == WEIR_OK);
    return status;
}

/* What engines share whose events one part takes. */
#ifndef WI_ENGINE_SEQUENTIAL_H
#define WI_ENGINE_SEQUENTIAL_H

#include "engine/part_run.h"

/* What the end of a part's loop means for the simulation: its clock and count of events, records handed out,
 * messages. After WI_PART_RECORDS and WEIR_OK the loop goes on. */
weir_status wi_sequential_ended(weir_diag *diag, weir_sim *sim, wi_part *part, wi_part_end end,
                                weir_time limit_ps);

#endif

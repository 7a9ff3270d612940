/*
 * Plans: files of messages, one a line: time in seconds, source and target rank, bytes; blanks or commas between, and
 * what follows a # is left out. Lines may stand in any order.
 */
#pragma once

#include "base/file/source.h"
#include "models/interconnect/jobs/job.h"

typedef struct wi_ic_plan {
    ic_plan_entry *entry;
    size_t n;
    uint32_t ranks; /* one more than the greatest that it names */
} wi_ic_plan;

/* Read a source, which is closed. WEIR_E_IO; WEIR_E_FORMAT with the place and what is wrong there; WEIR_E_NOMEM. `out` may be
 * freed on every path. */
WEIR_NODISCARD weir_status wi_ic_plan_read(wi_source source, wi_ic_plan *out);
void wi_ic_plan_free(wi_ic_plan *plan); /* and empty it */

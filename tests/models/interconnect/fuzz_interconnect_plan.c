/* Any bytes into the reader of plans: no crash, and what it accepts can be sent. */
#include <stdlib.h>

#include "models/interconnect/jobs/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_diag *diag = weir_diag_new();
    wi_ic_plan plan;
    if (wi_ic_plan_read(wi_source_memory(diag, "fuzz", (const char *)data, size), &plan) == WEIR_OK)
        for (size_t i = 0; i < plan.n; i++)
            must(plan.entry[i].source < plan.ranks && plan.entry[i].target < plan.ranks &&
                 plan.entry[i].time_ps >= 0 && plan.entry[i].bytes >= 1 &&
                 plan.entry[i].source != plan.entry[i].target);
    wi_ic_plan_free(&plan);
    weir_diag_free(diag);
    return 0;
}

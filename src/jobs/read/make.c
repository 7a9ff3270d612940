/* A job by its keys; see readers.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "jobs/ranks.h"
#include "jobs/read/readers.h"
#include "jobs/training.h"

/* Each rank does all of the program's actions. */
static weir_status make_program(weir_diag *diag, const weir_scenario_ranks *ranks, uint64_t n, wi_job *out)
{
    wi_job_programs *const p = &out->programs;
    *out = (wi_job){.what = "action", .file = strdup("program"), .n_ranks = (uint32_t)n};
    if (n > WI_JOB_RANKS_MAX)
        return weir_fail_at(diag, WEIR_E_SCENARIO, WEIR_AT(ranks->program_place),
                            "%llu ranks: want at most %d", (unsigned long long)n, WI_JOB_RANKS_MAX);
    p->first = calloc((size_t)n + 1, sizeof *p->first);
    bool good = out->file && p->first;
    for (uint32_t rank = 0; rank < n && good; rank++) {
        for (uint32_t i = 0; i < ranks->n_program && good; i++) {
            const job_action action = wi_job_action(&ranks->program[i]);
            good = wi_job_put(p, &action, (wi_job_place){0, i + 1});
        }
        p->first[rank + 1] = p->n_actions;
    }
    return good && wi_job_of_programs(out)
               ? wi_job_close(diag, out)
               : weir_fail(diag, WEIR_E_NOMEM, "no memory for the operations of %u ranks", out->n_ranks);
}

weir_status wi_job_make(weir_diag *diag, const weir_scenario_ranks *ranks, uint64_t seats, bool may_deadlock,
                        wi_job *out)
{
    const wi_job_options options = {.flops = ranks->flops,
                                    .memory_Bps = (double)ranks->memory_bps / 8.0,
                                    .ranks = ranks->n,
                                    .groups = ranks->groups.text,
                                    .may_deadlock = may_deadlock};
    if (ranks->n_program)
        return make_program(diag, ranks, ranks->n ? ranks->n : seats, out);
    if (!ranks->trace.text)
        return wi_job_train(diag, &ranks->model, ranks->flops, out);
    WI_RETURN_IF_FAILED(wi_job_read(diag, ranks->trace.text, &options, out));
    return !ranks->n || ranks->n == out->n_ranks
               ? WEIR_OK
               : weir_fail_at(diag, WEIR_E_SCENARIO, ranks->trace.text, 0, 0,
                              "ranks is %u, and the trace has %u; leave `ranks` out", ranks->n, out->n_ranks);
}

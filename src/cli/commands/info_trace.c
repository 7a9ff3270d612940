/* weir info TRACE: what a trace of a job holds. */
#include <stdio.h>

#include "base/units/figures.h"
#include "cli/terminal/cli.h"
#include "jobs/read/readers.h"

typedef struct kind_sum {
    const char *name;
    uint64_t ops, bytes;
} kind_sum;

enum { KINDS = 3 + JOB_OPS };

/* How often each operation is done. */
static uint64_t times(const wi_job *job)
{
    return job->alike ? job->n_ranks : 1;
}

/* Operations of each kind, and their bytes. */
static void sum_kinds(const wi_job *job, kind_sum *sums)
{
    for (uint32_t i = 0; i < job->n_ops; i++) {
        const wi_job_op *const o = &job->op[i];
        kind_sum *const s = &sums[o->kind == WI_JOB_COLLECTIVE ? 3 + o->collective : o->kind];
        s->name = wi_job_kind_name(o);
        s->ops += times(job);
        s->bytes += times(job) * o->bytes;
    }
}

static weir_status print_json(weir_diag *diag, const wi_job *job, const kind_sum *sums)
{
    json_t *kinds = json_object();
    for (int k = 0; k < KINDS; k++)
        if (sums[k].ops)
            json_object_set_new(kinds, sums[k].name,
                                json_pack("{s:I, s:I}", "count", (json_int_t)sums[k].ops, "bytes",
                                          (json_int_t)sums[k].bytes));
    return cli_print_json(diag, json_pack("{s:I, s:I, s:I, s:o, s:f, s:f}", "ranks", (json_int_t)job->n_ranks,
                                          "operations", (json_int_t)(times(job) * job->n_ops), "dependencies",
                                          (json_int_t)(times(job) * job->n_edges), "kinds", kinds,
                                          "compute_s", (double)times(job) * job->sums.compute_ps * 1e-12,
                                          "critical_s", weir_seconds(job->sums.critical_ps)));
}

static void print_text(const wi_job *job, const kind_sum *sums)
{
    char bytes[WI_FIGURE], all[WI_FIGURE], longest[WI_FIGURE];
    printf("ranks         %u\noperations    %llu, %llu dependencies\n", job->n_ranks,
           (unsigned long long)times(job) * job->n_ops, (unsigned long long)times(job) * job->n_edges);
    printf("  %-15s %12s %14s\n", "kind", "count", "bytes");
    for (int k = 0; k < KINDS; k++)
        if (sums[k].ops)
            printf("  %-15s %12llu %14s\n", sums[k].name, (unsigned long long)sums[k].ops,
                   k == WI_JOB_COMPUTE ? "" : wi_figure_unit(bytes, (double)sums[k].bytes, "B"));
    printf("computing     %s in all; the longest chain, on a network that takes no time, %s\n",
           wi_figure_duration(all, (double)times(job) * job->sums.compute_ps * 1e-12),
           wi_figure_duration(longest, weir_seconds(job->sums.critical_ps)));
}

weir_status cli_info_trace(weir_diag *diag, const cli_args *args)
{
    const wi_job_options options = {.counting = true};
    kind_sum sums[KINDS] = {{0}};
    wi_job job;
    weir_status status = wi_job_read(diag, args->operands[0], &options, &job);
    if (status == WEIR_OK) {
        sum_kinds(&job, sums);
        if (args->json)
            status = print_json(diag, &job, sums);
        else
            print_text(&job, sums);
    }
    wi_job_free(&job);
    return status;
}

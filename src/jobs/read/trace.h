/*
 * Time-independent traces, as SimGrid's replay reads them: what each rank computed (in flops), sent and received, without times.
 * One action a line, `rank action arguments`; blank lines and what follows a # are left out. Ranks' lines may be mixed; or a file
 * that names one trace file a line, relative to itself.
 *
 *   init [1]                          sizes count bytes; with an argument doubles
 *   compute FLOPS, sleep SECONDS
 *   send|isend TO TAG SIZE [TYPE]     recv|irecv FROM TAG [SIZE [TYPE]]
 *   sendRecv SIZE TO SIZE FROM [TYPE TYPE]
 *   wait FROM TO TAG, waitall [N]     N is not looked at: for all requests of the rank, as SimGrid's replay has it
 *   barrier
 *   bcast SIZE [ROOT [TYPE]]          reduce SIZE FLOPS [ROOT [TYPE]]
 *   allreduce SIZE FLOPS [TYPE]       alltoall SIZE SIZE [TYPE [TYPE]]
 *   allgather SIZE SIZE [TYPE [TYPE]] gather|scatter SIZE SIZE [ROOT [TYPE [TYPE]]]
 *   finalize, comm_size N, comm_split, comm_dup, test FROM TO TAG, location FILE LINE: nothing to do
 *
 * Types are SimGrid's numbers (0 double, 1 int, 2 char, ... 29). Sends and receives are matched here, in order for each source,
 * target and tag; collectives by their order, kind and size at all ranks. What is left over is an error with its line.
 */
#pragma once

#include "base/file/source.h"
#include "jobs/collective.h"

typedef struct wi_job_trace_options {
    double flops_per_s;      /* above 0; default 1e9 */
    job_algorithm allreduce; /* default AUTO, as other collectives are */
} wi_job_trace_options;
void wi_job_trace_options_init(wi_job_trace_options *options); /* the defaults */

/* Where an action stands. */
typedef struct wi_job_trace_place {
    uint32_t file, line; /* line 0: nowhere */
} wi_job_trace_place;

typedef struct wi_job_trace {
    job_action *actions;
    wi_job_trace_place *place; /* [n_actions] */
    size_t n_actions;
    size_t *first; /* [ranks + 1] */
    uint32_t ranks;
    char **file; /* [n_files] names */
    size_t n_files;
} wi_job_trace;

/* Read a source, which is closed. WEIR_E_IO; WEIR_E_FORMAT with file, line and what is wrong there; WEIR_E_NOMEM. `out` may be
 * freed on every path. */
WEIR_NODISCARD weir_status wi_job_trace_read(wi_source source, const wi_job_trace_options *options,
                                             wi_job_trace *out);
void wi_job_trace_free(wi_job_trace *trace); /* and empty it */

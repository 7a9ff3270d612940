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
 *   alltoallv SIZE SIZES SIZE SIZES [TYPE [TYPE]]       SIZES: one for each rank
 *   gatherv SIZE SIZES [ROOT [TYPE [TYPE]]]             scatterv SIZES SIZE [ROOT [TYPE [TYPE]]]
 *   allgatherv SIZE SIZES [TYPE [TYPE]] [SIZES]         reducescatter SIZES FLOPS [TYPE]
 *   scan|exscan SIZE FLOPS [TYPE]
 *   finalize, comm_size N, comm_split, comm_dup, test FROM TO TAG, location FILE LINE: nothing to do
 *
 * FROM may be any rank (-1, -333, -555), and TAG of what is received any tag (-1, -444); see jobs/any.h. Types are SimGrid's numbers
 * (0 double, 1 int, 2 char, ... 29). A wait is matched with its request here; sends, receives and collectives are when the job is
 * closed.
 */
#pragma once

#include "base/file/source.h"
#include "jobs/job.h"

/* The programs of a source, which is closed, and their operations; speed: flops a second of a rank, above 0. WEIR_E_IO;
 * WEIR_E_FORMAT with file, line and what is wrong there; WEIR_E_NOMEM. `out` may be freed on every path. */
WEIR_NODISCARD weir_status wi_job_trace_read(wi_source source, double speed, wi_job *out);

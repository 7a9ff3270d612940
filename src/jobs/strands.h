/*
 * Collectives as libraries for accelerators have them: the vector is cut into strands, and each goes its own way, step by step.
 *
 * Channels cut it first, then pieces of a channel's part follow each other. With p ranks, m of them in each of s servers, b
 * bytes of a strand, and T(b) of a message that nobody disturbs:
 *   RING  all-reduce 2 (p - 1) T(b/p), reduce-scatter (p - 1) T(b/p), all-gather (p - 1) T(b). With several channels ring c
 *         enters every second server at its rank c and leaves at rank c - 1, the others the other way: it stays on a rail
 *   TREE  double binary trees (Sanders, Speck, Traeff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
 *         2009) of the servers, as NCCL has them: half of a channel's part up and down each; inside a server a chain to its rank c
 *   RAILS rings inside each server, and of each rank with those at its place of other servers. All-reduce: a reduce-scatter inside,
 *         an all-reduce between, an all-gather inside, 2 (m - 1) T(b/m) + 2 (s - 1) T(b/(m s)). Reduce-scatter: the same half way,
 *         (m - 1) T(b/m) + (s - 1) T(b/(m s)). All-gather: between first, (s - 1) T(b) + (m - 1) T(s b). Of servers with unlike
 *         numbers of ranks: RING
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "jobs/strand_step.h"

/* Of each member its server, any numbers; servers come in the order of their first members. False when memory is short. */
bool wi_strands_place(wi_strands *s, const uint32_t *server, wi_owned *memory);
/* Sets parts and pieces: strands are numbered parts first, from 0 to parts * pieces - 1. False: too many. */
bool wi_strands_cut(wi_strands *s);

/*
 * Whether NCCL would reduce `bytes` along trees rather than rings: the faster by its model of latencies and bandwidths
 * (src/graph/tuning.cc of NCCL 2.8; protocols LL and Simple, NVLink inside servers; its limits by kind of GPU are left out).
 * server_Bps, local_Bps: bytes a second that a server, or a rank inside one, sends.
 */
bool wi_nccl_takes_tree(uint32_t ranks, uint32_t servers, uint64_t bytes, double server_Bps,
                        double local_Bps);

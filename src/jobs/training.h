/*
 * A transformer's training as a job: what Megatron-LM's ranks do in an iteration, from the model's dimensions alone.
 *
 * Work of a layer's forward pass over b sequences of s tokens, hidden size h, as 2 a matrix's product: attention 4 b s h² (1 + k)
 * + 4 b s² h, where k is kv_heads over heads; the multilayer perceptron 4 b s h f, or 6 where it is gated, times the experts
 * that a token goes to. The logits take 2 b s h V. A backward pass takes twice that (Narayanan and others, Efficient Large-Scale
 * Language Model Training on GPU Clusters Using Megatron-LM, SC 2021, section 5.1 and its appendix). A rank does its
 * tensor-parallel share, at `efficiency` of its speed.
 *
 * Messages, a = b s h value_bytes:
 *   tensor    an all-reduce of a behind attention and behind the perceptron, forward and backward; with sequence_parallel an
 *             all-gather before and a reduce-scatter behind, which move the same (Korthikanti and others, Reducing Activation
 *             Recomputation in Large Transformer Models, MLSys 2023, section 4.2)
 *   experts   all-to-alls of a top_k over the tensor-parallel ranks, to the experts and back, forward and backward
 *   pipeline  a to the next stage and back, one forward and one backward pass in turn (1F1B; SC 2021, section 2.2.1), sent while
 *             the next pass is computed; over the tensor-parallel ranks with sequence_parallel
 *   data      behind the last backward pass of each layer, beside what follows: its gradients' all-reduce, or with `sharded` a
 *             reduce-scatter, and an all-gather of the values at the end
 *   embedding an all-reduce of a; logits three of 4 b s, of the loss
 * Parameters are those of the matrices; biases, norms and positions, a thousandth of them, are left out. The optimiser takes
 * no time.
 */
#pragma once

#include "jobs/job.h"
#include "weir/training.h"

/*
 * Make the job of one iteration, and close it. `flops`: operations a second of a rank, above 0. The keys have been checked: each
 * divides what it is to divide.
 *
 * Owner:   *out is the caller's (wi_job_free), on every path.
 * Returns: WEIR_OK; WEIR_E_SCENARIO for more ranks than a job can have; WEIR_E_NOMEM.
 */
WEIR_NODISCARD weir_status wi_job_train(weir_diag *diag, const weir_training *model, double flops,
                                        wi_job *out);

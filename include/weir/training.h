/** A transformer that a job trains, by its dimensions. */
#ifndef WEIR_TRAINING_H
#define WEIR_TRAINING_H

#include <stdbool.h>
#include <stdint.h>

#include "weir/status.h"

/** docs/scenario.md, `traffic[].job.model`, says what each is. */
typedef struct weir_training {
    uint32_t layers, hidden, heads, kv_heads, ffn, vocabulary,
        sequence;                        /**< kv_heads, ffn 0: heads, 4 hidden */
    uint32_t experts, top_k;             /**< of each layer; 1: a dense one */
    uint32_t micro_batch, micro_batches; /**< sequences at once, and how often an iteration */
    uint32_t tensor, pipeline, data, expert_parallel;
    uint32_t value_bytes, gradient_bytes;
    bool gated, sequence_parallel, sharded, recompute;
    double efficiency; /**< share of job.flops */
    weir_place place;
} weir_training;

#endif
